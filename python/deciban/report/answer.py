"""The answer that the report begins with: how often the model is right, how sure that is, and against what."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..evaluation import Evaluation
from .wording import count_of

LEAVE_ONE_OUT, TEST = "leave-one-out", "test on "

_LEFT_OUT = "Leave-one-out: each text is judged by the model as it would be had it been trained on all the others."
_TRAINED_ANEW = (
    "Models like this one were trained anew, each without the texts that judge it, and chose anew whatever they "
    "choose. The model itself has learnt from all of them."
)
_KEPT_APART = "The figures hold if none of these texts were in training."
_BETTER = "That is clearly more than without a model"
_WORSE = "That is less than without a model"
_UNSURE = "That is not clearly more than without a model"


@dataclass(frozen=True)
class Answer:
    """The figures of the whole, and the sentences beside them."""

    accuracy: float
    low: float
    high: float
    baseline: float
    baseline_label: str
    macro_f1: float
    right: int
    examples: int
    labels: int
    protocol: str
    how: str
    verdict: str
    often: tuple[str, str, int] | None
    unseen: tuple[str, ...]
    unseen_examples: int

    @property
    def sentence(self) -> str:
        """The figure in plain words."""
        return f"{self.right:,} of {count_of(self.examples, 'text')} got the right label."


def answer(evaluation: Evaluation, protocol: str) -> Answer:
    """What an evaluation comes to.

    >>> import numpy as np
    >>> from deciban.holdout import HeldOut
    >>> held = HeldOut(("ham", "spam"), ["ham", "spam"], np.log([[0.9, 0.1], [0.8, 0.2]]))
    >>> found = answer(Evaluation(held), "by hand")
    >>> found.sentence, found.verdict, found.often
    ('1 of 2 texts got the right label.', 'That is not clearly more than without a model', ('spam', 'ham', 1))
    """
    low, high = evaluation.interval
    label, baseline = evaluation.baseline
    unseen = evaluation.unseen
    return Answer(
        accuracy=evaluation.accuracy,
        low=low,
        high=high,
        baseline=baseline,
        baseline_label=label,
        macro_f1=evaluation.macro_f1,
        right=round(evaluation.accuracy * evaluation.examples),
        examples=evaluation.examples,
        labels=len(evaluation.labels),
        protocol=protocol,
        how=_how(evaluation, protocol),
        verdict=_BETTER if low > baseline else _WORSE if high < baseline else _UNSURE,
        often=_most_frequent_mistake(evaluation),
        unseen=unseen,
        unseen_examples=_times(evaluation, unseen),
    )


def _how(evaluation: Evaluation, protocol: str) -> str:
    """What the way of holding out means."""
    if protocol.startswith(LEAVE_ONE_OUT):
        return _LEFT_OUT
    if evaluation.places is not None:
        return _TRAINED_ANEW
    return _KEPT_APART if protocol.startswith(TEST) else ""


def _most_frequent_mistake(evaluation: Evaluation) -> tuple[str, str, int] | None:
    """True label, predicted label and how many times; of equal ones the first in order."""
    wrong = [(-times, true, said) for (true, said), times in evaluation.pairs.items() if true != said]
    if not wrong:
        return None
    times, true, said = min(wrong)
    return true, said, -times


def _times(evaluation: Evaluation, labels: tuple[str, ...]) -> int:
    """How many examples truly have one of some labels."""
    examples = Counter(evaluation.held.truth)
    return sum(examples[label] for label in labels)
