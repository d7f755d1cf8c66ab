"""Several linear models of the same texts, added up: each makes other mistakes.

    score_r = sum_m a_m (x_m W_m + b_m)_r + b_r,      a_m >= 0

The a_m and b_r are those of a multinomial logistic model of the members' scores of texts that they had not learnt from,
by folds: it minimises

    - sum_i c_i log p(y_i | i) + sum_m (s_m a_m - mean)^2 / 2 + sum_r b_r^2 / 2

where c_i is what text i costs, and s_m is the spread of a member's scores. A sum of linear models is one: the committee
ends as one scorecard, and members that no answer needs (a_m = 0) are not fit again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..scorecard import WORDS
from ..splits import folds_of as folds_of  # dealt as everywhere
from .members import Labelled, Linear, Member
from .seen import ACROSS, INSIDE, PAIRS, TITLES, Sight

Floats = npt.NDArray[np.float64]
STEPS = 300
NEAR = 1e-6  # of the objective: a step that gains no more is the last
MOST_SCORES = 1 << 19  # rows x labels to weigh members by: weights are few

FEWEST = 2  # half of all runs are in one text only, and say little of others
TF_IDF, PRESENCE = Sight(least=FEWEST), Sight(weighting="binary", idf=False, length_norm=False, least=FEWEST)
MEMBERS = (
    Member("words, naive Bayes", replace(PRESENCE, kinds=WORDS), "bayes", alpha=0.3),
    Member("words, hinge", replace(TF_IDF, kinds=WORDS | PAIRS), "squared_hinge"),
    Member("words, ratios, logistic", replace(TF_IDF, kinds=WORDS | PAIRS), "logistic", c=10.0, ratios=(0.3, 1.0)),
    Member("characters inside words, hinge", replace(TF_IDF, kinds=INSIDE), "squared_hinge"),
    Member("characters, ratios, logistic", replace(TF_IDF, kinds=ACROSS), "logistic", c=10.0, ratios=(0.3, 1.0)),
    Member("characters, naive Bayes", replace(PRESENCE, kinds=ACROSS), "bayes", alpha=0.01),
    Member("titles, ratios, logistic", replace(PRESENCE, kinds=TITLES), "logistic", ratios=(0.3, 1.0)),
)


class Weighted(NamedTuple):
    """How much each member counts, and what is added for each label; and the mean loss of held-out rows, in nats."""

    members: Floats
    bias: Floats
    loss: float


def weigh(scores: Sequence[Floats], of: Labelled) -> Weighted:
    """The weights of members that have given rows such scores (rows x labels)."""
    centred = [each - each.mean(axis=1, keepdims=True) for each in scores]
    spread = np.array([max(float(each.std()), 1e-12) for each in centred])
    if len(of.y) * of.labels > MOST_SCORES:  # drawn: labels may come in turns
        some = np.random.default_rng(0).permutation(len(of.y))[: max(1, MOST_SCORES // of.labels)]
        centred, of = [each[some] for each in centred], Labelled(of.y[some], of.labels, of.cost[some])
    z = [each / s for each, s in zip(centred, spread, strict=True)]
    start = np.concatenate([np.full(len(z), 2.0 / len(z)), np.zeros(of.labels)])
    found, loss = descend(lambda v: _objective(v, z, of), start, len(z))
    return Weighted(found[: len(z)] / spread, found[len(z) :], loss / float(of.cost.sum()))


def _objective(v: Floats, z: Sequence[Floats], of: Labelled) -> tuple[float, Floats]:
    """What is minimised, and its gradient."""
    a, b = v[: len(z)], v[len(z) :]
    scores = sum((a_m * z_m for a_m, z_m in zip(a, z, strict=True)), start=np.zeros_like(z[0])) + b
    scores -= scores.max(axis=1, keepdims=True)
    rows = np.arange(len(of.y))
    own = scores[rows, of.y]
    off = np.exp(scores, out=scores)
    total = off.sum(axis=1)
    off /= total[:, None]
    off[rows, of.y] -= 1.0
    off *= of.cost[:, None]
    away = a - a.mean()
    loss = of.cost @ (np.log(total) - own) + (away @ away + b @ b) / 2
    return float(loss), np.concatenate([[np.vdot(off, z_m) for z_m in z] + away, off.sum(axis=0) + b])


def descend(of: Callable[[Floats], tuple[float, Floats]], start: Floats, positive: int) -> tuple[Floats, float]:
    """The least value where the first numbers are not negative: by projected gradients (Birgin et al. 2000)."""

    def inside(v: Floats) -> Floats:
        return np.concatenate([np.maximum(v[:positive], 0.0), v[positive:]])

    v = start
    loss, slope = of(v)
    step = 1.0 / max(1.0, float(np.abs(slope).max()))
    for _ in range(STEPS):
        way, share = inside(v - step * slope) - v, 1.0
        falls = float(slope @ way)
        while (next_ := of(v + share * way))[0] > loss + 1e-4 * share * falls and share > 1e-10:
            share /= 2
        moved, turned = share * way, next_[1] - slope
        gain = loss - next_[0]
        v, (loss, slope) = v + moved, next_
        step = float(np.clip(moved @ moved / max(float(moved @ turned), 1e-300), 1e-10, 1e10))
        if gain <= NEAR * max(1.0, abs(loss)):
            break
    return v, loss


def scaled(linear: Linear, by: float) -> Linear:
    """A member's weights, as much as it counts."""
    return Linear(linear.weights * by, linear.bias * by)
