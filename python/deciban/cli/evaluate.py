"""`deciban evaluate`: how good a model is.

On labelled texts that it has not seen, or by leave-one-out on those that it was trained on.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

from . import changes, figures, options, screen

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..evaluation import Evaluation
    from ..evaluation.comparison import Difference

SUMMARY = "tell how good a model is"
EXAMPLE = "deciban evaluate mail.deciban mail.csv --where split=test --report report.html"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the labelled file, and whether it is the one that the model was trained on."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", metavar="FILE", help="labelled examples; - reads standard input")
    loo = "the file is what the model was trained on: leave each example out in turn"
    add("--loo", action="store_true", help=loo)
    against = "another model: is it better or worse on the same texts, and by more than luck?"
    add("--against", metavar="MODEL", help=against)
    costs = "what answers cost: a CSV file with the columns true, predicted, cost (others: 0 if right, 1 if wrong)"
    add("--costs", metavar="FILE", help=costs)
    paths = "labels are paths, such as science/physics, with this between: count ancestors too"
    add("--paths", type=_separator, metavar="SEPARATOR", help=paths)
    add("--report", metavar="FILE.html", help="write a report to look at")
    options.add_source(parser, labelled=True)
    options.add_threads(parser)
    options.add_json(parser)


def _separator(given: str) -> str:
    if not given:
        raise ArgumentTypeError("expected what stands between the steps of a path, such as /")
    return given


def run(given: Namespace) -> None:
    """Evaluates, and reports."""
    from ..classifier import load
    from ..evaluation import Evaluation, costs
    from ..files import check_writable

    source = options.source(given, labelled=True)
    if given.report is not None:
        check_writable(given.report)
    takes_counts = given.loo or given.report is not None
    classifier = (changes.with_counts if takes_counts else load)(given.model).with_threads(given.threads)
    other = None if given.against is None else load(given.against).with_threads(given.threads)
    prices = None if given.costs is None else costs.read(given.costs)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        texts, held = classifier.held_out(source, loo=given.loo, progress=progress)
    evaluation = Evaluation(held)
    if prices is not None:
        costs.check(prices, evaluation.labels)
    beside = None if other is None else _beside(given, evaluation, texts, other, source.name)
    if given.report is not None:
        _report(given, classifier, evaluation, texts)
    more = _more(given, evaluation, prices, beside)
    if given.json:
        screen.write_json({**evaluation.as_dict(), **more})
        return
    figures.show(evaluation, "leave-one-out" if given.loo else "on examples kept apart")
    _show_more(given, more, beside)


def _beside(given: Namespace, one: Evaluation, texts: list[str], other: Classifier, name: str) -> Difference:
    """The model beside another, on the same texts."""
    from ..evaluation import Evaluation
    from ..evaluation.comparison import difference

    truth = one.held.truth
    second = Evaluation(other.leave_one_out(texts, truth)) if given.loo else other.evaluate(texts, truth)
    return difference(given.model, one, given.against, second, name)


def _report(given: Namespace, classifier: Classifier, evaluation: Evaluation, texts: list[str]) -> None:
    from ..report import write

    protocol = "leave-one-out" if given.loo else f"test on {given.file}"
    command = shlex.join(["deciban", *sys.argv[1:]])
    write(given.report, classifier, evaluation, texts, protocol=protocol, command=command)


def _more(given: Namespace, evaluation: Evaluation, prices: Any, beside: Difference | None) -> dict[str, Any]:
    """The figures that somebody asked for."""
    return {
        **({} if prices is None else {"mean_cost": evaluation.cost(prices)}),
        **({} if given.paths is None else {"paths": vars(evaluation.paths(given.paths))}),
        **({} if beside is None else {"against": beside.as_dict()}),
    }


def _show_more(given: Namespace, more: dict[str, Any], beside: Difference | None) -> None:
    if "mean_cost" in more:
        print(f"cost {more['mean_cost']:.4g} an example, by {given.costs}")
    if "paths" in more:
        print("with ancestors: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}".format(**more["paths"]))
    if beside is not None:
        print(beside.sentence)
    if given.report is not None:
        print(f"report: {given.report}")
