"""How good answers are where labels are paths in a hierarchy: a near miss is better than a far one.

A label such as `science/physics/optics` stands for itself and its ancestors, `science/physics` and `science`. With T_i
the labels that the true one stands for, P_i those of the predicted one (Kiritchenko et al. 2005)

    hP = sum |T_i and P_i| / sum |P_i|;  hR = sum |T_i and P_i| / sum |T_i|;  hF = 2 hP hR / (hP + hR)

Where no label has an ancestor all three are the accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SEPARATOR = "/"


@dataclass(frozen=True)
class PathFigures:
    """Hierarchical precision, recall and F1."""

    precision: float
    recall: float
    f1: float


def with_ancestors(label: str, separator: str = SEPARATOR) -> frozenset[str]:
    """A label and all above it.

    >>> sorted(with_ancestors("a/b/c"))
    ['a', 'a/b', 'a/b/c']
    """
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
    return PathFigures(both / said, both / truly, 2 * both / (said + truly))
