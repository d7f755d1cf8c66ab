"""A learning curve as a picture: points, the law through them, and the band of what should come. Needs matplotlib."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .learning import FURTHEST, MOST_POINTS, LearningCurve
from .picture import save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT = "#1b6ca8", "#9a9a9a"
SIZE = 5.6, 3.3  # inches
STEPS = 60


def draw(path: str | os.PathLike[str], curve: LearningCurve) -> None:
    """Draws it as the name ends, whole or not at all."""
    save(path, lambda: figure(curve))


def figure(curve: LearningCurve, ink: str = INK, soft: str = SOFT) -> Figure:
    """The picture, in colours of the caller's."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=SIZE, layout="constrained")
    panel = drawn.subplots()
    n, _, right = zip(*curve.points, strict=True)
    _law(panel, curve, n[-MOST_POINTS:][0], ink)
    panel.plot(n, [100 * one for one in right], "o", color=ink, markersize=5)
    panel.axvline(curve.now, color=soft, linewidth=1, linestyle=":")
    panel.annotate("now", (curve.now, 0), (3, 4), xycoords=("data", "axes fraction"), textcoords="offset points")
    panel.set_xscale("log")
    panel.set_ylim(max(0, 100 * min(right) - 8), 101)
    ticks = [tick for tick in _round_numbers() if n[0] <= tick <= FURTHEST * curve.now]
    panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    panel.minorticks_off()
    panel.set_xlabel("labelled texts")
    panel.set_ylabel("accuracy in %")
    panel.spines[["top", "right"]].set_visible(False)
    return drawn


def _law(panel: Axes, curve: LearningCurve, first: int, ink: str) -> None:
    """The law as far as there are texts, dashed from there on, and its band."""
    law, drawn = curve.law, curve.drawn
    if law is None or drawn is None:
        return
    x = np.geomspace(first, FURTHEST * curve.now, STEPS)
    low, high = np.quantile([np.clip(drawn.accuracy(one), 0, 1) for one in x], [0.025, 0.975], axis=1)
    panel.fill_between(x, 100 * low, 100 * high, color=ink, alpha=0.14, linewidth=0)
    y = 100 * np.clip([float(law.accuracy(one)) for one in x], 0, 1)
    known = x <= curve.now
    panel.plot(x[known], y[known], color=ink, linewidth=1.5)
    panel.plot(x[~known], y[~known], color=ink, linewidth=1.5, linestyle=(0, (4, 2)))


def _round_numbers() -> Iterator[int]:
    """10, 30, 100, 300, ..."""
    for zeros in range(1, 10):
        yield from (10**zeros, 3 * 10**zeros)
