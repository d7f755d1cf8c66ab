"""Why: what each term of a text weighs for one label against another, in decibans, with the text's own spans.

Nothing is approximated, but for forests (`projection.forest`), which say so. The score of a label is a sum over terms,
so the log-odds of two labels are one too:

    f(x) = (log theta_1 - log theta_0) . x + log p(y=1) - log p(y=0)        Zhu 16-18

and each summand is the evidence of its term. They add up to the posterior log-odds. Where pairs of terms add to the
score, what two add together, beyond what each adds alone, is a piece of evidence of its own. A model of hashed terms
knows no names: they are recovered from the text that is explained, and those that share a bucket are one piece of
evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..calibration import Calibration
from ..decision import log_posterior
from ..decision.rules import Decider
from ..errors import NothingLearnt, OneLabel, SameLabel
from ..projection import Forest
from ..scorecard import Scorecard
from ..terms import Terms, display
from ..units import decibans, odds

APPROXIMATE = "approximate: the words' shares of what trees went by; they add up, but other shares could, too"
Floats = npt.NDArray[np.float64]
Spans: TypeAlias = "list[tuple[int, int]]"


@dataclass(frozen=True)
class TermEvidence:
    """One term's weight: `decibans` in all, for `times` times that it counts; `spans` are its places in the text.

    `names` are what stands there: the term itself, or, where `term` is a bucket of hashed ones, all that fall into it.
    A pair of terms is called "one & other", and its spans are those of both.
    """

    term: str
    decibans: float
    times: int
    spans: tuple[tuple[int, int], ...]
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """The term as people are shown it."""
        return _shown(self.names)


@dataclass(frozen=True)
class Evidence:
    """Why a text is `label` rather than `against`: the prior, and the evidence of each term, strongest first.

    All weights are decibans for `label` against `against`; `total`, their sum, is the posterior log-odds of the two.
    Where a model's scores are no log-odds, `unit` is "points", of the same size. `start` says what `prior` is made of.
    `probability` is that of `label` among all labels. `unknown` are terms that the model has never seen. What trees
    say is told `approximate`ly: the weights add up, but are one account of several that would. `calibrated` says how
    scores were made honest, where they were; where that bends them, weights add up to what they were before.
    With a rule, other priors add `shift` and costs add `cost`, so that `total` is above zero where `label` costs less;
    `decision` says what is decided, and why. Where a threshold decides, `by` says so, and `cost` is what that adds; of
    an item of a feed, `by` is its kind, which is no matter of words. Of labels on two shelves, decided from the root
    down, words tell the shelves apart, and `shelves` is what the labels' shares of them add.
    """

    text: str
    label: str
    against: str
    probability: float
    prior: float
    terms: tuple[TermEvidence, ...]
    unknown: tuple[str, ...]
    unit: str = "decibans"
    start: str = "prior"
    approximate: bool = False
    calibrated: str = ""
    shift: float = 0.0
    cost: float = 0.0
    decision: str = ""
    by: str = "costs"
    shelves: float = 0.0

    @property
    def before(self) -> tuple[tuple[str, float], ...]:
        """What is added beside the terms, by name: what there is before the text is read, and what costs add."""
        more = (("on their shelves", self.shelves), ("other priors", self.shift), (self.by, self.cost))
        return (self.start, self.prior), *((name, weight) for name, weight in more if weight)

    @property
    def total(self) -> float:
        """The posterior log-odds of `label` against `against`, in decibans; with costs, those of the cheaper one."""
        total = self.prior + self.shelves + self.shift + sum(term.decibans for term in self.terms) + self.cost
        return total if total == total else 0.0  # neither label can have the text: nothing speaks for either

    @property
    def odds(self) -> str:
        """The total in words; empty where it is no log-odds."""
        if self.unit != "decibans":
            return ""
        return f" ({odds(self.total)}, {self.by} included)" if self.cost else f" ({odds(self.total)})"

    def __str__(self) -> str:
        from .terminal import plain

        return plain(self)

    def _repr_html_(self) -> str:
        from .page import fragment

        return fragment(self)


def explain(
    card: Scorecard | Forest,
    terms: Terms,
    text: str,
    label: str | None = None,
    against: str | None = None,
    calibration: Calibration | None = None,
    decider: Decider | None = None,
) -> Evidence:
    """The evidence of a text for a label (by default the most probable) against another (the next).

    >>> import deciban
    >>> mail = deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
    >>> why = mail.explain("Free money!")
    >>> why.label, why.against, [(t.name, round(t.decibans, 1)) for t in why.terms]
    ('spam', 'ham', [('money', 3.7), ('free', 1.9)])
    >>> round(why.prior, 1), round(why.total, 1), why.terms[0].spans
    (3.0, 8.6, ((5, 10),))
    """
    if not card.labels:
        raise NothingLearnt
    raw = card.scores([text])[0]
    spans, names = _seen(terms, text)
    places = {term: place for term in spans if (place := card.lexicon.place(term)) is not None}
    counts = np.array([len(spans[term]) for term in places], np.int64)
    known = float(len(places) if card.binary else counts.sum())
    seen = _Seen(raw, known, calibration)
    log_p = log_posterior(seen.scores) if decider is None else decider.shifted(log_posterior(seen.scores))
    order = np.argsort(-seen.scores, kind="stable").tolist() if decider is None else decider.order(log_p)
    one, other = _pair(card, order, label, against)
    bias, before = card.account(np.fromiter(places.values(), np.int64, len(places)), counts)
    start, added = seen.start(bias), seen.adds(before)
    with np.errstate(invalid="ignore"):
        nats = np.nan_to_num(added[:, one] - added[:, other], nan=0.0, posinf=np.inf, neginf=-np.inf)
    found = [
        TermEvidence(term, decibans(float(nat)), times, tuple(spans[term]), tuple(names[term]))
        for term, nat, count in zip(places, nats, counts.tolist(), strict=True)
        for times in (1 if card.binary else count,)
    ]
    together = _together(card, seen, places, one, other, spans, {term: _shown(names[term]) for term in places})
    return Evidence(
        text=text,
        label=card.labels[one],
        against=card.labels[other],
        probability=float(np.exp(log_p[one])),
        prior=decibans(float(start[one] - start[other])),
        terms=tuple(sorted([*found, *together], key=lambda e: (-abs(e.decibans), e.term))),
        unknown=tuple(name for term in spans if term not in places for name in names[term]),
        approximate=card.approximate,
        calibrated=seen.told,
        **({} if decider is None else decided(decider, log_p, one, other)),
    )


def decided(decider: Decider, log_p: Floats, one: int, other: int) -> dict[str, Any]:
    """What a rule adds for one label against another, and what it decides."""
    with np.errstate(invalid="ignore"):
        before = float(np.nan_to_num(log_p[one] - log_p[other], nan=0.0, posinf=np.inf, neginf=-np.inf))
    wanted = decider.log_odds(log_p, one, other)
    cost = 0.0 if wanted == before else wanted - before
    shift = float(decider.shift[one] - decider.shift[other])
    return {"shift": decibans(shift), "cost": decibans(cost), "decision": decider.told(log_p), "by": decider.by}


class _Seen(NamedTuple):
    """A text: its scores before they are calibrated, how many known terms it has, and what calibrates it."""

    raw: Floats
    known: float
    calibration: Calibration | None

    @property
    def scores(self) -> Floats:
        if self.calibration is None:
            return self.raw
        return np.asarray(self.calibration.apply(self.raw[None], np.array([self.known]))[0])

    def adds(self, added: Floats) -> Floats:
        """What is added, by what adds so much before."""
        return added if self.calibration is None else self.calibration.adds(added, self.raw, self.known)

    def start(self, bias: Floats) -> Floats:
        return bias if self.calibration is None else self.calibration.start(bias, self.raw, self.known)

    @property
    def told(self) -> str:
        if self.calibration is None:
            return ""
        when = " before the model last changed" if self.calibration.is_from_before else ""
        bent = "" if self.calibration.is_linear else "; the probability is bent after"
        return f"calibrated{when} ({self.calibration.method}){bent}"


def _together(
    card: Scorecard | Forest,
    seen: _Seen,
    places: dict[str, int],
    one: int,
    other: int,
    spans: Mapping[str, Spans],
    names: dict[str, str],
) -> Iterator[TermEvidence]:
    """What pairs of the terms at some places add for one label against another."""
    if card.pairs is None:
        return
    at = {place: term for term, place in places.items()}
    for pair in card.pairs.among(np.fromiter(at, np.int64, len(at))):
        first, second = (at[int(terms[pair])] for terms in (card.pairs.first, card.pairs.second))
        added = seen.adds(card.pairs.weight[pair])
        nat = added[one] - added[other]
        where = tuple(sorted({*spans[first], *spans[second]}))
        yield TermEvidence(
            f"{first} & {second}", decibans(float(nat)), 1, where, (f"{names[first]} & {names[second]}",)
        )


def _shown(names: Iterable[str]) -> str:
    return " | ".join(map(display, names))


def _seen(terms: Terms, text: str) -> tuple[dict[str, list[tuple[int, int]]], dict[str, dict[str, None]]]:
    """The places in a text of each term, as the lexicon has it, and its names, each once."""
    spans: dict[str, list[tuple[int, int]]] = {}
    names: dict[str, dict[str, None]] = {}
    for name, start, end in terms.seen(text):
        term = terms.known_as(name)
        spans.setdefault(term, []).append((start, end))
        names.setdefault(term, {})[name] = None
    return spans, names


def _pair(card: Scorecard | Forest, best: list[int], label: str | None, against: str | None) -> tuple[int, int]:
    """The numbers of the two labels that are compared: those asked for, or the best."""
    if len(card.labels) == 1:
        raise OneLabel(label=card.labels[0])
    one, other = (None if given is None else card.number(given) for given in (label, against))
    if label is not None and one == other:
        raise SameLabel(label=label)
    one = next(i for i in best if i != other) if one is None else one
    return one, next(i for i in best if i != one) if other is None else other
