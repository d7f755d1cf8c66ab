"""Terms as pictures: the best by name, and how what they are worth falls with their rank; the curve of a search.

Needs matplotlib.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import one_line
from ..selection import UNITS, RankedTerm, Searched
from .picture import ENDINGS, check, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 25  # terms by name
KEPT, REST = "#1b6ca8", "#9a9a9a"

__all__ = ["ENDINGS", "check", "draw"]


def draw(path: str | os.PathLike[str], terms: Sequence[RankedTerm], by: str, top: int) -> None:
    """Draws terms, the best first, of which `top` are kept: as the name ends, whole or not at all."""
    save(path, lambda: _figure(terms, by, top))


def draw_curve(path: str | os.PathLike[str], searched: Searched) -> None:
    """Draws how many errors a search found by how many terms."""
    save(path, lambda: _curve_of(searched))


def _curve_of(searched: Searched) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    panel = figure.subplots()
    share = 100 / max(searched.texts, 1)
    least, chosen = searched.best.wrong * share, searched.chosen
    panel.axhspan(least, least + searched.standard_error * share, color="#e3edf5", zorder=0)
    panel.plot([point.terms for point in searched.curve], [point.wrong * share for point in searched.curve], color=KEPT)
    panel.plot(chosen.terms, chosen.wrong * share, "o", color=KEPT)
    panel.annotate(f"{chosen.terms:,} terms", (chosen.terms, chosen.wrong * share), (6, 6), textcoords="offset points")
    panel.set_xlabel("terms")
    panel.set_ylabel("wrong of texts that are left out, in %")
    panel.set_ylim(bottom=0)
    panel.set_title(f"{searched.by}: one standard error above the fewest is shaded", fontsize=9, loc="left")
    panel.grid(color="#eeeeee", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    return figure


def _figure(terms: Sequence[RankedTerm], by: str, top: int) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    names, curve = figure.subplots(1, 2, width_ratios=[3, 4])
    _named(names, terms[:SHOWN], by)
    _curve(curve, [term.score for term in terms], by, top)
    return figure


def _named(panel: Axes, terms: Sequence[RankedTerm], by: str) -> None:
    panel.barh(range(len(terms)), [term.score for term in terms], color=KEPT, height=0.7)
    panel.set_yticks(range(len(terms)), [one_line(term.name)[:30] for term in terms], fontsize=8)
    panel.invert_yaxis()
    panel.set_xlabel(UNITS[by])
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.set_title(f"the best terms by {by}", fontsize=9, loc="left")


def _curve(panel: Axes, scores: Sequence[float], by: str, top: int) -> None:
    ranks = range(1, len(scores) + 1)
    panel.plot(ranks[:top], scores[:top], color=KEPT)
    panel.plot(ranks[max(top - 1, 0) :], scores[max(top - 1, 0) :], color=REST)
    panel.axvline(top, color=KEPT, linewidth=0.8, linestyle="--")
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(lambda rank, _: f"{rank:,.0f}")
    panel.set_ylim(bottom=0)
    panel.set_xlabel("rank")
    panel.set_ylabel(UNITS[by])
    panel.set_title(f"{top:,} of {len(scores):,} are kept", fontsize=9, loc="left")
    panel.grid(color="#eeeeee", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
