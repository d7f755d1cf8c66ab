"""The L1 path: which terms come in, in what order, as the penalty for using terms is lowered (Aggarwal 5.2.6).

Minimised is, for each label against the rest (of two labels, for the second), with y_i = 1 or -1,

    sum_i c_i l(y_i (w . x_i + b)) + lambda sum_j |w_j|              (after Aggarwal 5.10, whose loss is `squared`)

for each lambda in turn, from the greatest for which any weight is not zero downward. A term that is not needed has the
weight zero; it comes in at the lambda from which on it has another. lambda is 1 / C of the solvers (`fitting.solvers`,
which have the losses, and what becomes of b); with `l1` below 1 the penalty is the elastic net's. x is what the fitted
model of that name sees: `deciban train --model logistic --l1 1 --cost C` fits the model of one step.

How well each step does is said by folds. The one-standard-error rule chooses among them the greatest lambda, with the
fewest terms, whose held-out accuracy is within one standard error of the best. Written and drawn elsewhere (`table`,
`picture`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..classifier import IN_MEMORY, Classifier
from ..counts import Counts
from ..errors import BadSetting, NoExamples, OneLabel, TooFewForFolds
from ..examples import Examples, texts_of
from ..fitting import Steps, labelled, member_of
from ..fitting.members import Labelled, Member
from ..fitting.seen import Seen, see
from ..halves import count
from ..settings import CONTINUED, Settings
from ..splits import folds_of
from ..terms import check_choice, display
from ..training import check_weights
from .steps import Followed, follow

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
SQUARED = "squared"  # a loss that no model has: its scores are guesses of 1 and -1
MODELS = (*CONTINUED, SQUARED)
MOST_STEPS = 1000


@dataclass(frozen=True)
class Plan:
    """How many steps, down to which share of the greatest lambda; by how many folds they are judged."""

    steps: int = 60
    least: float = 0.001
    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        for setting, low, high in (("steps", 2, MOST_STEPS), ("folds", 2, 1000), ("seed", 0, 2**32)):
            got = getattr(self, setting)
            if type(got) is not int or not low <= got <= high:
                raise BadSetting(setting=setting, got=got, expected=f"a whole number from {low} to {high}")
        if not isinstance(self.least, (int, float)) or not 1e-9 <= self.least < 1:
            raise BadSetting(setting="least", got=self.least, expected="a share from 1e-09 on, below 1")


class Step(NamedTuple):
    """One lambda: how many terms have a weight for some label, and how many texts are right that were held out."""

    lam: float
    terms: int
    accuracy: float
    error: float

    @property
    def cost(self) -> float:
        """C of the fitted model."""
        return 1.0 / self.lam

    def as_dict(self) -> dict[str, float]:
        """For machines."""
        about = {"lambda": self.lam, "cost": self.cost, "terms": self.terms}
        return {**about, "held_out_accuracy": self.accuracy, "standard_error": self.error}


class Entry(NamedTuple):
    """A term that came in, for a label: at which step, and with which sign; `weight` is that of the chosen step."""

    term: str
    label: str
    step: int
    lam: float
    sign: int
    weight: float

    @property
    def name(self) -> str:
        """The term as people are shown it."""
        return display(self.term)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        at = {"step": self.step + 1, "lambda": self.lam, "sign": "+" if self.sign > 0 else "-"}
        return {"name": self.name, "term": self.term, "label": self.label, **at, "weight": self.weight}


@dataclass(frozen=True, eq=False)
class Path:
    """A path: its steps from the greatest lambda downward, and its entries, the first to come in first.

    `weights` has a row an entry and a column a step. Weights speak for `labels`; of two labels for the second alone.
    `best` and `chosen` are numbers of steps, by held-out accuracy, and by the one-standard-error rule.
    """

    model: str
    l1: float
    labels: tuple[str, ...]
    steps: tuple[Step, ...]
    entries: tuple[Entry, ...]
    weights: Floats
    examples: int
    terms: int
    plan: Plan
    best: int
    chosen: int

    @cached_property
    def selected(self) -> list[str]:
        """The terms that have a weight at the chosen step, each once, in the order in which they came in."""
        there = self.weights[:, self.chosen] != 0
        return list(dict.fromkeys(entry.term for entry, is_there in zip(self.entries, there, strict=True) if is_there))

    def of_label(self, label: str) -> list[int]:
        """The places of the entries of a label."""
        return [place for place, entry in enumerate(self.entries) if entry.label == label]

    def as_dict(self) -> dict[str, Any]:
        """All of it, for machines; steps count from 1."""
        about = {"model": self.model, "l1": self.l1, "examples": self.examples, "terms": self.terms}
        return {
            **about,
            "folds": self.plan.folds,
            "best": self.best + 1,
            "chosen": self.chosen + 1,
            "steps": [step.as_dict() for step in self.steps],
            "entries": [entry.as_dict() for entry in self.entries],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the entries as .csv, or all of it as .json, whole or not at all."""
        from .table import save

        save(path, self)

    def save_steps(self, path: str | os.PathLike[str]) -> None:
        """Writes the steps as .csv."""
        from .table import save_steps

        save_steps(path, self)

    def plot(self, path: str | os.PathLike[str], label: str | None = None, top: int = 8) -> None:
        """Draws weights against lambda, naming the `top` strongest terms of each label; .svg or .png."""
        from .picture import draw

        draw(path, self, label, top)

    def __repr__(self) -> str:
        return f"Path({self.model}, {len(self.steps)} steps, {len(self.entries)} entries)"


def path(
    texts: object,
    labels: object,
    *,
    weights: object = None,
    steps: int = 60,
    least: float = 0.001,
    folds: int = 5,
    seed: int = 0,
    progress: Steps | None = None,
    **settings: Any,
) -> Path:
    """Follows the L1 path of a fitted model (`model="logistic"`, or `"squared"`) from no term to many.

    `steps` values of lambda go down to the share `least` of the greatest; `folds` say how good each is. All other
    settings are those of `train`.

    >>> texts = ["free money", "money now", "money", "see you", "you soon", "see me"] * 3
    >>> found = path(texts, (["spam"] * 3 + ["ham"] * 3) * 3, steps=5, folds=3, least=0.1)
    >>> [(entry.name, entry.label, entry.sign) for entry in found.entries][:1]
    [('money', 'spam', 1)]
    >>> [step.terms for step in found.steps]
    [0, 3, 3, 3, 3]
    """
    plan = Plan(steps, least, folds, seed)
    chosen, name = settings_of(**settings)
    return trace(Examples(texts_of(texts), labels, weights), chosen, name, plan, progress=progress)  # type: ignore[arg-type]


def settings_of(model: str = "logistic", l1: float = 1.0, **given: Any) -> tuple[Settings, str]:
    """The settings of a fitted model that has a path, checked; and what its loss is called."""
    check_choice("model", model, MODELS)
    if given.get("cost") is not None:
        raise BadSetting(setting="cost", got=given["cost"], expected="none: a path has all of them")
    sparse = {"joint": False, "interpolation": 1.0}
    for setting, needed in sparse.items():
        if given.get(setting) not in (None, Settings.__dataclass_fields__[setting].default, needed):
            raise BadSetting(setting=setting, got=given[setting], expected=f"{needed!r}, where weights are to be zero")
    known = "logistic" if model == SQUARED else model
    chosen = Settings.of(**{**given, **sparse, "model": known, "l1": l1})
    if chosen.l1 == 0:
        raise BadSetting(setting="l1", got=l1, expected="a number above 0, up to 1: else no weight is zero")
    return chosen, model


def trace(
    examples: Examples,
    settings: Settings,
    name: str,
    plan: Plan,
    where: Callable[[int], str] = IN_MEMORY,
    source: str = "texts",
    progress: Steps | None = None,
) -> Path:
    """The path of some examples, whose places `where` names."""
    counts, given = Classifier(settings, count(settings, [], []))._counted(*examples, where)
    if not given.labels:
        raise NoExamples(where=source)
    if len(counts.labels) == 1:
        raise OneLabel(label=counts.labels[0])
    check_weights(settings, counts)
    if len(given.labels) < plan.folds:
        raise TooFewForFolds(where=source, folds=plan.folds, got=len(given.labels))
    model = Classifier(settings, counts)
    counts, (found, y) = model.selected, model._rows(given)
    of, member = labelled(counts, y, settings, given.weights), member_of(settings, len(counts.labels))
    member = replace(member, loss="squared") if name == SQUARED else member
    seen = see(found, counts, member.sight)
    return _path(counts, seen, of, member, settings, name, plan, progress)


def _path(
    counts: Counts,
    seen: Seen,
    of: Labelled,
    member: Member,
    settings: Settings,
    name: str,
    plan: Plan,
    progress: Steps | None,
) -> Path:
    folds = folds_of(of.y, plan.folds, plan.seed)
    found = follow(seen, of, member, plan.steps, plan.least, folds, settings.cores, progress)
    columns = (column.tolist() for column in (found.lam, found.terms, found.accuracy, found.error))
    steps = tuple(Step(*step) for step in zip(*columns, strict=True))
    best = int(np.argmax(found.accuracy))
    chosen = int(np.argmax(found.accuracy >= found.accuracy[best] - found.error[best]))
    labels = counts.labels[1:] if len(counts.labels) == 2 else counts.labels
    names = [str(counts.lexicon.name(int(term))) for term in seen.terms[found.term]]
    entries = _entries(found, names, labels, chosen)
    sizes = {"examples": len(of.y), "terms": len(seen.terms)}
    return Path(name, settings.l1, labels, steps, entries, found.weights, **sizes, plan=plan, best=best, chosen=chosen)


def _entries(found: Followed, names: list[str], labels: tuple[str, ...], chosen: int) -> tuple[Entry, ...]:
    places = np.arange(len(names))
    first = found.weights[places, found.first]
    return tuple(
        Entry(names[i], labels[found.output[i]], int(step), float(found.lam[step]), int(np.sign(first[i])), float(w))
        for i, (step, w) in enumerate(zip(found.first, found.weights[:, chosen], strict=True))
    )
