"""Rows and labels -> a scorecard, by solvers: models that are no function of the counts (Rush: logistic, hinge, NBSVM).

`fit` makes the scorecard of some examples as settings say, and tells how: which C was chosen, and how well rows did
that were held out for it. One linear model is a `Member`; a `committee` adds several up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..scorecard import Scorecard
from ..settings import Settings
from . import cards, committee, members
from .continued import go_on
from .members import Labelled, Member, Steps
from .seen import Seen, Sight, see

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
FOLDS = 5
COSTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # C, to choose from, of rows of length 1
SMALL_COSTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of rows that are as long as texts are
AGAINST_REST_OR_JOINT = {"logistic": ("logistic", "softmax"), "hinge": ("squared_hinge", "multiclass_hinge")}

__all__ = ["Steps", "fit", "learn"]


def fit(
    counts: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    steps: Steps | None = None,
    weights: Sequence[float] | None = None,
) -> tuple[Scorecard, Settings, dict[str, Any]]:
    """The scorecard of rows with labels y; the settings with what was chosen; and how it was chosen, for a file.

    `weights` are those of rows. They multiply what rows cost; idf and ratios, which count rows, know nothing of them.
    """
    heavy = np.bincount(y, weights, len(counts.labels))
    of = Labelled(y, len(counts.labels), _costs(counts, heavy, y, settings, weights))
    threads = settings.cores
    if settings.model == "committee":
        found, told = _committee(counts, rows, of, threads, steps)
        return found, settings, told
    member = _member(settings, of.labels)
    seen = see(rows, counts, member.sight)
    told = {}
    if settings.cost is None:
        cost, told = _chosen(member, seen, of, threads, steps)
        member, settings = replace(member, c=cost), replace(settings, cost=cost)
    linear = members.fit(member, seen, of, threads, steps)
    return cards.of_one(counts.labels, counts.lexicon, seen, linear), settings, told


def learn(
    card: Scorecard,
    before: Counts,
    after: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    weights: Sequence[float] | None = None,
) -> Scorecard:
    """The scorecard of one linear model, of documents counted `before`, moved by more rows; all are counted `after`."""
    of = Labelled(y, len(after.labels), _costs(after, after.documents, y, settings, weights))
    return go_on(_member(settings, of.labels), card, before, after, rows, of)


def _member(settings: Settings, labels: int) -> Member:
    """The one linear model that settings ask for."""
    sight = Sight(weighting=settings.counting, idf=settings.has_idf, length_norm=settings.has_length_norm)
    cost = 1.0 if settings.cost is None else settings.cost
    if settings.has_ratios:
        loss = "squared_hinge" if settings.model == "nbsvm" else "logistic"
        ratios = (settings.strength, settings.interpolation)
        return Member(settings.model, sight, loss, cost, ratios=ratios, l1=settings.l1, bias=0.0)
    rest, joint = AGAINST_REST_OR_JOINT[settings.model]
    loss = joint if settings.is_joint and labels > 2 else rest
    return Member(settings.model, sight, loss, cost, l1=settings.l1)


def _costs(
    counts: Counts,
    heavy: npt.NDArray[np.floating | np.integer],
    y: Integers,
    settings: Settings,
    weights: Sequence[float] | None,
) -> Floats:
    """What each row costs: its own weight times its label's, which all together are so `heavy`."""
    labels, own = counts.labels, np.ones(len(y)) if weights is None else np.asarray(weights, np.float64)
    if settings.class_weight == "balanced":
        of_label = heavy.sum() / (len(labels) * heavy)
    elif isinstance(settings.class_weight, dict):
        of_label = np.array([settings.class_weight.get(label, 1.0) for label in labels])
    else:
        of_label = np.ones(len(labels))
    return np.asarray(own * of_label[y])


def _chosen(
    member: Member, seen: Seen, of: Labelled, threads: int, steps: Steps | None
) -> tuple[float, dict[str, Any]]:
    """The C that does best on held-out rows, by what they cost, the least of those that do as well; how each did."""
    costs = COSTS if member.sight.length_norm else SMALL_COSTS
    folds = committee.folds_of(of.y, FOLDS)
    scores = members.held_out(member, seen, of, folds, costs, threads, steps)
    right = [float(np.average(of_cost.argmax(axis=1) == of.y, weights=of.cost)) for of_cost in scores]
    best = costs[int(np.argmax(right))]
    return best, {"held_out": {f"{cost:g}": accuracy for cost, accuracy in zip(costs, right, strict=True)}}


def _committee(
    counts: Counts, rows: Rows, of: Labelled, threads: int, steps: Steps | None
) -> tuple[Scorecard, dict[str, Any]]:
    """The committee of all members that have something to see."""
    folds = committee.folds_of(of.y, FOLDS)
    views: dict[Sight, Seen] = {}
    for member in committee.MEMBERS:
        if member.sight not in views:
            views[member.sight] = see(rows, counts, member.sight)
    sitting = [member for member in committee.MEMBERS if len(views[member.sight].terms)] or [committee.MEMBERS[0]]
    scores = [members.held_out(m, views[m.sight], of, folds, [m.c], threads, steps)[0] for m in sitting]
    found = committee.weigh(scores, of)
    parts = [
        (views[m.sight], committee.scaled(members.fit(m, views[m.sight], of, threads, steps), float(weight)))
        for m, weight in zip(sitting, found.members, strict=True)
        if weight > 0 or not found.members.any()
    ]
    made = cards.of_sum(counts.labels, counts.lexicon, parts)
    right = [float(np.mean(of_member.argmax(axis=1) == of.y)) for of_member in scores]
    told = {
        "held_out": {member.name: accuracy for member, accuracy in zip(sitting, right, strict=True)},
        "weights": {m.name: float(weight) for m, weight in zip(sitting, found.members, strict=True)},
    }
    return replace(made, bias=made.bias + found.bias), told
