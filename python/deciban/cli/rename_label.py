"""`deciban rename-label`: another name for a label.

Where the model has a label of that name already, the two become one, exactly as if it had been trained so; there is no
way back.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from . import changes, options

SUMMARY = "rename a label, or let two become one"
EXAMPLE = "deciban rename-label mail.deciban junk spam"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the label and its new name."""
    options.add_model(parser)
    parser.add_argument("old", metavar="OLD", help="the label")
    parser.add_argument("new", metavar="NEW", help="its new name; may be that of another label")
    changes.add_output(parser)


def run(given: Namespace) -> None:
    """Renames the label, and says so where two became one."""
    classifier = changes.loaded(given)
    one = ", which was there: the two are one" if given.new in {*classifier.labels} - {given.old} else ""
    classifier.rename_label(given.old, given.new)
    changes.save(given, classifier, f"{classifier.provenance[-1]['source']}{one}")
