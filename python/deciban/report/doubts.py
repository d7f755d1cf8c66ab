"""What speaks against the figures, for the page: texts that stand on both sides, and terms that give a label away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..evaluation import Evaluation
from ..leaks import Leak
from .wording import brief

MOST_TWINS, MOST_LEAKS, LONGEST = 8, 12, 200


@dataclass(frozen=True)
class Twin:
    """A judged text, the `example`th, that was nearly learnt from."""

    example: int
    label: str
    text: str


@dataclass(frozen=True)
class PageDoubts:
    """Some of the texts, some of the terms, and how many there are of each."""

    twins: tuple[Twin, ...]
    all_twins: int
    without_twins: float | None
    leaks: tuple[Leak, ...]
    all_leaks: int
    training_accuracy: float | None


def doubts(evaluation: Evaluation, texts: Sequence[str]) -> PageDoubts | None:
    """All that there is to doubt; None where nobody looked."""
    of = evaluation.doubts
    if of is None:
        return None
    truth = evaluation.held.truth
    twins = tuple(Twin(i + 1, truth[i], brief(texts[i], LONGEST)) for i in of.twins[:MOST_TWINS])
    leaks = of.leaks[:MOST_LEAKS]
    return PageDoubts(twins, len(of.twins), of.without_twins, leaks, len(of.leaks), of.training_accuracy)
