"""The tree-augmented model: whether a document has a term depends on its label, and on whether it has one other term.

    p(x, y) = p(y) prod_j p(x_j | x_pa(j), y)                  Zhu 19; Friedman, Geiger and Goldszmidt 1997

Naive Bayes is the network without edges between terms; this is the next sparse one (Stone), a tree, and the best of all
trees: the maximum spanning tree of the conditional mutual information (Chow and Liu 1968)

    I(x_i; x_j | y) = sum_r sum_a sum_b p(a, b, r) log( p(a, b | r) / (p(a | r) p(b | r)) )

over the terms that tell most of the label (`information`), directed from the one that tells most of all. All other
terms stay the coins of the Bernoulli model: without them it does worse. A coin of the tree is drawn towards its term's
in the Bernoulli model, as if thrown s times more, so that one that was hardly thrown says nothing new:

    p(x_j = 1 | x_pa = a, r) = (n(x_j = 1, x_pa = a, r) + s p_jr) / (n(x_pa = a, r) + s)

Presences are 0 or 1, so the logarithm of each factor is linear in them and in their product, and the model is that of
Bernoulli with other weights for some terms, and with weights for pairs of a term and its parent:

    log p(x_j | x_q, r) = log p(0|0) + x_j logit p(1|0) + x_q log(p(0|1) / p(0|0))
                          + x_j x_q (logit p(1|1) - logit p(1|0))

Pairs are counted in the rows, and are no function of the counts: learning more may change the tree. There is no
leave-one-out in one pass either.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..information import DIGITS, information
from ..rows import Rows
from ..scorecard import Pairs, Scorecard
from ..smoothing import Coin
from .bernoulli import formula

__all__ = ["formula", "weigh"]  # its formula is Bernoulli's, to which weigh adds the tree

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

STRENGTH = 20.0  # s; of 2, 5 and 20 the best in cross-validation on four sets of five, if never by much
AT_ONCE = 4096  # documents whose pairs are counted at once


def weigh(card: Scorecard, counts: Counts, rows: Rows, y: Integers, coin: Coin, most: int) -> Scorecard:
    """The scorecard of the Bernoulli model with a tree of at most so many terms, from the rows, of labels y."""
    terms = np.argsort(-information(counts, coin), kind="stable")[:most]
    kept = _among(rows, terms, len(counts.lexicon))
    parent = spanning_tree(conditional_information(kept, y, len(terms), counts.documents))
    bias, alone, both = _weights(parent, counts.documents, *_counted(kept, y, parent, len(counts.labels)), coin)
    return replace(card, bias=card.bias + bias, pairs=_pairs(terms, parent, alone, both))


def _among(rows: Rows, terms: Integers, lexicon: int) -> Rows:
    """Rows of some terms only, by their places among those; in no order."""
    place = np.full(lexicon, -1)
    place[terms] = np.arange(len(terms))
    kept = rows.without(place[rows.term] < 0)
    return Rows(kept.indptr, place[kept.term].astype(np.uint32), kept.count)


def conditional_information(rows: Rows, y: Integers, terms: int, documents: Integers) -> Floats:
    """I(x_i; x_j | y) of every two terms, in nats, from how often they were seen."""
    row, total = rows.row, np.zeros((terms, terms))
    order = np.argsort(y[row], kind="stable")
    entries = np.split(order, np.searchsorted(y[row][order], np.arange(1, len(documents))))
    for n_r, of_label in zip(documents.tolist(), entries if len(documents) else [], strict=True):
        # A term that a label never shows tells nothing of any other there.
        there, term = np.unique(rows.term[of_label], return_inverse=True)
        total[np.ix_(there, there)] += _information(_together(row[of_label], term, len(there)), n_r)
    return np.asarray((total / max(documents.sum(), 1)).round(DIGITS))


def _together(row: Integers, term: Integers, terms: int) -> Integers:
    """How many of some documents have both of every two terms; on the diagonal, have each."""
    document = np.unique(row, return_inverse=True)[1]
    both, documents = np.zeros((terms, terms), np.int64), document.max(initial=-1) + 1
    for start in range(0, documents, AT_ONCE):
        part = slice(*np.searchsorted(document, [start, start + AT_ONCE]))
        # The products are whole numbers, and few enough for single precision to hold them exactly.
        x = np.zeros((min(AT_ONCE, documents - start), terms), np.float32)
        x[document[part] - start, term[part]] = 1
        both += (x.T @ x).astype(np.int64)
    return both


def _information(n_11: Integers, n: int) -> Floats:
    """n times the mutual information of every two terms, in nats, from n documents."""
    has = np.diag(n_11)
    i, j = has[:, None], has[None, :]
    cells = ((n_11, i, j), (i - n_11, i, n - j), (j - n_11, n - i, j), (n - i - j + n_11, n - i, n - j))
    return np.asarray(sum(_share(seen, n, a * b) for seen, a, b in cells))


def _share(seen: Integers, n: int, expected: Integers) -> Floats:
    """n_ab log(n_ab n / (n_a n_b)), and 0 where nothing was seen."""
    return np.asarray(seen * np.log(np.where(seen > 0, seen * float(n) / np.maximum(expected, 1), 1.0)))


def spanning_tree(weight: Floats) -> Integers:
    """The parents in the maximum spanning tree, from the first on (Prim); -1 for the first itself.

    >>> spanning_tree(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]])).tolist()
    [-1, 0, 1]
    """
    parent = np.where(np.arange(len(weight)) > 0, 0, -1)
    best, outside = weight[0].astype(float) if len(weight) else np.empty(0), parent >= 0
    while outside.any():
        new = int(np.argmax(np.where(outside, best, -np.inf)))
        outside[new] = False
        better = outside & (weight[new] > best)
        parent[better], best[better] = new, weight[new][better]
    return parent


def _counted(rows: Rows, y: Integers, parent: Integers, labels: int) -> tuple[Integers, Integers]:
    """By term of the tree and label: documents that have the term, and that have it and its parent."""
    k, row = len(parent), rows.row
    width = np.int64(max(k, 1))
    with_parent = np.isin(row * width + parent[rows.term], row * width + rows.term) & (parent[rows.term] >= 0)
    cell = rows.term * np.int64(labels) + y[row]
    has, both = (np.bincount(some, minlength=k * labels).reshape(k, labels) for some in (cell, cell[with_parent]))
    return has, both


def _weights(parent: Integers, n: Integers, has: Integers, both: Integers, coin: Coin) -> tuple[Floats, Floats, Floats]:
    """What is added by label, beyond Bernoulli: in any case; by each term; by each term together with its parent."""
    j = np.flatnonzero(parent >= 0)
    q = parent[j]
    heads, tails = has[j] + coin.heads, n - has[j] + coin.tails
    log_1, log_0 = (np.log(side) - np.log(heads + tails) for side in (heads, tails))
    log_11, log_01 = _log_coin(both[j], has[q], log_1, log_0)
    log_10, log_00 = _log_coin(has[j] - both[j], n - has[q], log_1, log_0)

    alone, together = np.zeros(has.shape), np.zeros(has.shape)
    alone[j] = (log_10 - log_00) - (log_1 - log_0)
    np.add.at(alone, q, log_01 - log_00)
    together[j] = (log_11 - log_01) - (log_10 - log_00)
    return (log_00 - log_0).sum(axis=0), alone, together


def _log_coin(heads: Integers, throws: Integers, log_1: Floats, log_0: Floats) -> tuple[Floats, Floats]:
    """log p(1) and log p(0) of coins that are drawn towards those of such logarithms."""
    toward = [STRENGTH * np.exp(log_p) for log_p in (log_1, log_0)]
    all_throws = np.log(throws + STRENGTH)
    return np.log(heads + toward[0]) - all_throws, np.log(throws - heads + toward[1]) - all_throws


def _pairs(terms: Integers, parent: Integers, alone: Floats, both: Floats) -> Pairs:
    """The weights of terms and of pairs, in the order of the lexicon."""
    child = parent >= 0
    first = np.concatenate([terms, terms[child]])
    second = np.concatenate([terms, terms[parent[child]]])
    order = np.lexsort((second, first))
    weight = np.concatenate([alone, both[child]])[order]
    return Pairs(first[order].astype(np.uint32), second[order].astype(np.uint32), weight)
