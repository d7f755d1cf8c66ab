"""`make calibration`: whether probabilities come true, raw and calibrated, and whether conformal sets keep their word.

Of each real set the model is trained on the training part, and judged on the official test part; where there is none,
five folds are judged together. `raw` is the model as it is (`calibration="none"`), the others are what users get. ECE
is the expected calibration error of the answer (15 bins), log loss is in nats. scikit-learn's MultinomialNB is shown
raw and with CalibratedClassifierCV (sigmoid, five folds), the latter where every label has five texts.

Three columns say what is noise, what is shift, and what is our fault. ECE of few texts is never 0: `noise` is what
honest probabilities such as these would show on so many texts, the mean and the greatest of 95 % of all draws.
`shuffled` is the ECE of test parts of the same size, drawn at random from both parts, on average over three draws:
where it is small and the official one is not, the official test part is of another kind than what there is to learn
from. `promised` is the log loss that held-out training texts, of which the map was not made, foretold.

Sets of labels at 90 % hold the true label in 90 % of texts on average over draws of what is learnt from and what is
judged. One draw of both differs: with m texts to calibrate by and n to judge, the share that is held has about the
variance 0.9 x 0.1 x (1/m + 1/n) (a beta-binomial one), and `95 % of draws` says where it lies.

Figures are kept in benches/results/calibration.json: a run measures the sets and models that it is asked for (--sets,
--models), and the page, calibration.md with calibration.svg, has all of them.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import deciban
from deciban.evaluation.probabilities import Bin, calibration_error, reliability
from deciban.evaluation.sets import set_figures

from . import machine, sets
from .calibration_page import COVERAGE, MODELS, THEIR_NAME, Figures, draw, page
from .speed import RESULTS

Floats = npt.NDArray[np.float64]
FOLDS = 5
DRAWS, MOST = 100, 0.95
SHUFFLED = 3  # draws of a test part


@dataclass(frozen=True)
class Judged:
    """Answers to test texts: the greatest probability, whether it was right, and the true label's log probability."""

    most: Floats
    right: Floats
    log_p: Floats

    @property
    def bins(self) -> tuple[Bin, ...]:
        return reliability(self.most, self.right)

    @property
    def error(self) -> float:
        return calibration_error(self.bins)

    @property
    def loss(self) -> float:
        return float(-self.log_p[np.isfinite(self.log_p)].clip(np.log(np.finfo(float).eps)).mean())

    @property
    def accuracy(self) -> float:
        return float(self.right.mean())

    @property
    def noise(self) -> tuple[float, float]:
        """The calibration error that honest probabilities would show, of so many texts: its mean, and what is much."""
        draw = np.random.default_rng(0)
        drawn = (reliability(self.most, (draw.random(len(self.most)) < self.most).astype(float)) for _ in range(DRAWS))
        errors = [calibration_error(bins) for bins in drawn]
        return float(np.mean(errors)), float(np.quantile(errors, MOST))


def judged(proba: Floats, labels: list[str], truth: list[str]) -> Judged:
    """What probabilities (texts x labels) are worth; a label that was never seen has no log probability."""
    number = {label: r for r, label in enumerate(labels)}
    y = np.array([number.get(label, -1) for label in truth])
    best = proba.argmax(axis=1)
    with np.errstate(divide="ignore"):
        own = np.where(y < 0, -np.inf, np.log(np.maximum(proba[np.arange(len(y)), y], np.finfo(float).eps)))
    return Judged(proba.max(axis=1), (best == y).astype(float), own)


def together(parts: list[Judged]) -> Judged:
    """Those of all folds."""
    return Judged(*(np.concatenate([getattr(part, of) for part in parts]) for of in ("most", "right", "log_p")))


def figures(of: Judged) -> Figures:
    """What there is to say of answers."""
    bins = [[round(b.probability, 4), round(b.right, 4), b.examples] for b in of.bins]
    return {"texts": len(of.most), "error": of.error, "loss": of.loss, "accuracy": of.accuracy, "bins": bins}


def main() -> None:
    """Measures, prints, writes."""
    given = _arguments()
    facts = {name: value for name, value in machine.facts().items() if name in ("date", "processor", "numpy")}
    given.results.mkdir(exist_ok=True, parents=True)
    for name in given.sets:
        read = sets.read(name)
        for model in given.models:
            _write(given.results, name, model, _measured(read, model), facts)
        if not given.alone:
            _write(given.results, name, THEIR_NAME, _of_scikit_learn(read), facts)
    print((given.results / "calibration.md").read_text())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.calibration", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=sets.NAMES, help="which sets")
    parser.add_argument("--models", nargs="*", default=MODELS, help="which models")
    parser.add_argument("--alone", action="store_true", help="without scikit-learn")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser.parse_args()


def _measured(read: sets.Set, model: str) -> Figures:
    """What one model is worth on one set."""
    raw, found, held = [], [], {False: [], True: []}
    promised, methods, truth, by = [], [], [], []
    start = time.process_time()
    for train, test in read.parts(FOLDS):
        given, (texts, labels) = read.at(train), read.at(test)
        trained, plain = (deciban.train(*given, model=model, calibration=how) for how in ("auto", "none"))
        raw.append(judged(plain.predict_proba(texts), list(plain.labels), labels))
        found.append(judged(trained.predict_proba(texts), list(trained.labels), labels))
        promised.append(trained.calibration.loss)
        methods.append(trained.calibration.method)
        by.append(trained.calibration.texts)
        truth += labels
        for within, sets_ in held.items():
            sets_ += trained.predict_set(texts, COVERAGE, within_labels=within)
    return {
        "raw": figures(together(raw)),
        "calibrated": {**figures(together(found)), "noise": together(found).noise},
        "promised": float(np.mean(promised)),
        "map": ", ".join(dict.fromkeys(methods)),
        "by": int(np.mean(by)),
        "sets": {str(within): set_figures(sets_, truth, COVERAGE).as_dict() for within, sets_ in held.items()},
        "shuffled": _shuffled(read, model) if read.has_test and model == MODELS[0] else None,
        "seconds": time.process_time() - start,
    }


def _shuffled(read: sets.Set, model: str) -> Figures:
    """The same of as many texts that are drawn from both parts, on average over some draws."""
    found = [_drawn(read, model, np.random.default_rng(sets.SEED + seed)) for seed in range(SHUFFLED)]
    return {what: float(np.mean([of[what] for of in found])) for what in found[0]}


def _drawn(read: sets.Set, model: str, draw: np.random.Generator) -> Figures:
    """The error, what of it is noise, and how often sets hold the label, of one draw."""
    ((train, _),) = read.parts(FOLDS)
    places = draw.permutation(len(read.texts))
    trained = deciban.train(*read.at(places[: len(train)]), model=model)
    texts, labels = read.at(places[len(train) :])
    held = set_figures(trained.predict_set(texts, COVERAGE), labels, COVERAGE)
    of = judged(trained.predict_proba(texts), list(trained.labels), labels)
    return {"error": of.error, "noise": of.noise[0], "held": held.coverage}


def _of_scikit_learn(read: sets.Set) -> Figures:
    """Theirs, raw and calibrated; the latter takes five texts of every label."""
    from collections import Counter

    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    def asked(model: Any, train: sets.Places, test: sets.Places) -> Judged:
        model.fit(*read.at(train))
        texts, labels = read.at(test)
        return judged(model.predict_proba(texts), list(model.classes_), labels)

    def all_parts(make: Any) -> Figures:
        return figures(together([asked(make_pipeline(CountVectorizer(), make()), *part) for part in parts]))

    parts = list(read.parts(FOLDS))
    is_enough = all(min(Counter(read.at(train)[1]).values()) >= FOLDS for train, _ in parts)
    calibrated = all_parts(lambda: CalibratedClassifierCV(MultinomialNB(), cv=FOLDS)) if is_enough else None
    return {"raw": all_parts(MultinomialNB), "calibrated": calibrated}


def _write(folder: Path, name: str, who: str, found: Figures, facts: dict[str, str]) -> None:
    """One more figure among those that there are."""
    path = folder / "calibration.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known.setdefault(name, {})[who] = json.loads(json.dumps(found), parse_float=lambda x: round(float(x), 5))
    known = {one: known[one] for one in sets.NAMES if one in known}
    path.write_text(json.dumps(known) + "\n")
    about = (__doc__ or "").partition(chr(10))[2].strip()
    (folder / "calibration.md").write_text(page(about, known, facts))
    if shown := {one: of[MODELS[0]] for one, of in known.items() if MODELS[0] in of}:
        draw(folder / "calibration.svg", shown)


if __name__ == "__main__":
    main()
