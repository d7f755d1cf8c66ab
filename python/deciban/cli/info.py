"""`deciban info`: what is in a model file."""

from __future__ import annotations

import os

from . import options, screen

EPILOG = "Example: deciban info mail.deciban --json"


def info(model: options.Model, json: options.Json = False) -> None:
    """Show what a model file holds."""
    from ..classifier import load

    classifier = load(model)
    documents = dict(zip(classifier.labels, classifier.counts.documents.tolist(), strict=True))
    facts = {
        "file": model,
        "bytes": os.path.getsize(model),
        "examples": sum(documents.values()),
        "terms": len(classifier.counts.lexicon),
        "occurrences": int(classifier.counts.occurrences.sum()),
        "labels": documents,
        "settings": classifier.settings.as_dict(),
        "provenance": list(classifier.provenance),
    }
    if json:
        screen.write_json(facts)
        return
    sizes = "{examples:,} examples, {terms:,} terms, {occurrences:,} occurrences, {bytes:,} bytes".format(**facts)
    print(f"{model}: {sizes}")
    for label, n in documents.items():
        print(f"  {n:>9,}  {label}")
    print("settings: " + ", ".join(f"{name}={value}" for name, value in classifier.settings.as_dict().items()))
    print("trained on: " + ", ".join(f"{part['source']} ({part['examples']:+,})" for part in classifier.provenance))
