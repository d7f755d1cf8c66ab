"""Mails with labels <-> records of a file.

A record is a line of JSON, `{"forget": false, "label": "spam", "bytes": 2}`, and as many bytes of a mail, and an end of
line. A record that was cut off at the end of a file is not there. One without a label is a mark: the name of a journal,
at the start of it and after what it brought where that is kept.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..errors import DamagedJournal, Unwritable, reading


@dataclass(frozen=True)
class Entry:
    """A mail to learn under a label, or to forget."""

    label: str
    mail: bytes
    forget: bool = False

    @property
    def record(self) -> bytes:
        """The same as a file has it."""
        about = {"forget": self.forget, "label": self.label, "bytes": len(self.mail)}
        return json.dumps(about).encode() + b"\n" + self.mail + b"\n"


def mark(name: str) -> Entry:
    """What a journal is known by."""
    return Entry("", name.encode())


def entries(path: str) -> list[Entry]:
    """The records of a file, but for marks; none where there is none."""
    if not os.path.exists(path):
        return []
    with reading(path), open(path, "rb") as file:
        found = []
        for about, start, end in list(places(file)):
            if about["label"]:
                file.seek(start)
                found.append(Entry(about["label"], file.read(end - start - 1), about["forget"]))
        return found


def places(file: BinaryIO) -> Iterator[tuple[dict[str, Any], int, int]]:
    """What each whole record says, where its mail begins, and where it ends."""
    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    at = 0
    while line := file.readline():
        start = at + len(line)
        if not line.endswith(b"\n"):
            return
        about = _about(line)
        if about is None:
            raise DamagedJournal(path=file.name, at=at)
        at = start + about["bytes"] + 1
        if at > size:
            return
        file.seek(at)
        yield about, start, at


def _about(line: bytes) -> dict[str, Any] | None:
    try:
        about = json.loads(line)
        kinds = {"forget": bool, "label": str, "bytes": int}
        is_one = about.keys() == kinds.keys() and all(type(about[name]) is kinds[name] for name in kinds)
    except (ValueError, AttributeError, RecursionError):
        return None
    return about if is_one and about["bytes"] >= 0 else None


def opened(path: str) -> BinaryIO:
    """A file for reading and writing, made if it is missing; mails are nobody else's business."""
    return open(path, "r+b", opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o600))


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Says of errors which file could not be written."""
    try:
        yield
    except OSError as error:
        raise Unwritable(path=path, reason=error.strerror or error) from error


def write(file: BinaryIO, end: int, records: Iterator[bytes]) -> int:
    """Writes records after the first `end` bytes of a file, all or none, onto the disk; says how many."""
    file.truncate(end)
    file.seek(end)
    count = 0
    try:
        for record in records:
            file.write(record)
            count += 1
        file.flush()
        os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            os.ftruncate(file.fileno(), end)
        raise
    return count
