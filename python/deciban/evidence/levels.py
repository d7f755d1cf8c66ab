"""Why, level by level: of a label that is a path, each step of it against where else it could have gone.

The evidence of a step is that of the best label that goes this way against the best one that leaves it there. Decided
from the root down, it is that of the decision which tells the two apart: of their shelves, or of them on their shelf.
Either way each level adds up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..calibration import Calibration
from ..decision import log_posterior, posterior
from ..decision.rules import Decider
from ..errors import OneLabel, SameLabel
from ..hierarchy import Descent
from ..projection import Forest
from ..scorecard import Scorecard
from ..terms import Terms
from ..tree import Tree
from ..units import decibans
from . import Evidence, decided, explain

Floats = npt.NDArray[np.float64]
NEAR = 1e-6  # decibans: what is no more comes of rounding


@dataclass(frozen=True)
class Level:
    """A step of a path: the node that it leads to, how probable that is, and why it is this one."""

    path: str
    probability: float
    evidence: Evidence

    def __str__(self) -> str:
        return f"{self.path}  probability {self.probability:.3f}\n{self.evidence}"


def levels(
    card: Scorecard | Forest | Descent,
    tree: Tree,
    terms: Terms,
    text: str,
    scores: Floats,
    path: str | None = None,
    calibration: Calibration | None = None,
) -> tuple[Level, ...]:
    """Every step to the end of a path, by default the most probable label; `scores` are the text's, calibrated."""
    p = posterior(scores)
    end = tree.leaves[int(scores.argmax())] if path is None else tree.node(path)
    if len(tree) == 1:
        raise OneLabel(label=tree.labels[0])
    if not end:
        raise SameLabel(label=str(path))
    way = [end]
    while tree.parent[way[0]]:
        way.insert(0, tree.parent[way[0]])
    found = []
    for node in way:
        one, other = _best(tree, scores, node)
        if isinstance(card, Descent):
            why = _where_they_part(card, terms, text, one, other, calibration)
        else:
            why = explain(card, terms, text, tree.labels[one], tree.labels[other], calibration)
        found.append(Level(tree.names[node], float(p[tree.below(node)].sum()), why))
    return tuple(found)


def _best(tree: Tree, scores: Floats, node: int) -> tuple[int, int]:
    """The best label at a node or below it, and the best of those that part there."""
    here = set(tree.below(node))
    others = [label for label in tree.below(tree.parent[node]) if label not in here]
    one, other = (max(sorted(of), key=lambda label: scores[label]) for of in (here, others))
    return one, other


def parted(
    card: Descent,
    terms: Terms,
    text: str,
    label: str | None,
    against: str | None,
    calibration: Calibration | None,
    decider: Decider | None = None,
) -> Evidence:
    """The evidence where the ways of two labels part: by default of the most probable, against the next.

    With a rule, of the label that is decided: what its words, its shelf, other priors and costs say.
    """
    tree, scores = card.tree, card.with_map(calibration).scores([text])[0]
    if len(tree.labels) == 1:
        raise OneLabel(label=tree.labels[0])
    given = [None if name is None else card.number(name) for name in (label, against)]
    log_p = log_posterior(scores) if decider is None else decider.shifted(log_posterior(scores))
    best = np.argsort(-scores, kind="stable").tolist() if decider is None else decider.order(log_p)
    order = [r for r in best if r not in given]
    one, other = (order.pop(0) if r is None else r for r in given)
    if one == other:
        raise SameLabel(label=str(label))
    why = _where_they_part(card, terms, text, one, other, calibration)
    if decider is None:
        return why
    shelves = decibans(float(scores[one] - scores[other])) - why.total
    names = {"label": tree.labels[one], "against": tree.labels[other], "probability": float(np.exp(log_p[one]))}
    more = decided(decider, log_p, one, other)
    return replace(why, **names, shelves=shelves if abs(shelves) > NEAR else 0.0, **more)  # type: ignore[arg-type]


def _where_they_part(
    card: Descent, terms: Terms, text: str, one: int, other: int, calibration: Calibration | None
) -> Evidence:
    """The evidence of the decision that tells two labels apart."""
    tree = card.tree
    ways = tree.way(one), tree.way(other)
    at = next(i for i, (a, b) in enumerate(zip(*ways, strict=False)) if a != b)
    here, there = (tree.names[way[at]] for way in ways)
    return explain(card.choice(tree.parent[ways[0][at]], terms), terms, text, here, there, calibration)
