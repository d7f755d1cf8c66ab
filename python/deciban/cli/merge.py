"""`deciban merge`: one model that knows what several know.

Exactly as if it had been trained on the examples of all. Their settings must be the same.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from ..errors import NotForSeveral
from . import changes, options, screen

SUMMARY = "merge models into one"
EXAMPLE = "deciban merge monday.deciban tuesday.deciban wednesday.deciban -o week.deciban"


def add_arguments(parser: ArgumentParser) -> None:
    """The models, and the one to write."""
    options.add_model(parser)
    add = parser.add_argument
    add("others", nargs="+", metavar="MODEL", help="the models to merge it with")
    add("-o", "--output", required=True, metavar="OUT", help="the model file to write")
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Adds up all models, one at a time."""
    sizes = [os.path.getsize(path) if os.path.isfile(path) else 0 for path in (given.model, *given.others)]
    merged: Any = changes.any_loaded(given)
    with screen.progress("merging", sum(sizes)) as progress:
        for number, path in enumerate(given.others, start=2):
            other: Any = changes.any_with_counts(path)
            if type(other) is not type(merged):
                raise NotForSeveral(what=f"merging with {path}", expected="models that were all trained with --several")
            merged += other
            if progress is not None:
                progress(sum(sizes[:number]))
    changes.save(given, merged, f"merged {len(sizes):,} models")
