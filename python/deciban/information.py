"""Counts -> how much the presence of each term tells of the label, in bits.

    I(x_j; y) = sum_x sum_r p(x, r) log2( p(x, r) / (p(x) p(r)) ),  x in 0, 1     Jaakkola: mutual information, a filter

p_jr, how likely a document of label r has term j, is smoothed, the same as in the model: rare terms tell little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .counts import Counts
from .smoothing import Coin

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
SMALL = 256
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
    n_r, k = counts.documents, len(counts.labels)
    heads, tails = (np.broadcast_to(number, (1, k))[0] for number in coin)
    p_r, throws = n_r / max(n_r.sum(), 1), n_r + heads + tails
    p_unseen = heads / throws

    def more(m: Integers, r: npt.NDArray[np.integer]) -> Floats:
        """What a label that has shown the term makes p_j and h_j greater by."""
        p = (m + heads[r]) / throws[r]
        return np.stack([p_r[r] * (of(p) - of(p_unseen)[r]) for of in (np.asarray, entropy)])

    of_p, of_h = (np.add.reduceat(sums, counts.indptr[:-1]) if sums.size else sums for sums in _looked_up(more, counts))
    p_j, h_j = p_r @ p_unseen + of_p, p_r @ entropy(p_unseen) + of_h
    return np.asarray(np.maximum(entropy(p_j) - h_j, 0.0).round(DIGITS))


def _looked_up(more: Callable[[Integers, npt.NDArray[np.integer]], Floats], counts: Counts) -> Floats:
    """Of all postings: most have small counts, which repeat, and are worked out once for each label."""
    k, m = len(counts.labels), counts.presences
    if k * SMALL > len(m):
        return more(m, counts.label)
    table = more(np.tile(np.arange(SMALL), k), np.repeat(np.arange(k), SMALL))
    found = table.take(counts.label * np.int64(SMALL) + np.minimum(m, SMALL - 1), axis=1)
    large = np.flatnonzero(m >= SMALL)
    found[:, large] = more(m[large], counts.label[large])
    return found


def entropy(p: Floats) -> Floats:
    """H of coins, in bits."""
    return np.asarray(-sum(share * np.log2(np.clip(share, TINY, 1.0)) for share in (p, 1 - p)))
