"""Probabilities -> a set of labels that holds the true one as often as is asked for: conformal sets (Vovk et al. 2005).

A label does not conform to a text by 1 - p(label|text), and by 2 where the text has no known term. Of m held-out texts
it is known how little their true labels conform, a_1 <= ... <= a_m; a new text's does so no less than the others', so

    set(x) = { r : a(x, r) <= q },     q = a_i with i = ceil((m + 1) coverage), beyond all where i > m

holds its label with that probability, whatever the model, if it is drawn as they were. Within labels (Mondrian), q is
that of the held-out texts of label r. A set may be empty: then no label conforms as well as most true labels of texts
seen before, and the text is like none of them. Of many held-out texts only some quantiles are kept, which take the
place of a_1 ... a_m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
UNLIKE = 2.0  # how little any label conforms to a text of which nothing is known
MOST, MOST_OF_LABEL = 999, 199  # numbers that are kept: quantiles of a tenth, and of half a percent
DIGITS = 6


def check_coverage(given: object) -> None:
    """Refuses what is no share of all texts."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 1:
        raise BadSetting(setting="coverage", got=given, expected="a number between 0 and 1")


@dataclass(frozen=True, eq=False, repr=False)
class Conformal:
    """How little true labels of held-out texts conform, rising: of all, and those of label r from `ends[r]` on.

    >>> seen = conformal(np.array([0.9, 0.8, 0.6, 0.4]), np.array([0, 0, 1, 1]), 2, np.ones(4))
    >>> seen.sets(np.array([[0.7, 0.3], [0.45, 0.55]]), np.ones(2), coverage=0.8).tolist()
    [[True, False], [True, True]]
    """

    overall: Floats
    by_label: Floats
    ends: Integers

    def sets(self, p: Floats, known: Floats, coverage: float, *, within: bool = False) -> Bools:
        """Which labels (columns) are in the set of each text (row), with these probabilities."""
        away = np.where(np.asarray(known)[:, None] > 0, (1 - p).round(DIGITS), UNLIKE)
        return np.asarray(away <= self.thresholds(coverage, p.shape[1], within=within))

    def thresholds(self, coverage: float, labels: int, *, within: bool = False) -> Floats:
        """q of each label."""
        if not within:
            return np.full(labels, threshold(self.overall, coverage))
        parts = (self.by_label[start:end] for start, end in zip(self.ends, self.ends[1:], strict=False))
        return np.array([threshold(part, coverage) for part in parts])

    def __repr__(self) -> str:
        return f"Conformal({len(self.overall)} quantiles, {len(self.ends) - 1} labels)"

    def of_label(self, label: int) -> Floats:
        """How little held-out texts of one label conform to it, rising."""
        return self.by_label[self.ends[label] : self.ends[label + 1]]

    def for_labels(self, places: Integers) -> Conformal:
        """The same for other labels: those that were at some places; of new ones (-1), nothing is known."""
        parts = [self.by_label[self.ends[r] : self.ends[r + 1]] if r >= 0 else self.by_label[:0] for r in places]
        ends = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)])
        return Conformal(self.overall, np.concatenate([self.by_label[:0], *parts]), ends)


def threshold(rising: Floats, coverage: float) -> float:
    """q: what so much of the numbers, and the one to come, do not exceed.

    >>> threshold(np.array([0.1, 0.2, 0.3, 0.4]), 0.8), threshold(np.array([0.1]), 0.8)
    (0.4, inf)
    """
    place = int(np.ceil((len(rising) + 1) * coverage - 1e-9))
    return float(rising[place - 1]) if 0 < place <= len(rising) else (np.inf if place else -np.inf)


def conformal(p_true: Floats, y: Integers, labels: int, known: Floats) -> Conformal:
    """What held-out texts say, whose true labels y had these probabilities."""
    away = np.where(known > 0, (1 - p_true).round(DIGITS), UNLIKE)
    parts = [_quantiles(away[y == r], MOST_OF_LABEL) for r in range(labels)]
    ends = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)])
    return Conformal(_quantiles(away, MOST), np.concatenate(parts), ends)


def _quantiles(numbers: Floats, most: int) -> Floats:
    """Numbers in rising order; of too many, so many quantiles, none of them too small."""
    rising = np.sort(numbers)
    if len(rising) <= most:
        return rising
    places = np.ceil(np.arange(1, most + 1) * (len(rising) + 1) / (most + 1)).astype(np.int64) - 1
    return np.asarray(rising[np.minimum(places, len(rising) - 1)])
