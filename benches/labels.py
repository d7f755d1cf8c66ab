"""`make labels`: very many labels, asked by their postings and densely.

Two tasks, each trained in one pass with `deciban train` on a file: the hypernym of a WordNet noun from its gloss, and
the next word of an IMDb review from the three words before it (every 50th review is kept apart). Each measurement is a
fresh process on one core. `dense` is x.W + b for all labels and the greatest of them: of W, which fits no memory, only
the rows that some hundred texts need are laid out, all labels wide; making them is not on its clock, and SciPy
multiplies, as for scikit-learn's MultinomialNB. The page is printed and written to benches/results/labels.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import corpus, machine
from .child import status, timed
from .speed import RESULTS

Result = dict[str, Any]
Document = tuple[str, str, bool]  # text, label, whether it is kept apart
CONTEXT = 3  # words before the one that is to be told
KEPT_APART = 50  # one review in so many
ANSWERED, COMPARED, DENSE, TOP = 20_000, 500, 150, 5
BAR_LABELS, BAR_SPEED, BAR_MEMORY = 100_000, 20.0, 4000.0  # from so many labels on; times as fast as dense; megabytes


@dataclass(frozen=True)
class Task:
    """A file to train on, one to ask, and the options of `deciban train`."""

    name: str
    title: str
    options: tuple[str, ...]
    documents: Callable[[], Iterator[Document]]

    def file(self, part: str) -> Path:
        """The texts and labels, or the model."""
        return corpus.DATA / f"labels-{self.name}-{part}"

    def make(self) -> None:
        """Writes what is to be learnt and what is to be asked, once."""
        if not self.file("test.tsv").exists():
            print(f"making {self.file('test.tsv').relative_to(corpus.ROOT)}", file=sys.stderr)
            corpus.DATA.mkdir(exist_ok=True)
            parts = [self.file("train.part"), self.file("test.part")]
            with parts[0].open("w") as train, parts[1].open("w") as test:
                train.write("label\ttext\n")
                test.write("label\ttext\n")
                for text, label, is_apart in self.documents():
                    (test if is_apart else train).write(f"{label}\t{text}\n")
            parts[0].rename(self.file("train.tsv"))
            parts[1].rename(self.file("test.tsv"))

    def kept_apart(self) -> tuple[list[str], list[str]]:
        """Texts that were kept apart, and their labels."""
        pairs = [line.split("\t", 1) for line in self.file("test.tsv").read_text().splitlines()[1:]]
        return [text for _, text in pairs], [label for label, _ in pairs]

    def asked(self) -> tuple[list[str], list[str]]:
        """Some of them, from all over the file."""
        texts, labels = self.kept_apart()
        step = max(len(texts) // ANSWERED, 1)
        return texts[::step][:ANSWERED], labels[::step][:ANSWERED]


def _rows(name: str) -> Iterator[dict[str, str]]:
    path = corpus.found(name)
    if path is None:
        raise SystemExit(f"benches: {name}.jsonl.gz is neither in DECIBAN_DATA nor in ../shared/data")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _glosses() -> Iterator[Document]:
    for row in _rows("wordnet-hypernyms"):
        yield " ".join(row["text"].split()), row["label"], row["split"] == "test"


def _next_words() -> Iterator[Document]:
    for number, row in enumerate(_rows("imdb")):
        words = re.findall(r"\w\w+", row["text"].lower())
        for place in range(1, len(words)):
            yield " ".join(words[max(place - CONTEXT, 0) : place]), words[place], number % KEPT_APART == 0


TASKS = (
    Task("wordnet", "hypernym of a noun, from its gloss", ("--alpha", "0.1"), _glosses),
    Task("words", "next word, from the three before it", ("--words", "1-2", "--edges", "--alpha", "0.1"), _next_words),
)


# What a child measures


def ask(task: Task) -> Result:
    """Labels of texts; the most probable few, with probabilities; one text at a time; all on one thread."""
    import deciban

    begin = time.perf_counter()
    model = deciban.load(task.file("model")).with_threads(1)
    loaded = time.perf_counter() - begin
    texts, labels = task.asked()
    model.predict(task.kept_apart()[0])  # as a service would: after some megabytes of text the lexicon has its index
    answers: list[Any] = []
    best = timed(lambda: answers.extend(model.predict(texts)))
    some = texts[: ANSWERED // 10]
    tops: list[Any] = []
    top = timed(lambda: tops.extend(model.predict_top(some, TOP)))
    ones = [timed(lambda text=text: model.predict([text])).seconds for text in some]
    right_at_top = [label in dict(row) for row, label in zip(tops, labels, strict=False)]
    return {
        "load": loaded,
        "best": 1e6 * best.cpu / len(texts),
        "top": 1e6 * top.cpu / len(some),
        "one": 1e6 * statistics.median(ones),
        "right": statistics.mean(map(str.__eq__, answers, labels)),
        "right_at_top": statistics.mean(right_at_top),
        "texts": len(texts),
        "labels": len(model.labels),
        "terms": len(model.counts.lexicon),
        "postings": len(model.counts.label),
        "examples": int(model.counts.documents.sum()),
        "peak": status("VmHWM"),
    }


def dense(task: Task) -> Result:
    """The same by x.W + b of all labels, as far as W fits; and whether the answers are the same."""
    import numpy as np
    import scipy.sparse

    import deciban
    from deciban.decision import posterior
    from deciban.rows import rows

    model = deciban.load(task.file("model")).with_threads(1)
    texts = task.asked()[0][:COMPARED]
    scores = model.scores(texts)
    answers, tops = model.predict(texts), model.predict_top(texts, TOP)
    first = np.argsort(-scores, axis=1, kind="stable")[:, :TOP]
    probabilities = np.take_along_axis(posterior(scores), first, axis=1)
    same = [[model.labels[r] for r in row] for row in first.tolist()]
    found = rows(model.counts.lexicon, texts[:DENSE])
    known, column = np.unique(found.term, return_inverse=True)
    W = model.scorecard.weights(known)  # noqa: N806
    x = scipy.sparse.csr_array((found.count.astype(float), column, found.indptr), (len(found), len(known)))
    tens = [x[i : i + 10] for i in range(0, len(found), 10)]  # a row alone would mostly measure SciPy's calls
    took = timed(lambda: [(ten @ W + model.scorecard.bias).argmax(axis=1) for ten in tens])
    core = timed(lambda: [model.scores(texts[i : i + 10]).argmax(axis=1) for i in range(0, len(texts), 10)])
    return {
        "same_answers": answers == [row[0] for row in same],
        "same_tops": [[label for label, _ in row] for row in tops] == same,
        "off": float(np.abs(probabilities - [[p for _, p in row] for row in tops]).max()),
        "dense": 1e6 * took.cpu / len(found),
        "core": 1e6 * core.cpu / len(texts),
        "rows": len(known),
    }


CHILDREN = {child.__name__: child for child in (ask, dense)}


# What their parent does with it


def measured(task: Task) -> Result:
    """All that there is to say of a task."""
    task.make()
    print(f"{task.name}: training", file=sys.stderr)
    result = {"train": _train(task), "size": task.file("model").stat().st_size / corpus.MB}
    for name in CHILDREN:
        print(f"{task.name}: {name}", file=sys.stderr)
        command = [sys.executable, "-m", "benches.labels", "--child", name, task.name]
        one = machine.environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        done = subprocess.run(command, cwd=corpus.ROOT, env=one, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
        result |= json.loads(done.stdout)
    return result


def _train(task: Task) -> Result:
    """`deciban train`, as a command: seconds on the clock and of a processor, and its peak of memory in megabytes."""
    program = str(Path(sys.executable).with_name("deciban"))
    model = ("-o", str(task.file("model")), "--threads", "1")
    begin = time.perf_counter()
    command = [program, "train", str(task.file("train.tsv")), *task.options, *model]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
    _, failed, usage = os.wait4(child.pid, 0)
    if failed:
        raise SystemExit(f"benches: deciban train ended with {failed}")
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024 / corpus.MB}


def page(results: dict[str, Result], facts: dict[str, str]) -> str:
    """All figures, task by task."""
    about = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    parts = "\n".join(_part(task, results[task.name]) for task in TASKS if task.name in results)
    written = "Written by `make labels`; do not edit. Microseconds are processor time, one thread."
    how = (__doc__ or "").partition("\n\n")[2]
    return f"# Very many labels\n\n{written}\n\n{how}\n{about}\n\n{parts}"


def _part(task: Task, of: Result) -> str:
    gigabytes = 8e-9 * of["terms"] * of["labels"]
    times, is_held = of["dense"] / of["best"], of["labels"] >= BAR_LABELS
    rows = {
        "labels": f"{of['labels']:,}",
        "examples, terms, postings": f"{of['examples']:,}, {of['terms']:,}, {of['postings']:,}",
        "training, in one pass": f"{of['train']['seconds']:.1f} s, {of['train']['cpu']:.1f} s of a processor",
        "peak memory while training": _bar(f"{of['train']['peak']:,.0f} MB", of["train"]["peak"] < BAR_MEMORY),
        "model file; time to load it": f"{of['size']:,.0f} MB; {of['load']:.1f} s",
        "peak memory while predicting": _bar(f"{of['peak']:,.0f} MB", of["peak"] < BAR_MEMORY),
        "W as a dense matrix would take": f"{gigabytes:,.0f} GB",
        "`predict`, by postings": f"{of['best']:.1f} us a text",
        "`predict([text])`, one text a call": f"{of['one']:.1f} us on the clock",
        f"`predict_top`, {TOP} labels with their probabilities": f"{of['top']:.0f} us a text",
        f"dense, from {of['rows']:,} rows of W": f"{of['dense']:,.0f} us a text",
        "all scores by deciban's own core, and the greatest": f"{of['core']:,.0f} us a text",
        "dense / by postings": _bar(f"{times:,.0f} times", times >= BAR_SPEED) if is_held else f"{times:,.0f} times",
        f"the same labels, {COMPARED} texts": _bar("all" if of["same_answers"] else "not all", of["same_answers"]),
        f"the same {TOP} labels, in order": _bar("all" if of["same_tops"] else "not all", of["same_tops"]),
        "probabilities differ by at most": _bar(f"{of['off']:.1e}", of["off"] < 1e-12),
        f"right, of {of['texts']:,} texts kept apart": f"{of['right']:.1%}",
        f"right among the {TOP} most probable, of {of['texts'] // 10:,}": f"{of['right_at_top']:.1%}",
    }
    lines = "".join(f"| {name} | {value} |\n" for name, value in rows.items())
    options = " ".join(task.options)
    return f"## {task.title}\n\n`deciban train {options}`\n\n| what | |\n| --- | ---: |\n{lines}"


def _bar(value: str, holds: bool) -> str:
    return f"{value} ({'holds' if holds else 'MISSED'})"


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.labels", description=__doc__)
    parser.add_argument("--only", choices=[task.name for task in TASKS], help="one task")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    tasks = {task.name: task for task in TASKS}
    if given.child:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
        print(json.dumps(CHILDREN[given.child[0]](tasks[given.child[1]])))
        return
    facts = machine.facts()
    results = {name: measured(task) for name, task in tasks.items() if given.only in (None, name)}
    text = page(results, facts)
    print(text)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "labels.md").write_text(text)


if __name__ == "__main__":
    main()
