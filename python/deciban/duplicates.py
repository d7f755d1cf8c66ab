"""Texts -> those that are nearly the same: within one list, or between two.

Two texts are the same if they are so without case, punctuation and white space. They are nearly the same if their
*shingles*, all runs of three words with the text's start and end among them, are alike:

    J(A, B) = |A and B| / |A or B| >= t                                             Jaccard; Broder 1997: resemblance

Every such pair is found, not most of them as by MinHash. Let all shingles stand in one order, the rare ones first. A
text with J >= t to another shares at least t |A| of its shingles with it, so that of the first |A| - t |A| + k in A at
least k are among the first |B| - t |B| + k in B (Chaudhuri, Ganti and Kaushik 2006: prefix filter; Wang, Li and Feng
2012: k > 1). Few texts share rare shingles, and few pairs are left to compare. Nothing depends on chance or threads.

Words of one letter are in no shingle. A text without any letter, number or symbol is the same only as its own marks
again; a blank one is like no other.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import BadSetting
from .examples import as_text, texts_of
from .terms import Terms, refuse

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
Pairs = tuple[Integers, Integers, Floats]  # of places, and how alike they are

LEAST = 0.8
SHINGLES = Terms(words=(3, 3), edges=True)
BITS = 31  # of a shingle, by the hash of its name
SHARED = 3  # k: with more, prefixes are longer, and pairs to compare are fewer
BUCKETS = 1 << 24  # in which shingles are counted, to know the rare ones
DOCUMENTS = 1 << 16  # whose shingles are put in order at once
AT_ONCE = 1 << 22  # shingles of pairs that are compared at once
MOST_PAIRS = 1 << 24  # beyond these, a text is only compared with those next to it in length
ROUNDING = 1e-9


class Twin(NamedTuple):
    """The text at `place` of one list is nearly that at `of` of the other; its `similarity` is J, or 1 of the same."""

    place: int
    of: int
    similarity: float


def groups(texts: object, least: float = LEAST, threads: int = 0) -> list[tuple[int, ...]]:
    """The places of texts that are nearly the same, in groups: each is nearly the same as another one of its group.

    >>> groups(["See you!", "free money", "see  YOU", "you see", "Free money."])
    [(0, 2), (1, 4)]
    """
    known = _Known.of(_listed(texts))
    one, other, _ = _similar(known.texts, _checked(least), threads)
    top = _joined(len(known.texts), one, other)
    members: dict[int, list[int]] = {}
    for place, number in enumerate(known.number):
        if number is not None:
            members.setdefault(top[number], []).append(place)
    return [tuple(group) for group in members.values() if len(group) > 1]


def between(texts: object, others: object, least: float = LEAST, threads: int = 0) -> list[Twin]:
    """Of each text in `others` that is nearly one of `texts`: which one it is most like.

    That is the same one, if there is one, else of those that have as many shingles in common the earliest.

    >>> between(["see you", "free money"], ["now!", "FREE money", "you"])
    [Twin(place=1, of=1, similarity=1.0)]
    """
    ours, theirs = _listed(texts), _listed(others, "others")
    known = _Known.of([*ours, *theirs])
    first: dict[int, int] = {}  # where each of the different texts stands in `texts`
    for place, number in enumerate(known.number[: len(ours)]):
        if number is not None:
            first.setdefault(number, place)
    is_ours = np.zeros(len(known.texts), np.bool_)
    is_ours[list(first)] = True
    nearest = {number: (place, 1.0) for number, place in first.items()}
    for one, other, similarity in zip(*_similar(known.texts, _checked(least), threads, is_ours), strict=True):
        asked, found = (other, one) if is_ours[one] else (one, other)
        best = nearest.get(asked, (0, 0.0))
        if (-similarity, first[found]) < (-best[1], best[0]):
            nearest[asked] = first[found], similarity
    numbers = enumerate(known.number[len(ours) :])
    return [Twin(place, *nearest[number]) for place, number in numbers if number in nearest]


def canonical(text: str) -> str:
    """A text without case, punctuation and needless white space; its marks alone where it has nothing else.

    >>> canonical(" It's FREE!!"), canonical(":-)"), canonical(" ")
    ('it s free', ':-)', '')
    """
    return " ".join(text.casefold().translate(_SPACED).split()) or " ".join(text.split())


class _Spaced(dict[int, str]):
    """Of each character itself, or a space for what is no letter, mark of one, number or symbol such as an emoji."""

    def __missing__(self, code: int) -> str:
        kind = unicodedata.category(chr(code))
        self[code] = chr(code) if kind[0] in "LMN" or kind == "So" else " "
        return self[code]


_SPACED = _Spaced()


@dataclass(frozen=True)
class _Known:
    """The different texts, each as it stands first, and which of them each text is: None for a blank one."""

    texts: list[str]
    number: list[int | None]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Known:
        numbers: dict[str, int | None] = {"": None}
        different: list[str] = []
        number: list[int | None] = []
        for text in texts:
            name = canonical(text)
            if name not in numbers:
                numbers[name] = len(different)
                different.append(text)
            number.append(numbers[name])
        return cls(different, number)


def _listed(texts: object, what: str = "texts") -> list[str]:
    """Texts as Python's own, each of them Unicode."""
    given = texts_of(texts, what)
    return [_read(text, given, place, what) for place, text in enumerate(given)]


def _read(text: object, given: _core.Texts, place: int, what: str) -> str:
    try:
        read = as_text(text)  # type: ignore[arg-type]
        read.isascii() or read.encode()
    except (AttributeError, UnicodeError):
        refuse(_core.BadText(place), given, f"{what}[{{}}]".format)
    return read


def _checked(least: float) -> float:
    if not isinstance(least, (int, float)) or isinstance(least, bool) or not 0.5 <= least <= 1:
        raise BadSetting(setting="least", got=least, expected="a number from 0.5 to 1")
    return float(least)


def _joined(n: int, one: Integers, other: Integers) -> list[int]:
    """Of each of n places the least that pairs join it with."""
    top = list(range(n))

    def found(place: int) -> int:
        while top[place] != place:
            top[place] = place = top[top[place]]
        return place

    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        low, high = sorted((found(a), found(b)))
        top[high] = low
    return [found(place) for place in range(n)]


def _similar(texts: list[str], t: float, threads: int, side: Truths | None = None) -> Pairs:
    """All pairs of texts with J >= t; of those on one side and the other, where sides are given."""
    indptr, shingle, _ = _core.hashed(SHINGLES.core, texts, (1 << BITS) - 1, False, False, threads)
    size = np.diff(indptr)
    least = np.ceil(t * size - ROUNDING).astype(np.int64)
    k = np.minimum(SHARED, least)
    entries = _prefixes(indptr, shingle, size - least + k)
    candidates = _sharing(*entries, size, k, t, side)
    parts = [_alike(pairs, indptr, shingle, t) for pairs in _parted(candidates, size)]
    one, other, similarity = map(np.concatenate, zip(*parts, strict=True)) if parts else (np.empty(0),) * 3
    return one.astype(np.int64), other.astype(np.int64), similarity


def _prefixes(indptr: Integers, shingle: npt.NDArray[np.int32], lengths: Integers) -> tuple[Integers, Integers]:
    """The text and the shingle of each entry of a prefix that another text may have too.

    Shingles stand in the order of how often their bucket was met, then of their hash: any order would do that is the
    same for all texts.
    """
    often = np.bincount(shingle & (BUCKETS - 1), minlength=1)
    found = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for start in range(0, len(lengths), DOCUMENTS):
        ends = indptr[start : start + DOCUMENTS + 1]
        part = shingle[ends[0] : ends[-1]].astype(np.int64)
        row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        rarity = np.minimum(often[part & (BUCKETS - 1)], (1 << 15) - 1)
        key = np.sort((row << BITS + 15) | (rarity << BITS) | part)
        is_kept = np.arange(len(key)) - (ends[:-1] - ends[0])[row] < lengths[start : start + DOCUMENTS][row]
        is_kept &= (key >> BITS) & ((1 << 15) - 1) > 1
        found.append((start + row[is_kept], key[is_kept] & ((1 << BITS) - 1)))
    text, name = map(np.concatenate, zip(*found, strict=True))
    return text, name


def _sharing(
    text: Integers, shingle: Integers, size: Integers, k: Integers, t: float, side: Truths | None
) -> tuple[Integers, Integers]:
    """The pairs of texts that share enough of their prefixes, and are about as long as each other."""
    order = np.lexsort((text, size[text], shingle))
    text, shingle = text[order], shingle[order]
    left, apart, met, pairs = np.arange(len(text)), 1, 0, [np.empty(0, np.int64)]
    while (
        len(left) and met < MOST_PAIRS
    ):  # each entry with the next but (apart - 1), of the same shingle, if long enough
        left = left[left + apart < len(text)]
        is_near = size[text[left]] >= t * size[text[left + apart]] - ROUNDING
        left = left[is_near & (shingle[left] == shingle[left + apart])]
        a, b = text[left], text[left + apart]
        is_asked = slice(None) if side is None else side[a] != side[b]
        pairs.append((np.minimum(a, b) * len(size) + np.maximum(a, b))[is_asked])
        met, apart = met + len(left), apart + 1
    pair, shared = np.unique(np.concatenate(pairs), return_counts=True)
    one, other = pair // max(len(size), 1), pair % max(len(size), 1)
    is_enough = shared >= np.minimum(k[one], k[other])
    return one[is_enough], other[is_enough]


def _parted(pairs: tuple[Integers, Integers], size: Integers) -> Iterator[tuple[Integers, Integers]]:
    """The same pairs, as many at once as memory bears."""
    one, other = pairs
    part = np.cumsum(size[one] + size[other]) // AT_ONCE
    ends = np.flatnonzero(np.diff(part)) + 1
    yield from zip(np.split(one, ends), np.split(other, ends), strict=True)


def _alike(pairs: tuple[Integers, Integers], indptr: Integers, shingle: npt.NDArray[np.int32], t: float) -> Pairs:
    """Of some pairs those with J >= t."""
    one, other = pairs
    both = np.concatenate([one, other])
    size = np.diff(indptr)[both]
    ends = np.cumsum(size)
    place = np.arange(ends[-1] if len(ends) else 0) + np.repeat(indptr[:-1][both] - (ends - size), size)
    pair = np.repeat(np.tile(np.arange(len(one)), 2), size)
    key = np.sort((pair << BITS) | shingle[place])
    shared = np.bincount(key[1:][key[1:] == key[:-1]] >> BITS, minlength=len(one))
    similarity = shared / np.maximum(size[: len(one)] + size[len(one) :] - shared, 1)
    is_alike = similarity >= t - ROUNDING
    return one[is_alike], other[is_alike], similarity[is_alike]
