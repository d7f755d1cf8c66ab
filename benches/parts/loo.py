"""What leave-one-out costs, against predicting the same texts, and against training n times."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import deciban
from deciban.settings import MODELS, ROWS

from .. import sets
from ..child import Took, timed
from . import Bar, Row, markdown

TITLE = "The cost of leave-one-out"
SET = "20ng"
RUNS = 3
PROCESSES = 7
RUNS_TOGETHER = 5
MOST = 3.0
MOST_OF = {("bernoulli", "laplace"): 10.0}
What = tuple[str, str, str]
WHAT = ("model", "smoothing", "calibration")
CALIBRATED = (("multinomial", "laplace", "auto"), ("ratio", "jelinek-mercer", "auto"))
RETRAINING = "scikit-learn, trained n times"
ABOUT = f"""Seconds of `leave_one_out()` and of `predict()` on the {{n:,}} training texts of {SET}, one thread, both
from texts: medians over {PROCESSES} processes, each with the median of {RUNS} runs in turn, after one that does not
count (how memory happens to lie in a process makes a difference of a fifth); in CPU time, on which the bar is, and on
the clock. `predict()` finds its scorecard weighed. The ratio is the median of the processes' ratios. The bar is on raw
scores, of which both are sums over the same words. What users have by default is calibrated, below: `predict()` finds
its map made, which takes as long as the last column says, once; `leave_one_out()` makes one for each of five folds.
"""
TOGETHER = f"""The ratio in one process is of medians of {RUNS_TOGETHER} runs where all models are measured one after
the other; the bar is on it, too.
"""
AGAINST = """
Training scikit-learn's CountVectorizer and MultinomialNB on {left:,} texts takes {seconds:.2f} s of CPU time (median of
{runs}); {n:,} times that would be **{hours:.1f} hours, {ratio:,.0f} times** our leave-one-out of the multinomial model
with Laplace smoothing.
"""


def rows() -> Iterator[Row]:
    """Each model and smoothing, then scikit-learn."""
    fresh = ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1)
    raw = [(model, smoothing, "none") for model in MODELS if model not in ROWS for smoothing in MODELS[model]]
    with fresh:
        together = fresh.submit(_together, raw).result()
        for what in [*raw, *CALIBRATED]:
            took = list(fresh.map(_measured, [what] * PROCESSES))
            ratio = {"ratio": statistics.median(_ratio(of) for of in took)}
            if what in together:
                ratio["together"] = together[what]
            yield {**dict(zip(WHAT, what, strict=True)), **_median(took), **ratio}
    texts, labels = _examples()
    yield {"model": RETRAINING, "n": len(texts), **_interleaved({"train": lambda: _scikit_learn(texts, labels)})}


def _examples() -> tuple[list[str], list[str]]:
    of = sets.read(SET)
    return of.at(next(of.parts(1))[0])


def _together(models: list[What]) -> dict[What, float]:
    """The ratios of some models, all in this process."""
    return {what: _ratio(_measured(what, RUNS_TOGETHER)) for what in models}


def _measured(what: What, runs: int = RUNS) -> Row:
    """What a model costs, in this process."""
    texts, labels = _examples()
    trained = deciban.train(texts, labels, **dict(zip(WHAT, what, strict=True)), threads=1)
    calibrate = timed(lambda: trained.calibration)
    jobs = {"loo": trained.leave_one_out, "predict": lambda: trained.predict(texts)}
    return {**_interleaved(jobs, runs), "calibrate": {"cpu": calibrate.cpu, "clock": calibrate.seconds}}


def _median(took: list[Row]) -> Row:
    return {
        job: {clock: statistics.median(of[job][clock] for of in took) for clock in ("cpu", "clock")}
        for job in ("loo", "predict", "calibrate")
    }


def _interleaved(jobs: dict[str, Callable[[], object]], runs: int = RUNS) -> Row:
    """The median seconds of each job, by the processor and by the clock."""
    took: dict[str, list[Took]] = {name: [] for name in jobs}
    for _ in range(runs + 1):
        for name, job in jobs.items():
            took[name].append(timed(job))
    return {
        name: {"cpu": statistics.median(t.cpu for t in of[1:]), "clock": statistics.median(t.seconds for t in of[1:])}
        for name, of in took.items()
    }


def _scikit_learn(texts: list[str], labels: list[str]) -> object:
    """Training on all texts but one."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB().fit(CountVectorizer().fit_transform(texts[1:]), labels[1:])


def table(rows: list[Row]) -> str:
    """Markdown."""
    ours = [row for row in rows if row["model"] != RETRAINING]
    head = "model | smoothing | leave-one-out, CPU s> | predict, CPU s> | ratio> | leave-one-out, s> | predict, s>"
    together = " | ratio in one process>" if any("together" in row for row in ours) else ""
    raw, calibrated = ([row for row in ours if is_raw == _is_raw(row)] for is_raw in (True, False))
    lines = markdown(f"{head}{together}", map(_raw_cells, raw))
    if calibrated:
        lines += "\n" + markdown(f"calibrated {head} | calibrate, CPU s>", map(_calibrated_cells, calibrated))
    theirs = [row for row in rows if row["model"] == RETRAINING]
    about = ABOUT.format(n=theirs[0]["n"]) if theirs else ""
    about += TOGETHER if any("together" in row for row in raw) else ""
    return f"{about}\n{lines}{_against(ours[0], theirs[0]) if theirs else ''}"


def _cells(row: Row) -> Iterator[str]:
    yield from (row["model"], row["smoothing"])
    yield from (f"{row['loo']['cpu']:.3f}", f"{row['predict']['cpu']:.3f}", f"{row['ratio']:.2f}")
    yield from (f"{row['loo']['clock']:.3f}", f"{row['predict']['clock']:.3f}")


def _raw_cells(row: Row) -> Iterator[str]:
    yield from _cells(row)
    if "together" in row:
        yield f"{row['together']:.2f}"


def _calibrated_cells(row: Row) -> Iterator[str]:
    yield from _cells(row)
    yield f"{row['calibrate']['cpu']:.3f}"


def _is_raw(row: Row) -> bool:
    return row.get("calibration", "none") == "none"


def _against(ours: Row, theirs: Row) -> str:
    n, seconds = theirs["n"], theirs["train"]["cpu"]
    ratio = n * seconds / ours["loo"]["cpu"]
    return AGAINST.format(left=n - 1, n=n, seconds=seconds, runs=RUNS, hours=n * seconds / 3600, ratio=ratio)


def _ratio(row: Row) -> float:
    return row["loo"]["cpu"] / row["predict"]["cpu"]


def bars(rows: list[Row]) -> Iterator[Bar]:
    """Leave-one-out costs little more than predicting."""
    for row in rows:
        if row["model"] != RETRAINING and _is_raw(row):
            most = MOST_OF.get((row["model"], row["smoothing"]), MOST)
            what = f"leave-one-out against predict, {row['model']}, {row['smoothing']}"
            for ratio, where in ((row["ratio"], ""), (row.get("together"), ", all in one process")):
                if ratio is not None:
                    yield Bar(what + where, f"{ratio:.2f}x", f"<= {most:g}x", ratio <= most)
