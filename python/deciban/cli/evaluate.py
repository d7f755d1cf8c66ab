"""`deciban evaluate`: how good a model is.

On labelled texts that it has not seen; by leave-one-out on those that it was trained on; or by --folds, which train
such a model again and again, each time without some of the texts, and choose again whatever it had chosen.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING, Any

from ..errors import NoExamples
from ..files import same_file
from . import UsageError, changes, figures, growth, options, rules, screen, several

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..evaluation import Evaluation
    from ..evaluation.comparison import Difference
    from ..evaluation.decisions import RuleFigures
    from ..evaluation.hierarchy import NodeFigures
    from ..evaluation.sets import SetFigures
    from ..examples import Read, Source

SUMMARY = "tell how good a model is"
EXAMPLE = "deciban evaluate mail.deciban mail.csv --where split=test --report report.html"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the labelled file, and whether it is the one that the model was trained on."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", metavar="FILE", help="labelled examples; - reads standard input")
    loo = "the file is what the model was trained on: leave each example out in turn"
    add("--loo", action="store_true", help=loo)
    folds = (
        "train such a model anew in so many folds, and judge each fold by the others: the file is what it learns from"
    )
    add("--folds", type=options.positive, metavar="N", help=folds)
    options.add_sides(parser)
    add("--seed", default=0, type=options.whole, metavar="N", help="what folds are drawn by (default: 0)")
    options.add_weight(parser)
    trained = "what the model was trained on, to find texts that stand in both; of FILE itself, the rows not judged"
    add("--trained-on", metavar="FILE", help=trained)
    options.add_curve(parser)
    against = "another model: is it better or worse on the same texts, and by more than luck?"
    add("--against", metavar="MODEL", help=against)
    rules.add_arguments(parser)
    paths = "labels are paths, such as science/physics, with this between: count ancestors too; by default as trained"
    add("--paths", type=_separator, metavar="SEPARATOR", help=paths)
    coverage = (
        "judge the sets of labels that predict --coverage answers with: how often they hold the true one, how large"
    )
    add("--coverage", type=options.share, metavar="SHARE", help=coverage)
    add(
        "--within-labels", action="store_true", help="let --coverage hold for the texts of each label, not only overall"
    )
    add("--report", metavar="FILE.html", help="write a report to look at")
    options.add_source(parser, labelled=True)
    options.add_threads(parser)
    options.add_json(parser)


def _separator(given: str) -> str:
    if not given:
        raise ArgumentTypeError("expected what stands between the steps of a path, such as /")
    return given


def run(given: Namespace) -> None:
    """Evaluates, and reports."""
    from ..classifier import load
    from ..files import check_writable
    from ..loading import load as load_any
    from ..several import Several

    _check(given)
    if isinstance(model := load_any(given.model), Several):
        several.evaluate(given, model)
        return
    if given.report is not None:
        check_writable(given.report)
    classifier = (changes.with_counts if given.loo else load)(given.model).with_threads(given.threads)
    other = None if given.against is None else load(given.against).with_threads(given.threads)
    rules.check_file(given)
    source = options.source(given, labelled=True, keep=options.sides(given))
    texts, evaluation = (_in_folds if _has_folds(given) else _of_model)(given, classifier, source)
    decided = _decided(given, classifier, evaluation) if _is_decided(given, classifier) else None
    beside = None if other is None else _beside(given, evaluation, texts, other, source.name)
    if given.report is not None:
        _report(given, classifier, evaluation, texts)
    given.paths = given.paths or classifier.settings.hierarchy
    nodes = _nodes(given, classifier, evaluation)
    more = _more(given, evaluation, decided, beside) | ({} if nodes is None else {"nodes": nodes.as_dict()})
    if given.json:
        screen.write_json({**evaluation.as_dict(), **more})
        return
    figures.show(evaluation)
    if given.curve is not None:
        growth.show(evaluation)
    _show_more(given, more, decided, beside)
    if nodes is not None:
        print(nodes.sentence)


def _has_folds(given: Namespace) -> bool:
    return given.folds is not None or bool(options.sides(given))


def _check(given: Namespace) -> None:
    """Refuses options that say different things."""
    ways = {"--loo": given.loo, "--folds, --group or --time": _has_folds(given), "--trained-on": given.trained_on}
    said = [name for name, was_said in ways.items() if was_said]
    if len(said) > 1:
        raise UsageError(f"{said[0]} and {said[1]} do not go together; see deciban evaluate --help")
    if given.curve is not None and not (given.loo or _has_folds(given)):
        raise UsageError(
            "--curve needs the texts that the model was trained on, and --loo or --folds; see deciban evaluate --help"
        )
    if given.curve is not None and (given.time or given.weight):
        raise UsageError(
            "--curve deals texts at random, and alike: so no --time, no --weight; see deciban evaluate --help"
        )
    growth.check(given)
    if given.within_labels and given.coverage is None:
        raise UsageError("--within-labels says how --coverage is meant, which is missing; see deciban evaluate --help")
    if _has_folds(given) and given.against is not None:
        raise UsageError(
            "--against judges models as they are: use deciban compare for folds; see deciban evaluate --help"
        )


def _in_folds(given: Namespace, classifier: Classifier, source: Source) -> tuple[list[str], Evaluation]:
    """Models like this one, each by texts that it has not learnt from."""
    from ..protocols import asked_of, evaluate_like

    with screen.progress(f"reading {given.file}", source.size) as progress:
        batch = source.in_memory(progress).batch
    protocol = "auto" if given.folds is None else f"folds:{given.folds}"
    with screen.steps() as steps:
        how = {**options.columns(given, batch.kept), **_promise(given), "seed": given.seed, "progress": steps}
        found = evaluate_like(classifier, batch, protocol, **how)
    if given.curve is not None:
        group = options.columns(given, batch.kept).get("group")
        found = growth.with_curve(given, found, batch.texts, batch.labels, asked_of(classifier), group)
    return [batch.texts[i] for i in found.places or range(found.examples)], found


def _of_model(given: Namespace, classifier: Classifier, source: Source) -> tuple[list[str], Evaluation]:
    """This very model, by leave-one-out or by texts that were kept apart."""
    from ..evaluation import Evaluation
    from ..evaluation.doubts import doubts, twins_beside
    from ..examples import Read
    from ..protocols import asked_of, left_out, looks_learnt

    with screen.progress(f"reading {given.file}", source.size) as progress:
        judged = source.in_memory(progress) if given.trained_on else source
        texts, held = classifier.held_out(judged, loo=given.loo, progress=progress)
    if given.loo:
        found = left_out(classifier, texts, held, **_promise(given))
        if given.curve is None and given.report is None:
            return texts, found
        return texts, growth.with_curve(given, found, texts, held.truth, asked_of(classifier))
    learnt = _learnt(given, judged) if isinstance(judged, Read) else None
    threads = classifier.settings.cores
    twins = [] if learnt is None else twins_beside(learnt[0], texts, threads)
    same = learnt is None and looks_learnt(classifier, texts, held.truth)
    against = doubts(held, texts, twins, learnt=learnt, threads=threads, look_learnt=same)
    protocol = "on what it seems to have learnt from" if same else "on examples kept apart"
    return texts, Evaluation(held, protocol, against, sets=_sets(given, classifier, texts, held.truth))


def _promise(given: Namespace) -> dict[str, Any]:
    return {"coverage": given.coverage, "within_labels": given.within_labels}


def _sets(given: Namespace, classifier: Classifier, texts: list[str], truth: list[str]) -> SetFigures | None:
    """How good this model's sets of labels are."""
    from ..evaluation.sets import set_figures

    if given.coverage is None:
        return None
    found = classifier.predict_set(texts, given.coverage, within_labels=given.within_labels)
    return set_figures(found, truth, given.coverage, within_labels=given.within_labels)


def _learnt(given: Namespace, source: Read) -> tuple[list[str], list[str]]:
    """What the model was trained on; of the file that is judged, the rest."""
    from ..examples import Source

    of = {**options.described(source), "path": given.trained_on, "where": ()}
    batch = Source(**of).whole()
    judged = {*source.batch.lines} if same_file(given.trained_on, given.file) else set()
    kept = [i for i, line in enumerate(batch.lines) if line not in judged]
    if not kept:
        raise NoExamples(where=f"{given.trained_on}, but for the rows that are judged")
    return [batch.texts[i] for i in kept], [batch.labels[i] for i in kept]


def _is_decided(given: Namespace, classifier: Classifier) -> bool:
    """Whether labels are decided by more than how probable they are: by options, or by this very model's threshold."""
    return rules.is_asked(given) or (classifier.threshold is not None and not _has_folds(given))


def _decided(given: Namespace, classifier: Classifier, evaluation: Evaluation) -> RuleFigures:
    """What is decided by the options, beside the most probable labels."""
    from ..evaluation.decisions import decisions

    held, rule = evaluation.held, rules.of(given, classifier, evaluation.labels)
    if not held.has_scores:
        raise UsageError("costs and priors need probabilities; of so many texts and labels folds keep answers alone")
    decider = classifier._decider(rule, held.labels, evaluation.labels)
    rules.warn(classifier)
    return decisions(held, decider)


def _nodes(given: Namespace, classifier: Classifier, evaluation: Evaluation) -> NodeFigures | None:
    """How good the nodes are that `predict --min-probability` answers with where labels are paths."""
    from ..evaluation.decisions import by_nodes

    separator = classifier.settings.hierarchy
    if separator is None or not rules.asks_probability_alone(given):
        return None
    rule = rules.rule(given, evaluation.labels)
    return by_nodes(evaluation.held, classifier._decider(rule, evaluation.held.labels, evaluation.labels), separator)


def _beside(given: Namespace, one: Evaluation, texts: list[str], other: Classifier, name: str) -> Difference:
    """The model beside another, on the same texts."""
    from ..evaluation import Evaluation
    from ..evaluation.comparison import difference

    truth = one.held.truth
    second = Evaluation(other.leave_one_out(texts, truth)) if given.loo else other.evaluate(texts, truth)
    return difference(given.model, one, given.against, second, name)


def _report(given: Namespace, classifier: Classifier, evaluation: Evaluation, texts: list[str]) -> None:
    from ..report import write

    is_test = not given.loo and not _has_folds(given)
    protocol = f"test on {given.file}" if is_test else evaluation.protocol
    command = shlex.join(["deciban", *sys.argv[1:]])
    write(given.report, classifier, evaluation, texts, protocol=protocol, command=command)


def _more(
    given: Namespace, evaluation: Evaluation, decided: RuleFigures | None, beside: Difference | None
) -> dict[str, Any]:
    """The figures that somebody asked for."""
    return {
        **({} if decided is None else {"mean_cost": decided.cost_of_most_probable, "decisions": decided.as_dict()}),
        **({} if given.paths is None else {"paths": vars(evaluation.paths(given.paths))}),
        **({} if beside is None else {"against": beside.as_dict()}),
    }


def _show_more(given: Namespace, more: dict[str, Any], decided: RuleFigures | None, beside: Difference | None) -> None:
    for sentence in () if decided is None else decided.sentences:
        print(sentence)
    if "paths" in more:
        print("with ancestors: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}".format(**more["paths"]))
    if beside is not None:
        print(beside.sentence)
    if given.report is not None:
        print(f"report: {given.report}")
