"""A feed: texts come in, the interesting ones go out first, and each answer is learnt at once.

Beside the model file stands a journal, the one truth: which items were shown and what was answered. A feed is the
journal read again, line by line; its model is an ordinary one, which `deciban predict` and `explain` understand: the
answers' fading counts and those expected of the stream, and weights of words that both and a fit say (`words`). It
cannot be merged: expected counts can be neither taken apart nor added.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..classifier import Classifier
from ..errors import DamagedFeed, NothingToRank, SameLabel, UnknownItem
from ..evidence import Evidence
from ..examples import labels_of
from ..files import check_writable
from ..mixture import weigh
from ..settings import Settings
from ..units import decibans
from . import interest, words
from .fading import Fading, step_of
from .items import Answer, Item, Nothing
from .journal import Journal, opened
from .space import Space

__all__ = ["Answer", "Feed", "Item", "Nothing", "Ranked", "open_feed"]
YES, NO = "interesting", "not"
FORMAT = 1
KIND = "its kind"


@dataclass(frozen=True)
class Ranked:
    """An item in its place: the probability that it is interesting, the odds of that, and whether it explores."""

    item: Item
    probability: float
    decibans: float
    explores: bool


@contextlib.contextmanager
def open_feed(
    path: str | os.PathLike[str],
    *,
    new: bool = False,
    half_life: int | None = None,
    days: bool = False,
    labels: tuple[str, str] = (YES, NO),
    seed: int = 0,
    now: Callable[[], float] = time.time,
) -> Iterator[Feed]:
    """The feed of a model file, for nobody else meanwhile; a `new` one is given what it is begun with.

    `half_life` is in answers, or in `days`. Nothing is in the model file before `save`; every answer is in the journal.

    >>> import tempfile
    >>> news = [Item("a", "the goalie saved a puck"), Item("b", "choir sang in church"), Item("c", "puck on the ice")]
    >>> with open_feed(f"{tempfile.mkdtemp()}/news.deciban", new=True) as feed:
    ...     feed.read(news)
    ...     feed.answer("a", "yes")
    ...     [ranked.item.id for ranked in feed.ranked()]
    ['c', 'b']
    """
    if labels[0] == labels[1]:
        raise SameLabel(label=labels[0])
    labels_of([*labels])
    model = os.fspath(path)
    check_writable(model)
    half = {"half_life": half_life, "days": days} if half_life is not None else {}
    begun = {"feed": FORMAT, "yes": labels[0], "no": labels[1], **half, "at": int(now())} if new else None
    with opened(model, begun) as journal:
        yield Feed(model, journal, seed, now)


class Feed:
    """What was read, shown and answered, and what follows from it. Make one with `open_feed`."""

    def __init__(self, path: str, journal: Journal, seed: int = 0, now: Callable[[], float] = time.time) -> None:
        self.path, self._journal, self._seed, self._now = path, journal, seed, now
        self._begun = journal.lines[0]
        self.items: dict[str, Item] = {}
        self.shown: set[str] = set()
        self._steps: dict[str, int] = {}  # when each yes and no was said
        self.answers: dict[str, str] = {}  # the last of each item, in the order in which they were given
        self._replay()

    @property
    def labels(self) -> tuple[str, str]:
        """What interesting texts are called, and the others."""
        return self._begun["yes"], self._begun["no"]

    def _replay(self) -> None:
        """All of the journal. Of several answers to one item the last counts, as if there had been no other."""
        try:
            self._fading = Fading.of(self._settings(1).terms, *sorted(self.labels))
            last = {line["id"]: number for number, line in enumerate(self._journal.lines) if "answer" in line}
            for number, line in enumerate(self._journal.lines[1:], start=1):
                if "text" in line:
                    self._keep(Item(line["id"], line["text"], line["title"]))
                    self.shown.add(line["id"])
                elif last[line["id"]] == number:
                    self._learn(line)
        except (KeyError, TypeError, ValueError):
            raise DamagedFeed(where=f"{self._journal.path}") from None

    def _keep(self, item: Item) -> None:
        if item.id not in self.items:
            self.items[item.id] = item
            self._forget("_space")

    def _forget(self, *made: str) -> None:
        """Lets go of what was made of what was known."""
        for name in (*made, "_asking", "_learnt", "_odds", "classifier"):
            vars(self).pop(name, None)

    def _learn(self, line: dict[str, Any]) -> None:
        """One answer of the journal: the counts of its text are added."""
        name, answer = line["id"], line["answer"]
        self.answers[name] = answer
        if answer != "skip":
            label = self.labels[0] if answer == "yes" else self.labels[1]
            self._steps[name] = self._step(line["at"])
            self._fading = self._fading.learnt(self.items[name].text, label, self._steps[name])
        self._forget()

    def _step(self, at: int) -> int:
        """The step of time of an answer, never before that of the one before."""
        half, days = self._begun.get("half_life"), self._begun.get("days")
        given = sum(answer != "skip" for answer in self.answers.values())
        gone = max(at - self._begun["at"], 0) if days else given - 1
        return max(step_of(gone, half and half * (86_400 if days else 1)), self._fading.step)

    def read(self, items: Iterable[Item]) -> None:
        """Takes in some items; those that are known already are the same."""
        for item in items:
            self._keep(item)

    def answer(self, id: str, answer: str, where: str = "answer") -> None:
        """Learns what was said of an item: yes, no or skip. The same answer again changes nothing."""
        if id not in self.items:
            raise UnknownItem(where=where, id=id)
        if self.answers.get(id) == answer:
            return
        changes = id in self.answers
        line = {"id": id, "answer": answer, "at": int(self._now())}
        self._journal.write(*self._not_yet_shown([self.items[id]]), line)
        self.shown.add(id)
        if changes:
            self.answers.clear()
            self._steps.clear()
            self._replay()
        else:
            self._learn(line)

    def show(self, items: list[Item]) -> None:
        """Notes that some items were shown, with their texts: they are not shown again, and can be answered later."""
        self._journal.write(*self._not_yet_shown(items))
        self.shown.update(item.id for item in items)

    def _not_yet_shown(self, items: list[Item]) -> list[dict[str, Any]]:
        new = [item for item in items if item.id not in self.shown]
        return [{"id": item.id, "text": item.text, "title": item.title} for item in new]

    @cached_property
    def _space(self) -> Space:
        """All texts as points."""
        texts, titles = ([getattr(item, of) for item in self.items.values()] for of in ("text", "title"))
        return Space.of(self._settings(1).terms, texts, self._seed, titles=titles)

    def _places(self, *answers: str) -> interest.Places:
        """Where the items stand that were answered so."""
        return np.array([n for n, name in enumerate(self.items) if self.answers.get(name) in answers], np.int64)

    def _open(self, again: bool = True) -> interest.Places:
        """Where the items stand that were not answered; and, unless `again`, not shown either."""
        closed = self.answers.keys() | (set() if again else self.shown)
        return np.array([n for n, name in enumerate(self.items) if name not in closed], np.int64)

    @property
    def _asked(self) -> interest.Asked:
        """The items that were answered yes or no, and what is left of each answer."""
        at = [(n, name) for n, name in enumerate(self.items) if name in self._steps]
        liked = [self.answers[name] == "yes" for _, name in at]
        left = [self._fading.left(self._steps[name]) for _, name in at]
        return interest.Asked(np.array([n for n, _ in at], np.int64), np.array(liked, np.bool_), np.array(left, float))

    @cached_property
    def _asking(self) -> tuple[interest.Floats, interest.Floats]:
        """How near each text is to what is interesting; and by that and by words: what is asked about."""
        asked, space = self._asked, self._space
        near = interest.nearness(space, asked) if asked.likes else np.zeros(len(self.items))
        w = words.weights(space, interest.shares(near, asked), asked)
        return near, interest.both(space, w, near)

    @cached_property
    def _learnt(self) -> tuple[interest.Floats, interest.Floats, interest.Floats]:
        """How likely each text is interesting, what each word says of that, and what both say: the ranking."""
        near, before = self._asking
        q = interest.shares(before, self._asked)
        w = words.weights(self._space, q, self._asked)
        return q, w, self._space.spread(interest.both(self._space, w, near))

    def _even(self, values: interest.Floats) -> tuple[float, float]:
        """Factor and shift that make log-odds of what is said of each text."""
        return words.even(values[self._open()], interest.many(len(self.items), self._asked.likes))

    @cached_property
    def _odds(self) -> dict[str, float]:
        """The log-odds that each item is interesting, by its words and by its kind."""
        _, _, ranking = self._learnt
        factor, shift = self._even(ranking)
        return dict(zip(self.items, (factor * ranking + shift).tolist(), strict=True))

    @cached_property
    def classifier(self) -> Classifier:
        """The model of all answers and the stream."""
        if not self.items:
            raise NothingToRank
        (q, w, _), (yes, _) = self._learnt, self.labels
        weight, counts = self._fading.weight, self._fading.counts
        more, settings = words.expected(self._space, q, self.labels, weight), self._settings(weight)
        card = words.written(weigh(counts, more, settings), self._space, w, yes)
        made = words.calibrated(card, yes, *self._even(self._space.along(w)))
        return Classifier(settings, counts, self._provenance(), None, card, more, calibration=made)

    def _settings(self, weight: int) -> Settings:
        """Those of its model: a pseudo-count is what a text of the stream counts, in the units of the counts."""
        return Settings.of(binary=True, alpha=words.ALPHA * weight, prior="uniform", calibration="platt")

    def _provenance(self) -> list[dict[str, Any]]:
        answered, unit = len(self.answers), self._fading.weight
        source = f"feed of {len(self.items):,} texts, {answered:,} answers"
        return [{"source": source, "examples": answered, "unit": unit}]

    def ranked(self, top: int | None = None, explore: float = 0.0, *, again: bool = True) -> list[Ranked]:
        """The items that were not answered, the most interesting first; a share of the places explores.

        Places for exploring go to texts that stand for most texts that nobody was asked about. Unless `again`, items
        that were shown before are left out.
        """
        left = self._open(again)
        if not len(left):
            return []
        order, ids = interest.order(self._learnt[2], left).tolist(), list(self.items)
        found = []
        for n, explores in self._with_explorers(order, len(order) if top is None else top, explore):
            odds = self._odds[ids[n]]
            found.append(Ranked(self.items[ids[n]], _probability(odds), decibans(odds), explores))
        return found

    def _with_explorers(self, order: list[int], top: int, explore: float) -> Iterator[tuple[int, bool]]:
        """Places in the order of their ranking, with explorers between them, so many in all."""
        left, asked = dict.fromkeys(order), self._places("yes", "no")
        for place in range(min(top, len(order))):
            if int((place + 1) * explore) > int(place * explore):
                n = interest.standing_for_most(self._space.points, asked, np.fromiter(left, np.int64, len(left)))
                asked, explores = np.append(asked, n), True
            else:
                n, explores = next(iter(left)), False
            del left[n]
            yield n, explores

    def question(self) -> Item | None:
        """The item to ask about next: where answers tell most; None where all were answered."""
        left, ids = self._open(), list(self.items)
        if not len(left):
            return None
        if "yes" not in self.answers.values():
            told = self._places("skip", "no")
            return self.items[ids[interest.standing_for_most(self._space.points, told, left)]]
        depth = interest.depth(list(self.answers.values()), len(left))
        order = interest.order(self._asking[1], left)
        return self.items[ids[interest.next_question(self._space, order, self._asked, depth)]]

    def why(self, item: Item) -> Evidence:
        """What speaks for an item, and against it, word by word; and, for one of the stream, what its kind adds."""
        said = self.classifier.explain(item.text, *self.labels)
        if self.items.get(item.id) != item:
            return said
        odds = self._odds[item.id]
        return replace(said, probability=_probability(odds), cost=decibans(odds) - said.total, by=KIND)

    def save(self) -> None:
        """Replaces the model file, whole or not at all."""
        self.classifier.save(self.path)


def _probability(odds: float) -> float:
    """That of log-odds."""
    return float(1 / (1 + np.exp(-odds)))
