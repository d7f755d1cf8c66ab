"""Held-out log probabilities that a map has made -> how much more or less sure they should be, by how sure they are.

A map divides by how much a text seems to tell before labels have their own slopes and shifts, and there its errors
differ: what it calls 90 % may come true in 85 %, and what it calls 40 % in 45 %. Two numbers mend that,

    z'' = exp(u - h log max_r z'_r) z'        z' of mean zero over the labels

again one factor a text, so that evidence still adds up. They minimise the log loss of texts that the map was not made
of, plus (u^2 + 4 h^2) / 2, which holds few texts back.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import LEAST, STEEPEST, Sample
from .descent import least

Floats = npt.NDArray[np.float64]
OF_SPREAD = 4.0
MOST = 0.5  # of h, either way


def steepness(made: Sample) -> tuple[float, float]:
    """u and h, by scores that maps of other texts have made.

    >>> draw = np.random.default_rng(0)
    >>> z, honest = draw.normal(size=(2000, 3)), draw.gumbel(size=(2000, 3))
    >>> too_sure = Sample(2 * z, np.ones(2000), (z + honest).argmax(axis=1))
    >>> u, h = steepness(too_sure)
    >>> bool(0.3 < float(np.exp(u)) < 0.7 and abs(h) < 0.3)
    True
    """
    z = made.scores - made.scores.mean(axis=1, keepdims=True)
    rows, own = np.arange(len(z)), z[np.arange(len(z)), made.y]
    spread = np.log(np.maximum(z.max(axis=1), LEAST))
    middle = float(spread.mean())
    features = np.column_stack([np.ones(len(z)), middle - spread])
    held = np.array([1.0, OF_SPREAD])

    def loss(v: Floats) -> tuple[float, Floats]:
        factor = np.exp(np.clip(features @ v, -STEEPEST, STEEPEST))
        x = z * factor[:, None]
        p = np.exp(x - x.max(axis=1, keepdims=True))
        total = p.sum(axis=1)
        nats = np.log(total) - np.log(p[rows, made.y].clip(np.finfo(float).tiny))
        along = factor * ((p * z).sum(axis=1) / total - own)
        return float(nats.sum() + held @ (v * v) / 2), along @ features + held * v

    u, h = least(loss, np.zeros(2)).tolist()
    h = min(max(h, -MOST), MOST)
    return u + h * middle, h


def steepened(scores: Floats, u: float, h: float) -> Floats:
    """Scores (rows), each so much surer or less sure; a label that cannot be had stays so.

    >>> steepened(np.array([[1.0, -1.0, -np.inf]]), np.log(2), 0.0).tolist()
    [[2.0, -2.0, -inf]]
    """
    return np.asarray(scores * factors(scores, u, h)[:, None])


def factors(scores: Floats, u: float, h: float) -> Floats:
    """What the scores of each text are multiplied with."""
    can_be = np.isfinite(scores)
    mean = np.where(can_be, scores, 0.0).sum(axis=1) / np.maximum(can_be.sum(axis=1), 1)
    spread = np.maximum(scores.max(axis=1) - mean, LEAST)
    return np.asarray(np.exp(np.clip(u - h * np.log(spread), -STEEPEST, STEEPEST)))
