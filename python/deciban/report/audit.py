"""The page of an audit: what is likely wrong with labelled texts, with the texts themselves.

It is like the report: one file, no network, no script, nothing of a text is mark-up, no date.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..auditing import Audit
from ..examples import as_text, texts_of
from ..files import replacing
from . import _template

MOST, LONGEST = 200, 300  # texts of each kind, characters of a text


@dataclass(frozen=True)
class Shown:
    """One text that is shown: where it stands, its labels, how sure it is, why, and its beginning."""

    where: str
    label: str
    suggested: str | None
    decibans: float | None
    reason: str
    text: str


def write_audit(
    path: str | os.PathLike[str],
    audit: Audit,
    texts: object,
    *,
    name: str = "texts",
    where: Callable[[int], str] = "texts[{}]".format,
) -> None:
    """Writes the page, whole or not at all; `texts` are those of the audit, in its order.

    >>> import tempfile, deciban
    >>> from pathlib import Path
    >>> texts, labels = ["free money", "money now", "see you", "you see", "!"], ["spam", "spam", "ham", "ham", "ham"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_audit(f"{folder}/audit.html", deciban.audit(texts, labels), texts)
    ...     "no letter and no number" in Path(folder, "audit.html").read_text(encoding="utf-8")
    True
    """
    page = _template("audit.html.j2").render(
        name=name,
        sentences=audit.sentences(),
        parts=_parts(audit, [as_text(text) for text in texts_of(texts)], where),
    )
    with replacing(path) as file:
        file.write(page.encode("utf-8", "replace"))


def _parts(audit: Audit, texts: Sequence[str], where: Callable[[int], str]) -> list[tuple[str, list[Shown], int]]:
    """Titles, the texts that are shown under each, and how many there are."""
    kinds: dict[str, list[Shown]] = {"Labels that are likely wrong": [], "Texts that are odd": []}
    counted = dict.fromkeys(kinds, 0)
    for found in audit.findings(where):
        kind = "Texts that are odd" if found.suggested is None else "Labels that are likely wrong"
        counted[kind] += 1
        if len(kinds[kind]) < MOST:
            start = texts[found.place][:LONGEST]
            kinds[kind].append(Shown(where(found.place), *found[1:], start))
    return [(title, shown, counted[title]) for title, shown in kinds.items() if shown]
