"""`make several`: texts of any number of labels, beside scikit-learn's LinearSVC of each label against the rest.

Reuters-21578 (ModApte, the topics that both splits have, documents without a topic included) and Debian's tags. Both
sides learn from the training part and are judged on the test part. What ours choose, C and thresholds, they choose by
five folds of the training part. LinearSVC (tf-idf, sublinear) is shown with each of its settings, so that the best of
them, whoever chooses it, is there; of Debian's tags with the first alone. It answers where its margin is above 0.

Seconds are processor time, from texts to test answers; ours have the folds in them, of three C's unless C is given.

The tables are printed and written to benches/results/several.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from deciban.evaluation import multilabel
from deciban.rows import rows
from deciban.several import Given, Manner, Several, settings_of, trained
from deciban.several.counting import count
from deciban.several.deciding import decide
from deciban.several.fitted import fit
from deciban.several.odds import indicator

from . import corpus, machine
from .speed import RESULTS

SETS = ("reuters-modapte", "debian-tags")
BARS = {"reuters-modapte": (0.88, 0.53)}
OURS: dict[str, dict[str, Any]] = {
    "hinge (default)": {},
    "hinge, C=1 given": {"cost": 1.0},
    "nbsvm": {"model": "nbsvm", "length_norm": True, "interpolation": 1.0},
    "logistic": {"model": "logistic", "cost": 30.0},
    "hinge, words and pairs": {"words": (1, 2)},
    "multinomial, alpha 0.1": {"model": "multinomial", "alpha": 0.1},
}
THRESHOLDS = ("micro", "macro", "even")
# Of LinearSVC: which runs of words it sees, C, class_weight.
Choice = tuple[tuple[int, int], float, str | None]
THEIRS: tuple[Choice, ...] = (
    ((1, 1), 1.0, None),
    ((1, 1), 3.0, None),
    ((1, 1), 0.3, None),
    ((1, 1), 1.0, "balanced"),
    ((1, 2), 1.0, None),
)
HEAD = (
    "| set | model | thresholds | micro-F1 | macro-F1 | samples-F1 | all right | LRAP | labels a text | CPU s |\n"
    "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
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
    told: str = ""


def main() -> None:
    """Measures, prints, writes."""
    given = _arguments()
    about = {name: fact for name, fact in machine.facts().items() if name in ("date", "processor", "cores", "numpy")}
    lines, notes = "", ""
    for name in given.sets:
        task = _task(name, given.texts)
        truth = indicator(task.test.sets, task.labels)
        choices = THEIRS[: given.rivals if name == SETS[0] else 1]
        for number, outcome in enumerate(chain(_ours(task, given.models), _linear_svc(task, choices))):
            line = _line(task, truth, outcome)
            print(line, end="", flush=True)
            lines += line
            notes += f"- {name}, {outcome.model}: {outcome.told}\n" if outcome.told else ""
            notes += _bars(task, truth, outcome) if number == 0 else ""
            _write(given.results, _page(lines, notes, about))  # whoever stops it has what is done
    print(notes)


def _write(folder: Path, page: str) -> None:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "several.md").write_text(page)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.several", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="which sets")
    parser.add_argument("--models", nargs="*", default=list(OURS), help="which of our models")
    parser.add_argument("--texts", type=int, help="so many training texts at most")
    parser.add_argument("--rivals", type=int, default=len(THEIRS), help="with so many settings of LinearSVC")
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


def _ours(task: Task, models: Sequence[str]) -> Iterator[Outcome]:
    """Our models, each fitted once; the first with all thresholds, which are chosen by the same held-out scores."""
    for number, name in enumerate(models):
        start, settings = time.process_time(), settings_of(OURS[name])
        model = trained(task.train, settings, Manner())
        scores = model.scores(task.test.texts)
        took = time.process_time() - start
        said = scores >= np.array(list(model.thresholds.values()))
        yield Outcome(name, model.manner.thresholds, said, scores, took, _told(model))
        if number == 0:
            yield from _otherwise(task, name, model)


def _otherwise(task: Task, name: str, model: Several) -> Iterator[Outcome]:
    """The same with other thresholds."""
    has = indicator(task.train.sets, task.labels)
    counts = count(model.settings, *task.train)
    held = fit(counts, rows(counts.lexicon, task.train.texts), has, model.settings)
    for thresholds in THRESHOLDS:
        deciding = decide(held.held, has, thresholds)
        both = deciding.folded(held.card).scores(task.test.texts)
        scores = both[:, 1:] - both[:, :1]
        yield Outcome(name, thresholds, scores >= deciding.threshold, scores)


def _told(model: Several) -> str:
    """What its folds said."""
    return ", ".join(f"{name}: {f1:.4f}" for name, f1 in model.provenance[0].get("fit", {}).get("held_out", {}).items())


def _linear_svc(task: Task, choices: Sequence[Choice]) -> Iterator[Outcome]:
    """scikit-learn's, with each of some settings."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    y = indicator(task.train.sets, task.labels).astype(np.int64)  # narrower, it loses count of more than 127 labels
    for words, c, weight in choices:
        start = time.process_time()
        seen = TfidfVectorizer(sublinear_tf=True, ngram_range=words, min_df=words[1])
        model = OneVsRestClassifier(LinearSVC(C=c, class_weight=weight))
        model.fit(seen.fit_transform(task.train.texts), y)
        scores = model.decision_function(seen.transform(task.test.texts))
        took = time.process_time() - start
        name = f"LinearSVC, words {words[0]}-{words[1]}, C={c:g}, class_weight={weight}"
        yield Outcome(name, "margin above 0", scores > 0, scores, took)


def _line(task: Task, truth: Any, outcome: Outcome) -> str:
    cells = [
        *(task.name, outcome.model, outcome.thresholds),
        *(f"{multilabel.f1(truth, outcome.said, average):.4f}" for average in multilabel.AXES),
        f"{multilabel.subset_accuracy(truth, outcome.said):.1%}",
        f"{multilabel.ranking_precision(truth, outcome.scores):.4f}",
        f"{outcome.said.sum(axis=1).mean():.2f} of {truth.sum(axis=1).mean():.2f}",
        "" if outcome.seconds is None else f"{outcome.seconds:.1f}",
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
