"""How sure a figure is: intervals that hold its true value with 95 % confidence.

Wilson's score interval is that of a share (`wilson.py`). The bootstrap draws the examples anew, with replacement,
and looks at the middle 95 % of what the figure then is. To draw n of them is to draw from the multinomial distribution
of n and the shares of each kind of example, so no example is ever touched: for accuracy the kinds are right and wrong,
for F1 they are the pairs (true label, predicted label).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..wilson import bounds

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

DRAWS = 2_000
MOST_DRAWN = 1 << 24  # numbers of one bootstrap
MIDDLE = (0.025, 0.975)


def wilson(right: int, n: int) -> tuple[float, float]:
    """Wilson's score interval of a share.

    >>> [round(bound, 4) for bound in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    low, high = bounds(right, n)
    return float(low), float(high)


def bootstrap_share(right: int, n: int, seed: int = 0) -> tuple[float, float]:
    """The middle 95 % of a share, over examples that are drawn anew.

    >>> [round(bound, 3) for bound in bootstrap_share(160, 200)]
    [0.74, 0.855]
    """
    return _middle(np.random.default_rng(seed).binomial(n, right / n, DRAWS) / n)


def bootstrap_macro_f1(pairs: Mapping[tuple[str, str], int], seed: int = 0) -> tuple[float, float] | None:
    """The same of macro-F1, by how often each (true, predicted) came; None where they are too many kinds to draw."""
    if len(pairs) * DRAWS > MOST_DRAWN:
        return None
    names = sorted({label for pair in pairs for label in pair})
    number = {label: i for i, label in enumerate(names)}
    true, said = np.array([[number[t], number[p]] for t, p in pairs]).T
    times = np.array(list(pairs.values()))
    drawn = np.random.default_rng(seed).multinomial(times.sum(), times / times.sum(), DRAWS)
    return _middle(_macro_f1(drawn, true, said, len(names)))


def _macro_f1(times: Integers, true: Integers, said: Integers, labels: int) -> Floats:
    """Of each row of times that the pairs came: 2 right / (truly + said), the mean over labels that are there."""
    right, both = np.zeros((labels, len(times))), np.zeros((labels, len(times)))
    np.add.at(right, true[true == said], times[:, true == said].T)
    np.add.at(both, true, times.T)
    np.add.at(both, said, times.T)
    f1 = 2 * right / np.maximum(both, 1)
    return np.asarray(f1.sum(axis=0) / (both > 0).sum(axis=0))


def _middle(drawn: Floats) -> tuple[float, float]:
    low, high = np.quantile(drawn, MIDDLE)
    return float(low), float(high)
