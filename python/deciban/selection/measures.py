"""Counts -> how much each term is worth keeping, by one of several measures. Pure functions: no text is read again.

With m_jr of the n_r documents of label r having term j, m_j of all n, and p_r = n_r / n:

    mutual-information      I(x_j; y) in bits, of the regularised p_jr = (m_jr + n'p) / (n_r + n')   Jaakkola, a filter
    information-gain        the same of p_jr = m_jr / n_r, as it was seen                    Yang and Pedersen 1997
    gain-ratio              information gain / H(x_j)                                                 Quinlan 1986
    chi-square              (sum_r m_jr^2 / n_r - n q^2) / (q (1 - q)),  q = m_j / n         Yang and Pedersen 1997
    bi-normal-separation    sum_r p_r |F(m_jr / n_r) - F((m_j - m_jr) / (n - n_r))|                    Forman 2003
    odds-ratio              sum_r p_r |log odds of r among documents with j - among those without|   Mladenic 1998
    document-frequency      m_j
    correlation             max_r (n m_jr - m_j n_r) / sqrt(m_j (n - m_j) n_r (n - n_r))     Stone: "to some class"
    sparse-bayes            by `sparse`                         Askari, d'Aspremont and El Ghaoui 2020

F is the inverse of the normal distribution function; its shares are kept 0.0005 from 0 and 1, as Forman has them. Odds
have half a document more on every side. Chi-square is that of the whole table, documents without the term included: it
is sum over x and r of (seen - expected)^2 / expected, written so that only labels that have shown the term are asked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..information import entropy, information
from ..settings import STRENGTHS, Settings
from ..smoothing import Beta, Coin
from . import sparse
from .normal import quantile

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Measure = Callable[[Counts, Settings, int], Floats]
NEAREST = 0.0005  # to 0 and 1, of shares whose quantiles are asked for
HALF = 0.5
AS_SEEN = Coin(np.zeros((1, 1)), np.zeros((1, 1)))
DIGITS = 12  # that count: what is beyond them is rounding, and shall not choose between terms


def mutual_information(counts: Counts, settings: Settings, top: int = 0) -> Floats:  # noqa: ARG001
    """I(x_j; y) of the regularised estimates: n' is the model's, where it has one."""
    given = settings.alpha if settings.smoothing == "beta" else None
    strength = STRENGTHS["beta"][0] if given is None else given
    return information(counts, Beta(float(strength or 0.0), settings.default_p).throws)


def information_gain(counts: Counts, settings: Settings | None = None, top: int = 0) -> Floats:  # noqa: ARG001
    """I(x_j; y) of what was seen."""
    return information(counts, AS_SEEN)


def gain_ratio(counts: Counts, settings: Settings | None = None, top: int = 0) -> Floats:  # noqa: ARG001
    """How much of what a term tells at all it tells of the label: from 0 to 1."""
    own: Floats = entropy(_m_j(counts) / max(counts.documents.sum(), 1))
    return np.where(own > 0, information_gain(counts) / np.where(own > 0, own, 1.0), 0.0)


def chi_square(counts: Counts, settings: Settings | None = None, top: int = 0) -> Floats:  # noqa: ARG001
    """How far what was seen is from what would be, were the term independent of the label."""
    n_r, n = counts.documents, counts.documents.sum()
    m_j = _m_j(counts)
    squares = np.bincount(counts.term, counts.presences**2 / n_r[counts.label], len(m_j))
    spread = m_j * (n - m_j) / max(n, 1) ** 2
    found = np.divide(squares - m_j**2 / max(n, 1), spread, out=np.zeros(len(m_j)), where=spread > 0)
    return np.asarray(np.maximum(found, 0.0))


def bi_normal_separation(counts: Counts, settings: Settings | None = None, top: int = 0) -> Floats:  # noqa: ARG001
    """How far apart two thresholds are: those that so many documents of a label, and of the others, would pass."""
    n = counts.documents.sum()

    def of(m_jr: Integers, m_j: Integers, n_r: Integers) -> Floats:
        shares = m_jr / n_r, (m_j - m_jr) / np.maximum(n - n_r, 1)
        own, others = map(_threshold, shares)
        return np.asarray(np.abs(own - others))

    return _by_label(counts, of)


def odds_ratio(counts: Counts, settings: Settings | None = None, top: int = 0) -> Floats:  # noqa: ARG001
    """How much the odds of a label change with the term, in nats."""
    n = counts.documents.sum()

    def of(m_jr: Integers, m_j: Integers, n_r: Integers) -> Floats:
        with_it, without = (m_jr, m_j - m_jr), (n_r - m_jr, np.maximum((n - n_r) - (m_j - m_jr), 0))
        odds = [np.log(own + HALF) - np.log(others + HALF) for own, others in (with_it, without)]
        return np.asarray(np.abs(odds[0] - odds[1]))

    return _by_label(counts, of)


def document_frequency(counts: Counts, settings: Settings | None = None, top: int = 0) -> Floats:  # noqa: ARG001
    """How many documents have the term."""
    return _m_j(counts).astype(np.float64)


def correlation(counts: Counts, settings: Settings | None = None, top: int = 0) -> Floats:  # noqa: ARG001
    """The greatest correlation to some one label: of one that has shown the term, because others' are negative."""
    n_r, n, m_j = counts.documents[counts.label], counts.documents.sum(), _m_j(counts)
    m = m_j[counts.term]
    spread = np.sqrt(m.astype(np.float64) * (n - m) * n_r * (n - n_r))
    found = np.divide(n * counts.presences - m * n_r, spread, out=np.zeros(len(m)), where=spread > 0)
    return np.maximum.reduceat(found, counts.indptr[:-1]) if len(found) else found


MEASURES: dict[str, Measure] = {
    "mutual-information": mutual_information,
    "information-gain": information_gain,
    "gain-ratio": gain_ratio,
    "chi-square": chi_square,
    "bi-normal-separation": bi_normal_separation,
    "odds-ratio": odds_ratio,
    "document-frequency": document_frequency,
    "correlation": correlation,
    "sparse-bayes": lambda counts, settings, top: sparse.worth(counts, top, binary=settings.is_binary).gains,
}


def measured(counts: Counts, settings: Settings, by: str, top: int) -> Floats:
    """What each term is worth by a measure; `top` are to be kept, which only `sparse-bayes` asks.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> counts = count(Terms(), ["good fun", "good play", "bad play", "bad fun"], ["+", "+", "-", "-"])
    >>> {by: measured(counts, Settings(), by, 2).round(2).tolist() for by in ("information-gain", "chi-square")}
    {'information-gain': [1.0, 0.0, 1.0, 0.0], 'chi-square': [4.0, 0.0, 4.0, 0.0]}
    """
    share, power = np.frexp(MEASURES[by](counts, settings, top))
    return np.ldexp(share.round(DIGITS), power)


def _threshold(share: Floats) -> Floats:
    """The quantiles of shares, of which most are nearer to 0 or 1 than is allowed, and so all have the same."""
    least, most = quantile(np.array([NEAREST, 1 - NEAREST]))
    inside = np.abs(share - HALF) < HALF - NEAREST
    found: Floats = np.where(share < HALF, least, most)
    found[inside] = quantile(share[inside])
    return found


def _m_j(counts: Counts) -> Integers:
    return counts.by_term(counts.presences)


def _by_label(counts: Counts, of: Callable[[Integers, Integers, Integers], Floats]) -> Floats:
    """The sum over all labels of p_r of(m_jr, m_j, n_r): of labels that have not shown a term, by m_j alone."""
    n_r, r, m_j = counts.documents, counts.label, _m_j(counts)
    p_r, none = n_r / max(n_r.sum(), 1), np.zeros(1, np.int64)
    different, which = np.unique(m_j, return_inverse=True)
    unseen = sum((p * of(none, different, n) for p, n in zip(p_r, n_r, strict=True)), start=np.zeros(len(different)))
    m = m_j[counts.term]
    more = p_r[r] * (of(counts.presences, m, n_r[r]) - of(none, m, n_r[r]))
    return np.asarray(unseen[which] + np.bincount(counts.term, more, len(m_j)))
