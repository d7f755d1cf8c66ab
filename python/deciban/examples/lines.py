"""A file -> its lines, decoded, as they arrive.

Lines end with a line feed only. Nothing is read ahead: as soon as what has arrived is used up, `waiting` says so, and a
reader can answer what it has before it waits for more.
"""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import DamagedGzip, NotInEncoding, UnknownEncoding, reading

_CHUNK = 1 << 18
_GZIP = b"\x1f\x8b"

Progress = Callable[[int], None]


class Lines(Iterator[str]):
    """The lines of a file (`-`: standard input), gzip-compressed or not.

    >>> import contextlib, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(gzip.compress(b"one\\r\\ntwo")); file.flush()
    ...     with contextlib.closing(Lines(file.name)) as lines:
    ...         list(lines)
    ['one\\r\\n', 'two']
    """

    def __init__(self, path: str, encoding: str = "utf-8", progress: Progress | None = None) -> None:
        self.path = path
        self.name = "standard input" if path == "-" else Path(path).name
        self.number = 0
        self._encoding = encoding
        self._decoder = _decoder(encoding)
        self._progress = progress
        self._ready: list[str] = []  # lines that have arrived, the next one last
        self._begun: list[str] = []  # pieces of a line whose end has not
        self._ended = False
        with reading(path):
            self._file = cast(io.BufferedReader, sys.stdin.buffer if path == "-" else open(path, "rb"))  # noqa: SIM115
            zipped = self._file.peek(2)[:2] == _GZIP
        self._stream: BinaryIO = cast(BinaryIO, gzip.GzipFile(fileobj=self._file)) if zipped else self._file

    @property
    def where(self) -> str:
        """The place of the line that was read last."""
        return f"{self.name}:{self.number}"

    @property
    def waiting(self) -> bool:
        """Whether all that has arrived is used up."""
        return not self._ready

    @property
    def first(self) -> str:
        """The next line, which stays the next; empty at the end."""
        while not self._ready and not self._ended:
            self._read()
        return self._ready[-1] if self._ready else ""

    def __next__(self) -> str:
        if not self.first:
            raise StopIteration
        self.number += 1
        return self._ready.pop()

    def close(self) -> None:
        """Closes the file, if it was opened here."""
        if self.path != "-":
            self._file.close()

    def _read(self) -> None:
        data = self._bytes()
        self._ended = not data
        try:
            text = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            line = self.number + 1 + error.object[: error.start].count(b"\n")
            byte = error.object[error.start]
            raise NotInEncoding(where=f"{self.name}:{line}", encoding=self._encoding, byte=byte) from None
        *lines, rest = text.split("\n")
        if lines:
            lines[0] = "".join([*self._begun, lines[0]])
            self._begun = []
            self._ready = [f"{line}\n" for line in reversed(lines)]
        if rest:
            self._begun.append(rest)
        if self._ended and self._begun:
            self._ready.insert(0, "".join(self._begun))
            self._begun = []

    def _bytes(self) -> bytes:
        try:
            with reading(self.path):
                data = cast(io.BufferedReader, self._stream).read1(_CHUNK)
                if self._progress is not None and self._file.seekable():
                    self._progress(self._file.tell())
                return data
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DamagedGzip(path=self.path, line=self.number) from error


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        kind = codecs.lookup(encoding).name
        return codecs.getincrementaldecoder("utf-8-sig" if kind == "utf-8" else kind)()
    except LookupError:
        raise UnknownEncoding(encoding=encoding) from None
