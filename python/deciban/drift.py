"""A model's counts and new texts -> whether the texts are like those that it was trained on; no label is needed.

Three numbers, each beside what is normal, which follows from the counts alone (`surprise`):

    unknown terms        the share of terms (words, runs of words, ...) that no training text has
    surprise of a term   how improbable terms are, in decibans
    mix of labels        how frequent labels are, by expectation-maximisation (`decision.priors`)

The first two are means over terms; how far they may be off by chance is told by how much they differ from text to text.
A number is a worry if it is both: too far off for chance, and far enough off to matter. Texts with hardly an unknown
term, where others would have many, are most likely those of training, of which there is nothing to tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .counts import Counts
from .decision.priors import Mix
from .errors import listed
from .surprise import Surprise, expected, of_new
from .units import decibans

Floats = npt.NDArray[np.float64]
FAR = 4.0  # standard errors
TIMES = 1.5  # as many unknown terms
POINTS = 0.01  # and so much more of them
DECIBANS = 0.65  # a word
LEARNT = 0.2  # of the unknown terms that are normal
MOVED = 0.1  # texts of another label
SHOWN = 3


@dataclass(frozen=True)
class Signal:
    """A number of new texts, what is normal, and the standard error of their difference; `worries` if it is a worry."""

    name: str
    now: float
    normal: float
    error: float
    worries: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class Drift:
    """All signals, and the mix of labels that was found."""

    texts: int
    signals: tuple[Signal, ...]
    labels: tuple[str, ...]
    mix: Mix

    @property
    def is_training(self) -> bool:
        """Whether the texts seem to be those of training: they lack the unknown terms that all others have."""
        unknown = self.signals[0]
        return unknown.now + FAR * unknown.error < LEARNT * unknown.normal

    @property
    def worries(self) -> bool:
        """Whether any signal is a worry."""
        return not self.is_training and any(signal.worries for signal in self.signals)

    @property
    def sentence(self) -> str:
        """Whether to worry."""
        found = [signal.name for signal in self.signals if signal.worries]
        if self.is_training:
            return "the texts seem to be those of training: give it new ones"
        if not found:
            return "the texts are like those of training: no reason to worry"
        about = " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
        new_texts = "label some of the new texts, and evaluate the model on them before its answers are trusted"
        only_mix = "the labels are otherwise frequent than in training: predict with --priors adapt"
        return f"worry about the {about}: {only_mix if found == ['mix of labels'] else new_texts}"

    def as_dict(self) -> dict[str, Any]:
        """All of it, for machines."""
        mixed = zip(self.labels, self.mix.before.tolist(), self.mix.now.tolist(), strict=True)
        return {
            "texts": self.texts,
            "worries": self.worries,
            "sentence": self.sentence,
            "signals": [vars(signal) for signal in self.signals],
            "mix": {label: {"training": before, "now": now} for label, before, now in mixed},
        }


def drift(counts: Counts, texts: list[str], mix: Mix, *, once: bool = False, threads: int = 0) -> Drift:
    """How texts differ from those counted; `once` where a term is counted once a text."""
    found = of_new(counts, texts, threads, once=once)
    unknown, nats = expected(counts, once=once)
    n = int(counts.documents.sum())
    signals = (_of_unknown(found, unknown, n), _of_surprise(found, nats, n), _of_mix(mix, counts.labels))
    return Drift(len(texts), signals, counts.labels, mix)


def _mean(values: Floats, words: npt.NDArray[np.int64], before: int) -> tuple[float, float]:
    """The mean over all words, and its standard error beside that of so many texts before."""
    total, n = max(int(words.sum()), 1), len(words)
    mean = float(values @ words / total)
    off = words * (values - mean)
    of_new = float(off @ off) / total**2 * n / max(n - 1, 1)
    return mean, math.sqrt(of_new * (1 + n / max(before, 1)))


def _of_unknown(found: Surprise, normal: float, before: int) -> Signal:
    now, error = _mean(found.unknown, found.words, before)
    worries = now > normal + max(FAR * error, POINTS) and now > TIMES * normal
    said = f"unknown terms: {now:.1%}, where {normal:.1%} are normal ({_than(now - normal, error)})"
    return Signal("unknown terms", now, normal, error, worries, said)


def _of_surprise(found: Surprise, normal: float, before: int) -> Signal:
    (now, error), normal = _mean(decibans(found.nats), found.words, before), decibans(normal)
    worries = abs(now - normal) > max(FAR * error, DECIBANS)
    said = f"surprise of a term: {now:.1f} decibans, where {normal:.1f} are normal ({_than(now - normal, error)})"
    return Signal("surprise of a term", now, normal, error, worries, said)


def _than(off: float, error: float) -> str:
    if abs(off) <= 2 * error:
        return "as by chance"
    errors = f"{abs(off) / error:.0f}" if abs(off) < 100 * error else "more than 100"
    return f"{'more' if off > 0 else 'less'} than by chance, {errors} standard errors"


def _of_mix(mix: Mix, labels: tuple[str, ...]) -> Signal:
    worries = mix.is_other and mix.distance > MOVED
    return Signal("mix of labels", mix.distance, 0.0, 0.0, worries, told(mix, labels))


def told(mix: Mix, labels: tuple[str, ...]) -> str:
    """The mix in words."""
    if not mix.is_other:
        return "mix of labels: as in training, but for what chance explains"
    most = np.argsort(-np.abs(mix.now - mix.before), kind="stable")[:SHOWN]
    moved = (f"{labels[r]} {mix.now[r]:.1%} instead of {mix.before[r]:.1%}" for r in most.tolist())
    return f"mix of labels: another than in training; {listed(moved)}"
