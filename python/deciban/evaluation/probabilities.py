"""Whether probabilities are worth their name: log loss, Brier score, expected calibration error.

Held-out scores come in, of which the posterior p(y|x) is made; figures about it go out. With p_i the probability of the
true label of example i, y_i its indicator, c_i the probability of the predicted label, the greatest,

    log loss = - mean of log p_i, p_i cut to [eps, 1 - eps] with eps that of a float, as scikit-learn has it;
    Brier = mean of |p(.|x_i) - y_i|^2, from 0 to 2; of two labels half of that, from 0 to 1, as is usual;
    expected calibration error = sum over bins b of n_b / n |right_b - c_b|, where a bin has the examples with c_i in
        (b / 15, (b + 1) / 15], right_b is the share of them that is right, c_b the mean of c_i (Naeini et al. 2015).

A label that the model does not have has the probability 0. Of very many scores an even sample of the examples is taken.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..decision import log_posterior
from ..holdout import MOST_KEPT, HeldOut

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

BINS = 15
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Bin:
    """Examples whose answer was given a probability above `low`, up to `high`: its mean, and how many were right."""

    low: float
    high: float
    examples: int
    probability: float
    right: float


@dataclass(frozen=True)
class Probabilities:
    """Figures about the probabilities of so many examples; only bins that hold any."""

    examples: int
    log_loss: float
    brier: float
    calibration_error: float
    bins: tuple[Bin, ...]

    @property
    def calibration_noise(self) -> float:
        """The calibration error that honest probabilities would show on so many texts, on average: it is never 0.

        Of the n_b texts of a bin with mean p, the share that is right is off by sqrt(2 p (1 - p) / (pi n_b)).
        """
        off = (math.sqrt(of.examples * 2 * of.probability * (1 - of.probability) / math.pi) for of in self.bins)
        return math.fsum(off) / self.examples

    def as_dict(self) -> dict[str, Any]:
        """The same, for machines."""
        return asdict(self)


def probabilities(held: HeldOut) -> Probabilities:
    """Figures about held-out probabilities.

    >>> held = HeldOut(("ham", "spam"), ["ham", "spam"], np.log([[0.9, 0.1], [0.6, 0.4]]))
    >>> found = probabilities(held)
    >>> round(found.log_loss, 4), round(found.brier, 4), round(found.calibration_error, 4)
    (0.5108, 0.185, 0.35)
    """
    places = some_of(held)
    number = {label: r for r, label in enumerate(held.labels)}
    true = np.array([number.get(held.truth[i], -1) for i in places.tolist()])
    parts, start = [], 0
    for scores in held.scores_of(places):
        parts.append(_of_rows(scores, true[start : start + len(scores)]))
        start += len(scores)
    p_true, squares, greatest, right = np.concatenate(parts, axis=1)
    bins = reliability(greatest, right)
    return Probabilities(
        examples=len(places),
        log_loss=float(-np.log(np.clip(p_true, EPSILON, 1 - EPSILON)).mean()),
        brier=float((1 - 2 * p_true + squares).mean()) / (2 if len(held.labels) == 2 else 1),
        calibration_error=calibration_error(bins),
        bins=bins,
    )


def some_of(held: HeldOut, most: int = MOST_KEPT) -> Integers:
    """The places of all examples; where they have more scores than that, of some of them, evenly."""
    n = len(held.truth)
    return np.unique(np.linspace(0, n - 1, min(n, max(most // max(len(held.labels), 1), 1))).astype(np.int64))


def _of_rows(scores: Floats, true: Integers) -> Floats:
    """Of each row: the true label's probability, the sum of all squares, the greatest, and whether that is right."""
    p = np.exp(log_posterior(scores))
    rows = np.arange(len(p))
    said = p.argmax(axis=1)
    return np.stack([np.where(true < 0, 0.0, p[rows, true]), (p * p).sum(axis=1), p[rows, said], said == true])


def reliability(probability: Floats, right: Floats) -> tuple[Bin, ...]:
    """Examples by the probability of their answer: 15 bins, equally wide; those that hold any."""
    # As scikit-learn's calibration_curve: an example on an edge belongs to the bin below.
    number = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], probability)
    n = np.bincount(number, minlength=BINS)
    means = (np.bincount(number, of, BINS) / np.maximum(n, 1) for of in (probability, right))
    rows = zip(n.tolist(), *(mean.tolist() for mean in means), strict=True)
    return tuple(Bin(b / BINS, (b + 1) / BINS, *row) for b, row in enumerate(rows) if row[0])


def calibration_error(bins: tuple[Bin, ...]) -> float:
    """The mean distance between what probabilities promise and what comes true."""
    n = sum(of.examples for of in bins)
    return sum(of.examples * abs(of.right - of.probability) for of in bins) / n
