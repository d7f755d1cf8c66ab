"""A model's own examples -> what a sample of them score by models that have not seen them.

From counts by leaving each out; of a fitted model by the folds that chose its C or weighed its members, which `fitting`
hands on; else by folds, for each of which a model is trained on the others. Known terms are those that another example
has, too.

Leaving one out takes it from its own label alone. Of two texts that is half of all that is known of the label, and the
others keep theirs: what is left out would seem worse than any new text. So of labels with few texts each, folds are
taken that leave out as much of every label.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from . import hierarchy, weighing
from .calibration import Calibration, Sample
from .calibration.chosen import FOLDS, MOST_TEXTS, most_texts
from .counts import Counts
from .examples import Examples, kept
from .fitting.committee import folds_of
from .halves import Halved, halves_of
from .projection import Forest
from .rows import Rows
from .scorecard import Scorecard
from .settings import Settings

FEW = 15  # texts of a label: by fewer, leave-one-out is too hard on it (chosen on parts of training texts)
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


def leave_one_out(
    counts: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    half: Integers,
    worth: Floats | None = None,
    calibration: Calibration | None = None,
) -> Floats:
    """The scores of each row, of label y[i] and one of those counted, by a model of counts without it.

    Those that are decided from the root down are calibrated as they are made.
    """
    if settings.way == "shared":
        return hierarchy.shared_left_out(counts, rows, y, settings)
    if settings.way == "top-down":
        return hierarchy.descend_left_out(counts, rows, y, settings, calibration)
    return weighing.leave_one_out(counts, rows, y, settings, half, None if worth is None else worth[rows.term])


def left_out(
    counts: Counts, settings: Settings, examples: Examples, found: Rows, y: Integers, worth: Floats | None = None
) -> Sample:
    """What examples score, of these rows and labels, each by a model of counts without it; terms have some worth."""
    half = halves_of(examples.texts) if isinstance(counts, Halved) else np.zeros_like(y)
    return Sample(leave_one_out(counts, found, y, settings, half, worth), known_terms(counts, settings, found), y)


def of_scores(scores: Floats, counts: Counts, settings: Settings, found: Rows, y: Integers) -> Sample:
    """A sample of the held-out scores of all rows."""
    return Sample(scores, known_terms(counts, settings, found), y).some(drawn(counts, y))


def drawn(counts: Counts, y: Integers) -> Integers:
    """The places of as many examples as there is use for, always the same ones."""
    return np.sort(np.random.default_rng(0).permutation(len(y))[: most_texts(len(counts.labels))])


def fair_folds(documents: Integers) -> int:
    """How many folds judge labels of so many texts fairly; 0 where leaving one out does.

    >>> fair_folds(np.array([2, 2, 2])), fair_folds(np.array([9, 9])), fair_folds(np.array([2, 2, 500]))
    (2, 5, 0)
    """
    rising = np.sort(documents)
    middle = int(rising[np.searchsorted(np.cumsum(rising), rising.sum() / 2)])  # the label of a text in the middle
    return 0 if middle >= FEW else min(max(middle, 2), FOLDS)


def known_terms(counts: Counts, settings: Settings, found: Rows) -> Floats:
    """How many terms of each row another example has, too; as often as they count."""
    alone = counts.by_term(counts.presences) < 2
    words, of_alone, _ = (found.binary() if settings.is_binary else found).lengths(alone)
    return (words - of_alone).astype(np.float64)


def folded(
    counts: Counts,
    settings: Settings,
    examples: Examples,
    rows_and_labels: tuple[Rows, Integers],
    trained: Callable[[Examples], Scorecard | Forest | hierarchy.Descent],
) -> Sample:
    """What examples score by models that are trained on other folds; a label that those lack cannot be had."""
    found, y = rows_and_labels
    n, places = fair_folds(counts.documents) or FOLDS, drawn(counts, y)
    scores, folds = np.full((len(places), len(counts.labels)), -np.inf), folds_of(y, n)
    for fold in range(n):
        there = folds[places] == fold
        card = trained(kept.some(examples, np.flatnonzero(folds != fold).tolist()))
        out = kept.some(examples, places[there].tolist())
        scores[np.ix_(there, counts.numbers(card.labels))] = card.scores(out.texts)
    return Sample(scores, known_terms(counts, settings, found)[places], y[places])
