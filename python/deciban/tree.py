"""Labels that are paths -> the tree of their nodes.

A label such as `comp/sys/mac` is a path from the root of a tree: its steps stand between separators. Every label
becomes a leaf of its own; one that has labels below it, too, is a node and the first of that node's children. A step
that leaves no choice, because all labels below a node go the same way, is no node of its own. Node 0 is the root, and
the children of a node stand side by side, so that a tree is two lists of numbers. No NumPy: `deciban predict` needs it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isqrt

from .errors import EmptyStep, NoPaths, UnknownLabel, listed

SHELF = 64  # labels that one decision tells apart as well as several


@dataclass(frozen=True)
class Tree:
    """The nodes of some labels, breadth first: `names`; where the children of each begin (`first`); `label`, by number.

    Of a node that has children, `label` is the first label below it.

    >>> tree = tree_of(("art", "comp/mac", "comp/pc"), "/")
    >>> tree.names, list(tree.children(0)), list(tree.label)
    (('', 'art', 'comp', 'comp/mac', 'comp/pc'), [1, 2], [0, 0, 1, 1, 2])
    >>> tree.way(2), tree.below(2)
    ([2, 4], [1, 2])
    """

    labels: tuple[str, ...]
    separator: str
    names: tuple[str, ...]
    first: array[int]
    label: array[int]
    parent: array[int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.names)

    def children(self, node: int) -> range:
        """The children of a node."""
        return range(self.first[node], self.first[node + 1])

    @property
    def inner(self) -> list[int]:
        """All nodes that have children."""
        return [node for node in range(len(self)) if self.children(node)]

    @cached_property
    def leaves(self) -> list[int]:
        """The leaf of each label."""
        leaves = [0] * len(self.labels)
        for node in range(len(self)):
            if not self.children(node):
                leaves[self.label[node]] = node
        return leaves

    def way(self, label: int) -> list[int]:
        """The nodes from below the root to the leaf of a label."""
        way, node = [], self.leaves[label]
        while node:
            way.append(node)
            node = self.parent[node]
        return way[::-1]

    def below(self, node: int) -> list[int]:
        """The numbers of the labels at a node and below it."""
        found, left = [], [node]
        while left:  # a path may have more steps than Python calls
            node = left.pop()
            if children := self.children(node):
                left += children
            else:
                found.append(self.label[node])
        return sorted(found)

    def node(self, path: str) -> int:
        """The node at the end of a path: where it is a label and has others below it, the one with all of them."""
        for node, name in enumerate(self.names):
            if name == path or name.startswith(path + self.separator):
                return node
        raise UnknownLabel(label=path, known=listed(self.labels))


@dataclass
class _Step:
    below: dict[str, _Step] = field(default_factory=dict)
    label: int | None = None


def tree_of(labels: Sequence[str], separator: str) -> Tree:
    """The tree of some labels, sorted, all of whose steps say something."""
    check_steps(labels, separator)
    root = _Step()
    for number, label in enumerate(labels):
        at = root
        for step in label.split(separator):
            at = at.below.setdefault(step, _Step())
        at.label = number
    return _numbered(root, tuple(labels), separator)


def _numbered(root: _Step, labels: tuple[str, ...], separator: str) -> Tree:
    queue, parent, first = [("", root)], array("I", [0]), array("I")
    names: list[str] = []
    label: list[int] = []
    for node, (name, step) in enumerate(queue):
        while len(step.below) == 1 and step.label is None:  # no choice
            (only, step), *_ = step.below.items()
            name = f"{name}{separator}{only}" if name else only
        own = [] if step.label is None or not step.below else [(name, _Step(label=step.label))]
        children = own + [(f"{name}{separator}{s}" if name else s, below) for s, below in step.below.items()]
        names.append(name)
        label.append(-1 if step.label is None else step.label)
        first.append(len(queue))
        queue += children
        parent.extend([node] * len(children))
    first.append(len(queue))
    for node in reversed(range(len(names))):
        if label[node] < 0:
            label[node] = min(label[first[node] : first[node + 1]])
    return Tree(labels, separator, tuple(names), first, array("I", label), parent)


def shelves(tree: Tree, most: int | None = None) -> Tree:
    """The same labels two steps deep: shelves of at most so many labels, and the labels of each.

    A shelf has subtrees of one node, as many as fit. Labels that all fit on one are one step deep. Without a size it is
    64 labels, or the square root of how many there are, where that is more: then both steps are short.

    >>> shelves(tree_of(("art", "comp/mac", "comp/pc", "rec/bike", "rec/car"), "/"), 3).names
    ('', 'art … comp', 'rec', 'art', 'comp/mac', 'comp/pc', 'rec/bike', 'rec/car')
    """
    if len(tree) == 1:
        return tree
    runs = _runs(tree, most or max(SHELF, isqrt(len(tree.labels))))
    held = [[label for node in run for label in tree.below(node)] for run in runs]
    if len(runs) == 1:
        return _two_steps(tree, [tree.labels[label] for label in held[0]], [[label] for label in held[0]])
    return _two_steps(tree, [" … ".join(tree.names[v] for v in dict.fromkeys((run[0], run[-1]))) for run in runs], held)


def _two_steps(tree: Tree, names: list[str], held: list[list[int]]) -> Tree:
    """The tree with nodes of such names below the root, and labels below those; a node of one label is its leaf."""
    below = [labels if len(labels) > 1 else [] for labels in held]
    first = array("I", [1])
    for size in (len(names), *map(len, below)):
        first.append(first[-1] + size)
    leaves = [label for labels in below for label in labels]
    first.extend([first[-1]] * len(leaves))
    parent = [0] * (1 + len(names)) + [1 + shelf for shelf, labels in enumerate(below) for _ in labels]
    label = [0, *map(min, held), *leaves]
    every = ("", *names, *(tree.labels[leaf] for leaf in leaves))
    return Tree(tree.labels, tree.separator, every, first, array("I", label), array("I", parent))


def _runs(tree: Tree, most: int) -> list[list[int]]:
    """Children of one node with at most so many labels below them together."""
    sizes = [0] * len(tree)
    for node in reversed(range(len(tree))):
        sizes[node] = sum(sizes[child] for child in tree.children(node)) or 1
    runs: list[list[int]] = []
    inner = [0]
    while inner:
        room = 0
        for child in tree.children(inner.pop()):
            if sizes[child] > most:
                inner.append(child)
                continue
            room -= sizes[child]
            if room < 0:
                runs.append([])
                room = most - sizes[child]
            runs[-1].append(child)
    return runs


def check_steps(labels: Iterable[str], separator: str) -> None:
    """Refuses a label with a step that says nothing."""
    for label in labels:
        if "" in label.split(separator):
            raise EmptyStep(label=label, separator=separator)


def check_paths(labels: Sequence[str], separator: str) -> None:
    """Refuses labels that are no paths: they would all stand below the root."""
    check_steps(labels, separator)
    if not any(separator in label for label in labels):
        raise NoPaths(separator=separator, labels=listed(labels))


def cut(label: str, separator: str, depth: int) -> str:
    """The ancestor of a label so many steps below the root; itself, where it has no more steps.

    >>> cut("comp/sys/mac", "/", 2), cut("art", "/", 2)
    ('comp/sys', 'art')
    """
    return separator.join(label.split(separator)[:depth])
