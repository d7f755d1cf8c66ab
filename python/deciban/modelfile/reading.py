"""A file becomes a model, or one of the errors of a file."""

from __future__ import annotations

import json
import mmap
import os
import stat
from array import array
from typing import Any

from .. import _core
from ..errors import (
    DamagedModel,
    DecibanError,
    ModelFileError,
    NewerModel,
    NotAModel,
    OlderModel,
    TruncatedModel,
    UnknownContent,
    listed,
    reading,
)
from ..examples import labels_of
from .checks import calibration_of, check, several_of, threshold_of
from .format import GROUPS, MAGIC, MUST, NEWEST, OLDEST, SENSELESS, TYPES, UNSIGNED, digest
from .provenance import provenance_of, settings_of
from .saved import Saved

_CODES = {"U8": "B", "U32": "I", "I64": "q", "F16": "H", "F64": "d"}


def load(path: str | os.PathLike[str]) -> Saved:
    """Reads a model file; every way in which it can be wrong has its own error."""
    data = _bytes(path)
    about, arrays, start = _header(path, data)
    _check_size(path, data, start, arrays)
    _check_sum(path, data, about)
    _check_format(path, about)
    try:
        return _saved(about, _buffers(data, start, arrays, _groups(path, about)))
    except ModelFileError:
        raise
    except (DecibanError, ValueError) as error:
        raise DamagedModel(path=path, reason=error) from error
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise DamagedModel(path=path, reason=SENSELESS) from error


def _saved(about: dict[str, Any], buffers: dict[str, memoryview]) -> Saved:
    """All of it, or an error that says what is wrong."""
    every = 1 if "several" in about else 0  # the label of all texts is no label of any
    settings, labels = settings_of(about["settings"]), about["labels"]
    labels = [*labels[:every], *labels_of(labels[every:])]
    lexicon = _core.Lexicon(settings.terms.core, buffers["names"], buffers["offsets"])
    calibrated = calibration_of(about.get("calibration"), buffers)
    several = several_of(about.get("several"), labels, buffers)
    made = calibrated, several, threshold_of(about.get("threshold"), labels, buffers)
    saved = Saved(settings, tuple(labels), provenance_of(about["provenance"]), lexicon, buffers, *made)
    check(saved)
    return saved


def _bytes(path: str | os.PathLike[str]) -> memoryview:
    """The file's bytes, which begin as those of a model do."""
    with reading(path):
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe would let us wait for ever
            raise NotAModel(path=path)
        with open(path, "rb") as file:
            _check_head(path, file.read(8 + len(MAGIC)))
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _check_head(path: str | os.PathLike[str], head: bytes) -> None:
    if not MAGIC.startswith(head[8:]):
        raise NotAModel(path=path)
    if len(head) < 8 + len(MAGIC):
        if any(head[4:8]):  # what there is of the header's length says that no header can have followed
            raise NotAModel(path=path)
        raise TruncatedModel(path=path, expected=f"over {8 + len(MAGIC)}", got=len(head))


def _header(path: str | os.PathLike[str], data: memoryview) -> tuple[dict[str, Any], dict[str, Any], int]:
    """What the header says about the model, about its arrays, and where those start."""
    start = 8 + int.from_bytes(data[:8], "little")
    if start >= 1 << 32:
        raise DamagedModel(path=path, reason=SENSELESS)
    if start > len(data):
        raise TruncatedModel(path=path, expected=f"over {start}", got=len(data))
    try:
        arrays = json.loads(data[8:start].tobytes())
        about = json.loads(arrays.pop("__metadata__")["deciban"])
        spans = [tuple(map(type, array["data_offsets"])) for array in arrays.values()]
        if type(about["format"]) is int and type(about["checksum"]) is str and set(spans) <= {(int, int)}:
            return about, arrays, start
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise DamagedModel(path=path, reason=SENSELESS)


def _check_size(path: str | os.PathLike[str], data: memoryview, start: int, arrays: dict[str, Any]) -> None:
    end = start + max((array["data_offsets"][1] for array in arrays.values()), default=0)
    if end > len(data):
        raise TruncatedModel(path=path, expected=end, got=len(data))
    if end < len(data):
        raise DamagedModel(path=path, reason="it goes on after its end")


def _check_sum(path: str | os.PathLike[str], data: memoryview, about: dict[str, Any]) -> None:
    checksum = about["checksum"].encode(errors="replace")
    head = bytes(data[: len(MAGIC) + 256])  # in which the checksum stands
    if digest(head.replace(checksum, UNSIGNED.encode(), 1), data[len(head) :]).encode() != checksum:
        raise DamagedModel(path=path, reason="its checksum does not fit")


def _check_format(path: str | os.PathLike[str], about: dict[str, Any]) -> None:
    if about["format"] > NEWEST:
        raise NewerModel(path=path, got=about["format"], known=NEWEST)
    if about["format"] < OLDEST:
        raise OlderModel(path=path, got=about["format"], known=OLDEST)


def _groups(path: str | os.PathLike[str], about: dict[str, Any]) -> list[str]:
    """The groups of arrays that the file holds, in the order of `GROUPS`."""
    must = MUST[about["format"]]
    named = about["groups"] if about["format"] > 2 else must
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise ValueError(SENSELESS)
    if unknown := set(named) - GROUPS.keys():
        raise UnknownContent(path=path, got=listed(sorted(unknown)))
    if missing := [name for name in must if name not in named]:
        raise ValueError(f"it has no {missing[0]}")
    return [name for name in GROUPS if name in named]


def _buffers(data: memoryview, start: int, arrays: dict[str, Any], groups: list[str]) -> dict[str, memoryview]:
    """The arrays of the file, which they fill without a gap and without sharing a byte."""
    expected = [name for group in groups for name in GROUPS[group]]
    if arrays.keys() != set(expected):
        raise ValueError("its arrays are not those of a model")
    spans = [arrays[name]["data_offsets"] for name in expected]
    starts, ends = sorted(start for start, _ in spans), sorted(end for _, end in spans)
    if starts != [0, *ends[:-1]]:
        raise ValueError("its arrays overlap, or leave a gap")
    return {name: _buffer(data, start, name, arrays[name]) for name in expected}


def _buffer(data: memoryview, origin: int, name: str, about: dict[str, Any]) -> memoryview:
    start, end = (origin + offset for offset in about["data_offsets"])
    zero: Any = array(_CODES[TYPES[name]], [0])
    size, rest = divmod(end - start, zero.itemsize)
    is_aligned = not rest and start % zero.itemsize == 0  # a map begins with a page
    if about["dtype"] == TYPES[name] and about["shape"] == [size] and is_aligned:
        # Python casts no view that is empty.
        return data[start:end].cast(zero.typecode) if size else memoryview(zero).toreadonly()[:0]
    raise ValueError(f"its array {name!r} is not as it should be")
