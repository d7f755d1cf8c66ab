"""Labelled texts -> what is wrong with them: labels that are likely wrong, texts that are odd, words that give away.

A label is suspect where models that have not seen the text find another one ten times as probable, and as probable as
it is of texts that have it, on average (confident learning: Northcutt, Jiang and Chuang 2021):

    r = argmax p(r | i),    p(r | i) >= 10 p(y_i | i),    p(r | i) >= t_r,    t_r = mean of p(r | i) where y_i = r

Suspects are ranked by p(y_i | i), the least probable first; `decibans` are those for r against y_i. The p are those of
`views`. A label of a single text is never known to a model that has not seen it: it is named as too rare instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import BadText as BadTextInCore
from ..counts import Counts
from ..errors import BadSetting, NoExamples, OneLabelIn
from ..examples import as_text, labels_of, texts_of
from ..settings import Settings
from ..terms import refuse
from ..units import decibans
from .findings import Audit, Doubt, Group, Odd
from .views import Judged, Views, judged

if TYPE_CHECKING:
    from ..leaks import Leak

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CHECKS = ("labels", "duplicates", "texts", "leaks")
LEAST_ODDS = 10.0  # decibans for another label: ten to one
FEWEST = 5  # texts of a label
ODD = 6.0  # standard deviations
SHORTEST = 5  # words of an odd text

__all__ = ["CHECKS", "Audit", "audit", "audit_of"]


def audit(texts: object, labels: object, *, checks: Iterable[str] = CHECKS, threads: int | None = None) -> Audit:
    """What is likely wrong with labelled texts; `checks` says what to look for.

    >>> texts = [f"{word} {more}" for word in ("refund", "parcel") for more in ("one", "two", "three", "four")] * 25
    >>> labels = ["billing" if "refund" in text else "delivery" for text in texts]
    >>> found = audit(texts, ["billing", *labels[1:7], "billing", *labels[8:]], checks=["labels"])
    >>> [(doubt.place, doubt.label, doubt.suggested) for doubt in found.doubts]
    [(7, 'billing', 'delivery')]
    """
    given = texts_of(texts)
    return audit_of(given, labels_of(labels, given), "texts[{}]".format, checks=checks, threads=threads)


def audit_of(
    texts: Any,
    labels: list[str],
    where: Callable[[int], str],
    *,
    checks: Iterable[str] = CHECKS,
    threads: int | None = None,
    name: str = "texts",
) -> Audit:
    """The same of texts that stand somewhere."""
    wanted = _checked(checks)
    cores = Settings(threads=threads).cores
    if not len(labels):
        raise NoExamples(where=name)
    if len(set(labels)) == 1:
        raise OneLabelIn(where=name, label=labels[0])
    try:
        seen = Views.of(texts, labels, cores)
    except BadTextInCore as error:
        refuse(error, texts, where)
    counts = seen.counts
    said = judged(seen) if "labels" in wanted else None
    read = [as_text(text) for text in texts] if wanted != ("labels",) else []
    empty, odd = (_empty(read), _odd(seen)) if "texts" in wanted else ((), ())
    return Audit(
        examples=len(labels),
        labels=len(counts.labels),
        doubts=() if said is None else _doubts(said, seen.y, counts.labels, counts.documents),
        own=np.empty(0) if said is None else said.own,
        groups=_groups(read, labels, cores) if "duplicates" in wanted else (),
        empty=empty,
        odd=odd,
        few=_few(counts) if "labels" in wanted else (),
        leaks=_leaks(read, labels, counts, cores) if "leaks" in wanted else (),
        given=tuple(labels),
        checks=wanted,
    )


def _checked(checks: Iterable[str]) -> tuple[str, ...]:
    asked = list(checks) if not isinstance(checks, str) else [checks]
    unknown = [check for check in asked if check not in CHECKS]
    if unknown or not asked:
        raise BadSetting(setting="checks", got=unknown[0] if unknown else "", expected=f"some of {', '.join(CHECKS)}")
    return tuple(check for check in CHECKS if check in asked)


def _doubts(said: Judged, y: Integers, labels: tuple[str, ...], documents: Integers) -> tuple[Doubt, ...]:
    """The suspects, the least probable label first."""
    typical = np.bincount(y, np.exp(said.own), len(labels)) / documents
    odds = decibans(said.of_best - said.own)
    is_suspect = (np.exp(said.of_best) >= typical[said.best]) & (odds >= LEAST_ODDS) & (documents[y] > 1)
    places = np.flatnonzero(is_suspect)
    places = places[np.argsort(said.own[places], kind="stable")]
    found = (places, y[places], said.best[places], odds[places], np.exp(said.own[places]))
    return tuple(
        Doubt(i, labels[given], labels[best], odds_of_best, p)
        for i, given, best, odds_of_best, p in zip(*(of.tolist() for of in found), strict=True)
    )


def _few(counts: Counts) -> tuple[tuple[str, int], ...]:
    """The labels with too few texts, the fewest first."""
    found = [(label, n) for label, n in zip(counts.labels, counts.documents.tolist(), strict=True) if n < FEWEST]
    return tuple(sorted(found, key=lambda pair: (pair[1], pair[0])))


def _groups(texts: list[str], labels: list[str], threads: int) -> tuple[Group, ...]:
    from ..duplicates import groups  # not at the start: who asks for labels alone shall not wait for it

    return tuple(
        Group(places, tuple(sorted({labels[place] for place in places}))) for places in groups(texts, threads=threads)
    )


def _empty(texts: list[str]) -> tuple[int, ...]:
    """Texts without a letter, a number or a symbol."""
    return tuple(place for place, text in enumerate(texts) if not any(map(str.isalnum, text)))


def _leaks(texts: list[str], labels: list[str], counts: Counts, threads: int) -> tuple[Leak, ...]:
    from ..leaks import both, names, telling

    return tuple(both(names(texts, labels, threads), telling(counts)))


def _odd(seen: Views) -> tuple[Odd, ...]:
    """Texts whose words are unknown, or surprise, much more than those of others of as many words; the oddest first."""
    from .. import surprise

    of, nu_j = surprise.left_out(seen.counts, seen.rows), seen.counts.by_term(seen.counts.occurrences)
    logs = np.log(np.maximum(nu_j, 1))
    sigma2 = float(nu_j @ (logs - nu_j @ logs / max(nu_j.sum(), 1)) ** 2 / max(nu_j.sum(), 1))
    u = float(of.unknown @ of.words / max(of.words.sum(), 1))
    deviations = np.maximum(_deviations(of.unknown, of.words, u * (1 - u)), _deviations(of.nats, of.words, sigma2))
    places = np.flatnonzero(deviations > ODD)
    places = places[np.argsort(-deviations[places], kind="stable")]
    return tuple(Odd(i, float(of.unknown[i]), float(deviations[i])) for i in places.tolist())


def _deviations(values: Floats, words: Integers, sigma2: float) -> Floats:
    """How many standard deviations the mean over a text's words is above the usual; 0 for texts of few words.

    It varies by what texts are like (tau^2, by the median, which odd texts do not move), and by chance, the less the
    longer a text is (sigma^2 / n).
    """
    long = words >= SHORTEST
    if not long.any():
        return np.zeros(len(words))
    middle = float(np.median(values[long]))
    spread2 = (1.4826 * float(np.median(np.abs(values[long] - middle)))) ** 2
    tau2 = max(spread2 - sigma2 * float(np.median(1 / words[long])), 0.1 * spread2)
    return np.where(long, (values - middle) / np.sqrt(tau2 + sigma2 / np.maximum(words, 1) + 1e-12), 0.0)
