"""Scores of examples that the scorecard has not seen.

Whatever is said of how good a model is comes from here: scores by leave-one-out, or of a file that was kept apart.
Those of very many labels are not kept, but made again, of some examples at a time, when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .decision import most_probable, posterior

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MOST_KEPT = 1 << 26  # scores: half a gigabyte
AT_ONCE = 1 << 22  # scores that are made at a time where they are not kept


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out scores beside the truth.

    `given` are all scores, one row an example and one column a label, or what makes them of some examples by their
    places; `answers` are the predicted labels, where they were had without. `truth` may hold labels that the model does
    not have: no score is theirs, so they count as mistakes. `known` is how many known terms each example has, where it
    was left out.

    >>> held = HeldOut(("ham", "spam"), ["ham", "spam", "eggs"], np.log([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]))
    >>> held.predicted, round(held.accuracy, 3)
    (['ham', 'ham', 'spam'], 0.333)
    """

    labels: tuple[str, ...]
    truth: list[str]
    given: Floats | Callable[[Integers], Floats]
    answers: list[str] | None = None
    known: Floats | None = None

    @property
    def has_scores(self) -> bool:
        """Whether it has scores at all, rather than answers alone."""
        return not isinstance(self.given, np.ndarray) or self.given.shape[1] == len(self.labels)

    @cached_property
    def scores(self) -> Floats:
        """The score of each label (column) for each example (row), in nats: all of them, however many that are."""
        return self.given if isinstance(self.given, np.ndarray) else self.given(np.arange(len(self.truth)))

    def scores_of(self, places: Integers) -> Iterator[Floats]:
        """The scores of some examples, in order, as many at a time as memory bears."""
        step = max(AT_ONCE // max(len(self.labels), 1), 1)
        for start in range(0, len(places), step):
            some = places[start : start + step]
            yield self.given[some] if isinstance(self.given, np.ndarray) else self.given(some)

    @cached_property
    def predicted(self) -> list[str]:
        """The predicted label of each example."""
        if self.answers is not None:
            return self.answers
        places = np.arange(len(self.truth))
        return [self.labels[i] for scores in self.scores_of(places) for i in most_probable(scores)]

    @cached_property
    def proba(self) -> Floats:
        """The probability of each label (column) for each example (row)."""
        return posterior(self.scores)

    @property
    def accuracy(self) -> float:
        """The share of examples whose predicted label is the true one."""
        return sum(map(str.__eq__, self.predicted, self.truth)) / len(self.truth)

    def __repr__(self) -> str:
        return f"HeldOut({len(self.truth)} examples, accuracy {self.accuracy:.3f})"
