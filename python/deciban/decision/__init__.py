"""Scores -> posterior probabilities -> a label; `ranking` orders texts by how likely they are of one.

Bayes' rule (Aggarwal 5.12, Zhu 3-6, Rush, Stone), in log space and safe from overflow (Rush):

    p(y|x) = p(x|y) p(y) / p(x)
    log p(y|x) = z_y - log sum_y' exp(z_y'), computed as z_y - M - log sum exp(z_y' - M) with M the greatest

The core computes it (decision.rs), so that `deciban predict`, which cannot wait for NumPy, has the same from there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _core

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


def log_odds(scores: Floats, one: int, other: int | None = None) -> Floats:
    """f(x) = log p(one|x) - log p(other|x) of each row of scores (Zhu 16); other than None are all others together.

    Never by way of 1 - p, which is 0 long before the odds end:

    >>> log_odds(np.array([[0.0, -70.0, -90.0], [0.0, -700.0, -900.0]]), 0)
    array([ 70., 700.])
    >>> log_odds(np.array([[0.0, -70.0, -90.0]]), 2, 1)
    array([-20.])

    Where neither can have the text, all scores minus infinity, nothing tells the labels apart:

    >>> log_odds(np.full((1, 2), -np.inf), 0)
    array([0.])
    """
    others = scores[:, [other]] if other is not None else np.delete(scores, one, axis=1)
    against = np.logaddexp.reduce(others, axis=1)
    neither = np.isneginf(scores[:, one]) & np.isneginf(against)
    return np.where(neither, np.log(1 / others.shape[1]), scores[:, one] - np.where(neither, 0.0, against))


def log_odds_of_all(scores: Floats) -> Floats:
    """The same of every label against all others together, in time that grows with the labels, not their square.

    >>> log_odds_of_all(np.array([[0.0, -70.0, -90.0]])).round(1).tolist()
    [[70.0, -70.0, -90.0]]
    """
    log_p = log_posterior(scores)
    with np.errstate(divide="ignore"):
        odds = log_p - np.log1p(-np.exp(log_p))
    # Only of the greatest can 1 - p be lost; the others are at most 1/2.
    odds[np.arange(len(odds)), scores.argmax(axis=1)] = log_odds_of_greatest(scores)
    return np.asarray(odds)


def log_odds_of_greatest(scores: Floats) -> Floats:
    """The same of each row's greatest score; infinite where it is the only one."""
    greatest = scores.max(axis=1, keepdims=True)
    impossible = np.isneginf(greatest)
    others = scores - np.where(impossible, 0.0, greatest)
    others[np.arange(len(others)), scores.argmax(axis=1)] = -np.inf
    next_ = np.maximum(others.max(axis=1, keepdims=True), -1e300)
    others -= next_
    with np.errstate(divide="ignore"):
        odds = -(next_[:, 0] + np.log(np.exp(others, out=others).sum(axis=1)))
    return np.asarray(np.where(impossible[:, 0], -np.log(max(scores.shape[1] - 1, 1)), odds))


def most_probable(scores: Floats) -> npt.NDArray[np.intp]:
    """The number of the label with the greatest score; of equal ones the first in order."""
    return np.asarray(scores.argmax(axis=-1))
