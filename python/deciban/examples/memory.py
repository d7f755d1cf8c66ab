"""Columns in memory -> lists: whatever people keep texts and labels in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from ..errors import BadLabel, BadTexts, UnevenLengths, described

# How NumPy and pandas, polars, and Arrow say it.
_TO_LIST = ("tolist", "to_list", "to_pylist")
_NO_COLUMNS = (str, bytes, bytearray, Mapping, Set)  # what has no order, or is one text


def texts_of(column: object, what: str = "texts") -> list[Any]:
    """The texts of a column as a list of their own. Each is checked when it is read.

    >>> texts_of(("a", "b"))
    ['a', 'b']
    >>> texts_of("a")
    Traceback (most recent call last):
        ...
    deciban.errors.BadTexts: expected a list or a column of texts, got 'a'
    """
    if isinstance(column, list):
        return list(column)
    if isinstance(column, _NO_COLUMNS) or getattr(column, "ndim", 1) != 1:
        raise BadTexts(what=what, got=described(column))
    if isinstance(column, Iterable) and not hasattr(column, "columns"):
        for method in _TO_LIST:
            if hasattr(column, method):
                return list(getattr(column, method)())
        return list(column)
    raise BadTexts(what=what, got=described(column))


def labels_of(column: object, texts: list[Any]) -> list[str]:
    """The labels of some texts as a list, checked: one a text, each a string that is not empty.

    >>> labels_of(["spam", None], ["free money", "see you"])
    Traceback (most recent call last):
        ...
    deciban.errors.BadLabel: labels[1]: expected a label as text, got None
    """
    labels = texts_of(column, "labels")
    if len(labels) != len(texts):
        raise UnevenLengths(texts=len(texts), labels=len(labels))
    if any(map(why_no_label, _distinct(labels))):
        place = next(place for place, label in enumerate(labels) if why_no_label(label))
        raise BadLabel(where=f"labels[{place}]", got=why_no_label(labels[place]))
    return labels


def why_no_label(label: object) -> str | None:
    """What a value is that cannot be a label; None if it can.

    >>> why_no_label("spam"), why_no_label(""), why_no_label(3)
    (None, 'an empty one', 'int 3')
    """
    if not isinstance(label, str):
        return described(label)
    if not label:
        return "an empty one"
    return None if _is_unicode(label) else "half a surrogate pair, which is not Unicode"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _distinct(labels: list[Any]) -> Iterable[Any]:
    """Each label once; all of them where one is no text and cannot even be hashed."""
    try:
        return set(labels)
    except TypeError:
        return labels
