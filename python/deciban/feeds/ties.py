"""Texts of a stream -> which are tied to each other by what they name: an address, or the same subject.

Who writes on a matter writes on it again, who answers somebody names him, and answers have the subject of what they
answer. So two texts are tied by each mail address that stands in both (of who wrote it, of who is answered, of a
message that is referred to), and by their subject: the title of an item, or else what the header block of a text says
it is, without `Re:`. How much something ties a text is shared out among all others that name it, so that what many
name ties nobody closely; what more than `MOST` texts name, such as a mailing list's own address, ties none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Ties = tuple[Places, Places, Floats]
LOCAL = r"A-Za-z0-9._%+=!/-"
ADDRESS = re.compile(rf"(?<![{LOCAL}])[{LOCAL}]{{1,64}}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
SUBJECT = re.compile(r"^subject:(.*)", re.IGNORECASE | re.MULTILINE)
ANSWER = re.compile(r"^(?:(?:re|fwd?|aw|sv)\s*(?:\[\d+\]|\^\d+)?\s*:\s*)+", re.IGNORECASE)
MOST = 100
ADDRESSES = 20  # of a text
BY_ADDRESS, BY_SUBJECT = 20.0, 10.0  # how much they tie; a nearest neighbour does at most by 1


def named(text: str, title: str = "") -> Iterator[tuple[str, float]]:
    """What a text names, and how much each thing ties it.

    >>> dict(named("From: Jo <jo@x.org>\\nSubject: Re: Fw: On  ice\\n\\nmax@x.org wrote"))
    {'jo@x.org': 20.0, 'max@x.org': 20.0, 'subject: on ice': 10.0}
    >>> dict(named("Played on.", "On ice"))
    {'subject: on ice': 10.0}
    """
    found = dict.fromkeys(match[0].lower() for match in ADDRESS.finditer(text))
    for address in list(found)[:ADDRESSES]:
        yield address, BY_ADDRESS
    said = title or next((match[1] for match in SUBJECT.finditer(text.partition("\n\n")[0])), "")
    if subject := " ".join(said.split()).lower():
        yield f"subject: {ANSWER.sub('', subject)}", BY_SUBJECT


def ties(texts: Sequence[str], titles: Sequence[str]) -> Ties:
    """The pairs of texts that are tied, each both ways round, and how much.

    >>> one, other, much = ties(["a@x.org", "b@x.org", "To a@x.org"], ["", "", ""])
    >>> one.tolist(), other.tolist(), much.tolist()
    ([0, 2], [2, 0], [20.0, 20.0])
    """
    by_name: dict[str, list[int]] = {}
    weight: dict[str, float] = {}
    for n, (text, title) in enumerate(zip(texts, titles, strict=True)):
        for name, by in named(text, title):
            by_name.setdefault(name, []).append(n)
            weight[name] = by
    parts = [_pairs(np.array(some), weight[name]) for name, some in by_name.items() if 2 <= len(some) <= MOST]
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    one, other, much = (np.concatenate(part) for part in zip(*parts, strict=True))
    return one, other, much


def _pairs(some: Places, weight: float) -> Ties:
    """All pairs of some texts; a weight is shared out among those that a text is paired with."""
    one, other = np.repeat(some, len(some)), np.tile(some, len(some))
    apart = one != other
    return one[apart], other[apart], np.full(int(apart.sum()), weight / (len(some) - 1))
