"""Counts -> probabilities that are never zero.

Symbols: nu(j, r) how often term j occurs under label r; d the size of the lexicon; n_r the documents of label r, n all
of them, k the number of labels; gamma and beta the strength of smoothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Laplace:
    """q_jr = (nu(j, r) + gamma) / (sum_j nu(j, r) + gamma d)   (Aggarwal 5.21; Rush: F + alpha).

    Kept as numerator and denominator: the first moves with a term, the second with a label.

    >>> laplace = Laplace(gamma=1.0)
    >>> q = np.exp(laplace.log_numerator(np.array([3, 1, 0])) - laplace.log_denominator(np.array(4), np.array(3)))
    >>> q.round(4).tolist(), round(float(q.sum()), 12)
    ([0.5714, 0.2857, 0.1429], 1.0)
    """

    gamma: float

    def log_numerator(self, nu: Integers) -> Floats:
        most = int(nu.max(initial=0))
        if most < nu.size:  # counts repeat: a logarithm for each that there can be, and a look for each that there is
            return np.asarray(np.log(np.arange(most + 1) + self.gamma)[nu])
        return np.asarray(np.log(nu + self.gamma))

    def log_denominator(self, nu_sum: Integers, d: Integers) -> Floats:
        mass = nu_sum + self.gamma * d
        return np.asarray(np.log(np.where(mass > 0, mass, 1.0)))  # an empty lexicon has nothing to divide


SMOOTHINGS: dict[str, Callable[[float], Laplace]] = {"laplace": Laplace}


def log_prior(n_r: Integers, beta: float) -> Floats:
    """log of alpha_r = (n_r + beta) / (n + k beta)   (Aggarwal 5.15; 5.14 and Zhu 14 where beta is 0).

    Labels along the last axis. One without documents is not there: it counts for nothing in k, and its prior is zero.

    >>> np.exp(log_prior(np.array([3, 1]), beta=0.0)), np.exp(log_prior(np.array([3, 1]), beta=1.0)).round(3)
    (array([0.75, 0.25]), array([0.667, 0.333]))
    """
    there = n_r > 0
    n, k = n_r.sum(axis=-1, keepdims=True), there.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.where(there, n_r + beta, 0.0)) - np.log(n + k * beta))
