"""Texts and settings -> the learning curve: how good models are that learn from fewer of the texts.

A model of counts is judged by leave-one-out at every size, in several orders of the texts. What it knows of the first m
texts are their counts, and those of the first m' > m are the same plus those between: all sizes of one order cost one
counting, and every text of a size judges. Other models are trained at every size, and judged by a fifth of the texts,
of which none is learnt. Texts come in an order in which every beginning has the labels in about the same proportions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .choosing import is_open
from .classifier import Classifier
from .counts import Counts
from .evaluation.learning import LearningCurve, Point
from .examples import Examples, labels_of, texts_of
from .halves import count
from .protocols import Progress
from .settings import AUTO, Settings
from .splits import by_share, numbers
from .training import train

Places = npt.NDArray[np.int64]

SIZES, SMALLEST, SPAN = 8, 20, 32  # how many sizes, the least, and how many times less than all that is
FEWER = 5  # sizes of models that are trained at each
ORDERS, MOST_TEXTS = 5, 60_000  # orders of models of counts, and how many texts are judged in all of them
REPEATS, KEPT = 2, 0.2  # of models that are trained


def learning_curve(
    texts: object,
    labels: object,
    *,
    group: Sequence[Any] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **settings: Any,
) -> LearningCurve:
    """Accuracy against the number of labelled texts, for a model of these settings.

    >>> texts = ["free money", "money now", "free now", "see you", "you soon", "see me"] * 20
    >>> labels = ["spam", "spam", "spam", "ham", "ham", "ham"] * 20
    >>> curve = learning_curve(texts, labels, model="multinomial")
    >>> curve.points[-1]
    Point(learnt=119, judged=120, accuracy=1.0)
    """
    every = list(texts_of(texts))
    known = labels_of(labels, every)
    chosen = Settings.for_training(**settings)
    if chosen.needs_rows or chosen.model == AUTO or is_open(chosen) or group is not None:
        points = _by_training(every, known, settings, group, seed, progress)
    else:
        points = _by_counting(every, known, replace(chosen, calibration="none"), seed, progress)
    return LearningCurve(tuple(_means(points)), len(known), seed)


def order_of(labels: Sequence[str], seed: int) -> Places:
    """An order, drawn, in which every beginning has the labels in about the same proportions.

    >>> [["a", "a", "a", "a", "b", "b"][i] for i in order_of(["a", "a", "a", "a", "b", "b"], 0)]
    ['a', 'a', 'b', 'a', 'a', 'b']
    """
    rng, y = np.random.default_rng(seed), numbers(labels)
    drawn = rng.random(len(y))
    by_label = np.lexsort((drawn, y))
    first = np.searchsorted(y[by_label], y[by_label])
    n = np.bincount(y)[y[by_label]]
    turn = np.empty(len(y))
    turn[by_label] = (np.arange(len(y)) - first + drawn[by_label]) / n
    return np.argsort(turn, kind="stable")


def sizes_up_to(n: int, most: int = SIZES) -> list[int]:
    """Sizes that grow by the same factor, up to n.

    >>> sizes_up_to(800, 5)
    [25, 59, 141, 336, 800]
    """
    least = max(SMALLEST, n // SPAN)
    return sorted({round(size) for size in np.geomspace(min(least, n), n, most)})


def _by_counting(
    texts: list[Any], labels: list[str], settings: Settings, seed: int, progress: Progress | None
) -> Iterator[Point]:
    """Leave-one-out at every size, in several orders."""
    orders = max(min(ORDERS, MOST_TEXTS // max(len(texts), 1)), 1)
    sizes = sizes_up_to(len(texts))
    for number in range(orders):
        order, counts, start = order_of(labels, seed + number), count(settings, [], []), 0
        for place, size in enumerate(sizes):
            if progress is not None:
                progress("learning curve", number * len(sizes) + place, orders * len(sizes))
            counts = counts + count(settings, *_at(texts, labels, order[start:size]))
            start = size
            if (point := _left_out(settings, counts, _at(texts, labels, order[:size]))) is not None:
                yield point


def _left_out(settings: Settings, counts: Counts, learnt: tuple[list[Any], list[str]]) -> Point | None:
    """How many of so many texts are right when each is left out; nothing where there is one label alone."""
    if len(counts.labels) < 2 or len(learnt[1]) < 3:
        return None
    held = Classifier(settings, counts, (), Examples(*learnt)).leave_one_out()
    return Point(len(learnt[1]) - 1, len(learnt[1]), held.accuracy)


def _by_training(
    texts: list[Any],
    labels: list[str],
    settings: dict[str, Any],
    group: Sequence[Any] | None,
    seed: int,
    progress: Progress | None,
) -> Iterator[Point]:
    """Models of every size, judged by texts that none of them learns from."""
    for number in range(REPEATS):
        ((learn, test),) = by_share(labels, KEPT, seed + number, group).parts
        order = learn[order_of([labels[i] for i in learn], seed + number)]
        sizes = sizes_up_to(len(order), FEWER)
        for place, size in enumerate(sizes):
            if progress is not None:
                progress("learning curve", number * len(sizes) + place, REPEATS * len(sizes))
            learnt = _at(texts, labels, order[:size])
            if len({*learnt[1]}) > 1:
                model = train(*learnt, **settings)
                yield Point(size, len(test), model.evaluate(*_at(texts, labels, test)).accuracy)


def _means(points: Iterator[Point]) -> Iterator[Point]:
    """Points of one size as one: several orders have the same texts, so that they are no more sure than one."""
    of_size: dict[int, list[Point]] = {}
    for point in points:
        of_size.setdefault(point.learnt, []).append(point)
    for learnt, some in sorted(of_size.items()):
        yield Point(learnt, some[0].judged, float(np.mean([point.accuracy for point in some])))


def _at(texts: list[Any], labels: list[str], places: Places) -> tuple[list[Any], list[str]]:
    return [texts[i] for i in places], [labels[i] for i in places]
