"""A mail, as bytes -> what a model sees of it; and the same mail with header fields of ours.

A mail begins with its header: fields (RFC 5322), up to the first empty line; a line `From ...`, as in mailboxes, may
stand before. Whatever does not begin with a field has no header: it is all body. Nothing is parsed beyond that, so no
mail is malformed, and all that is not ours stays as it was, byte for byte.

Fields whose names begin with `X-Deciban` are ours: those that a mail brings along are dropped, wherever in its header,
whether somebody forged them or we wrote them before. They are not seen, either, so that no verdict is ever learnt.
"""

from __future__ import annotations

from .. import _core

# Whoever judges one mail waits for imports more than for all else: what is seldom needed is imported where it is.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Place = tuple[int, int]  # from where to where
NAME = "X-Deciban"
MOST = 4000  # bytes of a mail that are seen of it as it stands: more of them help no further, and take time
WIDTH = 76  # of a line, without its end
LONGEST = 40  # bytes of a word that is shown

# A carriage return alone ends a line for some programs: what looks like a field of ours after one is taken for it.
_OURS = rb"(?im)(?:^|(?<=\r))x-deciban[!-9;-~]*[ \t]*:[^\r\n]*(?:\r?\n|\r|\Z)(?:[ \t][^\r\n]*(?:\r?\n|\r|\Z))*"
_PRINTED = frozenset(map(chr, range(ord("!"), ord("~") + 1)))
_OF_NAMES = bytes(byte for byte in range(ord("!"), ord("~") + 1) if byte != ord(":"))


def seen(tokens: str, data: bytes, places: Sequence[Place], threads: int = 1) -> list[str]:
    """What a model is shown of mails, which stand between places of `data`.

    A model whose tokens stand between white space is shown words, as those that are made of mails are: of fields, each
    with its field's name, and of the text, decoded. (Of a mail as it stands it would see no word before a comma.) Any
    other is shown the mail as it stands.

    >>> mail = b"From bob  Mon Nov 16 09:30:00 2026\\nX-Deciban: ham\\nSubject: Free\\n\\ncaf\\xe9, now!\\n"
    >>> seen("whitespace", mail, [(0, len(mail))])
    ['subject: subject:free café now! ']
    >>> seen("word", mail, [(0, len(mail))])
    ['Subject: Free\\n\\ncafé, now!\\n']
    """
    if tokens == "whitespace":
        return _core.mail_words(data, places, threads)
    return [_as_it_stands(data[start : min(end, start + MOST)], end - start > MOST) for start, end in places]


def _as_it_stands(mail: bytes, is_cut: bool) -> str:
    """A text: without the line that mailboxes add, and without what we wrote."""
    _, header, body = parts(mail)
    text = header + body
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        if error.start >= len(text) - 3 and is_cut:  # a character that is cut
            return text[: error.start].decode()
        return text.decode("latin-1")


def parts(mail: bytes) -> tuple[bytes, bytes, bytes]:
    """The line before the header, the header without fields of ours, and all that comes after it.

    >>> parts(b"Subject: hi\\nX-Deciban: ham\\n\\nhello")
    (b'', b'Subject: hi\\n', b'\\nhello')
    >>> parts(b"no header")
    (b'', b'', b'no header')
    """
    start = mail.find(b"\n") + 1 if mail.startswith((b"From ", b">From ")) else 0
    if not _is_field(mail, start):
        return mail[:start], b"", mail[start:]
    ends = [at + 1 for at in (mail.find(b"\n\n", start), mail.find(b"\n\r\n", start)) if at >= 0]
    stop = min(ends, default=len(mail))
    header = mail[start:stop]
    if NAME.lower().encode() in header.lower():  # the search takes longer than all the rest
        import re

        header = re.sub(_OURS, b"", header)
    return mail[:start], header, mail[stop:]


def _is_field(mail: bytes, start: int) -> bool:
    """Whether a field begins there: a name without blanks, and a colon, before which blanks may stand."""
    colon = mail.find(b":", start)
    name = mail[start:colon].rstrip(b" \t") if colon > start else b""
    return bool(name) and not name.translate(None, _OF_NAMES)


def stamped(mail: bytes, fields: Sequence[tuple[str, Iterable[str]]]) -> bytes:
    """The mail with fields of ours before all others, each of some pieces with commas between, folded.

    >>> stamped(b"Subject: hi\\r\\n\\r\\nhello", [("X-Deciban", ["ham; decibans=-9.0"])])
    b'X-Deciban: ham; decibans=-9.0\\r\\nSubject: hi\\r\\n\\r\\nhello'

    A mail without a header gets one, and an empty line after it: what was there stays its body.

    >>> stamped(b"hello", [("X-Deciban", ["ham"])])
    b'X-Deciban: ham\\n\\nhello'
    """
    before, header, body = parts(mail)
    first = mail.find(b"\n")
    newline = b"\r\n" if first > 0 and mail[first - 1 : first] == b"\r" else b"\n"
    ours = b"".join(_folded(name, pieces, newline) for name, pieces in fields)
    gap = newline if not header and body and not body.startswith((b"\n", b"\r\n")) else b""
    return b"".join((before, ours, header, gap, body))


def _folded(name: str, pieces: Iterable[str], newline: bytes) -> bytes:
    lines = [f"{name}:"]
    for place, piece in enumerate(pieces):
        lines[-1] += "," if place else ""
        if len(lines[-1]) + 1 + len(piece) <= WIDTH or not place:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"\t{piece}")
    return b"".join(line.encode("ascii", "replace") + newline for line in lines)


def word(name: str) -> str:
    """A word as a header can hold it: in quotation marks, or encoded (RFC 2047) where it is more than plain ASCII.

    >>> word("free money"), word("subject:café")
    ('"free money"', '=?utf-8?q?subject=3Acaf=C3=A9?=')
    >>> word('a"b\\r\\nX-Deciban: ham')
    '=?utf-8?q?a=22b=0D=0AX=2DDeciban=3A=20ham?='
    """
    raw = name.encode("utf-8", "replace")
    if len(raw) > LONGEST:
        name = raw[:LONGEST].decode("utf-8", "ignore") + "…"
    is_plain = all(part and _PRINTED.issuperset(part) for part in name.split(" "))
    if is_plain and not {'"', "\\"} & {*name} and "=?" not in name:
        return f'"{name}"'
    coded = "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"={byte:02X}" for byte in name.encode())
    return f"=?utf-8?q?{coded}?="


def told(name: str, decibans: float, words: Sequence[tuple[str, float]]) -> list[tuple[str, list[str]]]:
    """The header fields that say what a mail is.

    >>> told("spam", 43.21, [("free", 6.2)])
    [('X-Deciban', ['spam; decibans=+43.2']), ('X-Deciban-Words', ['"free" +6.2'])]
    """
    fields = [(NAME, [f"{name}; decibans={decibans:+.1f}"])]
    return [*fields, (f"{NAME}-Words", [f"{word(name)} {each:+.1f}" for name, each in words])] if words else fields
