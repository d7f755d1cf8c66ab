"""scikit-learn's text vectorisers with deciban's core: the same names, parameters and matrices, many times faster.

They are scikit-learn's classes; only the counting is ours. Where a Python function or an unknown regular expression is
given, scikit-learn counts. What is a letter, how it is lower-cased and which accents it has is Unicode 14's, as
everywhere in deciban; a Python that is newer than 3.11 knows a few more letters.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction import text as sk
from sklearn.preprocessing import normalize

from .. import _core
from .sight import Sight, counted, kept, matrix


class _Known(NamedTuple):
    """A vocabulary as the core takes it, and what it was made from."""

    vocabulary: dict[str, int]
    size: int
    sight: Sight
    core: _core.Vocabulary


# Beside the vectorisers and not inside, so that transforming changes nothing in them and copies take nothing along.
_KNOWN: WeakKeyDictionary[Any, _Known] = WeakKeyDictionary()


class CountVectorizer(sk.CountVectorizer):  # type: ignore[misc]
    """scikit-learn's CountVectorizer, with the counting done by deciban's core, on all cores.

    `threads` is an attribute and no parameter: 0 for all cores. A `vocabulary_` that is replaced, or grows, is noticed;
    whoever gives its terms other columns where it stands has to set it anew: `v.vocabulary_ = dict(v.vocabulary_)`.

    >>> from deciban.sklearn import CountVectorizer
    >>> vectoriser = CountVectorizer(ngram_range=(1, 2))
    >>> vectoriser.fit_transform(["so far so good", "good"]).toarray()
    array([[1, 1, 1, 2, 1, 1],
           [0, 0, 1, 0, 0, 0]])
    >>> vectoriser.get_feature_names_out().tolist()
    ['far', 'far so', 'good', 'so', 'so far', 'so good']
    """

    threads = 0

    def _count_vocab(self, raw_documents: Iterable[Any], fixed_vocab: bool) -> tuple[dict[str, int], Any]:
        self.build_analyzer()  # has scikit-learn's warnings and errors
        sight = Sight.of(self)
        if sight is None:
            return super()._count_vocab(raw_documents, fixed_vocab)  # type: ignore[no-any-return]
        count_texts = self._count_known if fixed_vocab else self._count_new
        documents = kept(self, raw_documents)
        found = counted(self, documents, lambda texts: count_texts(sight, texts))
        return found or super()._count_vocab(documents, fixed_vocab)

    def _count_new(self, sight: Sight, texts: list[str]) -> tuple[dict[str, int], Any] | None:
        """The vocabulary of texts, and their matrix; None if there is nothing to see."""
        found = _core.Vectorised(sight.core, texts, self.threads)
        kept_terms = self._kept_terms(found, len(texts))
        if kept_terms is not None:
            found.keep(kept_terms)
        names, rows = found.take(np.dtype(self.dtype) == np.float64)
        vocabulary = dict(zip(names, range(len(names)), strict=True))
        return (vocabulary, matrix(rows, len(names), self.dtype)) if names else None

    def _kept_terms(self, found: _core.Vectorised, texts: int) -> npt.NDArray[np.bool_] | None:
        """Which terms `_limit_features` would keep; None for all, and where it has something to complain about."""
        high, low = (float(df if isinstance(df, Integral) else df * texts) for df in (self.max_df, self.min_df))
        limit = self.max_features
        if high < low or (limit is None and _is_no_limit(texts, high, low)):
            return None
        documents, occurrences = found.frequencies()
        keep = (documents <= high) & (documents >= low)
        # Of equals those stay that this very sort of these very numbers puts first, so they must be of the same type.
        if limit is not None and keep.sum() > limit and np.dtype(self.dtype) in (np.int64, np.float64):
            sums = (documents if self.binary else occurrences).astype(self.dtype)
            most = np.flatnonzero(keep)[(-sums[keep]).argsort()[:limit]]
            keep = np.zeros(len(keep), bool)
            keep[most] = True
        return keep if keep.any() else None

    def _count_known(self, sight: Sight, texts: list[str]) -> tuple[dict[str, int], Any] | None:
        """The vocabulary as it is, and the matrix of texts; None if it is none for the core."""
        try:
            known = self._known(sight)
        except (OverflowError, TypeError, ValueError, _core.BadText):  # terms that are no texts, columns out of range
            return None
        rows = known.rows(texts, np.dtype(self.dtype) == np.float64, self.threads)
        return self.vocabulary_, matrix(rows, len(self.vocabulary_), self.dtype)

    def _known(self, sight: Sight) -> _core.Vocabulary:
        """The vocabulary as the core takes it: made once, and again when it was replaced or grew."""
        known, vocabulary = _KNOWN.get(self), self.vocabulary_
        if known is None or known.vocabulary is not vocabulary or known[1:3] != (len(vocabulary), sight):
            columns = np.fromiter(vocabulary.values(), np.uint32, len(vocabulary))
            core = _core.Vocabulary(sight.core, list(vocabulary), columns)
            known = _KNOWN[self] = _Known(vocabulary, len(vocabulary), sight, core)
        return known.core

    def _sort_features(self, X: Any, vocabulary: dict[str, int]) -> Any:  # noqa: N803
        """What the core counted is in order already."""
        names, columns = list(vocabulary), list(vocabulary.values())
        is_sorted = columns == list(range(len(columns))) and names == sorted(names)
        return X if is_sorted else super()._sort_features(X, vocabulary)

    def _limit_features(
        self,
        X: Any,  # noqa: N803
        vocabulary: dict[str, int],
        high: float,
        low: float,
        limit: int | None = None,
    ) -> Any:
        """The same terms go as in scikit-learn; those that the core counted have gone already."""
        rows, columns = X.shape
        if limit is None or columns <= limit:
            documents = np.bincount(X.indices) if not _is_no_limit(rows, high, low) else None
            if documents is None or (low <= documents.min() and documents.max() <= high):
                return X
        return super()._limit_features(X, vocabulary, high, low, limit)


def _is_no_limit(texts: int, high: float, low: float) -> bool:
    """Whether any number of texts lies between the limits."""
    return high >= texts and low <= 1


class TfidfVectorizer(CountVectorizer, sk.TfidfVectorizer):  # type: ignore[misc]
    """scikit-learn's TfidfVectorizer, with the counting done by deciban's core, on all cores.

    >>> from deciban.sklearn import TfidfVectorizer
    >>> TfidfVectorizer().fit_transform(["so far so good", "good"]).toarray().round(2)
    array([[0.43, 0.3 , 0.85],
           [0.  , 1.  , 0.  ]])
    """


class HashingVectorizer(sk.HashingVectorizer):  # type: ignore[misc]
    """scikit-learn's HashingVectorizer, with hashing and counting done by deciban's core, on all cores.

    >>> from deciban.sklearn import HashingVectorizer
    >>> HashingVectorizer(n_features=8, norm=None).transform(["so far so good", "good"]).toarray()
    array([[ 0.,  3.,  0., -1.,  0.,  0.,  0.,  0.],
           [ 0.,  1.,  0.,  0.,  0.,  0.,  0.,  0.]])
    """

    threads = 0

    def transform(self, X: Any) -> Any:  # noqa: N803
        """One row a document, one column a hash."""
        if isinstance(X, str):
            return super().transform(X)
        self._validate_ngram_range()
        self.build_analyzer()
        sight = Sight.of(self)
        if sight is None or not self._has_plain_columns():
            return super().transform(X)
        documents = kept(self, X)
        found = counted(self, documents, lambda texts: self._count(sight, texts)) if documents else None
        if found is None:
            return super().transform(documents)
        if self.binary:
            found.data.fill(1)
        return found if self.norm is None else normalize(found, norm=self.norm, copy=False)

    def _has_plain_columns(self) -> bool:
        """Whether sums of terms are the same in this type of numbers, whenever they are converted to it."""
        is_size = isinstance(self.n_features, Integral) and 1 <= int(self.n_features) < 2**31
        return is_size and np.dtype(self.dtype) in (np.float64, np.float32, np.int64, np.int32)

    def _count(self, sight: Sight, texts: list[str]) -> Any:
        floats, signed = np.dtype(self.dtype) == np.float64, bool(self.alternate_sign)
        rows = _core.hashed(sight.core, texts, int(self.n_features), signed, floats, self.threads)
        return matrix(rows, self.n_features, self.dtype)
