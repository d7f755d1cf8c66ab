"""How to decide, as options of commands that decide: costs, priors, and when to answer "unsure"."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import UsageError, options, screen

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..decision.rules import Rule
    from ..decision.threshold import Threshold


def add_arguments(parser: ArgumentParser) -> None:
    """What errors cost, how frequent labels are, and when to ask instead."""
    add = parser.add_argument
    cost = "what an error costs, such as spam:ham=10 for spam that is taken for ham; may be repeated"
    add("--cost", action="append", default=[], type=_cost, metavar="TRUE:DECIDED=COST", help=cost)
    costs = "the same as a CSV file with the columns true, predicted, cost (others: 0 if right, 1 if wrong)"
    add("--costs", metavar="FILE", help=costs)
    prior = "how frequent a label is now, such as spam=0.02; others keep their relation; may be repeated"
    add("--prior", action="append", default=[], type=_prior, metavar="LABEL=SHARE", help=prior)
    reject = "what asking a person costs: where deciding is expected to cost more, the answer is unsure"
    add("--reject-cost", type=_reject_cost, metavar="COST", help=reject)
    least = "answer unsure where the label is less probable than this; of paths, the deepest node that is not"
    add("--min-probability", type=options.share, metavar="P", help=least)


def is_asked(given: Namespace) -> bool:
    """Whether somebody says how to decide."""
    said = (given.cost, given.costs, given.prior, given.reject_cost, given.min_probability)
    return any(option is not None and option != [] for option in said)


def check_file(given: Namespace) -> None:
    """Refuses a file of costs that cannot be read, before anything that takes long."""
    if given.costs is not None:
        from ..decision import costs

        costs.read(given.costs)


def of(given: Namespace, classifier: Classifier, labels: Iterable[str] | None = None) -> Rule:
    """How a model is to decide: as the options say, or by its threshold; and what there is to tell of that."""
    from ..decision.rules import Rule

    threshold = classifier.threshold
    if is_asked(given):
        if threshold is not None:
            screen.tell(f"the model's threshold for {threshold.label} is left aside, as other options decide")
        return rule(given, labels or classifier.labels)
    if threshold is not None and threshold.is_from_before:
        tell_from_before(threshold)
    return Rule(threshold=threshold)


def tell_from_before(threshold: Threshold) -> None:
    """Says that a model has changed since its threshold was chosen."""
    screen.tell(f"the threshold for {threshold.label} is from before the model's last change: deciban set-threshold")


def asks_probability_alone(given: Namespace) -> bool:
    """Whether nothing but --min-probability is said, and how frequent labels are: then nodes of a tree may answer."""
    others = (given.cost, given.costs, given.reject_cost)
    return given.min_probability is not None and not any(option is not None and option != [] for option in others)


def rule(given: Namespace, labels: Iterable[str]) -> Rule:
    """The rule that the options say, for a model of such labels."""
    from ..decision import costs
    from ..decision.rules import Rule

    labels = tuple(labels)
    prices = {} if given.costs is None else costs.read(given.costs)
    said = {costs.pair_of(pair, labels): cost for pair, cost in given.cost}
    if len(said) < len(given.cost):
        raise UsageError("--cost names a pair of labels twice")
    prices |= said
    priors = dict(given.prior)
    if len(priors) < len(given.prior):
        raise UsageError("--prior names a label twice")
    return Rule(prices, priors, given.reject_cost, given.min_probability)


def warn(classifier: Classifier) -> None:
    """Says where probabilities that decide cannot be believed."""
    if classifier.calibration is None:
        screen.warn("the model is not calibrated, so its probabilities, by which is decided, may be too sure")


def _cost(given: str) -> tuple[str, float]:
    """`spam:ham=10` as what it costs; which labels are meant is told when they are known."""
    pair, _, number = given.rpartition("=")
    try:
        cost = float(number)
    except ValueError:
        cost = float("nan")
    if ":" not in pair or cost - cost != 0:
        raise ArgumentTypeError(f"expected TRUE:DECIDED=COST, such as spam:ham=10, got {given!r}")
    return pair, cost


def _prior(given: str) -> tuple[str, float]:
    """`spam=0.02` as a label and how frequent it is."""
    label, _, number = given.rpartition("=")
    try:
        share = float(number)
    except ValueError:
        share = -1.0
    if not label or not 0 < share < 1:
        raise ArgumentTypeError(f"expected LABEL=SHARE with a number between 0 and 1, such as spam=0.02, got {given!r}")
    return label, share


def _reject_cost(given: str) -> float:
    """A number from 0."""
    try:
        cost = float(given)
    except ValueError:
        cost = -1.0
    if not 0 <= cost < float("inf"):
        raise ArgumentTypeError(f"expected a number from 0, got {given!r}")
    return cost
