"""RSS 0.90 to 2.0, RDF 1.0 or Atom, as bytes -> items.

Feeds come from strangers. The parser is Python's expat, event by event. Nothing is fetched: what a document type names
is not read. Entities that a document declares itself are refused: those of "billion laughs" grow without end, those of
files would be read. HTML's own entities, which feeds use without saying so, are known. A feed has at most `LARGEST`
bytes, and elements at most `DEEPEST` deep. A document is decoded by its byte order mark, or by the encoding that it
declares, before it is parsed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from html.entities import name2codepoint
from typing import Any
from xml.parsers import expat

from ..errors import BadFeed, BadFeedEncoding, DeclaredEntity, FeedTooLarge, UnknownEncoding
from .items import Item, Nothing
from .markup import text_of

LARGEST = 64_000_000
DEEPEST = 200
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
ROOTS = {"rss", "RDF", "feed"}
ITEMS = {"item", "entry"}
TEXTS = {"title": "title", "description": "summary", "summary": "summary", "content": "content", "encoded": "content"}
NAMES = {"guid", "id"}
ATOM = "http://www.w3.org/2005/Atom"


def items_of(document: bytes, name: str) -> list[Item | Nothing]:
    """The items of a feed, in its order.

    >>> feed = b"<rss><channel><item><guid>7</guid><title>Hockey &amp;amp; more</title></item></channel></rss>"
    >>> items_of(feed, "feed.xml")
    [Item(id='7', text='Hockey & more', title='Hockey & more')]
    """
    if len(document) > LARGEST:
        raise FeedTooLarge(path=name, most=LARGEST)
    reader = _Reader(name)
    parser = expat.ParserCreate("utf-8", " ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.EntityDeclHandler = reader.declared
    parser.SkippedEntityHandler = reader.skipped
    # As if there were a document type elsewhere, which is never fetched: unknown entities are skipped, and told.
    parser.UseForeignDTD(True)
    parser.ExternalEntityRefHandler = lambda *_: 1
    try:
        parser.Parse(_decoded(document, name).encode(), True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise BadFeed(where=f"{name}:{error.lineno}", reason=reason) from None
    return reader.items


def _decoded(document: bytes, name: str) -> str:
    declared = DECLARED.match(document[:1000])
    by_mark = next((encoding for mark, encoding in MARKS if document.startswith(mark)), None)
    encoding = by_mark or (declared[1].decode("ascii") if declared else "utf-8")
    try:
        return codecs.decode(document, encoding)
    except LookupError:
        raise UnknownEncoding(encoding=encoding) from None
    except (ValueError, TypeError) as error:  # a codec that is none of texts says so by a TypeError
        reason = getattr(error, "reason", error)
        raise BadFeedEncoding(path=name, encoding=encoding, reason=reason) from None


@dataclass
class _Reader:
    """What has been met of a feed: finished items, and the one that is open."""

    name: str
    items: list[Item | Nothing] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    opened: dict[str, Any] | None = None
    at: int = 0  # how deep the item lies that is open
    part: str = ""  # of the item, which is being read
    is_html: bool = True
    pieces: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        if not self.path and local not in ROOTS:
            raise BadFeed(where=self.name, reason=f"expected rss, rdf or feed, got {local}")
        if len(self.path) >= DEEPEST:
            raise BadFeed(where=self.name, reason=f"elements stand more than {DEEPEST} deep")
        self.path.append(local)
        if self.opened is None:
            if local in ITEMS:
                about = next((value for key, value in attributes.items() if key.endswith(" about")), "")
                self.opened, self.at = {"id": "", "about": about}, len(self.path)
        elif len(self.path) == self.at + 1:
            self._open(space, local, attributes)
        elif self.part:
            self.pieces.append(" ")  # an element of XHTML

    def _open(self, space: str, local: str, attributes: dict[str, str]) -> None:
        is_link = local == "link" and attributes.get("rel", "alternate") == "alternate"
        self.part = TEXTS.get(local) or ("id" if local in NAMES else "link" if is_link else "")
        self.pieces = [attributes.get("href", "")] if is_link else []
        self.is_html = space != ATOM or attributes.get("type") in ("html", "text/html")

    def data(self, text: str) -> None:
        if self.part:
            self.pieces.append(text)

    def end(self, _: str) -> None:
        depth = len(self.path)
        self.path.pop()
        if self.opened is None:
            return
        if depth == self.at + 1 and self.part:
            self._close_part()
        elif depth == self.at:
            self._close_item()

    def _close_part(self) -> None:
        said = "".join(self.pieces)
        is_text = self.part in TEXTS.values()
        text = text_of(said) if is_text and self.is_html else " ".join(said.split())
        if self.opened is not None and text and text not in self.opened.get(self.part, ""):
            self.opened[self.part] = " ".join(filter(None, (self.opened.get(self.part), text)))
        self.part = ""

    def _close_item(self) -> None:
        found, self.opened = self.opened or {}, None
        title = found.get("title", "")
        text = "\n".join(found[part] for part in ("title", "summary", "content") if found.get(part))
        name = found["id"] or found["about"] or found.get("link", "")
        self.items.append(Item.of(text, name, title) if text else Nothing(f"{self.name}: item {len(self.items) + 1}"))

    def declared(self, *_: object) -> None:
        raise DeclaredEntity(path=self.name)

    def skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter and name in name2codepoint:
            self.data(chr(name2codepoint[name]))
