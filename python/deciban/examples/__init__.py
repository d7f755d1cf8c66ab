"""Read: files and columns -> batches of (text, label, where).

Files (CSV, TSV, JSON lines, plain lines; gzip or not) come in as a `Source` and go out in batches, never whole. Columns
in memory (lists, NumPy, pandas, polars, Arrow) become lists, or stay in Arrow's buffers. What a text means is not
looked at here.
"""

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
