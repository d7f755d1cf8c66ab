"""Evidence for a terminal: a bar a word."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..terms import display
from . import APPROXIMATE, Evidence

WIDTH = 24
_FOR, _AGAINST = "green", "red"
_EIGHTHS = " ▏▎▍▌▋▊▉"


def rich(evidence: Evidence, most: int = 12) -> RenderableType:
    """The whole answer: the label, the text with its words tinted, a bar a term."""
    return Group(_answer(evidence), _tinted(evidence), _bars(evidence, most), _remarks(evidence, most))


def step(path: str, probability: float) -> Text:
    """A step of a path, above its evidence."""
    return Text.assemble((path, "bold underline"), f"  probability {probability:.3f}")


def plain(evidence: Evidence) -> str:
    """The same without colours."""
    console = Console(color_system=None, width=100)
    with console.capture() as captured:
        console.print(rich(evidence))
    return captured.get().rstrip()


def _answer(evidence: Evidence) -> Text:
    return Text.assemble(
        (evidence.label, "bold"),
        f"  probability {evidence.probability:.3f}, {evidence.total:+.1f} {evidence.unit} against {evidence.against}",
        evidence.odds,
    )


def _tinted(evidence: Evidence) -> Text:
    text = Text(evidence.text)
    for term in reversed(evidence.terms):
        for start, end in term.spans:
            text.stylize(_FOR if term.decibans > 0 else _AGAINST, start, end)
    return text


def _bars(evidence: Evidence, most: int) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(justify="right", max_width=32, overflow="ellipsis", no_wrap=True)
    table.add_column(justify="right", width=WIDTH)
    table.add_column(width=WIDTH)
    table.add_column(justify="right")
    rows = list(_rows(evidence, most))
    longest = max(1e-9, *(abs(weight) for _, weight in rows if isfinite(weight)))
    for name, weight in rows:
        share = min(1.0, abs(weight) / longest)
        left, right = ("", Text(bar(share), _FOR)) if weight > 0 else (Text(_bar_leftwards(share), _AGAINST), "")
        table.add_row(Text(name), left, right, f"{weight:+.1f}")
    table.add_row(Text("total", "bold"), "", "", Text(f"{evidence.total:+.1f}", "bold"))
    return table


def _rows(evidence: Evidence, most: int) -> Iterator[tuple[str, float]]:
    yield from ((f"({name})", weight) for name, weight in evidence.before)
    for term in evidence.terms[:most]:
        yield f"{term.name} ×{term.times}" if term.times > 1 else term.name, term.decibans
    rest = evidence.terms[most:]
    if rest:
        yield f"({len(rest)} more)", sum(term.decibans for term in rest)


def bar(share: float) -> str:
    """A bar that is as long as its share of WIDTH."""
    eighths = round(share * WIDTH * 8)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def _bar_leftwards(share: float) -> str:
    halves = round(share * WIDTH * 2)
    return "▐" * (halves % 2) + "█" * (halves // 2)


def _remarks(evidence: Evidence, most: int) -> Text:
    text = _remark(evidence, most)
    if evidence.decision:
        text = Text.assemble((evidence.decision, "bold"), "\n", text)
    return text.append(f"\n{APPROXIMATE}", "italic") if evidence.approximate else text


def _remark(evidence: Evidence, most: int) -> Text:
    if not evidence.terms:
        return Text("no term of this text is known: the answer is the prior's", "italic")
    parts = [f"{evidence.unit} for {evidence.label} against {evidence.against}", evidence.calibrated]
    if evidence.unknown:
        parts.append(f"never seen before: {', '.join(map(display, evidence.unknown[:most]))}")
    return Text("; ".join(filter(None, parts)), "dim")
