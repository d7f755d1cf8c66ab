"""`make filter`: `deciban filter` beside bogofilter, on the mails of spamassassin: what slips through, and how fast.

Both see the same mails, learn the same ones and judge the same ones. In time order, what is judged has not been learnt,
and nothing that came later has: when a mail came is what the uppermost Received field says (the receiving host wrote
it; what Date says is the sender's word, and is taken where no Received field can be read). The first `CHOSEN` mails are
those by which settings were chosen; judged are the others, 50 at a time (about as many as came in a day), and learnt
after, by both. Then all mails in two halves, each judged by what was learnt of
the other. Then seconds: of processor time and on the clock, in turns. What was measured is kept in
benches/results/filter.json, part by part, and parts can be asked for alone.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from deciban.filtering import fitted, journal
from deciban.filtering.boxes import Box
from deciban.filtering.records import Entry
from deciban.filtering.verdict import HAM_BELOW, SPAM_ABOVE, Judge

from . import machine, sets
from .speed import RESULTS

CHOSEN = 2500
STEP = 50
ROUNDS, SINGLE, REPEATED = 3, 10, 5
MISSING = "bogofilter is not installed (Debian's package, or `make mailers`), and is left out"
FACTS = ("date", "processor", "cores", "load when it began", "Python", "numpy", "deciban's core")
Floats = npt.NDArray[np.float64]


class Mails(NamedTuple):
    """Mails as files, in the order in which they came, and which are spam."""

    paths: list[str]
    is_spam: npt.NDArray[np.bool_]
    unread: int  # of which no time could be read: they come first


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.filter", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all, if none is named")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    given.results.mkdir(exist_ok=True, parents=True)
    path = given.results / "filter.json"
    for name in given.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            facts, found = machine.facts(), PARTS[name](_mails(Path(folder)), Path(folder))
        found += (
            "\nMeasured: " + "; ".join(f"{fact}: {facts[fact]}" for fact in FACTS) + f"; {_version() or MISSING}.\n"
        )
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**known, name: found}, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (given.results / "filter.md").write_text(_page({**known, name: found}), "utf-8")
    print((given.results / "filter.md").read_text("utf-8"))


def _page(parts: dict[str, str]) -> str:
    parts_of = ", ".join(f"{weight:g}" for weight in fitted.PARTS.values())
    head = "# The mail filter\n\nWritten by `make filter`; do not edit.\n\n"
    about = (
        "The model is what `deciban filter --learn` makes of mails alone: three, added up, of all words, of those of "
        f"header fields and of those of the text, which count {parts_of}; each is an NBSVM of rows of length 1, C = "
        f"{fitted.COST:g}.\n\n"
    )
    return head + about + "\n".join(parts[name] for name in PARTS if name in parts)


def _version() -> str:
    if shutil.which("bogofilter") is None:
        return ""
    done = subprocess.run(["/usr/bin/env", "bogofilter", "-V"], capture_output=True, text=True, check=True)
    return (done.stdout + done.stderr).partition("\n")[0]


def _mails(folder: Path) -> Mails:
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


# The two filters


class Ours:
    """What `deciban filter --learn` does: mails go to the journal, which is folded into the model."""

    name = "deciban filter"

    def __init__(self, mails: Mails, folder: Path) -> None:
        self.mails = [Path(path).read_bytes() for path in mails.paths]
        self.labels = ["spam" if spam else "ham" for spam in mails.is_spam]
        self.path = str(folder / "mail.deciban")
        Path(self.path).unlink(missing_ok=True)

    def learn(self, places: Iterable[int]) -> None:
        journal.append(self.path, (Entry(self.labels[i], self.mails[i]) for i in places))
        journal.fold(self.path)

    def judge(self, places: Iterable[int]) -> Floats:
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
        places = list(places)
        for option, spam in (("-s", True), ("-n", False)):
            if some := [i for i in places if self.is_spam[i] == spam]:
                self._run(some, option)

    def judge(self, places: Iterable[int]) -> Floats:
        return np.array([float(line.split()[-1]) for line in self._run(list(places), "-TT", "-v").splitlines()])

    def _run(self, places: list[int], *options: str) -> str:
        names = "".join(f"{self.paths[i]}\n" for i in places)
        command = ["bogofilter", "-d", str(self.folder), "-b", *options]
        # Its exit status says what the last mail is.
        done = subprocess.run(command, input=names, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode > 2:
            raise SystemExit(f"benches: bogofilter: {done.stderr}")
        return done.stdout


def _filters(mails: Mails, folder: Path) -> list[Ours | Bogofilter]:
    return [Ours(mails, folder), *([Bogofilter(mails, folder)] if _version() else [])]


# How good


def _in_time(mails: Mails, folder: Path, step: int) -> str:
    judged = range(CHOSEN, len(mails.paths))
    lines = []
    for one in _filters(mails, folder):
        one.learn(range(CHOSEN))
        scores = []
        for start in range(CHOSEN, len(mails.paths), step):
            some = range(start, min(start + step, len(mails.paths)))
            scores.append(one.judge(some))
            one.learn(some)
            print(f"{one.name}: {some.stop} of {len(mails.paths)}", flush=True)
        lines.append(_line(one.name, np.concatenate(scores), mails.is_spam[judged.start :]))
    ham, spam = (int((mails.is_spam[judged.start :] == kind).sum()) for kind in (False, True))
    return (
        f"## In time order, {step} at a time\n\nThe first {CHOSEN:,} mails are learnt, and settings were chosen "
        "by them alone; the other "
        f"{len(judged):,} ({ham:,} ham, {spam:,} spam) are judged {step} at a time, and learnt after. (Times that "
        f"could not be read: {mails.unread}.) The bar: at most 0.1 % of ham rejected at 97 % of spam caught.\n\n{HEAD}"
        + "".join(lines)
        + NOTES
    )


def _halves(mails: Mails, folder: Path) -> str:
    folds = np.random.default_rng(sets.SEED).permutation(len(mails.paths)) % 2
    lines = []
    for kind in range(2 if _version() else 1):
        for half in range(2):
            one = _filters(mails, folder)[kind]
            one.learn(np.flatnonzero(folds == half).tolist())
            places = np.flatnonzero(folds != half)
            lines.append(_line(f"{one.name}, half {half + 1}", one.judge(places.tolist()), mails.is_spam[places]))
            print(lines[-1], flush=True)
    return (
        f"## Half and half\n\nAll mails in two halves by lot, each judged by what was learnt of the other.\n\n{HEAD}"
        + ("".join(lines))
    )


HEAD = """Of ham is rejected:

| who | area above the curve, 10^-4 | at 97 % of spam caught | at 99 % | at its own cut-offs | spam caught | unsure |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""
NOTES = f"""
Own cut-offs: ours are {SPAM_ABOVE:g} decibans for spam and {HAM_BELOW:g} for ham, bogofilter's 0.99 and 0.45. Figures
at 97 % and at 99 % are read off the curve afterwards, for both. Equal scores count half in the area, and against the
filter elsewhere.
"""


def _line(name: str, scores: Floats, is_spam: npt.NDArray[np.bool_]) -> str:
    ours = not name.startswith("bogofilter")
    is_sure = scores > SPAM_ABOVE if ours else scores >= 0.99
    is_unsure = ~is_sure & (scores >= HAM_BELOW if ours else scores > 0.45)
    own = [_share(is_sure[~is_spam]), _share(is_sure[is_spam]), _share(is_unsure)]
    at = [_rejected(scores, is_spam, share) for share in (0.97, 0.99)]
    return f"| {' | '.join([name, f'{1e4 * _above(scores, is_spam):.2f}', *at, *own])} |\n"


def _above(scores: Floats, is_spam: npt.NDArray[np.bool_]) -> float:
    """How often a ham scores more than a spam; half, where they score the same."""
    ham, spam = np.sort(scores[~is_spam]), scores[is_spam]
    less, most = (np.searchsorted(ham, spam, side) for side in ("left", "right"))
    return 1 - float((less + most).sum() / (2 * len(ham) * len(spam)))


def _rejected(scores: Floats, is_spam: npt.NDArray[np.bool_], caught: float) -> str:
    spam = np.sort(scores[is_spam])[::-1]
    cut = spam[int(np.ceil(caught * len(spam))) - 1]
    return _share(scores[~is_spam] >= cut)


def _share(hits: npt.NDArray[np.bool_]) -> str:
    return f"{hits.mean():.2%} ({int(hits.sum())})"


# How fast


def _speed(mails: Mails, folder: Path) -> str:
    learnt, judged = range(0, len(mails.paths), 2), range(1, len(mails.paths), 2)
    filters = _filters(mails, folder)
    for one in filters:
        one.learn(learnt)
    box, boxes = folder / "box", folder / "boxes"
    box.write_bytes(b"\n".join(_boxed(Path(mails.paths[i]).read_bytes()) for i in judged))
    boxes.write_bytes(b"\n".join([box.read_bytes()] * REPEATED))
    ours = [sys.executable, "-m", "deciban", "filter", str(folder / "mail.deciban")]
    theirs = ["bogofilter", "-d", str(folder / "bogofilter")]
    some: list[str | None] = [mails.paths[i] for i in judged[:: len(judged) // SINGLE]]
    lines = []
    for name, file, times, option in (
        ("the mailbox", box, 1, []),
        ("the mailbox, one thread", box, 1, ["--threads", "1"]),
        (f"the mailbox {REPEATED} times, one thread", boxes, REPEATED, ["--threads", "1"]),
    ):
        our, their = [*ours, *option, "--mails", str(file)], [*theirs, "-M", "-TT", "-v", "-I", str(file)]
        lines.append(_timed(name, [our, their][: len(filters)], [None], len(judged) * times))
    lines.append(_timed("a process a mail", [ours, [*theirs, "-p"]][: len(filters)], some[:SINGLE], SINGLE))
    bare = [[sys.executable, "-I", "-S", "-c", "pass"], ["true"]]
    lines.append(_timed("(no work: Python, and `true`)", bare, some[:SINGLE], SINGLE))
    return (
        f"\n## How fast\n\nMicroseconds a mail, medians of {ROUNDS} rounds in turns, with starts of processes: an "
        f"mbox file of {len(judged):,} mails, judged by what was learnt of as many others, and one that holds them "
        f"{REPEATED} times; and {SINGLE} mails, one process each, which write the mail with its new header fields. For "
        "a mailbox one process of each writes a line a mail, verdict and score. Clocks are of a machine that others "
        "may use; processor time is of all threads together. The bar is 20x. The last line is what starting a process "
        "takes that does nothing: of Python where ours stands, of a program in C where bogofilter stands.\n\n"
        "| what | deciban, processor | clock | bogofilter, processor | clock | times as fast, processor | clock |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n" + "".join(lines)
    )


def _timed(name: str, commands: list[list[str]], inputs: list[str | None], many: int) -> str:
    spent = [[_seconds(command, inputs) for command in commands] for _ in range(ROUNDS + 1)][1:]
    line = _speed_line(name, np.median(np.array(spent), axis=0) / many * 1e6)  # by filter: processor and clock
    print(line, flush=True)
    return line


def _boxed(mail: bytes) -> bytes:
    """A mail as it stands in an mbox file."""
    first = b"" if mail.startswith(b"From ") else b"From x@x.org Mon Nov 16 09:30:00 2026\n"
    head, _, rest = (first + mail).partition(b"\n")
    return head + b"\n" + re.sub(rb"(?m)^From ", b">From ", rest).rstrip(b"\n") + b"\n"


def _seconds(command: list[str], inputs: list[str | None]) -> tuple[float, float]:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = machine.environment()
    for path in inputs:
        with open(path or os.devnull, "rb") as file:
            subprocess.run(command, stdin=file, stdout=subprocess.DEVNULL, env=environment, check=False)  # noqa: S603
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - start


def _speed_line(name: str, medians: Floats) -> str:
    cells = [f"{number:,.0f}" for number in medians.ravel()]
    times = [f"{number:.2g}x" for number in medians[-1] / medians[0]] if len(medians) > 1 else ["", ""]
    return f"| {' | '.join([name, *(cells if len(medians) > 1 else [*cells, '', '']), *times])} |\n"


PARTS = {
    "time": partial(_in_time, step=STEP),
    "halves": _halves,
    "speed": _speed,
}

if __name__ == "__main__":
    main()
