"""What a user holds: texts and labels in, labels and reasons out. It wires, and computes nothing."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import modelfile
from ._core import BadText as BadTextInCore
from ._core import Column
from .counts import Counts, Tally, count
from .decision import log_posterior
from .errors import (
    BadText,
    DifferentSettings,
    NoExamples,
    NothingLearnt,
    NoTrainingTexts,
    NotUtf8,
    OneLabel,
    OtherTrainingTexts,
    TooFewToLeaveOut,
    described,
)
from .evaluation import Evaluation
from .evidence import Evidence, explain
from .examples import Batch, Source, as_text, labels_of, texts_of
from .holdout import HeldOut
from .rows import rows
from .scorecard import Scorecard
from .settings import Settings
from .terms import refuse
from .weighing import leave_one_out, resolved, weigh

if TYPE_CHECKING:
    from ._core import Texts

Floats = npt.NDArray[np.float64]
Examples: TypeAlias = "tuple[Texts, list[str]]"
IN_MEMORY = "texts[{}]".format  # where a text stands that came in no file
ENOUGH = 1 << 23  # characters to count at once


class Classifier:
    """A trained model. Make one with `deciban.train` or `deciban.load`.

    Everything it knows are its `counts` and its `settings`; learning adds to the counts, forgetting subtracts.

    >>> import deciban
    >>> mail = deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
    >>> mail.labels, mail.predict(["money!", "see me?"])
    (('ham', 'spam'), ['spam', 'ham'])
    >>> mail.learn(["lunch?"], ["work"]).labels
    ('ham', 'spam', 'work')
    >>> mail.forget(["lunch?"], ["work"]).labels
    ('ham', 'spam')
    """

    def __init__(
        self,
        settings: Settings,
        counts: Counts,
        provenance: Sequence[dict[str, Any]] = (),
        examples: Examples | None = None,
        scorecard: Scorecard | None = None,
    ) -> None:
        self.settings = settings
        self.provenance = tuple(provenance)
        self._become(counts, examples, scorecard)

    def _become(self, counts: Counts, examples: Examples | None, scorecard: Scorecard | None = None) -> Classifier:
        self.counts = counts
        self._examples = examples
        self._scorecard = scorecard
        return self

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, sorted: the columns of `predict_proba`."""
        return self.counts.labels

    @property
    def scorecard(self) -> Scorecard:
        """The weights of all terms, weighed from the counts when they are first asked for."""
        if self._scorecard is None:
            if not self.labels:
                raise NothingLearnt
            self._scorecard = weigh(self.counts, self.settings)
        return self._scorecard

    def scores(self, texts: object, where: Callable[[int], str] = IN_MEMORY) -> Floats:
        """The score of each label (column) for each text (row), in nats."""
        texts = texts_of(texts)
        try:
            return self.scorecard.scores(texts, self.settings.cores)
        except BadTextInCore as error:
            refuse(error, texts, where)

    def predict(self, texts: object) -> list[str]:
        """The most probable label of each text."""
        texts = texts_of(texts)
        try:
            return self.scorecard.best(texts, self.settings.cores)
        except BadTextInCore as error:
            refuse(error, texts, IN_MEMORY)

    def predict_proba(self, texts: object) -> Floats:
        """The probability of each label (columns, as in `labels`) for each text (rows)."""
        return np.exp(self.predict_log_proba(texts))

    def predict_log_proba(self, texts: object) -> Floats:
        """The logarithms of `predict_proba`, exact where those are too small to tell from zero."""
        return log_posterior(self.scores(texts))

    def explain(self, text: str | bytes, label: str | None = None, against: str | None = None) -> Evidence:
        """Why a text gets its label rather than the next one; or why `label` rather than `against`."""
        if not isinstance(text, (str, bytes)):
            raise BadText(where="text", got=described(text))
        try:
            return explain(self.scorecard, self.settings.terms, as_text(text), label, against)
        except UnicodeDecodeError as error:
            raise NotUtf8(where="text", byte=error.object[error.start], before=error.start) from None
        except BadTextInCore as error:
            refuse(error, [text], lambda _: "text")

    def evaluate(self, texts: object, labels: object) -> Evaluation:
        """How well the model does on labelled texts that it has not seen."""
        texts = texts_of(texts)
        labels = labels_of(labels, texts)
        if not texts:
            raise NoExamples(where="texts")
        return Evaluation(HeldOut(self.labels, labels, self.scores(texts)))

    def learn(self, texts: object, labels: object) -> Classifier:
        """Learns more examples, new labels among them or not: exactly as if trained on all. Returns itself."""
        new, examples = self._counted(texts, labels)
        both, kept = self.counts + new, self._examples
        self._note("memory", len(examples[0]))
        return self._become(both, None if kept is None else _both(kept, examples))

    def forget(self, texts: object, labels: object) -> Classifier:
        """Forgets examples that were learnt: exactly as if they had never been. Returns itself."""
        old, examples = self._counted(texts, labels)
        left = self.counts - old
        self._note("memory", -len(examples[0]))
        return self._become(left, None if self._examples is None else _without(self._examples, examples))

    def __add__(self, other: Classifier) -> Classifier:
        """One model that knows what both know."""
        ours, theirs = self.settings.as_dict(), other.settings.as_dict()
        for setting, value in ours.items():
            if theirs[setting] != value:
                raise DifferentSettings(setting=setting, ours=value, theirs=theirs[setting])
        a, b = self._examples, other._examples
        examples = None if a is None or b is None else _both(a, b)
        provenance = (*self.provenance, *other.provenance)
        return Classifier(self.settings, self.counts + other.counts, provenance, examples)

    def leave_one_out(self, texts: object = None, labels: object = None) -> HeldOut:
        """The scores of each training example by a model that was trained without it, from the counts alone.

        A model that was loaded has no texts: pass it those that it was trained on.
        """
        given = self._examples if texts is None else self._checked(texts, labels)
        if given is None:
            raise NoTrainingTexts
        return self._left_out(given)

    def _left_out(self, given: Examples) -> HeldOut:
        if len(given[0]) < 2:
            raise TooFewToLeaveOut(got=len(given[0]))
        number = {label: i for i, label in enumerate(self.labels)}
        y = np.array([number[label] for label in given[1]], np.int64)
        found = rows(self.counts.lexicon, given[0], self.settings.cores)
        return HeldOut(self.labels, given[1], leave_one_out(self.counts, found, y, self.settings))

    def held_out(
        self, source: Source, *, loo: bool = False, progress: Callable[[int], None] | None = None
    ) -> tuple[list[str], HeldOut]:
        """The texts of a file and their held-out scores; `loo` where they are those that it was trained on."""
        texts, labels, lines, scores = [], [], [], []
        for batch in source.batches(progress):
            texts += batch.texts
            labels += batch.labels
            lines += batch.lines
            if not loo:
                scores.append(self.scores(batch.texts, batch.where))
        if not texts:
            raise NoExamples(where=source.name)
        if loo:
            return texts, self._left_out(self._checked(texts, labels, lambda i: f"{source.name}:{lines[i]}"))
        return texts, HeldOut(self.labels, labels, np.vstack(scores))

    def with_threads(self, threads: int | None) -> Classifier:
        """The same model, at work on so many threads."""
        settings = replace(self.settings, threads=threads)
        return Classifier(settings, self.counts, self.provenance, self._examples, self._scorecard)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the model in one file, whole or not at all."""
        card = self.scorecard if self.labels else weigh(self.counts, self.settings)
        modelfile.save(path, self.counts, card, self.settings, self.provenance)

    def _counted(
        self, texts: object, labels: object, where: Callable[[int], str] = IN_MEMORY
    ) -> tuple[Counts, Examples]:
        texts = texts_of(texts)
        labels = labels_of(labels, texts)
        try:
            return count(self.settings.terms, texts, labels, self.settings.cores), (texts, labels)
        except BadTextInCore as error:
            refuse(error, texts, where)

    def _checked(self, texts: object, labels: object, where: Callable[[int], str] = IN_MEMORY) -> Examples:
        counts, examples = self._counted(texts, labels, where)
        if counts != self.counts:
            raise OtherTrainingTexts
        return examples

    def _note(self, source: str, examples: int) -> None:
        self.provenance = (*self.provenance, {"source": source, "examples": examples})

    def __repr__(self) -> str:
        return f"Classifier({self.settings.model}, {self.counts!r})"


def _both(some: Examples, more: Examples) -> Examples:
    """All examples; columns in Arrow's buffers stay there, unless they are to stand beside a list."""
    (texts, labels), (more_texts, more_labels) = some, more
    if isinstance(texts, Column) and isinstance(more_texts, Column):
        return texts + more_texts, labels + more_labels
    return [*texts, *more_texts], labels + more_labels


def _without(examples: Examples, forgotten: Examples) -> Examples | None:
    """Examples less those that are forgotten; None where not all of those are found, so that none stays by mistake."""
    left = Counter(_pairs(forgotten))
    kept = []
    for example in _pairs(examples):
        if left[example] > 0:
            left[example] -= 1
        else:
            kept.append(example)
    if left.total():
        return None
    return [text for text, _ in kept], [label for _, label in kept]


def _pairs(examples: Examples) -> Iterator[tuple[str, str]]:
    return zip(map(as_text, examples[0]), examples[1], strict=True)


def train(texts: object, labels: object, **settings: Any) -> Classifier:
    """Trains a model on labelled texts. The settings are those of `Settings`, by the same names.

    >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"], words=(1, 2), alpha=0.5)
    >>> mail
    Classifier(multinomial, Counts(3 documents, 2 labels, 8 terms))
    >>> mail.leave_one_out().accuracy
    0.6666666666666666
    """
    chosen = Settings.of(**settings)
    counts, examples = Classifier(chosen, count(chosen.terms, [], []))._counted(texts, labels)
    if not examples[0]:
        raise NoExamples(where="texts")
    return _trained(chosen, counts, "memory", examples)


def train_on(source: Source, settings: Settings, progress: Callable[[int], None] | None = None) -> Classifier:
    """Trains a model on a file, reading it in batches: memory grows with the counts, not with the file."""
    tally = Tally(settings.terms, settings.cores)
    for batch in _gathered(source.batches(progress)):
        try:
            tally.add(batch.texts, batch.labels)
        except BadTextInCore as error:
            refuse(error, batch.texts, batch.where)
    return _trained(settings, tally.counts(), source.name, None)


def _gathered(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The same examples in larger batches: the more are counted at once, the fewer times is each label begun."""
    whole, characters = Batch(""), 0
    for batch in batches:
        whole = whole if whole.texts else Batch(batch.name)
        whole.lines.extend(batch.lines)
        whole.texts.extend(batch.texts)
        whole.labels.extend(batch.labels)
        characters += sum(len(text) for text in batch.texts if isinstance(text, str))
        if characters >= ENOUGH:
            yield whole
            whole, characters = Batch(""), 0
    yield whole


def _trained(settings: Settings, counts: Counts, source: str, examples: Examples | None) -> Classifier:
    if not counts.labels:
        raise NoExamples(where=source)
    if len(counts.labels) == 1:
        raise OneLabel(label=counts.labels[0])
    provenance = {"source": source, "examples": int(counts.documents.sum())}
    return Classifier(resolved(settings, counts), counts, [provenance], examples)


def load(path: str | os.PathLike[str]) -> Classifier:
    """Loads a model that was saved.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train(["free money", "see you"], ["spam", "ham"]).save(f"{folder}/mail.deciban")
    ...     load(f"{folder}/mail.deciban").predict(["money"])
    ['spam']
    """
    saved = modelfile.load(path)
    card = saved.scorecard if saved.labels else None
    return Classifier(saved.settings, saved.counts, saved.provenance, scorecard=card)
