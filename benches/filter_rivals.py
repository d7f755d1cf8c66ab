"""The mails of spamassassin, in the order in which they came, and two filters that learn and judge them.

When a mail came is what the uppermost Received field says (the receiving host wrote it; what Date says is the sender's
word, and is taken where no Received field can be read).
"""

from __future__ import annotations

import datetime
import itertools
import re
import shutil
import subprocess
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deciban.filtering import journal
from deciban.filtering.boxes import Box
from deciban.filtering.records import Entry
from deciban.filtering.verdict import Judge

from . import sets

Floats = npt.NDArray[np.float64]


class Mails(NamedTuple):
    """Mails as files, in the order in which they came, and which are spam."""

    paths: list[str]
    is_spam: npt.NDArray[np.bool_]
    unread: int  # of which no time could be read: they come first


def mails(folder: Path) -> Mails:
    """All mails, written into a folder."""
    of = sets.read("spamassassin")
    times = [_came(text) for text in of.texts]
    order = sorted(range(len(times)), key=lambda i: times[i] or 0.0)
    paths = []
    for number, i in enumerate(order):
        path = folder / f"{number:05}.eml"
        path.write_bytes(of.texts[i].encode())
        paths.append(str(path))
    return Mails(paths, np.array([of.labels[i] == "spam" for i in order]), sum(time is None for time in times))


def _came(text: str) -> float | None:
    """When a mail came, in seconds since 1970."""
    header = re.sub(r"\n[ \t]+", " ", text.replace("\r", "").partition("\n\n")[0])
    for field in ("received", "date"):
        for value in re.findall(rf"(?im)^{field}:(.*)$", header):
            try:
                when = parsedate_to_datetime(value.rpartition(";")[2].strip())
            except (ValueError, TypeError, IndexError):
                continue
            return (when if when.tzinfo else when.replace(tzinfo=datetime.UTC)).timestamp()
    return None


def version() -> str:
    """Which bogofilter there is; nothing where there is none."""
    if shutil.which("bogofilter") is None:
        return ""
    done = subprocess.run(["/usr/bin/env", "bogofilter", "-V"], capture_output=True, text=True, check=True)
    return (done.stdout + done.stderr).partition("\n")[0]


class Ours:
    """What `deciban filter --learn` does: mails go to the journal, which is folded into the model."""

    name = "deciban filter"

    def __init__(self, mails: Mails, folder: Path) -> None:
        self.mails = [Path(path).read_bytes() for path in mails.paths]
        self.labels = ["spam" if spam else "ham" for spam in mails.is_spam]
        self.path = str(folder / "mail.deciban")
        Path(self.path).unlink(missing_ok=True)

    def learn(self, places: Iterable[int]) -> None:
        """Some mails, by their numbers."""
        journal.append(self.path, (Entry(self.labels[i], self.mails[i]) for i in places))
        journal.fold(self.path)

    def judge(self, places: Iterable[int]) -> Floats:
        """The decibans of some mails."""
        judge, some = Judge.of(self.path), [self.mails[i] for i in places]
        ends = np.cumsum([0, *map(len, some)]).tolist()
        box = Box("", b"".join(some), list(itertools.pairwise(ends)))
        return np.array([verdict.decibans for verdict in judge.verdicts(box)])


class Bogofilter:
    """The rival, in bulk, with all digits of its scores."""

    name = "bogofilter"

    def __init__(self, mails: Mails, folder: Path) -> None:
        self.paths, self.is_spam = mails.paths, mails.is_spam
        self.folder = folder / "bogofilter"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def learn(self, places: Iterable[int]) -> None:
        """Some mails, by their numbers."""
        places = list(places)
        for option, spam in (("-s", True), ("-n", False)):
            if some := [i for i in places if self.is_spam[i] == spam]:
                self._run(some, option)

    def judge(self, places: Iterable[int]) -> Floats:
        """The scores of some mails, from 0 to 1."""
        return np.array([float(line.split()[-1]) for line in self._run(list(places), "-TT", "-v").splitlines()])

    def _run(self, places: list[int], *options: str) -> str:
        names = "".join(f"{self.paths[i]}\n" for i in places)
        command = ["bogofilter", "-d", str(self.folder), "-b", *options]
        # Its exit status says what the last mail is.
        done = subprocess.run(command, input=names, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode > 2:
            raise SystemExit(f"benches: bogofilter: {done.stderr}")
        return done.stdout


def filters(mails: Mails, folder: Path) -> list[Ours | Bogofilter]:
    """Both filters, as far as they are there, without anything learnt."""
    return [Ours(mails, folder), *([Bogofilter(mails, folder)] if version() else [])]
