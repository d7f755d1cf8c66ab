"""A stream -> items to rank, and answers: JSON lines here, RSS and Atom in `syndication`.

A line of JSON is an item, `{"id": ..., "text": ...}`, or an answer, `{"id": ..., "answer": "yes"}`. What an item says
is its `text`, or its `title`, `summary` and `content`; where it has no `id`, a digest of that is its name, so that the
same text is the same item. An item that says nothing is passed over, and counted as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from ..errors import BadJson, BrokenText, NotAnObject, UnknownAnswer, described

ANSWERS = {"yes": "yes", "y": "yes", "no": "no", "n": "no", "skip": "skip", "s": "skip"}
PARTS = ("title", "summary", "content")


@dataclass(frozen=True)
class Item:
    """A text of a stream: its name, what it says, and how it is shown shortly."""

    id: str
    text: str
    title: str = ""

    @classmethod
    def of(cls, text: str, id: str = "", title: str = "") -> Item:
        """An item, named after its text where it has no name.

        >>> Item.of("Hockey tonight").id == Item.of("Hockey tonight").id != Item.of("Hockey").id
        True
        """
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12)
        return cls(id or digest.hexdigest(), text, title)


@dataclass(frozen=True)
class Answer:
    """What somebody said of an item: yes, no or skip."""

    id: str
    answer: str


@dataclass(frozen=True)
class Nothing:
    """An item without a text: there is nothing to rank it by."""

    where: str


def answer_of(given: object, where: str) -> str:
    """yes, no or skip, for what was given.

    >>> answer_of("Y", "answers.jsonl:1"), answer_of("skip", "answers.jsonl:2")
    ('yes', 'skip')
    """
    found = ANSWERS.get(given.strip().lower()) if isinstance(given, str) else None
    if found is None:
        raise UnknownAnswer(where=where, got=described(given))
    return found


def from_lines(lines: Iterable[tuple[int, str]], name: str) -> Iterator[Item | Answer | Nothing]:
    """The items and answers of JSON lines, each with its number.

    >>> list(from_lines([(1, '{"id": 7, "text": "Hockey"}'), (2, '{"id": 7, "answer": "y"}')], "-"))
    [Item(id='7', text='Hockey', title=''), Answer(id='7', answer='yes')]
    """
    for number, line in lines:
        if line.strip():
            yield _from_object(_parsed(line, f"{name}:{number}"), f"{name}:{number}")


def _parsed(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = f"{error.msg} at character {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise BadJson(where=where, reason=reason) from None
    if not isinstance(row, dict):
        raise NotAnObject(where=where, got=described(row))
    return row


def _from_object(row: dict[str, Any], where: str) -> Item | Answer | Nothing:
    name = "" if row.get("id") is None else str(row["id"])
    if "answer" in row:
        return Answer(name, answer_of(row["answer"], where))
    said = {part: value for part in ("text", *PARTS) if isinstance(value := row.get(part), str) and value.strip()}
    text = said.get("text") or "\n".join(said[part] for part in PARTS if part in said)
    if not text:
        return Nothing(where)
    try:
        (text + name).encode()
    except UnicodeEncodeError:
        raise BrokenText(where=where) from None
    return Item.of(text, name, said.get("title", ""))
