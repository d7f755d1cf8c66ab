"""How good sets of labels are: how often they hold the true one, and how large they are.

An answer is a set of labels that is meant to hold the true one with a promised probability; the empty set means "like
nothing seen". Small sets that keep the promise are good ones. The set of a text that was left out is made by what the
texts of other folds say (cross-conformal: Vovk 2015), so that none has a say in its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..decision import posterior
from ..decision.sets import conformal
from ..fitting.committee import folds_of
from ..holdout import HeldOut
from .intervals import wilson

FOLDS = 10


@dataclass(frozen=True)
class SetFigures:
    """The share of sets that hold the true label, with its interval (Wilson, 95 %), and their sizes.

    `promised` is the share that was asked for, overall or, with `within_labels`, of the texts of each label.
    """

    promised: float
    within_labels: bool
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

    @property
    def sentence(self) -> str:
        """The same in words."""
        low, high = self.interval_95
        each = " of each label" if self.within_labels else ""
        held = f"{self.coverage:.1%} hold the true label (95 %: {low:.1%} to {high:.1%})"
        sizes = f"{self.mean_size:.2f} labels on average, {self.single:.1%} of one, {self.empty:.1%} empty"
        label, least = self.least
        return f"sets for {self.promised:.0%} of the texts{each}: {held}; {sizes}; least often {label!r}, {least:.1%}"

    def as_dict(self) -> dict[str, Any]:
        """The same, for machines."""
        return asdict(self)


def set_figures(
    sets: Sequence[Collection[str]], truth: Sequence[str], promised: float, *, within_labels: bool = False
) -> SetFigures:
    """The figures of some sets beside the true labels.

    >>> found = set_figures([["ham"], ["ham", "spam"], []], ["ham", "spam", "ham"], 0.9)
    >>> round(found.coverage, 3), found.mean_size, found.by_label
    (0.667, 1.0, {'ham': 0.5, 'spam': 1.0})
    """
    n, sizes = len(truth), Counter(map(len, sets))
    held = [true in answer for true, answer in zip(truth, sets, strict=True)]
    truly, right = Counter(truth), Counter(true for true, fine in zip(truth, held, strict=True) if fine)
    return SetFigures(
        promised=promised,
        within_labels=within_labels,
        examples=n,
        coverage=sum(held) / n,
        interval_95=wilson(sum(held), n),
        mean_size=sum(size * times for size, times in sizes.items()) / n,
        empty=sizes[0] / n,
        single=sizes[1] / n,
        by_label={label: right[label] / truly[label] for label in sorted(truly)},
    )


def left_out_figures(held: HeldOut, coverage: float, *, within_labels: bool = False) -> SetFigures:
    """The same of texts that were left out.

    >>> scores = np.log([[0.9, 0.1], [0.2, 0.8]] * 50)
    >>> left_out_figures(HeldOut(("ham", "spam"), ["ham", "spam"] * 50, scores), 0.9).mean_size
    1.0
    """
    number, k = {label: r for r, label in enumerate(held.labels)}, len(held.labels)
    y, places = np.array([number[label] for label in held.truth]), np.arange(len(held.truth))
    known, folds = np.ones(len(y)) if held.known is None else held.known, folds_of(y, FOLDS)
    p = np.concatenate([posterior(scores) for scores in held.scores_of(places)])
    found = np.empty(p.shape, bool)
    for fold in range(FOLDS):
        there, others = folds == fold, folds != fold
        seen = conformal(p[others, y[others]], y[others], k, known[others])
        found[there] = seen.sets(p[there], known[there], coverage, within=within_labels)
    sets = [[held.labels[r] for r in np.flatnonzero(row)] for row in found]
    return set_figures(sets, held.truth, coverage, within_labels=within_labels)
