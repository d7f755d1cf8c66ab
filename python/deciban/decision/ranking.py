"""Scores of many texts -> the few that are most likely of one label, most likely first.

A score is log p(x, y). Those of two texts cannot be compared before log p(x) is taken off (Aggarwal 5.3.4), so texts
are ranked by the log-odds of label r against all k - 1 others together, which tell apart what is 1 as a probability:

    posterior   log p(r|x) - log(1 - p(r|x)) = z_r - log sum_{s != r} exp z_s
    ratio       log p(x|r) - log mean_{s != r} p(x|s): the same of z - log alpha, plus log(k - 1)

The likelihood ratio is for collections in which the labels are not as frequent as in training. It is what the posterior
odds would be, were r as probable beforehand as all others together, and those among themselves.

Where labels come apart, z_r are log-odds of each against its absence: those are ranked by, or less those of the prior.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import Column
from ..units import decibans
from . import log_odds

BY = ("posterior", "ratio")

Floats = npt.NDArray[np.float64]


class Ranked(NamedTuple):
    """A text, its `place` in the list or its line in the file, its odds and the probability that they stand for."""

    place: int
    decibans: float
    probability: float
    text: Any


@dataclass
class Ranking:
    """The `top` texts of a label so far (None: all), the most likely first or, with `lowest`, the least.

    Of equal ones the earlier is first. It holds no more texts than it ranks, however many there are.

    >>> ranking = Ranking(label=0, top=2)
    >>> ranking.add(np.array([[-5.0, -85.0], [-1.0, -1.0], [0.0, -90.0]]), [1, 2, 3], ["a", "b", "c"])
    >>> [(found.place, round(found.decibans, 1), found.probability) for found in ranking.best()]
    [(3, 390.9, 1.0), (1, 347.4, 1.0)]
    """

    label: int
    top: int | None = None
    lowest: bool = False
    log_prior: Floats | None = None  # what to take off the scores, for the likelihood ratio
    are_apart: bool = False  # scores are log-odds of each label against its absence
    keeps_odds: bool = False  # of all texts: for how deep to read
    _heap: list[tuple[float, int, int, Any]] = field(default_factory=list)  # the last of the ranking on top
    _seen: int = 0
    _odds_of_all: list[Floats] = field(default_factory=list)

    def add(self, scores: Floats, places: Sequence[int], texts: Sequence[Any] | Column) -> None:
        """Ranks some more texts."""
        odds = self._odds(scores)
        self._odds_of_all += [odds] if self.keeps_odds else []
        keys = -odds if self.lowest else odds
        is_full = len(self._heap) == self.top
        for i in np.flatnonzero(keys > self._heap[0][0]).tolist() if is_full else range(len(keys)):
            self._put((float(keys[i]), -self._seen - i, places[i], texts[i]))
        self._seen += len(keys)

    @property
    def probabilities(self) -> Floats:
        """Of the label, for all texts in the order in which they came, where odds are kept."""
        return np.asarray(np.exp(-np.logaddexp(0.0, -np.concatenate([np.empty(0), *self._odds_of_all]))))

    def best(self) -> list[Ranked]:
        """The ranking of all that was added."""
        sign = -1 if self.lowest else 1
        odds = ((sign * key, place, text) for key, _, place, text in sorted(self._heap, reverse=True))
        return [Ranked(place, decibans(nats), probability(nats), text) for nats, place, text in odds]

    def _odds(self, scores: Floats) -> Floats:
        if self.are_apart:
            odds = scores[:, self.label]
            return odds if self.log_prior is None else odds - self.log_prior[self.label]
        if self.log_prior is None:
            return log_odds(scores, self.label)
        return log_odds(scores - self.log_prior, self.label) + math.log(scores.shape[1] - 1)

    def _put(self, entry: tuple[float, int, int, Any]) -> None:
        if self.top is None or len(self._heap) < self.top:
            heapq.heappush(self._heap, entry)
        else:
            heapq.heappushpop(self._heap, entry)


def probability(log_odds: float) -> float:
    """The probability that log-odds stand for.

    >>> probability(0.0), probability(-1000.0), probability(1000.0)
    (0.5, 0.0, 1.0)
    """
    return float(np.exp(-np.logaddexp(0.0, -log_odds)))
