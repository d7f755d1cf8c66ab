"""Deleted estimation: how often what stands c times in one half of the documents stands in the other (Stone).

For a label r, with the terms of its documents counted apart in two halves (`halves`):

    N_c^h     how many terms of the lexicon stand c times in half h
    C_c^ho    how often those stand in the other half
    r_c     = (C_c^12 + C_c^21) / (N_c^1 + N_c^2)
    q_jr    = (r_c1 + r_c2) / nu_r                    of a term that stands c1 and c2 times in the halves

r_0 is how often a term appears that had not been seen. The q_jr of a label sum to one, because a term is one of N_c
once in each half, and each occurrence is one of C_c, for how often its term stands in the half where it is not itself:

    sum_j (r_c1 + r_c2) = sum_c (N_c^1 + N_c^2) r_c = sum_c C_c^12 + sum_c C_c^21 = nu_r

A term that was seen has q_jr > 0. One that was not has q_jr = 2 r_0 / nu_r, which is zero if all that the label has
shown stands in both halves (C_0 = 0). Then, if there are terms that do not (N_0 > 0), it is as if half an occurrence
had been one of theirs: C_0 = 1/2, and the sum above is nu_r + 1/2. So a label that has shown no term throws all alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from .halves import Halved
from .rows import Rows

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MOST_COUNTED = 4  # so many keys that there could be, for each that there is, are counted rather than sorted


class Shown(NamedTuple):
    """(r_c1 + r_c2) / (2 r_0) = floor + amount / (2 r_0), of each posting or entry: r_0 may be other ones."""

    floor: Floats
    amount: Floats

    def log(self, gain: Floats) -> Floats:
        """Its logarithm, with 1 / (2 r_0) as the gain."""
        return np.asarray(np.log(self.floor + self.amount * gain))


class Rates(NamedTuple):
    """What deleted estimation says: r_0 and what to divide by, by line and label; and of terms that were shown."""

    r_0: Floats
    mass: Floats
    shown: Shown
    own: Shown | None = None


class Leaving(NamedTuple):
    """Documents that leave, one at a time.

    Their rows, labels and halves, and how many terms leave the lexicon with each.
    """

    rows: Rows
    y: Integers
    half: Integers
    gone: Integers


class Reappearing:
    """N_c and C_c of the labels, both halves together; of c = 0 apart, because only they change with the lexicon."""

    def __init__(self, counts: Halved, *, binary: bool) -> None:
        self._postings = (counts.indptr, counts.label)
        nu_jr = counts.presences if binary else counts.occurrences
        first = counts.half_presences if binary else counts.half_occurrences
        self.halves = np.stack([first, nu_jr - first])
        label, c, other = np.tile(counts.label, 2), self.halves.ravel(), self.halves[::-1].ravel()
        k, is_shown = len(counts.labels), c > 0
        self.n_0 = 2 * len(counts.lexicon) - np.bincount(label[is_shown], minlength=k)
        self.c_0 = np.bincount(label, np.where(is_shown, 0, other), k).astype(np.int64)
        self.width = int(c.max(initial=0)) + 1
        self._keys, group, self._n = _different(label * np.int64(self.width) + c, k * self.width)
        self._c = np.bincount(group, other, len(self._keys)).astype(np.int64)
        r_c = np.where(is_shown, (self._c / self._n)[group], 0.0).reshape(self.halves.shape)
        self.shown = _shown(*self.halves, *r_c)

    def rates(self, nu_r: Integers) -> Rates:
        """Of all documents."""
        return Rates(*_unseen(self.n_0[None], self.c_0[None], nu_r), self.shown)

    def without(self, leaving: Leaving, nu_r: Integers) -> Rates:
        """Of all documents but the one of each row; nu_r is without it too."""
        rows, y, half, gone = leaving
        halves = (self._keys, self._n, self._c, self.width, *self._postings, *self.halves, len(self.n_0))
        of_rows = (rows.indptr, rows.term, rows.count, y.astype(np.uint32), half)
        more_n, more_c, floor, amount = _core.without(halves, of_rows)
        own = np.arange(len(self.n_0)) == y[:, None]
        n_0 = self.n_0 - 2 * gone + own * more_n[:, None]
        return Rates(*_unseen(n_0, self.c_0 + own * more_c[:, None], nu_r), self.shown, Shown(floor, amount))


def _different(keys: Integers, most: int) -> tuple[Integers, Integers, Integers]:
    """The different keys, all below `most`, in order; which of them each is, and how many are the same.

    >>> [_different(np.array([2, 0, 2]), most)[1].tolist() for most in (3, 99)]    # counted, and sorted
    [[1, 0, 1], [1, 0, 1]]
    """
    if most > MOST_COUNTED * len(keys):
        return np.unique(keys, return_inverse=True, return_counts=True)
    sizes = np.bincount(keys, minlength=most)
    place = np.cumsum(sizes > 0) - 1
    different = np.flatnonzero(sizes)
    return different, place[keys], sizes[different]


def _shown(c1: Integers, c2: Integers, r_c1: Floats, r_c2: Floats) -> Shown:
    """Of terms that stand so often in the halves; r_0 counts as nothing among the r."""
    return Shown(((c1 == 0).astype(float) + (c2 == 0)) / 2, r_c1 + r_c2)


def _unseen(n_0: Integers, c_0: Integers, nu_r: Integers) -> tuple[Floats, Floats]:
    """r_0, and what the q_jr are divided by."""
    is_none = (c_0 == 0) & (n_0 > 0)
    return np.where(c_0 == 0, 0.5, c_0) / np.maximum(n_0, 1), np.where(is_none, nu_r + 0.5, np.maximum(nu_r, 1))
