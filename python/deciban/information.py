"""Counts -> how much the presence of each term tells of the label, in bits.

    I(x_j; y) = sum_x sum_r p(x, r) log2( p(x, r) / (p(x) p(r)) ),  x in 0, 1     Jaakkola: mutual information, a filter

p_jr, how likely a document of label r has term j, is smoothed, the same as in the model: rare terms tell little.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .counts import Counts
from .smoothing import Coin

Floats = npt.NDArray[np.float64]
DIGITS = 12  # what is beyond them is rounding: it shall not choose between terms that tell the same
TINY = 1e-300


def information(counts: Counts, coin: Coin) -> Floats:
    """I(x_j; y) of every term. Labels are as likely as they are among the documents.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> counts = count(Terms(), ["good fun", "good play", "bad play", "bad fun"], ["+", "+", "-", "-"])
    >>> coin = Coin(heads=np.full((1, 1), 0.5), tails=np.full((1, 1), 0.5))
    >>> information(counts, coin).round(2).tolist()         # bad, fun, good, play
    [0.35, 0.0, 0.35, 0.0]
    """
    n_r, r = counts.documents, counts.label
    heads, tails = (np.broadcast_to(number, (1, len(n_r)))[0] for number in coin)
    p_r, throws = n_r / max(n_r.sum(), 1), n_r + heads + tails
    p_unseen, p_seen = heads / throws, (counts.presences + heads[r]) / throws[r]
    p_j, h_j = (
        p_r @ of(p_unseen) + np.bincount(counts.term, p_r[r] * (of(p_seen) - of(p_unseen)[r]), len(counts.lexicon))
        for of in (np.asarray, entropy)
    )
    return np.asarray(np.maximum(entropy(p_j) - h_j, 0.0).round(DIGITS))


def entropy(p: Floats) -> Floats:
    """H of coins, in bits."""
    return np.asarray(-sum(share * np.log2(np.clip(share, TINY, 1.0)) for share in (p, 1 - p)))
