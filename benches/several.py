"""`make several`: texts of any number of labels, beside scikit-learn's LinearSVC of each label against the rest.

Reuters-21578 (ModApte, the topics that both splits have, documents without a topic included) and Debian's tags. Both
sides learn from the training part and are judged on the test part, once. What is chosen is chosen by five folds of the
training part, the same for both: our C, our thresholds; LinearSVC's C and class_weight, and whether it sees words
(tf-idf, sublinear) or words and pairs of words, by micro-F1. LinearSVC answers where its margin is above 0, as it does;
`with our thresholds` is the same margins, decided as ours are, by its own held-out margins.

Seconds are processor time, from texts to test answers, with all that was tried to choose; `the last fit` is what one
fit with the chosen settings and the test answers take.

The tables are printed and written to benches/results/several.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from deciban.evaluation import multilabel
from deciban.rows import rows
from deciban.several import Given, Manner, Several, settings_of, trained
from deciban.several.counting import count
from deciban.several.deciding import decide
from deciban.several.fitted import FOLDS, fit, folds_by_rarest
from deciban.several.odds import indicator

from . import corpus, machine
from .speed import RESULTS

SETS = ("reuters-modapte", "debian-tags")
BARS = {"reuters-modapte": (0.88, 0.53)}
OURS: dict[str, dict[str, Any]] = {
    "hinge (default)": {},
    "nbsvm": {"model": "nbsvm", "length_norm": True},
    "hinge, words and pairs": {"words": (1, 2)},
    "hinge, words and characters": {"chars": (3, 5)},
    "multinomial, alpha 0.1": {"model": "multinomial", "alpha": 0.1},
}
THRESHOLDS = ("micro", "macro", "even")
C = (0.1, 0.3, 1.0, 3.0)
HEAD = (
    "| set | model | thresholds | micro-F1 | macro-F1 | samples-F1 | all right | LRAP | labels a text "
    "| CPU s | of it the last fit |\n| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
)


class Task(NamedTuple):
    """Texts to learn from and to be judged by, with the labels that both have."""

    name: str
    train: Given
    test: Given
    labels: list[str]


class Outcome(NamedTuple):
    """Answers of a model on the test part, and what they took."""

    model: str
    thresholds: str
    said: Any
    scores: Any
    seconds: float | None = None
    last: float | None = None
    told: str = ""


def main() -> None:
    """Measures, prints, writes."""
    given = _arguments()
    about = {name: fact for name, fact in machine.facts().items() if name in ("date", "processor", "cores", "numpy")}
    lines, notes = "", ""
    for name in given.sets:
        task = _task(name, given.texts)
        truth = indicator(task.test.sets, task.labels)
        outcomes = [*_ours(task, given.models), *(() if given.alone else _linear_svc(task))]
        for outcome in outcomes:
            line = _line(task, truth, outcome)
            print(line, end="", flush=True)
            lines += line
            notes += f"- {name}, {outcome.model}: {outcome.told}\n" if outcome.told else ""
        notes += _bars(task, truth, outcomes[0])
    page = _page(lines, notes, about)
    print(page)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "several.md").write_text(page)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.several", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="which sets")
    parser.add_argument("--models", nargs="*", default=list(OURS), help="which of our models")
    parser.add_argument("--texts", type=int, help="so many training texts at most")
    parser.add_argument("--alone", action="store_true", help="without scikit-learn")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser.parse_args()


def _task(name: str, most: int | None) -> Task:
    path = corpus.found(name)
    if path is None:
        raise SystemExit(f"benches: {name}.jsonl.gz is neither in DECIBAN_DATA nor in ../shared/data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    parts = {split: [row for row in rows if row["split"] == split] for split in ("train", "test")}
    parts["train"] = parts["train"][:most]
    known = [{label for row in part for label in row["labels"]} for part in parts.values()]
    labels = sorted(known[0] & known[1])
    train, test = (
        Given([row["text"] for row in part], [tuple(sorted({*labels} & {*row["labels"]})) for row in part])
        for part in parts.values()
    )
    return Task(name, train, test, labels)


def _ours(task: Task, models: Sequence[str]) -> list[Outcome]:
    """Our models, each fitted once; the first with all thresholds, which are chosen by the same held-out scores."""
    found = []
    for number, name in enumerate(models):
        start, settings = time.process_time(), settings_of(OURS[name])
        model = trained(task.train, settings, Manner())
        scores = model.scores(task.test.texts)
        took = time.process_time() - start
        said = scores >= np.array(list(model.thresholds.values()))
        found.append(Outcome(name, model.manner.thresholds, said, scores, took, told=_told(model)))
        if number == 0:
            found += _otherwise(task, name, model)
    return found


def _otherwise(task: Task, name: str, model: Several) -> list[Outcome]:
    """The same with other thresholds."""
    has = indicator(task.train.sets, task.labels)
    counts = count(model.settings, *task.train)
    held = fit(counts, rows(counts.lexicon, task.train.texts), has, model.settings)
    found = []
    for thresholds in THRESHOLDS:
        deciding = decide(held.held, has, thresholds)
        both = deciding.folded(held.card).scores(task.test.texts)
        scores = both[:, 1:] - both[:, :1]
        found.append(Outcome(name, thresholds, scores >= deciding.threshold, scores))
    return found


def _told(model: Several) -> str:
    """What its folds said."""
    return ", ".join(f"{name}: {f1:.4f}" for name, f1 in model.provenance[0].get("fit", {}).get("held_out", {}).items())


def _linear_svc(task: Task) -> list[Outcome]:
    """scikit-learn's, with what its own folds choose."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    has = indicator(task.train.sets, task.labels)
    y, folds = has.astype(np.int8), folds_by_rarest(has, FOLDS)

    def fitted(x: Any, y: Any, c: float, weight: str | None) -> OneVsRestClassifier:
        return OneVsRestClassifier(LinearSVC(C=c, class_weight=weight)).fit(x, y)

    start, tried = time.process_time(), {}
    for words in ((1, 1), (1, 2)):
        vectoriser = TfidfVectorizer(sublinear_tf=True, ngram_range=words, min_df=words[1])
        x = vectoriser.fit_transform(task.train.texts)
        for c, weight in [(c, None) for c in C] + [(c, "balanced") for c in C[:2]]:
            held = np.empty(has.shape)
            for fold in range(FOLDS):
                learnt = folds != fold
                held[~learnt] = fitted(x[learnt], y[learnt], c, weight).decision_function(x[~learnt])
            tried[words, c, weight] = multilabel.f1(has, held > 0), held
    (words, c, weight), (_, held) = max(tried.items(), key=lambda item: item[1][0])
    last = time.process_time()
    vectoriser = TfidfVectorizer(sublinear_tf=True, ngram_range=words, min_df=words[1])
    model = fitted(vectoriser.fit_transform(task.train.texts), y, c, weight)
    scores = model.decision_function(vectoriser.transform(task.test.texts))
    end = time.process_time()
    how = "; ".join(f"{words} C={c:g} {weight}: {f1:.4f}" for (words, c, weight), (f1, _) in tried.items())
    ours = decide(held, has, "both")
    better = scores * ours.slope + ours.shift >= ours.threshold
    name = f"LinearSVC, words {words[0]}-{words[1]}, C={c:g}, {weight}"
    return [
        Outcome(name, "margin above 0", scores > 0, scores, end - start, end - last, how),
        Outcome(name, "with our thresholds", better, scores, end - start, end - last),
    ]


def _line(task: Task, truth: Any, outcome: Outcome) -> str:
    cells = [
        *(task.name, outcome.model, outcome.thresholds),
        *(f"{multilabel.f1(truth, outcome.said, average):.4f}" for average in multilabel.AXES),
        f"{multilabel.subset_accuracy(truth, outcome.said):.1%}",
        f"{multilabel.ranking_precision(truth, outcome.scores):.4f}",
        f"{outcome.said.sum(axis=1).mean():.2f} of {truth.sum(axis=1).mean():.2f}",
        *("" if seconds is None else f"{seconds:.1f}" for seconds in (outcome.seconds, outcome.last)),
    ]
    return f"| {' | '.join(cells)} |\n"


def _bars(task: Task, truth: Any, ours: Outcome) -> str:
    if task.name not in BARS:
        return ""
    found = [multilabel.f1(truth, ours.said, average) for average in ("micro", "macro")]
    told = (
        f"{average}-F1 {f1:.4f}, bar {bar}: {'reached' if f1 >= bar else 'not reached'}"
        for average, f1, bar in zip(("micro", "macro"), found, BARS[task.name], strict=True)
    )
    return f"- {task.name}, {ours.model}: {'; '.join(told)}\n"


def _page(lines: str, notes: str, facts: dict[str, str]) -> str:
    about = "\n".join(f"- {name}: {fact}" for name, fact in facts.items())
    written = "Written by `make several`; do not edit. What the columns are, `benches/several.py` says."
    chosen = "What folds of the training part said (micro-F1), and the bars:"
    return f"# Several labels a text\n\n{written}\n\n{about}\n\n{HEAD}{lines}\n{chosen}\n\n{notes}"


if __name__ == "__main__":
    main()
