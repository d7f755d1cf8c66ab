"""A mail's text -> spam, ham or unsure: the posterior log-odds of spam against all else, and the words that made it so.

    decibans = 10 log10( p(spam|x) / sum of p(y|x) over all other labels y )

What is above one threshold is spam, what is below the other is ham, and what lies between is unsure. The evidence of
words is that of `evidence`, computed here without NumPy for models of two labels; others take the same from there.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from .. import _core, modelfile
from ..errors import NotForSeveral, UnknownLabel, listed
from ..modelfile import Saved
from ..terms import display
from .boxes import Box
from .mail import seen
from .quick import MOST_WORDS, table_of

SPAM_ABOVE, HAM_BELOW = 20.0, 0.0
AT_ONCE = 1000  # mails
MOST = 3000.0  # decibans: no probability is further from 1
PER_NAT = 10 / math.log(10)


@dataclass(frozen=True)
class Verdict:
    """What a mail is, how surely, and the words that say most for or against spam, with their decibans."""

    name: str
    decibans: float
    words: tuple[tuple[str, float], ...] = ()


def of_one_label(path: str) -> Saved:
    """A model file; where a mail could have several labels, none is spam against all else."""
    saved = modelfile.load(path)
    if saved.several is not None:
        raise NotForSeveral(what="deciban filter", expected="a model of one label a text")
    return saved


@dataclass(frozen=True)
class Judge:
    """A model, which of its labels is spam, and from how many decibans on."""

    saved: Saved
    spam: str = "spam"
    spam_above: float = SPAM_ABOVE
    ham_below: float = HAM_BELOW
    table: _core.MailTable | None = None  # of a model that the filter made

    @classmethod
    def of(cls, path: str, *how: Any) -> Judge:
        """The judge of a model file."""
        judge = cls(of_one_label(path), *how)
        if judge.spam not in judge.saved.labels:
            raise UnknownLabel(label=judge.spam, known=listed(judge.saved.labels))
        return replace(judge, table=table_of(path, judge.spam) or _table(judge.saved, judge.spam))

    def verdict(self, mail: bytes) -> Verdict:
        """What one mail is, and why."""
        if self.table is not None:
            decibans, words = self.table.account(mail)
            return Verdict(self.name(decibans), decibans, tuple(_strongest(words)))
        (text,) = seen(self.saved.settings.tokens, mail, [(0, len(mail))])
        (decibans,) = self.decibans([text])
        return Verdict(self.name(decibans), decibans, tuple(self.words(text)))

    def name(self, decibans: float) -> str:
        """What a mail is called that has so many decibans."""
        return "spam" if decibans > self.spam_above else "ham" if decibans < self.ham_below else "unsure"

    def verdicts(self, box: Box, threads: int = 1) -> list[Verdict]:
        """What each mail of a file is."""
        found: list[float] = []
        if self.table is not None:
            found = self.table.decibans(box.data, box.places, threads)
            return [Verdict(self.name(decibans), decibans) for decibans in found]
        for start in range(0, len(box.places), AT_ONCE):
            some = box.places[start : start + AT_ONCE]
            found += self.decibans(seen(self.saved.settings.tokens, box.data, some, threads), threads)
        return [Verdict(self.name(decibans), decibans) for decibans in found]

    def decibans(self, texts: list[str], threads: int = 1) -> list[float]:
        """The log-odds of spam of each text."""
        spam = self.saved.labels.index(self.spam)
        rows = self.saved.answers(texts, "mail {}".format, threads)
        return [_log_odds(row[spam], sum(row[:spam]) + sum(row[spam + 1 :])) for _, row in rows]

    def words(self, text: str) -> list[tuple[str, float]]:
        """The terms that say most, and what each says for spam."""
        found = _Account(self.saved, text).words(self.spam) if is_plain(self.saved) else self._explained(text)
        return _strongest(found)

    def _explained(self, text: str) -> list[tuple[str, float]]:
        from ..evidence import explain
        from ..evidence.levels import parted
        from ..hierarchy import Descent

        if len(self.saved.labels) < 2:
            return []
        card, asked = self.saved.card, (self.saved.settings.terms, text, self.spam, None, self.saved.calibration)
        if isinstance(card, Descent):
            return [(term.name, term.decibans) for term in parted(card, *asked).terms]
        found = explain(card, *asked)
        return [(term.name, term.decibans) for term in found.terms]


def _strongest(words: list[tuple[str, float]]) -> list[tuple[str, float]]:
    return sorted(words, key=lambda word: (-abs(word[1]), word[0]))[:MOST_WORDS]


def _table(saved: Saved, spam: str) -> _core.MailTable | None:
    """The table of a model that should have one, and has lost it."""
    if saved.settings.model != "committee" or saved.settings.tokens != "whitespace":
        return None
    from . import tables

    name = b"0" * 64
    table = tables.made(saved, name)
    return None if table is None else _core.MailTable(table, name, spam.encode())


def _log_odds(p: float, others: float) -> float:
    if p <= 0 or others <= 0:
        return MOST if p > others else -MOST
    return max(-MOST, min(MOST, 10 * (math.log10(p) - math.log10(others))))


def is_plain(saved: Saved) -> bool:
    """Whether evidence is a sum over postings, times one factor: not of trees, of pairs, or of more than two labels."""
    buffers = saved.buffers
    is_bent = "across" in buffers and len(buffers["across"]) + len(buffers["knots"]) > 0
    has_weights = "weight" in buffers and saved.tree is None and "first" not in buffers and "axis" not in buffers
    return len(saved.labels) == 2 and has_weights and not is_bent and min(buffers["absent"]) > -math.inf


def _kinds(name: str) -> int:
    """The kinds that a term is of (`scorecard.kind_of`)."""
    return {"\ta": 1, "\tc": 2}.get(name[:2], 12 if ":" in name else 20)


class _Account:
    """What each term of a text says for the second of two labels against the first, in nats before calibration."""

    def __init__(self, saved: Saved, text: str) -> None:
        self.saved, self.buffers = saved, saved.buffers
        places = "card_indptr" if "card_indptr" in self.buffers else "indptr"
        self.indptr: Any = self.buffers[places]
        self.label: Any = self.buffers["card_label" if "card_label" in self.buffers else "label"]
        terms = saved.settings.terms
        self.shown: dict[int, str] = {}
        counts: Counter[int] = Counter()
        for name, _, _ in terms.core.seen(text):
            place = saved.card_lexicon.place(terms.known_as(name))
            if place is not None:
                counts[place] += 1
                self.shown.setdefault(place, display(name))
        self.counts = {place: 1 if saved.settings.is_binary else n for place, n in counts.items()}
        self.often = counts
        self.scales = self._scales() if "length" in self.buffers else None

    def words(self, spam: str) -> list[tuple[str, float]]:
        """Each term with its decibans for spam."""
        nats = {place: self._adds(place) for place in self.counts}
        sign = PER_NAT if self.saved.labels[1] == spam else -PER_NAT
        factor = sign * self._factor(sum(nats.values()))
        return [(self.shown[place], factor * nat) for place, nat in nats.items()]

    def _adds(self, place: int) -> float:
        weight: Any = self.buffers["weight"]
        postings = range(self.indptr[place], self.indptr[place + 1])
        if self.scales is not None:
            return math.fsum(
                (1 if self.label[p] % 2 else -1) * self.scales[g] * self._counted(g, self.often[place]) * weight[p]
                for p in postings
                for g in (self.label[p] // 2,)
            )
        absent: Any = self.buffers["absent"]
        beyond = math.fsum((1 if self.label[p] else -1) * weight[p] for p in postings)
        return self.counts[place] * (float(absent[1] - absent[0]) + beyond)

    def _counted(self, group: int, times: int) -> float:
        groups: Any = self.buffers["groups"]
        return (1.0, float(times), 1 + math.log(times))[groups[group] // 8 % 4]

    def _scales(self) -> list[float]:
        """s_g of each group of weights (`scorecard.Scaling`)."""
        length: Any = self.buffers["length"]
        names = {place: self.saved.card_lexicon.name(place) or "" for place in self.counts}
        kinds = {place: _kinds(name) for place, name in names.items()}
        scales = []
        for group, asked in enumerate(self.buffers["groups"]):
            square = sum(
                (self._counted(group, self.often[place]) * length[place]) ** 2
                for place in names
                if kinds[place] & (asked % 8 | asked // 32 * 8)
            )
            scales.append(1 / math.sqrt(square) if square > 0 else 1.0)
        return scales

    def _factor(self, nats: float) -> float:
        """What calibration multiplies evidence with (`calibration`), where there is one."""
        if self.saved._map is None or not self.counts:
            return 1.0
        temper, origin, slope, shift, _, _ = self.saved._map
        t, a, g, *steep = temper
        bias: Any = self.buffers["bias"]
        apart = bias[1] - bias[0] + nats - ((origin[1] - origin[0]) if len(origin) else 0.0)
        known = sum(self.counts.values())
        exponent = t - a * math.log(known) - (g * math.log(max(abs(apart) / 2, 1e-3)) if g else 0.0)
        factor = math.exp(max(-50.0, min(50.0, exponent))) * (sum(slope) / 2 if len(slope) else 1.0)
        if not steep:
            return factor
        u, h = steep
        after = abs(factor * apart + shift[1] - shift[0]) / 2
        return factor * math.exp(max(-50.0, min(50.0, u - h * math.log(max(after, 1e-3)))))
