"""How much text there is and how much time -> what is worth trying (`--model auto`).

Everything is tried in the order of `committee.MEMBERS`, cheap things first. What a member will take is foreseen from
how many numbers it looks at, and from what those before it took; where that is more than what is left, it is passed
over, and where a forecast was wrong, it is stopped. Without a limit of time nothing here depends on a clock.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..properties import Properties
from ..settings import AUTO, BAYES, Settings
from ..terms import Terms
from .members import Labelled, Member, Steps
from .seen import Seen

LEAST_TEXTS = 200  # below, held-out texts are too few to choose by
LEAST_OF_LABEL = 5  # one a fold
LEAST_SMOOTHED = 20  # below, the plain model is one that can be checked by hand
MOST_SCORES = 1 << 26  # texts x labels
MOST_WEIGHTS = 1 << 28  # terms x labels
LONG = 400  # characters: texts of so many have enough of shorter runs, and of longer runs of words
# Characters of text for which a second must be left: to look at words, at characters inside words, at any characters.
WORDS_A_SECOND, INSIDE_A_SECOND, CHARS_A_SECOND = 5e6, 0.75e6, 0.25e6
# The same, times labels, for which models are fitted: all, some if models of counts do worse, and those of longer runs.
LABELLED_A_SECOND, TRIED_A_SECOND, RUNS_A_SECOND = 15e6, 30e6, 1.5e6
WORDS: Mapping[str, Any] = MappingProxyType({"tokens": "marks", "words": (1, 2), "edges": True})
SECONDS = {"bayes": 1e-8, "fitted": 1e-7, "ratios": 2.5e-7}  # a number and label, until it is known better


class Planned(NamedTuple):
    """Settings with nothing left open but what is fitted or weighed, and why; and others, by name, to choose from.

    `fitted` are those of a model to be tried after them, where there is time left.
    """

    settings: Settings
    why: str
    ways: Mapping[str, Settings] = MappingProxyType({})
    fitted: Settings | None = None


def planned(settings: Settings, documents: npt.NDArray[np.int64], length: int | None) -> Planned:
    """What `auto` comes to, for so many documents by label, of so many characters; None where those are too many.

    >>> planned(Settings(model="auto"), np.array([900, 800]), 90_000).settings.chars
    (2, 6)
    >>> planned(Settings(model="auto"), np.array([9, 8]), 900).why
    '17 texts are too few to choose by'
    """
    n, k = int(documents.sum()), len(documents)
    if n < LEAST_TEXTS or (documents >= LEAST_OF_LABEL).sum() < 2:
        return Planned(_of_few(settings, n), f"{n:,} texts are too few to choose by")
    seen = {field.name: getattr(settings, field.name) for field in fields(Terms) if field.name != "properties"}
    is_asked = any(value != field.default for field in fields(Terms) for value in [seen.get(field.name, field.default)])
    if n * k > MOST_SCORES:
        plain = replace(settings, model="multinomial", smoothing=AUTO)
        ways = {} if is_asked else {"words": plain, "runs": replace(plain, words=(1, 2))}
        return Planned(plain, f"with {k:,} labels, smoothings of the plain model alone", ways)
    if length is None:
        return Planned(_of_counts(settings), "so much text leaves time for models of counts alone")
    if settings.budget is not None and length * k > LABELLED_A_SECOND * settings.budget:
        return _of_many_labels(settings, k, is_asked, length * k > TRIED_A_SECOND * settings.budget)
    if is_asked:
        return Planned(replace(settings, model="committee"), "of the terms that were asked for")
    return Planned(replace(settings, model="committee", **_terms(settings, length, n, k)), "of all terms")


def _of_few(settings: Settings, n: int) -> Settings:
    """What is best as a rule where nothing can be tried: absolute discounting, but of a handful of texts.

    Laplace's smoothing takes most of few texts away, and Dirichlet's may all of them: its strength cannot be told yet.
    """
    few = replace(settings, model="multinomial")
    return replace(few, smoothing="absolute") if n >= LEAST_SMOOTHED else few


def _of_counts(settings: Settings) -> Settings:
    """A model of counts, which leave-one-out chooses."""
    return replace(settings, model=BAYES, smoothing=AUTO)


def _of_many_labels(settings: Settings, k: int, is_asked: bool, is_hopeless: bool) -> Planned:
    """Models of counts, and one that is fitted, unless there is no hope that it ends in time."""
    ratio = replace(settings, model="ratio", smoothing="jelinek-mercer")
    runs = replace(ratio, words=(1, 2))
    ways = {"words": runs, "and characters": replace(runs, chars=(2, 4))}
    if is_hopeless:
        return Planned(ratio, f"with {k:,} labels there is time for models of counts alone", {} if is_asked else ways)
    fitted = replace(settings, model="committee", **({} if is_asked else WORDS))
    why = f"with {k:,} labels there is time for models of counts, and for few that are fitted"
    return Planned(ratio, why, {"as asked for": ratio} if is_asked else ways, fitted)


def most_characters(budget: float | None) -> float:
    """How much text can be kept, and fitted to, in some time."""
    return np.inf if budget is None else WORDS_A_SECOND * budget


def _terms(settings: Settings, length: int, n: int, k: int) -> dict[str, Any]:
    """What is seen of n texts of so many characters, with k labels. What takes longer has its time, too."""
    is_long, seconds = length > LONG * n, np.inf if settings.budget is None else settings.budget
    if length > CHARS_A_SECOND * seconds:
        runs = {"words": (1, 3)} if is_long and length * k <= RUNS_A_SECOND * seconds else {}
        inside = {"chars": (2, 4)} if length <= INSIDE_A_SECOND * seconds else {}
        return {**WORDS, **runs, **inside}
    given = {} if settings.properties is None else settings.properties.as_dict()
    if is_long:
        titles = Properties.of({**given, "title": []})
        return {**WORDS, "words": (1, 3), "chars": (2, 5), "chars_across": (1, 5), "properties": titles}
    both = Properties.of({**given, "title": [], "pairs": []})
    return {**WORDS, "chars": (2, 6), "chars_across": (1, 6), "properties": both}


class Late(Exception):  # noqa: N818
    """There is no time left."""


class Clock:
    """How much time is left, and what a member will take of it."""

    def __init__(self, budget: float | None) -> None:
        self._end = None if budget is None else time.perf_counter() + budget
        self._kept = 0.0  # for fitting to all rows, once members are chosen
        self._seconds = dict(SECONDS)

    @property
    def left(self) -> float:
        """Seconds."""
        return np.inf if self._end is None else self._end - time.perf_counter() - self._kept

    def forecast(self, member: Member, seen: Seen, of: Labelled) -> float:
        """The seconds that holding out, and fitting to all rows, will take."""
        return self._seconds[_kind(member)] * _work(seen, of)

    def has_time(self, member: Member, seen: Seen, of: Labelled) -> bool:
        """Whether there is enough left for it."""
        return len(seen.terms) * of.labels <= MOST_WEIGHTS and self.forecast(member, seen, of) <= self.left

    def took(self, seconds: float, member: Member, seen: Seen, of: Labelled) -> None:
        """Learns from what holding out took; fitting to all rows is some fourth of that."""
        self._kept += seconds / 4
        self._seconds[_kind(member)] = 1.25 * seconds / max(_work(seen, of), 1)

    def watch(self, steps: Steps | None) -> Steps | None:
        """The same steps, which end when there is no time left."""
        if self._end is None:
            return steps

        def told(what: str, done: int, total: int) -> None:
            if self.left < 0:
                raise Late
            if steps is not None:
                steps(what, done, total)

        return told


def _kind(member: Member) -> str:
    return "bayes" if member.loss == "bayes" else "ratios" if member.ratios else "fitted"


def _work(seen: Seen, of: Labelled) -> int:
    return (len(seen.column) + len(seen.terms)) * (of.labels if of.labels > 2 else 1)
