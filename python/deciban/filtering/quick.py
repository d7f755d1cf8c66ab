"""Mails -> verdicts by a table of words (`tables`), where there is one: the quick way through `deciban filter`.

A delivery is a process, which shall start quickly, and most of its time is that of imports. So this takes none but the
core: it knows the options of judging, and whatever else it meets (another option, a wrong number, a model without a
table, a file that cannot be read) is left to `cli`, before anything is read or written. `Judge` says the same.
"""

from __future__ import annotations

import os
import sys

from .. import _core
from .mail import stamped, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HEAD = 512  # bytes of a model, in which its checksum stands
TEMPFAIL = 75  # EX_TEMPFAIL of sysexits.h: try again later
STATUS = {"spam": 0, "ham": 1, "unsure": 2}
MOST_WORDS = 8
FLAGS = ("--exit-status", "--defer")


class Given:
    """What is asked for."""

    def __init__(self) -> None:
        self.models: list[str] = []
        self.mails: list[str] = []
        self.flags: set[str] = set()
        self.spam, self.spam_above, self.ham_below, self.threads = "spam", 20.0, 0.0, 0


def run(arguments: list[str]) -> int | None:
    """Judges one mail or many, and returns the exit status; nothing where that is not done here."""
    given = _given(arguments)
    table = None if given is None else table_of(given.models[0], given.spam)
    if given is None or table is None or None in (sys.stdin, sys.stdout, sys.__stdin__, sys.__stdout__):
        return None
    return _many(given, table) if given.mails else _one(given, table)


def _given(arguments: list[str]) -> Given | None:
    """Arguments, if they are those of judging, and nothing is wrong with them."""
    given, rest = Given(), arguments[::-1]
    takes: dict[str, Callable[[str], Any]] = {"spam": str, "spam-above": float, "ham-below": float, "threads": int}
    try:
        while rest:
            option = rest.pop()
            if not option.startswith("-"):
                given.models.append(option)
            elif option in FLAGS:
                given.flags.add(option)
            elif option == "--mails":
                given.mails = []
                while rest and not rest[-1].startswith("-"):
                    given.mails.append(rest.pop())
                if not given.mails:
                    return None
            else:
                name = option.removeprefix("--")
                setattr(given, name.replace("-", "_"), takes[name](rest.pop()))
    except (KeyError, ValueError, IndexError):
        return None
    is_sound = -1e9 <= given.ham_below <= given.spam_above <= 1e9 and len(given.models) == 1
    return given if is_sound and (given.threads > 0 or "--threads" not in arguments) else None


def table_of(path: str, spam: str) -> _core.MailTable | None:
    """The table of a model, if it has one of its own, and this label."""
    try:
        with open(path, "rb") as model:
            return _core.MailTable.read(f"{path}.table", model.read(HEAD), spam.encode())
    except (OSError, ValueError):
        return None


def _many(given: Given, table: _core.MailTable) -> int | None:
    """One line a mail; nothing if any of the files is no mbox file."""
    above, below, threads = given.spam_above, given.ham_below, given.threads
    try:
        every = [table.lines(path, *_around(path), above, below, threads) for path in given.mails]
    except OSError:
        return None
    lines = [some for some in every if some is not None]
    if len(lines) < len(every):
        return None
    sys.stdout.buffer.write(b"".join([b"mail,verdict,decibans\n", *lines]))
    sys.stdout.buffer.flush()
    return 0


def _around(path: str) -> tuple[bytes, bytes]:
    """What stands around the number of a mail in a line of CSV."""
    name = path.encode("utf-8", "backslashreplace")
    if any(mark in name for mark in b',"\r\n'):
        return b'"' + name.replace(b'"', b'""'), b'"'
    return name, b""


def _one(given: Given, table: _core.MailTable) -> int | None:
    """The mail goes through, whatever happens: after an error of ours somebody else is given it to read again."""
    mail = sys.stdin.buffer.read()
    try:
        decibans, words = table.account(mail)
        name = "spam" if decibans > given.spam_above else "ham" if decibans < given.ham_below else "unsure"
        said = sorted(words, key=lambda word: (-abs(word[1]), word[0]))[:MOST_WORDS]
        out = stamped(mail, told(name, decibans, said))
    except BaseException:  # a panic of the core is no Exception
        import io

        sys.stdin = io.TextIOWrapper(io.BytesIO(mail))
        return None
    try:
        sys.stdout.buffer.write(out)
        sys.stdout.buffer.flush()
    except OSError as error:
        print(f"deciban: standard output: cannot write: {error.strerror or error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return TEMPFAIL
    return STATUS[name] if "--exit-status" in given.flags else 0
