"""The report: one HTML file that says how good a model is, what it goes by and where it errs.

A classifier, its evaluation and the texts that it was evaluated on come in; a file goes out that needs no network, no
script and no other file, and in which nothing of a text or a label is mark-up. There is no date in it: the same model
and the same texts give the same bytes. Figures are computed elsewhere (`evaluation`, `evidence`); here they are chosen,
put into words and laid out. Only this room needs Jinja2; its pictures need matplotlib, and are left out without.
"""

from __future__ import annotations

import math
import os
from functools import cache

import jinja2

from ..classifier import Classifier
from ..evaluation import Evaluation
from ..examples import as_text, texts_of
from ..files import replacing
from . import answer, confusion, doubts, facts, findings, labels, mistakes, orders, plots, words
from .wording import brief, percent, visible

SHARES_SHOWN = (0.5, 0.75, 0.9, 1.0)  # of texts that are answered, with the share that is wrong


def write(
    path: str | os.PathLike[str],
    classifier: Classifier,
    evaluation: Evaluation,
    texts: object,
    *,
    protocol: str,
    command: str | None = None,
) -> None:
    """Writes the report, whole or not at all.

    `texts` are those of the evaluation, in its order. `protocol` says how they were held out: "leave-one-out", "test on
    mail.csv" or other words. `command` is the command line that made the report; without it, one like it is given.

    >>> import tempfile, deciban
    >>> from pathlib import Path
    >>> texts, said = ["free money", "money now", "see you", "you see"], ["spam", "spam", "ham", "ham"]
    >>> mail = deciban.train(texts, said)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(f"{folder}/r.html", mail, Evaluation(mail.leave_one_out()), texts, protocol="leave-one-out")
    ...     "100.0%" in Path(folder, "r.html").read_text(encoding="utf-8")
    True
    """
    shown = [as_text(text) for text in texts_of(texts)]
    doubted = doubts.suspects(evaluation, shown)
    page = _template().render(
        answer=answer.answer(evaluation, protocol),
        findings=findings.findings(evaluation, 0 if doubted is None else doubted.all),
        labels=labels.figures(evaluation, classifier),
        confusion=confusion.picture(evaluation),
        words=words.strongest(classifier.weights, evaluation) if _has_weights(classifier) else words.NONE,
        mistakes=mistakes.most_confident(
            classifier, evaluation, shown, left_out=protocol.startswith(answer.LEAVE_ONE_OUT)
        ),
        orders=orders.orders(evaluation),
        plots=plots.plots(evaluation, orders.worst_label(evaluation)),
        probabilities=evaluation.probabilities,
        errors=[point for point in evaluation.errors if point[0] in SHARES_SHOWN],
        sets=evaluation.sets,
        blind=blind(evaluation),
        curve=evaluation.curve,
        doubts=doubts.doubts(evaluation, shown),
        suspects=doubted,
        facts=facts.facts(classifier, shown, protocol, os.path.basename(os.fspath(path)), command),
    )
    with replacing(path) as file:
        file.write(page.encode("utf-8", "replace"))


def _has_weights(classifier: Classifier) -> bool:
    """Whether each of its terms has a weight for each label, in counts that are at hand."""
    settings = classifier.settings
    return not (classifier.frozen or settings.has_trees or settings.way == "top-down")


def blind(evaluation: Evaluation) -> float:
    """The log loss of whoever knows how frequent labels are, and nothing else."""
    shares = [of.support / evaluation.examples for of in evaluation.by_label if of.support]
    return -sum(share * math.log(share) for share in shares)


@cache
def _template(name: str = "page.html.j2") -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__name__, "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "brief": brief}
    return environment.get_template(name)
