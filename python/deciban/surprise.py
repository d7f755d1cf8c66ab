"""Counts and rows -> how odd each text is: what share of its words is unknown, and how improbable it is on the whole.

    u_i = share of the words of text i that no document has
    s_i = - (1/n_i) sum_j z_ij log q_j,     q_j = (nu_j + 1) / (nu + d + 1),  nu_j = 0 for an unknown word

n_i are its words, nu_j the occurrences of term j in all documents, d the terms. A text that was counted is judged by
the others: nu_j, nu and d are then those without it. What is normal for a text that was not counted follows from the
counts alone: a word is unknown to the other documents if its term stands in one only, so that

    u = sum over terms with m_j = 1 of nu_j / nu                                       Good 1953, by documents
    s = - sum_j nu_j/nu log((nu_j - nu_j/m_j + 1) / (nu - nu/n + d + 1))               a text takes its mean share along
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from .counts import Counts
from .rows import Rows

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
MOST = (1 << 31) - 1  # of the numbers that names of terms are told apart by


class Surprise(NamedTuple):
    """Of each text its words, the share of them that is unknown (u) and the mean surprise of a word (s), in nats."""

    words: Integers
    unknown: Floats
    nats: Floats


def left_out(counts: Counts, rows: Rows) -> Surprise:
    """Of documents that were counted, each by the others.

    >>> from deciban.counts import count
    >>> from deciban.rows import rows
    >>> from deciban.terms import Terms
    >>> texts = ["see you", "see me", "free money"]
    >>> counts = count(Terms(), texts, ["ham", "ham", "spam"])
    >>> left_out(counts, rows(counts.lexicon, texts)).unknown.tolist()
    [0.5, 0.5, 1.0]
    """
    nu_j, row = counts.by_term(counts.occurrences), rows.row
    words, unknown, gone = rows.lengths(counts.by_term(counts.presences) == 1)
    total = nu_j.sum() - words + (len(counts.lexicon) - gone) + 1
    logs = np.bincount(row, rows.count * np.log(nu_j[rows.term] - rows.count + 1), len(rows))
    n = np.maximum(words, 1)
    return Surprise(words, unknown / n, np.where(words > 0, np.log(total) - logs / n, 0.0))


def of_new(counts: Counts, texts: list[str], threads: int = 0, *, once: bool = False) -> Surprise:
    """Of texts that were not counted; with `once`, a term counts once a text."""
    rows = Rows(*counts.lexicon.rows(texts, threads))
    rows = rows.binary() if once else rows
    indptr, _, number = _core.hashed(counts.terms.core, texts, MOST if once else 1, False, False, threads)
    times = np.ones(len(number)) if once else number
    words = np.bincount(np.repeat(np.arange(len(texts)), np.diff(indptr)), times, len(texts)).astype(np.int64)
    nu_j = _nu_j(counts, once)
    known = np.bincount(rows.row, rows.count, len(texts))
    logs = np.bincount(rows.row, rows.count * np.log(nu_j[rows.term] + 1), len(texts))
    n = np.maximum(words, 1)
    total = np.log(nu_j.sum() + len(counts.lexicon) + 1)
    return Surprise(words, (words - known) / n, np.where(words > 0, total - logs / n, 0.0))


def expected(counts: Counts, *, once: bool = False) -> tuple[float, float]:
    """u and s of the words of a text that is like those counted."""
    nu_j, m_j = _nu_j(counts, once), counts.by_term(counts.presences)
    nu, n = int(nu_j.sum()), int(counts.documents.sum())
    if not nu:
        return 0.0, 0.0
    logs = np.log(nu_j - nu_j / np.maximum(m_j, 1) + 1)
    total = np.log(nu - nu / n + len(nu_j) + 1)
    return float(nu_j[m_j == 1].sum() / nu), float(total - nu_j @ logs / nu)


def _nu_j(counts: Counts, once: bool) -> Integers:
    return counts.by_term(counts.presences if once else counts.occurrences)
