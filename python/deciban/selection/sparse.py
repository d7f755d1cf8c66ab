"""Counts -> the terms whose probabilities shall depend on the label, so many that the data are most probable.

Sparse naive Bayes (Askari, d'Aspremont and El Ghaoui 2020): of all naive Bayes models in which at most K terms differ
between labels, the most probable one. All other terms are as likely under every label, and tell nothing.

Documents that have a term or not (Bernoulli, `binary`): what it gains the log-likelihood that term j may differ is n
times its information gain in nats, whatever other terms do. So the K greatest gains are the exact solution, of any
number of labels.

Occurrences (multinomial): probabilities sum to one, which ties terms together. With f_jr occurrences, the gain of a set
of terms is a minimum over shares a_r of labels,

    gain(I) = min_a sum_j in I h_j(a),     h_j(a) = sum_r f_jr log(f_jr / (f_j a_r))

whose solution is a_r = f_r(I) / f(I). The greatest gain of any K terms is at most

    bound = min_a (the sum of the K greatest h_j(a))                              their theorem 2, of two labels

which is convex in a: the shares of the K best terms are taken, and so on, which settles as a rule; where it does not,
the bound is found by halving (two labels), or by ever smaller steps towards those shares. The terms handed on are the
best set that was met, and `bound` says how far from the best of all it can be at most: nothing, as a rule, because the
bound is reached but for the few terms that tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..information import information
from ..smoothing import Coin

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
STEPS = 60
WHOLE = 10  # of these steps: they nearly always end where terms and shares fit each other, which is the best of all
NEAR = 1e-12  # of the bound: a set that gains so much is the best of all
TINY = 1e-300


class Sparse(NamedTuple):
    """What each term gains, so that the best set has the greatest; that set's gain, and the greatest possible."""

    gains: Floats
    gain: float
    bound: float


def best(scores: Floats, top: int) -> Mask:
    """Which terms are the `top` best; of equal ones the first.

    >>> best(np.array([1.0, 3.0, 2.0, 2.0]), 2).tolist()
    [False, True, True, False]
    """
    if top >= len(scores):
        return np.ones(len(scores), np.bool_)
    least = -np.partition(-scores, top - 1)[top - 1]
    kept: Mask = scores > least
    kept[np.flatnonzero(scores == least)[: top - int(kept.sum())]] = True
    return kept


def worth(counts: Counts, top: int, *, binary: bool) -> Sparse:
    """What each term gains where `top` may differ.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> counts = count(Terms(), ["good fun fun", "good play", "bad play", "bad fun"], ["+", "+", "-", "-"])
    >>> found = worth(counts, 2, binary=False)
    >>> found.gains.round(2).tolist(), round(found.gain, 4) == round(found.bound, 4)     # bad, fun, good, play
    ([1.62, 0.08, 1.18, 0.01], True)
    """
    if binary:
        none = np.zeros((1, 1))
        gains = information(counts, Coin(none, none)) * np.log(2) * counts.documents.sum()
        gain = float(gains[best(gains, top)].sum())
        return Sparse(gains, gain, gain)
    return _Occurrences(counts, top).solved()


class _Occurrences:
    """The multinomial problem: f_jr by posting."""

    def __init__(self, counts: Counts, top: int) -> None:
        self.term, self.label = counts.term, counts.label
        self.f, self.k, self.top = counts.occurrences, len(counts.labels), top
        f_j = counts.by_term(self.f)
        self.d = len(f_j)
        self.own = np.bincount(self.term, self.f * np.log(self.f / f_j[self.term]), self.d)

    def h(self, a: Floats) -> Floats:
        """h_j(a)."""
        logs = np.log(np.maximum(a, TINY))[self.label]
        return np.asarray(self.own - np.bincount(self.term, self.f * logs, self.d))

    def shares(self, kept: Mask) -> Floats:
        """The a_r of a set of terms: all alike where there is nothing in it."""
        f_r = np.bincount(self.label, self.f * kept[self.term], self.k)
        return f_r / f_r.sum() if f_r.sum() else np.full(self.k, 1 / max(self.k, 1))

    def solved(self) -> Sparse:
        """The best set that is met on the way to the least bound."""
        low, high, a = np.zeros(self.k), np.ones(self.k), self.shares(np.ones(self.d, np.bool_))
        met: Sparse | None = None
        bound = np.inf
        for step in range(STEPS):
            h = self.h(a)
            kept = best(h, self.top)
            wanted = self.shares(kept)
            gain, bound = float(self.h(wanted)[kept].sum()), min(bound, float(h[kept].sum()))
            met = Sparse(h, gain, bound) if met is None or gain > met.gain else met
            if bound - met.gain <= NEAR * max(bound, 1.0):
                break
            low, high = np.where(wanted > a, a, low), np.where(wanted > a, high, a)
            between = (low + high) / 2 if self.k == 2 else a + (wanted - a) / max(step - WHOLE + 2, 1)
            a = wanted if step < WHOLE else between
        return met._replace(bound=max(bound, met.gain)) if met else Sparse(np.zeros(self.d), 0.0, 0.0)
