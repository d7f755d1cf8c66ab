"""Writing a file so that nobody ever sees half of it.

The new content is written beside the old file, brought to the disk, and takes the old one's name at the very end. A
full disk, Ctrl-C or a crash leaves the old file as it was.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .errors import Unwritable


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file open for writing that becomes `path` when the block ends without an error.

    >>> folder = tempfile.mkdtemp()
    >>> with replacing(f"{folder}/a.txt") as file:
    ...     _ = file.write(b"all or nothing")
    >>> Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('all or nothing', 1)
    """
    path = Path(path)
    beside: str | None = None
    try:
        descriptor, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fchmod(descriptor, _usual_mode(path))
            os.fsync(descriptor)
        os.replace(beside, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise Unwritable(path=path, reason=error.strerror or error) from error
    finally:
        if beside is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)


def _usual_mode(path: Path) -> int:
    """The mode of the file that is replaced, or what a new file would get."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
