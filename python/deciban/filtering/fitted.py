"""Mails as they are seen, with labels -> a classifier of three models, added up, that see other words of them.

    log odds = a (x W + x_fields W_fields + x_text W_text / 2) + b,      each W an NBSVM of rows of length 1

The first sees all words, the second those of header fields, the third those of the text. Spam that comes by way of a
mailing list has the header of the list, which is all ham otherwise, and a newsletter has the text of spam: where the
words of one part outweigh those of the other in the first, the others still say what each part is by itself. How much
each counts was chosen by mails that came before those that are judged (`benches/filter.py`); a and b are those of a
logistic model of the scores of mails that were held out (`committee.weigh`). A calibration by length would not keep
the order of mails, and tells them apart worse.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..classifier import Classifier
from ..examples import Examples
from ..fitting import cards, committee, labelled, members
from ..fitting.members import Member
from ..fitting.seen import Sight, see
from ..halves import count
from ..scorecard import FIELDS, TEXT, WORDS
from ..settings import Settings

FOLDS = 5
COST, RATIOS = 30.0, (8.0, 1.0)
PARTS = {WORDS: 1.0, FIELDS: 1.0, TEXT: 0.5}  # kinds of words, and how much the model of each counts


def classifier(texts: list[str], labels: list[str]) -> Classifier:
    """The model of some mails.

    >>> mails = ["subject: subject:lunch see you", "subject: subject:money win money"]
    >>> classifier(mails * 3, ["ham", "spam"] * 3).predict(["subject:lunch money you"])
    ['ham']
    """
    settings = Settings.of(model="committee", tokens="whitespace", calibration="none")
    provenance, examples = [{"source": "memory", "examples": len(labels)}], Examples(texts, labels)
    made = Classifier(settings, count(settings, texts, labels), provenance, examples)
    rows, y = made._rows(examples)
    of, folds = labelled(made.counts, y, settings), committee.folds_of(y, FOLDS)
    parts, held = [], np.zeros((len(y), len(made.labels)))
    for kinds, weight in PARTS.items():
        member = _member(kinds)
        seen = see(rows, made.counts, member.sight)
        if len(seen.terms):
            parts.append((seen, members.fit(member, seen, of), weight))
            held += weight * members.held_out(member, seen, of, folds, [member.c])[0]
    odds = committee.weigh([held], of)
    sums = [(seen, committee.scaled(linear, weight * float(odds.members[0]))) for seen, linear, weight in parts]
    card = cards.of_sum(made.labels, made.counts.lexicon, sums)
    made._scorecard = replace(card, bias=card.bias + odds.bias)
    return made


def _member(kinds: int) -> Member:
    """The model that sees some kinds of words: each once, in rows of length 1."""
    sight = Sight(kinds=kinds, weighting="binary", idf=False)
    return Member("nbsvm", sight, "squared_hinge", c=COST, ratios=RATIOS)
