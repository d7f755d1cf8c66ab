"""k of n -> where the true share lies, with 95 % confidence: Wilson's score interval (Wilson 1927).

    (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n),     p = k/n

It is honest for few examples, and never outside 0 to 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Z_95 = 1.959963984540054  # the standard normal's 97.5 % quantile


def bounds(k: npt.ArrayLike, n: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The least and the greatest share that k of n leave probable, of numbers or of many of them.

    >>> bounds([10, 100], [10, 100])[0].round(3).tolist()
    [0.722, 0.963]
    """
    k, n, z2 = np.asarray(k), np.asarray(n), Z_95 * Z_95
    p = k / n
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    return np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0)
