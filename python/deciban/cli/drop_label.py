"""`deciban drop-label`: a model without some of its labels, exactly as if trained without their examples."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from . import changes

SUMMARY = "forget labels with all their examples"
EXAMPLE = 'deciban drop-label mail.deciban newsletter "no idea"'


def add_arguments(parser: ArgumentParser) -> None:
    """The model and the labels."""
    changes.add_labels(parser, "a label that shall go")


def run(given: Namespace) -> None:
    """Drops the labels."""
    classifier = changes.loaded(given).drop_labels(given.labels)
    changes.save(given, classifier, str(classifier.provenance[-1]["source"]))
