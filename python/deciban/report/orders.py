"""How well texts are ordered by each label's log-odds: means over labels, and the label that is ordered worst."""

from __future__ import annotations

from dataclasses import dataclass

from ..evaluation import Evaluation
from ..evaluation.curves import Ranked


@dataclass(frozen=True)
class Orders:
    """Areas under curves: means over so many labels, and those of the worst one, by average precision."""

    labels: int
    roc_area: float
    average_precision: float
    worst: str
    worst_area: float
    worst_precision: float


def orders(evaluation: Evaluation) -> Orders | None:
    """The figures; None where there are no scores, or nothing to tell apart."""
    worst = _worst(evaluation.ranked)
    area, precision = evaluation.roc_area, evaluation.average_precision
    if worst is None or area is None or precision is None:
        return None
    of_worst = worst.roc_area, worst.average_precision
    return Orders(len(evaluation.ranked), area, precision, worst.label, *of_worst)


def worst_label(evaluation: Evaluation) -> str | None:
    """The label whose texts are ordered worst."""
    worst = _worst(evaluation.ranked)
    return None if worst is None else worst.label


def _worst(ranked: tuple[Ranked, ...]) -> Ranked | None:
    return min(ranked, key=lambda one: (one.average_precision, one.label)) if ranked else None
