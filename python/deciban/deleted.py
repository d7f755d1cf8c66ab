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

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .halves import Halved

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
ENTRIES_AT_ONCE = 1 << 15  # what is made of them fits a cache


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
    """Documents that leave, one at a time: their labels and halves, and where their entries begin; and of each entry
    the posting, how often the term stands there, and whether it leaves the lexicon.
    """

    y: Integers
    half: Integers
    indptr: Integers
    place: Integers
    z: Integers
    gone: npt.NDArray[np.bool_]

    def parts(self) -> Iterator[Leaving]:
        """The same, some rows at a time."""
        ends = np.searchsorted(self.indptr, np.arange(0, self.indptr[-1], ENTRIES_AT_ONCE))
        for start, end in pairwise(np.unique([0, *ends, len(self.y)])):
            indptr = self.indptr[start : end + 1]
            entries = slice(indptr[0], indptr[-1])
            of_entries = (self.place[entries], self.z[entries], self.gone[entries])
            yield Leaving(self.y[start:end], self.half[start:end], indptr - indptr[0], *of_entries)


class Reappearing:
    """N_c and C_c of the labels, both halves together; of c = 0 apart, because only they change with the lexicon."""

    def __init__(self, counts: Halved, *, binary: bool) -> None:
        nu_jr = counts.presences if binary else counts.occurrences
        first = counts.half_presences if binary else counts.half_occurrences
        self.halves = np.stack([first, nu_jr - first])
        label, c, other = np.tile(counts.label, 2), self.halves.ravel(), self.halves[::-1].ravel()
        k, is_shown = len(counts.labels), c > 0
        self.n_0 = 2 * len(counts.lexicon) - np.bincount(label[is_shown], minlength=k)
        self.c_0 = np.bincount(label, np.where(is_shown, 0, other), k).astype(np.int64)
        self.width = int(c.max(initial=0)) + 1
        self._keys, group = np.unique(label * np.int64(self.width) + c, return_inverse=True)
        self._n = np.bincount(group, minlength=len(self._keys))
        self._c = np.bincount(group, other, len(self._keys))
        r_c = np.where(is_shown, (self._c / self._n)[group], 0.0).reshape(self.halves.shape)
        self.shown = _shown(*self.halves, *r_c)

    def rates(self, nu_r: Integers) -> Rates:
        """Of all documents."""
        return Rates(*_unseen(self.n_0[None], self.c_0[None], nu_r), self.shown)

    def without(self, leaving: Leaving, nu_r: Integers) -> Rates:
        """Of all documents but the one of each row; nu_r is without it too, and `own` of the entries that stay."""
        parts = zip(*map(self._without, leaving.parts()), strict=True)
        gone, out, more_c, floor, amount = (np.concatenate(part) for part in parts)
        own = np.arange(len(self.n_0)) == leaving.y[:, None]
        n_0 = self.n_0 - 2 * gone[:, None] + own * out[:, None]
        return Rates(*_unseen(n_0, self.c_0 + own * more_c[:, None], nu_r), self.shown, Shown(floor, amount))

    def _without(self, leaving: Leaving) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """What changes: by row the terms that leave the lexicon, and N_0 and C_0 of its own label; `own`.

        As z of a term leave one half of its own label, where it stood c times, and `other` times in the other half,
        three things change: N_c and C_c lose it, N_{c-z} and C_{c-z} win it, and C_other loses z occurrences.
        """
        y, half, indptr, place, z, gone = leaving
        row = np.repeat(np.arange(len(y)), np.diff(indptr))
        c, other = self.halves[half[row], place], self.halves[1 - half[row], place]
        left, none = c - z, np.zeros_like(c)
        is_out, is_new = left == 0, other == 0
        more_c = np.where(is_out, other, 0) - np.where(is_new, z, 0)
        by_row = (np.bincount(row, entries, len(y)) for entries in (gone, is_out, more_c))

        changes = (c, left, other), (none - 1, none + 1, none), (-other, other, -z)
        r_c = self._changed(y, np.tile(row, 3), *map(np.concatenate, changes))
        _, r_left, r_other = r_c.reshape(3, -1)
        shown = _shown(left, other, np.where(is_out, 0.0, r_left), np.where(is_new, 0.0, r_other))
        return *by_row, *(numbers[~gone] for numbers in shown)  # type: ignore[return-value]

    def _changed(self, y: Integers, row: Integers, c: Integers, more_n: Integers, more_c: Integers) -> Floats:
        """r_c for each of some changes of N_c and C_c of the rows' own labels, after all of the same row."""
        keys, group = np.unique(row * self.width + c, return_inverse=True)
        key = y[keys // self.width] * self.width + keys % self.width
        place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        is_there = self._keys[place] == key
        n = np.where(is_there, self._n[place], 0) + np.bincount(group, more_n, len(keys))
        occurrences = np.where(is_there, self._c[place], 0) + np.bincount(group, more_c, len(keys))
        return np.asarray((occurrences / np.maximum(n, 1))[group])


def _shown(c1: Integers, c2: Integers, r_c1: Floats, r_c2: Floats) -> Shown:
    """Of terms that stand so often in the halves; r_0 counts as nothing among the r."""
    return Shown(((c1 == 0).astype(float) + (c2 == 0)) / 2, r_c1 + r_c2)


def _unseen(n_0: Integers, c_0: Integers, nu_r: Integers) -> tuple[Floats, Floats]:
    """r_0, and what the q_jr are divided by."""
    is_none = (c_0 == 0) & (n_0 > 0)
    return np.where(c_0 == 0, 0.5, c_0) / np.maximum(n_0, 1), np.where(is_none, nu_r + 0.5, np.maximum(nu_r, 1))
