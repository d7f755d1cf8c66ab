"""Measurements -> a table for people, in Markdown, and the same for machines, in JSON."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from .jobs import SLOW, Bar, Job
from .measure import Measured, Samples

HEAD = """| job | who | median | middle half | ours against theirs | in CPU time | bar | holds |
| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |
"""
NOTES = """
`ours against theirs`: how many times the other one's cost is ours (the first line of a job), median against median.
`in CPU time`: the same in seconds that a processor worked, which others on the machine disturb less; the bar is about
the clock, though. On the clock all had {share:.0%} of their core (median); below 95 % the machine was not ours.
MB are 10^6 bytes of UTF-8. {slow} were measured on the first {slow_mb:g} MB of the text (5 MB of a real one) and are
compared per megabyte. fastText's and Vowpal Wabbit's times contain writing the file that they read; Vowpal Wabbit's
predictions also reading its answers. Each measurement is a fresh process, pinned to the cores that it is given.
"""


def shown(cost: float, unit: str) -> str:
    """A cost as people are shown it: speeds instead of seconds a megabyte."""
    value = 1.0 / cost if unit == "MB/s" else cost
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def middle(samples: Samples, unit: str) -> str:
    """The interquartile range."""
    ends = [1.0 / cost if unit == "MB/s" else cost for cost in samples.quartiles]
    low, high = (f"{end:,.0f}" if end >= 100 else f"{end:.3g}" for end in sorted(ends))
    return f"{low} to {high}"


def ratio(measured: Measured, job: Job, name: str) -> float | None:
    """How many times our cost another's is; None if either is missing, or it is our own."""
    ours, theirs = measured.get((job.name, job.ours.name)), measured.get((job.name, name))
    if name == job.ours.name or not ours or not theirs or not ours.results or not theirs.results:
        return None
    return theirs.median / ours.median


def ratio_of_cpu(measured: Measured, job: Job, name: str) -> float | None:
    """The same in processor time, among contestants of one core."""
    if ratio(measured, job, name) is None or any(who.order.cores > 1 for who in job.contestants):
        return None
    ours, theirs = measured[job.name, job.ours.name].cpu, measured[job.name, name].cpu
    return theirs / ours if ours and theirs else None


def share_of_core(measured: Measured) -> float:
    """How much of their core the measurements had: what others left them."""
    results = [result for samples in measured.values() for result in samples.results if "cpu" in result]
    return statistics.median([result["cpu"] / result["cost"] for result in results] or [1.0])


def holds(measured: Measured, job: Job, bar: Bar) -> bool | None:
    """Whether a bar is met; None if that was not measured."""
    if bar.against is not None:
        times = ratio(measured, job, bar.against)
        return None if times is None else times >= bar.limit
    ours = measured[job.name, job.ours.name]
    return ours.median <= bar.limit if ours.results else None


def markdown(jobs: list[Job], measured: Measured, facts: dict[str, str], slow_mb: float) -> str:
    """The whole page."""
    about = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    lines = "".join(line for job in jobs for line in _lines(job, measured))
    slow = " and ".join(dict.fromkeys(name.split(",")[0] for name in SLOW))
    notes = NOTES.format(slow=slow, slow_mb=slow_mb, share=share_of_core(measured))
    command = f"Written by `make bench` (`{facts['command']}`); do not edit."
    return f"# Speed\n\n{command}\n\n{about}\n\n{HEAD}{lines}{notes}"


SHORT_HEAD = """| what | deciban | times as fast as |
| --- | ---: | --- |
"""


def short(jobs: list[Job], measured: Measured, facts: dict[str, str]) -> str:
    """The jobs on drawn text that others do, too, in a line each, for the README."""
    lines = "".join(_line(job, measured) for job in jobs if job.bars and "," not in job.name)
    share = share_of_core(measured)
    about = f"{facts['text']} of short texts, {facts['processor']}, {facts['date']}, load {facts['load when it began']}"
    return f"{SHORT_HEAD}{lines}\n{about}; {share:.0%} of a core; medians.\n"


def _line(job: Job, measured: Measured) -> str:
    ours = measured[job.name, job.ours.name]
    if not ours.results:
        return ""
    rivals = (
        who.name
        for who in job.contestants
        if not who.name.startswith(job.ours.order.rival) and who.name != "bare Python"
    )
    times = ((name, ratio(measured, job, name)) for name in rivals)
    beside = ", ".join(f"{name} {value:.3g}" for name, value in times if value is not None)
    return f"| {job.title} | {shown(ours.median, job.unit)} | {beside} |\n" if beside else ""


def _lines(job: Job, measured: Measured) -> Iterator[str]:
    bars = {bar.against or job.ours.name: bar for bar in job.bars}
    for place, contestant in enumerate(job.contestants):
        samples = measured[job.name, contestant.name]
        title = f"**{job.name}**: {job.title}" if place == 0 else ""
        if samples.missing:
            yield f"| {title} | {contestant.name} | skipped: {samples.missing} | | | | | |\n"
            continue
        times, of_cpu = ratio(measured, job, contestant.name), ratio_of_cpu(measured, job, contestant.name)
        bar = bars.get(contestant.name)
        cells = [
            title,
            contestant.name,
            shown(samples.median, job.unit),
            middle(samples, job.unit),
            "" if times is None or not job.bars else f"{times:.2f}x",
            "" if of_cpu is None or not job.bars else f"{of_cpu:.2f}x",
            "" if bar is None else f"{bar.limit:.3g}{'x' if bar.against else ' ' + job.unit}",
            "" if bar is None else {True: "yes", False: "**no**", None: "?"}[holds(measured, job, bar)],
        ]
        yield f"| {' | '.join(cells)} |\n"


def as_json(jobs: list[Job], measured: Measured, facts: dict[str, str]) -> dict[str, Any]:
    """All that was measured, round by round."""
    return {"facts": facts, "jobs": [_job(job, measured) for job in jobs]}


def _job(job: Job, measured: Measured) -> dict[str, Any]:
    return {
        "name": job.name,
        "title": job.title,
        "unit": "s/MB" if job.unit == "MB/s" else job.unit,
        "bars": [{**asdict(bar), "holds": holds(measured, job, bar)} for bar in job.bars],
        "contestants": [_contestant(job, measured, who.name) for who in job.contestants],
    }


def _contestant(job: Job, measured: Measured, name: str) -> dict[str, Any]:
    samples = measured[job.name, name]
    if samples.missing:
        return {"name": name, "missing": samples.missing}
    known = {"median": samples.median, "quartiles": samples.quartiles, "ratio": ratio(measured, job, name)}
    known["ratio_of_cpu"] = ratio_of_cpu(measured, job, name)
    return {"name": name, **known, "rounds": samples.results}
