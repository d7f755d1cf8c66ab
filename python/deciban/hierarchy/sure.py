"""Probabilities of labels -> the deepest node that is sure enough.

The probability of a node is the sum of those of the labels at it and below it, whatever model they are from. From the
root down, the most probable child is taken as long as it is as probable as was asked for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..tree import Tree

Floats = npt.NDArray[np.float64]


def deepest(tree: Tree, p: Floats, least: float) -> list[tuple[str, float]]:
    """Of each row of probabilities, the name of the deepest node that has at least so much, and what it has.

    >>> from deciban.tree import tree_of
    >>> deepest(tree_of(("art", "comp/mac", "comp/pc"), "/"), np.array([[0.1, 0.5, 0.4], [0.4, 0.3, 0.3]]), 0.8)
    [('comp', 0.9), ('', 1.0)]
    """
    of_node = np.zeros((len(p), len(tree)))
    of_node[:, tree.leaves] = p
    for node in reversed(range(1, len(tree))):
        of_node[:, tree.parent[node]] += of_node[:, node]
    return [_walked(tree, row, least) for row in of_node]


def _walked(tree: Tree, p: Floats, least: float) -> tuple[str, float]:
    node = 0
    while children := tree.children(node):
        best = max(children, key=lambda child: p[child])
        if p[best] < least:
            break
        node = best
    return tree.names[node], min(float(p[node]), 1.0)
