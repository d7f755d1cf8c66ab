"""The ratio model: how much more often than elsewhere a label shows a term, and how much that term tells.

    w_jr = g_j^eta (log(1 + (1 - lambda)/lambda (nu_jr/nu_r) / (nu_j/nu)) + beta log((nu_j + t) / (nu_j - nu_jr + t)))

The first logarithm is the multinomial model's with Jelinek-Mercer smoothing (lambda), the second the complement model's
(t pseudo-occurrences), both beyond what they are for a term that the label has not shown. So a term says nothing of
labels that have not shown it, and a rare label is not drawn to by what it lacks. g_j (`formula.worth`) is nearly 0 for
words that all labels show alike, and for those that were seen once. It is made for many uneven labels, where the other
models go astray. Scores of this model are no log probabilities, and their differences no log-odds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..smoothing import JelinekMercer, Prior
from ..totals import Totals
from .formula import Formula


@dataclass(frozen=True)
class Weights:
    """beta, t and eta."""

    beta: float
    t: float
    eta: float


def formula(of: Totals, labels: tuple[str, ...], smoothing: JelinekMercer, prior: Prior, weights: Weights) -> Formula:
    """The numbers of the model.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> from deciban.weighing.formula import weigh
    >>> counts = count(Terms(), ["fun fun game", "hard exam", "exam"], ["fun", "study", "study"])
    >>> of = lambda of: formula(of, counts.labels, JelinekMercer(0.5), Prior(), Weights(1.0, 1.0, 0.0))
    >>> card = weigh(counts, of, binary=False)
    >>> np.exp(card.weights(np.arange(2))).round(3).tolist()  # exam: study has both, 2/3 of its 3 against 2 of 6: 3 x 3
    [[1.0, 9.0], [9.0, 1.0]]
    """
    nothing, t = np.zeros((1, 1)), np.full((1, 1), weights.t)
    return Formula(
        prior.log(labels, of.n_r),
        nothing,
        smoothing.die(of).gain,
        by_collection=True,
        rest=t,
        is_of_term=True,
        power=weights.beta,
        eta=weights.eta,
    )
