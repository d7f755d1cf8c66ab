"""Two figures that others have published since: longer runs of words on IMDb, and a linear SVM on 20 Newsgroups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any, NamedTuple

import deciban

from .. import sets
from . import Bar, Row, markdown

TITLE = "Published since"
NEAR = 0.7


class Published(NamedTuple):
    """A figure of others, on the authors' test part, and our settings of the same model."""

    name: str
    what: str
    figure: float
    settings: dict[str, Any]


FIGURES = (
    Published(
        "imdb",
        "logistic regression on log-count ratios of up to three words (Mesnil et al. 2015)",
        91.82,
        {"model": "nblogistic", "words": (1, 3), "tokens": "marks", "cost": 1.0},
    ),
    Published(
        "20ng",
        "linear SVM on tf-idf of words and bigrams, headers in (scikit-learn)",
        86.6,
        {"model": "hinge", "words": (1, 2), "cost": 1.0},
    ),
)
ABOUT = "Accuracy in per cent on the test part, with C = 1. Probabilities are calibrated, as they are by default.\n"


def rows() -> Iterator[Row]:
    """Figure by figure."""
    for name, what, figure, settings in FIGURES:
        of = sets.read(name)
        train, test = next(of.parts(1))
        (texts, labels), (asked, truth) = of.at(train), of.at(test)
        answers = deciban.train(texts, labels, **settings).predict(asked)
        ours = 100 * fmean(a == b for a, b in zip(answers, truth, strict=True))
        yield {"set": name, "what": what, "published": figure, "ours": ours}


def table(rows: list[Row]) -> str:
    """Markdown."""
    lines = ([row["set"], row["what"], f"{row['published']:g}", f"{row['ours']:.2f}"] for row in rows)
    return f"{ABOUT}\n{markdown('set | model | published> | ours>', lines)}"


def bars(rows: list[Row]) -> Iterable[Bar]:
    """Each is near."""
    for row in rows:
        near = abs(row["ours"] - row["published"]) <= NEAR
        yield Bar(f"{row['set']}, published since", f"{row['ours']:.2f}", f"{row['published']:g} +- {NEAR}", near)
