"""What a model goes by: the strongest terms of each label, as those of a linear classifier (Zhu 16-18; Stone's w).

The weight of term j for label r against label s is W_jr - W_js: what one occurrence adds to the log-odds of the two,
whatever else stands in a text. Against all other labels together, it is how far the term, seen alone and once, moves
the odds of r away from the prior's, which is the weight against the mean of the others, each as likely as its prior:

    w_jr = W_jr - log( sum_{s != r} alpha_s exp W_js / sum_{s != r} alpha_s )

Terms are found from the postings alone, never from a matrix of terms x labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..scorecard import Scorecard
from ..terms import display
from ..units import decibans

LEAST = 1e-6  # nats: what weighs less speaks for nothing but rounding
TINY = 1e-300

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer]


class Word(NamedTuple):
    """A term's weight for `label` against `against` (None: all others), and how many training texts of each have it."""

    label: str
    against: str | None
    term: str
    decibans: float
    documents: int
    others: int

    @property
    def name(self) -> str:
        """The term as people are shown it."""
        return display(self.term)


def fewest(documents: int) -> int:
    """In how many of a label's documents a term must be, by default: few prove nothing, and rare terms weigh most.

    >>> fewest(10), fewest(5000)
    (2, 50)
    """
    return max(2, documents // 100)


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of all postings (j, r) of a model's counts: terms j that label r has shown."""

    card: Scorecard
    counts: Counts
    log_prior: Floats

    def strongest(self, one: int, other: int | None, top: int | None, documents: int) -> Iterator[Word]:
        """The terms that speak most for one label, of those that so many of its documents have."""
        near = self.against_rest if other is None else self._against(other)
        postings = np.flatnonzero((self.counts.label == one) & (self.counts.presences >= documents) & (near >= LEAST))
        best = np.sort(postings[np.lexsort((-self.counts.presences[postings], -near[postings]))[:top]])
        terms = self.terms(best)
        weights = decibans(self.exact(terms, one, other))
        for i in np.lexsort((-self.counts.presences[best], -weights)).tolist():
            yield self._word(int(terms[i]), one, other, float(weights[i]))

    def exact(self, terms: Integers, one: int, other: int | None = None) -> Floats:
        """The weights of some terms for a label against another, or all others together, in nats."""
        W = self.card.weights(terms)  # noqa: N806
        if other is not None:
            return np.asarray(W[:, one] - W[:, other])
        rest = np.arange(len(self.card.labels)) != one
        others = np.logaddexp.reduce((self.log_prior + W)[:, rest], axis=1)
        return np.asarray(W[:, one] - others + np.logaddexp.reduce(self.log_prior[rest]))

    @cached_property
    def _places(self) -> slice | Integers:
        """Where the scorecard has each posting of the counts: it may have more."""
        if self.card.has_places(self.counts.indptr, self.counts.label):
            return slice(None)
        k = len(self.card.labels)
        return np.searchsorted(self.card.term * k + self.card.label, self.counts.term * k + self.counts.label)

    @cached_property
    def against_rest(self) -> Floats:
        """w_jr of every posting, nearly: enough to choose by."""
        r, term, absent = self.card.label, self.card.term, self.log_prior + self.card.absent
        joint = self.log_prior[r] + self.card.seen
        greatest = max(joint.max(initial=-1 / TINY), absent.max())  # none of them need be finite
        seen, unseen = np.exp(joint - greatest), np.exp(absent - greatest)
        total = unseen.sum() + np.bincount(term, seen - unseen[r], len(self.card.lexicon))
        prior = np.exp(self.log_prior - np.logaddexp.reduce(self.log_prior))
        prior_odds = np.log(np.maximum(prior, TINY)) - np.log(np.maximum(1 - prior, TINY))
        floor = np.maximum(unseen.sum() - unseen, TINY)  # where no other label has the term; the difference may cancel
        rest = np.maximum(total[term] - seen, floor[r])
        nats = np.log(np.maximum(seen, TINY)) - np.log(rest) - prior_odds[r]
        return np.asarray(nats[self._places])

    def terms(self, postings: Integers) -> Integers:
        """The terms of some postings."""
        return np.searchsorted(self.counts.indptr, postings, side="right") - 1

    def _against(self, other: int) -> Floats:
        """W_jr - W_js of every posting."""
        return np.asarray(self.card.seen[self._places] - self.card.column(other)[self.counts.term])

    def _word(self, term: int, one: int, other: int | None, weight: float) -> Word:
        postings = slice(self.counts.indptr[term], self.counts.indptr[term + 1])
        having = dict(zip(self.counts.label[postings].tolist(), self.counts.presences[postings].tolist(), strict=True))
        others = sum(having.values()) - having[one] if other is None else having.get(other, 0)
        against = None if other is None else self.card.labels[other]
        name = self.card.lexicon.name(term) or ""
        return Word(self.card.labels[one], against, name, weight, having[one], others)
