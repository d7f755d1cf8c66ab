"""Rows and labels -> a model of features that are sums over all terms: latent semantic analysis, rotations, Fisher's
discriminant (Aggarwal 5.2.7). scikit-learn does the algebra, and grows the trees.

    lsa            the features x V of all terms, and a linear model of them              `project="lsa:200"`
    rotation       K r features of a random split of the terms, and a linear model of them; repeated, and averaged
    fisher         Fisher's linear discriminant
    *-forest       a decision tree of the features of a rotation, or of Fisher's directions; repeated, and averaged

A linear model of features that are linear in the terms is linear in the terms: with W_low of the features,

    x V W_low + b = x (V W_low) + b,     so that     W = V W_low,     and of several rounds W = mean of V W_low

and b alike. The first three end as the scorecard that every model has, exactly; the trees do not (`forest`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..errors import TooManyWeights
from ..fitting import Steps, cards, chosen_cost, labelled, member_of, members
from ..fitting.members import Labelled, Linear, Member
from ..fitting.seen import Seen, Sight, see
from ..rows import Rows
from ..scorecard import Scorecard
from ..settings import ROTATIONS, ROUNDS, Settings
from ..splits import folds_of
from . import fisher, forest
from .forest import Forest
from .lsa import Axes, Matrix, check_extra, lsa, matrix, rotate, sizes

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Fitted = tuple[Linear, Settings, dict[str, Any]]
MOST_WEIGHTS = 1 << 26  # half a gigabyte
FOLDS = 5

__all__ = ["Forest", "fit"]


@dataclass(frozen=True, eq=False)
class Task:
    """What is seen of rows, the same as a sparse matrix, their labels, and who wants to know how far it is."""

    seen: Seen
    x: Matrix
    of: Labelled
    settings: Settings
    steps: Steps | None

    def told(self, what: str, done: int, of: int) -> None:
        """Tells how far it is."""
        if self.steps is not None:
            self.steps(what, done, of)

    def rotation(self, number: int) -> Axes:
        """The axes of a round: each has a split of its own."""
        s = self.settings
        return rotate(self.x, *sizes(self.x.shape, s.subsets, s.features, ROTATIONS[s.model]), _random(number))


def fit(
    counts: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    steps: Steps | None = None,
    weights: Sequence[float] | None = None,
) -> tuple[Scorecard | Forest, Settings, dict[str, Any]]:
    """The scorecard, or the forest, of rows with labels y; the settings with what was chosen; and how it was."""
    check_extra()
    from threadpoolctl import threadpool_limits

    seen = see(rows, counts, Sight.of(settings))
    task = Task(seen, matrix(seen), labelled(counts, y, settings, weights), settings, steps)
    with threadpool_limits(1):  # small products: threads would only wait for each other
        if settings.has_trees:
            return _forest(counts, task)
        _check_weights(counts, settings)
        linear, settings, told = _fisher(task) if settings.model == "fisher" else _linear(task)
    return cards.of_one(counts.labels, counts.lexicon, seen, linear), settings, told


def _linear(task: Task) -> Fitted:
    """A linear model of latent features; of several rounds the mean. C is chosen by the features of the first."""
    settings, rounds = task.settings, task.settings.rounds or ROUNDS
    member, found = member_of(settings, task.of.labels), []
    told: dict[str, Any] = {}
    for number in range(rounds if settings.model == "rotation" else 1):
        task.told("projecting", number, rounds)
        axes = task.rotation(number) if settings.model == "rotation" else _lsa(task)
        low = _low(axes.project(task.x), member)
        if settings.cost is None and number == 0:
            cost, told, _ = chosen_cost(member, low, task.of, settings.cores, task.steps)
            member, settings = replace(member, c=cost), replace(settings, cost=cost)
        linear = members.fit(member, low, task.of, settings.cores, task.steps)
        found.append(Linear(axes.back(linear.weights), linear.bias))
    weights, bias = (np.mean(parts, axis=0) for parts in zip(*found, strict=True))
    return Linear(weights, bias), settings, told


def _lsa(task: Task) -> Axes:
    given = str(task.settings.project)
    return lsa(task.x, int(given.partition(":")[2]), "project", given)


def _low(features: Floats, member: Member) -> Seen:
    """Features as rows that a member can be fit to."""
    n, f = features.shape
    indptr, column = np.arange(n + 1) * f, np.tile(np.arange(f, dtype=np.uint32), n)
    return Seen(member.sight, indptr, column, features.ravel().astype(np.float32), np.arange(f), np.ones(f), 1.0)


def _fisher(task: Task) -> Fitted:
    settings, told = _with_shrinkage(task)
    task.told("solving for Fisher's directions", 0, 1)
    return fisher.discriminant(fisher.moments(task.x, task.of), float(settings.shrinkage or 0)), settings, told


def _with_shrinkage(task: Task) -> tuple[Settings, dict[str, Any]]:
    """Settings with a shrinkage: what was given, or does best on rows that are held out, the least of equals."""
    if task.settings.shrinkage is not None:
        return task.settings, {}
    right = np.zeros(len(fisher.SHRINKAGES))
    folds = folds_of(task.of.y, FOLDS)
    for fold in range(FOLDS):
        task.told("holding out, for the shrinkage", fold, FOLDS)
        there = folds == fold
        if there.any() and task.of.without(there).cost.any():
            right += _right_by_shrinkage(task, there)
    right /= task.of.cost.sum()
    best = fisher.SHRINKAGES[int(np.argmax(right))]
    held = {f"{s:g}": float(r) for s, r in zip(fisher.SHRINKAGES, right, strict=True)}
    return replace(task.settings, shrinkage=best), {"held_out": held}


def _right_by_shrinkage(task: Task, there: npt.NDArray[np.bool_]) -> Floats:
    """For each shrinkage, what the rows of a fold cost that are scored right."""
    of, x = fisher.moments(task.x, task.of.without(there)), task.x[there]
    found = [fisher.discriminant(of, s, fisher.ROUGH) for s in fisher.SHRINKAGES]
    is_right = [(x @ linear.weights + linear.bias).argmax(axis=1) == task.of.y[there] for linear in found]
    return np.array(is_right) @ task.of.cost[there]


def _forest(counts: Counts, task: Task) -> tuple[Forest, Settings, dict[str, Any]]:
    """The forest of the features of a rotation, or of Fisher's directions, round by round."""
    is_rotated = task.settings.model == "rotation-forest"
    settings, told = (task.settings, {}) if is_rotated else _with_shrinkage(task)
    rounds = settings.rounds or ROUNDS
    forest.check_size(task.x.shape[1], _features(task), rounds)
    found, prior, shrinkage = [], forest.prior_of(counts), float(settings.shrinkage or 0)
    for number in range(rounds):
        task.told("growing trees", number, rounds)
        axes, of = (task.rotation(number), task.of) if is_rotated else _half(task, number, shrinkage)
        found.append((axes, forest.grow(task.seen, axes, of, prior, number, unit=is_rotated)))
    return forest.made(counts, task.seen, found, unit=is_rotated), settings, told


def _features(task: Task) -> int:
    """How many numbers a term has for a round."""
    s = task.settings
    if s.model == "fisher-forest":
        return task.of.labels - 1
    return sizes(task.x.shape, s.subsets, s.features, ROTATIONS[s.model])[1]


def _half(task: Task, number: int, shrinkage: float) -> tuple[Axes, Labelled]:
    """Fisher's directions of one half of the rows, and the other half, on which trees are grown.

    On the rows that they were made from, directions part labels better than on any others, and trees believe it.
    """
    half = folds_of(task.of.y, 2, number) == 0
    found = fisher.directions(fisher.moments(task.x, task.of.without(~half)), shrinkage)
    return Axes(np.zeros(len(found), np.int64), found, 1), task.of.without(half)


def _random(number: int) -> np.random.Generator:
    return np.random.default_rng([0, number])


def _check_weights(counts: Counts, settings: Settings) -> None:
    d, k = len(counts.lexicon), len(counts.labels)
    if d * k > MOST_WEIGHTS:
        shown = {"terms": f"{d:,}", "labels": f"{k:,}", "most": f"{MOST_WEIGHTS:,}"}
        raise TooManyWeights(what=f"the model {settings.model!r}", **shown)
