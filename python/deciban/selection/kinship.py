"""Labels that are paths -> how much each term counts: the more, the nearer to each other the labels that show it.

    g_j = sqrt((s_j + 3 s/p) / (p_j + 3) / (s/p))

Of all pairs of texts p_j have both the term, and the paths of their labels have s_j steps in common, all those pairs
together; of all texts there are p pairs, with s steps. A term that keeps to a branch tells more than its few texts of
each label can show, and one that stands everywhere tells less. Three pairs are taken to be as near as any: a term of
one text counts 1. Steps that all texts have in common are not counted. All of it is a function of the counts, and each
text's own terms without it (`left_out`) are what counts without it give, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..tree import cut

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
DOUBT = 3.0  # pairs


class Shown(NamedTuple):
    """How many texts of labels have terms, the labels' texts, and how many terms there are."""

    term: Integers
    label: Integers
    texts: Integers
    of_label: Integers
    terms: int

    @classmethod
    def of_counts(cls, counts: Counts) -> Shown:
        """What was counted."""
        return cls(counts.term, counts.label.astype(np.int64), counts.presences, counts.documents, len(counts.lexicon))

    @classmethod
    def of_rows(cls, rows: Rows, y: Integers, labels: int, terms: int) -> Shown:
        """What rows of labels y have."""
        keys, texts = np.unique(rows.term.astype(np.int64) * labels + y[rows.row], return_counts=True)
        return cls(keys // labels, keys % labels, texts, np.bincount(y, minlength=labels), terms)


class Step(NamedTuple):
    """The nodes that stand so deep: texts by term and node, sorted by those, and texts by node."""

    number: Integers
    keys: Integers
    texts: Integers
    of_node: Integers

    def of_entries(self, term: npt.NDArray[np.integer], node: Integers) -> Integers:
        """How many texts of the nodes have the terms; 0 where there is no node."""
        keys = term.astype(np.int64) * len(self.of_node) + node
        place = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        return np.where(node >= 0, self.texts[place], 0)

    def pairs(self, terms: int) -> Floats:
        """Of each term the pairs of texts of one node that have it."""
        found = np.bincount(self.keys // len(self.of_node), _pairs(self.texts), terms)
        return np.asarray(found, np.float64)


def steps(labels: Sequence[str], separator: str) -> list[Integers]:
    """For each step of paths the number of each label's node there; -1 where its path has ended.

    >>> [number.tolist() for number in steps(("art", "comp/mac", "comp/pc"), "/")]
    [[0, 1, 1], [-1, 0, 1]]
    """
    depths = np.array([label.count(separator) for label in labels])
    found = []
    for depth in range(max(depths, default=-1) + 1):
        nodes, number = np.unique([cut(label, separator, depth + 1) for label in labels], return_inverse=True)
        left = np.unique(number[depths >= depth])
        place = np.full(len(nodes), -1)
        place[left] = np.arange(len(left))
        found.append(np.where(depths >= depth, place[number], -1))
    return found


def kinship(shown: Shown, of_steps: Sequence[Integers]) -> Floats:
    """g_j of all terms.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> labels = ["art/old", "art/new", "comp/mac", "comp/pc"]
    >>> counts = count(Terms(), ["oil and paint", "paint", "disk and mouse", "disk and screen"], labels)
    >>> g = kinship(Shown.of_counts(counts), steps(counts.labels, "/"))
    >>> dict(zip(counts.lexicon.names(), g.round(2).tolist(), strict=True))
    {'and': 1.0, 'disk': 1.22, 'mouse': 1.0, 'oil': 1.0, 'paint': 1.22, 'screen': 1.0}
    """
    found = [_step(shown, number) for number in of_steps]
    p_j = _pairs(np.bincount(shown.term, shown.texts, shown.terms))
    s_j = [step.pairs(shown.terms) for step in found]
    s = [_pairs(step.of_node).sum() for step in found]
    return _worth(s_j, p_j, s, _pairs(shown.of_label.sum()))


def left_out(shown: Shown, of_steps: Sequence[Integers], rows: Rows, y: Integers) -> Floats:
    """g_j of each entry of rows, of label y[i] and one of those counted, without that row."""
    term, row = rows.term, rows.row
    m_j, n = np.bincount(shown.term, shown.texts, shown.terms), shown.of_label.sum()
    s_j, s = [], []
    for number in of_steps:
        step = _step(shown, number)
        node = step.number[y]
        with_it = step.of_entries(term, node[row])
        s_j.append(step.pairs(shown.terms)[term] - np.maximum(with_it - 1, 0))
        others = np.where(node >= 0, step.of_node[node] - 1, 0)
        s.append((_pairs(step.of_node).sum() - others)[row])
    return _worth(s_j, _pairs(m_j[term] - 1), s, _pairs(n - 1))


def _step(shown: Shown, number: Integers) -> Step:
    """What is shown at the nodes of a step."""
    nodes = int(number.max()) + 1
    there = number[shown.label] >= 0
    keys, place = np.unique(
        shown.term[there].astype(np.int64) * nodes + number[shown.label[there]], return_inverse=True
    )
    texts = np.bincount(place, shown.texts[there], len(keys)).astype(np.int64)
    inside = number >= 0
    of_node = np.bincount(number[inside], shown.of_label[inside], nodes).astype(np.int64)
    return Step(number, keys, texts, of_node)


def _pairs(n: npt.NDArray[np.floating | np.integer]) -> Floats:
    return np.asarray(n * (n - 1) / 2)


def _worth(s_j: Sequence[Floats], p_j: Floats, s: Sequence[Floats], p: Floats) -> Floats:
    """g_j, from pairs at each step: those with the term, and all."""
    near, nearest = np.zeros(p_j.shape), np.zeros(p_j.shape)
    for of_term, of_all in zip(s_j, s, strict=True):
        tells = of_all < p
        near, nearest = near + np.where(tells, of_term, 0.0), nearest + np.where(tells, of_all, 0.0)
    mean = np.where(nearest > 0, nearest / np.maximum(p, 1), 1.0)
    return np.where(nearest > 0, np.sqrt((near / mean + DOUBT) / (p_j + DOUBT)), 1.0)
