"""The multinomial model: a label throws a loaded die once for each word of a document.

    alpha_r   the prior of label r                               Aggarwal 5.14, 5.15; Zhu 14; Rush p(y)
    q_jr      the die: how likely label r throws term j          Aggarwal 5.20, 5.21; Zhu 15 (theta_jw); Rush p(x_f|y)
    score_r = log alpha_r + sum_j z_j log q_jr                   Aggarwal 5.19; Zhu 6; Rush W and b

With `binary`, a document's words count once each: nu(j, r) is then the number of documents, Rush's F_fc.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..scorecard import Scorecard
from ..smoothing import Laplace, log_prior

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NONE = np.zeros((), np.int64)


def weigh(counts: Counts, smoothing: Laplace, beta: float, *, binary: bool) -> Scorecard:
    """The scorecard of some counts.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> counts = count(Terms(), ["fun fun game", "hard exam", "exam"], ["fun", "study", "study"])
    >>> card = weigh(counts, Laplace(1.0), 0.0, binary=False)
    >>> np.exp(card.bias).round(3).tolist()
    [0.333, 0.667]
    >>> np.exp(card.weights(np.arange(4))).round(3).tolist()   # exam, fun, game, hard: each label's column adds up to 1
    [[0.143, 0.429], [0.429, 0.143], [0.286, 0.143], [0.143, 0.286]]
    """
    nu = _nu(counts, binary=binary)
    return Scorecard(
        labels=counts.labels,
        lexicon=counts.lexicon,
        bias=log_prior(counts.documents, beta),
        absent=_log_q_absent(smoothing, _by_label(counts, nu), np.array(len(counts.lexicon))),
        indptr=counts.indptr,
        label=counts.label,
        weight=smoothing.log_numerator(nu) - smoothing.log_numerator(NONE),
        binary=binary,
    )


def leave_one_out(counts: Counts, rows: Rows, y: Integers, smoothing: Laplace, beta: float, *, binary: bool) -> Floats:
    """The scores of each row of label y[i], one of those counted, by a scorecard weighed without it: no retraining.

    What leaves with row i: one document of its label, its z_j of nu(j, y_i), and, where no other document has them,
    terms from the lexicon and the label from the labels.
    """
    n, k = len(rows), len(counts.labels)
    own = np.arange(k) == y[:, None]
    gone = np.bincount(counts.term, counts.presences, len(counts.lexicon))[rows.term] == 1
    kept = rows.without(gone)
    z = kept.count if not binary else np.ones_like(kept.count)
    length_lost = _by_row(rows, np.ones_like(rows.count) if binary else rows.count)
    length_kept = _by_row(kept, z)

    nu = _nu(counts, binary=binary)
    nu_left = nu[counts.place(kept.term, y[kept.row])] - z
    nu_sum = _by_label(counts, nu) - own * length_lost[:, None]
    d = len(counts.lexicon) - _by_row(rows, gone.astype(np.int64))

    beyond = replace(weigh(counts, smoothing, beta, binary=binary), bias=np.zeros(k), absent=np.zeros(k))
    scores = beyond.scores_of_rows(kept)
    own_beyond = z * (smoothing.log_numerator(nu_left) - smoothing.log_numerator(NONE))
    scores[np.arange(n), y] = np.bincount(kept.row, own_beyond, n)
    scores += length_kept[:, None] * _log_q_absent(smoothing, nu_sum, d[:, None])
    return scores + log_prior(counts.documents - own, beta)


def _nu(counts: Counts, *, binary: bool) -> Integers:
    return counts.presences if binary else counts.occurrences


def _log_q_absent(smoothing: Laplace, nu_sum: Integers, d: Integers) -> Floats:
    """log q_jr of a term that label r never showed."""
    return smoothing.log_numerator(NONE) - smoothing.log_denominator(nu_sum, d)


def _by_label(counts: Counts, values: Integers) -> Integers:
    return np.bincount(counts.label, values, len(counts.labels)).astype(np.int64)


def _by_row(rows: Rows, values: Integers) -> Integers:
    return np.bincount(rows.row, values, len(rows)).astype(np.int64)
