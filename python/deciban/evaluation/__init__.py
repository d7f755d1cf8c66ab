"""How well: figures about held-out examples.

What comes in are predictions beside the truth (`HeldOut`); what goes out is one value that holds all figures.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..decision.costs import Costs
from ..holdout import HeldOut
from .costs import mean_cost
from .curves import Ranked, ranked
from .decisions import errors_by_share
from .doubts import Doubts
from .hierarchy import SEPARATOR, PathFigures, path_figures
from .intervals import bootstrap_macro_f1, bootstrap_share, wilson
from .learning import LearningCurve
from .probabilities import Probabilities, probabilities
from .sets import SetFigures

__all__ = ["Averages", "Evaluation", "LabelFigures", "wilson"]
MOST_LABELS = 1000  # of a matrix for machines


@dataclass(frozen=True)
class LabelFigures:
    """Precision, recall and F1 of one label, and how many examples truly have it."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Averages:
    """Precision, recall and F1 of all labels in one number each."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All figures about some held-out examples.

    `protocol` says how they were held out, `doubts` what speaks against the figures, `places` which of the given
    examples are judged, where those are not all, `curve` what more of them should bring, and `sets` how good sets of
    labels are, where those were asked for.

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
    protocol: str = ""
    doubts: Doubts | None = None
    places: tuple[int, ...] | None = None
    curve: LearningCurve | None = None
    sets: SetFigures | None = None

    @property
    def examples(self) -> int:
        """How many there are."""
        return len(self.held.truth)

    @cached_property
    def accuracy(self) -> float:
        """The share that is right."""
        return self.held.accuracy

    @cached_property
    def right(self) -> npt.NDArray[np.bool_]:
        """Whether each answer is right."""
        return np.fromiter(map(str.__eq__, self.held.predicted, self.held.truth), bool, self.examples)

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

    @cached_property
    def averages(self) -> dict[str, Averages]:
        """Over labels: `macro`, each alike; `weighted`, by its examples; `micro`, all answers alike, which is accuracy.

        Labels count that are there, truly or as predicted.
        """
        there = {*self.held.truth, *self.held.predicted}
        rows = np.array([(of.precision, of.recall, of.f1, of.support) for of in self.by_label if of.label in there])
        weights = {"macro": np.ones(len(rows)), "weighted": rows[:, 3]}
        means = {name: Averages(*(rows[:, :3].T @ w / w.sum()).tolist()) for name, w in weights.items()}
        return {"micro": Averages(*[self.accuracy] * 3), **means}

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels that are there, truly or as predicted."""
        return self.averages["macro"].f1

    @cached_property
    def bootstrap(self) -> dict[str, tuple[float, float] | None]:
        """Where accuracy and macro-F1 lie, with 95 % confidence, had other texts been judged (bootstrap)."""
        share = bootstrap_share(round(self.accuracy * self.examples), self.examples)
        return {"accuracy": share, "macro_f1": bootstrap_macro_f1(self.pairs)}

    @cached_property
    def probabilities(self) -> Probabilities | None:
        """Log loss, Brier score and calibration; None where there are answers, but no scores."""
        return probabilities(self.held) if self.held.has_scores else None

    @cached_property
    def ranked(self) -> tuple[Ranked, ...]:
        """How well examples are ordered by each label's log-odds: curves and areas; none where there are no scores."""
        return ranked(self.held) if self.held.has_scores else ()

    @cached_property
    def errors(self) -> tuple[tuple[float, float], ...]:
        """The share that is wrong (second) if only the most certain share of the examples (first) is answered."""
        return errors_by_share(self.held) if self.held.has_scores else ()

    @property
    def roc_area(self) -> float | None:
        """The mean area under the ROC curves of the labels, each against the rest."""
        return float(np.mean([one.roc_area for one in self.ranked])) if self.ranked else None

    @property
    def average_precision(self) -> float | None:
        """The mean average precision of the labels, each against the rest."""
        return float(np.mean([one.average_precision for one in self.ranked])) if self.ranked else None

    def cost(self, costs: Costs) -> float:
        """The mean cost of an example, by what each (true, predicted) costs."""
        return mean_cost(self.pairs, costs)

    def paths(self, separator: str = SEPARATOR) -> PathFigures:
        """Hierarchical precision, recall and F1, of labels that are paths: `science/physics`."""
        return path_figures(self.pairs, separator)

    def as_dict(self) -> dict[str, Any]:
        """All figures, for machines."""
        label, accuracy = self.baseline
        return {
            **({"protocol": self.protocol} if self.protocol else {}),
            "examples": self.examples,
            "accuracy": self.accuracy,
            "interval_95": list(self.interval),
            "bootstrap_95": {name: None if of is None else list(of) for name, of in self.bootstrap.items()},
            "baseline": {"label": label, "accuracy": accuracy},
            "macro_f1": self.macro_f1,
            "averages": {name: asdict(of) for name, of in self.averages.items()},
            "probabilities": None if self.probabilities is None else self.probabilities.as_dict(),
            "roc_area": self.roc_area,
            "average_precision": self.average_precision,
            "error_by_share_answered": [list(point) for point in self.errors],
            "ranked": [one.as_dict() for one in self.ranked],
            "labels": [vars(figures) for figures in self.by_label],
            "unseen_labels": list(self.unseen),
            "confusion": self._confusion_as_dict(),
            **({} if self.sets is None else {"sets": self.sets.as_dict()}),
            **({} if self.doubts is None else {"doubts": self.doubts.as_dict()}),
            **({} if self.curve is None else {"learning_curve": self.curve.as_dict()}),
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
