"""Counts -> scorecard in closed form: one module a model.

Each module has `weigh`, from counts to a scorecard, and `leave_one_out`, the scores that each training document would
get from a scorecard weighed without it. `MODELS` has them all. `weigh` and `leave_one_out` here choose as settings say.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..scorecard import Scorecard
from ..settings import Settings
from ..smoothing import SMOOTHINGS
from . import multinomial

MODELS: dict[str, ModuleType] = {"multinomial": multinomial}

__all__ = ["MODELS", "leave_one_out", "weigh"]


def weigh(counts: Counts, settings: Settings) -> Scorecard:
    """The scorecard of some counts."""
    card: Scorecard = MODELS[settings.model].weigh(counts, **_chosen(settings))
    return card


def leave_one_out(counts: Counts, rows: Rows, y: npt.NDArray[np.int64], settings: Settings) -> npt.NDArray[np.float64]:
    """The scores of each row, of label y[i] and one of those counted, by a scorecard weighed without it."""
    scores: npt.NDArray[np.float64] = MODELS[settings.model].leave_one_out(counts, rows, y, **_chosen(settings))
    return scores


def _chosen(settings: Settings) -> dict[str, Any]:
    smoothing = SMOOTHINGS[settings.smoothing](float(settings.alpha))
    return {"smoothing": smoothing, "beta": float(settings.prior_smoothing), "binary": settings.binary}
