"""`make solvers`: our solvers beside LIBLINEAR's (through scikit-learn), on the same rows to the same objective.

On the clock is all from compressed sparse rows in memory to weights: laying the rows out, which both do, and solving.
Ours stops by itself, at a duality gap of 1e-4 of the objective. LIBLINEAR knows no gap: it is given the loosest
tolerance of a ladder with which its objective is at most 1e-4 above ours, and finding that is not on its clock. For the
logistic loss it has two solvers, of which the faster one counts. All on one thread, in turn, round after round; C is 1,
the bias is the weight of a constant 1, penalised, in both. `path` is what a path of seven C's with five folds costs,
against one fit at C = 1. `epochs` is what all epochs but the first take, in CPU time: a fit less one that is stopped
after its first epoch, for both. That leaves out laying out rows and weights, and of ours also one computation of the
gap, which takes less than an epoch. The bar is held against both figures. The page is printed and written to
benches/results/solvers.md.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from deciban.fitting.solvers import Fit, Solver, examples, fit, held_out

from . import machine, sets
from .speed import RESULTS

C, ENOUGH = 1.0, 1e-4
LADDER = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4)
PATH, FOLDS = tuple(10.0**power for power in np.arange(-3, 0.5, 0.5)), 5
LOSSES = ("squared_hinge", "logistic", "hinge")
SETS = ("imdb", "20ng", "rt-s")
BAR = 2.0
COLUMNS = (
    *("rows", "loss", "ours", "LIBLINEAR", "its solver", "its tolerance", "all", "all, in CPU time", "epochs", "path"),
    *("all holds", "epochs hold"),
)
HEAD = f"| {' | '.join(COLUMNS)} |\n| --- | --- {'| ---: ' * (len(COLUMNS) - 2)}|\n"
NOTES = """
`ours` and `LIBLINEAR` are medians of {rounds} rounds, in seconds; `all` is the second by the first, `epochs` the same
without the layout and the first epoch; the bar is {bar:g}x. `path`: seconds of seven C's from 0.001 to 1 with five
folds, to a gap of 1e-2, in multiples of one fit.
"""


@dataclass(frozen=True)
class Rows:
    """Rows of a data set, and their labels."""

    name: str
    x: sp.csr_matrix
    label: np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Line:
    """What was measured of one loss on one set: seconds on the clock and of the processor."""

    rows: str
    loss: str
    ours: tuple[float, float]
    theirs: tuple[float, float]
    dual: bool
    tolerance: float
    epochs: tuple[float, float]
    path: float

    @property
    def ratio(self) -> float:
        return self.theirs[0] / self.ours[0]


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.solvers", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="which sets")
    parser.add_argument("--losses", nargs="*", default=list(LOSSES), help="which losses")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (5)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    facts = {name: machine.facts()[name] for name in ("date", "processor", "cores", "load when it began", "numpy")}
    lines = [_line(rows, loss, given.rounds) for rows in map(_rows, given.sets) for loss in given.losses]
    page = _page(lines, facts, given.rounds)
    print(page)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "solvers.md").write_text(page)


def _rows(name: str) -> Rows:
    """tf-idf of words for 20ng; for the others bigrams, each worth its log-count ratio (Wang and Manning 2012)."""
    found = sets.read(name)
    texts, labels = found.at(next(found.parts(10))[0])
    label = np.unique(labels, return_inverse=True)[1]
    if name == "20ng":
        x = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    else:
        x = _by_ratio(CountVectorizer(ngram_range=(1, 2), binary=True).fit_transform(texts), label)
    x.sort_indices()
    x.data = x.data.astype(np.float32).astype(np.float64)  # the same numbers for both
    return Rows(f"{name}, {x.shape[0]:,} x {x.shape[1]:,}", x, label)


def _by_ratio(x: sp.csr_matrix, label: np.ndarray[Any, np.dtype[np.int64]]) -> sp.csr_matrix:
    p, q = (1 + np.asarray(x[label == each].sum(axis=0)).ravel() for each in (1, 0))
    return sp.csr_matrix(x @ sp.diags(np.log(p / p.sum()) - np.log(q / q.sum())))


def _line(rows: Rows, loss: str, rounds: int) -> Line:
    if loss == "logistic" and rows.label.max() > 1:  # scikit-learn's LIBLINEAR has that for two labels alone
        rows = Rows(f"{rows.name} (half against half)", rows.x, (rows.label > rows.label.max() // 2).astype(np.int64))
    least = _objective(rows, loss, _ours(rows, loss)) * (1 + ENOUGH)
    best = _loosest(rows, loss, True, least, np.inf)
    other = _loosest(rows, loss, False, least, best[0]) if loss == "logistic" else best
    _, dual, tolerance = min(best, other)
    ours, theirs, firsts = [], [], ([], [])
    for _ in range(rounds):
        ours.append(_timed(lambda: _ours(rows, loss)))
        theirs.append(_timed(lambda: _liblinear(rows, loss, dual, tolerance)))
        firsts[0].append(_timed(lambda: _ours(rows, loss, epochs=1)))
        firsts[1].append(_timed(lambda: _liblinear(rows, loss, dual, tolerance, epochs=1)))
    epochs = tuple(
        _medians(all_of)[1] - _medians(first)[1] for all_of, first in zip((ours, theirs), firsts, strict=True)
    )
    path = _timed(lambda: _path(rows, loss))[0] / _medians(ours)[0]
    line = Line(rows.name, loss, _medians(ours), _medians(theirs), dual, tolerance, epochs, path)
    print(line)
    return line


def _ours(rows: Rows, loss: str, epochs: int = 1000) -> Fit:
    x = rows.x
    given = examples((x.indptr, x.indices, x.data), x.shape[1], rows.label, int(rows.label.max()) + 1)
    return fit(given, Solver(loss, threads=1, epochs=epochs), [C])[0]


def _path(rows: Rows, loss: str) -> None:
    x = rows.x
    given = examples((x.indptr, x.indices, x.data), x.shape[1], rows.label, int(rows.label.max()) + 1)
    held_out(given, Solver(loss, tolerance=1e-2, threads=1), PATH, np.arange(x.shape[0]) % FOLDS)


def _liblinear(rows: Rows, loss: str, dual: bool, tolerance: float, epochs: int = 1_000_000) -> Fit:
    if loss == "logistic":
        model = LogisticRegression(solver="liblinear", C=C, tol=tolerance, dual=dual, max_iter=epochs, random_state=0)
    else:
        model = LinearSVC(loss=loss, C=C, tol=tolerance, dual=dual, max_iter=epochs, random_state=0)
    model.fit(rows.x, rows.label)
    nothing = np.zeros(0)
    return Fit(C, model.coef_.T, model.intercept_, nothing, nothing, np.zeros(0, np.int64))


def _loosest(rows: Rows, loss: str, dual: bool, least: float, seconds: float) -> tuple[float, bool, float]:
    """The loosest tolerance with which LIBLINEAR gets at least so far, after the seconds it takes.

    One that takes more than three times so many `seconds` is not looked at further.
    """
    for tolerance in LADDER:
        start = time.perf_counter()
        found = _liblinear(rows, loss, dual, tolerance)
        took = time.perf_counter() - start
        if _objective(rows, loss, found) <= least:
            return took, dual, tolerance
        if took > 3 * seconds:
            break
    return np.inf, dual, tolerance


def _objective(rows: Rows, loss: str, found: Fit) -> float:
    scores = rows.x @ found.weights + found.bias
    own = 1 if scores.shape[1] == 1 else np.arange(scores.shape[1])
    margin = np.where(rows.label[:, None] == own, scores, -scores)
    short = np.maximum(0, 1 - margin)
    losses = {"hinge": short, "squared_hinge": short**2}.get(loss)
    losses = np.logaddexp(0, -margin) if losses is None else losses
    return float(0.5 * (found.weights**2).sum() + 0.5 * (found.bias**2).sum() + C * losses.sum())


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    start, of_cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - of_cpu


def _medians(times: list[tuple[float, float]]) -> tuple[float, float]:
    return statistics.median(time for time, _ in times), statistics.median(cpu for _, cpu in times)


def _page(lines: list[Line], facts: dict[str, str], rounds: int) -> str:
    about = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    written = "Written by `make solvers`; do not edit. What the columns are, `benches/solvers.py` says."
    table, notes = "".join(map(_cells, lines)), NOTES.format(rounds=rounds, bar=BAR)
    return f"# Solvers\n\n{written}\n\n{about}\n\n{HEAD}{table}{notes}"


def _cells(line: Line) -> str:
    cells = [
        line.rows,
        line.loss,
        f"{line.ours[0]:.3f}",
        f"{line.theirs[0]:.3f}",
        "dual" if line.dual else "primal",
        f"{line.tolerance:g}",
        f"{line.ratio:.1f}x",
        f"{line.theirs[1] / line.ours[1]:.1f}x",
        f"{line.epochs[1] / line.epochs[0]:.1f}x",
        f"{line.path:.1f}x",
        _holds(line.ratio),
        _holds(line.epochs[1] / line.epochs[0]),
    ]
    return f"| {' | '.join(cells)} |\n"


def _holds(ratio: float) -> str:
    return "yes" if ratio >= BAR else "**no**"


if __name__ == "__main__":
    main()
