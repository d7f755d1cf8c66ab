"""Texts and labels -> answers: deciban and its rivals, each with settings that it chooses on the training part alone.

    train(texts, labels)    choose settings, learn with them; the `told` of it says which
    predict(texts)          the label of each text

All see the same tokens: runs of letters and digits, and each other mark, in small letters (fastText and Vowpal Wabbit
get them with spaces between; deciban cuts texts itself). Files that they learn from are shuffled, as both want.

- scikit-learn: tf-idf with 1 + log counts, of runs of one or two words, or of these and 2 to 5 characters inside words,
  with LinearSVC or, where labels are few, LogisticRegression: features, model and C by cross-validation. Of much text
  or very many labels the grid is smaller, and one part in five is held out instead (`_grid`, told on the page). With
  over a thousand labels one model a label does not fit into memory or time: nearest neighbours.
- fastText: its own autotune, for as many seconds as processors took to train deciban on the same part (ten at least),
  judged by a tenth of the training part; then the settings that were found, learnt from all of it, at half the rate
  where weights overflow. Autotune ends by learning once more, however long that takes: where it has not ended after ten
  times its seconds, or no trial ended in time, the settings are those of fastText's tutorial.
- Vowpal Wabbit: one against all, runs of one or two words, 8 passes, 2^24 weights (2^26 for over 50 labels); loss and
  rate by a held-out tenth. With over a thousand labels a tree (`--recall_tree`) instead of one against all.

deciban's budget and autotune go by the clock: where the machine is busy, they are given as much longer as a loop takes
longer on the clock than on a processor (`busy`).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

SEED = 0
TOKEN = re.compile(r"\w+|[^\w\s]")
MUCH = 12_000_000  # characters to train on, times a tenth of the labels: from there on grids are smaller
FEW, VERY_MANY = 8, 1000  # labels
BUDGET, LEAST_SECONDS = 60.0, 10
LAST_TRAINING = 10  # times the seconds of autotune
LOOP = 1.0  # seconds
Labels = Sequence[str]


def tokens(text: str) -> str:
    """The tokens of a text, in small letters, with spaces between."""
    return " ".join(TOKEN.findall(text.lower()))


def held_out(labels: Labels, share: float) -> tuple[list[int], list[int]]:
    """Places to learn from, and a share to judge by, shuffled."""
    places = np.random.default_rng(SEED).permutation(len(labels)).tolist()
    cut = round(share * len(labels))
    return places[cut:], places[:cut]


def busy() -> float:
    """How many times as long a loop takes on the clock as on a processor."""
    start, of_processor = time.perf_counter(), time.process_time()
    while time.process_time() - of_processor < LOOP:
        pass
    return max(1.0, (time.perf_counter() - start) / LOOP)


class Deciban:
    """`deciban train` as it comes."""

    def __init__(self, threads: int | None, **_: Any) -> None:
        self.threads, self.budget = threads, BUDGET * busy()

    def train(self, texts: list[str], labels: Labels) -> None:
        import deciban

        self.model = deciban.train(texts, labels, threads=self.threads, budget=self.budget)

    def predict(self, texts: list[str]) -> list[str]:
        return list(self.model.predict(texts))

    @property
    def told(self) -> str:
        """The members that count, with their weights; or the model."""
        fit = self.model.provenance[0].get("fit")
        if fit is None:
            return f"{self.model.settings.model}, {self.model.settings.smoothing}"
        weights = ", ".join(f"{name} {weight:.3g}" for name, weight in fit["weights"].items())
        late = f"; no time for {', '.join(fit['passed_over'])}" if "passed_over" in fit else ""
        return f"{weights}; held out {fit['held_out']['together']:.4f}; budget {self.budget:.0f} s{late}"


class Tried(NamedTuple):
    """One cell of scikit-learn's grid."""

    features: str
    model: str
    c: float


class ScikitLearn:
    """tf-idf and a linear model."""

    def __init__(self, **_: Any) -> None:
        self.told = ""

    def train(self, texts: list[str], labels: Labels) -> None:
        if len(set(labels)) > VERY_MANY:
            self._neighbours(texts, labels)
            return
        grid, folds = _grid(sum(map(len, texts)), len(set(labels)))
        found: dict[Tried, float] = {}
        for features in dict.fromkeys(one.features for one in grid):
            x = _tf_idf(features).fit_transform(texts)
            for one in grid:
                if one.features == features:
                    found[one] = _share_right(one, x, labels, folds) if len(grid) > 1 else 1.0
        best = max(found, key=lambda one: found[one])
        self.seen = _tf_idf(best.features)
        self.model = _linear(best, len(set(labels))).fit(self.seen.fit_transform(texts), labels)
        self.told = f"{best.model}, C {best.c:g}, {best.features}; of {len(grid)} by {_by(len(grid), folds)}"

    def _neighbours(self, texts: list[str], labels: Labels) -> None:
        from sklearn.neighbors import KNeighborsClassifier

        self.seen, found = _tf_idf("words"), {}
        x, y = self.seen.fit_transform(texts), np.array(labels)
        train, test = held_out(labels, 0.1)
        for k in (1, 5, 20):
            model = KNeighborsClassifier(k, weights="distance", metric="cosine").fit(x[train], y[train])
            found[k] = float((model.predict(x[test]) == y[test]).mean())
        best = max(found, key=lambda k: found[k])
        self.model = KNeighborsClassifier(best, weights="distance", metric="cosine").fit(x, y)
        self.told = f"{best} nearest neighbours by cosine, words; of 3 by a tenth"

    def predict(self, texts: list[str]) -> list[str]:
        return self.model.predict(self.seen.transform(texts)).tolist()


def _by(n: int, folds: int) -> str:
    return "nothing" if n == 1 else f"{folds} folds" if folds > 1 else "a fifth"


def _grid(length: int, labels: int) -> tuple[list[Tried], int]:
    """What scikit-learn is tried with, and by how many folds; 1: by one part of five."""
    work = length * max(labels, 10) / 10
    if labels > 200:
        return [Tried("words and characters", "LinearSVC", 1.0)], 1
    if work > 8 * MUCH:
        return [Tried("words", "LinearSVC", c) for c in (0.3, 1.0)], 1
    if work > MUCH:
        return [Tried(features, "LinearSVC", c) for features in FEATURES for c in (0.3, 1.0)], 1
    linear = [("LinearSVC", c) for c in (0.1, 0.3, 1.0)]
    logistic = [("LogisticRegression", 10.0)] if labels <= FEW else []
    return [Tried(features, *one) for features, one in product(FEATURES, linear + logistic)], 3


FEATURES = ("words", "words and characters")


def _tf_idf(features: str) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_union

    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=TOKEN.pattern)
    if features == "words":
        return words
    return make_union(words, TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True))


def _linear(one: Tried, labels: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    if one.model == "LinearSVC":
        return LinearSVC(C=one.c)
    model = LogisticRegression(C=one.c, solver="liblinear")
    return OneVsRestClassifier(model) if labels > 2 else model


def _share_right(one: Tried, x: Any, labels: Labels, folds: int) -> float:
    """By cross-validation, on features whose document frequencies are those of the whole training part."""
    from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_score

    of = ShuffleSplit(1, test_size=0.2, random_state=SEED)
    if folds > 1:
        of = StratifiedKFold(folds, shuffle=True, random_state=SEED)
    return float(cross_val_score(_linear(one, len(set(labels))), x, np.array(labels), cv=of).mean())


class FastText:
    """fastText with autotune."""

    def __init__(self, threads: int | None, seconds: float, **_: Any) -> None:
        self.threads, self.seconds = threads, round(max(seconds / (threads or 1), LEAST_SECONDS) * busy())
        self.told = ""

    def train(self, texts: list[str], labels: Labels) -> None:
        import fasttext

        self.names = sorted(set(labels))
        number = {label: i for i, label in enumerate(self.names)}
        lines = [f"__label__{number[label]} {tokens(text)}\n" for text, label in zip(texts, labels, strict=True)]
        train, test = held_out(labels, 0.1)
        most = {"verbose": 0} | ({"thread": self.threads} if self.threads else {})
        with tempfile.TemporaryDirectory() as folder:
            parts = [_written(Path(folder, name), lines, of) for name, of in (("train", train), ("valid", test))]
            whole = _written(Path(folder, "whole"), lines, test + train)
            chosen = _autotuned(parts, self.seconds, most) or {"lr": 0.5, "epoch": 25, "wordNgrams": 2}
            while True:
                try:
                    self.model = fasttext.train_supervised(whole, **chosen, **most)
                    break
                except RuntimeError:  # its weights are no numbers any more
                    chosen["lr"] /= 2
        shown = {name: round(value, 3) if isinstance(value, float) else value for name, value in chosen.items()}
        self.told = f"autotune of {self.seconds} s: {', '.join(f'{name} {value}' for name, value in shown.items())}"

    def predict(self, texts: list[str]) -> list[str]:
        answers, _ = self.model.predict([tokens(text) for text in texts])
        return [self.names[int(one[0].removeprefix("__label__"))] if one else self.names[0] for one in answers]


def _autotuned(parts: list[str], seconds: int, most: dict[str, Any]) -> dict[str, Any] | None:
    """What autotune chooses; None where it ends no trial in time, or does not come to an end."""
    chosen, told = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_autotune, args=(told, parts, seconds, most))
    child.start()
    told.close()
    try:
        return dict(chosen.recv()) if chosen.poll(LAST_TRAINING * seconds) else None
    except EOFError:
        return None
    finally:
        child.kill()
        child.join()


def _autotune(told: Connection, parts: list[str], seconds: int, most: dict[str, Any]) -> None:
    import fasttext

    with contextlib.suppress(RuntimeError):
        model = fasttext.train_supervised(parts[0], autotuneValidationFile=parts[1], autotuneDuration=seconds, **most)
        args = model.f.getArgs()
        found = {name: getattr(args, name) for name in ("lr", "epoch", "dim", "wordNgrams", "minn", "maxn", "bucket")}
        told.send(found | {"loss": str(args.loss).rpartition(".")[2]})


def _written(path: Path, lines: list[str], places: list[int]) -> str:
    path.write_text("".join(lines[place] for place in places))
    return str(path)


class VowpalWabbit:
    """Vowpal Wabbit, several passes."""

    def __init__(self, **_: Any) -> None:
        self.told = ""

    def train(self, texts: list[str], labels: Labels) -> None:
        self.names = sorted(set(labels))
        number = {label: i for i, label in enumerate(self.names, 1)}
        lines = [f"{number[label]} {_plain(text)}\n" for text, label in zip(texts, labels, strict=True)]
        train, test = held_out(labels, 0.1)
        self.folder = tempfile.TemporaryDirectory()
        grid = list(self._grid(sum(map(len, texts))))
        found = {}
        for settings in grid if len(grid) > 1 else ():
            answers = self._learnt(lines, train, settings)._answers([_plain(texts[place]) for place in test])
            found[settings] = np.mean([one == labels[place] for one, place in zip(answers, test, strict=True)])
        best = max(found, key=lambda settings: found[settings]) if found else grid[0]
        self._learnt(lines, test + train, best)
        self.told = f"{best}; of {len(grid)}{' by a tenth' if len(grid) > 1 else ''}"

    def _grid(self, length: int) -> Iterator[str]:
        k = len(self.names)
        if k > VERY_MANY:
            yield f"--recall_tree {k} -b 28 --loss_function logistic --passes 8"
            return
        rates = (0.5,) if length * max(k, 10) / 10 > 4 * MUCH else (0.2, 0.5, 1.0)
        for loss, rate in product(("logistic", "hinge"), rates):
            yield f"--oaa {k} -b {26 if k > 50 else 24} --ngram 2 --loss_function {loss} -l {rate} --passes 8"

    def _learnt(self, lines: list[str], places: list[int], settings: str) -> VowpalWabbit:
        from vowpalwabbit import Workspace

        file, cache, self.path = (Path(self.folder.name, name) for name in ("train.vw", "cache", "model"))
        _written(file, lines, places)
        Workspace(f"{settings} --holdout_off -d {file} --cache_file {cache} -k -f {self.path} --quiet").finish()
        return self

    def predict(self, texts: list[str]) -> list[str]:
        return self._answers(map(_plain, texts))

    def _answers(self, lines: Any) -> list[str]:
        from vowpalwabbit import Workspace

        file, answers = Path(self.folder.name, "test.vw"), Path(self.folder.name, "answers")
        file.write_text("".join(f"{line}\n" for line in lines))
        Workspace(f"-t -i {self.path} -d {file} -p {answers} --quiet").finish()
        return [self.names[int(float(line)) - 1] for line in answers.read_text().split()]


def _plain(text: str) -> str:
    """Tokens as Vowpal Wabbit takes them: colons and bars mean something to it."""
    return "| " + tokens(text).replace(":", "COLON").replace("|", "BAR")


WHO: dict[str, Any] = {
    "deciban": Deciban,
    "fastText": FastText,
    "scikit-learn": ScikitLearn,
    "Vowpal Wabbit": VowpalWabbit,
}
