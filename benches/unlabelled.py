"""`make unlabelled`: what unlabelled texts add to a few labelled ones, and whether the choice of their weight guards.

Of each real set so many texts a label are drawn with their labels, five times (seeds 0 to 4); the other training texts
come without. Accuracy is that on the test texts: the official ones, or three in ten, drawn once. The supervised model
is at its best: alpha is the one with the best leave-one-out accuracy of the labelled texts, and the same with the
unlabelled ones. `plain EM` is lambda = 1 and s = 1, without a choice. `held out` is the mean accuracy by which the
weight was chosen; `fixed` is what leave-one-out would say that holds the expected counts fixed, which have learnt from
the text.

The tables are printed and written to benches/results/unlabelled.md, with unlabelled.svg.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import deciban
from deciban.classifier import Classifier
from deciban.mixture import steps
from deciban.rows import rows

from . import corpus, machine, plot
from .speed import RESULTS

SETS = {"20ng": 20, "agnews-test": 16, "r8": 16, "imdb": 16, "subj": 16, "rt-s": 16, "cr": 16}
CURVE, SIZES = "20ng", (2, 5, 10, 20, 50, 100)
ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01)
DRAWS = 5
COLUMNS = (
    *("set", "labelled", "unlabelled", "supervised", "with unlabelled", "gain", "worst", "best", "kept"),
    *("plain EM", "held out", "fixed", "seconds"),
)
HEAD = f"| {' | '.join(COLUMNS)} |\n| --- {'| ---: ' * (len(COLUMNS) - 1)}|\n"
NOTES = """
Medians of {draws} draws, but for `worst` and `best`, the least and the greatest gain in points; `kept` counts the draws
in which the unlabelled texts were used; `held out` and `fixed` are of those draws. Choice and climb together took
`seconds`.
"""


@dataclass(frozen=True)
class Task:
    """Some labelled texts, others without labels, and texts to judge by."""

    labelled: tuple[list[str], list[str]]
    unlabelled: list[str]
    test: tuple[list[str], list[str]]


@dataclass(frozen=True)
class Outcome:
    """What came of one draw."""

    labelled: int
    unlabelled: int
    supervised: float
    semi: float
    kept: bool
    plain: float | None
    held_out: float | None
    fixed: float | None
    seconds: float


def main() -> None:
    """Measures, prints, writes."""
    given = _arguments()
    facts = {name: value for name, value in machine.facts().items() if name in ("date", "processor", "cores", "numpy")}
    found = {name: _outcomes(name, size, given.draws) for name, size in SETS.items() if name in given.sets}
    done = {SETS[CURVE]: found[CURVE]} if CURVE in found else {}
    curve = {size: done.get(size) or _outcomes(CURVE, size, given.draws, plain=False) for size in given.sizes}
    page = _page(found, curve, facts, given.draws)
    print(page)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "unlabelled.md").write_text(page)
    if curve:
        plot.unlabelled(given.results / "unlabelled.svg", _lines(curve), f"{CURVE}, {facts['date']}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.unlabelled", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="which sets")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES, help="labelled texts a label, for the curve")
    parser.add_argument("--draws", type=int, default=DRAWS, help=f"how often labelled texts are drawn ({DRAWS})")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser.parse_args()


def _outcomes(name: str, size: int, draws: int, *, plain: bool = True) -> list[Outcome]:
    texts, labels, splits = corpus.labelled(name)
    return [_outcome(_drawn(texts, labels, splits, size, seed), plain=plain) for seed in range(draws)]


def _drawn(texts: list[str], labels: list[str], splits: list[str], size: int, seed: int) -> Task:
    of, label = np.array(splits), np.array(labels)
    if "test" in of:
        train, test = np.flatnonzero(of == "train"), np.flatnonzero(of == "test")
    else:
        order = np.random.default_rng(7).permutation(len(texts))
        test, train = np.split(order, [len(order) * 3 // 10])
    draw = np.random.default_rng(seed)
    chosen = np.concatenate([draw.permutation(train[label[train] == r])[:size] for r in np.unique(label)])
    others = np.setdiff1d(train, chosen)
    some = [([texts[i] for i in part], [labels[i] for i in part]) for part in (chosen, others, test)]
    return Task(some[0], some[1][0], some[2])


def _outcome(task: Task, *, plain: bool) -> Outcome:
    tried = [deciban.train(*task.labelled, alpha=alpha) for alpha in ALPHAS]
    supervised = max(tried, key=lambda model: model.leave_one_out().accuracy)
    settings = {"alpha": supervised.settings.alpha, "unlabelled": task.unlabelled}
    start = time.perf_counter()
    semi = deciban.train(*task.labelled, **settings)
    seconds = time.perf_counter() - start
    climb = semi.provenance[-1]["unlabelled"]
    return Outcome(
        labelled=len(task.labelled[0]),
        unlabelled=len(task.unlabelled),
        supervised=supervised.evaluate(*task.test).accuracy,
        semi=semi.evaluate(*task.test).accuracy,
        kept=climb["kept"],
        plain=_plain(task, settings) if plain else None,
        held_out=climb["held_out"][f"{climb['weight']:g}"] if climb["kept"] else None,
        fixed=_fixed(semi, task) if climb["kept"] and plain else None,
        seconds=seconds,
    )


def _plain(task: Task, settings: dict[str, object]) -> float:
    """The accuracy of EM as it is in the books: every text counts as one, and every guess as it is made."""
    ours = steps.SHARPNESS
    steps.SHARPNESS = np.ones(1)
    try:
        return deciban.train(*task.labelled, **settings, unlabelled_weight=1.0).evaluate(*task.test).accuracy
    finally:
        steps.SHARPNESS = ours


def _fixed(model: Classifier, task: Task) -> float:
    """Leave-one-out accuracy with the expected counts as they are."""
    card, texts, labels = model.scorecard, *task.labelled
    found, y = rows(card.lexicon, texts), np.array([model.labels.index(label) for label in labels])
    d, k, gamma = (
        len(card.lexicon),
        len(model.labels),
        model.settings.strength * len(model.counts.lexicon) / len(card.lexicon),
    )
    nu = np.zeros((d, k))
    nu[np.repeat(np.arange(d), np.diff(card.indptr)), card.label] = gamma * np.expm1(card.weight)
    total, right = nu.sum(axis=0), 0
    for i, own in enumerate(np.arange(k) == y[:, None]):
        row = slice(found.indptr[i], found.indptr[i + 1])
        z = found.count[row]
        left = np.log(nu[found.term[row]] - z[:, None] * own + gamma) - np.log(total - z.sum() * own + gamma * d)
        right += int((z @ left + card.bias).argmax() == y[i])
    return right / len(y)


def _page(found: dict[str, list[Outcome]], curve: dict[int, list[Outcome]], facts: dict[str, str], draws: int) -> str:
    about = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    lines = "".join(_line(name, outcomes) for name, outcomes in found.items())
    more = "".join(_line(f"{CURVE}, {size} a label", outcomes) for size, outcomes in curve.items())
    written = "Written by `make unlabelled`; do not edit. What the columns are, `benches/unlabelled.py` says."
    notes = NOTES.format(draws=draws)
    return f"# Unlabelled texts\n\n{written}\n\n{about}\n\n{HEAD}{lines}{notes}\n{HEAD}{more}"


def _line(name: str, outcomes: list[Outcome]) -> str:
    gains = [100 * (outcome.semi - outcome.supervised) for outcome in outcomes]
    first = outcomes[0]
    cells = [
        name,
        f"{first.labelled:,}",
        f"{first.unlabelled:,}",
        _share([outcome.supervised for outcome in outcomes]),
        _share([outcome.semi for outcome in outcomes]),
        f"{statistics.median(gains):+.1f}",
        f"{min(gains):+.1f}",
        f"{max(gains):+.1f}",
        f"{sum(outcome.kept for outcome in outcomes)}/{len(outcomes)}",
        *(_share([getattr(outcome, figure) for outcome in outcomes]) for figure in ("plain", "held_out", "fixed")),
        f"{statistics.median(outcome.seconds for outcome in outcomes):.1f}",
    ]
    return f"| {' | '.join(cells)} |\n"


def _share(figures: list[float | None]) -> str:
    known = [figure for figure in figures if figure is not None]
    return f"{statistics.median(known):.1%}" if known else ""


def _lines(curve: dict[int, list[Outcome]]) -> dict[str, list[tuple[int, float]]]:
    """Points of the plot: labelled texts, and median accuracy, in percent."""
    named = {"with unlabelled texts": "semi", "labelled texts alone": "supervised"}
    return {
        name: [(of[0].labelled, 100 * statistics.median(getattr(one, figure) for one in of)) for of in curve.values()]
        for name, figure in named.items()
    }


if __name__ == "__main__":
    main()
