"""How good would a model of these texts be? Trains, and judges by texts that were held out.

    loo        leave-one-out, of models of counts: each text by a model of all others, with no retraining
    folds:10   each fold by a model of the others; with `group`, no group in two of them; with `time`, see below
    tune:0.3   a share of the texts, by a model of the rest
    time:5     steps in time: each by a model of all that came before
    auto       loo where nothing is chosen and the model has it, otherwise folds:5

Whatever a model leaves open (C, smoothing, itself) it chooses in the part that it learns from: folds are nested by
themselves. Scores of folds come from several models: their probabilities are comparable as far as those are calibrated.
The model to keep is another one: `train` on everything. Figures are made elsewhere (`evaluation`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from . import several
from ._core import BadText as BadTextInCore
from .choosing import is_open
from .classifier import IN_MEMORY, Classifier
from .decision.sets import check_coverage
from .errors import BadSetting, HoldsExpected, NoExamples, NotWithGroups, OneLabelIn, UnevenColumn
from .evaluation import Evaluation
from .evaluation.doubts import doubts, twins_left_out, twins_within
from .evaluation.sets import SetFigures, left_out_figures, set_figures
from .evaluation.several import SeveralEvaluation
from .examples import Batch, labels_of, texts_of
from .halves import count
from .holdout import MOST_KEPT, HeldOut
from .settings import AUTO, Settings, named
from .splits import Part, Split, by_share, by_time, in_folds
from .terms import refuse
from .training import train

Floats = npt.NDArray[np.float64]
Progress: TypeAlias = "Callable[[str, int, int], None]"

KINDS = {"auto": None, "loo": None, "folds": 10.0, "tune": 0.3, "time": 5.0}
EXPECTED = "auto, loo, folds:10, tune:0.3 or time:5"
FOLDS = 5  # of `auto`: what is chosen is chosen again in each


class Protocol(NamedTuple):
    """A way to hold texts out: its kind, and how many parts it has, or which share it takes.

    >>> Protocol.of("folds:4"), Protocol.of("tune")
    (Protocol(kind='folds', amount=4.0), Protocol(kind='tune', amount=0.3))
    """

    kind: str
    amount: float | None

    @classmethod
    def of(cls, given: object) -> Protocol:
        """As it is written."""
        kind, colon, written = given.partition(":") if isinstance(given, str) else ("", "", "")
        amount = _number(written) if colon else KINDS.get(kind)
        fits = {"auto": amount is None, "loo": amount is None, "tune": amount is not None and 0 < amount < 1}
        is_whole = amount is not None and amount == int(amount) and amount >= (1 if kind == "time" else 2)
        if kind not in KINDS or (colon and KINDS[kind] is None) or not fits.get(kind, is_whole):
            raise BadSetting(setting="protocol", got=given, expected=EXPECTED)
        return cls(kind, amount)


def _number(written: str) -> float:
    try:
        number = float(written)
    except ValueError:
        return -1.0
    return number if abs(number) < 1e9 else -1.0


@dataclass(frozen=True)
class Judged:
    """What parts came to: scores or answers of all test texts, and how right each model was on its own texts.

    And the figures of sets of labels, where those were asked for.
    """

    held: HeldOut
    training_accuracy: float
    sets: SetFigures | None


def evaluate(
    texts: object,
    labels: object,
    protocol: str = "auto",
    *,
    group: object = None,
    time: object = None,
    weights: object = None,
    seed: int = 0,
    progress: Progress | None = None,
    where: Callable[[int], str] = IN_MEMORY,
    coverage: float | None = None,
    within_labels: bool = False,
    **settings: Any,
) -> Evaluation:
    """How good a model of these settings is on texts that it has not learnt from, by a protocol.

    `group` has a value for each text: what has the same is never on both sides. `time` has a number or a date for each:
    models learn from what came before. `where` says where a text stands, for errors. With `coverage`, sets of labels
    are judged, too. The settings are those of `train`, and so are `weights` and `unlabelled`.

    >>> texts = ["free money", "money now", "free now", "see you", "you soon", "see me"] * 5
    >>> labels = ["spam", "spam", "spam", "ham", "ham", "ham"] * 5
    >>> found = evaluate(texts, labels, "folds:5", model="multinomial")
    >>> found.accuracy, found.protocol
    (1.0, '5 folds')
    >>> len(found.doubts.twins)  # every text stands there five times
    30
    """
    texts = list(texts_of(texts))
    labels = labels_of(labels, texts)
    if not labels:
        raise NoExamples(where="texts")
    if type(seed) is not int or seed < 0:
        raise BadSetting(setting="seed", got=seed, expected="a whole number from 0 on")
    if coverage is not None:
        check_coverage(coverage)
    columns = [_column(of, len(labels), name) for name, of in (("group", group), ("time", time), ("weight", weights))]
    of_groups, of_times, of_weights = columns
    how = _resolved(Protocol.of(protocol), of_groups, of_times, of_weights, settings)
    _check_texts(texts, labels, where)
    if how.kind == "loo":
        model = train(texts, labels, **settings)
        return left_out(model, texts, model.leave_one_out(), coverage, within_labels=within_labels)
    split = _split(how, labels, of_groups, of_times, seed)
    check(split, labels, "texts")
    promise = None if coverage is None else (coverage, within_labels)
    judged = _judged(texts, labels, of_weights, split, settings, progress, promise)
    threads = settings.get("threads") or 0
    places = np.sort(np.concatenate([part.test for part in split.parts]))
    twins = twins_within(texts, split.parts, threads)
    found = doubts(judged.held, [texts[i] for i in places], twins, judged.training_accuracy, (texts, labels), threads)
    return Evaluation(judged.held, split.words, found, tuple(places.tolist()), sets=judged.sets)


def evaluate_like(classifier: Classifier, batch: Batch, protocol: str, **how: Any) -> Evaluation:
    """The same for a model that there is: models with its settings, each of which chooses what it had chosen."""
    known = asked_of(classifier)
    weights = batch.examples.weights
    if not batch.labels:
        raise NoExamples(where=batch.name)
    return evaluate(batch.texts, batch.labels, protocol, weights=weights, where=batch.where, **how, **known)


def asked_of(classifier: Classifier) -> dict[str, Any]:
    """The settings, by name, that training a model again takes."""
    if classifier.expected is not None:
        raise HoldsExpected(what="training it again")
    return {**named(classifier.asked), "threads": classifier.settings.threads}


def evaluate_several(
    given: several.Given,
    settings: Settings,
    manner: several.Manner,
    protocol: str = "auto",
    *,
    group: object = None,
    time: object = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> SeveralEvaluation:
    """The same for texts of any number of labels; leave-one-out is of models of counts.

    >>> given = several.Given(["wheat", "corn", "oil", "you"] * 5, [("grain",), ("grain",), ("oil",), ()] * 5)
    >>> found = evaluate_several(given, several.settings_of({"model": "multinomial"}), several.Manner(), "folds:5")
    >>> found.micro_f1, found.protocol
    (1.0, '5 folds')
    """
    times, groups = (_column(of, len(given.sets), name) for name, of in (("time", time), ("group", group)))
    how = _resolved(Protocol.of(protocol), groups, times, None, {"model": settings.model})
    if how.kind == "loo":
        return several.trained(given, settings, manner).leave_one_out()
    split = _split(how, several.rarest(given.sets), groups, times, seed)
    return several.in_parts(given, settings, manner, split, progress)


def _column(given: object, n: int, what: str) -> list[Any] | None:
    """One value a text, if there are any."""
    if given is None:
        return None
    values = list(texts_of(given, f"{what}s"))
    if len(values) != n:
        raise UnevenColumn(what=what, texts=n, got=len(values))
    return values


def _check_texts(texts: Any, labels: list[str], where: Callable[[int], str]) -> None:
    """Refuses a bad text by the place that it has among all, before any part is trained."""
    try:
        count(Settings(), texts, labels)
    except BadTextInCore as error:
        refuse(error, texts, where)


def _resolved(how: Protocol, groups: object, times: object, weights: object, settings: dict[str, Any]) -> Protocol:
    """The protocol, with nothing left open; groups and times want folds of their own kind."""
    if groups is not None and times is not None:
        raise NotWithGroups(other="by time")
    if times is not None and how.kind in ("auto", "folds"):
        how = Protocol("time", KINDS["time"] if how.kind == "auto" else how.amount)
    if how.kind == "time" and times is None:
        raise BadSetting(setting="time", got=None, expected="a number or a date for each text")
    if groups is not None and how.kind == "loo":
        raise NotWithGroups(other="one by one (loo)")
    if how.kind == "loo" and weights is not None:
        raise BadSetting(setting="protocol", got="loo", expected="folds:10, where texts have weights")
    if how.kind != "auto":
        return how
    chosen = Settings.for_training(**{name: of for name, of in settings.items() if not name.startswith("unlabelled")})
    is_plain = not (chosen.needs_rows or chosen.model == AUTO or is_open(chosen) or "unlabelled" in settings)
    is_plain &= groups is None and weights is None
    return Protocol("loo", None) if is_plain else Protocol("folds", float(FOLDS))


def _split(how: Protocol, labels: list[str], groups: Any, times: Any, seed: int) -> Split:
    amount = how.amount or 0.0
    if how.kind == "time":
        return by_time(times, int(amount))
    if how.kind == "tune":
        return by_share(labels, amount, seed, groups)
    return in_folds(labels, int(amount), seed, groups)


def check(split: Split, labels: list[str], name: str) -> None:
    """Refuses parts that teach one label alone."""
    for number, part in enumerate(split.parts, start=1):
        seen = {labels[i] for i in part.train}
        if len(seen) < 2:
            which = fold(number, len(split.parts)) if len({*labels}) > 1 else ""
            raise OneLabelIn(where=f"{name}{which}", label=next(iter(seen), ""))


def fold(number: int, of: int) -> str:
    """Which of several parts that is, for people."""
    return f", fold {number} of {of}" if of > 1 else ""


def left_out(
    model: Classifier, texts: Any, held: HeldOut, coverage: float | None = None, *, within_labels: bool = False
) -> Evaluation:
    """The evaluation of a model by leave-one-out, with what speaks against it."""
    chosen = {
        "settings were chosen": "choice" in (model.provenance or ({},))[0],
        "terms were selected": model.settings.select is not None,
        "terms were weighted": model.settings.term_weights != "none",
    }
    words = "leave-one-out" + "".join(f"; {what} by the same texts" for what, is_so in chosen.items() if is_so)
    threads = model.settings.cores
    fits = np.mean([*map(str.__eq__, model.predict(texts), held.truth)])
    found = doubts(held, texts, twins_left_out(texts, threads), float(fits), threads=threads)
    sets = None if coverage is None else left_out_figures(held, coverage, within_labels=within_labels)
    return Evaluation(held, words, found, sets=sets)


def looks_learnt(classifier: Classifier, texts: Any, labels: list[str]) -> bool:
    """Whether a model seems to have been trained on these very texts: it counts the same, or as many."""
    if classifier.documents != Counter(labels):
        return False
    return classifier.frozen or classifier.counts == count(classifier.settings, texts, labels)


def _judged(
    texts: Any,
    labels: list[str],
    weights: list[Any] | None,
    split: Split,
    settings: dict[str, Any],
    progress: Progress | None,
    promise: tuple[float, bool] | None = None,
) -> Judged:
    """Scores of all test texts, in the texts' order, each by a model of its own part."""
    known = tuple(sorted({*labels}))
    places = np.sort(np.concatenate([part.test for part in split.parts]))
    is_kept = len(places) * len(known) <= MOST_KEPT
    scores = np.full((len(places), len(known) if is_kept else 0), -np.inf)
    answers, sets, fits = np.empty(len(places), object), np.empty(len(places), object), []
    for number, part in enumerate(split.parts, start=1):
        if progress is not None:
            progress(f"training{fold(number, len(split.parts))}", number - 1, len(split.parts))
        model = train(*_at(texts, labels, part.train), weights=_some(weights, part.train), **settings)
        own = model.evaluate(*_at(texts, labels, part.test)).held
        rows = np.searchsorted(places, part.test)
        answers[rows] = own.predicted
        if promise is not None:
            found = model.predict_set([texts[i] for i in part.test], promise[0], within_labels=promise[1])
            sets[rows] = np.fromiter(found, object, len(rows))
        if is_kept:
            columns = np.array([known.index(label) for label in own.labels])
            scores[rows[:, None], columns] = own.scores
        fits.append(np.mean([*map(str.__eq__, model.predict([texts[i] for i in part.train]), _labels(labels, part))]))
    held = HeldOut(known, [labels[i] for i in places], scores, answers.tolist())
    figures = None if promise is None else set_figures(sets.tolist(), held.truth, promise[0], within_labels=promise[1])
    return Judged(held, float(np.mean(fits)), figures)


def _at(texts: Any, labels: list[str], places: Any) -> tuple[list[Any], list[str]]:
    return [texts[i] for i in places], [labels[i] for i in places]


def _labels(labels: list[str], part: Part) -> list[str]:
    return [labels[i] for i in part.train]


def _some(column: Sequence[Any] | None, places: Any) -> list[Any] | None:
    return None if column is None else [column[i] for i in places]
