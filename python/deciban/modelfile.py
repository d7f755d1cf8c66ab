"""One safe, versioned file: counts, settings and where they came from.

The file is a safetensors file: arrays, memory-mapped when loaded, and a JSON header. Under `deciban` in the header's
metadata stands one JSON object: `format` (a number), `checksum`, `settings`, `labels`, `provenance`. Only the cause is
saved, the counts; weights are derived on loading. Loading never runs code, and what it reads is checked before use.

The checksum is BLAKE2b over the whole file as it would be with 64 zeros in the checksum's place. It and the first bytes
of the file stay the same in every format to come, so that any deciban can tell a damaged file from a newer one. There
is no date in the file: the same examples give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
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
    arrays = dict(zip(_ARRAYS, map(np.asarray, saved.counts.buffers), strict=True))
    unsigned = safetensors(arrays, {"deciban": json.dumps(about, separators=(",", ":"))})
    start = unsigned.index(_UNSIGNED.encode())
    with replacing(path) as file:
        file.write(unsigned[:start])
        file.write(_digest(unsigned).encode())
        file.write(memoryview(unsigned)[start + len(_UNSIGNED) :])


def load(path: str | os.PathLike[str]) -> Saved:
    """Reads a model file; every way in which it can be wrong has its own error."""
    path = Path(path)
    data = _mapped(path)
    header, about = _header(path, data)
    _check_size(path, data, header)
    _check_sum(path, data, about)
    _check_format(path, about)
    try:
        settings = Settings.of(**{**about["settings"], **_pairs(about["settings"])})
        counts = _counts(settings, about["labels"], _buffers(data, header))
        return Saved(counts, settings, tuple(about["provenance"]))
    except (DecibanError, ValueError, KeyError, TypeError) as error:
        raise DamagedModel(path=path, reason=error) from error


def _counts(settings: Settings, labels: list[str], buffers: _core.Buffers) -> Counts:
    _core.check_counts(buffers)
    if labels != sorted(set(labels)) or len(labels) != len(buffers[2]) or not all(type(r) is str for r in labels):
        raise ValueError("its labels do not fit its counts")
    return Counts.of_buffers(settings.terms, labels, buffers)


def _mapped(path: Path) -> npt.NDArray[np.uint8]:
    with reading(path):
        size = path.stat().st_size
        if size < 8 + len(_MAGIC):
            whole = path.read_bytes() if path.is_file() else os.listdir(path)
            if len(whole) > 8 and not _MAGIC.startswith(whole[8:]):  # type: ignore[arg-type]
                raise NotAModel(path=path)
            raise TruncatedModel(path=path, expected=f"over {8 + len(_MAGIC)}", got=size)
        data = np.memmap(path, np.uint8, "r")
    if data[8 : 8 + len(_MAGIC)].tobytes() != _MAGIC:
        raise NotAModel(path=path)
    return data


def _header(path: Path, data: npt.NDArray[np.uint8]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The file's header, and what it says about the model."""
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > len(data) - 8:
        raise TruncatedModel(path=path, expected=f"over {8 + length}", got=len(data))
    try:
        header = json.loads(data[8 : 8 + length].tobytes())
        about = json.loads(header["__metadata__"]["deciban"])
        header["end"] = 8 + length + max(header[name]["data_offsets"][1] for name in _ARRAYS)
        header["start"] = 8 + length
        return header, {"format": about["format"], "checksum": about["checksum"], **about}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DamagedModel(path=path, reason="its header cannot be read") from None


def _check_size(path: Path, data: npt.NDArray[np.uint8], header: dict[str, Any]) -> None:
    if header["end"] > len(data):
        raise TruncatedModel(path=path, expected=header["end"], got=len(data))
    if header["end"] < len(data):
        raise DamagedModel(path=path, reason="it goes on after its end")


def _check_sum(path: Path, data: npt.NDArray[np.uint8], about: dict[str, Any]) -> None:
    if _digest(data, str(about["checksum"])) != about["checksum"]:
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


def _buffers(data: npt.NDArray[np.uint8], header: dict[str, Any]) -> Any:
    """The arrays, mapped from the file."""
    found = []
    for name, dtype in _ARRAYS.items():
        start, end = header[name]["data_offsets"]
        if header[name]["dtype"] != dtype or not 0 <= start <= end <= len(data) - header["start"]:
            raise ValueError(f"{name} is not as it should be")
        array = data[header["start"] + start : header["start"] + end].view(_DTYPES[dtype])
        if not array.flags.aligned:
            raise ValueError(f"{name} is not aligned")
        found.append(np.asarray(array))
    return tuple(found)


def _pairs(settings: dict[str, Any]) -> dict[str, Any]:
    """JSON has no pairs: lengths come back as lists."""
    return {name: tuple(value) for name, value in settings.items() if isinstance(value, list)}
