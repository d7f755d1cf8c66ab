"""Labels that are likely wrong, for the page: those that an audit of the judged texts doubts most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..auditing import audit
from ..evaluation import Evaluation
from .wording import brief

MOST, LONGEST = 10, 300
FEWEST_TEXTS, MOST_TEXTS, MOST_LABELS = 50, 50_000, 1000  # fewer tell nothing, more take too long for a page


@dataclass(frozen=True)
class Suspect:
    """The `example`th text, its label, the one that it should have, and decibans for that against its own."""

    example: int
    label: str
    suggested: str
    decibans: float
    text: str


@dataclass(frozen=True)
class Suspects:
    """The first of them, and how many there are."""

    shown: tuple[Suspect, ...]
    all: int


def suspects(evaluation: Evaluation, texts: Sequence[str]) -> Suspects | None:
    """The suspects; None where nobody looked: of few texts nothing can be told, of very many it takes long."""
    truth, labels = evaluation.held.truth, len({*evaluation.held.truth})
    if not (FEWEST_TEXTS <= len(texts) <= MOST_TEXTS and 2 <= labels <= MOST_LABELS):
        return None
    found = audit(list(texts), truth, checks=("labels",)).doubts
    shown = (
        Suspect(of.place + 1, of.label, of.suggested, of.decibans, brief(texts[of.place], LONGEST))
        for of in found[:MOST]
    )
    return Suspects(tuple(shown), len(found))
