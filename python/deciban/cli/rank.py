"""`deciban rank`: the texts of a file that are most likely of a label.

By the odds of the label against all other labels together, in decibans, and the probability that these odds stand for;
where texts may have several labels, against its absence. --by posterior takes the labels to be as frequent as in
training; --by ratio the label to be as frequent as all others together, and those among themselves, or as its absence.
Of equal texts the earlier is first. Memory does not grow with the file.

--recall 0.95 tells how deep to read to find 95 % of the label's texts: 95 % sure, by texts of the label that were held
out when the model was calibrated; where those are too few, it says so, and goes by probabilities. All texts down to
there are written, to a file or as CSV or JSON.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from . import UsageError, options, screen

if TYPE_CHECKING:
    from ..classifier.ranks import Ranks
    from ..decision.depth import Depth
    from ..decision.ranking import Ranked
    from ..examples import Source

SUMMARY = "find the texts that are most likely of a label"
EXAMPLE = "deciban rank mail.deciban new.csv --label spam --top 100 -o spam.csv"
TOP = 100
START = 200  # characters of a text that a terminal may show


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the texts, the label, and how many to write of them."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="texts; - reads standard input (default: -)")
    add("--label", required=True, metavar="LABEL", help="the label to look for")
    add("--top", type=options.positive, metavar="N", help="how many texts (default: 100; all with --recall and a file)")
    recall = "tell how deep to read to find this share of the label's texts, with a bound"
    add("--recall", type=options.share, metavar="SHARE", help=recall)
    by = "posterior, or ratio, the likelihood ratio without the prior (default: posterior)"
    add("--by", default="posterior", metavar="NAME", help=by)
    add("--lowest", action="store_true", help="the least likely texts instead, the very least first")
    add("-o", "--output", metavar="FILE", help="write CSV, or JSON lines with --json, to a file")
    add("--csv", action="store_true", help="write CSV with the whole texts, and no table")
    options.add_source(parser, labelled=False)
    options.add_threads(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Ranks, and writes what was found."""
    from ..files import check_writable
    from ..loading import load
    from ..several import Several

    if given.recall is not None and (given.lowest or given.by != "posterior"):
        raise UsageError("--recall reads from the most probable text on: not with --lowest, nor with --by ratio")
    source = options.source(given, labelled=False)
    if given.output is not None:
        check_writable(given.output, given.file, given.model)
    model = load(given.model).with_threads(given.threads)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        ranked, depth = _ranked(given, model, source, progress)
    if _is_written(given):
        _write(ranked, given.output, model.unit, as_json=given.json)
    else:
        _print(ranked, model.unit)
        others = "its absence" if isinstance(model, Several) else "all other labels together"
        print(f"{model.unit} for {given.label} against {others}, by {given.by}")
    for sentence in () if depth is None else depth.sentences(given.label):
        screen.tell(sentence) if _is_written(given) else print(sentence)


def _is_written(given: Namespace) -> bool:
    """Whether it is for machines: beside that, what is told goes to standard error."""
    return given.json or given.csv or given.output is not None


def _ranked(
    given: Namespace, model: Ranks, source: Source, progress: Callable[[int], None] | None
) -> tuple[list[Ranked], Depth | None]:
    """What is found, and how deep to read, where that is asked."""
    if given.recall is None:
        how = {"by": given.by, "lowest": given.lowest, "progress": progress}
        return model.rank_in(source, given.label, TOP if given.top is None else given.top, **how), None
    top = given.top if given.top is not None or _is_written(given) else TOP
    return model.rank_to(source, given.label, given.recall, top, progress)


def _columns(unit: str) -> tuple[str, ...]:
    return "rank", unit, "probability", "line", "text"


def _write(ranked: list[Ranked], output: str | None, unit: str, *, as_json: bool) -> None:
    from ..files import csv_writer

    with screen.stream(output) as stream:
        if as_json:
            for row in enumerate(ranked, start=1):
                stream.write(json.dumps(_named(*row, unit), ensure_ascii=False) + "\n")
            return
        writer = csv_writer(stream)
        writer.writerow(_columns(unit))
        for rank, (line, odds, probability, text) in enumerate(ranked, start=1):
            writer.writerow([rank, f"{odds:.6f}", f"{probability:.6g}", line, text])


def _named(rank: int, found: Ranked, unit: str) -> dict[str, object]:
    line, odds, probability, text = found
    return dict(zip(_columns(unit), (rank, screen.finite(odds), probability, line, text), strict=True))


def _print(ranked: list[Ranked], unit: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..errors import one_line

    table = Table(box=None, pad_edge=False, expand=True)
    *numbers, text_column = _columns(unit)
    for column in numbers:
        table.add_column(column, justify="right")
    table.add_column(text_column, ratio=1, no_wrap=True, overflow="ellipsis")
    for rank, (line, odds, probability, text) in enumerate(ranked, start=1):
        start = one_line(" ".join(text[:START].split()))
        table.add_row(f"{rank:,}", f"{odds:+.1f}", f"{probability:.3f}", f"{line}", Text(start))
    screen.console().print(table)
