"""What the model goes by: the strongest words of each label.

The weights are those of `evidence.words`, for the label against all others together, in decibans. Words are ranked by
their weight times the root of the number of training texts of the label that have them, so that one-off rarities, which
weigh much, and everyday words, which are many, both stand back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..evaluation import Evaluation
from ..evidence.words import LEAST, Weights
from ..terms import display
from ..units import decibans
from .labels import most_frequent

Floats = npt.NDArray[np.float64]

MOST_LABELS, MOST_WORDS = 100, 10


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


NONE = Words((), 0, LEAST)  # of a frozen model, which has no counts to rank them by, and of trees


def strongest(weights: Weights, evaluation: Evaluation) -> Words:
    """The strongest words of the labels with most examples. One label alone has none: there is nothing to be against.

    >>> import deciban
    >>> mail = deciban.train(["free money", "money now", "see you", "see me"], ["spam", "spam", "ham", "ham"])
    >>> found = strongest(mail.weights, Evaluation(mail.leave_one_out()))
    >>> [(of.label, [(w.name, round(w.decibans, 1), w.texts) for w in of.words][:2]) for of in found.of_labels]
    [('ham', [('see', 4.8, 2), ('me', 3.0, 1)]), ('spam', [('money', 4.8, 2), ('free', 3.0, 1)])]
    """
    labels = weights.card.labels
    number = {label: r for r, label in enumerate(labels)}
    shown = [number[label] for label in most_frequent(evaluation, MOST_LABELS) if label in number]
    if len(labels) < 2:
        return Words((), len(labels), LEAST)
    ranks = weights.against_rest * np.sqrt(weights.counts.presences)
    of_labels = tuple(_of_label(weights, ranks, r) for r in shown)
    greatest = max((word.decibans for of in of_labels for word in of.words), default=LEAST)
    return Words(of_labels, len(labels), greatest)


def _of_label(weights: Weights, ranks: Floats, r: int) -> LabelWords:
    card, counts = weights.card, weights.counts
    postings = np.flatnonzero((counts.label == r) & (ranks >= LEAST))
    best = postings[np.argsort(-ranks[postings], kind="stable")[: MOST_WORDS * MOST_WORDS]]
    terms = weights.terms(best)
    names = [counts.lexicon.name(int(term)) or "" for term in terms]
    first = _without_overlaps(names, MOST_WORDS)
    shown = decibans(weights.exact(terms[first], r)).tolist()
    texts = counts.presences[best[first]].tolist()
    words = tuple(map(Word, (display(names[i]) for i in first), shown, texts))
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
