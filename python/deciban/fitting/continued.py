"""A fitted model and rows that are new to it -> the model, moved towards them. Its old rows are gone: it is not exact.

    sum_jr h_jr (w_jr - u_jr)^2 / 2  +  C sum_i cost_i l(x_i w)                        over the new rows i

u are the weights that it had, and h says how sure of them it is: what old rows would say against others, guessed from
the counts (the diagonal of a Laplace approximation; MacKay 1992),

    h_jr = 1 + C k_r m_j (t_j s r_jr)^2

where m_j of the old documents have term j, t_j s is about what it is in a row (`seen`; s is the typical scale), r_jr is
its ratio, if the model has ratios, and k_r the mean curvature of the loss of label r over the new rows; of a label that
is new, a fifth of the greatest there is: it knows nothing of old rows, and trials say so. What was seen often moves
little, what never was moves freely. (With h = 1, a few texts of one label make most answers theirs.) With L1, a weight
that is zero pays l1 |w_jr| to be another.

Terms that no new row has stay as they were, and old terms keep their t_j, so that old weights keep their meaning.
Ratios are those of all documents: the counts have them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .._core import Lexicon
from ..counts import Counts
from ..rows import Rows
from ..scorecard import Scorecard
from . import cards
from .members import Labelled, Linear, Member
from .nearby import JOINT, STEEPEST, Problem, lost
from .ratios import as_fitted, interpolated, ratios
from .seen import Seen, Sight, idf, see

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def go_on(member: Member, card: Scorecard, before: Counts, after: Counts, rows: Rows, of: Labelled) -> Scorecard:
    """The scorecard of a model of documents that were counted `before`, moved by rows that are counted `after`."""
    if not len(rows):
        return card
    card, before = _still_there(card, before, after)
    places = _places(before.lexicon, after.lexicon)
    seen = _seen(member.sight, card, before, after, places, rows)
    ratio = ratios(after, member.ratios[0]) if member.ratios else np.ones((len(seen.terms), of.labels))
    start = _start(member, card, before, after, places, seen.t)
    m = np.zeros(len(seen.terms))
    m[places] = before.by_term(before.presences)
    sure = np.append(m * (seen.t * seen.typical) ** 2, float(before.documents.sum()))  # the bias is in all of them
    linear = _moved(member, seen, of, start, ratio, sure, ~_known(before, after))
    if member.ratios:
        linear = linear._replace(weights=interpolated(linear.weights, ratio, member.ratios[1]))
    return cards.of_one(after.labels, after.lexicon, seen, linear)


def _still_there(card: Scorecard, before: Counts, after: Counts) -> tuple[Scorecard, Counts]:
    """What was there before, of the terms that still are: a selection may keep others now."""
    now = set(after.lexicon.names())
    kept = np.fromiter((name in now for name in before.lexicon.names()), np.bool_, len(before.lexicon))
    if kept.all():
        return card, before
    left, there = before.of_terms(kept), np.repeat(kept, np.diff(card.indptr))
    indptr = np.concatenate([[0], np.cumsum(np.diff(card.indptr)[kept])])
    scaling = None if card.scaling is None else replace(card.scaling, length=card.scaling.length[kept])
    some = replace(card, indptr=indptr, label=card.label[there], weight=card.weight[there])
    return replace(some, lexicon=left.lexicon, scaling=scaling), left


def _known(before: Counts, after: Counts) -> npt.NDArray[np.bool_]:
    """Of each label, whether it was there before."""
    return np.array([label in before.labels for label in after.labels])


def _places(before: Lexicon, after: Lexicon) -> Integers:
    """Where each term of a lexicon stands in one that has more: both are in order."""
    known = set(before.names())
    return np.flatnonzero(np.fromiter((name in known for name in after.names()), np.bool_, len(after)))


def _seen(sight: Sight, card: Scorecard, before: Counts, after: Counts, places: Integers, rows: Rows) -> Seen:
    """What the model sees of new rows: known terms are as rare as they were, and rows typically as long as all are."""
    t = idf(after) if sight.idf else np.ones(len(after.lexicon))
    if card.scaling is not None and sight.length_norm:
        t[places] = card.scaling.length
    elif sight.idf:
        t[places] = idf(before)
    seen = see(rows, after, sight, t)
    if card.scaling is None:
        return seen
    share = len(rows) / float(after.documents.sum())
    return replace(seen, typical=(1 - share) * float(card.scaling.typical[0]) + share * seen.typical)


def _start(member: Member, card: Scorecard, before: Counts, after: Counts, places: Integers, t: Floats) -> Linear:
    """The weights that the model had, as they were fit, for all terms and labels; and of new ones, where they begin."""
    old, bias = np.zeros((len(before.lexicon), len(before.labels))), card.bias.copy()
    old[card.term, card.label] = card.weight
    old /= t[places][:, None]
    if len(before.labels) == 2 < len(after.labels) and member.loss not in JOINT:
        old[:, 0], bias[0] = -old[:, 1], -bias[1]  # of two labels, the first had none of its own
    if member.ratios:
        old = as_fitted(old, ratios(before, member.ratios[0]), member.ratios[1])
    known = _known(before, after)
    weights = np.zeros((len(t), len(after.labels)))
    weights[np.ix_(places, known)] = old
    if member.ratios and old.size:  # ratios alone tell a new label from others at first
        weights[:, ~known] = old.mean()
    biases = np.full(len(after.labels), bias.min())
    biases[known] = bias
    return Linear(weights, biases)


def _moved(
    member: Member,
    seen: Seen,
    of: Labelled,
    start: Linear,
    ratio: Floats,
    sure: Floats,
    is_new: npt.NDArray[np.bool_],
) -> Linear:
    """The weights that are best for rows, near those that were there; `sure` is what h has of terms, and the bias."""
    outputs = np.arange(1 if of.labels == 2 and member.loss not in JOINT else 0, of.labels)
    terms, column = np.unique(seen.column, return_inverse=True)  # of the rows: no other weight moves
    rows = replace(seen, column=column.astype(np.uint32), terms=terms.astype(np.int64))
    ratio, known = ratio[np.ix_(terms, outputs)], start.weights[np.ix_(terms, outputs)]
    scores = rows.scores(known * ratio, start.bias[outputs])
    truth = of.y[:, None] == outputs
    curvature = lost(member.loss, scores, truth).curvature.mean(axis=0)
    curvature[is_new[outputs]] = STEEPEST[member.loss] / 5
    x = np.concatenate([ratio, np.full((1, len(outputs)), member.bias)])
    root = np.sqrt(1 + member.c * curvature * sure[np.append(terms, -1)][:, None] * x**2)  # of h
    l1 = np.concatenate([np.where(known == 0, member.l1, 0.0), np.zeros((1, len(outputs)))]) / root
    scale, l1_or_none = np.ascontiguousarray((x / root).T), np.ascontiguousarray(l1.T) if member.l1 else None
    moved = Problem(member.loss, rows, truth, member.c * of.cost, scores, scale, l1_or_none).least().T / root
    weights, bias = start.weights.copy(), start.bias.copy()
    weights[np.ix_(terms, outputs)] += moved[:-1]
    bias[outputs] += moved[-1]
    return Linear(weights, bias)
