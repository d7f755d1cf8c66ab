"""Who is measured: deciban, its rivals, and `wc -w`. One small class each, with the same five verbs.

    train(texts, labels, words)  learn, on terms of up to so many words
    save(path), load(path)       keep the model in a file, take it from there; never timed
    predict(texts)               the label of each text
    one(text)                    a function call a text, as a service would make it
    command(path, text)          a command that starts, loads the model and labels one text; what it reads, if anything

Texts and labels are lists in memory before the clock starts, and labels are in memory when it stops. fastText and
Vowpal Wabbit train on files only, so the file that they need is written on the clock: that is what it costs to give
them the same texts. They cut at white space and keep capitals, which is less work than deciban and scikit-learn do.

Which distributions (`pip install '.[bench]'`): scikit-learn; fasttext-numpy2, the fastText with wheels whose predict
works with NumPy 2; vowpalwabbit, whose wheel has no command, so `python -m vowpalwabbit` stands in unless a `vw` is
found. The command `fasttext` is Debian's package of that name. What is not installed is skipped, and named.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Command = tuple[list[str], str | None]


class Deciban:
    """Ourselves. Training ends with an answer, so that what is only made when it is asked for is on the clock, too.

    Not calibrated, as nobody else here is.
    """

    name = "deciban"
    package = "deciban"
    calibration = "none"

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads

    def train(self, texts: list[str], labels: list[str], words: int = 1) -> None:
        import deciban

        how = {"words": (1, words), "threads": self.threads, "calibration": self.calibration}
        self.model = deciban.train(texts, labels, model="multinomial", **how)
        self.model.predict(["an answer"])

    def save(self, path: Path) -> None:
        self.model.save(path)

    def load(self, path: Path) -> None:
        import deciban

        self.model = deciban.load(path).with_threads(self.threads)

    def predict(self, texts: list[str]) -> Sequence[str]:
        return self.model.predict(texts)

    def one(self, text: str) -> str:
        return self.model.predict([text])[0]

    def command(self, path: Path, text: str) -> Command:
        program = Path(sys.executable).with_name("deciban")
        return [str(program), "predict", str(path), "-", "--format", "txt"], f"{text}\n"


class Calibrated(Deciban):
    """Ourselves as we come: probabilities are calibrated by texts that are left out, before the first answer."""

    name = "deciban, calibrated"
    calibration = "auto"


class ScikitLearn:
    """CountVectorizer and MultinomialNB, as they come: also deciban's own tokens and model."""

    name = "scikit-learn"
    package = "scikit-learn"

    def train(self, texts: list[str], labels: list[str], words: int = 1) -> None:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import MultinomialNB
        from sklearn.pipeline import make_pipeline

        self.model = make_pipeline(CountVectorizer(ngram_range=(1, words)), MultinomialNB()).fit(texts, labels)

    def save(self, path: Path) -> None:
        import joblib

        joblib.dump(self.model, path)

    def load(self, path: Path) -> None:
        import joblib

        self.model = joblib.load(path)

    def predict(self, texts: list[str]) -> Sequence[str]:
        return self.model.predict(texts)

    def one(self, text: str) -> str:
        return self.model.predict([text])[0]

    def command(self, path: Path, text: str) -> Command:
        code = "import joblib, sys; print(joblib.load(sys.argv[1]).predict([sys.stdin.read()])[0])"
        return [sys.executable, "-c", code, str(path)], text


class FastText:
    """fastText on words, 5 epochs: at its defaults, or with a higher rate, which long texts need."""

    name = "fastText"
    package = "fasttext-numpy2"

    def __init__(self, lr: float = 0.1) -> None:
        self.lr = lr

    def train(self, texts: list[str], labels: list[str], words: int = 1) -> None:
        import fasttext

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "train.txt")
            file.write_text("".join(f"__label__{r} {t}\n" for r, t in zip(labels, texts, strict=True)))
            threads = len(os.sched_getaffinity(0))
            self.model = fasttext.train_supervised(str(file), lr=self.lr, wordNgrams=words, thread=threads, verbose=0)

    def save(self, path: Path) -> None:
        self.model.save_model(str(path))

    def load(self, path: Path) -> None:
        import fasttext

        self.model = fasttext.load_model(str(path))

    def predict(self, texts: list[str]) -> Sequence[str]:
        labels, _ = self.model.predict(texts)
        return [label.removeprefix("__label__") for (label,) in labels]

    def one(self, text: str) -> str:
        return self.model.predict(text)[0][0]

    def command(self, path: Path, text: str) -> Command:
        return [need("fasttext"), "predict", str(path), "-"], f"{text}\n"


class FasterFastText(FastText):
    """The same at the rate that its authors suggest when the default learns too little."""

    name = "fastText, lr 0.5"

    def __init__(self) -> None:
        super().__init__(lr=0.5)


class VowpalWabbit:
    """One pass of one-against-all logistic regression. Its parser is a thread of its own."""

    name = "Vowpal Wabbit"
    package = "vowpalwabbit"

    def train(self, texts: list[str], labels: list[str], words: int = 1) -> None:
        from vowpalwabbit import Workspace

        self.labels = sorted(set(labels))
        number = {label: f"{i} | " for i, label in enumerate(self.labels, 1)}
        with tempfile.TemporaryDirectory() as folder:
            file = self._written(Path(folder, "train.vw"), texts, [number[label] for label in labels])
            ngrams = f" --ngram {words}" if words > 1 else ""
            learn = f"--loss_function logistic --oaa {len(self.labels)}{ngrams} --quiet -d {file}"
            self.model = Workspace(learn)

    def _written(self, file: Path, texts: list[str], heads: Sequence[str]) -> Path:
        """A file of examples; colons and bars, which mean something to VW, become spaces."""
        plain = (text.replace(":", " ").replace("|", " ") for text in texts)
        file.write_text("".join([f"{head}{text}\n" for head, text in zip(heads, plain, strict=True)]))
        return file

    def save(self, path: Path) -> None:
        self.model.save(str(path))
        path.with_suffix(".names").write_text("\n".join(self.labels))

    def load(self, path: Path) -> None:
        from vowpalwabbit import Workspace

        self.path, self.labels = path, path.with_suffix(".names").read_text().split("\n")
        self.model = Workspace(f"-t -i {path} --quiet")

    def predict(self, texts: list[str]) -> Sequence[str]:
        from vowpalwabbit import Workspace

        with tempfile.TemporaryDirectory() as folder:
            file, answers = Path(folder, "texts.vw"), Path(folder, "answers")
            self._written(file, texts, ["| "] * len(texts))
            Workspace(f"-t -i {self.path} -d {file} -p {answers} --quiet").finish()
            return [self.labels[int(line) - 1] for line in answers.read_text().split()]

    def one(self, text: str) -> str:
        return self.labels[self.model.predict("| " + text.replace(":", " ").replace("|", " ")) - 1]

    def command(self, path: Path, text: str) -> Command:
        file = path.with_suffix(".one")
        self._written(file, [text], ["| "])
        program = [shutil.which("vw")] if shutil.which("vw") else [sys.executable, "-m", "vowpalwabbit"]
        return [*program, "-t", "-i", str(path), "-d", str(file), "-p", "/dev/stdout", "--quiet"], None


class WordCount:
    """`wc -w` in the C locale: a program that reads the same text once and does next to nothing with it."""

    name = "wc -w"
    package = None

    def __init__(self, option: str = "-w") -> None:
        self.option = option

    def count(self, file: Path) -> str:
        """Counts a file."""
        command = ["/usr/bin/env", "LC_ALL=C", "wc", self.option, str(file)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603


class Python:
    """An interpreter that starts and ends: what any command in Python must cost."""

    name = "bare Python"
    package = None

    def load(self, path: Path) -> None:
        """There is no model."""

    def command(self, path: Path, text: str) -> Command:  # noqa: ARG002
        return [sys.executable, "-c", "pass"], None


RIVALS: dict[str, Any] = {
    kind.name: kind
    for kind in (Deciban, Calibrated, ScikitLearn, FastText, FasterFastText, VowpalWabbit, WordCount, Python)
}
_MODULES = {"scikit-learn": "sklearn", "fasttext-numpy2": "fasttext"}


def is_installed(name: str) -> bool:
    """Whether a rival can be measured here."""
    package = RIVALS[name].package
    return package is None or importlib.util.find_spec(_MODULES.get(package, package)) is not None


def need(program: str) -> str:
    """Where a program is."""
    path = shutil.which(program)
    if path is None:
        raise Missing(f"the command {program!r} is not installed")
    return path


class Missing(Exception):  # noqa: N818
    """What would have to be there for a measurement."""
