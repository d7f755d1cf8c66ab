"""Shares -> the thresholds that so large a share of a normal distribution is below: its quantiles.

Algorithm AS 241 (Wichura 1988), exact to about 1e-15: fractions of polynomials, one for the middle and two for tails.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MIDDLE = (
    (
        *(2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457),
        *(13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    ),
    (
        *(5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867),
        *(5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0),
    ),
)
NEAR = (
    (
        *(7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258),
        *(3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    ),
    (
        *(1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459),
        *(0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
    ),
)
FAR = (
    (
        *(2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093),
        *(0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
    ),
    (
        *(2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4),
        *(0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0),
    ),
)


def quantile(p: Floats) -> Floats:
    """The quantiles of shares between 0 and 1.

    >>> quantile(np.array([0.5, 0.975, 0.0005])).round(6).tolist()
    [0.0, 1.959964, -3.290527]
    """
    q = np.asarray(p, np.float64) - 0.5
    r = np.sqrt(-np.log(np.minimum(p, 1 - p)))
    tail = np.where(r <= 5, _fraction(NEAR, r - 1.6), _fraction(FAR, r - 5))
    return np.where(np.abs(q) <= 0.425, q * _fraction(MIDDLE, 0.180625 - q * q), np.copysign(tail, q))


def _fraction(of: tuple[tuple[float, ...], tuple[float, ...]], x: Floats) -> Floats:
    above, below = (np.polyval(np.array(polynomial), x) for polynomial in of)
    return np.asarray(above / below)
