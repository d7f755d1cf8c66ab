"""Child processes: an order in, samples out. Interleaved: in each round everybody has a turn, so that a machine that
is busy for a while is so for all.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import corpus, rivals
from .child import Order
from .jobs import Contestant, Job

Result = dict[str, Any]
NEED_A_MODEL = ("predict", "one", "start")


@dataclass
class Samples:
    """What one contestant did in one job, round by round; or why it did nothing."""

    results: list[Result] = field(default_factory=list)
    missing: str = ""

    @property
    def costs(self) -> list[float]:
        return [result["cost"] for result in self.results]

    @property
    def median(self) -> float:
        return statistics.median(self.costs)

    @property
    def cpu(self) -> float | None:
        """The median in processor time, where it was measured."""
        known = [result["cpu"] for result in self.results if "cpu" in result]
        return statistics.median(known) if known else None

    @property
    def quartiles(self) -> tuple[float, float]:
        """The middle half of the rounds."""
        if len(self.costs) < 2:
            return self.median, self.median
        low, _, high = statistics.quantiles(self.costs, n=4, method="inclusive")
        return low, high


Measured = dict[tuple[str, str], Samples]  # by job and contestant


def measure(jobs: list[Job], rounds: int, models: Path) -> Measured:
    """All jobs, round after round, or as many as there are before Ctrl-C.

    Models that are only loaded are trained once, and kept in a folder.
    """
    measured = {(job.name, who.name): Samples() for job in jobs for who in job.contestants}
    try:
        for number in range(rounds):
            for job in jobs:
                if number < (job.rounds or rounds):
                    _turn(job, f"round {number + 1} of {rounds}", measured, models)
    except KeyboardInterrupt:
        print("interrupted: the table has what was measured", file=sys.stderr)
    for samples in measured.values():
        if not samples.results and not samples.missing:
            samples.missing = "interrupted before its turn"
    return measured


def rounds_taken(measured: Measured, asked: int) -> str:
    """How many rounds there were in truth: a run may have been interrupted."""
    taken = sorted({len(samples.results) for samples in measured.values()} - {0}) or [0]
    return f"{taken[0]} to {taken[-1]} of {asked}" if len(taken) > 1 else f"{taken[0]} of {asked}"


def _turn(job: Job, when: str, measured: Measured, models: Path) -> None:
    """One more sample of everybody in a job."""
    for contestant in job.contestants:
        samples = measured[job.name, contestant.name]
        if not samples.missing:
            print(f"{when}: {job.name}: {contestant.name} ", end="", file=sys.stderr, flush=True)
            _take(samples, contestant, models)


def _take(samples: Samples, contestant: Contestant, models: Path) -> None:
    """One more sample."""
    result = run(_with_model(contestant.order, models)) if _is_here(contestant) else {"missing": "not installed"}
    if "missing" in result:
        samples.missing = result["missing"]
        print(f"skipped: {samples.missing}", file=sys.stderr)
    else:
        samples.results.append(result)
        print(f"{result['cost']:.4g}", file=sys.stderr)


def _is_here(contestant: Contestant) -> bool:
    return contestant.order.rival not in rivals.RIVALS or rivals.is_installed(contestant.order.rival)


def _with_model(order: Order, models: Path) -> Order:
    if order.verb not in NEED_A_MODEL or order.rival == rivals.Python.name:
        return order
    path = models / f"{order.corpus}-{order.rival}-{order.words}.bin".replace(" ", "-")
    if not path.exists():
        print("(training) ", end="", file=sys.stderr, flush=True)
        failed = run(replace(order, verb="prepare", megabytes=None, model=str(path))).get("missing")
        if failed:
            raise SystemExit(f"benches: {order.rival} cannot be trained on {order.corpus}: {failed}")
    return replace(order, model=str(path))


def run(order: Order) -> Result:
    """What a child says: a result, or why there is none. One that dies ends the run."""
    corpus.named(order.corpus)
    command = [sys.executable, "-m", "benches.child", order.as_json()]
    threads = {name: str(order.cores) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    done = subprocess.run(  # noqa: S603
        command, cwd=corpus.ROOT, env={**os.environ, **threads}, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"benches: {order} ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])
