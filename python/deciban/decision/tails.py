"""How sure few examples make us: exact tails of binomial and beta-binomial distributions.

With k of n, what the true share p may be (Clopper and Pearson 1934), each bound wrong with the probability `doubt`:

    upper = the p with P(X <= k) = doubt, X binomial(n, p);    lower = 1 - upper of n - k

Of n old texts and m new ones of the same kind, put into one random order, the number of new ones below the j-th lowest
old one is beta-binomial (m; j, n + 1 - j): what is chosen by old texts holds for new ones, whatever their distribution.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
DOUBT = 0.05
STEPS = 60  # of a bisection


def at_most(k: int, n: int, p: float) -> float:
    """P(X <= k) of a binomial X.

    >>> round(at_most(1, 3, 0.5), 12)
    0.5
    """
    if k >= n or p <= 0:
        return 1.0
    if p >= 1:
        return 0.0
    i = np.arange(1, k + 1)
    steps = np.log((n + 1 - i) / i) + math.log(p) - math.log1p(-p)
    return float(np.exp(np.append(0.0, np.cumsum(steps)) + n * math.log1p(-p)).sum())


def upper(k: int, n: int, doubt: float = DOUBT) -> float:
    """The greatest share that k of n leave probable.

    >>> round(upper(0, 300), 4), round(upper(2, 20, 0.025), 4)
    (0.0099, 0.317)
    """
    low, high = k / n, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(k, n, middle) > doubt else (low, middle)
    return high


def interval(k: int, n: int) -> tuple[float, float]:
    """Where a share lies of which k of n were seen, with 95 % confidence.

    >>> [round(bound, 4) for bound in interval(18, 20)]
    [0.683, 0.9877]
    """
    return 1 - upper(n - k, n, DOUBT / 2), upper(k, n, DOUBT / 2)


def most_allowed(n: int, rate: float) -> int:
    """The greatest k of which `upper` is at most a rate; -1 where not even 0 is.

    >>> most_allowed(298, 0.01), most_allowed(299, 0.01), most_allowed(1000, 0.01)
    (-1, 0, 4)
    """
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if at_most(middle, n, rate) <= DOUBT else (low, middle)
    return low


def fewest(rate: float) -> int:
    """How many must be seen, none of them wrong, to promise a rate: about 3 / rate.

    >>> fewest(0.01), fewest(0.001)
    (299, 2995)
    """
    return math.ceil(math.log(DOUBT) / math.log1p(-rate))


def new_below(new: int, j: int, old: int, most: int) -> float:
    """P(at most so many of `new` texts are below the j-th lowest of `old` ones), 1 <= j <= old.

    >>> round(new_below(1, 1, 9, 0), 12), round(new_below(5, 2, 9, 5), 12)
    (0.9, 1.0)
    """
    if most >= new:
        return 1.0
    x = np.arange(most + 1)
    # log of C(new, x) B(x + j, new - x + old + 1 - j) / B(j, old + 1 - j), from x = 0 upwards
    start = _log_beta(j, new + old + 1 - j) - _log_beta(j, old + 1 - j)
    i = x[1:]
    steps = np.log((new + 1 - i) / i) + np.log((i - 1 + j) / (new - i + old + 1 - j))
    return float(min(np.exp(np.append(0.0, np.cumsum(steps)) + start).sum(), 1.0))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
