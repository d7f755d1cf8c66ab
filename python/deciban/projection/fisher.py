"""Rows and labels -> Fisher's linear discriminant: directions in which labels are far apart (Aggarwal 5.2.7, 6.2.3).

With the mean m_r of each label's rows, its share pi_r, and m that of all rows,

    S_w = sum_r pi_r cov(x | r),     S_b = sum_r pi_r (m_r - m)(m_r - m)^T,     Sigma = (1 - s) S_w + s tr(S_w) / d I

a direction w maximises w . S_b w / w . Sigma w: there are at most k - 1, all in the span of Sigma^-1 (m_r - m). Alone,
with a normal distribution of covariance Sigma around each mean, it is a linear model:

    W_r = Sigma^-1 m_r,      b_r = log pi_r - m_r . W_r / 2

s is the `shrinkage`. Sigma, terms x terms, is never made: conjugate gradients ask for products with it alone, which are
sums over sparse rows. Rows count as much as they cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..fitting.members import Labelled, Linear
from .lsa import Matrix

Floats = npt.NDArray[np.float64]
SHRINKAGES = (0.1, 0.5, 0.9, 0.99)  # to choose from
NEAR = 1e-6  # of the right side: what is left when a system counts as solved
ROUGH = 1e-3  # the same, where shrinkages are only compared
STEPS = 1000
LEAST = 1e-6  # of the rows' squares: less scatter, where rows of a label are all alike, is rounding without an inverse


@dataclass(frozen=True, eq=False)
class Moments:
    """Means (labels x terms) and shares of labels; products with S_w, and its trace."""

    mean: Floats
    share: Floats
    within: Callable[[Floats], Floats]
    trace: float

    def sigma(self, v: Floats, shrinkage: float) -> Floats:
        """Sigma v, of some columns."""
        ridge = shrinkage * self.trace / self.mean.shape[1]
        return np.asarray((1 - shrinkage) * self.within(v) + ridge * v)


def moments(x: Matrix, of: Labelled) -> Moments:
    """The moments of rows that cost something."""
    from scipy.sparse import csr_matrix

    k, rows = of.labels, np.arange(len(of.y))
    heavy = np.bincount(of.y, of.cost, k)
    share = heavy / heavy.sum()
    sums = csr_matrix((of.cost, (of.y, rows)), shape=(k, len(rows))) @ x
    mean = sums.toarray() / np.maximum(heavy, 1e-300)[:, None]
    cost = of.cost / heavy.sum()
    squares = float(cost @ np.asarray(x.multiply(x).sum(axis=1)).ravel())
    transposed = x.T.tocsr()

    def within(v: Floats) -> Floats:
        return np.asarray(transposed @ (cost[:, None] * (x @ v)) - mean.T @ (share[:, None] * (mean @ v)))

    trace = squares - float(share @ (mean**2).sum(axis=1))
    return Moments(mean, share, within, max(trace, LEAST * squares, 1e-12))


def discriminant(of: Moments, shrinkage: float, near: float = NEAR) -> Linear:
    """The linear model of Sigma."""
    weights = solve(lambda v: of.sigma(v, shrinkage), of.mean.T, near)
    half = (of.mean.T * weights).sum(axis=0) / 2
    with np.errstate(divide="ignore"):
        prior = np.where(of.share > 0, np.log(of.share), -np.inf)
    least = prior[np.isfinite(prior)].min() - 100.0  # a label without rows cannot win
    return Linear(weights, np.where(np.isfinite(prior), prior, least) - half)


def directions(of: Moments, shrinkage: float) -> Floats:
    """The k - 1 directions, those that tell labels apart best first, each of length 1 by Sigma: terms x (k - 1)."""
    centred = (of.mean - of.share @ of.mean) * np.sqrt(of.share)[:, None]
    solved = solve(lambda v: of.sigma(v, shrinkage), centred.T)
    values, vectors = np.linalg.eigh(centred @ solved)
    order = np.argsort(-values)[: max(len(of.share) - 1, 1)]
    length = np.sqrt(np.maximum(values[order], 1e-300))
    return np.asarray(solved @ np.where(values[order] > 1e-12, vectors[:, order] / length, 0.0))


def solve(product: Callable[[Floats], Floats], right: Floats, near: float = NEAR) -> Floats:
    """The columns v with product(v) = right, by conjugate gradients, all of them side by side.

    >>> a = np.array([[4.0, 1.0], [1.0, 3.0]])
    >>> solve(lambda v: a @ v, np.array([[1.0], [2.0]])).round(4).tolist()
    [[0.0909], [0.6364]]
    """
    found, left = np.zeros_like(right), right.copy()
    way, size = left.copy(), (left**2).sum(axis=0)
    enough = near**2 * np.maximum(size, 1e-300)
    for _ in range(STEPS):
        if (size <= enough).all():
            break
        moved = product(way)
        step = size / np.maximum((way * moved).sum(axis=0), 1e-300)
        found, left = found + step * way, left - step * moved
        before, size = size, (left**2).sum(axis=0)
        way = left + size / np.maximum(before, 1e-300) * way
    return found
