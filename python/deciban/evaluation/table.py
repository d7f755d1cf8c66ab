"""A comparison as tables: for people (Markdown, and what a terminal shows), for machines (CSV, JSON)."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import UnknownEnding, one_line
from ..files import csv_writer, replacing
from .comparison import Comparison, Run

ENDINGS = (".csv", ".md", ".json")


class Grid(NamedTuple):
    """A table of one figure: a line a model, a column a set; and which cells are the best of their set."""

    title: str
    sets: tuple[str, ...]
    lines: dict[str, list[tuple[str, bool]]]


def grids(comparison: Comparison) -> Iterator[Grid]:
    """The tables of all figures."""
    most = {name: comparison.best(name).accuracy for name in comparison.sets}

    def grid(title: str, cell: Callable[[Run], str], mark: bool = False) -> Grid:
        runs = {m: [comparison.run(m, name) for name in comparison.sets] for m in comparison.models}
        lines = {m: [(cell(run), mark and run.accuracy == most[run.set]) for run in of] for m, of in runs.items()}
        return Grid(title, comparison.sets, lines)

    yield grid("accuracy in % (95 %)", _accuracy, mark=True)
    yield grid("macro-F1", lambda run: f"{run.macro_f1:.3f}")
    yield grid("seconds to train + to predict", _seconds)


def _accuracy(run: Run) -> str:
    low, high = run.interval
    return f"{100 * run.accuracy:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _seconds(run: Run) -> str:
    return " + ".join(f"{s:.2g}" if s < 10 else f"{s:,.0f}" for s in (run.train_seconds, run.predict_seconds))


def protocols(comparison: Comparison) -> Iterator[str]:
    """How each set was held out, a line a set."""
    for name in comparison.sets:
        run = comparison.best(name)
        labels = len({*run.evaluation.held.truth})
        yield f"{name}: {run.evaluation.examples:,} texts of {labels:,} labels, {run.protocol}"


def markdown(comparison: Comparison, against: str | None = None) -> str:
    """All tables, the best of each set in bold; how each set was held out; and the differences, a sentence each."""
    tables = "\n".join(_table(grid) for grid in grids(comparison))
    facts = [*protocols(comparison), *(d.sentence for d in comparison.differences(against))]
    return f"{tables}\n" + "".join(f"- {_plain(fact)}\n" for fact in facts)


def _table(grid: Grid) -> str:
    bold = ([model, *(f"**{cell}**" if best else cell for cell, best in of)] for model, of in grid.lines.items())
    rows = [[grid.title, *grid.sets], ["---", *["---:"] * len(grid.sets)], *bold]
    return "".join(f"| {' | '.join(map(_plain, row))} |\n" for row in rows)


def _plain(text: str) -> str:
    """Text in which no name ends a cell, or a line."""
    return one_line(text).replace("|", "\\|")


def save(path: str | os.PathLike[str], comparison: Comparison, against: str | None = None) -> None:
    """Writes it as the name ends."""
    writers = {".csv": lambda: _csv(comparison), ".md": lambda: markdown(comparison, against)}
    text = writers.get(ending_of(path, ENDINGS), lambda: _json(comparison, against))()
    with replacing(path) as file:
        file.write(text.encode())


def ending_of(path: str | os.PathLike[str], known: tuple[str, ...]) -> str:
    """How the name of a file ends, which must be known.

    >>> ending_of("table.CSV", ENDINGS)
    '.csv'
    """
    ending = os.path.splitext(path)[1].lower()
    if ending not in known:
        raise UnknownEnding(path=path, known=" or ".join(known))
    return ending


def _csv(comparison: Comparison) -> str:
    """A line a run: what programs read, and sort as they like."""
    rows = [run.as_dict() for run in comparison.runs]
    writer = csv_writer(stream := io.StringIO())
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return stream.getvalue()


def _json(comparison: Comparison, against: str | None) -> str:
    return json.dumps(comparison.as_dict(against), indent=2, ensure_ascii=False) + "\n"
