"""Rows of texts of any number of labels -> a scorecard, by solvers: each label against all texts that do not have it.

All labels and folds are problems of one shared matrix, which the core solves on several threads; no result depends on
how many. The scorecard's column of `EVERY` is zero, so that scores are those of labels against their absence. Out goes
what rows scored by models that had not learnt from them, too: C is chosen by it, and so are thresholds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..fitting import cards, member_of, solvers
from ..fitting.members import ROUGH, TOLERANCE, Linear, Member, Steps
from ..fitting.seen import Seen, see
from ..fitting.solvers import Solver
from ..rows import Rows
from ..scorecard import Scorecard
from ..settings import Settings
from .counting import EVERY
from .deciding import Line, best_f1, line
from .folds import by_rarest

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
FOLDS = 5
COSTS = {"squared_hinge": (0.3, 1.0, 3.0), "logistic": (10.0, 30.0, 100.0)}  # C, to choose from


class Fitted(NamedTuple):
    """A scorecard; what rows that were held out for it scored, and their line; settings with what was chosen; how."""

    card: Scorecard
    held: Floats
    line: Line
    settings: Settings
    told: dict[str, Any]


def fit(counts: Counts, rows: Rows, has: Bools, settings: Settings, steps: Steps | None = None) -> Fitted:
    """The model of rows that have some labels (rows x labels, without `EVERY`)."""
    member = _member(settings)
    seen = see(rows, counts.keep_labels([EVERY]), member.sight)
    given, folds = examples(member, seen, has), by_rarest(has, FOLDS)
    costs = COSTS[member.loss] if settings.cost is None else (settings.cost,)
    tried = (_from_whole if _is_sparse(member) else _each_by_itself)(member, given, costs, folds, settings, steps)
    lines = [line(of_cost, has) for of_cost in tried.scores]
    f1 = [best_f1(by.odds(of_cost), has) for by, of_cost in zip(lines, tried.scores, strict=True)]
    best = int(np.argmax(f1))
    card = cards.of_one(counts.labels, counts.lexicon, seen, _with_every(*tried.weights(best)))
    told = {"held_out": {f"C = {cost:g}": of_cost for cost, of_cost in zip(costs, f1, strict=True)}}
    return Fitted(card, tried.scores[best], lines[best], replace(settings, cost=costs[best]), told)


class Tried(NamedTuple):
    """What held-out rows scored, for each C; and what has the weights and biases of one of them, by its number."""

    scores: Sequence[Floats]
    weights: Callable[[int], tuple[Floats, Floats]]


def _is_sparse(member: Member) -> bool:
    """Whether its solution is a sum of few rows, so that folds are near the solution of all."""
    return member.loss == "squared_hinge" and member.ratios is None and member.l1 == 0.0


def _from_whole(
    member: Member,
    given: solvers.Examples,
    costs: Sequence[float],
    folds: Integers,
    settings: Settings,
    steps: Steps | None,
) -> Tried:
    """Folds from the solution of all rows, which is there at the end."""
    found = solvers.folded(given, _solver(member, TOLERANCE, settings), costs, folds, _watch(member, steps))
    return Tried([of_cost.scores for of_cost in found], lambda best: solvers.weights(given, found[best]))


def _each_by_itself(
    member: Member,
    given: solvers.Examples,
    costs: Sequence[float],
    folds: Integers,
    settings: Settings,
    steps: Steps | None,
) -> Tried:
    """Each fold by itself, and all rows for the best C alone."""
    watch = _watch(member, steps)
    scores = solvers.held_out(given, _solver(member, ROUGH, settings), costs, folds, watch)

    def weights(best: int) -> tuple[Floats, Floats]:
        found = solvers.fit(given, _solver(member, TOLERANCE, settings), [costs[best]], progress=watch)[0]
        return found.weights, found.bias

    return Tried(list(scores), weights)


def _member(settings: Settings) -> Member:
    """The linear model that settings ask for, of one label against its absence."""
    return member_of(replace(settings, joint=False), 2)


def examples(member: Member, seen: Seen, has: Bools) -> solvers.Examples:
    """Rows and their labels, as solvers take them."""
    ends = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    label = np.nonzero(has)[1]
    return solvers.examples(seen.rows, len(seen.terms), label, has.shape[1], bias=member.bias, ends=ends)


def _solver(member: Member, tolerance: float, settings: Settings) -> Solver:
    return Solver(member.loss, member.ratios, member.l1, tolerance, threads=settings.cores)


def _watch(member: Member, steps: Steps | None) -> Callable[[solvers.Progress], object] | None:
    if steps is None:
        return None
    return lambda now: steps(f"fitting, {member.name}", now.done, now.problems)


def _with_every(weights: Floats, bias: Floats) -> Linear:
    """The same with a first column of nothing."""
    return Linear(np.concatenate([np.zeros((len(weights), 1)), weights], axis=1), np.concatenate([[0.0], bias]))
