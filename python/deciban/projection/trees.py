"""Decision trees as flat arrays: how they are asked, how they are checked, and which way a row takes through one.

Trees stand one after the other: tree t is the nodes from `start[t]` to `start[t + 1]`, its root first. A row goes from
node v to `left[v]` if its feature `feature[v]` is at most `threshold[v]`, else to `right[v]`; where both are 0, v is a
leaf. `p[v]` has the probability of each label among the rows that reach v.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Halves = npt.NDArray[np.float16]
Numbers = npt.NDArray[np.uint32]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trees:
    """Some trees."""

    start: Integers
    feature: Numbers
    threshold: Floats
    left: Numbers
    right: Numbers
    p: Floats

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def buffers(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The same, as a file holds it."""
        return self.start, self.feature, self.threshold, self.left, self.right, self.p.ravel()

    def leaves(self, tree: int, features: Singles) -> Integers:
        """The leaf that each row (of features) reaches in a tree."""
        node = np.full(len(features), self.start[tree])
        going = np.arange(len(features))
        while len(going := going[self.left[node[going]] > 0]):
            at = node[going]
            is_left = features[going, self.feature[at]] <= self.threshold[at]
            node[going] = np.where(is_left, self.left[at], self.right[at])
        return node

    def way(self, tree: int, features: Singles) -> Iterator[tuple[int, int]]:
        """The steps of one row through a tree, from which node to which."""
        node = int(self.start[tree])
        while self.left[node]:
            is_left = features[self.feature[node]] <= self.threshold[node]
            after = int((self.left if is_left else self.right)[node])
            yield node, after
            node = after

    def check(self, rounds: int, features: int) -> None:
        """Refuses what is no forest of so many trees over so many features, which the nodes of each could lead to."""
        n = len(self.feature)
        size = np.diff(self.start)
        if len(size) != rounds or self.start[0] != 0 or self.start[-1] != n or (size < 1).any():
            raise ValueError("its trees do not fit its rounds")
        if not len(self.threshold) == len(self.left) == len(self.right) == len(self.p) == n:
            raise ValueError("the arrays of its trees differ in length")
        inner = self.left > 0
        if (inner != (self.right > 0)).any() or (self.feature[inner] >= features).any():
            raise ValueError("its trees ask for features that there are not")
        self._check_ways(size, inner)
        is_sum = np.abs(self.p.sum(axis=1) - 1) < 1e-6
        if not np.isfinite(self.threshold).all() or not is_sum.all() or not (self.p > 0).all():
            raise ValueError("its trees hold numbers that no tree has")

    def _check_ways(self, size: Integers, inner: npt.NDArray[np.bool_]) -> None:
        """Children stand after their parents, in the same tree, and each node but a root is the child of one."""
        own, end = np.flatnonzero(inner), np.repeat(self.start[1:], size)
        children = np.concatenate([self.left[own], self.right[own]]).astype(np.int64)
        parents = np.concatenate([own, own])
        is_root = np.zeros(len(inner), np.bool_)
        is_root[self.start[:-1]] = True
        if (children <= parents).any() or (children >= end[parents]).any():
            raise ValueError("its trees lead out of themselves, or back")
        if (np.bincount(children, minlength=len(inner)) != ~is_root).any():
            raise ValueError("its trees have nodes that no way, or more than one, leads to")


def joined(trees: Sequence[Trees]) -> Trees:
    """Several forests as one."""
    shift = np.concatenate([[0], np.cumsum([tree.start[-1] for tree in trees])])
    start = np.concatenate([tree.start[:-1] + first for tree, first in zip(trees, shift, strict=False)] + [shift[-1:]])

    def child(which: str) -> Numbers:
        moved = [
            np.where(getattr(tree, which) > 0, getattr(tree, which) + first, 0)
            for tree, first in zip(trees, shift, strict=False)
        ]
        return np.concatenate(moved).astype(np.uint32)

    feature, threshold, p = (
        np.concatenate([getattr(t, what) for t in trees]) for what in ("feature", "threshold", "p")
    )
    return Trees(start.astype(np.int64), feature, threshold, child("left"), child("right"), p)
