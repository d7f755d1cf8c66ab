"""`deciban freeze`: a smaller model file that answers and explains the same, without the counts.

It cannot learn, forget, merge or leave one out any more: keep the model that it was made from.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from . import options, screen

SUMMARY = "make a smaller file that only answers and explains"
EXAMPLE = "deciban freeze mail.deciban -o small.deciban"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, and the file to write."""
    options.add_model(parser)
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="the model file to write")
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Saves the model without its counts, and says how much smaller it is."""
    from ..files import check_writable
    from ..loading import load

    check_writable(given.output, given.model)
    load(given.model).save(given.output, frozen=True)
    before, after = map(os.path.getsize, (given.model, given.output))
    if given.json:
        screen.write_json({"model": given.output, "bytes": after, "bytes_before": before})
    else:
        print(f"froze {given.model}; {given.output} has {after:,} bytes instead of {before:,} ({after / before:.0%})")
