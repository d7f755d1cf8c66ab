"""`deciban learn`: more labelled texts for a model, exactly as if it had been trained on all.

Fitted models (logistic, hinge, nbsvm, nblogistic) go on from their weights, which is near to that, not the same. New
labels are fine. The model is changed only when the whole file was read.
"""

from __future__ import annotations

from argparse import Namespace

from . import changes

SUMMARY = "learn more labelled texts"
EXAMPLE = "deciban learn mail.deciban more.csv"
add_arguments = changes.add_examples


def run(given: Namespace) -> None:
    """Learns all examples of a file."""
    changes.by_examples(given, learn=True)
