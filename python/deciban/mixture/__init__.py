"""Counts and unlabelled texts -> expected counts, by expectation-maximisation; the scorecard of both kinds of counts.

Naive Bayes is a mixture model whose components are the labels (Aggarwal 5.3): training is one M step on labelled texts,
prediction one E step. Where most texts have no label, the two are repeated (Nigam, McCallum, Thrun and Mitchell 2000):

    E   p_ir = (alpha_r p(x_i|r))^s / sum_r' (alpha_r' p(x_i|r'))^s             for each unlabelled text i
    M   q_jr = (nu(j, r) + lambda e_jr + gamma) / (sum_j (nu(j, r) + lambda e_jr) + gamma d),  e_jr = sum_i z_ij p_ir

from the model of the labelled texts on. Each step raises the objective, or leaves it where it is:

    sum over labelled of log alpha_y p(x|y) + lambda/s sum over unlabelled of log sum_r (alpha_r p(x|r))^s
        + gamma sum_jr log q_jr

With s = 1 that is their EM-lambda. What is ours, each chosen on training texts alone:

- The sharpness s, at most 1: words are not independent, so naive Bayes is too sure of itself, and takes its first guess
  for the truth. s is the square root of the exponent by which the leave-one-out scores of the labelled texts are most
  probable: halfway, because the climb leads to a better model, which may be surer. Where it is the least of all, the
  scores tell nothing of texts that were not seen, and there is nothing to share out by.
- The priors alpha_r stay those of the labelled texts.
- A term of one unlabelled text alone is not in the lexicon: all it could do is make that text surer of itself.
- The lexicon grows from d_0 terms to d, and gamma shrinks to alpha d_0/d: smoothing weighs what it weighed before.

The weight lambda is chosen by holding out: the labelled texts are dealt into five folds, label by label, and each fold
is judged by EM of three steps that starts from the model of the other four; only s is that of all. (The expected counts
of all labelled texts may not be held fixed while one is left out: they have learnt from it.) The best lambda is kept if
it rights more texts than it wrongs, by more than one standard error of that difference; or else the model stays the
supervised one. benches/unlabelled.py measures what comes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import _core
from ..counts import Counts
from ..errors import BadSetting, NoMixture
from ..settings import Settings
from .expected import Expected, aligned, weigh
from .steps import SHARPNESS, Mixture, Progress

__all__ = ["Climb", "Expected", "Progress", "aligned", "check", "expect", "weigh"]


@dataclass(frozen=True)
class Climb:
    """How expected counts came to be, or why there are none: the facts that are told and saved."""

    texts: int
    kept: bool
    why: str
    weight: float
    sharpness: float
    steps: int = 0
    objective: float | None = None
    held_out: dict[str, float] | None = None


def check(settings: Settings, weight: object) -> None:
    """Refuses what has no mixture, before any text is read."""
    if settings.model != "multinomial" or settings.smoothing != "laplace":
        raise NoMixture(model=settings.model, smoothing=settings.smoothing)
    if settings.select is not None:  # expected counts are of all terms, and can be taken apart by none
        raise BadSetting(setting="select", got=settings.select, expected="None beside unlabelled texts")
    if settings.term_weights != "none":
        got = settings.term_weights
        raise BadSetting(setting="term_weights", got=got, expected="'none' beside unlabelled texts")
    is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
    if weight != "auto" and not (is_number and 0 <= float(weight) <= 1):  # type: ignore[arg-type]
        raise BadSetting(setting="unlabelled_weight", got=weight, expected="'auto', or a number from 0 to 1")


def expect(
    counts: Counts,
    examples: tuple[_core.Texts, Sequence[str]],
    texts: _core.Texts,
    settings: Settings,
    weight: float | str = "auto",
    progress: Progress | None = None,
) -> tuple[Expected | None, Climb]:
    """The expected counts of unlabelled texts, beside counts and the labelled examples that were counted.

    >>> import numpy as np
    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> examples = (["free money", "see you"], ["spam", "ham"])
    >>> found, climb = expect(count(Terms(), *examples), examples, ["money now", "you now", "you soon", "you soon"],
    ...     Settings(), weight=1.0)
    >>> dict(zip(found.lexicon.names(), np.bincount(found.term, found.count).round(2).tolist()))
    {'free': 0.0, 'money': 1.0, 'now': 2.0, 'see': 0.0, 'soon': 2.0, 'you': 3.0}
    """
    tell = progress or _nobody
    tell("reading unlabelled texts", 0, 1)
    mixture = Mixture.of(counts, examples, texts, settings)
    held_out, chosen, why = _choice(mixture, weight, tell)
    if not chosen:
        return None, Climb(len(texts), False, why, chosen, mixture.sharpness, held_out=held_out)
    expected, objectives = mixture.climbed(chosen, tell)
    facts = Climb(len(texts), True, why, chosen, mixture.sharpness, len(objectives), objectives[-1], held_out)
    return mixture.sparse(expected), facts


def _choice(mixture: Mixture, weight: float | str, tell: Progress) -> tuple[dict[str, float] | None, float, str]:
    """Held-out accuracies where they were asked for, the weight, and why it is that."""
    if weight != "auto":
        return None, float(weight), "as asked for"
    if mixture.sharpness == SHARPNESS[-1]:
        return None, 0.0, "the labelled texts are too few, or too different, to tell each other's labels"
    held_out, chosen = mixture.chosen(tell)
    return held_out, chosen, "a gain" if chosen else "no gain"


def _nobody(what: str, done: int, total: int) -> None:
    """Whoever watches nothing."""
