"""Texts and labels -> a model: what is asked for, or the best that there is time to find.

`auto` counts words first, and asks `fitting.planned` what there is time for: a committee of fitted models, for which
the texts are counted once more, with all their terms; or models of counts, among which leave-one-out chooses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, overload

from . import fitting, mixture
from . import several as sets
from ._core import BadText as BadTextInCore
from .choosing import MOST_TEXTS, Sample, choose, choose_levels, is_open, most_texts
from .classifier import Classifier, tallied, weight_of
from .counts import Counts
from .errors import (
    NoExamples,
    NotForModel,
    NotForSeveral,
    NoTrainingTexts,
    NotReadTwice,
    NoUnlabelled,
    OneLabel,
    UnknownLabel,
    listed,
)
from .examples import Examples, Source, gathered, kept, sets_of, texts_of
from .halves import count
from .settings import AUTO, FITTED, Settings
from .spelling import with_words
from .terms import refuse
from .tree import check_paths
from .weighing import resolved

if TYPE_CHECKING:
    from ._core import Texts


@overload
def train(
    texts: object,
    labels: object,
    *,
    weights: object = None,
    unlabelled: object = None,
    unlabelled_weight: float | str = "auto",
    several: None = None,
    **settings: Any,
) -> Classifier: ...


@overload
def train(
    texts: object, labels: object, *, several: str | bool, thresholds: str = "both", **settings: Any
) -> sets.Several: ...


def train(
    texts: object,
    labels: object,
    *,
    weights: object = None,
    unlabelled: object = None,
    unlabelled_weight: float | str = "auto",
    several: str | bool | None = None,
    thresholds: str = "both",
    **settings: Any,
) -> Classifier | sets.Several:
    """Trains a model on labelled texts, and on unlabelled ones where there are some and they help.

    The settings are those of `Settings`, by the same names. Without a model, or settings that only models of counts
    have, it is `auto`: the best that is found in `budget` seconds. `weights` say how much each text counts, 0 not at
    all: fitted models multiply what an error costs with it; those of counts count the text so often, a whole number.
    `unlabelled_weight` says how much an unlabelled text counts beside a labelled one, from 0 to 1; "auto" chooses it by
    the labelled texts, 0 where there is no gain.

    With `several`, each of `labels` is a list of any number of labels, or a text with that between them; `thresholds`
    are then chosen for micro-F1, macro-F1, both, or even odds.

    >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"], words=(1, 2), alpha=0.5)
    >>> mail
    Classifier(multinomial, Counts(3 documents, 2 labels, 8 terms))
    >>> mail.leave_one_out().accuracy
    0.6666666666666666
    """
    if several is not None:
        return _of_several(texts, labels, several, thresholds, weights, unlabelled, settings)
    is_plain = weights is None and unlabelled is None
    chosen = Settings.for_training(**settings) if is_plain else Settings.of(**settings)
    clock = fitting.Clock(chosen.budget)
    if unlabelled is not None:
        chosen = _flat(chosen)
        mixture.check(chosen, unlabelled_weight)
        unlabelled = texts_of(unlabelled, "unlabelled texts")
    texts = texts_of(texts)
    chosen = with_words(chosen, [texts])
    counts, examples = Classifier(chosen, count(chosen, [], []))._counted(texts, labels, weights)
    if not examples.labels:
        raise NoExamples(where="texts")
    if chosen.model == AUTO:
        whole = kept.Whole(fitting.most_characters(chosen.budget))
        whole.add(examples)
        return _of_all(chosen, counts, "memory", examples, whole.length, clock)
    trained = _trained(chosen, counts, "memory", examples)
    if unlabelled is None:
        return trained
    return _with_unlabelled(trained, unlabelled, "memory", unlabelled_weight, "unlabelled[{}]".format, None)


def _of_several(
    texts: object,
    labels: object,
    several: str | bool,
    thresholds: str,
    weights: object,
    unlabelled: object,
    settings: dict[str, Any],
) -> sets.Several:
    """A model of texts that have any number of labels."""
    for name, given in (("weights", weights), ("unlabelled", unlabelled)):
        if given is not None:
            raise NotForSeveral(what=name, expected="texts of one weight, all with their labels")
    manner, chosen = sets.manner_of(several, thresholds), sets.settings_of(settings)
    read = texts_of(texts)
    chosen = with_words(chosen, [read])
    return sets.trained(sets.Given(read, sets_of(labels, manner.separator, read)), chosen, manner)


def train_on(
    source: Source,
    settings: Settings,
    progress: Callable[[int], None] | None = None,
    steps: fitting.Steps | None = None,
) -> Classifier:
    """Trains a model on a file, reading it in batches: memory grows with the counts, not with the file.

    Unless the model needs the examples themselves: then all of them are kept; for `auto`, as many as there is time for.
    `progress` is told the bytes that are read; `steps`, how far the fit of a model that is fitted has come.
    """
    clock = fitting.Clock(settings.budget)
    settings = _spelt(settings, source)
    if settings.model == AUTO:
        whole, sample = kept.Whole(fitting.most_characters(settings.budget)), kept.Reservoir(MOST_TEXTS)
        counts = tallied(source, settings, progress, whole, sample)
        return _of_all(settings, counts, source.name, whole.examples, whole.length, clock, sample, steps)
    if settings.needs_examples:
        every = kept.Whole(math.inf)
        counts = tallied(source, settings, progress, every)
        return _trained(settings, counts, source.name, every.examples, None, steps)
    sample = kept.Reservoir(MOST_TEXTS)
    is_asked = is_open(settings) or settings.calibration != "none" or settings.hierarchy is not None
    counts = tallied(source, settings, progress, *([sample] if is_asked else []))
    return _trained(settings, counts, source.name, None, sample)


def _flat(settings: Settings) -> Settings:
    """The settings of a model that learns from unlabelled texts, too: it knows no other way down a hierarchy."""
    if settings.hierarchy is None:
        return settings
    if settings.way != "flat":
        raise NotForModel(setting="levels", got=settings.levels, model="with unlabelled texts", known="flat")
    return replace(settings, levels="flat")


def _spelt(settings: Settings, source: Source) -> Settings:
    """The settings with the words that a file spells right, where those are left open: it is read for them first."""
    if settings.properties is None or not settings.properties.is_open:
        return settings
    if source.size is None:
        raise NotReadTwice(where=source.name)
    return with_words(settings, (batch.texts for batch in gathered(source.batches())))


def train_with_unlabelled(
    source: Source,
    unlabelled: Source,
    weight: float | str,
    settings: Settings,
    progress: mixture.Progress | None = None,
) -> Classifier:
    """Trains a model on a file of labelled texts and one of others, both of which are read whole."""
    settings = _flat(settings)
    mixture.check(settings, weight)
    labelled, more = source.whole(), unlabelled.whole()
    settings = with_words(settings, [labelled.texts])
    model = Classifier(settings, count(settings, [], []))
    counts, examples = model._counted(labelled.texts, labelled.labels, labelled.examples.weights, labelled.where)
    if not counts.labels:
        raise NoExamples(where=source.name)
    trained = _trained(settings, counts, source.name, examples)
    return _with_unlabelled(trained, more.texts, unlabelled.name, weight, more.where, progress)


def _of_all(
    settings: Settings,
    counts: Counts,
    source: str,
    examples: Examples | None,
    length: int | None,
    clock: fitting.Clock,
    sample: kept.Reservoir | None = None,
    steps: fitting.Steps | None = None,
) -> Classifier:
    """The best model that there is time to find; `counts` are those of a model of counts."""
    plan = fitting.planned(settings, counts.documents, length)
    if plan.ways and examples is not None:
        trained, why = _best_of(plan, source, examples, sample, steps, clock)
    else:
        if plan.settings.model in FITTED and examples is not None:
            counts = count(plan.settings, examples.texts, examples.labels)
        trained, why = _trained(plan.settings, counts, source, examples, sample, steps, clock), plan.why
    first, *others = trained.provenance
    trained.provenance = ({**first, "auto": why, "asked": asked(settings)}, *others)
    return trained


def _best_of(
    plan: fitting.Planned,
    source: str,
    examples: Examples,
    sample: kept.Reservoir | None,
    steps: fitting.Steps | None,
    clock: fitting.Clock,
) -> tuple[Classifier, str]:
    """The model that does best on texts that it has not learnt from; and why.

    Models of counts are judged by leave-one-out on a sample of the texts; one that is fitted, by folds.
    """
    models, right = [], []
    for way in plan.ways.values():
        counts = count(way, examples.texts, examples.labels)
        models.append(_trained(way, counts, source, examples, sample))
        some = kept.some(examples, _spread(len(examples.texts), most_texts(counts)))
        right.append(models[-1]._left_out(some).accuracy)
    told = [f"right by leave-one-out: {_each(plan.ways, right)}"]
    if plan.fitted is not None:
        counts = count(plan.fitted, examples.texts, examples.labels)
        models.append(_trained(plan.fitted, counts, source, examples, None, steps, clock))
        right.append(models[-1].provenance[0]["fit"]["held_out"][fitting.TOGETHER])
        told.append(f"by folds: {_each(['fitted'], right[-1:])}")
    return models[right.index(max(right))], "; ".join([plan.why, *told])


def _each(names: Iterable[str], right: Iterable[float]) -> str:
    return ", ".join(f"{name} {accuracy:.1%}" for name, accuracy in zip(names, right, strict=True))


def _trained(
    settings: Settings,
    counts: Counts,
    source: str,
    examples: Examples | None,
    sample: kept.Reservoir | None = None,
    steps: fitting.Steps | None = None,
    clock: fitting.Clock | None = None,
) -> Classifier:
    """The model of some counts; where its settings are open, chosen by a sample of the texts."""
    if len(counts.labels) == 1:
        raise OneLabel(label=counts.labels[0])
    if settings.hierarchy is not None:
        check_paths(counts.labels, settings.hierarchy)
    provenance: dict[str, Any] = {"source": source, "examples": int(counts.documents.sum())}
    if settings.model in FITTED and examples is not None:
        provenance |= weight_of(examples.weights)
        if settings.weighs_levels and settings.levels == "auto":
            provenance["asked"] = asked(settings)
        check_weights(settings, counts)
        trained = _selecting(Classifier(settings, counts, [provenance], examples), steps)
        trained._scorecard = trained._fitted(examples, steps, clock)
        return trained
    model = _selecting(Classifier(settings, counts, [provenance], examples), steps)
    if not is_open(settings):
        model.settings = resolved(settings, model.selected)
        return _levelled(_sampled(model, sample), settings)
    if sample is None:
        sample = kept.Reservoir(MOST_TEXTS)
        sample.add(examples or Examples([], []))
    some = kept.some(sample.examples, _spread(len(sample), most_texts(counts)))
    chosen, provenance["choice"] = choose(settings, model.selected, Sample(*model._rows(some)))
    provenance["asked"] = asked(settings)
    # It selects its terms as the chosen model does.
    return _levelled(_sampled(Classifier(chosen, counts, [provenance], examples), sample), settings)


def _levelled(model: Classifier, settings: Settings) -> Classifier:
    """The same; where labels are paths, and how to tell them apart is left open, with the best way by leave-one-out."""
    if settings.hierarchy is None or settings.levels != "auto":
        return model
    examples = model._examples or model._sample
    if not model.settings.can_level or not isinstance(examples, Examples):
        model.settings = replace(model.settings, levels="flat")
        return model
    some = kept.some(examples, _spread(len(examples.labels), most_texts(model.counts)))
    model.settings, told = choose_levels(model.settings, model.selected, Sample(*model._rows(some)))
    first, *others = model.provenance
    model.provenance = ({"asked": asked(settings), **first, "levels": told}, *others)
    return model


def _spread(n: int, most: int) -> list[int]:
    """At most so many of n places, from all over."""
    return sorted({i * n // min(most, n) for i in range(min(most, n))})


def asked(settings: Settings) -> dict[str, Any]:
    """What a user asked for, for a note in a model that has chosen the rest: whoever retrains it must choose again."""
    plain = Settings().as_dict()
    given = {name: value for name, value in settings.as_dict().items() if value != plain[name]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}


def _selecting(model: Classifier, steps: fitting.Steps | None) -> Classifier:
    """The same, with the terms that its search finds, where it has one."""
    return model._search(None, steps) if model.settings.is_searched else model


def _sampled(trained: Classifier, sample: kept.Reservoir | None) -> Classifier:
    """The same model; where it has not kept its examples, with some of them to calibrate by."""
    if trained._examples is None and sample is not None and len(sample):
        trained._sample = sample.examples
    return trained


def check_weights(settings: Settings, counts: Counts) -> None:
    """Refuses weights of labels that there are not; later they may have been dropped."""
    given = settings.class_weight if isinstance(settings.class_weight, dict) else {}
    for label in sorted(given.keys() - {*counts.labels}):
        raise UnknownLabel(label=label, known=listed(counts.labels))


def _with_unlabelled(
    trained: Classifier,
    texts: Texts,
    source: str,
    weight: float | str,
    where: Callable[[int], str],
    progress: mixture.Progress | None,
) -> Classifier:
    """The same model with what unlabelled texts add, where that is a gain; the examples are at hand."""
    if not len(texts):
        raise NoUnlabelled(where=source)
    examples = trained._examples
    if examples is None:
        raise NoTrainingTexts
    try:
        expected, climb = mixture.expect(trained.counts, examples[:2], texts, trained.settings, weight, progress)
    except BadTextInCore as error:
        refuse(error, texts, where)
    provenance = [*trained.provenance, {"source": source, "examples": 0, "unlabelled": asdict(climb)}]
    return Classifier(trained.settings, trained.counts, provenance, examples, expected=expected)
