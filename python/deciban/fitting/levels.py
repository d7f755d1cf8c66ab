"""Labels that are paths -> committees of what stands above them, and how much each counts beside that of the labels.

    score_r = a_0 s_r + sum_d a_d s_d(r) + b_r,      a_d >= 0

where s_r is the committee's score of label r, and s_d(r) that of its ancestor d steps below the root, of a committee of
the same members that tells apart all nodes so deep. To all of them terms count more that keep to a branch (`kin`). The
a_d and b_r are weighed as members are (`committee.weigh`), by rows that were held out. So a label of few texts learns
from its branch as much as held-out rows say is good: the shrinkage along the path of McCallum, Rosenfeld, Mitchell and
Ng (1998), in logarithms and stacked (Wolpert 1992). It is one sum over terms. A level with more than half as many nodes
as there are labels says little that they do not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..tree import cut
from . import committee, members
from .committee import Weighted
from .kin import Views
from .members import Labelled, Linear, Member, Steps
from .plan import Clock, Late
from .seen import Seen

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Level(NamedTuple):
    """Nodes that stand so deep: the number of each label's own, and how many there are."""

    number: Integers
    nodes: int

    def labelled(self, of: Labelled) -> Labelled:
        """Rows of labels as rows of nodes."""
        return Labelled(self.number[of.y], self.nodes, of.cost)

    def below(self, linear: Linear) -> Linear:
        """The weights of nodes as those of the labels below them."""
        return Linear(linear.weights[:, self.number], linear.bias[self.number])


class Summed(NamedTuple):
    """Members added up that tell apart the nodes of a level: how much each counts, and what held-out rows score, by
    them together and by each.
    """

    level: Level
    weighted: Weighted
    scores: Floats
    each: Sequence[Floats]


def own(labels: int) -> Level:
    """The labels themselves."""
    return Level(np.arange(labels), labels)


def above(labels: Sequence[str], separator: str) -> list[Level]:
    """The levels above labels that say something that these do not.

    >>> [level.number.tolist() for level in above(("art/old", "art/new", "comp/mac/x", "comp/pc/x"), "/")]
    [[0, 0, 1, 1]]
    """
    found: list[Level] = []
    for depth in range(1, max(label.count(separator) for label in labels) + 1):
        nodes, number = np.unique([cut(label, separator, depth) for label in labels], return_inverse=True)
        if max(1, found[-1].nodes if found else 1) < len(nodes) <= len(labels) / 2:
            found.append(Level(number, len(nodes)))
    return found


def summed(level: Level, scores: Sequence[Floats], of: Labelled) -> Summed:
    """The sum of members that have given rows such scores, rows x nodes; of labels `of`."""
    found = committee.weigh(scores, level.labelled(of))
    return Summed(level, found, (np.tensordot(found.members, scores, 1) + found.bias)[:, level.number], scores)


def has_time(sitting: Sequence[tuple[Member, Seen]], views: Views, clock: Clock) -> bool:
    """Whether there is time for the same members once more, to whom terms count by the kinship of labels."""
    return views.seconds + sum(clock.forecast(member, seen, views.of) for member, seen in sitting) <= clock.left


def held_out(
    level: Level, sitting: Sequence[tuple[Member, Seen]], views: Views, clock: Clock, threads: int
) -> list[Floats] | None:
    """What members score rows that were held out, rows x nodes; None where there is no time. They see as much."""
    of_nodes, scores = level.labelled(views.of), []
    for member, seen in sitting:
        if not clock.has_time(member, seen, of_nodes):
            return None
        start, without = time.perf_counter(), partial(views.without, member.sight)
        with suppress(Late):
            scores.append(members.held_out_apart(member, without, of_nodes, views.folds, threads, clock.watch(None)))
            clock.took(time.perf_counter() - start, member, seen, of_nodes)
    return scores if len(scores) == len(sitting) else None


def together(sums: Sequence[Summed], of: Labelled, *, is_flat: bool) -> Weighted:
    """How much each level counts; what is flat as it is."""
    if is_flat:
        return Weighted(np.ones(1), np.zeros(of.labels), sums[0].weighted.loss)
    return committee.weigh([one.scores for one in sums], of)


def log_p(sums: Sequence[Summed], of: Labelled) -> Floats:
    """The log probability of the label of each row that was held out, where levels count so much as is best for it."""
    found = scores(sums, committee.weigh([one.scores for one in sums], of))
    found -= found.max(axis=1, keepdims=True)
    return np.asarray(found[np.arange(len(of.y)), of.y] - np.log(np.exp(found).sum(axis=1)))


def is_better(one: Floats, other: Floats) -> bool:
    """Whether true labels are more probable by more than one standard error."""
    gain = one - other
    return bool(gain.mean() > gain.std() / np.sqrt(len(gain)))


def scores(sums: Sequence[Summed], top: Weighted) -> Floats:
    """What held-out rows score, rows x labels."""
    return np.asarray(np.tensordot(top.members, [one.scores for one in sums], 1) + top.bias)


def bias(sums: Sequence[Summed], top: Weighted) -> Floats:
    """What is added for each label beyond what members add."""
    each = [a * one.weighted.bias[one.level.number] for a, one in zip(top.members, sums, strict=True)]
    return np.asarray(np.sum(each, axis=0) + top.bias)


def parts(
    sitting: Sequence[tuple[Member, Seen]],
    sums: Sequence[Summed],
    top: Weighted,
    of: Labelled,
    threads: int,
    steps: Steps | None,
) -> Iterator[tuple[Seen, Linear]]:
    """Each member that counts, fit to all rows: of all levels together, as much as they count."""
    is_idle = not any(one.weighted.members.any() for one in sums)
    for number, (member, seen) in enumerate(sitting):
        fits = []
        for a, (level, weighted, *_) in zip(top.members, sums, strict=True):
            by = float(a * weighted.members[number])
            if by > 0 or is_idle:
                linear = members.fit(member, seen, level.labelled(of), threads, steps)
                fits.append(level.below(committee.scaled(linear, by)))
        if fits:
            yield seen, Linear(*(np.sum(of_all, axis=0) for of_all in zip(*fits, strict=True)))
