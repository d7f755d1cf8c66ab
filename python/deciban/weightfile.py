"""A scorecard -> a file of plain numbers, for other programs: W and b (Rush), in nats. The score of a text is x W + b.

CSV: a row a term, a column a label; the first row is b, named `(bias)`. It is written block by block, and W is never
held. NumPy .npz, without pickle: `labels`, `terms`, `b` and W, terms x labels. Where that would take more than DENSE
bytes, its parts instead: `names` (UTF-8) cut at `offsets`, and `absent`, `indptr`, `label` and `weight`, of which W[j,
r] = weight[p] where indptr[j] <= p < indptr[j + 1] and label[p] == r, and else absent[r]. `binary` says whether a term
counts once a text. A scorecard with pairs of terms, or whose rows are scaled first, is more than that, and is refused.
Terms go by their true names: people are shown others where they are not words.
"""

from __future__ import annotations

import codecs
import os
from typing import Any, BinaryIO, cast

import numpy as np

from .errors import BadSetting, MoreThanTerms
from .files import csv_writer, replacing
from .scorecard import Scorecard

DENSE = 1 << 30  # bytes
BLOCK = 1 << 16  # numbers to write at once


def export(path: str | os.PathLike[str], card: Scorecard) -> None:
    """Writes W and b, whole or not at all, in the format that the name ends with."""
    writers = {".csv": _write_csv, ".npz": _write_npz}
    ending = os.path.splitext(path)[1].lower()
    if ending not in writers:
        raise BadSetting(setting="output", got=os.fspath(path), expected="a name that ends in .csv or .npz")
    if card.pairs is not None or card.scaling is not None:
        raise MoreThanTerms(path=path)
    with replacing(path) as file:
        writers[ending](file, card)


def _write_csv(file: BinaryIO, card: Scorecard) -> None:
    writer = csv_writer(cast("Any", codecs.getwriter("utf-8")(file)))
    writer.writerow(["term", *card.labels])
    writer.writerow(["(bias)", *card.bias.tolist()])
    step = max(BLOCK // len(card.labels), 1)
    for start in range(0, len(card.lexicon), step):
        terms = np.arange(start, min(start + step, len(card.lexicon)))
        for term, row in zip(terms.tolist(), card.weights(terms).tolist(), strict=True):
            writer.writerow([card.lexicon.name(term), *row])


def _write_npz(file: BinaryIO, card: Scorecard) -> None:
    names = card.lexicon.names()
    longest = max(map(len, names), default=0)
    dense = len(names) * (8 * len(card.labels) + 4 * longest) <= DENSE
    # NumPy drops the zeros at the end of a text.
    arrays = _matrix(card, names) if dense and not any(name.endswith("\0") for name in names) else _parts(card)
    np.savez(file, labels=np.array(card.labels), b=card.bias, binary=np.array(card.binary), **arrays)


def _matrix(card: Scorecard, names: list[str]) -> dict[str, Any]:
    return {"terms": np.array(names, str), "W": card.weights(np.arange(len(names)))}


def _parts(card: Scorecard) -> dict[str, Any]:
    names, offsets = card.lexicon.buffers()
    postings = {"indptr": card.indptr, "label": card.label, "weight": card.seen}
    return {"names": names, "offsets": offsets, "absent": card.absent, **postings}
