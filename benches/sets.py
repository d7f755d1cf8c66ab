"""Real data sets -> texts and labels, with what to train on and what to judge by."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from . import corpus

Places = npt.NDArray[np.int64]  # of examples, within a set
Parts = tuple[Places, Places]  # what to train on, what to judge by
SEED = 0

# All those whose texts have one label each; and that of very many labels, which few parts have the time for.
NAMES = (
    *("20ng", "agnews-test", "clinc150", "cr", "debian-sections", "imdb", "mpqa", "ohsumed", "r52", "r8", "rt-2k"),
    *("rt-s", "sms-spam", "spamassassin", "sst2", "subj", "trec", "tweets-8lang", "udhr-langid"),
)
VERY_MANY = "wordnet-hypernyms"


@dataclass(frozen=True)
class Set:
    """A data set: of its texts some may be set apart as a test."""

    name: str
    texts: list[str]
    labels: list[str]
    split: list[str]

    @cached_property
    def has_test(self) -> bool:
        """Whether its authors say what to judge by."""
        return "test" in self.split

    def at(self, places: Sequence[int] | Places) -> tuple[list[str], list[str]]:
        """Some of its examples."""
        return [self.texts[i] for i in places], [self.labels[i] for i in places]

    def parts(self, folds: int) -> Iterator[Parts]:
        """Training and test part, as its authors have them; where they have none, so many folds."""
        if not self.has_test:
            yield from self.folds(folds)
            return
        test = np.array(self.split) == "test"
        yield np.flatnonzero(~test), np.flatnonzero(test)

    def folds(self, n: int) -> Iterator[Parts]:
        """Training and test part of each fold; the same at all times, with labels in proportion."""
        from sklearn.model_selection import StratifiedKFold

        yield from StratifiedKFold(n, shuffle=True, random_state=SEED).split(self.texts, self.labels)

    def accuracy(self, predicted: Callable[[Places, Places], list[str]], folds: int) -> float:
        """The share of all test texts whose label is predicted from what there is to train on."""
        right = [
            answer == self.labels[place]
            for train, test in self.parts(folds)
            for place, answer in zip(test, predicted(train, test), strict=True)
        ]
        return sum(right) / len(right)


def read(name: str) -> Set:
    """A data set by name, from `DECIBAN_DATA` or ../shared/data."""
    path = corpus.found(name)
    if path is None:
        raise SystemExit(f"benches: {name}.jsonl.gz is neither in DECIBAN_DATA nor in ../shared/data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return Set(name, *([row[column] for row in rows] for column in ("text", "label", "split")))
