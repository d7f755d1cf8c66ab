"""Rows of counts -> rows of numbers, as a fitted model sees them (Rush: features; tf-idf).

    x_j = f(z_j) t_j / |x|

where z_j is how often term j stands in the text; f(z) is 1, z or 1 + log z (`weighting`); t_j is idf_j, or 1; and |x|
is the length of the row so made, or 1:

    idf_j = 1 + log((1 + n) / (1 + m_j))              of n documents, m_j of them with the term

idf_j and |x| know nothing of labels. A model may see some kinds of terms only (words, those of fields or of the text of
mails, pairs of words, words of titles, characters inside words, across), and only those that `least` documents have.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts, looked_up
from ..rows import Rows
from ..scorecard import FIELDS, KINDS, TEXT, WORDS, group_of
from ..settings import Settings

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
ACROSS, INSIDE = KINDS["\ta"], KINDS["\tc"]
PAIRS = 32  # of words that stand apart: a bit to be seen by; in a row's length they are words
TITLES = 64  # words of titles, the same
ALL = ACROSS | INSIDE | WORDS | PAIRS | TITLES
AT_ONCE = 1 << 20  # products
UNSEEN = 2**32 - 1  # the column of a term that is not seen


@dataclass(frozen=True)
class Sight:
    """What is seen of rows."""

    kinds: int = ALL
    weighting: str = "sublinear"
    idf: bool = True
    length_norm: bool = True
    least: int = 1

    @classmethod
    def of(cls, settings: Settings) -> Sight:
        """What a model of these settings sees."""
        return cls(weighting=settings.counting, idf=settings.has_idf, length_norm=settings.has_length_norm)

    @property
    def group(self) -> int:
        """The group that its weights are, by its number in a scorecard's scaling."""
        kinds = self.kinds & ~(PAIRS | TITLES) | (WORDS if self.kinds & (PAIRS | TITLES) else 0)
        return group_of(self.weighting, kinds if self.length_norm else 0)


@dataclass(frozen=True, eq=False)
class Seen:
    """Compressed sparse rows of numbers, over the terms that a model sees; `t` is t_j of each of those."""

    sight: Sight
    indptr: Integers
    column: npt.NDArray[np.uint32]
    value: npt.NDArray[np.float32]
    terms: Integers
    t: Floats
    typical: float

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def rows(self) -> tuple[Integers, npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
        """The same, as solvers take them."""
        return self.indptr, self.column, self.value

    @cached_property
    def row(self) -> Integers:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def scores(self, weights: Floats, bias: Floats) -> Floats:
        """x W + b of each row."""
        scores = np.tile(bias, (len(self), 1))
        full = np.flatnonzero(np.diff(self.indptr))
        step = max(1, AT_ONCE // max(1, len(bias) * int(np.diff(self.indptr).max(initial=1))))
        for some in np.array_split(full, -(-len(full) // step)) if len(full) else []:
            start, end = self.indptr[some[0]], self.indptr[some[-1] + 1]
            added = weights[self.column[start:end]] * self.value[start:end, None]
            scores[some] += np.add.reduceat(added, self.indptr[some] - start, axis=0)
        return scores

    def some(self, places: Integers) -> Seen:
        """Some of the rows."""
        rows = Rows(self.indptr, self.column, self.value).some(places)  # type: ignore[arg-type]
        return Seen(self.sight, rows.indptr, rows.term, rows.count, self.terms, self.t, self.typical)  # type: ignore[arg-type]


def idf(counts: Counts) -> Floats:
    """idf_j of each term that was counted."""
    return np.asarray(1 + np.log((1 + counts.documents.sum()) / (1 + counts.by_term(counts.presences))))


def see(rows: Rows, counts: Counts, sight: Sight, given: Floats | None = None) -> Seen:
    """What a model sees of the rows that were counted; where the t_j of all terms are `given`, with those.

    >>> from deciban.counts import count
    >>> from deciban.rows import rows
    >>> from deciban.terms import Terms
    >>> texts = ["fun fun", "exam", "exam fun"]
    >>> counts = count(Terms(), texts, ["fun", "study", "study"])
    >>> seen = see(rows(counts.lexicon, texts), counts, Sight(idf=False))
    >>> seen.column.tolist(), [round(float(value), 3) for value in seen.value]
    ([1, 0, 0, 1], [1.0, 1.0, 0.707, 0.707])
    """
    chosen = _of_kinds(counts, sight.kinds) & (counts.by_term(counts.presences) >= sight.least)
    column = np.where(chosen, np.cumsum(chosen) - 1, UNSEEN).astype(np.uint32)
    t = (idf(counts) if sight.idf else np.ones(len(chosen))) if given is None else given
    f = counted(np.arange(rows.count.max(initial=0) + 1), sight.weighting)
    indptr, column, value, lengths = _core.seen((rows.indptr, rows.term, rows.count), column, t, f, sight.length_norm)
    typical = float(np.mean(1 / lengths)) if len(rows) else 1.0
    terms = np.flatnonzero(chosen)
    return Seen(sight, indptr, column, value, terms, t[terms], typical)


def counted(z: Integers, weighting: str) -> Floats:
    """f(z)."""
    if weighting == "binary":
        return np.ones(len(z))
    return z.astype(np.float64) if weighting == "counts" else looked_up(lambda z: 1 + np.log(np.maximum(z, 1)), z)


def _of_kinds(counts: Counts, kinds: int) -> npt.NDArray[np.bool_]:
    """Which terms of the lexicon are of some kinds: it is in the order of their names, and by those kinds begin."""
    places = range(len(counts.lexicon))
    name = lambda place: counts.lexicon.name(place) or ""  # noqa: E731
    of = np.full(len(places), WORDS)
    for start, kind in (*KINDS.items(), ("\ts", PAIRS), ("\tl", TITLES)):
        after = start[:-1] + chr(ord(start[-1]) + 1)
        first, last = (bisect_left(places, edge, key=name) for edge in (start, after))
        of[first:last] = kind
    if kinds & (FIELDS | TEXT):
        has_colon = np.array([":" in name for name in counts.lexicon.names()], np.bool_)
        of[of == WORDS] |= np.where(has_colon, FIELDS, TEXT)[of == WORDS]
    return np.asarray((of & kinds) > 0)
