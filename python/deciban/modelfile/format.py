"""What stands in a model file, and under which names; its checksum."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

OLDEST, NEWEST = 1, 3
MAGIC = b'{"__metadata__":{"deciban":"{\\"format\\":'
UNSIGNED = "0" * 64
# The arrays of each group, and what they are made of. No two have the same name.
GROUPS = {
    "lexicon": {"names": "U8", "offsets": "I64"},
    "postings": {"documents": "I64", "indptr": "I64", "label": "U32"},
    "counts": {"occurrences": "I64", "presences": "I64"},
    "expected": {"expected": "F64"},
    "halves": {"half_documents": "I64", "half_occurrences": "I64", "half_presences": "I64"},
    "scorecard": {"bias": "F64", "absent": "F64", "weight": "F64"},
    "pairs": {"first": "U32", "second": "U32", "together": "F64"},
    "kept": {"kept": "U32"},
    "worth": {"worth": "F64"},
    "places": {"card_indptr": "I64", "card_label": "U32"},
    "scaling": {"length": "F64", "groups": "U32", "typical": "F64"},
    "axes": {"axis_t": "F64", "axis_subset": "U32", "axis": "F16"},
    "trees": {
        "tree_start": "I64",
        "tree_feature": "U32",
        "tree_threshold": "F64",
        "tree_left": "U32",
        "tree_right": "U32",
        "tree_p": "F64",
    },
    "calibration": dict.fromkeys(("temper", "origin", "slope", "shift", "across", "knots"), "F64"),
    "conformal": {"away": "F64", "away_of_label": "F64", "away_ends": "I64"},
    "odds": {"odds_slope": "F64", "odds_shift": "F64", "threshold": "F64"},
    "threshold": {"least_odds": "F64"},
}
TYPES = {name: kind for arrays in GROUPS.values() for name, kind in arrays.items()}
NUMPY = {"I64": "<i8", "F64": "<f8", "U32": "<u4", "F16": "<f2", "U8": "u1"}  # in the order in which arrays stand
# What a file of each format must hold; before the third it holds no more than that, and does not say so.
MUST = {
    1: ["lexicon", "postings", "counts"],
    2: ["lexicon", "postings", "counts", "scorecard"],
    3: ["lexicon", "postings", "scorecard"],
}
COUNTED = (*GROUPS["postings"], *GROUPS["counts"])
GREATEST = (1 << 63) - 1
MOST = 1e100  # that a weight is
SENSELESS = "its header makes no sense"


def digest(*parts: Buffer) -> str:
    """BLAKE2b of a file that has zeros for its checksum, part by part."""
    hashed = hashlib.blake2b(digest_size=32)
    for part in parts:
        hashed.update(part)
    return hashed.hexdigest()
