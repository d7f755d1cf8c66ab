"""Texts of any number of labels -> what a model of them is worth on texts that it has not learnt from.

Each part of a split is judged by a model of the rest, which chooses C and thresholds anew; parts are dealt by the
rarest label that a text has. A label that a part does not teach is never given there, and is as improbable as can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..evaluation.several import SeveralEvaluation
from ..examples.sets import Labels
from ..settings import Settings
from ..splits import Split
from . import odds
from .counting import EVERY
from .kept import Given
from .making import trained
from .model import Manner

NEVER = -700.0  # nats


def rarest(sets: Sequence[Labels]) -> list[str]:
    """The label by which each text is dealt out: the one that fewest texts have; no name where it has none.

    >>> rarest([("a", "b"), ("a",), ()])
    ['b', 'a', '']
    """
    times = Counter(label for of in sets for label in of)
    return [min(of, key=lambda label: (times[label], label)) if of else EVERY for of in sets]


def in_parts(
    given: Given,
    settings: Settings,
    manner: Manner,
    split: Split,
    steps: Callable[[str, int, int], None] | None = None,
) -> SeveralEvaluation:
    """All texts that a part judges, in their order, each by a model that has not seen it."""
    labels = tuple(sorted({label for of in given.sets for label in of}))
    places = np.sort(np.concatenate([part.test for part in split.parts]))
    scores = np.full((len(places), len(labels)), NEVER)
    said = np.zeros(scores.shape, np.bool_)
    for number, part in enumerate(split.parts, start=1):
        name = f"part {number} of {len(split.parts)}"
        if steps is not None:
            steps(f"training, {name}", number - 1, len(split.parts))
        model = trained(_at(given, part.train), settings, manner, name)
        columns = np.searchsorted(labels, model.labels)
        found = model.scores(_at(given, part.test).texts)
        here = np.ix_(np.searchsorted(places, part.test), columns)
        scores[here], said[here] = found, found >= np.array(list(model.thresholds.values()))
    truth = odds.indicator([given.sets[i] for i in places], labels)
    return SeveralEvaluation(labels, truth, said, scores, split.words, places=tuple(places.tolist()))


def _at(given: Given, places: Any) -> Given:
    texts: Any = [given.texts[i] for i in places]
    return Given(texts, [given.sets[i] for i in places])
