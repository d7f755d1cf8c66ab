"""Linear models of the same texts, each with what it sees -> one scorecard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .._core import Lexicon
from ..scorecard import Scaling, Scorecard
from .members import Linear
from .seen import Seen

Floats = npt.NDArray[np.float64]


def of_one(labels: tuple[str, ...], lexicon: Lexicon, seen: Seen, linear: Linear) -> Scorecard:
    """The scorecard of one model. Rows that need no scaling have none."""
    found = of_sum(labels, lexicon, [(seen, linear)])
    scaling = found.scaling if seen.sight.length_norm or seen.sight.weighting == "sublinear" else None
    return replace(found, binary=seen.sight.weighting == "binary", scaling=scaling)


def of_sum(labels: tuple[str, ...], lexicon: Lexicon, parts: Sequence[tuple[Seen, Linear]]) -> Scorecard:
    """The scorecard of the sum of some models."""
    bias = np.sum([linear.bias for _, linear in parts], axis=0)
    scaling = _scaling(len(lexicon), [seen for seen, _ in parts])
    postings = _postings(len(lexicon), len(labels), parts)
    return Scorecard(labels, lexicon, bias, np.zeros(len(labels)), *postings, binary=False, scaling=scaling)


def _postings(
    terms: int, k: int, parts: Sequence[tuple[Seen, Linear]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], Floats]:
    """Of all weights that are not zero: by term, then by group and label."""
    keys, weights = [], []
    for group, (seen, linear) in enumerate(parts):
        place, label = np.nonzero(linear.weights)
        keys.append(seen.terms[place] * (k * len(parts)) + group * k + label)
        weights.append(linear.weights[place, label] * seen.t[place])
    key, weight = np.concatenate(keys), np.concatenate(weights)
    order = np.argsort(key, kind="stable")
    width = k * len(parts)
    indptr = np.searchsorted(key[order], np.arange(terms + 1) * width)
    return indptr, (key[order] % width).astype(np.uint32), weight[order]


def _scaling(terms: int, seen: Sequence[Seen]) -> Scaling:
    """How the rows of some models are scaled: those that scale by the same kinds of terms have the same t_j."""
    length = np.zeros(terms)  # what no model sees adds nothing to a row's length
    for of in seen:
        if of.sight.length_norm:
            length[of.terms] = of.t
    groups = np.array([of.sight.group for of in seen], np.uint32)
    return Scaling(length, groups, np.array([of.typical for of in seen]))
