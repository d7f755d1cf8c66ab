"""Texts and labels -> how probable each label is of each text, by models that have not seen the text.

Four models look at all texts, and none of them is judged by what it has learnt itself:

    multinomial   words, once a text; Laplace                     exact leave-one-out, from the counts
    ratio         words, once a text; ratios of counts, shrunk    the same
    runs          runs of two words, as multinomial               the same, in buckets by the hash of their names
    logistic      tf-idf of words, of length 1; C = 1             five folds, by the core's solver

Naive Bayes takes every word for news, and is the surer the longer a text is: its scores are divided by the root of the
number of terms. They are added up, each as sure as it has been right about texts that it had not seen:

    p(r | i) = softmax_r sum_m a_m s_m(i, r),     a_m >= 0 with the greatest sum_i log p(y_i | i)      by Newton's steps

Few numbers are fit to many texts, so that p is held out as well, and calibrated. Models that tell nothing beyond the
others, by a sample of the texts, are not asked of all. Where texts and labels are very many,
the second does alone, without heeding how much each word tells of labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts
from ..fitting import committee, members
from ..fitting.members import Labelled, Member
from ..fitting.seen import Sight, see
from ..rows import Rows
from ..settings import Settings
from ..terms import Terms
from ..weighing import leave_one_out

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

COUNTED = (Settings(binary=True), Settings(model="ratio", binary=True))
MANY = (Settings(model="ratio", binary=True, term_weight=0.0),)  # of very many labels: how much terms tell takes long
FITTED = Member("words, logistic", Sight(), "logistic", c=1.0)
TWO, RUNS = Terms(words=(2, 2)), Terms(words=(2, 2), hash_bits=31)
BUCKETS = 1 << 22
FOLDS = 5
MOST_WORK, MOST_LABELS = 1 << 28, 256  # entries x labels, and labels, of which a model is fit in a few seconds
AT_ONCE = 1 << 22  # scores
SAMPLE = 1 << 19  # scores by which models are weighed
FIRST = 1 << 12  # texts by which it is seen which models tell anything
STEPS, NEAR, RIDGE, LEAST_STEP = 30, 1e-6, 1e-6, 1e-3
LOWEST = -1e3  # in the place of minus infinity: a label that leaves with its only text


class Judged(NamedTuple):
    """Of each text the log probability of its own label, the most probable label, and that one's log probability."""

    own: Floats
    best: Integers
    of_best: Floats


@dataclass(frozen=True, eq=False)
class Views:
    """What models see of texts with labels y; rows and counts are of their words."""

    texts: list[str]
    counts: Counts
    rows: Rows
    y: Integers
    threads: int = 0

    @property
    def labels(self) -> int:
        return len(self.counts.labels)

    @cached_property
    def is_large(self) -> bool:
        """Whether only models of words that were counted have a look."""
        return len(self.rows.term) * self.labels > MOST_WORK or self.labels > MOST_LABELS

    @cached_property
    def fitted(self) -> Floats:
        """The held-out scores of the logistic model."""
        of = Labelled(self.y, self.labels, np.ones(len(self.y)))
        seen = see(self.rows, self.counts, FITTED.sight)
        folds = committee.folds_of(self.y, FOLDS)
        return np.asarray(members.held_out(FITTED, seen, of, folds, [FITTED.c], self.threads)[0])

    @cached_property
    def runs(self) -> tuple[Counts, Rows]:
        """Runs of two words: those whose bucket two texts have."""
        indptr, bucket, _ = _core.hashed(TWO.core, self.texts, BUCKETS, False, False, self.threads)
        is_kept = np.bincount(bucket, minlength=BUCKETS) > 1
        has = is_kept[bucket]
        number = np.cumsum(is_kept, dtype=np.uint32) - np.uint32(1)
        term = number[bucket[has]]
        rows = Rows(np.concatenate([[0], np.cumsum(has)])[indptr], term, np.ones(len(term), np.int64))
        return _counted(rows, self.y, self.counts.labels, int(is_kept.sum())), rows

    @property
    def models(self) -> tuple[Callable[[Integers], Floats], ...]:
        """What each model scores texts at some places, that it has not seen."""
        words = [partial(self._of_words, settings) for settings in (MANY if self.is_large else COUNTED)]
        return tuple(words) if self.is_large else (*words, self._of_runs, lambda places: self.fitted[places])

    def _of_words(self, settings: Settings, places: Integers) -> Floats:
        return _left_out(self.counts, _some(self.rows, places), self.y[places], settings, self.threads)

    def _of_runs(self, places: Integers) -> Floats:
        counts, rows = self.runs
        return _left_out(counts, _some(rows, places), self.y[places], COUNTED[0], self.threads)

    def scores(self, places: Integers, which: Iterable[int]) -> Floats:
        """What some models (first axis) score some texts, less the greatest score of each."""
        found = (self.models[m](places) for m in which)
        return np.stack([np.maximum(of - of.max(axis=1, keepdims=True), LOWEST) for of in found])


def judged(of: Views) -> Judged:
    """What the models say together of each text."""
    step, first = max(1, AT_ONCE // of.labels), _sample(len(of.y), min(SAMPLE // of.labels, FIRST))
    told = _weighed(of.scores(first, range(len(of.models))), of.y[first])
    which = np.flatnonzero(told).tolist()
    chosen = _sample(len(of.y), SAMPLE // of.labels)
    scores = of.scores(chosen, which)
    weights = _weighed(scores, of.y[chosen])
    if len(chosen) == len(of.y):
        return _of(np.tensordot(weights, scores, 1), of.y)
    parts = [np.arange(start, min(start + step, len(of.y))) for start in range(0, len(of.y), step)]
    found = [_of(np.tensordot(weights, of.scores(places, which), 1), of.y[places]) for places in parts]
    return Judged(*map(np.concatenate, zip(*found, strict=True)))


def _of(scores: Floats, y: Integers) -> Judged:
    log_p = scores - scores.max(axis=1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(axis=1, keepdims=True))
    rows, best = np.arange(len(y)), log_p.argmax(axis=1)
    return Judged(log_p[rows, y], best, log_p[rows, best])


def _some(rows: Rows, places: Integers) -> Rows:
    """The rows at some places, which rise; themselves, if those are all."""
    return rows if len(places) == len(rows) else rows.some(places)


def _left_out(counts: Counts, rows: Rows, y: Integers, settings: Settings, threads: int) -> Floats:
    root = np.sqrt(np.maximum(np.diff(rows.indptr), 1))[:, None]
    return np.asarray(leave_one_out(counts, rows, y, replace(settings, threads=threads or None)) / root)


def _counted(rows: Rows, y: Integers, labels: tuple[str, ...], terms: int) -> Counts:
    """The counts of rows of buckets, each once a text."""
    k = len(labels)
    presences = np.bincount(rows.term * np.int64(k) + np.repeat(y, np.diff(rows.indptr)), minlength=terms * k)
    posting = np.flatnonzero(presences)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(posting // k, minlength=terms))])
    documents = np.bincount(y, minlength=k)
    numbers = (documents, indptr, (posting % k).astype(np.uint32), presences[posting], presences[posting].copy())
    return Counts.of_buffers(RUNS, labels, (_core.Lexicon(RUNS.core, *_names(terms)), *numbers))


def _names(n: int) -> tuple[npt.NDArray[np.uint8], Integers]:
    """The names of n buckets, in order, and where each begins."""
    digits, number = np.frombuffer(b"0123456789abcdef", np.uint8), np.arange(n)[:, None]
    start = np.tile(np.frombuffer(b"\th", np.uint8), (n, 1))
    names = np.concatenate([start, digits[(number >> np.arange(28, -1, -4)) & 15]], axis=1)
    return names.ravel(), np.arange(n + 1) * names.shape[1]


def _sample(texts: int, most: int) -> Integers:
    """The places of texts from all over, at most so many."""
    return np.unique(np.linspace(0, texts - 1, min(max(most, 2), texts)).astype(np.int64))


def _weighed(z: Floats, y: Integers) -> Floats:
    """a_m of each model: those that would be negative are left out, one after the other."""
    weights, left = np.zeros(len(z)), np.arange(len(z))
    while len(left):
        found = _newton(z[left], y)
        if (found >= 0).all():
            weights[left] = found
            break
        left = np.delete(left, found.argmin())
    return weights if weights.any() else np.ones(len(z))


def _newton(z: Floats, y: Integers) -> Floats:
    """The a that make the labels y most probable; a step that overshoots is halved."""
    a, rows = np.full(len(z), 1.0 / len(z)), np.arange(len(y))
    own = z[:, rows, y]
    loss, p = _loss(a, z, own)
    for _ in range(STEPS):
        mean = (p * z).sum(axis=2)
        slope = (mean - own).sum(axis=1)
        curve = np.einsum("mik,nik->mn", p * z, z, optimize=True) - mean @ mean.T
        step = np.linalg.solve(curve + RIDGE * (1 + np.trace(curve)) * np.eye(len(z)), slope)
        share = 1.0
        if slope @ step <= NEAR * max(abs(loss), 1.0):
            break
        while (next_ := _loss(a - share * step, z, own))[0] > loss and share > LEAST_STEP:
            share /= 2
        gain, a = loss - next_[0], a - share * step
        loss, p = next_
        if gain <= NEAR * max(abs(loss), 1.0):
            break
    return a


def _loss(a: Floats, z: Floats, own: Floats) -> tuple[float, Floats]:
    """Minus the log probability of all labels, and the probabilities."""
    scores = np.tensordot(a, z, 1)
    highest = scores.max(axis=1, keepdims=True)
    p = np.exp(scores - highest)
    total = p.sum(axis=1, keepdims=True)
    return float((highest + np.log(total)).sum() - (a @ own).sum()), p / total
