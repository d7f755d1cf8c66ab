"""Records -> batches of (text, label, where)."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import BadLabel, BadSetting, DecibanError, EmptyFile, NoRowLeft, UnknownChoice, UnknownFormat
from .lines import Lines, Progress
from .memory import bad_label, distinct, why_no_label
from .tables import READERS, Records

_ENDINGS = {"csv": "csv", "tsv": "tsv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "txt": "txt"}
_ROWS = 4096
_CHARACTERS = 1 << 22
_ENOUGH = 1 << 23  # characters to count at once


@dataclass(frozen=True)
class Batch:
    """Some examples of a file: their texts, their labels if those were asked for, other values that are kept."""

    name: str
    lines: list[int] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    kept: list[list[Any]] = field(default_factory=list)

    def where(self, place: int) -> str:
        """Where an example stands, as people say it: `mail.csv:17`."""
        return f"{self.name}:{self.lines[place]}"

    def extend(self, batch: Batch) -> None:
        """Takes in more texts and labels of the same file."""
        self.lines.extend(batch.lines)
        self.texts.extend(batch.texts)
        self.labels.extend(batch.labels)
        self.kept.extend(batch.kept)

    def parts(self, rows: int) -> Iterator[Batch]:
        """The same examples, in batches of at most so many."""
        for start in range(0, len(self.texts), rows):
            part = slice(start, start + rows)
            yield Batch(self.name, self.lines[part], self.texts[part], self.labels[part], self.kept[part])


@dataclass(frozen=True)
class Source:
    """A file of examples: where its texts and labels stand, and which of its rows are wanted.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"text,label,split\\nhi,ham,train\\nfree!,spam,test\\n"); file.flush()
    ...     [batch.texts for batch in Source(file.name, where=(("split", "test"),)).batches()]
    [['free!']]
    """

    path: str | os.PathLike[str]
    text: str = "text"
    label: str | None = "label"
    where: Sequence[tuple[str, str]] = ()
    keep: Sequence[str] = ()
    format: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    maybe: Sequence[str] = ()  # more columns to keep, of files that have them

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """The examples in order. A batch ends when it is large, when no more has arrived yet, or before an error."""
        with contextlib.closing(Lines(os.fspath(self.path), self.encoding, progress)) as lines:
            found = False
            for batch in self._batches(lines):
                found = True
                yield batch
            if lines.number == 0:
                raise EmptyFile(path=lines.path)
            if self.where and not found:
                raise NoRowLeft(path=lines.path, conditions=" and ".join(f"{c}={v}" for c, v in self.where))

    def _batches(self, lines: Lines) -> Iterator[Batch]:
        batch, before = Batch(lines.name), 0
        try:
            for records in self._records(lines):
                self._put(batch, self._wanted(records))
                if lines.waits or len(batch.texts) >= _ROWS or lines.characters - before >= _CHARACTERS:
                    yield from batch.parts(_ROWS)
                    batch, before = Batch(lines.name), lines.characters
        except DecibanError:
            yield from batch.parts(_ROWS)
            raise
        yield from batch.parts(_ROWS)

    def whole(self) -> Batch:
        """All examples at once, for what has to see them again."""
        all_of_it = Batch(self.name)
        for batch in self.batches():
            all_of_it.extend(batch)
        return all_of_it

    @property
    def name(self) -> str:
        """What the file is called."""
        return "standard input" if self.path == "-" else os.path.basename(self.path)

    @property
    def size(self) -> int | None:
        """How many bytes there are to read, where that can be known."""
        return os.path.getsize(self.path) if os.path.isfile(self.path) else None

    def _records(self, lines: Lines) -> Iterator[Records]:
        label = [] if self.label is None else [self.label]
        columns = [self.text, *label, *(column for column, _ in self.where), *self.keep]
        given: dict[str, str] = {}
        if self.delimiter is not None and self._format(lines) in ("csv", "tsv"):
            if len(self.delimiter) != 1 or self.delimiter in '\r\n"':
                raise BadSetting(setting="delimiter", got=self.delimiter, expected="one character")
            given = {"delimiter": self.delimiter}
        return READERS[self._format(lines)](lines, columns, self.maybe, **given)

    def _format(self, lines: Lines) -> str:
        if self.format is not None:
            if self.format not in READERS:
                raise UnknownChoice(setting="format", got=self.format, known=", ".join(READERS))
            return self.format
        if self.path == "-":
            return "jsonl" if lines.first.lstrip().startswith("{") else "csv"
        for ending in reversed(lines.name.lstrip(".").lower().split(".")[1:]):
            if ending in _ENDINGS:
                return _ENDINGS[ending]
        raise UnknownFormat(path=self.path, known=", ".join(f".{ending}" for ending in _ENDINGS))

    def _wanted(self, records: Records) -> Records:
        """The records that have all values that are asked for."""
        lines, columns = records
        for number, (_, wanted) in enumerate(self.where, start=1 if self.label is None else 2):
            rows = [row for row, value in enumerate(columns[number]) if _as_text(value) == wanted] if lines else []
            lines, columns = [lines[row] for row in rows], [[column[row] for row in rows] for column in columns]
        return Records(lines, columns)

    def _put(self, batch: Batch, records: Records) -> None:
        """Puts the records into a batch, up to the first that has no label where one is asked for."""
        lines, columns = records
        if not lines:
            return
        labels = [] if self.label is None else _labels(columns[1])
        bad = bad_label(labels)
        batch.lines.extend(lines[:bad])
        batch.texts.extend(columns[0][:bad])
        batch.labels.extend(labels[:bad])
        if kept := len(self.keep) + len(self.maybe):
            batch.kept.extend([list(values) for values in zip(*columns[-kept:], strict=True)][:bad])
        if bad is not None:
            raise BadLabel(where=f"{batch.name}:{lines[bad]}", got=why_no_label(labels[bad]))


def gathered(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The same examples in larger batches: the more are counted at once, the fewer times is each label begun."""
    whole, characters = Batch(""), 0
    for batch in batches:
        whole = whole if whole.texts else Batch(batch.name)
        whole.extend(batch)
        characters += sum(len(text) for text in batch.texts if isinstance(text, str))
        if characters >= _ENOUGH:
            yield whole
            whole, characters = Batch(""), 0
    yield whole


def _labels(values: list[Any]) -> list[Any]:
    """The values of some rows, numbers and truth values among them as JSON says them."""
    if all(isinstance(value, str) for value in distinct(values)):
        return values
    return [_as_text(v) if isinstance(v, (int, float)) and v == v else v for v in values]


def _as_text(value: object) -> str:
    """A cell as text: what JSON says of numbers and truth values, everything else as it is."""
    return value if isinstance(value, str) else json.dumps(value)
