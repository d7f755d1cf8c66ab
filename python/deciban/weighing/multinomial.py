"""The multinomial model: a label throws a loaded die once for each word of a document.

    alpha_r   the prior of label r                               Aggarwal 5.14, 5.15; Zhu 14; Rush p(y)
    q_jr      the die: how likely label r throws term j          Aggarwal 5.20, 5.21; Zhu 15 (theta_jw); Rush p(x_f|y)
    score_r = log alpha_r + sum_j z_j log q_jr                   Aggarwal 5.18, 5.19; Zhu 6; Rush W and b

With `binary`, a document's words count once each: nu_jr is then the number of documents, Rush's F_fc. Where q_jr is a
share of the collection's (`smoothing.Die`), log nu_j is left out of the score, because it is the same for every label.
"""

from __future__ import annotations

from ..smoothing import Dies, Prior
from ..totals import Totals
from .formula import Formula


def formula(of: Totals, labels: tuple[str, ...], smoothing: Dies, prior: Prior) -> Formula:
    """The numbers of the model.

    >>> import numpy as np
    >>> from deciban.counts import count
    >>> from deciban.smoothing import Laplace
    >>> from deciban.terms import Terms
    >>> from deciban.weighing.formula import weigh
    >>> counts = count(Terms(), ["fun fun game", "hard exam", "exam"], ["fun", "study", "study"])
    >>> card = weigh(counts, lambda of: formula(of, counts.labels, Laplace(1.0), Prior()), binary=False)
    >>> np.exp(card.bias).round(3).tolist()
    [0.333, 0.667]
    >>> np.exp(card.weights(np.arange(4))).round(3).tolist()   # exam, fun, game, hard: each label's column adds up to 1
    [[0.143, 0.429], [0.429, 0.143], [0.286, 0.143], [0.143, 0.286]]
    """
    die = smoothing.die(of)
    return Formula(prior.log(labels, of.n_r), die.unseen, die.gain, die.by_collection, die.discount)
