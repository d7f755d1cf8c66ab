"""`deciban predict`: a file of texts -> their labels.

Writes one row for each row read, in order and as they arrive: the label, and its probability; or those of the most
probable labels, or of all. With --coverage 0.9, the set of labels that holds the true one in nine of ten texts: the
less sure, the larger; an empty one says that no label is as probable as true ones mostly are. A model of several labels
a text (train --several) writes those that the text has, joined as they were read, and the probability of each.

With costs or other priors, the label is the one that is expected to cost least. Where that is "unsure" (--reject-cost,
--min-probability), the label is empty (null in JSON), and the column `leaning` has the label that it would be. A model
with a threshold (deciban set-threshold) decides by that, but for --top, --coverage, --priors, costs and other priors.
Where labels are paths (train --hierarchy), --min-probability stops at the deepest node that is so probable.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import exp
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from ..files import csv_writer
from . import UsageError, options, rules, screen, several

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..decision.priors import Mix
    from ..decision.rules import Rule
    from ..examples import Batch, Source
    from ..modelfile import Saved

# The most probable labels with their probabilities, the probabilities of all labels, and more values by name.
Answer: TypeAlias = "tuple[list[tuple[str | None, float]], list[float], dict[str, Any]]"

SUMMARY = "label texts"
EXAMPLE = "deciban predict mail.deciban new.csv --keep id > answers.csv"
AT_ONCE = 1 << 20  # probabilities of all labels


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the texts, and what to write of them."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="texts; - reads standard input (default: -)")
    add("-o", "--output", metavar="FILE", help="where to write; by default standard output")
    keep = "copy this column to the output (label as given_label); may be repeated"
    add("--keep", action="append", default=[], metavar="COLUMN", help=keep)
    either = parser.add_mutually_exclusive_group()
    top = "write the N most probable labels, with their probabilities"
    either.add_argument("--top", type=options.positive, metavar="N", help=top)
    either.add_argument("--proba", action="store_true", help="write the probability of every label")
    priors = "model, or adapt: reads the file twice, and answers for the mix of labels that it has (default: model)"
    parser.add_argument("--priors", default="model", choices=("model", "adapt"), metavar="NAME", help=priors)
    coverage = "write the set of labels that holds the true one in this share of texts: 0.9, ...; joined by | in CSV"
    either.add_argument("--coverage", type=options.share, metavar="SHARE", help=coverage)
    within = "let --coverage hold for the texts of each label, not only overall"
    parser.add_argument("--within-labels", action="store_true", help=within)
    rules.add_arguments(parser)
    options.add_source(parser, labelled=False)
    options.add_threads(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Labels every text as it arrives. Without NumPy, which takes longer to import than all the rest."""
    from ..modelfile import load

    _check(given)
    source = options.source(given, labelled=False, keep=tuple(given.keep))
    saved = load(given.model)
    if saved.several is not None:
        from ..several import of_saved

        several.predict(given, of_saved(given.model, saved), source)
        return
    mix = _adapted(given, source) if given.priors == "adapt" else None
    impossible = texts = 0
    threads = replace(saved.settings, threads=given.threads).cores
    with screen.stream(given.output) as stream, screen.progress(f"reading {given.file}", source.size) as progress:
        every = saved.labels if given.proba else ()
        top = min(given.top or 0, len(saved.labels))
        other = _other(given, saved, mix)
        more = () if other is None else other.names
        writer = (_JsonLines if given.json else _Csv)(stream, every, _names(source.keep, top, more), top, more)
        for batch in source.batches(progress):
            kept = batch.kept or [[]] * len(batch.texts)
            if other is not None:
                found = other.of(batch)
            elif mix is not None:
                times = [exp(shift) for shift in mix.shift.tolist()]
                found = _times(saved, _of_all(saved, batch, threads), times, top or 1, every=bool(every))
            else:
                found = _of_all(saved, batch, threads) if every else _of_top(saved, batch, threads, top or 1)
            for values, answer in zip(kept, found, strict=True):
                writer.write(values, *answer)
            stream.flush()
            texts += len(batch.texts)
            if saved.settings.smoothing == "none":
                impossible += saved.impossible(batch.texts)
        writer.begin()
    if impossible:
        screen.warn(
            f"{impossible:,} of {texts:,} texts have the probability zero for every label: each has a term that "
            "the label has not shown; their answers mean nothing (deciban explain names the terms)"
        )


def _check(given: Namespace) -> None:
    """Refuses options that say different things."""
    if given.within_labels and given.coverage is None:
        raise UsageError("--within-labels says how --coverage is meant, which is missing; see deciban predict --help")
    if given.coverage is not None and given.priors == "adapt":
        raise UsageError("--coverage is for labels as frequent as in training, not for --priors adapt")
    if rules.is_asked(given) and given.coverage is not None:
        raise UsageError("--coverage answers with sets, to which neither costs nor priors apply")
    if rules.is_asked(given) and given.top is not None:
        raise UsageError("--top lists labels by probability, and costs decide for one: use --proba with them")
    if given.prior and given.priors == "adapt":
        raise UsageError("--priors adapt finds what --prior says: give one of them")


def _adapted(given: Namespace, source: Source) -> Mix | None:
    """How frequent labels are among the texts, told on standard error; None where there is no text."""
    from ..classifier import load
    from ..drift import told

    if given.file == "-":
        raise UsageError("--priors adapt reads the texts twice: give it a file; see deciban predict --help")
    classifier = load(given.model).with_threads(given.threads)
    with screen.progress(f"reading {given.file}", source.size) as progress:
        whole = source.in_memory(progress).batch
    if not whole.texts:
        return None
    mix = classifier.mix(whole.texts, whole.where)
    screen.tell(told(mix, classifier.labels))
    return mix


def _times(saved: Saved, found: Iterator[Answer], times: list[float], top: int, *, every: bool) -> Iterator[Answer]:
    """The same answers, for labels that are so many times as frequent."""
    for answer in found:
        joint = [p * t for p, t in zip(answer[1], times, strict=True)]
        total = sum(joint)
        row = [p / total for p in joint] if total > 0 else answer[1]
        first = sorted(range(len(row)), key=lambda r: -row[r])[:top]
        yield [(saved.labels[r], row[r]) for r in first], row if every else [], {}


def _of_top(saved: Saved, batch: Batch, threads: int, most: int) -> Iterator[Answer]:
    """For each text its most probable labels, with their probabilities."""
    for found in saved.top(batch.texts, batch.where, threads, most):
        yield [(saved.labels[label], probability) for label, probability in found], [], {}


def _of_all(saved: Saved, batch: Batch, threads: int) -> Iterator[Answer]:
    """For each text its label and that one's probability, and those of all labels; of some texts at a time."""
    step = max(AT_ONCE // max(len(saved.labels), 1), 1)
    for start in range(0, len(batch.texts), step):
        where = partial(lambda start, place: batch.where(start + place), start)
        for label, row in saved.answers(batch.texts[start : start + step], where, threads):
            yield [(saved.labels[label], row[label])], row, {}


class _Sets:
    """Sets of labels, which take NumPy."""

    names = ("set",)

    def __init__(self, given: Namespace) -> None:
        from ..classifier import load

        self._model = load(given.model).with_threads(given.threads)
        self._how = given.coverage, given.within_labels

    def of(self, batch: Batch) -> Iterator[Answer]:
        """For each text its label, with that one's probability, and the set of labels."""
        coverage, within = self._how
        for labels, row in self._model._sets(batch.texts, coverage, batch.where, within=within):
            best = int(row.argmax())
            yield [(self._model.labels[best], float(row[best]))], [], {"set": labels}


class _Nodes:
    """The deepest nodes of a hierarchy that are sure enough, which take NumPy."""

    names = ("leaning",)

    def __init__(self, given: Namespace, mix: Mix | None) -> None:
        from ..classifier import load

        self._model = load(given.model).with_threads(given.threads)
        self._least, self._every = given.min_probability, given.proba
        self._decider = self._model._decider(_rule(given, self._model, mix))
        rules.warn(self._model)

    def of(self, batch: Batch) -> Iterator[Answer]:
        """For each text its node, none for the root, and its most probable label."""
        for (node, probability), log_p in self._model._nodes(batch.texts, self._least, batch.where, self._decider):
            row = [exp(p) for p in log_p.tolist()] if self._every else []
            yield [(node or None, probability)], row, {"leaning": self._model.labels[int(log_p.argmax())]}


def _rule(given: Namespace, model: Classifier, mix: Mix | None) -> Rule:
    """The rule that is said, for labels as frequent as they were found to be."""
    rule = rules.of(given, model)
    return rule if mix is None else replace(rule, priors=dict(zip(model.labels, mix.priors.tolist(), strict=True)))


class _Decisions:
    """Decisions by a rule, which take NumPy."""

    def __init__(self, given: Namespace, mix: Mix | None) -> None:
        from ..classifier import load

        self._model = load(given.model).with_threads(given.threads)
        self._rule = _rule(given, self._model, mix)
        self._decider, self._every = self._model._decider(self._rule), given.proba
        if self._rule.threshold is None:
            rules.warn(self._model)

    @property
    def names(self) -> tuple[str, ...]:
        """What is told beside the label and its probability."""
        cost = ("expected_cost",) if self._rule.has_costs else ()
        return (*cost, "leaning") if self._rule.may_be_unsure else cost

    def of(self, batch: Batch) -> Iterator[Answer]:
        """For each text what is decided, and the probabilities of all labels."""
        for found, log_p in self._model._decisions(batch.texts, self._decider, batch.where):
            told = {"expected_cost": found.cost, "leaning": found.leaning}
            row = [exp(p) for p in log_p.tolist()] if self._every else []
            yield [(found.label, found.probability)], row, {name: told[name] for name in self.names}


def _other(given: Namespace, saved: Saved, mix: Mix | None) -> _Decisions | _Nodes | _Sets | None:
    """What answers in place of the most probable label, where something does."""
    if saved.settings.hierarchy is not None and rules.asks_probability_alone(given):
        return _Nodes(given, mix)
    if given.coverage is not None:
        return _Sets(given)
    has_threshold = saved.thresholded is not None and given.top is None and mix is None
    return _Decisions(given, mix) if rules.is_asked(given) or has_threshold else None


def _names(keep: Sequence[str], top: int, more: Sequence[str]) -> list[str]:
    """What kept columns are called: as before, but never as what is answered."""
    answered = {"label", "probability", "probabilities", "top", *_columns(top), *more}
    return [f"given_{column}" if column in answered else column for column in keep]


def _columns(top: int) -> list[str]:
    """What the columns of the most probable label are called, and those of the next ones."""
    return ["label", "probability", *(f"{what}_{n}" for n in range(2, top + 1) for what in ("label", "probability"))]


class _Csv:
    def __init__(self, stream: TextIO, every: tuple[str, ...], keep: list[str], top: int, more: Sequence[str]) -> None:
        self._writer = csv_writer(stream)
        self._header = [*keep, *_columns(top), *more, *(f"p({label})" for label in every)]

    def begin(self) -> None:
        """Writes the names of the columns, once: only when there is an answer, or none is to be had."""
        if self._header:
            self._writer.writerow(self._header)
            self._header = []

    def write(
        self, kept: list[Any], answers: list[tuple[str | None, float]], row: list[float], more: dict[str, Any]
    ) -> None:
        self.begin()
        values = [value if isinstance(value, str) else json.dumps(value) for value in kept]
        for label, probability in answers:
            values += [label or "", f"{probability:.6g}"]
        values += map(_cell, more.values())
        self._writer.writerow([*values, *(f"{p:.6g}" for p in row)])


def _cell(value: object) -> str:
    """A value for CSV: numbers short, labels of a set joined."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else "|".join(value)  # type: ignore[arg-type]


class _JsonLines:
    def __init__(self, stream: TextIO, every: tuple[str, ...], keep: list[str], top: int, _more: Sequence[str]) -> None:
        self._stream, self._every, self._keep, self._top = stream, every, keep, top

    def begin(self) -> None:
        """Each answer names its values itself."""

    def write(
        self, kept: list[Any], answers: list[tuple[str | None, float]], row: list[float], more: dict[str, Any]
    ) -> None:
        named = [{"label": label, "probability": probability} for label, probability in answers]
        answer: dict[str, Any] = {**dict(zip(self._keep, kept, strict=True)), **named[0]}
        if self._top:
            answer["top"] = named
        answer |= more
        if self._every:
            answer["probabilities"] = dict(zip(self._every, row, strict=True))
        self._stream.write(json.dumps(answer, ensure_ascii=False) + "\n")
