"""`deciban watch`: whether new texts are like those that a model was trained on; they need no labels.

Unknown terms, how much terms surprise, and the mix of labels, each beside what is normal, which follows from the
model's counts; and whether to worry. With --fail, the exit status is 3 if there is reason to.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from . import changes, options, screen

SUMMARY = "tell whether new texts are like those of training"
WORRY = 3
EXAMPLE = "deciban watch mail.deciban new.csv --fail"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the new texts, and what to do if they are others."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="texts; - reads standard input (default: -)")
    add("--fail", action="store_true", help="exit with status 3 if there is reason to worry")
    options.add_source(parser, labelled=False)
    options.add_threads(parser)
    options.add_json(parser)


def run(given: Namespace) -> int:
    """Compares, and tells."""
    from ..errors import NoTexts, one_line

    source = options.source(given, labelled=False)
    classifier = changes.with_counts(given.model).with_threads(given.threads)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        whole = source.in_memory(progress).batch
    if not whole.texts:
        raise NoTexts(where=source.name)
    found = classifier.watch(whole.texts, whole.where)
    if given.json:
        screen.write_json(found.as_dict())
    else:
        print(f"{found.texts:,} texts beside {sum(classifier.documents.values()):,} of training")
        for signal in found.signals:
            print(f"{'WORRY' if signal.worries and not found.is_training else '   ok'}  {one_line(signal.sentence)}")
        print(one_line(found.sentence))
    return WORRY if given.fail and found.worries else 0
