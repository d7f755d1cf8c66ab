"""How good answers are where a text may have any number of labels.

Indicator arrays come in, a row a text and a column a label: `truth` and `said`, true where the text has the label and
where it got it; `scores`, where an answer is an order of labels. Figures go out, equal to scikit-learn's. With T_i and
P_i the labels that text i has and got,

    F1 = 2 |T and P| / (|T| + |P|), Jaccard = |T and P| / |T or P|: micro of all (text, label) pairs together, macro the
        mean over labels, samples the mean over texts; 0 where there is nothing to divide by;
    Hamming loss = the share of (text, label) pairs that are wrong; subset accuracy = the share of texts with P_i = T_i;
    LRAP = mean over texts, and their labels, of |labels of T_i that score at least as much| / |labels that do|;
    coverage error = mean over texts of how far down the order one must go to find all of T_i.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

AXES: dict[str, Any] = {"micro": None, "macro": 0, "samples": 1}  # what is summed over before dividing


def f1(truth: Bools, said: Bools, average: str = "micro") -> float:
    """F1, averaged so: micro, macro or samples.

    >>> truth, said = np.array([[1, 0, 1], [0, 1, 0]], bool), np.array([[1, 0, 0], [0, 1, 1]], bool)
    >>> [round(f1(truth, said, average), 3) for average in AXES]
    [0.667, 0.667, 0.667]
    """
    axis = AXES[average]
    return _mean_share(2 * (truth & said).sum(axis), truth.sum(axis) + said.sum(axis))


def precision(truth: Bools, said: Bools, average: str = "micro") -> float:
    """Of the labels that texts got, the share that they have."""
    axis = AXES[average]
    return _mean_share((truth & said).sum(axis), said.sum(axis))


def recall(truth: Bools, said: Bools, average: str = "micro") -> float:
    """Of the labels that texts have, the share that they got."""
    axis = AXES[average]
    return _mean_share((truth & said).sum(axis), truth.sum(axis))


def jaccard(truth: Bools, said: Bools, average: str = "samples") -> float:
    """Of the labels that texts have or got, the share that is both."""
    axis = AXES[average]
    return _mean_share((truth & said).sum(axis), (truth | said).sum(axis))


def hamming_loss(truth: Bools, said: Bools) -> float:
    """The share of all (text, label) pairs that are wrong."""
    return float((truth != said).mean())


def subset_accuracy(truth: Bools, said: Bools) -> float:
    """The share of texts all of whose labels are right, and no other."""
    return float((truth == said).all(axis=1).mean())


def ranking_precision(truth: Bools, scores: Floats) -> float:
    """Label ranking average precision (LRAP); a text with no label, or all, cannot be ordered wrongly: 1.

    >>> ranking_precision(np.array([[True, False, False]]), np.array([[0.5, 0.9, 0.1]]))
    0.5
    """
    return float(np.mean([_ranking_precision(*row) for row in zip(truth, scores, strict=True)]))


def coverage_error(truth: Bools, scores: Floats) -> float:
    """How many labels must be taken, from the greatest score down, to have all true ones; ties are all taken.

    >>> coverage_error(np.array([[True, False, False]]), np.array([[0.5, 0.9, 0.1]]))
    2.0
    """
    least = np.where(truth, scores, np.inf).min(axis=1, keepdims=True)
    return float((scores >= least).sum(axis=1).mean())


def _ranking_precision(truth: Bools, scores: Floats) -> float:
    if truth.all() or not truth.any():
        return 1.0
    own = scores[truth]
    before = np.array([(scores >= score).sum() for score in own])
    return float(np.mean([(own >= score).sum() for score in own] / before))


def _mean_share(part: Integers | int, whole: Integers | int) -> float:
    """The mean of the shares; 0 where there is nothing to divide by."""
    whole = np.asarray(whole)
    return float(np.mean(np.where(whole > 0, np.asarray(part) / np.maximum(whole, 1), 0.0)))
