"""What a classifier answers: labels, probabilities, sets of labels, rankings, reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import BadText as BadTextInCore
from ..calibration.chosen import FEWEST
from ..decision import log_odds, log_posterior
from ..decision.depth import Depth, depth
from ..decision.priors import LEAST, Mix, check_priors, mix
from ..decision.ranking import BY, Ranking
from ..decision.rules import Decider, Decision, Rule
from ..decision.sets import Conformal, check_coverage
from ..drift import Drift, drift
from ..errors import (
    BadSetting,
    BadText,
    NoHeldOut,
    NoTexts,
    NotUtf8,
    OneLabel,
    SameLabel,
    described,
)
from ..evidence import Evidence, explain
from ..evidence.levels import Level, levels, parted
from ..examples import as_text, texts_of
from ..hierarchy import Descent, deepest
from ..rows import rows
from ..terms import check_choice, refuse
from ..weighing import log_prior
from .known import IN_MEMORY, Floats, Known, check_positive
from .ranks import Ranks

if TYPE_CHECKING:
    from .._core import Texts


MOST_MIXED = 1 << 22  # probabilities by which a mix of labels is found
MOST_AT_ONCE = 1 << 20  # probabilities


class Answering(Ranks, Known):
    """Texts come in, labels and reasons go out."""

    def scores(self, texts: object, where: Callable[[int], str] = IN_MEMORY) -> Floats:
        """The score of each label (column) for each text (row), in nats, calibrated."""
        texts = texts_of(texts)
        try:
            return self._answering.scores(texts, self.settings.cores)
        except BadTextInCore as error:
            refuse(error, texts, where)

    def predict(self, texts: object, priors: str = "model") -> list[str]:
        """The most probable label of each text; with `priors="adapt"`, for the mix of labels that these texts have.

        By the model's `threshold`, where it has one, and priors are the model's.
        """
        if check_priors(priors) == "model":
            if self.threshold is not None:
                return [found.leaning for found in self.decide(texts)]
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

    def decide(self, texts: object, rule: Rule | None = None) -> list[Decision]:
        """What to decide of each text by what errors cost, how frequent labels are now, and when to ask instead.

        Without a rule by the model's `threshold`, where it has one.

        >>> mail = train(["free money", "money now", "see you", "you see me"], ["spam", "spam", "ham", "ham"])
        >>> decision, = mail.decide(["money"], Rule(costs={("ham", "spam"): 10.0}, reject_cost=0.5))
        >>> decision.label, decision.leaning, round(decision.probability, 3), round(decision.cost, 3)
        (None, 'ham', 0.233, 0.767)
        """
        found = self._decisions(texts_of(texts), self._decider(rule or self._rule), IN_MEMORY)
        return [decision for decision, _ in found]

    @property
    def _rule(self) -> Rule:
        return Rule(threshold=self.threshold)

    def _decider(self, rule: Rule, labels: tuple[str, ...] | None = None, others: Iterable[str] = ()) -> Decider:
        """A rule for its labels, or some in another order; `others` may have costs, too."""
        before = dict(zip(self.labels, self._before.tolist(), strict=True))
        names = self.labels if labels is None else labels
        return Decider(rule, names, np.array([max(before.get(label, 0.0), LEAST) for label in names]), others)

    def _decisions(
        self, texts: Texts, decider: Decider, where: Callable[[int], str]
    ) -> Iterator[tuple[Decision, Floats]]:
        """What to decide of each text, and the log posteriors of all labels."""
        for _, log_p in self._in_parts(texts, where):
            shifted = decider.shifted(log_p)
            yield from zip(decider.decisions(shifted), shifted, strict=True)

    def _in_parts(self, texts: Texts, where: Callable[[int], str]) -> Iterator[tuple[list[Any], Floats]]:
        """The texts, some at a time, with the log posteriors of all labels."""
        step = max(MOST_AT_ONCE // max(len(self.labels), 1), 1)
        for start in range(0, len(texts), step):
            some: list[Any] = [texts[i] for i in range(start, min(start + step, len(texts)))]
            yield some, log_posterior(self.scores(some, lambda place: where(start + place)))  # noqa: B023

    def predict_node(self, texts: object, min_probability: float = 0.8) -> list[tuple[str, float]]:
        """The deepest node of the hierarchy that is so probable, for each text, with its probability.

        A node is as probable as all labels at it and below it; the root, "", is sure.

        >>> texts, labels = ["oil and canvas", "a disk drive", "a mac disk"], ["art", "comp/pc", "comp/mac"]
        >>> model = train(texts * 9, labels * 9, hierarchy="/", model="multinomial")
        >>> [node for node, _ in model.predict_node(["disk", "mac", "?"], 0.7)]
        ['comp', 'comp/mac', '']
        """
        return [node for node, _ in self._nodes(texts_of(texts), min_probability, IN_MEMORY)]

    def _nodes(
        self, texts: Texts, least: float, where: Callable[[int], str], decider: Decider | None = None
    ) -> Iterator[tuple[tuple[str, float], Floats]]:
        """The deepest node of each text that is so probable, and the log posteriors of all labels; for other priors."""
        if isinstance(least, bool) or not isinstance(least, (int, float)) or not 0 < least <= 1:
            raise BadSetting(setting="min_probability", got=least, expected="a probability above 0, up to 1")
        tree = self.tree
        for _, log_p in self._in_parts(texts, where):
            shifted = log_p if decider is None else decider.shifted(log_p)
            yield from zip(deepest(tree, np.exp(shifted), least), shifted, strict=True)

    def predict_set(
        self, texts: object, coverage: float = 0.9, *, within_labels: bool = False
    ) -> list[tuple[str, ...]]:
        """For each text a set of labels that holds the true one so often; the most probable first.

        Overall, or within the texts of each label. The empty set says that no label is as probable as true ones are.
        """
        texts = texts_of(texts)
        return [labels for labels, _ in self._sets(texts, coverage, IN_MEMORY, within=within_labels)]

    def _sets(
        self, texts: Texts, coverage: float, where: Callable[[int], str], *, within: bool
    ) -> Iterator[tuple[tuple[str, ...], Floats]]:
        """The set of each text, and the probabilities of all labels."""
        check_coverage(coverage)
        seen = self._conformal()
        for some, log_p in self._in_parts(texts, where):
            p = np.exp(log_p)
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

    def _depth(self, ranking: Ranking, recall: float) -> Depth:
        """How deep to read what was ranked."""
        try:
            away = self._conformal().of_label(ranking.label)
        except NoHeldOut:
            away = np.empty(0)
        return depth(ranking.probabilities, away, recall)

    def _ranking(self, label: str, top: int | None, by: str, lowest: bool) -> Ranking:
        check_choice("by", by, BY)
        check_positive("top", top)
        one, _ = self._pair(label, None)
        return Ranking(one, top, lowest, log_prior(self._known, self.settings) if by == "ratio" else None)

    def _pair(self, label: str, against: str | None) -> tuple[int, int | None]:
        """The numbers of a label and of what it is compared with; None for all others."""
        if len(self._card.labels) == 1:
            raise OneLabel(label=self.labels[0])
        if label == against:
            raise SameLabel(label=label)
        return self._card.number(label), None if against is None else self._card.number(against)

    def explain(
        self, text: str | bytes, label: str | None = None, against: str | None = None, rule: Rule | None = None
    ) -> Evidence:
        """Why a text gets its label rather than the next one; or why `label` rather than `against`.

        With a `rule`, what other priors and costs add to that are pieces of evidence, too.
        """
        if not isinstance(text, (str, bytes)):
            raise BadText(where="text", got=described(text))
        try:
            is_plain = rule is None and self.threshold is None
            decider = None if is_plain else self._decider(rule or self._rule)
            card, terms = self._card, self.settings.terms
            if isinstance(card, Descent):
                why = parted(card, terms, as_text(text), label, against, self._map, decider)
            else:
                why = explain(card, terms, as_text(text), label, against, self._map, decider)
            return replace(why, unit=self.unit, start=self.settings.start)
        except UnicodeDecodeError as error:
            raise NotUtf8(where="text", byte=error.object[error.start], before=error.start) from None
        except BadTextInCore as error:
            refuse(error, [text], lambda _: "text")

    def explain_levels(self, text: str | bytes, path: str | None = None) -> tuple[Level, ...]:
        """Why a text goes each step of a path, by default to its most probable label, rather than another one.

        >>> texts, labels = ["oil and canvas", "a disk drive", "a mac disk"], ["art", "comp/pc", "comp/mac"]
        >>> model = train(texts * 9, labels * 9, hierarchy="/")
        >>> [level.path for level in model.explain_levels("disk of a mac")]
        ['comp', 'comp/mac']
        """
        if not isinstance(text, (str, bytes)):
            raise BadText(where="text", got=described(text))
        try:
            read, terms = as_text(text), self.settings.terms
        except UnicodeDecodeError as error:
            raise NotUtf8(where="text", byte=error.object[error.start], before=error.start) from None
        tree, scores = self.tree, self.scores([read], lambda _: "text")[0]
        found = levels(self._card, tree, terms, read, scores, path, self._map)
        how = {"unit": self.unit, "start": self.settings.start}
        return tuple(replace(level, evidence=replace(level.evidence, **how)) for level in found)  # type: ignore[arg-type]
