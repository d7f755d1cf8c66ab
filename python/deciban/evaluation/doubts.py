"""What speaks against figures: texts that stand on both sides, terms that give a label away, what training promises.

A text that is judged and has a near-duplicate among those that were learnt from was not really held out: accuracy
without such texts stands beside that with them. A term that nearly always means one label may not do so in new texts.
Accuracy on the texts that were learnt from is never what to expect, and is only shown beside an honest one. Among very
many texts nothing is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..duplicates import between, groups
from ..holdout import HeldOut
from ..leaks import Leak, leaks
from ..splits import Part

Places = npt.NDArray[np.int64]
MOST_CHARACTERS = 1 << 28
MOST_LEAKS = 5  # of those that are told


@dataclass(frozen=True)
class Doubts:
    """The places of judged examples that were nearly learnt from; leaks; and accuracy on what was learnt from.

    Examples `look_learnt` where the model seems to have been trained on them.
    """

    examples: int
    twins: tuple[int, ...] = ()
    without_twins: float | None = None
    leaks: tuple[Leak, ...] = ()
    training_accuracy: float | None = None
    look_learnt: bool = False

    @property
    def sentences(self) -> Iterator[str]:
        """All of it for people, a line each."""
        if self.look_learnt:
            yield "these look like the texts that it was trained on: then nothing here holds; ask with --loo or --folds"
        if self.training_accuracy is not None:
            yield f"training accuracy {self.training_accuracy:.1%}: on what it learnt from, so never what to expect"
        if self.twins:
            n, share = len(self.twins), len(self.twins) / self.examples
            are = "text nearly stands" if n == 1 else "texts nearly stand"
            rest = "" if self.without_twins is None else f"; without: accuracy {self.without_twins:.1%}"
            yield f"{n:,} {are} in training, too ({share:.1%}){rest}"
        for leak in self.leaks[:MOST_LEAKS]:
            yield f"a leak? {leak.sentence}"
        if len(self.leaks) > MOST_LEAKS:
            yield f"and {len(self.leaks) - MOST_LEAKS} more such terms"

    def as_dict(self) -> dict[str, Any]:
        """The same, for machines."""
        return {
            "training_accuracy": self.training_accuracy,
            "look_learnt": self.look_learnt,
            "near_duplicates": list(self.twins),
            "accuracy_without": self.without_twins,
            "leaks": [{**leak._asdict(), "precision": leak.precision} for leak in self.leaks],
        }


def doubts(
    held: HeldOut,
    texts: Sequence[Any],
    twins: Sequence[int],
    training_accuracy: float | None = None,
    learnt: tuple[Sequence[Any], list[str]] | None = None,
    threads: int = 0,
    look_learnt: bool = False,
) -> Doubts:
    """What speaks against the figures of some texts. Leaks are those of what was `learnt`, if that is at hand."""
    right = np.fromiter(map(str.__eq__, held.predicted, held.truth), bool, len(held.truth))
    rest = np.delete(right, list(twins))
    own = learnt or (texts, held.truth)
    return Doubts(
        examples=len(right),
        twins=tuple(twins),
        without_twins=float(rest.mean()) if len(twins) and len(rest) else None,
        leaks=tuple(leaks(list(own[0]), own[1], threads)) if is_short(own[0]) else (),
        training_accuracy=training_accuracy,
        look_learnt=look_learnt,
    )


def is_short(*columns: Sequence[Any]) -> bool:
    """Whether there is memory and patience to look at all texts."""
    return sum(len(text) for texts in columns for text in texts) <= MOST_CHARACTERS


def twins_within(texts: Sequence[Any], parts: Sequence[Part], threads: int = 0) -> list[int]:
    """Places, in the order in which parts are judged, of texts that nearly stand in what their part learnt from."""
    if not is_short(texts):
        return []
    group = np.full(len(texts), -1)
    for number, places in enumerate(groups(list(texts), threads=threads)):
        group[list(places)] = number
    judged = np.sort(np.concatenate([part.test for part in parts]))
    found = [part.test[_are_in(group[part.test], group[part.train])] for part in parts]
    return [int(place) for place in np.searchsorted(judged, np.sort(np.concatenate(found)))]


def _are_in(some: Places, others: Places) -> npt.NDArray[np.bool_]:
    return np.asarray((some >= 0) & np.isin(some, others))


def twins_left_out(texts: Sequence[Any], threads: int = 0) -> list[int]:
    """The same of leave-one-out: texts that nearly stand there twice."""
    return sorted(i for places in groups(list(texts), threads=threads) for i in places) if is_short(texts) else []


def twins_beside(learnt: Sequence[Any], texts: Sequence[Any], threads: int = 0) -> list[int]:
    """The same of texts that were kept apart."""
    if not is_short(learnt, texts):
        return []
    return [twin.place for twin in between(list(learnt), list(texts), threads=threads)]
