"""Held-out scores of labels -> honest log-odds, and from where on a text has a label.

Scores z_ir of texts that a model has not learnt from come in. They become log-odds by a line (Platt 1999), with one
slope for all labels and a shift for each, so that the evidence of terms still adds up:

    log-odds_ir = a z_ir + b_r,      the least of - log-likelihood + sum_r b_r^2 / 2 S^2,      S = 10

A text that has a label is taken to have it with probability 1 - 1 / (N + 2), of N such pairs, and one that has not with
1 / (M + 2), of M: scores that part all texts do not become certainties. A label is given from a threshold t_r on:

    micro    one t for all labels: where F1 of all (text, label) pairs is greatest. With honest log-odds that is right
             for every label: one more pair raises F1 where its probability is above F1 / 2 (Lipton et al. 2014)
    macro    for each label where its own F1 is greatest (SCut, Yang 2001): the best for rare labels, of which few texts
             prove little, so that others get them too often
    both     near macro's for labels of many texts, held back for rare ones: of a label of n texts the mean of macro's
             threshold, n times, and of micro's, once
    even     t_r = 0: what is more probable than not
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..scorecard import Scorecard

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
S = 10.0
STEPS = 100
NEAR = 1e-9
FARTHEST = 30.0  # log-odds beyond which nothing is told apart


@dataclass(frozen=True, eq=False)
class Deciding:
    """Slope and shift of each label's scores, and the log-odds from which on a text has it."""

    slope: Floats
    shift: Floats
    threshold: Floats

    @property
    def buffers(self) -> tuple[Floats, Floats, Floats]:
        """The same, as a file holds it."""
        return self.slope, self.shift, self.threshold

    def folded(self, card: Scorecard) -> Scorecard:
        """The scorecard whose scores, less those of the label of all texts, are the log-odds."""
        slope = np.concatenate([self.slope[:1], self.slope]) if len(self.slope) else np.ones(1)
        bias = card.bias * slope + np.concatenate([[0.0], self.shift])
        weight = card.weight * slope[card.label % len(slope)]
        return replace(card, bias=bias, absent=card.absent * slope, weight=weight)

    def for_labels(self, ours: tuple[str, ...], labels: tuple[str, ...]) -> Deciding:
        """The same for other labels; of those that it does not know, as for a typical one."""
        number = {label: r for r, label in enumerate(ours)}
        places = [number.get(label, -1) for label in labels]

        def of(numbers: Floats) -> Floats:
            typical = float(np.median(numbers)) if len(numbers) else 0.0
            return np.array([typical if place < 0 else numbers[place] for place in places])

        return Deciding(np.maximum(of(self.slope), NEAR), of(self.shift), of(self.threshold))


def plain(labels: int) -> Deciding:
    """Scores as they are, from 0 on."""
    return Deciding(np.ones(labels), np.zeros(labels), np.zeros(labels))


def decide(z: Floats, has: Bools, thresholds: str) -> Deciding:
    """The deciding by held-out scores.

    >>> z = np.array([[3.0], [2.0], [1.0], [-2.0], [-2.0], [-3.0]])
    >>> found = decide(z, z > 1.5, "micro")
    >>> (found.slope * z + found.shift >= found.threshold).ravel().tolist()
    [True, True, False, False, False, False]
    """
    slope, shift = line(z, has)
    odds = np.clip(np.where(np.isfinite(z), z * slope + shift, -FARTHEST), -FARTHEST, FARTHEST)
    return Deciding(np.full(z.shape[1], slope), shift, THRESHOLDS[thresholds](odds, has))


def line(z: Floats, has: Bools) -> tuple[float, Floats]:
    """a and b, by Newton's method; what is not finite is passed over."""
    seen = np.isfinite(z)
    aim = np.where(has, 1 - 1 / (has.sum() + 2), 1 / ((~has).sum() + 2))
    z = np.where(seen, z, 0.0)
    a, b = 1.0, np.zeros(z.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(a * z + b, -700, 700)))
        off, w = np.where(seen, p - aim, 0.0), np.where(seen, p * (1 - p), 0.0)
        g_a, g_b = (off * z).sum(), off.sum(axis=0) + b / S**2
        h_aa, h_ab, h_bb = (w * z * z).sum() + NEAR, (w * z).sum(axis=0), w.sum(axis=0) + 1 / S**2
        step_a = (g_a - (h_ab * g_b / h_bb).sum()) / max(h_aa - (h_ab**2 / h_bb).sum(), NEAR)
        step_a = float(np.clip(step_a, a - 2 * a, a / 2))  # it at most doubles, and stays above 0
        step_b = np.clip((g_b - h_ab * step_a) / h_bb, -2.0, 2.0)
        a, b = a - step_a, b - step_b
        if max(abs(step_a), np.abs(step_b).max(initial=0.0)) < NEAR:
            break
    return float(a), b


def best_f1(z: Floats, has: Bools) -> float:
    """The greatest micro-F1 of any one threshold, of honest log-odds."""
    a, b = line(z, has)
    return _cut((a * z + b).ravel(), has.ravel().astype(np.float64))[1]


def _cut(z: Floats, has: Floats) -> tuple[float, float]:
    """Where to cut so that F1 is greatest, and how great."""
    order = np.argsort(-z, kind="stable")
    ordered, right = z[order], np.cumsum(has[order])
    f1 = 2 * right / (np.arange(1, len(z) + 1) + has.sum())
    f1[:-1][ordered[:-1] == ordered[1:]] = -1.0  # equal scores are never parted
    best = int(np.argmax(f1))
    below = ordered[best + 1] if best + 1 < len(z) else ordered[best] - 1
    return float((ordered[best] + below) / 2), float(f1[best])


def _micro(odds: Floats, has: Bools) -> Floats:
    return np.full(odds.shape[1], _cut(odds.ravel(), has.ravel().astype(np.float64))[0])


def _macro(odds: Floats, has: Bools) -> Floats:
    own = has.astype(np.float64)
    return np.array([_cut(odds[:, r], own[:, r])[0] for r in range(odds.shape[1])])


def _both(odds: Floats, has: Bools) -> Floats:
    n = has.sum(axis=0)
    return np.asarray((n * _macro(odds, has) + _micro(odds, has)) / (n + 1))


def _even(odds: Floats, _has: Bools) -> Floats:
    return np.zeros(odds.shape[1])


THRESHOLDS: dict[str, Callable[[Floats, Bools], Floats]] = {
    "both": _both,
    "micro": _micro,
    "macro": _macro,
    "even": _even,
}
