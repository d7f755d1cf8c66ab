"""Rows and labels -> the terms that a fitted model needs: those that weigh least go, again and again.

Recursive elimination (Guyon, Weston, Barnhill and Vapnik 2002): fit, keep the half of the terms with the greatest
sum_r w_jr^2, fit again to rows of those alone, and so on. How good each number of terms is, folds tell: in each, terms
are eliminated by what was learnt from the others, and the rows that were kept apart are scored at every number. The
least number within one standard error of the best is chosen (`selection.searching`), and all rows say which terms.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..selection.searching import Point, Searched
from ..selection.sparse import best
from . import members
from .members import Labelled, Linear, Member, Steps
from .seen import Seen, see

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def eliminate(
    member: Member,
    counts: Counts,
    rows: Rows,
    of: Labelled,
    folds: Integers,
    top: int,
    threads: int,
    steps: Steps | None,
) -> Searched:
    """The terms that are left, at most `top`, of rows that were counted; and how many rows were wrong by how many."""
    sizes, n = _sizes(len(counts.lexicon), top), len(of.y)
    wrong, held_out = np.zeros(len(sizes), np.int64), np.unique(folds)
    for turn, fold in enumerate(held_out):
        held = np.flatnonzero(folds == fold)
        for place, (_, seen, linear) in enumerate(_fewer(member, counts, rows, of, folds != fold, sizes, threads)):
            if steps is not None:
                done = turn * len(sizes) + place
                steps(f"eliminating, {sizes[place]:,} terms", done, len(held_out) * len(sizes))
            answers = seen.some(held).scores(*linear).argmax(axis=1)
            wrong[place] += int((answers != of.y[held]).sum())
    curve = tuple(Point(size, int(w)) for size, w in zip(sizes[::-1], wrong[::-1], strict=True) if size <= top)
    least = Searched("elimination", n, curve, {}).chosen.terms
    for kept, _, _ in _fewer(member, counts, rows, of, np.ones(n, np.bool_), [s for s in sizes if s >= least], threads):
        places = np.flatnonzero(kept).tolist()
    return Searched("elimination", n, curve, {least: places})


def _sizes(terms: int, top: int) -> list[int]:
    """Numbers of terms, each half of the one before, and `top` among them.

    >>> _sizes(50, 10)
    [50, 25, 12, 10, 6, 3, 1]
    """
    halves = [terms >> step for step in range(terms.bit_length())]
    return sorted({*halves, min(top, terms)}, reverse=True)


def _fewer(
    member: Member, counts: Counts, rows: Rows, of: Labelled, learnt: Mask, sizes: list[int], threads: int
) -> Iterator[tuple[Mask, Seen, Linear]]:
    """For each number of terms those that are left, what is seen of all rows by them, and the fit to some rows."""
    kept = np.ones(len(counts.lexicon), np.bool_)
    some = np.flatnonzero(learnt)
    labelled = Labelled(of.y[some], of.labels, of.cost[some])
    weight = np.zeros(len(kept))
    for size in sizes:
        kept = best(np.where(kept, weight, -1.0), size)
        seen = see(rows.of_terms(kept), counts.of_terms(kept), member.sight)
        linear = members.fit(member, seen.some(some), labelled, threads)
        weight = np.zeros(len(kept))
        weight[np.flatnonzero(kept)[seen.terms]] = (linear.weights**2).sum(axis=1)
        yield kept, seen, linear
