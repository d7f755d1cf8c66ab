"""Rows -> the few terms by which a naive Bayes model errs least: a wrapper, tailored to the model (Jaakkola).

A search goes from one set of terms to the next by one term, the one after which fewest texts are wrong when each is
left out; of equal ones the one that tells most (mutual information). It begins with the candidates that tell most:

    forward     with no term; terms come
    backward    with all candidates; terms go
    floating    with no term; terms come, and after each one others go, for as long as so few terms have never done
                better (Pudil, Novovicova and Kittler 1994)

No model is trained for any of them: leave-one-out follows from counts and rows, and the core (`search.rs`) keeps what
it is made of, so that one step asks thousands of terms in milliseconds. A term of one text only is no candidate: as
that text is left out, the term is gone. A text whose own label only ties is wrong.

Of all numbers of terms the least is chosen whose errors are within one standard error of the fewest: with n texts and
a share p of errors, that is sqrt(p (1 - p) / n) more (Breiman et al. 1984). The errors of a search are those that it
looked for, and too few: how good the terms are, texts tell that it has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts
from ..errors import NothingSelected
from ..rows import Rows
from ..settings import Settings
from ..smoothing import Prior
from .measures import measured

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Steps = Callable[[str, int, int], None]
CANDIDATES = {"forward": 5000, "floating": 5000, "backward": 1000}
FEWEST = 2  # texts that a candidate is in
NEAR = 1e-9  # scores that are nearer to each other are the same, but for rounding: as in the core


class Point(NamedTuple):
    """So many texts are wrong by so many terms."""

    terms: int
    wrong: int


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search found: how each number of terms did, and the best of each number that was met, by their places.

    Places are in the order in which the terms came; those of the number that is chosen are there in any case.
    """

    by: str
    texts: int
    curve: tuple[Point, ...]
    sets: Mapping[int, Sequence[int]]

    @property
    def best(self) -> Point:
        """The number of terms with the fewest errors: of equal ones the least."""
        return min(self.curve, key=lambda point: (point.wrong, point.terms))

    @property
    def standard_error(self) -> float:
        """Of the fewest errors."""
        p = self.best.wrong / max(self.texts, 1)
        return math.sqrt(self.texts * p * (1 - p))

    @property
    def chosen(self) -> Point:
        """The least number of terms within one standard error of the best."""
        near = [point for point in self.curve if point.wrong <= self.best.wrong + self.standard_error]
        return min(near, key=lambda point: point.terms)

    @property
    def places(self) -> Integers:
        """The terms that are chosen."""
        return np.asarray(self.sets[self.chosen.terms], np.int64)

    def mask(self, terms: int) -> Mask:
        """Which of so many terms are chosen."""
        kept = np.zeros(terms, np.bool_)
        kept[self.places] = True
        return kept


def search(
    counts: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    by: str,
    top: int,
    candidates: int | None = None,
    steps: Steps | None = None,
) -> Searched:
    """The terms that a search finds, at most `top`, for rows of labels y, all of which were counted."""
    places = _candidates(counts, settings, candidates or CANDIDATES[by])
    walk = _Walk(_kernel(counts, rows, y, settings, places), len(places), settings.cores)
    told = None if steps is None else lambda done, total: steps(f"searching, {by}", done, total)
    {"forward": walk.forward, "backward": walk.backward, "floating": walk.floating}[by](min(top, len(places)), told)
    return walk.found(by, len(y), top, places)


def _candidates(counts: Counts, settings: Settings, most: int) -> Integers:
    """The places of the terms that tell most, in falling order."""
    scores = measured(counts, settings, "mutual-information", most)
    order = np.argsort(-scores, kind="stable")
    return order[counts.by_term(counts.presences)[order] >= FEWEST][:most]


def _kernel(counts: Counts, rows: Rows, y: Integers, settings: Settings, places: Integers) -> _core.Search:
    """What tells errors, of candidates by their rank."""
    k = len(counts.labels)
    rank = np.full(len(counts.lexicon), -1)
    rank[places] = np.arange(len(places))
    there = rank[rows.term] >= 0
    term, row = rank[rows.term][there], rows.row[there]
    z = (np.ones(len(term)) if settings.is_binary else rows.count[there]).astype(np.float64)
    order = np.lexsort((row, term))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(term, minlength=len(places)))]).astype(np.int64)
    shown = np.bincount(term * k + y[row], z, len(places) * k).astype(np.float64)
    by_term = (indptr, row[order].astype(np.uint32), z[order], shown)
    left = counts.documents - np.eye(k, dtype=np.int64)
    prior = Prior(settings.prior, float(settings.prior_smoothing)).log(counts.labels, left)
    return _core.Search(
        by_term, (y.astype(np.uint32), counts.documents.astype(np.float64)), prior.ravel(), _rule(settings)
    )


def _rule(settings: Settings) -> tuple[float, float | None]:
    """gamma of dice; heads and tails of coins."""
    if settings.model == "multinomial":
        return settings.strength, None
    return settings.strength * settings.default_p, settings.strength * (1 - settings.default_p)


Told = Callable[[int, int], None]


class _Walk:
    """A walk from set to set: the best set of each size that was met."""

    def __init__(self, kernel: _core.Search, candidates: int, threads: int) -> None:
        self._kernel, self._all, self._threads = kernel, candidates, threads
        self._inside: list[int] = []
        self._met: dict[int, tuple[int, tuple[int, ...]]] = {0: (kernel.wrong(), ())}

    def forward(self, top: int, told: Told | None) -> None:
        while len(self._inside) < top:
            _tell(told, len(self._inside), top)
            self._step(*self._best(come=True))

    def backward(self, top: int, told: Told | None) -> None:  # noqa: ARG002
        for term in range(self._all):
            self._kernel.toggle(term)
        self._inside = list(range(self._all))
        self._note(self._kernel.wrong())
        while len(self._inside) > 1:
            _tell(told, self._all - len(self._inside), self._all)
            self._step(*self._best(come=False))

    def floating(self, top: int, told: Told | None) -> None:
        while len(self._inside) < top:
            _tell(told, len(self._inside), top)
            self._step(*self._best(come=True))
            while len(self._inside) > 2:
                term, wrong = self._best(come=False)
                if wrong >= self._met[len(self._inside) - 1][0]:
                    break
                self._step(term, wrong)

    def _best(self, *, come: bool) -> tuple[int, int]:
        """The term after which fewest texts are wrong: of equal ones the one that tells most comes, and least goes."""
        wrong = self._kernel.wrong_with(come, self._threads)
        wrong = np.where(wrong < 0, np.iinfo(np.int64).max, wrong)
        term = int(np.argmin(wrong)) if come else len(wrong) - 1 - int(np.argmin(wrong[::-1]))
        return term, int(wrong[term])

    def _step(self, term: int, wrong: int) -> None:
        self._kernel.toggle(term)
        if term in self._inside:
            self._inside.remove(term)
        else:
            self._inside.append(term)
        self._note(wrong)

    def _note(self, wrong: int) -> None:
        size = len(self._inside)
        if size not in self._met or wrong < self._met[size][0]:
            self._met[size] = wrong, tuple(self._inside)

    def found(self, by: str, texts: int, top: int, places: Integers) -> Searched:
        curve = tuple(Point(size, self._met[size][0]) for size in sorted(self._met) if size <= top)
        sets = {size: places[list(terms)].tolist() for size, (_, terms) in self._met.items() if size <= top}
        return checked(Searched(by, texts, curve, sets))


def checked(searched: Searched) -> Searched:
    """The same, where it leaves anything."""
    terms, wrong = searched.chosen
    if not terms:
        raise NothingSelected(by=searched.by, wrong=f"{wrong:,}", texts=f"{searched.texts:,}")
    return searched


def _tell(told: Told | None, done: int, total: int) -> None:
    if told is not None:
        told(done, total)
