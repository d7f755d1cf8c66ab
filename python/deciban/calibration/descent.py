"""A smooth function and its slope -> where it is least: limited-memory BFGS (Nocedal and Wright 2006, 7.4).

The projected gradients of `fitting/committee`, which heed signs, too, would take three times as many steps here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
REMEMBERED = 10
STEPS = 100
NEAR = 1e-5  # of the value: a step that gains no more is the last


def least(of: Callable[[Floats], tuple[float, Floats]], start: Floats) -> Floats:
    """Where the function is least, from a start that is not too far.

    >>> least(lambda v: (float((v - 3) @ (v - 3)), 2 * (v - 3)), np.zeros(2)).round(4).tolist()
    [3.0, 3.0]
    """
    v = start
    value, slope = of(v)
    past: deque[tuple[Floats, Floats]] = deque(maxlen=REMEMBERED)
    for _ in range(STEPS):
        way = -_turned(slope, past)
        falls = float(slope @ way)
        share = 1.0 if past else min(1.0, 1.0 / max(float(np.abs(slope).max()), 1e-12))
        while not (found := of(v + share * way))[0] <= value + 1e-4 * share * falls and share > 1e-8:
            share /= 2
        moved, turn, gain = share * way, found[1] - slope, value - found[0]
        if not gain >= 0:
            break
        if moved @ turn > 1e-12:
            past.append((moved, turn))
        v, (value, slope) = v + moved, found
        if gain <= NEAR * max(1.0, abs(value)):
            break
    return v


def _turned(slope: Floats, past: deque[tuple[Floats, Floats]]) -> Floats:
    """The slope times what is known of the inverse of the curvature, by two loops over the past steps."""
    way, shares = slope.copy(), []
    for moved, turn in reversed(past):
        shares.append(float(moved @ way) / float(moved @ turn))
        way -= shares[-1] * turn
    if past:
        moved, turn = past[-1]
        way *= float(moved @ turn) / float(turn @ turn)
    for moved, turn in past:
        way += moved * (shares.pop() - float(turn @ way) / float(moved @ turn))
    return way
