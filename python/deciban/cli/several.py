"""What commands do where texts have any number of labels: `train --several`, and whatever is asked of such a model."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from ..errors import NotForSeveral
from ..files import csv_writer
from . import judged, options, screen

if TYPE_CHECKING:
    from ..evaluation.several import SeveralEvaluation
    from ..examples import Source
    from ..settings import Settings
    from ..several import Given, Manner, Several


def add_arguments(parser: ArgumentParser) -> None:
    """How several labels are read, and how it is decided which of them a text has."""
    add = parser.add_argument
    separator = "a text may have any number of labels, with this between them (JSON: or a list); such as '|'"
    add("--several", metavar="SEPARATOR", help=separator)
    thresholds = (
        "with --several: labels are given so that micro-F1 is great, or macro, both, or even odds (default: both)"
    )
    add("--thresholds", metavar="NAME", help=thresholds)


def refuse(given: Namespace, *names: str, expected: str) -> None:
    """Refuses options that such models have no use for yet."""
    for name in names:
        if getattr(given, name) not in (None, False, [], "model"):
            raise NotForSeveral(what=f"--{name.replace('_', '-')}", expected=expected)


def train(given: Namespace) -> None:
    """Trains such a model, saves it, and says what was learnt."""
    from ..files import check_writable
    from ..several import manner_of, read_whole, settings_of, trained
    from ..spelling import with_words

    refuse(given, "unlabelled", "weight", expected="texts of one weight, all with their labels")
    refuse(given, "curve", expected="--evaluate or --report, without a learning curve")
    judged.check(given)
    manner, settings = manner_of(given.several, given.thresholds or "both"), settings_of(options.settings(given))
    check_writable(given.output, given.file)
    if given.report is not None:
        check_writable(given.report, given.file, given.output)
    kind, _, column = (given.evaluate or "auto").partition(":")
    given.time = column if kind == "time" else None
    start, source = time.perf_counter(), options.source(given, labelled=True, keep=options.sides(given))
    with screen.progress(f"reading {given.file}", source.size) as progress:
        read, kept = read_whole(source, manner.separator, progress)
    with screen.steps() as steps:
        settings = with_words(settings, [read.texts])
        model = trained(read, settings, manner, source.name, steps=steps)
    took = time.perf_counter() - start
    found = None
    if judged.is_asked(given):
        protocol = "time" if kind == "time" else given.evaluate or "auto"
        found = _in_parts(given, read, kept, (settings, manner, protocol))
    model.save(given.output, frozen=given.frozen)
    _report(given, model, read, found)
    promise = {name: of for name, of in model.provenance[-1].items() if name == "promised"}
    facts = {"model": given.output, **_sizes(model), "seconds": round(took, 3), **promise}
    if given.json:
        screen.write_json(facts if found is None else {**facts, "evaluation": found.as_dict()})
        return
    sizes = "{examples:,} texts of {labels:,} labels, {cardinality:.2f} a text, {terms:,} terms, in {seconds:.2f} s"
    print(f"trained on {sizes.format(**facts)}")
    if "promised" in facts:
        print(_promise(facts["promised"]))
    how = f"; how good is it? deciban evaluate {given.output} FILE" if found is None else ""
    print(f"saved as {given.output}{'; frozen: it predicts and explains' if given.frozen else how}")
    if found is not None:
        _show(given, found)


def _in_parts(
    given: Namespace, read: Given, kept: list[list[Any]], of: tuple[Settings, Manner, str], seed: int = 0
) -> SeveralEvaluation:
    """Models like the one that is asked for, each by texts that it has not learnt from."""
    from ..protocols import evaluate_several

    settings, manner, protocol = of
    with screen.steps() as steps:
        sides: dict[str, Any] = options.columns(given, kept)
        return evaluate_several(read, settings, manner, protocol, seed=seed, progress=steps, **sides)


def _report(given: Namespace, model: Several, read: Given, found: SeveralEvaluation | None) -> None:
    """Writes the report, if one is asked for."""
    if given.report is None or found is None:
        return
    from ..report.several import write_several

    texts = read.texts if found.places is None else [read.texts[i] for i in found.places]
    write_several(given.report, model, found, texts, command=shlex.join(["deciban", *sys.argv[1:]]))


def _show(given: Namespace, found: SeveralEvaluation) -> None:
    print(found)
    if given.report is not None:
        print(f"report: {given.report}")


def _sizes(model: Several) -> dict[str, Any]:
    sizes = {"examples": model.texts, "labels": len(model.labels), "terms": len(model.lexicon)}
    return {**sizes, "cardinality": model.cardinality}


def _promise(of: dict[str, float]) -> str:
    """What to expect of a model, in a sentence."""
    figures = "micro-F1 {micro_f1:.4f}, macro-F1 {macro_f1:.4f}, {cardinality:.2f} labels a text".format(**of)
    return f"of texts that were held out: {figures}"


def predict(given: Namespace, model: Several, source: Source) -> None:
    """Writes the labels of each text, with their probabilities: joined in CSV, as a list in JSON."""
    passed_over = ("coverage", "priors", "cost", "costs", "prior", "reject_cost", "min_probability")
    refuse(given, *passed_over, expected="--top or --proba, or thresholds alone")
    model = model.with_threads(given.threads)
    every = model.labels if given.proba else ()
    with screen.stream(given.output) as stream, screen.progress(f"reading {given.file}", source.size) as progress:
        names = [f"given_{name}" if name in ("labels", "probabilities") else name for name in source.keep]
        writer = csv_writer(stream)
        if not given.json:
            writer.writerow([*names, "labels", "probabilities", *(f"p({label})" for label in every)])
        for batch in source.batches(progress):
            scores = model.scores(batch.texts, batch.where)
            kept = batch.kept or [[]] * len(batch.texts)
            for values, labels, row in zip(kept, model._decided(scores, given.top), _proba(scores), strict=True):
                p = dict(zip(model.labels, row, strict=True))
                if given.json:
                    answer = {**dict(zip(names, values, strict=True)), "labels": list(labels)}
                    answer["probabilities"] = p if every else {label: p[label] for label in labels}
                    stream.write(json.dumps(answer, ensure_ascii=False) + "\n")
                    continue
                told = [value if isinstance(value, str) else json.dumps(value) for value in values]
                sure = " ".join(f"{p[label]:.6g}" for label in labels)
                joined = model.manner.separator.join(labels)
                writer.writerow([*told, joined, sure, *(f"{p[label]:.6g}" for label in every)])
            stream.flush()


def _proba(scores: Any) -> list[list[float]]:
    import numpy as np

    found: list[list[float]] = (1 / (1 + np.exp(-np.clip(scores, -700, 700)))).tolist()
    return found


def evaluate(given: Namespace, model: Several) -> None:
    """Tells how good it is, on texts that it has not seen, or by leave-one-out on its own."""
    from ..files import check_writable
    from ..several import read_whole

    names = ("weight", "trained_on", "curve", "against", "paths", "coverage", "within_labels")
    decided = ("cost", "costs", "prior", "reject_cost", "min_probability")
    refuse(given, *names, *decided, expected="FILE alone, or with --loo, --folds, --group, --time or --report")
    if given.report is not None:
        check_writable(given.report, given.file, given.model)
    source = options.source(given, labelled=True, keep=options.sides(given))
    with screen.progress(f"reading {given.file}", source.size) as progress:
        read, kept = read_whole(source, model.manner.separator, progress)
    model = model.with_threads(given.threads)
    if given.folds is not None or options.sides(given):
        protocol = f"folds:{given.folds or 5}"
        found = _in_parts(given, read, kept, (model.asked, model.manner, protocol), given.seed)
    else:
        found = (model.leave_one_out if given.loo else model.evaluate)(*read)
    _report(given, model, read, found)
    if given.json:
        screen.write_json(found.as_dict())
    else:
        _show(given, found)


def info(given: Namespace, model: Several) -> None:
    """Shows labels, with what it takes to be given them, sizes, settings, and where the model came from."""
    from ..modelfile import told
    from ..units import decibans

    facts: dict[str, Any] = {
        "file": given.model,
        "bytes": os.path.getsize(given.model),
        "frozen": model.frozen,
        **_sizes(model),
        "labels": model.documents,
        "thresholds": {label: decibans(nats) for label, nats in model.thresholds.items()},
        "several": model.manner._asdict(),
        "settings": model.settings.told,
        "provenance": list(model.provenance),
    }
    if given.json:
        screen.write_json(facts)
        return
    line = "{file}: {examples:,} texts, {cardinality:.2f} labels a text, {terms:,} terms, {bytes:,} bytes"
    print(line.format(**facts) + (", frozen: no counts" if model.frozen else ""))
    for label, n in model.documents.items():
        print(f"  {n:>9,}  {label} (given from {facts['thresholds'][label]:+.1f} decibans on)")
    print(f"several labels a text, with {model.manner.separator!r} between; thresholds for {model.manner.thresholds}")
    print("settings: " + ", ".join(f"{name}={value}" for name, value in model.settings.told.items()))
    for part in model.provenance:
        for name, f1 in part.get("fit", {}).get("held_out", {}).items():
            print(f"fitted, {name}: micro-F1 {f1:.4f} of texts that were held out, with one threshold")
        if "promised" in part:
            print(_promise(part["promised"]))
    print(f"trained on: {told(model.provenance)}")
