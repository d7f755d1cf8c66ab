"""The report of a model of any number of labels a text: figures, every label, and texts where it was surest and wrong.

It is like the report of other models: one file, no network, no script, nothing of a text is mark-up, no date.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from ..evaluation import multilabel
from ..evaluation.several import SeveralEvaluation
from ..examples import as_text, texts_of
from ..files import replacing
from ..several import Several
from ..units import decibans
from . import _template

MOST, LONGEST = 30, 300  # texts of each kind, characters of a text


@dataclass(frozen=True)
class Wrong:
    """A label that a text got and has not, or has and did not get; its log-odds against its absence, and the text."""

    label: str
    decibans: float
    true: str
    text: str


def write_several(
    path: str | os.PathLike[str],
    model: Several,
    evaluation: SeveralEvaluation,
    texts: object,
    *,
    command: str | None = None,
) -> None:
    """Writes the report, whole or not at all; `texts` are those of the evaluation, in its order.

    >>> import tempfile, deciban
    >>> from pathlib import Path
    >>> texts, labels = ["wheat and corn", "corn", "oil", "hello"] * 3, [["grain", "wheat"], ["grain"], ["oil"], []] * 3
    >>> news = deciban.train(texts, labels, several="|", model="multinomial")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_several(f"{folder}/r.html", news, news.leave_one_out(), texts)
    ...     "12 texts, 3 labels, leave-one-out" in Path(folder, "r.html").read_text(encoding="utf-8")
    True
    """
    shown = [as_text(text) for text in texts_of(texts)]
    page = _template("several.html.j2").render(
        found=evaluation.as_dict(),
        averages=tuple(multilabel.AXES),
        cardinality=evaluation.cardinality,
        unknown=evaluation.unknown,
        labels=sorted(evaluation.by_label, key=lambda of: (-of.texts, of.label)),
        thresholds={label: decibans(nats) for label, nats in model.thresholds.items()},
        kinds=(
            ("Given, and wrong", wrong(evaluation, shown, given=True)),
            ("True, and not given", wrong(evaluation, shown, given=False)),
        ),
        settings=model.settings.told,
        manner=model.manner,
        command=command,
    )
    with replacing(path) as file:
        file.write(page.encode("utf-8", "replace"))


def wrong(evaluation: SeveralEvaluation, texts: list[str], *, given: bool) -> list[Wrong]:
    """The pairs of text and label that are wrong by most decibans of log-odds, the worst first."""
    is_wrong = (evaluation.said & ~evaluation.truth) if given else (evaluation.truth & ~evaluation.said)
    pairs = np.argwhere(is_wrong)
    scores = evaluation.scores[is_wrong]
    order = np.argsort(-scores if given else scores, kind="stable")[:MOST]
    return [
        Wrong(
            evaluation.labels[label],
            decibans(float(scores[at])),
            ", ".join(np.array(evaluation.labels)[evaluation.truth[row]].tolist()) or "none",
            texts[row][:LONGEST],
        )
        for at, (row, label) in zip(order.tolist(), pairs[order].tolist(), strict=True)
    ]
