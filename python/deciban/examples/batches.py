"""Records -> batches of (text, label, where)."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import BadLabel, BadSetting, DecibanError, EmptyFile, NoRowLeft, UnknownChoice, UnknownFormat
from .kept import Examples
from .lines import Lines, Progress
from .memory import bad_label, distinct, why_no_label
from .sets import set_of
from .tables import READERS, Records
from .weights import as_number, refuse_weight, wrong_weight

_ENDINGS = {"csv": "csv", "tsv": "tsv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "txt": "txt"}
_ROWS = 4096
_CHARACTERS = 1 << 22
_ENOUGH = 1 << 23  # characters to count at once


@dataclass(frozen=True)
class Batch:
    """Some examples of a file: their texts, their labels and weights if asked for, other values that are kept."""

    name: str
    lines: list[int] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)  # each a text; or a tuple of them, of a source of `several`
    weights: list[float] = field(default_factory=list)
    kept: list[list[Any]] = field(default_factory=list)

    def where(self, place: int) -> str:
        """Where an example stands, as people say it: `mail.csv:17`."""
        return f"{self.name}:{self.lines[place]}"

    @property
    def examples(self) -> Examples:
        """The same, to be learnt."""
        return Examples(self.texts, self.labels, self.weights or None)

    def extend(self, batch: Batch) -> None:
        """Takes in more texts, labels and weights of the same file."""
        self.lines.extend(batch.lines)
        self.texts.extend(batch.texts)
        self.labels.extend(batch.labels)
        self.weights.extend(batch.weights)
        self.kept.extend(batch.kept)

    def parts(self, rows: int) -> Iterator[Batch]:
        """The same examples, in batches of at most so many."""
        for start in range(0, len(self.texts), rows):
            part = slice(start, start + rows)
            columns = (self.lines, self.texts, self.labels, self.weights, self.kept)
            yield Batch(self.name, *(column[part] for column in columns))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Source:
    """A file of examples: where its texts, labels and weights stand, and which of its rows are wanted.

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
    weight: str | None = None
    several: str | None = None  # what stands between labels, where a text may have any number of them

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
        return self.in_memory().batch

    def in_memory(self, progress: Progress | None = None) -> Read:
        """The same source, read once: its batches can be had again."""
        batch = Batch(self.name)
        for some in self.batches(progress):
            batch.extend(some)
        return Read(**vars(self), batch=batch)

    @property
    def name(self) -> str:
        """What the file is called."""
        return "standard input" if self.path == "-" else os.path.basename(self.path)

    @property
    def size(self) -> int | None:
        """How many bytes there are to read, where that can be known."""
        return os.path.getsize(self.path) if os.path.isfile(self.path) else None

    def _records(self, lines: Lines) -> Iterator[Records]:
        columns = [*self._own, *(column for column, _ in self.where), *self.keep]
        given: dict[str, str] = {}
        if self.delimiter is not None and self._format(lines) in ("csv", "tsv"):
            if len(self.delimiter) != 1 or self.delimiter in '\r\n"':
                raise BadSetting(setting="delimiter", got=self.delimiter, expected="one character")
            given = {"delimiter": self.delimiter}
        return READERS[self._format(lines)](lines, columns, self.maybe, **given)

    @property
    def _own(self) -> list[str]:
        """The columns of what an example is."""
        return [column for column in (self.text, self.label, self.weight) if column is not None]

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
        for number, (_, wanted) in enumerate(self.where, start=len(self._own)):
            rows = [row for row, value in enumerate(columns[number]) if _as_text(value) == wanted] if lines else []
            lines, columns = [lines[row] for row in rows], [[column[row] for row in rows] for column in columns]
        return Records(lines, columns)

    def _put(self, batch: Batch, records: Records) -> None:
        """Puts the records into a batch, up to the first that has no label, or no weight, where one is asked for."""
        lines, columns = records
        if not lines:
            return
        if self.several is not None and self.label is not None:
            self._put_sets(batch, records)
            return
        labels = [] if self.label is None else _labels(columns[1])
        cells = [] if self.weight is None else columns[len(self._own) - 1]
        weights = [as_number(cell) for cell in cells]
        bad = min((place for place in (bad_label(labels), wrong_weight(weights)) if place is not None), default=None)
        batch.lines.extend(lines[:bad])
        batch.texts.extend(columns[0][:bad])
        batch.labels.extend(labels[:bad])
        batch.weights.extend(weights[:bad])
        if kept := len(self.keep) + len(self.maybe):
            batch.kept.extend([list(values) for values in zip(*columns[-kept:], strict=True)][:bad])
        if bad is None:
            return
        where = f"{batch.name}:{lines[bad]}"
        if labels and (why := why_no_label(labels[bad])):
            raise BadLabel(where=where, got=why)
        refuse_weight(where, cells[bad])

    def _put_sets(self, batch: Batch, records: Records) -> None:
        """Puts texts of any number of labels into a batch, up to the first whose labels make no sense."""
        lines, columns = records
        for row, (line, text, cell) in enumerate(zip(lines, columns[0], columns[1], strict=True)):
            batch.labels.append(set_of(cell, str(self.several), f"{batch.name}:{line}"))
            batch.lines.append(line)
            batch.texts.append(text)
            if kept := len(self.keep) + len(self.maybe):
                batch.kept.append([column[row] for column in columns[-kept:]])


@dataclass(frozen=True)
class Read(Source):
    """A source that has been read whole."""

    batch: Batch = field(default_factory=lambda: Batch(""))

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """The examples again, in order."""
        yield from self.batch.parts(_ROWS)
        if progress is not None and self.size is not None:
            progress(self.size)

    def whole(self) -> Batch:
        """All examples at once."""
        return self.batch


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
