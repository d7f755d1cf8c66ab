"""The examples that a model was trained on, where they are kept in memory: they change as its counts do."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from .._core import Column
from .memory import as_text

if TYPE_CHECKING:
    from .._core import Texts


class Examples(NamedTuple):
    """Texts, the label of each and, where not all are 1, the weight of each."""

    texts: Texts
    labels: list[str]
    weights: list[float] | None = None

    @property
    def each_weight(self) -> list[float]:
        """The weight of each text."""
        return [1.0] * len(self.labels) if self.weights is None else self.weights


def both(some: Examples, more: Examples) -> Examples:
    """All examples; columns in Arrow's buffers stay there, unless they are to stand beside a list.

    >>> both(Examples(["see you"], ["ham"]), Examples(["free money"], ["spam"]))
    Examples(texts=['see you', 'free money'], labels=['ham', 'spam'], weights=None)
    """
    is_plain = some.weights is None and more.weights is None
    weights = None if is_plain else some.each_weight + more.each_weight
    labels = some.labels + more.labels
    if isinstance(some.texts, Column) and isinstance(more.texts, Column):
        return Examples(some.texts + more.texts, labels, weights)
    return Examples([*some.texts, *more.texts], labels, weights)


def without(examples: Examples, forgotten: Examples) -> Examples | None:
    """Examples less those that are forgotten; None where not all of those are found, so that none stays by mistake.

    They are found by their texts and labels: what is forgotten takes its weight along.

    >>> without(Examples(["see you", "free money"], ["ham", "spam"]), Examples(["free money"], ["spam"]))
    Examples(texts=['see you'], labels=['ham'], weights=None)
    """
    left = Counter(_pairs(forgotten))
    places = []
    for place, example in enumerate(_pairs(examples)):
        if left[example] > 0:
            left[example] -= 1
        else:
            places.append(place)
    return None if left.total() else some(examples, places)


def without_labels(examples: Examples, dropped: Container[str]) -> Examples:
    """Examples less those of some labels.

    >>> without_labels(Examples(["see you", "free money"], ["ham", "spam"]), {"ham"})
    Examples(texts=['free money'], labels=['spam'], weights=None)
    """
    return some(examples, [place for place, label in enumerate(examples.labels) if label not in dropped])


def renamed(examples: Examples, old: str, new: str) -> Examples:
    """The same examples, with another name for a label.

    >>> renamed(Examples(["see you", "free money"], ["ham", "spam"]), "ham", "mail").labels
    ['mail', 'spam']
    """
    return examples._replace(labels=[new if label == old else label for label in examples.labels])


def some(examples: Examples, places: Sequence[int]) -> Examples:
    """Some of the examples, in the order that is asked for, and as often.

    >>> some(Examples(["see you", "free money"], ["ham", "spam"], [2.0, 0.5]), [1])
    Examples(texts=['free money'], labels=['spam'], weights=[0.5])
    """
    texts, labels, weights = examples
    picked = None if weights is None else [weights[place] for place in places]
    return Examples([*map(texts.__getitem__, places)], [labels[place] for place in places], picked)


def _pairs(examples: Examples) -> Iterator[tuple[str, str]]:
    return zip(map(as_text, examples.texts), examples.labels, strict=True)


class Reservoir:
    """Some of all examples that pass by, each as likely as any other, and the same ones every time.

    Once it is full, it knows how many to let pass before it takes the next (Li 1994, algorithm L), so that those cost
    nothing.

    >>> sample = Reservoir(3)
    >>> for i in range(100):
    ...     sample.add(Examples([f"text {i}"], ["even" if i % 2 == 0 else "odd"]))
    >>> sample.examples
    Examples(texts=['text 18', 'text 12', 'text 22'], labels=['even', 'even', 'even'], weights=None)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._held: list[tuple[str, str, float]] = []
        self._passed = 0
        self._next = 0  # of all that pass by, the number of the next that is taken
        self._greatest = 1.0  # of as many random numbers as are held
        self._random = Random(0)  # noqa: S311

    def add(self, examples: Examples) -> None:
        """Lets examples pass by."""
        texts, labels, weights = examples
        while self._next < self._passed + len(labels):
            place = self._next - self._passed
            self._take((as_text(texts[place]), labels[place], 1.0 if weights is None else weights[place]))
        self._passed += len(labels)

    def _take(self, example: tuple[str, str, float]) -> None:
        if len(self._held) < self.most:
            self._held.append(example)
            self._next += 1
            if len(self._held) < self.most:
                return
        else:
            self._held[self._random.randrange(self.most)] = example
            self._next += 1
        self._greatest *= math.exp(math.log(1.0 - self._random.random()) / self.most)
        passing = math.log(1.0 - self._random.random()) / math.log1p(-self._greatest)
        self._next += int(min(passing, 1e15))

    def __len__(self) -> int:
        return len(self._held)

    @property
    def examples(self) -> Examples:
        """Those that are held."""
        texts, labels, weights = map(list, zip(*self._held, strict=True)) if self._held else ([], [], [])
        return Examples(texts, labels, None if all(weight == 1 for weight in weights) else weights)


class Whole:
    """All examples that pass by, as long as their texts have no more than so many characters together; then none.

    >>> whole = Whole(10)
    >>> whole.add(Examples(["free money"], ["spam"]))
    >>> whole.length, whole.examples
    (10, Examples(texts=['free money'], labels=['spam'], weights=None))
    >>> whole.add(Examples(["see you"], ["ham"]))
    >>> whole.length, whole.examples
    (None, None)
    """

    def __init__(self, most: float) -> None:
        self.most = most
        self.length: int | None = 0
        self._texts: list[str] = []
        self._labels: list[str] = []
        self._weights: list[float] = []

    def add(self, examples: Examples) -> None:
        """Lets examples pass by."""
        if self.length is None:
            return
        texts = [as_text(text) for text in examples.texts]
        self.length += sum(map(len, texts))
        if self.length > self.most:
            self.length, self._texts, self._labels, self._weights = None, [], [], []
            return
        self._texts += texts
        self._labels += examples.labels
        self._weights += examples.each_weight

    @property
    def examples(self) -> Examples | None:
        """All of them, or None."""
        weights = None if all(weight == 1 for weight in self._weights) else self._weights
        return None if self.length is None else Examples(self._texts, self._labels, weights)
