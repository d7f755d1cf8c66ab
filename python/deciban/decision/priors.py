"""Posterior probabilities of unlabelled texts -> how frequent labels are among them, and the posteriors for that mix.

A model has learnt from texts with some mix of labels, pi_r. If new texts of a label are like old ones of it, but labels
are otherwise frequent, pi'_r, then (Saerens, Latinne and Decaestecker 2002)

    p'_i(r) ~ p_i(r) pi'_r / pi_r                                                             their equation 2.4
    pi'_r = mean over i of p'_i(r)                                                            2.9: E and M step

Expectation-maximisation climbs to the pi' that make the texts most likely. Twice the logarithm of how much more likely
than with pi is distributed as chi-square, k - 1 degrees of freedom, where the mix is the old one (their section 3.3):
a mix that chance explains is left as it was. It all rests on honest probabilities, so on calibrated ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..terms import check_choice

Floats = npt.NDArray[np.float64]
PRIORS = ("model", "adapt")
STEPS = 1000
NEAR = 1e-9  # of the log likelihood of a text: a step that gains no more is the last
LEAST = 1e-12
Z = 3.719016  # one in ten thousand


def check_priors(given: str) -> str:
    """What is known of priors: as the model has them, or adapted."""
    check_choice("priors", given, PRIORS)
    return given


@dataclass(frozen=True, eq=False)
class Mix:
    """How frequent labels are: in training (`before`) and among new texts (`now`); how surely that is another mix."""

    before: Floats
    now: Floats
    gain: float
    texts: int

    @property
    def distance(self) -> float:
        """Half of the sum of |pi'_r - pi_r|: the share of texts that would need another label."""
        return float(np.abs(self.now - self.before).sum() / 2)

    @property
    def is_other(self) -> bool:
        """Whether it is another mix than in training: 2 gain is beyond what chance explains."""
        return 2 * self.gain > chi_square(len(self.before) - 1)

    @property
    def priors(self) -> Floats:
        """How frequent to take labels to be from now on: as they are now, none impossible; as before, by chance."""
        some = np.maximum(self.now, LEAST) if self.is_other else self.before
        return np.asarray(some / some.sum())

    @property
    def shift(self) -> Floats:
        """What is added to log posteriors, up to a constant: nothing where the mix is the old one."""
        if not self.is_other:
            return np.zeros_like(self.now)
        return np.asarray(np.log(np.maximum(self.now, LEAST)) - np.log(np.maximum(self.before, LEAST)))


def mix(log_p: Floats, before: Floats) -> Mix:
    """The mix of labels of texts with such log posteriors (rows), by a model that has learnt the mix `before`.

    >>> log_p = np.log([[0.9, 0.1]] * 90 + [[0.2, 0.8]] * 10)
    >>> found = mix(log_p, np.array([0.5, 0.5]))
    >>> found.now.round(2).tolist(), found.is_other
    ([1.0, 0.0], True)
    """
    before = np.maximum(before / before.sum(), LEAST)
    ratio = np.exp(log_p - log_p.max(axis=1, keepdims=True)) / before
    now, likely = before, _likelihood(ratio, before)
    first = likely
    for _ in range(STEPS):
        joint = ratio * now
        now = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
        gained = _likelihood(ratio, now) - likely
        likely += gained
        if gained <= NEAR * len(ratio):
            break
    return Mix(before, now, likely - first, len(ratio))


def _likelihood(ratio: Floats, now: Floats) -> float:
    return float(np.log(np.maximum(ratio @ now, 1e-300)).sum())


def chi_square(degrees: int) -> float:
    """What chi-square exceeds once in ten thousand times (Wilson and Hilferty 1931), or a little more.

    >>> round(chi_square(1), 1), round(chi_square(10), 1)
    (16.2, 36.0)
    """
    if degrees < 1:
        return math.inf
    part = 2 / (9 * degrees)
    return float(degrees * (1 - part + Z * math.sqrt(part)) ** 3)
