"""How good sets of labels are: how often they hold the true one, and how large they are.

An answer is a set of labels that is meant to hold the true one with a promised probability; the empty set means "like
nothing seen". Small sets that keep the promise are good ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .intervals import wilson


@dataclass(frozen=True)
class SetFigures:
    """The share of sets that hold the true label, with its interval (Wilson, 95 %), and their sizes."""

    examples: int
    coverage: float
    interval_95: tuple[float, float]
    mean_size: float
    empty: float
    single: float
    by_label: dict[str, float]

    @property
    def least(self) -> tuple[str, float]:
        """The label whose examples are held least often, and how often."""
        return min(self.by_label.items(), key=lambda item: (item[1], item[0]))

    def as_dict(self) -> dict[str, Any]:
        """The same, for machines."""
        return asdict(self)


def set_figures(sets: Sequence[Collection[str]], truth: Sequence[str]) -> SetFigures:
    """The figures of some sets beside the true labels.

    >>> found = set_figures([["ham"], ["ham", "spam"], []], ["ham", "spam", "ham"])
    >>> round(found.coverage, 3), found.mean_size, found.by_label
    (0.667, 1.0, {'ham': 0.5, 'spam': 1.0})
    """
    n, sizes = len(truth), Counter(map(len, sets))
    held = [true in answer for true, answer in zip(truth, sets, strict=True)]
    truly, right = Counter(truth), Counter(true for true, fine in zip(truth, held, strict=True) if fine)
    return SetFigures(
        examples=n,
        coverage=sum(held) / n,
        interval_95=wilson(sum(held), n),
        mean_size=sum(size * times for size, times in sizes.items()) / n,
        empty=sizes[0] / n,
        single=sizes[1] / n,
        by_label={label: right[label] / truly[label] for label in sorted(truly)},
    )
