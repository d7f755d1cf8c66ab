"""Expected counts, and the scorecard that they and the counts are weighed to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts
from ..scorecard import Scorecard
from ..settings import Settings
from ..smoothing import Prior
from ..terms import Terms

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Expected:
    """How often each term is expected under each label in the unlabelled texts, times their weight.

    The postings of term j stand from `indptr[j]` to `indptr[j + 1]`, as those of `Counts`; a term may have none.
    """

    labels: tuple[str, ...]
    lexicon: _core.Lexicon
    indptr: Integers
    label: npt.NDArray[np.uint32]
    count: Floats

    @property
    def term(self) -> Integers:
        """The term of each posting."""
        return np.repeat(np.arange(len(self.lexicon)), np.diff(self.indptr))


@dataclass(frozen=True, eq=False)
class _Merged:
    """The postings of counts and expected counts in one lexicon: key = term x labels + label, sorted."""

    lexicon: _core.Lexicon
    key: Integers
    own: Integers  # the place of each posting of the counts
    theirs: Integers  # and of the expected counts, but for labels that the counts do not have
    count: Floats

    @classmethod
    def of(cls, counts: Counts, expected: Expected) -> _Merged:
        k, number = len(counts.labels), {label: r for r, label in enumerate(counts.labels)}
        label = np.array([number.get(label, -1) for label in expected.labels], np.int64)[expected.label]
        lexicon, places, more_places = both(counts, expected.lexicon)
        own, theirs = places[counts.term] * k + counts.label, (more_places[expected.term] * k + label)[label >= 0]
        key, place = np.unique(np.concatenate([own, theirs]), return_inverse=True)
        return cls(lexicon, key, place[: len(own)], place[len(own) :], expected.count[label >= 0])

    def indptr(self, labels: int) -> Integers:
        """Where the postings of each term begin, and where the last end."""
        return np.searchsorted(self.key, np.arange(len(self.lexicon) + 1) * labels)

    def along(self, values: npt.NDArray[Any], places: Integers) -> npt.NDArray[Any]:
        """Values along all postings, zero where there is none."""
        all_values = np.zeros(len(self.key), values.dtype)
        all_values[places] = values
        return all_values


def aligned(counts: Counts, expected: Expected) -> tuple[Counts, Floats]:
    """Counts and expected counts, both along the postings of their scorecard: zero where the other alone has some."""
    merged, k = _Merged.of(counts, expected), len(counts.labels)
    occurrences, presences = (merged.along(own, merged.own) for own in (counts.occurrences, counts.presences))
    postings = (merged.indptr(k), (merged.key % k).astype(np.uint32))
    buffers = (merged.lexicon, counts.documents, *postings, occurrences, presences)
    return Counts.of_buffers(counts.terms, counts.labels, buffers), merged.along(merged.count, merged.theirs)


def weigh(counts: Counts, expected: Expected, settings: Settings) -> Scorecard:
    """The scorecard of counts and expected counts; labels that the counts do not have (any more) are passed over."""
    merged, k = _Merged.of(counts, expected), len(counts.labels)
    own = counts.presences if settings.binary else counts.occurrences
    nu = merged.along(own, merged.own) + merged.along(merged.count, merged.theirs)
    gamma, d = gamma_of(counts, merged.lexicon, settings), len(merged.lexicon)
    label = merged.key % k
    return Scorecard(
        labels=counts.labels,
        lexicon=merged.lexicon,
        bias=prior_of(settings).log(counts.labels, counts.documents),
        absent=np.log(gamma) - np.log(np.bincount(label, nu, k) + gamma * max(d, 1)),
        indptr=merged.indptr(k),
        label=label.astype(np.uint32),
        weight=np.log(nu + gamma) - np.log(gamma),
        binary=settings.binary,
    )


def prior_of(settings: Settings) -> Prior:
    """How probable the labels are, by the labelled texts or as given."""
    return Prior(settings.prior, float(settings.prior_smoothing))


def gamma_of(counts: Counts, lexicon: _core.Lexicon, settings: Settings) -> float:
    """alpha d_0/d: as much mass in all as smoothing has among the labelled texts' terms."""
    return settings.strength * max(len(counts.lexicon), 1) / max(len(lexicon), 1)


def lexicon_of(terms: Terms, names: list[str]) -> _core.Lexicon:
    """A lexicon of names in order."""
    encoded = [name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return _core.Lexicon(terms.core, np.frombuffer(b"".join(encoded), np.uint8), offsets)


def both(counts: Counts, more: _core.Lexicon) -> tuple[_core.Lexicon, Integers, Integers]:
    """One lexicon of the terms of counts and some more, and the places of either in it."""
    some, others = counts.lexicon.names(), more.names()
    names = sorted({*some, *others})  # by characters, which is by the bytes of UTF-8
    place = {name: j for j, name in enumerate(names)}
    places, more_places = (np.array([place[name] for name in given], np.int64) for given in (some, others))
    return lexicon_of(counts.terms, names), places, more_places
