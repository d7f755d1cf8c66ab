"""`deciban keep-labels`: a model of some labels alone, exactly as if trained on their examples alone."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from . import changes

SUMMARY = "forget all labels but some"
EXAMPLE = "deciban keep-labels mail.deciban ham spam -o two.deciban"


def add_arguments(parser: ArgumentParser) -> None:
    """The model and the labels."""
    changes.add_labels(parser, "a label that shall stay")


def run(given: Namespace) -> None:
    """Keeps the labels, and drops the others."""
    classifier = changes.loaded(given).keep_labels(given.labels)
    changes.save(given, classifier, str(classifier.provenance[-1]["source"]))
