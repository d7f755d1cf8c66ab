"""What was learnt -> kept beside the model (`MODEL.learnt`), so that a fitted model can be fitted anew to all of it.

A model that goes on from its weights knows what was learnt before by its counts alone, and tells mails apart the worse
for it; to fit it anew takes a second for thousands of mails. Kept is what is seen of mails, not the mails. With it, a
fitted model can forget, too.

The file has the records of one journal after another, and after each a record without a label that has the journal's
name. What comes after the last of those was cut off, and is passed over. When there are more than `MOST` mails, the
oldest of them go; and what is forgotten is gone from the file, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from ..errors import reading
from ..files import replacing
from .records import Entry, mark, opened, places, write, writing

MOST = 20_000  # mails


class Kept(NamedTuple):
    """The mails that a file has, oldest first, and the names of the journals that brought them."""

    entries: list[Entry]
    journals: list[str]
    refused: int = 0  # of the last journal, mails to forget that were never learnt
    end: int = 0
    has_forgotten: bool = False  # whether any of its records is to forget another

    def belongs_to(self, source: str) -> bool:
        """Whether a model is of these mails whose last examples came from there: all, or all but the last journal's."""
        return source in self.journals[-2:]


def kept(path: str) -> Kept:
    """What is kept beside a model."""
    found = Kept([], [])
    if not os.path.exists(f"{path}.learnt"):
        return found
    with reading(f"{path}.learnt"), open(f"{path}.learnt", "rb") as file:
        new: list[Entry] = []
        for about, start, end in list(places(file)):
            file.seek(start)
            entry = Entry(about["label"], file.read(end - start - 1), about["forget"])
            if entry.label:
                new.append(entry)
                continue
            refused, name = _apply(found.entries, new), entry.mail.decode("utf-8", "replace")
            forgets = found.has_forgotten or any(one.forget for one in new)
            found, new = Kept(found.entries, [*found.journals, name], refused, end, forgets), []
    return found


def _apply(entries: list[Entry], new: list[Entry]) -> int:
    """Adds mails, and takes out those to forget; says how many of those are not there."""
    refused = 0
    entries += [entry for entry in new if not entry.forget]
    for entry in new:
        if entry.forget:
            learnt = Entry(entry.label, entry.mail)
            if learnt in entries:
                del entries[len(entries) - 1 - entries[::-1].index(learnt)]
            else:
                refused += 1
    return refused


def keep(path: str, before: Kept, entries: Iterable[Entry], journal: str) -> Kept:
    """The same with one more journal, on the disk; if whoever brought it before did not come further, with it once."""
    file_name = f"{path}.learnt"
    if before.journals[-1:] != [journal]:
        with writing(file_name), opened(file_name) as file:
            write(file, before.end, (entry.record for entry in [*entries, mark(journal)]))
    after = kept(path)
    if len(after.entries) > MOST or after.has_forgotten:
        after = after._replace(entries=after.entries[-MOST:])
        marks = map(mark, after.journals[-2:])
        with replacing(file_name) as stream:
            stream.writelines(entry.record for entry in [*after.entries, *marks])
    return after
