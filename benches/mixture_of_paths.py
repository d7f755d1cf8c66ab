"""Shrinkage along the path as McCallum, Rosenfeld, Mitchell and Ng (1998) have it: what `make hierarchy` compares with.

A label throws words by a mixture of dice: its own, that of each of its ancestors without what the step below has shown,
and an even one. The weights of each label's mixture are found by expectation-maximisation on its own words, each
occurrence of a word left out of the label's die while it is asked for. Labels of few words lean on the weights of all:
so many words of those are added to each. The prior of a label is its share of the texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from deciban.tree import cut

Floats = npt.NDArray[np.float64]
ROUNDS, TIED = 15, 100.0


def answers(learnt: Any, labels: Sequence[str], asked: Any, separator: str = "/") -> list[str]:
    """The labels of rows (SciPy's, a column a term) by what labelled rows of the same terms have taught."""
    known = np.flatnonzero(np.asarray(learnt.sum(axis=0))[0])
    learnt, asked = learnt[:, known], asked[:, known]
    names = sorted(set(labels))
    number = {name: r for r, name in enumerate(names)}
    y = np.array([number[label] for label in labels])
    n = np.zeros((len(names), len(known)))
    for r in range(len(names)):
        n[r] = np.asarray(learnt[y == r].sum(axis=0))[0]
    scores = asked @ np.log(_mixed(n, names, separator)).T + np.log(np.bincount(y) / len(y))
    return [names[r] for r in scores.argmax(axis=1)]


def _mixed(n: Floats, names: list[str], separator: str) -> Floats:
    """The dice of labels with such counts."""
    levels = _levels(n, names, separator)
    there = np.array([*(level.sum(axis=1) > 0 for level in levels), np.ones(len(n), np.bool_)]).T
    r, j = np.nonzero(n)
    own = np.maximum(n[r, j] - 1, 0) / np.maximum(n.sum(axis=1)[r] - 1, 1)
    above = [level[r, j] / np.maximum(level.sum(axis=1)[r], 1) for level in levels[1:]]
    weights = _weights(np.array([own, *above, np.full(len(r), 1 / n.shape[1])]).T, n[r, j], r, there)
    dice = weights[:, -1:] / n.shape[1]
    for level, weight in zip(levels, weights.T, strict=False):
        dice = dice + weight[:, None] * level / np.maximum(level.sum(axis=1, keepdims=True), 1)
    return dice


def _levels(n: Floats, names: list[str], separator: str) -> list[Floats]:
    """What each label has shown, and each of its ancestors up to the root without the step below."""
    levels, below = [n], n
    for depth in reversed(range(max(name.count(separator) for name in names) + 1)):
        cuts = [cut(name, separator, depth) for name in names]
        _, number = np.unique(cuts, return_inverse=True)
        sums = np.zeros((number.max() + 1, n.shape[1]))
        np.add.at(sums, number, n)
        levels.append(sums[number] - below)
        below = sums[number]
    return levels


def _weights(p: Floats, times: Floats, label: npt.NDArray[np.int64], there: npt.NDArray[np.bool_]) -> Floats:
    """The weights of each label's dice: `p` is what they say of each word of it that occurs so many times."""
    weights = there / there.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        share = weights[label] * p
        share *= (times / share.sum(axis=1))[:, None]
        sums = np.array([np.bincount(label, of, len(there)) for of in share.T]).T
        sums = (sums + TIED * sums.sum(axis=0) / sums.sum()) * there
        weights = sums / sums.sum(axis=1, keepdims=True)
    return weights
