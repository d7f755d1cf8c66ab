"""Rows and labels -> how much each term counts in naive Bayes, so that texts that are left out are most probable.

    score_ir = log prior_r + sum_j g_j z_ij w_jr            w of all texts but i: exact, by `weighing.weighted`
    g        = t v,   v minimising   - sum_i log p(y_i | i) + lambda sum_j (v_j - 1)^2 / 2,   v_j >= 0

t is the one weight for all terms that makes left-out texts most probable: words are no independent witnesses, so it is
below 1, the more so for longer texts. The scores are linear in g, so that the sum is convex, and has one minimum
(Jaakkola: feature weighting; left-out likelihood as in Raina, Shen, Ng and McCallum 2003). Of very many texts some are
taken; terms that none of them has keep v = 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..settings import Settings
from ..weighing import formula_of
from ..weighing.weighted import Added, added
from .committee import descend

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LAMBDA = 0.3  # of 0.3, 1, 3 and 10 the best for held-out training texts of two sets of three; by little on the third
MOST_NUMBERS = 1 << 23  # entries x labels
HALVINGS = 40
LEAST, GREATEST = 1e-3, 4.0  # of t


def learnt(counts: Counts, rows: Rows, y: Integers, settings: Settings) -> Floats:
    """g_j of all terms, from rows of labels y, which were counted."""
    if not len(counts.lexicon):
        return np.empty(0)
    some = _some(rows, len(counts.labels))
    of = formula_of(counts.labels, settings)
    parts = list(added(counts, rows.some(some), y[some], of, binary=settings.is_binary))
    labels = np.split(y[some], np.cumsum([len(part.bias) for part in parts])[:-1])
    t = _scale(parts, labels)
    g, _ = descend(lambda v: _objective(v, t, parts, labels), np.ones(len(counts.lexicon)), len(counts.lexicon))
    return np.asarray(t * g)


def _some(rows: Rows, labels: int) -> Integers:
    """As many rows as there is room for, drawn by lot."""
    order = np.random.default_rng(0).permutation(len(rows))
    size = np.cumsum(np.diff(rows.indptr)[order]) * labels
    return np.sort(order[: max(2, int(np.searchsorted(size, MOST_NUMBERS)))])


def _scale(parts: Sequence[Added], labels: Sequence[Integers]) -> float:
    """t: where the slope of the likelihood is nothing."""
    low, high = 0.0, GREATEST
    sums = [Added(part.rows, np.zeros_like(part.bias), part.added).scores(np.ones(_terms(parts))) for part in parts]
    for _ in range(HALVINGS):
        t = (low + high) / 2
        of_parts = zip(parts, labels, sums, strict=True)
        low, high = (t, high) if sum(_slope(t, *of) for of in of_parts) > 0 else (low, t)
    return max(t, LEAST)


def _slope(t: float, part: Added, y: Integers, sums: Floats) -> float:
    """How the log-likelihood of some rows grows with t; a label that is gone with its only text has no odds."""
    own = np.arange(len(y))
    grows = sums[own, y] - (np.exp(_log_p(part.bias + t * sums)) * sums).sum(axis=1)
    return float(grows[np.isfinite(part.bias[own, y])].sum())


def _log_p(scores: Floats) -> Floats:
    """The logarithms of posterior probabilities."""
    log_p = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(log_p - np.log(np.exp(log_p).sum(axis=1, keepdims=True)))


def _terms(parts: Sequence[Added]) -> int:
    return 1 + max((int(part.rows.term.max(initial=0)) for part in parts), default=0)


def _objective(v: Floats, t: float, parts: Sequence[Added], labels: Sequence[Integers]) -> tuple[float, Floats]:
    """What is minimised, and its gradient."""
    loss, slope = LAMBDA * float((v - 1) @ (v - 1)) / 2, LAMBDA * (v - 1)
    for part, y in zip(parts, labels, strict=True):
        own = np.arange(len(y))
        log_p = _log_p(part.scores(t * v))
        counted = np.isfinite(log_p[own, y])  # a label that is gone with its only text has no odds
        loss -= float(log_p[own, y][counted].sum())
        off = np.where(counted[:, None], np.exp(log_p), 0.0)
        off[own[counted], y[counted]] -= 1.0
        slope += t * np.bincount(part.rows.term, np.einsum("ek,ek->e", part.added, off[part.rows.row]), len(v))
    return loss, slope
