"""How good models of projected rows are: latent semantic analysis, rotations, Fisher's discriminant, trees on them.

Beside them one decision tree on the words themselves, scikit-learn's, of the same rows (tf-idf, length 1); the logistic
model of all words, with an L2 penalty and with an L1 penalty, whose C the one-standard-error rule chose along the path.
What a model leaves open (features, subsets) is chosen among `CHOICES` by folds of the training part, C and shrinkage by
the model itself, in the same part; each is then trained on all of it, and judged once by the test part. Of 20ng every
third text is taken. The bar: a rotation forest is at least five points above one tree on words, on r8.

Forests and trees throw dice: on r8 five forests, of other splits, and five trees, of other orders of equal terms, are
judged; the bar is held by their medians. Rounds are independent, so five forests of thirty rounds are one of 150.
Figures go to benches/results/projection.json, the page to projection.md, the picture to projection.svg; again after
each model. Sets can be asked for by name, and the others stay as they were.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import deciban
from deciban.counts import count
from deciban.evaluation import picture
from deciban.evaluation.intervals import wilson
from deciban.fitting.seen import Sight, idf, see
from deciban.projection import Forest, forest
from deciban.projection.lsa import matrix
from deciban.rows import rows
from deciban.terms import Terms

from . import machine, sets
from .speed import RESULTS

SETS = {"r8": 1, "trec": 1, "20ng": 3}  # and of how many texts one is taken
FOLDS = 3
ROUNDS = 30
TREE, PLAIN, FOREST = "one decision tree, words", "logistic, words", "rotation forest"
CHOICES: dict[str, list[dict[str, Any]]] = {
    PLAIN: [{"model": "logistic"}],
    FOREST: [{"model": "rotation-forest", "rounds": ROUNDS, "features": r} for r in (20, 40)],
    "Fisher's discriminant": [{"model": "fisher"}],
    "Fisher's directions, trees": [{"model": "fisher-forest", "rounds": ROUNDS}],
    "logistic, latent features": [{"model": "logistic", "project": f"lsa:{r}"} for r in (100, 200)],
    "rotation, logistic": [{"model": "rotation", "subsets": k, "features": r} for k, r in ((2, 100), (4, 50))],
}
# What is held fixed while features are chosen, so that it takes less time.
QUICK = {"rotation-forest": {"rounds": 10}, "rotation": {"rounds": 2, "cost": 10.0}, "logistic": {"cost": 10.0}}
L1 = "logistic, words, L1"
BAR = ("r8", FOREST, TREE, 5.0)
SEEDS = 5
FACTS = ("date", "processor", "cores", "numpy")
HEAD = "| set | model | test accuracy in % (95 %) | chosen | choosing, s | training, s | answering, s | MB |\n"
HEAD += "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: |\n"

Texts = tuple[list[str], list[str]]


class Outcome(NamedTuple):
    """What came of one model on one set."""

    right: int
    texts: int
    chosen: str
    choosing: float
    training: float
    answering: float
    size: float | None

    @property
    def accuracy(self) -> float:
        return self.right / self.texts


class Seeds(NamedTuple):
    """How many of the texts are right: by several forests, after each round, and by several trees."""

    texts: int
    forests: list[list[int]]
    trees: list[int]

    @property
    def whole(self) -> list[int]:
        """The forests, of all their rounds."""
        return [after[-1] for after in self.forests]


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.projection", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS), help="which sets")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    given.results.mkdir(exist_ok=True, parents=True)
    for name in given.sets:
        train, test = _parts(name)
        found: dict[str, Outcome] = {}
        for model, run in _runs().items():
            found[model] = run(train, test)
            print(_line(name, model, found[model]), end="", flush=True)
            write(given.results, name, found)
        if name == BAR[0]:
            write(given.results, name, found, _seeds(found[FOREST].chosen, train, test))
    print((given.results / "projection.md").read_text("utf-8"))


def write(results: Path, name: str, found: dict[str, Outcome], seeds: Seeds | None = None) -> None:
    """Puts what was measured of a set beside what is there."""
    path = results / "projection.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    facts = machine.facts()
    known[name] = {
        "facts": {fact: facts[fact] for fact in FACTS},
        "models": {model: outcome._asdict() for model, outcome in found.items()},
        "seeds": seeds and seeds._asdict(),
    }
    known = {name: known[name] for name in SETS if name in known}
    path.write_text(json.dumps(known, ensure_ascii=False) + "\n", "utf-8")
    (results / "projection.md").write_text(page(known), "utf-8")
    if seeds is not None:
        draw(results / "projection.svg", seeds)


def _parts(name: str) -> tuple[Texts, Texts]:
    of = sets.read(name)
    (train, test), step = next(of.parts(5)), SETS[name]
    return of.at(train[::step]), of.at(test[::step])


def _runs() -> dict[str, Callable[[Texts, Texts], Outcome]]:
    of_choices = {name: lambda train, test, c=choices: _ours(c, train, test) for name, choices in CHOICES.items()}
    first = {TREE: _tree, PLAIN: of_choices.pop(PLAIN), L1: _sparse}
    return {**first, **of_choices}


def _tree(train: Texts, test: Texts) -> Outcome:
    """One tree of scikit-learn's, on the words as our models see them."""
    start = time.perf_counter()
    grown = _grown(train, 0)
    trained = time.perf_counter()
    right = _right(grown(test[0]), test[1])
    return Outcome(right, len(test[1]), "", 0.0, trained - start, time.perf_counter() - trained, None)


def _grown(train: Texts, seed: int) -> Callable[[list[str]], list[str]]:
    """What a tree of words answers."""
    counts = count(Terms(), *train)
    x = matrix(see(rows(counts.lexicon, train[0]), counts, Sight()))
    tree = DecisionTreeClassifier(random_state=seed).fit(x, counts.numbers(train[1]))

    def answers(texts: list[str]) -> list[str]:
        asked = matrix(see(rows(counts.lexicon, texts), counts, Sight(), given=idf(counts)))
        return [counts.labels[i] for i in tree.predict(asked)]

    return answers


def _seeds(chosen: str, train: Texts, test: Texts) -> Seeds:
    """Several forests with the features that were chosen, and several trees of words."""
    settings = next(settings for settings in CHOICES[FOREST] if _told(settings) == chosen)
    model = deciban.train(*train, **{**settings, "rounds": SEEDS * ROUNDS})
    grown = model._card
    assert isinstance(grown, Forest)
    y, said = np.array([model.labels.index(label) for label in test[1]]), _said(grown, test[0])
    forests = [
        [int((so_far.argmax(axis=1) == y).sum()) for so_far in np.cumsum(said[first : first + ROUNDS], axis=0)]
        for first in range(0, len(said), ROUNDS)
    ]
    return Seeds(len(y), forests, [_right(_grown(train, seed)(test[0]), test[1]) for seed in range(SEEDS)])


def _said(grown: Forest, texts: list[str]) -> np.ndarray[Any, Any]:
    """What each tree of a forest says of texts: rounds x texts x labels."""
    of = rows(grown.lexicon, texts)
    value = forest.numbers(of, grown.t, grown.weighting, length_norm=grown.length_norm)
    features = (grown.project(b, of.indptr, of.term, value) for b in range(len(grown.trees)))
    return np.array([grown.trees.p[grown.trees.leaves(b, seen)] for b, seen in enumerate(features)])


def _sparse(train: Texts, test: Texts) -> Outcome:
    """The model of the step that the one-standard-error rule chose along the L1 path."""
    start = time.perf_counter()
    path = deciban.path(*train)
    step = path.steps[path.chosen]
    chosen = {"model": "logistic", "l1": 1.0, "cost": step.cost}
    return _judged(chosen, train, test, f"{step.terms:,} of {path.terms:,} terms", time.perf_counter() - start)


def _ours(choices: Sequence[dict[str, Any]], train: Texts, test: Texts) -> Outcome:
    if len(choices) == 1:
        return _judged(choices[0], train, test, "", 0.0)
    start = time.perf_counter()
    best = max(choices, key=lambda settings: _held_out(settings, train))
    return _judged(best, train, test, _told(best), time.perf_counter() - start)


def _told(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items() if name != "model")


def _held_out(settings: dict[str, Any], train: Texts) -> float:
    """The accuracy by folds of the training part."""
    fold = np.arange(len(train[0])) % FOLDS
    right, quick = 0, {**settings, **QUICK[settings["model"]]}
    for number in range(FOLDS):
        learnt, judged = (
            [[column[i] for i in np.flatnonzero(there)] for column in train]
            for there in (fold != number, fold == number)
        )
        right += _right(deciban.train(*learnt, **quick).predict(judged[0]), judged[1])
    return right / len(fold)


def _judged(settings: dict[str, Any], train: Texts, test: Texts, told: str, choosing: float) -> Outcome:
    start = time.perf_counter()
    model = deciban.train(*train, **settings)
    trained = time.perf_counter()
    right = _right(model.predict(test[0]), test[1])
    answered = time.perf_counter()
    more = f"shrinkage={model.settings.shrinkage:g}" if model.settings.shrinkage is not None else ""
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/m", frozen=True)
        size = Path(f"{folder}/m").stat().st_size / 1e6
    times = (choosing, trained - start, answered - trained)
    return Outcome(right, len(test[1]), told or more, *times, size)


def _right(answers: Sequence[str], truth: Sequence[str]) -> int:
    return sum(map(str.__eq__, answers, truth))


def _line(name: str, model: str, of: Outcome) -> str:
    low, high = wilson(of.right, of.texts)
    accuracy = f"{100 * of.accuracy:.1f} ({100 * low:.1f} to {100 * high:.1f})"
    times = [f"{seconds:.1f}" if seconds else "" for seconds in (of.choosing, of.training, of.answering)]
    size = "" if of.size is None else f"{of.size:.1f}"
    return f"| {name} | {model} | {accuracy} | {of.chosen} | {' | '.join(times)} | {size} |\n"


def page(known: dict[str, Any]) -> str:
    """The page, in Markdown."""
    facts = {fact: sorted({of["facts"][fact] for of in known.values()}) for fact in FACTS}
    about = "\n".join(f"- {fact}: {' to '.join([of[0], of[-1]][: len(of)])}" for fact, of in facts.items())
    found = {name: {model: Outcome(**of) for model, of in runs["models"].items()} for name, runs in known.items()}
    lines = "".join(_line(name, model, of) for name, runs in found.items() for model, of in runs.items())
    written = "Written by `make projection`; do not edit. What is measured, `benches/projection.py` says."
    notes = "MB are 10^6 bytes of the file of the frozen model. Other work on the machine makes seconds longer."
    parts = ["# Projection", written, about, (HEAD + lines).rstrip(), notes]
    seeds = known.get(BAR[0], {}).get("seeds")
    return "\n\n".join([*parts, *(_bar(Seeds(**seeds)) if seeds else [])]) + "\n"


def _bar(of: Seeds) -> list[str]:
    """Whether the bar holds, by the medians of several seeds."""
    name, above, below, least = BAR
    points = 100 * (statistics.median(of.whole) - statistics.median(of.trees)) / of.texts
    apart = 100 * (min(of.whole) - max(of.trees)) / of.texts
    holds = "holds" if points >= least else "does **not** hold"
    spread = [f"{what}: {_spread(right, of.texts)}" for what, right in ((above, of.whole), (below, of.trees))]
    return [
        f"## {above.capitalize()} and one tree, {SEEDS} seeds of each",
        "![accuracy after each round](projection.svg)",
        f"On {name}, median (least to most): {'; '.join(spread)}. "
        f"The worst forest is {apart:.1f} points above the best tree.",
        f"Bar: {above} at least {least:g} points above {below} on {name}: {points:+.1f} points; it {holds}.",
    ]


def _spread(right: Sequence[int], texts: int) -> str:
    median, low, high = (100 * n / texts for n in (statistics.median(right), min(right), max(right)))
    return f"{median:.1f} % ({low:.1f} to {high:.1f})"


def draw(path: Path, of: Seeds) -> None:
    """Accuracy of each forest after each of its rounds, above that of one tree."""
    from matplotlib.figure import Figure

    def figure() -> Figure:
        drawn = Figure(figsize=(7, 3.6), layout="constrained")
        panel = drawn.subplots()
        share = 100 * np.array(of.forests) / of.texts
        rounds = np.arange(1, share.shape[1] + 1)
        panel.fill_between(rounds, share.min(axis=0), share.max(axis=0), color="#1b6ca8", alpha=0.2, linewidth=0)
        panel.plot(rounds, np.median(share, axis=0), color="#1b6ca8", label=f"rotation forest, {SEEDS} seeds")
        trees = 100 * np.array(of.trees) / of.texts
        panel.axhspan(trees.min(), trees.max(), color="#c1631d", alpha=0.2, linewidth=0)
        panel.axhline(float(np.median(trees)), color="#c1631d", label=f"one decision tree on words, {SEEDS} seeds")
        panel.axhline(float(np.median(trees)) + BAR[3], color="#bbbbbb", linewidth=1, linestyle="--", label="the bar")
        panel.set_title(
            f"{BAR[0]}: right of the test part, in %; line: median, band: least to most", loc="left", fontsize=9
        )
        panel.set_xlabel("trees in the forest")
        panel.grid(color="#eeeeee", linewidth=0.8)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, fontsize=8, loc="center right")
        return drawn

    picture.save(path, figure)


if __name__ == "__main__":
    main()
