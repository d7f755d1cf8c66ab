"""Nats, decibans, odds.

Inside, all weights are nats: natural logarithms of odds factors. People are shown decibans, ten times the logarithm to
the base ten: 10 decibans make odds ten times longer, and one is about the least change of belief that a person notices.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

DECIBANS_PER_NAT = 10 / math.log(10)

Number = TypeVar("Number", float, npt.NDArray[np.float64])


def decibans(nats: Number) -> Number:
    """Nats as decibans.

    >>> round(decibans(math.log(100)), 12)
    20.0
    """
    return nats * DECIBANS_PER_NAT


def odds(decibans: float) -> str:
    """The odds that a weight of evidence stands for, in words.

    >>> odds(0.0), odds(20.0), odds(-3.0), odds(95.0)
    ('even', '100 to 1', '1 to 2.0', 'over a million to 1')
    """
    factor = 10 ** (min(abs(decibans), 70.0) / 10)
    exact = f"{factor:,.0f}" if factor >= 10 else f"{factor:.1f}"
    shown = exact if factor <= 1e6 else "over a million"
    if shown == "1.0":
        return "even"
    return f"{shown} to 1" if decibans > 0 else f"1 to {shown}"
