"""What is told of how a text is written, beside its words: names that a user chose -> names and lists, checked.

What comes in are names, with commas between or in a list: `caps,trigger:lists/money.txt`. A list is read once, here,
from the file that is named; what goes out holds it, so that a model needs the file never again. A mapping of names to
lists is taken as it is, and no file is read: that is how a model comes back from its own file. What each property sees
is in docs/properties.md, and in the core (`properties.rs`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import (
    BadProperties,
    EmptyList,
    ListNotUtf8,
    NoWordIn,
    SameTrigger,
    TooLongList,
    UnknownProperty,
    described,
    reading,
)

PLAIN = (
    *("caps", "capitalised", "repeats", "numbers", "currency", "urls", "emails", "emoji", "long", "lookalikes"),
    *("length", "negation", "pairs", "title", "headers"),
)
MISSPELLING, TRIGGER, HEADERS = "misspelling", "trigger:", "headers:"
KNOWN = (*PLAIN, "headers:FIELD", MISSPELLING, "misspelling:FILE", "trigger:FILE")
MOST_WORDS = 200_000  # of a list: every model file holds them
LONGEST = 200  # characters of one of them
LETTERS = range(3, 33)  # of a word whose spelling is looked at
_FIELD = re.compile(r"[!-9;-~]{1,60}")
_NAME = re.compile(r"[\w.-]{1,60}")

Lists = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Properties:
    """Properties by name, sorted, each with its list: of phrases, or of words that are spelt right; of most, empty.

    >>> Properties.of("numbers,caps").names, Properties.of({"trigger:money": ["cash", "win big"]}).lists
    (('caps', 'numbers'), (('trigger:money', ('cash', 'win big')),))
    >>> str(Properties.of({"caps": [], "trigger:money": ["cash", "win big"]}))
    'caps,trigger:money(2)'
    """

    lists: Lists

    @classmethod
    def of(cls, given: object) -> Properties | None:
        """The same, from whatever a user may give; None for none."""
        if given is None or isinstance(given, Properties):
            return given
        if isinstance(given, Mapping):
            found = [(_text(name), _kept(_text(name), words)) for name, words in given.items()]
        elif isinstance(given, str) or (isinstance(given, Iterable) and not isinstance(given, bytes)):
            found = [_read(_text(name)) for name in _names(given)]
        else:
            raise BadProperties(got=described(given))
        return cls(tuple(sorted(_distinct(found)))) if found else None

    @property
    def names(self) -> tuple[str, ...]:
        """What is told."""
        return tuple(name for name, _ in self.lists)

    @property
    def is_open(self) -> bool:
        """Whether the words that are spelt right are still to be learnt from the texts."""
        return (MISSPELLING, ()) in self.lists

    def with_words(self, words: Sequence[str]) -> Properties:
        """The same, with the words that are spelt right.

        >>> Properties.of("misspelling").with_words(["university"]).lists
        (('misspelling', ('university',)),)
        """
        return Properties(tuple((name, tuple(words) if name == MISSPELLING else of) for name, of in self.lists))

    def as_dict(self) -> dict[str, list[str]]:
        """Names and lists, as a model file holds them."""
        return {name: list(of) for name, of in self.lists}

    def __str__(self) -> str:
        return ",".join(f"{name}({len(of)})" if of else name for name, of in self.lists)


def _names(given: str | Iterable[Any]) -> Iterator[Any]:
    """Names from a list whose parts may have several, with commas between."""
    for part in [given] if isinstance(given, str) else given:
        yield from (name.strip() for name in part.split(",")) if isinstance(part, str) else [part]


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise BadProperties(got=described(name))
    return name


def _distinct(found: Iterable[tuple[str, tuple[str, ...]]]) -> Lists:
    """Each name once; a list that is given stands for one that is not, and `headers` for all fields."""
    lists: dict[str, tuple[str, ...]] = {}
    for name, of in found:
        if name.startswith(TRIGGER) and name in lists:
            raise SameTrigger(name=name.removeprefix(TRIGGER))
        lists[name] = of or lists.get(name, ())
    if "headers" in lists:
        lists = {name: of for name, of in lists.items() if not name.startswith(HEADERS)}
    return tuple(lists.items())


def _read(name: str) -> tuple[str, tuple[str, ...]]:
    """A property as it is named: its list is read from its file."""
    if name.startswith(TRIGGER):
        named, equals, path = name.removeprefix(TRIGGER).partition("=")
        path = path if equals else named
        called = named if equals else os.path.splitext(os.path.basename(path))[0]
        return _checked(TRIGGER + called), _phrases(path, _lines(path))
    if name.startswith(f"{MISSPELLING}:"):
        path = name.removeprefix(f"{MISSPELLING}:")
        return MISSPELLING, _words(path, _lines(path))
    return _checked(name.lower()), ()


def _kept(name: str, given: object) -> tuple[str, ...]:
    """The list of a property, as somebody has it in memory."""
    words = () if given is None else given
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise BadProperties(got=f"{name}: {described(given)}")
    _checked(name)
    if name.startswith(TRIGGER):
        return _phrases(name, words)
    if name == MISSPELLING:
        return _words(name, words) if words else ()
    if words:
        raise BadProperties(got=f"{name}: {described(given)}")
    return ()


def _checked(name: str) -> str:
    """A name that is known."""
    is_trigger = name.startswith(TRIGGER) and _NAME.fullmatch(name.removeprefix(TRIGGER))
    is_field = name.startswith(HEADERS) and _FIELD.fullmatch(name.removeprefix(HEADERS)) and name == name.lower()
    if name in PLAIN or name == MISSPELLING or is_trigger or is_field:
        return name
    raise UnknownProperty(got=name, known=", ".join(KNOWN))


def _lines(path: str) -> list[str]:
    """The lines of a list that are neither empty nor begin with #."""
    with reading(path), open(path, "rb") as file:
        data = file.read()
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line, byte = data[: error.start].count(b"\n") + 1, data[error.start]
        raise ListNotUtf8(where=f"{path}:{line}", byte=byte) from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _phrases(where: str, given: Sequence[str]) -> tuple[str, ...]:
    """Phrases, each once and in order; every one of them has a word."""
    for phrase in given:
        if not re.search(r"\w", phrase) or len(phrase) > LONGEST:
            raise NoWordIn(where=where, got=phrase, most=LONGEST)
    return _bounded(where, " ".join, (phrase.lower().split() for phrase in given))


def _words(where: str, given: Sequence[str]) -> tuple[str, ...]:
    """Words that are spelt right, lower-cased, each once and in order: those whose spelling is looked at."""
    if all(word.isalpha() and len(word) in LETTERS and word.islower() for word in given):
        return _bounded(where, str, given)
    found = (word for line in given for word in re.findall(r"\w+", line.lower()))
    return _bounded(where, str, (word for word in found if len(word) in LETTERS and word.isalpha()))


def _bounded(where: str, make: Any, given: Iterable[Any]) -> tuple[str, ...]:
    words = tuple(sorted({make(word) for word in given}))
    if not words:
        raise EmptyList(where=where)
    if len(words) > MOST_WORDS:
        raise TooLongList(where=where, got=len(words), most=MOST_WORDS)
    return words
