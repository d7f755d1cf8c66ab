"""Counts -> which terms are worth keeping: a mask, laid over the counts whenever they are weighed.

The counts stay whole, so that another choice needs no training, and learning and forgetting choose anew, exactly as if
the model had been trained so. What is weighed are the counts of the terms that are `kept`, as if no text had any other:
the size of the lexicon and all totals are theirs. `measures` has the filters, pure functions of the counts;
`searching` the wrappers, which need the rows: what they find is held, by name, until somebody searches again.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..errors import FewerTerms, NoTerms
from ..settings import MEASURES as UNITS
from ..settings import Settings
from ..terms import display
from .measures import MEASURES, measured
from .searching import CANDIDATES, Searched, Steps, search
from .sparse import best
from .weights import carried, weights

__all__ = [
    "CANDIDATES",
    "MEASURES",
    "UNITS",
    "Mask",
    "RankedTerm",
    "Searched",
    "Steps",
    "best",
    "carried",
    "check_top",
    "described",
    "kept",
    "measured",
    "named",
    "ranked",
    "search",
    "weights",
]

Mask = npt.NDArray[np.bool_]


class RankedTerm(NamedTuple):
    """A term, what it is worth by some measure, in how many texts it is, and which label has the most of it.

    `share` is how many of that label's texts have the term.
    """

    term: str
    score: float
    documents: int
    label: str
    share: float

    @property
    def name(self) -> str:
        """The term as people are shown it."""
        return display(self.term)


def kept(counts: Counts, settings: Settings) -> Mask | None:
    """Which terms settings keep; None where that is all: they select none, or more than there are.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> counts = count(Terms(), ["good fun", "good play", "bad play", "bad fun"], ["+", "+", "-", "-"])
    >>> kept(counts, Settings(select="mutual-information:2")).tolist()     # bad, fun, good, play
    [True, False, True, False]
    """
    if settings.selects is None:
        return None
    by, top = settings.selects
    return None if top >= len(counts.lexicon) else best(measured(counts, settings, by, top), top)


def named(counts: Counts, names: Set[str]) -> Mask:
    """Which terms have one of those names."""
    return np.fromiter((name in names for name in counts.lexicon.names()), np.bool_, len(counts.lexicon))


def check_top(counts: Counts, top: int) -> None:
    """Refuses to keep more terms than there are."""
    if not len(counts.lexicon):
        raise NoTerms
    if top > len(counts.lexicon):
        raise FewerTerms(top=f"{top:,}", terms=f"{len(counts.lexicon):,}")


def ranked(counts: Counts, settings: Settings, by: str, top: int) -> list[RankedTerm]:
    """The `top` best terms by a measure, the best first; of equal ones the first in the lexicon."""
    scores = measured(counts, settings, by, top)
    kept = np.flatnonzero(best(scores, top))
    places = kept[np.argsort(-scores[kept], kind="stable")]
    return [described(counts, int(place), float(scores[place])) for place in places]


def described(counts: Counts, place: int, score: float) -> RankedTerm:
    """The term of a place, which is worth so much."""
    postings = slice(counts.indptr[place], counts.indptr[place + 1])
    label, m = counts.label[postings], counts.presences[postings]
    share = m / counts.documents[label]
    most = int(np.argmax(share))
    name = counts.lexicon.name(place) or ""
    return RankedTerm(name, score, int(m.sum()), counts.labels[label[most]], float(share[most]))
