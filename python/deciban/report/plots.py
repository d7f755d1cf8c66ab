"""The report's pictures: reliability, errors, ROC, precision-recall, the learning curve. matplotlib draws, inline SVG.

What matplotlib writes is made part of the page: its colours become the page's own, so that light and dark follow the
reader; its fonts are the page's; its names are made unique; whatever it says of itself is left out. No label stands in
a picture: legends are the page's, where everything is escaped. Without matplotlib (the extra `plot`) there are none,
and the report says so in a line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from ..evaluation import Evaluation
from ..evaluation.curves import Curve
from ..evaluation.probabilities import Probabilities

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
FEW, PALE = 10, 0.3  # texts of a bar that says little, and how much of its ink it has

# Colours that nothing else has stand for the page's own.
INK, SOFT, RIGHT, WRONG, LINE = "#010101", "#020202", "#030303", "#040404", "#050505"
COLOURS = {
    INK: "var(--ink)",
    SOFT: "var(--soft)",
    RIGHT: "rgb(var(--right))",
    WRONG: "rgb(var(--wrong))",
    LINE: "var(--line)",
}
STYLE: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": 9.5,
    "axes.linewidth": 0.8,
    "text.color": INK,
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), SOFT),
    **dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), "none"),
}
SIZE = 4.0, 3.2  # inches: a picture as wide as a telephone
WHERE = 0.16, 0.15, 0.81, 0.82  # the axes in it: no layout to be found takes half the time
MOST_POINTS = 150
MOST_LINES = 30


@dataclass(frozen=True)
class Plots:
    """Pictures as mark-up; None where there is nothing to draw."""

    are_missing: bool = False
    reliability: Markup | None = None
    errors: Markup | None = None
    roc: Markup | None = None
    precision_recall: Markup | None = None
    learning: Markup | None = None


def plots(evaluation: Evaluation, worst: str | None) -> Plots:
    """All pictures of an evaluation; the curve of one label, the worst, stands out."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return Plots(are_missing=True)
    probabilities, ranked, curve = evaluation.probabilities, evaluation.ranked, evaluation.curve
    of_roc = {one.label: one.roc for one in ranked[:MOST_LINES]}
    of_precision = {one.label: one.precision_recall for one in ranked[:MOST_LINES]}
    return Plots(
        reliability=None if probabilities is None else _drawn("reliability", lambda: _reliability(probabilities)),
        errors=_drawn("errors", lambda: _errors(evaluation)) if evaluation.errors else None,
        roc=_drawn("roc", lambda: _curves(of_roc, worst, _roc_axes)) if ranked else None,
        precision_recall=_drawn("pr", lambda: _curves(of_precision, worst, _precision_axes)) if ranked else None,
        learning=_drawn("learning", lambda: _learning(evaluation)) if curve is not None and curve.points else None,
    )


def _drawn(name: str, make: Callable[[], Figure]) -> Markup:
    """What matplotlib draws, as a part of the page."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        make().savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return Markup(embedded(stream.getvalue(), name))  # noqa: S704  no text in it comes from the data


def embedded(svg: str, name: str) -> str:
    """An SVG file as an element of a page that has others."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<style.*?</style>", "", svg, flags=re.DOTALL)  # it would hold for the whole page
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    head = r'<svg viewBox="\1" aria-hidden="true" focusable="false">'
    svg = re.sub(r'<svg [^>]*viewBox="([^"]*)"[^>]*>', head, svg, count=1)
    svg = svg.replace("xlink:href=", "href=")
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    svg = re.sub(r"font: ([0-9.]+px)[^;\"]*", r"font-size: \1", svg)
    svg = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    for sentinel, colour in COLOURS.items():
        svg = svg.replace(sentinel, colour)
    return svg.strip()


def _figure() -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE)
    panel = figure.add_axes(WHERE)
    panel.spines[["top", "right"]].set_visible(False)
    return figure, panel


def _reliability(of: Probabilities) -> Figure:
    """Bars of how many are right, by what was promised; the diagonal is what they should be."""
    figure, panel = _figure()
    width = 1 / 15
    panel.plot([0, 1], [0, 1], color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    for one in of.bins:
        at, ink = (one.low + one.high) / 2, 1.0 if one.examples >= FEW else PALE
        panel.bar(at, one.right, width * 0.86, color=RIGHT, alpha=0.35 * ink, linewidth=0)
        low, high = sorted((one.right, one.probability))
        colour = WRONG if one.probability > one.right else RIGHT
        panel.bar(at, high - low, width * 0.86, bottom=low, color=colour, alpha=0.4 * ink, linewidth=0)
        panel.plot([at - width * 0.43, at + width * 0.43], [one.right] * 2, color=RIGHT, linewidth=2, alpha=ink)
    _shares(panel, "probability that was given", "share that was right")
    return figure


def _errors(evaluation: Evaluation) -> Figure:
    """How many answers are wrong, if only the most certain ones are given."""
    figure, panel = _figure()
    shares, wrong = zip(*evaluation.errors, strict=True)
    panel.plot(shares, wrong, color=WRONG, linewidth=2)
    panel.fill_between(shares, wrong, color=WRONG, alpha=0.15, linewidth=0)
    _shares(panel, "texts that are answered, the most certain first", "answers that are wrong")
    highest = max(*wrong, 0.01) * 1.1
    panel.set_ylim(0, highest)
    ticks = [highest * part for part in (0, 0.25, 0.5, 0.75, 1)]
    panel.set_yticks(ticks, [f"{tick:.1%}" for tick in ticks])
    return figure


def _shares(panel: Axes, x: str, y: str) -> None:
    ticks = [0, 0.25, 0.5, 0.75, 1]
    panel.set_xticks(ticks, [f"{tick:.0%}" for tick in ticks])
    panel.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
    panel.set_xlim(-0.01, 1.01)
    panel.set_ylim(-0.01, 1.02)
    panel.set_xlabel(x)
    panel.set_ylabel(y)


def _roc_axes(panel: Axes) -> None:
    panel.plot([0, 1], [0, 1], color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    _shares(panel, "others that are taken in", "texts of the label that are found")


def _precision_axes(panel: Axes) -> None:
    _shares(panel, "texts of the label that are found", "of those taken, the label's own")


def _curves(of: dict[str, Curve], worst: str | None, axes: Callable[[Axes], None]) -> Figure:
    """A thin line a label, and the worst one on top."""
    figure, panel = _figure()
    axes(panel)
    for label, curve in of.items():
        if label != worst:
            panel.plot(*_thinned(curve), color=RIGHT, linewidth=1.1, alpha=0.55)
    if worst in of:
        panel.plot(*_thinned(of[worst]), color=WRONG, linewidth=2)
    return figure


def _thinned(curve: Curve) -> tuple[Floats, Floats]:
    """Few enough points of a curve that nobody sees which are left out."""
    n = len(curve.x)
    if n <= MOST_POINTS:
        return curve.x, curve.y
    # Along the curve, not along the examples: where it bends, points are needed.
    way = np.append(0.0, np.cumsum(np.hypot(np.diff(curve.x), np.diff(curve.y))))
    kept = np.unique(np.searchsorted(way, np.linspace(0, way[-1], MOST_POINTS)).clip(0, n - 1))
    return curve.x[kept], curve.y[kept]


def _learning(evaluation: Evaluation) -> Figure:
    from ..evaluation.learning_picture import figure

    if evaluation.curve is None:
        raise ValueError("no curve")
    drawn = figure(evaluation.curve, RIGHT, SOFT)
    drawn.set_size_inches(*SIZE)
    return drawn
