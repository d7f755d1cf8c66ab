"""Held-out scores -> the numbers of a map of one kind, which make the true labels most likely.

Minimised is the log loss of all texts plus what holds few texts back from saying much,

    (t - t_0)^2/2 + 2 (a - 1/2)^2 + 2 g^2 + sum_r 0.05 (b_r - log p_r)^2 + sum_r strength (log s_r)^2/2
        + sum_qr strength M_qr^2/2

with p_r the share of label r among the texts, and t_0 as if f c were about 1. The unknowns are scaled by about the root
of their curvature, so that few steps do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import LEAST, NONE, STEEPEST, Calibration, Sample
from .descent import least

Floats = npt.NDArray[np.float64]
OF_SHIFTS = 0.1
OF_LENGTH, LENGTH = 4.0, 0.5  # of a, and what it is held to
DIGITS = 4  # what is beyond is the machine's: sums differ in their last bits
MOST_SPREAD = 0.9  # g: at 1, all texts would say as much


class How(NamedTuple):
    """A kind of map; how strongly slopes and what goes across labels are held back; whether the spread is asked."""

    method: str
    strength: float = 10.0
    has_spread: bool = True


@dataclass(eq=False)
class Problem:
    """What is minimised: a function of the unknowns, and its slope."""

    sample: Sample
    how: How
    log_prior: Floats
    log_share: Floats

    def __post_init__(self) -> None:
        scores, known, self.y = self.sample
        self.k, self.texts = scores.shape[1], np.arange(len(scores))
        self.has_shifts = self.how.method in ("platt", "dirichlet")
        evidence = scores - self.log_prior if self.has_shifts else scores
        # A row a label: NumPy adds up few long rows faster than many short ones.
        self.c = np.ascontiguousarray((evidence - evidence.mean(axis=1, keepdims=True)).T)
        spread = np.log(np.maximum(self.c.max(axis=0), LEAST))
        logs = np.stack([-np.log(np.maximum(known, 1)), -spread if self.how.has_spread else np.zeros(len(known))], 1)
        self.middle = logs.mean(axis=0)
        self.features = np.column_stack([np.ones(len(logs)), logs - self.middle])
        self.usual = -float(np.log(max(self.c.std(), LEAST)))
        self.scale = np.sqrt(self._curvature())

    def _curvature(self) -> Floats:
        n = len(self.y)
        often = np.bincount(self.y, minlength=self.k).astype(np.float64)
        parts = [np.full(3, n / 4 + 1.0)]
        if self.has_shifts:
            parts += [0.3 * (often + 1) + OF_SHIFTS, often + self.how.strength]
        if self.how.method == "dirichlet":
            parts.append(np.tile(0.3 * (often + 1) + self.how.strength, self.k))
        return np.concatenate(parts)

    @property
    def start(self) -> Floats:
        """Where to begin: with the usual factor, and nothing of labels."""
        v = np.zeros(len(self.scale))
        v[:3] = self.usual, LENGTH, 0.0
        return v * self.scale

    def parts(self, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """t, a and g; b less what it is held to; the logarithms of s; M."""
        k = self.k
        matrix = v[3 + 2 * k :].reshape(-1, k)
        return v[:3], v[3 : 3 + k], v[3 + k : 3 + 2 * k], matrix

    def __call__(self, scaled: Floats) -> tuple[float, Floats]:
        temper, moved, log_slope, matrix = self.parts(scaled / self.scale)
        x = self.c * np.exp(np.clip(self.features @ temper, -STEEPEST, STEEPEST))
        mapped = x * np.exp(np.clip(log_slope, -STEEPEST, STEEPEST))[:, None] if self.has_shifts else x
        z = mapped + (self.log_share + moved)[:, None] if self.has_shifts else mapped.copy()
        if len(matrix):
            z += matrix.T @ x
        z -= z.max(axis=0)
        own = z[self.y, self.texts]
        p = np.exp(z, out=z)
        total = p.sum(axis=0)
        loss = float(np.log(total).sum() - own.sum())
        p /= total
        p[self.y, self.texts] -= 1.0
        held, slope = self._held_back(temper, moved, log_slope, matrix)
        by_slope = p * mapped
        along = by_slope.sum(axis=0)
        if len(matrix):
            along = along + ((matrix @ p) * x).sum(axis=0)
        slope[:3] += along @ self.features
        if self.has_shifts:
            k = self.k
            slope[3 : 3 + k] += p.sum(axis=1)
            slope[3 + k : 3 + 2 * k] += by_slope.sum(axis=1)
        if len(matrix):
            slope[3 + 2 * self.k :] += (x @ p.T).ravel()
        return loss + held, slope / self.scale

    def _held_back(self, temper: Floats, moved: Floats, log_slope: Floats, matrix: Floats) -> tuple[float, Floats]:
        t, (a, g) = temper[0] - self.usual, temper[1:]
        strength, flat = self.how.strength, matrix.ravel()
        own = t * t + OF_LENGTH * ((a - LENGTH) ** 2 + g * g)
        held = (own + OF_SHIFTS * moved @ moved + strength * (log_slope @ log_slope + flat @ flat)) / 2
        first = [t, OF_LENGTH * (a - LENGTH), OF_LENGTH * g]
        return float(held), np.concatenate([first, OF_SHIFTS * moved, strength * log_slope, strength * flat])


def unknowns(found: Calibration, sample: Sample, how: How, log_prior: Floats) -> Floats:
    """Where to begin a fit to such a sample that will come out near a map which there is already."""
    problem = Problem(sample, how, log_prior, log_prior)
    tempers = found.temper[:3].copy()
    tempers[0] += tempers[1:] @ problem.middle
    if not problem.has_shifts:
        return tempers
    return np.concatenate(
        [tempers, found.shift - log_prior, np.log(np.maximum(found.slope, 10.0**-DIGITS)), found.matrix]
    )


def fit(
    sample: Sample, how: How, labels: tuple[str, ...], log_prior: Floats, log_share: Floats, start: Floats | None = None
) -> tuple[Calibration, Floats]:
    """The map of one kind that suits the sample, and the unknowns that were found, for a fit that is near to begin at.

    `log_share` is how frequent labels are where the sample comes from. Where a prior was asked for that is another, the
    map is made for the labels as they are, and then given that prior.
    """
    problem = Problem(sample, how, log_prior, log_share)
    found = least(problem, problem.start if start is None else start * problem.scale) / problem.scale
    temper, moved, log_slope, matrix = problem.parts(found)
    a, g = float(temper[1]), min(float(temper[2]), MOST_SPREAD) if how.has_spread else 0.0
    tempers = np.array([float(temper[0]) - float(np.array([a, g]) @ problem.middle), a, g])
    tempers = tempers.round(DIGITS)
    if not problem.has_shifts:
        return Calibration(how.method, labels, tempers), found
    across = matrix.ravel() if how.method == "dirichlet" else NONE
    shift, slope = (moved + log_prior).round(DIGITS), np.exp(log_slope).round(DIGITS)
    return Calibration(how.method, labels, tempers, log_prior, slope, shift, across.round(DIGITS)), found
