"""A path as a picture: a panel a label, in it a line a term, its weight against lambda; below, how good each step is.

lambda falls from left to right, so that terms come in as the eye goes on. Needs matplotlib.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import UnknownLabel, listed, one_line
from ..evaluation.picture import ENDINGS, STYLE, check
from ..evaluation.table import ending_of
from ..files import replacing
from . import Path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
ACROSS = 3  # panels side by side
MOST_PANELS = 12
REST, CHOSEN, BEST = "#d5d5d5", "#1b6ca8", "#9a9a9a"
LEGEND = "lambda, falling; dashed: the chosen step, within one standard error of the best (dotted)"

__all__ = ["ENDINGS", "check", "draw"]


def draw(path: str | os.PathLike[str], found: Path, label: str | None = None, top: int = 8) -> None:
    """Draws it as the name ends, whole or not at all: all labels, or one."""
    check(path)
    if label is not None and label not in found.labels:
        raise UnknownLabel(label=label, known=listed(found.labels))
    import matplotlib as mpl

    kind = ending_of(path, ENDINGS).removeprefix(".")
    with mpl.rc_context(STYLE), warnings.catch_warnings(), replacing(path) as file:
        warnings.filterwarnings("ignore", "Glyph")  # of names in scripts that the font lacks
        figure = _figure(found, found.labels[:MOST_PANELS] if label is None else (label,), top)
        figure.savefig(file, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)


def _figure(found: Path, labels: tuple[str, ...], top: int) -> Figure:
    from matplotlib.figure import Figure

    across = min(len(labels) + 1, ACROSS)
    down = -(-(len(labels) + 1) // across)
    figure = Figure(figsize=(4.2 * across, 2.8 * down + 0.3), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for panel, label in zip(panels, labels, strict=False):
        _weights(panel, found, label, top)
    _accuracy(panels[len(labels)], found)
    for panel in panels[len(labels) + 1 :]:
        panel.set_axis_off()
    figure.supxlabel(LEGEND, fontsize=7, color="#555555")
    return figure


def _weights(panel: Axes, found: Path, label: str, top: int) -> None:
    """A line a term; those that end strongest are coloured and named where they end."""
    from matplotlib.collections import LineCollection

    places = found.of_label(label)
    lam = [step.lam for step in found.steps]
    strongest = sorted(places, key=lambda place: -abs(found.weights[place, -1]))[:top]
    rest = [place for place in places if place not in strongest]
    before = [max(found.entries[place].step - 1, 0) for place in rest]
    lines = [np.column_stack([lam, found.weights[place]])[start:] for place, start in zip(rest, before, strict=True)]
    panel.add_collection(LineCollection(lines, colors=REST, linewidths=0.5, zorder=1))
    ends = found.weights[places, -1] if places else np.zeros(1)
    for place, height in zip(strongest, _apart(found.weights[strongest, -1], np.ptp(ends) / 22), strict=True):
        panel.plot(lam, found.weights[place], linewidth=1.2, zorder=2)
        name = one_line(found.entries[place].name)[:24]
        panel.annotate(name, (lam[-1], height), (3, 0), textcoords="offset points", fontsize=7, va="center")
    panel.set_title(f"weights for {one_line(label)[:40]}", fontsize=9, loc="left")
    _axis(panel, found)


def _apart(heights: Floats, least: float) -> Floats:
    """Heights near to those given, in the same order, no two of them nearer to each other than that.

    >>> _apart(np.array([5.0, 5.0, 1.0]), 2.0).tolist()
    [4.0, 6.0, 1.0]
    """
    order = np.argsort(heights, kind="stable")
    blocks: list[
        tuple[float, int]
    ] = []  # of heights that would come too near: their mean, less the distances, and size
    for place, height in enumerate(heights[order]):
        mean, size = float(height) - least * place, 1
        while blocks and blocks[-1][0] > mean:
            other, more = blocks.pop()
            mean, size = (mean * size + other * more) / (size + more), size + more
        blocks.append((mean, size))
    found = np.empty(len(order))
    found[order] = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks]) + least * np.arange(len(order))
    return found


def _accuracy(panel: Axes, found: Path) -> None:
    lam = [step.lam for step in found.steps]
    right, error = (100 * np.array([getattr(step, what) for step in found.steps]) for what in ("accuracy", "error"))
    panel.fill_between(lam, right - error, right + error, color="#d6e6f2", linewidth=0, zorder=0)
    panel.plot(lam, right, color=CHOSEN, linewidth=1.2)
    for place in dict.fromkeys((found.chosen, found.best)):
        step = found.steps[place]
        told = f"{step.terms:,} terms, {100 * step.accuracy:.1f} %"
        below = -24 if place == found.chosen else -36
        panel.annotate(told, (step.lam, right[place]), (0, below), textcoords="offset points", fontsize=7, ha="center")
        panel.plot(step.lam, right[place], "o", color=CHOSEN if place == found.chosen else BEST, markersize=4)
    panel.set_title("held-out accuracy in %, with its standard error", fontsize=9, loc="left")
    _axis(panel, found)


def _axis(panel: Axes, found: Path) -> None:
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(lambda lam, _: f"{lam:g}")
    panel.xaxis.set_minor_formatter(lambda *_: "")
    panel.invert_xaxis()
    panel.axvline(found.steps[found.best].lam, color=BEST, linewidth=0.8, linestyle=":", zorder=0)
    panel.axvline(found.steps[found.chosen].lam, color=CHOSEN, linewidth=0.8, linestyle="--", zorder=0)
    panel.spines[["top", "right"]].set_visible(False)
