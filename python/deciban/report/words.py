"""What the model goes by: the strongest words of each label.

The weight of term j for label r is how far the term, seen alone and once, moves the odds of r against all other labels
together away from the prior's:

    w_jr = W_jr - log( sum_{s != r} alpha_s exp W_js / sum_{s != r} alpha_s )

It is shown in decibans. Words are ranked by their weight times the root of the number of training texts of r that have
them, so that one-off rarities, which weigh much, and everyday words, which are many, both stand back. The ranking needs
all weights but not exactly; it is made from the postings alone, never from a matrix of terms x labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..evaluation import Evaluation
from ..scorecard import Scorecard
from ..terms import display
from ..units import decibans
from .labels import most_frequent

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MOST_LABELS, MOST_WORDS = 100, 10
LEAST = 1e-6  # nats: what weighs less speaks for nothing but rounding
TINY = 1e-300


@dataclass(frozen=True)
class Word:
    """A term's weight for a label against all others, and how many training texts of the label have it."""

    name: str
    decibans: float
    texts: int


@dataclass(frozen=True)
class LabelWords:
    """The strongest words of a label that has so many training texts."""

    label: str
    texts: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Words:
    """The words of some of the model's `labels`, and the greatest weight among them."""

    of_labels: tuple[LabelWords, ...]
    labels: int
    greatest: float


def strongest(card: Scorecard, counts: Counts, evaluation: Evaluation) -> Words:
    """The strongest words of the labels with most examples. One label alone has none: there is nothing to be against.

    >>> import deciban
    >>> mail = deciban.train(["free money", "money now", "see you", "see me"], ["spam", "spam", "ham", "ham"])
    >>> found = strongest(mail.scorecard, mail.counts, Evaluation(mail.leave_one_out()))
    >>> [(of.label, [(w.name, round(w.decibans, 1), w.texts) for w in of.words][:2]) for of in found.of_labels]
    [('ham', [('see', 4.8, 2), ('me', 3.0, 1)]), ('spam', [('money', 4.8, 2), ('free', 3.0, 1)])]
    """
    number = {label: r for r, label in enumerate(card.labels)}
    shown = [number[label] for label in most_frequent(evaluation, MOST_LABELS) if label in number]
    if len(card.labels) < 2:
        return Words((), len(card.labels), LEAST)
    ranks = _ranks(card, counts)
    of_labels = tuple(_of_label(card, counts, ranks, r) for r in shown)
    greatest = max((word.decibans for of in of_labels for word in of.words), default=LEAST)
    return Words(of_labels, len(card.labels), greatest)


def weights_against_rest(card: Scorecard, terms: Integers, r: int) -> Floats:
    """w_jr of some terms j, in nats."""
    W = card.weights(terms)  # noqa: N806
    others = np.arange(len(card.labels)) != r
    return np.asarray(W[:, r] - _log_sum((card.bias + W)[:, others]) + _log_sum(card.bias[others]))


def _ranks(card: Scorecard, counts: Counts) -> Floats:
    """w_jr of every posting (j, r), nearly, times the root of its training texts."""
    r, term = card.label, counts.term
    joint, absent = (card.bias + card.absent)[r] + card.weight, card.bias + card.absent
    greatest = max(joint.max(initial=-np.inf), absent.max())
    seen, unseen = np.exp(joint - greatest), np.exp(absent - greatest)
    total = unseen.sum() + np.bincount(term, seen - unseen[r], len(card.lexicon))
    prior = np.exp(card.bias - _log_sum(card.bias))
    prior_odds = np.log(np.maximum(prior, TINY)) - np.log(np.maximum(1 - prior, TINY))
    floor = np.maximum(unseen.sum() - unseen, TINY)  # where no other label has the term; the difference may cancel
    rest = np.maximum(total[term] - seen, floor[r])
    nats = np.log(np.maximum(seen, TINY)) - np.log(rest) - prior_odds[r]
    return np.asarray(nats * np.sqrt(counts.presences))


def _of_label(card: Scorecard, counts: Counts, ranks: Floats, r: int) -> LabelWords:
    postings = np.flatnonzero((counts.label == r) & (ranks >= LEAST))
    best = postings[np.argsort(-ranks[postings], kind="stable")[: MOST_WORDS * MOST_WORDS]]
    terms = np.searchsorted(counts.indptr, best, side="right") - 1
    names = [counts.lexicon.name(int(term)) or "" for term in terms]
    first = _without_overlaps(names, MOST_WORDS)
    weights = decibans(weights_against_rest(card, terms[first], r)).tolist()
    texts = counts.presences[best[first]].tolist()
    words = tuple(map(Word, (display(names[i]) for i in first), weights, texts))
    return LabelWords(card.labels[r], int(counts.documents[r]), words)


def _without_overlaps(names: list[str], most: int) -> list[int]:
    """The places of the first names that neither hold one before them nor are held by it.

    >>> _without_overlaps(["log in", "password", "log", "my password", "login"], 10)
    [0, 1, 4]
    """
    padded = [f" {name} " for name in names]
    first: list[int] = []
    for place, name in enumerate(padded):
        if len(first) < most and not any(padded[i] in name or name in padded[i] for i in first):
            first.append(place)
    return first


def _log_sum(values: Floats) -> Floats:
    """log sum exp along the last axis."""
    greatest = values.max(axis=-1)
    return np.asarray(greatest + np.log(np.exp(values - greatest[..., None]).sum(axis=-1)))
