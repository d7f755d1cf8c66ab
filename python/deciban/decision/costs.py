"""What decisions cost: a number for each (true label, decided label), given as pairs or read from a file.

A pair without a cost costs 0 where the decision is right, and 1 where it is wrong. A cost below 0 is a gain. A file of
costs is CSV, or what else can be read, with the columns true, predicted and cost.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ..errors import AmbiguousCost, BadCost, RepeatedCost, UnknownCostLabel, described, listed
from ..examples import Source

Costs: TypeAlias = "Mapping[tuple[str, str], float]"
COLUMNS = ("true", "predicted", "cost")


def cost_of(costs: Costs, true: str, decided: str) -> float:
    """What a decision costs.

    >>> cost_of({("spam", "ham"): 10.0}, "spam", "ham"), cost_of({}, "ham", "spam"), cost_of({}, "ham", "ham")
    (10.0, 1.0, 0.0)
    """
    return costs.get((true, decided), float(true != decided))


def check(costs: Costs, labels: Iterable[str]) -> None:
    """Refuses costs of labels that there are not: a misspelt one would cost nothing, and nobody would know."""
    known = set(labels)
    for label in sorted({label for pair in costs for label in pair} - known):
        raise UnknownCostLabel(label=label, known=listed(sorted(known)))


def check_number(value: object, where: str) -> float:
    """A cost: any finite number, also one below 0, which is a gain."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise BadCost(where=where, got=described(value))
    return number


def read(path: str | os.PathLike[str]) -> dict[tuple[str, str], float]:
    """The costs of a file."""
    true, predicted, cost = COLUMNS
    batch = Source(path, text=true, label=predicted, keep=(cost,)).whole()
    rows = zip(batch.texts, batch.labels, batch.kept, strict=True)
    found: dict[tuple[str, str], float] = {}
    for i, (t, p, (value,)) in enumerate(rows):
        if (t, p) in found:
            raise RepeatedCost(where=batch.where(i), true=t, decided=p)
        found[t, p] = check_number(value, batch.where(i))
    return found


def pair_of(given: str, labels: Iterable[str]) -> tuple[str, str]:
    """`spam:ham` as (true, decided); labels may hold colons themselves, as long as it can be told which is which.

    >>> pair_of("spam:ham", ["ham", "spam"]), pair_of("a:b:c", ["a", "b:c"])
    (('spam', 'ham'), ('a', 'b:c'))
    """
    known = set(labels)
    cuts = [i for i, character in enumerate(given) if character == ":"]
    pairs = [(given[:i], given[i + 1 :]) for i in cuts]
    fitting = [pair for pair in pairs if known.issuperset(pair)]
    if len(fitting) > 1:
        raise AmbiguousCost(got=given)
    if fitting:
        return fitting[0]
    check(dict.fromkeys(pairs[:1], 0.0), known)
    return pairs[0]
