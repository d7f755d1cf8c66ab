"""What a classifier knows: counts and settings; of them, when first asked for, its terms, scorecard and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .. import fitting, hierarchy, jackknife, mixture, modelfile, projection, selection
from .._core import Lexicon
from ..amounts import kept_rows
from ..calibration import Calibration, Sample
from ..calibration.chosen import FEWEST, calibrate
from ..counts import Counts, Frozen, Holder
from ..decision.threshold import Threshold
from ..errors import (
    BadSetting,
    HoldsExpected,
    NeedsExamples,
    NoFlatWeights,
    NoHierarchy,
    NothingLearnt,
    NoTrainingTexts,
    NoWeights,
    OneLabel,
)
from ..examples import Examples
from ..halves import count
from ..hierarchy import Descent
from ..mixture import Expected
from ..projection import Forest
from ..rows import Rows, rows
from ..scorecard import Scorecard
from ..settings import FITTED, LEARNT, Settings
from ..tree import Tree, tree_of
from ..weighing import log_prior, weigh

Floats = npt.NDArray[np.float64]
IN_MEMORY = "texts[{}]".format  # where a text stands that came in no file
NOT_YET = object()  # what is calibrated when it is first asked for


class Known(Holder):
    """Counts and settings, and what follows from them."""

    def __init__(
        self,
        settings: Settings,
        counts: Counts | Frozen,
        provenance: Sequence[dict[str, Any]] = (),
        examples: Examples | None = None,
        scorecard: Scorecard | Forest | Descent | None = None,
        expected: Expected | None = None,
        kept: selection.Mask | None = None,
        worth: Floats | None = None,
        calibration: Calibration | object | None = NOT_YET,
    ) -> None:
        self.settings = settings
        self.provenance = tuple(provenance)
        self.expected = expected
        self.searched: selection.Searched | None = None
        self._names: frozenset[str] | None = None
        self._worth_by_name: dict[str, float] | None = None
        self.threshold: Threshold | None = None
        self._sample: Examples | Sample | None = None  # of the examples that are not kept, to calibrate by
        self._become(counts, examples, scorecard, kept, worth, calibration)

    def _become(
        self,
        counts: Counts | Frozen,
        examples: Examples | None,
        scorecard: Scorecard | Forest | Descent | None = None,
        kept: selection.Mask | None = None,
        worth: Floats | None = None,
        calibration: Calibration | object | None = NOT_YET,
    ) -> Self:
        """Itself with other counts; and with what is known already: a scorecard, which terms are kept, their worth."""
        self._known = counts
        self._examples = examples
        self._scorecard = scorecard
        self._kept = kept
        self._worth = worth
        self._choice: tuple[selection.Mask | None, Counts] | None = None
        self._calibration = calibration
        self._calibrated: Scorecard | Forest | Descent | None = None
        self.threshold = None if self.threshold is None else self.threshold.after(counts.labels)
        return self

    @property
    def asked(self) -> Settings:
        """Its settings as they were asked for, with all open that it chose itself: what training it again takes."""
        first = self.provenance[0] if self.provenance else {}
        if "asked" in first:
            return modelfile.settings_of(first["asked"])
        is_chosen = "fit" in first and self.settings.model != "committee"
        return replace(self.settings, cost=None, shrinkage=None) if is_chosen else self.settings

    @property
    def lexicon(self) -> Lexicon:
        """The terms that it knows: of those that were counted, the ones that its selection keeps."""
        is_all = self.expected is None and self.settings.select is None
        return self._known.lexicon if is_all or not self.labels else self._card.lexicon

    @property
    def _chosen(self) -> tuple[selection.Mask | None, Counts]:
        """Which terms are kept, None for all, and their counts: chosen when they are first asked for."""
        if self._choice is None:
            counts = self.counts
            if self._kept is None and self.settings.is_searched:
                self._search()
            kept = selection.kept(counts, self.settings) if self._kept is None else self._kept
            self._choice = kept, counts if kept is None else counts.of_terms(kept)
        return self._choice

    @property
    def selected(self) -> Counts:
        """What is weighed: the counts of the terms that are kept, as if no text had any other."""
        return self._chosen[1]

    @property
    def term_weights(self) -> Floats | None:
        """How much each term of `selected` counts; None where all count alike."""
        by = self.settings.term_weights
        if by == "none" or self._worth is not None:
            return self._worth
        if by != LEARNT:
            return selection.weights(self.selected, by)
        if self._worth_by_name is not None:
            self._worth = selection.carried(self._worth_by_name, self.selected)
        elif self._examples is None:
            raise NoTrainingTexts
        else:
            self._worth = fitting.learnt(self.selected, *self._rows(self._examples), self.settings)
        return self._worth

    def _remember_worth(self) -> None:
        """Keeps weights that were learnt by name: they stay as they are while the counts change."""
        if self.settings.term_weights == LEARNT and self.labels:
            worth: Any = self.term_weights
            now = dict(zip(self.selected.lexicon.names(), worth.tolist(), strict=True))
            self._worth_by_name = {**(self._worth_by_name or {}), **now}

    def _search(self, candidates: int | None = None, steps: selection.Steps | None = None) -> Self:
        """Itself with the terms that a search in its examples finds. What was found stays in `searched`."""
        examples, settings, counts = self._examples, self.settings, self.counts
        if examples is None or settings.selects is None:
            raise NoTrainingTexts
        by, top = settings.selects
        found = rows(counts.lexicon, examples.texts, settings.cores), counts.numbers(examples.labels)
        if by in selection.CANDIDATES:
            self.searched = selection.search(counts, *found, settings, by, top, candidates, steps)
        else:
            self.searched = fitting.eliminated(counts, *found, settings, top, steps, examples.weights)
        self._kept = self.searched.mask(len(counts.lexicon))
        return self

    def _still_kept(self, counts: Counts) -> selection.Mask | None:
        """Which terms of other counts are kept, where a search has found them: those of the same names."""
        if not self.settings.is_searched:
            return None
        if self._names is None:
            self._names = frozenset(self.selected.lexicon.names())
        return selection.named(counts, self._names)

    def _rows(self, given: Examples) -> tuple[Rows, npt.NDArray[np.int64]]:
        """The rows of some examples, all of them learnt, and the numbers of their labels."""
        (kept, counts), settings = self._chosen, self.settings
        if kept is not None and settings.has_amounts:
            how = (kept, given[0], settings.cores)
            return kept_rows(self.counts.lexicon, *how, binary=settings.is_binary), counts.numbers(given[1])
        return rows(counts.lexicon, given[0], settings.cores), counts.numbers(given[1])

    @property
    def scorecard(self) -> Scorecard:
        """The weights of all terms, weighed from the counts when they are first asked for; a forest has none."""
        card = self._card
        if isinstance(card, Forest):
            raise NoWeights(model=self.settings.model)
        if isinstance(card, Descent):
            raise NoFlatWeights
        return card

    @property
    def _card(self) -> Scorecard | Forest | Descent:
        """What answers: the scorecard, or a forest."""
        if self._scorecard is None:
            if not self.labels:
                raise NothingLearnt
            self._scorecard = self._weighed()
        return self._scorecard

    @property
    def tree(self) -> Tree:
        """The tree of its labels, which are paths."""
        if self.settings.hierarchy is None:
            raise NoHierarchy(what="this")
        return tree_of(self.labels, self.settings.hierarchy)

    def _along(self) -> Counts:
        """The counts along the scorecard's postings: none of their own where only unlabelled texts have a term."""
        return self.selected if self.expected is None else mixture.aligned(self.counts, self.expected)[0]

    def _weighed(self) -> Scorecard | Forest | Descent:
        if self.expected is not None:
            return mixture.weigh(self.counts, self.expected, self.settings)
        if self.settings.way == "shared":
            return hierarchy.share(self.selected, self.settings)
        if self.settings.way == "top-down":
            return hierarchy.descend(self.selected, self.settings)
        if not self.settings.needs_rows:
            return weigh(self.selected, self.settings, g=self.term_weights)
        if self._examples is None:
            raise NeedsExamples(model=self.settings.model)
        if self.settings.model in FITTED:
            return self._fitted(self._examples)
        return weigh(self.selected, self.settings, *self._rows(self._examples))

    def _fitted(
        self, examples: Examples, steps: fitting.Steps | None = None, clock: fitting.Clock | None = None
    ) -> Scorecard | Forest | Descent:
        """The scorecard of a model that is fitted; what is chosen is kept, and how it was, in place of what it was."""
        if len(self.labels) == 1:
            raise OneLabel(label=self.labels[0])
        found, y = self._rows(examples)
        given = (self.selected, found, y, self.settings, steps, examples.weights)
        if self.settings.is_projected:
            card, self.settings, told = projection.fit(*given)
        else:
            card, self.settings, told, held = fitting.fit(*given, clock)
            if held is not None:
                self._sample = jackknife.of_scores(held, self.selected, self.settings, found, y)
        if told and self.provenance:
            *earlier, last = ({name: part[name] for name in part if name != "fit"} for part in self.provenance)
            ways = {"levels": told.pop("levels")} if "levels" in told else {}
            self.provenance = (*earlier, {**last, "fit": told, **ways})
        return card

    def _countable(self) -> Counts:
        """The counts, of a model that is made of them alone; others say so before a long file is read."""
        if self.settings.needs_rows:
            raise NeedsExamples(model=self.settings.model)
        return self.counts

    def _refuse_expected(self, what: str) -> None:
        """Refuses what would be exact in the counts only: expected counts come from all that was known, in no parts."""
        if self.expected is not None:
            raise HoldsExpected(what=what)

    @property
    def calibration(self) -> Calibration | None:
        """What makes its probabilities honest, made when it is first asked for; None where there is nothing."""
        if self._calibration is NOT_YET:
            is_asked = self.settings.calibration != "none"
            self._calibration = self._asked_for(self.settings.calibration) if is_asked else None
        return self._calibration if isinstance(self._calibration, Calibration) else None

    @property
    def _map(self) -> Calibration | None:
        """What calibrates scores; None where they are left as they are."""
        found = self.calibration
        return found if found is not None and found.is_map else None

    def _asked_for(self, method: str) -> Calibration | None:
        """A calibration by held-out scores of its own examples, where they are at hand."""
        is_few = self._known.documents.sum() < FEWEST
        if self.frozen or self.expected is not None or is_few or self.settings.has_trees:
            return None
        card = self._card  # a fit hands on what it held out
        if self._sample is None and self._examples is None:
            return None
        sample = self._sample or self._examples
        if isinstance(card, Descent):
            return self._of_decisions(sample)  # type: ignore[arg-type]
        if not isinstance(sample, Sample):
            sample = self._left_out_sample(sample)  # type: ignore[arg-type]
        self._sample = None
        return calibrate(sample, self._possible(method), card.labels, *self._priors)

    def _of_decisions(self, examples: Examples) -> Calibration:
        """What makes the decisions of a hierarchy honest, by texts that are left out."""
        some = jackknife.sample_of(examples, len(self.labels))
        return hierarchy.calibrate(self.selected, *self._rows(some), self.settings)

    def _possible(self, method: str) -> str:
        """The method, or what of it makes sense for the model."""
        if self.settings.smoothing == "none":  # then a label may be impossible, and no factor changes that
            return "none"
        # Who has said what errors cost wants answers to heed it: labels keep their order.
        return "temperature" if self.settings.class_weight != "none" and method != "none" else method

    def _left_out_sample(self, examples: Examples) -> Sample:
        """What a sample of its examples score by models that have not seen them."""
        counts, settings = self.selected, self.settings
        are_all = len(examples.labels) == counts.documents.sum()
        if not settings.needs_rows and not (are_all and jackknife.fair_folds(counts.documents)):
            some = jackknife.sample_of(examples, len(counts.labels))
            return jackknife.left_out(counts, settings, some, *self._rows(some), self.term_weights)
        found, y = self._rows(examples)
        if settings.model in FITTED and not settings.is_projected:
            scores = fitting.held_out(counts, found, y, settings, examples.weights)
            return jackknife.of_scores(scores, counts, settings, found, y)
        made = lambda some: type(self)(settings, count(settings, *some[:2]), (), some)._card  # noqa: E731
        return jackknife.folded(counts, settings, examples, (found, y), made)

    @property
    def _priors(self) -> tuple[Floats, Floats]:
        """Logarithms of how probable labels are before a text is seen, as asked for, and of how frequent they were."""
        documents = self._known.documents
        return log_prior(self._known, self.settings), np.log(documents / documents.sum())

    @property
    def _before(self) -> Floats:
        """How frequent it takes labels to be."""
        return np.exp(log_prior(self._known, self.settings))

    @property
    def unit(self) -> str:
        """What its evidence is measured in: decibans, or points where neither model nor calibration gives log-odds."""
        found = self._map
        return self.settings.unit if found is None or not found.is_linear else "decibans"

    @property
    def _answering(self) -> Scorecard | Forest | Descent:
        """What answers, with calibrated scores."""
        if self._calibrated is None:
            found, card = self._map, self._card
            if isinstance(card, Descent):
                self._calibrated = card.with_map(found)
            else:
                self._calibrated = card if found is None else replace(self.scorecard, calibration=found.buffers)
        return self._calibrated


def check_positive(setting: str, given: int | None) -> None:
    """Refuses what is no whole number above 0."""
    if given is not None and (type(given) is not int or given < 1):
        raise BadSetting(setting=setting, got=given, expected="a whole number above 0, or None")
