"""`make properties`: what word properties are worth: the error with and without each, and with all of them.

Ten folds, the same for all models of a set (or its own test part), by `deciban.compare`: nothing is chosen by what is
judged. The page goes to benches/results/properties.md, the picture to docs/properties.svg.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deciban
from deciban.evaluation.comparison import Comparison, Difference
from deciban.properties import MISSPELLING, PLAIN

from . import machine, sets
from .parts import markdown
from .speed import RESULTS

ROOT = Path(__file__).parents[1]
LIST = os.path.relpath(ROOT / "samples" / "lists" / "money.txt")
PLAINEST = [name for name in PLAIN if name != "headers"]
ALONE = [*PLAINEST, MISSPELLING, f"trigger:{LIST}"]
MODELS: dict[str, dict[str, Any]] = {
    "multinomial": {"model": "multinomial"},
    "nbsvm": {"model": "nbsvm", "cost": 1.0},
}
SPAM = ("sms-spam", "spamassassin, bodies", "spamassassin, whole")
OTHERS = ("trec", "cr", "rt-s", "tweets-8lang")
FACTS = ("date", "processor", "cores", "Python", "numpy", "deciban's core")
ABOUT = """Words one by one (`--words 1`), and the same with properties beside them; ten folds, all models on the same,
or the test part of those sets that have one. Error is the share of wrong answers. A difference is judged in
pairs, text by text: the interval is of 95 %, mid-p is McNemar's. *all* are all properties of the table,
`headers:subject` as part of `headers`. `trigger:money` is `samples/lists/money.txt`, written by hand, not
from these texts; `misspelling` learns its words from each training part.
"""


def main() -> None:
    """Measures, prints, writes; again after each set, so that nothing measured is lost."""
    parser = argparse.ArgumentParser(prog="python -m benches.properties", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="of the sets; all, if none is named")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    found: dict[tuple[str, str], Comparison] = {}
    for name in given.sets or (*SPAM, *OTHERS):
        for model in MODELS:
            start = time.perf_counter()
            found[name, model] = _compared(name, model)
            print(f"{name}, {model}: {time.perf_counter() - start:.0f} s", flush=True)
            given.results.mkdir(exist_ok=True, parents=True)
            (given.results / "properties.md").write_text(page(found), "utf-8")
    draw(found, ROOT / "docs" / "properties.svg")
    print(page(found))


def _compared(name: str, model: str) -> Comparison:
    """All rows of a set."""
    base = MODELS[model]
    rows = {"words": base, **{told: {**base, "properties": told} for told in _asked(name)}}
    named = {told.replace(LIST, "money"): settings for told, settings in rows.items()}
    every = ",".join(told for told in _asked(name) if "headers:" not in told)
    return deciban.compare({name: _set(name)}, {**named, "all": {**base, "properties": every}}, folds=10)


def _asked(name: str) -> list[str]:
    """The properties that are tried, each by itself."""
    if name in OTHERS:
        return ["numbers", "negation", "repeats", "caps"]
    return [*ALONE, "headers:subject", "headers"] if name.endswith("whole") else ALONE


def _set(name: str) -> tuple[Any, ...]:
    of = sets.read(name.partition(",")[0])
    texts = [_body(text) for text in of.texts] if name.endswith("bodies") else of.texts
    return (texts, of.labels, of.split) if of.has_test else (texts, of.labels)


def _body(text: str) -> str:
    """What stands after the headers of a mail."""
    return text.replace("\r\n", "\n").partition("\n\n")[2]


def page(found: dict[tuple[str, str], Comparison]) -> str:
    """The page, in Markdown."""
    facts = machine.facts()
    lines = ["# What word properties are worth", "", "Written by `make properties`; do not edit.", ""]
    lines += [f"- {fact}: {facts[fact]}" for fact in FACTS]
    lines += ["", ABOUT, "## Do they reduce the error?", "", _bars(found)]
    for name in dict.fromkeys(name for name, _ in found):
        lines += ["", f"## {name}", "", _table(name, found)]
    return "\n".join(lines) + "\n"


def _bars(found: dict[tuple[str, str], Comparison]) -> str:
    """A line a set and model: words alone, and all properties beside them."""
    rows = []
    for (name, model), comparison in found.items():
        all_of_them = _difference(comparison, "all")
        before, after = (100 - 100 * comparison.run(who, name).accuracy for who in ("words", "all"))
        verdict = ("yes" if all_of_them.difference > 0 else "no") if all_of_them.told_apart else "not told apart"
        rows.append((name, model, f"{before:.2f}", f"{after:.2f}", f"{1 - after / before:+.0%}", verdict))
    return markdown("set | model | words, error %> | all, error %> | less by> | less?", rows)


def _table(name: str, found: dict[tuple[str, str], Comparison]) -> str:
    of_set = {model: comparison for (of, model), comparison in found.items() if of == name}
    who = next(iter(of_set.values())).models
    rows = [(row, *(cell for comparison in of_set.values() for cell in _cells(comparison, name, row))) for row in who]
    heads = " | ".join(f"{model}, error %> | less by (95 %; mid-p)>" for model in of_set)
    return markdown(f"seen | {heads}", rows)


def _cells(comparison: Comparison, name: str, row: str) -> Iterator[str]:
    yield f"{100 - 100 * comparison.run(row, name).accuracy:.2f}"
    if row == "words":
        yield ""
        return
    d = _difference(comparison, row)
    by, low, high = (round(100 * share, 2) + 0.0 for share in (d.difference, d.low_95, d.high_95))
    cell = f"{by:+.2f} ({low:+.2f} to {high:+.2f}; {d.mid_p:.2g})"
    yield f"**{cell}**" if d.told_apart else cell


def _difference(comparison: Comparison, row: str) -> Difference:
    return next(d for d in comparison.differences("words") if d.model == row)


def draw(found: dict[tuple[str, str], Comparison], path: Path) -> None:
    """How much less error each property leaves, in points, on the sets of spam."""
    import matplotlib.pyplot as plt
    from matplotlib import rcParams

    rcParams["svg.hashsalt"] = "deciban"
    of_spam = [name for name in SPAM if (name, "nbsvm") in found]
    figure, axes = plt.subplots(1, max(len(of_spam), 1), figsize=(11, 5), sharey=False, squeeze=False)
    for axis, name in zip(axes[0], of_spam, strict=False):
        for place, model in enumerate(MODELS):
            differences = found[name, model].differences("words")
            at = [row + 0.27 * (1 - place) for row in range(len(differences))]
            points = [100 * d.difference for d in differences]
            spread = [
                [100 * (d.difference - d.low_95) for d in differences],
                [100 * (d.high_95 - d.difference) for d in differences],
            ]
            axis.errorbar(points, at, xerr=spread, fmt="o", markersize=3, linewidth=1, label=model)
        axis.set_yticks(range(len(differences)), [d.model for d in differences], fontsize=8)
        axis.axvline(0, color="black", linewidth=0.6)
        axis.invert_yaxis()
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("points less error than words alone (95 %)", fontsize=8)
    axes[0][0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
