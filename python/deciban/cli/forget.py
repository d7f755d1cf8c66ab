"""`deciban forget`: labelled texts that a model shall forget, exactly as if it had never seen them.

Refused, and nothing changed, where one of them was never learnt.
"""

from __future__ import annotations

from argparse import Namespace

from . import changes

SUMMARY = "forget labelled texts that were learnt"
EXAMPLE = "deciban forget mail.deciban mistakes.csv -o better.deciban"
add_arguments = changes.add_examples


def run(given: Namespace) -> None:
    """Forgets all examples of a file."""
    changes.by_examples(given, learn=False)
