"""What to doubt, for the page: labels that are likely wrong, texts on both sides, terms that give a label away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..auditing import audit
from ..evaluation import Evaluation
from ..leaks import Leak
from .wording import brief

MOST_SUSPECTS, MOST_TWINS, MOST_LEAKS, LONGEST = 10, 8, 12, 300
FEWEST_TEXTS, MOST_TEXTS, MOST_LABELS = 50, 50_000, 1000  # fewer tell nothing, more take too long for a page
Some = TypeVar("Some")


@dataclass(frozen=True)
class First(Generic[Some]):
    """The first of some, and how many there are."""

    shown: tuple[Some, ...]
    all: int

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.all - len(self.shown)


@dataclass(frozen=True)
class Quoted:
    """A judged text, the `example`th, and its label."""

    example: int
    label: str
    text: str


@dataclass(frozen=True)
class Suspect(Quoted):
    """A text whose label is likely wrong: the one that it should have, and decibans for that against its own."""

    suggested: str
    decibans: float


@dataclass(frozen=True)
class PageDoubts:
    """Texts that were nearly learnt from, terms that give a label away, and what is right without the one or at all."""

    twins: First[Quoted]
    leaks: First[Leak]
    without_twins: float | None
    training_accuracy: float | None


def doubts(evaluation: Evaluation, texts: Sequence[str]) -> PageDoubts | None:
    """What speaks against the figures; None where nobody looked."""
    of = evaluation.doubts
    if of is None:
        return None
    truth = evaluation.held.truth
    twins = tuple(Quoted(i + 1, truth[i], brief(texts[i], LONGEST)) for i in of.twins[:MOST_TWINS])
    leaks = First(of.leaks[:MOST_LEAKS], len(of.leaks))
    return PageDoubts(First(twins, len(of.twins)), leaks, of.without_twins, of.training_accuracy)


def suspects(evaluation: Evaluation, texts: Sequence[str]) -> First[Suspect] | None:
    """The texts whose labels an audit doubts most; None where nobody looked: few tell nothing, very many take long."""
    truth, labels = evaluation.held.truth, len({*evaluation.held.truth})
    if not (FEWEST_TEXTS <= len(texts) <= MOST_TEXTS and 2 <= labels <= MOST_LABELS):
        return None
    found = audit(list(texts), truth, checks=("labels",)).doubts
    shown = (
        Suspect(of.place + 1, of.label, brief(texts[of.place], LONGEST), of.suggested, of.decibans)
        for of in found[:MOST_SUSPECTS]
    )
    return First(tuple(shown), len(found))
