"""Log-count ratios from counts, and weights with and without them: what the core does of rows (`solvers`), and back.

    r_jr = log((P_j + alpha) / |P + alpha|) - log((Q_j + alpha) / |Q + alpha|)
    W_jr = r_jr ((1 - beta) mean_j |w_jr| + beta w_jr)

where P_j documents of label r have term j, and Q_j of the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..selection.weights import ratios

__all__ = ["as_fitted", "interpolated", "ratios"]

Floats = npt.NDArray[np.float64]
NEWTON = 50
LEAST = 1e-6  # a ratio that is nearer to zero tells no weight


def interpolated(w: Floats, ratio: Floats, beta: float) -> Floats:
    """W of w."""
    return np.asarray(ratio * ((1 - beta) * np.abs(w).sum(axis=0) / max(len(w), 1) + beta * w))


def as_fitted(weights: Floats, ratio: Floats, beta: float) -> Floats:
    """w of W; where there is no telling, because the ratio is zero or beta is, as others are on the whole.

    The mean size of w is the least m with m = mean |W / r - (1 - beta) m| / beta, which Newton's steps climb to; they
    stop where most weights go against their ratios, of which there may be any number of m.

    >>> ratio, w = np.array([[-1.0], [0.5], [2.0]]), np.array([[0.3], [0.1], [-0.1]])
    >>> as_fitted(interpolated(w, ratio, 0.25), ratio, 0.25).round(6).ravel().tolist()
    [0.3, 0.1, -0.1]
    """
    tells = np.abs(ratio) > LEAST
    many = np.maximum(tells.sum(axis=0), 1)
    share = np.divide(weights, ratio, out=np.zeros_like(weights), where=tells)
    size = np.zeros(weights.shape[1])
    for _ in range(NEWTON if beta > 0 else 0):
        w = np.where(tells, (share - (1 - beta) * size) / beta, 0.0)
        slope = 1 + (1 - beta) / beta * np.sign(w).sum(axis=0) / many
        size += np.where(slope > 0, (np.abs(w).sum(axis=0) / many - size) / np.where(slope > 0, slope, 1.0), 0.0)
    w = np.where(tells, (share - (1 - beta) * size) / beta if beta > 0 else share, 0.0)
    return np.where(tells, w, w.sum(axis=0) / many)
