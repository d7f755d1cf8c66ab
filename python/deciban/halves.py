"""Counts that also say how much of them is of one half of the documents: what deleted estimation asks for.

A document's half is a bit of its text, whatever its label and wherever it stands: so order, chunks and threads matter
as little as for other counts, and what is forgotten is looked for in the half where it was learnt. (Only the very text
is found there: another one that has the same terms may be of the other half.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
import numpy.typing as npt

from . import _core
from .amounts import AmountTally
from .counts import Counts, Integers, Tally
from .settings import Settings

_MARKS = "01"


def half_of(text: object) -> int:
    """The half of a text: the lowest bit of the CRC-32 of its UTF-8 bytes. Model files rely on it: it never changes.

    What is no text has a half too, so that whoever counts it can say what is wrong with it.

    >>> [half_of(text) for text in ("see you", "money!", b"money!", None)]
    [0, 1, 1, 0]
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return crc32(data) & 1 if isinstance(data, bytes) else 0


def halves_of(texts: _core.Texts) -> Integers:
    """The half of each text."""
    return np.fromiter(map(half_of, texts), np.int64, len(texts))


@dataclass(frozen=True, eq=False, repr=False)
class Halved(Counts):
    """Counts of all documents and, by the same labels and postings, those of half 0.

    >>> tally = HalvedTally(Settings().terms)
    >>> tally.add(["free money", "see you", "money!"], ["spam", "ham", "spam"])
    >>> counts = tally.counts()
    >>> counts, counts.half_documents.tolist(), [half.lexicon.names() for half in counts.halves]
    (Halved(3 documents, 2 labels, 4 terms), [1, 1], [['free', 'money', 'see', 'you'], ['money']])
    """

    half_documents: Integers
    half_occurrences: Integers
    half_presences: Integers

    @classmethod
    def of(cls, first: Counts, second: Counts) -> Halved:
        """The counts of two halves."""
        whole = first + second
        k = len(whole.labels)
        number = np.flatnonzero(_which(whole, set(first.labels).__contains__)).astype(np.uint32)
        documents, occurrences, presences = map(np.zeros_like, (whole.documents, whole.occurrences, whole.presences))
        documents[number] = first.documents
        # Merged with the whole as if it had other labels, the half has the places that its terms have there.
        theirs = (first.buffers, number + np.uint32(k))
        _, _, indptr, label, *merged = _core.merge((whole.buffers, np.arange(k, dtype=np.uint32)), theirs, 2 * k, False)
        is_first = label >= k
        term = np.repeat(np.arange(len(whole.lexicon)), np.diff(indptr))[is_first]
        place = whole.place(term, label[is_first] - k)
        occurrences[place], presences[place] = (counts[is_first] for counts in merged)
        return cls(whole.terms, whole.labels, *whole.buffers, documents, occurrences, presences)

    @property
    def halves(self) -> tuple[Counts, Counts]:
        """The counts of each half, each with its own labels and terms."""
        whole = self.documents, self.occurrences, self.presences
        second = (all_of - first for all_of, first in zip(whole, self.half, strict=True))
        return self._half(*self.half), self._half(*second)

    @property
    def half(self) -> tuple[Integers, Integers, Integers]:
        """Documents, occurrences and presences of half 0."""
        return self.half_documents, self.half_occurrences, self.half_presences

    def _half(self, documents: Integers, occurrences: Integers, presences: Integers) -> Counts:
        postings = (self.lexicon, documents, self.indptr, self.label, occurrences, presences)
        return Counts(self.terms, self.labels, *postings).of_postings(presences > 0)._of_labels(documents > 0)

    def __add__(self, other: Halved) -> Halved:  # type: ignore[override]
        return Halved.of(*(ours + theirs for ours, theirs in zip(self.halves, other.halves, strict=True)))

    def __sub__(self, other: Halved) -> Halved:  # type: ignore[override]
        return Halved.of(*(ours - theirs for ours, theirs in zip(self.halves, other.halves, strict=True)))

    def rename_label(self, old: str, new: str) -> Halved:
        self._is_one_of([old])
        return self._each(lambda half: half.rename_label(old, new) if old in half.labels else half)

    def of_terms(self, kept: npt.NDArray[np.bool_]) -> Halved:
        there = np.repeat(kept, np.diff(self.indptr))
        half = (self.half_documents, self.half_occurrences[there], self.half_presences[there])
        return Halved(self.terms, self.labels, *self.of_postings(there).buffers, *half)

    def _of_labels(self, kept: npt.NDArray[np.bool_]) -> Halved:
        named = {label for label, keep in zip(self.labels, kept, strict=True) if keep}
        return self._each(lambda half: half._of_labels(_which(half, named.__contains__)))

    def _each(self, change: Callable[[Counts], Counts]) -> Halved:
        return Halved.of(*map(change, self.halves))

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Halved) and all(map(np.array_equal, self.half, other.half))
        return same and super().__eq__(other)


def _which(counts: Counts, wanted: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
    """Of each label, whether it is wanted."""
    return np.array([wanted(label) for label in counts.labels], np.bool_)


class HalvedTally(Tally):
    """Counting each half. To the core they are labels of their own, so that a text is still where it was given."""

    def add(self, texts: _core.Texts, labels: list[str]) -> None:
        marked = {label: [mark + label for mark in _MARKS] for label in set(labels)}
        super().add(texts, [marked[label][half] for label, half in zip(labels, map(half_of, texts), strict=True)])

    def counts(self) -> Halved:
        both = super().counts()
        return Halved.of(*(_marked(both, mark) for mark in _MARKS))


def _marked(counts: Counts, mark: str) -> Counts:
    """The counts whose labels have a mark, without it."""
    half = counts._of_labels(_which(counts, lambda label: label.startswith(mark)))
    return replace(half, labels=tuple(label.removeprefix(mark) for label in half.labels))


def tally(settings: Settings) -> Tally:
    """What counts as settings ask for: in halves only for deleted estimation, amounts only for models of them."""
    if settings.has_amounts:
        return AmountTally(settings.terms, settings.cores, binary=settings.is_binary)
    return (HalvedTally if settings.smoothing == "deleted" else Tally)(settings.terms, settings.cores)


def count(settings: Settings, texts: _core.Texts, labels: list[str]) -> Counts:
    """The counts of some labelled texts, as settings ask for them.

    >>> count(Settings(), ["free money", "see you"], ["spam", "ham"])
    Counts(2 documents, 2 labels, 4 terms)
    """
    under_way = tally(settings)
    under_way.add(texts, labels)
    return under_way.counts()
