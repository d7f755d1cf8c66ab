"""How likely texts are interesting -> what each word says of that: an ordinary scorecard.

X are the texts' rows as tf-idf, of length 1 (`space`), q their shares (`interest`). Words are weighed twice, and the
two are added, each in standard deviations of X w:

    v = argmin  sum_i c_i (x_i . v - q_i + E q)^2 + 5 |v|^2           least squares; c is 10 for an answer, 1 for others
    r = log P(word | interesting) - log P(word | not)                 naive Bayes of counts
    w = v / sd(X v) + 0.3 r / sd(X r)

The counts of r are those of the answers, which fade, and those that are expected of the stream by q (`mixture`): a
text of the stream counts a tenth of an answer, and a word once a text. v knows which words go together, r which are
rare: the same sum as interpolation in NBSVM (Wang and Manning 2012). v is found by conjugate gradients, cut off after a
few steps, which is a little more shrinkage.

The scorecard scales a text's row to tf-idf of length 1, then adds up: half of w speaks for `interesting`, half against
`not`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..calibration import Calibration
from ..mixture import Expected
from ..scorecard import COUNTINGS, WORDS, Scaling, Scorecard
from .interest import LEAST, Asked, Floats
from .space import Space

OF_STREAM = 0.1  # what a text of the stream counts, beside an answer
OF_ANSWER = 10.0  # what an answer counts in least squares, beside a text of the stream
SHRINKAGE = 5.0
STEPS = 8
BY_COUNTS = 0.3
ALPHA = 0.1
GROUP = 8 * COUNTINGS.index("sublinear") + WORDS
SURE = np.log(9.0)  # the log-odds of the middle one of the interesting texts


def expected(space: Space, q: Floats, labels: tuple[str, str], weight: int) -> Expected:
    """The counts that are expected of the stream under either label, in the units of the answers' counts."""
    both = [q, 1 - q] if labels[0] < labels[1] else [1 - q, q]
    terms = len(space.lexicon)
    postings = np.arange(terms + 1) * 2, np.tile(np.arange(2, dtype=np.uint32), terms)
    counted = _counted(space, both[0] * (OF_STREAM * weight), both[1] * (OF_STREAM * weight))
    return Expected(tuple(sorted(labels)), space.lexicon, *postings, counted.ravel())


def _counted(space: Space, first: Floats, second: Floats) -> Floats:
    """How often each word stands in texts that count so much here and there: a row a word, two columns."""
    return space.texts.expected(np.stack([first, second], axis=1).ravel(), 2, 0).reshape(-1, 2)


def ratio(space: Space, q: Floats, asked: Asked) -> Floats:
    """r of each word. The answers are texts of the stream: what is left of them counts beside what is expected."""
    yes, no = OF_STREAM * q, OF_STREAM * (1 - q)
    yes[asked.places] += asked.left * asked.liked
    no[asked.places] += asked.left * ~asked.liked
    counts = _counted(space, yes, no) + ALPHA
    log = np.log(counts / counts.sum(axis=0))
    return np.asarray(log[:, 0] - log[:, 1])


def weights(space: Space, q: Floats, asked: Asked) -> Floats:
    """w, of each word of a space."""
    c = np.ones(len(q))
    c[asked.places] += (OF_ANSWER - 1) * asked.left
    return _scaled(space, _least_squares(space, q, c)) + BY_COUNTS * _scaled(space, ratio(space, q, asked))


def _scaled(space: Space, weights: Floats) -> Floats:
    return np.asarray(weights / max(float(space.along(weights).std()), LEAST))


def _least_squares(space: Space, q: Floats, c: Floats) -> Floats:
    """v, by conjugate gradients."""
    v = np.zeros(len(space.lexicon))
    rest = space.across(c * (q - np.average(q, weights=c)))
    along, square = rest.copy(), float(rest @ rest)
    for _ in range(STEPS):
        if square < LEAST**2:
            break
        image = space.across(c * space.along(along)) + SHRINKAGE * along
        step = square / float(along @ image)
        v += step * along
        rest -= step * image
        before, square = square, float(rest @ rest)
        along = rest + square / before * along
    return v


def written(card: Scorecard, space: Space, w: Floats, label: str) -> Scorecard:
    """A scorecard of counts, with w in place of its weights; words that one text alone has say nothing."""
    at = np.array([card.lexicon.place(name) for name in space.lexicon.names()], np.int64)
    by_place, length = np.zeros(len(card.lexicon)), np.zeros(len(card.lexicon))
    by_place[at], length[at] = w * space.idf, space.idf
    side = np.where(card.label == card.number(label), 0.5, -0.5)
    scaling = Scaling(length, np.array([GROUP], np.uint32), np.ones(1))
    nothing = np.zeros(len(card.labels))
    return replace(card, absent=nothing, weight=side * by_place[card.term], scaling=scaling)


def even(scores: Floats, m: int) -> tuple[float, float]:
    """Factor and shift that make the m-th of some scores even, and the middle one of those before it likely."""
    if not len(scores):
        return 1.0, 0.0
    u, m = -np.sort(-scores), min(m, len(scores) - 1)
    factor = SURE / (u[m // 2] - u[m]) if u[m // 2] - u[m] > LEAST else 1.0
    return round(float(factor), 6), round(float(-factor * u[m]), 6)


def calibrated(card: Scorecard, label: str, factor: float, shift: float) -> Calibration:
    """The same as a map of a scorecard's scores."""
    temper, shifts = np.array([np.log(factor), 0.0, 0.0]), np.where(np.arange(2) == card.number(label), shift, 0.0)
    return Calibration("platt", card.labels, temper, card.bias, np.ones(2), shifts)
