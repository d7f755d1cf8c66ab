"""Lines -> records: some columns of a CSV, a TSV or a JSON-lines file, row by row."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import (
    BadCsv,
    BadJson,
    ColumnCount,
    MissingColumn,
    NotAnObject,
    RepeatedColumn,
    described,
    listed,
)
from .lines import Lines


class Record(NamedTuple):
    """The wanted values of one row, and the line where it begins."""

    line: int
    values: list[Any]


def csv_records(lines: Lines, columns: Sequence[str], delimiter: str = ",") -> Iterator[Record]:
    """Records of comma-separated values, quoted as RFC 4180 has it; the first row names the columns."""
    csv.field_size_limit(sys.maxsize)
    yield from _separated(lines, columns, csv.reader(lines, delimiter=delimiter, strict=True))


def tsv_records(lines: Lines, columns: Sequence[str], delimiter: str = "\t") -> Iterator[Record]:
    """Records of tab-separated values: no quoting, so that quotation marks in a text are just that."""
    whole = (_without_end(line) for line in lines)
    yield from _separated(lines, columns, (line.split(delimiter) if line else [] for line in whole))


def _separated(lines: Lines, columns: Sequence[str], reader: Iterator[list[str]]) -> Iterator[Record]:
    header: list[str] = []
    places: list[int] = []
    while True:
        line = lines.number + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise BadCsv(where=f"{lines.name}:{line}", reason=_csv_reason(error)) from None
        if row is None:
            return
        if len(row) == len(header) > 0:
            yield Record(line, [row[place] for place in places])
        elif row and not header:
            header, places = row, _places(row, columns, f"{lines.name}:{line}")
        elif row:
            where, names = f"{lines.name}:{line}", listed(header)
            raise ColumnCount(where=where, expected=len(header), names=names, got=len(row))


def _csv_reason(error: csv.Error) -> str:
    """What Python says of a CSV file, in the words of who has the file."""
    said = str(error)
    if said == "unexpected end of data":
        return "a quotation mark is never closed; is the file cut off?"
    if "new-line" in said:
        return "a carriage return outside quotation marks; lines end with a line feed"
    return said


def _places(header: list[str], columns: Sequence[str], where: str) -> list[int]:
    for column in columns:
        if column not in header:
            raise MissingColumn(where=where, column=column, known=listed(header))
        if header.count(column) > 1:
            raise RepeatedColumn(where=where, column=column)
    return [header.index(column) for column in columns]


def json_records(lines: Lines, columns: Sequence[str]) -> Iterator[Record]:
    """Records of JSON lines: one object a line, its keys the columns."""
    for text in lines:
        if text.isspace():
            continue
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadJson(where=lines.where, reason=_json_reason(error)) from None
        if not isinstance(found, dict):
            raise NotAnObject(where=lines.where, got=described(found))
        try:
            yield Record(lines.number, [found[column] for column in columns])
        except KeyError as error:
            raise MissingColumn(where=lines.where, column=error.args[0], known=listed(found)) from None


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number of too many digits"


def text_records(lines: Lines, columns: Sequence[str]) -> Iterator[Record]:
    """Records of plain lines: each line is a text, an empty one too; there is no other column."""
    for column in columns:
        if column != "text":
            raise MissingColumn(where=lines.name, column=column, known="text")
    for text in lines:
        yield Record(lines.number, [_without_end(text)] * len(columns))


def _without_end(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


READERS: dict[str, Callable[..., Iterator[Record]]] = {
    "csv": csv_records,
    "tsv": tsv_records,
    "jsonl": json_records,
    "txt": text_records,
}
