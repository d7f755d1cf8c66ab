"""Answers and a stream -> how interesting each text is, as an ordinary model, and which text to ask about next.

Few answers say little of words, but much of kinds of texts. So there are two steps, each in closed form.

*Nearness.* z are the points of the texts, by words (`space`) or by kinds (`neighbours`). With means over the texts Y
that were found interesting, over those N that were not, and over all, least squares say

    w = (E z z' + 0.05 I + 0.1 E_Y z z' + 0.1 E_N z z')^-1 (E_Y z - E_N z / 2)

Fisher's discriminant against all that there is: nearly nothing of a stream is interesting. g, that in standard
deviations, is then corrected near to each answer by what it misses of 4 for a yes, of 0 for a no (kriging):

    f(z) = g(z) + k(z, A) (k(A, A) + I)^-1 (t - g(A)),        k(z, z') = exp(2 (z . z' - 1)),   A all answered points

f of the one and of the other points, each in standard deviations, are added up.

*Words.* The nearer a text is, the more likely it is interesting: the i-th nearest by q_i = 1 / (1 + (i/m)^3), where m
is how many texts are taken to be. Those shares are what `words` are fitted to. What words say of a text, and half of
its nearness, each in standard deviations, is a better order than nearness alone (words forget who wrote it, and whom it
answers), so words are fitted once more, to the shares by that order. The sum with these words, `spread` over the links
between texts (`neighbours`), is how texts rank: its thread and its author's other texts speak for a text, too. What the
m-th text has in the end is odds of one to one.

*Fading.* What is `left` of an answer, of 1, is its weight in means; 1 / left is its noise in (k(A, A) + I), and q_i of
its text is what it says by that share, and by the rest what it would be without it.

*Asking.* Questions go by the sum of the first round, before it is spread: answers to those of spread sums told less, so
that texts ranked no better than without. The nearest text is rarely news. The first question is of the nearest; after
each yes the next lies 4 times as deep in that order, after a no half as deep: answers meet where interest ends, and
tell most there. Nearest neighbours of a text that was answered say the same once more, and are passed over. While
nothing is interesting yet, and to explore, the text is asked about that stands for most texts that nobody was asked
about:

    max over x of sum_i max(0, z_x . z_i - max over answered a of z_a . z_i)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .space import Space

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
RIDGE, OF_ANSWERS, AGAINST = 0.05, 0.1, 0.5
NEAR, SHARPNESS, NOISE = 4.0, 2.0, 1.0
DEEPER, HIGHER = 4.0, 0.5
SHARE = 0.03  # of a stream that is taken to be interesting
BY_POINTS = 0.5
MOST = 1000  # texts that are looked at to find one that stands for others
LEAST = 1e-6  # of a difference


@dataclass(frozen=True, eq=False)
class Asked:
    """The texts that were answered: where they stand, which were liked, and what is left of each answer, of 1."""

    places: Places
    liked: npt.NDArray[np.bool_]
    left: Floats

    @property
    def likes(self) -> int:
        """How many were liked."""
        return int(self.liked.sum())


def nearness(space: Space, asked: Asked) -> Floats:
    """f of each text: of its points by words and by kinds, each in standard deviations, added up."""
    return deviations(_corrected(space.points, asked)) + deviations(_corrected(space.kinds, asked))


def _corrected(points: Floats, asked: Asked) -> Floats:
    """f of each point."""
    g, there = deviations(_along(points, asked)), points[asked.places]
    missing = np.where(asked.liked, NEAR, 0.0) - g[asked.places]
    k = np.exp(SHARPNESS * (there @ there.T - 1))
    known = np.linalg.solve(k + np.diag(NOISE / asked.left), missing)
    return np.asarray(g + np.exp(SHARPNESS * (points @ there.T - 1)) @ known)


def deviations(values: Floats) -> Floats:
    """How far values are from their mean, in standard deviations."""
    return np.asarray((values - values.mean()) / max(float(values.std()), LEAST))


def _along(points: Floats, asked: Asked) -> Floats:
    """z . w of each point."""
    a = points.T @ points / len(points) + RIDGE * np.eye(points.shape[1])
    b = np.zeros(points.shape[1])
    for some, sign in ((asked.liked, 1.0), (~asked.liked, -AGAINST)):
        if some.any():
            z, share = points[asked.places[some]], asked.left[some] / asked.left[some].sum()
            a += OF_ANSWERS * z.T @ (z * share[:, None])
            b += sign * share @ z
    return np.asarray(points @ np.linalg.solve(a, b))


def shares(near: Floats, asked: Asked) -> Floats:
    """q_i: how likely each text is interesting, by its rank; what was answered is known, as far as it is left.

    While nothing is known to be interesting, all are as likely as not.
    """
    if not asked.likes:
        return np.full(len(near), 0.5)
    m = many(len(near), asked.likes)
    rank = np.empty(len(near))
    rank[np.argsort(-near, kind="stable")] = np.arange(len(near))
    q = 1 / (1 + (rank / m) ** 3)
    q[asked.places] += asked.left * (asked.liked - q[asked.places])
    return q


def many(texts: int, yes: int) -> int:
    """m: how many of some texts are taken to be interesting: a share, and at least twice as many as were found to be.

    >>> many(10_000, 8), many(10, 3), many(10, 0)
    (300, 6, 1)
    """
    return max(round(SHARE * texts), 2 * yes, 1)


def both(space: Space, weights: Floats, near: Floats) -> Floats:
    """Nearness by words and by points: their sum, each in its own standard deviations, points by half."""
    return deviations(space.along(weights)) + BY_POINTS * deviations(near)


def order(values: Floats, some: Places) -> Places:
    """Some places, those of the greatest values first."""
    return np.asarray(some[np.argsort(-values[some], kind="stable")])


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


def next_question(space: Space, order: Places, asked: Asked, depth: int) -> int:
    """Of texts in the order of their ranking, the first so deep that says something new: the place of it."""
    news = ~space.beside(asked.places)[order]
    news[: depth - 1] = False
    return int(order[np.argmax(news) if news.any() else depth - 1])


def standing_for_most(points: Floats, asked: Places, open: Places) -> int:
    """Of the open texts, the one that stands for most others: the place of it."""
    covered = (points @ points[asked].T).max(axis=1) if len(asked) else np.zeros(len(points))
    covered = np.maximum(covered, 0.0)
    some = open[:: -(-len(open) // MOST)]
    gain = np.maximum(points[some] @ points.T - covered, 0.0).sum(axis=1)
    return int(some[np.argmax(gain)])
