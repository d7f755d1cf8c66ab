"""`deciban audit`: what is likely wrong with labelled texts, before anything is learnt from them.

Labels that models which have not seen the text find improbable, ranked; texts that are nearly the same with different
labels; texts without words, or like no other; labels with too few texts; words that give a label away. Nothing is
changed: what is found is for a person to look at.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from . import options, screen

if TYPE_CHECKING:
    from ..auditing import Audit

SUMMARY = "find wrong labels, near-duplicates, odd texts and leaks"
EXAMPLE = "deciban audit mail.csv -o suspects.csv --report audit.html"
CHECKS = ("labels", "duplicates", "texts", "leaks")
START = 120  # characters of a text that a terminal may show


def add_arguments(parser: ArgumentParser) -> None:
    """The labelled file, what to look for, and where to write what is found."""
    add = parser.add_argument
    add("file", metavar="FILE", help="labelled examples; - reads standard input")
    add("-o", "--output", metavar="FILE", help="write all findings as CSV; as JSON lines with --json")
    add("--report", metavar="FILE.html", help="write a page to look at")
    add("--checks", default=CHECKS, type=_checks, metavar="LIST", help=f"some of {','.join(CHECKS)} (default: all)")
    add("--top", default=10, type=options.positive, metavar="N", help="how many suspects to show (default: 10)")
    options.add_source(parser, labelled=True)
    options.add_threads(parser)
    options.add_json(parser)


def _checks(given: str) -> tuple[str, ...]:
    asked = tuple(given.split(","))
    for check in asked:
        if check not in CHECKS:
            raise ArgumentTypeError(f"expected some of {','.join(CHECKS)}, got {check!r}")
    return asked


def run(given: Namespace) -> None:
    """Looks at all texts, and tells."""
    from ..auditing import audit_of
    from ..examples import Batch
    from ..files import check_writable

    source = options.source(given, labelled=True)
    for path in (given.output, given.report):
        if path is not None:
            check_writable(path, given.file)
    whole = Batch(source.name)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        for batch in source.batches(progress):
            whole.extend(batch)
    how = {"checks": given.checks, "threads": given.threads, "name": source.name}
    found = audit_of(whole.texts, whole.labels, whole.where, **how)
    if given.output is not None:
        _write(found, whole.lines, given.output, as_json=given.json)
    if given.report is not None:
        from ..report.audit import write_audit

        write_audit(given.report, found, whole.texts, name=source.name, where=whole.where)
    if given.json:
        screen.write_json(found.as_dict(whole.lines))
        return
    _print(found, whole.lines, whole.texts, given.top)
    for what, path in (("findings", given.output), ("report", given.report)):
        if path is not None:
            print(f"{what}: {path}")


def _write(found: Audit, lines: list[int], output: str, *, as_json: bool) -> None:
    from ..auditing.findings import COLUMNS
    from ..files import csv_writer

    with screen.stream(output) as stream:
        writer = csv_writer(stream)
        if not as_json:
            writer.writerow(COLUMNS)
        for place, label, suggested, decibans, reason in found.findings(lambda place: f"line {lines[place]}"):
            row = (lines[place], label, suggested, decibans, reason)
            if as_json:
                stream.write(json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) + "\n")
            else:
                odds = "" if decibans is None else f"{decibans:.1f}"
                writer.writerow([lines[place], label, suggested or "", odds, reason])


def _print(found: Audit, lines: list[int], texts: list[str], top: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..errors import one_line

    for sentence in found.sentences():
        print(one_line(sentence))
    if not found.doubts:
        return
    table = Table(box=None, pad_edge=False, expand=True)
    for column in ("line", "decibans"):
        table.add_column(column, justify="right")
    for column in ("label", "suggested"):
        table.add_column(column)
    table.add_column("text", ratio=1, no_wrap=True, overflow="ellipsis")
    for doubt in found.doubts[:top]:
        start = one_line(" ".join(texts[doubt.place][:START].split()))
        named = (Text(one_line(label)) for label in (doubt.label, doubt.suggested))
        table.add_row(f"{lines[doubt.place]}", f"{doubt.decibans:+.1f}", *named, Text(start))
    screen.console().print(table)
