"""Arguments and options that several commands share, and what they are parsed to."""

from __future__ import annotations

from typing import Annotated

import typer

SOURCE = "The file of examples"

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]
Text = Annotated[str, typer.Option(help="The column of the texts.")]
Label = Annotated[str, typer.Option(help="The column of the labels.")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE", help="Keep rows whose column has this value; may be repeated.", show_default=False
    ),
]
Format = Annotated[
    str | None,
    typer.Option(help="csv, tsv, jsonl or txt; by default told from the file's name.", show_default=False),
]
Encoding = Annotated[str, typer.Option(help="The file's encoding.")]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHARACTER", help="What separates columns, if not a comma or a tab.", show_default=False),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="How many threads; by default one a core. Results never depend on it.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON, for machines.")]


def conditions(where: list[str] | None) -> tuple[tuple[str, str], ...]:
    """`--where split=train` as (column, value)."""
    pairs = [condition.partition("=") for condition in where or ()]
    for column, equals, _ in pairs:
        if not column or not equals:
            raise typer.BadParameter("expected COLUMN=VALUE, such as split=train", param_hint="--where")
    return tuple((column, value) for column, _, value in pairs)


def lengths(option: str, given: str) -> tuple[int, int] | None:
    """`1-2`, `2` or `none` as the lengths of n-grams."""
    if given == "none":
        return None
    low, _, high = given.partition("-")
    if low.isdecimal() and (not high or high.isdecimal()):
        return int(low), int(high or low)
    raise typer.BadParameter(f"{given!r}: expected lengths such as 1-2, or none", param_hint=option)
