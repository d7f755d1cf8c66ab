"""A path as tables: for machines (CSV, JSON), and the steps of it that people are shown."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..evaluation.table import ending_of
from ..files import csv_writer, replacing
from . import Path

ENDINGS = (".csv", ".json")
ENDINGS_OF_STEPS = (".csv",)


def save(path: str | os.PathLike[str], found: Path) -> None:
    """Writes it as the name ends: the entries as CSV, all of it as JSON."""
    if ending_of(path, ENDINGS) == ".json":
        text = json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n"
    else:
        text = _csv(["place", "name", "term", "label", "step", "lambda", "sign", "weight"], _numbered(found))
    with replacing(path) as file:
        file.write(text.encode())


def save_steps(path: str | os.PathLike[str], found: Path) -> None:
    """Writes a line a step."""
    ending_of(path, ENDINGS_OF_STEPS)
    steps = [{"step": place, **step.as_dict()} for place, step in enumerate(found.steps, start=1)]
    with replacing(path) as file:
        file.write(_csv(list(steps[0]), steps).encode())


def _numbered(found: Path) -> Iterable[dict[str, Any]]:
    return ({"place": place, **entry.as_dict()} for place, entry in enumerate(found.entries, start=1))


def _csv(columns: list[str], lines: Iterable[Mapping[str, Any]]) -> str:
    writer = csv_writer(stream := io.StringIO())
    writer.writerow(columns)
    writer.writerows([line[column] for column in columns] for line in lines)
    return stream.getvalue()


def shown(found: Path, most: int = 12) -> list[int]:
    """The steps that people are shown: some, evenly, and the best and the chosen one."""
    evenly = np.linspace(0, len(found.steps) - 1, min(most, len(found.steps))).round().astype(int)
    return sorted({*evenly.tolist(), found.best, found.chosen})
