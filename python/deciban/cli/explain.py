"""`deciban explain`: why a text gets its label."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from . import options, screen

EPILOG = 'Example: deciban explain mail.deciban "You have won a free ticket" --against ham'


def explain(
    model: options.Model,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text; - reads standard input.", show_default=False)],
    label: Annotated[
        str | None, typer.Option(help="The label to argue for; by default the most probable.", show_default=False)
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="The label to argue against; by default the next.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many terms to show.")] = 12,
    json: options.Json = False,
) -> None:
    """Show why a text gets its label.

    Each word's weight of evidence for the label against the next one, in decibans: they add up to the answer.
    """
    from ..classifier import load
    from ..evidence import terminal

    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
    evidence = load(model).explain(text, label, against)
    if json:
        terms = [{"name": term.name, **asdict(term)} for term in evidence.terms]
        screen.write_json({**asdict(evidence), "terms": terms, "total": evidence.total, "unit": "deciban"})
    else:
        screen.console().print(terminal.rich(evidence, top))
