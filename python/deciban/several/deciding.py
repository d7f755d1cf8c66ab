"""Held-out scores of labels -> honest log-odds, and from where on a text has a label.

Scores z_ir of texts that a model has not learnt from come in. They become log-odds by a line (Platt 1999), with one
slope for all labels and a shift for each, so that the evidence of terms still adds up:

    log-odds_ir = a z_ir + b_r,      the least of - log-likelihood + sum_r b_r^2 / 2 S^2,      S = 10

A text that has a label is taken to have it with probability 1 - 1 / (N + 2), of N such pairs, and one that has not with
1 / (M + 2), of M: scores that part all texts do not become certainties. A label is given from a threshold t_r on:

    micro    one t for all labels: where F1 of all (text, label) pairs is greatest. With honest log-odds that is right
             for every label: one more pair raises F1 where its probability is above F1 / 2 (Lipton et al. 2014)
    macro    for each label where its own F1 is greatest (SCut, Yang 2001). Few texts prove little: where those of a
             rare label score below thousands of others, F1 is greatest where all of these get it. So one text more says
             what the log-odds promise: of n texts, pairs are (n y + p) / (n + 1) true, p being the probability of each
    both     where micro-F1 + macro-F1 is greatest. Near the best of micro-F1, of N true pairs and P given ones, a label
             adds F1_r / k + (2 TP_r - F1 P_r) / (N + P), of k labels: each is cut for itself. Of a label of n texts it
             is the mean of that threshold, n times, and of micro's, once
    even     t_r = 0: what is more probable than not

`promised` is what to expect of this on other texts: thresholds are chosen without some of them, which are then judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..scorecard import Scorecard

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
S = 10.0
STEPS = 100
NEAR = 1e-9
SAME = 1e-6
LITTLE = 1e-4  # of Newton's step: the next one is the square of it
ROUNDS = 5
MANY, THIN = 4000, 8
FARTHEST = 30.0  # log-odds beyond which nothing is told apart


@dataclass(frozen=True, eq=False)
class Deciding:
    """Slope and shift of each label's scores, and the log-odds from which on a text has it."""

    slope: Floats
    shift: Floats
    threshold: Floats

    @property
    def buffers(self) -> tuple[Floats, Floats, Floats]:
        """The same, as a file holds it."""
        return self.slope, self.shift, self.threshold

    def folded(self, card: Scorecard) -> Scorecard:
        """The scorecard whose scores, less those of the label of all texts, are the log-odds."""
        slope = np.concatenate([self.slope[:1], self.slope]) if len(self.slope) else np.ones(1)
        bias = card.bias * slope + np.concatenate([[0.0], self.shift])
        weight = card.weight * slope[card.label % len(slope)]
        return replace(card, bias=bias, absent=card.absent * slope, weight=weight)

    def for_labels(self, ours: tuple[str, ...], labels: tuple[str, ...]) -> Deciding:
        """The same for other labels; of those that it does not know, as for a typical one."""
        number = {label: r for r, label in enumerate(ours)}
        places = [number.get(label, -1) for label in labels]

        def of(numbers: Floats) -> Floats:
            typical = float(np.median(numbers)) if len(numbers) else 0.0
            return np.array([typical if place < 0 else numbers[place] for place in places])

        return Deciding(np.maximum(of(self.slope), NEAR), of(self.shift), of(self.threshold))


def plain(labels: int) -> Deciding:
    """Scores as they are, from 0 on."""
    return Deciding(np.ones(labels), np.zeros(labels), np.zeros(labels))


def decide(z: Floats, has: Bools, thresholds: str, by: Line | None = None) -> Deciding:
    """The deciding by held-out scores; `by` their line, where it is known.

    >>> z = np.array([[3.0], [2.0], [1.0], [-2.0], [-2.0], [-3.0]])
    >>> found = decide(z, z > 1.5, "micro")
    >>> (found.slope * z + found.shift >= found.threshold).ravel().tolist()
    [True, True, False, False, False, False]
    """
    by = by or line(z, has)
    return Deciding(np.full(z.shape[1], by.slope), by.shift, THRESHOLDS[thresholds](by.odds(z), has))


class Line(NamedTuple):
    """What makes log-odds of scores: a slope, and a shift for each label."""

    slope: float
    shift: Floats

    def odds(self, z: Floats) -> Floats:
        """Log-odds, none so great that it tells nothing more; of a label that was never seen, the least."""
        return np.clip(np.where(np.isfinite(z), z * self.slope + self.shift, -FARTHEST), -FARTHEST, FARTHEST)


def line(z: Floats, has: Bools) -> Line:
    """The line, by Newton's method, of many texts from near that of some of them; what is not finite is passed over."""
    seen = np.isfinite(z)
    aim = np.where(has, 1 - 1 / (has.sum() + 2), 1 / ((~has).sum() + 2)) * seen
    a, b = line(z[::THIN], has[::THIN]) if len(z) > MANY else (1.0, np.zeros(z.shape[1]))
    z = np.where(seen, z, 0.0)
    aim_a, aim_b = np.vdot(aim, z), aim.sum(axis=0)
    for _ in range(STEPS):
        with np.errstate(over="ignore"):
            p = 1 / (1 + np.exp(-a * z - b))
        p *= seen
        w = p * (1 - p)
        wz = w * z
        g_a, g_b = np.vdot(p, z) - aim_a, p.sum(axis=0) - aim_b + b / S**2
        h_aa, h_ab, h_bb = np.vdot(wz, z) + NEAR, wz.sum(axis=0), w.sum(axis=0) + 1 / S**2
        step_a = (g_a - (h_ab * g_b / h_bb).sum()) / max(h_aa - (h_ab**2 / h_bb).sum(), NEAR)
        step_a = float(np.clip(step_a, a - 2 * a, a / 2))  # it at most doubles, and stays above 0
        step_b = np.clip((g_b - h_ab * step_a) / h_bb, -2.0, 2.0)
        a, b = a - step_a, b - step_b
        if max(abs(step_a), np.abs(step_b).max(initial=0.0)) < LITTLE:
            break
    return Line(float(a), b)


def best_f1(odds: Floats, has: Bools) -> float:
    """The greatest micro-F1 of any one threshold of log-odds."""
    return _cut_all(odds, has)[1]


def promised(odds: Floats, has: Bools, folds: Integers, thresholds: str) -> Bools:
    """Which labels held-out texts get, those of each fold by thresholds that texts of other folds choose.

    >>> odds = np.array([[3.0], [2.0], [1.0], [-2.0], [-2.0], [-3.0]])
    >>> promised(odds, odds > 0, np.array([0, 1, 0, 1, 0, 1]), "micro").ravel().tolist()
    [True, True, True, False, False, False]
    """
    said = np.zeros(has.shape, np.bool_)
    for fold in np.unique(folds):
        there = folds == fold
        said[there] = odds[there] >= THRESHOLDS[thresholds](odds[~there], has[~there])
    return said


def _cut(z: Floats, has: Floats) -> tuple[float, float]:
    """Where to cut so that F1 is greatest, and how great."""
    order = np.argsort(-z, kind="stable")
    right = np.cumsum(has[order])
    f1 = 2 * right / (np.arange(1, len(z) + 1) + has.sum())
    return _between(z[order], f1)


def _between(ordered: Floats, worth: Floats) -> tuple[float, float]:
    """The cut below as many scores as are worth most, and their worth; equal scores are never parted."""
    worth = np.where(np.append(ordered[:-1] == ordered[1:], False), -np.inf, worth)
    best = int(np.argmax(worth))
    below = ordered[best + 1] if best + 1 < len(ordered) else ordered[best] - 1
    return float((ordered[best] + below) / 2), float(worth[best])


def _cut_all(odds: Floats, has: Bools) -> tuple[float, float]:
    """The one cut of all pairs where F1 is greatest, and how great.

    Of T true pairs, P pairs have an F1 of at most 2 T / P: so many as make that less than F1 elsewhere need no look.
    """
    z, own, true = odds.ravel(), has.ravel(), int(has.sum())
    said = z >= 0
    known = 2 * int((own & said).sum()) / max(true + int(said.sum()), 1)
    most = min(int(2 * true / known) + 2 if known else len(z), len(z))
    top = np.flatnonzero(z >= np.partition(z, len(z) - most)[len(z) - most])
    order = top[np.argsort(-z[top], kind="stable")]
    f1 = 2 * np.cumsum(own[order]) / (np.arange(1, len(order) + 1) + true)
    return _between(z[order], f1)


def _micro(odds: Floats, has: Bools) -> Floats:
    return np.full(odds.shape[1], _cut_all(odds, has)[0])


def _macro(odds: Floats, has: Bools) -> Floats:
    n = has.sum(axis=0)

    def cut(r: int) -> float:
        p = 1 / (1 + np.exp(-odds[:, r]))
        return _cut(odds[:, r], (n[r] * has[:, r] + p) / (n[r] + 1))[0]

    return np.array([cut(r) for r in range(odds.shape[1])])


def _both(odds: Floats, has: Bools) -> Floats:
    n, (micro, f1) = has.sum(axis=0), _cut_all(odds, has)
    true, said = int(n.sum()), int((odds >= micro).sum())
    for _ in range(ROUNDS):
        cuts = [_cut_for_both(odds[:, r], has[:, r], micro, f1, (true + said, len(n))) for r in range(len(n))]
        own, given, right = (np.array(of) for of in zip(*cuts, strict=True))
        before, f1, said = f1, 2 * right.sum() / max(true + given.sum(), 1), int(given.sum())
        if abs(f1 - before) < SAME:
            break
    return np.asarray((n * own + micro) / (n + 1))


def _cut_for_both(z: Floats, has: Bools, micro: float, f1: float, of: tuple[int, int]) -> tuple[float, int, int]:
    """Where a label is worth most to micro-F1 + macro-F1; how many texts get it then, how many of them rightly.

    It is worth nothing to give it to none: then it is cut above all texts, or at micro's. So it is worth something up
    to (2 n + pairs / k) / F1 texts only.
    """
    (pairs, labels), n = of, int(has.sum())
    most = min(int((2 * n + pairs / labels) / max(f1, SAME)) + 2, len(z))
    top = np.argpartition(-z, most - 1)[:most] if most < len(z) else np.arange(len(z))
    order = top[np.lexsort((top, -z[top]))]
    right, given = np.cumsum(has[order]), np.arange(1, most + 1)
    worth = 2 * right / ((given + n) * labels) + (2 * right - f1 * given) / pairs
    cut, best = _between(z[order], worth)
    if best <= 0:
        return max(micro, float(z.max()) + NEAR), 0, 0
    said = z >= cut
    return cut, int(said.sum()), int((said & has).sum())


def _even(odds: Floats, _has: Bools) -> Floats:
    return np.zeros(odds.shape[1])


THRESHOLDS: dict[str, Callable[[Floats, Bools], Floats]] = {
    "both": _both,
    "micro": _micro,
    "macro": _macro,
    "even": _even,
}
