"""`deciban evaluate`: how good a model is.

On labelled texts that it has not seen, or by leave-one-out on those that it was trained on.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from ..errors import listed
from . import changes, options, screen

if TYPE_CHECKING:
    from ..evaluation import Evaluation

SUMMARY = "tell how good a model is"
MOST_LABELS = 200  # of the table
EXAMPLE = "deciban evaluate mail.deciban mail.csv --where split=test --report report.html"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the labelled file, and whether it is the one that the model was trained on."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", metavar="FILE", help="labelled examples; - reads standard input")
    loo = "the file is what the model was trained on: leave each example out in turn"
    add("--loo", action="store_true", help=loo)
    add("--report", metavar="FILE.html", help="write a report to look at")
    options.add_source(parser, labelled=True)
    options.add_threads(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Evaluates, and reports."""
    from ..classifier import load
    from ..evaluation import Evaluation
    from ..files import check_writable

    source = options.source(given, labelled=True)
    if given.report is not None:
        check_writable(given.report)
    takes_counts = given.loo or given.report is not None
    classifier = (changes.with_counts if takes_counts else load)(given.model).with_threads(given.threads)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        texts, held = classifier.held_out(source, loo=given.loo, progress=progress)
    evaluation = Evaluation(held)
    if given.report is not None:
        from ..report import write

        protocol = "leave-one-out" if given.loo else f"test on {given.file}"
        command = shlex.join(["deciban", *sys.argv[1:]])
        write(given.report, classifier, evaluation, texts, protocol=protocol, command=command)
    if given.json:
        screen.write_json(evaluation.as_dict())
        return
    _print(evaluation, "leave-one-out" if given.loo else "on examples kept apart")
    if given.report is not None:
        print(f"report: {given.report}")


def _print(evaluation: Evaluation, protocol: str) -> None:
    from rich.table import Table
    from rich.text import Text

    low, high = evaluation.interval
    label, baseline = evaluation.baseline
    how = f"95 %: {low:.1%} to {high:.1%}; {protocol}, {evaluation.examples:,} examples"
    print(f"accuracy {evaluation.accuracy:.1%} ({how})")
    print(f"baseline {baseline:.1%} (always {label!r}); macro-F1 {evaluation.macro_f1:.3f}")
    table = Table(box=None, pad_edge=False)
    for column in ("label", "examples", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column == "label" else "right")
    shown = sorted(evaluation.by_label, key=lambda row: -row.support)[:MOST_LABELS]
    for row in sorted(shown, key=lambda row: row.label):
        table.add_row(Text(row.label), f"{row.support:,}", f"{row.precision:.3f}", f"{row.recall:.3f}", f"{row.f1:.3f}")
    screen.console().print(table)
    if len(shown) < len(evaluation.labels):
        print(f"the {len(shown)} labels with most examples, of {len(evaluation.labels):,}; --json has all")
    if evaluation.unseen:
        print(f"labels that the model has never seen, so always wrong: {listed(evaluation.unseen, MOST_LABELS)}")
