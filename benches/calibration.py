"""`make calibration`: whether probabilities come true, raw and calibrated, and whether conformal sets keep their word.

Of each real set the model is trained on the training part, and judged on the official test part; where there is none,
five folds are judged together. `raw` is the model as it is (`calibration="none"`), the others are what users get. ECE
is the expected calibration error of the answer (15 bins), log loss is in nats. scikit-learn's MultinomialNB is shown
raw and with CalibratedClassifierCV (sigmoid, five folds), the latter where every label has five texts.

Three columns say what is noise, what is shift, and what is our fault. ECE of few texts is never 0: `noise` is what
honest probabilities such as these would show on so many texts, the mean and the greatest of 95 % of all draws.
`shuffled` is the ECE of a test part of the same size, drawn at random from both parts: where it is small and the
official one is not, the official test part is of another kind than what there is to learn from. `promised` is the log
loss that held-out training texts, of which the map was not made, foretold.

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
from .plot import THEIRS
from .speed import RESULTS

Floats = npt.NDArray[np.float64]
Figures = dict[str, Any]
MODELS = ("multinomial", "bernoulli", "complement")
COVERAGE = 0.9
FOLDS = 5
BAR = 0.03
DRAWS, MOST = 100, 0.95
THEIR_NAME = "scikit-learn, MultinomialNB"
SHIFTED = {
    "20ng": "split by date",
    "clinc150": "out-of-scope queries are 18 % of the test part, 1 % of the training part",
    "imdb": "other films in the test part",
    "trec": "questions of another year in the test part",
}


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
    promised, methods, truth = [], [], []
    start = time.process_time()
    for train, test in read.parts(FOLDS):
        given, (texts, labels) = read.at(train), read.at(test)
        trained, plain = (deciban.train(*given, model=model, calibration=how) for how in ("auto", "none"))
        raw.append(judged(plain.predict_proba(texts), list(plain.labels), labels))
        found.append(judged(trained.predict_proba(texts), list(trained.labels), labels))
        promised.append(trained.calibration.loss)
        methods.append(trained.calibration.method)
        truth += labels
        for within, sets_ in held.items():
            sets_ += trained.predict_set(texts, COVERAGE, within_labels=within)
    return {
        "raw": figures(together(raw)),
        "calibrated": {**figures(together(found)), "noise": together(found).noise},
        "promised": float(np.mean(promised)),
        "map": ", ".join(dict.fromkeys(methods)),
        "sets": {str(within): set_figures(sets_, truth, COVERAGE).as_dict() for within, sets_ in held.items()},
        "shuffled": _shuffled(read, model) if read.has_test and model == MODELS[0] else None,
        "seconds": time.process_time() - start,
    }


def _shuffled(read: sets.Set, model: str) -> Figures:
    """The same of as many texts that are drawn from both parts."""
    ((train, _),) = read.parts(FOLDS)
    places = np.random.default_rng(sets.SEED).permutation(len(read.texts))
    trained = deciban.train(*read.at(places[: len(train)]), model=model)
    texts, labels = read.at(places[len(train) :])
    held = set_figures(trained.predict_set(texts, COVERAGE), labels, COVERAGE)
    return {**figures(judged(trained.predict_proba(texts), list(trained.labels), labels)), "held": held.coverage}


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
    (folder / "calibration.md").write_text(_page(known, facts))
    _draw(folder / "calibration.svg", {one: of[MODELS[0]] for one, of in known.items() if MODELS[0] in of})


def _page(known: dict[str, Figures], facts: dict[str, str]) -> str:
    parts = [f"# Calibration and conformal sets\n\n{(__doc__ or '').partition(chr(10))[2].strip()}\n"]
    parts.append("![Reliability before and after, for every set](calibration.svg)\n")
    for model in MODELS:
        of_model = {name: of[model] for name, of in known.items() if model in of}
        if of_model:
            parts += [f"## {model}\n\n{_table(of_model)}", _verdict(of_model)]
    theirs = {name: of[THEIR_NAME] for name, of in known.items() if THEIR_NAME in of}
    if theirs:
        parts.append(f"## {THEIR_NAME}\n\n{_their_table(theirs)}")
    parts.append(f"## Sets of labels at {COVERAGE:.0%}, {MODELS[0]}\n")
    parts.append(_sets_table({name: of[MODELS[0]] for name, of in known.items() if MODELS[0] in of}))
    shifted = "; ".join(f"{name}: {why}" for name, why in SHIFTED.items())
    parts.append(f"Sets whose test part is known to be of another kind: {shifted}.\n")
    parts.append("; ".join(f"{name}: {value}" for name, value in facts.items()) + "\n")
    return "\n".join(parts)


def _lines(columns: list[str], rows: list[list[str]]) -> str:
    head = [f"| {' | '.join(columns)} |", f"| --- {'| ---: ' * (len(columns) - 1)}|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _table(found: dict[str, Figures]) -> str:
    columns = ["set", "texts", "ECE raw", "ECE", "noise", "95 % of it", "shuffled"]
    columns += ["loss raw", "loss", "promised", "accuracy raw", "accuracy", "map", "CPU s"]
    return _lines(columns, [_row(name, of) for name, of in found.items()])


def _row(name: str, of: Figures) -> list[str]:
    raw, new, shuffled = of["raw"], of["calibrated"], of["shuffled"]
    values = [raw["error"], new["error"], *new["noise"], None if shuffled is None else shuffled["error"]]
    values += [raw["loss"], new["loss"], of["promised"], raw["accuracy"], new["accuracy"]]
    return [name, f"{new['texts']:,}", *map(_shown, values), of["map"], f"{of['seconds']:.0f}"]


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _their_table(found: dict[str, Figures]) -> str:
    rows = []
    for name, of in found.items():
        parts = [of["raw"], of["calibrated"] or {}]
        rows.append([name, *(_shown(part.get(what)) for what in ("error", "loss", "accuracy") for part in parts)])
    return _lines(["set", "ECE raw", "ECE", "loss raw", "loss", "accuracy raw", "accuracy"], rows)


def _verdict(found: dict[str, Figures]) -> str:
    above = [_above(name, of) for name, of in found.items() if of["calibrated"]["error"] >= BAR]
    worse = [name for name, of in found.items() if of["calibrated"]["loss"] > of["raw"]["loss"]]
    missing = [name for name in sets.NAMES if name not in found]
    return (
        f"ECE below {BAR} on {len(found) - len(above)} of {len(found)} sets"
        + (f" (not on {'; '.join(above)})" if above else "")
        + f"; log loss worse than raw on {', '.join(worse) if worse else 'none'}."
        + (f" Not measured: {', '.join(missing)}." if missing else "")
        + "\n"
    )


def _above(name: str, of: Figures) -> str:
    """A set that is above the bar, and what is known of why."""
    shuffled = "" if of["shuffled"] is None else f", shuffled {of['shuffled']['error']:.3f}"
    return f"{name} {of['calibrated']['error']:.3f}: noise up to {of['calibrated']['noise'][1]:.3f}{shuffled}"


def _sets_table(found: dict[str, Figures]) -> str:
    columns = ["set", "texts", "held", "labels", "empty", "held, shuffled", "within labels: held", "labels"]
    rows = []
    for name, of in found.items():
        overall, within = of["sets"]["False"], of["sets"]["True"]
        shuffled = "-" if of["shuffled"] is None else f"{of['shuffled']['held']:.1%}"
        held = f"{np.mean(list(within['by_label'].values())):.1%}"  # what is promised is the mean over labels
        row = [name, f"{overall['examples']:,}", f"{overall['coverage']:.1%}", f"{overall['mean_size']:.2f}"]
        rows.append([*row, f"{overall['empty']:.1%}", shuffled, held, f"{within['mean_size']:.2f}"])
    return _lines(columns, rows)


def _draw(path: Path, found: dict[str, Figures]) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "deciban"
    import matplotlib.pyplot as plt

    rows = -(-len(found) // 5)
    size = {"figsize": (10, 2.1 * rows), "squeeze": False}
    figure, panels = plt.subplots(rows, 5, sharex=True, sharey=True, layout="constrained", **size)
    for panel, (name, of) in zip(panels.ravel(), found.items(), strict=False):
        panel.plot([0, 1], [0, 1], color="#999999", linewidth=0.7)
        for what, colour in (("raw", THEIRS), ("calibrated", "#1b6ca8")):
            bins = [one for one in of[what]["bins"] if one[2] >= 10]
            panel.plot([one[0] for one in bins], [one[1] for one in bins], color=colour, marker=".", label=what)
        panel.set_title(f"{name}: {of['raw']['error']:.3f} → {of['calibrated']['error']:.3f}", fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels.ravel()[len(found) :]:
        panel.set_visible(False)
    panels[0, 0].legend(fontsize=7, frameon=False)
    figure.supxlabel("probability of the answer", fontsize=8)
    figure.supylabel("share that is right", fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
