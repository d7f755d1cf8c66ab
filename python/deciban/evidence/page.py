"""Evidence as HTML: for notebooks and for the report. Everything that comes from a text is escaped."""

from __future__ import annotations

from html import escape
from math import isfinite

from . import APPROXIMATE, Evidence

_FOR, _AGAINST = "46, 160, 67", "218, 54, 51"


def fragment(evidence: Evidence, most: int = 12) -> str:
    """The whole answer: the label, the text with its words tinted, a bar a term."""
    before = [(f"({name})", weight) for name, weight in evidence.before]
    rows = [*before, *((term.name, term.decibans) for term in evidence.terms[:most])]
    rest = evidence.terms[most:]
    if rest:
        rows.append((f"({len(rest)} more)", sum(term.decibans for term in rest)))
    longest = max(1e-9, *(abs(weight) for _, weight in rows if isfinite(weight)))
    bars = "".join(_row(name, weight, min(1.0, abs(weight) / longest)) for name, weight in rows)
    return (
        '<div class="deciban" style="font-family: system-ui, sans-serif; max-width: 46em">'
        f"<p><b>{escape(evidence.label)}</b>, probability {evidence.probability:.3f}: "
        f"{evidence.total:+.1f} {evidence.unit} against {escape(evidence.against)}"
        f"{evidence.odds}</p>"
        f'<p style="white-space: pre-wrap">{tinted(evidence)}</p>'
        f'<table style="border-collapse: collapse; width: 100%">{bars}</table>{_remark(evidence)}</div>'
    )


def tinted(evidence: Evidence, end: int | None = None) -> str:
    """The text, or what of it stands before `end`, each character tinted by the evidence of the terms over it."""
    text = evidence.text[:end]
    weight = [0.0] * len(text)
    for term in evidence.terms:
        share = term.decibans / max(sum(end - start for start, end in term.spans), 1)
        for start, stop in term.spans:
            for place in range(start, min(stop, len(text))):
                weight[place] += share
    strongest = max((abs(share) for share in weight if isfinite(share)), default=0.0) or 1.0
    pieces, start = [], 0
    for stop in range(1, len(text) + 1):
        if stop == len(text) or weight[stop] != weight[start]:
            pieces.append(_piece(text[start:stop], max(-1.0, min(1.0, weight[start] / strongest))))
            start = stop
    return "".join(pieces)


def _piece(text: str, strength: float) -> str:
    if abs(strength) < 0.02:
        return escape(text)
    colour = _FOR if strength > 0 else _AGAINST
    return f'<span style="background: rgba({colour}, {abs(strength) * 0.6:.2f})">{escape(text)}</span>'


def _row(name: str, weight: float, share: float) -> str:
    side = f"left: 50%; background: rgb({_FOR})" if weight > 0 else f"right: 50%; background: rgb({_AGAINST})"
    return (
        f'<tr><td style="text-align: right; padding: 0 .6em; width: 30%">{escape(name)}</td>'
        '<td style="position: relative; width: 55%">'
        f'<span style="position: absolute; top: .2em; bottom: .2em; width: {share * 50:.1f}%; {side}"></span>'
        "&nbsp;</td>"
        f'<td style="text-align: right; font-variant-numeric: tabular-nums">{weight:+.1f}</td></tr>'
    )


def _remark(evidence: Evidence) -> str:
    approximate = f"<p><i>{APPROXIMATE}</i></p>" if evidence.approximate else ""
    decision = f"<p><b>{escape(evidence.decision)}</b></p>" if evidence.decision else ""
    return f"{decision}{_unit(evidence)}{approximate}"


def _unit(evidence: Evidence) -> str:
    if not evidence.terms:
        return "<p><i>no term of this text is known: the answer is the prior's</i></p>"
    calibrated = f"; {escape(evidence.calibrated)}" if evidence.calibrated else ""
    pair = f"{escape(evidence.label)} against {escape(evidence.against)}"
    return f"<p><small>{evidence.unit} for {pair}{calibrated}</small></p>"
