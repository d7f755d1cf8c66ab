"""`deciban compare`: which model is better, and whether by more than luck.

Trains every model on every file, all on the same folds; files whose column `split` says train and test are judged by
their test part. A model is written as after `deciban train --model`, with its options, and may have a name before a
colon: --model "NBSVM-bi: nbsvm --words 1-2 --edges". Options that stand outside are for all models. Settings that are
left open, such as --cost, are chosen in each training part anew.
"""

from __future__ import annotations

import os
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import NoExamples, SameName, UnevenTests, UnknownModel, listed, one_line, reading
from ..files import check_writable
from . import options, screen, train

if TYPE_CHECKING:
    from ..comparing import Set
    from ..evaluation.comparison import Comparison
    from ..evaluation.table import Grid
    from ..examples import Batch, Source

SUMMARY = "tell which of several models is better"
EXAMPLE = 'deciban compare mail.csv --models multinomial,nbsvm --model "bigrams: nbsvm --words 1-2" --plot table.svg'
WIDEST = 10_000  # a table that is too wide for the terminal is wrapped by it, not cut
MODELS = ["multinomial", "logistic", "nbsvm"]


def add_arguments(parser: ArgumentParser) -> None:
    """The files, the models, how to hold out, where to write."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="labelled examples: a data set each; - reads standard input")
    names = f"names of models, with commas between (default: {','.join(MODELS)})"
    add("--models", dest="rows", type=lambda given: given.split(","), action="extend", metavar="NAMES", help=names)
    row = 'a model and its options, such as "nbsvm --words 1-2", or "bi: nbsvm --words 1-2"; may be repeated'
    add("--model", dest="rows", action="append", metavar="MODEL", help=row)
    add("--folds", default=10, type=options.positive, metavar="N", help="how many folds (default: 10)")
    add("--seed", default=0, type=options.whole, metavar="N", help="what folds are drawn by (default: 0)")
    options.add_sides(parser)
    test = "judge by this file what was learnt from FILE; as many as there are FILEs, in their order"
    add("--test", action="append", metavar="FILE", help=test)
    against = "compare all others with this model (default: with the best of each set)"
    add("--against", metavar="MODEL", help=against)
    save = "write the table: .csv, .md or .json; may be repeated"
    add("--save", action="append", default=[], metavar="FILE", help=save)
    add("--plot", action="append", default=[], metavar="FILE", help="draw it: .svg or .png; may be repeated")
    options.add_source(parser, labelled=True)
    train.add_settings(parser)
    options.add_threads(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Compares, writes, and says what came of it."""
    from ..comparing import compare

    models = _models(given)
    sources = _sources(given)
    _check_outputs(given)
    with screen.steps() as steps:
        sets = {name: _set(given, *of) for name, of in sources.items()}
        found = compare(sets, models, folds=given.folds, seed=given.seed, progress=steps)
    for path in given.save:
        found.save(path, given.against)
    for path in given.plot:
        found.plot(path)
    if given.json:
        screen.write_json(found.as_dict(given.against))
    else:
        _print(found, given)


def _models(given: Namespace) -> dict[str, dict[str, Any]]:
    """The settings of each model, by its name."""
    rows = [_row(row, given) for row in given.rows or MODELS]
    _check_distinct("models", [name for name, _ in rows])
    models = dict(rows)
    if given.against is not None and given.against not in models:
        raise UnknownModel(name=given.against, known=listed(models))
    return models


def _row(row: str, shared: Namespace) -> tuple[str, dict[str, Any]]:
    """A model as it is written: its name, and its settings; what it does not say itself is said for all."""
    from ..settings import Settings
    from . import Parser, UsageError

    name, colon, written = row.partition(":")
    if not colon or "--" in name:
        name = written = row
    settings = {setting: getattr(shared, setting) for setting in Settings.__dataclass_fields__ if setting != "model"}
    parser = Parser("deciban train", "", train.EXAMPLE)
    parser.add_argument("model", metavar="MODEL")
    train.add_settings(parser)
    try:
        settings = vars(parser.parse_args(shlex.split(written), Namespace(**settings)))
    except ValueError as error:
        raise UsageError(f"--model {row!r}: {error}") from None
    Settings.of(**settings)
    return " ".join(name.split()), settings


def _check_distinct(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise SameName(what=what, name=name)


def _sources(given: Namespace) -> dict[str, tuple[Source, Source | None]]:
    """The files, and those to test on, by names as short as tell them apart."""
    tests = given.test or [None] * len(given.files)
    if given.test and options.sides(given):
        from . import UsageError

        raise UsageError("--group and --time are for folds, not for a --test file; see deciban compare --help")
    if len(tests) != len(given.files):
        raise UnevenTests(files=len(given.files), tests=len(tests))
    for path in (*given.files, *filter(None, tests)):
        with reading(path):
            os.stat(os.devnull if path == "-" else path)
    given.file = None
    any_file = replace(options.source(given, labelled=True, keep=options.sides(given)), maybe=("split",))
    sources = [replace(any_file, path=path) for path in given.files]
    names = [source.name for source in sources]
    if len({*names}) < len(names):
        names = given.files
    _check_distinct("files", names)
    return {
        name: (source, replace(any_file, path=test) if test else None)
        for name, source, test in zip(names, sources, tests, strict=True)
    }


def _check_outputs(given: Namespace) -> None:
    """Refuses what could not be written, before anything is trained."""
    from ..evaluation import picture, table

    for path in given.save:
        table.ending_of(path, table.ENDINGS)
    for path in given.plot:
        picture.check(path)
    for path in (*given.save, *given.plot):
        check_writable(path, *given.files, *(given.test or []))


def _set(given: Namespace, source: Source, test: Source | None) -> Set:
    """A set from its file, or from one to learn from and one to judge by."""
    from ..comparing import TEST, TRAIN, Set

    first = _read(source)
    if test is None:
        split = [row[-1] for row in first.kept]
        return Set(first.texts, first.labels, split, first.where, **options.columns(given, first.kept))
    second, n = _read(test), len(first.texts)
    return Set(
        first.texts + second.texts,
        first.labels + second.labels,
        [TRAIN] * n + [TEST] * len(second.texts),
        lambda i: first.where(i) if i < n else second.where(i - n),
    )


def _read(source: Source) -> Batch:
    batch = source.whole()
    if not batch.texts:
        raise NoExamples(where=source.name)
    return batch


def _print(found: Comparison, given: Namespace) -> None:
    from ..evaluation.table import grids, protocols

    for grid in grids(found):
        _print_grid(grid)
    beside = "the best of its set" if given.against is None else given.against
    lines = [
        "*: the best of its set; intervals are Wilson's; seconds are of one training and of answering its test part",
        *protocols(found),
        *([f"each model beside {beside}, on the same texts:"] if len(found.models) > 1 else []),
        *(f"  {difference.sentence}" for difference in found.differences(given.against)),
        *(f"saved as {path}" for path in (*given.save, *given.plot)),
    ]
    for line in lines:
        print(one_line(line))


def _print_grid(grid: Grid) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column(Text(grid.title))
    for name in grid.sets:
        table.add_column(Text(one_line(name)), justify="right")
    for model, cells in grid.lines.items():
        marked = (Text(f"{cell} *", "bold") if best else Text(f"{cell}  ") for cell, best in cells)
        table.add_row(Text(one_line(model)), *marked)
    console = screen.console()
    table.width = console.measure(table, options=console.options.update(max_width=WIDEST)).maximum
    console.print(table, crop=False)
    print()
