"""Counts -> scorecard in closed form: one module a model.

Each module has `weigh`, from counts to a scorecard, and `leave_one_out`, the scores that each training document would
get from a scorecard weighed without it. `MODELS` names them all.
"""

from __future__ import annotations

from types import ModuleType

from . import multinomial

MODELS: dict[str, ModuleType] = {"multinomial": multinomial}

__all__ = ["MODELS"]
