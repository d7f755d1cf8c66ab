"""Held-out scores -> the map that does best on those that were left out of its making, or none.

Folds of the sample: each map is fit to the others, and asked of the fold. Of equal ones the simpler is taken; a map
must be better than none by more than luck could be. `auto` does not ask isotonic maps: under them evidence would not
add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..decision import log_posterior
from ..decision.sets import conformal
from ..fitting.committee import folds_of
from . import Calibration, Sample
from .fitted import DIGITS, MOST_SPREAD, How, fit, unknowns
from .isotonic import knots
from .steepness import steepened, steepness

Floats = npt.NDArray[np.float64]
FEWEST = 20  # texts: fewer say nothing
MOST_TEXTS = 4000  # more say no more
MOST_SCORES = 1 << 18  # texts x labels, that maps are fit to
MOST_LABELS = 400  # that have numbers of their own; with more, the length alone is asked
MOST_ACROSS = 30  # labels for which what goes across them is asked: with many more it takes too long
FOLDS = 5
WORST = -50.0  # log p: what is less says no more of a map
AUTO, NONE = "auto", "none"
AS_IT_IS = (0.0, 0.0)  # u and h
MOST_ELSEWHERE = 0.1  # nats that the prior may be from labels' shares, on average
HOWS = {
    "temperature": (How("temperature"),),
    "platt": (How("platt", 30.0),),
    "dirichlet": (How("dirichlet", 300.0),),
    "isotonic": (How("isotonic"),),
}


def most_texts(labels: int) -> int:
    """How many held-out texts to calibrate by."""
    return max(FEWEST, min(MOST_TEXTS, (MOST_SCORES << 3) // max(labels, 1)))


def calibrate(
    sample: Sample, method: str, labels: tuple[str, ...], log_prior: Floats, log_share: Floats
) -> Calibration | None:
    """The map of scores that suits a sample best, what it is worth for texts left out of it, what they say for sets.

    None where there are too few texts.
    """
    if len(sample.y) < FEWEST:
        return None
    made = _Maps(sample, labels, log_prior, log_share)
    raw = log_posterior(sample.scores)
    found, log_p = Calibration(NONE, labels, np.zeros(3)), raw
    if method != NONE and len(made.finite.y) >= FEWEST and len(np.unique(made.finite.y)) > 1:
        tried = [(how, made.crossed(how)) for how in _hows(method, len(labels))]
        how, crossed = min(tried, key=lambda one: _rounded(made.losses(one[1])))
        steep = made.steepness(how, crossed)
        crossed = log_posterior(steepened(crossed, *steep))
        gain = made.losses(raw) - made.losses(crossed)
        if method != AUTO or gain.mean() > gain.std() / math.sqrt(len(gain)):
            found, log_p = _steepened(made.fit(how, sample), steep), crossed
    p_true = np.exp(log_p[np.arange(len(sample.y)), sample.y])
    seen = conformal(p_true, sample.y, len(labels), sample.known)
    losses = _rounded(made.losses(raw)), _rounded(made.losses(log_p))
    return replace(found, texts=len(sample.y), raw=losses[0], loss=losses[1], conformal=seen)


def _rounded(losses: Floats) -> float:
    return round(float(losses.mean()), DIGITS) if len(losses) else 0.0


def crossed(sample: Sample, calibration: Calibration, log_prior: Floats, log_share: Floats) -> Floats:
    """Scores of a sample, calibrated by maps of the same kind that were fit to others of it."""
    made = _Maps(sample, calibration.labels, log_prior, log_share)
    if _can_be(sample).sum() < 2 * FEWEST:
        return _mapped(calibration, sample)
    how = _how(calibration, len(calibration.labels))
    made.begin_near(calibration, how)
    log_p = made.crossed(how, made.spread(len(sample.y)))
    return log_posterior(steepened(log_p, *made.steepness(how, log_p)))


def _steepened(found: Calibration, steep: tuple[float, float]) -> Calibration:
    """A map that is made as steep as that; itself, where that is no change."""
    if steep == AS_IT_IS:
        return found
    made = found.steepened(*steep)
    return replace(made, temper=np.append(made.temper[:2], [min(made.temper[2], MOST_SPREAD), *made.temper[3:]]))


def _hows(method: str, labels: int) -> Iterator[How]:
    """What to try, the simpler first."""
    if labels > MOST_LABELS:
        yield How("temperature", has_spread=False)
        return
    for name in ("temperature", "platt", "dirichlet") if method == AUTO else (method,):
        if name != "dirichlet" or 2 < labels <= MOST_ACROSS:
            yield from HOWS[name]
        elif method != AUTO:  # of two labels it is the same, of very many nothing across is to be had
            yield from HOWS["platt"]


def _how(calibration: Calibration, labels: int) -> How:
    """How a map was made."""
    if calibration.method == "temperature":
        return How("temperature", has_spread=labels <= MOST_LABELS)
    return HOWS[calibration.method][0]


def _mapped(found: Calibration, sample: Sample) -> Floats:
    """Scores, mapped; a label that cannot be had stays so, and says nothing of others."""
    return np.where(np.isfinite(sample.scores), found.apply(_filled(sample.scores), sample.known), -np.inf)


def _filled(scores: Floats) -> Floats:
    """Labels that cannot be had score as the least of the others."""
    can_be = np.isfinite(scores)
    if can_be.all():
        return scores
    least = np.where(can_be, scores, np.inf).min(axis=1, keepdims=True)
    return np.where(can_be, scores, np.where(np.isfinite(least), least, 0.0))


def _can_be(sample: Sample) -> npt.NDArray[np.bool_]:
    """Whether each text's label can be had: not if it was the only one, and is left out."""
    return np.asarray(np.isfinite(sample.scores[np.arange(len(sample.y)), sample.y]))


def _finite(sample: Sample) -> Sample:
    """Without texts whose label cannot be had."""
    some = sample.some(_can_be(sample))
    return some._replace(scores=_filled(some.scores))


class _Maps:
    """Maps of a sample, fit to all of it, or to all but a fold."""

    def __init__(self, sample: Sample, labels: tuple[str, ...], log_prior: Floats, log_share: Floats) -> None:
        self.sample, self.labels, self.log_prior, self.log_share = sample, labels, log_prior, log_share
        self.finite = _finite(sample)
        self._starts: dict[How, Floats] = {}

    def begin_near(self, found: Calibration, how: How) -> None:
        """Has maps of a kind begin at one that there is: they come out near it, and are found in fewer steps."""
        how = How("temperature") if how.method == "isotonic" else how
        self._starts[how] = unknowns(found, self.finite, how, self.log_prior)

    def losses(self, log_p: Floats) -> Floats:
        """The log loss of each text whose label others have, too."""
        own = log_p[np.arange(len(self.sample.y)), self.sample.y]
        return -np.maximum(own[_can_be(self.sample)], WORST)

    def fit(self, how: How, sample: Sample) -> Calibration:
        """The map of some texts, of as many of them as there is use for."""
        sample = _finite(sample)
        sample = sample.some(self.spread(len(sample.y)))
        given = (self.labels, self.log_prior, self.log_share)
        if how.method != "isotonic":
            found, self._starts[how] = fit(sample, how, *given, self._starts.get(how))
            return found
        tempered = self.fit(How("temperature"), sample)
        log_p = log_posterior(tempered.apply(sample.scores, sample.known))
        return replace(tempered, method="isotonic", knots=knots(log_p, sample.y))

    def steepness(self, how: How, log_p: Floats) -> tuple[float, float]:
        """How much steeper a map of that kind should be, by what maps of other texts have made of all.

        Texts say that only of labels that are as frequent as among them.
        """
        elsewhere = float(np.exp(self.log_share) @ np.abs(self.log_prior - self.log_share))
        if how.method == "isotonic" or not how.has_spread or not elsewhere <= MOST_ELSEWHERE:
            return AS_IT_IS
        u, h = steepness(_finite(self.sample._replace(scores=log_p)))
        return round(u, DIGITS), round(h, DIGITS)

    def spread(self, n: int) -> npt.NDArray[np.int64]:
        """The places of as many of n texts as there is use for, from all over."""
        most = min(MOST_TEXTS, max(MOST_SCORES // len(self.labels), FEWEST))
        return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.int64)

    def crossed(self, how: How, places: npt.NDArray[np.int64] | None = None) -> Floats:
        """The log probabilities of all texts by maps fit to other folds; to those at some places, if they are said.

        Maps of the same texts but for a fold are nearer to each other, and found in fewer steps.
        """
        scores, folds = np.empty_like(self.sample.scores), folds_of(self.sample.y, FOLDS)
        for fold in range(FOLDS):
            there = folds == fold
            others = np.flatnonzero(~there) if places is None else places[~there[places]]
            scores[there] = _mapped(self.fit(how, self.sample.some(others)), self.sample.some(there))
        return log_posterior(scores)
