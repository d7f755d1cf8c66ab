"""Answers and a stream -> how interesting each text is, as an ordinary model, and which text to ask about next.

Few answers say little of words, but much of kinds of texts. So there are two steps, each in closed form.

*Nearness.* z are the points of the texts (`space`). With means over the texts Y that were found interesting, over those
N that were not, and over all, least squares say

    w = (E z z' + 0.05 I + 0.1 E_Y z z' + 0.1 E_N z z')^-1 (E_Y z - E_N z / 2)

Fisher's discriminant against all that there is: nearly nothing of a stream is interesting. g, that in standard
deviations, is then corrected near to each answer by what it misses of 4 for a yes, of 0 for a no (kriging):

    f(z) = g(z) + k(z, A) (k(A, A) + I)^-1 (t - g(A)),        k(z, z') = exp(2 (z . z' - 1)),   A all answered points

*Words.* The nearer a text is, the more likely it is interesting: the i-th nearest by q_i = 1 / (1 + (i/m)^3), where m
is how many texts are taken to be. Those shares make the counts that are expected of the stream under either label
(`mixture`); a text of the stream counts a tenth of an answer. With the counts of the answers they are weighed to naive
Bayes, in which a word counts once a text. What it
says of a text is divided by a power of the text's length. That is done twice: what words said first, and half of what
points said, say which texts are near. What the m-th text has in the end is odds of one to one.

*Asking.* The nearest text is rarely news. The first question is of the nearest; after each yes the next lies 4 times as
deep in the ranking, after a no half as deep: answers meet where interest ends, and tell most there. While nothing is
interesting yet, and to explore, the text is asked about that stands for most texts that nobody was asked about:

    max over x of sum_i max(0, z_x . z_i - max over answered a of z_a . z_i)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .. import _core
from ..calibration import Calibration
from ..mixture import Expected
from ..scorecard import Scorecard
from .space import Space

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
RIDGE, OF_ANSWERS, AGAINST = 0.05, 0.1, 0.5
NEAR, SHARPNESS, NOISE = 4.0, 2.0, 1.0
DEEPER, HIGHER = 4.0, 0.5
SHARE = 0.02  # of a stream that is taken to be interesting
POWER = 0.85  # of the length of a text, by which its evidence is divided
BY_POINTS = 0.5
OF_STREAM = 0.1  # what a text of the stream counts, beside an answer
MOST = 1000  # texts that are looked at to find one that stands for others
LEAST = 1e-6  # of a difference
SURE = np.log(9.0)  # the log-odds of the middle one of the interesting texts


def nearness(points: Floats, yes: Places, no: Places) -> Floats:
    """f of each point."""
    g = _along(points, yes, no)
    g = (g - g.mean()) / max(float(g.std()), LEAST)
    asked = np.concatenate([yes, no])
    missing = np.where(np.arange(len(asked)) < len(yes), NEAR, 0.0) - g[asked]
    k = np.exp(SHARPNESS * (points[asked] @ points[asked].T - 1))
    known = np.linalg.solve(k + NOISE * np.eye(len(asked)), missing)
    return np.asarray(g + np.exp(SHARPNESS * (points @ points[asked].T - 1)) @ known)


def _along(points: Floats, yes: Places, no: Places) -> Floats:
    """z . w of each point."""
    a = points.T @ points / len(points) + RIDGE * np.eye(points.shape[1])
    b = points[yes].mean(axis=0)
    for some in (yes, no):
        if len(some):
            a += OF_ANSWERS * points[some].T @ points[some] / len(some)
    if len(no):
        b = b - AGAINST * points[no].mean(axis=0)
    return np.asarray(points @ np.linalg.solve(a, b))


def shares(near: Floats, yes: Places, no: Places) -> Floats:
    """q_i: how likely each text is interesting, by its rank; what was answered is known."""
    m = many(len(near), len(yes))
    rank = np.empty(len(near))
    rank[np.argsort(-near, kind="stable")] = np.arange(len(near))
    q = 1 / (1 + (rank / m) ** 3)
    q[yes], q[no] = 1.0, 0.0
    return q


def many(texts: int, yes: int) -> int:
    """m: how many of some texts are taken to be interesting: a share, and at least as many as were found to be.

    >>> many(10_000, 8), many(10, 3), many(10, 0)
    (200, 3, 1)
    """
    return max(round(SHARE * texts), yes, 1)


def expected(space: Space, q: Floats, labels: tuple[str, str], weight: int) -> Expected:
    """The counts that are expected of the stream under either label, in the units of the answers' counts."""
    found, (yes, no) = space.rows, labels
    both = np.stack([q, 1 - q] if yes < no else [1 - q, q], axis=1) * (OF_STREAM * weight)
    texts = _core.Unlabelled(found.indptr, found.term, found.count, len(space.lexicon), True)
    counted = texts.expected(np.ascontiguousarray(both).ravel(), 2, 0).reshape(-1, 2)
    terms = len(space.lexicon)
    postings = np.arange(terms + 1) * 2, np.tile(np.arange(2, dtype=np.uint32), terms)
    return Expected(tuple(sorted(labels)), space.lexicon, *postings, counted.ravel())


def calibrated(card: Scorecard, space: Space, rest: Places, label: str, m: int) -> Calibration:
    """What makes the m-th of the rest of the texts even, and the middle one of those before it likely."""
    one = card.number(label)
    evidence, known = evidences(card, space, one)
    u = -np.sort(-(evidence / known**POWER)[rest])
    m = min(m, max(len(u) - 1, 0))
    even, likely = (u[m], u[m // 2]) if len(u) else (0.0, 1.0)
    factor = SURE / (likely - even) if likely - even > LEAST else 1.0
    shift = np.where(np.arange(2) == one, -factor * even, 0.0)
    temper = np.array([np.log(factor), POWER, 0.0])
    return Calibration("platt", card.labels, temper.round(6), card.bias, np.ones(2), shift.round(6))


def both(card: Scorecard, space: Space, near: Floats, label: str) -> Floats:
    """Nearness by words and by points: their sum, each in its own standard deviations, points by half."""
    evidence, known = evidences(card, space, card.number(label))
    by_words, by_points = (values / max(float(values.std()), LEAST) for values in (evidence / known**POWER, near))
    return np.asarray(by_words + BY_POINTS * by_points)


def evidences(card: Scorecard, space: Space, one: int) -> tuple[Floats, Floats]:
    """What speaks for a label in each text of a space, and how many words there are that do."""
    found = space.rows
    known = np.maximum(np.diff(found.indptr), 1).astype(np.float64)
    places = np.array([card.lexicon.place(name) for name in space.lexicon.names()], np.int64)
    w = card.column(one) - card.column(1 - one)
    return np.asarray(np.bincount(found.row, w[places][found.term], len(found)), np.float64), known


def depth(answers: Sequence[str], texts: int) -> int:
    """How deep in the ranking the next question lies, after some answers.

    >>> depth([], 1000), depth(["yes", "yes"], 1000), depth(["yes", "yes", "no", "skip"], 1000)
    (1, 16, 8)
    """
    at = 1.0
    for answer in answers:
        at *= {"yes": DEEPER, "no": HIGHER}.get(answer, 1.0)
        at = min(max(at, 1.0), max(texts // 2, 1))
    return int(at)


def standing_for_most(points: Floats, asked: Places, open: Places) -> int:
    """Of the open texts, the one that stands for most others: the place of it."""
    covered = (points @ points[asked].T).max(axis=1) if len(asked) else np.zeros(len(points))
    covered = np.maximum(covered, 0.0)
    some = open[:: -(-len(open) // MOST)]
    gain = np.maximum(points[some] @ points.T - covered, 0.0).sum(axis=1)
    return int(some[np.argmax(gain)])
