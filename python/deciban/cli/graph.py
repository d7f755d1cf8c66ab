"""`deciban graph`: a model as a Bayes network, drawn (.svg) or for other programs (.bif).

The terms that tell most of the label, with arrows from it, and from term to term where the model has them (tan). A .bif
file holds the same with all its probabilities, for pgmpy and others.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from . import options, screen

SUMMARY = "draw a model as a Bayes network"
EXAMPLE = "deciban graph mail.deciban --top 30 -o mail.svg"
ENDINGS = (".svg", ".bif")


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the file to write, and how much to show."""
    options.add_model(parser)
    output = "the file to write, .svg or .bif (default: network.svg)"
    parser.add_argument("-o", "--output", default="network.svg", metavar="FILE", help=output)
    top = "how many terms, those that tell most of the label (default: 20)"
    parser.add_argument("--top", default=20, type=options.positive, metavar="N", help=top)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Writes the network, and says what is in it."""
    from ..classifier import load
    from ..errors import UnknownEnding
    from ..files import check_writable, replacing

    ending = os.path.splitext(given.output)[1].lower()
    if ending not in ENDINGS:
        raise UnknownEnding(path=given.output, known=" or ".join(ENDINGS))
    check_writable(given.output, given.model)
    net = load(given.model).graph(given.top)
    text = net.svg if ending == ".svg" else net.bif
    with replacing(given.output) as file:
        file.write(text.encode())
    if given.json:
        screen.write_json({"file": given.output, **net.as_dict()})
        return
    edges = len(net.terms) + int((net.parent >= 0).sum())
    print(f"{given.output}: {len(net.labels):,} labels, {len(net.terms):,} terms, {edges:,} arrows")
