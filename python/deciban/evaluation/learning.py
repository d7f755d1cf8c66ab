"""The learning curve: accuracy against the number of labelled texts, and what more of them should bring.

Points come in: how many of the judged texts were right when so many were learnt. The error falls as an inverse power
law (Cortes et al. 1994), which is fitted by weighted least squares,

    e(n) = a + b n^-c,      a, b >= 0,      minimising sum_k w_k (e_k - e(n_k))^2,      w_k = m_k / (e_k (1 - e_k))

where m_k texts were judged at point k: the inverse of a share's variance. Only the last points count, since where
labels have one text or two the error falls in other ways. For each c of a grid, a and b have a closed form. Intervals
are those of the bootstrap: the judged texts of every point are drawn anew, and the law fitted again.
The law is believed up to four times as many texts as there are; nobody knows what comes then.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

EXPONENTS = np.linspace(0.05, 1.5, 59)
DRAWS = 500
GAINS = (0.1, 0.05, 0.02, 0.01, 0.005)  # that are promised
FURTHEST = 4.0  # times as many texts
MOST_PROMISED = 2.0  # times as many more, in a sentence: nobody labels ten times what there is
FEWEST_POINTS, MOST_POINTS = 3, 5  # of a fit: with few texts of each label there is no law yet


class Point(NamedTuple):
    """So many texts were learnt, so many judged, and a share of those was right: the mean over several orders."""

    learnt: int
    judged: int
    accuracy: float


@dataclass(frozen=True)
class Forecast:
    """What accuracy should be with so many texts, and where it lies with 95 % confidence."""

    texts: int
    accuracy: float
    low_95: float
    high_95: float


class Law(NamedTuple):
    """e(n) = a + b n^-c; each may be a number, or one for each draw."""

    a: Floats
    b: Floats
    c: Floats

    def accuracy(self, n: float) -> Floats:
        """What the law says of n texts."""
        return np.asarray(1 - self.a - self.b * n**-self.c)


@dataclass(frozen=True)
class LearningCurve:
    """Accuracy at several numbers of texts, the most last; `now` is how many the model to keep learns from.

    >>> curve = LearningCurve(tuple(Point(n, 500, 0.95 - 2 * n**-0.5) for n in (50, 100, 200, 400)), now=500)
    >>> curve.sentence
    'about 330 more labels should bring 2 points (95 %: 0.3 to 2.6)'
    """

    points: tuple[Point, ...]
    now: int
    seed: int = 0

    @cached_property
    def law(self) -> Law | None:
        """The law that fits best; None where points are too few for one."""
        return None if len(self.points) < FEWEST_POINTS else fitted(*self._columns)

    @cached_property
    def drawn(self) -> Law | None:
        """The laws of points that are drawn anew."""
        if len(self.points) < FEWEST_POINTS:
            return None
        n, m, e = self._columns
        return fitted(n, m, np.random.default_rng(self.seed).binomial(m.astype(np.int64), e, (DRAWS, len(m))) / m)

    @property
    def _columns(self) -> tuple[Floats, Floats, Floats]:
        n, m, right = (np.array(column, np.float64) for column in zip(*self.points[-MOST_POINTS:], strict=True))
        return n, m, 1 - right

    def forecast(self, texts: int) -> Forecast | None:
        """What to expect of so many texts."""
        if self.law is None or self.drawn is None:
            return None
        low, high = np.quantile(np.clip(self.drawn.accuracy(texts), 0, 1), [0.025, 0.975])
        return Forecast(texts, float(np.clip(self.law.accuracy(texts), 0, 1)), float(low), float(high))

    @property
    def forecasts(self) -> tuple[Forecast, ...]:
        """From now on, as far as the law is believed."""
        further = (self.forecast(round(times * self.now)) for times in (1, 1.5, 2, 3, FURTHEST))
        return tuple(one for one in further if one is not None)

    @property
    def sentence(self) -> str:
        """What more labels should bring."""
        if self.law is None or self.drawn is None:
            return "too few texts to tell what more labels would bring"
        gain, texts = next(((g, n) for g in GAINS if (n := self._needed(g)) is not None), (None, 2 * self.now))
        if gain is None:
            by = float(self.law.accuracy(texts) - self.law.accuracy(self.now))
            return f"twice as many labels should bring {100 * by:.1f} points{self._between(texts)}"
        more, points = _rounded(texts - self.now), f"{100 * gain:g} point{'' if gain == 0.01 else 's'}"
        return f"about {more:,} more labels should bring {points}{self._between(texts)}"

    def _needed(self, gain: float) -> int | None:
        """How many texts it takes to be better by so much; None where that is too many."""
        law = self.law
        if law is None:
            return None
        sought = float(1 - law.a - law.accuracy(self.now)) - gain  # what is left of b n^-c
        if sought <= 0:
            return None
        needed = float((law.b / sought) ** (1 / law.c))
        return round(needed) if needed <= (1 + MOST_PROMISED) * self.now else None

    def _between(self, texts: int) -> str:
        """The interval of a gain, for a sentence."""
        if self.drawn is None:
            return ""
        gains = 100 * (self.drawn.accuracy(texts) - self.drawn.accuracy(self.now))
        low, high = (max(bound, 0.0) for bound in np.quantile(gains, [0.025, 0.975]))
        return f" (95 %: {low:.1f} to {high:.1f})"

    def as_dict(self) -> dict[str, Any]:
        """All of it, for machines."""
        law = None if self.law is None else {name: float(of) for name, of in self.law._asdict().items()}
        points = [point._asdict() for point in self.points]
        forecasts = [asdict(one) for one in self.forecasts]
        return {"points": points, "law": law, "forecasts": forecasts, "sentence": self.sentence}


def fitted(n: Floats, m: Floats, error: Floats) -> Law:
    """The law that fits errors at n texts best, by m judged ones; of several rows of errors, one a row.

    >>> n = np.array([10.0, 40, 160, 640])
    >>> law = fitted(n, np.full(4, 1000.0), 0.1 + 2 * n**-0.5)
    >>> [round(float(of), 2) for of in law]
    [0.1, 2.0, 0.5]
    """
    e = np.atleast_2d(error)
    share = np.clip(e, 1 / (m + 2), 1 - 1 / (m + 2))  # no share of few texts is certain
    w = m / (share * (1 - share))
    a, b, cost = (np.stack(of) for of in zip(*(_solved(e, w, n**-c) for c in EXPONENTS), strict=True))
    best = cost.argmin(axis=0), np.arange(len(e))
    found = Law(a[best], b[best], EXPONENTS[best[0]])
    return found if error.ndim == 2 else Law(*(np.asarray(of[0]) for of in found))


def _solved(e: Floats, w: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """a and b from 0 on that minimise sum w (e - a - b x)^2, row by row, and what that then is."""
    sums = [(w * of).sum(axis=1) for of in (np.ones_like(e), x, x * x, e, e * x)]
    s, s_x, s_xx, s_e, s_ex = sums
    b = (s * s_ex - s_x * s_e) / np.maximum(s * s_xx - s_x * s_x, 1e-300)
    a = (s_e - b * s_x) / s
    a, b = np.where(a < 0, 0.0, a), np.where(a < 0, s_ex / s_xx, b)
    a, b = np.where(b < 0, s_e / s, a), np.maximum(b, 0.0)
    return a, b, (w * (e - a[:, None] - b[:, None] * x) ** 2).sum(axis=1)


def _rounded(number: int) -> int:
    """To two digits, which is more than anybody knows; at least one.

    >>> _rounded(1234), _rounded(7), _rounded(0)
    (1200, 7, 1)
    """
    return max(int(float(f"{number:.2g}")), 1)
