"""What is wrong with the model, in sentences: what somebody who has one minute should know, the gravest first.

Nothing is computed here that is not shown below; each sentence says where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..decision import posterior
from ..evaluation import Evaluation, LabelFigures, wilson
from ..evaluation.probabilities import Bin
from .wording import brief, count_of, percent

Floats = npt.NDArray[np.float64]
FEW = 20  # examples of a label, too few to judge it by
UNSURE = 0.03  # calibration error that nobody should mind
SURE = 0.9


class Finding(NamedTuple):
    """A sentence in pieces, labels among them in quotation marks; where to look; and whether it is bad news."""

    pieces: tuple[str, ...]
    anchor: str
    is_bad: bool = True

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)


def findings(evaluation: Evaluation, suspects: int = 0) -> tuple[Finding, ...]:
    """The sentences, those that there is reason for; so many labels are likely wrong."""
    return tuple(
        finding
        for finding in (
            _same_texts(evaluation),
            _twins(evaluation),
            _leaks(evaluation),
            _weakest(evaluation),
            _sure_mistakes(evaluation),
            _suspects(suspects),
            _few(evaluation),
            _confidence(evaluation),
            _more_labels(evaluation),
        )
        if finding is not None
    )


def _same_texts(evaluation: Evaluation) -> Finding | None:
    if evaluation.doubts is None or not evaluation.doubts.look_learnt:
        return None
    said = "These look like the texts that the model was trained on: if they are, nothing here holds."
    return Finding((said,), "facts")


def _twins(evaluation: Evaluation) -> Finding | None:
    doubts = evaluation.doubts
    if doubts is None or not doubts.twins:
        return None
    n = len(doubts.twins)
    rest = "" if doubts.without_twins is None else f": without them {percent(doubts.without_twins)} are right"
    again = "nearly stands in the training texts, too" if n == 1 else "nearly stand in the training texts, too"
    return Finding((f"{count_of(n, 'text')} {again}{rest}.",), "doubts")


def _leaks(evaluation: Evaluation) -> Finding | None:
    doubts = evaluation.doubts
    if doubts is None or not doubts.leaks:
        return None
    first, *others = doubts.leaks
    more = f" So do {len(others):,} others." if len(others) > 1 else " So does another." if others else ""
    pieces = (
        "“",
        brief(first.term),
        "” all but gives “",
        brief(first.label),
        f"” away: will new texts have it, too?{more}",
    )
    return Finding(pieces, "doubts")


def _weakest(evaluation: Evaluation) -> Finding | None:
    """The label that is found less often than texts are on the whole, by more than luck."""
    known = [of for of in evaluation.by_label if of.support >= FEW]
    if len(known) < 2:
        return None
    worst = min(known, key=lambda of: (of.recall, of.label))
    if wilson(round(worst.recall * worst.support), worst.support)[1] >= evaluation.accuracy:
        return None
    found = f"Of “{brief(worst.label)}” only {percent(worst.recall)} are found"
    return Finding((found, *_taken_for(evaluation, worst), "."), "confusion")


def _taken_for(evaluation: Evaluation, worst: LabelFigures) -> tuple[str, ...]:
    """What the label is taken for, the two that are most frequent."""
    wrong = Counter({said: n for (true, said), n in evaluation.pairs.items() if true == worst.label != said})
    names = [
        f"“{brief(label)}” ({n:,})" for label, n in sorted(wrong.items(), key=lambda item: (-item[1], item[0]))[:2]
    ]
    return (f"; it is taken for {' and '.join(names)}",) if names else ()


def _sure_mistakes(evaluation: Evaluation) -> Finding | None:
    """How many mistakes were made as if there was no doubt: those have a reason, which is worth reading."""
    wrong = evaluation.examples - int(evaluation.right.sum())
    if not evaluation.held.has_scores or not wrong:
        return None
    most = np.concatenate([posterior(part).max(axis=1) for part in _scores(evaluation)])
    n = int((most >= SURE).sum())
    if not n:
        return None
    was, those = ("was", "it") if n == 1 else ("were", "those")
    said = f"Of {count_of(wrong, 'mistake')}, {n:,} {was} made with a probability above {SURE:.0%}: read {those} first."
    return Finding((said,), "mistakes")


def _scores(evaluation: Evaluation) -> Iterator[Floats]:
    """The scores of all mistakes."""
    return evaluation.held.scores_of(np.flatnonzero(~evaluation.right))


def _suspects(n: int) -> Finding | None:
    if not n:
        return None
    labels = "label" if n == 1 else "labels"
    return Finding(
        (f"{n:,} {labels} may be wrong in the texts themselves: look before you blame the model.",), "suspects"
    )


def _few(evaluation: Evaluation) -> Finding | None:
    few = [of.label for of in evaluation.by_label if 0 < of.support < FEW]
    if not few:
        return None
    has = f"“{brief(few[0])}” has" if len(few) == 1 else f"{count_of(len(few), 'label')} have"
    return Finding((f"{has} fewer than {FEW} examples here: too few to say much of.",), "labels")


def _confidence(evaluation: Evaluation) -> Finding | None:
    """Whether probabilities promise too much, by the texts that it is sure of."""
    of = evaluation.probabilities
    if of is None or of.calibration_error <= UNSURE:
        return None
    sure = [one for one in of.bins if one.low >= SURE - 1e-9] or list(of.bins)
    promised, came = _mean(sure, "probability"), _mean(sure, "right")
    too = "too sure of itself" if promised > came else "surer than it says"
    said = f"It is {too}: where it promises {percent(promised)}, {percent(came)} are right."
    return Finding((said,), "probabilities", promised > came)


def _mean(bins: list[Bin], name: str) -> float:
    n = sum(one.examples for one in bins)
    return sum(one.examples * float(getattr(one, name)) for one in bins) / n


def _more_labels(evaluation: Evaluation) -> Finding | None:
    curve = evaluation.curve
    if curve is None or curve.law is None:
        return None
    sentence = curve.sentence
    return Finding((f"{sentence[0].upper()}{sentence[1:]}.",), "learning", False)
