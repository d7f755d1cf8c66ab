"""What a document amounts to, for models that count each as if it were as long as any other.

Twice the same word is less than two words, and a long document no more than a short one (Rennie, Shih, Teevan and
Karger 2003, 4.1 and 4.3): instead of its z_j occurrences, a term j of a document counts

    d_j = log(1 + z_j) / sqrt(sum_i log(1 + z_i)^2)

These are fractions. So that they add and subtract exactly, they are rounded to millionths (`ONE` is 2^20) and counted
as integers, in the place of occurrences: the amounts of 10^8 documents are exact in a float, too. The logarithms are
rounded before, because they are the only step that two machines may take differently in the last bit: what was learnt
on one can be forgotten on another. It would take a document of 10^12 different words to round one to nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from . import _core
from .counts import Counts, Tally, count, looked_up
from .rows import Rows, rows
from .terms import Terms

Mask = npt.NDArray[np.bool_]
ONE = 1 << 20


def amounts(rows: Rows) -> npt.NDArray[np.int64]:
    """What each entry of the rows amounts to, in units of 1/ONE.

    >>> of = amounts(Rows(np.array([0, 2, 3]), np.array([0, 1, 1], np.uint32), np.array([1, 3, 7])))
    >>> (of / ONE).round(4).tolist()    # log 2 and log 4 = 2 log 2: 1 and 2 by the root of 5; a word alone
    [0.4472, 0.8944, 1.0]
    """
    if rows.amount is not None:
        return rows.amount
    logs = looked_up(lambda z: np.rint(np.log1p(z) * ONE), rows.count)
    return _core.parts_of_length(rows.indptr, logs, ONE)


def kept_rows(lexicon: _core.Lexicon, kept: Mask, texts: _core.Texts, threads: int, *, binary: bool) -> Rows:
    """The rows of the terms that are kept, which amount to what they do in their whole texts: so they were counted."""
    whole = rows(lexicon, texts, threads)
    return replace(whole, amount=amounts(whole.binary() if binary else whole)).of_terms(kept)


class AmountTally(Tally):
    """Counting amounts: each document's, in the place of its occurrences.

    >>> tally = AmountTally(Terms(), binary=False)
    >>> tally.add(["now now now, money", "money"], ["spam", "ham"])
    >>> counts = tally.counts()
    >>> counts.lexicon.names(), counts.labels, (counts.occurrences / ONE).round(4).tolist()
    (['money', 'now'], ('ham', 'spam'), [1.0, 0.4472, 0.8944])
    """

    def __init__(self, terms: Terms, threads: int = 0, *, binary: bool) -> None:
        super().__init__(terms, threads)
        self._threads, self._binary = threads, binary
        self._counts = count(terms, [], [])

    def add(self, texts: _core.Texts, labels: list[str]) -> None:
        """Counts what each text amounts to under its label; with `binary`, each of its terms occurs once."""
        counts = count(self.terms, texts, labels, self._threads)
        found = rows(counts.lexicon, texts, self._threads)
        found = found.binary() if self._binary else found
        place = counts.place(found.term, counts.numbers(labels)[found.row])
        sums = np.bincount(place, amounts(found), len(counts.label)).astype(np.int64)
        self._counts += replace(counts, occurrences=sums)

    def counts(self) -> Counts:
        """The counts of all that was added."""
        return self._counts
