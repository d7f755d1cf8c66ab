"""The complement model (Rennie, Shih, Teevan and Karger 2003): which label do the words fit least badly elsewhere?

For labels with few examples the documents of all *other* labels are more to learn from than their own:

    q~_jr     how likely the other labels throw term j:  (nu_j - nu_jr + gamma) / (nu - nu_r + gamma d)
    score_r = log alpha_r - sum_j z_j log q~_jr

-log(nu_j + gamma), which is the same for every label, is left out of what a term adds. Scores of this model are no log
probabilities, and their differences no log-odds.
"""

from __future__ import annotations

import numpy as np

from ..smoothing import Laplace, Prior, log_mass
from ..totals import Totals
from .formula import Formula


def formula(of: Totals, labels: tuple[str, ...], smoothing: Laplace, prior: Prior) -> Formula:
    """The numbers of the model.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> from deciban.weighing.formula import weigh
    >>> counts = count(Terms(), ["fun fun game", "hard exam", "exam"], ["fun", "study", "study"])
    >>> card = weigh(counts, lambda of: formula(of, counts.labels, Laplace(1.0), Prior("uniform")), binary=False)
    >>> exam = np.exp(card.weights(np.arange(1)))[0]
    >>> (1 / exam * 3).round(3).tolist(), [round(3 / 7, 3), round(1 / 7, 3)]  # nu_j + gamma is 3
    ([0.429, 0.143], [0.429, 0.143])
    """
    gamma = smoothing.gamma
    elsewhere = log_mass(of.nu - of.nu_r + gamma * of.d)
    none, rest = np.zeros((1, 1)), np.full((1, 1), gamma)
    return Formula(prior.log(labels, of.n_r), elsewhere, none, rest=rest, is_of_term=True)
