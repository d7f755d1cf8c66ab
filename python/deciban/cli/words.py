"""`deciban words`: the strongest words of a label, or of each.

The weight of a term, in decibans, is what it adds, seen once, to the odds of the label against all other labels
together, each as likely as its prior; or against one other label. Beside it: in how many training texts of the label
the term is, and in how many of the others. Terms that are not single words have the names that `explain` shows.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from . import options, screen
from .changes import with_counts

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..evidence.words import Word

SUMMARY = "show the strongest words of a label"
EXAMPLE = "deciban words mail.deciban --label spam --against ham --top 20"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the labels, and how many words of which to show."""
    options.add_model(parser)
    add = parser.add_argument
    add("--label", metavar="LABEL", help="the label whose words to show; by default each")
    add("--against", metavar="LABEL", help="the label to weigh them against; by default all others together")
    add("--top", type=options.positive, metavar="N", help="how many words (default: 30, or 10 of each label)")
    documents = "leave out words of fewer texts of the label (default: 2, or one text in a hundred)"
    add("--min-documents", type=options.positive, metavar="N", help=documents)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Shows a table of words for each label."""
    classifier = with_counts(given.model)
    top = given.top or (10 if given.label is None else 30)
    found = classifier.words(given.label, given.against, top, given.min_documents)
    if given.json:
        screen.write_json([_named(word, classifier.settings.unit) for word in found])
        return
    for label in classifier.labels if given.label is None else [given.label]:
        if label != given.against:
            _print([word for word in found if word.label == label], classifier, label, given.against)
    least = "2 texts, or one in a hundred," if given.min_documents is None else f"{given.min_documents} texts"
    rival = given.against or "all other labels together"
    before = "" if classifier.calibration is None or not classifier.calibration.is_map else ", before calibration"
    print(f"{classifier.settings.unit} for the label against {rival}, for one occurrence{before}")
    print(f"words that are in at least {least} of the label (--min-documents)")


def _named(word: Word, unit: str) -> dict[str, object]:
    """A word for JSON; its weight by the name of its unit."""
    about = {unit if name == "decibans" else name: value for name, value in word._asdict().items()}
    return {"name": word.name, **about, unit: screen.finite(word.decibans)}


def _print(words: list[Word], classifier: Classifier, label: str, against: str | None) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..evidence.terminal import WIDTH, bar

    documents = classifier.documents
    others = sum(documents.values()) - documents[label] if against is None else documents[against]
    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column(Text(label, "bold"), justify="right", max_width=32, overflow="ellipsis", no_wrap=True)
    table.add_column(width=WIDTH)
    columns = (
        classifier.settings.unit,
        f"of {documents[label]:,} texts",
        f"of {others:,} {'others' if against is None else against}",
    )
    for column in columns:
        table.add_column(Text(column), justify="right", no_wrap=True)
    for word in words:
        share = 1.0 if word.decibans == words[0].decibans else word.decibans / words[0].decibans  # both may be infinite
        length = Text(bar(share), "green")
        table.add_row(Text(word.name), length, f"{word.decibans:+.1f}", f"{word.documents:,}", f"{word.others:,}")
    screen.console().print(table)
