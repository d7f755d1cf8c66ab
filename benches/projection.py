"""How good models of projected rows are: latent semantic analysis, rotations, Fisher's discriminant, trees on them.

Beside them one decision tree on the words themselves, scikit-learn's, of the same rows (tf-idf, length 1); the logistic
model of all words, with an L2 penalty and with an L1 penalty, whose C the one-standard-error rule chose along the path.
What a model leaves open (features, subsets) is chosen among `CHOICES` by folds of the training part, C and shrinkage by
the model itself, in the same part; each is then trained on all of it, and judged once by the test part. Of 20ng every
third text is taken. The bar: a rotation forest is at least five points above one tree on words, on r8.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import deciban
from deciban.counts import count
from deciban.evaluation.intervals import wilson
from deciban.fitting.seen import Sight, idf, see
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


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.projection", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS), help="which sets")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    facts = {name: value for name, value in machine.facts().items() if name in ("date", "processor", "cores", "numpy")}
    found: dict[str, dict[str, Outcome]] = {}
    given.results.mkdir(exist_ok=True, parents=True)
    for name in given.sets:
        train, test = _parts(name)
        found[name] = {}
        for model, run in _runs().items():
            found[name][model] = run(train, test)
            print(_line(name, model, found[name][model]), end="", flush=True)
            (given.results / "projection.md").write_text(_page(found, facts))
    print(_page(found, facts))


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
    counts = count(Terms(), *train)
    x = matrix(see(rows(counts.lexicon, train[0]), counts, Sight()))
    tree = DecisionTreeClassifier(random_state=0).fit(x, counts.numbers(train[1]))
    trained = time.perf_counter()
    asked = matrix(see(rows(counts.lexicon, test[0]), counts, Sight(), given=idf(counts)))
    answers = [counts.labels[i] for i in tree.predict(asked)]
    return Outcome(
        _right(answers, test[1]), len(test[1]), "", 0.0, trained - start, time.perf_counter() - trained, None
    )


def _sparse(train: Texts, test: Texts) -> Outcome:
    """The model of the step that the one-standard-error rule chose along the L1 path."""
    start = time.perf_counter()
    path = deciban.path(*train)
    step = path.steps[path.chosen]
    chosen = {"model": "logistic", "l1": 1.0, "cost": step.cost}
    return _judged(chosen, train, test, f"{step.terms:,} of {path.terms:,} terms", time.perf_counter() - start)


def _ours(choices: Sequence[dict[str, Any]], train: Texts, test: Texts) -> Outcome:
    start = time.perf_counter()
    best = choices[0] if len(choices) == 1 else max(choices, key=lambda settings: _held_out(settings, train))
    told = ", ".join(f"{name}={value}" for name, value in best.items() if name != "model" and len(choices) > 1)
    return _judged(best, train, test, told, time.perf_counter() - start if len(choices) > 1 else 0.0)


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


def _page(found: dict[str, dict[str, Outcome]], facts: dict[str, str]) -> str:
    about = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    lines = "".join(_line(name, model, of) for name, runs in found.items() for model, of in runs.items())
    written = "Written by `make projection`; do not edit. What is measured, `benches/projection.py` says."
    notes = "MB are 10^6 bytes of the file of the frozen model. Other work on the machine makes seconds longer."
    return f"# Projection\n\n{written}\n\n{about}\n\n{HEAD}{lines}\n{notes}\n\n{_bar(found)}"


def _bar(found: dict[str, dict[str, Outcome]]) -> str:
    name, above, below, least = BAR
    if not {above, below} <= found.get(name, {}).keys():
        return ""
    points = 100 * (found[name][above].accuracy - found[name][below].accuracy)
    holds = "holds" if points >= least else "does **not** hold"
    return f"Bar: {above} at least {least:g} points above {below} on {name}: {points:+.1f} points; it {holds}.\n"


if __name__ == "__main__":
    main()
