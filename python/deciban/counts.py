"""The heart: how often each term occurs under each label, and in how many documents.

Texts and labels come in through a `Tally`; `Counts` go out, and add and subtract exactly. They are integers in one
canonical form (terms and labels sorted, nothing that is zero), so that equal corpora have equal counts, whatever the
order, the chunks and the threads in which they were counted. Weights, probabilities and choices of terms are made from
the counts elsewhere, and never change them.

In the documents' symbols, for term j and label r: `occurrences` are nu(j, r) of Aggarwal 5.20, `presences` are m_j^(r)
of 5.16 (Jaakkola's N_ky, Rush's F_fc), `documents` are n_r of 5.14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import FrozenModel, NeverLearnt, UnknownLabel, listed
from .terms import Terms, display

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of terms and documents by label.

    The postings of term j, one for each label that has it, stand from `indptr[j]` to `indptr[j + 1]`.

    >>> a, b = Tally(Terms()), Tally(Terms())
    >>> a.add(["refund me", "where is it"], ["billing", "delivery"])
    >>> b.add(["late, late parcel"], ["delivery"])
    >>> one, two = a.counts(), b.counts()
    >>> (one + two).labels, (one + two).documents.tolist(), (one + two).lexicon.names()
    (('billing', 'delivery'), [1, 2], ['is', 'it', 'late', 'me', 'parcel', 'refund', 'where'])
    >>> (one + two) - two == one
    True
    """

    terms: Terms
    labels: tuple[str, ...]
    lexicon: _core.Lexicon
    documents: Integers
    indptr: Integers
    label: Numbers
    occurrences: Integers
    presences: Integers

    @classmethod
    def of_buffers(cls, terms: Terms, labels: Sequence[str], buffers: _core.Buffers) -> Counts:
        """Counts from what the core hands over: a lexicon and flat buffers."""
        lexicon, documents, indptr, label, occurrences, presences = buffers
        for buffer in (documents, indptr, label, occurrences, presences):
            buffer.flags.writeable = False
        return cls(terms, tuple(labels), lexicon, documents, indptr, label, occurrences, presences)

    @property
    def buffers(self) -> _core.Buffers:
        """The same, as the core takes it."""
        return self.lexicon, self.documents, self.indptr, self.label, self.occurrences, self.presences

    @property
    def term(self) -> Integers:
        """The term of each posting."""
        return np.repeat(np.arange(len(self.lexicon)), np.diff(self.indptr))

    def place(self, term: npt.NDArray[np.integer], label: npt.NDArray[np.integer]) -> Integers:
        """The posting of each (term, label), which must be there."""
        return _core.places(self.indptr, self.label, term.astype(np.uint32), label.astype(np.uint32))

    def numbers(self, labels: Iterable[str]) -> Integers:
        """The places of labels, each of which must be there."""
        number = {label: r for r, label in enumerate(self.labels)}
        return np.array([number[label] for label in labels], np.int64)

    def by_label(self, values: Integers) -> Integers:
        """The sum over each label's postings."""
        return _core.by_label(self.label, np.ascontiguousarray(values), len(self.labels))

    def by_term(self, values: Integers) -> Integers:
        """The sum over each term's postings."""
        return np.add.reduceat(values, self.indptr[:-1]) if len(values) else values

    def __add__(self, other: Counts) -> Counts:
        labels = sorted({*self.labels, *other.labels})
        return Counts.of_buffers(self.terms, labels, self._merged(other, labels, subtract=False))

    def __sub__(self, other: Counts) -> Counts:
        labels = sorted({*self.labels, *other.labels})
        try:
            left = self._merged(other, labels, subtract=True)
        except _core.Unlearnt as error:
            term, label = error.args
            what = f"label {labels[label]!r}" if term is None else f"term {display(term)!r} of label {labels[label]!r}"
            raise NeverLearnt(what=what) from None
        counts = Counts.of_buffers(self.terms, labels, left)
        return counts._of_labels(counts.documents > 0)  # a label whose last document has left is no label any more

    def _merged(self, other: Counts, labels: list[str], *, subtract: bool) -> _core.Buffers:
        number = {label: i for i, label in enumerate(labels)}
        ours, theirs = (np.array([number[r] for r in c.labels], np.uint32) for c in (self, other))
        return _core.merge((self.buffers, ours), (other.buffers, theirs), len(labels), subtract)

    def drop_labels(self, labels: Iterable[str]) -> Counts:
        """The counts without those labels: exactly as if none of their documents had ever been counted.

        >>> counts = count(Terms(), ["free money", "see you", "you see me"], ["spam", "ham", "work"])
        >>> counts.drop_labels(["spam"]) == count(Terms(), ["see you", "you see me"], ["ham", "work"])
        True
        """
        return self._of_labels(~self._is_one_of(labels))

    def keep_labels(self, labels: Iterable[str]) -> Counts:
        """The counts of those labels alone: exactly as if no other document had ever been counted."""
        return self._of_labels(self._is_one_of(labels))

    def rename_label(self, old: str, new: str) -> Counts:
        """The counts with another name for a label; where there is one of that name already, the two become one.

        >>> texts = ["free money", "see you", "you see me"]
        >>> counts = count(Terms(), texts, ["spam", "ham", "work"])
        >>> counts.rename_label("work", "ham") == count(Terms(), texts, ["spam", "ham", "ham"])
        True
        """
        renamed = self._is_one_of([old])
        return self._of_labels(~renamed) + replace(self._of_labels(renamed), labels=(new,))

    def _is_one_of(self, labels: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Of each label, whether it is one of those, all of which must be there."""
        named = set(labels)
        for label in sorted(named.difference(self.labels)):
            raise UnknownLabel(label=label, known=listed(self.labels))
        return np.array([label in named for label in self.labels], np.bool_)

    def _of_labels(self, kept: npt.NDArray[np.bool_]) -> Counts:
        """The counts of some labels; a term that none of them has leaves the lexicon."""
        if kept.all():
            return self
        left, number = self.of_postings(kept[self.label]), np.cumsum(kept, dtype=np.uint32) - np.uint32(1)
        buffers = (
            left.lexicon,
            left.documents[kept],
            left.indptr,
            number[left.label],
            left.occurrences,
            left.presences,
        )
        return Counts.of_buffers(self.terms, [r for r, keep in zip(self.labels, kept, strict=True) if keep], buffers)

    def of_postings(self, kept: npt.NDArray[np.bool_]) -> Counts:
        """The same counts with some of their postings alone; a term without any leaves the lexicon."""
        ends = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        has_some = np.diff(ends) > 0
        buffers = (
            self._lexicon_of(has_some),
            self.documents,
            np.concatenate([[0], ends[1:][has_some]]),
            self.label[kept],
            self.occurrences[kept],
            self.presences[kept],
        )
        return Counts.of_buffers(self.terms, self.labels, buffers)

    def of_terms(self, kept: npt.NDArray[np.bool_]) -> Counts:
        """The counts of some terms alone, as if no text had any other; a document that has none of them still counts.

        >>> counts = count(Terms(), ["free money", "see you"], ["spam", "ham"])
        >>> counts.of_terms(np.array([True, False, False, False]))
        Counts(2 documents, 2 labels, 1 terms)
        """
        return self if kept.all() else self.of_postings(np.repeat(kept, np.diff(self.indptr)))

    def _lexicon_of(self, kept: npt.NDArray[np.bool_]) -> _core.Lexicon:
        """The lexicon of some terms."""
        if kept.all():
            return self.lexicon
        names, offsets = self.lexicon.buffers()
        lengths = np.diff(offsets)
        return _core.Lexicon(
            self.terms.core, names[np.repeat(kept, lengths)], np.concatenate([[0], np.cumsum(lengths[kept])])
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        ours: tuple[npt.ArrayLike, ...] = self.buffers[1:]
        theirs: tuple[npt.ArrayLike, ...] = other.buffers[1:]
        same = self.labels == other.labels and self.lexicon == other.lexicon
        return same and all(map(np.array_equal, ours, theirs))

    def __repr__(self) -> str:
        return _sizes(self)


@dataclass(frozen=True, eq=False)
class Frozen:
    """What a frozen model keeps of its counts: its labels, its terms, and how many documents each label had."""

    labels: tuple[str, ...]
    lexicon: _core.Lexicon
    documents: Integers

    def __repr__(self) -> str:
        return _sizes(self)


class Holder:
    """Whoever holds counts, or what a frozen model keeps of them; the first `_HIDDEN` labels are no user's."""

    _HIDDEN: ClassVar[int] = 0
    _known: Counts | Frozen

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, sorted: the columns of scores."""
        return self._known.labels[self._HIDDEN :]

    @property
    def documents(self) -> dict[str, int]:
        """How many documents of each label it was trained on."""
        return dict(zip(self.labels, self._known.documents[self._HIDDEN :].tolist(), strict=True))

    @property
    def frozen(self) -> bool:
        """Whether it has a scorecard, but no counts."""
        return isinstance(self._known, Frozen)

    @property
    def counts(self) -> Counts:
        """All that it knows; a frozen model has none, and says so."""
        if isinstance(self._known, Frozen):
            raise FrozenModel(model="the model")
        return self._known


def _sizes(of: Counts | Frozen) -> str:
    sizes = f"{of.documents.sum()} documents, {len(of.labels)} labels, {len(of.lexicon)} terms"
    return f"{type(of).__name__}({sizes})"


class Tally:
    """Counting under way: texts come in, in any chunks; the counts come out at the end.

    >>> tally = Tally(Terms())
    >>> tally.add(["free money", "money now"], ["spam", "spam"])
    >>> tally.add(["see you"], ["ham"])
    >>> tally.counts()
    Counts(3 documents, 2 labels, 5 terms)
    """

    def __init__(self, terms: Terms, threads: int = 0) -> None:
        self.terms = terms
        self._tally = _core.Tally(terms.core, threads)

    def add(self, texts: _core.Texts, labels: list[str]) -> None:
        """Counts each text under its label."""
        self._tally.add(texts, labels)

    def counts(self) -> Counts:
        """The counts of all that was added. The tally is empty after it."""
        return Counts.of_buffers(self.terms, *self._tally.take())


def count(terms: Terms, texts: _core.Texts, labels: list[str], threads: int = 0) -> Counts:
    """The counts of some labelled texts.

    >>> count(Terms(), ["free money", "see you"], ["spam", "ham"])
    Counts(2 documents, 2 labels, 4 terms)
    """
    tally = Tally(terms, threads)
    tally.add(texts, labels)
    return tally.counts()


def looked_up(of: Callable[[Integers], Floats], counts: Integers) -> Floats:
    """A function of counts, which repeat: worked out for each that there can be, looked up for each that there is."""
    most = int(counts.max(initial=0))
    return of(counts) if most >= counts.size else _core.looked_up(of(np.arange(most + 1)), np.ascontiguousarray(counts))
