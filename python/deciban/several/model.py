"""What a user holds where texts have any number of labels: the same verbs as a classifier's. It wires.

Counts, settings and how to decide come in; from them follow a scorecard with a column a label, whose scores less those
of the column of `EVERY` are log-odds of the label against its absence; labels and reasons go out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .. import modelfile
from .._core import BadText as BadTextInCore
from .._core import Lexicon
from ..classifier.known import check_positive
from ..classifier.ranks import Ranks
from ..counts import Counts, Frozen, Holder
from ..decision.depth import Depth, depth
from ..decision.ranking import BY, Ranking
from ..errors import (
    BadSetting,
    DifferentSettings,
    NeedsExamples,
    NoExamples,
    NoLeaveOneOut,
    NothingLearnt,
    NoTrainingTexts,
    NotUtf8,
    OtherTrainingTexts,
    TooFewToLeaveOut,
    UnknownLabel,
    listed,
)
from ..evaluation.several import SeveralEvaluation
from ..evidence import Evidence, explain
from ..examples import Source, as_text, sets_of, texts_of
from ..examples.sets import Labels
from ..rows import rows
from ..scorecard import Scorecard
from ..settings import CONTINUED, Settings
from ..terms import check_choice, refuse
from . import odds
from .counting import EVERY, check, count
from .deciding import Deciding, line, plain
from .fitted import fit
from .held import HeldOut
from .kept import IN_MEMORY, Given, counted, read_whole

if TYPE_CHECKING:
    from ..fitting import Steps

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
MOST_LEFT_OUT = 10_000  # texts by which a model of counts decides


class Manner(NamedTuple):
    """What stands between labels in files, and what thresholds are for."""

    separator: str = "|"
    thresholds: str = "both"


class Several(Ranks, Holder):
    """A model of texts that have any number of labels. Make one with `deciban.train(..., several="|")`.

    >>> import deciban
    >>> texts = ["wheat and corn rise", "corn falls", "oil rises", "hello"] * 3
    >>> labels = [["grain", "wheat"], ["grain"], ["oil"], []] * 3
    >>> news = deciban.train(texts, labels, several="|", model="multinomial")
    >>> news.labels, news.predict(["corn", "wheat and corn", "hello"])
    (('grain', 'oil', 'wheat'), [('grain',), ('grain', 'wheat'), ()])
    """

    _HIDDEN = 1  # the label that every text has
    unit = "decibans"

    def __init__(
        self,
        settings: Settings,
        counts: Counts | Frozen,
        manner: Manner,
        provenance: Sequence[dict[str, Any]] = (),
        examples: Given | None = None,
        known: tuple[Scorecard, Deciding] | None = None,
    ) -> None:
        self.settings, self.manner, self.provenance = settings, manner, tuple(provenance)
        self._known, self._examples, self._made = counts, examples, known

    @property
    def texts(self) -> int:
        """How many texts it was trained on."""
        return int(self._known.documents[:1].sum())

    @property
    def cardinality(self) -> float:
        """How many labels a text has, on average."""
        return float(self._known.documents[1:].sum() / max(self.texts, 1))

    @property
    def lexicon(self) -> Lexicon:
        """The terms that it knows."""
        return self._known.lexicon

    @property
    def asked(self) -> Settings:
        """Its settings as they were asked for, with C open where it chose that itself: what training it again takes."""
        tried = self.provenance[0].get("fit", {}).get("held_out", {}) if self.provenance else {}
        return replace(self.settings, cost=None) if len(tried) > 1 else self.settings

    @property
    def scorecard(self) -> Scorecard:
        """The weights of all terms, the first column being that of all texts."""
        return self._card[0]

    @property
    def thresholds(self) -> dict[str, float]:
        """The log-odds from which on a text has each label, in nats."""
        return dict(zip(self.labels, self._card[1].threshold.tolist(), strict=True))

    @property
    def _card(self) -> tuple[Scorecard, Deciding]:
        """What answers, and how it decides: made when it is first asked for."""
        if self._made is None:
            if not self.labels:
                raise NothingLearnt
            self._make()
        return self._made  # type: ignore[return-value]

    def _make(self, steps: Steps | None = None) -> None:
        """Weighs the counts, or fits the rows; and decides by what texts score that were left out."""
        card, held = self._fitted(steps) if self.settings.model in CONTINUED else self._weighed()
        deciding = plain(len(self.labels)) if len(held.z) < 2 else held.decided(self.manner.thresholds)
        self._made = deciding.folded(card), deciding
        if len(held.z) >= 2:
            self._tell("promised", held.promised(self.manner.thresholds))

    def _tell(self, name: str, facts: dict[str, Any]) -> None:
        """Remembers how it came to be what it is now, in place of how it was before."""
        *earlier, last = ({key: part[key] for key in part if key != name} for part in self.provenance)
        self.provenance = (*earlier, {**last, name: facts})

    def _fitted(self, steps: Steps | None) -> tuple[Scorecard, HeldOut]:
        """A scorecard, and what texts score that were held out."""
        given, settings = self._examples, self.settings
        if given is None:
            raise NeedsExamples(model=settings.model)
        has = odds.indicator(given.sets, self.labels)
        found = fit(self.counts, rows(self.lexicon, given.texts, settings.cores), has, settings, steps)
        self.settings = found.settings
        self._tell("fit", found.told)
        return found.card, HeldOut(found.held, has, found.line)

    def _weighed(self) -> tuple[Scorecard, HeldOut]:
        """The same of a model of counts, by leave-one-out."""
        card = odds.weigh(self.counts, self.settings.strength, binary=self.settings.is_binary)
        some = (self._examples or Given([], [])).some(MOST_LEFT_OUT)
        has = odds.indicator(some.sets, self.labels)
        z = self._left_out(some, has)
        return card, HeldOut(z, has, line(z, has))

    def _left_out(self, given: Given, has: Bools) -> Floats:
        """What texts score by the counts without them."""
        found, settings = rows(self.lexicon, given.texts, self.settings.cores), self.settings
        return odds.left_out(self.counts, found, has, settings.strength, binary=settings.is_binary)

    def scores(self, texts: object, where: Callable[[int], str] = IN_MEMORY) -> Floats:
        """The log-odds of each label (column) of each text (row), against its absence, in nats."""
        read = texts_of(texts)
        try:
            found = self.scorecard.scores(read, self.settings.cores)
        except BadTextInCore as error:
            refuse(error, read, where)
        return np.asarray(found[:, 1:] - found[:, :1])

    def predict(self, texts: object, m: int | None = None) -> list[Labels]:
        """The labels of each text, sorted: those above their thresholds; or the m most probable ones, best first."""
        if m is not None and (type(m) is not int or m < 1):
            raise BadSetting(setting="m", got=m, expected="a whole number above 0, or None")
        return self._decided(self.scores(texts), m)

    def _decided(self, scores: Floats, m: int | None = None) -> list[Labels]:
        if m is not None:
            return [tuple(self.labels[r] for r in row[:m]) for row in np.argsort(-scores, axis=1, kind="stable")]
        return [tuple(self.labels[r] for r in np.flatnonzero(row)) for row in scores >= self._card[1].threshold]

    def predict_proba(self, texts: object) -> Floats:
        """The probability that a text (row) has a label (column)."""
        return np.asarray(1 / (1 + np.exp(-np.clip(self.scores(texts), -700, 700))))

    def _ranking(self, label: str, top: int | None, by: str, lowest: bool) -> Ranking:
        check_choice("by", by, BY)
        check_positive("top", top)
        has = np.clip(self._known.documents[1:], 0.5, self.texts - 0.5)  # of no text, or of all: half a one is not so
        prior = np.log(has) - np.log(self.texts - has) if by == "ratio" else None
        return Ranking(self._number(label), top, lowest, prior, are_apart=True)

    def _depth(self, ranking: Ranking, recall: float) -> Depth:
        """How deep to read, by probabilities: texts that were held out are not kept."""
        return depth(ranking.probabilities, np.empty(0), recall)

    def _number(self, label: str) -> int:
        if label not in self.labels:
            raise UnknownLabel(label=label, known=listed(self.labels))
        return self.labels.index(label)

    def explain(self, text: str | bytes, label: str | None = None) -> Evidence:
        """Why a text has a label, or lacks it: the evidence for the label against its absence.

        Without a label, of the most probable one.
        """
        try:
            read = as_text(text)
        except UnicodeDecodeError as error:
            raise NotUtf8(where="text", byte=error.object[error.start], before=error.start) from None
        scores = self.scores([read], lambda _: "text")[0]
        number = int(scores.argmax()) if label is None else self._number(label)
        one, z = self.labels[number], float(scores[number])
        why = explain(self.scorecard, self.settings.terms, read, one, EVERY)
        how = f"given from {10 / np.log(10) * self.thresholds[one]:+.1f} on"
        probability = float(1 / (1 + np.exp(-np.clip(z, -700, 700))))
        start = "bias" if self.settings.model in CONTINUED else "prior"
        return replace(why, against=f"not {one}", probability=probability, start=start, calibrated=how)

    def evaluate(self, texts: object, labels: object, where: Callable[[int], str] = IN_MEMORY) -> SeveralEvaluation:
        """How good it is on texts that it has not learnt from."""
        read = texts_of(texts)
        sets = sets_of(labels, self.manner.separator, read)
        if not sets:
            raise NoExamples(where="texts")
        return self._judged(self.scores(read, where), sets, "on examples kept apart")

    def _judged(self, scores: Floats, sets: list[Labels], protocol: str) -> SeveralEvaluation:
        known = {*self.labels}
        unknown = sum(label not in known for of in sets for label in of)
        said = scores >= self._card[1].threshold
        return SeveralEvaluation(self.labels, odds.indicator(sets, self.labels), said, scores, protocol, unknown)

    def leave_one_out(self, texts: object = None, labels: object = None) -> SeveralEvaluation:
        """How good a model of counts is, by each text's scores without it; pass what a loaded one was trained on.

        Thresholds are those of all texts: a little too kind.
        """
        if self.settings.model in CONTINUED:
            raise NoLeaveOneOut(model=self.settings.model)
        given = self._examples if texts is None else self._checked(texts, labels)
        if given is None:
            raise NoTrainingTexts
        if len(given.sets) < 2:
            raise TooFewToLeaveOut(got=len(given.sets))
        if texts is not None and count(self.settings, *given) != self.counts:
            raise OtherTrainingTexts
        deciding = self._card[1]
        z = self._left_out(given, odds.indicator(given.sets, self.labels))
        scores = np.where(np.isfinite(z), z * deciding.slope + deciding.shift, -700.0)
        return self._judged(scores, given.sets, "leave-one-out")

    def _checked(self, texts: object, labels: object) -> Given:
        read = texts_of(texts)
        return Given(read, sets_of(labels, self.manner.separator, read))

    def learn(self, texts: object, labels: object) -> Self:
        """Learns more texts, new labels among them or not: exactly as if trained on all. Returns itself.

        A fitted model needs the texts that it was fit to: one that was loaded has lost them, and refuses.
        """
        return self._learnt(self._checked(texts, labels), "memory")

    def learn_from(self, source: Source, progress: Callable[[int], None] | None = None) -> Self:
        """Learns the texts of a file. Returns itself."""
        return self._learnt(read_whole(source, self.manner.separator, progress).given, source.name)

    def _learnt(self, given: Given, how: str) -> Self:
        self._check_changes()
        more = counted(self.settings, given)
        both = None if self._examples is None else self._examples.and_(given)
        return self._changed(self.counts + more, both, how)

    def forget(self, texts: object, labels: object) -> Self:
        """Forgets texts that were learnt, with all their labels: exactly as if they had never been. Returns itself."""
        return self._forgotten(self._checked(texts, labels), "memory")

    def forget_from(self, source: Source, progress: Callable[[int], None] | None = None) -> Self:
        """Forgets the texts of a file. Returns itself."""
        return self._forgotten(read_whole(source, self.manner.separator, progress).given, source.name)

    def _forgotten(self, given: Given, how: str) -> Self:
        self._check_changes()
        counts = self.counts - counted(self.settings, given)
        check(counts)
        return self._changed(counts, None if self._examples is None else self._examples.without(given), how)

    def _check_changes(self) -> None:
        if self.settings.model in CONTINUED and self._examples is None:
            _ = self.counts  # a frozen model says so
            raise NeedsExamples(model=self.settings.model)

    def _changed(self, counts: Counts, examples: Given | None, how: str) -> Self:
        """Itself with other counts. Without examples, it decides as before."""
        if examples is None and self.settings.model in CONTINUED:
            raise NeedsExamples(model=self.settings.model)
        more = int(counts.documents[:1].sum()) - self.texts
        deciding = self._card[1].for_labels(self.labels, counts.labels[1:]) if self.labels else None
        self.provenance = (*self.provenance, {"source": how, "examples": more})
        self._known, self._examples, self._made = counts, examples, None
        if examples is None and deciding is not None and self.labels:
            card = odds.weigh(counts, self.settings.strength, binary=self.settings.is_binary)
            self._made = deciding.folded(card), deciding
        return self

    def __add__(self, other: Several) -> Several:
        """One model that knows what both know: exactly as if its counts had been trained on the texts of both."""
        if not isinstance(other, Several):
            return NotImplemented
        for name, ours, theirs in (
            *((name, value, other.settings.as_dict()[name]) for name, value in self.settings.as_dict().items()),
            ("several", self.manner.separator, other.manner.separator),
            ("thresholds", self.manner.thresholds, other.manner.thresholds),
        ):
            if ours != theirs:
                raise DifferentSettings(setting=name, ours=ours, theirs=theirs)
        self._check_changes()
        other._check_changes()
        a, b = self._examples, other._examples
        given = None if a is None or b is None else a.and_(b)
        known = None if given or not self.labels else (self.scorecard, self._card[1])
        both = type(self)(self.settings, self.counts, self.manner, self.provenance, None, known)
        both._changed(self.counts + other.counts, given, "merged")
        both.provenance = (*self.provenance, *other.provenance)
        return both

    def with_threads(self, threads: int | None) -> Self:
        """The same model, at work on so many threads."""
        settings = replace(self.settings, threads=threads)
        return type(self)(settings, self._known, self.manner, self.provenance, self._examples, self._made)

    def freeze(self) -> Self:
        """The same model without its counts: it answers and explains the same, and cannot change."""
        known = Frozen(self._known.labels, self.scorecard.lexicon, self._known.documents)
        return type(self)(self.settings, known, self.manner, self.provenance, None, self._card)

    def save(self, path: str | os.PathLike[str], *, frozen: bool = False) -> None:
        """Saves the model in one file, whole or not at all; `frozen`, without its counts."""
        model = self.freeze() if frozen else self
        card, deciding = model._card
        about = (self.manner._asdict(), deciding.buffers)
        modelfile.save(path, model._known, card, self.settings, self.provenance, several=about)

    def __repr__(self) -> str:
        sizes = f"{self.texts} documents, {len(self.labels)} labels, {len(self.lexicon)} terms"
        return f"Several({self.settings.model}, {sizes})"
