"""A model becomes a file.

It is a file of safetensors: how long the header is, the header, and the arrays, those of the largest numbers first, so
that each stands where its numbers may. Arrays are written from where they are: of a large model nobody makes a copy.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ..settings import Settings
from .format import GROUPS, NEWEST, NUMPY, TYPES, UNSIGNED, digest
from .provenance import Provenance

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..calibration import Calibration
    from ..counts import Counts, Frozen
    from ..decision.threshold import Threshold
    from ..hierarchy import Descent
    from ..mixture import Expected
    from ..projection import Forest
    from ..scorecard import Scorecard


def save(
    path: str | os.PathLike[str],
    known: Counts | Frozen,
    card: Scorecard | Forest | Descent,
    settings: Settings,
    provenance: Provenance,
    expected: Expected | None = None,
    kept: npt.NDArray[np.bool_] | None = None,
    worth: npt.NDArray[np.float64] | None = None,
    calibration: Calibration | None = None,
    several: tuple[dict[str, str], tuple[Any, ...]] | None = None,
    threshold: Threshold | None = None,
) -> None:
    """Writes a model file, whole or not at all; without counts where none are kept."""
    import numpy as np

    from ..files import replacing
    from ..projection import Forest
    from ..scorecard import Scorecard

    if isinstance(card, Forest):
        trees = {"axes": card.buffers, "trees": card.trees.buffers}
        groups = {**_arrays(known, card.start, expected, kept), **trees}
    else:
        groups = _arrays(known, card if isinstance(card, Scorecard) else card.card, expected, kept)
    groups |= {} if worth is None else {"worth": (worth,)}
    if calibration is not None:
        groups["calibration"] = calibration.buffers
        if (seen := calibration.conformal) is not None:
            groups["conformal"] = (seen.overall, seen.by_label, seen.ends)
    groups |= {} if several is None else {"odds": several[1]}
    if threshold is not None:
        groups["threshold"] = (np.array([threshold.log_odds]),)
    about = {
        "format": NEWEST,
        "checksum": UNSIGNED,
        "groups": list(groups),
        "settings": settings.as_dict(),
        "labels": known.labels,
        "provenance": provenance,
        **({} if calibration is None else {"calibration": calibration.about}),
        **({} if several is None else {"several": several[0]}),
        **({} if threshold is None else {"threshold": threshold.about}),
    }
    arrays = {name: array for group in groups for name, array in zip(GROUPS[group], groups[group], strict=True)}
    names = sorted(arrays, key=lambda name: (list(NUMPY).index(TYPES[name]), name))
    data = [np.ascontiguousarray(arrays[name], NUMPY[TYPES[name]]) for name in names]
    head = _head(about, dict(zip(names, data, strict=True)))
    with replacing(path) as file:
        file.write(head.replace(UNSIGNED.encode(), digest(head, *(array.data for array in data)).encode(), 1))
        for array in data:
            file.write(array.data)


def _head(about: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> bytes:
    """What stands in a file before its arrays."""
    header: dict[str, Any] = {"__metadata__": {"deciban": json.dumps(about, separators=(",", ":"))}}
    end = 0
    for name, array in arrays.items():
        header[name] = {"dtype": TYPES[name], "shape": [*array.shape], "data_offsets": [end, end := end + array.nbytes]}
    written = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    written += b" " * (-len(written) % 8)
    return len(written).to_bytes(8, "little") + written


def _arrays(
    known: Counts | Frozen, card: Scorecard, expected: Expected | None, kept: npt.NDArray[np.bool_] | None = None
) -> dict[str, tuple[Any, ...]]:
    """The arrays of each group that a file is to hold, in the order of `GROUPS`."""
    import numpy as np

    from ..counts import Counts

    places = (card.indptr, card.label)
    has_own = isinstance(known, Counts) and expected is None and not card.has_places(known.indptr, known.label)
    is_part = isinstance(known, Counts) and kept is not None and not kept.all()
    some: Any = [] if kept is None else np.flatnonzero(kept)
    postings = (known.indptr, known.label) if has_own else places  # type: ignore[union-attr]
    return {
        "lexicon": (known if is_part else card).lexicon.buffers(),
        "postings": (known.documents, *postings),
        **_counted(known, expected),
        "scorecard": (card.bias, card.absent, card.weight),
        **({} if card.pairs is None else {"pairs": card.pairs.buffers}),
        **({"kept": (np.asarray(some, np.uint32),)} if is_part else {}),
        **({"places": places} if has_own else {}),
        **(
            {}
            if card.scaling is None
            else {"scaling": (card.scaling.length, card.scaling.groups, card.scaling.typical)}
        ),
    }


def _counted(known: Counts | Frozen, expected: Expected | None) -> dict[str, tuple[Any, ...]]:
    """The counts, and those that are expected, along the postings of the file."""
    from ..counts import Counts
    from ..halves import Halved
    from ..mixture import aligned

    if not isinstance(known, Counts):
        return {}
    if expected is None:
        halves = {"halves": known.half} if isinstance(known, Halved) else {}
        return {"counts": (known.occurrences, known.presences), **halves}
    counts, count = aligned(known, expected)
    return {"counts": (counts.occurrences, counts.presences), "expected": (count,)}
