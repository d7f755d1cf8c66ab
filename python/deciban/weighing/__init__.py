"""Counts -> scorecard in closed form: one module a model.

Each module has a `formula`: the numbers of its model, from the totals of the counts. `weigh` makes the scorecard of
them, and `leave_one_out` the scores that each training document would get from a scorecard weighed without it, as
settings say. `MODELS` has all models, `SMOOTHINGS` all ways of smoothing. `twcnb`, which has weights of another form,
does both by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..counts import Counts, Frozen
from ..errors import NotDrawable, listed
from ..rows import Rows
from ..scorecard import Scorecard
from ..settings import Settings
from ..smoothing import (
    Absolute,
    Beta,
    Coin,
    Coins,
    Deleted,
    Dirichlet,
    JelinekMercer,
    Laplace,
    MaximumLikelihood,
    Prior,
    fixed_point,
)
from ..totals import Whole
from . import bernoulli, complement, formula, multinomial, ratio, tan, twcnb, weighted

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MODELS: dict[str, ModuleType] = {
    "multinomial": multinomial,
    "bernoulli": bernoulli,
    "complement": complement,
    "ratio": ratio,
    "tan": tan,
    "twcnb": twcnb,
}
SMOOTHINGS: dict[str, Callable[[Settings], Any]] = {
    "laplace": lambda settings: Laplace(settings.strength),
    "none": lambda _: MaximumLikelihood(),
    "beta": lambda settings: Beta(settings.strength, settings.default_p),
    "dirichlet": lambda settings: Dirichlet(settings.strength),
    "jelinek-mercer": lambda settings: JelinekMercer(settings.strength),
    "absolute": lambda settings: Absolute(settings.strength),
    "deleted": lambda _: Deleted(),
}

__all__ = [
    "MODELS",
    "SMOOTHINGS",
    "coin",
    "draw",
    "formula_of",
    "leave_one_out",
    "log_prior",
    "log_prior_of",
    "resolved",
    "weigh",
]


def weigh(
    counts: Counts,
    settings: Settings,
    rows: Rows | None = None,
    y: npt.NDArray[np.int64] | None = None,
    g: Floats | None = None,
) -> Scorecard:
    """The scorecard of some counts; and of their rows, of labels y, where the model needs them (`tan`).

    With `g`, terms count so much.
    """
    if settings.model == "twcnb":
        return twcnb.weigh(counts, Laplace(settings.strength), _prior(settings), binary=settings.is_binary)
    card = formula.weigh(counts, formula_of(counts.labels, settings), binary=settings.is_binary)
    if rows is None or y is None:
        return card if g is None else weighted.weigh(card, g)
    return tan.weigh(card, counts, rows, y, coin(counts, settings), settings.tree_terms)


def log_prior(counts: Counts | Frozen, settings: Settings) -> npt.NDArray[np.float64]:
    """log alpha_r of each label: what of its score is there before anything of a text is."""
    return log_prior_of(counts.labels, counts.documents, settings)


def log_prior_of(labels: tuple[str, ...], n_r: Integers, settings: Settings) -> Floats:
    """The same of so many documents of each label, along the last axis."""
    return _prior(settings).log(labels, n_r)


def leave_one_out(
    counts: Counts,
    rows: Rows,
    y: Integers,
    settings: Settings,
    half: Integers = formula.NO_HALVES,
    g: Floats | None = None,
) -> Floats:
    """The scores of each row, of label y[i] and one of those counted, by a scorecard weighed without it.

    `half` is the half of each row's document, where the counts are in halves. With `g`, entries of rows count so much.
    """
    if settings.model == "twcnb":
        how = (Laplace(settings.strength), _prior(settings))
        return twcnb.leave_one_out(counts, rows, y, *how, binary=settings.is_binary, threads=settings.cores)
    of = formula_of(counts.labels, settings)
    if g is not None:
        return weighted.leave_one_out(counts, rows, y, of, g, binary=settings.is_binary)
    return formula.leave_one_out(counts, rows, y, of, binary=settings.is_binary, threads=settings.cores, half=half)


def resolved(settings: Settings, counts: Counts) -> Settings:
    """The settings with the strength of `dirichlet` estimated from the counts, where it is not given."""
    if settings.smoothing != "dirichlet" or settings.alpha is not None:
        return settings
    of = Whole(counts, binary=settings.is_binary)
    return replace(settings, alpha=fixed_point(of.nu_jr, of.nu_j[counts.term], of.nu_r[0]))


def draw(
    counts: Counts,
    card: Scorecard,
    settings: Settings,
    label: int,
    n: int,
    length: int | None,
    rng: np.random.Generator,
) -> list[npt.NDArray[np.int64]]:
    """The terms of n documents of a label: drawn from p(x|y), as the model says how."""
    model = MODELS.get(settings.model)
    if model is None or not hasattr(model, "draw") or settings.term_weights != "none":
        raise NotDrawable(
            model=settings.model + (" with term weights" if settings.term_weights != "none" else ""),
            known=listed(name for name in MODELS if hasattr(MODELS[name], "draw")),
        )
    of = Whole(counts, binary=settings.is_binary)
    by_collection = formula_of(counts.labels, settings)(of).by_collection
    left_out = -np.log(of.nu_j) if by_collection else 0.0  # of the scorecard: it is the same for every label
    mean = float(of.nu_r[0, label] / counts.documents[label])
    return list(model.draw(card.column(label) - left_out, n, length, mean, rng))


def coin(counts: Counts, settings: Settings) -> Coin:
    """How likely a document of each label has a term, whichever model it is for: the model's own, or Laplace's."""
    smoothing = SMOOTHINGS[str(settings.smoothing)](settings)
    coins: Coins = smoothing if hasattr(smoothing, "coin") else Laplace(1.0)
    return coins.coin(Whole(counts, binary=True))


def _prior(settings: Settings) -> Prior:
    return Prior(settings.prior, float(settings.prior_smoothing))


def formula_of(labels: tuple[str, ...], settings: Settings) -> formula.Of:
    """What a model makes of totals."""
    model, smoothing = MODELS[settings.model], SMOOTHINGS[str(settings.smoothing)](settings)
    prior = _prior(settings)
    if model is not ratio:
        return lambda of: model.formula(of, labels, smoothing, prior)
    chosen = (settings.complement_weight, settings.complement_alpha, settings.term_weight)
    return lambda of: ratio.formula(of, labels, smoothing, prior, ratio.Weights(*map(float, chosen)))
