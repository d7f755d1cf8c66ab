"""What is between the default model and its bars: texts that come again, and words that no training text has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from statistics import fmean

import deciban
from deciban.terms import Terms

from .. import sets
from . import Bar, Row, markdown
from .committee import FOLDS, LEAST

TITLE = "What is between the default and its bars"
SETS = ("mpqa", "subj", "r52")
KINDS = ("again", "known", "new")
WORDS = Terms(tokens="marks")
ABOUT = f"""The folds and test parts of the committee, by what stands in the training part: *again* are test texts of
which it has all words in their order, under whatever label; *known* those of which it has every word; *new* those
with a word that it has not. Each with its share of all texts, and how many of them the committee gets right, in %.
*Most* is what nobody can beat who goes by the words: of texts that are the same in words, all those of their most
frequent label ({FOLDS}-fold: of all texts, else of the test part). *Error* is one standard error of the accuracy, of so
many texts.
"""


def rows() -> Iterator[Row]:
    """Set by set."""
    for name in SETS:
        yield {"set": name, **_measured(sets.read(name))}


def _measured(of: sets.Set) -> Row:
    """Shares and figures, in %."""
    words = [tuple(seen.term for seen in WORDS.seen(text)) for text in of.texts]
    right: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    judged: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for train, test in of.parts(FOLDS):
        model = deciban.train(*of.at(train), budget=None)
        texts, known = {words[i] for i in train}, {word for i in train for word in words[i]}
        for place, answer in zip(test, model.predict(of.at(test)[0]), strict=True):
            right[_kind(words[place], texts, known)].append(answer == of.labels[place])
            judged[words[place]][of.labels[place]] += 1
    every = [is_right for of_kind in right.values() for is_right in of_kind]
    accuracy, most = fmean(every), sum(max(labels.values()) for labels in judged.values()) / len(every)
    told = {kind: _told(found, len(every)) for kind, found in right.items()}
    error = (accuracy * (1 - accuracy) / len(every)) ** 0.5
    return {"texts": len(every), "accuracy": 100 * accuracy, "error": 100 * error, "most": 100 * most, "kinds": told}


def _told(right: list[bool], texts: int) -> list[float | None]:
    """How many they are, and how many of them are right, in %."""
    return [100 * len(right) / texts, 100 * fmean(right) if right else None]


def _kind(words: tuple[str, ...], texts: set[tuple[str, ...]], known: set[str]) -> str:
    if words in texts:
        return "again"
    return "known" if known.issuperset(words) else "new"


def table(rows: list[Row]) -> str:
    """Markdown."""
    head = ["set", "texts>", "accuracy>", "error>", "bar>", "most>", *(f"{kind}> | right>" for kind in KINDS)]
    return f"{ABOUT}\n{markdown(' | '.join(head), map(_cells, rows))}"


def _cells(row: Row) -> Iterator[str]:
    yield from (row["set"], f"{row['texts']:,}", f"{row['accuracy']:.2f}", f"{row['error']:.2f}")
    yield from (f"{LEAST[row['set']]:g}", f"{row['most']:.2f}")
    for kind in KINDS:
        yield from ("" if number is None else f"{number:.1f}" for number in row["kinds"][kind])


def bars(_rows: list[Row]) -> Iterable[Bar]:
    """None of its own."""
    return ()
