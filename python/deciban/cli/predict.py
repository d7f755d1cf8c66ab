"""`deciban predict`: a file of texts -> their labels.

Writes one row for each row read, in order and as they arrive: the label, and its probability.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ..files import csv_writer
from . import options, screen

if TYPE_CHECKING:
    from ..examples import Batch
    from ..modelfile import Saved

SUMMARY = "label texts"
EXAMPLE = "deciban predict mail.deciban new.csv --keep id > answers.csv"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the texts, and what to write of them."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="texts; - reads standard input (default: -)")
    add("-o", "--output", metavar="FILE", help="where to write; by default standard output")
    keep = "copy this column to the output (label as given_label); may be repeated"
    add("--keep", action="append", default=[], metavar="COLUMN", help=keep)
    add("--proba", action="store_true", help="write the probability of every label")
    options.add_source(parser, labelled=False)
    options.add_threads(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Labels every text as it arrives. Without NumPy, which takes longer to import than all the rest."""
    from dataclasses import replace

    from ..modelfile import load

    source = options.source(given, labelled=False, keep=tuple(given.keep))
    saved = load(given.model)
    threads = replace(saved.settings, threads=given.threads).cores
    with screen.stream(given.output) as stream, screen.progress(f"reading {given.file}", source.size) as progress:
        writer = (_JsonLines if given.json else _Csv)(stream, saved.labels, _names(source.keep), every=given.proba)
        for batch in source.batches(progress):
            for row in _answers(saved, batch, threads):
                writer.write(*row)
            stream.flush()
        writer.begin()


def _answers(saved: Saved, batch: Batch, threads: int) -> Iterator[tuple[list[Any], str, float, list[float]]]:
    """For each text: the values that are kept, its label, that label's probability, those of all labels."""
    kept = batch.kept or [[]] * len(batch.texts)
    for values, (label, row) in zip(kept, saved.answers(batch.texts, batch.where, threads), strict=True):
        yield values, saved.labels[label], row[label], row


def _names(keep: Sequence[str]) -> list[str]:
    """What kept columns are called: as before, but never as what is answered."""
    return [f"given_{column}" if column in ("label", "probability", "probabilities") else column for column in keep]


class _Csv:
    def __init__(self, stream: TextIO, labels: tuple[str, ...], keep: list[str], *, every: bool) -> None:
        self._every = every
        self._writer = csv_writer(stream)
        self._header = [*keep, "label", "probability", *(f"p({label})" for label in labels if every)]

    def begin(self) -> None:
        """Writes the names of the columns, once: only when there is an answer, or none is to be had."""
        if self._header:
            self._writer.writerow(self._header)
            self._header = []

    def write(self, kept: list[Any], label: str, probability: float, row: list[float]) -> None:
        self.begin()
        values = [value if isinstance(value, str) else json.dumps(value) for value in kept]
        self._writer.writerow([*values, label, f"{probability:.6g}", *(f"{p:.6g}" for p in row if self._every)])


class _JsonLines:
    def __init__(self, stream: TextIO, labels: tuple[str, ...], keep: list[str], *, every: bool) -> None:
        self._stream, self._labels, self._keep, self._every = stream, labels, keep, every

    def begin(self) -> None:
        """Each answer names its values itself."""

    def write(self, kept: list[Any], label: str, probability: float, row: list[float]) -> None:
        answer = {**dict(zip(self._keep, kept, strict=True)), "label": label, "probability": probability}
        if self._every:
            answer["probabilities"] = dict(zip(self._labels, row, strict=True))
        self._stream.write(json.dumps(answer, ensure_ascii=False) + "\n")
