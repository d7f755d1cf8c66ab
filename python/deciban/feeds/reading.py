"""A file or standard input -> items and answers as they come, each with where it stands."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import cast

from ..errors import reading
from ..examples.lines import Lines
from .items import Answer, Item, Nothing, from_lines
from .syndication import LARGEST, items_of

ENDINGS = {".xml": "xml", ".rss": "xml", ".atom": "xml", ".rdf": "xml", ".jsonl": "jsonl", ".ndjson": "jsonl"}
Event = Item | Answer | Nothing


def stream(path: str, format: str | None = None) -> Iterator[tuple[str, Event]]:
    """Items and answers of a file; `-` is standard input. A format that is not given is told from name or beginning.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
    ...     _ = file.write(b'{"id": "a", "text": "hockey"}'); file.flush()
    ...     [event.id for where, event in stream(file.name)]
    ['a']
    """
    name = "standard input" if path == "-" else os.path.basename(path)
    if (format or ENDINGS.get(os.path.splitext(path)[1].lower()) or _looks_like(path)) == "xml":
        for number, item in enumerate(items_of(_bytes(path), name), start=1):
            yield f"{name}: item {number}", item
        return
    with contextlib.closing(Lines(path)) as blocks:
        lines = (line for block in blocks for line in block.removesuffix("\n").split("\n"))
        for number, line in enumerate(lines, start=1):
            for found in from_lines([(number, line)], name):
                yield f"{name}:{number}", found


def _looks_like(path: str) -> str:
    """`xml`, where the first character that shows is `<`."""
    with reading(path):
        if path == "-":
            start = cast("io.BufferedReader", sys.stdin.buffer).peek(100)[:100]
        else:
            with open(path, "rb") as file:
                start = file.read(100)
    marks = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
    return "xml" if start.lstrip(marks).startswith(b"<") else "jsonl"


def _bytes(path: str) -> bytes:
    """A whole file, but no more of it than is too large."""
    with reading(path):
        if path == "-":
            return sys.stdin.buffer.read(LARGEST + 1)
        with open(path, "rb") as file:
            return file.read(LARGEST + 1)
