"""`deciban path`: which terms a model would take first: the L1 path.

Fits a model again and again while the penalty for using terms (lambda) is lowered, and shows in which order terms come
in, for and against which label, how many there are at each step, and how good that is on texts that are held out. The
step that is chosen has the fewest terms that do as well as the best, but for one standard error.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from . import options, screen, train

if TYPE_CHECKING:
    from ..paths import Entry, Path

SUMMARY = "show in which order terms come in: the L1 path"
EXAMPLE = "deciban path mail.csv --words 1-2 --plot path.svg --save terms.csv"


def add_arguments(parser: ArgumentParser) -> None:
    """The file, the model, the steps, where to write."""
    add = parser.add_argument
    add("file", metavar="FILE", help="labelled examples; - reads standard input")
    model = "logistic, hinge (squared), nbsvm, nblogistic, or squared: the squared loss (default: logistic)"
    add("--model", default="logistic", metavar="NAME", help=model)
    add("--steps", default=60, type=options.positive, metavar="N", help="how many values of lambda (default: 60)")
    least = "the least lambda, as a share of the greatest (default: 0.001)"
    add("--least", default=0.001, type=float, metavar="SHARE", help=least)
    add("--folds", default=5, type=options.positive, metavar="N", help="how many folds judge each step (default: 5)")
    add("--seed", default=0, type=options.whole, metavar="N", help="what folds are drawn by (default: 0)")
    add("--of", metavar="LABEL", help="show and draw the terms of this label alone")
    add("--top", default=10, type=options.positive, metavar="N", help="how many terms to show of a label (default: 10)")
    save = "write the terms in order as .csv, or all of it as .json; may be repeated"
    add("--save", action="append", default=[], metavar="FILE", help=save)
    add("--save-steps", action="append", default=[], metavar="FILE", help="write the steps as .csv; may be repeated")
    plot = "draw weights against lambda: .svg or .png; may be repeated"
    add("--plot", action="append", default=[], metavar="FILE", help=plot)
    options.add_source(parser, labelled=True)
    options.add_weight(parser)
    train.add_settings(parser)
    parser.set_defaults(l1=1.0)
    options.add_threads(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Follows the path, writes, and says what came in."""
    from ..errors import UnknownLabel, listed
    from ..paths import Plan, settings_of, trace

    settings, name = settings_of(**{**options.settings(given), "l1": given.l1})
    plan = Plan(given.steps, given.least, given.folds, given.seed)
    source = options.source(given, labelled=True)
    _check_outputs(given)
    batch = source.whole()
    if given.of is not None and given.of not in batch.labels:
        raise UnknownLabel(label=given.of, known=listed(sorted({*batch.labels})))
    with screen.steps() as steps:
        found = trace(batch.examples, settings, name, plan, batch.where, source.name, steps)
    for path in given.save:
        found.save(path)
    for path in given.save_steps:
        found.save_steps(path)
    for path in given.plot:
        found.plot(path, given.of if given.of in found.labels else None)
    if given.json:
        screen.write_json(found.as_dict())
    else:
        _print(found, given)


def _check_outputs(given: Namespace) -> None:
    """Refuses what could not be written, before anything is fitted."""
    from ..evaluation.table import ending_of
    from ..files import check_writable
    from ..paths import picture, table

    for path in given.save:
        ending_of(path, table.ENDINGS)
    for path in given.save_steps:
        ending_of(path, table.ENDINGS_OF_STEPS)
    for path in given.plot:
        picture.check(path)
    for path in (*given.save, *given.save_steps, *given.plot):
        check_writable(path, given.file)


def _print(found: Path, given: Namespace) -> None:
    from ..errors import one_line

    _print_steps(found)
    step, best = found.steps[found.chosen], found.steps[found.best]
    print(
        f"chosen: lambda {step.lam:.3g} with {step.terms:,} terms, {step.accuracy:.1%} of held-out texts right: "
        f"within one standard error ({best.error:.1%}) of the best, {best.accuracy:.1%}"
    )
    for label in found.labels if given.of is None else [label for label in found.labels if label == given.of]:
        entries = [found.entries[place] for place in found.of_label(label)]
        print(one_line(f"{label}: {_told(entries[: given.top])}{_more(len(entries) - given.top)}"))
    print("terms in the order in which they come in; + speaks for the label, - against it, at which lambda")
    if found.model != "squared":
        print(f"to train the model of the chosen step: --model {found.model} --l1 {found.l1:g} --cost {step.cost:.4g}")
    for path in (*given.save, *given.save_steps, *given.plot):
        print(f"saved as {path}")


def _print_steps(found: Path) -> None:
    from rich.table import Table

    from ..paths.table import shown

    table = Table(box=None, pad_edge=False, header_style="")
    for column in ("step", "lambda", "terms", "held-out accuracy", ""):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    marks = {found.best: "best", found.chosen: "chosen"}
    for place in shown(found):
        step = found.steps[place]
        cells = (f"{place + 1}", f"{step.lam:.3g}", f"{step.terms:,}", f"{step.accuracy:.1%} ± {step.error:.1%}")
        table.add_row(*cells, marks.get(place, ""))
    screen.console().print(table)


def _told(entries: list[Entry]) -> str:
    return ", ".join(f"{'+' if entry.sign > 0 else '-'}{entry.name} {entry.lam:.3g}" for entry in entries) or "none"


def _more(others: int) -> str:
    return f" and {others:,} more" if others > 0 else ""
