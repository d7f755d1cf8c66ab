"""How good the model is that `train` finds by itself: one setting for all sets, nothing chosen by hand for any."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import fmean

import deciban

from .. import sets
from . import Bar, Row, markdown

TITLE = "The default: a committee"
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
FOLDS = 10
ABOUT = """Accuracy, in %, of `deciban train --budget none`, as it comes, and the seconds that training took (the mean
of folds, by the clock, all cores): 10-fold, or the authors' test part. Beside it what held-out texts of the training
part promised. Members and their settings were chosen by held-out training texts of cr, mpqa, rt-s, subj, trec, r52 and
imdb, with figures of their folds or test parts on the same screen; weights are learnt in each training part alone.
Titles, and how little characters are smoothed, were chosen later, by held-out training texts of these but for imdb and
of sst2, agnews-test, r8 and ohsumed (other folds, where there is no test part), before any test.
"""


def rows() -> Iterator[Row]:
    """Set by set, small ones first."""
    for name in LEAST:
        yield {"set": name, **_measured(sets.read(name))}


def _measured(of: sets.Set) -> Row:
    """The accuracy and what was promised, in %, and the mean seconds of training."""
    took: list[float] = []
    promised: list[float] = []

    def predicted(train: sets.Places, test: sets.Places) -> list[str]:
        start = time.perf_counter()
        model = deciban.train(*of.at(train), budget=None)
        took.append(time.perf_counter() - start)
        promised.append(model.provenance[0]["fit"]["held_out"]["together"])
        return model.predict(of.at(test)[0])

    accuracy = of.accuracy(predicted, FOLDS)
    return {"accuracy": 100 * accuracy, "promised": 100 * fmean(promised), "seconds": fmean(took)}


def table(rows: list[Row]) -> str:
    """Markdown."""
    numbers = ("accuracy", "promised", "seconds")
    cells = ((row["set"], *(f"{row[name]:.2f}" for name in numbers)) for row in rows)
    return f"{ABOUT}\n{markdown('set | accuracy> | promised> | seconds>', cells)}"


def bars(rows: list[Row]) -> Iterator[Bar]:
    """A point above the best that was published, or that others reach."""
    for row in rows:
        least = LEAST[row["set"]]
        yield Bar(f"committee on {row['set']}", f"{row['accuracy']:.2f}", f">= {least}", row["accuracy"] >= least)
