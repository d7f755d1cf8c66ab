"""The two steps, the climb that repeats them, and how the weight of the unlabelled texts is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _core
from ..counts import Counts, count
from ..decision import log_posterior
from ..errors import TooLargeMixture
from ..rows import Rows, rows
from ..settings import Settings
from ..weighing import leave_one_out
from .expected import Expected, both, gamma_of, lexicon_of, prior_of

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much

WEIGHTS = (0.03, 0.1, 0.3, 1.0)
SHARPNESS = 0.5 ** (np.arange(15) / 4)
FOLDS = 5
STEPS_OF_A_FOLD = 3
MOST_STEPS = 50
RISE = 1e-5  # of the objective, for one step more
ROUNDING = 1e-9
LEAST = 1e-4  # of gamma: an expected count below moves no weight by more nats than this
LARGEST = 1 << 28  # terms x labels


@dataclass(frozen=True, eq=False)
class Mixture:
    """Labelled and unlabelled texts as rows of one lexicon, and what both steps take."""

    labels: tuple[str, ...]
    lexicon: _core.Lexicon
    labelled: Rows
    y: Integers
    unlabelled: _core.Unlabelled
    sharpness: float
    gamma: float
    settings: Settings

    @classmethod
    def of(
        cls, counts: Counts, examples: tuple[_core.Texts, Sequence[str]], texts: _core.Texts, settings: Settings
    ) -> Mixture:
        """What was counted, the examples that it was counted from, and texts without labels."""
        cores, number = settings.cores, {label: r for r, label in enumerate(counts.labels)}
        y = np.array([number[label] for label in examples[1]], np.int64)
        alone = count(counts.terms, texts, [counts.labels[0]] * len(texts), cores)
        names = zip(alone.lexicon.names(), alone.presences.tolist(), strict=True)
        lexicon = both(counts, lexicon_of(counts.terms, [name for name, texts_of_it in names if texts_of_it > 1]))[0]
        if len(lexicon) * len(counts.labels) > LARGEST:
            raise TooLargeMixture(terms=len(lexicon), labels=len(counts.labels))
        own = rows(counts.lexicon, examples[0], cores)
        return cls(
            labels=counts.labels,
            lexicon=lexicon,
            labelled=rows(lexicon, examples[0], cores),
            y=y,
            unlabelled=_kept_in_core(rows(lexicon, texts, cores), lexicon, settings),
            sharpness=_sharpness(leave_one_out(counts, own, y, settings), y),
            gamma=gamma_of(counts, lexicon, settings),
            settings=settings,
        )

    def chosen(self, tell: Progress) -> tuple[dict[str, float], float]:
        """Held-out accuracy of each weight, of 0 first, and the weight that is worth it."""
        fold = _dealt(self.y)
        held = _kept_in_core(self.labelled, self.lexicon, self.settings)
        right = {weight: np.zeros(len(self.y), np.bool_) for weight in (0.0, *WEIGHTS)}
        for part in range(FOLDS):
            tell("choosing their weight", part, FOLDS)
            out = fold == part
            n, bias = self._counted(~out)
            start = self._start(n)
            first, _ = self._expected(start, bias)
            for weight, is_right in right.items():
                log_q = self._few_steps(n, bias, first, weight) if weight else start
                is_right[out] = (self._posteriors(held, log_q, bias)[0].argmax(axis=1) == self.y)[out]
        best = max(WEIGHTS, key=lambda weight: right[weight].sum())  # of equal ones the smallest
        accuracy = {f"{weight:g}": float(right[weight].mean()) for weight in right}
        return accuracy, best if _is_gain(right[best], right[0.0]) else 0.0

    def _few_steps(self, n: Floats, bias: Floats, expected: Floats, weight: float) -> Floats:
        """log q_jr after a climb that is short enough for a fold, from the first expected counts on."""
        log_q = self._log_q(n + weight * expected)
        for _ in range(STEPS_OF_A_FOLD - 1):
            log_q = self._log_q(n + weight * self._expected(log_q, bias)[0])
        return log_q

    def climbed(self, weight: float, tell: Progress) -> tuple[Floats, list[float]]:
        """Expected counts, times the weight, when the objective has stopped rising; and the objective at each step."""
        n, bias = self._counted(np.ones(len(self.y), np.bool_))
        prior = float(bias[self.y].sum())
        shared, _ = self._expected(self._start(n), bias)
        objectives: list[float] = []
        while True:
            log_q = self._log_q(n + weight * shared)
            again, evidence = self._expected(log_q, bias)
            objective = prior + float(np.vdot(n + self.gamma, log_q)) + weight / self.sharpness * evidence
            objectives.append(objective)
            tell(f"climbing, objective {objective:,.0f}", len(objectives), MOST_STEPS)
            if len(objectives) == MOST_STEPS or _stands(objectives):
                return weight * shared, objectives
            shared = again

    def sparse(self, expected: Floats) -> Expected:
        """Expected counts as postings, without those that are too small to tell."""
        kept = expected > LEAST * self.gamma
        indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        return Expected(self.labels, self.lexicon, indptr, np.nonzero(kept)[1].astype(np.uint32), expected[kept])

    def _counted(self, kept: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """nu(j, r) of some labelled texts, a row a term, and the logarithms of their labels' priors."""
        d, k, there = len(self.lexicon), len(self.labels), kept[self.labelled.row]
        times = np.ones_like(self.labelled.count) if self.settings.binary else self.labelled.count
        place = self.labelled.term.astype(np.int64) * k + self.y[self.labelled.row]
        n = np.asarray(np.bincount(place[there], times[there], d * k), np.float64).reshape(d, k)
        return n, prior_of(self.settings).log(self.labels, np.bincount(self.y[kept], minlength=k))

    def _start(self, n: Floats) -> Floats:
        """The supervised model, which passes over terms that it does not know."""
        known, alpha = n.any(axis=1), self.settings.strength
        log_q = np.zeros_like(n)
        log_q[known] = np.log(n[known] + alpha) - np.log(n.sum(axis=0) + alpha * max(known.sum(), 1))
        return log_q

    def _log_q(self, nu: Floats) -> Floats:
        """The M step."""
        return np.asarray(np.log(nu + self.gamma) - np.log(nu.sum(axis=0) + self.gamma * max(len(self.lexicon), 1)))

    def _expected(self, log_q: Floats, bias: Floats) -> tuple[Floats, float]:
        """The E step, and what the M step makes of it: e_jr, and the sum of the logarithms of the evidence."""
        posteriors, evidence = self._posteriors(self.unlabelled, self.sharpness * log_q, self.sharpness * bias)
        shared = self.unlabelled.expected(posteriors.ravel(), len(bias), self.settings.cores)
        return shared.reshape(log_q.shape), float(evidence.sum())

    def _posteriors(self, texts: _core.Unlabelled, log_q: Floats, bias: Floats) -> tuple[Floats, Floats]:
        flat, evidence = texts.posteriors(log_q.ravel(), bias, self.settings.cores)
        posteriors: Floats = flat.reshape(-1, len(bias))
        return posteriors, evidence


def _kept_in_core(found: Rows, lexicon: _core.Lexicon, settings: Settings) -> _core.Unlabelled:
    return _core.Unlabelled(found.indptr, found.term, found.count, len(lexicon), settings.binary)


def _sharpness(scores: Floats, y: Integers) -> float:
    """The square root of the exponent that makes held-out posteriors most probable; of texts whose label has others.

    >>> round(_sharpness(np.array([[9.0, 0.0], [0.0, 9.0], [9.0, 0.0], [0.0, 9.0]]), np.array([0, 1, 1, 1])), 3)
    0.354
    """
    own = (np.arange(len(y)), y)
    known = np.isfinite(scores[own])
    likely = [log_posterior(s * s * scores)[own][known].sum() for s in SHARPNESS]
    return float(SHARPNESS[int(np.argmax(likely))])


def _dealt(y: Integers) -> Integers:
    """The fold of each text: those of a label in turn, each label beginning one fold later.

    >>> _dealt(np.array([0, 0, 1, 0, 1])).tolist()
    [0, 1, 1, 2, 2]
    """
    order = np.argsort(y, kind="stable")
    turn = np.empty_like(y)
    turn[order] = np.arange(len(y)) - np.searchsorted(y[order], y[order])
    return np.asarray((turn + y) % FOLDS)


def _is_gain(right: npt.NDArray[np.bool_], before: npt.NDArray[np.bool_]) -> bool:
    """Whether more texts are righted than wronged, by more than one standard error of the difference."""
    righted, wronged = int((right & ~before).sum()), int((before & ~right).sum())
    return righted - wronged > math.sqrt(righted + wronged)


def _stands(objectives: list[float]) -> bool:
    """Whether the last step has not raised the objective by enough to go on; no step may lower it."""
    if len(objectives) < 2:
        return False
    before, now = objectives[-2:]
    assert now >= before - ROUNDING * abs(before), f"the objective fell from {before} to {now}"
    return now - before <= RISE * abs(now)
