"""Any number of labels a text: cells of files and columns in memory -> sets of labels, each a sorted tuple.

A cell is a text with a separator between labels, or a list of labels as JSON has it; nothing, or a list of nothing, is
a text with no label. A label never holds the separator, so that answers can be written as the examples were.
"""

from __future__ import annotations

from collections.abc import Set, Sized
from typing import Any

from ..errors import BadLabel, BadLabels, HasSeparator, RepeatedLabel, UnevenLengths, described
from .memory import texts_of, why_no_label

Labels = tuple[str, ...]


def sets_of(column: object, separator: str, texts: Sized | None = None) -> list[Labels]:
    """The labels of each text of a column in memory, checked.

    >>> sets_of([["wheat", "grain"], [], "corn|grain"], "|")
    [('grain', 'wheat'), (), ('corn', 'grain')]
    """
    cells = list(texts_of(column, "lists of labels"))
    if texts is not None and len(cells) != len(texts):
        raise UnevenLengths(texts=len(texts), labels=len(cells))
    return [set_of(cell, separator, f"labels[{place}]") for place, cell in enumerate(cells)]


def set_of(cell: object, separator: str, where: str) -> Labels:
    """The labels of one cell, which stands there.

    >>> set_of("grain|grain", "|", "news.csv:7")
    Traceback (most recent call last):
        ...
    deciban.errors.RepeatedLabel: news.csv:7: expected each label once, got 'grain' again
    """
    found = _parts(cell, separator, where)
    for label in found:
        if (why := why_no_label(label)) is not None:
            raise BadLabel(where=where, got=why)
        if separator in label:
            raise HasSeparator(where=where, label=label, separator=separator)
    labels = tuple(sorted(set(found)))
    if len(labels) < len(found):
        again = next(label for place, label in enumerate(found) if label in found[:place])
        raise RepeatedLabel(where=where, label=again)
    return labels


def _parts(cell: object, separator: str, where: str) -> list[Any]:
    if isinstance(cell, str):
        return cell.split(separator) if cell else []
    if isinstance(cell, (list, tuple, Set)):
        return list(cell)
    if hasattr(cell, "tolist"):  # NumPy's, and what is made of it
        return _parts(cell.tolist(), separator, where)
    raise BadLabels(where=where, got=described(cell))
