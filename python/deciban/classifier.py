"""What a user holds: labels and reasons for texts. It wires, and computes nothing; `training` makes one."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import fitting, jackknife, mixture, modelfile, projection, selection
from ._core import BadText as BadTextInCore
from ._core import Lexicon
from .amounts import kept_rows
from .calibration import Calibration, Sample
from .calibration.chosen import FEWEST, calibrate, crossed
from .counts import Counts, Frozen
from .decision import log_odds, log_posterior
from .decision.priors import Mix, check_priors, mix
from .decision.ranking import BY, Ranked, Ranking
from .decision.sets import Conformal
from .drift import Drift, drift
from .errors import (
    BadSetting,
    BadText,
    DifferentSettings,
    FrozenModel,
    HoldsExpected,
    NeedsExamples,
    NeverLearnt,
    NoExamples,
    NoHeldOut,
    NoLabelLeft,
    NoLeaveOneOut,
    NoTexts,
    NothingLearnt,
    NoTrainingTexts,
    NotUtf8,
    NoWeights,
    OneLabel,
    OtherTerms,
    OtherTrainingTexts,
    OtherWeights,
    SameLabel,
    TooFewToCalibrate,
    TooFewToLeaveOut,
    described,
    listed,
)
from .evaluation import Evaluation
from .evidence import Evidence, explain
from .evidence.words import Weights, Word, fewest
from .examples import Examples, Source, as_text, gathered, kept, labels_of, texts_of, weights_of
from .examples.weights import as_counted
from .halves import Halved, count, halves_of, tally
from .holdout import MOST_KEPT, HeldOut
from .mixture import Expected
from .network import Network, network
from .projection import Forest
from .rows import Rows, rows
from .sampling import Drawn, sample
from .scorecard import Scorecard
from .settings import ELIMINATION, FITTED, LEARNT, SEARCHES, Settings
from .terms import check_choice, refuse
from .weighing import coin, leave_one_out, log_prior, weigh
from .weightfile import export

if TYPE_CHECKING:
    from ._core import Texts

Floats = npt.NDArray[np.float64]
MOST_MIXED = 1 << 22  # probabilities by which a mix of labels is found
IN_MEMORY = "texts[{}]".format  # where a text stands that came in no file
MOST_AT_ONCE = 1 << 20  # probabilities
NOT_YET = object()  # what is calibrated when it is first asked for


class Classifier:
    """A trained model. Make one with `deciban.train` or `deciban.load`.

    Everything it knows are its `counts` and its `settings`; learning adds to the counts, forgetting subtracts. A model
    that is `frozen` has kept its scorecard alone: it answers and explains the same, and cannot change. One that was
    trained with unlabelled texts has the counts `expected` of them beside its own, or None where they did not help.

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
        counts: Counts | Frozen,
        provenance: Sequence[dict[str, Any]] = (),
        examples: Examples | None = None,
        scorecard: Scorecard | Forest | None = None,
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
        self._sample: Examples | Sample | None = None  # of the examples that are not kept, to calibrate by
        self._become(counts, examples, scorecard, kept, worth, calibration)

    def _become(
        self,
        counts: Counts | Frozen,
        examples: Examples | None,
        scorecard: Scorecard | Forest | None = None,
        kept: selection.Mask | None = None,
        worth: Floats | None = None,
        calibration: Calibration | object | None = NOT_YET,
    ) -> Classifier:
        """Itself with other counts; and with what is known already: a scorecard, which terms are kept, their worth."""
        self._known = counts
        self._examples = examples
        self._scorecard = scorecard
        self._kept = kept
        self._worth = worth
        self._choice: tuple[selection.Mask | None, Counts] | None = None
        self._calibration = calibration
        self._calibrated: Scorecard | Forest | None = None
        return self

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, sorted: the columns of `predict_proba`."""
        return self._known.labels

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
    def counts(self) -> Counts:
        """All that it knows; a frozen model has none, and says so."""
        if isinstance(self._known, Frozen):
            raise FrozenModel(model="the model")
        return self._known

    @property
    def selected(self) -> Counts:
        """What is weighed: the counts of the terms that are kept, as if no text had any other."""
        return self._chosen[1]

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

    def _search(self, candidates: int | None = None, steps: selection.Steps | None = None) -> Classifier:
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

    @property
    def documents(self) -> dict[str, int]:
        """How many documents of each label it was trained on."""
        return dict(zip(self.labels, self._known.documents.tolist(), strict=True))

    @property
    def frozen(self) -> bool:
        """Whether it has a scorecard, but no counts."""
        return isinstance(self._known, Frozen)

    @property
    def scorecard(self) -> Scorecard:
        """The weights of all terms, weighed from the counts when they are first asked for; a forest has none."""
        card = self._card
        if isinstance(card, Forest):
            raise NoWeights(model=self.settings.model)
        return card

    @property
    def _card(self) -> Scorecard | Forest:
        """What answers: the scorecard, or a forest."""
        if self._scorecard is None:
            if not self.labels:
                raise NothingLearnt
            self._scorecard = self._weighed()
        return self._scorecard

    @property
    def calibration(self) -> Calibration | None:
        """What makes its probabilities honest, made when it is first asked for; None where there is nothing."""
        if self._calibration is NOT_YET:
            is_asked = self.settings.calibration != "none"
            self._calibration = self._asked_for(self.settings.calibration) if is_asked else None
        return self._calibration if isinstance(self._calibration, Calibration) else None

    def _asked_for(self, method: str) -> Calibration | None:
        """A calibration by held-out scores of its own examples, where they are at hand."""
        is_few = self._known.documents.sum() < FEWEST
        if self.frozen or self.expected is not None or is_few or self.settings.has_trees:
            return None
        card = self._card  # a fit hands on what it held out
        if self._sample is None and self._examples is None:
            return None
        sample = self._sample or self._examples
        if not isinstance(sample, Sample):
            sample = self._left_out_sample(sample)  # type: ignore[arg-type]
        self._sample = None
        return calibrate(sample, self._possible(method), card.labels, *self._priors)

    def _possible(self, method: str) -> str:
        """The method, or what of it makes sense for the model."""
        if self.settings.smoothing == "none":  # then a label may be impossible, and no factor changes that
            return "none"
        # Who has said what errors cost wants answers to heed it: labels keep their order.
        return "temperature" if self.settings.class_weight != "none" and method != "none" else method

    @property
    def _map(self) -> Calibration | None:
        """What calibrates scores; None where they are left as they are."""
        found = self.calibration
        return found if found is not None and found.is_map else None

    def _left_out_sample(self, examples: Examples) -> Sample:
        """What a sample of its examples score by models that have not seen them."""
        counts, settings = self.selected, self.settings
        if not settings.needs_rows:
            some = jackknife.sample_of(examples, len(counts.labels))
            return jackknife.left_out(counts, settings, some, *self._rows(some), self.term_weights)
        found, y = self._rows(examples)
        if settings.model in FITTED and not settings.is_projected:
            scores = fitting.held_out(counts, found, y, settings, examples.weights)
        else:
            made = lambda some: Classifier(settings, count(settings, *some[:2]), (), some)._card  # noqa: E731
            scores = jackknife.folded(counts, examples, y, made)
        return jackknife.of_scores(scores, counts, settings, found, y)

    @property
    def unit(self) -> str:
        """What its evidence is measured in: decibans, or points where neither model nor calibration gives log-odds."""
        found = self._map
        return self.settings.unit if found is None or not found.is_linear else "decibans"

    @property
    def _priors(self) -> tuple[Floats, Floats]:
        """Logarithms of how probable labels are before a text is seen, as asked for, and of how frequent they were."""
        documents = self._known.documents
        return log_prior(self._known, self.settings), np.log(documents / documents.sum())

    @property
    def _answering(self) -> Scorecard | Forest:
        """What answers, with calibrated scores."""
        if self._calibrated is None:
            found = self._map
            self._calibrated = self._card if found is None else replace(self.scorecard, calibration=found.buffers)
        return self._calibrated

    def _along(self) -> Counts:
        """The counts along the scorecard's postings: none of their own where only unlabelled texts have a term."""
        return self.selected if self.expected is None else mixture.aligned(self.counts, self.expected)[0]

    def _weighed(self) -> Scorecard | Forest:
        if self.expected is not None:
            return mixture.weigh(self.counts, self.expected, self.settings)
        if not self.settings.needs_rows:
            return weigh(self.selected, self.settings, g=self.term_weights)
        if self._examples is None:
            raise NeedsExamples(model=self.settings.model)
        if self.settings.model in FITTED:
            return self._fitted(self._examples)
        return weigh(self.selected, self.settings, *self._rows(self._examples))

    def _fitted(
        self, examples: Examples, steps: fitting.Steps | None = None, clock: fitting.Clock | None = None
    ) -> Scorecard | Forest:
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
            self.provenance = (*earlier, {**last, "fit": told})
        return card

    def _countable(self) -> Counts:
        """The counts, of a model that is made of them alone; others say so before a long file is read."""
        if self.settings.needs_rows:
            raise NeedsExamples(model=self.settings.model)
        return self.counts

    def _check_leave_one_out(self) -> None:
        self._refuse_expected("leave-one-out")
        if self.settings.needs_rows:
            raise NoLeaveOneOut(model=self.settings.model)

    def _rows(self, given: Examples) -> tuple[Rows, npt.NDArray[np.int64]]:
        """The rows of some examples, all of them learnt, and the numbers of their labels."""
        (kept, counts), settings = self._chosen, self.settings
        if kept is not None and settings.has_amounts:
            how = (kept, given[0], settings.cores)
            return kept_rows(self.counts.lexicon, *how, binary=settings.is_binary), counts.numbers(given[1])
        return rows(counts.lexicon, given[0], settings.cores), counts.numbers(given[1])

    def scores(self, texts: object, where: Callable[[int], str] = IN_MEMORY) -> Floats:
        """The score of each label (column) for each text (row), in nats, calibrated."""
        texts = texts_of(texts)
        try:
            return self._answering.scores(texts, self.settings.cores)
        except BadTextInCore as error:
            refuse(error, texts, where)

    def predict(self, texts: object, priors: str = "model") -> list[str]:
        """The most probable label of each text; with `priors="adapt"`, for the mix of labels that these texts have."""
        if check_priors(priors) == "model":
            return self._best(texts_of(texts), IN_MEMORY)
        return [self.labels[r] for r in self.predict_log_proba(texts, priors).argmax(axis=1)]

    def _best(self, texts: Texts, where: Callable[[int], str]) -> list[str]:
        try:
            return self._answering.best(texts, self.settings.cores)
        except BadTextInCore as error:
            refuse(error, texts, where)

    def predict_top(self, texts: object, m: int = 5) -> list[list[tuple[str, float]]]:
        """The m most probable labels of each text, the most probable first, each with its probability."""
        if type(m) is not int or m < 1:
            raise BadSetting(setting="m", got=m, expected="a whole number above 0")
        texts = texts_of(texts)
        try:
            return self._answering.top(texts, m, self.settings.cores)
        except BadTextInCore as error:
            refuse(error, texts, IN_MEMORY)

    def predict_set(
        self, texts: object, coverage: float = 0.9, *, within_labels: bool = False
    ) -> list[tuple[str, ...]]:
        """For each text a set of labels that holds the true one so often; the most probable first.

        Overall, or within the texts of each label. The empty set says that the text is like nothing seen.
        """
        texts = texts_of(texts)
        return [labels for labels, _ in self._sets(texts, coverage, IN_MEMORY, within=within_labels)]

    def _sets(
        self, texts: Texts, coverage: float, where: Callable[[int], str], *, within: bool
    ) -> Iterator[tuple[tuple[str, ...], Floats]]:
        """The set of each text, and the probabilities of all labels."""
        check_coverage(coverage)
        seen, step = self._conformal(), max(MOST_AT_ONCE // max(len(self.labels), 1), 1)
        for start in range(0, len(texts), step):
            some: list[Any] = [texts[i] for i in range(start, min(start + step, len(texts)))]
            p = np.exp(log_posterior(self.scores(some, lambda place: where(start + place))))  # noqa: B023
            known = np.diff(rows(self.lexicon, some, self.settings.cores).indptr).astype(np.float64)
            for row, is_in in zip(p, seen.sets(p, known, coverage, within=within), strict=True):
                order = np.flatnonzero(is_in)
                yield tuple(self.labels[r] for r in order[np.argsort(-row[order], kind="stable")]), row

    def _conformal(self) -> Conformal:
        """What held-out texts say for sets of labels."""
        found = self.calibration
        if found is None and self._calibration is None and self.settings.calibration == "none":
            found = self._asked_for("none")
        if found is None or found.conformal is None:
            raise NoHeldOut(least=FEWEST)
        return found.conformal

    def predict_proba(self, texts: object, priors: str = "model") -> Floats:
        """The probability of each label (columns, as in `labels`) for each text (rows).

        The model takes labels to be as frequent as in training; with `priors="adapt"`, as they are found to be among
        these texts, where that is another mix.
        """
        return np.exp(self.predict_log_proba(texts, priors))

    def predict_log_proba(self, texts: object, priors: str = "model") -> Floats:
        """The logarithms of `predict_proba`, exact where those are too small to tell from zero."""
        log_p = log_posterior(self.scores(texts))
        if check_priors(priors) == "model" or not len(log_p):
            return log_p
        return log_posterior(log_p + mix(log_p, self._before).shift)

    @property
    def _before(self) -> Floats:
        """How frequent it takes labels to be."""
        return np.exp(log_prior(self._known, self.settings))

    def mix(self, texts: object, where: Callable[[int], str] = IN_MEMORY) -> Mix:
        """How frequent labels are among unlabelled texts, beside training; of very many, by some of them."""
        texts = texts_of(texts)
        if not texts:
            raise NoTexts(where="texts")
        places = range(0, len(texts), 1 + len(texts) * len(self.labels) // MOST_MIXED)
        some = texts if places.step == 1 else [texts[place] for place in places]
        return mix(log_posterior(self.scores(some, lambda place: where(places[place]))), self._before)

    def watch(self, texts: object, where: Callable[[int], str] = IN_MEMORY) -> Drift:
        """Whether unlabelled texts are like those of training: their words, and the mix of their labels.

        >>> mail = train(["free money", "money now", "see you", "you see me"] * 9, ["spam", "spam", "ham", "ham"] * 9)
        >>> mail.watch(["free money", "see you"] * 9).worries, mail.watch(["entirely different words"] * 9).worries
        (False, True)
        """
        texts, counts = texts_of(texts), self.counts
        found = self.mix(texts, where)
        read = [as_text(text) for text in texts]
        return drift(counts, read, found, once=self.settings.has_amounts, threads=self.settings.cores)

    def log_odds(self, texts: object, label: str, against: str | None = None) -> Floats:
        """f(x), the log-odds of a label against another, or all others together, for each text, in nats (Zhu 16)."""
        one, other = self._pair(label, against)
        return log_odds(self.scores(texts), one, other)

    def rank(
        self, texts: object, label: str, top: int | None = 100, by: str = "posterior", *, lowest: bool = False
    ) -> list[Ranked]:
        """The texts most likely of a label (or least), by posterior odds or, where priors do not hold, by likelihood.

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> [(found.place, round(found.decibans, 1)) for found in mail.rank(["you?", "money", "hi"], "spam")]
        [(1, 6.7), (2, 3.0), (0, -1.1)]
        """
        texts = texts_of(texts)
        ranking = self._ranking(label, top, by, lowest)
        ranking.add(self.scores(texts), range(len(texts)), texts)
        return ranking.best()

    def rank_in(
        self,
        source: Source,
        label: str,
        top: int | None = 100,
        by: str = "posterior",
        *,
        lowest: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> list[Ranked]:
        """The same of a file, in memory that grows with `top` alone."""
        ranking = self._ranking(label, top, by, lowest)
        for batch in source.batches(progress):
            ranking.add(self.scores(batch.texts, batch.where), batch.lines, batch.texts)
        return ranking.best()

    def _ranking(self, label: str, top: int | None, by: str, lowest: bool) -> Ranking:
        check_choice("by", by, BY)
        _check_positive("top", top)
        one, _ = self._pair(label, None)
        return Ranking(one, top, lowest, log_prior(self._known, self.settings) if by == "ratio" else None)

    def _pair(self, label: str, against: str | None) -> tuple[int, int | None]:
        """The numbers of a label and of what it is compared with; None for all others."""
        if len(self._card.labels) == 1:
            raise OneLabel(label=self.labels[0])
        if label == against:
            raise SameLabel(label=label)
        return self._card.number(label), None if against is None else self._card.number(against)

    def explain(self, text: str | bytes, label: str | None = None, against: str | None = None) -> Evidence:
        """Why a text gets its label rather than the next one; or why `label` rather than `against`."""
        if not isinstance(text, (str, bytes)):
            raise BadText(where="text", got=described(text))
        try:
            why = explain(self._card, self.settings.terms, as_text(text), label, against, self._map)
            return replace(why, unit=self.unit, start=self.settings.start)
        except UnicodeDecodeError as error:
            raise NotUtf8(where="text", byte=error.object[error.start], before=error.start) from None
        except BadTextInCore as error:
            refuse(error, [text], lambda _: "text")

    @property
    def weights(self) -> Weights:
        """The weights of all terms as those of a linear classifier, for a label against others."""
        counts = self._along()
        card = self.scorecard.typical.covering(counts.indptr, counts.label)
        return Weights(card, counts, log_prior(counts, self.settings))

    def words(
        self,
        label: str | None = None,
        against: str | None = None,
        top: int | None = 30,
        min_documents: int | None = None,
    ) -> list[Word]:
        """The strongest terms of a label, or of each, against another, or all others together: strongest first.

        A term must be in `min_documents` of the label's training texts: by default in 2, and in one of a hundred.

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> [(word.name, round(word.decibans, 1), word.documents, word.others) for word in mail.words("spam")]
        [('money', 3.7, 2, 0)]
        """
        _check_positive("top", top)
        _check_positive("min_documents", min_documents)
        weights = self.weights
        found: list[Word] = []
        for one in self.labels if label is None else [label]:
            if label is None and one == against:
                continue
            r, other = self._pair(one, against)
            least = fewest(int(self.counts.documents[r])) if min_documents is None else min_documents
            found += weights.strongest(r, other, top, least)
        return found

    def sample(
        self,
        n: int = 1,
        label: str | None = None,
        length: int | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> list[Drawn]:
        """Documents as the model imagines them: labels drawn from the prior, unless given, and terms from p(x|y).

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> mail.sample(2, "spam", length=3, seed=1)
        [Drawn(label='spam', text='money you free'), Drawn(label='spam', text='you money money')]
        """
        _check_positive("n", n or 0)
        _check_positive("length", length)
        if seed is not None and not isinstance(seed, np.random.Generator) and (type(seed) is not int or seed < 0):
            raise BadSetting(setting="seed", got=seed, expected="a whole number from 0, or None")
        number = None if label is None else self.scorecard.number(label)
        return sample(self._along(), self.scorecard, self.settings, n, number, length, seed)

    def graph(self, top: int = 20) -> Network:
        """The model as a Bayes network (Zhu 2.3) of the terms that tell most of the label: `.svg` draws it."""
        if type(top) is not int or top < 1:
            raise BadSetting(setting="top", got=top, expected="a whole number above 0")
        card, counts, settings = self.scorecard, self._along(), self.settings
        prior = log_prior(counts, settings)
        return network(card, counts, coin(counts, settings), prior, settings.model, top)

    def evaluate(self, texts: object, labels: object) -> Evaluation:
        """How well the model does on labelled texts that it has not seen."""
        texts = texts_of(texts)
        labels = labels_of(labels, texts)
        if not texts:
            raise NoExamples(where="texts")
        return Evaluation(self._held(texts, labels))

    def _held(self, texts: Texts, labels: list[str], where: Callable[[int], str] = IN_MEMORY) -> HeldOut:
        """What texts score that were kept apart."""
        if len(texts) * len(self.labels) <= MOST_KEPT:
            return HeldOut(self.labels, labels, self.scores(texts, where))
        card, threads = self._answering, self.settings.cores  # as they are now: the model may go on learning
        some = lambda places: card.scores([texts[i] for i in places.tolist()], threads)  # noqa: E731
        return HeldOut(self.labels, labels, some, self._best(texts, where))

    def learn(self, texts: object, labels: object, weights: object = None) -> Classifier:
        """Learns more examples, new labels among them or not: exactly as if trained on all. Returns itself.

        But for fitted models that were loaded: without their examples, they go on from their weights, which is near to
        that, not the same. Expected counts of unlabelled texts stay as they were made before; `provenance` tells what
        was learnt after.
        """
        return self._learnt(*self._counted(texts, labels, weights), "memory")

    def learn_from(self, source: Source, progress: Callable[[int], None] | None = None) -> Classifier:
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

    def _learnt(self, new: Counts, examples: Examples, how: str) -> Classifier:
        """Itself with more examples, by what they count: fit to all, where all are at hand, or going on."""
        self._check_learns()
        counts = self.counts + new
        if self._examples is not None or not self.settings.needs_rows:
            learnt = None if self._examples is None else kept.both(self._examples, examples)
            return self._changed(counts, learnt, how, examples.weights)
        after = Classifier(self.settings, counts, kept=self._still_kept(counts))
        found = after._rows(examples)
        card = fitting.learn(self.scorecard, self.selected, after.selected, *found, self.settings, examples.weights)
        note = {"source": how, "examples": len(examples.labels), "continued": True, **weight_of(examples.weights)}
        self.provenance = (*self.provenance, note)
        return self._become(counts, None, card, after._chosen[0], None, self._kept_calibration(counts))

    def _check_learns(self) -> None:
        """Refuses to learn without examples what cannot go on from its weights."""
        if self._examples is None and not self.settings.goes_on:
            self._countable()

    def forget(self, texts: object, labels: object, weights: object = None) -> Classifier:
        """Forgets examples that were learnt: exactly as if they had never been. Returns itself.

        Models of counts forget a text as often as its weight says, fitted ones with the weight that it has.
        """
        self._refuse_expected("forgetting")
        old, examples = self._counted(texts, labels, weights)
        left = None if self._examples is None else kept.without(self._examples, examples)
        return self._changed(self.counts - old, left, "memory")

    def forget_from(self, source: Source, progress: Callable[[int], None] | None = None) -> Classifier:
        """Forgets the examples of a file, in batches; none of them where one was never learnt. Returns itself."""
        self._refuse_expected("forgetting")
        counts = self._countable()
        return self._changed(counts - tallied(source, self.settings, progress), None, source.name)

    def drop_labels(self, labels: object) -> Classifier:
        """Forgets some labels with all their examples: exactly as if trained without. Returns itself.

        >>> mail = train(["free money", "see you", "lunch?"], ["spam", "ham", "work"])
        >>> mail.drop_labels(["work"]).labels
        ('ham', 'spam')
        """
        return self._with_fewer_labels(self.counts.drop_labels(labels_of(labels)))

    def keep_labels(self, labels: object) -> Classifier:
        """Forgets all labels but some, with all their examples. Returns itself.

        >>> train(["free money", "see you", "lunch?"], ["spam", "ham", "work"]).keep_labels(["ham", "spam"]).labels
        ('ham', 'spam')
        """
        return self._with_fewer_labels(self.counts.keep_labels(labels_of(labels)))

    def _with_fewer_labels(self, counts: Counts) -> Classifier:
        self._refuse_expected("dropping labels")
        if not counts.labels:
            raise NoLabelLeft
        dropped = sorted({*self.labels} - {*counts.labels})
        examples = None if self._examples is None else kept.without_labels(self._examples, dropped)
        return self._changed(counts, examples, f"dropped {listed(dropped)}")

    def rename_label(self, old: str, new: str) -> Classifier:
        """Gives a label another name. Where there is one of that name, the two become one. Returns itself.

        Either way it is exactly as if trained so.

        >>> train(["free money", "see you", "lunch?"], ["spam", "ham", "work"]).rename_label("work", "ham").labels
        ('ham', 'spam')
        """
        self._refuse_expected("renaming a label")
        labels_of([old, new])
        examples = None if self._examples is None else kept.renamed(self._examples, old, new)
        changed = self._changed(self.counts.rename_label(old, new), examples, f"renamed {old} to {new}")
        changed.settings = self.settings.with_label_renamed(old, new)
        return changed

    def __add__(self, other: Classifier) -> Classifier:
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
        both = Classifier(self.settings, counts, provenance, examples, kept=still, calibration=made)
        both._worth_by_name = self._worth_by_name
        return both

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

    def _without(self, text: str, label: str) -> Classifier:
        """The model by which leave-one-out scores a text: without it, with the terms and the weights that it has."""
        counts, selected = self.counts - count(self.settings, [text], [label]), self.selected
        known = set(selected.lexicon.names())
        still = None if self.settings.select is None else selection.named(counts, known)
        made = self.calibration if counts.labels == self.labels else None
        left = Classifier(self.settings, counts, kept=still, calibration=made)
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
        g = self.term_weights
        if len(y) * len(self.labels) <= MOST_KEPT:
            scores = leave_one_out(counts, found, y, settings, half, g)
            if self._map is not None:
                sample = Sample(scores, jackknife.known_terms(counts, settings, found), y)
                scores = crossed(sample, self._map, *self._priors)
            return HeldOut(self.labels, given[1], scores)
        known, card = jackknife.known_terms(counts, settings, found), self._map

        def some(places: npt.NDArray[np.int64]) -> Floats:
            scores = leave_one_out(counts, found.some(places), y[places], settings, half[places], g)
            return scores if card is None else card.apply(scores, known[places])

        return HeldOut(self.labels, given[1], some)

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

    def with_threads(self, threads: int | None) -> Classifier:
        """The same model, at work on so many threads."""
        settings = replace(self.settings, threads=threads)
        known = (self._known, self.provenance, self._examples, self._scorecard, self.expected, self._kept, self._worth)
        same = Classifier(settings, *known, self._calibration)
        same._sample = self._sample
        same._names, same._worth_by_name = self._names, self._worth_by_name
        return same

    def without_unlabelled(self) -> Classifier:
        """The model of the labelled texts alone: as if trained without the unlabelled ones."""
        provenance = [part for part in self.provenance if "unlabelled" not in part]
        return Classifier(self.settings, self.counts, provenance, self._examples)

    def select(
        self,
        by: str | None,
        top: int | None = None,
        texts: object = None,
        labels: object = None,
        *,
        candidates: int | None = None,
        progress: selection.Steps | None = None,
    ) -> Classifier:
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
        _check_positive("candidates", candidates)
        made = NOT_YET if examples is not None else self._kept_calibration(self.counts)
        settings = replace(self.settings, select=select)
        model = Classifier(settings, self.counts, self.provenance, examples, calibration=made)
        if examples is None:
            self._remember_worth()
            model._worth_by_name = self._worth_by_name
        return model._search(candidates, progress) if model.settings.is_searched else model

    def ranked_terms(self, by: str = "mutual-information", top: int | None = None) -> list[selection.RankedTerm]:
        """The best terms by a measure, of all that were counted, the best first.

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> [(term.name, round(term.score, 2), term.label) for term in mail.ranked_terms("information-gain", 1)]
        [('money', 0.92, 'spam')]
        """
        top = len(self.counts.lexicon) if top is None else top
        check_choice("by", by, tuple(selection.MEASURES))
        self._checked_select(by, top)
        return selection.ranked(self.counts, self.settings, by, top)

    def found_terms(self) -> list[selection.RankedTerm]:
        """The terms that a search has just found, in the order in which they came, with what each tells by itself."""
        if self.searched is None:
            return []
        scores = selection.measured(self.counts, self.settings, "mutual-information", 1)
        return [selection.described(self.counts, int(at), float(scores[at])) for at in self.searched.places]

    def _checked_select(self, by: str | None, top: int | None) -> str:
        check_choice("by", by, (*selection.MEASURES, *SEARCHES, ELIMINATION))
        if type(top) is not int or top < 1:
            raise BadSetting(setting="top", got=top, expected="a whole number above 0")
        selection.check_top(self.counts, top)
        return f"{by}:{top}"

    def freeze(self) -> Classifier:
        """The same model without its counts: it answers and explains the same, to the bit, and cannot change.

        >>> mail = train(["free money", "see you"], ["spam", "ham"]).freeze()
        >>> mail.predict(["money"]), mail.frozen
        (['spam'], True)
        """
        card = self._card
        known = Frozen(self.labels, self.lexicon, self._known.documents)
        return Classifier(self.settings, known, self.provenance, scorecard=card, calibration=self.calibration)

    def save(self, path: str | os.PathLike[str], *, frozen: bool = False) -> None:
        """Saves the model in one file, whole or not at all; `frozen`, without its counts."""
        model = self.freeze() if frozen else self
        card = model._card if self.labels else weigh(self.counts, Settings())
        kept = None if model.frozen else model._chosen[0]
        worth = self.term_weights if self.settings.term_weights == LEARNT and not model.frozen and self.labels else None
        made = self.calibration if self.labels else None
        modelfile.save(path, model._known, card, self.settings, self.provenance, model.expected, kept, worth, made)

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes W and b of x W + b, in nats, for other programs: as CSV or NumPy's .npz, as the name ends."""
        export(path, self.scorecard)

    def _counted(
        self, texts: object, labels: object, weights: object = None, where: Callable[[int], str] = IN_MEMORY
    ) -> tuple[Counts, Examples]:
        texts = texts_of(texts)
        given = Examples(texts, labels_of(labels, texts), weights_of(weights, texts))
        examples, places = as_counted(given, where, self.settings.model, FITTED)
        try:
            return count(self.settings, examples.texts, examples.labels), examples
        except BadTextInCore as error:
            refuse(error, examples.texts, lambda place: where(places[place]))

    def _checked(self, texts: object, labels: object, where: Callable[[int], str] = IN_MEMORY) -> Examples:
        counts, examples = self._counted(texts, labels, where=where)
        if counts != self.counts:
            raise OtherTrainingTexts
        return examples

    def _changed(
        self, counts: Counts, examples: Examples | None, how: str, weights: list[float] | None = None
    ) -> Classifier:
        """Itself with other counts, and a note of how they came to be."""
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

    def recalibrate(self, texts: object, labels: object, method: str | None = None) -> Classifier:
        """Calibrates anew: by labelled texts that it has not learnt, or by the very ones that it was trained on.

        Texts that it has learnt are left out, each in turn. `method` is a calibration of `Settings`; by default the
        model's own, "none" for no more. Returns itself.
        """
        texts = texts_of(texts)
        return self._recalibrated(Examples(texts, labels_of(labels, texts)), method, IN_MEMORY)

    def recalibrate_by(
        self, source: Source, method: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Classifier:
        """The same by a file, which is read whole. Returns itself."""
        whole = source.in_memory(progress).batch
        return self._recalibrated(whole.examples, method, whole.where)

    def _recalibrated(self, given: Examples, method: str | None, where: Callable[[int], str]) -> Classifier:
        is_asked = method is None and self.settings.calibration == "none"
        settings = replace(self.settings, calibration="auto" if is_asked else method or self.settings.calibration)
        if settings.calibration == "none":
            self.settings = settings
            return self._become(self._known, self._examples, self._card, self._kept, self._worth, None)
        places = [place for place, label in enumerate(given.labels) if label in {*self.labels}]
        sample = self._held_sample(kept.some(given, places), lambda place: where(places[place]))
        if len(sample.y) < FEWEST:
            raise TooFewToCalibrate(got=len(sample.y), least=FEWEST)
        self.settings = settings
        found = calibrate(sample, self._possible(settings.calibration), self._card.labels, *self._priors)
        return self._become(self._known, self._examples, self._card, self._kept, self._worth, found)

    def _held_sample(self, given: Examples, where: Callable[[int], str]) -> Sample:
        """What texts score that it has not learnt; those that it has, by a model without them."""
        try:
            counts = count(self.settings, given.texts, given.labels)
        except BadTextInCore as error:
            refuse(error, given.texts, where)
        if not self.frozen and self.expected is None and _has_learnt(self.counts, counts, self.settings):
            return self._left_out_sample(given)
        some = jackknife.sample_of(given, len(self.labels))
        found = rows(self.lexicon, some.texts, self.settings.cores)
        times = np.ones(len(found.term)) if self.settings.is_binary else found.count
        known = np.bincount(found.row, times, len(found)).astype(np.float64)
        number = {label: r for r, label in enumerate(self.labels)}
        scores = self._card.scores(some.texts, self.settings.cores)
        return Sample(scores, known, np.array([number[label] for label in some.labels], np.int64))

    def _refuse_expected(self, what: str) -> None:
        """Refuses what would be exact in the counts only: expected counts come from all that was known, in no parts."""
        if self.expected is not None:
            raise HoldsExpected(what=what)

    def __repr__(self) -> str:
        return f"Classifier({self.settings.model}, {self._known!r})"


def _has_learnt(counts: Counts, some: Counts, settings: Settings) -> bool:
    """Whether some counts are part of what was counted; of a model that needs its examples, all of it."""
    if settings.needs_rows:
        return counts == some
    try:
        return counts - some is not None
    except NeverLearnt:
        return False


def check_coverage(given: object) -> None:
    """Refuses what is no share of all texts."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 1:
        raise BadSetting(setting="coverage", got=given, expected="a number between 0 and 1")


def _check_positive(setting: str, given: int | None) -> None:
    if given is not None and (type(given) is not int or given < 1):
        raise BadSetting(setting=setting, got=given, expected="a whole number above 0, or None")


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
    for batch in gathered(source.batches(progress)):
        examples, places = as_counted(batch.examples, batch.where, settings.model, FITTED)
        try:
            under_way.add(examples.texts, examples.labels)
        except BadTextInCore as error:
            refuse(error, examples.texts, lambda place: batch.where(places[place]))  # noqa: B023
        for keeper in keepers:
            keeper.add(examples)
    counts = under_way.counts()
    if not counts.labels:
        raise NoExamples(where=source.name)
    return counts


def load(path: str | os.PathLike[str]) -> Classifier:
    """Loads a model that was saved.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train(["free money", "see you"], ["spam", "ham"]).save(f"{folder}/mail.deciban")
    ...     load(f"{folder}/mail.deciban").predict(["money"])
    ['spam']
    """
    saved = modelfile.load(path)
    card, made = (saved.card, saved.calibration) if saved.labels else (None, None)
    expected, kept = saved.expected, saved.kept
    if saved.settings.is_searched and not saved.frozen and kept is None:
        kept = np.ones(len(saved.lexicon), np.bool_)
    known = (saved.known, saved.provenance, None, card, expected, kept, saved.worth, made)
    return Classifier(saved.settings, *known)
