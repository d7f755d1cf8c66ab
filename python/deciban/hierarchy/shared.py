"""Flat, with shared counts: what speaks for a label, and a share of what speaks for each of its ancestors.

With s_r the score of label r by a flat model, and s_d(r) that of its ancestor d steps below the root by the same model,
among all ancestors so deep and with the summed counts of the labels below them,

    score_r = s_r + a sum_d s_d(r)                    d = 1, 2, ... below the label itself

in which each term counts g_j times as much as in the flat model: more where it keeps to a branch (`selection.kinship`).
A label of few examples borrows from its relatives what tells the whole branch from others, and which words tell
anything, and keeps its own examples for what tells it from those. The sum is the shrinkage along the path of McCallum,
Rosenfeld, Mitchell and Ng (1998), made in logarithms: a sum over terms again, so that it is a scorecard, of any model
of counts. (They mix the dice themselves.) The prior is the label's own, and counts once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .. import weighing
from ..counts import Counts
from ..errors import TooManyShared
from ..rows import Rows
from ..scorecard import Scorecard
from ..selection.kinship import Shown, kinship, left_out, steps
from ..settings import Settings
from ..weighing import weighted
from .sums import Integers, at_depth

Floats = npt.NDArray[np.float64]
MOST_WEIGHTS = 1 << 25


def weigh(counts: Counts, settings: Settings) -> Scorecard:
    """The scorecard of all labels."""
    check_size(counts)
    a, k, card = settings.share, len(counts.labels), weighing.weigh(counts, settings.flat)
    levels = [(weighing.weigh(summed, of_level), number) for summed, number, of_level in _levels(counts, settings)]
    bias = card.bias + a * sum(level.bias[number] for level, number in levels)
    absent = card.absent + a * sum(level.absent[number] for level, number in levels)
    keys, weights = [card.term * k + card.label], [card.weight]
    for level, number in levels:
        label, place = _below(level.label, number)
        keys.append(level.term[place] * k + label)
        weights.append(a * level.weight[place])
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    weight = np.bincount(place, np.concatenate(weights), len(every)).astype(np.float64)
    indptr = np.searchsorted(every, np.arange(len(counts.lexicon) + 1) * k)
    summed = replace(card, bias=bias, absent=absent, indptr=indptr, label=(every % k).astype(np.uint32), weight=weight)
    return weighted.weigh(summed, kinship(Shown.of_counts(counts), _steps(counts, settings)))


def _below(nodes: npt.NDArray[np.uint32], number: Integers) -> tuple[Integers, Integers]:
    """Of postings of some nodes, one for each label below: the label, and the place of the posting."""
    order, sizes = np.argsort(number, kind="stable"), np.bincount(number)
    start, times = np.cumsum(sizes) - sizes, sizes[nodes]
    place = np.repeat(np.arange(len(nodes)), times)
    step = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    return order[start[nodes[place]] + step], place


def leave_one_out(counts: Counts, rows: Rows, y: Integers, settings: Settings) -> Floats:
    """The scores of each row, of label y[i] and one of those counted, by a scorecard weighed without it."""
    g = left_out(Shown.of_counts(counts), _steps(counts, settings), rows, y)
    scores = weighing.leave_one_out(counts, rows, y, settings.flat, g=g)
    for summed, number, of_level in _levels(counts, settings):
        scores += settings.share * weighing.leave_one_out(summed, rows, number[y], of_level, g=g)[:, number]
    return scores


def _steps(counts: Counts, settings: Settings) -> list[Integers]:
    return steps(counts.labels, str(settings.hierarchy))


def _levels(counts: Counts, settings: Settings) -> Iterator[tuple[Counts, Integers, Settings]]:
    """The counts of each level above the labels, the number there of each label, and how they are weighed."""
    separator = str(settings.hierarchy)
    of_level = replace(settings.flat, prior="uniform", prior_smoothing=0.0)
    for depth in range(1, max(label.count(separator) for label in counts.labels) + 1):
        summed, number = at_depth(counts, separator, depth)
        if len(summed.labels) > 1:
            yield summed, number, of_level


def check_size(counts: Counts) -> None:
    """Refuses what would take more memory than the counts do by far."""
    if not fits(counts):
        raise TooManyShared(labels=len(counts.labels), most=f"{MOST_WEIGHTS:,}")


def fits(counts: Counts) -> bool:
    """Whether the scorecard fits into memory: it may have a weight for every term and label."""
    return len(counts.lexicon) * len(counts.labels) <= MOST_WEIGHTS
