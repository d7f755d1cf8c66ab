"""How a classifier is judged: by texts that it has not seen, or that are left out; and calibrated by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .. import hierarchy, jackknife, selection
from .._core import BadText as BadTextInCore
from ..calibration import Sample
from ..calibration.chosen import FEWEST, calibrate, crossed
from ..counts import Counts
from ..decision import log_odds
from ..decision.threshold import check_rate, threshold
from ..errors import (
    NeverLearnt,
    NoExamples,
    NoLeaveOneOut,
    NoThreshold,
    NoTrainingTexts,
    OtherTrainingTexts,
    TooFewToCalibrate,
    TooFewToLeaveOut,
)
from ..evaluation import Evaluation
from ..evaluation.sets import set_figures
from ..examples import Examples, Source, kept, labels_of, texts_of, weights_of
from ..examples.weights import as_counted
from ..halves import Halved, count, halves_of
from ..holdout import MOST_KEPT, HeldOut
from ..rows import rows
from ..settings import FITTED, Settings
from ..terms import refuse
from .known import IN_MEMORY, Floats
from .telling import Telling

if TYPE_CHECKING:
    from .._core import Texts


class Judging(Telling):
    """Labelled texts come in, held-out scores go out."""

    def evaluate(
        self, texts: object, labels: object, *, coverage: float | None = None, within_labels: bool = False
    ) -> Evaluation:
        """How well the model does on labelled texts that it has not seen; with a coverage, its sets of labels, too."""
        texts = texts_of(texts)
        labels = labels_of(labels, texts)
        if not texts:
            raise NoExamples(where="texts")
        sets = None
        if coverage is not None:
            found = self.predict_set(texts, coverage, within_labels=within_labels)
            sets = set_figures(found, labels, coverage, within_labels=within_labels)
        return Evaluation(self._held(texts, labels), sets=sets)

    def _held(self, texts: Texts, labels: list[str], where: Callable[[int], str] = IN_MEMORY) -> HeldOut:
        """What texts score that were kept apart."""
        if len(texts) * len(self.labels) <= MOST_KEPT:
            return HeldOut(self.labels, labels, self.scores(texts, where))
        card, threads = self._answering, self.settings.cores  # as they are now: the model may go on learning
        some = lambda places: card.scores([texts[i] for i in places.tolist()], threads)  # noqa: E731
        return HeldOut(self.labels, labels, some, self._best(texts, where))

    def leave_one_out(self, texts: object = None, labels: object = None) -> HeldOut:
        """The scores of each training example by a model that was trained without it, from the counts alone.

        A model that was loaded has no texts: pass it those that it was trained on.
        """
        self._check_leave_one_out()
        given = self._examples if texts is None else self._checked(texts, labels)
        if given is None:
            self.counts  # noqa: B018  # a frozen model has none, and says so
            raise NoTrainingTexts
        return self._left_out(given)

    def _check_leave_one_out(self) -> None:
        self._refuse_expected("leave-one-out")
        if self.settings.needs_rows:
            raise NoLeaveOneOut(model=self.settings.model)

    def _without(self, text: str, label: str) -> Self:
        """The model by which leave-one-out scores a text: without it, with the terms and the weights that it has."""
        counts, selected = self.counts - count(self.settings, [text], [label]), self.selected
        known = set(selected.lexicon.names())
        still = None if self.settings.select is None else selection.named(counts, known)
        made = self.calibration if counts.labels == self.labels else None
        left = type(self)(self.settings, counts, kept=still, calibration=made)
        g: Any = self.term_weights
        if g is not None:
            worth = dict(zip(selected.lexicon.names(), g.tolist(), strict=True))
            left._worth = selection.carried(worth, left.selected)
        return left

    def _left_out(self, given: Examples) -> HeldOut:
        if len(given[0]) < 2:
            raise TooFewToLeaveOut(got=len(given[0]))
        (found, y), counts, settings = self._rows(given), self.selected, self.settings
        half = halves_of(given[0]) if isinstance(counts, Halved) else np.zeros_like(y)
        g, known, card = self.term_weights, jackknife.known_terms(counts, settings, found), self._map
        if len(y) * len(self.labels) <= MOST_KEPT:
            scores = jackknife.leave_one_out(counts, found, y, settings, half, g, card)
            if card is not None and settings.way != "top-down":
                scores = crossed(Sample(scores, known, y), card, *self._priors)
            return HeldOut(self.labels, given[1], scores, known=known)

        def some(places: npt.NDArray[np.int64]) -> Floats:
            those = (found.some(places), y[places], settings, half[places], g, card)
            scores = jackknife.leave_one_out(counts, *those)
            return scores if card is None or settings.way == "top-down" else card.apply(scores, known[places])

        return HeldOut(self.labels, given[1], some, known=known)

    def held_out(
        self, source: Source, *, loo: bool = False, progress: Callable[[int], None] | None = None
    ) -> tuple[list[str], HeldOut]:
        """The texts of a file and their held-out scores; `loo` where they are those that it was trained on."""
        if loo:
            self._check_leave_one_out()
        texts, labels, lines = [], [], []
        for batch in source.batches(progress):
            texts += batch.texts
            labels += batch.labels
            lines += batch.lines
        if not texts:
            raise NoExamples(where=source.name)
        where = lambda i: f"{source.name}:{lines[i]}"  # noqa: E731
        if loo:
            return texts, self._left_out(self._checked(texts, labels, where))
        return texts, self._held(texts, labels, where)

    def _counted(
        self, texts: Texts, labels: object, weights: object = None, where: Callable[[int], str] = IN_MEMORY
    ) -> tuple[Counts, Examples]:
        """The counts of texts that nobody else changes, as `texts_of` gives them, and what was counted."""
        given = Examples(texts, labels_of(labels, texts), weights_of(weights, texts))
        examples, places = as_counted(given, where, self.settings.model, FITTED)
        try:
            return count(self.settings, examples.texts, examples.labels), examples
        except BadTextInCore as error:
            refuse(error, examples.texts, lambda place: where(places[place]))

    def _checked(self, texts: object, labels: object, where: Callable[[int], str] = IN_MEMORY) -> Examples:
        counts, examples = self._counted(texts_of(texts), labels, where=where)
        if counts != self.counts:
            raise OtherTrainingTexts
        return examples

    def recalibrate(self, texts: object, labels: object, method: str | None = None) -> Self:
        """Calibrates anew: by labelled texts that it has not learnt, or by the very ones that it was trained on.

        Texts that it has learnt are left out, each in turn. `method` is a calibration of `Settings`; by default the
        model's own, "none" for no more. Returns itself.
        """
        texts = texts_of(texts)
        return self._recalibrated(Examples(texts, labels_of(labels, texts)), method, IN_MEMORY)

    def recalibrate_by(
        self, source: Source, method: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Self:
        """The same by a file, which is read whole. Returns itself."""
        whole = source.in_memory(progress).batch
        return self._recalibrated(whole.examples, method, whole.where)

    def _recalibrated(self, given: Examples, method: str | None, where: Callable[[int], str]) -> Self:
        is_asked = method is None and self.settings.calibration == "none"
        settings = replace(self.settings, calibration="auto" if is_asked else method or self.settings.calibration)
        if settings.calibration == "none":
            self.settings = settings
            return self._become(self._known, self._examples, self._card, self._kept, self._worth, None)
        if settings.way == "top-down":
            return self._with_honest_decisions(given, settings, where)
        places = [place for place, label in enumerate(given.labels) if label in {*self.labels}]
        sample = self._held_sample(kept.some(given, places), lambda place: where(places[place]))
        if len(sample.y) < FEWEST:
            raise TooFewToCalibrate(got=len(sample.y), least=FEWEST)
        self.settings = settings
        found = calibrate(sample, self._possible(settings.calibration), self._card.labels, *self._priors)
        return self._become(self._known, self._examples, self._card, self._kept, self._worth, found)

    def _with_honest_decisions(self, given: Examples, settings: Settings, where: Callable[[int], str]) -> Self:
        """Itself with decisions calibrated anew, by the very texts that it was trained on."""
        examples = self._checked(given.texts, given.labels, where)
        self.settings = settings
        some = jackknife.sample_of(examples, len(self.labels))
        found = hierarchy.calibrate(self.selected, *self._rows(some), settings)
        return self._become(self._known, self._examples, self._card, self._kept, self._worth, found)

    def set_threshold(
        self,
        positive: str | None,
        max_false_positive_rate: float = 0.01,
        texts: object = None,
        labels: object = None,
    ) -> Self:
        """Decides for a label, from now on, where few others are let through: at most so many in all. Returns itself.

        By labelled texts that it has not learnt, or those that it was trained on, each of which is left out; by default
        its own, where it still has them. `threshold` then tells what it came to. With None, there is no threshold any
        more.

        >>> mail = train(["free money", "money now", "see you", "you see me"] * 9, ["spam", "spam", "ham", "ham"] * 9)
        >>> mail.set_threshold("spam", 0.2).threshold.promised < 0.2, mail.threshold.recall
        (True, 1.0)
        """
        if positive is None:
            self.threshold = None
            return self
        given = self._examples if texts is None else Examples(texts_of(texts), labels_of(labels, texts_of(texts)))
        if given is None:
            raise NoTrainingTexts
        return self._thresholded(positive, max_false_positive_rate, given, IN_MEMORY)

    def set_threshold_by(
        self, source: Source, positive: str, rate: float, progress: Callable[[int], None] | None = None
    ) -> Self:
        """The same by a file, which is read whole. Returns itself."""
        check_rate(rate)
        self._pair(positive, None)
        whole = source.in_memory(progress).batch
        return self._thresholded(positive, rate, whole.examples, whole.where)

    def _thresholded(self, positive: str, rate: float, given: Examples, where: Callable[[int], str]) -> Self:
        one, _ = self._pair(positive, None)
        check_rate(rate)
        scores, labels = self._unseen(given, where)
        has_label = np.array([label == positive for label in labels], np.bool_)
        if has_label.all() or not has_label.any():
            raise NoThreshold(label=positive, got=f"{int(has_label.sum())} of {len(labels)} with it")
        self.threshold = threshold(positive, log_odds(scores, one), has_label, rate)
        return self

    def _unseen(self, given: Examples, where: Callable[[int], str]) -> tuple[Floats, list[str]]:
        """The calibrated scores of texts by models that have not learnt them, and their labels."""
        if not self._knows(given, where):
            return self.scores(given.texts, where), list(given.labels)
        if not self.settings.needs_rows:
            return self._left_out(given).scores, list(given.labels)
        sample = self._left_out_sample(given)
        found = self._map
        scores = sample.scores if found is None else crossed(sample, found, *self._priors)
        return scores, [self.labels[r] for r in sample.y.tolist()]

    def _knows(self, given: Examples, where: Callable[[int], str]) -> bool:
        """Whether it has learnt these very examples."""
        try:
            counts = count(self.settings, given.texts, given.labels)
        except BadTextInCore as error:
            refuse(error, given.texts, where)
        return not self.frozen and self.expected is None and _has_learnt(self.counts, counts, self.settings)

    def _held_sample(self, given: Examples, where: Callable[[int], str]) -> Sample:
        """What texts score that it has not learnt; those that it has, by a model without them."""
        if self._knows(given, where):
            return self._left_out_sample(given)
        some = jackknife.sample_of(given, len(self.labels))
        found = rows(self.lexicon, some.texts, self.settings.cores)
        times = np.ones(len(found.term)) if self.settings.is_binary else found.count
        known = np.bincount(found.row, times, len(found)).astype(np.float64)
        number = {label: r for r, label in enumerate(self.labels)}
        scores = self._card.scores(some.texts, self.settings.cores)
        return Sample(scores, known, np.array([number[label] for label in some.labels], np.int64))


def _has_learnt(counts: Counts, some: Counts, settings: Settings) -> bool:
    """Whether some counts are part of what was counted; of a model that needs its examples, all of it."""
    if settings.needs_rows:
        return counts == some
    try:
        return counts - some is not None
    except NeverLearnt:
        return False
