"""A formula and a weight for each term -> a scorecard, or the scores of leave-one-out, in which terms count so much.

    score_r = bias_r + sum_j g_j z_j w_jr

where w_jr is what the formula (`formula`) has term j add to label r. Where an unseen term adds something, it then adds
something else to every label for every g_j, so that the scorecard has a weight for every term and label. For
leave-one-out the g_j are given by entry of the rows: those of all texts, or without the text, as all else is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..errors import TooManyWeights
from ..rows import Rows
from ..scorecard import Scorecard
from ..totals import LeftOut, Whole
from .formula import Formula, Of, worth_of

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MOST_WEIGHTS = 1 << 26  # half a gigabyte
NUMBERS_AT_ONCE = 1 << 21  # what entries add to labels


class Added(NamedTuple):
    """Of some rows that are left out: what labels begin with (rows x labels), and what each entry adds."""

    rows: Rows
    bias: Floats
    added: Floats

    def scores(self, g: Floats) -> Floats:
        """The scores, where terms count so much."""
        return self.sums(g[self.rows.term])

    def sums(self, g: Floats) -> Floats:
        """The scores, where entries count so much."""
        scores = self.bias.copy()
        full = np.flatnonzero(np.diff(self.rows.indptr))
        if len(full):
            scores[full] += np.add.reduceat(self.added * g[:, None], self.rows.indptr[full], axis=0)
        return scores


def weigh(card: Scorecard, g: Floats) -> Scorecard:
    """The same scorecard, whose terms count g_j times as much."""
    k, d = len(card.labels), len(card.lexicon)
    if not card.absent.any():
        return replace(card, weight=card.weight * g[card.term])
    _refuse_too_many(d, k)
    weight = np.tile(card.absent, (d, 1))
    weight[card.term, card.label] += card.weight
    weight *= g[:, None]
    places = (np.arange(d + 1) * k, np.tile(np.arange(k, dtype=np.uint32), d))
    return Scorecard(card.labels, card.lexicon, card.bias, np.zeros(k), *places, weight.ravel(), card.binary)


def leave_one_out(counts: Counts, rows: Rows, y: Integers, of: Of, g: Floats, *, binary: bool) -> Floats:
    """The scores of each row, of label y[i] and one of those counted, by a scorecard weighed without it.

    `g` says how much each entry of the rows counts.
    """
    parts, start = [], 0
    for part in added(counts, rows, y, of, binary=binary):
        end = start + len(part.rows.term)
        parts.append(part.sums(g[start:end]))
        start = end
    return np.vstack(parts) if parts else np.empty((0, len(counts.labels)))


def added(counts: Counts, rows: Rows, y: Integers, of: Of, *, binary: bool) -> Iterator[Added]:
    """What the rows that are left out are scored by, as many at a time as memory bears."""
    d, k = len(counts.lexicon), len(counts.labels)
    _refuse_too_many(d, k)
    whole = Whole(counts, binary=binary)
    nu = np.zeros((d, k), np.int64)
    nu[counts.term, counts.label] = whole.nu_jr
    longest = int(np.diff(rows.indptr).max(initial=1))
    step = max(1, NUMBERS_AT_ONCE // max(1, k * max(longest, 1)))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        left = LeftOut(whole, rows.part(part), y[part], np.zeros(0, np.int64))
        yield _added(left, of(left), nu)


def _added(left: LeftOut, formula: Formula, nu: Integers) -> Added:
    rows, whole = left.rows, left.whole
    row, z = rows.row, rows.count
    a = nu[rows.term]
    a[np.arange(len(z)), left.y[row]] -= z
    of_term = np.maximum(whole.nu_j[rows.term] - z, 1)[:, None]

    def by_row(numbers: Floats) -> Floats:
        return numbers[row] if len(numbers) > 1 else numbers

    rest = np.zeros((1, 1)) if formula.rest is None else by_row(formula.rest)
    w = of_term if formula.is_of_term else left.n_r[row]
    s = 1 / of_term if formula.by_collection else np.ones((1, 1))
    beyond = formula.beyond(formula.amount(a), by_row(formula.gain), s, w, rest)
    if formula.eta:
        beyond *= worth_of(a, by_row(left.nu_r / np.maximum(left.nu, 1)))[:, None] ** formula.eta
    more = by_row(formula.unseen) + beyond
    is_gone = (whole.m_j == 1)[rows.term]
    more = np.where(is_gone[:, None], 0.0, more * z[:, None])
    bias = np.where(left.n_r > 0, np.broadcast_to(formula.bias, left.n_r.shape), -np.inf)
    return Added(rows, bias, more)


def _refuse_too_many(d: int, k: int) -> None:
    if d * k > MOST_WEIGHTS:
        raise TooManyWeights(
            what="a model with term weights", terms=f"{d:,}", labels=f"{k:,}", most=f"{MOST_WEIGHTS:,}"
        )
