"""`make selection`: accuracy against number of terms, by filters, a search and L1; and how fast selecting is.

Curves: on each set, with its own test part, naive Bayes (multinomial, the alpha of a ladder with the best leave-one-out
on the training part, all terms) of the best terms by mutual information and by chi-square; of those that a forward
search finds among 5,000 candidates, by leave-one-out on the training part (its curve up to 200 terms); and logistic
models with an L1 penalty, each C of a ladder, which keep the terms that have a weight. Nothing is chosen by test texts:
all points of a curve are shown. They are drawn in benches/results/selection.svg.

Speed: mutual information, and every other measure, over 1,000,000 terms x 20 labels that were made up as words are
spread (Zipf), and a forward search of 200 terms out of 5,000 candidates on 10,000 texts of 20 Newsgroups.

Weighting: the same naive Bayes of all terms, where these count as much as their gain ratio, their log-count ratios, or
the likelihood of left-out training texts say.

Leave-one-out: what it says of a selected model, whose terms all training texts chose, beside five folds that select in
each anew, and the test part. The page is printed and written to benches/results/selection.md; with `--speed` the part
on speed alone, and the rest of the page stays as it was.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import deciban
from deciban import _core
from deciban.classifier import Classifier
from deciban.counts import Counts
from deciban.evaluation import picture
from deciban.rows import rows
from deciban.selection import MEASURES, best, measured, search
from deciban.settings import TERM_WEIGHTS, Settings
from deciban.terms import Terms

from . import machine, sets
from .speed import RESULTS

SETS = ("20ng", "r8", "r52")
SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01)
COSTS = (0.1, 0.3, 1.0, 3.0, 10.0)
FILTERS = ("mutual-information", "chi-square")
SEARCHED, CANDIDATES = 200, 5000
COLOURS = {"mutual-information": "#1b6ca8", "chi-square": "#c1631d", "forward search": "#2a8c4a", "L1": "#8a4fa3"}
BARS = {"select": 1.0, "search": 60.0}
LOO_SIZES = (50, 500, 5000)
SPEED = "## Speed"


@dataclass(frozen=True)
class Curve:
    """Accuracy on the test part by numbers of terms."""

    name: str
    points: list[tuple[int, float]]


@dataclass(frozen=True)
class Curves:
    """All curves of a set; `whole` is what naive Bayes of all terms gets right."""

    name: str
    alpha: float
    terms: int
    whole: float
    curves: list[Curve]
    loo: list[tuple[int, float, float, float]]
    weighted: dict[str, float]


def curves(name: str, searched: int, folds: int) -> Curves:
    """Trains on a set's training part, and judges every number of terms by its test part."""
    of = sets.read(name)
    (train, test), *_ = of.parts(folds)
    texts, labels = of.at(train)
    asked, truth = of.at(test)
    print(f"{name}: {len(texts):,} texts", file=sys.stderr)
    alpha = max(ALPHAS, key=lambda alpha: _multinomial(texts, labels, alpha).leave_one_out().accuracy)
    whole = _multinomial(texts, labels, alpha)
    sizes = [size for size in SIZES if size <= len(whole.lexicon)]
    accuracy = lambda model: model.evaluate(asked, truth).accuracy  # noqa: E731
    found = [Curve(by, [(size, accuracy(whole.select(by, size))) for size in sizes]) for by in FILTERS]
    found.append(Curve("forward search", list(_searched(whole, searched, accuracy))))
    found.append(Curve("L1", [_l1(texts, labels, cost, accuracy) for cost in COSTS]))
    print(f"{name}: curves are done", file=sys.stderr)
    loo = [_said(texts, labels, whole, size, accuracy, folds) for size in LOO_SIZES if size <= len(whole.lexicon)]
    weighted = {by: accuracy(_multinomial(texts, labels, alpha, by)) for by in TERM_WEIGHTS}
    return Curves(name, alpha, len(whole.lexicon), accuracy(whole), found, loo, weighted)


def _multinomial(texts: list[str], labels: list[str], alpha: float, by: str = "none") -> Classifier:
    return deciban.train(texts, labels, model="multinomial", alpha=alpha, term_weights=by)


def _searched(whole: Classifier, top: int, accuracy) -> Iterator[tuple[int, float]]:  # type: ignore[no-untyped-def]
    """The terms of a forward search, as many of the first as each number says."""
    examples, settings = whole._examples, whole.settings
    if examples is None:
        return
    found = rows(whole.counts.lexicon, examples.texts), whole.counts.numbers(examples.labels)
    sets_of = search(whole.counts, *found, settings, "forward", top, CANDIDATES).sets
    chosen = Settings.of(**{**settings.as_dict(), "select": f"forward:{top}"})
    for size in (size for size in SIZES if size <= top):
        kept = np.zeros(len(whole.counts.lexicon), np.bool_)
        kept[sets_of[size]] = True
        yield size, accuracy(Classifier(chosen, whole.counts, kept=kept))


def _l1(texts: list[str], labels: list[str], cost: float, accuracy) -> tuple[int, float]:  # type: ignore[no-untyped-def]
    model = deciban.train(texts, labels, model="logistic", l1=1.0, cost=cost)
    return int((np.diff(model.scorecard.indptr) > 0).sum()), accuracy(model)


def _said(texts, labels, whole: Classifier, size: int, accuracy, folds: int):  # type: ignore[no-untyped-def]
    """Of so many terms: leave-one-out with the terms held, folds that select anew, and the test part."""
    small = whole.select("mutual-information", size)
    settings = {"model": "multinomial", "alpha": whole.settings.alpha, "select": small.settings.select}
    compared = deciban.compare({"set": (texts, labels)}, {"model": settings}, folds=folds)
    return size, small.leave_one_out().accuracy, compared.run("model", "set").accuracy, accuracy(small)


def made_up(terms: int, labels: int) -> Counts:
    """Counts of terms that are spread as words are: the i-th in a share 1/i of the documents, some labels more."""
    rng = np.random.default_rng(0)
    documents = np.full(labels, 50_000)
    m = np.maximum(documents.sum() / (2 + np.arange(terms)) / 2, 1)[:, None] * rng.dirichlet(
        np.full(labels, 0.5), terms
    )
    m = np.minimum(rng.poisson(m), documents)
    m[np.arange(terms), rng.integers(labels, size=terms)] += 1
    term, label = np.nonzero(m)
    indptr = np.searchsorted(term, np.arange(terms + 1))
    names = "".join(f"{i:08d}" for i in range(terms)).encode()
    lexicon = _core.Lexicon(Terms().core, np.frombuffer(names, np.uint8), np.arange(terms + 1) * 8)
    times = m[term, label]
    return Counts(
        Terms(),
        tuple(f"label{r:02d}" for r in range(labels)),
        lexicon,
        documents,
        indptr,
        label.astype(np.uint32),
        times,
        times,
    )


def speed(terms: int, rounds: int) -> Iterator[tuple[str, float, float]]:
    """Seconds to measure all terms and to tell the 20,000 best; and to make the counts of those alone: the median."""
    counts, settings = made_up(terms, 20), Settings()
    yield f"{len(counts.label):,} postings", 0.0, 0.0
    for by in MEASURES:
        times = []
        for _ in range(1 if by == "sparse-bayes" else rounds):
            start = time.perf_counter()
            kept = best(measured(counts, settings, by, 20_000), 20_000)
            told = time.perf_counter()
            counts.of_terms(kept)
            times.append((told - start, time.perf_counter() - told))
        yield by, *(float(np.median([pair[side] for pair in times])) for side in (0, 1))


def search_speed(texts: int) -> tuple[str, float, float]:
    """Seconds on the clock, and of the processor, of a forward search."""
    of = sets.read("20ng")
    some = np.sort(np.random.default_rng(0).permutation(len(of.texts))[:texts])
    model = _multinomial(*of.at(some), 0.1)
    examples = model._examples
    assert examples is not None
    found = rows(model.counts.lexicon, examples.texts), model.counts.numbers(examples.labels)
    start, cpu = time.perf_counter(), time.process_time()
    curve = search(model.counts, *found, model.settings, "forward", SEARCHED, CANDIDATES).curve
    spent = time.perf_counter() - start, time.process_time() - cpu
    what = f"{len(some):,} texts of {len(model.labels)} labels, {SEARCHED} terms out of {CANDIDATES:,}"
    return f"{what}: {curve[0].wrong:,} wrong without any, {curve[-1].wrong:,} with all", *spent


def page(found: list[Curves]) -> str:
    """All but speed as Markdown."""
    lines = [
        "# Selecting terms",
        "",
        "Printed by `make selection`; `benches/selection.py` says how it is measured.",
        "",
    ]
    lines += ["![accuracy against number of terms](selection.svg)", ""]
    for of in found:
        lines += [
            f"## {of.name}",
            "",
            f"Naive Bayes (alpha {of.alpha:g}) of all {of.terms:,} terms: {of.whole:.1%} of the test part.",
            "",
        ]
        lines += ["| terms | " + " | ".join((*FILTERS, "forward search")) + " |", "| ---: |" + " ---: |" * 3]
        by = {curve.name: dict(curve.points) for curve in of.curves}
        for size in SIZES:
            cells = (by[name].get(size) for name in (*FILTERS, "forward search"))
            lines.append(f"| {size:,} | " + " | ".join("" if cell is None else f"{cell:.1%}" for cell in cells) + " |")
        l1 = ", ".join(f"{right:.1%} of {terms:,}" for terms, right in by["L1"].items())
        lines += ["", f"L1 (logistic, tf-idf), terms that have a weight: {l1}.", ""]
        lines += ["| terms, by mutual information | leave-one-out, terms held | folds, selecting anew | test part |"]
        lines += ["| ---: | ---: | ---: | ---: |"]
        lines += [f"| {size:,} | {loo:.2%} | {folds:.2%} | {test:.2%} |" for size, loo, folds, test in of.loo]
        lines.append("")
    lines += ["## Weighting in place of selection", "", "Right of the test part, all terms, the same alpha:", ""]
    lines += ["| set | " + " | ".join(TERM_WEIGHTS) + " |", "| --- |" + " ---: |" * len(TERM_WEIGHTS)]
    lines += [f"| {of.name} | " + " | ".join(f"{of.weighted[by]:.1%}" for by in TERM_WEIGHTS) + " |" for of in found]
    lines.append("")
    return "\n".join(lines) + "\n"


def speed_page(speeds: list[tuple[str, float, float]], searched: tuple[str, float, float]) -> str:
    """How fast it is, and on which machine, as Markdown."""
    (postings, _, _), *rest = speeds
    told = {by: seconds for by, seconds, _ in rest}["mutual-information"]
    what, wall, cpu = searched
    holds = ["does not hold", "holds"]
    lines = [
        SPEED,
        "",
        f"Terms x labels, {postings}; the 20,000 best are told, and their counts are made:",
        "",
        "| measure | seconds to tell | and to make the counts |",
        "| --- | ---: | ---: |",
        *(f"| {by} | {seconds:.2f} | {more:.2f} |" for by, seconds, more in rest),
        "",
        f"The bar, {BARS['select']:g} s for mutual information, {holds[told <= BARS['select']]}: {told:.2f} s.",
        "",
        f"Forward search: {what}, in {wall:.1f} s ({cpu:.1f} s of the processor). "
        f"The bar, {BARS['search']:g} s, {holds[wall <= BARS['search']]}.",
        "",
        "## Machine",
        "",
        *(f"- {name}: {fact}" for name, fact in machine.facts().items()),
    ]
    return "\n".join(lines) + "\n"


def draw(path: Path, found: list[Curves]) -> None:
    """A panel a set, a line a way to select."""
    from matplotlib.figure import Figure

    def figure() -> Figure:
        drawn = Figure(figsize=(4.2 * len(found), 3.6), layout="constrained")
        panels = drawn.subplots(1, len(found), squeeze=False)[0]
        for panel, of in zip(panels, found, strict=True):
            panel.axhline(100 * of.whole, color="#bbbbbb", linewidth=1, linestyle="--")
            for curve in of.curves:
                some = sorted(point for point in curve.points if point[0] > 0)
                panel.plot(
                    *zip(*((n, 100 * right) for n, right in some), strict=True),
                    "o-",
                    markersize=3,
                    label=curve.name,
                    color=COLOURS[curve.name],
                )
            panel.set_xscale("log")
            panel.xaxis.set_major_formatter(lambda n, _: f"{n:,.0f}")
            panel.set_title(f"{of.name}: right of the test part, in %", fontsize=9, loc="left")
            panel.set_xlabel("terms (dashed: naive Bayes of all)")
            panel.grid(color="#eeeeee", linewidth=0.8)
            panel.spines[["top", "right"]].set_visible(False)
        panels[0].legend(frameon=False, fontsize=8)
        return drawn

    picture.save(path, figure)


def main() -> None:
    """Measures, prints, draws and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a trial: r8 alone, fewer terms and texts; writes nothing")
    parser.add_argument("--speed", action="store_true", help="how fast it is alone: the two bars")
    given = parser.parse_args()
    quick, path = given.quick, RESULTS / "selection.md"
    speeds = list(speed(100_000 if quick else 1_000_000, 1 if quick else 3))
    print("measures are done", file=sys.stderr)
    fast = speed_page(speeds, search_speed(1000 if quick else 10_000))
    if given.speed:
        print(fast)
        before = path.read_text(encoding="utf-8").partition(SPEED)[0]
    else:
        found = [curves(name, 20 if quick else SEARCHED, 3 if quick else 5) for name in (["r8"] if quick else SETS)]
        before = page(found)
        print(before + fast)
    if not quick:
        path.write_text(before + fast, encoding="utf-8")
        if not given.speed:
            draw(RESULTS / "selection.svg", found)


if __name__ == "__main__":
    main()
