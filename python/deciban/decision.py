"""Scores -> posterior probabilities -> a label.

Bayes' rule (Aggarwal 5.12, Zhu 3-6, Rush, Stone), in log space and safe from overflow (Rush):

    p(y|x) = p(x|y) p(y) / p(x)
    log p(y|x) = z_y - log sum_y' exp(z_y'), computed as z_y - M - log sum exp(z_y' - M) with M the greatest

The core computes it (decision.rs), so that `deciban predict`, which cannot wait for NumPy, has the same from there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _core

Floats = npt.NDArray[np.float64]


def log_posterior(scores: npt.ArrayLike) -> Floats:
    """Log probabilities of the labels, along the last axis; of any numbers.

    >>> np.exp(log_posterior(np.array([[-1000.0, -1000.0], [0.0, -np.inf]]))).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    scores = np.ascontiguousarray(scores, np.float64)
    return _core.log_posterior(scores, scores.shape[-1]).reshape(scores.shape)


def posterior(scores: npt.ArrayLike) -> Floats:
    """Probabilities of the labels, along the last axis."""
    return np.exp(log_posterior(scores))


def most_probable(scores: Floats) -> npt.NDArray[np.intp]:
    """The number of the label with the greatest score; of equal ones the first in order."""
    return np.asarray(scores.argmax(axis=-1))
