"""Columns in memory -> lists: whatever people keep texts and labels in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import BadLabel, BadTexts, UnevenLengths, described

# How NumPy and pandas, polars, and Arrow say it.
_TO_LIST = ("tolist", "to_list", "to_pylist")


def texts_of(column: object) -> list[Any]:
    """The texts of a column as a list. Each is checked when it is read.

    >>> texts_of(("a", "b"))
    ['a', 'b']
    >>> texts_of("a")
    Traceback (most recent call last):
        ...
    deciban.errors.BadTexts: expected a list or a column of texts, got 'a'
    """
    if isinstance(column, list):
        return column
    flat = getattr(column, "ndim", 1) == 1 and not isinstance(column, (str, bytes, Mapping))
    for method in _TO_LIST:
        if flat and hasattr(column, method):
            return list(getattr(column, method)())
    if flat and isinstance(column, Iterable) and not hasattr(column, "columns"):
        return list(column)
    raise BadTexts(got=described(column))


def labels_of(column: object, texts: list[Any]) -> list[str]:
    """The labels of some texts as a list, checked: one a text, each a string that is not empty.

    >>> labels_of(["spam", None], ["free money", "see you"])
    Traceback (most recent call last):
        ...
    deciban.errors.BadLabel: labels[1]: expected a label as text, got None
    """
    labels = texts_of(column)
    if len(labels) != len(texts):
        raise UnevenLengths(texts=len(texts), labels=len(labels))
    for label in set(map(_identity, labels)):
        if not isinstance(label, str) or not label:
            place = next(i for i, given in enumerate(labels) if _identity(given) == label)
            raise BadLabel(where=f"labels[{place}]", got=described(labels[place]))
    return labels


def _identity(label: object) -> object:
    """The label itself, or its kind where it is no text and may not even be hashable."""
    return label if isinstance(label, str) else type(label)
