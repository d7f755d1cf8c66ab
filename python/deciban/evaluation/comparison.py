"""Which is better: several models on several sets of texts, judged by the same held-out answers.

What comes in are runs: what a model answered to the held-out texts of a set. What goes out is one value with their
figures, and paired differences between models, which see what intervals of each alone cannot: that both err on the same
texts. Of n texts let b be those that one model alone has right, and c those that the other alone has right. Then

    the difference is (b - c) / n;
    its interval is that of the paired bootstrap. To draw n texts with replacement is to draw b* and c* from the
        multinomial distribution of n and (b/n, c/n, 1 - (b + c)/n);
    mid-p, of McNemar's test, is 2 P(X <= k) - P(X = k), where k = min(b, c) and X is binomial of b + c and 1/2
        (Fagerland, Lydersen and Laake 2013).

Two models are told apart where the interval is without 0 and mid-p is below 5 %: of few texts the bootstrap alone is
too sure. Nothing is trained here.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UnknownModel, listed
from ..settings import Settings
from . import Evaluation

DRAWS = 10_000  # of the bootstrap
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Run:
    """What a model answered to the held-out texts of a set, and how long it took: means, where there are folds."""

    model: str
    set: str
    protocol: str
    evaluation: Evaluation = field(repr=False)
    train_seconds: float
    predict_seconds: float

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return self.evaluation.accuracy

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true accuracy lies, with 95 % confidence (Wilson)."""
        return self.evaluation.interval

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels."""
        return self.evaluation.macro_f1

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """Whether each answer is right."""
        return self.evaluation.right

    def as_dict(self) -> dict[str, Any]:
        """All figures, for machines."""
        low, high = self.interval
        return {
            "model": self.model,
            "set": self.set,
            "protocol": self.protocol,
            "texts": self.evaluation.examples,
            "accuracy": self.accuracy,
            "low_95": low,
            "high_95": high,
            "macro_f1": self.macro_f1,
            "train_seconds": round(self.train_seconds, 6),
            "predict_seconds": round(self.predict_seconds, 6),
        }


@dataclass(frozen=True)
class Difference:
    """How much more of a set's texts one model has right than another; `mid_p` is McNemar's."""

    set: str
    model: str
    against: str
    difference: float
    low_95: float
    high_95: float
    mid_p: float

    @property
    def told_apart(self) -> bool:
        """Whether it is more than luck."""
        return not self.low_95 <= 0 <= self.high_95 and self.mid_p < LEVEL

    def as_dict(self) -> dict[str, Any]:
        """The same, for machines."""
        return {**vars(self), "told_apart": self.told_apart}

    @property
    def sentence(self) -> str:
        """The same for people, in points: hundredths of all texts."""
        # Nothing is added to minus nothing: people would wonder what -0.0 points are.
        by, low, high = (round(100 * share, 1) + 0.0 for share in (self.difference, self.low_95, self.high_95))
        one, other = self.model, self.against
        if not self.told_apart:
            how = f"{by:+.1f} points; 95 %: {low:+.1f} to {high:+.1f}; mid-p {self.mid_p:.2g}"
            return f"{one} cannot be told apart from {other} on {self.set} ({how})"
        if self.difference < 0:
            one, other, by, low, high = other, one, -by, -high, -low
        how = f"95 %: {low:.1f} to {high:.1f}; mid-p {self.mid_p:.2g}"
        return f"{one} is better than {other} on {self.set} by {by:.1f} points ({how})"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several models on several sets. Make one with `deciban.compare`."""

    runs: tuple[Run, ...]
    settings: Mapping[str, Settings]
    seed: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, as they were given."""
        return tuple(self.settings)

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of the sets, as they were given."""
        return tuple(dict.fromkeys(run.set for run in self.runs))

    @cached_property
    def _run(self) -> dict[tuple[str, str], Run]:
        return {(run.model, run.set): run for run in self.runs}

    def run(self, model: str, set: str) -> Run:
        """What one model did on one set."""
        return self._run[model, set]

    def best(self, set: str) -> Run:
        """The run of a set that has most texts right, the first of equal ones."""
        return max((run for run in self.runs if run.set == set), key=lambda run: run.accuracy)

    def differences(self, against: str | None = None) -> tuple[Difference, ...]:
        """Each other model beside one, set by set; None: beside the best of each set.

        The best was found by the same texts, which flatters it a little. Each interval is that of one difference: of
        many, one in twenty may be wrong.
        """
        if against is not None and against not in self.models:
            raise UnknownModel(name=against, known=listed(self.models))
        return tuple(self._differences(against))

    def _differences(self, against: str | None) -> Iterator[Difference]:
        for name in self.sets:
            other = self.best(name) if against is None else self.run(against, name)
            for model in self.models:
                if model != other.model:
                    yield paired(self.run(model, name), other, self.seed)

    def to_markdown(self, against: str | None = None) -> str:
        """Tables for people: accuracy, macro-F1 and seconds; a line a model, a column a set; and the differences."""
        from .table import markdown

        return markdown(self, against)

    _repr_markdown_ = to_markdown

    def as_dict(self, against: str | None = None) -> dict[str, Any]:
        """All figures, for machines."""
        differences = [d.as_dict() for d in self.differences(against)]
        models = {name: settings.told for name, settings in self.settings.items()}
        runs = [run.as_dict() for run in self.runs]
        return {"models": models, "seed": self.seed, "runs": runs, "differences": differences}

    def save(self, path: str | os.PathLike[str], against: str | None = None) -> None:
        """Writes the table, whole or not at all, as the name ends: .csv (a line a run), .md or .json."""
        from .table import save

        save(path, self, against)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draws accuracies with their intervals, a panel a set, as .svg or .png: needs matplotlib (`deciban[plot]`)."""
        from .picture import draw

        draw(path, self)

    def __repr__(self) -> str:
        return f"Comparison({len(self.models)} models, {len(self.sets)} sets)"


def paired(one: Run, other: Run, seed: int = 0) -> Difference:
    """The difference of two runs on the same texts."""
    return difference(one.model, one.evaluation, other.model, other.evaluation, one.set, seed)


def difference(name: str, one: Evaluation, against: str, other: Evaluation, set: str, seed: int = 0) -> Difference:
    """How much more of a set's texts one evaluation has right than another of the same texts."""
    b, c = int((one.right & ~other.right).sum()), int((other.right & ~one.right).sum())
    n = len(one.right)
    low, high = bootstrap(b, c, n, seed)
    return Difference(set, name, against, (b - c) / n, low, high, mcnemar(b, c))


def bootstrap(b: int, c: int, n: int, seed: int = 0) -> tuple[float, float]:
    """The middle 95 % of (b - c) / n, over texts that are drawn anew.

    >>> [round(bound, 3) for bound in bootstrap(30, 10, 200)]
    [0.04, 0.16]
    """
    drawn = np.random.default_rng(seed).multinomial(n, [b / n, c / n, (n - b - c) / n], DRAWS)
    low, high = np.quantile((drawn[:, 0] - drawn[:, 1]) / n, [LEVEL / 2, 1 - LEVEL / 2])
    return float(low), float(high)


def mcnemar(b: int, c: int) -> float:
    """How probable it is that two equally good models differ as much: McNemar's mid-p.

    >>> [round(mcnemar(b, c), 4) for b, c in ((8, 2), (3, 3), (0, 0))]
    [0.0654, 1.0, 1.0]
    """
    n, k = b + c, min(b, c)
    total = math.lgamma(n + 1) - n * math.log(2)
    chance = [math.exp(total - math.lgamma(i + 1) - math.lgamma(n - i + 1)) for i in range(k + 1)]
    return min(2 * math.fsum(chance) - chance[k], 1.0)
