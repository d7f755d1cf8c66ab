"""The most confident mistakes: held-out texts whose wrong label is given the greatest probability, and why.

The reasons are those of the model that made the mistake. Under leave-one-out that is the model without the text: it is
had by forgetting, one text at a time, which is exact but grows with the lexicon. Where that is very large the whole
model is asked instead, which has seen the text; `of_whole_model` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from markupsafe import Markup, escape

from ..classifier import Classifier
from ..decision import log_odds_of_greatest
from ..evaluation import Evaluation
from ..evidence import Evidence
from ..evidence.page import tinted
from ..holdout import HeldOut
from .wording import probability

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MOST_MISTAKES, MOST_TERMS, LONGEST_TEXT, LARGEST_LEXICON = 12, 6, 600, 200_000


@dataclass(frozen=True)
class Why:
    """Decibans for the predicted label against `against`: the strongest parts by name, the rest as one, and all."""

    against: str
    parts: tuple[tuple[str, float], ...]
    rest: float
    more: int
    total: float


@dataclass(frozen=True)
class Mistake:
    """One text, the `example`th; `text` is tinted mark-up, `left_off` the characters that are not shown."""

    example: int
    truth: str
    predicted: str
    known: bool
    probability: str
    text: Markup
    left_off: int
    why: Why | None


@dataclass(frozen=True)
class Mistakes:
    """The mistakes that are shown, how many there are in all, and whose evidence is shown."""

    shown: tuple[Mistake, ...]
    all: int
    left_out: bool
    of_whole_model: bool


def most_confident(classifier: Classifier, evaluation: Evaluation, texts: Sequence[str], *, left_out: bool) -> Mistakes:
    """The mistakes, most confident first; `left_out` where the model that erred is the one without the text."""
    held = evaluation.held
    wrong = np.flatnonzero([true != said for true, said in zip(held.truth, held.predicted, strict=True)])
    log_odds = _log_odds(held, wrong) if held.has_scores else np.full(len(wrong), np.nan)
    first = np.argsort(-log_odds, kind="stable")[:MOST_MISTAKES]
    whole = len(classifier.lexicon) > LARGEST_LEXICON
    shown = []
    for place, odds in zip(wrong[first].tolist(), log_odds[first].tolist(), strict=True):
        text, true = texts[place], held.truth[place]
        model = classifier._without(text, true) if left_out and not whole else classifier
        shown.append(_mistake(model, held, place, text, odds))
    is_learnt = evaluation.places is not None  # by models that are gone: the one that there is has learnt everything
    return Mistakes(tuple(shown), len(wrong), left_out, (left_out and whole) or is_learnt)


def _log_odds(held: HeldOut, places: Integers) -> Floats:
    """The log-odds of the predicted label against all others: they tell apart what as probabilities is all 1.0."""
    return np.concatenate([np.empty(0), *map(log_odds_of_greatest, held.scores_of(places))])


def _mistake(model: Classifier, held: HeldOut, place: int, text: str, log_odds: float) -> Mistake:
    true, said = held.truth[place], held.predicted[place]
    evidence = _evidence(model, text, said, true)
    end = _end(text)
    return Mistake(
        example=place + 1,
        truth=true,
        predicted=said,
        known=true in model.labels,
        probability="" if np.isnan(log_odds) else probability(log_odds),
        text=escape(text[:end]) if evidence is None else Markup(tinted(evidence, end)),  # noqa: S704  tinted escapes
        left_off=len(text) - end,
        why=None if evidence is None else _why(evidence),
    )


def _evidence(model: Classifier, text: str, said: str, true: str) -> Evidence | None:
    """For the predicted label against the true one, or against the next where the model does not know that."""
    if len(model.labels) < 2:
        return None
    return model.explain(text, label=said, against=true if true in model.labels else None)


def _why(evidence: Evidence) -> Why:
    first, rest = evidence.terms[:MOST_TERMS], evidence.terms[MOST_TERMS:]
    parts = (("(prior)", evidence.prior), *((term.name, term.decibans) for term in first))
    return Why(evidence.against, parts, sum(term.decibans for term in rest), len(rest), evidence.total)


def _end(text: str) -> int:
    """Where a long text is cut: after a word, if there is one."""
    if len(text) <= LONGEST_TEXT:
        return len(text)
    space = text.rfind(" ", LONGEST_TEXT - 80, LONGEST_TEXT)
    return LONGEST_TEXT if space < 0 else space
