"""From the root down: first a decision among shelves of labels, then one among the labels of a shelf.

    log p(label|x) = log p(shelf|x) + log p(label|x, shelf)

A shelf has what stands side by side in the tree, so many labels that one decision tells them apart (`tree.shelves`).
Deciding at every node of a deep tree is as fast, and far less right: each step may go wrong, and knows but few texts.
Each decision is one of the flat model, trained on the examples below a node, with its children as labels. So the
probabilities of labels sum to one, and that of a node is the sum of those below it. Of very many labels, few are looked
at: no probability grows on the way down, so whoever always goes on from the most probable node has the best label as
soon as he meets one (descent.rs). Scores of a decision are multiplied with a factor, f = exp(t - a log n), for n known
terms, as a calibration has it (`calibration`): one for all decisions, fitted to those of texts that were left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core, weighing
from ..calibration import STEEPEST, Calibration
from ..counts import Counts
from ..decision import log_posterior
from ..errors import UnknownLabel, listed
from ..rows import Rows
from ..scorecard import Scorecard
from ..settings import Settings
from ..terms import Terms
from ..tree import Tree, shelves, tree_of
from .sums import Choice, Integers, Summed, summed

if TYPE_CHECKING:
    from .._core import Texts

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Descent:
    """A tree, and a scorecard with a column for each of its nodes; t and a of the factor of decisions."""

    tree: Tree
    card: Scorecard
    temper: tuple[float, float] = (0.0, 0.0)

    approximate = False
    pairs = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, sorted."""
        return self.tree.labels

    @property
    def lexicon(self) -> _core.Lexicon:
        """The terms."""
        return self.card.lexicon

    @property
    def binary(self) -> bool:
        """Whether a term counts once a text."""
        return self.card.binary

    @cached_property
    def core(self) -> _core.Descent:
        """The same, as the core takes it."""
        of = self.card
        buffers = (of.bias, of.absent, of.indptr, of.label, of.weight)
        return _core.Descent(of.lexicon, *buffers, of.binary, (self.tree.first, self.tree.label), list(self.temper))

    def number(self, label: str) -> int:
        """The number of a label: its column."""
        if label not in self.labels:
            raise UnknownLabel(label=label, known=listed(self.labels))
        return self.labels.index(label)

    def scores(self, texts: Texts, threads: int = 0) -> Floats:
        """The log probability of each label: one row a text, one column a label."""
        return self.core.scores(texts, threads)

    def best(self, texts: Texts, threads: int = 0) -> list[str]:
        """The most probable label of each text; of equal ones the first."""
        return [self.labels[found[0][0]] for found in self.core.top(texts, 1, threads)]

    def top(self, texts: Texts, most: int, threads: int = 0) -> list[list[tuple[str, float]]]:
        """The most probable labels of each text in falling order, of equal ones the first, with their probabilities."""
        found = self.core.top(texts, most, threads)
        return [[(self.labels[number], probability) for number, probability in row] for row in found]

    def choice(self, node: int, terms: Terms) -> Scorecard:
        """The scorecard of one decision: of a node's children, and of the terms that are known below it."""
        children, card = self.tree.children(node), self.card
        there = np.flatnonzero((card.label >= children.start) & (card.label < children.stop))
        places, starts = np.unique(card.term[there], return_index=True)
        kept = np.zeros(len(card.lexicon), np.bool_)
        kept[places] = True
        names, offsets = card.lexicon.buffers()
        lengths = np.diff(offsets)
        ends = np.concatenate([[0], np.cumsum(lengths[kept])])
        lexicon = _core.Lexicon(terms.core, names[np.repeat(kept, lengths)], ends)
        of = slice(children.start, children.stop)
        postings = (np.append(starts, len(there)), card.label[there] - np.uint32(children.start), card.weight[there])
        return Scorecard(self.tree.names[of], lexicon, card.bias[of], card.absent[of], *postings, card.binary)

    def with_map(self, calibration: Calibration | None) -> Descent:
        """The same, with the factor that a calibration has."""
        t, a = (0.0, 0.0) if calibration is None else calibration.temper.tolist()[:2]
        return replace(self, temper=(t, a))


def weigh(counts: Counts, settings: Settings) -> Descent:
    """All decisions of the tree of some labels."""
    return _weighed(summed(counts, decided_by(counts.labels, settings)), counts, settings)


def decided_by(labels: tuple[str, ...], settings: Settings) -> Tree:
    """The tree of the decisions that tell labels apart."""
    return shelves(tree_of(labels, str(settings.hierarchy)), settings.shelf)


def _weighed(sums: Summed, counts: Counts, settings: Settings) -> Descent:
    tree = sums.tree
    bias, absent, weight = np.zeros(len(tree)), np.zeros(len(tree)), np.zeros(len(sums.node))
    for choice in sums.choices:
        card, children = weighing.weigh(choice.counts, _of_choice(choice, tree, settings)), tree.children(choice.node)
        bias[children.start : children.stop], absent[children.start : children.stop] = card.bias, card.absent
        weight[choice.places] = card.weight
    postings = (sums.indptr, sums.node, weight)
    return Descent(tree, Scorecard(tree.names, counts.lexicon, bias, absent, *postings, settings.is_binary))


def _of_choice(choice: Choice, tree: Tree, settings: Settings) -> Settings:
    """How a choice is weighed: a prior that was given is that of all labels below a child."""
    if settings.prior == "data":
        return settings.flat
    of_label: Any = settings.prior if isinstance(settings.prior, dict) else dict.fromkeys(tree.labels, 1.0)
    names = {child: tree.names[child] for child in tree.children(choice.node)}
    prior = {name: sum(of_label[tree.labels[r]] for r in tree.below(child)) for child, name in names.items()}
    return replace(settings.flat, prior=prior)


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of texts that were left out, on the ways of their labels: all children's scores, one after another.

    `start` is where those of each decision begin, `own` the right child's place; `known` how many terms were known.
    """

    scores: Floats
    start: Integers
    own: Integers
    known: Floats

    def losses(self, t: float, a: float) -> Floats:
        """The log loss of each decision with a factor."""
        sizes = np.diff(np.append(self.start, len(self.scores)))
        z = self.scores * np.repeat(factor(self.known, t, a), sizes)
        most = np.maximum.reduceat(z, self.start)
        return np.log(np.add.reduceat(np.exp(z - np.repeat(most, sizes)), self.start)) + most - z[self.own]


def factor(known: Floats, t: float, a: float) -> Floats:
    """f, by the number of known terms."""
    return np.where(known > 0, np.exp(np.clip(t - a * np.log(np.maximum(known, 1)), -STEEPEST, STEEPEST)), 1.0)


class Decided(NamedTuple):
    """Rows that pass a node: which, the number of each one's child, its scores without it, how many known terms."""

    node: int
    texts: Integers
    own: Integers
    scores: Floats
    known: Floats


def decided(sums: Summed, rows: Rows, y: Integers, settings: Settings) -> Iterator[Decided]:
    """The decisions of rows, each without it, on the way of its own label."""
    tree = sums.tree
    ways = {label: tree.way(label) for label in set(y.tolist())}
    by_node: dict[int, list[tuple[int, int]]] = {}
    for text, label in enumerate(y.tolist()):
        for child in ways[label]:
            by_node.setdefault(tree.parent[child], []).append((text, child))
    for choice in sums.choices:
        if choice.node not in by_node:
            continue
        texts, children = (np.array(of, np.int64) for of in zip(*by_node[choice.node], strict=True))
        some = rows.some(texts)
        local = Rows(some.indptr, np.searchsorted(choice.terms, some.term).astype(np.uint32), some.count)
        of = _of_choice(choice, tree, settings)
        own = children - tree.children(choice.node).start
        scores = weighing.leave_one_out(choice.counts, local, own, of)
        shared = choice.counts.by_term(choice.counts.presences) > 1
        times = shared[local.term] * (1 if settings.is_binary else local.count)
        known = np.bincount(local.row, times, len(local)).astype(np.float64)
        yield Decided(choice.node, texts, own, scores, known)


def leave_one_out(
    counts: Counts, rows: Rows, y: Integers, settings: Settings, calibration: Calibration | None = None
) -> Floats:
    """The log probabilities of labels of each row, of label y[i], by decisions weighed without it.

    It changes the decisions on the way of its own label alone: below other nodes it never was. Shelves stay as
    they are, also where the only text of a label is left out, without which others might find room.
    """
    tree = decided_by(counts.labels, settings)
    sums = summed(counts, tree)
    descent = _weighed(sums, counts, settings).with_map(calibration)
    log_p = descent.core.decisions(rows.indptr, rows.term, rows.count).reshape(len(rows), len(tree))
    for node, texts, _, scores, known in decided(sums, rows, y, settings):
        children = tree.children(node)
        tempered = scores * factor(known, *descent.temper)[:, None]
        log_p[texts, children.start : children.stop] = log_posterior(tempered)
    for node in tree.inner:
        children = tree.children(node)
        log_p[:, children.start : children.stop] += log_p[:, [node]]
    return np.asarray(log_p[:, tree.leaves])
