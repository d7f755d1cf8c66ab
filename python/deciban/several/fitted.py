"""Rows of texts of any number of labels -> a scorecard, by solvers: each label against all texts that do not have it.

All labels and folds are problems of one shared matrix, which the core solves on several threads; no result depends on
how many. The scorecard's column of `EVERY` is zero, so that scores are those of labels against their absence. Out goes
what rows scored by models that had not learnt from them, too: C is chosen by it, and so are thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
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
from ..splits import folds_of
from .counting import EVERY
from .deciding import best_f1

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
FOLDS = 5
COSTS = {"squared_hinge": (0.3, 1.0, 3.0), "logistic": (10.0, 30.0, 100.0)}  # C, to choose from


class Fitted(NamedTuple):
    """A scorecard; what rows scored that were held out for it; the settings with what was chosen; how."""

    card: Scorecard
    held: Floats
    settings: Settings
    told: dict[str, Any]


def fit(counts: Counts, rows: Rows, has: Bools, settings: Settings, steps: Steps | None = None) -> Fitted:
    """The model of rows that have some labels (rows x labels, without `EVERY`)."""
    member = _member(settings)
    seen = see(rows, counts.keep_labels([EVERY]), member.sight)
    given, folds = examples(member, seen, has), folds_by_rarest(has, FOLDS)
    costs = COSTS[member.loss] if settings.cost is None else (settings.cost,)
    scores = solvers.held_out(given, _solver(member, ROUGH, settings), costs, folds, _watch(member, steps))
    f1 = [best_f1(of_cost, has) for of_cost in scores]
    best = int(np.argmax(f1))
    found = solvers.fit(given, _solver(member, TOLERANCE, settings), [costs[best]], progress=_watch(member, steps))[0]
    card = cards.of_one(counts.labels, counts.lexicon, seen, _with_every(found.weights, found.bias))
    told = {"held_out": {f"C = {cost:g}": of_cost for cost, of_cost in zip(costs, f1, strict=True)}}
    return Fitted(card, scores[best], replace(settings, cost=costs[best]), told)


def _member(settings: Settings) -> Member:
    """The linear model that settings ask for, of one label against its absence."""
    return member_of(replace(settings, joint=False), 2)


def examples(member: Member, seen: Seen, has: Bools) -> solvers.Examples:
    """Rows and their labels, as solvers take them."""
    ends = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    label = np.nonzero(has)[1]
    return solvers.examples(seen.rows, len(seen.terms), label, has.shape[1], bias=member.bias, ends=ends)


def folds_by_rarest(has: Bools, count: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """A fold for each row: those of one label are dealt out evenly, where a row goes by the rarest that it has."""
    texts = np.where(has, has.sum(axis=0), len(has) + 1)
    rarest = np.where(has.any(axis=1), texts.argmin(axis=1), has.shape[1])
    return folds_of(rarest, count, seed)


def _solver(member: Member, tolerance: float, settings: Settings) -> Solver:
    return Solver(member.loss, member.ratios, member.l1, tolerance, threads=settings.cores)


def _watch(member: Member, steps: Steps | None) -> Callable[[solvers.Progress], object] | None:
    if steps is None:
        return None
    return lambda now: steps(f"fitting, {member.name}", now.done, now.problems)


def _with_every(weights: Floats, bias: Floats) -> Linear:
    """The same with a first column of nothing."""
    return Linear(np.concatenate([np.zeros((len(weights), 1)), weights], axis=1), np.concatenate([[0.0], bias]))
