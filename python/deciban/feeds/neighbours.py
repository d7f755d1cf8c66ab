"""The texts of a stream -> which are nearest to each, and points of kinds that follow from it.

Two texts are as near as the cosine of their rows of tf-idf. Each text is linked with the `NEIGHBOURS` texts that are
nearest to it, W being how near; to that is added how much texts are tied (`ties`). Points of one kind are those between
which a walk over these links goes back and forth (Ng, Jordan and Weiss 2001; diffusion maps: Coifman and Lafon 2006):

    N = D^-1/2 W D^-1/2 = U diag(l) U',        a point is U l^5, of length 1, without the first vector

The first vectors are found by subspace iteration that begins at other points (`space`), by polynomials of Chebyshev in
place of powers (Zhou and Saad 2007): of texts that are tied, many eigenvalues are nearly 1. Words that are in more than
a tenth of the texts say little of nearness, and are left out of it; of a stream of more than `MOST` texts, every other
(third, ...) is who can be near. A stream of fewer than `FEWEST` texts has no links.

What is said of each text also says something of those that it is linked with. A score u is `spread` as far as the
first steps of a walk go that ends at each step by a fifth (Zhou et al. 2003):

    s = u + 0.8 P u + 0.8^2 P^2 u,        P = D^-1 W
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from ..rows import Rows
from .ties import Ties

Floats = npt.NDArray[np.float64]
Links: TypeAlias = tuple[_core.Unlabelled, npt.NDArray[np.float64]]  # W in whole numbers, and D^-1/2
Places = npt.NDArray[np.int64]
NEIGHBOURS = 40
FEWEST = 100
COMMON = 0.1
MOST = 10_000
ROUNDS, DEGREE = 3, 8
LEAST = 0.1  # eigenvalue that is wanted
STEPS = 5  # of a walk
SPREAD, FAR = 0.8, 2  # how much of a score is passed on, and over how many links
BLOCK = 500
BESIDE = 10  # neighbours that say the same as a text
ONE = 256  # nearness 1, in the fixed point in which links are weighed


def nearest(found: Rows, idf: Floats, entries: Floats, lexicon: _core.Lexicon) -> tuple[Places, Floats]:
    """The texts nearest to each, the nearest first, and how near they are, as far as says anything: a row a text.

    `entries` are X along the rows `found`.
    """
    texts = len(found)
    k = min(NEIGHBOURS, texts // FEWEST)
    if not k:
        return np.zeros((texts, 0), np.int64), np.zeros((texts, 0))
    some = np.arange(texts)[:: -(-texts // MOST)]
    scorer = _scorer(found, entries * idf[found.term], lexicon, some)
    blocks = [_block(found, scorer, some, k, at) for at in range(0, texts, BLOCK)]
    places, near = (np.concatenate(part) for part in zip(*blocks, strict=True))
    lengths = np.sqrt(np.bincount(found.row, ((1 + np.log(found.count)) * idf[found.term]) ** 2, texts))
    return places, near / (ONE * np.maximum(lengths, 1e-300))[:, None]


def _scorer(found: Rows, weight: Floats, lexicon: _core.Lexicon, some: Places) -> _core.Scorer:
    """Some texts as labels, whose weights are those of their words."""
    terms, number = len(lexicon), np.full(len(found), -1)
    number[some] = np.arange(len(some))
    documents = np.bincount(found.term, minlength=terms)
    kept = (documents[found.term] <= COMMON * len(found)) & (number[found.row] >= 0)
    term, label = found.term[kept], number[found.row[kept]]
    order = np.argsort(term, kind="stable")
    indptr = np.searchsorted(term[order], np.arange(terms + 1))
    nothing = np.zeros(len(some))
    return _core.Scorer(lexicon, nothing, nothing, indptr, label[order].astype(np.uint32), weight[kept][order], False)


def _block(found: Rows, scorer: _core.Scorer, some: Places, k: int, at: int) -> tuple[Places, Floats]:
    """The nearest of some texts, from one place on."""
    indptr = found.indptr[at : at + BLOCK + 1]
    part = slice(indptr[0], indptr[-1])
    scaled = np.rint(ONE * (1 + np.log(found.count[part]))).astype(np.int64)
    scores = scorer.scores_of_rows(indptr - indptr[0], found.term[part], scaled)
    scores[some == at + np.arange(len(scores))[:, None]] = -1.0  # itself
    best = np.argpartition(-scores, k - 1, axis=1)[:, :k]
    near = np.take_along_axis(scores, best, axis=1)
    order = np.argsort(-near, axis=1, kind="stable")
    return some[np.take_along_axis(best, order, axis=1)], np.take_along_axis(near, order, axis=1)


def kinds(walk: _core.Unlabelled, root: Floats, points: Floats) -> Floats:
    """The points of kinds.

    >>> from deciban.feeds.ties import ties
    >>> linked = links(np.array([[1], [0], [3], [2]]), np.ones((4, 1)), ties([""] * 4, [""] * 4))
    >>> kinds(*linked, np.eye(4)[:, :3] + 0.1).shape
    (4, 2)
    """
    vectors, values = greatest(walk, root, points)
    made = vectors[:, 1:] * np.maximum(values[1:], 0.0) ** STEPS
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made / np.where(lengths > 0, lengths, 1.0))


def spread(walk: _core.Unlabelled, root: Floats, u: Floats) -> Floats:
    """s of each text.

    >>> from deciban.feeds.ties import ties
    >>> linked = links(np.array([[1], [0], [3], [2]]), np.ones((4, 1)), ties([""] * 4, [""] * 4))
    >>> spread(*linked, np.array([1.0, 0, 0, 0])).round(2).tolist()
    [1.64, 0.8, 0.0, 0.0]
    """
    s = u
    for _ in range(FAR):
        s = u + SPREAD * root * _walked(walk, root, (s / root)[:, None])[:, 0]  # P = D^-1/2 N D^1/2
    return s


def greatest(walk: _core.Unlabelled, root: Floats, points: Floats) -> tuple[Floats, Floats]:
    """U and l of N, the greatest first, as many as the points have dimensions; found from there."""
    basis, values = _turned(walk, root, points)
    for _ in range(ROUNDS):
        basis, values = _turned(walk, root, _sharpened(walk, root, basis, float(values[-1])))
    return basis, values


def _turned(walk: _core.Unlabelled, root: Floats, points: Floats) -> tuple[Floats, Floats]:
    """The best that a space has of eigenvectors, and their eigenvalues (Rayleigh and Ritz)."""
    basis, _ = np.linalg.qr(points)
    found, turned = np.linalg.eigh(basis.T @ _walked(walk, root, basis))
    return (basis @ turned)[:, ::-1], found[::-1]


def _sharpened(walk: _core.Unlabelled, root: Floats, basis: Floats, least: float) -> Floats:
    """T(N) v: Chebyshev's polynomial grows fast above the least eigenvalue that is wanted, and is small below."""
    half = (max(least, LEAST) + 1) / 2
    before, now = basis, (_walked(walk, root, basis) - (half - 1) * basis) / half
    for _ in range(DEGREE - 1):
        before, now = now, 2 * (_walked(walk, root, now) - (half - 1) * now) / half - before
    return now


def links(places: Places, near: Floats, tied: Ties) -> Links:
    """W in whole numbers, the same both ways, and D^-1/2."""
    texts, k = places.shape
    weight = np.maximum(np.rint(ONE * near), 1.0).astype(np.int64).ravel()
    one, other = np.repeat(np.arange(texts), k), places.ravel()
    both, first = np.unique(np.concatenate([one * texts + other, other * texts + one]), return_index=True)
    more = np.maximum(np.rint(ONE * tied[2]), 1.0).astype(np.int64)
    every, at = np.unique(np.concatenate([both, tied[0] * texts + tied[1]]), return_inverse=True)
    weight = np.bincount(at, np.concatenate([np.tile(weight, 2)[first], more])).astype(np.int64)
    row, column = every // texts, every % texts
    indptr = np.searchsorted(row, np.arange(texts + 1))
    root = 1 / np.sqrt(np.maximum(np.bincount(row, weight, texts), 1.0))
    return _core.Unlabelled(indptr, column.astype(np.uint32), weight, texts, False), root


def _walked(walk: _core.Unlabelled, root: Floats, values: Floats) -> Floats:
    """N v."""
    flat = walk.expected(np.ascontiguousarray(values * root[:, None]).ravel(), values.shape[1], 0)
    return np.asarray(flat.reshape(values.shape) * root[:, None])


def beside(places: Places, some: Places) -> npt.NDArray[np.bool_]:
    """Which texts are among the `BESIDE` nearest of some texts, or have one of those among their own.

    >>> beside(np.array([[1], [2], [1], [0]]), np.array([0])).tolist()
    [False, True, False, True]
    """
    close = places[:, :BESIDE]
    found = np.asarray(np.isin(close, some).any(axis=1))
    found[close[some].ravel()] = True
    return found
