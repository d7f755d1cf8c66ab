"""What was shown and answered, line by line: the one truth of a feed, from which its model can be made again.

The first line says how the feed was begun. Each further line is an item that was shown, with its text, or an answer. A
line is on the disk before anybody goes on (append, fsync), so that a crash loses none; a last line that was cut off by
one was never confirmed, and is taken away. A line that the disk has no room for leaves the file as it was. Whoever
holds a journal has it alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from typing import Any

from ..errors import DamagedFeed, FeedExists, FeedInUse, NoFeed, NoFeedOfModel, Unwritable, reading

ENDING = ".feed"


class Journal:
    """An open journal: what it says so far, and where more is written."""

    def __init__(self, path: str, descriptor: int, lines: list[dict[str, Any]]) -> None:
        self.path, self.lines, self._descriptor = path, lines, descriptor

    def begin(self, begun: dict[str, Any]) -> None:
        """Writes how the feed is begun; begun before, with nothing after it, it is begun anew."""
        if self.lines:
            os.ftruncate(self._descriptor, 0)
            self.lines.clear()
        self.write(begun)

    def write(self, *lines: dict[str, Any]) -> None:
        """Adds lines, all or none, and returns when they are on the disk."""
        size = os.fstat(self._descriptor).st_size
        data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        try:
            written = 0
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, size)
            raise Unwritable(path=self.path, reason=error.strerror or error) from error
        self.lines.extend(lines)


@contextlib.contextmanager
def opened(model: str, begun: dict[str, Any] | None) -> Iterator[Journal]:
    """The journal beside a model file, for nobody else meanwhile; a new one, where it is told how it is `begun`."""
    path = f"{model}{ENDING}"
    if begun is not None and os.path.exists(model) and not os.path.exists(path):
        raise NoFeedOfModel(model=model)
    try:
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(path, flags | (0 if begun is None else os.O_CREAT), 0o600)
    except FileNotFoundError:
        raise NoFeed(model=model) from None
    except OSError as error:
        raise Unwritable(path=path, reason=error.strerror or error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FeedInUse(model=model) from None
        yield _begun(Journal(path, descriptor, _lines(path, descriptor)), model, begun)
    finally:
        os.close(descriptor)


def _begun(journal: Journal, model: str, begun: dict[str, Any] | None) -> Journal:
    if begun is not None:
        if len(journal.lines) > 1:
            raise FeedExists(model=model)
        journal.begin(begun)
    elif not journal.lines:
        raise NoFeed(model=model)
    return journal


def _lines(path: str, descriptor: int) -> list[dict[str, Any]]:
    """All whole lines; what a crash left of a last one is cut off."""
    with reading(path), open(descriptor, "rb", closefd=False) as file:
        data = file.read()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.ftruncate(descriptor, whole)
    return [_line(path, number, line) for number, line in enumerate(data[:whole].split(b"\n")[:-1], start=1)]


def _line(path: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise DamagedFeed(where=f"{path}:{number}")
    return row
