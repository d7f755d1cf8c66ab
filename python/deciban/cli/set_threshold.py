"""`deciban set-threshold`: decide for a label only where few others are let through.

A text then gets the label where its odds against all other labels are above a threshold. It is chosen so that of 1,000
texts of other labels at most one gets in (--max-false-positive-rate 0.001), and stands in the model file: predict,
explain and evaluate go by it. FILE is labelled texts that the model has not learnt; or those that it was trained on,
which are then left out, each in turn. It is told which recall remains; and where there are too few texts to promise
such a rate, which one can be promised.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from . import UsageError, changes, options, screen

SUMMARY = "decide for a label by a rate of false positives"
EXAMPLE = "deciban set-threshold mail.deciban mail.csv --positive spam --max-false-positive-rate 0.001"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the labelled texts, the label, and how many others it may get."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="labelled examples; - reads standard input")
    add("--positive", metavar="LABEL", help="the label that few others shall get")
    rate = "how many of the texts of other labels may get it, such as 0.001"
    add("--max-false-positive-rate", type=options.share, metavar="RATE", help=rate)
    add("--none", action="store_true", help="remove the model's threshold")
    options.add_source(parser, labelled=True)
    options.add_threads(parser)
    changes.add_output(parser)


def run(given: Namespace) -> None:
    """Chooses the threshold, tells what it came to, and replaces the model file."""
    from ..classifier import load
    from ..files import check_writable

    _check(given)
    check_writable(given.model if given.output is None else given.output, *([given.file] if given.file else []))
    classifier = load(given.model).with_threads(given.threads)
    if given.none:
        changes.save(given, classifier.set_threshold(None), "removed the threshold")
        return
    source = options.source(given, labelled=True)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        found = classifier.set_threshold_by(source, given.positive, given.max_false_positive_rate, progress).threshold
    if found is not None and given.json:
        classifier.save(given.model if given.output is None else given.output)
        screen.write_json(found.as_dict())
        return
    for sentence in () if found is None else found.sentences:
        print(sentence)
    changes.save(given, classifier, f"set the threshold for {given.positive}")


def _check(given: Namespace) -> None:
    wanted = (given.file, given.positive, given.max_false_positive_rate)
    if (wanted != (None, None, None)) if given.none else None in wanted:
        raise UsageError(
            "expected FILE, --positive and --max-false-positive-rate, or --none alone; see deciban set-threshold --help"
        )
