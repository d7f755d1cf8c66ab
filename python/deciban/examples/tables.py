"""Lines -> records: some columns of a CSV, a TSV or a JSON-lines file, block by block.

The rows before an error go out before it is raised, so that they can still be answered. Columns that a file may have or
not (`maybe`) come after the others, and hold None where it has not.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from ..errors import (
    BadCsv,
    BadJson,
    ColumnCount,
    DecibanError,
    MissingColumn,
    NotAnObject,
    RepeatedColumn,
    described,
    listed,
)
from .lines import Lines

_DECODE = json.JSONDecoder().raw_decode


class Records(NamedTuple):
    """The wanted columns of some rows, and the lines where the rows begin."""

    lines: Sequence[int]
    columns: list[list[Any]]


Rows = tuple[Sequence[int], list[list[str]]]  # the line where each row begins, and its cells: none if it is blank


def csv_records(
    lines: Lines, columns: Sequence[str], maybe: Sequence[str] = (), delimiter: str = ","
) -> Iterator[Records]:
    """Records of comma-separated values, quoted as RFC 4180 has it; the first row names the columns."""
    csv.field_size_limit(sys.maxsize)
    return _separated(lines, columns, maybe, _parsed(lines, delimiter))


def _parsed(lines: Lines, delimiter: str) -> Iterator[Rows]:
    """The rows that end in each block. One reader sees all blocks, as a row may reach from one into the next."""
    blocks = (io.StringIO(block, newline="\n") for block in lines)
    reader = csv.reader(itertools.chain.from_iterable(blocks), delimiter=delimiter, strict=True)
    starts: list[int] = []
    rows: list[list[str]] = []
    start = 1
    try:
        for row in reader:
            starts.append(start)
            rows.append(row)
            start = reader.line_num + 1
            if start > lines.number:
                yield starts, rows
                starts, rows = [], []
    except csv.Error as error:
        yield starts, rows
        raise BadCsv(where=f"{lines.name}:{start}", reason=_csv_reason(error)) from None
    except DecibanError:  # of the lines, in the middle of a row
        yield starts, rows
        raise


def tsv_records(
    lines: Lines, columns: Sequence[str], maybe: Sequence[str] = (), delimiter: str = "\t"
) -> Iterator[Records]:
    """Records of tab-separated values: no quoting, so that quotation marks in a text are just that."""
    rows = ((numbers, [text.split(delimiter) if text else [] for text in texts]) for numbers, texts in _texts(lines))
    return _separated(lines, columns, maybe, rows)


def _separated(lines: Lines, columns: Sequence[str], maybe: Sequence[str], blocks: Iterator[Rows]) -> Iterator[Records]:
    header: list[str] = []
    places: list[int | None] = []
    for starts, rows in blocks:
        if not header:
            first = next((place for place, cells in enumerate(rows) if cells), None)
            if first is None:
                continue
            header, there = rows[first], [*columns, *(column for column in maybe if column in rows[first])]
            found = dict(zip(there, _places(header, there, f"{lines.name}:{starts[first]}"), strict=True))
            places = [found.get(column) for column in (*columns, *maybe)]
            starts, rows = starts[first + 1 :], rows[first + 1 :]
        numbers, filled, wrong = _filled(starts, rows, len(header))
        none = [None] * len(filled)
        yield Records(numbers, [none if p is None else [cells[p] for cells in filled] for p in places])
        if wrong is not None:
            where, names = f"{lines.name}:{starts[wrong]}", listed(header)
            raise ColumnCount(where=where, expected=len(header), names=names, got=len(rows[wrong]))


def _filled(
    starts: Sequence[int], rows: list[list[str]], width: int
) -> tuple[Sequence[int], list[list[str]], int | None]:
    """The rows that are not blank, up to the first of another width; and the place of that."""
    if set(map(len, rows)) <= {width}:
        return starts, rows, None
    wrong = next((place for place, cells in enumerate(rows) if cells and len(cells) != width), None)
    filled = [place for place, cells in enumerate(rows[:wrong]) if cells]
    return [starts[place] for place in filled], [rows[place] for place in filled], wrong


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


def json_records(lines: Lines, columns: Sequence[str], maybe: Sequence[str] = ()) -> Iterator[Records]:
    """Records of JSON lines: one object a line, its keys the columns."""
    for numbers, texts in _texts(lines):
        wrong: tuple[str, str, Exception] | None = None
        starts: list[int] = []
        rows: list[list[Any]] = []
        for number, text in zip(numbers, texts, strict=True):
            if not text or text.isspace():
                continue
            try:
                found = _loaded(text)
                rows.append([found[column] for column in columns] + [found.get(column) for column in maybe])
            except (KeyError, RecursionError, TypeError, ValueError) as error:
                wrong = f"{lines.name}:{number}", text, error
                break
            starts.append(number)
        yield Records(starts, [list(column) for column in zip(*rows, strict=True)])
        if wrong is not None:
            _refuse(*wrong)


def _loaded(text: str) -> Any:
    """`json.loads` without its overhead, which matters where objects are small."""
    try:
        found, end = _DECODE(text)
    except (RecursionError, ValueError):
        end = None
    return found if end == len(text) else json.loads(text)  # white space around it is no error


def _refuse(where: str, text: str, error: Exception) -> NoReturn:
    if isinstance(error, KeyError):
        raise MissingColumn(where=where, column=error.args[0], known=listed(json.loads(text)))
    if isinstance(error, TypeError):
        raise NotAnObject(where=where, got=described(json.loads(text)))
    raise BadJson(where=where, reason=_json_reason(error))


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number of too many digits"


def text_records(lines: Lines, columns: Sequence[str], maybe: Sequence[str] = ()) -> Iterator[Records]:
    """Records of plain lines: each line is a text, an empty one too; there is no other column."""
    for column in columns:
        if column != "text":
            raise MissingColumn(where=lines.name, column=column, known="text")
    for numbers, texts in _texts(lines):
        yield Records(numbers, [*([texts] * len(columns)), *([[None] * len(texts)] * len(maybe))])


def _texts(lines: Lines) -> Iterator[tuple[range, list[str]]]:
    """The numbers of the lines of each block, and the lines without their ends."""
    for block in lines:
        texts = block.removesuffix("\n").split("\n")
        if "\r" in block:
            texts = [text.removesuffix("\r") for text in texts]
        yield range(lines.number - len(texts) + 1, lines.number + 1), texts


READERS: dict[str, Callable[..., Iterator[Records]]] = {
    "csv": csv_records,
    "tsv": tsv_records,
    "jsonl": json_records,
    "txt": text_records,
}
