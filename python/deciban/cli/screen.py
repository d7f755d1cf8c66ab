"""What commands write: tables and bars on a terminal, JSON for machines, progress where somebody watches."""

from __future__ import annotations

import codecs
import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO, cast

from ..errors import one_line
from ..files import replacing

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Standard output, as wide as the terminal; plain in a pipe."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def write_json(value: object) -> None:
    """One JSON value, indented."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def warn(line: str) -> None:
    """What somebody should know, on standard error: it is no answer, and no error."""
    print(f"deciban: warning: {one_line(line)}", file=sys.stderr)


def tell(line: str) -> None:
    """What somebody may want to know, on standard error: it is no answer."""
    print(f"deciban: {one_line(line)}", file=sys.stderr)


def finite(number: float) -> float | None:
    """A number for JSON, which has no infinity: None for that."""
    return number if math.isfinite(number) else None


@contextlib.contextmanager
def stream(output: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that is replaced when all is written."""
    with contextlib.nullcontext(sys.stdout.buffer) if output is None else replacing(output) as binary:
        # No TextIOWrapper: one that cannot write its last line closes standard output for everybody.
        stream = codecs.getwriter("utf-8")(binary, "backslashreplace")
        yield cast("TextIO", stream)
        stream.flush()


@contextlib.contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error with the time that is left; nothing where it is no terminal.

    What it hands over takes the number of bytes that are done.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    what_and_bar = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    speed_and_eta = (TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*what_and_bar, *speed_and_eta, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)


@contextlib.contextmanager
def steps() -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar for work in steps; what it hands over takes what is done, how much of it, and of how much."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("")
        yield lambda what, done, total: bars.update(task, description=what, completed=done, total=total)
