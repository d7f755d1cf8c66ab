"""Mails one by one, each judged by a model of all before it: what `deciban filter --fold-after 1` says, in less time.

To make a model anew for each mail takes a second for each. Here all mails are rows from the beginning, and those that
have not come yet cost nothing: the solvers do not learn from them. (How long a row is follows from its own words.) The
two numbers that make decibans of a score take most of a fit: they are made anew at each `CALIBRATED`th mail, and stay
until the next. At each `COMPARED`th the filter itself learns and judges, and the page says how far apart both are.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.header import decode_header, make_header
from pathlib import Path

import numpy as np
import numpy.typing as npt

from deciban.filtering import fitted
from deciban.filtering.fitted import Part
from deciban.filtering.mail import seen
from deciban.fitting import members, solvers
from deciban.units import DECIBANS_PER_NAT

from .filter_figures import CAUGHT, HEAD, NOTES, cut, line
from .filter_rivals import Bogofilter, Mails, Ours, version

CHOSEN = 2500
CALIBRATED, COMPARED = 50, 500
FOLDS = 20
WIDTH = 60
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def in_time(mails: Mails, folder: Path, step: int) -> str:
    """The part of the page: figures of both, and which mails are misjudged."""
    judged, is_spam = np.arange(CHOSEN, len(mails.paths)), mails.is_spam[CHOSEN:]
    ours = Ours(mails, folder)
    stream = Stream(ours.mails, ours.labels)
    scores = np.array([_told("deciban filter", n, score) for n, score in stream.in_order(CHOSEN, step)])
    apart = _apart(ours, scores)
    lines = [line("deciban filter", scores, is_spam)]
    if version():
        lines.append(line("bogofilter", np.array(list(_in_steps(Bogofilter(mails, folder), judged, step))), is_spam))
    known = stream.by_folds(judged)
    lines.append(line("(deciban filter, of all other mails, later ones too)", known, is_spam))
    ham, spam = (int((is_spam == kind).sum()) for kind in (False, True))
    how = "one by one, each by all mails that came before it" if step == 1 else f"{step} at a time, and learnt after"
    return (
        f"## In time order\n\nThe first {CHOSEN:,} mails are learnt, and settings were chosen by them alone; the other "
        f"{len(judged):,} ({ham:,} ham, {spam:,} spam) are judged {how}. "
        f"(Times that could not be read: {mails.unread}.) The bar: at most 0.1 % of ham rejected at 97 % of spam "
        f"caught. The last line is no filter: it knows what came later. It is the same model of all other mails, in "
        f"{FOLDS} folds by lot.\n\n{HEAD}{''.join(lines)}{NOTES}"
        "Weights are those of all mails before; the two numbers that make decibans of a score are made anew at each "
        f"{CALIBRATED}th mail. What `deciban filter` itself says of each {COMPARED}th mail is at most {apart:.2f} "
        f"decibans apart.\n\n{_misjudged(ours, scores, known)}"
    )


def _told(name: str, number: int, score: float) -> float:
    if number % 500 == 0:
        print(f"{name}: {number:,}", flush=True)
    return score


def _in_steps(one: Bogofilter, judged: Integers, step: int) -> Iterator[float]:
    one.learn(range(judged[0]))
    for start in range(0, len(judged), step):
        some = judged[start : start + step].tolist()
        yield from (_told(one.name, *both) for both in zip(some, one.judge(some).tolist(), strict=True))
        one.learn(some)


def _apart(ours: Ours, scores: Floats) -> float:
    """How far the scores of some mails are from what the filter itself says of them, at most."""
    apart, before = [], 0
    for number in range(CHOSEN, CHOSEN + len(scores), COMPARED):
        ours.learn(range(before, number))
        apart.append(abs(float(ours.judge([number])[0]) - scores[number - CHOSEN]))
        before = number
    return max(apart)


def _misjudged(ours: Ours, scores: Floats, known: Floats) -> str:
    """The ham above the line and the spam below it, with what others know of them."""
    is_spam = np.array([label == "spam" for label in ours.labels[CHOSEN:]])
    at, at_known = cut(scores, is_spam, CAUGHT), cut(known, is_spam, CAUGHT)
    ham, spam = np.flatnonzero(~is_spam & (scores >= at)), np.flatnonzero(is_spam & (scores < at))
    ham, spam = ham[np.argsort(-scores[ham])], spam[np.argsort(scores[spam])]
    senders = [_sender(mail) if label == "ham" else "" for mail, label in zip(ours.mails, ours.labels, strict=True)]
    new = sum(senders[CHOSEN + i] not in senders[: CHOSEN + i] for i in ham)
    rows = [
        f"| {kind} | {scores[i]:.1f} | {known[i]:.1f} | {_field(ours.mails[CHOSEN + i], 'from')} | "
        f"{_field(ours.mails[CHOSEN + i], 'subject')} |\n"
        for kind, some in (("ham", ham), ("spam", spam))
        for i in some
    ]
    return (
        f"The line that {CAUGHT:.0%} of spam are above is at {at:.1f} decibans. Of the {len(ham)} ham above it, {new} "
        f"are the first ham of their senders, and {int((known[ham] < at_known).sum())} would be below the line, which "
        f"is at {at_known:.1f} then, if all other mails were known. These are they, and the {len(spam)} spam below it: "
        "decibans in time order, and by all other mails.\n\n"
        "| what | in time | all others | from | subject |\n| --- | ---: | ---: | --- | --- |\n" + "".join(rows)
    )


def _sender(mail: bytes) -> str:
    found = re.search(r"[\w.+-]+@[\w.-]+", _field(mail, "from"))
    return found.group().lower() if found else ""


def _field(mail: bytes, name: str) -> str:
    """A field of a mail's header, as a cell of a table."""
    found = re.search(rf"(?im)^{name}:[ \t]*(.*(?:\n[ \t].*)*)".encode(), mail)
    text = " ".join(found.group(1).decode("utf-8", "replace").split()) if found else ""
    with contextlib.suppress(LookupError, ValueError):
        text = str(make_header(decode_header(text)))
    shown = "".join(c if c.isprintable() and c not in "|`<>*_[]" else " " for c in text)
    return " ".join(shown.split())[:WIDTH]


class Stream:
    """All mails, in order; some of them are learnt, others are judged."""

    def __init__(self, mails: Sequence[bytes], labels: list[str]) -> None:
        texts = [text for mail in mails for text in seen("whitespace", mail, [(0, len(mail))])]
        made, self.parts, self.of = fitted.shown(texts, labels)
        self.sign = 1.0 if made.labels[1] == "spam" else -1.0
        self.given = [
            solvers.examples(part.seen.rows, len(part.seen.terms), self.of.y, 2, bias=part.member.bias)
            for part in self.parts
        ]
        self.rows = np.arange(len(labels))

    def in_order(self, start: int, step: int) -> Iterator[tuple[int, float]]:
        """Each mail from the first to judge on, by its number, and its decibans by what came before its step."""
        odds = (0.0, 0.0)
        for n in range(start, len(self.rows), step):
            if (n - start) % CALIBRATED < step:
                odds = self._odds(n)
            some = self.rows[n : n + step]
            yield from zip(some.tolist(), self._decibans(self.rows < n, some, odds).tolist(), strict=True)

    def by_folds(self, judged: Integers) -> Floats:
        """The decibans of some mails by all others, later ones too: in folds by lot, each judged by all others."""
        folds, odds = np.random.default_rng(0).permutation(len(self.rows)) % FOLDS, self._odds(len(self.rows))
        found = np.zeros(len(self.rows))
        for fold in range(FOLDS):
            there = np.flatnonzero(folds == fold)
            found[there] = self._decibans(folds != fold, there, odds)
        return found[judged]

    def _odds(self, n: int) -> tuple[float, float]:
        """What the scores of the first mails are multiplied with, and what is added, so that they are nats."""
        first = self.rows[:n]
        parts = [part._replace(seen=part.seen.some(first)) for part in self.parts]
        found = fitted.calibrated(parts, self.of._replace(y=self.of.y[:n], cost=self.of.cost[:n]))
        return float(found.members[0]), float(found.bias[1] - found.bias[0])

    def _decibans(self, learnt: Bools, judged: Integers, odds: tuple[float, float]) -> Floats:
        cost = np.where(learnt, self.of.cost, 0.0)

        def scores(part: Part, given: solvers.Examples) -> Floats:
            rule = solvers.Solver(part.member.loss, part.member.ratios, tolerance=members.TOLERANCE, threads=1)
            found = solvers.fit(replace(given, cost=cost), rule, [part.member.c])[0]
            return part.weight * part.seen.some(judged).scores(found.weights, found.bias)[:, 0]

        with ThreadPoolExecutor(2) as pool:
            total = sum(pool.map(scores, self.parts, self.given))
        return np.asarray(self.sign * DECIBANS_PER_NAT * (odds[0] * total + odds[1]), np.float64)
