"""`make calibration`: whether probabilities come true, raw and calibrated, and whether conformal sets keep their word.

Of each real set the model is trained on the training part, and judged on the official test part; where there is none,
five folds are judged together. `raw` is the model as it is (`calibration="none"`), `auto` what users get. ECE is the
expected calibration error of the answer (15 bins), log loss is in nats. `promised` is what held-out training texts, of
which the map was not made, said of both: where it is far from what the test part says, that one is of another kind than
the training part. scikit-learn's MultinomialNB is shown raw and with CalibratedClassifierCV (sigmoid, five folds). ECE
of few texts is never 0: `noise` is what honest probabilities such as these would show, by drawing answers from them.

The tables are printed and written to benches/results/calibration.md, with calibration.svg.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import deciban
from deciban.evaluation.probabilities import Bin, calibration_error, reliability
from deciban.evaluation.sets import SetFigures, set_figures

from . import machine, sets
from .plot import THEIRS
from .speed import RESULTS

Floats = npt.NDArray[np.float64]
MODELS = ("multinomial", "bernoulli", "complement", "ratio", "twcnb")
COVERAGES = (0.8, 0.9, 0.95)
FOLDS = 5
BAR = 0.03
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
    def noise(self) -> float:
        """The calibration error that honest probabilities would show, of so many texts."""
        draw = np.random.default_rng(0)
        drawn = [reliability(self.most, (draw.random(len(self.most)) < self.most).astype(float)) for _ in range(20)]
        return float(np.mean([calibration_error(bins) for bins in drawn]))


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


@dataclass(frozen=True)
class Outcome:
    """What one model is worth on one set."""

    raw: Judged
    calibrated: Judged
    promised: tuple[float, float]
    method: str
    seconds: float
    sets: dict[tuple[float, bool], SetFigures]


def main() -> None:
    """Measures, prints, writes."""
    given = _arguments()
    facts = {name: value for name, value in machine.facts().items() if name in ("date", "processor", "numpy")}
    found: dict[tuple[str, str], Outcome] = {}
    theirs: dict[str, tuple[Judged, Judged | None]] = {}
    for name in given.sets:
        read = sets.read(name)
        for model in given.models:
            found[name, model] = _outcome(read, model)
            print(name, model, _line(found[name, model]), flush=True)
        if not given.alone:
            theirs[name] = _of_scikit_learn(read)
    page = _page(found, theirs, facts)
    print(page)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "calibration.md").write_text(page)
    _draw(given.results / "calibration.svg", {name: of for (name, model), of in found.items() if model == MODELS[0]})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.calibration", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=sets.NAMES, help="which sets")
    parser.add_argument("--models", nargs="*", default=MODELS, help="which models")
    parser.add_argument("--alone", action="store_true", help="without scikit-learn")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser.parse_args()


def _outcome(read: sets.Set, model: str) -> Outcome:
    raw, calibrated, answers, truth = [], [], {}, []
    promised, methods, seconds = [], [], 0.0
    for train, test in read.parts(FOLDS):
        given, (texts, labels) = read.at(train), read.at(test)
        trained = deciban.train(*given, model=model)
        start = time.perf_counter()
        found = trained.calibration
        seconds += time.perf_counter() - start
        plain = deciban.train(*given, model=model, calibration="none")
        raw.append(judged(plain.predict_proba(texts), list(plain.labels), labels))
        calibrated.append(judged(trained.predict_proba(texts), list(trained.labels), labels))
        promised.append((found.raw, found.loss))
        methods.append(found.method)
        truth += labels
        for coverage in COVERAGES:
            for within in (False, True):
                answers.setdefault((coverage, within), []).extend(
                    trained.predict_set(texts, coverage, within_labels=within)
                )
    return Outcome(
        raw=together(raw),
        calibrated=together(calibrated),
        promised=tuple(np.mean(promised, axis=0)),
        method=", ".join(dict.fromkeys(methods)),
        seconds=seconds / len(methods),
        sets={how: set_figures(of, truth, how[0], within_labels=how[1]) for how, of in answers.items()},
    )


def _of_scikit_learn(read: sets.Set) -> tuple[Judged, Judged | None]:
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

    def all_parts(make: Any) -> Judged:
        return together([asked(make_pipeline(CountVectorizer(), make()), *part) for part in parts])

    parts = list(read.parts(FOLDS))
    is_enough = all(min(Counter(read.at(train)[1]).values()) >= FOLDS for train, _ in parts)
    calibrated = all_parts(lambda: CalibratedClassifierCV(MultinomialNB(), cv=FOLDS)) if is_enough else None
    return all_parts(MultinomialNB), calibrated


def _line(of: Outcome) -> str:
    sets_ = of.sets[0.9, False]
    return (
        f"ECE {of.raw.error:.3f} -> {of.calibrated.error:.3f}, loss {of.raw.loss:.3f} -> {of.calibrated.loss:.3f}, "
        f"accuracy {of.raw.accuracy:.3f} -> {of.calibrated.accuracy:.3f}, {of.method}, {of.seconds:.1f} s, "
        f"90 %: {sets_.coverage:.3f}, {sets_.mean_size:.2f} labels"
    )


def _page(
    found: dict[tuple[str, str], Outcome], theirs: dict[str, tuple[Judged, Judged | None]], facts: dict[str, str]
) -> str:
    models = list(dict.fromkeys(model for _, model in found))
    parts = [f"# Calibration and conformal sets\n\n{__doc__.partition(chr(10))[2].strip()}\n"]
    parts.append("![Reliability before and after, for every set](calibration.svg)\n")
    for model in models:
        of_model = {name: of for (name, of_it), of in found.items() if of_it == model}
        parts.append(f"## {model}\n\n{_table(of_model, theirs if model == MODELS[0] else {})}")
        parts.append(_verdict(of_model))
    parts.append("## Sets of labels, " + f"{models[0]}\n")
    parts.append(_sets_table({name: of for (name, of_it), of in found.items() if of_it == models[0]}))
    shifted = "; ".join(f"{name}: {why}" for name, why in SHIFTED.items())
    parts.append(f"Sets whose test part is known to be of another kind: {shifted}.\n")
    parts.append("; ".join(f"{name}: {value}" for name, value in facts.items()) + "\n")
    return "\n".join(parts)


def _table(found: dict[str, Outcome], theirs: dict[str, tuple[Judged, Judged | None]]) -> str:
    columns = ["set", "ECE raw", "ECE", "noise", "loss raw", "loss", "promised", "accuracy raw", "accuracy", "map", "s"]
    columns += ["sklearn ECE raw", "ECE", "loss raw", "loss"] if theirs else []
    lines = [f"| {' | '.join(columns)} |", f"| --- {'| ---: ' * (len(columns) - 1)}|"]
    for name, of in found.items():
        raw, new = of.raw, of.calibrated
        values = [raw.error, new.error, new.noise, raw.loss, new.loss, of.promised[1], raw.accuracy, new.accuracy]
        cells = [name, *(f"{value:.3f}" for value in values), of.method, f"{of.seconds:.1f}"]
        if theirs:
            a, b = theirs[name]
            calibrated = ("-", "-") if b is None else (f"{b.error:.3f}", f"{b.loss:.3f}")
            cells += [f"{a.error:.3f}", calibrated[0], f"{a.loss:.3f}", calibrated[1]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _verdict(found: dict[str, Outcome]) -> str:
    above = [name for name, of in found.items() if of.calibrated.error >= BAR]
    worse = [name for name, of in found.items() if of.calibrated.loss > of.raw.loss]
    below = len(found) - len(above)
    return (
        f"ECE below {BAR} on {below} of {len(found)} sets"
        + (f" (not on {', '.join(above)})" if above else "")
        + f"; log loss worse than raw on {', '.join(worse) if worse else 'none'}.\n"
    )


def _sets_table(found: dict[str, Outcome]) -> str:
    hows = [(coverage, within) for within in (False, True) for coverage in COVERAGES]
    names = [f"{coverage:.0%}{' within labels' if within else ''}" for coverage, within in hows]
    columns = ["set", "texts", *(f"{name}: {what}" for name in names for what in ("held", "size")), "empty at 90 %"]
    lines = [f"| {' | '.join(columns)} |", f"| --- {'| ---: ' * (len(columns) - 1)}|"]
    for name, of in found.items():
        cells = [name, f"{of.sets[hows[0]].examples:,}"]
        for how in hows:
            # Within labels, what is promised is the mean over labels.
            held = np.mean(list(of.sets[how].by_label.values())) if how[1] else of.sets[how].coverage
            cells += [f"{held:.1%}", f"{of.sets[how].mean_size:.2f}"]
        lines.append(f"| {' | '.join([*cells, f'{of.sets[0.9, False].empty:.1%}'])} |")
    return "\n".join(lines) + "\n"


def _draw(path: Path, found: dict[str, Outcome]) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "deciban"
    import matplotlib.pyplot as plt

    rows = -(-len(found) // 5)
    size = {"figsize": (10, 2.1 * rows), "squeeze": False}
    figure, panels = plt.subplots(rows, 5, sharex=True, sharey=True, layout="constrained", **size)
    for panel, (name, of) in zip(panels.ravel(), found.items(), strict=False):
        panel.plot([0, 1], [0, 1], color="#999999", linewidth=0.7)
        for judged_, colour, what in ((of.raw, THEIRS, "raw"), (of.calibrated, "#1b6ca8", "calibrated")):
            bins = [b for b in judged_.bins if b.examples >= 10]
            panel.plot([b.probability for b in bins], [b.right for b in bins], color=colour, marker=".", label=what)
        panel.set_title(f"{name}: {of.raw.error:.3f} → {of.calibrated.error:.3f}", fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels.ravel()[len(found) :]:
        panel.set_visible(False)
    panels[0, 0].legend(fontsize=7, frameon=False)
    figure.supxlabel("probability of the answer", fontsize=8)
    figure.supylabel("share that is right", fontsize=8)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
