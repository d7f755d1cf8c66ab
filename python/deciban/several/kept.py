"""Texts of any number of labels, kept in memory: read from files, counted, joined, some of them, less others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core import BadText as BadTextInCore
from ..counts import Counts
from ..errors import NoExamples
from ..examples import Source, as_text
from ..examples.sets import Labels
from ..settings import Settings
from ..terms import refuse
from .counting import count

if TYPE_CHECKING:
    from .._core import Texts

IN_MEMORY = "texts[{}]".format  # where a text stands that came in no file


class Given(NamedTuple):
    """Texts, and the labels of each."""

    texts: Texts
    sets: list[Labels]

    def and_(self, more: Given) -> Given:
        """All texts."""
        return Given([*self.texts, *more.texts], self.sets + more.sets)

    def some(self, most: int) -> Given:
        """Some of the texts, evenly from all over."""
        places = range(0, len(self.sets), max(-(-len(self.sets) // most), 1))
        texts: Any = [self.texts[i] for i in places]
        return Given(texts, [self.sets[i] for i in places])

    def without(self, forgotten: Given) -> Given | None:
        """The same less those that are forgotten; None where not all of those are found.

        >>> Given(["a", "b", "a"], [("x",), (), ("x",)]).without(Given(["a"], [("x",)]))
        Given(texts=['b', 'a'], sets=[(), ('x',)])
        """
        left = Counter(forgotten._pairs())
        places = []
        for place, example in enumerate(self._pairs()):
            if left[example] > 0:
                left[example] -= 1
            else:
                places.append(place)
        texts: Any = [self.texts[i] for i in places]
        return None if left.total() else Given(texts, [self.sets[i] for i in places])

    def _pairs(self) -> Iterator[tuple[str, Labels]]:
        return zip(map(as_text, self.texts), self.sets, strict=True)


class Read(NamedTuple):
    """Texts and their labels, as a file has them, and the values of columns that are kept, if any are."""

    given: Given
    kept: list[list[Any]]


def read_whole(source: Source, separator: str, progress: Callable[[int], None] | None = None) -> Read:
    """All texts of a file, and the labels of each."""
    texts: list[Any] = []
    sets: list[Labels] = []
    kept: list[list[Any]] = []
    for batch in replace(source, several=separator).batches(progress):
        texts += batch.texts
        sets += batch.labels
        kept += batch.kept
    if not sets:
        raise NoExamples(where=source.name)
    return Read(Given(texts, sets), kept)


def counted(settings: Settings, given: Given, where: Callable[[int], str] = IN_MEMORY) -> Counts:
    """The counts of some texts."""
    try:
        return count(settings, *given)
    except BadTextInCore as error:
        refuse(error, given.texts, where)
