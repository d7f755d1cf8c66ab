"""Measurements -> pictures, as SVG. matplotlib is imported only here, and only when something is drawn."""

from __future__ import annotations

from pathlib import Path

from .jobs import Job
from .measure import Measured
from .table import shown

OURS, THEIRS, LIMIT = "#1b6ca8", "#b8b8b8", "#555555"


def speed(path: Path, jobs: list[Job], measured: Measured, about: str) -> None:
    """A panel a job of speeds, a bar each; the scale is logarithmic, since some are a hundred times slower."""
    plt = _pyplot()
    drawn = [job for job in jobs if job.unit == "MB/s" and job.name != "limits" and _names(job, measured)]
    if not drawn:
        return
    heights = [len(_names(job, measured)) + 1 for job in drawn]
    options = {"figsize": (8, 0.32 * sum(heights)), "gridspec_kw": {"height_ratios": heights}, "squeeze": False}
    figure, panels = plt.subplots(len(drawn), 1, sharex=True, layout="constrained", **options)
    for panel, job in zip(panels[:, 0], drawn, strict=True):
        _panel(panel, job, measured)
    panels[-1, 0].set_xlabel(f"megabytes a second, logarithmic\n{about}", fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def _names(job: Job, measured: Measured) -> list[str]:
    return [who.name for who in job.contestants if measured[job.name, who.name].results]


def _panel(panel: object, job: Job, measured: Measured) -> None:
    names = _names(job, measured)
    samples = [measured[job.name, name] for name in names]
    speeds = [1.0 / sample.median for sample in samples]
    low = [speed - 1.0 / max(s.quartiles) for s, speed in zip(samples, speeds, strict=True)]
    high = [1.0 / min(s.quartiles) - speed for s, speed in zip(samples, speeds, strict=True)]
    colours = [OURS if name.startswith("deciban") else LIMIT if name == "wc -w" else THEIRS for name in names]
    panel.barh(names, speeds, xerr=(low, high), color=colours, error_kw={"linewidth": 0.8})
    for place, sample in enumerate(samples):
        panel.annotate(f" {shown(sample.median, job.unit)}", (speeds[place], place), va="center", fontsize=8)
    panel.set_xscale("log")
    panel.set_xlim(0.3, 3000)
    panel.invert_yaxis()
    panel.tick_params(labelsize=8)
    panel.set_title(job.title if job.name in job.title else f"{job.name}: {job.title}", fontsize=9, loc="left")
    panel.spines[["top", "right"]].set_visible(False)


def scale(path: Path, curves: dict[str, list[tuple[float, float]]], about: str) -> None:
    """Speed against size, a line each."""
    plt = _pyplot()
    figure, panel = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name, points in curves.items():
        panel.plot(*zip(*points, strict=True), marker="o", label=name)
    panel.set_xscale("log")
    panel.set_ylim(bottom=0)
    panel.set_xlabel(f"megabytes of text, logarithmic\n{about}", fontsize=8)
    panel.set_ylabel("megabytes a second")
    panel.legend(fontsize=8, frameon=False)
    panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def unlabelled(path: Path, curves: dict[str, list[tuple[int, float]]], about: str) -> None:
    """Accuracy against the number of labelled texts, a line each (as Nigam and others 2000 draw it)."""
    plt = _pyplot()
    figure, panel = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for (name, points), colour in zip(curves.items(), (OURS, THEIRS), strict=True):
        panel.plot(*zip(*points, strict=True), marker="o", label=name, color=colour)
    panel.set_xscale("log")
    panel.set_ylim(0, 100)
    panel.set_xlabel(f"labelled texts, logarithmic\n{about}", fontsize=8)
    panel.set_ylabel("accuracy on test texts, percent")
    panel.legend(fontsize=8, frameon=False)
    panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def sizes(path: Path, curves: dict[str, dict[str, list[tuple[float, float]]]], about: str) -> None:
    """Accuracy against the size of the lexicon: a panel a set, a line a model."""
    plt = _pyplot()
    figure, panels = plt.subplots(1, len(curves), figsize=(4 * len(curves), 4), layout="constrained", squeeze=False)
    for panel, (name, lines) in zip(panels[0], curves.items(), strict=True):
        for model, points in lines.items():
            panel.plot(*zip(*points, strict=True), marker="o", markersize=3, label=model)
        panel.set_xscale("log")
        panel.set_title(name, fontsize=9, loc="left")
        panel.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_ylabel("accuracy, %")
    panels[0, 0].legend(fontsize=8, frameon=False)
    figure.supxlabel(f"words in the lexicon, logarithmic\n{about}", fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def pairs(path: Path, names: list[str], values: dict[str, list[float]], about: str) -> None:
    """A group of bars a name, one of each kind of value."""
    plt = _pyplot()
    figure, panel = plt.subplots(figsize=(8, 0.45 * len(names) + 1), layout="constrained")
    height = 0.8 / len(values)
    for kind, (label, of) in enumerate(values.items()):
        places = [place + kind * height for place in range(len(names))]
        panel.barh(places, of, height, label=label, color=(THEIRS, OURS)[kind % 2])
    panel.set_yticks([place + 0.4 - height / 2 for place in range(len(names))], names)
    panel.invert_yaxis()
    panel.axvline(0, color=LIMIT, linewidth=0.8)
    panel.set_xlabel(about, fontsize=8)
    panel.tick_params(labelsize=8)
    panel.legend(fontsize=8, frameon=False)
    panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def _pyplot() -> object:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "deciban", "svg.fonttype": "none"})  # the same bytes; text as text
    import matplotlib.pyplot as plt

    return plt
