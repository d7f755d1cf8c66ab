"""`deciban export`: the weights of a model, for other programs.

W and b of x W + b, the score of each label in nats, where x has how often each term occurs in a text. As CSV: a row a
term, a column a label, the bias first. As NumPy's .npz: labels, terms, b and W; or, where W would take over 1 GB, b,
absent, indptr, label and weight: W[j, r] is weight[p] for the p in indptr[j]:indptr[j+1] of label[p]=r, else absent[r].
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from . import options

SUMMARY = "write a model's weights for other programs"
EXAMPLE = "deciban export mail.deciban -o weights.csv"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, and where to write its weights."""
    options.add_model(parser)
    output = "the file to write, by its ending: .csv or .npz (default: weights.csv)"
    parser.add_argument("-o", "--output", default="weights.csv", metavar="FILE", help=output)


def run(given: Namespace) -> None:
    """Writes the weights."""
    from ..classifier import load
    from ..files import check_writable

    check_writable(given.output, given.model)
    classifier = load(given.model)
    classifier.export(given.output)
    print(f"{len(classifier.lexicon):,} terms x {len(classifier.labels):,} labels, saved as {given.output}")
