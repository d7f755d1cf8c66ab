"""A model -> documents like those that it was trained on, as far as it can tell: drawn from p(x, y) (Zhu 2.1).

First the label is drawn from the prior p(y), unless it is given, and then the document from p(x|y), as the model's own
module draws it. A document is a bag of terms, and its text their names: order means nothing, and a term that is no
single word stands there by the name that people are shown, as an n-gram with spaces between its words.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from .counts import Counts
from .scorecard import Scorecard
from .settings import Settings
from .terms import display
from .weighing import draw, log_prior


class Drawn(NamedTuple):
    """A document that was drawn."""

    label: str
    text: str


def sample(
    counts: Counts, card: Scorecard, settings: Settings, n: int, label: int | None, length: int | None, seed: object
) -> list[Drawn]:
    """n documents of a label, or of labels that are drawn. The same seed gives the same, with the same NumPy."""
    rng = np.random.default_rng(seed)  # type: ignore[arg-type]
    prior = np.exp(log_prior(counts, settings))
    y = rng.choice(len(prior), n, p=prior / prior.sum()) if label is None else np.full(n, label)
    name = cache(lambda term: display(card.lexicon.name(term) or ""))
    texts = [""] * n
    for r in np.unique(y).tolist():
        places = np.flatnonzero(y == r).tolist()
        for place, terms in zip(places, draw(counts, card, settings, r, len(places), length, rng), strict=True):
            texts[place] = " ".join(map(name, terms.tolist()))
    return [Drawn(card.labels[r], text) for r, text in zip(y.tolist(), texts, strict=True)]
