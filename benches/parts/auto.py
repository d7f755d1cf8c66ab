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
RAW, CALIBRATED = "accuracy", "calibrated"
ABOUT = f"""Accuracy on words, of the multinomial model with Laplace smoothing (alpha 1), with `smoothing="auto"`, and
with `model="bayes", smoothing="auto"`; on the test part where the authors of a set have one, else by {FOLDS}-fold
cross-validation. The choice sees the training part alone, and is made anew in each fold (in how many, where they
differ), by leave-one-out of at most 4,000 texts that are drawn from it: of another draw it may be another, and figures
differ by what such models do. In brackets, points above Laplace. All sets of one label a text are here.

First as models score, not calibrated, as all figures are with which they are compared; then calibrated, as users have
it by default. A calibration is made after the choice, which is the same for both. It may move answers, above all those
of the plain model, so that less is left to gain by choosing.
"""


def rows() -> Iterator[Row]:
    """All three, set by set."""
    for name in (*sets.NAMES, sets.VERY_MANY):
        of = sets.read(name)
        start = time.process_time()
        three = {how: _measured(of, settings) for how, settings in SETTINGS.items()}
        facts = {"documents": len(of.texts), "labels": len(set(of.labels)), "test": of.has_test}
        yield {"set": name, **facts, **three, "seconds": time.process_time() - start}


def _measured(of: sets.Set, settings: dict[str, object]) -> Row:
    chosen: Counter[str] = Counter()
    right: dict[str, list[bool]] = {CALIBRATED: [], RAW: []}
    for train, test in of.parts(FOLDS):
        model = deciban.train(*of.at(train), **settings)
        chosen[_name(model.settings)] += 1
        texts, labels = of.at(test)
        right[CALIBRATED] += map(str.__eq__, model.predict(texts), labels)
        right[RAW] += map(str.__eq__, model.recalibrate(texts, labels, "none").predict(texts), labels)
    return {**{how: 100 * statistics.mean(of) for how, of in right.items()}, "chosen": dict(chosen.most_common())}


def _name(of: Settings) -> str:
    """What was chosen, in short."""
    strength = "" if of.alpha is None else f" {of.alpha:.3g}"
    weights = f", t {of.complement_alpha:g}, beta {of.complement_weight:g}, eta {of.term_weight:g}"
    return f"{of.model}, {of.smoothing}{strength}{weights if of.model == 'ratio' else ''}"


def table(rows: list[Row]) -> str:
    """Markdown."""
    head = "set | documents> | labels> | by | Laplace> | smoothing> | chosen | model and smoothing> | chosen | CPU s>"
    mean = ("**mean**", "", "", "", *(f"{_mean(rows, PLAIN):.2f}", _beside(rows, SMOOTHING), ""), _beside(rows, BOTH))
    raw = markdown(head, [*map(_cells, rows), (*mean, "", "")])
    if any(CALIBRATED not in row[PLAIN] for row in rows):
        return f"{ABOUT}\n{raw}"
    lines = [*((row["set"], *_calibrated([row])) for row in rows), ("**mean**", *_calibrated(rows))]
    return f"{ABOUT}\n{raw}\n{markdown('calibrated | Laplace> | smoothing> | model and smoothing>', lines)}"


def _cells(row: Row) -> Iterator[str]:
    yield from (row["set"], f"{row['documents']:,}", f"{row['labels']:,}", "test" if row["test"] else f"{FOLDS} folds")
    yield f"{row[PLAIN][RAW]:.2f}"
    for how in (SMOOTHING, BOTH):
        yield _beside([row], how)
        several = len(row[how]["chosen"]) > 1
        yield "; ".join(f"{name} ({n}x)" if several else name for name, n in row[how]["chosen"].items())
    yield f"{row['seconds']:.0f}"


def _calibrated(rows: list[Row]) -> Iterator[str]:
    yield f"{_mean(rows, PLAIN, CALIBRATED):.2f}"
    yield from (_beside(rows, how, CALIBRATED) for how in (SMOOTHING, BOTH))


def _beside(rows: list[Row], how: str, of: str = RAW) -> str:
    return f"{_mean(rows, how, of):.2f} ({_mean(rows, how, of) - _mean(rows, PLAIN, of):+.2f})"


def _mean(rows: list[Row], how: str, of: str = RAW) -> float:
    return statistics.mean(row[how][of] for row in rows)


def _above(row: Row, how: str, of: str = RAW) -> float:
    return float(row[how][of] - row[PLAIN][of])


def bars(rows: list[Row]) -> Iterator[Bar]:
    """Never much worse than the plain model, better on average, and good where there are many labels."""
    for of in (RAW, CALIBRATED):
        if all(of in row[PLAIN] for row in rows):
            yield from _against_plain(rows, of)
    for row in rows:
        if row["set"] in LEAST:
            got, least = row[BOTH][RAW], LEAST[row["set"]]
            yield Bar(f"{BOTH}, {row['set']}", f"{got:.2f}", f">= {least:g}", got >= least)


def _against_plain(rows: list[Row], of: str) -> Iterator[Bar]:
    about = "" if of == RAW else ", all calibrated"
    for how in (SMOOTHING, BOTH):
        worst = min(rows, key=lambda row: _above(row, how, of))
        below, mean = _above(worst, how, of), _mean(rows, how, of) - _mean(rows, PLAIN, of)
        found = f"{below:+.2f} ({worst['set']})"
        yield Bar(f"{how}, worst against Laplace{about}", found, f">= {WORST}", below >= WORST)
        yield Bar(f"{how}, mean against Laplace{about}", f"{mean:+.2f}", "> 0", mean > 0)


def draw(path: Path, rows: list[Row], about: str) -> None:
    """Points above Laplace, a pair of bars a set."""
    above = {how: [_above(row, how) for row in rows] for how in (SMOOTHING, BOTH)}
    plot.pairs(path, [row["set"] for row in rows], above, f"points of accuracy above Laplace smoothing\n{about}")
