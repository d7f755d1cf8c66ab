"""Rows and labels -> a scorecard, by solvers: models that are no function of the counts (Rush: logistic, hinge, NBSVM).

`fit` makes the scorecard of some examples as settings say, and tells how: which C was chosen, how well rows did that
were held out for it, and what they scored. One linear model is a `Member`; a `committee` adds several up.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..scorecard import Scorecard
from ..selection import Searched
from ..settings import Settings
from . import cards, committee, kin, levels, members
from .continued import go_on
from .elimination import eliminate
from .members import Labelled, Member, Steps
from .plan import Clock, Late, Planned, most_characters, planned
from .seen import Seen, Sight, see
from .term_weights import learnt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
FOLDS = 5
COSTS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # C, to choose from, of rows of length 1
SMALL_COSTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # of rows that are as long as texts are
TOGETHER = "together"
AGAINST_REST_OR_JOINT = {"logistic": ("logistic", "softmax"), "hinge": ("squared_hinge", "multiclass_hinge")}

__all__ = [
    "Clock",
    "Planned",
    "Steps",
    "chosen_cost",
    "eliminated",
    "fit",
    "held_out",
    "labelled",
    "learn",
    "learnt",
    "member_of",
    "most_characters",
    "planned",
]


def fit(
    counts: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    steps: Steps | None = None,
    weights: Sequence[float] | None = None,
    clock: Clock | None = None,
) -> tuple[Scorecard, Settings, dict[str, Any], Floats | None]:
    """The scorecard of rows with labels y; the settings with what was chosen; how it was chosen, for a file; and what
    rows scored that were held out for it, where any were.

    A committee whose time is measured by a `clock` has the members that there is time for.

    `weights` are those of rows. They multiply what rows cost; idf and ratios, which count rows, know nothing of them.
    """
    of, threads = labelled(counts, y, settings, weights), settings.cores
    if settings.model == "committee":
        return _committee(counts, rows, of, settings, steps, clock or Clock(None))
    member = member_of(settings, of.labels)
    seen = see(rows, counts, member.sight)
    chosen: dict[str, Any] = {}
    scores: Floats | None = None
    if settings.cost is None:
        cost, chosen, scores = chosen_cost(member, seen, of, threads, steps)
        member, settings = replace(member, c=cost), replace(settings, cost=cost)
    linear = members.fit(member, seen, of, threads, steps)
    return cards.of_one(counts.labels, counts.lexicon, seen, linear), settings, chosen, scores


def held_out(
    counts: Counts, rows: Rows, y: Integers, settings: Settings, weights: Sequence[float] | None = None
) -> Floats:
    """What rows score (rows x labels), each by a model of the rows of other folds, with the C that settings have."""
    of = labelled(counts, y, settings, weights)
    if settings.model == "committee":
        return _committee(counts, rows, of, settings, None, Clock(None))[3]
    member = member_of(settings, of.labels)
    seen = see(rows, counts, member.sight)
    return np.asarray(members.held_out(member, seen, of, committee.folds_of(y, FOLDS), [member.c], settings.cores)[0])


def eliminated(
    counts: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    top: int,
    steps: Steps | None = None,
    weights: Sequence[float] | None = None,
) -> Searched:
    """The terms that a model of rows with labels y needs, at most `top`; C is that of all terms."""
    of = labelled(counts, y, settings, weights)
    member = member_of(settings, of.labels)
    if settings.cost is None:
        cost, *_ = chosen_cost(member, see(rows, counts, member.sight), of, settings.cores, steps)
        member = replace(member, c=cost)
    return eliminate(member, counts, rows, of, committee.folds_of(y, FOLDS), top, settings.cores, steps)


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
    return go_on(member_of(settings, of.labels), card, before, after, rows, of)


def labelled(counts: Counts, y: Integers, settings: Settings, weights: Sequence[float] | None = None) -> Labelled:
    """The labels of rows, with what each row costs."""
    heavy = np.bincount(y, weights, len(counts.labels))
    return Labelled(y, len(counts.labels), _costs(counts, heavy, y, settings, weights))


def member_of(settings: Settings, labels: int) -> Member:
    """The one linear model that settings ask for."""
    sight = Sight.of(settings)
    cost = 1.0 if settings.cost is None else settings.cost
    if settings.has_ratios:
        loss = "squared_hinge" if settings.model == "nbsvm" else "logistic"
        ratios = (settings.strength, settings.interpolation)
        return Member(settings.model, sight, loss, cost, ratios=ratios, l1=settings.l1, bias=0.0)
    rest, joint = AGAINST_REST_OR_JOINT["logistic" if settings.model == "rotation" else settings.model]
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


def chosen_cost(
    member: Member, seen: Seen, of: Labelled, threads: int, steps: Steps | None
) -> tuple[float, dict[str, Any], Floats]:
    """The C that does best on held-out rows, by what they cost, the least of those that do as well; how each did; and
    the scores of the rows.
    """
    costs = COSTS if member.sight.length_norm else SMALL_COSTS
    folds = committee.folds_of(of.y, FOLDS)
    scores = members.held_out(member, seen, of, folds, costs, threads, steps)
    right = [_right(of_cost, of) for of_cost in scores]
    best = int(np.argmax(right))
    told = {"held_out": {f"{cost:g}": accuracy for cost, accuracy in zip(costs, right, strict=True)}}
    return costs[best], told, scores[best]


def _committee(
    counts: Counts, rows: Rows, of: Labelled, settings: Settings, steps: Steps | None, clock: Clock
) -> tuple[Scorecard, Settings, dict[str, Any], Floats]:
    """The committee of all members that have something to see, and that there is time for; and its held-out scores.

    Labels that are paths have one of each level above them, too, where that is asked for, or true labels are more
    probable by it.
    """
    sitting, passed_over = _sitting(counts, rows, of, settings.cores, steps, clock)
    flat = levels.summed(levels.own(of.labels), [held for _, _, held in sitting], of)
    views = kin.Views(counts, rows, of, str(settings.hierarchy), committee.folds_of(of.y, FOLDS))
    those = [(member, seen) for member, seen, _ in sitting]
    sums, told_levels = _levelled(flat, those, views, settings, clock)
    is_flat = sums[0] is flat
    if not is_flat:
        those = [(member, views.seen(member.sight)) for member, _ in those]
    top = levels.together(sums, of, is_flat=is_flat)
    parts = list(levels.parts(those, sums, top, of, settings.cores, steps))
    made = cards.of_sum(counts.labels, counts.lexicon, parts)
    together, names = levels.scores(sums, top), [member.name for member, _ in those]
    told = {
        "held_out": {
            **{name: _right(held, of) for name, held in zip(names, sums[0].each, strict=True)},
            TOGETHER: _right(together, of),
        },
        "weights": dict(zip(names, sums[0].weighted.members.tolist(), strict=True)),
        **({"passed_over": passed_over} if passed_over else {}),
        **({"levels": told_levels} if told_levels else {}),
    }
    if told_levels:
        settings = replace(settings, levels="flat" if is_flat else "shared")
    return replace(made, bias=made.bias + levels.bias(sums, top)), settings, told, together


def _levelled(
    flat: levels.Summed, sitting: Sequence[tuple[Member, Seen]], views: kin.Views, settings: Settings, clock: Clock
) -> tuple[list[levels.Summed], dict[str, float]]:
    """The committee of labels, or one of kin with those above it; and how probable each way makes true labels."""
    sums: list[levels.Summed] = []
    if settings.weighs_levels and levels.has_time(sitting, views, clock):
        for level in [flat.level, *levels.above(views.counts.labels, views.separator)]:
            held = levels.held_out(level, sitting, views, clock, settings.cores)
            if held is None:
                break
            sums.append(levels.summed(level, held, views.of))
    if not sums:
        return [flat], {}
    flat_p, shared_p = levels.log_p([flat], views.of), levels.log_p(sums, views.of)
    is_shared = settings.levels == "shared" or levels.is_better(shared_p, flat_p)
    told = {way: round(100 * float(np.exp(each.mean())), 2) for way, each in (("flat", flat_p), ("shared", shared_p))}
    return sums if is_shared else [flat], told


def _sitting(
    counts: Counts, rows: Rows, of: Labelled, threads: int, steps: Steps | None, clock: Clock
) -> tuple[list[tuple[Member, Seen, Floats]], dict[str, float]]:
    """Members, what they see and how they score held-out rows; and those passed over, with the seconds they need."""
    folds = committee.folds_of(of.y, FOLDS)
    views: dict[Sight, Seen] = {}
    sitting: list[tuple[Member, Seen, Floats]] = []
    passed_over: dict[str, float] = {}
    for member in committee.MEMBERS:
        seen = views.setdefault(member.sight, views.get(member.sight) or see(rows, counts, member.sight))
        if sitting and not len(seen.terms):
            continue
        passed_over[member.name] = clock.forecast(member, seen, of)
        if sitting and not clock.has_time(member, seen, of):
            continue
        start = time.perf_counter()
        watch = clock.watch(steps) if sitting else steps
        with suppress(Late):
            held = members.held_out(member, seen, of, folds, [member.c], threads, watch)[0]
            clock.took(time.perf_counter() - start, member, seen, of)
            sitting.append((member, seen, held))
            del passed_over[member.name]
    return sitting, passed_over


def _right(scores: Floats, of: Labelled) -> float:
    """How much of what rows cost is scored right."""
    return float(np.average(scores.argmax(axis=1) == of.y, weights=of.cost))
