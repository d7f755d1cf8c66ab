"""A formula's numbers -> a scorecard, or the scores of leave-one-out: the same formula for both.

Every model of the family says, from the totals of the counts, for each label r

    score_r = bias_r + sum_j z_j (unseen_r + g_j log((1 + a_jr gain_r s_j) ((w + rest_r) / (w - a_jr + rest_r))^power))

where a_jr is nu_jr less a discount, and 0 where the label has not shown the term, so that only postings count. w is n_r
or nu_j, s_j is 1 or 1/nu_j, and g_j is 1 or says how much the term tells. A summand that is the same for every label is
left out: it changes no posterior. Weighed with the totals of all documents, this is a scorecard. With totals that each
lack one document, it gives the score of that document by a model trained without it: what changes for all labels is in
the totals, and what changes in a_jr is only the own label's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts, looked_up
from ..deleted import Shown
from ..rows import Rows
from ..scorecard import Scorecard
from ..totals import LeftOut, Totals, Whole

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NUMBERS_AT_ONCE = 1 << 22  # scores of leave-one-out; with what it takes to make them, some hundred megabytes
NONE = np.empty(0)
NOTHING = 1e-9  # what rounding may leave of it
NO_HALVES = np.empty(0, np.int64)
DOUBT = 10.0  # how many occurrences of a term must speak before they are believed


@dataclass(frozen=True, eq=False)
class Formula:
    """The numbers of a formula, by line (of all documents, or of all but one) and label.

    Where `unseen` is minus infinity, a label cannot have a term that it has not shown, and one that it has shown adds
    log(a_jr gain_r s_j). g_j is 1 where `eta` is 0. With `shown`, of each posting, and `own`, of each entry that a
    document leaves in its own label, a term that was shown adds log(floor + amount gain_r).
    """

    bias: Floats
    unseen: Floats
    gain: Floats
    by_collection: bool = False  # s_j is 1/nu_j
    discount: float = 0.0
    rest: Floats | None = None
    is_of_term: bool = False  # w is nu_j, not n_r
    power: float = 1.0
    eta: float = 0.0
    shown: Shown | None = None
    own: Shown | None = None

    @property
    def is_strict(self) -> bool:
        return bool(np.isneginf(self.unseen).all())

    def amount(self, nu_jr: Integers) -> Floats:
        """a_jr."""
        return np.where(nu_jr > 0, nu_jr - self.discount, 0.0)

    def beyond(self, a: Floats, gain: Floats, s: Floats, w: Floats | Integers, rest: Floats) -> Floats:
        """What a term that a label has shown adds beyond one that it has not, but for its g_j."""
        if self.is_strict:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(a * gain * s))
        part = 0.0 if self.rest is None else self.power * (np.log(w + rest) - np.log(w - a + rest))
        return np.asarray(np.log1p(a * gain * s) + part)


Of = Callable[[Totals], Formula]


def weigh(counts: Counts, of: Of, *, binary: bool) -> Scorecard:
    """The scorecard of some counts by a formula."""
    whole = Whole(counts, binary=binary)
    formula = of(whole)
    k = len(counts.labels)
    bias, unseen = (np.array(np.broadcast_to(numbers, (1, k))[0]) for numbers in (formula.bias, formula.unseen))
    weight = _weights(formula, whole)
    weight.flags.writeable = False
    return Scorecard(counts.labels, counts.lexicon, bias, unseen, counts.indptr, counts.label, weight, binary)


def _weights(formula: Formula, whole: Whole) -> Floats:
    counts, k = whole.counts, len(whole.counts.labels)
    none, one = np.zeros(1), np.ones(1)
    if formula.shown is not None:
        return formula.shown.log(np.broadcast_to(formula.gain, (1, k))[0][counts.label])
    if formula.gain.size == 1 and formula.rest is None and not formula.by_collection:  # the same for the same count
        gain = formula.gain[0]
        return looked_up(lambda nu: formula.beyond(formula.amount(nu), gain, one, none, none), whole.nu_jr)
    gain = np.broadcast_to(formula.gain, (1, k))[0][counts.label]
    rest = none if formula.rest is None else np.broadcast_to(formula.rest, (1, k))[0][counts.label]
    of_term = whole.nu_j[counts.term] if formula.by_collection or formula.is_of_term else one
    w = of_term if formula.is_of_term else whole.n_r[0][counts.label]
    s = 1 / of_term if formula.by_collection else one
    weights = formula.beyond(formula.amount(whole.nu_jr), gain, s, w, rest)
    return weights * (worth(whole) ** formula.eta)[counts.term] if formula.eta else weights


def worth(whole: Whole) -> Floats:
    """How much each term tells of labels: g_j.

        g_j = sum_r nu_jr/nu_j log(((nu_jr - 1)+ + a q_r) / ((nu_j - 1)+ + a) / q_r),     q_r = nu_r/nu,  a = 10

    The mean, over its occurrences, of the logarithm of how much more probable the term's *other* occurrences make the
    label of one; 0 where that is negative, as it is for a term that occurs once.
    """
    counts, nu_jr, nu_j = whole.counts, whole.nu_jr, whole.nu_j
    q = (whole.nu_r / np.maximum(whole.nu, 1))[0][counts.label]
    logs = np.log((np.maximum(nu_jr - 1, 0) + DOUBT * q) / q)
    g = counts.by_term(nu_jr * logs) / nu_j - np.log(np.maximum(nu_j - 1, 0) + DOUBT)
    return np.where(g > NOTHING, g, 0.0)


def worth_of(nu_jr: Integers, q: Floats) -> Floats:
    """The same of entries, entries x labels: each has nu_jr of its own, and q_r where a label is there."""
    nu_j = nu_jr.sum(axis=1)
    some = np.where(q > 0, q, 1.0)
    logs = np.log((np.maximum(nu_jr - 1, 0) + DOUBT * some) / some)
    g = (nu_jr * logs).sum(axis=1) / np.maximum(nu_j, 1) - np.log(np.maximum(nu_j - 1, 0) + DOUBT)
    return np.where(g > NOTHING, g, 0.0)


def leave_one_out(
    counts: Counts, rows: Rows, y: Integers, of: Of, *, binary: bool, threads: int = 0, half: Integers = NO_HALVES
) -> Floats:
    """The scores of each row, of label y[i] and one of those counted, by a scorecard weighed without it."""
    whole = Whole(counts, binary=binary)
    step = max(1, NUMBERS_AT_ONCE // max(1, len(counts.labels)))
    parts = (slice(start, start + step) for start in range(0, len(rows), step))
    scores = [_left_out(LeftOut(whole, rows.part(part), y[part], half[part]), of, threads) for part in parts]
    return np.vstack(scores) if scores else np.empty((0, len(counts.labels)))


def _left_out(left: LeftOut, of: Of, threads: int) -> Floats:
    formula = of(left)
    scores = _core.beyond(_task(formula, left), threads)
    if not formula.is_strict:
        scores += left.length * formula.unseen
    return np.where(left.n_r > 0, scores + formula.bias, -np.inf)


@dataclass(eq=False)
class _Task:
    """What the core takes; see `crates/deciban-core/src/left_out.rs`."""

    indptr: Integers
    label: npt.NDArray[np.uint32]
    amount: Floats
    discount: float
    floor: Floats
    all: Floats
    gain: Floats
    by_collection: bool
    whole: Floats
    rest: Floats
    power: float
    seen: Floats
    doubt: float
    eta: float
    labels: int
    strict: bool
    row_indptr: Integers
    row_term: npt.NDArray[np.uint32]
    row_count: Integers
    own: npt.NDArray[np.uint32]
    own_floor: Floats
    own_amount: Floats


def _task(formula: Formula, left: LeftOut) -> _Task:
    """What is to be added up for all labels of each row."""
    counts, k = left.whole.counts, len(left.whole.counts.labels)
    floor, amount = formula.shown or (NONE, left.whole.nu_jr.astype(np.float64))
    own_floor, own_amount = formula.own or (NONE, NONE)

    def by_label(numbers: Floats) -> Floats:
        return np.ascontiguousarray(np.broadcast_to(numbers, (len(numbers), k)), np.float64)

    return _Task(
        indptr=counts.indptr,
        label=counts.label,
        amount=amount,
        discount=formula.discount,
        floor=floor,
        all=left.whole.nu_j.astype(np.float64),
        gain=by_label(formula.gain),
        by_collection=formula.by_collection,
        whole=NONE if formula.rest is None or formula.is_of_term else left.n_r.astype(np.float64),
        rest=NONE if formula.rest is None else by_label(formula.rest),
        power=formula.power,
        seen=left.whole.nu_r[0].astype(np.float64) if formula.eta else NONE,
        doubt=DOUBT,
        eta=formula.eta,
        labels=k,
        strict=formula.is_strict,
        row_indptr=left.rows.indptr,
        row_term=left.rows.term,
        row_count=left.rows.count,
        own=left.y.astype(np.uint32),
        own_floor=own_floor,
        own_amount=own_amount,
    )
