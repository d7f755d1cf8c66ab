"""Texts and labels -> how probable each label is of each text, by models that have not seen the text.

Up to four models look at all texts, and none of them is judged by what it has learnt itself:

    multinomial   words, once a text; Laplace                     exact leave-one-out, from the rows
    ratio         words, once a text; ratios of counts, shrunk    the same, from the counts
    runs          runs of two words, as multinomial               the same, in buckets by a hash of both words
    logistic      tf-idf of words, of length 1; C = 1             three folds; of two labels, or little to read

Naive Bayes takes every word for news, and is the surer the longer a text is: its scores are divided by the root of the
number of terms. They are added up, each as sure as it has been right about texts that it had not seen:

    p(r | i) = softmax_r sum_m a_m s_m(i, r),     a_m >= 0 with the greatest sum_i log p(y_i | i)      by Newton's steps

Few numbers are fit to many texts, so that p is held out as well, and calibrated. The fitted model is one problem of two
labels, and tells more than the others do; of more labels it is as many problems, and of many texts it tells next to
nothing. Where texts and labels are very many, the second does alone, without heeding how much each word tells of
labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts, count
from ..rows import Rows, rows
from ..settings import Settings
from ..terms import Terms
from ..weighing import leave_one_out, log_prior_of
from ..weighing.formula import DOUBT

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

RATIO = Settings(model="ratio", binary=True)
MANY = replace(RATIO, term_weight=0.0)  # of very many labels: how much terms tell takes long
MOST_WORK, MOST_LABELS = 1 << 28, 256  # entries x labels, and labels, of which all models have a look
LITTLE_WORK = 1 << 20  # entries x labels, of which a model is fit in no time
AT_ONCE = 1 << 22  # scores
SAMPLE = 1 << 14  # scores by which models are weighed
STEPS, NEAR, RIDGE, LEAST_STEP = 30, 1e-6, 1e-6, 1e-3
LOWEST = -1e3  # in the place of minus infinity: a label that leaves with its only text


class Buckets(NamedTuple):
    """Rows of the runs of two words that two texts have: where each begins, numbers of buckets, of how many."""

    indptr: Integers
    term: npt.NDArray[np.uint32]
    terms: int


class Judged(NamedTuple):
    """Of each text the log probability of its own label, the most probable label, and that one's log probability."""

    own: Floats
    best: Integers
    of_best: Floats


class Shown(NamedTuple):
    """Rows of words in the order in which texts show them first: where each begins, terms, how often."""

    indptr: Integers
    term: npt.NDArray[np.uint32]
    times: npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Views:
    """What models see of texts with labels y: counts and rows of words, and runs of two, unless labels are many."""

    counts: Counts
    shown: Shown
    runs: Buckets | None
    y: Integers
    threads: int = 0

    @classmethod
    def of(cls, texts: Any, labels: list[str], threads: int = 0) -> Views:
        """What there is to see of labelled texts; all of it in one reading, unless labels are many.

        >>> found = Views.of(["so far so good", "so far", "far"], ["x", "y", "x"])
        >>> found.counts.lexicon.names(), found.shown.term.tolist(), found.rows.term.tolist(), found.runs.terms
        (['far', 'good', 'so'], [2, 0, 1, 2, 0, 0], [0, 1, 2, 0, 2, 0], 1)
        """
        names = sorted(set(labels))
        number = {label: r for r, label in enumerate(names)}
        y = np.array([number[label] for label in labels], np.int64)
        if len(names) > MOST_LABELS:
            counts = count(Terms(), texts, labels, threads)
            found = rows(counts.lexicon, texts, threads)
            return cls(counts, Shown(found.indptr, found.term, found.count.astype(np.int32)), None, y, threads)
        buffers, words, runs = _core.words_and_runs(Terms().core, texts, y.astype(np.uint32), len(names), threads)
        return cls(Counts.of_buffers(Terms(), names, buffers), Shown(*words), Buckets(*runs), y, threads)

    @property
    def labels(self) -> int:
        return len(self.counts.labels)

    @cached_property
    def rows(self) -> Rows:
        """The rows of words, for those who ask for increasing terms."""
        return Rows(*_core.sorted_rows(*self.shown))

    @cached_property
    def is_large(self) -> bool:
        """Whether one model alone has a look."""
        return self.runs is None or len(self.shown.term) * self.labels > MOST_WORK

    @cached_property
    def all_scores(self) -> Floats:
        """What each model (first axis) scores each label of each text (last axis), less the greatest of the text."""
        return np.stack([_below(scores) for scores in self._models()])

    def _models(self) -> Iterator[Floats]:
        yield from self._of_words()
        if self.runs is not None:
            yield self._of_presences(*self.runs)
        if self.labels == 2 or len(self.shown.term) * self.labels <= LITTLE_WORK:
            from .fitted import held_out

            yield held_out(self.counts, self.rows, self.y, self.threads)

    def _of_words(self) -> tuple[Floats, Floats]:
        """The first two models: side by side, where the core can."""
        counts, own, entries = self.counts, self.y.astype(np.uint32), self.shown[:2]
        postings = (counts.indptr, counts.label, counts.presences)
        both = _core.both_left_out(postings, entries, own, self.labels, _numbers(RATIO), self.threads)
        if both is None:
            presences = self._of_presences(*entries, len(counts.lexicon))
            return presences, self._of_ratios(self.rows, self.y, RATIO)
        left = counts.documents - np.eye(self.labels, dtype=np.int64)
        bias = log_prior_of(counts.labels, left, RATIO)
        root = _root(self.shown.indptr)
        return both[0] / root, (both[1] + bias[self.y]) / root

    def _of_presences(self, indptr: Integers, term: npt.NDArray[np.uint32], terms: int) -> Floats:
        own = self.y.astype(np.uint32)
        return _core.presences_left_out((indptr, term), own, terms, self.labels, self.threads) / _root(indptr)

    def _of_ratios(self, found: Rows, y: Integers, settings: Settings) -> Floats:
        scores = leave_one_out(self.counts, found, y, replace(settings, threads=self.threads or None))
        return np.asarray(scores / _root(found.indptr))

    def scores(self, places: Integers) -> Floats:
        """The same of texts at some places, which rise; of large sets by one model."""
        if self.is_large:
            return _below(self._of_ratios(self.rows.some(places), self.y[places], MANY))[None]
        return self.all_scores if len(places) == len(self.y) else self.all_scores[:, :, places]


def _numbers(of: Settings) -> tuple[float, float, float, float, float]:
    """Those of the ratio model, as the core asks for them."""
    power, rest, eta = (float(number) for number in (of.complement_weight, of.complement_alpha, of.term_weight))
    return (1 - of.strength) / of.strength, power, rest, DOUBT, eta


def judged(of: Views) -> Judged:
    """What the models say together of each text. Texts are along the last axis: so sums over labels are quick."""
    n, step = len(of.y), max(1, AT_ONCE // of.labels)
    chosen = _sample(n, SAMPLE // of.labels)
    weights = _weighed(of.scores(chosen), of.y[chosen])
    parts = [np.arange(start, min(start + step, n)) for start in range(0, n, step)]
    found = [_of(np.tensordot(weights, of.scores(places), 1), of.y[places]) for places in parts]
    return Judged(*map(np.concatenate, zip(*found, strict=True)))


def _of(scores: Floats, y: Integers) -> Judged:
    log_p = scores - scores.max(axis=0)
    log_p -= np.log(np.exp(log_p).sum(axis=0))
    texts, best = np.arange(len(y)), log_p.argmax(axis=0)
    return Judged(log_p[y, texts], best, log_p[best, texts])


def _below(scores: Floats) -> Floats:
    """Less the greatest, labels x texts."""
    by_label = np.ascontiguousarray(scores.T)
    by_label -= by_label.max(axis=0)
    return np.asarray(np.maximum(by_label, LOWEST, out=by_label))


def _root(indptr: Integers) -> Floats:
    return np.asarray(np.sqrt(np.maximum(np.diff(indptr), 1))[:, None])


def _sample(texts: int, most: int) -> Integers:
    """The places of texts from all over, at most so many."""
    n = min(max(most, 2), texts)
    return np.arange(n) * texts // n


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
    a, texts = np.full(len(z), 1.0 / len(z)), np.arange(len(y))
    own = z[:, y, texts]
    loss, p = _loss(a, z, own)
    for _ in range(STEPS):
        likely = p * z
        mean = likely.sum(axis=1)
        slope = (mean - own).sum(axis=1)
        curve = _products(likely, z) - mean @ mean.T
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


def _products(some: Floats, others: Floats) -> Floats:
    """The sum of all products, of each of the first axis with each."""
    return np.asarray(some.reshape(len(some), -1) @ others.reshape(len(others), -1).T)


def _loss(a: Floats, z: Floats, own: Floats) -> tuple[float, Floats]:
    """Minus the log probability of all labels, and the probabilities."""
    scores = (a @ z.reshape(len(z), -1)).reshape(z.shape[1:])
    highest = scores.max(axis=0)
    p = np.exp(scores - highest)
    total = p.sum(axis=0)
    return float((highest + np.log(total)).sum() - (a @ own).sum()), p / total
