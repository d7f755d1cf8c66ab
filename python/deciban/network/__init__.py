"""A model as a Bayes network: which variables there are, and what each depends on.

    p(s) = prod_i p(s_i | pa(s_i))                                                    Zhu 2.3, eq. 19

Naive Bayes has one label y, and an arrow from it to each term; the tree-augmented model has arrows between terms too.
Where terms are present or absent (`bernoulli`, `tan`) the probabilities are read off the scorecard, exactly. A part of
the terms, of which each has its parent among them, is a network of its own: what is left out sums to 1. The multinomial
model is one of draws, a variable for each word of a text, and is only drawn; the complement model, whose weights come
from all other labels, is none. `picture` draws a network, `bif` writes it down for others.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..errors import NoNetwork
from ..information import entropy, information
from ..scorecard import Scorecard
from ..smoothing import Coin
from ..terms import display

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

PRESENCES = ("bernoulli", "tan")
NETWORKS = (*PRESENCES, "multinomial")


@dataclass(frozen=True, eq=False)
class Network:
    """Some terms of a model, those that tell most of the label first.

    Term j tells `bits[j]` of the label, and `share[j]` of each label's documents have it. Its parent, beside the label,
    is `terms[parent[j]]`, or none where that is -1; given the label, the two tell `between[j]` bits of each other.
    `p[j, a, r]` is how likely a document of label r has the term, where its parent is there (a = 1) or not.

    >>> import deciban
    >>> texts = ["hong kong", "hong kong", "tokyo", "paris", "paris", "rome"]
    >>> net = deciban.train(texts, ["asia"] * 3 + ["europe"] * 3, model="tan").graph()
    >>> [(name, net.names[j]) for name, j in zip(net.names, net.parent, strict=True) if j >= 0]
    [('kong', 'hong'), ('paris', 'hong'), ('rome', 'paris'), ('tokyo', 'hong')]
    """

    model: str
    labels: tuple[str, ...]
    prior: Floats
    terms: tuple[str, ...]
    parent: Integers
    bits: Floats
    share: Floats
    between: Floats
    p: Floats | None
    lexicon: int

    @property
    def names(self) -> tuple[str, ...]:
        """The terms as people are shown them."""
        return tuple(map(display, self.terms))

    @property
    def svg(self) -> str:
        """A picture of it."""
        from .picture import svg

        return svg(self)

    @property
    def bif(self) -> str:
        """The network in the Bayesian Interchange Format, which pgmpy and others read."""
        from .bif import bif

        if self.p is None:
            raise NoNetwork(
                model=self.model, what="network of terms that are present or absent, which is what BIF holds"
            )
        return bif(self, self.p)

    def as_dict(self) -> dict[str, Any]:
        """Nodes and arrows, for machines."""
        from .bif import variables

        rows = zip(self.names, variables(self.terms), self.bits.tolist(), self.parent.tolist(), strict=True)
        terms = [
            {"term": name, "variable": variable, "bits": bits, "parent": self.names[q] if q >= 0 else None}
            for name, variable, bits, q in rows
        ]
        prior = dict(zip(self.labels, self.prior.tolist(), strict=True))
        return {"model": self.model, "labels": prior, "terms": terms}

    def _repr_svg_(self) -> str:
        return self.svg


def network(card: Scorecard, counts: Counts, coin: Coin, log_prior: Floats, model: str, top: int) -> Network:
    """The network of the terms of a model that tell most, at most so many."""
    if model not in NETWORKS:
        raise NoNetwork(model=model, what="Bayes network")
    bits, parents, prior = information(counts, coin), _parents(card), np.exp(log_prior)
    chosen = _strongest(bits, parents, top)
    place = {term: j for j, term in enumerate(chosen)}
    parent = np.array([place.get(parents.get(term, -1), -1) for term in chosen], np.int64)
    p = _coins(card, parents, chosen) if model in PRESENCES else None
    share = _counted(counts, coin, chosen) if p is None else _marginal(p, parent)
    between = np.zeros(len(chosen)) if p is None else _between(p, parent, share, prior)
    terms = tuple(card.lexicon.name(term) or "" for term in chosen)
    return Network(model, card.labels, prior, terms, parent, bits[chosen], share, between, p, len(card.lexicon))


def _parents(card: Scorecard) -> dict[int, int]:
    """The parent of each term that has one: a pair is of a term and its parent."""
    if card.pairs is None:
        return {}
    pairs = zip(card.pairs.first.tolist(), card.pairs.second.tolist(), strict=True)
    return {child: parent for child, parent in pairs if child != parent}


def _strongest(bits: Floats, parents: dict[int, int], top: int) -> list[int]:
    """The terms that tell most, and always the parent of a term before the term."""
    children = _children(parents)
    strength = (-bits).tolist()
    ready = [(strength[term], term) for term in range(len(bits)) if term not in parents]
    heapify(ready)
    chosen: list[int] = []
    while ready and len(chosen) < top:
        chosen.append(heappop(ready)[1])
        for child in children.get(chosen[-1], []):
            heappush(ready, (strength[child], child))
    return chosen


def _coins(card: Scorecard, parents: dict[int, int], chosen: list[int]) -> Floats:
    """p(x_j = 1 | x_pa = a, r) of some terms, from the weights (see `weighing.tan`), those of children first.

    W_j = logit p_j(1|0) + sum over its children c of log(p_c(0|1) / p_c(0|0)).
    """
    terms = sorted({*chosen, *parents, *parents.values()})
    row = {term: i for i, term in enumerate(terms)}
    logit = card.weights(np.array(terms, np.int64))
    more = np.zeros(logit.shape)
    if card.pairs is not None:
        pair = np.flatnonzero(card.pairs.first != card.pairs.second)
        more[[row[term] for term in card.pairs.first[pair].tolist()]] = card.pairs.weight[pair]
    for term in _children_first(parents):
        i = row[term]
        logit[row[parents[term]]] -= np.logaddexp(0, logit[i]) - np.logaddexp(0, logit[i] + more[i])
    logits = np.stack([logit, logit + more], axis=1)[[row[term] for term in chosen]]
    return np.asarray(np.exp(-np.logaddexp(0, -logits)))


def _children(parents: dict[int, int]) -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    return children


def _children_first(parents: dict[int, int]) -> list[int]:
    """All terms that have a parent, each after its own children."""
    children = _children(parents)
    found = [child for parent in children if parent not in parents for child in children[parent]]
    for term in found:  # which grows as it is read
        found += children.get(term, [])
    return found[::-1]


def _counted(counts: Counts, coin: Coin, terms: list[int]) -> Floats:
    """How many of each label's documents have each of some terms."""
    has = np.zeros((len(terms), len(counts.labels)))
    for j, term in enumerate(terms):
        postings = slice(counts.indptr[term], counts.indptr[term + 1])
        has[j, counts.label[postings]] = counts.presences[postings]
    return np.asarray((has + coin.heads) / (counts.documents + coin.heads + coin.tails))


def _marginal(p: Floats, parent: Integers) -> Floats:
    """How likely a document of each label has each term, whatever else it has; parents stand before their children."""
    share = p[:, 0].copy()
    for j in np.flatnonzero(parent >= 0):
        q = share[parent[j]]
        share[j] = (1 - q) * p[j, 0] + q * p[j, 1]
    return share


def _between(p: Floats, parent: Integers, share: Floats, prior: Floats) -> Floats:
    """I(x_j; x_pa | y) in bits: what a term and its parent tell of each other, given the label."""
    q = np.where((parent >= 0)[:, None], share[parent], 0.0)
    return np.asarray((entropy(share) - (1 - q) * entropy(p[:, 0]) - q * entropy(p[:, 1])) @ prior)
