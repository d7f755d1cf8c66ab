"""Bernoulli against multinomial as the lexicon grows, as McCallum and Nigam (1998) draw it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import deciban
from deciban.counts import Counts

from .. import plot, sets
from . import Bar, Row, markdown

TITLE = "The size of the lexicon"
SETS = ("20ng", "r8", "subj")
SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
MODELS = ("bernoulli", "multinomial")
FOLDS = 5
WORD = re.compile(r"\b\w\w+\b")  # what deciban takes for words by default
ABOUT = f"""Accuracy of both models with Laplace smoothing (alpha 1) when only the words are kept that tell most of the
label: ranked by the mutual information of label and presence, on the training part. By {FOLDS}-fold cross-validation
where a set has no test part. The last line of a set has all words of the training part, however many.
"""


def rows() -> Iterator[Row]:
    """Both models at each size, set by set."""
    for name in SETS:
        of = sets.read(name)
        words = [WORD.findall(text.lower()) for text in of.texts]
        ranks = {train.tobytes(): _ranks(of, train) for train, _ in of.parts(FOLDS)}
        fewest = min(map(len, ranks.values()))
        for size in (*(size for size in SIZES if size < fewest), max(map(len, ranks.values()))):
            accuracies = {model: _accuracy(of, words, ranks, size, model) for model in MODELS}
            yield {"set": name, "size": size, **accuracies}


def _ranks(of: sets.Set, train: sets.Places) -> dict[str, int]:
    """The rank of each word of a training part, from 0 for the one that tells most."""
    counts = deciban.train(*of.at(train), model="multinomial").counts
    names = counts.lexicon.names()
    return {names[j]: rank for rank, j in enumerate(np.argsort(-_information(counts), kind="stable").tolist())}


def _information(counts: Counts) -> npt.NDArray[np.float64]:
    """I(label; presence) of each term, in nats: the sum of p(x, y) log(p(x, y) / (p(x) p(y))), x present or absent."""
    present = np.zeros((len(counts.lexicon), len(counts.labels)))
    present[counts.term, counts.label] = counts.presences
    n = counts.documents.sum()
    p_y = counts.documents / n
    found = np.zeros(len(present))
    for joint in (present / n, (counts.documents - present) / n):
        p_x = joint.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            found += np.where(joint > 0, joint * np.log(joint / (p_x * p_y)), 0.0).sum(axis=1)
    return found


def _accuracy(of: sets.Set, words: list[list[str]], ranks: dict[bytes, dict[str, int]], size: int, model: str) -> float:
    def predicted(train: sets.Places, test: sets.Places) -> list[str]:
        rank = ranks[train.tobytes()]
        kept = {word for word, place in rank.items() if place < size}
        learnt, judged = ([" ".join(filter(kept.__contains__, words[i])) for i in part] for part in (train, test))
        return deciban.train(learnt, of.at(train)[1], model=model, alpha=1.0, tokens="whitespace").predict(judged)

    return 100 * of.accuracy(predicted, FOLDS)


def table(rows: list[Row]) -> str:
    """Markdown."""
    cells = ((row["set"], f"{row['size']:,}", *(f"{row[model]:.2f}" for model in MODELS), _better(row)) for row in rows)
    return f"{ABOUT}\n{markdown('set | words> | Bernoulli> | multinomial> | better', cells)}"


def _better(row: Row) -> str:
    return max(MODELS, key=lambda model: row[model])


def bars(_: list[Row]) -> Iterator[Bar]:
    """None: it is a picture, not a promise."""
    return iter(())


def draw(path: Path, rows: list[Row], about: str) -> None:
    """A panel a set, a line a model."""
    curves = {
        name: {model: [(row["size"], row[model]) for row in rows if row["set"] == name] for model in MODELS}
        for name in dict.fromkeys(row["set"] for row in rows)
    }
    plot.sizes(path, curves, about)
