"""What leave-one-out costs, against predicting the same texts, and against training n times."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import deciban
from deciban.settings import MODELS, ROWS

from .. import sets
from ..child import Took, timed
from . import Bar, Row, markdown

TITLE = "The cost of leave-one-out"
SET = "20ng"
RUNS = 3
MOST = 3.0
MOST_OF = {("bernoulli", "laplace"): 10.0}
RETRAINING = "scikit-learn, trained n times"
ABOUT = f"""Seconds of `leave_one_out()` and of `predict()` on the {{n:,}} training texts of {SET}, one thread, both
from texts: medians of {RUNS} runs in turn, after one that does not count; in CPU time, on which the bar is, and on the
clock. `predict()` finds its scorecard weighed.
"""
AGAINST = """
Training scikit-learn's CountVectorizer and MultinomialNB on {left:,} texts takes {seconds:.2f} s of CPU time (median of
{runs}); {n:,} times that would be **{hours:.1f} hours, {ratio:,.0f} times** our leave-one-out of the multinomial model
with Laplace smoothing.
"""


def rows() -> Iterator[Row]:
    """Each model and smoothing, then scikit-learn."""
    of = sets.read(SET)
    texts, labels = of.at(next(of.parts(1))[0])
    for model in (model for model in MODELS if model not in ROWS):
        for smoothing in MODELS[model]:
            trained = deciban.train(texts, labels, model=model, smoothing=smoothing, threads=1)
            took = _interleaved({"loo": trained.leave_one_out, "predict": lambda m=trained: m.predict(texts)})
            yield {"model": model, "smoothing": smoothing, **took}
    yield {"model": RETRAINING, "n": len(texts), **_interleaved({"train": lambda: _scikit_learn(texts, labels)})}


def _interleaved(jobs: dict[str, Callable[[], object]]) -> Row:
    """The median seconds of each job, by the processor and by the clock."""
    took: dict[str, list[Took]] = {name: [] for name in jobs}
    for _ in range(RUNS + 1):
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
    lines = markdown(head, map(_cells, ours))
    theirs = [row for row in rows if row["model"] == RETRAINING]
    about = ABOUT.format(n=theirs[0]["n"]) if theirs else ""
    return f"{about}\n{lines}{_against(ours[0], theirs[0]) if theirs else ''}"


def _cells(row: Row) -> Iterator[str]:
    yield from (row["model"], row["smoothing"])
    yield from (f"{row['loo']['cpu']:.3f}", f"{row['predict']['cpu']:.3f}", f"{_ratio(row):.2f}")
    yield from (f"{row['loo']['clock']:.3f}", f"{row['predict']['clock']:.3f}")


def _against(ours: Row, theirs: Row) -> str:
    n, seconds = theirs["n"], theirs["train"]["cpu"]
    ratio = n * seconds / ours["loo"]["cpu"]
    return AGAINST.format(left=n - 1, n=n, seconds=seconds, runs=RUNS, hours=n * seconds / 3600, ratio=ratio)


def _ratio(row: Row) -> float:
    return row["loo"]["cpu"] / row["predict"]["cpu"]


def bars(rows: list[Row]) -> Iterator[Bar]:
    """Leave-one-out costs little more than predicting."""
    for row in rows:
        if row["model"] != RETRAINING:
            most = MOST_OF.get((row["model"], row["smoothing"]), MOST)
            what = f"leave-one-out against predict, {row['model']}, {row['smoothing']}"
            yield Bar(what, f"{_ratio(row):.2f}x", f"<= {most:g}x", _ratio(row) <= most)
