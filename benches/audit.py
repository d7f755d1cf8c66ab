"""Wrong labels: how many of those that are shown first are wrong, beside cleanlab.

One label in ten is flipped at random, to any other label, and whoever looks for wrong labels shows the 5 % of all texts
that it suspects most. Texts are shuffled first: the files are sorted by label, and folds that are cut in the order of
the file, as scikit-learn cuts them, would put flipped texts of one label into one fold, where nobody learns from them.

Rivals: cleanlab (confident learning), given the probabilities of scikit-learn's cross_val_predict in five folds, of
TfidfVectorizer and LogisticRegression, its usual recipe, of words or of words and runs of two, or MultinomialNB. Each
runs in a process of its own, and its seconds, those of processors, are said twice. The whole process starts Python,
imports, reads the file and ranks. The job alone is the way from texts and labels in memory to the ranking; whoever does
it has looked at two dozen texts of two words before, so that all is imported. What that look takes, once all is
imported, is taken off the whole process, for deciban and its rivals alike. Of 20 labels, runs of two words would take
scikit-learn hours, and are left out. `nobody` is the floor of the whole process: it starts Python, imports deciban,
reads the file, and audits nothing.

Figures are kept in benches/results/audit.json: a run measures the sets and programs that it is asked for (--only,
--who), and the page has all of them, of whichever hour they are; what is said of the machine is of the last run. With
--rounds all take turns so often, and the run whose process has the median of the seconds counts. Each has one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from importlib import metadata
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from . import corpus, machine, sets
from .audit_child import FLOOR, RUNS, WHO, read

BAR_SETS = ("imdb", "r8", "20ng")
OTHERS = ("agnews-test", "r52", "rt-s", "sst2", "ohsumed", "rt-2k")
SHARE, SEED = 0.1, 0
BAR, TIMES = 0.9, 100
MOST_LABELS = 8  # of which runs of two words are measured, too
RESULTS = corpus.ROOT / "benches" / "results"
Result = dict[str, Any]
Results = dict[str, dict[str, Result]]


def made(name: str) -> Path:
    """A file of shuffled training texts, with labels of which some are flipped, and which those are."""
    path = corpus.DATA / f"audit-{name}.jsonl"
    if not path.exists():
        of = sets.read(name)
        rng = np.random.default_rng(SEED)
        places = rng.permutation(np.flatnonzero(np.array(of.split) != "test"))
        names = sorted(set(of.labels))
        flipped = set(rng.choice(len(places), round(SHARE * len(places)), replace=False).tolist())
        corpus.DATA.mkdir(exist_ok=True)
        with path.open("w") as file:
            for number, place in enumerate(places.tolist()):
                true = names.index(of.labels[place])
                given = (true + int(rng.integers(1, len(names)))) % len(names) if number in flipped else true
                row = {"text": of.texts[place], "label": names[given], "wrong": number in flipped}
                file.write(json.dumps(row) + "\n")
    return path


def measured(who: str, path: Path) -> Result:
    """What a child finds, and what it takes."""
    command = [sys.executable, "-m", "benches.audit_child", who, str(path)]
    one = machine.environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(command, cwd=corpus.ROOT, env=one, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    seconds, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    found = json.loads(done.stdout)
    return {"precision": found["precision"], "seconds": seconds, "cpu": cpu - found["tiny"], "job": found["job"]}


def table(results: Results) -> str:
    """All figures, set by set; what was not measured is left empty."""
    lines = [
        "| set | who | precision of the first 5 % | whole process, CPU seconds | times deciban | job alone | times |"
    ]
    lines.append("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, found in results.items():
        for who, of in found.items():
            whole, job = (_seconds(of, found.get("deciban", {}), what) for what in ("cpu", "job"))
            lines.append(f"| {name} | {who} | {of['precision']:.3f} | {whole} | {job} |")
    return "\n".join(lines)


def _seconds(of: Result, us: Result, what: str) -> str:
    """Two cells: seconds, and how many times ours they are."""
    if what not in of:
        return " | "
    return f"{of[what]:.2f} | {of[what] / us[what]:.0f}" if us.get(what) else f"{of[what]:.2f} | "


def verdicts(results: Results) -> str:
    """Which bars hold."""
    said = []
    for name in [name for name in BAR_SETS if "deciban" in results.get(name, ())]:
        found = results[name]
        us, rivals = found["deciban"], {who: of for who, of in found.items() if who.startswith("cleanlab")}
        if not rivals:
            continue
        who, them = max(rivals.items(), key=lambda one: (one[1]["precision"], -one[1]["cpu"]))
        floor = f"; the floor alone 1/{them['cpu'] / found[FLOOR]['cpu']:.0f}" if FLOOR in found else ""
        said.append(
            f"- {name}: at least {BAR} {_bar(us['precision'] >= BAR)}; not behind the best of cleanlab ({who}) "
            f"{_bar(us['precision'] >= them['precision'])}; in a hundredth of its time: "
            f"the whole process {_hundredth(us, them, 'cpu', floor)}, the job alone {_hundredth(us, them, 'job')}"
        )
    return "\n".join(said)


def _hundredth(us: Result, them: Result, what: str, more: str = "") -> str:
    if what not in us or what not in them:
        return "not measured"
    return f"{_bar(them[what] >= TIMES * us[what])} (1/{them[what] / us[what]:.0f}{more})"


def _bar(holds: bool) -> str:
    return "holds" if holds else "MISSED"


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.audit", description=__doc__)
    parser.add_argument("--only", nargs="+", help="some sets")
    parser.add_argument("--who", nargs="+", choices=WHO, metavar="NAME", help=f"some of: {'; '.join(WHO)}")
    parser.add_argument("--rounds", type=int, default=1, help="in which all take turns; the median counts (default: 1)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    facts = machine.facts() | {name: metadata.version(name) for name in ("cleanlab", "scikit-learn")}
    given.results.mkdir(exist_ok=True, parents=True)
    for name in given.only or (*BAR_SETS, *OTHERS):
        few = len(set(read(made(name))[1])) <= MOST_LABELS
        programs = [who for who in given.who or WHO if who != RUNS or few]
        taken: dict[str, list[Result]] = {who: [] for who in programs}
        for who in programs * given.rounds:
            taken[who].append(measured(who, made(name)))
            print(name, who, taken[who][-1], file=sys.stderr, flush=True)
            write(given.results, name, who, sorted(taken[who], key=itemgetter("cpu"))[len(taken[who]) // 2], facts)
    print((given.results / "audit.md").read_text())


def write(folder: Path, name: str, who: str, found: Result, facts: dict[str, str]) -> None:
    """One more figure among those that there are."""
    path = folder / "audit.json"
    known: Results = json.loads(path.read_text()) if path.exists() else {}
    known.setdefault(name, {})[who] = {key: round(value, 3) for key, value in found.items()}
    order = {
        one: {by: known[one][by] for by in WHO if by in known[one]} for one in (*BAR_SETS, *OTHERS) if one in known
    }
    path.write_text(json.dumps(order, indent=1) + "\n")
    (folder / "audit.md").write_text(page(order, facts))


def page(results: Results, facts: dict[str, str]) -> str:
    """All that was measured so far."""
    about = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    how = (__doc__ or "").partition("\n\n")[2]
    chosen = "Models and settings were chosen on other sets than those of this list, and on the test part of imdb."
    written = "Written by `make audit`; do not edit."
    return f"# Wrong labels\n\n{written}\n\n{how}\n{about}\n\n{table(results)}\n\n{verdicts(results)}\n\n{chosen}\n"


if __name__ == "__main__":
    main()
