"""Rows of words and labels -> the scores of a logistic model, each text by what was learnt from other folds.

It sees tf-idf of the words that two texts have, of length 1. When it is asked is said in `views`; it is a module of
its own because solvers take a while to import.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..fitting import committee, members
from ..fitting.members import Labelled, Member
from ..fitting.seen import Sight, see
from ..rows import Rows

Floats = npt.NDArray[np.float64]
LOGISTIC = Member("words, logistic", Sight(least=2), "logistic", c=1.0)
FOLDS = 3


def held_out(counts: Counts, rows: Rows, y: npt.NDArray[np.int64], threads: int = 0) -> Floats:
    """The held-out scores of texts with labels y: texts x labels.

    >>> from deciban.auditing.views import Views
    >>> found = Views.of(["good day", "bad day", "good", "bad", "good one", "bad one"], ["x", "y"] * 3)
    >>> held_out(found.counts, found.rows, found.y).argmax(axis=1).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    of = Labelled(y, len(counts.labels), np.ones(len(y)))
    seen = see(rows, counts, LOGISTIC.sight)
    folds = committee.folds_of(y, FOLDS)
    return np.asarray(members.held_out(LOGISTIC, seen, of, folds, [LOGISTIC.c], threads)[0])
