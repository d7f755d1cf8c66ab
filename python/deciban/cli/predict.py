"""`deciban predict`: a file of texts -> their labels, one row out for each row in."""

from __future__ import annotations

import codecs
import contextlib
import csv
import json as json_
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from . import options, screen

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..examples import Batch

EPILOG = "Example: deciban predict mail.deciban new.csv --keep id > answers.csv"


def predict(
    model: options.Model,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Texts; - reads standard input.")] = "-",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write; by default standard output.", show_default=False
        ),
    ] = None,
    text: options.Text = "text",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Copy this column to the output (label as given_label); may be repeated.",
            show_default=False,
        ),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Write the probability of every label.")] = False,
    where: options.Where = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    delimiter: options.Delimiter = None,
    threads: options.Threads = None,
    json: options.Json = False,
) -> None:
    """Label the texts of a file.

    Writes one row for each row read, in order and as they arrive: the label, and its probability.
    """
    from ..classifier import load
    from ..examples import Source

    source = Source(file, text, None, options.conditions(where), tuple(keep or ()), format, encoding, delimiter)
    classifier = load(model).with_threads(threads)
    with _open(output) as stream, screen.progress(f"reading {file}", source.size) as progress:
        writer = (_JsonLines if json else _Csv)(stream, classifier.labels, _names(source.keep), every=proba)
        for batch in source.batches(progress):
            for row in _answers(classifier, batch):
                writer.write(*row)
            stream.flush()
        writer.begin()


def _answers(classifier: Classifier, batch: Batch) -> Iterator[tuple[list[Any], str, float, list[float]]]:
    """For each text: the values that are kept, its label, that label's probability, those of all labels."""
    from ..decision import most_probable, posterior

    scores = classifier.scores(batch.texts, batch.where)
    best, probabilities = most_probable(scores), posterior(scores)
    kept = batch.kept or [[]] * len(batch.texts)
    for values, label, row in zip(kept, best.tolist(), probabilities.tolist(), strict=True):
        yield values, classifier.labels[label], row[label], row


def _names(keep: Sequence[str]) -> list[str]:
    """What kept columns are called: as before, but never as what is answered."""
    return [f"given_{column}" if column in ("label", "probability", "probabilities") else column for column in keep]


@contextlib.contextmanager
def _open(output: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that is replaced when all is written."""
    from ..files import replacing

    with contextlib.nullcontext(sys.stdout.buffer) if output is None else replacing(output) as binary:
        # No TextIOWrapper: one that cannot write its last line closes standard output for everybody.
        stream = codecs.getwriter("utf-8")(binary, "backslashreplace")
        yield cast("TextIO", stream)
        stream.flush()


class _Csv:
    def __init__(self, stream: TextIO, labels: tuple[str, ...], keep: list[str], *, every: bool) -> None:
        self._every = every
        self._writer = csv.writer(_LineFeeds(stream))
        self._header = [*keep, "label", "probability", *(f"p({label})" for label in labels if every)]

    def begin(self) -> None:
        """Writes the names of the columns, once: only when there is an answer, or none is to be had."""
        if self._header:
            self._writer.writerow(self._header)
            self._header = []

    def write(self, kept: list[Any], label: str, probability: float, row: list[float]) -> None:
        self.begin()
        values = [value if isinstance(value, str) else json_.dumps(value) for value in kept]
        self._writer.writerow([*values, label, f"{probability:.6g}", *(f"{p:.6g}" for p in row if self._every)])


class _LineFeeds:
    """Ends rows with a line feed alone. Were csv told to do so itself, it would quote no carriage return."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> int:
        return self._stream.write(row.removesuffix("\r\n") + "\n")


class _JsonLines:
    def __init__(self, stream: TextIO, labels: tuple[str, ...], keep: list[str], *, every: bool) -> None:
        self._stream, self._labels, self._keep, self._every = stream, labels, keep, every

    def begin(self) -> None:
        """Each answer names its values itself."""

    def write(self, kept: list[Any], label: str, probability: float, row: list[float]) -> None:
        answer = {**dict(zip(self._keep, kept, strict=True)), "label": label, "probability": probability}
        if self._every:
            answer["probabilities"] = dict(zip(self._labels, row, strict=True))
        self._stream.write(json_.dumps(answer, ensure_ascii=False) + "\n")
