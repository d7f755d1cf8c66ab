"""`deciban info`: what is in a model file."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import one_line
from . import options, screen, several

if TYPE_CHECKING:
    from ..classifier import Classifier

if TYPE_CHECKING:
    from ..classifier import Classifier

SUMMARY = "show what a model file holds"
EXAMPLE = "deciban info mail.deciban --json"


def add_arguments(parser: ArgumentParser) -> None:
    """The model."""
    options.add_model(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Shows labels, sizes, settings, and where the model came from."""
    from ..loading import load
    from ..several import Several

    model = load(given.model)
    if isinstance(model, Several):
        several.info(given, model)
    else:
        _info(given, model)


def _info(given: Namespace, classifier: Classifier) -> None:
    from ..modelfile import told

    has_none = classifier.frozen or classifier.settings.has_amounts
    unit = max((part.get("unit", 1) for part in classifier.provenance), default=1)  # what one text of a feed counts
    documents = {label: round(n / unit) for label, n in classifier.documents.items()}
    facts = {
        "file": given.model,
        "bytes": os.path.getsize(given.model),
        "frozen": classifier.frozen,
        "examples": sum(documents.values()),
        "terms": len(classifier.lexicon),
        "occurrences": None if has_none else round(int(classifier.counts.occurrences.sum()) / unit),
        "labels": documents,
        "settings": classifier.settings.told,
        "provenance": list(classifier.provenance),
        "threshold": None if classifier.threshold is None else classifier.threshold.as_dict(),
        "calibration": None if classifier.calibration is None else classifier.calibration.about,
    }
    if given.json:
        screen.write_json(facts)
        return
    counted = "" if has_none else "{occurrences:,} occurrences, ".format(**facts)
    counted = "frozen: no counts, " if classifier.frozen else counted
    print("{file}: {examples:,} examples, {terms:,} terms, {counted}{bytes:,} bytes".format(**facts, counted=counted))
    for label, n in documents.items():
        print(f"  {n:>9,}  {label}")
    print("settings: " + ", ".join(f"{name}={value}" for name, value in classifier.settings.told.items()))
    for part in classifier.provenance:
        if "choice" in part:
            print(f"chosen: {part['choice']['why']}")
        if "auto" in part:
            print(one_line(f"chosen by auto: {'models ' if part.get('fit') else ''}{part['auto']}"))
        if part.get("fit"):
            print("fitted; right of texts that were held out:")
            what = "C" if classifier.settings.shrinkage is None else "shrinkage"
            for line in _fitted(what, **part["fit"]):
                print(line)
    for sentence in _honest(classifier):
        print(one_line(sentence))
    print(f"trained on: {told(classifier.provenance)}")
    if any(part.get("continued") for part in classifier.provenance):
        print("continued: fitted to new examples near the weights it had; not the model of all together")


def _honest(classifier: Classifier) -> Iterator[str]:
    """What was learnt of it from held-out texts."""
    if classifier.calibration is not None:
        yield f"calibrated: {classifier.calibration.told}"
    if classifier.threshold is not None:
        yield from classifier.threshold.sentences


def _fitted(
    what: str,
    held_out: dict[str, float],
    weights: dict[str, float] | None = None,
    passed_over: dict[str, float] | None = None,
) -> Iterator[str]:
    """How each C did, or whatever was tried, or each member of a committee, and how much it counts; who had no time."""
    for name, right in held_out.items():
        weight = f" (weight {weights[name]:.3g})" if weights and name in weights else ""
        yield f"  {right:>8.1%}  {one_line(f'{what} = {name}' if weights is None else name + weight)}"
    for name, seconds in (passed_over or {}).items():
        yield f"  {'no time':>8}  {one_line(name)} (about {seconds:.0f} s)"
