"""Held-out scores -> a map that makes the probabilities of scores come true as often as they say.

Naive Bayes takes every word for a new witness, so it is too sure, and the more so the longer a text is. A calibration
divides that out. With c the evidence of a text, of mean zero over the labels, and n its number of known terms:

    f    = exp(t - a log n - g log max_r c_r)                    one factor a text
    temperature   z'_r = f z_r                                   Guo et al. 2017, with a length and a spread
    platt         z'_r = f s_r c_r + b_r                         Platt 1999; of more labels, vector scaling
    dirichlet     z'_r = f (s_r c_r + sum_q M_qr c_q) + b_r      Kull et al. 2019, on centred log ratios
    isotonic      log p' = h(log p), h rising, after a temperature; Zadrozny and Elkan 2002, all labels alike

and of the first three z' is made steeper or less steep once more, by how sure it is (`steepness`). c_r = z_r - log
alpha_r, less its mean, with the prior alpha; a temperature asks z for it. For any one text all but the last are linear
in what its terms add, so that evidence adds up to calibrated log-odds. A text without a known term keeps its prior. The
numbers minimise the log loss of held-out scores (`fitted`, `steepness`); which map is best, and whether any is better
than none, is asked of scores that were left out of that (`chosen`). The core applies it (calibration.rs), so that
`deciban predict`, which cannot wait for NumPy, has the same from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..decision.sets import Conformal

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
NONE = np.empty(0)


class Sample(NamedTuple):
    """Held-out scores of some texts (rows) by label, how many known terms each has, and the number of its label."""

    scores: Floats
    known: Floats
    y: Integers

    def some(self, places: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Sample:
        """Those at some places."""
        return Sample(self.scores[places], self.known[places], self.y[places])


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """A map of scores, and what it is worth: the log loss of `texts` held-out texts before it (`raw`) and after.

    `is_from_before` says that the model has changed since. Where no map was better than none, it is called "none", and
    leaves scores as they are. `conformal` is what the same texts say for sets of labels. `temper` is t, a and g, and u
    and h where labels have numbers of their own.

    >>> halved = Calibration("temperature", ("ham", "spam"), np.array([np.log(0.5), 0.0, 0.0]))
    >>> halved.apply(np.array([[-4.0, -2.0]]), np.array([3.0])).round(9).tolist()
    [[-2.0, -1.0]]
    """

    method: str
    labels: tuple[str, ...]
    temper: Floats
    origin: Floats = field(default_factory=lambda: NONE)
    slope: Floats = field(default_factory=lambda: NONE)
    shift: Floats = field(default_factory=lambda: NONE)
    matrix: Floats = field(default_factory=lambda: NONE)
    knots: Floats = field(default_factory=lambda: NONE)
    texts: int = 0
    raw: float = 0.0
    loss: float = 0.0
    is_from_before: bool = False
    conformal: Conformal | None = None

    @property
    def buffers(self) -> tuple[Floats, ...]:
        """The numbers of the map, as the core and a file take them."""
        return self.temper, self.origin, self.slope, self.shift, self.matrix, self.knots

    @property
    def about(self) -> dict[str, object]:
        """All but the numbers, for a file."""
        worth = {"texts": self.texts, "raw": self.raw, "loss": self.loss}
        return {"method": self.method, **worth, "is_from_before": self.is_from_before}

    @property
    def is_map(self) -> bool:
        """Whether it changes scores at all."""
        return self.method != "none"

    @property
    def is_linear(self) -> bool:
        """Whether, for any one text, it is linear in what terms add."""
        return len(self.knots) == 0

    @property
    def keeps_order(self) -> bool:
        """Whether the label of the greatest score stays the same."""
        return len(self.slope) == 0

    def apply(self, scores: Floats, known: Floats) -> Floats:
        """The scores of texts (rows), each with so many known terms, calibrated."""
        if not self.is_map:
            return scores
        flat = np.ascontiguousarray(scores, np.float64).ravel()
        known = np.ascontiguousarray(known, np.float64)
        return _core.calibrated(flat, known, scores.shape[1], self.buffers).reshape(scores.shape)

    def factor(self, scores: Floats, known: float) -> float:
        """f, of a text with these scores."""
        if known == 0:
            return 1.0
        t, a, g = self.temper[:3].tolist()
        return float(
            np.exp(np.clip(t - a * np.log(known) - g * np.log(max(self._spread(scores), LEAST)), -STEEPEST, STEEPEST))
        )

    def _spread(self, scores: Floats) -> float:
        evidence = scores - self.origin if len(self.origin) else scores
        return float(evidence.max() - evidence[np.isfinite(evidence)].mean()) if np.isfinite(evidence).any() else LEAST

    def adds(self, added: Floats, scores: Floats, known: float) -> Floats:
        """What is added to calibrated scores by what adds this to the scores (rows) of such a text.

        Where the map bends them after, what is added before.
        """
        if known == 0:
            return added
        factor = self.factor(scores, known)
        if self.keeps_order:
            return factor * added
        centred = factor * (added - added.mean(axis=-1, keepdims=True))
        across = centred @ self.matrix.reshape(added.shape[-1], -1) if len(self.matrix) else 0.0
        return np.asarray(centred * self.slope + across) * self._steepness(scores, known)

    def start(self, bias: Floats, scores: Floats, known: float) -> Floats:
        """The calibrated scores before any term of such a text is added."""
        if known == 0 or self.keeps_order:
            return self.adds(bias, scores, known)
        return self.adds(bias - self.origin, scores, known) + self._steepness(scores, known) * self.shift

    def _steepness(self, scores: Floats, known: float) -> float:
        """How much steeper such a text's scores are made, once labels' own numbers have made them."""
        if len(self.temper) == 3:
            return 1.0
        from .steepness import factors

        before = replace(self, temper=self.temper[:3]).apply(scores[None], np.array([known], np.float64))
        return float(factors(before, *self.temper[3:].tolist())[0])

    def steepened(self, u: float, h: float) -> Calibration:
        """The same map, made so much steeper; a temperature has the same form as before."""
        if not self.keeps_order:
            return replace(self, temper=np.array([*self.temper[:3].tolist(), u, h]))
        t, a, g = self.temper.tolist()
        return replace(self, temper=np.array([t * (1 - h) + u, a * (1 - h), g * (1 - h) + h]))

    def for_labels(self, labels: Sequence[str]) -> Calibration:
        """The same for a model that has changed, and may have other labels.

        Labels that have left take their numbers along. Nothing is known of new ones, so that with any of those the
        factor alone stays: it is the same for all.
        """
        old = {label: r for r, label in enumerate(self.labels)}
        place = np.array([old.get(label, -1) for label in labels], np.int64)
        seen = None if self.conformal is None else self.conformal.for_labels(place)
        changed = replace(self, labels=tuple(labels), is_from_before=True, conformal=seen)
        if self.keeps_order or changed.labels == self.labels:
            return changed
        if (place < 0).any():
            plain = {"temper": self.temper[:3], "origin": NONE, "slope": NONE, "shift": NONE, "matrix": NONE}
            return replace(changed, method="temperature", **plain)  # type: ignore[arg-type]
        matrix = self.matrix.reshape(len(self.labels), -1)[np.ix_(place, place)].ravel() if len(self.matrix) else NONE
        origin, slope, shift = self.origin[place], self.slope[place], self.shift[place]
        return replace(changed, origin=origin, slope=slope, shift=shift, matrix=matrix)

    @property
    def told(self) -> str:
        """What it is, for people."""
        since = "; from before the model's last change: deciban recalibrate" if self.is_from_before else ""
        worth = f", log loss {self.raw:.3f} without it and {self.loss:.3f} with it" if self.texts else ""
        return f"{self.method}, by {self.texts:,} held-out texts{worth}{since}"

    def __repr__(self) -> str:
        return f"Calibration({self.told})"


LEAST = 1e-3  # evidence that is less is taken for this much
STEEPEST = 50.0  # no factor is more than e to this
