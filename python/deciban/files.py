"""Writing a file so that nobody ever sees half of it.

The new content is written beside the old file, brought to the disk, and takes the old one's name at the very end. A
full disk, Ctrl-C or a crash leaves the old file as it was. A link stays a link; a device or a pipe is written to.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from .errors import Unwritable

if TYPE_CHECKING:
    from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file open for writing that becomes `path` when the block ends without an error.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with replacing(f"{folder}/a.txt") as file:
    ...     _ = file.write(b"all or nothing")
    >>> os.listdir(folder), os.path.getsize(f"{folder}/a.txt")
    (['a.txt'], 14)
    """
    from pathlib import Path  # late: whoever writes CSV to standard output starts without it

    check_writable(path)
    try:
        with (_beside if _is_replaceable(path) else _straight)(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:
        raise Unwritable(path=path, reason=error.strerror or error) from error


def csv_writer(stream: TextIO) -> Any:
    """Python's csv.writer, with rows that end with a line feed alone.

    >>> import io
    >>> csv_writer(stream := io.StringIO()).writerow(["a\\rb", 1])
    >>> stream.getvalue()
    '"a\\rb",1\\n'
    """
    return csv.writer(_LineFeeds(stream))


class _LineFeeds:
    """Ends rows with a line feed alone. Were csv told to do so itself, it would quote no carriage return."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(row.removesuffix("\r\n") + "\n")


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two names are of one file."""
    return os.path.isfile(one) and os.path.isfile(other) and os.path.samefile(one, other)


def check_writable(path: str | os.PathLike[str], *read: str) -> None:
    """Refuses a path that cannot be written, or is one of those that are read, before anybody works for it in vain.

    >>> check_writable("/no/such/folder/mail.deciban")
    Traceback (most recent call last):
        ...
    deciban.errors.Unwritable: /no/such/folder/mail.deciban: cannot write: No such file or directory
    """
    if any(same_file(path, other) for other in read):
        raise Unwritable(path=path, reason="it is the file to read from")
    try:
        target = os.path.realpath(path)
        if os.path.isdir(target):
            raise _refusal(errno.EISDIR)
        # Replacing asks only the folder, but whoever made a file read-only wants to keep it.
        if os.path.exists(target) and not os.access(target, os.W_OK):
            raise _refusal(errno.EACCES)
        if _is_replaceable(target):
            folder = os.path.join(os.path.dirname(target), ".")
            os.stat(folder)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise _refusal(errno.EACCES)
    except (OSError, ValueError) as error:
        raise Unwritable(path=path, reason=getattr(error, "strerror", None) or error) from error


def _refusal(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _is_replaceable(path: str | os.PathLike[str]) -> bool:
    """Whether it is a file, or nothing yet: what else there is, /dev/null say, must stay what it is."""
    return not os.path.exists(path) or os.path.isfile(path)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    new = path.parent / f".deciban-{os.urandom(8).hex()}"
    try:
        with open(new, "xb") as file:
            yield file
            file.flush()
            if path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            os.fsync(file.fileno())
        os.replace(new, path)
        _sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(new)


@contextlib.contextmanager
def _straight(path: Path) -> Iterator[BinaryIO]:
    with open(path, "wb") as file:
        yield file


def _sync_folder(folder: Path) -> None:
    """Brings the new name to the disk, where folders can be: the file itself is there already."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
