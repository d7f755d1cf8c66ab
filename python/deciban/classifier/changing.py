"""How a classifier changes: it learns, forgets, merges, and loses or renames labels; others are made of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Self

from .. import fitting, selection
from .._core import BadText as BadTextInCore
from ..calibration import Calibration
from ..counts import Counts, Frozen
from ..errors import (
    DifferentSettings,
    NeedsExamples,
    NoExamples,
    NoLabelLeft,
    OtherTerms,
    OtherWeights,
    listed,
)
from ..examples import Batch, Examples, Source, gathered, kept, labels_of, texts_of
from ..examples.weights import as_counted
from ..halves import tally
from ..settings import FITTED, Settings
from ..terms import refuse
from ..tree import check_steps
from .judging import Judging
from .known import NOT_YET, check_positive


class Changing(Judging):
    """More or other counts, exactly as if trained so."""

    def learn(self, texts: object, labels: object, weights: object = None) -> Self:
        """Learns more examples, new labels among them or not: exactly as if trained on all. Returns itself.

        But for fitted models that were loaded: without their examples, they go on from their weights, which is near to
        that, not the same. Expected counts of unlabelled texts stay as they were made before; `provenance` tells what
        was learnt after.
        """
        return self._learnt(*self._counted(texts_of(texts), labels, weights), "memory")

    def learn_from(self, source: Source, progress: Callable[[int], None] | None = None) -> Self:
        """Learns the examples of a file, in batches, as `train_on` does; none of them where one is bad.

        Their texts are not kept, unless the model is made of them: leave-one-out then asks for all of them. Returns
        itself.
        """
        if not self.settings.needs_rows:
            return self._changed(self.counts + tallied(source, self.settings, progress), None, source.name)
        self._check_learns()
        every = kept.Whole(math.inf)
        counts = tallied(source, self.settings, progress, every)
        return self._learnt(counts, every.examples or Examples([], []), source.name)

    def _learnt(self, new: Counts, examples: Examples, how: str) -> Self:
        """Itself with more examples, by what they count: fit to all, where all are at hand, or going on."""
        self._check_learns()
        counts = self.counts + new
        if self._examples is not None or not self.settings.needs_rows:
            learnt = None if self._examples is None else kept.both(self._examples, examples)
            return self._changed(counts, learnt, how, examples.weights)
        after = type(self)(self.settings, counts, kept=self._still_kept(counts))
        found = after._rows(examples)
        card = fitting.learn(self.scorecard, self.selected, after.selected, *found, self.settings, examples.weights)
        note = {"source": how, "examples": len(examples.labels), "continued": True, **weight_of(examples.weights)}
        self.provenance = (*self.provenance, note)
        return self._become(counts, None, card, after._chosen[0], None, self._kept_calibration(counts))

    def _check_learns(self) -> None:
        """Refuses to learn without examples what cannot go on from its weights."""
        if self._examples is None and not self.settings.goes_on:
            self._countable()

    def forget(self, texts: object, labels: object, weights: object = None) -> Self:
        """Forgets examples that were learnt: exactly as if they had never been. Returns itself.

        Models of counts forget a text as often as its weight says, fitted ones with the weight that it has.
        """
        self._refuse_expected("forgetting")
        old, examples = self._counted(texts_of(texts), labels, weights)
        left = None if self._examples is None else kept.without(self._examples, examples)
        return self._changed(self.counts - old, left, "memory")

    def forget_from(self, source: Source, progress: Callable[[int], None] | None = None) -> Self:
        """Forgets the examples of a file, in batches; none of them where one was never learnt. Returns itself."""
        self._refuse_expected("forgetting")
        counts = self._countable()
        return self._changed(counts - tallied(source, self.settings, progress), None, source.name)

    def drop_labels(self, labels: object) -> Self:
        """Forgets some labels with all their examples: exactly as if trained without. Returns itself.

        >>> mail = train(["free money", "see you", "lunch?"], ["spam", "ham", "work"])
        >>> mail.drop_labels(["work"]).labels
        ('ham', 'spam')
        """
        return self._with_fewer_labels(self.counts.drop_labels(labels_of(labels)))

    def keep_labels(self, labels: object) -> Self:
        """Forgets all labels but some, with all their examples. Returns itself.

        >>> train(["free money", "see you", "lunch?"], ["spam", "ham", "work"]).keep_labels(["ham", "spam"]).labels
        ('ham', 'spam')
        """
        return self._with_fewer_labels(self.counts.keep_labels(labels_of(labels)))

    def _with_fewer_labels(self, counts: Counts) -> Self:
        self._refuse_expected("dropping labels")
        if not counts.labels:
            raise NoLabelLeft
        dropped = sorted({*self.labels} - {*counts.labels})
        examples = None if self._examples is None else kept.without_labels(self._examples, dropped)
        return self._changed(counts, examples, f"dropped {listed(dropped)}")

    def rename_label(self, old: str, new: str) -> Self:
        """Gives a label another name. Where there is one of that name, the two become one. Returns itself.

        Either way it is exactly as if trained so.

        >>> train(["free money", "see you", "lunch?"], ["spam", "ham", "work"]).rename_label("work", "ham").labels
        ('ham', 'spam')
        """
        self._refuse_expected("renaming a label")
        labels_of([old, new])
        examples = None if self._examples is None else kept.renamed(self._examples, old, new)
        before = self.threshold
        changed = self._changed(self.counts.rename_label(old, new), examples, f"renamed {old} to {new}")
        changed.settings = self.settings.with_label_renamed(old, new)
        if before is not None and before.label == old:
            changed.threshold = replace(before, label=new).after(changed.labels)
        return changed

    def __add__(self, other: Self) -> Self:
        """One model that knows what both know."""
        for model in (self, other):
            model._refuse_expected("merging")
        ours, theirs = self.settings.as_dict(), other.settings.as_dict()
        for setting, value in ours.items():
            if setting != "calibration" and theirs[setting] != value:
                raise DifferentSettings(setting=setting, ours=value, theirs=theirs[setting])
        a, b = self._examples, other._examples
        examples = None if a is None or b is None else kept.both(a, b)
        if examples is None:
            self._countable()
        provenance = (*self.provenance, *other.provenance)
        counts = self.counts + other.counts
        still = self._still_kept(counts)
        other._still_kept(counts)
        if self._names != other._names:
            raise OtherTerms
        for model in (self, other):
            model._remember_worth()
        if self._worth_by_name != other._worth_by_name:
            raise OtherWeights
        made = NOT_YET if examples else self._kept_calibration(counts) or other._kept_calibration(counts)
        both = type(self)(self.settings, counts, provenance, examples, kept=still, calibration=made)
        both._worth_by_name = self._worth_by_name
        chosen = self.threshold or other.threshold
        both.threshold = None if chosen is None else chosen.after(both.labels)
        return both

    def _changed(self, counts: Counts, examples: Examples | None, how: str, weights: list[float] | None = None) -> Self:
        """Itself with other counts, and a note of how they came to be."""
        if self.settings.hierarchy is not None:
            check_steps(counts.labels, self.settings.hierarchy)
        if examples is None:
            self._countable()
        more = int(counts.documents.sum() - self._known.documents.sum())
        self.provenance = (*self.provenance, {"source": how, "examples": more, **weight_of(weights)})
        calibration = NOT_YET if examples is not None else self._kept_calibration(counts)
        self._remember_worth()
        return self._become(counts, examples, None, self._still_kept(counts), None, calibration)

    def _kept_calibration(self, counts: Counts) -> Calibration | None:
        """The calibration of a model that has changed, and whose examples are not at hand: the one from before."""
        found = self.calibration if self.labels else None
        return None if found is None else found.for_labels(counts.labels)

    def with_threads(self, threads: int | None) -> Self:
        """The same model, at work on so many threads."""
        settings = replace(self.settings, threads=threads)
        known = (self._known, self.provenance, self._examples, self._scorecard, self.expected, self._kept, self._worth)
        same = type(self)(settings, *known, self._calibration)
        same._sample = self._sample
        same.threshold = self.threshold
        same._names, same._worth_by_name = self._names, self._worth_by_name
        return same

    def without_unlabelled(self) -> Self:
        """The model of the labelled texts alone: as if trained without the unlabelled ones."""
        provenance = [part for part in self.provenance if "unlabelled" not in part]
        model = type(self)(self.settings, self.counts, provenance, self._examples)
        model.threshold = None if self.threshold is None else self.threshold.after(model.labels)
        return model

    def select(
        self,
        by: str | None,
        top: int | None = None,
        texts: object = None,
        labels: object = None,
        *,
        candidates: int | None = None,
        progress: selection.Steps | None = None,
    ) -> Self:
        """The model of the same counts that keeps the `top` best terms by a measure; with None for both, of all terms.

        Or at most so many, by a search: "forward", "backward" or "floating", among so many `candidates`, or of a fitted
        model by "elimination". A search, and a fitted model, needs its examples: one that was loaded has none, so pass
        it those it was trained on. `searched` then has the curve of errors against numbers of terms.

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"], model="multinomial")
        >>> small = mail.select("mutual-information", 1)
        >>> small.lexicon.names(), small.select("document-frequency", 2).lexicon.names(), len(small.counts.lexicon)
        (['money'], ['free', 'money'], 5)
        """
        self._refuse_expected("selecting terms")
        select = None if by is None and top is None else self._checked_select(by, top)
        examples = self._examples if texts is None else self._checked(texts, labels)
        if examples is None and self.settings.needs_rows:
            raise NeedsExamples(model=self.settings.model)
        check_positive("candidates", candidates)
        made = NOT_YET if examples is not None else self._kept_calibration(self.counts)
        settings = replace(self.settings, select=select)
        model = type(self)(settings, self.counts, self.provenance, examples, calibration=made)
        model.threshold = None if self.threshold is None else self.threshold.after(model.labels)
        if examples is None:
            self._remember_worth()
            model._worth_by_name = self._worth_by_name
        return model._search(candidates, progress) if model.settings.is_searched else model

    def freeze(self) -> Self:
        """The same model without its counts: it answers and explains the same, to the bit, and cannot change.

        >>> mail = train(["free money", "see you"], ["spam", "ham"]).freeze()
        >>> mail.predict(["money"]), mail.frozen
        (['spam'], True)
        """
        card = self._card
        known = Frozen(self.labels, self.lexicon, self._known.documents)
        same = type(self)(self.settings, known, self.provenance, scorecard=card, calibration=self.calibration)
        same.threshold = self.threshold
        return same


def weight_of(weights: list[float] | None) -> dict[str, float]:
    """For a note of where a model came from: what its texts weigh, where that is not how many they are."""
    return {} if weights is None else {"weight": sum(weights)}


def tallied(
    source: Source,
    settings: Settings,
    progress: Callable[[int], None] | None,
    *keepers: kept.Reservoir | kept.Whole,
) -> Counts:
    """The counts of a file, of which there must be some; `keepers` are handed its examples."""
    under_way = tally(settings)

    def add(batch: Batch) -> None:
        examples, places = as_counted(batch.examples, batch.where, settings.model, FITTED)
        try:
            under_way.add(examples.texts, examples.labels)
        except BadTextInCore as error:
            refuse(error, examples.texts, lambda place: batch.where(places[place]))
        for keeper in keepers:
            keeper.add(examples)

    for _ in map(add, gathered(source.batches(progress))):
        pass  # nobody holds on to a batch while the next is read
    counts = under_way.counts()
    if not counts.labels:
        raise NoExamples(where=source.name)
    return counts
