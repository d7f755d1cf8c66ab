"""Read: files and columns -> batches of (text, label, where).

Files (CSV, TSV, JSON lines, plain lines; gzip or not) come in as a `Source` and go out in batches, never whole. Columns
in memory (lists, NumPy, pandas, polars, Arrow) become lists, or stay in Arrow's buffers. What a text means is not
looked at here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .batches import Batch, Read, Source, gathered
    from .kept import Examples
    from .memory import as_text, labels_of, texts_of
    from .sets import sets_of
    from .weights import weights_of

__all__ = [
    "Batch",
    "Examples",
    "Read",
    "Source",
    "as_text",
    "gathered",
    "labels_of",
    "sets_of",
    "texts_of",
    "weights_of",
]

_HOMES = {
    **dict.fromkeys(("Batch", "Read", "Source", "gathered"), "batches"),
    **dict.fromkeys(("as_text", "labels_of", "texts_of"), "memory"),
    "Examples": "kept",
    "sets_of": "sets",
    "weights_of": "weights",
}


def __getattr__(name: str) -> object:
    """Names, imported when first used: whoever loads a model reads no examples, and shall not wait for what does."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
