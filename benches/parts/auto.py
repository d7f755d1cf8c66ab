"""What choosing by leave-one-out is worth, on every data set whose texts have one label each."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import deciban
from deciban.settings import Settings

from .. import plot, sets
from . import Bar, Row, markdown

TITLE = "Chosen by leave-one-out"
FOLDS = 5
PLAIN, SMOOTHING, BOTH = "Laplace", "smoothing auto", "model and smoothing auto"
SETTINGS = {
    PLAIN: {"alpha": 1.0},
    SMOOTHING: {"smoothing": "auto"},
    BOTH: {"model": "bayes", "smoothing": "auto"},
}
WORST = -0.2
LEAST = {"r52": 92.0, "ohsumed": 68.0, "debian-sections": 72.0}
ABOUT = f"""Accuracy on words, of the multinomial model with Laplace smoothing (alpha 1), with `smoothing="auto"`, and
with `model="bayes", smoothing="auto"`; on the test part where the authors of a set have one, else by {FOLDS}-fold
cross-validation. The choice sees the training part alone, and is made anew in each fold (in how many, where they
differ). In brackets, points above Laplace. wordnet-hypernyms, of 16,900 labels, is left out:
its many ratio models take too long to try.
"""


def rows() -> Iterator[Row]:
    """All three, set by set."""
    for name in sets.NAMES:
        of = sets.read(name)
        start = time.perf_counter()
        three = {how: _measured(of, settings) for how, settings in SETTINGS.items()}
        facts = {"documents": len(of.texts), "labels": len(set(of.labels)), "test": of.has_test}
        yield {"set": name, **facts, **three, "seconds": time.perf_counter() - start}


def _measured(of: sets.Set, settings: dict[str, object]) -> Row:
    chosen: Counter[str] = Counter()

    def predicted(train: sets.Places, test: sets.Places) -> list[str]:
        model = deciban.train(*of.at(train), **settings)
        chosen[_name(model.settings)] += 1
        return model.predict(of.at(test)[0])

    return {"accuracy": 100 * of.accuracy(predicted, FOLDS), "chosen": dict(chosen.most_common())}


def _name(of: Settings) -> str:
    """What was chosen, in short."""
    strength = "" if of.alpha is None else f" {of.alpha:.3g}"
    return f"{of.model}, {of.smoothing}{strength}"


def table(rows: list[Row]) -> str:
    """Markdown."""
    head = "set | documents> | labels> | by | Laplace> | smoothing> | chosen | model and smoothing> | chosen | seconds>"
    mean = ("**mean**", "", "", "", *(f"{_mean(rows, PLAIN):.2f}", _beside(rows, SMOOTHING), ""), _beside(rows, BOTH))
    return f"{ABOUT}\n{markdown(head, [*map(_cells, rows), (*mean, '', '')])}"


def _cells(row: Row) -> Iterator[str]:
    yield from (row["set"], f"{row['documents']:,}", f"{row['labels']:,}", "test" if row["test"] else f"{FOLDS} folds")
    yield f"{row[PLAIN]['accuracy']:.2f}"
    for how in (SMOOTHING, BOTH):
        yield _beside([row], how)
        several = len(row[how]["chosen"]) > 1
        yield "; ".join(f"{name} ({n}x)" if several else name for name, n in row[how]["chosen"].items())
    yield f"{row['seconds']:.0f}"


def _beside(rows: list[Row], how: str) -> str:
    return f"{_mean(rows, how):.2f} ({_mean(rows, how) - _mean(rows, PLAIN):+.2f})"


def _mean(rows: list[Row], how: str) -> float:
    return statistics.mean(row[how]["accuracy"] for row in rows)


def _above(row: Row, how: str) -> float:
    return row[how]["accuracy"] - row[PLAIN]["accuracy"]


def bars(rows: list[Row]) -> Iterator[Bar]:
    """Never much worse than the plain model, better on average, and good where there are many labels."""
    for how in (SMOOTHING, BOTH):
        worst = min(rows, key=lambda row: _above(row, how))
        below = _above(worst, how)
        yield Bar(f"{how}, worst against Laplace", f"{below:+.2f} ({worst['set']})", f">= {WORST}", below >= WORST)
        mean = _mean(rows, how) - _mean(rows, PLAIN)
        yield Bar(f"{how}, mean against Laplace", f"{mean:+.2f}", "> 0", mean > 0)
    for row in rows:
        if row["set"] in LEAST:
            got, least = row[BOTH]["accuracy"], LEAST[row["set"]]
            yield Bar(f"{BOTH}, {row['set']}", f"{got:.2f}", f">= {least:g}", got >= least)


def draw(path: Path, rows: list[Row], about: str) -> None:
    """Points above Laplace, a pair of bars a set."""
    above = {how: [_above(row, how) for row in rows] for how in (SMOOTHING, BOTH)}
    plot.pairs(path, [row["set"] for row in rows], above, f"points of accuracy above Laplace smoothing\n{about}")
