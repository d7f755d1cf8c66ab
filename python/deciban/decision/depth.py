"""Probabilities of ranked texts, and of held-out texts of the label -> how deep to read to find most of the label's.

Texts stand in the falling order of p_i, their probability of the label; whoever reads the first d has found F of its
texts and missed M. Two accounts of how deep that must be for a recall F / (F + M) of rho:

**Held-out texts.** m texts of the label had the probabilities q_(1) <= q_(2) <= ... when they were left out. Read all
texts with p >= q_(j). Of the R texts of the label in the file, those missed are below the j-th lowest of m others of
their kind, so that M is beta-binomial (R; j, m + 1 - j). j is the greatest number with

    P(M <= (1 - rho) R) >= 0.95,        R = sum_i p_i, rounded

That holds whatever the probabilities are worth, as long as the label's texts are like the held-out ones: neither other
texts nor how frequent labels are matter, but for R. Where m is too small even for j = 1, what can be promised is told.

**Probabilities.** If they are honest, F and M are sums of coins, and d is the least depth with

    mean + 1.645 standard deviations of  rho M - (1 - rho) F  <=  0

To be read is the deeper of both: where the file's texts are not like the held-out ones, the second may still tell.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from .sets import DIGITS, UNLIKE
from .tails import DOUBT, new_below

Floats = npt.NDArray[np.float64]
Z = 1.6448536269514722  # the standard normal's 95 % quantile


@dataclass(frozen=True)
class Depth:
    """How many of some ranked texts to read for a recall: `depth`, by held-out texts, and by probabilities.

    `relevant` texts of the label are expected in all, `expected_recall` of them among those read. `promised` is the
    recall that `held_out` texts of the label promise with 95 % confidence, of those read; by probabilities alone, it
    would take `by_probabilities`, which is the least that is read.
    """

    texts: int
    recall: float
    depth: int
    relevant: float
    expected_recall: float
    held_out: int
    promised: float
    by_probabilities: int

    @property
    def is_promised(self) -> bool:
        """Whether held-out texts are enough to promise the recall."""
        return self.promised >= self.recall

    def as_dict(self) -> dict[str, object]:
        """All of it, for machines."""
        return {**asdict(self), "is_promised": self.is_promised}

    def sentences(self, label: str) -> tuple[str, ...]:
        """The same for people."""
        share = f" ({self.depth / self.texts:.1%})" if self.texts else ""
        read = f"to find {self.recall:.0%} of {label}, read the first {self.depth:,} of {self.texts:,} texts{share}"
        expected = f"expected: {self.relevant:,.1f} texts of {label}, {self.expected_recall:.1%} of them there"
        if self.is_promised:
            by = f"95 % sure, by {self.held_out:,} held-out texts of it"
            return f"{read}: {by}", f"{expected}; by probabilities alone, {self.by_probabilities:,} would do"
        few = f"{self.held_out:,} held-out texts of {label} promise no more than {self.promised:.0%}"
        return f"{read}: by probabilities alone, no promise", f"{few} (95 %); {expected}"


def check_recall(given: object) -> None:
    """Refuses what is no share."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 1:
        raise BadSetting(setting="recall", got=given, expected="a number between 0 and 1")


def depth(p: Floats, away: Floats, recall: float) -> Depth:
    """How deep to read texts with such probabilities of a label; 1 - p of held-out ones of it are `away`, rising.

    >>> p = np.linspace(1, 0, 101)
    >>> found = depth(p, np.linspace(0.0, 0.9, 99), recall=0.9)
    >>> found.depth, found.is_promised, found.by_probabilities
    (88, True, 78)
    """
    falling = -np.sort(-p)
    by_probabilities, relevant = _by_probabilities(falling, recall), float(falling.sum())
    j, promised = _held_out(len(away), max(round(relevant), 1), recall)
    to = by_probabilities
    if promised >= recall:
        least = away[len(away) - j]
        to = max(to, len(p) if least >= UNLIKE else int(((1 - falling).round(DIGITS) <= least).sum()))
    found = float(falling[:to].sum() / relevant) if relevant else 1.0
    return Depth(len(p), recall, to, relevant, found, len(away), promised, by_probabilities)


def _held_out(m: int, relevant: int, recall: float) -> tuple[int, float]:
    """j, and the recall that is promised above the j-th lowest of m held-out texts."""
    if m == 0:
        return 0, 0.0
    misses = math.floor((1 - recall) * relevant + 1e-9)
    j = bisect_left(range(1, m + 1), True, key=lambda j: new_below(relevant, j, m, misses) < 1 - DOUBT)
    if j == 0:  # not even the lowest will do
        misses = bisect_left(range(relevant), True, key=lambda most: new_below(relevant, 1, m, most) >= 1 - DOUBT)
    return max(j, 1), 1 - misses / relevant


def _by_probabilities(falling: Floats, recall: float) -> int:
    """The least depth that honest probabilities make sure of."""
    found, spread = (np.append(0.0, np.cumsum(of)) for of in (falling, falling * (1 - falling)))
    missed, unsure = found[-1] - found, spread[-1] - spread
    mean = recall * missed - (1 - recall) * found
    enough = mean + Z * np.sqrt(np.maximum(recall**2 * unsure + (1 - recall) ** 2 * spread, 0.0)) <= 0
    return int(enough.argmax()) if enough.any() else len(falling)
