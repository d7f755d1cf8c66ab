"""The complement model of transformed documents, its weights normalised: TWCNB (Rennie et al. 2003, table 4).

Counts are amounts (`amounts`): A_jr of term j under label r, A_j under all, so that long documents and repeated words
count no more than they should. Like the complement model, it asks how well the words fit all *other* labels:

    idf_j       = log(n / m_j)
    b_jr        = idf_j (A_j - A_jr) + gamma
    theta~_jr   = b_jr / sum_i b_ir                   how likely the other labels throw term j
    w_jr        = log theta~_jr / N_r                 with N_r = sum_i |log theta~_ir|
    score_r     = log alpha_r - N sum_j z_j w_jr      with N the mean of all N_r

Labels whose words depend on each other more have greater weights; dividing by N_r makes up for that. Rennie weighs by
idf_j before a document is made as long as any other, and again for each collection; here it is a factor of the sums, so
that they stay sums, and change with the counts. Rennie has no prior, and w_jr as it stands, which is tiny; times N it
has the scale of the complement model, and a prior its usual weight (with "uniform" it changes no answer). Scores of
this model are no log probabilities, and their differences no log-odds.

Every term has another weight for every label: the scorecard holds terms x labels.

When a document leaves, idf_j of all terms that it does not have becomes log((n - 1) / m_j): the same for every document
that leaves. So all sums over terms are made once, with n - 1, and change only by what changes for the document's terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..amounts import ONE, amounts
from ..counts import Counts
from ..errors import TooManyWeights
from ..rows import Rows
from ..scorecard import Scorecard
from ..smoothing import Laplace, Prior, log_mass

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MOST_WEIGHTS = 1 << 26  # half a gigabyte, and as much again some times while they are made
NUMBERS_AT_ONCE = 1 << 20  # scores of leave-one-out; it takes some of each to make one


def weigh(counts: Counts, smoothing: Laplace, prior: Prior, *, binary: bool) -> Scorecard:
    """The scorecard of some counts of amounts.

    >>> from deciban.halves import count
    >>> from deciban.settings import Settings
    >>> counts = count(Settings(model="twcnb"), ["fun", "exam", "exam"], ["fun", "study", "study"])
    >>> card = weigh(counts, Laplace(1.0), Prior("uniform"), binary=False)
    >>> card.weights(np.arange(2)).round(3).tolist()    # of exam and fun
    [[0.447, 1.113], [1.05, 0.384]]
    """
    n, m_j = counts.documents.sum(), counts.by_term(counts.presences)
    k, d = len(counts.labels), len(counts.lexicon)
    b = np.log(n / m_j)[:, None] * _elsewhere(counts) + smoothing.gamma
    log_sum = log_mass(b.sum(axis=0))
    log_b = np.log(b, out=b)
    weight = _scale(d, log_sum, log_b.sum(axis=0), counts.documents > 0) * (log_sum - log_b)
    indptr = np.arange(d + 1) * k
    label = np.tile(np.arange(k, dtype=np.uint32), d)
    bias = prior.log(counts.labels, counts.documents)
    return Scorecard(counts.labels, counts.lexicon, bias, np.zeros(k), indptr, label, weight.ravel(), binary)


def _elsewhere(counts: Counts) -> Floats:
    """A_j - A_jr: what term j (row) amounts to under all labels but r (column)."""
    d, k = len(counts.lexicon), len(counts.labels)
    _refuse_too_many(counts)
    a = counts.occurrences / ONE
    elsewhere = np.repeat(counts.by_term(counts.occurrences) / ONE, k).reshape(d, k)
    elsewhere[counts.term, counts.label] -= a
    return elsewhere


def _refuse_too_many(counts: Counts) -> None:
    d, k = len(counts.lexicon), len(counts.labels)
    if d * k > MOST_WEIGHTS:
        raise TooManyWeights(what="the model 'twcnb'", terms=f"{d:,}", labels=f"{k:,}", most=f"{MOST_WEIGHTS:,}")


def _scale(d: float | npt.NDArray[Any], log_sum: Floats, sum_log: Floats, there: npt.NDArray[np.bool_]) -> Floats:
    """N / N_r, from the logarithm of the sum of all b_jr and the sum of their logarithms.

    A term alone is certain under every label: it has no weight. Where there are more, N_r is at least d log d.
    """
    norm = d * log_sum - sum_log
    mean = np.sum(norm, axis=-1, keepdims=True, where=there) / np.maximum(np.sum(there, axis=-1, keepdims=True), 1)
    return np.asarray(np.where(np.asarray(d) > 1, mean / np.where(norm > 0, norm, 1.0), 0.0))


def leave_one_out(
    counts: Counts, rows: Rows, y: Integers, smoothing: Laplace, prior: Prior, *, binary: bool, threads: int = 0
) -> Floats:
    """The scores of each row, of label y[i] and one of those counted, by a scorecard weighed without it."""
    rows = rows.binary() if binary else rows
    left = _LeftOut(counts, smoothing, prior)
    step = max(1, NUMBERS_AT_ONCE // max(1, len(counts.labels)))
    parts = (slice(start, start + step) for start in range(0, len(rows), step))
    scores = [left.scores(rows.part(part), y[part], threads) for part in parts]
    return np.vstack(scores) if scores else np.empty((0, len(counts.labels)))


class _LeftOut:
    """What all documents that leave have in common: what b_jr is made of, with n - 1."""

    def __init__(self, counts: Counts, smoothing: Laplace, prior: Prior) -> None:
        _refuse_too_many(counts)
        self.labels, self.documents, self.prior = counts.labels, counts.documents, prior
        n, m_j = counts.documents.sum() - 1, counts.by_term(counts.presences)
        self.d, self.is_gone = len(m_j), m_j == 1
        # A term that all documents have changes with each of them: any number will do that is taken away again.
        idf = np.log(np.maximum(n / m_j, 1.0)) / ONE
        left = np.where(self.is_gone, -1.0, np.log(n / np.maximum(m_j - 1, 1)) / ONE)
        postings = (counts.indptr, counts.label, counts.occurrences)
        self.masses = (*postings, idf, left, smoothing.gamma, len(self.labels))

    def scores(self, rows: Rows, y: Integers, threads: int) -> Floats:
        """The scores of some rows."""
        leaving = (rows.indptr, rows.term, rows.count, amounts(rows), y.astype(np.uint32))
        (sum_b, sum_log), changes = _core.changes_elsewhere(self.masses, leaving, threads)
        more_b, more_log, own_log = changes.transpose(1, 0, 2)
        words, gone_words, gone = (of[:, None] for of in rows.lengths(self.is_gone))
        log_sum = log_mass(sum_b + more_b)
        n_r = self.documents - (np.arange(len(self.labels)) == y[:, None])
        found = _scale(self.d - gone, log_sum, sum_log + more_log, n_r > 0) * ((words - gone_words) * log_sum - own_log)
        return np.where(n_r > 0, found + self.prior.log(self.labels, n_r), -np.inf)
