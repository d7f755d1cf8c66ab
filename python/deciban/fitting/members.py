"""Rows with labels -> the weights of one linear model, and its scores of rows that it has not seen.

`loss` is one of the solvers', or "bayes": the multinomial model in closed form, of the same rows,

    W_jr = log((N_jr + alpha) / sum_i (N_ir + alpha)),  b_r = log(n_r + 1)            N_jr = sum of x_ij over label r

where a row counts as often as it costs.
With `ratios`, alpha and beta, rows are multiplied with log-count ratios first (`solvers`): the model is NBSVM, or as it
with another loss. What is left out of a fold is left out of the ratios too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import solvers
from .seen import Seen, Sight
from .solvers import Solver

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Steps = Callable[[str, int, int], None]  # what is done, how much of it, of how much
TOLERANCE = 1e-3  # of the objective: no more changes an answer
ROUGH = 1e-2  # the same, of models that are only compared by how they score held-out rows


@dataclass(frozen=True)
class Member:
    """One linear model: what it sees, and what it minimises. `name` is for people, `alpha` for the closed form."""

    name: str
    sight: Sight
    loss: str
    c: float = 1.0
    alpha: float = 1.0
    ratios: tuple[float, float] | None = None
    l1: float = 0.0
    bias: float = 1.0


class Linear(NamedTuple):
    """Weights, terms x labels, and biases."""

    weights: Floats
    bias: Floats


class Labelled(NamedTuple):
    """The labels of rows, by their numbers, of how many; and what it costs to be wrong about each row."""

    y: Integers
    labels: int
    cost: Floats

    def without(self, fold: npt.NDArray[np.bool_]) -> Labelled:
        """The same, where some rows cost nothing: they are not learnt from."""
        return self._replace(cost=np.where(fold, 0.0, self.cost))

    def sums(self, seen: Seen, values: npt.NDArray[np.floating]) -> Floats:
        """The sum of each term's values over the rows of each label, as often as a row costs: terms x labels."""
        k = self.labels
        keys = seen.column.astype(np.int64) * k + self.y[seen.row]
        sums = np.bincount(keys, values * self.cost[seen.row], len(seen.terms) * k)
        return np.asarray(sums, np.float64).reshape(len(seen.terms), k)


def fit(
    member: Member,
    seen: Seen,
    of: Labelled,
    threads: int = 0,
    steps: Steps | None = None,
    *,
    is_rough: bool = False,
) -> Linear:
    """The weights of a member, from all rows that cost something; roughly, where they are only compared."""
    if member.loss == "bayes":
        return _bayes(member, of.sums(seen, seen.value), of)
    given = solvers.examples(seen.rows, len(seen.terms), of.y, of.labels, cost=of.cost, bias=member.bias)
    watch = _watched(member, "fitting", steps)
    found = solvers.fit(given, _solver(member, ROUGH if is_rough else TOLERANCE, threads), [member.c], progress=watch)[
        0
    ]
    return _for_labels(found.weights, found.bias, of.labels)


def held_out(
    member: Member,
    seen: Seen,
    of: Labelled,
    folds: Integers,
    cs: Sequence[float],
    threads: int = 0,
    steps: Steps | None = None,
) -> Floats:
    """For each C the scores of all rows (C x rows x labels), each by what was learnt from other folds."""
    if member.loss != "bayes":
        given = solvers.examples(seen.rows, len(seen.terms), of.y, of.labels, cost=of.cost, bias=member.bias)
        watch = _watched(member, "holding out", steps)
        found = solvers.held_out(given, _solver(member, ROUGH, threads), cs, folds, watch)
        return np.stack([_scores_for_labels(scores, of.labels) for scores in found])
    return np.stack([_bayes_held_out(member, seen, of, folds)] * len(cs))


def held_out_apart(
    member: Member,
    without: Callable[[int], Seen],
    of: Labelled,
    folds: Integers,
    threads: int = 0,
    steps: Steps | None = None,
) -> Floats:
    """The same for the member's C, where what is seen of rows is another thing without each fold."""
    scores = np.empty((len(of.y), of.labels))
    for fold in np.unique(folds).tolist():
        learnt, held, seen = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold), without(fold)
        those = Labelled(of.y[learnt], of.labels, of.cost[learnt])
        linear = fit(member, seen.some(learnt), those, threads, steps, is_rough=True)
        scores[held] = seen.some(held).scores(*linear)
    return scores


def _bayes_held_out(member: Member, seen: Seen, of: Labelled, folds: Integers) -> Floats:
    """The scores of all rows, from the sums of all less those of each fold."""
    scores, sums = np.empty((len(seen), of.labels)), of.sums(seen, seen.value)
    for fold in np.unique(folds):
        there = folds == fold
        held, labelled = seen.some(np.flatnonzero(there)), Labelled(of.y[there], of.labels, of.cost[there])
        others = np.maximum(sums - labelled.sums(held, held.value), 0.0)
        scores[there] = held.scores(*_bayes(member, others, of.without(there)))
    return scores


def _watched(member: Member, what: str, steps: Steps | None) -> solvers.Watch | None:
    """Tells how far a solver is, with what is minimised, and how far from the least it is at most."""
    if steps is None:
        return None
    told = "{what}, {name}: loss {now.objective:,.1f}, gap {now.gap:.2g}"
    return lambda now: steps(told.format(what=what, name=member.name, now=now), now.done, now.problems)


def _solver(member: Member, tolerance: float, threads: int) -> Solver:
    return Solver(member.loss, member.ratios, member.l1, tolerance, threads=threads)


def _bayes(member: Member, sums: Floats, of: Labelled) -> Linear:
    known = sums.max(axis=1) > 0  # terms of held-out rows alone say nothing
    sums = sums + member.alpha
    totals = sums[known].sum(axis=0) if known.any() else np.ones(of.labels)
    logs = np.where(known[:, None], np.log(sums / totals), 0.0)
    documents = np.bincount(of.y, of.cost, of.labels)
    return Linear(logs - logs.mean(axis=1, keepdims=True), np.log(documents + 1.0))


def _for_labels(weights: Floats, bias: Floats, labels: int) -> Linear:
    """A column for each label: of two, the first has none of its own."""
    return Linear(_scores_for_labels(weights, labels), _scores_for_labels(bias[None], labels)[0])


def _scores_for_labels(scores: Floats, labels: int) -> Floats:
    if scores.shape[1] == labels:
        return scores
    return np.concatenate([np.zeros((len(scores), 1)), scores], axis=1)
