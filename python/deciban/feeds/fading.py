"""Counts that fade: what was learnt long ago counts less, in whole numbers.

Time t and half-life H are whole numbers of one kind: answers, or seconds. Time goes in steps, 64 a half-life, and an
epoch is one half-life:

    s = floor(64 t / H)        epoch e = floor(s / 64)
    an answer at t adds        w_s = floor(2^(16 + (s mod 64) / 64))        times the counts of its text
    when an epoch ends         every count is halved, and rounded down

So nothing is multiplied when time goes by: later answers add more, and halving makes room. A count c at time t means
c / w_s texts. Each w is exact, from square roots of whole numbers; halving n times is one shift by n bits. `Counts`
stay what they are: inside an epoch they add in any order, and forget exactly what was added in it. A term that has been
halved to nothing leaves, so that a feed does not grow for ever; a label keeps at least one unit, 2^-16 of a text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from ..counts import Counts, count
from ..errors import NoWayBack
from ..terms import Terms

STEPS = 64
BITS = 16


def weight_of(step: int) -> int:
    """floor(2^(16 + (s mod 64) / 64)): how much an answer adds at a step.

    >>> weight_of(0), weight_of(32), weight_of(64), int(2**16.5)
    (65536, 92681, 65536, 92681)
    """
    power = 1 << (BITS * STEPS + step % STEPS)
    for _ in range(6):  # the 64th root; rounding down in between changes nothing
        power = isqrt(power)
    return power


def halved(counts: Counts, times: int) -> Counts:
    """All counts halved so many times, and rounded down; a term of which nothing is left, leaves.

    >>> one = count(Terms(), ["hockey hockey tonight"], ["yes"])
    >>> halved(one, 1).occurrences.tolist(), halved(one, 1).lexicon.names(), halved(one, 2).lexicon.names()
    ([1], ['hockey'], [])
    """
    times = min(times, 63)
    parts = (counts.documents, counts.occurrences, counts.presences)
    documents, occurrences, presences = (part >> times for part in parts)
    documents = np.maximum(documents, 1)
    less = replace(counts, documents=documents, occurrences=occurrences, presences=presences)
    return less.of_postings(occurrences > 0)


@dataclass(frozen=True)
class Fading:
    """Counts of answers by label, at a step of time."""

    counts: Counts
    step: int = 0

    @classmethod
    def of(cls, terms: Terms, *labels: str) -> Fading:
        """Of no answer yet: a unit of an empty text for each label."""
        return cls(count(terms, [""] * len(labels), list(labels)))

    @property
    def weight(self) -> int:
        """What one text counts that is learnt now."""
        return weight_of(self.step)

    def left(self, then: int) -> float:
        """What is left now of a text that was learnt at a step, of 1.

        >>> Fading(count(Terms(), [""], ["yes"]), 128).left(64), Fading(count(Terms(), [""], ["yes"]), 96).left(96)
        (0.5, 1.0)
        """
        return max(weight_of(then) >> (self.step // STEPS - then // STEPS), 1) / self.weight

    def at(self, step: int) -> Fading:
        """The same counts at a later step."""
        if step < self.step:
            raise NoWayBack(step=step, now=self.step)
        epochs = step // STEPS - self.step // STEPS
        return Fading(halved(self.counts, epochs) if epochs else self.counts, step)

    def learnt(self, text: str, label: str, step: int) -> Fading:
        """With one more text, at its time, which is not before now.

        >>> now = Fading.of(Terms(), "no", "yes").learnt("hockey", "yes", 0).learnt("hockey", "yes", 64)
        >>> now.counts.occurrences.tolist(), now.weight
        ([98304], 65536)
        """
        now = self.at(step)
        new = count(now.counts.terms, [text], [label])
        times = np.int64(now.weight)
        parts = {part: getattr(new, part) * times for part in ("documents", "occurrences", "presences")}
        return replace(now, counts=now.counts + replace(new, **parts))


def step_of(time: int, half_life: int | None) -> int:
    """s = floor(64 t / H); without a half-life nothing fades."""
    return 0 if half_life is None else STEPS * time // half_life
