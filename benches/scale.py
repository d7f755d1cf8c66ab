"""`make scale`: what a megabyte costs as the text grows from 1 MB to 2 GB.

Training on words, in memory (one thread, all cores) and streaming from a file with `deciban train` (the same). A level
line would be a cost that does not depend on the size; the command's start weighs on the left end of its line. It stops
at what memory allows, and says so. The table is printed and written to benches/results/scale.md, with scale.svg.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Iterator
from pathlib import Path

from . import corpus, machine, plot
from .child import Order
from .measure import Result, run
from .speed import RESULTS

SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 2000.0)
IN_MEMORY = 4.0  # bytes of memory that a byte of text may take in a child: strings, their list, counts; with room


def main() -> None:
    """Measures, prints, writes."""
    given = _arguments()
    facts = {**machine.facts(), "rounds": str(given.rounds), "largest": f"{given.megabytes:g} MB"}
    lines = list(_lines([size for size in SIZES if size <= given.megabytes], given.rounds))
    page = _page(lines, facts)
    print(page)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "scale.md").write_text(page)
    about = f"{facts['processor']}; {facts['date']}; load {facts['load when it began']}"
    plot.scale(given.results / "scale.svg", _curves(lines), about)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.scale", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=2000.0, help="the largest size (2000)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser.parse_args()


Line = tuple[str, float, float, float | None]  # who, megabytes, seconds, peak of memory in MB if it is known


def _lines(sizes: list[float], rounds: int) -> Iterator[Line]:
    """All measurements, size by size; within one, in turn."""
    for size in sizes:
        name = corpus.drawn(size).name
        samples: dict[str, list[Result]] = {}
        for _ in range(rounds):
            for who, order in _orders(name, size):
                samples.setdefault(who, []).append(run(order))
        for who, results in samples.items():
            seconds = statistics.median(_seconds(result) for result in results)
            yield who, size, seconds, results[0]["cost"] if "seconds" in results[0] else None


def _orders(name: str, size: float) -> Iterator[tuple[str, Order]]:
    all_cores = len(os.sched_getaffinity(0))
    for cores in sorted({1, all_cores}):
        threads = "1 thread" if cores == 1 else f"{cores} threads"
        if _fits(size):
            yield f"in memory, {threads}", Order("train", "deciban", name, cores=cores)
        yield f"from a file, {threads}", Order("stream", "deciban", name, cores=cores)


def _fits(size: float) -> bool:
    """Whether a text of that size can be held in memory here and now."""
    import psutil

    return size * IN_MEMORY < psutil.virtual_memory().available / corpus.MB


def _seconds(result: Result) -> float:
    return result["seconds"] if "seconds" in result else result["cost"] * result["megabytes"]


def _page(lines: list[Line], facts: dict[str, str]) -> str:
    about = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    head = "| how | megabytes | seconds | MB/s | ms a MB | peak memory of the command, MB |\n"
    head += "| --- | ---: | ---: | ---: | ---: | ---: |\n"
    rows = "".join(
        f"| {who} | {size:g} | {seconds:.3f} | {size / seconds:,.0f} | {1e3 * seconds / size:.2f} | {_peak(peak)} |\n"
        for who, size, seconds, peak in sorted(lines, key=lambda line: line[:2])
    )
    missing = ", ".join(f"{size:g}" for size in sorted(_sizes(lines, "from") - _sizes(lines, "in")))
    note = f"\nToo large for this machine's memory, so only from a file: {missing} MB.\n" if missing else ""
    written = "Written by `make scale`; do not edit. Words, drawn text; medians."
    return f"# Cost against size\n\n{written}\n\n{about}\n\n{head}{rows}{note}"


def _peak(peak: float | None) -> str:
    return "" if peak is None else f"{peak:.0f}"


def _sizes(lines: list[Line], how: str) -> set[float]:
    return {size for who, size, _, _ in lines if who.startswith(how)}


def _curves(lines: list[Line]) -> dict[str, list[tuple[float, float]]]:
    curves: dict[str, list[tuple[float, float]]] = {}
    for who, size, seconds, _ in lines:
        curves.setdefault(who, []).append((size, size / seconds))
    return curves


if __name__ == "__main__":
    main()
