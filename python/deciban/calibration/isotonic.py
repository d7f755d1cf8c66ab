"""Log probabilities and what came true -> knots of a rising function from the one to the other (Zadrozny and Elkan).

All labels are pooled: each of a text's most probable ones is an observation (log p, whether it is the true one). Pool
adjacent violators makes steps that rise; the knots stand in the middle of each, so that what lies between is told
apart, and the label of the greatest probability stays the same.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
MOST_LABELS = 20  # of a text: those below are as good as never true
GROUPS = 200  # that observations are put in before, of about as many each
LEAST = 1e-6
APART = 1e-4


def knots(log_p: Floats, y: npt.NDArray[np.int64]) -> Floats:
    """Rising log probabilities, and after them what they are bent to.

    >>> always_half = np.log(np.tile([[0.9, 0.1]], (40, 1)))
    >>> np.exp(knots(always_half, np.arange(40) % 2)).round(2).tolist()  # whichever it says, half of them come true
    [0.3, 0.5]
    """
    first = np.argsort(-log_p, axis=1, kind="stable")[:, :MOST_LABELS]
    x = np.take_along_axis(log_p, first, axis=1).ravel()
    came_true = (first == y[:, None]).ravel().astype(np.float64)
    order = np.argsort(x, kind="stable")
    ends = np.unique(np.linspace(0, len(x), GROUPS + 1).astype(np.int64))
    groups = [(float(x[part].mean()), float(came_true[part].sum()), len(part)) for part in _parts(order, x, ends)]
    return _knots(groups)


def _parts(order: npt.NDArray[np.intp], x: Floats, ends: npt.NDArray[np.int64]) -> list[npt.NDArray[np.intp]]:
    """Observations in order, in groups; equal ones are in one."""
    ends = np.unique(np.searchsorted(x[order], x[order][ends[1:-1]], side="left"))
    return [part for part in np.split(order, ends) if len(part)]


def _knots(groups: list[tuple[float, float, int]]) -> Floats:
    """The steps of pool adjacent violators; neighbours that are alike are kept a hair apart."""
    steps: list[tuple[float, float, int]] = []
    for log_p, true, many in groups:
        step = (log_p, true, many)
        while steps and steps[-1][1] * step[2] >= step[1] * steps[-1][2]:
            before = steps.pop()
            both = before[2] + step[2]
            step = ((before[0] * before[2] + step[0] * step[2]) / both, before[1] + step[1], both)
        steps.append(step)
    # One half is added to what came true and what did not: nothing is sure.
    share = np.array([(true + 0.5) / (many + 1) for _, true, many in steps])
    rising = np.log(np.maximum(np.maximum.accumulate(share), LEAST))
    x = np.array([log_p for log_p, _, _ in steps])
    return np.concatenate([line.round(4) + APART * np.arange(len(steps)) for line in (x, rising)])
