"""Rows with labels -> the weights of each step of a path, and how many held-out rows each step has right.

Steps are solved one after the other, each from the one before, and of each only what is not zero is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..fitting import solvers
from ..fitting.members import Labelled, Member, Steps, held_out
from ..fitting.seen import Seen
from ..fitting.solvers import Solver

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
HALVINGS = 40
NEAR = 1.01  # how near to where the first term comes in a path begins
TOLERANCE = 1e-5  # of the objective: a term that no better fit would have shall not come in


class Followed(NamedTuple):
    """Steps: lambda, terms that any label has, held-out accuracy and its standard error. Entries, by when they come in:
    their term and output, their first step, and their weight at each step (entries x steps).
    """

    lam: Floats
    terms: Integers
    accuracy: Floats
    error: Floats
    term: Integers
    output: Integers
    first: Integers
    weights: Floats


def follow(
    seen: Seen,
    of: Labelled,
    member: Member,
    steps: int,
    least: float,
    folds: Integers,
    threads: int = 0,
    progress: Steps | None = None,
    tolerance: float = TOLERANCE,
) -> Followed:
    """The path of a member, in steps of one ratio from the greatest lambda to `least` of it."""
    given = solvers.examples(seen.rows, len(seen.terms), of.y, of.labels, cost=of.cost, bias=member.bias)
    solver = Solver(member.loss, member.ratios, member.l1, tolerance, threads=threads)
    lam = np.geomspace(1.0, least, steps) * greatest(given, solver)
    right = _right(held_out(member, seen, of, folds, (1 / lam).tolist(), threads, progress), of, folds)
    found = _solved(given, solver, lam, progress)
    outputs = 1 if of.labels == 2 else of.labels
    keys = np.unique(np.concatenate([key for key, _ in found]))
    weights = np.zeros((len(keys), steps))
    for step, (key, weight) in enumerate(found):
        weights[np.searchsorted(keys, key), step] = weight
    order, first = _by_entry(weights)
    terms = np.array([len(np.unique(key // outputs)) for key, _ in found])
    error = right.std(axis=1, ddof=1) / np.sqrt(right.shape[1])
    entries = (keys[order] // outputs, keys[order] % outputs, first, weights[order])
    return Followed(lam, terms, right.mean(axis=1), error, *entries)


def greatest(given: solvers.Examples, solver: Solver) -> float:
    """The greatest lambda at which a term comes in, nearly: at it none has a weight. The bias, penalised too, may have.

    Of no term at all, it is where the bias comes in.
    """
    above = below = first = 1 / solvers.least_c(given, solver)
    fit = None
    for _ in range(HALVINGS):
        above, below = below, below / 2
        fit = solvers.fit(given, solver, [1 / below], start=fit)[0]
        if fit.weights.any():
            break
    else:
        return first
    while above > NEAR * below:
        middle = float(np.sqrt(above * below))
        has_one = solvers.fit(given, solver, [1 / middle])[0].weights.any()
        above, below = (above, middle) if has_one else (middle, below)
    return above


def _solved(
    given: solvers.Examples, solver: Solver, lam: Floats, progress: Steps | None
) -> list[tuple[Integers, Floats]]:
    """Of each step, the places in terms x outputs of what is not zero, and what it is."""
    found: list[tuple[Integers, Floats]] = []
    fit = None
    for step, each in enumerate(lam):
        if progress is not None:
            progress(f"following, lambda {each:.3g}", step, len(lam))
        fit = solvers.fit(given, solver, [1 / each], start=fit)[0]
        flat = fit.weights.ravel()
        places = np.flatnonzero(flat)
        found.append((places, flat[places]))
    return found


def _right(scores: Floats, of: Labelled, folds: Integers) -> Floats:
    """For each step (row) and fold (column), how much of what the fold's rows cost is scored right."""
    is_right = scores.argmax(axis=2) == of.y
    parts: Sequence[npt.NDArray[np.bool_]] = [folds == fold for fold in np.unique(folds)]
    return np.stack([np.average(is_right[:, part], axis=1, weights=of.cost[part]) for part in parts], axis=1)


def _by_entry(weights: Floats) -> tuple[Integers, Integers]:
    """Entries by their first step, of one step the strongest first; and that step of each."""
    first = (weights != 0).argmax(axis=1)
    strength = np.abs(weights[np.arange(len(first)), first])
    order = np.lexsort((-strength, first))
    return order, first[order]
