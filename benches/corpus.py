"""Texts to measure on: drawn from a model of real text, or real text repeated; any size, always the same.

`drawn` makes short documents of four labels. Their words are drawn, label by label, from the counts of the tokens of
AG News and IMDb (`DECIBAN_DATA` or ../shared/data; where neither is there, from samples/tickets.csv), with their
capitals and punctuation, and from a Zipf tail of made-up words: real text never stops bringing new words, and a
lexicon that fits into the cache would flatter everybody. The tail is as heavy as it takes for `DISTINCT` words in
100 MB. `real` repeats IMDb or 20 Newsgroups; from the second time on with the words of each document permuted.

What is made is kept in benches/data/: NAME.txt, one text a line, and NAME.labels beside it. A smaller corpus is the
beginning of a larger one.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, count, islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "benches" / "data"
MB = 1_000_000
LABELS = ("business", "science", "sports", "world")
DISTINCT = 110_000  # different words in 100 MB
MEAN_WORDS = 40
TAIL = 1_000_000  # made-up words that there are; how many are met grows with the size
BLOCK = 20_000  # documents that are drawn from one seed
SEED = 1944

Document = tuple[str, str]  # text, label
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Corpus:
    """Texts and their labels, as files."""

    name: str

    @property
    def texts(self) -> Path:
        """The file of the texts, one a line."""
        return DATA / f"{self.name}.txt"

    @property
    def labels(self) -> Path:
        """The file of their labels, one a line."""
        return DATA / f"{self.name}.labels"

    def examples(self, megabytes: float | None = None) -> tuple[list[str], list[str]]:
        """The texts and labels of the first so many megabytes, read line by line so that nothing else is left over."""
        left = self.texts.stat().st_size if megabytes is None else megabytes * MB
        texts = []
        with self.texts.open("rb") as file:
            for line in file:
                if left < len(line):
                    break
                texts.append(line[:-1].decode())
                left -= len(line)
        with self.labels.open() as file:
            names: dict[str, str] = {}  # one string a label, however many documents
            labels = [names.setdefault(line, line[:-1]) for line in islice(file, len(texts))]
        return texts, labels


def drawn(megabytes: float) -> Corpus:
    """Short documents of four labels, drawn from a model of real text."""
    return named(f"drawn-{megabytes:g}")


def real(name: str, megabytes: float, *, long: bool = False) -> Corpus:
    """A real set ("imdb", "20ng"), repeated to the size: whole documents, or documents of 40 words."""
    return named(f"{name}-{'long' if long else 'short'}-{megabytes:g}")


def named(name: str) -> Corpus:
    """A corpus by its name, such as drawn-100 or imdb-long-20 (megabytes), made if it is not there yet."""
    kind, *length, megabytes = name.split("-")
    return _kept(name, float(megabytes), lambda: _repeated(kind, length == ["long"]) if length else _documents())


def found(name: str) -> Path | None:
    """Where a real set is, if it is anywhere."""
    path = Path(os.environ.get("DECIBAN_DATA", ROOT.parent / "shared" / "data")) / f"{name}.jsonl.gz"
    return path if path.exists() else None


def _kept(name: str, megabytes: float, documents: Callable[[], Iterator[Document]]) -> Corpus:
    """The corpus of that name, written if it is not there yet: whole or not at all."""
    corpus = Corpus(name)
    if not corpus.texts.exists():
        print(f"making {corpus.texts.relative_to(ROOT)}", file=sys.stderr)
        DATA.mkdir(exist_ok=True)
        parts = DATA / f"{name}.texts-part", DATA / f"{name}.labels-part"
        with parts[0].open("wb") as texts, parts[1].open("w") as labels:
            left = megabytes * MB
            for text, label in documents():
                line = f"{text}\n".encode()
                left -= len(line)
                if left < 0:
                    break
                texts.write(line)
                labels.write(f"{label}\n")
        parts[1].rename(corpus.labels)
        parts[0].rename(corpus.texts)
    return corpus


# Drawn text


@dataclass(frozen=True)
class Model:
    """Words as they stand in a text, and for each label the cumulated probabilities of all."""

    words: npt.NDArray[np.object_]
    cumulated: Floats

    def block(self, seed: int) -> Iterator[Document]:
        """`BLOCK` documents, which depend on nothing but the seed."""
        rng = np.random.default_rng((SEED, seed))
        labels = rng.integers(len(LABELS), size=BLOCK)
        lengths = 1 + rng.gamma(4.0, (MEAN_WORDS - 0.5) / 4.0, BLOCK).astype(np.int64)
        tokens = []
        for label, cumulated in enumerate(self.cumulated):
            draws = rng.random(lengths[labels == label].sum())
            tokens.append(iter(self.words[np.searchsorted(cumulated, draws, side="right")].tolist()))
        for label, length in zip(labels.tolist(), lengths.tolist(), strict=True):
            yield " ".join(islice(tokens[label], length)), LABELS[label]


def _documents() -> Iterator[Document]:
    model = _model()
    for seed in count():
        yield from model.block(seed)


@cache
def _model() -> Model:
    """The tokens that real text has at least three times, by label, then the tail."""
    counts = _real_counts()
    total: Counter[str] = Counter()
    for of_label in counts:
        total.update(of_label)
    words = [word for word, n in total.items() if n >= 3]
    shares = np.array([[of_label[word] for word in words] for of_label in counts], float)
    shares /= shares.sum(axis=1, keepdims=True)
    tail = 1.0 / (np.arange(TAIL) + 100.0)
    tail /= tail.sum()
    share = _share_of_tail(words, shares.mean(axis=0), tail)
    both = np.hstack([(1.0 - share) * shares, share * np.tile(tail, (len(LABELS), 1))])
    cumulated = both.cumsum(axis=1)
    return Model(np.array([*words, *map(_made_up, range(TAIL))], object), cumulated / cumulated[:, -1:])


def _share_of_tail(words: list[str], shares: Floats, tail: Floats) -> float:
    """How much of the text the tail must be, for `DISTINCT` words to be expected in 100 MB of it."""
    drawn = 100 * MB / (1.0 + float(shares @ [len(word.encode()) for word in words]))
    by_name: Counter[str] = Counter()
    for word, share in zip(words, shares.tolist(), strict=True):
        for name in re.findall(r"\w\w+", word.lower()):
            by_name[name] += share
    real = np.array(list(by_name.values()))
    low, high = 0.0, 0.5
    for _ in range(40):
        middle = (low + high) / 2.0
        met = -np.expm1(-drawn * (1.0 - middle) * real).sum() - np.expm1(-drawn * middle * tail).sum()
        low, high = (middle, high) if met < DISTINCT else (low, middle)
    return low


def _real_counts() -> list[Counter[str]]:
    """Tokens by label: a label of AG News and a half of IMDb weigh the same; or those of the sample."""
    if found("agnews-test") is None or found("imdb") is None:
        return [_tokens(texts) for texts in _quarters(_sample())]
    news, reviews = (
        [_tokens(texts) for _, texts in sorted(_by_label(_set(name)).items())] for name in ("agnews-test", "imdb")
    )
    counts = [reviews[number % 2].copy() for number in range(len(LABELS))]
    for all_tokens, ours in zip(counts, news, strict=True):
        weight = all_tokens.total() // ours.total()
        all_tokens.update({word: weight * n for word, n in ours.items()})
    return counts


def _sample() -> Iterator[Document]:
    with (ROOT / "samples" / "tickets.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield row["text"], row["label"]


def _quarters(documents: Iterable[Document]) -> list[list[str]]:
    """The texts of the four labels that have most."""
    return sorted(_by_label(documents).values(), key=len)[-len(LABELS) :]


def _by_label(documents: Iterable[Document]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for text, label in documents:
        texts.setdefault(label, []).append(text)
    return texts


def _tokens(texts: Iterable[str]) -> Counter[str]:
    return Counter(chain.from_iterable(map(str.split, texts)))


def _made_up(number: int) -> str:
    """A word that no language has, different for each number; some with a capital, some before a comma."""
    capital, comma = number % 7 == 0, number % 11 == 0
    word = "q"
    while number or len(word) < 5:
        number, syllable = divmod(number, 100)
        word += "bcdfghjklmnprstvwxyz"[syllable // 5] + "aeiou"[syllable % 5]
    return (word.capitalize() if capital else word) + ("," if comma else "")


# Real text


def labelled(name: str) -> tuple[list[str], list[str], list[str]]:
    """The texts of a real set, their labels, and which part of it each belongs to: train, test or all."""
    records = list(_records(name))
    texts, labels, splits = ([record[column] for record in records] for column in ("text", "label", "split"))
    return texts, labels, splits


def _set(name: str) -> Iterator[Document]:
    return ((record["text"], record["label"]) for record in _records(name))


def _records(name: str) -> Iterator[dict[str, str]]:
    path = found(name)
    if path is None:
        raise SystemExit(f"benches: {name}.jsonl.gz is neither in DECIBAN_DATA nor in ../shared/data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _repeated(name: str, long: bool) -> Iterator[Document]:
    """All documents in a random order, and again, and again; from the second time on with their words permuted."""
    documents = [(text.split(), label) for text, label in _set(name)]
    rng = np.random.default_rng(SEED)
    for times in count():
        for place in rng.permutation(len(documents)).tolist():
            words, label = documents[place]
            if times:
                words = [words[i] for i in rng.permutation(len(words)).tolist()]
            step = max(len(words), 1) if long else MEAN_WORDS
            for start in range(0, len(words), step):
                yield " ".join(words[start : start + step]), label
