"""How good decisions are, of which some may be "unsure": what they cost, how many are answered, how many are right.

Texts are answered in the order of how sure the decision is: by probability, or by expected cost where costs are given.
The curve has, for each share of the texts that is answered, the most certain first, the share of those that is wrong.
What is left unsure costs what asking costs; where nobody says what that is, the mean cost is that of answered texts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..decision import log_posterior, posterior
from ..decision.costs import cost_of
from ..decision.rules import Decided, Decider, Rule
from ..hierarchy.sure import deepest
from ..holdout import HeldOut
from ..tree import tree_of
from .hierarchy import NodeFigures, node_figures
from .intervals import wilson
from .probabilities import some_of

Floats = npt.NDArray[np.float64]
SHARES = tuple(share / 20 for share in range(1, 21))
SHOWN = (0.5, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True, eq=False)
class RuleFigures:
    """What a rule does on some held-out examples, beside always deciding for the most probable label.

    `errors` are the shares that are wrong among the most certain 5 %, 10 %, ... 100 %.
    """

    examples: int
    answered: int
    right: int
    cost: float
    cost_of_most_probable: float
    errors: tuple[float, ...]

    @property
    def share(self) -> float:
        """The share that is answered."""
        return self.answered / self.examples

    @property
    def accuracy(self) -> float | None:
        """The share of those answered that is right; None where none is."""
        return self.right / self.answered if self.answered else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where it truly lies, with 95 % confidence (Wilson)."""
        return wilson(self.right, self.answered) if self.answered else None

    def as_dict(self) -> dict[str, Any]:
        """All of it, for machines."""
        return {
            "answered": self.answered,
            "share_answered": self.share,
            "accuracy_of_answered": self.accuracy,
            "interval_95": None if self.interval is None else list(self.interval),
            "mean_cost": self.cost,
            "mean_cost_of_most_probable": self.cost_of_most_probable,
            "error_by_share_answered": [list(point) for point in zip(SHARES, self.errors, strict=True)],
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same for people."""
        right = "none"
        if self.interval is not None:
            right = f"{self.accuracy:.1%} of those right (95 %: {self.interval[0]:.1%} to {self.interval[1]:.1%})"
        some = zip(SHARES, self.errors, strict=True)
        curve = ", ".join(f"{share:.0%}: {error:.1%}" for share, error in some if share in SHOWN)
        return (
            f"decided by the rule: {self.share:.1%} answered, {right}",
            f"cost {self.cost:.4g} an example; {self.cost_of_most_probable:.4g} by the most probable labels",
            f"wrong, of the most certain {curve}",
        )


def decisions(held: HeldOut, decider: Decider) -> RuleFigures:
    """What a rule does on held-out examples, whose labels are those that it decides for.

    >>> held = HeldOut(("ham", "spam"), ["ham", "spam", "spam"], np.log([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]))
    >>> found = decisions(held, Decider(Rule(min_probability=0.7), held.labels, np.array([0.5, 0.5])))
    >>> found.answered, found.right, found.cost, round(found.cost_of_most_probable, 3)
    (2, 1, 0.5, 0.333)
    """
    scores = held.scores_of(np.arange(len(held.truth)))
    parts = [decider.decide(decider.shifted(log_posterior(some))) for some in scores]
    found = Decided(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    rule, decided = decider.rule, [held.labels[r] for r in found.leaning.tolist()]
    prices = np.array([cost_of(rule.costs, *pair) for pair in zip(held.truth, decided, strict=True)])
    is_right = np.fromiter(map(str.__eq__, decided, held.truth), np.bool_, len(decided))
    plain = (cost_of(rule.costs, *pair) for pair in zip(held.truth, held.predicted, strict=True))
    return RuleFigures(
        examples=len(decided),
        answered=int((~found.is_unsure).sum()),
        right=int((is_right & ~found.is_unsure).sum()),
        cost=_mean_cost(prices, found, rule),
        cost_of_most_probable=math.fsum(plain) / len(decided),
        errors=_errors(is_right, -found.cost if rule.costs else found.probability),
    )


def by_nodes(held: HeldOut, decider: Decider, separator: str) -> NodeFigures:
    """What comes of held-out examples where answers stop at the deepest node that is as probable as the rule says."""
    least, tree = decider.rule.min_probability or 1.0, tree_of(held.labels, separator)
    parts = (np.exp(decider.shifted(log_posterior(some))) for some in held.scores_of(np.arange(len(held.truth))))
    nodes = [node for p in parts for node, _ in deepest(tree, p, least)]
    return node_figures(held.truth, nodes, least, separator)


def errors_by_share(held: HeldOut) -> tuple[tuple[float, float], ...]:
    """The share that is wrong (second) if only the most certain share of the examples (first) gets its likeliest label.

    >>> held = HeldOut(("ham", "spam"), ["ham", "spam"], np.log([[0.9, 0.1], [0.8, 0.2]]))
    >>> found = dict(errors_by_share(held))
    >>> found[0.5], found[1.0]
    (0.0, 0.5)
    """
    places = some_of(held)
    found = [(p.argmax(axis=1), p.max(axis=1)) for p in map(posterior, held.scores_of(places))]
    most, sure = (np.concatenate(column) for column in zip(*found, strict=True))
    pairs = zip(places.tolist(), most.tolist(), strict=True)
    is_right = np.array([held.truth[place] == held.labels[r] for place, r in pairs], np.bool_)
    return tuple(zip(SHARES, _errors(is_right, sure), strict=True))


def _mean_cost(prices: Floats, found: Decided, rule: Rule) -> float:
    if rule.reject_cost is not None:
        return float(np.where(found.is_unsure, rule.reject_cost, prices).mean())
    return float(prices[~found.is_unsure].mean()) if not found.is_unsure.all() else 0.0


def _errors(is_right: npt.NDArray[np.bool_], sure: Floats) -> tuple[float, ...]:
    """The share that is wrong of the surest 5 %, 10 %, ...; of equally sure ones, the earlier are surer."""
    wrong = np.cumsum(~is_right[np.argsort(-sure, kind="stable")])
    ends = [max(math.ceil(share * len(wrong) - 1e-9), 1) for share in SHARES]
    return tuple(float(wrong[end - 1] / end) for end in ends)
