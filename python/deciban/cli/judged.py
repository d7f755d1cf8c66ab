"""What to expect of a model that is being trained: `train --evaluate` and `train --report`.

The file is read once and kept. The model to keep learns from everything; others like it, each trained without some of
the texts, say what it is worth.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from . import UsageError, figures, growth, options, screen

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..evaluation import Evaluation
    from ..examples import Source
    from ..settings import Settings

KINDS = ("auto", "loo", "folds", "tune", "time")


class Judged(NamedTuple):
    """Texts that were held out, and how they were answered."""

    texts: list[str]
    evaluation: Evaluation


def add_arguments(parser: ArgumentParser) -> None:
    """How to hold out, and what to write."""
    add = parser.add_argument
    how = (
        "tell what to expect of the model, by models that were trained without some of the texts: loo, folds:10, "
        "tune:0.3, time:COLUMN, or auto: what fits the model (default: auto)"
    )
    add("--evaluate", nargs="?", const="auto", type=_protocol, metavar="HOW", help=how)
    group = "with --evaluate: examples with the same value (author, thread, customer) are never on both sides"
    add("--group", metavar="COLUMN", help=group)
    options.add_curve(parser)
    add("--report", metavar="FILE.html", help="the same, and write a report to look at")


def _protocol(given: str) -> str:
    """How to hold out, as far as it can be checked without NumPy; `time:date` names a column."""
    kind, _, amount = given.partition(":")
    if kind not in ("auto", "loo", "folds", "tune", "time") or (kind == "time" and not amount):
        raise ArgumentTypeError(f"expected auto, loo, folds:10, tune:0.3 or time:COLUMN, got {given!r}")
    return given


def is_asked(given: Namespace) -> bool:
    """Whether somebody wants to know."""
    return any(option is not None for option in (given.evaluate, given.report, given.curve))


def check(given: Namespace) -> None:
    """Refuses what cannot be understood, before anything is read."""
    if given.group is not None and not is_asked(given):
        raise UsageError("--group says what --evaluate keeps apart; see deciban train --help")
    if given.curve is not None and not _has_curve(given):
        why = "so no time, no --weight, no --unlabelled"
        raise UsageError(f"--curve deals texts at random, and alike: {why}; see deciban train --help")
    growth.check(given)
    if given.evaluate is not None and not given.evaluate.startswith("time:"):
        from ..protocols import Protocol

        Protocol.of(given.evaluate)


def _has_curve(given: Namespace) -> bool:
    """Whether there can be a learning curve."""
    return given.weight is None and given.unlabelled is None and not (given.evaluate or "").startswith("time:")


def source(given: Namespace) -> Source:
    """The file; read once and kept where it is to be judged, too."""
    if not is_asked(given):
        return options.source(given, labelled=True)
    kind, _, column = (given.evaluate or "").partition(":")
    given.time = column if kind == "time" else None
    found = options.source(given, labelled=True, keep=options.sides(given))
    with screen.progress(f"reading {given.file}", found.size) as progress:
        return found.in_memory(progress)


def judge(given: Namespace, settings: Settings, source: Source) -> Judged | None:
    """What to expect of such a model, and the texts that say so; nothing where nobody asks."""
    if not is_asked(given):
        return None
    from ..protocols import evaluate
    from ..settings import named

    batch = source.whole()
    protocol = "time" if given.time is not None else given.evaluate or "auto"
    own = named(settings)
    how = {**options.columns(given, batch.kept), "weights": batch.examples.weights, "where": batch.where}
    with screen.steps() as steps:
        more = {"progress": steps, **how, **_unlabelled(given), **own}
        found = evaluate(batch.texts, batch.labels, protocol, **more)
    if given.curve is not None or (given.report is not None and _has_curve(given)):
        group = options.columns(given, batch.kept).get("group")
        found = growth.with_curve(given, found, batch.texts, batch.labels, own, group)
    return Judged([batch.texts[i] for i in found.places or range(found.examples)], found)


def _unlabelled(given: Namespace) -> dict[str, Any]:
    if given.unlabelled is None:
        return {}
    source = replace(options.source(given, labelled=False), path=given.unlabelled, where=(), weight=None)
    return {"unlabelled": source.whole().texts, "unlabelled_weight": given.unlabelled_weight}


def report(given: Namespace, trained: Classifier, judged: Judged) -> None:
    """Writes the report, if one is asked for."""
    if given.report is None:
        return
    from ..report import write

    command = shlex.join(["deciban", *sys.argv[1:]])
    texts, evaluation = judged
    write(given.report, trained, evaluation, texts, protocol=evaluation.protocol, command=command)


def show(given: Namespace, judged: Judged) -> None:
    """The figures, and where the report is."""
    figures.show(judged.evaluation)
    if given.curve is not None:
        growth.show(judged.evaluation)
    if given.report is not None:
        print(f"report: {given.report}")
