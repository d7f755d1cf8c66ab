"""Figures that others have published for the same model on the same texts."""

from __future__ import annotations

from collections.abc import Iterator

import deciban

from .. import sets
from . import Bar, Row, markdown

TITLE = "Published figures"
FIGURES = {"rt-s": 79.0, "mpqa": 86.3, "cr": 80.0, "subj": 93.6}  # MNB-bi of Wang and Manning 2012, table 2
NEAR = 0.5
FOLDS = 10
SETTINGS = {"tokens": "whitespace", "edges": True, "words": (1, 2), "binary": True, "alpha": 1.0}
ABOUT = """Multinomial naive Bayes with Laplace smoothing on binarised words and bigrams, beside MNB-bi of Wang and
Manning (2012): accuracy by 10-fold cross-validation. Our folds are not theirs. They are left out by `forget`, exactly.
Theirs is not calibrated, so that the bars are on ours without that; calibrated is what users have by default, which
moves answers, and can be further from theirs.
"""


def rows() -> Iterator[Row]:
    """Our accuracy beside theirs, set by set."""
    for name, published in FIGURES.items():
        of = sets.read(name)
        ours, calibrated = (100 * _accuracy(of, calibration) for calibration in ("none", "auto"))
        yield {"set": name, "published": published, "ours": ours, "calibrated": calibrated}


def _accuracy(of: sets.Set, calibration: str) -> float:
    model = deciban.train(of.texts, of.labels, **SETTINGS, calibration=calibration)

    def predicted(_: sets.Places, test: sets.Places) -> list[str]:
        left_out = of.at(test)
        answers = model.forget(*left_out).predict(left_out[0])
        model.learn(*left_out)
        return answers

    return of.accuracy(predicted, FOLDS)


def table(rows: list[Row]) -> str:
    """Markdown."""
    return f"{ABOUT}\n{markdown('set | published> | ours> | difference> | calibrated>', map(_cells, rows))}"


def _cells(row: Row) -> Iterator[str]:
    yield from (row["set"], f"{row['published']}", f"{row['ours']:.2f}", f"{_difference(row):+.2f}")
    yield f"{row['calibrated']:.2f}" if "calibrated" in row else ""


def bars(rows: list[Row]) -> Iterator[Bar]:
    """Whether ours are theirs."""
    for row in rows:
        limit = f"{row['published']} +- {NEAR}"
        yield Bar(f"{row['set']} as published", f"{row['ours']:.2f}", limit, abs(_difference(row)) <= NEAR)


def _difference(row: Row) -> float:
    return row["ours"] - row["published"]
