"""Posterior probabilities -> a decision: the label that costs least, or none where it is better to ask.

Bayes decision theory (Stone's lecture begins with it; with costs, Duda, Hart and Stork 2001, 2.2; to ask, Chow 1970).
With the probability p_y of label y for a text, and the cost c(y, d) of deciding d where y is true:

    p'_y ~ p_y pi'_y / pi_y                      for other priors pi' than the pi that the model has learnt
    R(d) = sum_y p'_y c(y, d)                    expected cost; the least is decided
    unsure, where the least R is above the cost of asking, or p'_d is below the least probability

Of two decisions, which is cheaper is a question of log-odds again, to which costs add as a prior does (Zhu 16-18):

    D(d, e) = log sum_y p'_y [c(y,e) - c(y,d)]+ - log sum_y p'_y [c(y,d) - c(y,e)]+  >  0   where R(d) < R(e)

With two labels that is log p'_d/p'_e + log (c(d,e) - c(d,d)) / (c(e,d) - c(e,e)): one number more than the posterior
log-odds, the same for all texts. Where no cost is given (0 if right, 1 if wrong), it is 0 for any number of labels.
All of it is decided when a text is: no model is trained anew. It rests on honest probabilities, so on calibrated ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BadPriors, BadSetting, UnknownLabel, listed
from ..units import decibans
from . import log_odds, log_posterior
from .costs import Costs, check, check_number, cost_of
from .threshold import Threshold

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
NEAR = 1e-9  # a sum of priors that is so near to 1 is 1


class Decision(NamedTuple):
    """What is decided of a text: its label, or None, "unsure"; and the label that costs least, decided or not.

    `probability` and `cost`, the expected one, are those of `leaning`.
    """

    label: str | None
    leaning: str
    probability: float
    cost: float


@dataclass(frozen=True)
class Rule:
    """How to decide: what (true label, decided label) costs, how frequent labels are, when not to decide at all.

    A pair without a cost costs 0 if right, 1 if wrong. Labels without a prior share what is left, in the relation that
    they have. `reject_cost` is what asking a person costs: where deciding is expected to cost more, the answer is
    unsure; and so it is where it is less probable than `min_probability`. A `threshold`, as a model may have one, says
    when to decide for one label, in place of costs and priors.

    >>> mail = train(["free money", "money now", "see you", "you see me"], ["spam", "spam", "ham", "ham"])
    >>> [decision.label for decision in mail.decide(["money", "you"], Rule(costs={("ham", "spam"): 99.0}))]
    ['ham', 'ham']
    >>> [decision.label for decision in mail.decide(["money", "you see"], Rule(min_probability=0.8))]
    [None, 'ham']
    """

    costs: Costs = field(default_factory=dict)
    priors: Mapping[str, float] = field(default_factory=dict)
    reject_cost: float | None = None
    min_probability: float | None = None
    threshold: Threshold | None = None

    def __post_init__(self) -> None:
        is_alone = not self.costs and not self.priors and self.reject_cost is None
        _check("threshold", self.threshold, self.threshold is None or is_alone, "no costs and no priors beside it")
        for pair, cost in self.costs.items():
            check_number(cost, f"costs[{pair!r}]")
        for label, prior in self.priors.items():
            _check(f"prior of {label}", prior, 0 < _number(prior) < 1, "a number between 0 and 1")
        if self.reject_cost is not None:
            is_cost = 0 <= _number(self.reject_cost) < math.inf
            _check("reject_cost", self.reject_cost, is_cost, "a number from 0")
        if self.min_probability is not None:
            is_share = 0 < _number(self.min_probability) < 1
            _check("min_probability", self.min_probability, is_share, "a number between 0 and 1")

    @property
    def may_be_unsure(self) -> bool:
        """Whether a text may get no label."""
        return self.reject_cost is not None or self.min_probability is not None

    @property
    def has_costs(self) -> bool:
        """Whether it is said what something costs."""
        return bool(self.costs) or self.reject_cost is not None


def _number(given: object) -> float:
    return float(given) if isinstance(given, (int, float)) and not isinstance(given, bool) else math.nan


def _check(setting: str, got: object, is_right: bool, expected: str) -> None:
    if not is_right:
        raise BadSetting(setting=setting, got=got, expected=expected)


class Decided(NamedTuple):
    """Of some texts: the number of the cheapest label, its probability and cost, and whether it is not decided."""

    leaning: Integers
    probability: Floats
    cost: Floats
    is_unsure: Bools


@dataclass(frozen=True, eq=False)
class Decider:
    """A rule at work on the labels of a model that takes them to be so frequent (`before`).

    `others` are labels that may have costs, though the model does not know them.

    >>> rule = Rule(costs={("spam", "ham"): 3.0}, priors={"spam": 0.2}, reject_cost=0.4)
    >>> decider = Decider(rule, ("ham", "spam"), np.array([0.5, 0.5]))
    >>> found = decider.decide(decider.shifted(np.log([[0.6, 0.4], [0.95, 0.05]])))
    >>> found.leaning.tolist(), found.cost.round(3).tolist(), found.is_unsure.tolist()
    ([0, 0], [0.429, 0.039], [True, False])
    """

    rule: Rule
    labels: tuple[str, ...]
    before: Floats
    others: Iterable[str] = ()

    def __post_init__(self) -> None:
        check(self.rule.costs, {*self.labels, *self.others})
        _ = self.shift  # making it checks it

    @cached_property
    def shift(self) -> Floats:
        """log pi' - log pi of each label."""
        if not self.rule.priors:
            return np.zeros(len(self.labels))
        given = self.rule.priors
        for label in given.keys() - {*self.labels}:
            raise UnknownLabel(label=label, known=listed(self.labels))
        is_given = np.array([label in given for label in self.labels])
        now = np.array([given.get(label, 0.0) for label in self.labels])
        now[~is_given] = self.before[~is_given] / self.before[~is_given].sum() * self._left()
        return np.asarray(np.log(now) - np.log(self.before))

    def _left(self) -> float:
        """What the priors leave for labels that have none; they must leave something, or all have one."""
        total = math.fsum(self.rule.priors.values())
        others = [label for label in self.labels if label not in self.rule.priors]
        if others and total >= 1:
            raise BadPriors(total=total, expected=f"less than 1, to leave something for {listed(others)}")
        if not others and abs(total - 1) > NEAR:
            raise BadPriors(total=total, expected="1, as every label has one")
        return 1 - total

    def shifted(self, log_p: Floats) -> Floats:
        """Log posteriors of texts (rows) for the priors of the rule."""
        return log_posterior(log_p + self.shift) if self.rule.priors else log_p

    def gains(self, p: Floats) -> Floats:
        """1 - R(d) of each text (row) and label d (column): p'_d itself where no cost is given."""
        number = {label: r for r, label in enumerate(self.labels)}
        gains = p.copy()
        for (true, decided), cost in self.rule.costs.items():
            if true in number and decided in number:
                gains[:, number[decided]] -= p[:, number[true]] * (cost - (true != decided))
        return gains

    def above(self, log_p: Floats) -> Floats:
        """How far texts (rows) are above the threshold of its label."""
        threshold = self.rule.threshold
        if threshold is None:
            raise ValueError("no threshold")
        with np.errstate(invalid="ignore"):
            above = log_odds(log_p, self.labels.index(threshold.label)) - threshold.log_odds
        return np.where(np.isnan(above), 0.0, above)  # what is endless is not above what is endless

    def _wanted(self, log_p: Floats, gains: Floats) -> Floats:
        """What is greatest of the label to decide for: gains, or of the threshold's label more or less than all."""
        if self.rule.threshold is None:
            return gains
        wanted = gains.copy()
        wanted[:, self.labels.index(self.rule.threshold.label)] = np.where(self.above(log_p) > 0, np.inf, -np.inf)
        return wanted

    def decide(self, log_p: Floats) -> Decided:
        """What to decide of texts (rows) with such log posteriors, of equal labels the first."""
        p = np.exp(log_p)
        gains, each = self.gains(p), np.arange(len(p))
        first = self._wanted(log_p, gains).argmax(axis=1)
        probability, cost = p[each, first], 1 - gains[each, first]
        is_unsure = np.zeros(len(p), np.bool_)
        if self.rule.reject_cost is not None:
            is_unsure |= cost > self.rule.reject_cost
        if self.rule.min_probability is not None:
            is_unsure |= probability < self.rule.min_probability
        return Decided(first, probability, cost, is_unsure)

    def decisions(self, log_p: Floats) -> list[Decision]:
        """The same, by name."""
        found = self.decide(log_p)
        each = zip(*(column.tolist() for column in found), strict=True)
        names = self.labels
        return [Decision(None if unsure else names[r], names[r], p, cost) for r, p, cost, unsure in each]

    def order(self, log_p: Floats) -> list[int]:
        """The numbers of the labels of one text, the cheapest first."""
        wanted = self._wanted(log_p[None], self.gains(np.exp(log_p)[None]))[0]
        return [int(r) for r in np.argsort(-wanted, kind="stable")]

    @property
    def by(self) -> str:
        """What decides, beside probabilities."""
        return "costs" if self.rule.threshold is None else "threshold"

    def told(self, log_p: Floats) -> str:
        """What is decided of one text, and why, for people."""
        _, leaning, probability, cost = found = self.decisions(log_p[None])[0]
        rule = self.rule
        if rule.reject_cost is not None and cost > rule.reject_cost:
            return f"unsure: {leaning} is expected to cost {cost:.3g}, and asking costs {rule.reject_cost:g}"
        if found.label is None:
            return f"unsure: {leaning} has the probability {probability:.3g}, and must have {rule.min_probability:g}"
        if rule.threshold is not None:
            above, label = decibans(float(self.above(log_p[None])[0])), rule.threshold.label
            return f"decided: {leaning}, as {label} is {abs(above):.1f} decibans {_side(above)} its threshold"
        return f"decided: {leaning}, probability {probability:.3g}, expected cost {cost:.3g}"

    def log_odds(self, log_p: Floats, one: int, other: int) -> float:
        """D(one, other) of one text, whose log posteriors are shifted already."""
        this, that = self.labels[one], self.labels[other]
        if self.rule.threshold is not None and self.rule.threshold.label in (this, that):
            above = float(self.above(log_p[None])[0])
            return above if this == self.rule.threshold.label else -above
        costs = self.rule.costs
        saved = np.array([cost_of(costs, y, that) - cost_of(costs, y, this) for y in self.labels])
        for_, against = _log_sum(log_p, saved), _log_sum(log_p, -saved)
        return 0.0 if for_ == against else for_ - against


def _side(above: float) -> str:
    return "above" if above > 0 else "below"


def _log_sum(log_p: Floats, worth: Floats) -> float:
    """log sum_y p_y [worth_y]+"""
    some = worth > 0
    return float(np.logaddexp.reduce(log_p[some] + np.log(worth[some]))) if some.any() else -math.inf
