"""Scores of examples that the scorecard has not seen.

Whatever is said of how good a model is comes from here: scores by leave-one-out, or of a file that was kept apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .decision import most_probable, posterior

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out scores beside the truth.

    `truth` may hold labels that the model does not have: no score is theirs, so they count as mistakes.

    >>> held = HeldOut(("ham", "spam"), ["ham", "spam", "eggs"], np.log([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]))
    >>> held.predicted, round(held.accuracy, 3)
    (['ham', 'ham', 'spam'], 0.333)
    """

    labels: tuple[str, ...]
    truth: list[str]
    scores: Floats

    @cached_property
    def predicted(self) -> list[str]:
        """The predicted label of each example."""
        return [self.labels[i] for i in most_probable(self.scores)]

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
