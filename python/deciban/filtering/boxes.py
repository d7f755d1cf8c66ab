"""Mailboxes -> mails: files of one mail, mbox files, Maildir folders and folders of files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ..errors import NoMails, reading

# A mail of a mailbox begins with a line that says from whom it came and when; lines of a body may begin with "From ".
_FIRST = re.compile(rb"[^\n]*[0-9]:[0-9][0-9][^\n]*\n")


def mails(path: str) -> Iterator[tuple[str, bytes]]:
    """All mails of a file or a folder, with where each stands.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"From a 09:30 2026\\nTo: b\\n\\n1\\n\\nFrom c 09:31 2026\\n\\n2\\n")
    ...     file.flush()
    ...     [mail[-2:] for where, mail in mails(file.name)]
    [b'1\\n', b'2\\n']
    """
    with reading(path):
        found = _folder(path) if os.path.isdir(path) else _file(path)
        first = next(found, None)
    if first is None:
        raise NoMails(path=path)
    yield first
    with reading(path):
        yield from found


def _folder(path: str) -> Iterator[tuple[str, bytes]]:
    """The mails of a Maildir, read ones and new ones; of another folder, all its files, and those of its folders."""
    inside = [os.path.join(path, name) for name in ("cur", "new")]
    for top in inside if all(map(os.path.isdir, inside)) else [path]:
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                if not name.startswith("."):
                    yield from _file(os.path.join(folder, name))


def _file(path: str) -> Iterator[tuple[str, bytes]]:
    with open(path, "rb") as file:
        content = file.read()
    if not content.startswith(b"From "):
        yield path, content
        return
    for number, mail in enumerate(_cut(content), 1):
        yield f"{path}#{number}", mail


def _cut(box: bytes) -> Iterator[bytes]:
    """The mails of an mbox file: each begins after an empty line."""
    empty = b"\r\n" if box.partition(b"\n")[0].endswith(b"\r") else b"\n"
    mail, *pieces = box.split(b"\n" + empty + b"From ")
    for piece in pieces:
        if _FIRST.match(piece):
            yield mail + b"\n"
            mail = b"From " + piece
        else:
            mail += b"\n" + empty + b"From " + piece
    yield mail
