"""`deciban explain`: why a text gets its label.

Each word's weight of evidence for the label against the next one, in decibans: they add up to the answer. With other
priors or costs, what these add is a line of its own.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from . import options, rules, screen

SUMMARY = "show why a text gets its label"
EXAMPLE = 'deciban explain mail.deciban "You have won a free ticket" --against ham'


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the text, and which labels to compare."""
    options.add_model(parser)
    add = parser.add_argument
    add("text", metavar="TEXT", help="the text; - reads standard input")
    add("--label", metavar="LABEL", help="the label to argue for; by default the most probable")
    add("--against", metavar="LABEL", help="the label to argue against; by default the next")
    add("--top", default=12, type=options.positive, metavar="N", help="how many terms to show (default: 12)")
    rules.add_arguments(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Explains one text."""
    from ..classifier import load
    from ..evidence import terminal

    text = sys.stdin.buffer.read().decode("utf-8", errors="replace") if given.text == "-" else given.text
    classifier = load(given.model)
    rule = rules.rule(given, classifier.labels) if rules.is_asked(given) else None
    evidence = classifier.explain(text, given.label, given.against, rule)
    if given.json:
        terms = [{"name": term.name, **asdict(term)} for term in evidence.terms]
        sums = {"cost": screen.finite(evidence.cost), "total": screen.finite(evidence.total)}
        screen.write_json({**asdict(evidence), "terms": terms, **sums, "unit": "deciban"})
    else:
        screen.console().print(terminal.rich(evidence, given.top))
