"""Mails as they are seen, with labels -> a classifier of three models, added up, that see other words of them.

    log odds = a (x W + x_fields W_fields + x_text W_text / 2) + b,      each W an NBSVM of rows of length 1

The first sees all words, the second those of header fields, the third those of the text. Spam that comes by way of a
mailing list has the header of the list, which is all ham otherwise, and a newsletter has the text of spam: where the
words of one part outweigh those of the other in the first, the others still say what each part is by itself. How much
each counts was chosen by mails that came before those that are judged (`benches/filter_stream.py`); a and b are those
of a logistic model of the scores of mails that were held out (`committee.weigh`). A calibration by length would not
keep the order of mails, and tells them apart worse.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..classifier import Classifier
from ..examples import Examples
from ..fitting import cards, committee, labelled, members
from ..fitting.committee import Weighted
from ..fitting.members import Labelled, Member
from ..fitting.seen import Seen, Sight, see
from ..halves import count
from ..scorecard import FIELDS, TEXT, WORDS
from ..settings import Settings

FOLDS = 5
COST, RATIOS = 30.0, (3.0, 1.0)
PARTS = {WORDS: 1.0, FIELDS: 1.0, TEXT: 0.5}  # kinds of words, and how much the model of each counts


class Part(NamedTuple):
    """One of the models: what it is, what it sees of mails, and how much it counts."""

    member: Member
    seen: Seen
    weight: float


def classifier(texts: list[str], labels: list[str]) -> Classifier:
    """The model of some mails.

    >>> mails = ["subject: subject:lunch see you", "subject: subject:money win money"]
    >>> classifier(mails * 3, ["ham", "spam"] * 3).predict(["subject:lunch money you"])
    ['ham']
    """
    made, parts, of = shown(texts, labels)
    odds = calibrated(parts, of)
    fits = [(seen, members.fit(member, seen, of), weight) for member, seen, weight in parts]
    sums = [(seen, committee.scaled(linear, weight * float(odds.members[0]))) for seen, linear, weight in fits]
    card = cards.of_sum(made.labels, made.counts.lexicon, sums)
    made._scorecard = replace(card, bias=card.bias + odds.bias)
    return made


def shown(texts: list[str], labels: list[str]) -> tuple[Classifier, list[Part], Labelled]:
    """A classifier of some mails without its scorecard, its parts as they see them, and the mails' labels."""
    settings = Settings.of(model="committee", tokens="whitespace", calibration="none")
    provenance, examples = [{"source": "memory", "examples": len(labels)}], Examples(texts, labels)
    made = Classifier(settings, count(settings, texts, labels), provenance, examples)
    rows, y = made._rows(examples)
    parts = []
    for kinds, weight in PARTS.items():
        member = _member(kinds)
        parts.append(Part(member, see(rows, made.counts, member.sight), weight))
    return made, [part for part in parts if len(part.seen.terms)], labelled(made.counts, y, settings)


def calibrated(parts: list[Part], of: Labelled) -> Weighted:
    """a and b, by what the parts say of mails that they had not learnt from."""
    folds, held = committee.folds_of(of.y, FOLDS), np.zeros((len(of.y), of.labels))
    for member, seen, weight in parts:
        held += weight * members.held_out(member, seen, of, folds, [member.c])[0]
    return committee.weigh([held], of)


def _member(kinds: int) -> Member:
    """The model that sees some kinds of words: each once, in rows of length 1."""
    sight = Sight(kinds=kinds, weighting="binary", idf=False)
    return Member("nbsvm", sight, "squared_hinge", c=COST, ratios=RATIOS)
