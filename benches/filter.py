"""`make filter`: `deciban filter` beside bogofilter, on the mails of spamassassin: what slips through, and how fast.

Both see the same mails, learn the same ones and judge the same ones. In time order (`filter_stream`), what is judged
has not been learnt, and nothing that came later has: settings were chosen by the first mails, and the others are
judged, each by all that came before it. Then all mails in two halves, each judged by what was learnt of the other. Then
seconds (`filter_speed`). What was measured is kept in benches/results/filter.json, part by part, and parts can be asked
for alone.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from deciban.filtering import fitted

from . import machine, sets
from .filter_figures import HEAD, line
from .filter_rivals import Mails, filters, mails, version
from .filter_speed import speed
from .filter_stream import in_time
from .speed import RESULTS

MISSING = "bogofilter is not installed (Debian's package, or `make mailers`), and is left out"
FACTS = ("date", "processor", "cores", "load when it began", "Python", "numpy", "deciban's core")


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.filter", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all, if none is named")
    step = "how many mails are judged before they are learnt, in time order (default: 1)"
    parser.add_argument("--step", type=int, default=1, metavar="N", help=step)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    given.results.mkdir(exist_ok=True, parents=True)
    path = given.results / "filter.json"
    measured = {**PARTS, "time": partial(in_time, step=given.step)}
    for name in given.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            facts, found = machine.facts(), measured[name](mails(Path(folder)), Path(folder))
        found += "\nMeasured: " + "; ".join(f"{fact}: {facts[fact]}" for fact in FACTS) + f"; {version() or MISSING}.\n"
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**known, name: found}, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (given.results / "filter.md").write_text(_page({**known, name: found}), "utf-8")
    print((given.results / "filter.md").read_text("utf-8"))


def _page(parts: dict[str, str]) -> str:
    parts_of = ", ".join(f"{weight:g}" for weight in fitted.PARTS.values())
    head = "# The mail filter\n\nWritten by `make filter`; do not edit.\n\n"
    about = (
        "The model is what `deciban filter --learn` makes of mails alone: three, added up, of all words, of those of "
        f"header fields and of those of the text, which count {parts_of}; each is an NBSVM of rows of length 1, C = "
        f"{fitted.COST:g}.\n\n"
    )
    return head + about + "\n".join(parts[name] for name in PARTS if name in parts)


def _halves(of: Mails, folder: Path) -> str:
    folds = np.random.default_rng(sets.SEED).permutation(len(of.paths)) % 2
    lines = []
    for kind in range(2 if version() else 1):
        for half in range(2):
            one = filters(of, folder)[kind]
            one.learn(np.flatnonzero(folds == half).tolist())
            places = np.flatnonzero(folds != half)
            lines.append(line(f"{one.name}, half {half + 1}", one.judge(places.tolist()), of.is_spam[places]))
            print(lines[-1], flush=True)
    return (
        f"## Half and half\n\nAll mails in two halves by lot, each judged by what was learnt of the other.\n\n{HEAD}"
        + ("".join(lines))
    )


PARTS = {"time": partial(in_time, step=1), "halves": _halves, "speed": speed}

if __name__ == "__main__":
    main()
