"""What an audit has found, as one value: for a terminal, a CSV file, JSON and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ..leaks import Leak

Floats = npt.NDArray[np.float64]
COLUMNS = ("line", "label", "suggested", "decibans", "reason")
SHOWN = 12  # of each kind, in words


class Doubt(NamedTuple):
    """A label that is likely wrong: where, which, what it should be, how sure that is, and p of the label given."""

    place: int
    label: str
    suggested: str
    decibans: float
    probability: float


class Group(NamedTuple):
    """Texts that are nearly the same, and the labels that they have between them."""

    places: tuple[int, ...]
    labels: tuple[str, ...]


class Odd(NamedTuple):
    """A text like no other: the share of its words that no other text has, and how far its surprise is from usual."""

    place: int
    unknown: float
    deviations: float


class Finding(NamedTuple):
    """One row of the table: `suggested` and `decibans` are None where there is nothing to suggest."""

    place: int
    label: str
    suggested: str | None
    decibans: float | None
    reason: str


@dataclass(frozen=True, eq=False)
class Audit:
    """All findings. Places are those of the texts, from 0; `own` is log p of each text's own label, held out."""

    examples: int
    labels: int
    doubts: tuple[Doubt, ...]
    own: Floats
    groups: tuple[Group, ...]
    empty: tuple[int, ...]
    odd: tuple[Odd, ...]
    few: tuple[tuple[str, int], ...]
    leaks: tuple[Leak, ...]
    given: tuple[str, ...] = field(repr=False)
    checks: tuple[str, ...] = ()

    @property
    def ranked(self) -> list[int]:
        """The places of all texts, those whose labels are most likely wrong first."""
        doubted = [doubt.place for doubt in self.doubts]
        is_left, order = np.ones(len(self.own), np.bool_), np.argsort(self.own, kind="stable")
        is_left[doubted] = False
        rest: list[int] = order[is_left[order]].tolist()
        return doubted + rest

    @property
    def mixed(self) -> tuple[Group, ...]:
        """The near-duplicates that have different labels."""
        return tuple(group for group in self.groups if len(group.labels) > 1)

    def findings(self, where: Callable[[int], str] = "texts[{}]".format) -> list[Finding]:
        """All that can be said of single texts: suspected labels first, each kind in order."""
        return [*self._of_doubts(), *self._of_mixed(where), *self._of_texts()]

    def _of_doubts(self) -> Iterator[Finding]:
        for doubt in self.doubts:
            reason = (
                f"likely a wrong label: {doubt.suggested} is more probable, {doubt.label} has {_p(doubt.probability)}"
            )
            yield Finding(doubt.place, doubt.label, doubt.suggested, doubt.decibans, reason)

    def _of_mixed(self, where: Callable[[int], str]) -> Iterator[Finding]:
        for group in self.mixed:
            for place in group.places:
                other = next(one for one in group.places if self.given[one] != self.given[place])
                reason = f"nearly the same text as {where(other)}, which is labelled {self.given[other]}"
                yield Finding(place, self.given[place], None, None, reason)

    def _of_texts(self) -> Iterator[Finding]:
        for place in self.empty:
            yield Finding(place, self.given[place], None, None, "no letter and no number in it")
        for odd in self.odd:
            reason = f"like no other text: {odd.unknown:.0%} of its words stand in no other"
            yield Finding(odd.place, self.given[odd.place], None, None, reason)

    def sentences(self) -> list[str]:
        """What was found, in a line each."""
        return [f"{self.examples:,} texts, {self.labels:,} labels", *self._counted(), *self._of_labels()]

    def _counted(self) -> Iterator[str]:
        if "labels" in self.checks:
            yield f"labels that are likely wrong: {len(self.doubts):,} ({len(self.doubts) / self.examples:.1%})"
        if "duplicates" in self.checks:
            repeated = sum(len(group.places) - 1 for group in self.groups)
            mixed = f"groups with different labels: {len(self.mixed):,}"
            yield f"texts nearly the same as an earlier one: {repeated:,}; {mixed}"
        if "texts" in self.checks:
            yield f"texts without a letter or number: {len(self.empty):,}; like no other: {len(self.odd):,}"

    def _of_labels(self) -> Iterator[str]:
        if self.few:
            shown = ", ".join(f"{label} ({n})" for label, n in self.few[:SHOWN])
            more = ", ..." if len(self.few) > SHOWN else ""
            yield f"labels with too few texts to learn from: {len(self.few):,}: {shown}{more}"
        for leak in self.leaks[:SHOWN]:
            yield leak.sentence
        if len(self.leaks) > SHOWN:
            yield f"more terms that give labels away: {len(self.leaks) - SHOWN:,}"

    def as_dict(self, lines: Sequence[int] | None = None) -> dict[str, Any]:
        """All of it, for machines; places are lines where those are given."""
        at: Callable[[int], int] = lines.__getitem__ if lines is not None else int
        return {
            "examples": self.examples,
            "labels": self.labels,
            "suspects": [{**doubt._asdict(), "place": at(doubt.place)} for doubt in self.doubts],
            "duplicates": [
                {"places": [at(place) for place in group.places], "labels": list(group.labels)} for group in self.groups
            ],
            "empty": [at(place) for place in self.empty],
            "odd": [{**odd._asdict(), "place": at(odd.place)} for odd in self.odd],
            "few": dict(self.few),
            "leaks": [{**leak._asdict(), "precision": leak.precision} for leak in self.leaks],
            "sentences": self.sentences(),
        }


def _p(probability: float) -> str:
    return "under 0.1%" if probability < 0.001 else f"{probability:.1%}"
