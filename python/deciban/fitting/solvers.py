"""Rows of numbers with labels -> weights that minimise a penalty plus what the rows cost, by the core's solvers.

    sum over outputs of penalty(w) + C sum_i cost_i l(...)

Losses (`LOSSES`) of one margin m = y (w . x) see a label against the rest, and of two labels the second:

    hinge             max(0, 1 - m)                      L2
    squared_hinge     max(0, 1 - m)^2                    L2, L1, elastic net
    squared           (1 - m)^2 = (y - w . x)^2          L2, L1, elastic net (Aggarwal 5.10, with lambda = 1/C)
    logistic          log(1 + e^-m)                      L2, L1, elastic net

Losses of all labels' scores s at once:

    softmax           log sum_r e^(s_r - s_y)            L2; multinomial logistic regression
    multiclass_hinge  max_r (s_r + [r != y]) - s_y       L2; Crammer and Singer

The penalty is `l1` |w|_1 + (1 - `l1`) |w|^2 / 2. The bias is the weight of a constant that every row has, and is
penalised like others, less so the larger the constant: as in LIBLINEAR. A fit ends when the duality gap, which says how
much lower the objective can be at most, is `tolerance` of the objective.

With `ratios` (NBSVM, Wang and Manning 2012; Rush), rows are multiplied with the log-count ratios of a label against the
rest before they are fit, and the weights after; P_j of the rows of the label that are learnt from have term j, and Q_j
of the others:

    r_j = log((P_j + alpha) / |P + alpha|) - log((Q_j + alpha) / |Q + alpha|)
    W_j = r_j ((1 - beta) mean |w| + beta w_j)

Not here: what the numbers of a row are, which C is best, and what becomes of the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.uint32]

LOSSES = ("hinge", "squared_hinge", "squared", "logistic", "softmax", "multiclass_hinge")


@dataclass(frozen=True)
class Solver:
    """What is minimised, and how far; `ratios` are alpha and beta, of rows that are multiplied with ratios first."""

    loss: str = "logistic"
    ratios: tuple[float, float] | None = None
    l1: float = 0.0
    tolerance: float = 1e-4
    epochs: int = 1000
    seed: int = 0
    threads: int = 0


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows, laid out for solvers; the label of each, from 0 to `labels` - 1; what its loss is multiplied with.

    With `ends`, a row has any number of labels, those from its end to the next, in order.
    """

    matrix: _core.Matrix
    label: Numbers
    labels: int
    cost: Floats
    ends: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Fit:
    """What was found for one C: weights (terms x outputs), biases, and of each problem that was solved how it ended.

    There is an output for each label, of two labels one for the second; but for losses of all labels, where there is
    always one for each. Those are one problem, the others one for each output.
    """

    c: float
    weights: Floats
    bias: Floats
    objective: Floats
    gap: Floats
    epochs: npt.NDArray[np.int64]

    @property
    def nonzero(self) -> list[int]:
        """How many terms have a weight other than zero, by output."""
        return [int(np.count_nonzero(of_output)) for of_output in self.weights.T]


@dataclass(frozen=True)
class Progress:
    """How far a fit is: problems done, of how many; of one of them how many C's are done, its epoch for the next C, and
    about what the objective and the gap are.
    """

    done: int
    problems: int
    steps: int
    epoch: int
    objective: float
    gap: float


Watch = Callable[[Progress], object]


def examples(
    rows: tuple[npt.NDArray[np.integer], npt.NDArray[np.integer], npt.NDArray[np.floating]],
    terms: int,
    label: npt.NDArray[np.integer],
    labels: int,
    *,
    cost: npt.NDArray[np.floating] | None = None,
    bias: float = 1.0,
    ends: npt.NDArray[np.integer] | None = None,
) -> Examples:
    """Compressed sparse rows (indptr, term, value) over so many terms, with their labels, laid out for solvers.

    `bias` is the value of the constant, 0 for no bias. Values are kept in single precision. With `ends`, rows have any
    number of labels, and each label is a problem of its own, against all rows that do not have it.
    """
    indptr, term, value = rows
    matrix = _core.Matrix(
        np.ascontiguousarray(indptr, np.int64),
        _unsigned(term),
        np.ascontiguousarray(value, np.float32),
        terms,
        bias,
    )
    given = np.ones(len(matrix)) if cost is None else np.ascontiguousarray(cost, np.float64)
    own = None if ends is None else np.ascontiguousarray(ends, np.int64)
    return Examples(matrix, np.ascontiguousarray(label, np.uint32), labels, given, own)


def _unsigned(term: npt.NDArray[np.integer]) -> npt.NDArray[np.uint32]:
    """Numbers of terms as the core wants them; SciPy's are not copied. What is below 0 is refused as too large."""
    term = np.ascontiguousarray(term)
    return term.view(np.uint32) if term.dtype == np.int32 else term.astype(np.uint32, copy=False)


def fit(
    given: Examples,
    solver: Solver,
    c: Sequence[float],
    start: Fit | None = None,
    progress: Watch | None = None,
) -> list[Fit]:
    """The solution for each C in turn, each searched for from the one before, and the first from `start`.

    A path costs least where C grows.

    >>> rows = np.array([0, 1, 2, 3]), np.array([0, 1, 0]), np.array([1.0, 1.0, 2.0])
    >>> found = fit(examples(rows, 2, np.array([0, 1, 0]), 2), Solver("squared_hinge", tolerance=1e-9), [0.1, 1.0])
    >>> [step.weights.ravel().round(3).tolist() for step in found]
    [[-0.288, 0.173], [-0.667, 0.667]]
    """
    weights = None if start is None else np.concatenate([start.weights, start.bias[None]]).ravel()
    found = given.matrix.fit(_asked(given, solver, c), weights, _told(progress))
    return [_fit(*step) for step in zip(c, found, strict=True)]


def held_out(
    given: Examples,
    solver: Solver,
    c: Sequence[float],
    folds: npt.NDArray[np.integer],
    progress: Watch | None = None,
) -> Floats:
    """For each C the scores of all rows (C x rows x outputs), each by what was learnt from the rows of other folds."""
    asked = _asked(given, solver, c)
    return given.matrix.held_out(asked, np.ascontiguousarray(folds, np.uint32), _told(progress))


class Folded(NamedTuple):
    """What was found for one C: the scores of all rows (rows x outputs), each by what was learnt from other folds; and
    the solution of all rows, as often as each is in the weights of each output: ends of outputs, rows, times.
    """

    scores: Floats
    duals: tuple[npt.NDArray[np.int64], Numbers, Floats]


def folded(
    given: Examples,
    solver: Solver,
    c: Sequence[float],
    folds: npt.NDArray[np.integer],
    progress: Watch | None = None,
) -> list[Folded]:
    """For each C the scores of rows by folds, each solved from the solution of all rows: less work than `held_out`.

    For the squared hinge with an L2 penalty. A fold learns from rows that are near their margin in the solution of all
    rows, or have part in it, alone.
    """
    asked = _asked(given, solver, c)
    found = given.matrix.folded(asked, np.ascontiguousarray(folds, np.uint32), _told(progress))
    return [Folded(*of) for of in found]


def weights(given: Examples, found: Folded) -> tuple[Floats, Floats]:
    """The weights (terms x outputs) and biases of a solution."""
    both = given.matrix.weights(_asked(given, Solver(), []), found.duals)
    return both[:-1], both[-1]


def least_c(given: Examples, solver: Solver) -> float:
    """The C up to which all weights are zero, with an L1 penalty: where a path begins."""
    return min(given.matrix.least_c(_asked(given, solver, [])))


def _asked(given: Examples, solver: Solver, c: Sequence[float]) -> SimpleNamespace:
    rows = {"label": given.label, "ends": given.ends, "labels": given.labels, "cost": given.cost}
    return SimpleNamespace(**rows, **asdict(solver), cs=[float(each) for each in c])


def _told(progress: Watch | None) -> Callable[..., object] | None:
    return None if progress is None else lambda *facts: progress(Progress(*facts))


def _fit(c: float, found: tuple[Floats, list[tuple[float, float, int]]]) -> Fit:
    weights, ended = found
    objective, gap, epochs = zip(*ended, strict=True)
    return Fit(c, weights[:-1], weights[-1], np.array(objective), np.array(gap), np.array(epochs))
