"""Columns in memory: whatever people keep texts and labels in.

Texts in Arrow's buffers (pyarrow, polars, pandas; a column of a DuckDB result is `relation.to_arrow_table()["text"]` or
`relation.pl()["text"]`) stay where they are; everything else becomes a tuple, which nobody changes while it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set, Sized
from typing import Any

from .. import _core
from ..errors import BadLabel, BadTexts, UnevenLengths, UnreadableColumn, described

# How NumPy and pandas, polars, and Arrow say it.
_TO_LIST = ("tolist", "to_list", "to_pylist")
_NO_COLUMNS = (str, bytes, bytearray, Mapping, Set)  # what has no order, or is one text


def texts_of(column: object, what: str = "texts") -> tuple[Any, ...] | _core.Column:
    """The texts of a column, as a tuple or in Arrow's buffers. Each is checked when it is read.

    >>> texts_of(["a", "b"])
    ('a', 'b')
    >>> texts_of("a")
    Traceback (most recent call last):
        ...
    deciban.errors.BadTexts: expected a list or a column of texts, got 'a'
    """
    if isinstance(column, (list, tuple)):
        return tuple(column)
    if isinstance(column, _core.Column):
        return column
    if isinstance(column, _NO_COLUMNS) or getattr(column, "ndim", 1) != 1:
        raise BadTexts(what=what, got=described(column))
    if (found := _in_arrow(column, what)) is not None:
        return found
    if isinstance(column, Iterable) and not hasattr(column, "columns"):
        for method in _TO_LIST:
            if hasattr(column, method):
                return tuple(getattr(column, method)())
        return tuple(column)
    raise BadTexts(what=what, got=described(column))


def _in_arrow(column: object, what: str) -> _core.Column | None:
    """The same column as the core reads it, if it is one of Arrow texts."""
    if str(getattr(column, "dtype", None)) == "object":  # pandas would copy them all into Arrow
        return None
    try:
        return _core.column(column)
    except ValueError as error:
        raise UnreadableColumn(what=what, reason=error) from None


def as_text(text: str | bytes) -> str:
    """A text that was counted, as Python's own.

    >>> as_text("café"), as_text("café".encode())
    ('café', 'café')
    """
    return text if isinstance(text, str) else text.decode()


def labels_of(column: object, texts: Sized | None = None) -> list[str]:
    """The labels of some texts as a list, checked: one a text, if those are given, each a string that is not empty.

    >>> labels_of(["spam", None], ["free money", "see you"])
    Traceback (most recent call last):
        ...
    deciban.errors.BadLabel: labels[1]: expected a label as text, got None
    """
    labels = list(column if isinstance(column, list) else texts_of(column, "labels"))
    if texts is not None and len(labels) != len(texts):
        raise UnevenLengths(texts=len(texts), labels=len(labels))
    if (place := bad_label(labels)) is not None:
        raise BadLabel(where=f"labels[{place}]", got=why_no_label(labels[place]))
    return labels


def bad_label(labels: list[Any]) -> int | None:
    """The place of the first value that cannot be a label.

    >>> bad_label(["spam", "ham"]), bad_label(["spam", ""])
    (None, 1)
    """
    if not any(map(why_no_label, distinct(labels))):
        return None
    return next(place for place, label in enumerate(labels) if why_no_label(label))


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


def distinct(labels: list[Any]) -> Iterable[Any]:
    """Each label once; all of them where one is no text and cannot even be hashed."""
    try:
        return set(_core.nearly_distinct(labels))
    except TypeError:
        return labels
