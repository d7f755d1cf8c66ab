"""The Bernoulli model: a label throws a coin for each term of the lexicon, and what shows heads is in the document.

    p_jr      how likely a document of label r has term j        Aggarwal 5.16, 5.17; Jaakkola's theta_k|y; Stone's p_ij
    score_r = log alpha_r + sum_j in x log p_jr + sum_j not in x log(1 - p_jr)         Aggarwal 5.11-5.13; Jaakkola

Absent terms count too. So that only those that are there need be added up, theirs are folded into the bias (Stone):

    score_r = theta_r + sum_j in x w_jr
    w_jr    = log p_jr - log(1 - p_jr)
    theta_r = log alpha_r + sum_j log(1 - p_jr)

With p_jr = (m_jr + h) / D_r for D_r = n_r + t (`smoothing.Coin`), w_jr = log(m_jr + h) - log(D_r - h - m_jr).
"""

from __future__ import annotations

import numpy as np

from ..smoothing import Coins, Prior
from ..totals import Totals
from .formula import Formula


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
    coin = smoothing.coin(of)
    all_throws = of.n_r + coin.throws
    room = all_throws - coin.heads
    bias = prior.log(labels, of.n_r) + of.log_absence(room) - of.d * np.log(all_throws)
    return Formula(bias, np.log(coin.heads) - np.log(room), 1 / coin.heads, loss=1 / room)
