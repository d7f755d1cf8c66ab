"""`deciban sample`: documents as a model imagines them.

Labels are drawn from the prior, unless one is given, and then terms from the label's own. What comes out are bags of
terms, one document a line, as JSON with label and text: order means nothing, and terms that are not single words (runs
of words or of characters, buckets) stand there by the names that explain shows. It shows what a model has learnt, and
is itself something to train on. The same seed gives the same documents.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from . import options, screen
from .changes import with_counts

SUMMARY = "draw documents from a model"
EXAMPLE = "deciban sample mail.deciban --label spam -n 5 --seed 1"
AT_ONCE = 1000  # documents


def add_arguments(parser: ArgumentParser) -> None:
    """The model, and what to draw from it."""
    options.add_model(parser)
    add = parser.add_argument
    add("--label", metavar="LABEL", help="the label of the documents; by default drawn from the prior")
    add("-n", default=10, type=options.positive, metavar="N", help="how many documents (default: 10)")
    length = "how many terms a document; by default about as many as the label's documents have (Poisson)"
    add("--length", type=options.positive, metavar="N", help=length)
    add(
        "--seed",
        type=options.whole,
        metavar="NUMBER",
        help="draw the same documents again; by default others each time",
    )
    add("-o", "--output", metavar="FILE", help="where to write; by default standard output")


def run(given: Namespace) -> None:
    """Draws, and writes as it draws."""
    import numpy as np

    classifier = with_counts(given.model)
    rng = np.random.default_rng(given.seed)
    with screen.stream(given.output) as stream:
        for start in range(0, given.n, AT_ONCE):
            n = min(AT_ONCE, given.n - start)
            for drawn in classifier.sample(n, given.label, given.length, rng):
                stream.write(json.dumps(drawn._asdict(), ensure_ascii=False) + "\n")
