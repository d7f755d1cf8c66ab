"""Texts of any number of labels -> counts: each text under each of its labels, and under one that all texts have.

That one is called `EVERY`, the empty text, which no label can be. So a label's complement is what is counted under
`EVERY` less what is counted under the label, and counts add, subtract and are saved as all others are.

Texts are read once: a set of labels is counted like a label of its own, and what is counted under each set is added to
the labels that are in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..counts import Counts, Tally
from ..errors import LessThanItsParts
from ..examples.sets import Labels
from ..settings import Settings

if TYPE_CHECKING:
    from .._core import Texts

Integers = npt.NDArray[np.int64]
EVERY = ""  # the label that every text has


class SetTally:
    """Counting under way.

    >>> tally = SetTally(Settings())
    >>> tally.add(["wheat rises", "hello"], [("grain", "wheat"), ()])
    >>> counts = tally.counts()
    >>> counts.labels, counts.documents.tolist(), counts.by_label(counts.occurrences).tolist()
    (('', 'grain', 'wheat'), [2, 1, 1], [3, 2, 2])
    """

    def __init__(self, settings: Settings) -> None:
        self._tally = Tally(settings.terms, settings.cores)
        self._numbers: dict[Labels, int] = {}

    def add(self, texts: Texts, sets: Sequence[Labels]) -> None:
        """Counts each text under each of its labels, and under `EVERY`."""
        numbers = self._numbers
        self._tally.add(texts, [str(numbers.setdefault(labels, len(numbers))) for labels in sets])

    def counts(self) -> Counts:
        """The counts of all that was added. The tally is empty after it."""
        found, sets = self._tally.counts(), list(self._numbers)
        return _of_members(found, [sets[int(name)] for name in found.labels])


def count(settings: Settings, texts: Texts, sets: Sequence[Labels]) -> Counts:
    """The counts of some texts of any number of labels."""
    tally = SetTally(settings)
    tally.add(texts, sets)
    return tally.counts()


def check(counts: Counts) -> None:
    """Refuses counts under which some label has more than all texts together."""
    if not counts.labels:
        return
    if counts.labels[0] != EVERY or counts.documents.max() > counts.documents[0]:
        raise LessThanItsParts(what="a label would have more texts than there are")
    of_every = counts.label == 0
    all_of_term = np.zeros(len(counts.lexicon), np.int64)
    for numbers in (counts.occurrences, counts.presences):
        all_of_term[counts.term[of_every]] = numbers[of_every]
        if (over := np.flatnonzero(numbers > all_of_term[counts.term])).size:
            name = counts.lexicon.name(int(counts.term[over[0]]))
            raise LessThanItsParts(what=f"label {counts.labels[counts.label[over[0]]]!r} would have {name!r} too often")


def _of_members(found: Counts, sets: Sequence[Labels]) -> Counts:
    """What was counted under each set of labels, added to its members."""
    labels = sorted({EVERY, *(label for of in sets for label in of)}) if sets else []
    number = {label: r for r, label in enumerate(labels)}
    members = [[0, *(number[label] for label in of)] for of in sets]
    ends = np.concatenate([[0], np.cumsum([len(of) for of in members])]).astype(np.int64)
    flat = np.array([r for of in members for r in of], np.int64)
    documents = np.bincount(flat, np.repeat(found.documents, np.diff(ends)), len(labels)).astype(np.int64)
    times = np.diff(ends)[found.label]
    first = np.repeat(ends[found.label] - np.concatenate([[0], np.cumsum(times)[:-1]]), times)
    member = flat[np.arange(times.sum()) + first] if len(times) else flat[:0]
    key = np.repeat(found.term, times) * max(len(labels), 1) + member
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))

    def summed(numbers: Integers) -> Integers:
        return np.add.reduceat(np.repeat(numbers, times)[order], starts) if len(starts) else numbers[:0]

    keys = key[order][starts]
    indptr = np.searchsorted(keys, np.arange(len(found.lexicon) + 1) * max(len(labels), 1))
    label = (keys % max(len(labels), 1)).astype(np.uint32)
    sums = (summed(found.occurrences), summed(found.presences))
    return Counts.of_buffers(found.terms, labels, (found.lexicon, documents, indptr, label, *sums))
