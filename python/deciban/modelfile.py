"""One safe, versioned file: counts, settings and where they came from.

The file is a safetensors file: arrays and a JSON header. Under `deciban` in the header's metadata stands one JSON
object: `format` (a number), `checksum`, `settings`, `labels`, `provenance`. Only the cause is saved, the counts;
weights are derived on loading. Loading never runs code, and what it reads is checked before use. The arrays are mapped
from the file, not copied: a model file is replaced by a new one, never written over, so a map stays what was checked.
(Whoever copies another file over one that is in use, instead of moving it there, changes it under the map.)

The checksum is BLAKE2b over the whole file as it would be with 64 zeros in the checksum's place. It and the first bytes
of the file stay the same in every format to come, so that any deciban can tell a damaged file from a newer one. There
is no date in the file: the same examples give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .counts import Counts
from .errors import (
    DamagedModel,
    DecibanError,
    NewerModel,
    NotAModel,
    OlderModel,
    TruncatedModel,
    reading,
)
from .examples import labels_of
from .files import replacing
from .settings import Settings

OLDEST, NEWEST = 1, 1
_MAGIC = b'{"__metadata__":{"deciban":"{\\"format\\":'
_UNSIGNED = "0" * 64
_ARRAYS = {
    "names": "U8",
    "offsets": "I64",
    "documents": "I64",
    "indptr": "I64",
    "label": "U32",
    "occurrences": "I64",
    "presences": "I64",
}
_SENSELESS = "its header makes no sense"
_DTYPES = {"U8": np.uint8, "U32": np.uint32, "I64": np.int64}


@dataclass(frozen=True)
class Saved:
    """What a model file holds."""

    counts: Counts
    settings: Settings
    provenance: tuple[dict[str, Any], ...]


def save(path: str | os.PathLike[str], saved: Saved) -> None:
    """Writes a model file, whole or not at all."""
    from safetensors.numpy import save as safetensors

    about = {
        "format": NEWEST,
        "checksum": _UNSIGNED,
        "settings": saved.settings.as_dict(),
        "labels": saved.counts.labels,
        "provenance": saved.provenance,
    }
    lexicon, *counted = saved.counts.buffers
    arrays = dict(zip(_ARRAYS, map(np.asarray, [*lexicon.buffers(), *counted]), strict=True))
    unsigned = safetensors(arrays, {"deciban": json.dumps(about, separators=(",", ":"))})
    start = unsigned.index(_UNSIGNED.encode())
    with replacing(path) as file:
        file.write(unsigned[:start])
        file.write(_digest(unsigned).encode())
        file.write(memoryview(unsigned)[start + len(_UNSIGNED) :])


def load(path: str | os.PathLike[str]) -> Saved:
    """Reads a model file; every way in which it can be wrong has its own error."""
    path = Path(path)
    data = _bytes(path)
    about, arrays, start = _header(path, data)
    _check_size(path, data, start, arrays)
    _check_sum(path, data, about)
    _check_format(path, about)
    try:
        settings = _settings(about["settings"])
        names, offsets, *counted = _buffers(data[start:], arrays)
        lexicon = _core.Lexicon(settings.terms.core, names, offsets)
        counts = _counts(settings, about["labels"], (lexicon, *counted))
        return Saved(counts, settings, _provenance(about["provenance"]))
    except (DecibanError, ValueError) as error:
        raise DamagedModel(path=path, reason=error) from error
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise DamagedModel(path=path, reason=_SENSELESS) from error


def _bytes(path: Path) -> npt.NDArray[np.uint8]:
    """The file's bytes, which begin as those of a model do."""
    with reading(path):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe would let us wait for ever
            raise NotAModel(path=path)
        with path.open("rb") as file:
            _check_head(path, file.read(8 + len(_MAGIC)))
            return np.asarray(np.memmap(file, np.uint8, "r"))


def _check_head(path: Path, head: bytes) -> None:
    if not _MAGIC.startswith(head[8:]):
        raise NotAModel(path=path)
    if len(head) < 8 + len(_MAGIC):
        if any(head[4:8]):  # what there is of the header's length says that no header can have followed
            raise NotAModel(path=path)
        raise TruncatedModel(path=path, expected=f"over {8 + len(_MAGIC)}", got=len(head))


def _header(path: Path, data: npt.NDArray[np.uint8]) -> tuple[dict[str, Any], dict[str, Any], int]:
    """What the header says about the model, about its arrays, and where those start."""
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    if start >= 1 << 32:
        raise DamagedModel(path=path, reason=_SENSELESS)
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
    raise DamagedModel(path=path, reason=_SENSELESS)


def _check_size(path: Path, data: npt.NDArray[np.uint8], start: int, arrays: dict[str, Any]) -> None:
    end = start + max((array["data_offsets"][1] for array in arrays.values()), default=0)
    if end > len(data):
        raise TruncatedModel(path=path, expected=end, got=len(data))
    if end < len(data):
        raise DamagedModel(path=path, reason="it goes on after its end")


def _check_sum(path: Path, data: npt.NDArray[np.uint8], about: dict[str, Any]) -> None:
    checksum = about["checksum"]
    if not checksum.isascii() or _digest(data, checksum) != checksum:
        raise DamagedModel(path=path, reason="its checksum does not fit")


def _check_format(path: Path, about: dict[str, Any]) -> None:
    if about["format"] > NEWEST:
        raise NewerModel(path=path, got=about["format"], known=NEWEST)
    if about["format"] < OLDEST:
        raise OlderModel(path=path, got=about["format"], known=OLDEST)


def _digest(data: Any, checksum: str = _UNSIGNED) -> str:
    """BLAKE2b of a file with zeros for its checksum, which stands in its first bytes."""
    head = bytes(data[: len(_MAGIC) + 256])
    digest = hashlib.blake2b(head.replace(checksum.encode(), _UNSIGNED.encode(), 1), digest_size=32)
    digest.update(memoryview(data)[len(head) :])
    return digest.hexdigest()


def _settings(given: dict[str, Any]) -> Settings:
    """JSON has no pairs: lengths come back as lists."""
    for name in given.keys() - Settings().as_dict().keys():
        raise ValueError(f"{name!r} is not a setting of a model")
    return Settings.of(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def _counts(settings: Settings, labels: list[str], buffers: _core.Buffers) -> Counts:
    _core.check_counts(buffers)
    documents = buffers[1]
    sorted_ = labels_of(labels, labels) == sorted(set(labels))
    if not sorted_ or len(labels) != len(documents) or not (documents > 0).all():
        raise ValueError("its labels do not fit its counts")
    return Counts.of_buffers(settings.terms, labels, buffers)


def _provenance(given: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    for part in given:
        if type(part["source"]) is not str or type(part["examples"]) is not int:
            raise ValueError("where it came from cannot be read")
    return tuple(given)


def _buffers(data: npt.NDArray[np.uint8], arrays: dict[str, Any]) -> Any:
    """The arrays of the file, which they fill without a gap and without sharing a byte."""
    if arrays.keys() != _ARRAYS.keys():
        raise ValueError("its arrays are not those of a model")
    spans = [arrays[name]["data_offsets"] for name in _ARRAYS]
    starts, ends = sorted(start for start, _ in spans), sorted(end for _, end in spans)
    if starts != [0, *ends[:-1]]:
        raise ValueError("its arrays overlap, or leave a gap")
    return tuple(_array(data, name, arrays[name]) for name in _ARRAYS)


def _array(data: npt.NDArray[np.uint8], name: str, about: dict[str, Any]) -> npt.NDArray[Any]:
    start, end = about["data_offsets"]
    size, rest = divmod(end - start, np.dtype(_DTYPES[_ARRAYS[name]]).itemsize)
    if about["dtype"] == _ARRAYS[name] and about["shape"] == [size] and not rest:
        array = data[start:end].view(_DTYPES[_ARRAYS[name]])
        if array.flags.aligned:
            return array
    raise ValueError(f"its array {name!r} is not as it should be")
