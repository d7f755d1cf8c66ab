"""The multinomial model: a label throws a loaded die once for each word of a document.

    alpha_r   the prior of label r                               Aggarwal 5.14, 5.15; Zhu 14; Rush p(y)
    q_jr      the die: how likely label r throws term j          Aggarwal 5.20, 5.21; Zhu 15 (theta_jw); Rush p(x_f|y)
    score_r = log alpha_r + sum_j z_j log q_jr                   Aggarwal 5.18, 5.19; Zhu 6; Rush W and b

With `binary`, a document's words count once each: nu_jr is then the number of documents, Rush's F_fc. Where q_jr is a
share of the collection's (`smoothing.Die`), log nu_j is left out of the score, because it is the same for every label.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..smoothing import Dies, Prior
from ..totals import Totals
from .formula import Formula

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def formula(of: Totals, labels: tuple[str, ...], smoothing: Dies, prior: Prior) -> Formula:
    """The numbers of the model.

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
    bias = prior.log(labels, of.n_r)
    return Formula(bias, die.unseen, die.gain, die.by_collection, die.discount, shown=die.shown, own=die.own)


def draw(w: Floats, n: int, length: int | None, mean: float, rng: np.random.Generator) -> Iterator[Integers]:
    """The terms of n documents of a label whose die is q = exp w, as they fall (Zhu 2.1).

    Each is as long as is asked for, or else as Poisson's distribution has it around the mean.

    >>> [drawn.tolist() for drawn in draw(np.log([0.9, 0.1]), 2, 8, 8.0, np.random.default_rng(1))]
    [[0, 1, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]
    """
    q = np.cumsum(np.exp(w))
    for times in rng.poisson(mean, n) if length is None else np.full(n, length):
        thrown = rng.random(times if q.any() else 0)  # a label that has shown nothing may have nothing to show
        yield np.searchsorted(q, thrown * q[-1:], side="right")
