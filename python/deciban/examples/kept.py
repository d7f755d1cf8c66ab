"""The examples that a model was trained on, where they are kept in memory: they change as its counts do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from .._core import Column
from .memory import as_text

if TYPE_CHECKING:
    from .._core import Texts

Examples: TypeAlias = "tuple[Texts, list[str]]"


def both(some: Examples, more: Examples) -> Examples:
    """All examples; columns in Arrow's buffers stay there, unless they are to stand beside a list.

    >>> both((["see you"], ["ham"]), (["free money"], ["spam"]))
    (['see you', 'free money'], ['ham', 'spam'])
    """
    (texts, labels), (more_texts, more_labels) = some, more
    if isinstance(texts, Column) and isinstance(more_texts, Column):
        return texts + more_texts, labels + more_labels
    return [*texts, *more_texts], labels + more_labels


def without(examples: Examples, forgotten: Examples) -> Examples | None:
    """Examples less those that are forgotten; None where not all of those are found, so that none stays by mistake.

    >>> without((["see you", "free money"], ["ham", "spam"]), (["free money"], ["spam"]))
    (['see you'], ['ham'])
    """
    left = Counter(_pairs(forgotten))
    kept = []
    for example in _pairs(examples):
        if left[example] > 0:
            left[example] -= 1
        else:
            kept.append(example)
    return None if left.total() else _columns(kept)


def without_labels(examples: Examples, dropped: Container[str]) -> Examples:
    """Examples less those of some labels.

    >>> without_labels((["see you", "free money"], ["ham", "spam"]), {"ham"})
    (['free money'], ['spam'])
    """
    return _columns((text, label) for text, label in _pairs(examples) if label not in dropped)


def renamed(examples: Examples, old: str, new: str) -> Examples:
    """The same examples, with another name for a label.

    >>> renamed((["see you", "free money"], ["ham", "spam"]), "ham", "mail")
    (['see you', 'free money'], ['mail', 'spam'])
    """
    texts, labels = examples
    return texts, [new if label == old else label for label in labels]


def _pairs(examples: Examples) -> Iterator[tuple[str, str]]:
    return zip(map(as_text, examples[0]), examples[1], strict=True)


def _columns(pairs: Iterable[tuple[str, str]]) -> Examples:
    kept = list(pairs)
    return [text for text, _ in kept], [label for _, label in kept]


class Reservoir:
    """Some of all examples that pass by, each as likely as any other, and the same ones every time.

    >>> sample = Reservoir(3)
    >>> for i in range(100):
    ...     sample.add([f"text {i}"], ["even" if i % 2 == 0 else "odd"])
    >>> sample.examples
    (['text 53', 'text 1', 'text 28'], ['odd', 'odd', 'even'])
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.examples: tuple[list[str], list[str]] = ([], [])
        self._passed = 0
        self._random = Random(0)  # noqa: S311

    def add(self, texts: Texts, labels: list[str]) -> None:
        """Lets examples pass by."""
        held_texts, held_labels = self.examples
        for text, label in zip(texts, labels, strict=True):
            self._passed += 1
            if len(held_texts) < self.most:
                held_texts.append(as_text(text))
                held_labels.append(label)
            elif (place := self._random.randrange(self._passed)) < self.most:
                held_texts[place], held_labels[place] = as_text(text), label
