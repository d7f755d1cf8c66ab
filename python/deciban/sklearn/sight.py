"""What a vectoriser of scikit-learn sees of a text, as the core takes it: or None where only scikit-learn can see it.

The core serves what scikit-learn's own functions do. A Python function of the user's, or a regular expression that is
not known here, is left to scikit-learn.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import scipy.sparse as sp
from sklearn import get_config
from sklearn.feature_extraction.text import CountVectorizer

from .. import _core
from ..terms import LONGEST

T = TypeVar("T")

_TOKENS = {
    **dict.fromkeys((r"\b\w\w+\b", r"\w\w+", r"\b\w{2,}\b", r"\w{2,}"), "word"),
    **dict.fromkeys((r"\b\w+\b", r"\w+"), "run"),
    **dict.fromkeys((r"\S+", r"[^\s]+"), "whitespace"),
}
_ACCENTS = {None: "keep", "unicode": "fold", "ascii": "ascii"}
# What a subclass may have made its own, so that the core would not see what it sees.
_HOOKS = (
    *("decode", "build_analyzer", "build_preprocessor", "build_tokenizer"),
    *("_word_ngrams", "_char_ngrams", "_char_wb_ngrams"),
)


@dataclass(frozen=True)
class Sight:
    """The terms that are seen of a text.

    >>> Sight.of(CountVectorizer(ngram_range=(1, 2), token_pattern=r"\\S+"))
    Sight(kind='whitespace', lengths=(1, 2), lowercase=True, accents='keep', stop=frozenset())
    >>> Sight.of(CountVectorizer(tokenizer=str.split)) is None
    True
    """

    kind: str
    lengths: tuple[int, int]
    lowercase: bool
    accents: str
    stop: frozenset[str]

    @classmethod
    def of(cls, vectoriser: Any) -> Sight | None:
        """What a vectoriser sees, if the core can see it."""
        low, high = vectoriser.ngram_range
        kind = _kind(vectoriser)
        if kind is None or not _is_plain(vectoriser) or not 1 <= low <= high <= LONGEST:
            return None
        stop = vectoriser.get_stop_words() if vectoriser.analyzer == "word" else None
        accents = _ACCENTS[vectoriser.strip_accents or None]
        return cls(kind, (int(low), int(high)), bool(vectoriser.lowercase), accents, frozenset(stop or ()))

    @property
    def core(self) -> _core.Terms:
        """The same, as the core takes it."""
        if self.kind == "char":
            return _core.Terms(chars_across=self.lengths, lowercase=self.lowercase, accents=self.accents)
        if self.kind == "char_wb":
            return _core.Terms(chars=self.lengths, lowercase=self.lowercase, accents=self.accents)
        return _core.Terms(
            tokens=self.kind,
            words=self.lengths,
            lowercase=self.lowercase,
            accents=self.accents,
            stop=list(self.stop),
        )


def _kind(vectoriser: Any) -> str | None:
    if vectoriser.analyzer != "word":
        return vectoriser.analyzer if vectoriser.analyzer in ("char", "char_wb") else None
    pattern = vectoriser.token_pattern if vectoriser.tokenizer is None else None
    return _TOKENS.get(pattern.removeprefix("(?u)")) if isinstance(pattern, str) else None


def _is_plain(vectoriser: Any) -> bool:
    """Whether all that reads a text is scikit-learn's."""
    if vectoriser.preprocessor is not None or (vectoriser.strip_accents or None) not in tuple(_ACCENTS):
        return False
    return all(
        getattr(getattr(vectoriser, hook), "__func__", None) is getattr(CountVectorizer, hook) for hook in _HOOKS
    )


class _Read(NamedTuple):
    """A file that has been read, and can be read again."""

    content: Any

    def read(self) -> Any:
        return self.content


def kept(vectoriser: Any, documents: Iterable[Any]) -> list[Any]:
    """Documents that can be looked at twice."""
    if vectoriser.input == "file":
        return [_Read(file.read()) for file in documents]
    return documents if isinstance(documents, list) else list(documents)


def counted(vectoriser: Any, documents: list[Any], count: Callable[[list[str]], T | None]) -> T | None:
    """What `count` makes of the texts of documents; None where one is no text, or no text for the core.

    >>> terms = _core.Terms(words=(1, 1))
    >>> counted(CountVectorizer(), ["Ça", b"VA"], lambda texts: _core.Vectorised(terms, texts, 1).take(False)[0])
    ['va', 'ça']
    >>> counted(CountVectorizer(), [None], lambda texts: _core.Vectorised(terms, texts, 1)) is None
    True
    """
    if vectoriser.input == "content":
        # Whether each is a text the core finds out as it goes; to look at all of them before would take its time.
        with contextlib.suppress(_core.BadText):
            return count(documents)
    texts = [vectoriser.decode(document) for document in documents]
    if all(isinstance(text, str) for text in texts):
        with contextlib.suppress(_core.BadText):
            return count(texts)
    return None


def matrix(rows: _core.Csr, columns: int, dtype: Any) -> Any:
    """A sparse matrix of scipy's from the core's rows, with 32-bit indices where they suffice, as scikit-learn's."""
    indptr, indices, data = rows
    kind = "int32" if len(data) < 2**31 else "int64"
    parts = (data, indices.astype(kind, copy=False), indptr.astype(kind))
    made = sp.csr_matrix(parts, shape=(len(indptr) - 1, columns), dtype="intc" if dtype is None else dtype)
    made.has_canonical_format = made.has_sorted_indices = True
    return sp.csr_array(made) if get_config().get("sparse_interface") == "sparray" else made
