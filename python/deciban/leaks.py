"""Counts -> terms that give a label away: a leak, or an honest word that is worth a look.

One term nearly always means one label, and many of the label's texts have it: the name of a mail host, a header that
only one source has, a template. A model learns it first, and whether new texts have it too is another matter.

    precision_jr = m_jr / m_j      of the texts that have term j, those of label r: by its lower bound (Wilson 1927)
    coverage_jr  = m_jr / n_r      of the texts of label r, those that have term j

The bound must be near 1, and what is missing of it a tenth of what was missing before the term was seen, so that no
common word of a label that nearly all texts have is one. The second kind is a label that stands in the texts by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from .counts import Counts, count
from .duplicates import canonical
from .rows import rows
from .terms import Terms, display
from .wilson import bounds

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

PRECISION, COVERAGE, FEWEST = 0.95, 0.2, 10
OF_NAMES = 0.8  # the precision of a label's name that is more than one word: nobody says those by chance
LEFT = 0.1, 0.5  # what may be left of the doubt about a label: by a term, by a name
LONGEST_NAME = 8  # words


class Leak(NamedTuple):
    """A term, its label, how many of the label's texts have it and how many others; whether it is the label's name."""

    term: str
    label: str
    documents: int
    others: int
    coverage: float
    is_name: bool = False

    @property
    def precision(self) -> float:
        """The share of the texts with the term that have the label."""
        return self.documents / (self.documents + self.others)

    @property
    def sentence(self) -> str:
        """The same in words.

        >>> Leak("references", "ham", 1478, 13, 0.356).sentence
        "'references' stands in 36% of the texts of 'ham', and in 13 others: will new texts have it too?"
        """
        what = f"the label's own name, {self.term!r}," if self.is_name else f"{self.term!r}"
        others = "in no other" if not self.others else f"in {self.others:,} other{'s' if self.others > 1 else ''}"
        own = f"{self.coverage:.0%} of the texts of {self.label!r}"
        return f"{what} stands in {own}, and {others}: will new texts have it too?"


def leaks(texts: _core.Texts, labels: list[str], threads: int = 0) -> list[Leak]:
    """The words that give labels away, and the labels that stand in their texts by name; the most telling first.

    >>> texts = ["see you at one", "lunch at two"] * 50 + ["see you at host9", "lunch at host9"] * 50
    >>> leaks(texts, ["work"] * 100 + ["home"] * 100)
    [Leak(term='host9', label='home', documents=100, others=0, coverage=1.0, is_name=False)]
    """
    return both(names(texts, labels, threads), telling(count(Terms(), texts, labels, threads)))


def both(by_name: list[Leak], by_term: list[Leak]) -> list[Leak]:
    """Leaks of both kinds, each term of a label once, the most telling first."""
    return _sorted({(leak.term, leak.label): leak for leak in [*by_term, *by_name]}.values())


def telling(counts: Counts) -> list[Leak]:
    """The terms that nearly always mean one label, which has them often; the most telling first."""
    m_jr, m_j, n_r = counts.presences, counts.by_term(counts.presences)[counts.term], counts.documents[counts.label]
    is_telling = _is_sure(m_jr, m_j, n_r / max(counts.documents.sum(), 1), PRECISION, LEFT[0])
    some = np.flatnonzero(is_telling & (m_jr >= FEWEST) & (m_jr >= COVERAGE * n_r))
    term = counts.term[some].tolist()
    numbers = (counts.label[some].tolist(), m_jr[some].tolist(), m_j[some].tolist(), n_r[some].tolist())
    return _sorted(
        Leak(display(counts.lexicon.name(j) or ""), counts.labels[r], own, every - own, own / n)
        for j, r, own, every, n in zip(term, *numbers, strict=True)
    )


def names(texts: _core.Texts, labels: list[str], threads: int = 0) -> list[Leak]:
    """The labels whose names stand in their own texts, and hardly in others."""
    named = {label: name for label in sorted(set(labels)) if (name := _name(label))}
    known = sorted(set(named.values()), key=str.encode)
    if not known:
        return []
    number = {name: j for j, name in enumerate(known)}
    found = rows(_lexicon(known), texts, threads)
    own_name = np.array([number.get(named.get(label, ""), -1) for label in labels])
    is_own = own_name[found.row] == found.term
    own, every = (np.bincount(term, minlength=len(known)) for term in (found.term[is_own], found.term))
    n = np.bincount(own_name[own_name >= 0], minlength=len(known))
    least = np.array([OF_NAMES if " " in name else PRECISION for name in known])
    is_leak = _is_sure(own, every, n / len(labels), least, LEFT[1]) & (own >= FEWEST)
    return _sorted(
        Leak(named[label], label, int(own[j]), int(every[j] - own[j]), float(own[j] / n[j]), True)
        for label in named
        if is_leak[j := number[named[label]]]
    )


def _name(label: str) -> str:
    """A label as texts would have it: its words in small letters, if they are not too many."""
    words = [seen.term for seen in Terms().seen(canonical(label))]
    return " ".join(words) if len(words) <= LONGEST_NAME else ""


def _lexicon(known: Sequence[str]) -> _core.Lexicon:
    encoded = [name.encode() for name in known]
    longest = max(name.count(" ") for name in known) + 1
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return _core.Lexicon(Terms(words=(1, longest)).core, np.frombuffer(b"".join(encoded), np.uint8), offsets)


def _is_sure(own: Integers, every: Integers, base: Floats, least: float | Floats, left: float) -> npt.NDArray[np.bool_]:
    """Whether it is sure enough that a term means a label, and much surer than without."""
    low, _ = bounds(own, np.maximum(every, 1))
    return np.asarray((low >= least) & (1 - low <= left * (1 - base)))


def _sorted(found: Iterable[Leak]) -> list[Leak]:
    return sorted(found, key=lambda leak: (-leak.coverage * leak.precision, leak.term, leak.label))
