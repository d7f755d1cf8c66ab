"""Measuring decisions on real data sets: what was promised, and what came of it on texts that were kept apart.

All choices are made by the training part alone: probabilities are calibrated, thresholds and reading depths chosen by
training texts that were left out. The test part, or each of five folds where the authors have none, only judges.

- **Costs**: a ham that is taken for spam costs 10 or 100 times a spam that is let through. The mean cost of a text by
  the most probable label, and by the rule that expects least cost; then with asking a person for a fixed cost.
- **Unsure**: the share of wrong answers, if only the most certain 50, 80, 90 % of the texts are answered.
- **False positives**: a threshold for a rate, chosen with 95 % confidence; the rate that was found, and the recall. A
  part is above the promise by more than chance if so many would be found in one of twenty parts at the promised rate.
- **Reading depth**: every label of a set in turn is looked for in the test part. How many texts are to be read for a
  recall of 80 or 95 %, and the recall that was found. A promise is given with 95 % confidence: of a hundred, about five
  may fail.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import deciban
from deciban.decision.tails import DOUBT, at_most
from deciban.evaluation.decisions import SHARES, decisions

from . import machine, sets
from .calibration import SHIFTED

FOLDS = 5
RESULTS = Path(__file__).parent / "results"
MODELS = ("multinomial", "nblogistic")
SPAM = ("sms-spam", "spamassassin")
SETS = (*SPAM, "20ng", "agnews-test", "cr", "r8", "rt-2k", "trec", "subj", "tweets-8lang")
COSTS = (10.0, 100.0)
ASKING = 0.05
ASKED = (f"asking for {ASKING:g}", "answered then")
RATES = (0.05, 0.01, 0.001)
RECALLS = (0.8, 0.95)
SHOWN = (0.5, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Part:
    """A model that has learnt from a training part, and the texts that judge it."""

    model: deciban.Classifier
    texts: list[str]
    labels: list[str]


def main() -> None:
    """Measures, prints and writes the page."""
    given = _arguments()
    facts = {name: value for name, value in machine.facts().items() if name in ("date", "processor", "numpy")}
    lines = [f"# Decisions\n\n{__doc__.partition(chr(10))[2].strip()}\n"]
    tables = {name: [] for name in ("costs", "unsure", "rates", "depths")}
    for name in given.sets:
        for model in given.models if name in SPAM else given.models[:1]:
            parts = list(_parts(sets.read(name), model))
            if name in SPAM:
                tables["costs"] += _costs(name, model, parts)
                tables["rates"] += _rates(name, model, parts)
            tables["unsure"].append(_unsure(name, model, parts))
            tables["depths"] += _depths(name, model, parts)
            print(name, model, "done", flush=True)
    page = "\n".join([*lines, *_pages(tables), "; ".join(f"{name}: {value}" for name, value in facts.items())]) + "\n"
    print(page)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "decisions.md").write_text(page)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.decisions", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS, help="which sets")
    parser.add_argument("--models", nargs="*", default=MODELS, help="which models")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser.parse_args()


def _parts(read: sets.Set, model: str) -> Iterator[Part]:
    for train, test in read.parts(FOLDS):
        trained = deciban.train(*read.at(train), model=model)
        yield Part(trained, *read.at(test))


def _costs(name: str, model: str, parts: list[Part]) -> Iterator[list[str]]:
    """The mean cost by the most probable label, by the rule, and with asking; ham that is lost, spam that is let in."""
    for cost in COSTS:
        costs = {("ham", "spam"): cost}
        rules = (deciban.Rule(costs), deciban.Rule(costs, reject_cost=ASKING))
        plain, asked = (
            [decisions(part.model.evaluate(part.texts, part.labels).held, part.model._decider(rule)) for part in parts]
            for rule in rules
        )
        sizes = np.array([of.examples for of in plain])
        mean = lambda values: float(np.average(values, weights=sizes))  # noqa: E731, B023
        before, with_rule = mean([of.cost_of_most_probable for of in plain]), mean([of.cost for of in plain])
        ask, share = mean([of.cost for of in asked]), mean([of.share for of in asked])
        yield [name, model, f"{cost:g}", f"{before:.4f}", f"{with_rule:.4f}", f"{ask:.4f}", f"{share:.1%}"]


def _rates(name: str, model: str, parts: list[Part]) -> Iterator[list[str]]:
    for rate in RATES:
        wrong = others = found = spam = above = 0
        promised = []
        for part in parts:
            threshold = part.model.set_threshold("spam", rate).threshold
            said = part.model.predict(part.texts)
            part.model.set_threshold(None)
            pairs = list(zip(part.labels, said, strict=True))
            mistakes, negatives = sum(pair == ("ham", "spam") for pair in pairs), part.labels.count("ham")
            wrong, others = wrong + mistakes, others + negatives
            found, spam = found + sum(pair == ("spam", "spam") for pair in pairs), spam + part.labels.count("spam")
            above += at_most(mistakes - 1, negatives, threshold.promised) > 1 - DOUBT
            promised.append(threshold.promised)
        cells = [f"{np.mean(promised):.3%}", f"{wrong} of {others:,}", f"{wrong / others:.3%}"]
        yield [name, model, f"{rate:.1%}", *cells, f"{above} of {len(parts)}", f"{found / spam:.1%}"]


def _unsure(name: str, model: str, parts: list[Part]) -> list[str]:
    rule = deciban.Rule()
    found = [decisions(part.model.evaluate(part.texts, part.labels).held, part.model._decider(rule)) for part in parts]
    sizes = [of.examples for of in found]
    wrong = np.average([of.errors for of in found], axis=0, weights=sizes)
    at = dict(zip(SHARES, wrong, strict=True))
    return [name, model, *(f"{at[share]:.1%}" for share in SHOWN)]


def _depths(name: str, model: str, parts: list[Part]) -> Iterator[list[str]]:
    """Of all labels and parts, how often the recall was reached, by held-out texts and by probabilities."""
    for recall in RECALLS:
        promised, alone, read, recalls, unpromised = [], [], [], [], 0
        for part in parts:
            log_odds = {label: part.model.log_odds(part.texts, label) for label in part.model.labels}
            for label, odds in log_odds.items():
                truth = np.array(part.labels) == label
                if not truth.any():
                    continue
                found = part.model.depth(part.texts, label, recall)
                order = truth[np.argsort(-odds, kind="stable")]
                by = lambda depth: float(order[:depth].sum() / order.sum())  # noqa: E731, B023
                alone.append(by(found.by_probabilities) >= recall)
                if found.is_promised:
                    promised.append(by(found.depth) >= recall)
                    recalls.append(by(found.depth))
                    read.append(found.depth / found.texts)
                else:
                    unpromised += 1
        share = f"{sum(promised)} of {len(promised)}"
        cells = [f"{np.mean(recalls):.1%}", f"{np.mean(read):.1%}"] if promised else ["-", "-"]
        yield [name, model, f"{recall:.0%}", share, *cells, f"{unpromised}", f"{sum(alone)} of {len(alone)}"]


def _pages(tables: dict[str, list[list[str]]]) -> Iterator[str]:
    heads = {
        "costs": ["set", "model", "ham taken for spam costs", "by the most probable", "by the rule", *ASKED],
        "unsure": ["set", "model", *(f"wrong of the most certain {share:.0%}" for share in SHOWN)],
        "rates": [
            "set",
            "model",
            "asked for",
            "promised (mean)",
            "ham taken for spam",
            "rate found",
            "parts above the promise by more than chance",
            "recall",
        ],
        "depths": [
            *("set", "model", "recall asked for", "promises kept", "recall found", "texts read"),
            *("too few held out to promise", "kept by probabilities alone"),
        ],
    }
    titles = {"costs": "Costs", "unsure": "Unsure", "rates": "False positives", "depths": "Reading depth"}
    for name, head in heads.items():
        rows = [head, ["---", "---", *["---:"] * (len(head) - 2)], *tables[name]]
        yield f"## {titles[name]}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"
        if name == "depths":
            yield _verdict(tables[name])


def _verdict(rows: list[list[str]]) -> str:
    alike = [row for row in rows if row[0] not in SHIFTED]
    kept, given, kept_of_alike, alike_given = (
        sum(int(row[3].split(" of ")[i]) for row in some) for some in (rows, alike) for i in (0, 1)
    )
    why = "; ".join(f"{name}: {why}" for name, why in SHIFTED.items() if name in {row[0] for row in rows})
    return (
        f"Of {given} promises {kept} were kept ({kept / max(given, 1):.1%}); 95 % should be. "
        f"On sets whose test part is of the same kind as the training part, {kept_of_alike} of {alike_given} "
        f"({kept_of_alike / max(alike_given, 1):.1%}). Of another kind: {why or 'none'}.\n"
    )


if __name__ == "__main__":
    main()
