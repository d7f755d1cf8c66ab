"""How well scores order examples: ROC and precision-recall curves, their areas, precision among the first k.

What comes in are examples that have a label or not, and scores for it; several examples may have the same score. With
TP(t) and FP(t) the examples with and without the label that score t or more, P and N how many there are of each,

    ROC: TP / P against FP / N; its area is the chance that one with the label scores above one without, ties half;
    precision-recall: TP / (TP + FP) against TP / P;
    average precision = sum over thresholds t, from the greatest, of (recall_t - recall_t-1) precision_t;
    precision at k: the share with the label among the first k; of equal scores, the mean over their orders.

For several labels each is taken against the rest, by its log-odds, and figures are means over those labels that some
examples have and some have not. Of very many labels those with most examples are looked at.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..decision import log_odds_of_all
from ..holdout import MOST_KEPT, HeldOut
from .probabilities import some_of

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

MOST_LABELS = 200
MOST_SCORES = 1 << 24
FIRST = 10  # of precision at k


class Curve(NamedTuple):
    """Points of a curve, and the score from which on an example is taken to have the label at each."""

    x: Floats
    y: Floats
    thresholds: Floats


@dataclass(frozen=True, eq=False)
class Ranked:
    """How well examples are ordered by one label's log-odds against the rest."""

    label: str
    truth: Bools
    log_odds: Floats

    @property
    def roc(self) -> Curve:
        """The share of the others that is taken in (x) to have a share of the label's (y)."""
        return roc(self.truth, self.log_odds)

    @property
    def precision_recall(self) -> Curve:
        """How pure (y) a share of the label's examples (x) is had."""
        return precision_recall(self.truth, self.log_odds)

    @property
    def roc_area(self) -> float:
        """The chance that one of the label stands before one of the others."""
        return roc_area(self.truth, self.log_odds)

    @property
    def average_precision(self) -> float:
        """The area under the steps of precision against recall."""
        return average_precision(self.truth, self.log_odds)

    def as_dict(self) -> dict[str, float | str]:
        """Its figures, for machines."""
        return {
            "label": self.label,
            "roc_area": self.roc_area,
            "average_precision": self.average_precision,
            f"precision_at_{FIRST}": precision_at(self.truth, self.log_odds, FIRST),
        }


def ranked(held: HeldOut) -> tuple[Ranked, ...]:
    """Each label's ordering; none of labels that no example has, or all."""
    truth = Counter(held.truth)
    known = [label for label in held.labels if 0 < truth[label] < len(held.truth)]
    shown = sorted(sorted(known, key=lambda label: -truth[label])[:MOST_LABELS])
    places = some_of(held, min(max(MOST_SCORES // max(len(shown), 1), 1) * len(held.labels), MOST_KEPT))
    columns = [held.labels.index(label) for label in shown]
    parts = [log_odds_of_all(scores)[:, columns] for scores in held.scores_of(places)]
    odds, said = np.concatenate(parts), np.array(held.truth, dtype=object)[places]
    found = (Ranked(label, said == label, odds[:, i]) for i, label in enumerate(shown))
    return tuple(one for one in found if 0 < one.truth.sum() < len(one.truth))


def _tallies(truth: Bools, scores: Floats) -> tuple[Floats, Floats, Floats]:
    """TP and FP at each threshold, from the greatest, and the thresholds."""
    order = np.argsort(-scores, kind="stable")
    with np.errstate(invalid="ignore"):  # infinite ones beside each other
        last = np.flatnonzero(np.append(scores[order][1:] != scores[order][:-1], True))
    right = np.cumsum(truth[order])[last].astype(np.float64)
    return right, last + 1 - right, scores[order][last]


def roc(truth: Bools, scores: Floats) -> Curve:
    """The ROC curve, from (0, 0) to (1, 1).

    >>> curve = roc(np.array([True, False, True]), np.array([0.9, 0.5, 0.5]))
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.0, 0.0, 1.0], [0.0, 0.5, 1.0])
    """
    right, wrong, thresholds = _tallies(truth, scores)
    start = np.zeros(1)
    x, y = (np.concatenate([start, of]) / max(of[-1], 1) for of in (wrong, right))
    return Curve(x, y, np.concatenate([[np.inf], thresholds]))


def roc_area(truth: Bools, scores: Floats) -> float:
    """The area under the ROC curve."""
    curve = roc(truth, scores)
    return float(np.diff(curve.x) @ (curve.y[1:] + curve.y[:-1])) / 2


def precision_recall(truth: Bools, scores: Floats) -> Curve:
    """Precision (y) against recall (x), from no recall on, where precision is said to be 1.

    >>> curve = precision_recall(np.array([True, False, True]), np.array([0.9, 0.5, 0.5]))
    >>> curve.x.tolist(), curve.y.round(2).tolist()
    ([0.0, 0.5, 1.0], [1.0, 1.0, 0.67])
    """
    right, wrong, thresholds = _tallies(truth, scores)
    recall, precision = right / max(right[-1], 1), right / (right + wrong)
    return Curve(np.append(0.0, recall), np.append(1.0, precision), np.append(np.inf, thresholds))


def average_precision(truth: Bools, scores: Floats) -> float:
    """The area under the steps of the precision-recall curve."""
    curve = precision_recall(truth, scores)
    return float(np.diff(curve.x) @ curve.y[1:])


def precision_at(truth: Bools, scores: Floats, k: int) -> float:
    """The share with the label among the first k, or among all where those are fewer.

    >>> precision_at(np.array([True, False, True, False]), np.array([3.0, 2.0, 2.0, 1.0]), 2)
    0.75
    """
    right, wrong, _ = _tallies(truth, scores)
    both, k = right + wrong, min(k, len(truth))
    return float(np.interp(k, np.append(0.0, both), np.append(0.0, right))) / k
