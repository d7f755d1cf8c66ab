"""How good a model is where texts have any number of labels: all figures of `multilabel`, and the labels it fails at.

Held-out scores come in (log-odds of each label against its absence), with which labels the texts have and got; figures
go out. Cardinality is the mean number of labels a text, in truth and as predicted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import NoExamples
from . import multilabel

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
WORST = 10


class OfLabel(NamedTuple):
    """How one label does: how many texts have it and got it, how many of those rightly."""

    label: str
    texts: int
    said: int
    right: int

    @property
    def f1(self) -> float:
        """2 right / (texts + said); 0 where there is neither."""
        return 2 * self.right / max(self.texts + self.said, 1)


@dataclass(frozen=True, eq=False)
class SeveralEvaluation:
    """Which labels texts have and got (a row a text, a column a label), their scores, and how they were held out.

    >>> truth, said = np.array([[1, 0], [1, 1]], bool), np.array([[1, 0], [0, 1]], bool)
    >>> found = SeveralEvaluation(("a", "b"), truth, said, np.where(said, 1.0, -1.0), "on examples kept apart")
    >>> round(found.micro_f1, 3), found.cardinality, [worst.label for worst in found.worst(1)]
    (0.8, (1.5, 1.0), ['a'])
    """

    labels: tuple[str, ...]
    truth: Bools
    said: Bools
    scores: Floats
    protocol: str
    unknown: int = 0  # how often texts have labels that the model does not know; no figure can have those
    places: tuple[int, ...] | None = None  # of the texts among those that were given, where not all are judged

    def __post_init__(self) -> None:
        if not len(self.truth):
            raise NoExamples(where="texts")

    @property
    def micro_f1(self) -> float:
        """F1 of all (text, label) pairs together."""
        return multilabel.f1(self.truth, self.said)

    @property
    def macro_f1(self) -> float:
        """The mean F1 of labels."""
        return multilabel.f1(self.truth, self.said, "macro")

    @property
    def cardinality(self) -> tuple[float, float]:
        """The mean number of labels a text: in truth, and as predicted."""
        return float(self.truth.sum(axis=1).mean()), float(self.said.sum(axis=1).mean())

    @cached_property
    def by_label(self) -> list[OfLabel]:
        """How each label does."""
        right = (self.truth & self.said).sum(axis=0)
        columns = (self.truth.sum(axis=0).tolist(), self.said.sum(axis=0).tolist(), right.tolist())
        return [OfLabel(*row) for row in zip(self.labels, *columns, strict=True)]

    def worst(self, most: int = WORST) -> list[OfLabel]:
        """The labels with most pairs of text and label that are wrong."""
        wrong = [(each.right * 2 - each.texts - each.said, each.label, each) for each in self.by_label]
        return [each for lost, _, each in sorted(wrong, key=lambda row: row[:2])[:most] if lost < 0]

    def as_dict(self) -> dict[str, Any]:
        """All figures, for JSON."""
        truth, said, scores = self.truth, self.said, self.scores
        averages = {
            f"{average}_{name}": of(truth, said, average)
            for average in multilabel.AXES
            for name, of in (("f1", multilabel.f1), ("precision", multilabel.precision), ("recall", multilabel.recall))
        }
        return {
            "examples": len(truth),
            "protocol": self.protocol,
            **averages,
            "subset_accuracy": multilabel.subset_accuracy(truth, said),
            "hamming_loss": multilabel.hamming_loss(truth, said),
            "ranking_precision": multilabel.ranking_precision(truth, scores),
            "coverage_error": multilabel.coverage_error(truth, scores),
            "cardinality": dict(zip(("true", "predicted"), self.cardinality, strict=True)),
            "unknown_labels": self.unknown,
            "labels": [{**each._asdict(), "f1": each.f1} for each in self.by_label],
        }

    def __str__(self) -> str:
        facts = self.as_dict()
        lines = [f"{facts['examples']:,} texts, {len(self.labels):,} labels, {self.protocol}"]
        lines.append(f"{'':>9}{'F1':>9}{'precision':>11}{'recall':>9}")
        for average in multilabel.AXES:
            f1, precision, recall = (facts[f"{average}_{name}"] for name in ("f1", "precision", "recall"))
            lines.append(f"{average:>9}{f1:>9.4f}{precision:>11.4f}{recall:>9.4f}")
        shown = "all labels right {subset_accuracy:.1%}, Hamming loss {hamming_loss:.5f}"
        ranking = "ranking precision {ranking_precision:.4f}, coverage error {coverage_error:.2f}"
        lines.append(f"{shown}, {ranking}".format(**facts))
        lines.append("labels a text: {:.2f} in truth, {:.2f} predicted".format(*self.cardinality))
        if self.unknown:
            lines.append(
                f"{self.unknown:,} labels of texts are not known to the model, and are left out of all figures"
            )
        if worst := self.worst():
            lines.append("labels with most errors:")
            lines += [
                f"  {w.f1:.3f}  {w.label} ({w.right:,} right of {w.said:,} said, {w.texts:,} true)" for w in worst
            ]
        return "\n".join(lines)
