"""`make properties`: what word properties are worth: the error with and without each, with all, and with chosen ones.

Ten folds, the same for all models of a set (or its own test part): nothing is chosen by what is judged. Figures go to
benches/results/properties.json, the page to properties.md, the picture to docs/properties.svg; again after each set and
model, so that nothing measured is lost. Sets and models can be asked for by name, and the others stay as they were.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import deciban
from deciban.evaluation.comparison import Comparison, bootstrap, mcnemar
from deciban.properties import MISSPELLING, PLAIN
from deciban.splits import in_folds

from . import machine, sets
from .parts import markdown
from .speed import RESULTS

ROOT = Path(__file__).parents[1]
LIST = os.path.relpath(ROOT / "samples" / "lists" / "money.txt")
ALONE = [*(name for name in PLAIN if name != "headers"), MISSPELLING, f"trigger:{LIST}"]
MODELS: dict[str, dict[str, Any]] = {
    "multinomial": {"model": "multinomial"},
    "nbsvm": {"model": "nbsvm", "cost": 1.0},
}
SPAM = ("sms-spam", "spamassassin, bodies", "spamassassin, whole")
OTHERS = ("trec", "cr", "rt-s", "tweets-8lang")
FOLDS = 10
FACTS = ("date", "processor", "cores", "Python", "numpy", "deciban's core")
ABOUT = """Words one by one (`--words 1`), and the same with properties beside them; ten folds, all models on the same,
or the test part of those sets that have one. Error is the share of wrong answers. A difference is judged in
pairs, text by text: the interval is of 95 %, mid-p is McNemar's; bold where it is more than luck. *all* are all
properties of the table, `headers:subject` as part of `headers`. *chosen*: in each training part by itself, those
that make errors of leave-one-out fewer there, taken one after the other by how much each does alone.
`trigger:money` is `samples/lists/money.txt`, written by hand, not from these texts; `misspelling` learns its words
from each training part. That a property is told by powers of two, and not each time, was chosen on sms-spam and on
bodies of spamassassin, by five other folds. sms-spam repeats 444 of its texts, and those of spamassassin differ in
where they were collected, above all in their headers: read the differences, not the errors.
"""

Rows = dict[str, dict[str, float]]
Found = dict[str, dict[str, Any]]  # by set and model: its rows, and how often properties were chosen


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.properties", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="of the sets; all, if none is named")
    parser.add_argument("--model", choices=MODELS, action="append", help="of the models; all, if none is named")
    parser.add_argument("--quick", action="store_true", help="choose no properties, which takes longest")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    given.results.mkdir(exist_ok=True, parents=True)
    for name in given.sets or (*SPAM, *OTHERS):
        for model in given.model or MODELS:
            start = time.perf_counter()
            measured = _measured(name, model, not given.quick)
            print(f"{name}, {model}: {time.perf_counter() - start:.0f} s", flush=True)
            write(given.results, f"{name} | {model}", measured)
    print((given.results / "properties.md").read_text("utf-8"))


def write(results: Path, key: str, measured: dict[str, Any]) -> None:
    """Puts what was measured beside what is there."""
    path = results / "properties.json"
    found: Found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    facts = machine.facts()
    found[key] = {"facts": {fact: facts[fact] for fact in FACTS}, **measured}
    order = [f"{name} | {model}" for name in (*SPAM, *OTHERS) for model in MODELS]
    found = {key: found[key] for key in order if key in found}
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (results / "properties.md").write_text(page(found), "utf-8")
    draw(found, results / "properties.svg")


def _measured(name: str, model: str, is_chosen: bool) -> dict[str, Any]:
    """All rows of a set and a model."""
    base, asked = MODELS[model], _asked(name)
    rows = {"words": base, **{told.replace(LIST, "money"): {**base, "properties": told} for told in asked}}
    every = ",".join(told for told in asked if "headers:" not in told)
    compared = deciban.compare({name: _set(name)}, {**rows, "all": {**base, "properties": every}}, folds=FOLDS)
    found = {row: _row(compared, name, row) for row in compared.models}
    if model != "multinomial" or name in OTHERS or not is_chosen:
        return {"rows": found, "chosen": {}}
    right, often = _chosen(name, base, asked)
    before = compared.run("words", name).right
    b, c, n = int((right & ~before).sum()), int((before & ~right).sum()), len(right)
    low, high = bootstrap(b, c, n)
    found["chosen"] = _figures(1 - right.mean(), (b - c) / n, low, high, mcnemar(b, c))
    return {"rows": found, "chosen": dict(often.most_common())}


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


def _row(compared: Comparison, name: str, row: str) -> dict[str, float]:
    d = next((d for d in compared.differences("words") if d.model == row), None)
    error = 1 - compared.run(row, name).accuracy
    return _figures(error, *(() if d is None else (d.difference, d.low_95, d.high_95, d.mid_p)))


def _figures(
    error: float, by: float = 0.0, low: float = 0.0, high: float = 0.0, mid_p: float = 1.0
) -> dict[str, float]:
    shares = {"error": error, "less": by, "low": low, "high": high}
    return {**{what: round(100 * float(share), 4) + 0.0 for what, share in shares.items()}, "mid_p": mid_p}


def _chosen(name: str, base: dict[str, Any], asked: list[str]) -> tuple[np.ndarray[Any, Any], Counter[str]]:
    """Whether each text is answered rightly by a model whose properties were chosen without it; how often each was."""
    texts, labels = _set(name)
    right, often = np.zeros(len(texts), np.bool_), Counter[str]()
    for train, test in in_folds(labels, FOLDS, seed=0).parts:
        examples = [texts[i] for i in train], [labels[i] for i in train]
        best = _best(examples, base, asked)
        often.update(told.replace(LIST, "money") for told in best)
        model = deciban.train(*examples, **base, properties=best)
        right[test] = [
            answer == labels[i] for answer, i in zip(model.predict([texts[i] for i in test]), test, strict=True)
        ]
    return right, often


def _best(examples: tuple[list[str], list[str]], base: dict[str, Any], asked: list[str]) -> list[str]:
    """The properties that make errors of leave-one-out fewer, one after the other."""

    def errors(properties: list[str]) -> float:
        model = deciban.train(*examples, **base, properties=properties)
        return 1 - model.leave_one_out().accuracy

    best: list[str] = []
    least = errors(best)
    alone = sorted((errors([told]), told) for told in asked)
    for error, told in alone:
        if error < least or best:
            more = errors([*best, told]) if best else error
            if more < least:
                best, least = [*best, told], more
    return best


def page(found: Found) -> str:
    """The page, in Markdown."""
    lines = ["# What word properties are worth", "", "Written by `make properties`; do not edit.", ""]
    facts = {fact: sorted({measured["facts"][fact] for measured in found.values()}) for fact in FACTS}
    lines += [f"- {fact}: {' to '.join([values[0], values[-1]][: len(values)])}" for fact, values in facts.items()]
    lines += ["", ABOUT, "## Do they reduce the error?", "", _summary(found)]
    for name in dict.fromkeys(key.split(" | ")[0] for key in found):
        lines += [
            "",
            f"## {name}",
            "",
            _table({k.split(" | ")[1]: f for k, f in found.items() if k.split(" | ")[0] == name}),
        ]
    return "\n".join(lines) + "\n"


def _summary(found: Found) -> str:
    """A line a set and model: words alone, and properties beside them."""
    lines = []
    for key, measured in found.items():
        before = measured["rows"]["words"]["error"]
        for row in ("all", "chosen"):
            if row in measured["rows"]:
                figures = measured["rows"][row]
                is_sure = not figures["low"] <= 0 <= figures["high"] and figures["mid_p"] < 0.05
                verdict = ("yes" if figures["less"] > 0 else "no") if is_sure else "not told apart"
                less = f"{figures['less'] / before:.0%}"
                lines.append((*key.split(" | "), row, f"{before:.2f}", f"{figures['error']:.2f}", less, verdict))
    return markdown("set | model | properties | words, error %> | with them, error %> | less by> | less?", lines)


def _table(of_set: dict[str, dict[str, Any]]) -> str:
    names = dict.fromkeys(row for measured in of_set.values() for row in measured["rows"])
    lines = [(row, *(cell for measured in of_set.values() for cell in _cells(row, measured["rows"]))) for row in names]
    heads = " | ".join(f"{model}, error %> | less by (95 %; mid-p)>" for model in of_set)
    often = next((measured["chosen"] for measured in of_set.values() if measured["chosen"]), {})
    told = ", ".join(f"{name} ({times})" for name, times in often.items())
    return markdown(f"seen | {heads}", lines) + (f"\nChosen, in how many of the folds: {told}.\n" if told else "")


def _cells(row: str, rows: Rows) -> Iterator[str]:
    if row not in rows:
        yield from ("", "")
        return
    figures = rows[row]
    cell = "{less:+.2f} ({low:+.2f} to {high:+.2f}; {mid_p:.2g})".format(**figures)
    is_sure = not figures["low"] <= 0 <= figures["high"] and figures["mid_p"] < 0.05
    yield "{error:.2f}".format(**figures)
    yield "" if row == "words" else f"**{cell}**" if is_sure else cell


def draw(found: Found, path: Path) -> None:
    """How much less error each property leaves, in points, on the sets of spam."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "deciban"
    of_spam = [name for name in SPAM if any(key.startswith(name) for key in found)]
    if not of_spam:
        return
    figure, axes = plt.subplots(1, len(of_spam), figsize=(3.7 * len(of_spam), 4.6), squeeze=False)
    for axis, name in zip(axes[0], of_spam, strict=True):
        for place, model in enumerate(model for model in MODELS if f"{name} | {model}" in found):
            rows = {row: of for row, of in found[f"{name} | {model}"]["rows"].items() if row != "words"}
            at = [number + 0.15 - 0.3 * place for number in range(len(rows))]
            less = [of["less"] for of in rows.values()]
            reach = [
                [of["less"] - of["low"] for of in rows.values()],
                [of["high"] - of["less"] for of in rows.values()],
            ]
            axis.errorbar(less, at, xerr=reach, fmt="o", markersize=3, linewidth=1, label=model)
            if place == 0:
                axis.set_yticks(range(len(rows)), list(rows), fontsize=7)
        axis.axvline(0, color="black", linewidth=0.6)
        axis.invert_yaxis()
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("points less error than words alone", fontsize=7)
    axes[0][0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
