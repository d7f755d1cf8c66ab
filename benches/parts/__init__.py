"""What is asked of how good the models are: a module a question.

Each has a `TITLE`; `rows`, which measures, a line of the table at a time; `table`, its Markdown; `bars`, what must
hold; and `draw`, if there is a picture.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Row = dict[str, Any]


class Bar(NamedTuple):
    """Something that must hold, and whether it does."""

    what: str
    measured: str
    limit: str
    holds: bool


def markdown(head: str, lines: Iterable[Iterable[object]]) -> str:
    """A table: names of columns, of which those that end with > are numbers, and lines of cells."""
    names = head.split(" | ")
    rules = ("---:" if name.endswith(">") else "---" for name in names)
    table = ([name.removesuffix(">") for name in names], rules, *lines)
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in table)
