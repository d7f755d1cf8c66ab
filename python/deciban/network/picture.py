"""A network as a picture: the plate diagram of its model, and below it the terms, one a line.

From the label y an arrow goes to every term, the thicker the more the term tells of it, in the colour of the label that
shows the term most. A child stands below its parent, indented, with an arrow from it. What is observed is shaded. It is
one SVG file without a script; whoever prefers dark gets it dark. Everything that comes from texts is escaped.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ..errors import one_line

if TYPE_CHECKING:
    from . import Network

LINE, INDENT, MARGIN = 30, 34, 24
TOP = 216  # where the terms begin
FIRST = 190  # where those without a parent begin
LONGEST = 30  # characters of a name
DEEPEST = 12.0  # steps of indentation: a deeper tree is drawn with smaller ones
TINY = 1e-12

COLOURS = ("#2f7ed8", "#d9822b", "#2a9d6f", "#c2477f", "#8a63d2", "#7a8c1f", "#b0413e", "#4aa3b5")
OTHER = "#8a8f98"

STYLE = """
text { font: 13px system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 } .small { font-size: 12px; fill: #59636e } .formula { font-style: italic }
.page { fill: #ffffff } .hidden { fill: #ffffff; stroke: #1f2328; stroke-width: 1.5 }
.seen { fill: #e4e8ee; stroke: #59636e } .plate { fill: none; stroke: #59636e; stroke-width: 1.2 }
.arrow { fill: none; stroke: #59636e } .head { fill: #59636e } .middle { text-anchor: middle }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .small { fill: #9198a1 } .page { fill: #0d1117 } .hidden { fill: #0d1117; stroke: #e6edf3 }
.seen { fill: #2a313c; stroke: #9198a1 } .plate { stroke: #9198a1 } .arrow { stroke: #9198a1 } .head { fill: #9198a1 }
}
"""
HEAD = '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto" '
HEAD += 'markerUnits="userSpaceOnUse"><path class="head" d="M0 0L8 4L0 8z"/></marker>'


@dataclass(frozen=True)
class Layout:
    """Where everything stands: the terms in the order of their lines, where each begins, and its line's middle.

    Beside the terms stands a column of what they tell; `shows` is the label that shows each most. Those that most terms
    speak of have a colour of their own.
    """

    order: list[int]
    start: dict[int, float]
    at: dict[int, float]
    column: float
    middle: float
    shows: list[int]
    colours: dict[int, str]

    @classmethod
    def of(cls, net: Network) -> Layout:
        lines = list(_in_lines(net))
        step = INDENT * min(1.0, DEEPEST / max([1, *(depth for _, depth in lines)]))
        start = {j: FIRST + depth * step for j, depth in lines}
        at = {j: TOP + LINE * (line + 0.5) for line, (j, _) in enumerate(lines)}
        column = 40 + max([FIRST, *(start[j] + _width(_cut(net.names[j])) for j in start)])
        shows = [int(r) for r in net.share.argmax(axis=1)]
        colours = dict(zip((label for label, _ in Counter(shows).most_common()), COLOURS, strict=False))
        return cls([j for j, _ in lines], start, at, column, TOP + LINE * len(lines) / 2, shows, colours)

    def colour(self, j: int) -> str:
        """The colour of the label that shows a term most."""
        return self.colours.get(self.shows[j], OTHER)


def svg(net: Network) -> str:
    """The whole picture."""
    place = Layout.of(net)
    width = max(place.column + 360, 860 if _has_parents(net) else 720)
    height = TOP + LINE * max(len(place.order), 1) + MARGIN
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" ',
            f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{_safe(_title(net))}">',
            f"<style>{STYLE}</style><defs>{HEAD}</defs>",
            f'<rect class="page" width="{width:.0f}" height="{height:.0f}"/>',
            _text(MARGIN, 36, _title(net), "title"),
            *_plate(net),
            *_arrows_from_label(net, place),
            *_arrows_between(net, place),
            _node(MARGIN + 20, place.middle, "y", "hidden"),
            *_terms(net, place),
            "</svg>\n",
        ]
    )


def _has_parents(net: Network) -> bool:
    return bool((net.parent >= 0).any())


def _title(net: Network) -> str:
    parents = ", each with its parent" if _has_parents(net) else ""
    return f"{net.model}: the {len(net.terms):,} of {net.lexicon:,} terms that tell most of the label{parents}"


def _in_lines(net: Network) -> Iterator[tuple[int, int]]:
    """The terms in the order of their lines, and how deep each stands in its tree: children below their parent."""
    children: dict[int, list[int]] = {}
    for j, parent in enumerate(net.parent.tolist()):
        children.setdefault(parent, []).append(j)
    waiting = [(j, 0) for j in reversed(children.get(-1, []))]
    while waiting:
        j, depth = waiting.pop()
        yield j, depth
        waiting += [(child, depth + 1) for child in reversed(children.get(j, []))]


def _plate(net: Network) -> Iterator[str]:
    """Zhu's plate diagram, and what it says in symbols."""
    has_parents, x, y = _has_parents(net), 250, 118
    yield f'<rect class="plate" x="170" y="72" width="{300 if has_parents else 160}" height="98" rx="6"/>'
    yield _arrow(f"M102 {y}H{x - 27}")
    yield _node(80, y, "y", "hidden") + _node(x, y, "x", "seen", "w")
    given = ""
    if has_parents:
        yield _arrow(f"M{x + 126} {y}H{x + 27}") + _node(x + 150, y, "x", "seen", "pa(w)")
        yield _arrow(f"M96 {y - 17}C150 62 {x + 90} 52 {x + 137} {y - 23}")
        given = f"x{_below('pa(w)')}, "
    each = "each term w of the lexicon" if net.p is not None else "each word w of the text"
    yield _text(178, 162, each, "small")
    side = 500 if has_parents else 360
    yield f'<text class="formula" x="{side}" y="96">p(x, y) = p(y) ∏ p(x{_below("w")} | {given}y)</text>'
    yield _text(side, 118, "shaded: what is observed", "small")
    yield _text(side, 136, "arrows from y: the thicker, the more a term tells of it", "small")
    if has_parents:
        yield _text(side, 154, "between terms: the more they tell of each other, given y", "small")


def _arrows_from_label(net: Network, place: Layout) -> Iterator[str]:
    most = max([TINY, *net.bits.tolist()])
    for j in place.order:
        end, y, half = place.start[j] - 9, place.at[j], 0.4 + 2.5 * float(net.bits[j]) / most
        bend = 60 + (end - 60) * 0.45
        path = f"M{MARGIN + 42} {place.middle:.1f}C{bend:.0f} {place.middle:.1f} {bend:.0f} {y} {end:.1f} {y}"
        head = f"M{end:.1f} {y - 3 - half:.1f}L{end + 8:.1f} {y}L{end:.1f} {y + 3 + half:.1f}z"
        colour = place.colour(j)
        yield f'<g opacity=".65" stroke="{colour}" fill="{colour}"><path stroke="none" d="{head}"/>'
        yield f'<path fill="none" stroke-width="{2 * half:.2f}" d="{path}"/></g>'


def _arrows_between(net: Network, place: Layout) -> Iterator[str]:
    """From each parent down, and to the child."""
    most = max([TINY, *net.between.tolist()])
    for j in place.order:
        q = int(net.parent[j])
        if q >= 0:
            x, y = place.start[q] + min(12, place.start[j] - place.start[q] - 8), place.at[j]
            path = f"M{x:.1f} {place.at[q] + 11}V{y - 6}Q{x:.1f} {y} {x + 6:.1f} {y}H{place.start[j] - 1:.1f}"
            yield _arrow(path, 1 + 2.2 * float(net.between[j]) / most)


def _terms(net: Network, place: Layout) -> Iterator[str]:
    """Each term, and beside it what it tells."""
    for j in place.order:
        x, y, label, name = place.start[j], place.at[j], place.shows[j], _cut(net.names[j])
        width = _width(name)
        yield f'<rect class="seen" x="{x:.1f}" y="{y - 11}" width="{width:.1f}" height="22" rx="11"/>'
        yield _text(x + width / 2, y + 4.5, name, "middle")
        yield f'<circle cx="{place.column:.1f}" cy="{y}" r="5" fill="{place.colour(j)}"/>'
        tells = f"{net.bits[j]:.4f} bits; in {net.share[j, label]:.1%} of {_cut(net.labels[label])}"
        yield _text(place.column + 14, y + 4.5, tells, "small")


def _node(x: float, y: float, name: str, kind: str, index: str = "") -> str:
    """A round node; a name with an index is centred by hand, because not all viewers count the index in."""
    start, below = x - 4 - 2.6 * len(index), _below(index) if index else ""
    label = f'<text class="formula" x="{start:.1f}" y="{y + 4.5:.1f}">{name}{below}</text>'
    return f'<circle class="{kind}" cx="{x}" cy="{y:.1f}" r="{26 if index else 20}"/>{label}'


def _below(index: str) -> str:
    return f'<tspan dy="4" font-size="10">{index}</tspan><tspan dy="-4">\u200b</tspan>'


def _arrow(path: str, width: float = 1.3) -> str:
    return f'<path class="arrow" stroke-width="{width:.2f}" marker-end="url(#head)" d="{path}"/>'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{_safe(text)}</text>'


def _safe(text: str) -> str:
    """Text that XML can hold: escaped, and without characters that it cannot."""
    return escape(one_line(text))


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _width(name: str) -> float:
    """About how wide a name is drawn, with some room: no font is at hand to measure it."""
    return 24 + sum(14.0 if unicodedata.east_asian_width(c) in "WF" else 7.6 for c in one_line(name))
