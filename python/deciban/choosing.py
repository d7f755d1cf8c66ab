"""A model of counts or a smoothing that is left open -> settings that say which: chosen by leave-one-out.

Each candidate scores every text of a sample of the training texts by a model trained without it
(`weighing.leave_one_out`). The one that gets most texts right wins; of equal ones the one that makes the true labels
most likely, once their scores are divided by what makes them likeliest and by the square root of a text's length,
because long texts make every model too sure. A winner must be better than the plain model, the first candidate, by more
than luck: of the texts that only one of the two gets right, it must have three standard deviations more than half.
(Likelihood first chooses worse: above all it measures how sure a model is.) And the plain model must not be better by
as much once both are calibrated, as their answers will be: a map of scores mends some models more than others.

Whatever is chosen becomes a setting like any other; how it was chosen is noted in the model's provenance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import calibration, jackknife
from .calibration.chosen import NONE, crossed
from .calibration.chosen import calibrate as mapped
from .counts import Counts
from .decision import log_posterior
from .fitting.plan import LEAST_TEXTS
from .hierarchy import calibrate, shared
from .rows import Rows
from .settings import AMOUNTED, AUTO, BAYES, MODELS, ROWS, SHARE, STRENGTHS, Settings
from .totals import Whole
from .tree import shelves, tree_of
from .weighing import leave_one_out, log_prior, resolved

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_TEXTS = 4000  # to choose by: enough to tell half a percent apart
MOST_SCORES = 1 << 23  # texts x labels
SURE = 3.0
GRID: dict[str, tuple[float | None, ...]] = {
    "laplace": (1.0, 0.3, 0.1, 0.03, 0.01),
    "beta": (2.0,),
    "dirichlet": (None,),
    "jelinek-mercer": (0.1, 0.3, 0.5, 0.8),
    "absolute": (0.5, 0.7, 0.9),
}
COMPLEMENTS = (0.3, 1.0, 3.0, 10.0)
RATIOS = {"alpha": (0.1, 0.3), "complement_alpha": (1.0, 10.0, 100.0, 300.0), "term_weight": (0.5, 0.75)}
COUNTED = tuple(model for model in MODELS if model not in (*ROWS, *AMOUNTED))  # from the same counts
INDEPENDENT = ("multinomial", "bernoulli")  # Aggarwal 5.3.3's choice
SHARED = f"shared:{SHARE}"
BETAS = (0.0, 1.0, 3.0, 10.0)


class Tried(NamedTuple):
    """A candidate, which texts it gets right, and the log probability that it gives all their labels.

    That is asked only of those that get as many right as any before: no other can win.
    """

    settings: Settings
    right: npt.NDArray[np.bool_]
    log_p: float

    @property
    def accuracy(self) -> float:
        return float(self.right.mean())

    @property
    def name(self) -> str:
        """What sets it apart, in a few words."""
        of = self.settings
        strength = "" if of.alpha is None else f" {of.alpha:.3g}"
        return f"{of.model} with {of.smoothing}{strength}"


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the texts that were counted: their rows, and the numbers of their labels."""

    rows: Rows
    y: Integers


def is_open(settings: Settings) -> bool:
    """Whether there is anything to choose."""
    return settings.model == BAYES or settings.smoothing == AUTO


def most_texts(counts: Counts) -> int:
    """How many texts to choose by."""
    return max(2, min(MOST_TEXTS, MOST_SCORES // max(len(counts.labels), 1)))


def choose(settings: Settings, counts: Counts, sample: Sample) -> tuple[Settings, dict[str, Any]]:
    """The settings, with nothing left open, and how they were chosen."""
    tried = list(_tried(settings, counts, sample))
    plain, best = _first(tried, settings, counts), max(tried, key=lambda one: (one.right.sum(), one.log_p))
    is_better = _surely_better(best.right, plain.right)
    is_turned = is_better and _is_turned(best.settings, plain.settings, counts, sample)
    winner = best if is_better and not is_turned else plain
    return winner.settings, {
        "asked": {"model": settings.model, "smoothing": settings.smoothing},
        "texts": len(sample.rows),
        "tried": len(tried),
        "best": _best_of_models(tried),
        "why": _why(winner, tried, is_turned, Whole(counts, binary=False), sample.rows),
    }


def _first(tried: list[Tried], settings: Settings, counts: Counts) -> Tried:
    """The one that others must surely beat: of few texts whose labels are paths, one that does not smooth them away."""
    usual = ("multinomial", "absolute", STRENGTHS["absolute"][0])
    if settings.hierarchy is not None and counts.documents.sum() < LEAST_TEXTS:
        for one in tried:
            if (one.settings.model, one.settings.smoothing, one.settings.alpha) == usual:
                return one
    return tried[0]


def choose_levels(settings: Settings, counts: Counts, sample: Sample) -> tuple[Settings, dict[str, float]]:
    """The settings with a way to tell apart labels that are paths, and how many of a hundred each way gets right.

    It is flat, or shared where that gets more right, or where labels have so few texts that leaving one out is too hard
    on them to tell; where labels are too many to share, it is top-down. What else there is, is taken where it is better
    by more than luck.
    """
    right: dict[str, npt.NDArray[np.bool_]] = {}
    for levels in _ways(settings, counts):
        scores = _left_out_of_levels(replace(settings, levels=levels), counts, sample)
        right[levels] = scores.argmax(axis=1) == sample.y
    best = max(right, key=lambda levels: right[levels].sum())
    is_hard = jackknife.fair_folds(counts.documents) > 0
    plain = max(_plain(right, is_hard=is_hard), key=lambda levels: right[levels].sum())
    chosen = best if _surely_better(right[best], right[plain]) else plain
    return replace(settings, levels=chosen), {way: round(100 * float(of.mean()), 2) for way, of in right.items()}


def _ways(settings: Settings, counts: Counts) -> list[str]:
    """The ways that there are: flat first; where labels are too many to share, top-down, which is fast."""
    several = shelves(tree_of(counts.labels, str(settings.hierarchy)))
    downwards = ["top-down"] if len(several) > 1 + len(several.labels) else []
    return ["flat", SHARED, *downwards] if shared.fits(counts) else [*downwards, "flat"]


def _plain(ways: Iterable[str], *, is_hard: bool) -> list[str]:
    """Of some ways those that need not be better by more than luck.

    >>> ways = ["flat", "shared:0.2", "top-down"]
    >>> _plain(ways, is_hard=False), _plain(ways, is_hard=True), _plain(["top-down", "flat"], is_hard=True)
    (['flat', 'shared:0.2'], ['shared:0.2'], ['top-down'])
    """
    first, *others = ways
    if SHARED not in others:
        return [first]
    return [SHARED] if is_hard else [first, SHARED]


def _left_out_of_levels(settings: Settings, counts: Counts, sample: Sample) -> Floats:
    none = np.zeros_like(sample.y)
    made = None if settings.way != "top-down" else calibrate(counts, sample.rows, sample.y, settings)
    return jackknife.leave_one_out(counts, sample.rows, sample.y, settings, none, None, made)


def _surely_better(one: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> bool:
    wins, losses = int((one & ~other).sum()), int((other & ~one).sum())
    return wins - losses > SURE * math.sqrt(wins + losses)


def _is_turned(best: Settings, plain: Settings, counts: Counts, sample: Sample) -> bool:
    """Whether the plain model is surely better than the best one, once both are calibrated as their answers will be."""
    if plain.calibration == NONE:
        return False
    one, other = (_right_calibrated(settings, counts, sample) for settings in (plain, best))
    return _surely_better(one, other)


def _right_calibrated(settings: Settings, counts: Counts, sample: Sample) -> npt.NDArray[np.bool_]:
    """Which texts a model gets right that was trained without them, with maps that were made without them, too."""
    scores = leave_one_out(counts, sample.rows, sample.y, settings)
    held = calibration.Sample(scores, jackknife.known_terms(counts, settings, sample.rows), sample.y)
    priors = log_prior(counts, settings), np.log(counts.documents / counts.documents.sum())
    found = mapped(held, settings.calibration, counts.labels, *priors)
    log_p = scores if found is None or found.method == NONE else crossed(held, found, *priors)
    return np.asarray(log_p.argmax(axis=1) == sample.y)


def _tried(settings: Settings, counts: Counts, sample: Sample) -> Iterator[Tried]:
    """All candidates, the plain one first."""
    length, most = np.bincount(sample.rows.row, sample.rows.count, len(sample.rows)), 0
    for chosen, scores in _scored(settings, counts, sample):
        right = scores.argmax(axis=1) == sample.y
        log_p = _tempered(scores, sample.y, length) if right.sum() >= most else -math.inf
        most = max(most, int(right.sum()))
        yield Tried(chosen, right, log_p)


def _scored(settings: Settings, counts: Counts, sample: Sample) -> Iterator[tuple[Settings, Floats]]:
    models = {BAYES: COUNTED if settings.smoothing == AUTO else INDEPENDENT}.get(settings.model, (settings.model,))
    for model in models:
        if model == "ratio" and settings.smoothing == AUTO:
            yield from _ratios(replace(settings, model=model, smoothing=None, alpha=None), counts, sample)
            continue
        for smoothing in MODELS[model] if settings.smoothing == AUTO else [settings.smoothing]:
            for alpha in _strengths(settings, model, str(smoothing)):
                chosen = resolved(replace(settings, model=model, smoothing=smoothing, alpha=alpha), counts)
                yield chosen, leave_one_out(counts, sample.rows, sample.y, chosen)


def _strengths(settings: Settings, model: str, smoothing: str) -> Iterable[float | None]:
    if settings.smoothing != AUTO:
        return (settings.alpha,)
    if model == "complement":
        return COMPLEMENTS
    return GRID.get(smoothing, ())


def _ratios(settings: Settings, counts: Counts, sample: Sample) -> Iterator[tuple[Settings, Floats]]:
    """The ratio models: their scores are linear in beta, so that two of them give all."""

    def scores(**chosen: float) -> Floats:
        return leave_one_out(counts, sample.rows, sample.y, replace(settings, **chosen))  # type: ignore[arg-type]

    for eta in RATIOS["term_weight"]:
        own = {alpha: scores(alpha=alpha, complement_weight=0.0, term_weight=eta) for alpha in RATIOS["alpha"]}
        first = RATIOS["alpha"][0]
        for t in RATIOS["complement_alpha"]:
            with np.errstate(invalid="ignore"):
                part = scores(alpha=first, complement_weight=1.0, complement_alpha=t, term_weight=eta) - own[first]
            part = np.nan_to_num(part, nan=0.0)
            for alpha, beta in product(RATIOS["alpha"], BETAS):
                chosen = {"alpha": alpha, "complement_weight": beta, "complement_alpha": t, "term_weight": eta}
                yield replace(settings, **chosen), own[alpha] + beta * part  # type: ignore[arg-type]


def _tempered(scores: Floats, y: Integers, length: Integers) -> float:
    """The log probability of all labels, with scores divided by c sqrt(length), for the best of some c."""
    shrunk = scores / np.sqrt(np.maximum(length, 1))[:, None]
    own = np.arange(len(y))
    return max(float(log_posterior(shrunk / c)[own, y].sum()) for c in (0.1, 0.3, 1.0, 3.0))


def _best_of_models(tried: list[Tried]) -> dict[str, float]:
    """How many of a hundred the best of each model gets right."""
    best: dict[str, Tried] = {}
    for one in sorted(tried, key=lambda one: -one.accuracy):
        best.setdefault(one.settings.model, one)
    return {one.name: round(100 * one.accuracy, 2) for one in best.values()}


def _why(winner: Tried, tried: list[Tried], is_turned: bool, of: Whole, rows: Rows) -> str:
    """A sentence, with the figures that Aggarwal 5.3.3 goes by."""
    others = [one for one in tried if one.settings.model != winner.settings.model]
    rival = max(others or [one for one in tried if one is not winner] or tried, key=lambda one: one.accuracy)
    length = rows.count.sum() / len(rows)
    d, different = (float(x.item()) for x in (of.d, of.m / of.n))
    share, repeats = different / max(d, 1), length / max(different, 1)
    reasons = (
        f"a text has {length:.0f} terms, {different:.0f} of them different, of a lexicon of {d:,.0f}: "
        f"{share:.2%} of it is there, and what is there stands there {repeats:.1f} times"
    )
    return (
        f"{winner.name}: {winner.accuracy:.1%} of {len(winner.right):,} texts right when each is left out, "
        f"{rival.name}: {rival.accuracy:.1%}{_despite(winner, rival, is_turned)}; {reasons}"
    )


def _despite(winner: Tried, rival: Tried, is_turned: bool) -> str:
    """Why a winner wins that gets fewer texts right."""
    if is_turned:
        return ", but fewer than the plain model once both are calibrated, which stays"
    return ", which may be luck: the plain model stays" if rival.accuracy > winner.accuracy else ""
