"""`make accuracy`: how good the models are, on real data sets. `make table` measures the fitted ones alone.

Its parts: figures that others have published; what choosing model and smoothing by leave-one-out is worth; what is
taken where texts are few; Bernoulli against multinomial as the lexicon grows; what leave-one-out costs; the published
table with models that are fitted, and two figures since; a committee; what is between it and its bars. Any of them can
be asked for by name, and the others stay as they were measured. The page is printed and written to
benches/results/accuracy.md, all figures to accuracy.json, pictures to accuracy-PART.svg; again after each line, so that
nothing measured is lost.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from . import machine
from .parts import auto, committee, few, fitted, later, limits, loo, markdown, nbsvm, published, sizes
from .speed import RESULTS

PARTS: dict[str, ModuleType] = {
    of.__name__.rpartition(".")[2]: of
    for of in (published, auto, few, sizes, loo, fitted, later, nbsvm, committee, limits)
}
FACTS = ("date", "processor", "cores", "load when it began", "Python", "numpy", "scikit-learn", "deciban's core")
Known = dict[str, Any]  # by part: facts, rows


def main() -> None:
    """Measures, prints, writes."""
    given = _arguments()
    path = given.results / "accuracy.json"
    known: Known = json.loads(path.read_text()) if path.exists() else {}
    given.results.mkdir(exist_ok=True, parents=True)
    for name in given.parts or PARTS:
        _measure(name, known, given.results)
    print(page(known))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.accuracy", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all, if none is named")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    for name in given.parts:
        if name not in PARTS:
            parser.error(f"no such part: {name}; the known ones are: {', '.join(PARTS)}")
    return given


def _measure(name: str, known: Known, results: Path) -> None:
    """Measures a part, and writes all that is known after each of its lines."""
    facts = machine.facts()
    known[name] = {"facts": {fact: facts[fact] for fact in FACTS}, "rows": []}
    start = time.perf_counter()
    for row in PARTS[name].rows():
        known[name]["rows"].append(row)
        (results / "accuracy.json").write_text(json.dumps(known, indent=1) + "\n")
        (results / "accuracy.md").write_text(page(known))
        about = ", ".join(str(value) for value in row.values() if not isinstance(value, dict))
        print(f"{name}: {about} ({time.perf_counter() - start:.0f} s)", file=sys.stderr, flush=True)
    if hasattr(PARTS[name], "draw"):
        PARTS[name].draw(_picture(results, name), known[name]["rows"], f"{facts['date']}; {facts['processor']}")


def _picture(results: Path, name: str) -> Path:
    return results / f"accuracy-{name}.svg"


def page(known: Known) -> str:
    """The whole page: the bars first, then part by part."""
    measured = [name for name in PARTS if name in known]
    bars = chain.from_iterable(PARTS[name].bars(known[name]["rows"]) for name in measured)
    head = markdown("bar | measured> | limit> | holds", ((*bar[:3], "yes" if bar.holds else "**no**") for bar in bars))
    parts = "\n".join(_section(name, known[name]) for name in measured)
    return f"# Accuracy\n\nWritten by `make accuracy`; do not edit.\n\n{head}\n{parts}"


def _section(name: str, known: Known) -> str:
    part = PARTS[name]
    about = "; ".join(f"{fact}: {value}" for fact, value in known["facts"].items())
    picture = f"\n![{part.TITLE}]({_picture(Path(), name)})\n" if hasattr(part, "draw") else ""
    return f"## {part.TITLE}\n\n{part.table(known['rows'])}{picture}\n`{name}`: {about}.\n"


if __name__ == "__main__":
    main()
