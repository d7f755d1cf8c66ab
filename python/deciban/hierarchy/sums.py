"""Counts of labels -> counts of what is above them in a tree: a node has what the labels below it have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..tree import Tree, cut

Integers = npt.NDArray[np.int64]


def merged(counts: Counts, number: Integers, labels: Sequence[str]) -> Counts:
    """The counts with label r under number[r] of other labels: exactly as if they had been counted so."""
    k = len(labels)
    keys, place = np.unique(counts.term * k + number[counts.label], return_inverse=True)
    sums = (np.bincount(place, of, len(keys)).astype(np.int64) for of in (counts.occurrences, counts.presences))
    documents = np.bincount(number, counts.documents, k).astype(np.int64)
    indptr = np.searchsorted(keys, np.arange(len(counts.lexicon) + 1) * k)
    buffers: Any = (counts.lexicon, documents, indptr, (keys % k).astype(np.uint32), *sums)
    return Counts.of_buffers(counts.terms, labels, buffers)


def at_depth(counts: Counts, separator: str, depth: int) -> tuple[Counts, Integers]:
    """The counts of all labels cut to so many steps, and the number there of each label.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> summed, number = at_depth(count(Terms(), ["a b", "b", "c"], ["x/1", "x/2", "y"]), "/", 1)
    >>> summed.labels, summed.documents.tolist(), number.tolist()
    (('x', 'y'), [2, 1], [0, 0, 1])
    """
    cuts = [cut(label, separator, depth) for label in counts.labels]
    labels = sorted(set(cuts))
    place = {label: number for number, label in enumerate(labels)}
    number = np.array([place[label] for label in cuts], np.int64)
    return merged(counts, number, labels), number


class Size:
    """So many terms, of which nobody asks for the names."""

    def __init__(self, terms: int) -> None:
        self._terms = terms

    def __len__(self) -> int:
        return self._terms


@dataclass(frozen=True, eq=False)
class Choice:
    """A node's choice among its children: the counts of all that is below it, by child; which terms these are.

    `places` are those of its postings among the postings of all nodes.
    """

    node: int
    counts: Counts
    terms: Integers
    places: Integers


@dataclass(frozen=True, eq=False)
class Summed:
    """The counts of all nodes: postings by term and node, and the choices that are made of them."""

    tree: Tree
    indptr: Integers
    node: npt.NDArray[np.uint32]
    choices: list[Choice]


def summed(counts: Counts, tree: Tree) -> Summed:
    """The sums of some counts up a tree."""
    n, ways = len(tree), [tree.way(label) for label in range(len(tree.labels))]
    depth = np.array([len(way) for way in ways], np.int64)
    start, flat = np.concatenate([[0], np.cumsum(depth)]), np.array([v for way in ways for v in way], np.int64)
    times = depth[counts.label]  # each posting counts for every node on its label's way
    step = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    on_way = flat[np.repeat(start[counts.label], times) + step]
    keys, place = np.unique(np.repeat(counts.term, times) * n + on_way, return_inverse=True)
    occurrences, presences = (
        np.bincount(place, np.repeat(of, times), len(keys)).astype(np.int64)
        for of in (counts.occurrences, counts.presences)
    )
    documents = np.bincount(flat, np.repeat(counts.documents, depth), n).astype(np.int64)
    term, node = keys // n, keys % n
    indptr = np.searchsorted(term, np.arange(len(counts.lexicon) + 1))
    by_parent = np.asarray(tree.parent, np.int64)[node]
    order = np.argsort(by_parent, kind="stable")  # inside a choice, by term and child
    ends = np.searchsorted(by_parent[order], np.arange(n + 1))
    choices = []
    for v in tree.inner:
        places, children = order[ends[v] : ends[v + 1]], tree.children(v)
        terms, starts = np.unique(term[places], return_index=True)
        local: Any = (
            Size(len(terms)),
            documents[children.start : children.stop],
            np.append(starts, len(places)).astype(np.int64),
            (node[places] - children.start).astype(np.uint32),
            occurrences[places],
            presences[places],
        )
        names = tree.names[children.start : children.stop]
        choices.append(Choice(v, Counts.of_buffers(counts.terms, names, local), terms, places))
    return Summed(tree, indptr, node.astype(np.uint32), choices)
