"""`deciban explain`: why a text gets its label.

Each word's weight of evidence for the label against the next one, in decibans: they add up to the answer. With other
priors or costs, or a threshold, what these add is a line of its own. Where labels are paths (train --hierarchy), each
step of the path is explained, unless --against says against what, or more than probabilities decides.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from . import options, rules, screen, several

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..evidence import Evidence
    from ..evidence.levels import Level
    from ..several import Several

SUMMARY = "show why a text gets its label"
EXAMPLE = 'deciban explain mail.deciban "You have won a free ticket" --against ham'


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the text, and which labels to compare."""
    options.add_model(parser)
    add = parser.add_argument
    add("text", metavar="TEXT", help="the text; - reads standard input")
    add("--label", metavar="LABEL", help="the label to argue for; by default the most probable")
    add("--against", metavar="LABEL", help="the label to argue against; by default the next")
    add("--top", default=12, type=options.positive, metavar="N", help="how many terms to show (default: 12)")
    rules.add_arguments(parser)
    options.add_json(parser)


def run(given: Namespace) -> None:
    """Explains one text."""
    from ..evidence import terminal
    from ..loading import load
    from ..several import Several

    text = sys.stdin.buffer.read().decode("utf-8", errors="replace") if given.text == "-" else given.text
    model = load(given.model)
    if isinstance(model, Several):
        evidence = _of_several(given, model, text)
    elif _goes_by_levels(given, model):
        _show_levels(given, model.explain_levels(text, given.label), _node(given, model, text))
        return
    else:
        evidence = _of_one(given, model, text)
    if given.json:
        screen.write_json(_as_json(evidence))
    else:
        screen.console().print(terminal.rich(evidence, given.top))


def _is_decided(given: Namespace, classifier: Classifier) -> bool:
    """Whether the label is decided by more than how probable it is."""
    return rules.is_asked(given) or classifier.threshold is not None


def _of_one(given: Namespace, classifier: Classifier, text: str) -> Evidence:
    rule = rules.of(given, classifier) if _is_decided(given, classifier) else None
    evidence = classifier.explain(text, given.label, given.against, rule)
    return replace(evidence, decision=_node(given, classifier, text) or evidence.decision)


def _goes_by_levels(given: Namespace, classifier: Classifier) -> bool:
    """Whether each step of a path is explained: then nothing is decided but how far to go."""
    if classifier.settings.hierarchy is None or given.against is not None:
        return False
    return not _is_decided(given, classifier) or (rules.asks_probability_alone(given) and not given.prior)


def _node(given: Namespace, classifier: Classifier, text: str) -> str:
    """At which node of a hierarchy an answer stops, for people; empty where that is not asked."""
    if classifier.settings.hierarchy is None or not rules.asks_probability_alone(given):
        return ""
    decider = classifier._decider(rules.rule(given, classifier.labels))
    ((node, p), _), *_ = classifier._nodes([text], given.min_probability, lambda _: "text", decider)
    least = f"{given.min_probability:g}"
    return f"decided: {node}, probability {p:.3g}, the deepest of {least}" if node else f"unsure: no branch has {least}"


def _of_several(given: Namespace, model: Several, text: str) -> Evidence:
    names = ("against", "cost", "costs", "prior", "reject_cost", "min_probability")
    several.refuse(given, *names, expected="--label, which stands against its absence")
    return model.explain(text, given.label)


def _as_json(evidence: Evidence) -> dict[str, Any]:
    terms = [{"name": term.name, **asdict(term)} for term in evidence.terms]
    sums = {"cost": screen.finite(evidence.cost), "total": screen.finite(evidence.total)}
    return {**asdict(evidence), "terms": terms, **sums, "unit": "deciban"}


def _show_levels(given: Namespace, found: Sequence[Level], decision: str) -> None:
    """Each step of the path, from the root down."""
    from ..evidence import terminal

    if given.json:
        steps = [{"path": at.path, "probability": at.probability, **_as_json(at.evidence)} for at in found]
        more = {"decision": decision} if decision else {}
        screen.write_json({"label": found[-1].path, "probability": found[-1].probability, **more, "levels": steps})
        return
    for level in found:
        screen.console().print(terminal.step(level.path, level.probability), terminal.rich(level.evidence, given.top))
    if decision:
        print(decision)
