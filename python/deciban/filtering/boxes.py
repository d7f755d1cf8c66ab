"""Mailboxes -> mails: files of one mail, mbox files, Maildir folders and folders of files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from .. import _core
from ..errors import NoMails, reading


class Box(NamedTuple):
    """A file, and from where to where each of its mails stands in it."""

    path: str
    data: bytes
    places: list[tuple[int, int]]

    @property
    def names(self) -> list[str]:
        """What to call each of the mails: the file, and the mail's number, if it is an mbox file."""
        if not _is_mbox(self.data):
            return [self.path]
        return [f"{self.path}#{number}" for number in range(1, len(self.places) + 1)]

    @property
    def mails(self) -> list[bytes]:
        """The mails themselves."""
        return [self.data[start:end] for start, end in self.places]


def boxes(path: str) -> Iterator[Box]:
    """The mails of a file, or of all files of a folder.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"From a 09:30 2026\\nTo: b\\n\\n1\\n\\nFrom c 09:31 2026\\n\\n2\\n")
    ...     file.flush()
    ...     [mail[-2:] for box in boxes(file.name) for mail in box.mails]
    [b'1\\n', b'2\\n']
    """
    with reading(path):
        found = _folder(path) if os.path.isdir(path) else iter([_file(path)])
        first = next(found, None)
    if first is None:
        raise NoMails(path=path)
    yield first
    with reading(path):
        yield from found


def _folder(path: str) -> Iterator[Box]:
    """The mails of a Maildir, read ones and new ones; of another folder, all its files, and those of its folders."""
    inside = [os.path.join(path, name) for name in ("cur", "new")]
    for top in inside if all(map(os.path.isdir, inside)) else [path]:
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                if not name.startswith("."):
                    yield _file(os.path.join(folder, name))


def _file(path: str) -> Box:
    with open(path, "rb") as file:
        data = file.read()
    return Box(path, data, _core.cut_mails(data) if _is_mbox(data) else [(0, len(data))])


def _is_mbox(data: bytes) -> bool:
    return data.startswith(b"From ")
