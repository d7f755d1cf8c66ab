"""Each label's figures, for the table. Where there is nothing to divide by there is no figure, rather than a zero."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..classifier import Classifier
from ..evaluation import Evaluation, LabelFigures

MOST_LABELS = 200


@dataclass(frozen=True)
class LabelRow:
    """One label: its examples here and in training, and its figures."""

    label: str
    examples: int
    trained_on: int
    precision: float | None
    recall: float | None
    f1: float | None

    @property
    def figures(self) -> tuple[float | None, float | None, float | None]:
        """The three that have a bar."""
        return self.precision, self.recall, self.f1


@dataclass(frozen=True)
class LabelTable:
    """The rows in the labels' order, and how many labels there are in all."""

    rows: tuple[LabelRow, ...]
    labels: int


def figures(evaluation: Evaluation, classifier: Classifier) -> LabelTable:
    """The table; of very many labels, those with most examples."""
    trained_on = classifier.documents
    said = Counter(evaluation.held.predicted)
    shown = set(most_frequent(evaluation, MOST_LABELS))
    rows = [_row(of, trained_on.get(of.label, 0), said[of.label]) for of in evaluation.by_label if of.label in shown]
    return LabelTable(tuple(rows), len(evaluation.labels))


def most_frequent(evaluation: Evaluation, most: int) -> list[str]:
    """The labels with most examples, sorted by name."""
    examples = Counter(evaluation.held.truth)
    return sorted(sorted(evaluation.labels, key=lambda label: (-examples[label], label))[:most])


def _row(of: LabelFigures, trained_on: int, said: int) -> LabelRow:
    return LabelRow(
        label=of.label,
        examples=of.support,
        trained_on=trained_on,
        precision=of.precision if said else None,
        recall=of.recall if of.support else None,
        f1=of.f1 if said or of.support else None,
    )
