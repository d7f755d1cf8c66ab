"""Several models, each trained and judged on the same parts of several sets of texts.

A set is texts and labels, and maybe a split. Where that says both "train" and "test", models learn from the one part
and are judged by the other; what says anything else is left out. All other sets are dealt into folds, label by label,
the same ones for every model: each is judged by what was learnt from the others, and the answers are taken together.
What a model chooses (C, smoothing, itself) it chooses in the part that it learns from. Everything is checked before
anything is trained. Figures and differences are made elsewhere (`evaluation`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import BadSet, BadSetting, NoExamples, NothingToCompare, NotWithGroups, described
from .evaluation import Evaluation
from .evaluation.comparison import Comparison, Run
from .examples import labels_of, texts_of
from .halves import count
from .holdout import HeldOut
from .protocols import check, fold
from .settings import Settings
from .splits import Part, Split, by_time, in_folds
from .terms import refuse
from .training import check_weights, train
from .weighing import log_prior

TRAIN, TEST = "train", "test"
Places = npt.NDArray[np.int64]
Progress: TypeAlias = "Callable[[str, int, int], None]"


class Set(NamedTuple):
    """Labelled texts; what each is for, where somebody says so; where each came from, if that was a file.

    Texts of one `group` are never on both sides; where there is a `time`, models learn from what came before.
    """

    texts: Any
    labels: Any
    split: Any = None
    where: Callable[[int], str] | None = None
    group: Any = None
    time: Any = None


class Answered(NamedTuple):
    """Labels of a test part, and the seconds that training and answering took."""

    answers: list[str]
    train_seconds: float
    predict_seconds: float


@dataclass(frozen=True)
class Task:
    """A set that was checked, in parts."""

    name: str
    texts: _core.Texts
    labels: list[str]
    split: Split

    @property
    def parts(self) -> list[Part]:
        """What to learn from and to judge by, again and again."""
        return self.split.parts

    def at(self, places: Places) -> tuple[list[Any], list[str]]:
        """Some of its examples."""
        return [self.texts[i] for i in places], [self.labels[i] for i in places]

    def fold(self, number: int) -> str:
        """Which of its parts that is, where there are several."""
        return fold(number, len(self.parts))


def compare(
    sets: Mapping[str, Sequence[object] | Mapping[str, object]],
    models: Mapping[str, Mapping[str, Any]],
    *,
    folds: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Trains models on sets, all on the same parts, and tells which is better, and whether by more than luck.

    A set is (texts, labels), judged by so many folds, or (texts, labels, split), where split says "train" or "test" of
    each text; or, by name, {"texts": ..., "labels": ..., "group": ...}: texts of one group are never on both sides, and
    with "time" models learn from what came before. A model is its settings, those of `train`.

    >>> texts = ["free money", "money now", "free now", "see you", "you soon", "see me"] * 5
    >>> labels = ["spam", "spam", "spam", "ham", "ham", "ham"] * 5
    >>> models = {"naive Bayes": {}, "logistic": {"model": "logistic", "cost": 1.0}}
    >>> found = compare({"mail": (texts, labels)}, models, folds=5)
    >>> found.run("logistic", "mail").accuracy
    1.0
    >>> found.differences()[0].sentence
    'logistic cannot be told apart from naive Bayes on mail (+0.0 points; 95 %: +0.0 to +0.0; mid-p 1)'
    """
    for what, given in (("set", sets), ("model", models)):
        if not isinstance(given, Mapping) or not given:
            raise NothingToCompare(what=what, got="none" if isinstance(given, Mapping) else described(given))
    for setting, number, least in (("folds", folds, 2), ("seed", seed, 0)):
        if type(number) is not int or number < least:
            raise BadSetting(setting=setting, got=number, expected=f"a whole number from {least} on")
    for name, settings in models.items():
        if not isinstance(settings, Mapping):
            raise BadSetting(setting=name, got=settings, expected="settings by name, such as {'model': 'nbsvm'}")
    chosen = {name: Settings.of(**settings) for name, settings in models.items()}
    tasks = [_task(name, given, chosen, folds, seed) for name, given in sets.items()]
    return Comparison(tuple(_runs(tasks, models, progress)), chosen, seed)


def _task(name: str, given: object, models: Mapping[str, Settings], folds: int, seed: int) -> Task:
    """A set, checked with the settings that speak of its labels."""
    of = _set_of(name, given)
    texts = texts_of(of.texts)
    labels = labels_of(of.labels, texts)
    if not labels:
        raise NoExamples(where=name)
    split = [None] * len(texts) if of.split is None else list(texts_of(of.split, "split"))
    if len(split) != len(texts):
        raise BadSet(name=name, got=f"{len(texts)} texts and a split of {len(split)}")
    try:
        counts = count(Settings(), texts, labels)
    except _core.BadText as error:
        refuse(error, texts, of.where or f"{name}, texts[{{}}]".format)
    for settings in models.values():
        log_prior(counts, settings)
        check_weights(settings, counts)
    parts = _split(name, labels, split, _columns(name, of), folds, seed)
    check(parts, labels, name)
    return Task(name, texts, labels, parts)


def _set_of(name: str, given: object) -> Set:
    """A set as it was given: in order, or by name."""
    if isinstance(given, Mapping) and {"texts", "labels"} <= given.keys() <= {*Set._fields}:
        return Set(**given)
    if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= len(Set._fields):
        raise BadSet(name=name, got=described(given))
    return Set(*given)


def _columns(name: str, of: Set) -> tuple[Any, Any]:
    """The groups and the times of a set, if it has any."""
    group, time = (
        None if column is None else list(texts_of(column, what))
        for column, what in ((of.group, "groups"), (of.time, "times"))
    )
    for column in (group, time):
        if column is not None and len(column) != len(of.texts):
            raise BadSet(name=name, got=f"{len(of.texts)} texts and a group or time of {len(column)}")
    if group is not None and time is not None:
        raise NotWithGroups(other="by time")
    return group, time


def _split(name: str, labels: list[str], split: list[Any], columns: tuple[Any, Any], folds: int, seed: int) -> Split:
    """What to learn from and what to judge by, once or fold by fold; and what that is called."""
    group, time = columns
    if time is not None:
        return by_time(time, folds, name)
    if group is None and {TRAIN, TEST} <= {value for value in split if isinstance(value, str)}:
        train, test = (np.array([i for i, value in enumerate(split) if value == part]) for part in (TRAIN, TEST))
        left_out = len(split) - len(train) - len(test)
        return Split([Part(train, test)], "test part" + (f" ({left_out:,} texts are of no part)" if left_out else ""))
    return in_folds(labels, folds, seed, group, name)


def _runs(tasks: list[Task], models: Mapping[str, Mapping[str, Any]], progress: Progress | None) -> Iterator[Run]:
    total, done = sum(len(task.parts) for task in tasks) * len(models), 0
    for task, (model, settings) in product(tasks, models.items()):
        answered = []
        for number, part in enumerate(task.parts, start=1):
            if progress is not None:
                progress(f"{model} on {task.name}{task.fold(number)}", done, total)
            answered.append(_answered(task, part, settings))
            done += 1
        yield _run(model, task, answered)


def _answered(task: Task, part: Part, settings: Mapping[str, Any]) -> Answered:
    """The answers of a model of the training part to the test part."""
    examples, (asked, _) = task.at(part.train), task.at(part.test)
    start = time.perf_counter()
    model = train(*examples, **settings)
    model._card  # noqa: B018  # weighed when it is first asked for, which is training too
    trained = time.perf_counter()
    answers = model.predict(asked)
    return Answered(answers, trained - start, time.perf_counter() - trained)


def _run(model: str, task: Task, answered: list[Answered]) -> Run:
    """All answers to a set beside the truth, in the set's order. No scores: those of folds are of many models."""
    answers = [answer for part in answered for answer in part.answers]
    places = np.concatenate([part.test for part in task.parts])
    order = np.argsort(places)
    truth, predicted = [task.labels[i] for i in places[order]], [answers[i] for i in order]
    held = HeldOut(tuple(sorted({*task.labels})), truth, np.empty((len(truth), 0)), predicted)
    seconds = (fmean(part.train_seconds for part in answered), fmean(part.predict_seconds for part in answered))
    return Run(model, task.name, task.split.words, Evaluation(held), *seconds)
