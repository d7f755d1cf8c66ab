"""`deciban train`: a file of labelled texts -> a model file."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from . import options, screen

EPILOG = "Example: deciban train mail.csv --words 1-2 --where split=train -o mail.deciban"


def train(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Labelled examples; - reads standard input.", show_default=False)
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ] = "model.deciban",
    text: options.Text = "text",
    label: options.Label = "label",
    where: options.Where = None,
    format: options.Format = None,
    encoding: options.Encoding = "utf-8",
    delimiter: options.Delimiter = None,
    model: Annotated[str, typer.Option(help="The model.")] = "multinomial",
    words: Annotated[
        str, typer.Option(metavar="LENGTHS", help="Runs of words that are terms: 1, 1-2, ... or none.")
    ] = "1",
    chars: Annotated[
        str, typer.Option(metavar="LENGTHS", help="Runs of characters inside words: 3-5, ... or none.")
    ] = "none",
    tokens: Annotated[str, typer.Option(help="How texts are cut: word, unicode or whitespace.")] = "word",
    binary: Annotated[bool, typer.Option("--binary", help="Count a term once a text.")] = False,
    smoothing: Annotated[str, typer.Option(help="How unseen terms get a probability.")] = "laplace",
    alpha: Annotated[float, typer.Option(help="The strength of smoothing.")] = 1.0,
    prior_smoothing: Annotated[float, typer.Option(help="What is added to each label's number of examples.")] = 0.0,
    calibration: Annotated[str, typer.Option(help="How scores become probabilities.")] = "none",
    threads: options.Threads = None,
    json: options.Json = False,
) -> None:
    """Train a model on labelled texts.

    Reads CSV, TSV or JSON lines, gzip-compressed or not, in one pass; memory grows with the terms, not with the file.
    """
    from ..classifier import train_on
    from ..examples import Source
    from ..settings import Settings

    settings = Settings(
        model=model,
        words=options.lengths("--words", words),
        chars=options.lengths("--chars", chars),
        tokens=tokens,
        binary=binary,
        smoothing=smoothing,
        alpha=alpha,
        prior_smoothing=prior_smoothing,
        calibration=calibration,
        threads=threads,
    )
    source = Source(file, text, label, options.conditions(where), (), format, encoding, delimiter)
    start = time.perf_counter()
    with screen.progress(f"reading {file}", source.size) as progress:
        trained = train_on(source, settings, progress)
    trained.save(output)
    seconds = time.perf_counter() - start
    facts: dict[str, Any] = {
        "model": output,
        "examples": int(trained.counts.documents.sum()),
        "labels": len(trained.labels),
        "terms": len(trained.counts.lexicon),
        "seconds": round(seconds, 3),
    }
    if json:
        screen.write_json(facts)
    else:
        sizes = "{examples:,} examples of {labels:,} labels, {terms:,} terms".format(**facts)
        print(f"trained on {sizes}, in {seconds:.2f} s")
        print(f"saved as {output}; how good is it? deciban evaluate {output} {file} --loo")
