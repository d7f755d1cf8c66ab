"""`deciban recalibrate`: make the probabilities of a model honest again, by labelled texts.

After a model has learnt or forgotten, its calibration is from before. FILE is labelled texts that it has not learnt; or
those that it was trained on, which are then left out, each in turn. The model's counts and weights stay as they are.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from . import changes, options, screen

SUMMARY = "calibrate a model's probabilities anew"
EXAMPLE = "deciban recalibrate mail.deciban checked.csv"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the labelled texts, and how to calibrate by them."""
    options.add_model(parser)
    parser.add_argument("file", metavar="FILE", help="labelled examples; - reads standard input")
    method = "auto, temperature, platt, dirichlet, isotonic, or none: no more (default: as the model was trained)"
    parser.add_argument("--calibration", metavar="NAME", help=method)
    options.add_source(parser, labelled=True)
    options.add_threads(parser)
    changes.add_output(parser)


def run(given: Namespace) -> None:
    """Calibrates, and replaces the model file."""
    from ..classifier import load
    from ..files import check_writable

    source = options.source(given, labelled=True)
    check_writable(given.model if given.output is None else given.output, given.file)
    classifier = load(given.model).with_threads(given.threads)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        classifier.recalibrate_by(source, given.calibration, progress)
    found = classifier.calibration
    changes.save(given, classifier, "not calibrated" if found is None else f"calibrated: {found.told}")
