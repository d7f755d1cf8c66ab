"""How long both filters take: of processor time and on the clock, in turns."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from . import machine
from .filter_rivals import Mails, filters

ROUNDS, SINGLE, REPEATED = 5, 10, 5
Floats = npt.NDArray[np.float64]


def speed(mails: Mails, folder: Path) -> str:
    """The part of the page."""
    learnt, judged = range(0, len(mails.paths), 2), range(1, len(mails.paths), 2)
    both = filters(mails, folder)
    for one in both:
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
        (f"the mailbox {REPEATED} times", boxes, REPEATED, []),
        (f"the mailbox {REPEATED} times, one thread", boxes, REPEATED, ["--threads", "1"]),
    ):
        our, their = [*ours, *option, "--mails", str(file)], [*theirs, "-M", "-TT", "-v", "-I", str(file)]
        lines.append(_timed(name, [our, their][: len(both)], [None], len(judged) * times))
    lines.append(_timed("a process a mail", [ours, [*theirs, "-p"]][: len(both)], some[:SINGLE], SINGLE))
    bare = [[sys.executable, "-I", "-S", "-c", "pass"], ["true"]]
    lines.append(_timed("(no work: Python, and `true`)", bare, some[:SINGLE], SINGLE))
    return (
        f"\n## How fast\n\nMicroseconds a mail, medians of {ROUNDS} rounds in turns, with starts of processes: an "
        f"mbox file of {len(judged):,} mails, judged by what was learnt of as many others, and one that holds them "
        f"{REPEATED} times; and {SINGLE} mails, one process each, which write the mail with its new header fields. For "
        "a mailbox one process of each writes a line a mail, verdict and score. Ours (`python -m deciban`) has a "
        f"thread on each core ({len(os.sched_getaffinity(0))} here), unless it says one; bogofilter has one, always: "
        "the clock is what its user waits for, processor time, of all threads together, what the machine is kept from. "
        "Clocks are of a machine that others may use. The bar is 20x. The last line is what starting a process "
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
