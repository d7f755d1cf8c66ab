"""How shares, probabilities and texts are put for people: never rounded to a certainty, nothing invisible."""

from __future__ import annotations

import math

ROUNDING = 1e-12

_CONTROLS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"}
_VISIBLE = {
    **_CONTROLS,
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys((0x202D, 0x202E), 0xFFFD),  # overrides: what follows is shown in an order that it does not have
}


def visible(value: object) -> object:
    """A text with a sign for each control character, one for one; anything else as it is.

    >>> visible("a\\0b\\u202ec\\n"), visible(3)
    ('a␀b\ufffdc\\n', 3)
    """
    return value.translate(_VISIBLE) if isinstance(value, str) else value


def brief(label: str, most: int = 100) -> str:
    """A label, cut where it is very long.

    >>> brief("spam"), brief("a very long one", most=7)
    ('spam', 'a very…')
    """
    return label if len(label) <= most else f"{label[: most - 1]}…"


def percent(share: float) -> str:
    """A share in per cent; not all and not nothing unless it is.

    >>> percent(0.8911), percent(1.0), percent(0.9999), percent(0.0001), percent(0.0)
    ('89.1%', '100.0%', 'over 99.9%', 'under 0.1%', '0.0%')
    """
    if 0.9995 <= share < 1 - ROUNDING:
        return "over 99.9%"
    return "under 0.1%" if ROUNDING < share < 0.0005 else f"{share:.1%}"


def probability(log_odds: float) -> str:
    """The probability that some log-odds (in nats) stand for.

    >>> probability(0.0), probability(6.0), probability(800.0)
    ('50.00%', '99.75%', 'over 99.99%')
    """
    share = 1 / (1 + math.exp(-min(log_odds, 700.0)))
    return "over 99.99%" if share >= 0.99995 else f"{share:.2%}"


def count_of(n: int, noun: str) -> str:
    """So many of something.

    >>> count_of(1, "text"), count_of(1200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
