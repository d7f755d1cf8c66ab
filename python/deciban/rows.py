"""One sparse row per example: which terms of a lexicon stand in it, and how often.

Only what must see single documents again needs rows: leave-one-out, and models fitted by a solver. Counting does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Lexicon

if TYPE_CHECKING:
    from ._core import Texts


@dataclass(frozen=True, eq=False)
class Rows:
    """Compressed sparse rows: row i has the terms and counts from `indptr[i]` to `indptr[i + 1]`, terms increasing.

    `amount` is what each entry amounts to in its whole text (`amounts`), where that has terms that are left out here.
    """

    indptr: npt.NDArray[np.int64]
    term: npt.NDArray[np.uint32]
    count: npt.NDArray[np.int64]
    amount: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def row(self) -> npt.NDArray[np.int64]:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def lengths(self, is_gone: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.int64], ...]:
        """Of each row: its words, those of terms that no other row has, and how many such terms there are.

        >>> rows = Rows(np.array([0, 1, 1, 3]), np.array([2, 0, 1], np.uint32), np.array([1, 2, 3]))
        >>> [numbers.tolist() for numbers in rows.lengths(np.array([True, False, False]))]
        [[1, 0, 5], [0, 0, 2], [0, 0, 1]]
        """
        return _core.lengths(self.indptr, self.term, self.count, is_gone)

    def part(self, part: slice) -> Rows:
        """Some rows that follow each other."""
        start, stop, _ = part.indices(len(self))
        entries = slice(self.indptr[start], self.indptr[stop])
        return self._of(self.indptr[start : stop + 1] - self.indptr[start], entries)

    def some(self, places: npt.NDArray[np.integer]) -> Rows:
        """Some of the rows, in the order that is asked for.

        >>> Rows(np.array([0, 1, 3]), np.array([7, 5, 6], np.uint32), np.array([1, 2, 3])).some(np.array([1]))
        Rows(indptr=array([0, 2]), term=array([5, 6], dtype=uint32), count=array([2, 3]), amount=None)
        """
        lengths = np.diff(self.indptr)[places]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[places] - indptr[:-1], lengths)
        return self._of(indptr, entries)

    def _of(self, indptr: npt.NDArray[np.int64], entries: slice | npt.NDArray[Any]) -> Rows:
        amount = None if self.amount is None else self.amount[entries]
        return Rows(indptr, self.term[entries], self.count[entries], amount)

    def binary(self) -> Rows:
        """The same rows, each entry once."""
        return Rows(self.indptr, self.term, np.ones_like(self.count), self.amount)

    def without(self, dropped: npt.NDArray[np.bool_]) -> Rows:
        """The same rows without some entries."""
        indptr = np.concatenate([[0], np.cumsum(~dropped)])[self.indptr]
        return self._of(indptr, ~dropped)

    def of_terms(self, kept: npt.NDArray[np.bool_]) -> Rows:
        """The rows of some terms alone, by their places among those.

        >>> Rows(np.array([0, 2]), np.array([5, 6], np.uint32), np.array([2, 3])).of_terms(np.arange(7) == 6)
        Rows(indptr=array([0, 1]), term=array([0], dtype=uint32), count=array([3]), amount=None)
        """
        left = self.without(~kept[self.term])
        return replace(left, term=(np.cumsum(kept) - 1)[left.term].astype(np.uint32))


def rows(lexicon: Lexicon, texts: Texts, threads: int = 0) -> Rows:
    """The rows of some texts, by the places of a lexicon.

    >>> from deciban.counts import Tally
    >>> from deciban.terms import Terms
    >>> tally = Tally(Terms())
    >>> tally.add(["a cold cold day", "a warm day"], ["winter", "summer"])
    >>> rows(tally.counts().lexicon, ["day by day", "cold"])
    Rows(indptr=array([0, 1, 2]), term=array([1, 0], dtype=uint32), count=array([2, 1]), amount=None)
    """
    return Rows(*lexicon.rows(texts, threads))
