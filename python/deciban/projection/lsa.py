"""Rows -> latent features: a truncated singular value decomposition (latent semantic analysis; Aggarwal 5.2.7).

X (rows x terms) is nearly U S V^T with r columns each; the features of a row are x V, sums over its terms. A rotation
splits the d terms at random into K disjoint subsets of d / K, takes r features of each, and pools them to K r: V has
then, in the row of a term, only the r numbers of the term's own subset. X stays sparse all the way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting, NeedsExtra
from ..fitting.seen import Seen

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
POWERS = 7  # passes over the rows that make the singular vectors exact enough
MORE = 20  # vectors that are looked for beside those, for the same reason
Matrix = Any  # a sparse matrix of SciPy's


class Axes(NamedTuple):
    """V of a rotation: the subset of each term, from 0 to `subsets` - 1, and the term's row of V in it (terms x r)."""

    subset: Integers
    row: Floats
    subsets: int

    @property
    def features(self) -> int:
        """K r."""
        return int(self.subsets * self.row.shape[1])

    def project(self, x: Matrix) -> Floats:
        """x V of sparse rows."""
        parts = [x[:, own] @ self.row[own] for own in map(self.of, range(self.subsets))]
        return np.concatenate(parts, axis=1)

    def back(self, low: Floats) -> Floats:
        """V low: what each term weighs, where features weigh so much (features x labels)."""
        r = self.row.shape[1]
        weights = np.zeros((len(self.subset), low.shape[1]))
        for k in range(self.subsets):
            own = self.of(k)
            weights[own] = self.row[own] @ low[k * r : (k + 1) * r]
        return weights

    def of(self, k: int) -> Integers:
        """The terms of a subset."""
        return np.flatnonzero(self.subset == k)


def check_extra() -> None:
    """Refuses, where what does the algebra is missing."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise NeedsExtra(what="projection", package="scikit-learn", extra="sklearn") from None


def matrix(seen: Seen) -> Matrix:
    """What a model sees of rows, as a sparse matrix."""
    from scipy.sparse import csr_matrix

    parts = (seen.value.astype(np.float64), seen.column.astype(np.int64), seen.indptr)
    return csr_matrix(parts, shape=(len(seen), len(seen.terms)))


def lsa(x: Matrix, features: int, setting: str, got: object) -> Axes:
    """The axes of all terms together; `setting` is what asked for so many features."""
    most = min(x.shape)
    if features > most:
        expected = f"at most {most} features: there are {x.shape[0]} texts and {x.shape[1]} terms"
        raise BadSetting(setting=setting, got=got, expected=expected)
    return Axes(np.zeros(x.shape[1], np.int64), _vectors(x, features, 0), 1)


def rotate(x: Matrix, subsets: int, features: int, random: np.random.Generator) -> Axes:
    """The axes of a random split of the terms."""
    d = x.shape[1]
    subset = np.empty(d, np.int64)
    subset[random.permutation(d)] = np.arange(d) * subsets // max(d, 1)
    row = np.zeros((d, features))
    by_column = x.tocsc()
    for k in range(subsets):
        own = np.flatnonzero(subset == k)
        row[own] = _vectors(by_column[:, own].tocsr(), features, int(random.integers(1 << 31)))
    return Axes(subset, row, subsets)


def sizes(shape: tuple[int, int], subsets: int | None, features: int | None, own: tuple[int, int]) -> tuple[int, int]:
    """K and r, as given or as a model has them, where there are enough terms and texts for them."""
    n, d = shape
    if subsets is not None and subsets > d:
        raise BadSetting(setting="subsets", got=subsets, expected=f"at most {d}, as many as there are terms")
    k = min(own[0], max(d, 1)) if subsets is None else subsets
    if features is not None and features > min(d // k, n):
        expected = f"at most {min(d // k, n)}: each of {k} subsets has {d // k} terms, in {n} texts"
        raise BadSetting(setting="features", got=features, expected=expected)
    return k, max(min(own[1], d // k, n), 1) if features is None else features


def _vectors(x: Matrix, features: int, seed: int) -> Floats:
    """V of some columns: the right singular vectors, a column a feature; zero where there are no more."""
    from sklearn.utils.extmath import randomized_svd

    vectors = np.zeros((x.shape[1], features))
    r = min(features, *x.shape)
    if r and x.nnz:
        _, _, found = randomized_svd(x, r, n_oversamples=MORE, n_iter=POWERS, random_state=seed)
        vectors[:, :r] = found.T
    return vectors
