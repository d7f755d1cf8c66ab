"""Decisions of texts that were left out -> the factor of all decisions, as a calibration.

Minimised is the log loss of all decisions on the ways of true labels, over t and a few a: the factor of `calibration`
without its spread. What is known for sets of labels follows from the same texts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..calibration import Calibration
from ..counts import Counts
from ..decision.sets import conformal
from ..rows import Rows
from ..settings import Settings
from .descent import Decisions, decided, decided_by, leave_one_out
from .sums import Integers, summed

Floats = npt.NDArray[np.float64]
MOST_SCORES = 1 << 21
POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a text's length
STEEPNESS = (-6.0, 3.0)  # t, where a is 0
DIGITS = 4


def calibrate(counts: Counts, rows: Rows, y: Integers, settings: Settings) -> Calibration:
    """What makes the decisions honest; "none" where it was not asked for, or does not help."""
    asked = settings.calibration != "none"
    found = gathered(counts, rows, y, settings) if asked else None
    t, a = (0.0, 0.0) if found is None else _least(found)
    raw, loss = (0.0 if found is None else float(found.losses(*of).sum()) / len(y) for of in ((0.0, 0.0), (t, a)))
    method = "temperature" if loss < raw else "none"
    made = Calibration(method, counts.labels, np.array([t, a, 0.0]) if loss < raw else np.zeros(3))
    log_p = leave_one_out(counts, rows, y, settings, made)
    p_true = np.exp(log_p[np.arange(len(y)), y])
    known = np.diff(rows.indptr).astype(np.float64)
    seen = conformal(p_true, y, len(counts.labels), known)
    worth = {"texts": len(y), "raw": round(raw, DIGITS), "loss": round(min(loss, raw), DIGITS)}
    return Calibration(method, counts.labels, made.temper, **worth, conformal=seen)  # type: ignore[arg-type]


def gathered(counts: Counts, rows: Rows, y: Integers, settings: Settings) -> Decisions | None:
    """All decisions of some texts on the ways of their labels, of those whose label others have, too; or None."""
    sums = summed(counts, decided_by(counts.labels, settings))
    parts, knowns, owns, total = [], [], [], 0
    for _, _, own, scores, known in decided(sums, rows, y, settings):
        fine = np.isfinite(scores[np.arange(len(own)), own]) & (known > 0)
        if total + scores[fine].size > MOST_SCORES:
            continue
        total += scores[fine].size
        parts.append(scores[fine])
        owns.append(own[fine])
        knowns.append(known[fine])
    if not total:
        return None
    sizes = np.concatenate([np.full(len(part), part.shape[1]) for part in parts])
    start = np.cumsum(sizes) - sizes
    flat = np.concatenate([part.ravel() for part in parts])
    return Decisions(np.maximum(flat, -1e300), start, start + np.concatenate(owns), np.concatenate(knowns))


def _least(found: Decisions) -> tuple[float, float]:
    """t and a, of the least loss: for each a, t by golden section."""
    middle = float(np.log(found.known).mean())
    tried = []
    for a in POWERS:
        low, high = (end + a * middle for end in STEEPNESS)
        for _ in range(24):
            left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
            low, high = (low, right) if found.losses(left, a).sum() < found.losses(right, a).sum() else (left, high)
        t = round((low + high) / 2, DIGITS)
        tried.append((float(found.losses(t, a).sum()), t, a))
    _, t, a = min(tried)
    return t, a
