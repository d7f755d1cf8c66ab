"""Scores of texts that were held out, with the labels that those have -> how to decide, and what to expect of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..evaluation import multilabel
from .deciding import Deciding, Line, decide, promised
from .folds import by_rarest

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
FOLDS = 5


class HeldOut(NamedTuple):
    """Scores (a row a text, a column a label), which labels texts have, and the line that makes log-odds of scores."""

    z: Floats
    has: Bools
    line: Line

    def decided(self, thresholds: str) -> Deciding:
        """From where on a text has a label."""
        return decide(self.z, self.has, thresholds, self.line)

    def promised(self, thresholds: str) -> dict[str, Any]:
        """What to expect of that on other texts: of each fold of these, by thresholds that the other folds choose."""
        said = promised(self.line.odds(self.z), self.has, by_rarest(self.has, FOLDS), thresholds)
        return {
            "micro_f1": multilabel.f1(self.has, said),
            "macro_f1": multilabel.f1(self.has, said, "macro"),
            "cardinality": float(said.sum(axis=1).mean()),
        }
