"""Texts -> the words that are spelt right, as far as the texts can tell: what the property `misspelling` goes by.

A word of letters that stands in `LEAST` texts or more is taken to be right; of very many, those that most texts have.
Labels play no part. The list belongs to the settings of a model, as a file of words would: it is learnt once, when the
model is trained, and stays as it is when the model learns, forgets or leaves a text out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ._core import BadText
from .counts import Tally
from .properties import LETTERS
from .settings import Settings
from .terms import Terms

if TYPE_CHECKING:
    from ._core import Texts

LEAST = 5  # texts that have a word
MOST = 50_000  # words


def with_words(settings: Settings, batches: Iterable[Texts]) -> Settings:
    """The settings with the words that texts spell right, where those are left open.

    >>> with_words(Settings.of(properties="misspelling"), [["free money"] * 5 + ["monney"]]).properties.lists
    (('misspelling', ('free', 'money')),)
    """
    if settings.properties is None or not settings.properties.is_open:
        return settings
    tally = Tally(Terms(accents=settings.accents), settings.cores)
    try:
        for texts in batches:
            tally.add(texts, ["all"] * len(texts))
    except BadText:  # told by whoever counts the same texts next, who knows where it stands
        return settings
    counts = tally.counts()
    times = zip(counts.lexicon.names(), counts.presences.tolist(), strict=True)
    often = [(-n, word) for word, n in times if n >= LEAST and len(word) in LETTERS and word.isalpha()]
    words = sorted(word for _, word in sorted(often)[:MOST])
    return replace(settings, properties=settings.properties.with_words(words))
