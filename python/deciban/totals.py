"""Counts -> totals, which formulas are made of: of all documents or of all but one.

    n_r   documents of label r                          m_jr   documents of label r that have term j
    nu_r  occurrences under label r                     nu_jr  occurrences of term j under label r
    d_r   terms that label r has shown                  nu_j   occurrences of term j
    d     terms: the size of the lexicon                n, nu  documents and occurrences in all

With `binary` a document's words count once each: nu_jr is then m_jr. Totals have labels along their last axis and,
along the first, one line for all documents; or one line for each document that has left. Then d is smaller by the terms
that no other document has, and a label without a document is no label any more: all of it, as if the model had been
trained on the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .counts import Counts
from .deleted import Leaving, Rates, Reappearing
from .rows import Rows

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Totals(ABC):
    """What follows from the totals of each label, whichever documents they are of."""

    n_r: Integers
    nu_r: Integers
    d_r: Integers
    m_r: Integers
    d: Integers

    @property
    @abstractmethod
    def rates(self) -> Rates:
        """What deleted estimation makes of counts in halves."""

    @property
    def n(self) -> Integers:
        """All documents."""
        return np.asarray(self.n_r.sum(axis=-1, keepdims=True))

    @property
    def nu(self) -> Integers:
        """All occurrences."""
        return np.asarray(self.nu_r.sum(axis=-1, keepdims=True))

    @property
    def m(self) -> Integers:
        """All presences."""
        return np.asarray(self.m_r.sum(axis=-1, keepdims=True))

    @abstractmethod
    def log_absence(self, rest: Floats) -> Floats:
        """sum_j log(n_r - m_jr + rest_r), over all terms."""


class Whole(Totals):
    """Of all documents.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> of = Whole(count(Terms(), ["fun fun game", "hard exam", "exam"], ["fun", "study", "study"]), binary=False)
    >>> of.n_r.tolist(), of.nu_r.tolist(), of.d_r.tolist(), of.d.tolist(), of.nu_j.tolist()
    ([[1, 2]], [[3, 3]], [[2, 2]], [[4]], [2, 2, 1, 1])
    """

    def __init__(self, counts: Counts, *, binary: bool) -> None:
        self.counts = counts
        self.binary = binary
        self.nu_jr = counts.presences if binary else counts.occurrences
        self.n_r = counts.documents[None]
        self.d = np.array([[len(counts.lexicon)]])

    @cached_property
    def nu_r(self) -> Integers:  # type: ignore[override]
        return self.counts.by_label(self.nu_jr)[None]

    @cached_property
    def m_r(self) -> Integers:  # type: ignore[override]
        return self.counts.by_label(self.counts.presences)[None]

    @cached_property
    def d_r(self) -> Integers:  # type: ignore[override]
        return self.counts.by_label(np.ones_like(self.nu_jr))[None]

    @cached_property
    def nu_j(self) -> Integers:
        """Occurrences of each term."""
        return self.counts.by_term(self.nu_jr)

    @cached_property
    def m_j(self) -> Integers:
        """Documents that have each term."""
        return self.counts.by_term(self.counts.presences)

    @cached_property
    def reappearing(self) -> Reappearing:
        """What stands how often in which half; of counts in halves."""
        return Reappearing(self.counts, binary=self.binary)  # type: ignore[arg-type]

    @property
    def rates(self) -> Rates:
        return self.reappearing.rates(self.nu_r)

    @cached_property
    def groups(self) -> list[tuple[Integers, Integers]]:
        """For each label the different m_jr, and how many terms have each: there are few."""
        k, d = len(self.counts.labels), len(self.counts.lexicon)
        width = int(self.counts.presences.max(initial=0)) + 1
        keys, sizes = np.unique(self.counts.label * np.int64(width) + self.counts.presences, return_counts=True)
        ends = np.searchsorted(keys, np.arange(1, k) * width)
        shown = zip(np.split(keys % width, ends), np.split(sizes, ends), strict=True)
        return [(np.append(m, 0), np.append(size, d - size.sum())) for m, size in shown]

    def log_absence(self, rest: Floats) -> Floats:
        return self.log_absence_of(self.n_r, rest)

    def log_absence_of(self, n_r: Integers, rest: Floats) -> Floats:
        """The same with other n_r, a line each."""
        sums, rest = np.empty(n_r.shape), np.broadcast_to(rest, n_r.shape)
        for r, (m, size) in enumerate(self.groups):
            pairs, line = np.unique(n_r[:, r] + 1j * rest[:, r], return_inverse=True)  # of which there are fewer
            left = pairs.real[:, None] - m + pairs.imag[:, None]
            left[left <= 0] = 1.0  # as in `_log_positive`
            sums[:, r] = (np.log(left, out=left) @ size)[line]
        return sums


class LeftOut(Totals):
    """Of all documents but one: a line for each row, of label y[i], whose document is one of those counted.

    `length` is how many of a row's words are left: without terms that are gone, because no other document has them.
    `half` is the half of each document, for counts in halves.
    """

    def __init__(self, whole: Whole, rows: Rows, y: Integers, half: Integers) -> None:
        self.whole, self.y, self._half = whole, y, half
        self.rows = rows.binary() if whole.binary else rows
        self.own = np.arange(len(whole.counts.labels)) == y[:, None]
        words, gone_words, self._gone = (of[:, None] for of in self.rows.lengths(whole.m_j == 1))
        self.length = words - gone_words
        self.n_r = whole.n_r - self.own
        self.nu_r = whole.nu_r - self.own * words
        self.d = whole.d - self._gone

    @cached_property
    def rates(self) -> Rates:
        return self.whole.reappearing.without(Leaving(self.rows, self.y, self._half, self._gone), self.nu_r)

    @cached_property
    def m_r(self) -> Integers:  # type: ignore[override]
        return np.asarray(self.whole.m_r - self.own * np.diff(self.rows.indptr)[:, None])

    @cached_property
    def d_r(self) -> Integers:  # type: ignore[override]
        alone = np.bincount(self._row[self.whole.counts.presences[self._place] == 1], minlength=len(self.y))
        return np.asarray(self.whole.d_r - self.own * alone[:, None])

    def log_absence(self, rest: Floats) -> Floats:
        changes = self.own * np.bincount(self._row, self._changes(rest), len(self.y))[:, None]
        never = _log_positive(self.n_r + rest)
        return np.asarray(self.whole.log_absence_of(self.n_r, rest) + changes - self._gone * never)

    def _changes(self, rest: Floats) -> Floats:
        """What each entry adds to the sum of its own label, because one document less of it has the term."""
        counts, k = self.whole.counts, len(self.whole.counts.labels)
        if len(rest) == 1:  # the same for all rows: of each posting, of which there are fewer
            own_rest = np.broadcast_to(rest, (1, k))[0][counts.label]
            return _log_ratio(counts.documents[counts.label] - 1, counts.presences, own_rest)[self._place]
        own = (self._row, self.y[self._row])
        own_rest = np.broadcast_to(rest, self.n_r.shape)[own]
        return _log_ratio(self.n_r[own], counts.presences[self._place], own_rest)

    @cached_property
    def _row(self) -> Integers:
        return self.rows.row

    @cached_property
    def _place(self) -> Integers:
        """The posting of each entry in its own label."""
        return self.whole.counts.place(self.rows.term, self.y[self._row])


def _log_ratio(n: Integers, m: Integers, rest: Floats) -> Floats:
    """log(n - (m - 1) + rest) - log(n - m + rest)."""
    return np.asarray(_log_positive(n - (m - 1) + rest) - _log_positive(n - m + rest))


def _log_positive(values: Floats) -> Floats:
    """Logarithms; 0 where there is none, which only terms meet that all documents of a label have, as one leaves."""
    return np.log(np.where(values > 0, values, 1.0))
