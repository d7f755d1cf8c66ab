"""The Bernoulli model: a label throws a coin for each term of the lexicon, and what shows heads is in the document.

    p_jr      how likely a document of label r has term j        Aggarwal 5.16, 5.17; Jaakkola's theta_k|y; Stone's p_ij
    score_r = log alpha_r + sum_j in x log p_jr + sum_j not in x log(1 - p_jr)         Aggarwal 5.11-5.13; Jaakkola

Absent terms count too. So that only those that are there need be added up, theirs are folded into the bias (Stone):

    score_r = theta_r + sum_j in x w_jr
    w_jr    = log p_jr - log(1 - p_jr)
    theta_r = log alpha_r + sum_j log(1 - p_jr)

With p_jr = (m_jr + h) / (n_r + h + t) (`smoothing.Coin`), w_jr = log(m_jr + h) - log(n_r - m_jr + t).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..smoothing import Coins, Prior
from ..totals import Totals
from .formula import Formula

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def formula(of: Totals, labels: tuple[str, ...], smoothing: Coins, prior: Prior) -> Formula:
    """The numbers of the model.

    >>> from deciban.counts import count
    >>> from deciban.smoothing import Beta
    >>> from deciban.terms import Terms
    >>> from deciban.weighing.formula import weigh
    >>> counts = count(Terms(), ["fun game", "hard exam", "exam"], ["fun", "study", "study"])
    >>> card = weigh(counts, lambda of: formula(of, counts.labels, Beta(2.0, 0.5), Prior()), binary=True)
    >>> (1 / (1 + np.exp(-card.weights(np.arange(4))))).round(3).tolist()   # p of exam, fun, game, hard
    [[0.333, 0.75], [0.667, 0.25], [0.667, 0.25], [0.333, 0.5]]
    >>> np.exp(card.bias).round(4).tolist()     # 1/3 x 2/3 x 1/3 x 1/3 x 2/3, and 2/3 x 1/4 x 3/4 x 3/4 x 1/2
    [0.0165, 0.0469]
    """
    heads, tails = smoothing.coin(of)
    bias = prior.log(labels, of.n_r) + of.log_absence(tails) - of.d * np.log(of.n_r + heads + tails)
    return Formula(bias, np.log(heads) - np.log(of.n_r + tails), 1 / heads, rest=tails)


def draw(w: Floats, n: int, length: int | None, mean: float, rng: np.random.Generator) -> Iterator[Integers]:  # noqa: ARG001
    """The terms of n documents of a label: of each coin that shows heads, which p = 1 / (1 + exp -w) of them do.

    >>> [drawn.tolist() for drawn in draw(np.array([9.0, 0.0]), 3, None, 1.5, np.random.default_rng(2))]
    [[0, 1], [0, 1], [0]]
    """
    if length is not None:
        expected = "None: with the model 'bernoulli' a document is as long as its coins make it"
        raise BadSetting(setting="length", got=length, expected=expected)
    p = 1 / (1 + np.exp(-w))
    return (np.flatnonzero(rng.random(len(p)) < p) for _ in range(n))
