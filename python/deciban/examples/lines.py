"""A file -> its lines, decoded, in blocks as they arrive.

Lines end with a line feed only. Nothing is read ahead: a block is what has arrived, and a reader can answer what it has
before it asks for the next. Whole lines before a byte that is not in the encoding go out before that is told.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import cast

from ..errors import DamagedGzip, NotInEncoding, UnknownEncoding, reading

_CHUNK = 1 << 18
_GZIP = b"\x1f\x8b"

Progress = Callable[[int], None]


class Lines(Iterator[str]):
    """Blocks of whole lines of a file (`-`: standard input), gzip-compressed or not.

    `number` and `characters` tell how much has been handed on.

    >>> import contextlib, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(gzip.compress(b"one\\r\\ntwo")); file.flush()
    ...     with contextlib.closing(Lines(file.name)) as lines:
    ...         list(lines), lines.number
    (['one\\r\\n', 'two'], 2)
    """

    def __init__(self, path: str, encoding: str = "utf-8", progress: Progress | None = None) -> None:
        self.path = "standard input" if path == "-" else path
        self.name = os.path.basename(self.path)
        self.number = 0
        self.characters = 0
        self._encoding = encoding
        self._decoder = _decoder(encoding)
        self._progress = progress
        self._ready = ""  # lines that have arrived
        self._begun: list[str] = []  # pieces of a line whose end has not
        self._ended = False
        self._wrong: tuple[int, int] | None = None  # the line of a byte that is not in the encoding, and the byte
        self._is_mine = path != "-"
        with reading(self.path):
            file = open(path, "rb") if self._is_mine else sys.stdin.buffer  # noqa: SIM115
        self._file = cast("io.BufferedReader", file)

    @property
    def waits(self) -> bool:
        """Whether the next block may take its time: it comes through a pipe, or from a person."""
        return not self._file.seekable()

    @property
    def first(self) -> str:
        """The next line, which stays the next; empty at the end."""
        return self._arrived().partition("\n")[0]

    def __next__(self) -> str:
        block, self._ready = self._arrived(), ""
        if not block:
            raise StopIteration
        self.number += block.count("\n") + (not block.endswith("\n"))
        self.characters += len(block)
        return block

    def close(self) -> None:
        """Closes the file, if it was opened here."""
        if self._is_mine:
            self._file.close()

    def _arrived(self) -> str:
        """The lines that have arrived, waiting for one if there is none; empty at the end."""
        while not self._ready and not self._ended:
            if self._wrong is not None:
                line, byte = self._wrong
                raise NotInEncoding(where=f"{self.name}:{line}", encoding=self._encoding, byte=byte)
            self._read()
        return self._ready

    def _read(self) -> None:
        data = self._bytes()
        self._ended = not data
        text = self._decoded(data)
        end = len(text) if self._ended else text.rfind("\n") + 1
        if end or self._ended:
            self._ready = "".join([*self._begun, text[:end]])
            self._begun = []
        if end < len(text):
            self._begun.append(text[end:])

    @cached_property
    def _stream(self) -> io.BufferedReader:
        """What the file holds, once it has begun to arrive: unpacked if it looks like gzip."""
        packed = self._file.peek(2)[:2] == _GZIP
        return cast("io.BufferedReader", gzip.GzipFile(fileobj=self._file)) if packed else self._file

    def _bytes(self) -> bytes:
        with reading(self.path):
            try:
                data = self._stream.read1(_CHUNK)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise DamagedGzip(path=self.path, line=self.number) from error
            if self._progress is not None and self._file.seekable():
                self._progress(self._file.tell())
            return data

    def _decoded(self, data: bytes) -> str:
        """What the bytes say; if they are wrong, what those before say, and what is wrong is kept for its turn."""
        before = self._decoder.getstate()
        try:
            return self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            bad = error.object[error.start :]
        except UnicodeError:  # UTF-16 without the mark that tells the order of its bytes
            bad = data
        self._decoder.setstate(before)
        text = ""
        with contextlib.suppress(UnicodeError):  # of encodings that cannot be cut
            text = self._decoder.decode(data[: max(len(data) - len(bad), 0)])
        self._wrong = self.number + 1 + text.count("\n"), (bad or b"\0")[0]
        self._ended = False
        return text


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)  # refuses what makes no text of bytes, such as base64
        return codecs.getincrementaldecoder("utf-8-sig" if found.name == "utf-8" else found.name)()
    except (LookupError, ValueError):
        raise UnknownEncoding(encoding=encoding) from None
