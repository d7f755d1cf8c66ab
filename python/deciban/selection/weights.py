"""Counts -> how much each term counts: weighting in place of selection (Jaakkola).

    score_r = log prior_r + sum_j g_j z_j log q_jr

    gain-ratio        g_j ~ information gain / H(x_j)                                    Zhang and Sheng 2004
    log-count-ratio   g_j ~ sum_r p_r |r_jr|                                             after Wang and Manning 2012

        r_jr = log((m_jr + 1) / sum_i (m_ir + 1)) - log((m_j - m_jr + 1) / sum_i (m_i - m_ir + 1))

so that words count as much as before on the whole: sum_j nu_j g_j = sum_j nu_j. A third way, weights that make left-out
texts most probable, takes the rows: `fitting.term_weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from .measures import gain_ratio

Floats = npt.NDArray[np.float64]


def ratios(counts: Counts, alpha: float) -> Floats:
    """r of all terms and labels (terms x labels), with alpha for 1.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> ratios(count(Terms(), ["fun fun", "exam", "exam fun"], ["fun", "study", "study"]), 1.0).round(3).tolist()
    [[-0.588, 0.588], [0.511, -0.511]]
    """
    p = np.zeros((len(counts.lexicon), len(counts.labels)))
    p[counts.term, counts.label] = counts.presences
    q = p.sum(axis=1, keepdims=True) - p + alpha
    p += alpha
    return np.asarray(np.log(p / p.sum(axis=0)) - np.log(q / q.sum(axis=0)))


def log_count_ratio(counts: Counts) -> Floats:
    """The mean size of r_jr, labels as often as they are."""
    p_r = counts.documents / max(counts.documents.sum(), 1)
    return np.asarray(np.abs(ratios(counts, 1.0)) @ p_r)


WEIGHTS: dict[str, Callable[[Counts], Floats]] = {"gain-ratio": gain_ratio, "log-count-ratio": log_count_ratio}


def weights(counts: Counts, by: str) -> Floats:
    """g_j of all terms.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> weights(count(Terms(), ["good fun", "good", "bad", "bad fun"], ["+", "+", "-", "-"]), "gain-ratio").tolist()
    [1.5, 0.0, 1.5]
    """
    g = WEIGHTS[by](counts)
    nu_j = counts.by_term(counts.occurrences)
    heavy = float(nu_j @ g)
    return g * (nu_j.sum() / heavy) if heavy > 0 else np.ones(len(g))


def carried(known: Mapping[str, float], counts: Counts) -> Floats:
    """The weights of terms that are known by name; others count as much as those do on the whole.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> carried({"fun": 0.5, "game": 0.7}, count(Terms(), ["fun exam"], ["study"])).round(3).tolist()
    [0.6, 0.5]
    """
    usual = float(np.mean(list(known.values()))) if known else 1.0
    names = counts.lexicon.names()
    return np.fromiter((known.get(name, usual) for name in names), np.float64, len(names))
