"""How good answers are where labels are paths in a hierarchy: a near miss is better than a far one.

A label such as `science/physics/optics` stands for itself and its ancestors, `science/physics` and `science`. With T_i
the labels that the true one stands for, P_i those of the predicted one (Kiritchenko et al. 2005)

    hP = sum |T_i and P_i| / sum |P_i|;  hR = sum |T_i and P_i| / sum |T_i|;  hF = 2 hP hR / (hP + hR)

Where no label has an ancestor all three are the accuracy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

SEPARATOR = "/"


@dataclass(frozen=True)
class PathFigures:
    """Hierarchical precision, recall and F1."""

    precision: float
    recall: float
    f1: float


def with_ancestors(label: str, separator: str = SEPARATOR) -> frozenset[str]:
    """A label and all above it; nothing for the root, which is no answer.

    >>> sorted(with_ancestors("a/b/c")), with_ancestors("")
    (['a', 'a/b', 'a/b/c'], frozenset())
    """
    if not label:
        return frozenset()
    steps = label.split(separator)
    return frozenset(separator.join(steps[:end]) for end in range(1, len(steps) + 1))


def path_figures(pairs: Mapping[tuple[str, str], int], separator: str = SEPARATOR) -> PathFigures:
    """The figures of answers that came so often: (true, predicted).

    >>> path_figures({("a/b", "a/c"): 1, ("a/b", "a/b"): 1})
    PathFigures(precision=0.75, recall=0.75, f1=0.75)
    """
    stands_for = {label: with_ancestors(label, separator) for pair in pairs for label in pair}
    both = truly = said = 0
    for (true, predicted), times in pairs.items():
        both += times * len(stands_for[true] & stands_for[predicted])
        truly += times * len(stands_for[true])
        said += times * len(stands_for[predicted])
    return PathFigures(both / said if said else 0.0, both / truly, 2 * both / (said + truly))


@dataclass(frozen=True)
class NodeFigures:
    """How good answers are that stop at the deepest node that is so probable (`least`).

    Of `examples`, so many are answered by a node below the root, `right` of which have the true label at or below them.
    """

    least: float
    examples: int
    answered: int
    right: int
    paths: PathFigures

    def as_dict(self) -> dict[str, Any]:
        """All of it, for machines."""
        return asdict(self)

    @property
    def sentence(self) -> str:
        """The same for people."""
        right = f"{self.right / self.answered:.1%} of those hold the true label" if self.answered else "none"
        of = self.paths
        return (
            f"by nodes of a probability of {self.least:g}: {self.answered / self.examples:.1%} answered, {right}; "
            f"with ancestors: precision {of.precision:.3f}, recall {of.recall:.3f}, F1 {of.f1:.3f}"
        )


def node_figures(truth: Sequence[str], nodes: Sequence[str], least: float, separator: str = SEPARATOR) -> NodeFigures:
    """The figures of nodes, the root being no answer.

    >>> found = node_figures(["a/b", "a/c", "d"], ["a", "a/b", ""], 0.8)
    >>> found.answered, found.right, found.paths.precision
    (2, 1, 0.6666666666666666)
    """
    pairs = Counter(zip(truth, nodes, strict=True))
    right = sum(times for (true, node), times in pairs.items() if node in with_ancestors(true, separator))
    return NodeFigures(least, len(truth), len(truth) - nodes.count(""), right, path_figures(pairs, separator))
