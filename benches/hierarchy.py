"""`make hierarchy`: labels that are paths, flat and not, with few and with many texts a label; very many labels, fast.

Sets: questions (TREC, coarse and fine type), 20 Newsgroups as its dotted tree, Debian sections below eight groups that
the table `SECTIONS` says (the sections are a flat list; the groups are ours, made from their names before any figure),
and WordNet: a noun's gloss -> its hypernym, of which the path to `entity` is the label. Those paths follow from the
set itself: it is sorted by synset, so that the synset of a hypernym is the row of its name between its neighbours.

Of each set, so many texts a label are drawn, several times; `all` is all. Of three flat models of counts (multinomial
with Dirichlet or Laplace smoothing, ratio) leave-one-out on training texts takes the best; `shared` and `chosen` are
that model with other `--levels`, `mixture` is McCallum's (`mixture_of_paths`). These labels fit on one shelf, so that
top-down is flat. The test part is reported, by which nothing was chosen (docs/hierarchy.md); of TREC also what training
texts say that were not drawn: its test part has other shares of labels. First of all the page has what is answered by
default (`levels`). WordNet's labels are told apart flat and top-down by each of the models, of a random sample of its
test texts; CPU seconds are taken in turns in one process, on one thread. The page is written to
benches/results/hierarchy.md.
"""

from __future__ import annotations

import argparse
import bisect
import gzip
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

import deciban
from deciban.classifier import Classifier

from . import corpus
from .levels import HEAD as OF_DEFAULT
from .levels import rows as answered
from .mixture_of_paths import answers
from .speed import RESULTS

FEW, DRAWS = (2, 5, 10), 5
OF_DEFAULT_DRAWN = {2: 20, 5: 10, 10: 5}
SETS, VERY_MANY = ("trec", "20ng", "debian-sections"), "wordnet-hypernyms"
MODELS: tuple[dict[str, Any], ...] = (
    {"model": "multinomial", "smoothing": "dirichlet"},
    {"model": "multinomial", "alpha": 0.1},
    {"model": "ratio"},
)
SECTIONS = {
    "language": "python perl haskell rust golang javascript java ruby gnu-r php ocaml lisp cli-mono interpreters zope",
    "library": "libs libdevel oldlibs debug introspection devel",
    "desktop": "gnome kde xfce x11 gnustep",
    "net": "net web mail news httpd comm hamradio",
    "media": "sound video graphics fonts games",
    "system": "admin utils kernel shells embedded otherosfs metapackages tasks misc database vcs",
    "text": "text tex editors doc localization",
    "science": "science math electronics education",
}
TIMED, TIMES = 4000, 3

Part = tuple[list[str], list[str]]


def rows_of(name: str) -> list[dict[str, Any]]:
    """A set, row by row."""
    path = Path(os.environ.get("DECIBAN_DATA", corpus.ROOT.parent / "shared" / "data")) / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read(name: str) -> tuple[Part, Part]:
    """What is to be learnt and what judges it, with paths for labels."""
    rows = rows_of(name)
    if name == "trec":
        paths = [row["fine"].replace(":", "/") for row in rows]
    elif name == "20ng":
        paths = [row["label"].replace(".", "/") for row in rows]
    elif name == "debian-sections":
        group = {section: group for group, sections in SECTIONS.items() for section in sections.split()}
        paths = [f"{group[row['label']]}/{row['label']}" for row in rows]
    else:
        path = hypernyms(rows)
        paths = [path[row["label"]] for row in rows]
    parts = {is_test: ([], []) for is_test in (False, True)}  # type: dict[bool, Part]
    for row, label in zip(rows, paths, strict=True):
        parts[row["split"] == "test"][0].append(row["text"])
        parts[row["split"] == "test"][1].append(label)
    return parts[False], parts[True]


def hypernyms(rows: list[dict[str, Any]]) -> dict[str, str]:
    """The path of each label of WordNet, from `entity` down."""
    where = defaultdict(list)
    for place, row in enumerate(rows):
        where[row["text"].split(":", 1)[0].replace(" ", "_")].append(place)
    labels = sorted({row["label"] for row in rows}, key=lambda label: int(label.rpartition("#")[2]))
    places = [where[label.rpartition("#")[0]] for label in labels]
    sure = [number for number, found in enumerate(places) if len(found) == 1]
    up: dict[str, str] = {}
    last = -1
    for number, label in enumerate(labels):
        at = bisect.bisect_left(sure, number)
        if at < len(sure) and sure[at] == number:
            place = places[number][0]
        else:
            low = places[sure[at - 1]][0] if at else -1
            high = places[sure[at]][0] if at < len(sure) else len(rows)
            between = [place for place in places[number] if max(low, last) < place < high]
            if not between:
                continue
            place = last = between[0]
        up[label] = rows[place]["label"]
    return {label: "/".join(reversed([*_upwards(label, up)])).replace("#", "~") for label in labels}


def _upwards(label: str, up: dict[str, str]) -> Iterator[str]:
    seen = {label}
    yield label.replace("/", "_")
    while (label := up.get(label, label)) not in seen:
        seen.add(label)
        yield label.replace("/", "_")


def drawn(labels: list[str], per_label: int | None, seed: int) -> list[int]:
    """The places of so many texts of each label, or of all."""
    if per_label is None:
        return list(range(len(labels)))
    by_label = defaultdict(list)
    for place in np.random.default_rng(seed).permutation(len(labels)):
        by_label[labels[place]].append(int(place))
    return [place for label in sorted(by_label) for place in by_label[label][:per_label]]


def trained(part: Part, how: dict[str, Any], levels: str) -> Classifier:
    """A model of one way; labels alone are asked of it, for which it is not calibrated."""
    return deciban.train(*part, hierarchy="/", levels=levels, threads=1, calibration="none", **how)


def measure(learnt: Part, test: Part) -> dict[str, float]:
    """Accuracy on the test part of the flat model that leave-one-out on the training part chooses, and of others."""
    told = [(how, trained(learnt, how, "auto")) for how in MODELS]
    how, chosen = max(told, key=lambda one: one[1].provenance[0]["levels"]["flat"])
    levels = {"flat": "flat", "shared": "shared", "chosen": chosen.settings.levels}
    found: dict[str, float] = {}
    for name, way in levels.items():
        judged = trained(learnt, how, way).evaluate(*test)
        found |= {name: 100 * judged.accuracy, f"{name} F1": 100 * judged.paths("/").f1}
    return found


def figures(name: str, sizes: Sequence[int | None], *, rest: bool = False) -> Iterator[str]:
    """A line for each number of texts a label; judged by the test part, or by the rest of the training part."""
    learnt, test = read(name)
    reader = CountVectorizer(dtype=np.float64)
    rows, asked = reader.fit_transform(learnt[0]), reader.transform(test[0])
    shown_name = f"{name}, rest of the training part" if rest else name
    for size in sizes:
        draws = []
        for seed in range(DRAWS if size else 1):
            places = drawn(learnt[1], size, seed)
            part = [learnt[0][place] for place in places], [learnt[1][place] for place in places]
            if rest:
                others = np.setdiff1d(np.arange(len(learnt[1])), places)
                test = [learnt[0][place] for place in others], [learnt[1][place] for place in others]
                asked = rows[others]
            mixed = np.array(answers(rows[places], part[1], asked))
            draws.append(measure(part, test) | {"mixture": 100 * float(np.mean(mixed == np.array(test[1])))})
            print(f"{name}, {size or 'all'}: {draws[-1]}", file=sys.stderr)
        mean = {key: statistics.mean(draw[key] for draw in draws) for key in draws[0]}
        gains = [[draw[way] - draw["flat"] for draw in draws] for way in ("shared", "chosen")]
        shown = [*(_cell(mean, way) for way in ("flat", "shared", "chosen")), f"{mean['mixture']:.1f}"]
        apart = [_apart(gain) for gain in gains]
        yield f"| {shown_name} | {size or 'all'} | {' | '.join([*shown, *apart])} |"


def _apart(gain: list[float]) -> str:
    """The mean of what is gained, how sure that is, and the worst and the best draw."""
    if len(gain) == 1:
        return f"{gain[0]:+.1f}"
    sure = statistics.stdev(gain) / len(gain) ** 0.5
    return f"{statistics.mean(gain):+.1f} ± {sure:.1f} ({min(gain):+.1f} to {max(gain):+.1f})"


def _cell(mean: dict[str, float], way: str) -> str:
    return f"{mean[way]:.1f} ({mean[f'{way} F1']:.1f})"


def speed(learnt: Part, test: Part) -> Iterator[str]:
    """CPU seconds of predictions, flat and top-down in turns, of the same model, calibrated as they are by default."""
    places = np.random.default_rng(0).permutation(len(test[0]))[:TIMED]
    texts, truth = [test[0][place] for place in places], [test[1][place] for place in places]
    for how in MODELS:
        models = {
            levels: deciban.train(*learnt, hierarchy="/", levels=levels, threads=1, **how)
            for levels in ("flat", "top-down")
        }
        seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        for _ in range(TIMES):
            for levels, model in models.items():
                for task, ask in (("label", model.predict), ("probability", lambda of, m=model: m.predict_top(of, 1))):
                    start = time.process_time()
                    ask(texts)
                    seconds[levels, task].append(time.process_time() - start)
        right = {levels: np.mean(np.array(model.predict(texts)) == np.array(truth)) for levels, model in models.items()}
        least = {key: min(of) for key, of in seconds.items()}
        times = [least["flat", task] / least["top-down", task] for task in ("label", "probability")]
        accuracy = f"{100 * right['flat']:.1f} | {100 * right['top-down']:.1f}"
        name = f"{how['model']} {how.get('smoothing', '')}".strip()
        per = [f"{1e6 * least[levels, 'probability'] / len(texts):,.0f}" for levels in ("flat", "top-down")]
        yield f"| {name} | {accuracy} | {per[0]} | {per[1]} | {times[0]:.1f} x | {times[1]:.1f} x |"


def draw(page: str) -> None:
    """The accuracies of a page against the number of texts a label, as hierarchy.svg."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "deciban"
    from matplotlib import pyplot as plt

    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("|") and "(" in line]
    rows = [row for row in rows if "," not in row[0]]  # those of test parts
    sets = list(dict.fromkeys(row[0] for row in rows))
    figure, axes = plt.subplots(1, len(sets), figsize=(3.4 * len(sets), 3), squeeze=False, layout="constrained")
    for axis, name in zip(axes[0], sets, strict=True):
        own = [row for row in rows if row[0] == name]
        for way, column in (("flat", 2), ("shared", 3), ("mixture", 5)):
            axis.plot(range(len(own)), [float(row[column].split()[0]) for row in own], marker="o", label=way)
        axis.set_xticks(range(len(own)), [row[1] for row in own])
        axis.set(title=name, xlabel="texts a label", ylabel="% right")
    axes[0][0].legend()
    figure.savefig(RESULTS / "hierarchy.svg", metadata={"Date": None})


def by_default(quick: bool) -> list[str]:
    """The lines of what is answered by default."""
    lines = [*OF_DEFAULT]
    for name in SETS[:1] if quick else (*SETS, VERY_MANY):
        learnt, test = read(name)
        sizes = FEW[1:2] if quick else (None,) if name == VERY_MANY else (*FEW, None)
        times = {size: OF_DEFAULT_DRAWN[size] if size and not quick else 1 for size in sizes}
        draws = {size: [drawn(learnt[1], size, seed) for seed in range(times[size])] for size in sizes}
        lines += answered(name, learnt, test, draws)
    return lines


def of_counts(quick: bool) -> list[str]:
    """The lines of models of counts."""
    lines = [
        "Test accuracy of leaves in percent (in brackets: F1 with ancestors), mean of "
        f"{DRAWS} draws: of the flat model that leave-one-out on the training texts chooses among three, of the same "
        "with `--levels shared`, and with what `--levels auto` chooses; of McCallum's mixture. The last columns are "
        "how much `shared` and what is chosen are above flat, with the standard error of that over draws (and in the "
        "worst and in the best draw). The test part of "
        "trec has other shares of labels than its training part: it is judged by training texts that were not drawn, "
        "too.",
        "",
        "| set | texts a label | flat | shared | chosen | mixture | shared less flat | chosen less flat |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in SETS[:1] if quick else SETS:
        lines += figures(name, [5] if quick else [*FEW, None])
        if name == "trec" and not quick:
            lines += figures(name, FEW, rest=True)
    return lines


def of_speed(quick: bool) -> list[str]:
    """The lines of very many labels."""
    if quick:
        return []
    learnt, test = read(VERY_MANY)
    return [
        f"WordNet: {len(set(learnt[1])):,} labels, {len(learnt[0]):,} texts; a random sample of "
        f"{TIMED:,} of the test texts. Microseconds of CPU a text with the probability of its label, and how many "
        "times as fast top-down is: with the label alone, and with its probability.",
        "",
        "| model | flat, % right | top-down, % right | flat, us | top-down, us | label | probability |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *speed(learnt, test),
    ]


PARTS = {"By default": by_default, "Models of counts": of_counts, "Very many labels": of_speed}
HEAD = ["# Labels that are paths", "", "Written by `make hierarchy`; do not edit.", ""]


def parts_of(page: str) -> dict[str, list[str]]:
    """The parts of a page by their titles."""
    found = (part.partition("\n") for part in page.split("## ")[1:])
    return {title: body.strip().splitlines() for title, _, body in found}


def main() -> None:
    """Measures, prints the page and writes it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="TREC alone, once, and no page: does it run?")
    parser.add_argument("--draw", action="store_true", help="only draw the page that is there")
    parser.add_argument("--only", choices=[*PARTS], help="measure one part, and leave the rest of the page as it is")
    given = parser.parse_args()
    if given.draw:
        draw((RESULTS / "hierarchy.md").read_text(encoding="utf-8"))
        return
    parts = parts_of((RESULTS / "hierarchy.md").read_text(encoding="utf-8")) if given.only else {}
    parts |= {title: lines(given.quick) for title, lines in PARTS.items() if given.only in (None, title)}
    page = (
        "\n".join([*HEAD, *(line for title in PARTS for line in (f"## {title}", "", *parts[title], ""))]).strip() + "\n"
    )
    print(page)
    if not given.quick:
        (RESULTS / "hierarchy.md").write_text(page, encoding="utf-8")
        draw(page)


if __name__ == "__main__":
    main()
