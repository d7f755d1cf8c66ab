"""`make bench`: deciban beside its rivals and beside what the machine can do, one table with its bars.

All jobs and all rivals are interleaved in one run, round after round, each measurement in a fresh child process pinned
to its cores. The table is printed and written to benches/results/speed.md, all samples to speed.json, a picture to
speed.svg, and with --readme a short table to the README. Which distributions the rivals are is said in `rivals.py`; one
that is not installed is skipped by name.
"""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import sys
import tempfile
from pathlib import Path

from . import corpus, machine, plot, table
from .jobs import Job, Sizes, jobs
from .measure import Measured, measure, rounds_taken

RESULTS = corpus.ROOT / "benches" / "results"
MARKS = ("<!-- written by make bench -->", "<!-- until here -->")


def main() -> None:
    """Measures, prints, writes."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what was measured is written
    given = _arguments()
    sizes = _sizes(given)
    chosen = _chosen(list(jobs(sizes)), given.only)
    facts = {**machine.facts(), "command": _command(), "text": f"{sizes.megabytes:g} MB"}
    corpus.DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=corpus.DATA) as models:
        measured = measure(chosen, given.rounds, Path(models))
    facts["rounds"] = rounds_taken(measured, given.rounds)
    write(given.results, chosen, measured, facts, sizes.slow)
    if given.readme:
        put_into(corpus.ROOT / "README.md", table.short(chosen, measured, facts))


def put_into(page: Path, lines: str) -> None:
    """Writes some lines between the marks of a page."""
    before, _, rest = page.read_text().partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    page.write_text(f"{before}{MARKS[0]}\n{lines}{MARKS[1]}{after}")


def write(results: Path, chosen: list[Job], measured: Measured, facts: dict[str, str], slow: float) -> None:
    """The table, all samples, the picture."""
    page = table.markdown(chosen, measured, facts, slow)
    print(page)
    results.mkdir(exist_ok=True, parents=True)
    (results / "speed.md").write_text(page)
    (results / "speed.json").write_text(json.dumps(table.as_json(chosen, measured, facts), indent=1) + "\n")
    about = f"{facts['processor']}; {facts['date']}; rounds {facts['rounds']}; load {facts['load when it began']}"
    plot.speed(results / "speed.svg", chosen, measured, about)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.speed", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=100.0, help="how much text (100)")
    parser.add_argument("--rounds", type=int, help="how often everybody has a turn (5)")
    parser.add_argument("--only", action="append", metavar="JOB", help="only jobs whose name begins so; repeatable")
    parser.add_argument("--quick", action="store_true", help="5 MB and 1 round, to see that all works")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    parser.add_argument("--readme", action="store_true", help="also write the README's table")
    given = parser.parse_args()
    given.rounds = given.rounds or (1 if given.quick else 5)
    return given


def _sizes(given: argparse.Namespace) -> Sizes:
    if given.quick:
        return Sizes(megabytes=5.0, slow=2.0, real=2.0, small=2.0, big=20.0)
    return Sizes(given.megabytes, slow=min(10.0, given.megabytes), real=min(20.0, given.megabytes))


def _chosen(known: list[Job], only: list[str] | None) -> list[Job]:
    chosen = [job for job in known if only is None or any(job.name.startswith(name) for name in only)]
    if not chosen:
        raise SystemExit(f"benches: no such job; the known ones are: {'; '.join(job.name for job in known)}")
    return chosen


def _command() -> str:
    return shlex.join(["python", "-m", "benches.speed", *sys.argv[1:]])


if __name__ == "__main__":
    main()
