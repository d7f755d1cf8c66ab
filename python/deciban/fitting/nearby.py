"""What rows cost, and the least of it near weights that were there before, in plain NumPy: by accelerated gradients.

    |v|^2 / 2  +  sum_j a_j |v_j|  +  sum_i cost_i l(s_i + X_i (v scale))

The s_i are what rows score at v = 0: the core's solvers, which are faster, have no place for them. Losses l are those
of `solvers`, but for the multiclass hinge, which has not a slope everywhere: it is the sum of squares here, of all
labels that come too near, sum_r max(0, 1 + s_r - s_y)^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .seen import Seen

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
JOINT = ("softmax", "multiclass_hinge")  # of all labels at once
STEEPEST = {"softmax": 0.25, "logistic": 0.25, "squared_hinge": 2.0, "multiclass_hinge": 2.0}
STEPS = 500
TOLERANCE = 1e-3  # of the objective


class Lost(NamedTuple):
    """The loss of each row; its slope and its curvature in each output's score (rows x outputs)."""

    loss: Floats
    slope: Floats
    curvature: Floats


def lost(loss: str, scores: Floats, truth: npt.NDArray[np.bool_]) -> Lost:
    """What rows lose that have such scores, and whose truth is of such outputs (rows x outputs).

    >>> found = lost("squared_hinge", np.array([[0.5, -2.0]]), np.array([[True, False]]))
    >>> found.loss.tolist(), found.slope.tolist(), found.curvature.tolist()
    ([0.25], [[-1.0, 0.0]], [[2.0, 0.0]])
    """
    if loss == "softmax":
        log_p = scores - scores.max(axis=1, keepdims=True)
        log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
        p = np.exp(log_p)
        return Lost(-log_p[truth], p - truth, p * (1 - p))
    if loss == "multiclass_hinge":
        over = np.where(truth, 0.0, np.maximum(1 + scores - scores[truth][:, None], 0.0))
        slope = 2 * (over - truth * over.sum(axis=1, keepdims=True))
        near = np.where(over > 0, 2.0, 0.0)
        curvature = np.where(truth, near.sum(axis=1, keepdims=True), near)
        return Lost((over**2).sum(axis=1), slope, curvature)
    sign = np.where(truth, 1.0, -1.0)
    if loss == "logistic":
        p = 1 / (1 + np.exp(np.minimum(sign * scores, 500.0)))
        return Lost(np.logaddexp(0, -sign * scores).sum(axis=1), -sign * p, p * (1 - p))
    behind = np.maximum(1 - sign * scores, 0.0)
    return Lost((behind**2).sum(axis=1), -2 * sign * behind, np.where(behind > 0, 2.0, 0.0))


@dataclass(frozen=True, eq=False)
class Problem:
    """What is minimised over v: of each output (rows of `scale`) a number for each term, and the bias.

    `l1` are the a_j, or None where all are zero.
    """

    loss: str
    rows: Seen
    truth: npt.NDArray[np.bool_]
    cost: Floats
    start: Floats
    scale: Floats
    l1: Floats | None

    def least(self) -> Floats:
        """The v where it is least, nearly (Beck and Teboulle 2009; O'Donoghue and Candes 2015)."""
        v = z = np.zeros_like(self.scale)
        of_v = of_z = self.start  # scores: linear in v, so that those of z take no rows
        speed, steep = 1.0, 1.0
        for _ in range(STEPS):
            loss, slope = self._slope(z, of_z)
            while True:
                at = self._shrunk(z - slope / steep, steep)
                of_at, way = self.start + self._scores(at), at - z
                bound = loss + np.vdot(slope, way) + steep / 2 * np.vdot(way, way)
                if self._loss(at, of_at) <= bound + 1e-12 * abs(bound):
                    break
                steep *= 2
            if np.vdot(way, at - v) < 0:  # it has gone too far
                speed = 1.0
            faster = (1 + np.sqrt(1 + 4 * speed * speed)) / 2
            on = (speed - 1) / faster
            z, of_z = at + on * (at - v), of_at + on * (of_at - of_v)
            v, of_v, speed = at, of_at, faster
            if steep * steep * np.vdot(way, way) / 2 <= TOLERANCE * loss:  # it can be lower by no more
                break
        return v

    def _shrunk(self, v: Floats, steep: float) -> Floats:
        if self.l1 is None:
            return v
        return np.asarray(np.sign(v) * np.maximum(np.abs(v) - self.l1 / steep, 0.0))

    def _loss(self, v: Floats, scores: Floats) -> float:
        return float(self.cost @ lost(self.loss, scores, self.truth).loss + np.vdot(v, v) / 2)

    def _slope(self, v: Floats, scores: Floats) -> tuple[float, Floats]:
        found = lost(self.loss, scores, self.truth)
        slope = self.scale.copy()
        for of_output, by_row in zip(slope, np.ascontiguousarray((found.slope * self.cost[:, None]).T), strict=True):
            of_output *= self._back(by_row)
        slope += v
        return float(self.cost @ found.loss + np.vdot(v, v) / 2), slope

    def _scores(self, v: Floats) -> Floats:
        """X (v scale), with the bias: rows x outputs."""
        scores = np.empty((len(v), len(self.rows)))
        for of_output, each, scale in zip(scores, v, self.scale, strict=True):
            w = each * scale
            of_output[:] = np.bincount(self.rows.row, self._value * w[self.rows.column], len(self.rows)) + w[-1]
        return scores.T

    def _back(self, by_row: Floats) -> Floats:
        """X' of what rows have, with the bias."""
        row, value = self._by_term
        return np.append(np.add.reduceat(value * by_row[row], self._starts), by_row.sum())

    @cached_property
    def _value(self) -> Floats:
        return self.rows.value.astype(np.float64)

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        return np.argsort(self.rows.column, kind="stable")

    @cached_property
    def _by_term(self) -> tuple[Integers, Floats]:
        """The row and the value of each entry, in the order of terms."""
        return self.rows.row[self._order], self._value[self._order]

    @cached_property
    def _starts(self) -> npt.NDArray[np.intp]:
        """Where the entries of each term begin: each has some."""
        return np.searchsorted(self.rows.column[self._order], np.arange(len(self.rows.terms)))
