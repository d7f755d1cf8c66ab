"""`deciban evaluate`: how good a model is."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, screen

if TYPE_CHECKING:
    from ..evaluation import Evaluation

EPILOG = "Example: deciban evaluate mail.deciban mail.csv --where split=test --report report.html"


def evaluate(
    model: options.Model,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Labelled examples; - reads standard input.", show_default=False)
    ],
    loo: Annotated[
        bool, typer.Option("--loo", help="The file is what the model was trained on: leave each example out in turn.")
    ] = False,
    report: Annotated[
        str | None, typer.Option(metavar="FILE.html", help="Write a report to look at.", show_default=False)
    ] = None,
    text: options.Text = "text",
    label: options.Label = "label",
    where: options.Where = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    delimiter: options.Delimiter = None,
    threads: options.Threads = None,
    json: options.Json = False,
) -> None:
    """Tell how good a model is.

    On labelled texts that it has not seen, or by leave-one-out on those that it was trained on.
    """
    from ..classifier import load
    from ..examples import Source

    source = Source(file, text, label, options.conditions(where), (), format, encoding, delimiter)
    classifier = load(model).with_threads(threads)
    with screen.progress(f"reading {file}", source.size) as progress:
        texts, held = classifier.held_out(source, loo=loo, progress=progress)
    from ..evaluation import Evaluation

    evaluation = Evaluation(held)
    if report is not None:
        from ..report import write

        protocol = "leave-one-out" if loo else f"test on {file}"
        write(report, classifier, evaluation, texts, protocol=protocol, command=shlex.join(["deciban", *sys.argv[1:]]))
    if json:
        screen.write_json(evaluation.as_dict())
    else:
        _print(evaluation, "leave-one-out" if loo else "on examples kept apart")
        if report is not None:
            print(f"report: {report}")


def _print(evaluation: Evaluation, protocol: str) -> None:
    from rich.table import Table

    low, high = evaluation.interval
    label, baseline = evaluation.baseline
    how = f"95 %: {low:.1%} to {high:.1%}; {protocol}, {evaluation.examples:,} examples"
    print(f"accuracy {evaluation.accuracy:.1%} ({how})")
    print(f"baseline {baseline:.1%} (always {label!r}); macro-F1 {evaluation.macro_f1:.3f}")
    table = Table(box=None, pad_edge=False)
    for column in ("label", "examples", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column == "label" else "right")
    for row in evaluation.by_label:
        table.add_row(row.label, f"{row.support:,}", f"{row.precision:.3f}", f"{row.recall:.3f}", f"{row.f1:.3f}")
    screen.console().print(table)
    if evaluation.unseen:
        print(f"labels that the model has never seen, so always wrong: {', '.join(evaluation.unseen)}")
