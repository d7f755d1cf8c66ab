"""What commands that change a model share: it is loaded, changed, and its file replaced, whole or not at all."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from . import options, rules, screen

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..several import Several


def add_output(parser: ArgumentParser) -> None:
    """Where the changed model goes, and what is told of it."""
    output = "the model file to write; by default MODEL itself is replaced"
    parser.add_argument("-o", "--output", metavar="OUT", help=output)
    options.add_json(parser)


def add_examples(parser: ArgumentParser) -> None:
    """A model, and labelled examples to change it by."""
    options.add_model(parser)
    parser.add_argument("file", metavar="FILE", help="labelled examples; - reads standard input")
    options.add_source(parser, labelled=True)
    options.add_weight(parser)
    options.add_threads(parser)
    add_output(parser)


def add_labels(parser: ArgumentParser, help: str) -> None:
    """A model, and some of its labels."""
    options.add_model(parser)
    parser.add_argument("labels", nargs="+", metavar="LABEL", help=help)
    add_output(parser)


def loaded(given: Namespace, *read: str) -> Classifier:
    """The model that is to change: only if it can, and if it can be written afterwards, over nothing that is read."""
    from ..files import check_writable

    check_writable(_output(given), *read)
    return with_counts(given.model)


def with_counts(path: str) -> Classifier:
    """A model that is not frozen."""
    from ..classifier import load
    from ..errors import FrozenModel

    classifier = load(path)
    if classifier.frozen:
        raise FrozenModel(model=path)
    return classifier


def any_loaded(given: Namespace, *read: str) -> Classifier | Several:
    """The same, of texts of several labels too."""
    from ..files import check_writable

    check_writable(_output(given), *read)
    return any_with_counts(given.model)


def any_with_counts(path: str) -> Classifier | Several:
    """A model of either kind that is not frozen."""
    from ..errors import FrozenModel
    from ..loading import load

    model = load(path)
    if model.frozen:
        raise FrozenModel(model=path)
    return model


def by_examples(given: Namespace, *, learn: bool) -> None:
    """Learns or forgets a file; nothing is written unless all of it could be."""
    source = options.source(given, labelled=True)
    classifier = any_loaded(given, given.file).with_threads(given.threads)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        (classifier.learn_from if learn else classifier.forget_from)(source, progress)
    examples = abs(classifier.provenance[-1]["examples"])
    save(given, classifier, f"{'learnt' if learn else 'forgot'} {examples:,} examples")


def save(given: Namespace, classifier: Classifier | Several, done: str) -> None:
    """Saves the changed model, and says what was done and what it has now."""
    from ..classifier import Classifier
    from ..errors import listed

    output = _output(given)
    classifier.save(output)
    if isinstance(classifier, Classifier) and (chosen := classifier.threshold) and chosen.is_from_before:
        rules.tell_from_before(chosen)
    examples = sum(classifier.documents.values()) if isinstance(classifier, Classifier) else classifier.texts
    facts: dict[str, Any] = {"model": output, "examples": examples}
    facts |= {"labels": len(classifier.labels), "terms": len(classifier.lexicon)}
    if given.json:
        screen.write_json(facts)
    else:
        sizes = "{examples:,} examples, {terms:,} terms".format(**facts)
        print(f"{done}; {output} now has {sizes}, labels: {listed(classifier.labels)}")


def _output(given: Namespace) -> str:
    output: str = given.model if given.output is None else given.output
    return output
