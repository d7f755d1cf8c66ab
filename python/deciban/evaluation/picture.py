"""A comparison as a picture: a panel a set, in it a dot a model, with its interval. Needs matplotlib."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import NeedsExtra, one_line
from ..files import replacing
from .comparison import Comparison
from .table import ending_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".svg", ".png")
ACROSS = 3  # panels side by side
BEST, CLOSE, REST = "#1b6ca8", "white", "#9a9a9a"  # what dots are filled with
STYLE: Any = {
    "svg.hashsalt": "deciban",  # the same bytes every time
    "svg.fonttype": "none",  # text as text
    "text.parse_math": False,  # a name may hold dollars
    "font.size": 9,
}
LEGEND = "accuracy in %, with 95 % intervals\nfilled: the best; white: cannot be told apart from it; grey: worse"


def check(path: str | os.PathLike[str]) -> None:
    """Refuses what could not be drawn, before anybody works for it in vain."""
    ending_of(path, ENDINGS)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise NeedsExtra(what="a plot", package="matplotlib", extra="plot") from None


def draw(path: str | os.PathLike[str], comparison: Comparison) -> None:
    """Draws it as the name ends, whole or not at all."""
    save(path, lambda: _figure(comparison))


def save(path: str | os.PathLike[str], figure: Callable[[], Figure]) -> None:
    """Writes what is drawn as the name ends, whole or not at all."""
    check(path)
    import matplotlib as mpl

    kind = ending_of(path, ENDINGS).removeprefix(".")
    with mpl.rc_context(STYLE), warnings.catch_warnings(), replacing(path) as file:
        warnings.filterwarnings("ignore", "Glyph")  # of names in scripts that the font lacks
        figure().savefig(file, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)


def _figure(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure

    sets, models = comparison.sets, [_short(model, 60) for model in comparison.models]
    apart = {(d.set, d.model) for d in comparison.differences() if d.told_apart}
    across, down = min(len(sets), ACROSS), -(-len(sets) // ACROSS)
    size = 1.0 + 0.07 * max(map(len, models)) + 2.6 * across, 0.6 + down * (0.6 + 0.3 * len(models))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
    for panel, name in zip(panels, sets, strict=False):
        _panel(panel, comparison, name, apart)
    for panel in panels[len(sets) :]:
        panel.set_axis_off()
    panels[0].set_yticks(range(len(models)), models)
    panels[0].invert_yaxis()
    figure.supxlabel(LEGEND, fontsize=7, color="#555555")
    return figure


def _panel(panel: Axes, comparison: Comparison, name: str, apart: set[tuple[str, str]]) -> None:
    best = comparison.best(name)
    panel.axvline(100 * best.accuracy, color="#d5dde3", linewidth=1, zorder=0)
    for place, model in enumerate(comparison.models):
        run = comparison.run(model, name)
        at, worse = 100 * run.accuracy, (name, model) in apart
        fill, edge = (REST, REST) if worse else (BEST if run is best else CLOSE, BEST)
        panel.plot([100 * bound for bound in run.interval], [place, place], color=edge, linewidth=1.5, zorder=1)
        panel.plot(at, place, "o", markerfacecolor=fill, markeredgecolor=edge, markersize=6)
        panel.annotate(f"{at:.1f}", (at, place), (0, 5), textcoords="offset points", ha="center", fontsize=8)
    panel.set_title(_short(name, 36), fontsize=9, loc="left")
    panel.set_ylim(-0.6, len(comparison.models) - 0.4)
    panel.tick_params(axis="y", length=0)
    panel.grid(axis="x", color="#eeeeee", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right", "left"]].set_visible(False)


def _short(name: str, most: int) -> str:
    """A name on one line, cut where it is too long for its place."""
    name = one_line(name)
    return name if len(name) <= most else f"{name[: most - 1]}…"
