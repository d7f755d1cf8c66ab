"""Texts -> points, such that texts of one kind are near to each other though they share few words.

X are the texts' rows, log-scaled and weighted by idf = log(n / documents with the term), of length 1. V is a basis of
the space that the `dimensions` first singular vectors of X span, found by subspace iteration (Halko, Martinsson and
Tropp 2011, 4.4): V <- orth(X' orth(X V)). A point is x V, of length 1 (latent semantic analysis: Deerwester 1990).
Both products are the core's. Which basis spans the space makes no difference to anybody here: scores are dot products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import count
from ..mixture.expected import lexicon_of
from ..rows import Rows, rows
from ..terms import Terms
from . import neighbours
from .ties import Ties, ties

Floats = npt.NDArray[np.float64]
DIMENSIONS = 100
ROUNDS = 3
ONE = 256  # a word that stands once, in the fixed point in which rows are scaled


@dataclass(frozen=True, eq=False)
class Space:
    """The texts of a stream as rows of one lexicon, as X (`entries`, along the rows), and as points; and their ties."""

    lexicon: _core.Lexicon
    rows: Rows
    idf: Floats
    entries: Floats
    points: Floats
    tied: Ties

    def along(self, weights: Floats) -> Floats:
        """X w: what the words of each text add up to."""
        return _summed(self.entries * weights[self.rows.term], self.rows.indptr)

    def across(self, shares: Floats) -> Floats:
        """X' u: what each word adds up to over all texts."""
        row, entries, indptr = self._by_word
        return _summed(entries * shares[row], indptr)

    @cached_property
    def _by_word(self) -> tuple[npt.NDArray[np.int64], Floats, npt.NDArray[np.int64]]:
        """The entries of X by word: their rows, what they are, and where each word's begin."""
        order = np.argsort(self.rows.term, kind="stable")
        indptr = np.searchsorted(self.rows.term[order], np.arange(len(self.lexicon) + 1))
        return self.rows.row[order], self.entries[order], indptr

    @cached_property
    def texts(self) -> _core.Unlabelled:
        """The rows as the core takes them, in which a word counts once a text."""
        found = self.rows
        return _core.Unlabelled(found.indptr, found.term, found.count, len(self.lexicon), True)

    @cached_property
    def _nearest(self) -> tuple[npt.NDArray[np.int64], Floats]:
        """The texts nearest to each, and how near they are."""
        return neighbours.nearest(self.rows, self.idf, self.entries, self.lexicon)

    @cached_property
    def _links(self) -> neighbours.Links | None:
        """Which texts are linked; None where there are too few."""
        places, near = self._nearest
        return neighbours.links(places, near, self.tied) if places.shape[1] else None

    @cached_property
    def kinds(self) -> Floats:
        """The points of the texts by what they are near to; the same as those by words, where there are no links."""
        return self.points if self._links is None else neighbours.kinds(*self._links, self.points)

    def spread(self, values: Floats) -> Floats:
        """What is said of each text, and in part of those that it is linked with."""
        return values if self._links is None else neighbours.spread(*self._links, values)

    def beside(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which texts say nearly the same as some of them do."""
        return neighbours.beside(self._nearest[0], places)

    @classmethod
    def of(
        cls,
        terms: Terms,
        texts: list[str],
        seed: int = 0,
        dimensions: int = DIMENSIONS,
        titles: Sequence[str] | None = None,
    ) -> Space:
        """Of some texts, which may have titles; a word of one text alone says nothing of others, and is left out.

        >>> texts = ["goalie and puck", "puck on ice", "ice and goalie", "church", "church choir", "choir sang"]
        >>> points = Space.of(Terms(), texts, dimensions=2).points
        >>> points.shape, bool(points[0] @ points[1] > points[0] @ points[4])
        ((6, 2), True)
        """
        counts = count(terms, texts, [""] * len(texts))
        kept = counts.by_term(counts.presences) > 1
        names = [name for name, keep in zip(counts.lexicon.names(), kept, strict=True) if keep]
        lexicon = lexicon_of(terms, names)
        found = rows(lexicon, texts)
        idf = np.log(max(len(texts), 2) / np.maximum(np.bincount(found.term, minlength=len(names)), 1.0))
        size = min(dimensions, len(texts), len(names))
        projected = _projected(found, lexicon, idf, size, seed) if size else np.zeros((len(texts), 1))
        tied = ties(texts, titles or [""] * len(texts))
        return cls(lexicon, found, idf, _entries(found, idf), _unit(projected), tied)


def _summed(values: Floats, indptr: npt.NDArray[np.int64]) -> Floats:
    """The sums of values from one place to the next."""
    sums, some = np.zeros(len(indptr) - 1), np.diff(indptr) > 0
    if some.any():
        sums[some] = np.add.reduceat(values, indptr[:-1][some])
    return sums


def _entries(found: Rows, idf: Floats) -> Floats:
    """X, along the rows."""
    entries = (1 + np.log(found.count)) * idf[found.term]
    lengths = np.sqrt(np.bincount(found.row, entries**2, len(found)))
    return np.asarray(entries / np.maximum(lengths, 1e-300)[found.row])


def _projected(found: Rows, lexicon: _core.Lexicon, idf: Floats, size: int, seed: int) -> Floats:
    """X V, after some rounds."""
    scaled = np.rint(ONE * (1 + np.log(found.count))).astype(np.int64)
    entries = scaled * idf[found.term]
    lengths = np.sqrt(np.bincount(found.row, entries**2, len(found)))
    by_row = 1 / np.maximum(lengths, 1e-300)
    transposed = _core.Unlabelled(found.indptr, found.term, scaled, len(lexicon), False)
    basis = np.random.default_rng(seed).standard_normal((len(lexicon), size))
    for _ in range(ROUNDS):
        across, _ = np.linalg.qr(_product(found, scaled, lexicon, idf[:, None] * basis) * by_row[:, None])
        flat = transposed.expected(np.ascontiguousarray(across * by_row[:, None]).ravel(), across.shape[1], 0)
        basis, _ = np.linalg.qr(flat.reshape(len(lexicon), -1) * idf[:, None])
    return _product(found, scaled, lexicon, idf[:, None] * basis) * by_row[:, None]


def _product(found: Rows, count: npt.NDArray[np.int64], lexicon: _core.Lexicon, by: Floats) -> Floats:
    """Rows times a dense matrix."""
    terms, size = by.shape
    postings = np.arange(terms + 1) * size, np.tile(np.arange(size, dtype=np.uint32), terms)
    scorer = _core.Scorer(lexicon, np.zeros(size), np.zeros(size), *postings, np.ascontiguousarray(by).ravel(), False)
    return scorer.scores_of_rows(found.indptr, found.term, count)


def _unit(points: Floats) -> Floats:
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(points / np.where(lengths > 0, lengths, 1.0))
