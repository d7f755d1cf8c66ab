"""What `auto` takes where texts are too few to choose by: smoothings of the plain model, on texts drawn by lot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

import numpy as np

import deciban

from .. import sets
from . import Bar, Row, markdown

TITLE = "From few texts"
SETS = (
    *("cr", "mpqa", "rt-s", "sst2", "subj", "sms-spam", "imdb", "agnews-test", "trec"),
    *("r8", "20ng", "ohsumed", "r52", "clinc150"),
)
TEXTS, DRAWS, JUDGED = (20, 50, 150), 5, 1500
WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "laplace": {"model": "multinomial"},
    "jelinek-mercer": {"model": "multinomial", "smoothing": "jelinek-mercer"},
    "dirichlet": {"model": "multinomial", "smoothing": "dirichlet"},
    "complement": {"model": "complement"},
    "logistic": {"model": "logistic"},
}
ABOUT = f"""Accuracy in %, mean of {DRAWS} draws: of so many training texts, drawn by lot, so that labels are as
frequent as they are, judged by {JUDGED:,} others of the training part. The default is the multinomial model with
absolute discounting; logistic chooses its C by folds. The last lines say how much each is above Laplace's smoothing:
the mean, and the worst.
"""


def rows() -> Iterator[Row]:
    """Set by set."""
    for name in SETS:
        of = sets.read(name)
        places = np.array(next(of.parts(10))[0])
        for texts in TEXTS:
            yield {"set": name, "texts": texts, "accuracy": _measured(of, places, texts)}


def _measured(of: sets.Set, places: np.ndarray[Any, Any], texts: int) -> dict[str, float]:
    """The mean accuracy of each way."""
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for draw in range(DRAWS):
        drawn = np.random.default_rng(draw).permutation(places)
        (train, labels), (asked, truth) = of.at(drawn[:texts]), of.at(drawn[texts : texts + JUDGED])
        for way, settings in WAYS.items():
            answers = deciban.train(train, labels, **settings).predict(asked)
            found[way].append(100 * fmean(a == b for a, b in zip(answers, truth, strict=True)))
    return {way: fmean(of_way) for way, of_way in found.items()}


def table(rows: list[Row]) -> str:
    """Markdown."""
    cells = ([row["set"], row["texts"], *(f"{row['accuracy'][way]:.1f}" for way in WAYS)] for row in rows)
    above = {way: [row["accuracy"][way] - row["accuracy"]["laplace"] for row in rows] for way in WAYS}
    last = (
        [what, "", *(f"{of(above[way]):+.1f}" for way in WAYS)]
        for what, of in (("above laplace, mean", fmean), ("above laplace, worst", min))
    )
    return f"{ABOUT}\n{markdown(' | '.join(['set', 'texts>', *(f'{way}>' for way in WAYS)]), [*cells, *last])}"


def bars(rows: list[Row]) -> Iterable[Bar]:
    """The default is better than Laplace's smoothing, as a rule."""
    mean = fmean(row["accuracy"]["default"] - row["accuracy"]["laplace"] for row in rows)
    return [Bar("default from few texts, mean against Laplace", f"{mean:+.2f}", "> 0", mean > 0)]
