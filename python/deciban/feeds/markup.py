"""HTML -> the text that a reader sees, with a space where a block ends; scripts and styles are not read."""

from __future__ import annotations

from html.parser import HTMLParser

UNREAD = {"script", "style", "template"}
INLINE = {"a", "abbr", "b", "cite", "code", "em", "font", "i", "q", "s", "small", "span", "strong", "sub", "sup", "u"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.unread += tag in UNREAD
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self.unread = max(self.unread - (tag in UNREAD), 0)
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self.unread:
            self.pieces.append(data)

    def _part(self, tag: str) -> None:
        if tag not in INLINE:
            self.pieces.append(" ")


def text_of(markup: str) -> str:
    """What is read of HTML.

    >>> text_of("<p>Tom &amp; <b>Jer</b>ry</p><script>let x = 1</script><p>won</p>")
    'Tom & Jerry won'
    """
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return " ".join("".join(reader.pieces).split())
