"""Counts of several labels -> a scorecard of log-odds, in closed form: each label against its complement.

For label r, with nu_jr how often term j stands in its texts, nu_j in all texts, and V terms in all,

    q_jr = (nu_jr + alpha) / (nu_r + alpha V),     the die of the label           Aggarwal 5.20; Zhu 15
    c_jr = (nu_j - nu_jr + alpha) / (nu - nu_r + alpha V),     that of all other texts
    z_r = log((n_r + 1/2) / (n - n_r + 1/2)) + sum_j x_j log(q_jr / c_jr)         Zhu 16-18, of r against not r

The column of `EVERY` takes what is the same for all labels, sum_j x_j log(nu_j + alpha), so that only postings are
kept, and z_r is the score of r less that of `EVERY`. With `binary`, x_j is 1 and nu are numbers of texts.

`left_out` has the same z of each text by the counts without it: where the text has the label, the label's die loses it,
where not, that of the others; a term that no other text has leaves V.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..scorecard import Scorecard

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
HALF = 0.5
AT_ONCE = 1 << 22  # postings


class Totals(NamedTuple):
    """nu_jr of each posting, nu_j, nu_r, n_r and V."""

    jr: Integers
    j: Integers
    r: Integers
    n: Integers
    terms: int


def totals(counts: Counts, *, binary: bool) -> Totals:
    """What the dice are made of."""
    jr = counts.presences if binary else counts.occurrences
    j = np.zeros(len(counts.lexicon), np.int64)
    of_every = counts.label == 0
    j[counts.term[of_every]] = jr[of_every]
    return Totals(jr, j, counts.by_label(jr), counts.documents, max(len(counts.lexicon), 1))


def weigh(counts: Counts, alpha: float, *, binary: bool) -> Scorecard:
    """The scorecard.

    >>> from deciban.settings import Settings
    >>> from deciban.several.counting import count
    >>> counts = count(Settings(), ["wheat rises", "corn falls", "hello"], [("grain",), ("grain",), ()])
    >>> card = weigh(counts, 1.0, binary=False)
    >>> scores = card.scores(["wheat", "hello"])
    >>> (scores[:, 1] - scores[:, 0]).round(2).tolist()      # of grain against not grain
    [0.8, -0.59]
    """
    jr, j, r, n, terms = totals(counts, binary=binary)
    prior = np.log(n + HALF) - np.log(n[0] - n + HALF)
    absent = np.log(alpha) - np.log(r + alpha * terms) + np.log(r[0] - r + alpha * terms)
    of_term = j[counts.term]
    weight = np.log(jr + alpha) - np.log(alpha) - np.log(of_term - jr + alpha) + np.log(of_term + alpha)
    of_every = counts.label == 0
    prior[0] = absent[0] = 0.0
    weight[of_every] = np.log(of_term[of_every] + alpha)
    buffers = (counts.indptr, counts.label, weight)
    return Scorecard(counts.labels, counts.lexicon, prior, absent, *buffers, binary)


def left_out(counts: Counts, rows: Rows, has: npt.NDArray[np.bool_], alpha: float, *, binary: bool) -> Floats:
    """z of each text (row) and label (column, without `EVERY`), by the counts without the text; `has` says which are
    its own. Minus infinity for a label that no other text has.
    """
    rows = rows.binary() if binary else rows
    of = totals(counts, binary=binary)
    size = np.concatenate([[0], np.cumsum(np.diff(counts.indptr)[rows.term])])[rows.indptr]
    parts = np.searchsorted(size, np.arange(0, size[-1] + AT_ONCE, AT_ONCE)).clip(max=len(rows))
    bounds = sorted({0, *parts.tolist(), len(rows)})
    found = [
        _left_out(counts, of, rows.part(slice(start, end)), has[start:end], alpha) for start, end in pairwise(bounds)
    ]
    return np.vstack(found) if found else np.empty((0, len(counts.labels) - 1))


def _left_out(counts: Counts, of: Totals, rows: Rows, has: npt.NDArray[np.bool_], alpha: float) -> Floats:
    gone = of.j[rows.term] == rows.count  # terms that no other text has: they are known no more
    terms = of.terms - np.bincount(rows.row, gone, len(rows))[:, None]
    all_words = np.bincount(rows.row, rows.count, len(rows))[:, None].astype(np.int64)
    rows = rows.without(gone)
    k, x = len(counts.labels), rows.count
    own = np.concatenate([np.ones((len(rows), 1), np.bool_), has], axis=1)
    times = np.diff(counts.indptr)[rows.term]
    entry = np.repeat(np.arange(len(x)), times)
    posting = np.arange(times.sum()) + np.repeat(counts.indptr[rows.term] - np.cumsum(times) + times, times)
    label, row, less = counts.label[posting], rows.row[entry], x[entry]
    jr, rest = of.jr[posting], of.j[rows.term][entry] - less  # of all but this text
    is_own = own[row, label]
    here, there = np.where(is_own, jr - less, jr), np.where(is_own, rest + less - jr, rest - jr)
    there[label == 0] = 0
    beyond = np.log(here + alpha) - np.log(alpha) - np.log(there + alpha) + np.log(rest + alpha)
    z = np.bincount(row * k + label, beyond * less, len(rows) * k).reshape(len(rows), k).astype(np.float64)
    words = np.bincount(rows.row, x, len(rows))[:, None]
    unseen = np.log(alpha) - np.log(of.j[rows.term] - x + alpha)
    z += np.bincount(rows.row, unseen * x, len(rows))[:, None]
    mine, others = of.r - own * all_words, of.r[0] - of.r - ~own * all_words
    dice = np.maximum(alpha * terms, alpha)  # where no term is left, no word is
    z += words * (np.log(np.maximum(others, 0) + dice) - np.log(mine + dice))
    n_r, n_not = of.n - own, of.n[0] - of.n - ~own
    z += np.log(n_r + HALF) - np.log(n_not + HALF)
    return np.asarray(np.where(n_r > 0, z, -np.inf)[:, 1:])


def indicator(sets: Sequence[Sequence[str]], labels: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which texts (rows) have which labels (columns); labels that are not there are passed over.

    >>> indicator([("a", "c"), ()], ["a", "b"]).tolist()
    [[True, False], [False, False]]
    """
    number = {label: r for r, label in enumerate(labels)}
    has = np.zeros((len(sets), len(labels)), np.bool_)
    for row, of in enumerate(sets):
        has[row, [number[label] for label in of if label in number]] = True
    return has
