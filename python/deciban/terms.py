"""Text -> terms: what is seen of a text.

A term is a feature that has a name: a word, a run of words, a run of characters inside a word or across words, or a
property of how the text is written. What comes in is a text; what goes out are names, and where in the text they stand.
They are numbered by the lexicon, and counted by `counts`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, NoReturn

from . import _core
from .errors import BadSetting, BadText, BrokenText, NothingSeen, NotUtf8, UnknownChoice, described, one_line
from .properties import Properties

TOKENS = ("word", "unicode", "marks", "whitespace")
ACCENTS = ("keep", "fold")
LONGEST = 64
MOST_BITS = 31

_CHARS, _ACROSS, _HASHED = "\tc", "\ta", "\th"
_PROPERTY, _NEGATED, _PAIR, _TITLE, _FIELD = "\tp", "\tn", "\ts", "\tl", "\tf"


class Seen(NamedTuple):
    """A term of a text, and the characters of the text that it stands for: `text[start:end]`."""

    term: str
    start: int
    end: int


@dataclass(frozen=True)
class Terms:
    """Which terms are seen of a text.

    `tokens` says how a text is cut into lower-cased words: "word" takes runs of two or more letters, digits or
    underscores; "unicode" takes the segments of Unicode's UAX #29 (one-letter words, apostrophes, ideographs, emoji);
    "marks" takes punctuation too, a mark a word; "whitespace" takes whatever stands between white space. `words`,
    `chars` and `chars_across` give the shortest and the longest run of words, of characters inside a word, and of
    characters of the whole text, that is a term; None for none. With `edges`, the text's start and end stand among the
    words of runs of two or more, which there must be, as `<s>` and `</s>`, which are no words of any text. `accents`
    are to "keep", or to "fold": é is seen as e, and ﬁ as fi, by Unicode's NFKD without the characters that combine.
    `properties` are told of how a text is written, beside all that: `"caps,negation"`; see docs/properties.md.
    With `hash_bits`, terms are counted in so many bits' worth of buckets, by a hash of their names: memory is bounded,
    and terms that share a bucket are one.

    >>> [seen.term for seen in Terms(words=(1, 2)).seen("No refund!")]
    ['no', 'no refund', 'refund']
    >>> Terms(words=None, chars=(3, 3)).seen("Né?")
    [Seen(term='\\tc né', start=0, end=2), Seen(term='\\tcné?', start=0, end=3), Seen(term='\\tcé? ', start=1, end=3)]
    """

    tokens: str = "word"
    words: tuple[int, int] | None = (1, 1)
    chars: tuple[int, int] | None = None
    edges: bool = False
    chars_across: tuple[int, int] | None = None
    accents: str = "keep"
    properties: Properties | None = None
    hash_bits: int | None = None

    def __post_init__(self) -> None:
        for setting, known in (("tokens", TOKENS), ("accents", ACCENTS)):
            check_choice(setting, getattr(self, setting), known)
        for setting in ("words", "chars", "chars_across"):
            object.__setattr__(self, setting, lengths(setting, getattr(self, setting)))
        object.__setattr__(self, "properties", Properties.of(self.properties))
        if not isinstance(self.edges, bool):
            raise BadSetting(setting="edges", got=self.edges, expected="True or False")
        if self.hash_bits is not None and (type(self.hash_bits) is not int or not 1 <= self.hash_bits <= MOST_BITS):
            expected = f"a whole number from 1 to {MOST_BITS}, or None for no hashing"
            raise BadSetting(setting="hash_bits", got=self.hash_bits, expected=expected)
        if self.words is self.chars is self.chars_across is None and self.properties is None:
            raise NothingSeen
        if self.edges and (self.words is None or self.words[1] < 2):
            raise BadSetting(setting="edges", got=True, expected="runs of two words or more, such as words=(1, 2)")

    @cached_property
    def core(self) -> _core.Terms:
        """The same, as the core takes it."""
        return _core.Terms(
            tokens=self.tokens,
            words=self.words,
            edges=self.edges,
            chars=self.chars,
            chars_across=self.chars_across,
            accents=self.accents,
            properties=None if self.properties is None else list(self.properties.lists),
            hash_bits=self.hash_bits,
        )

    def known_as(self, term: str) -> str:
        """The name under which a term that is seen is counted: its own, or that of its bucket.

        >>> Terms().known_as("no refund"), Terms(hash_bits=10).known_as("no refund")
        ('no refund', '\\th0000012f')
        """
        return term if self.hash_bits is None else self.core.known_as(term)

    def seen(self, text: str) -> list[Seen]:
        """All terms of a text, each with its place."""
        return [Seen(*seen) for seen in self.core.seen(text)]


def check_choice(setting: str, got: object, known: Sequence[str]) -> None:
    """Refuses what is none of the names that are known.

    >>> check_choice("tokens", "letters", TOKENS)
    Traceback (most recent call last):
        ...
    deciban.errors.UnknownChoice: tokens='letters': not known; the known ones are: word, unicode, marks, whitespace
    """
    if not isinstance(got, str) or got not in known:
        raise UnknownChoice(setting=setting, got=got, known=", ".join(known))


def lengths(setting: str, given: object) -> tuple[int, int] | None:
    """A shortest and a longest length, checked: a pair, or one number for both.

    >>> lengths("words", [1, 2]), lengths("words", 2), lengths("words", None)
    ((1, 2), (2, 2), None)
    """
    if given is None:
        return None
    pair = (given, given) if isinstance(given, int) else given
    if isinstance(pair, (tuple, list)) and len(pair) == 2 and all(type(n) is int for n in pair):
        low, high = pair
        if 1 <= low <= high <= LONGEST:
            return low, high
    raise BadSetting(setting=setting, got=given, expected=f"two lengths such as (1, 2), between 1 and {LONGEST}")


def display(term: str) -> str:
    """A term's name as people are shown it.

    >>> display("no refund"), display("refund \\t</s>"), display("\\tc ref"), display("\\tao ref")
    ('no refund', 'refund </s>', '‹·ref›', '«o·ref»')
    >>> display("\\tpcaps"), display("\\tngood"), display("\\tswhat…city"), display("\\tfsubject:free")
    ('[caps]', 'not_good', 'what…city', 'subject:free')
    >>> display("\\tloil falls")
    'title:oil falls'
    """
    if term.startswith(_CHARS):
        return f"‹{_visible(term.removeprefix(_CHARS))}›"
    if term.startswith(_ACROSS):
        return f"«{_visible(term.removeprefix(_ACROSS))}»"
    if term.startswith(_PROPERTY):
        return f"[{_visible(term.removeprefix(_PROPERTY))}]"
    if term.startswith(_NEGATED):
        return f"not_{term.removeprefix(_NEGATED)}"
    if term.startswith(_TITLE):
        return f"title:{term.removeprefix(_TITLE)}"
    if term.startswith((_PAIR, _FIELD)):
        return term[len(_PAIR) :]
    if term.startswith(_HASHED):
        return f"#{term.removeprefix(_HASHED)}"
    return term.replace("\t", "")


def _visible(characters: str) -> str:
    """Characters, each of which can be seen."""
    return one_line(characters.replace(" ", "·"))


def refuse(error: _core.BadText, texts: Sequence[object] | _core.Column, where: Callable[[int], str]) -> NoReturn:
    """Says which of some texts the core could not read, and where it came from.

    >>> refuse(_core.BadText(1, "NoneType"), ["fine", None], "texts[{}]".format)
    Traceback (most recent call last):
        ...
    deciban.errors.BadText: texts[1]: expected a text, got None
    """
    place = error.args[0]
    text = texts[place]
    if isinstance(text, str):
        raise BrokenText(where=where(place)) from None
    if isinstance(text, bytes):
        before = _valid_utf8(text)
        raise NotUtf8(where=where(place), byte=text[before], before=before) from None
    raise BadText(where=where(place), got=described(text)) from None


def _valid_utf8(text: bytes) -> int:
    """How many bytes there are before the first that is no UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(text)
