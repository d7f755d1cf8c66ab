"""A formula's numbers -> a scorecard, or the scores of leave-one-out: the same formula for both.

Every model of the family says, from the totals of the counts, for each label r

    score_r = bias_r + sum_j z_j (unseen_r + log((1 + a_jr gain_r s_j) / (1 - a_jr loss_r t_j)))

where a_jr is nu_jr less a discount, and 0 where the label has not shown the term, so that only postings count. s_j and
t_j are functions of nu_j. A summand that is the same for every label is left out: it changes no posterior. Weighed with
the totals of all documents, this is a scorecard. With totals that each lack one document, it gives the score of that
document by a model trained without it: what changes for all labels is in the totals, and what changes in a_jr is only
the own label's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts
from ..rows import Rows
from ..scorecard import Scorecard
from ..totals import LeftOut, Totals, Whole

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NUMBERS_AT_ONCE = 1 << 22  # scores of leave-one-out; with what it takes to make them, some hundred megabytes
NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class Formula:
    """The numbers of a formula, by line (of all documents, or of all but one) and label.

    Without `s` and `t` the s_j and t_j are 1. Where `unseen` is minus infinity, a label cannot have a term that it has
    not shown, and one that it has shown adds log(a_jr gain_r s_j).
    """

    bias: Floats
    unseen: Floats
    gain: Floats
    loss: Floats | None = None
    s: Callable[[Integers], Floats] | None = None
    t: Callable[[Integers], Floats] | None = None
    discount: float = 0.0

    @property
    def is_strict(self) -> bool:
        return bool(np.isneginf(self.unseen).all())

    def amount(self, nu_jr: Integers) -> Floats:
        """a_jr."""
        return np.where(nu_jr > 0, nu_jr - self.discount, 0.0)

    def beyond(self, a: Floats, gain: Floats, loss: Floats, s: Floats, t: Floats) -> Floats:
        """What a term that a label has shown adds beyond one that it has not."""
        if self.is_strict:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(a * gain * s))
        return np.asarray(np.log1p(a * gain * s) - np.log1p(-a * loss * t))


Of = Callable[[Totals], Formula]


def weigh(counts: Counts, of: Of, *, binary: bool) -> Scorecard:
    """The scorecard of some counts by a formula."""
    whole = Whole(counts, binary=binary)
    formula = of(whole)
    k = len(counts.labels)
    bias, unseen = (np.broadcast_to(numbers, (1, k))[0] for numbers in (formula.bias, formula.unseen))
    weight = _weights(formula, whole)
    return Scorecard(counts.labels, counts.lexicon, bias, unseen, counts.indptr, counts.label, weight, binary)


def _weights(formula: Formula, whole: Whole) -> Floats:
    counts, k = whole.counts, len(whole.counts.labels)
    one = np.ones(1)
    if formula.gain.size == 1 and formula.loss is None and formula.s is None:  # the same for the same count
        gain, none = formula.gain[0], np.zeros(1)
        return _looked_up(lambda nu: formula.beyond(formula.amount(nu), gain, none, one, one), whole.nu_jr)
    by_label = (np.zeros((1, k)) if numbers is None else numbers for numbers in (formula.gain, formula.loss))
    gain, loss = (np.broadcast_to(numbers, (1, k))[0][counts.label] for numbers in by_label)
    s, t = (one if f is None else f(whole.nu_j)[counts.term] for f in (formula.s, formula.t))
    return formula.beyond(formula.amount(whole.nu_jr), gain, loss, s, t)


def _looked_up(of: Callable[[Integers], Floats], nu: Integers) -> Floats:
    """A function of counts, which repeat: worked out for each that there can be, looked up for each that there is."""
    most = int(nu.max(initial=0))
    return of(nu) if most >= nu.size else np.asarray(of(np.arange(most + 1))[nu])


def leave_one_out(counts: Counts, rows: Rows, y: Integers, of: Of, *, binary: bool, threads: int = 0) -> Floats:
    """The scores of each row, of label y[i] and one of those counted, by a scorecard weighed without it."""
    whole = Whole(counts, binary=binary)
    step = max(1, NUMBERS_AT_ONCE // max(1, len(counts.labels)))
    parts = (slice(start, start + step) for start in range(0, len(rows), step))
    scores = [_left_out(LeftOut(whole, rows.part(part), y[part]), of, threads) for part in parts]
    return np.vstack(scores) if scores else np.empty((0, len(counts.labels)))


def _left_out(left: LeftOut, of: Of, threads: int) -> Floats:
    formula = of(left)
    s, t = (NONE if f is None else f(left.nu_j) for f in (formula.s, formula.t))
    scores = _others(formula, left, s, t, threads)
    rows = np.arange(len(left.y))
    scores[rows, left.y] = np.bincount(left.row, left.rows.count * _own(formula, left, s, t), len(rows))
    length = np.bincount(left.row, left.rows.count, len(rows))[:, None]
    if not formula.is_strict:
        scores += length * formula.unseen
    return np.where(left.n_r > 0, scores + formula.bias, -np.inf)


def _others(formula: Formula, left: LeftOut, s: Floats, t: Floats, threads: int) -> Floats:
    """What the terms of each row add to the labels that its document is not of."""
    counts, k = left.whole.counts, len(left.whole.counts.labels)
    gain = np.ascontiguousarray(np.broadcast_to(formula.gain, (len(formula.gain), k)))
    loss = NONE if formula.loss is None else np.broadcast_to(formula.loss, (len(formula.loss), k))
    a = formula.amount(left.whole.nu_jr)
    numbers = (counts.indptr, counts.label, a, NONE, gain, np.ascontiguousarray(loss), k, formula.is_strict)
    own = left.y.astype(np.uint32)
    return _core.beyond(numbers, (left.rows.indptr, left.rows.term, left.rows.count, s, t, own), threads)


def _own(formula: Formula, left: LeftOut, s: Floats, t: Floats) -> Floats:
    """What each entry adds to the label of its row, which has lost it as often as it stands there."""
    a = formula.amount(left.own_nu)
    at = (left.row, left.y[left.row])
    shape = left.own.shape
    gain = np.broadcast_to(formula.gain, shape)[at]
    loss = np.zeros(1) if formula.loss is None else np.broadcast_to(formula.loss, shape)[at]
    one = np.ones(1)
    return formula.beyond(a, gain, loss, s if s.size else one, t if t.size else one)
