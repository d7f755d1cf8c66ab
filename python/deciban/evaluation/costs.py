"""What answers cost: the mean cost of an example, under a cost for each (true label, predicted label).

A pair without a cost costs 0 where the answer is right, and 1 where it is wrong: with no cost at all it is the error
rate. Costs come from a CSV file with the columns true, predicted and cost.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ..errors import BadCost, UnknownCostLabel, described, listed
from ..examples import Source

Costs: TypeAlias = "Mapping[tuple[str, str], float]"
COLUMNS = ("true", "predicted", "cost")


def mean_cost(pairs: Mapping[tuple[str, str], int], costs: Costs) -> float:
    """The mean cost of answers that came so often: (true, predicted).

    >>> mean_cost({("ham", "ham"): 6, ("ham", "spam"): 2, ("spam", "ham"): 2}, {("ham", "spam"): 10.0})
    2.2
    """
    each = (times * costs.get(pair, float(pair[0] != pair[1])) for pair, times in pairs.items())
    return math.fsum(each) / sum(pairs.values())


def check(costs: Costs, labels: Iterable[str]) -> None:
    """Refuses costs of labels that there are not: a misspelt one would cost nothing, and nobody would know."""
    known = set(labels)
    for label in sorted({label for pair in costs for label in pair} - known):
        raise UnknownCostLabel(label=label, known=listed(sorted(known)))


def read(path: str | os.PathLike[str]) -> dict[tuple[str, str], float]:
    """The costs of a file."""
    true, predicted, cost = COLUMNS
    batch = Source(path, text=true, label=predicted, keep=(cost,)).whole()
    rows = zip(batch.texts, batch.labels, batch.kept, strict=True)
    return {(t, p): _number(value, batch.where(i)) for i, (t, p, (value,)) in enumerate(rows)}


def _number(value: object, where: str) -> float:
    """A cost: any finite number, also one below 0, which is a gain."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise BadCost(where=where, got=described(value))
    return number
