"""A model's own examples -> what a sample of them score by models that have not seen them.

From counts by leaving each out; of a fitted model by the folds that chose its C or weighed its members, which `fitting`
hands on; else by folds, for each of which a model is trained on the others. Known terms are those that another example
has, too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .calibration import Sample
from .calibration.chosen import FOLDS, MOST_TEXTS, most_texts
from .counts import Counts
from .examples import Examples, kept
from .fitting.committee import folds_of
from .halves import Halved, halves_of
from .projection import Forest
from .rows import Rows
from .scorecard import Scorecard
from .settings import Settings
from .weighing import leave_one_out

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def sample_of(examples: Examples, labels: int) -> Examples:
    """As many of some examples as there is use for, drawn as they are from a file; themselves, if they are few."""
    if len(examples.labels) <= most_texts(labels):
        return examples
    reservoir = kept.Reservoir(MOST_TEXTS)
    reservoir.add(examples)
    places = np.linspace(0, len(reservoir) - 1, min(most_texts(labels), len(reservoir)), dtype=int)
    return kept.some(reservoir.examples, places.tolist())


def left_out(
    counts: Counts, settings: Settings, examples: Examples, found: Rows, y: Integers, worth: Floats | None = None
) -> Sample:
    """What examples score, of these rows and labels, each by a model of counts without it; terms have some worth."""
    half = halves_of(examples.texts) if isinstance(counts, Halved) else np.zeros_like(y)
    return Sample(leave_one_out(counts, found, y, settings, half, worth), known_terms(counts, settings, found), y)


def of_scores(scores: Floats, counts: Counts, settings: Settings, found: Rows, y: Integers) -> Sample:
    """A sample of the held-out scores of all rows."""
    known, most = known_terms(counts, settings, found), most_texts(len(counts.labels))
    places = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
    return Sample(scores, known, y).some(places)


def known_terms(counts: Counts, settings: Settings, found: Rows, fewest: int = 2) -> Floats:
    """How many terms of each row so many examples have, its own among them; as often as they count."""
    shared = counts.by_term(counts.presences) >= fewest
    times = shared[found.term] * (1 if settings.is_binary else found.count)
    return np.bincount(found.row, times, len(found)).astype(np.float64)


def folded(
    counts: Counts, examples: Examples, y: Integers, trained: Callable[[Examples], Scorecard | Forest]
) -> Floats:
    """The scores of all examples by models that are trained on other folds; a label that those lack cannot be had."""
    scores, folds = np.full((len(y), len(counts.labels)), -np.inf), folds_of(y, FOLDS)
    for fold in range(FOLDS):
        out, others = (kept.some(examples, np.flatnonzero(is_in).tolist()) for is_in in (folds == fold, folds != fold))
        card = trained(others)
        scores[np.ix_(folds == fold, counts.numbers(card.labels))] = card.scores(out.texts)
    return scores
