"""What is taken for what: a heat map where it can be read, otherwise the pairs that are confused most."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..evaluation import Evaluation

MOST_LABELS, MOST_PAIRS = 30, 30


@dataclass(frozen=True)
class Cell:
    """How many examples of a row's label got a column's; `heat` from 0 to 1 is the root of their share in the row."""

    label: str
    times: int
    heat: float
    right: bool


@dataclass(frozen=True)
class MatrixRow:
    """One true label."""

    label: str
    examples: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Pair:
    """A true label that was taken for another: how many times, out of how many examples."""

    truth: str
    predicted: str
    times: int
    examples: int

    @property
    def share(self) -> float:
        """The share of the true label's examples."""
        return self.times / self.examples


@dataclass(frozen=True)
class Confusion:
    """Either the rows of the heat map, or pairs; `kinds` is how many different pairs are confused at all."""

    rows: tuple[MatrixRow, ...]
    pairs: tuple[Pair, ...]
    kinds: int

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of the heat map."""
        return tuple(row.label for row in self.rows)


def picture(evaluation: Evaluation) -> Confusion:
    """The heat map of up to 30 labels; for more, the most confused pairs."""
    pairs = _pairs(evaluation)
    rows = _rows(evaluation) if len(evaluation.labels) <= MOST_LABELS else ()
    return Confusion(rows, pairs[:MOST_PAIRS], len(pairs))


def _rows(evaluation: Evaluation) -> tuple[MatrixRow, ...]:
    return tuple(
        MatrixRow(label, sum(times), _cells(evaluation.labels, label, times))
        for label, times in zip(evaluation.labels, evaluation.confusion.tolist(), strict=True)
    )


def _cells(labels: tuple[str, ...], truth: str, row: list[int]) -> tuple[Cell, ...]:
    examples = max(sum(row), 1)
    # The root lets a few mistakes among many examples be seen.
    return tuple(
        Cell(label, times, (times / examples) ** 0.5, label == truth) for label, times in zip(labels, row, strict=True)
    )


def _pairs(evaluation: Evaluation) -> tuple[Pair, ...]:
    examples = Counter(evaluation.held.truth)
    found = evaluation.pairs.items()
    pairs = [Pair(true, said, times, examples[true]) for (true, said), times in found if true != said]
    return tuple(sorted(pairs, key=lambda pair: (-pair.times, pair.truth, pair.predicted)))
