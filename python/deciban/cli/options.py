"""Arguments and options that several commands share, and what they are parsed to."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..examples import Source

UNITS = {"s": 1, "m": 60, "h": 3600}


def add_model(parser: ArgumentParser) -> None:
    """The model file that a command works with."""
    parser.add_argument("model", metavar="MODEL", help="a model file")


def add_source(parser: ArgumentParser, *, labelled: bool) -> None:
    """What there is to say of a file of examples."""
    add = parser.add_argument
    add("--text", default="text", metavar="COLUMN", help="the column of the texts (default: text)")
    if labelled:
        add("--label", default="label", metavar="COLUMN", help="the column of the labels (default: label)")
    where = "keep rows whose column has this value; may be repeated"
    add("--where", action="append", default=[], type=condition, metavar="COLUMN=VALUE", help=where)
    add("--format", metavar="FORMAT", help="csv, tsv, jsonl or txt; by default told from the file's name")
    add("--encoding", default="utf-8", metavar="NAME", help="the file's encoding (default: utf-8)")
    add("--delimiter", metavar="CHARACTER", help="what separates columns, if not a comma or a tab")


def add_weight(parser: ArgumentParser) -> None:
    """How much each example counts."""
    weight = "the column of how much each text counts, from 0; models of counts take whole numbers (default: all alike)"
    parser.add_argument("--weight", metavar="COLUMN", help=weight)


def settings(given: Namespace) -> dict[str, Any]:
    """The settings that were given: those that are not as by default."""
    from ..settings import Settings

    values = {name: getattr(given, name) for name in Settings.__dataclass_fields__}
    defaults = {name: field.default for name, field in Settings.__dataclass_fields__.items()} | {"model": None}
    return {name: value for name, value in values.items() if value != defaults[name]}


def source(given: Namespace, *, labelled: bool, keep: tuple[str, ...] = ()) -> Source:
    """The file of examples that was named."""
    from ..examples import Source

    label = given.label if labelled else None
    where = tuple(given.where)
    how = (given.format, given.encoding, given.delimiter)
    return Source(given.file, given.text, label, where, keep, *how, weight=getattr(given, "weight", None))


def described(source: Source) -> dict[str, Any]:
    """What was said of how a file is to be read."""
    from ..examples import Source

    return {name: getattr(source, name) for name in Source.__dataclass_fields__ if name not in ("keep", "maybe")}


def add_threads(parser: ArgumentParser) -> None:
    """How many threads work: never what comes of it."""
    threads = "how many threads; by default one a core. Results never depend on it"
    parser.add_argument("--threads", type=positive, metavar="N", help=threads)


def add_sides(parser: ArgumentParser) -> None:
    """What must not be on both sides where texts are held out."""
    group = "a column: examples with the same value (author, thread, customer) are never on both sides"
    parser.add_argument("--group", metavar="COLUMN", help=group)
    time = "a column of numbers or dates: learn from what came before, judge by what came next"
    parser.add_argument("--time", metavar="COLUMN", help=time)


def sides(given: Namespace) -> tuple[str, ...]:
    """The columns that were named so."""
    return tuple(column for column in (given.group, given.time) if column is not None)


def columns(given: Namespace, kept: list[list[Any]]) -> dict[str, list[Any]]:
    """Their values, by what they are for."""
    named = [name for name in ("group", "time") if getattr(given, name) is not None]
    return {name: [row[number] for row in kept] for number, name in enumerate(named)}


def add_curve(parser: ArgumentParser) -> None:
    """What more labels should bring."""
    curve = "the learning curve, and what more labels should bring; with a FILE, drawn, as .svg or .png"
    parser.add_argument("--curve", nargs="?", const="", metavar="FILE", help=curve)


def add_json(parser: ArgumentParser) -> None:
    """Output for machines."""
    parser.add_argument("--json", action="store_true", help="write JSON, for machines")


def condition(given: str) -> tuple[str, str]:
    """`split=train` as (column, value)."""
    column, equals, value = given.partition("=")
    if not column or not equals:
        raise ArgumentTypeError("expected COLUMN=VALUE, such as split=train")
    return column, value


def positive(given: str) -> int:
    """A whole number above 0."""
    if not given.isdecimal() or int(given) == 0:
        raise ArgumentTypeError(f"expected a whole number above 0, got {given!r}")
    return int(given)


def whole(given: str) -> int:
    """A whole number from 0."""
    if not given.isdecimal():
        raise ArgumentTypeError(f"expected a whole number from 0, got {given!r}")
    return int(given)


def weight(given: str) -> float | str:
    """`auto`, or a number from 0 to 1."""
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if given != "auto" and not 0 <= number <= 1:
        raise ArgumentTypeError(f"expected auto, or a number from 0 to 1, got {given!r}")
    return given if given == "auto" else number


def share(given: str) -> float:
    """A number between 0 and 1."""
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not 0 < number < 1:
        raise ArgumentTypeError(f"expected a number between 0 and 1, got {given!r}")
    return number


def seconds(given: str) -> float | None:
    """`60`, `60s`, `10m`, `1h` or `none` as seconds."""
    number, unit = (given[:-1], given[-1]) if given[-1:] in UNITS else (given, "s")
    try:
        return None if given == "none" else float(number) * UNITS[unit]
    except ValueError:
        raise ArgumentTypeError(f"expected a time such as 60s, 10m or 1h, or none, got {given!r}") from None


def lengths(given: str) -> tuple[int, int] | None:
    """`1-2`, `2` or `none` as the lengths of n-grams."""
    if given == "none":
        return None
    low, _, high = given.partition("-")
    if low.isdecimal() and (not high or high.isdecimal()):
        return int(low), int(high or low)
    raise ArgumentTypeError(f"expected lengths such as 1-2, or none, got {given!r}")


def names(given: str) -> list[str]:
    """`caps,negation` as the names of properties."""
    return given.split(",")


def words_file(given: str) -> list[str]:
    """A list of words as the property that it is for."""
    return [f"misspelling:{given}"]


def prior(given: str) -> str | dict[str, float]:
    """`uniform`, or `spam=0.2,ham=0.8` as a number for each label."""
    if "=" not in given:
        return given
    try:
        pairs = [part.rpartition("=") for part in given.split(",")]
        return {label.strip(): float(number) for label, _, number in pairs}
    except ValueError:
        raise ArgumentTypeError(f"expected a number for each label, such as spam=0.2,ham=0.8, got {given!r}") from None
