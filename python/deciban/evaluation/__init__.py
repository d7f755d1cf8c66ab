"""How well: figures about held-out examples.

What comes in are predictions beside the truth (`HeldOut`); what goes out is one value that holds all figures.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..holdout import HeldOut

MOST_LABELS = 1000  # of a matrix for machines
Z_95 = 1.959963984540054  # the standard normal's 97.5 % quantile


@dataclass(frozen=True)
class LabelFigures:
    """Precision, recall and F1 of one label, and how many examples truly have it."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All figures about some held-out examples.

    >>> held = HeldOut(("ham", "spam"), ["ham", "spam", "spam"], np.log([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]))
    >>> figures = Evaluation(held)
    >>> round(figures.accuracy, 3), figures.baseline
    (0.667, ('spam', 0.6666666666666666))
    >>> [round(bound, 3) for bound in figures.interval]
    [0.208, 0.939]
    >>> figures.confusion.tolist()
    [[1, 0], [1, 1]]
    """

    held: HeldOut

    @property
    def examples(self) -> int:
        """How many there are."""
        return len(self.held.truth)

    @cached_property
    def accuracy(self) -> float:
        """The share that is right."""
        return self.held.accuracy

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true accuracy lies, with 95 % confidence (Wilson)."""
        return wilson(round(self.accuracy * self.examples), self.examples)

    @cached_property
    def baseline(self) -> tuple[str, float]:
        """The most frequent label, and the accuracy of always answering it."""
        label, times = max(sorted(Counter(self.held.truth).items()), key=lambda item: item[1])
        return label, times / self.examples

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The model's labels, and those that only the truth has."""
        return tuple(sorted({*self.held.labels, *self.held.truth}))

    @property
    def unseen(self) -> tuple[str, ...]:
        """Labels of the truth that the model does not know."""
        return tuple(sorted({*self.held.truth} - {*self.held.labels}))

    @cached_property
    def pairs(self) -> Counter[tuple[str, str]]:
        """How many examples of a true label got a label: (true, predicted), those that there are."""
        return Counter(zip(self.held.truth, self.held.predicted, strict=True))

    @cached_property
    def confusion(self) -> npt.NDArray[np.int64]:
        """The same as a matrix: true labels are rows, predicted ones columns, in the order of `labels`."""
        number = {label: i for i, label in enumerate(self.labels)}
        confusion = np.zeros((len(number), len(number)), np.int64)
        for (true, predicted), times in self.pairs.items():
            confusion[number[true], number[predicted]] = times
        return confusion

    @cached_property
    def by_label(self) -> tuple[LabelFigures, ...]:
        """Figures of each label; zero where there is nothing to divide by."""
        truly, said = Counter(self.held.truth), Counter(self.held.predicted)
        return tuple(_figures(r, self.pairs[r, r], truly[r], said[r]) for r in self.labels)

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels that are there, truly or as predicted."""
        there = {*self.held.truth, *self.held.predicted}
        return float(np.mean([figures.f1 for figures in self.by_label if figures.label in there]))

    def as_dict(self) -> dict[str, object]:
        """All figures, for machines."""
        label, accuracy = self.baseline
        return {
            "examples": self.examples,
            "accuracy": self.accuracy,
            "interval_95": list(self.interval),
            "baseline": {"label": label, "accuracy": accuracy},
            "macro_f1": self.macro_f1,
            "labels": [vars(figures) for figures in self.by_label],
            "unseen_labels": list(self.unseen),
            "confusion": self._confusion_as_dict(),
        }

    def _confusion_as_dict(self) -> dict[str, object]:
        """The matrix; of very many labels, nearly all of which are never taken for each other, the pairs that are."""
        if len(self.labels) <= MOST_LABELS:
            return {"labels": list(self.labels), "counts": self.confusion.tolist()}
        pairs = sorted(self.pairs.items())
        return {"pairs": [{"true": true, "predicted": said, "count": times} for (true, said), times in pairs]}


def _figures(label: str, right: int, truly: int, said: int) -> LabelFigures:
    """The figures of a label that so many examples have, so many got, and so many both."""
    precision, recall, f1 = right / max(said, 1), right / max(truly, 1), 2 * right / max(said + truly, 1)
    return LabelFigures(label, precision, recall, f1, truly)


def wilson(right: int, n: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval of a share: honest for few examples, and never outside 0 to 1.

    >>> [round(bound, 4) for bound in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    p = right / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (max(centre - half, 0.0) if right else 0.0), (min(centre + half, 1.0) if right < n else 1.0)
