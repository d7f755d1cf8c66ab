"""Each formula against an example worked out by hand, and what every die and prior must be: some probabilities."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import deciban
from corpora import columns, corpora, seen
from deciban.errors import DecibanError
from deciban.halves import half_of
from deciban.settings import MODELS
from deciban.smoothing import fixed_point

F = Fraction
# Under `play`: ball 2, game 1 (of 3); under `study`: book 1, exam 3, game 1 (of 5).
TEXTS, LABELS = ["ball ball game", "exam exam book", "exam game"], ["play", "study", "study"]
TERMS = ["ball", "book", "exam", "game"]


def dice(**chosen):
    """q_jr of each label: what the scorecard has left out, because it is the same for all labels, is put back."""
    model = deciban.train(TEXTS, LABELS, **chosen)
    q = np.exp(model.scorecard.weights(np.arange(len(model.counts.lexicon))))
    if chosen["smoothing"] in ("dirichlet", "jelinek-mercer", "absolute"):
        q *= np.array([2, 1, 3, 2])[:, None]
    assert model.counts.lexicon.names() == TERMS
    return dict(zip(model.labels, q.T, strict=True))


def by_hand(**q):
    return pytest.approx(np.array([float(q.get(term, 0)) for term in TERMS]), rel=1e-12)


def test_maximum_likelihood():
    """Aggarwal 5.20, Zhu 15."""
    q = dice(smoothing="none")
    assert q["play"] == by_hand(ball=F(2, 3), game=F(1, 3))
    assert q["study"] == by_hand(book=F(1, 5), exam=F(3, 5), game=F(1, 5))


def test_laplace():
    """Aggarwal 5.21 with gamma 1/2 and d = 4."""
    q = dice(smoothing="laplace", alpha=0.5)
    assert q["play"] == by_hand(ball=F(5, 10), game=F(3, 10), book=F(1, 10), exam=F(1, 10))
    assert q["study"] == by_hand(ball=F(1, 14), book=F(3, 14), exam=F(7, 14), game=F(3, 14))


def test_dirichlet():
    """mu = 4: one more `ball`, half a `book`, one and a half `exam`, one `game`."""
    q = dice(smoothing="dirichlet", alpha=4.0)
    assert q["play"] == by_hand(ball=F(3, 7), book=F(1, 14), exam=F(3, 14), game=F(2, 7))
    assert q["study"] == by_hand(ball=F(1, 9), book=F(3, 18), exam=F(9, 18), game=F(2, 9))


def test_jelinek_mercer():
    q = dice(smoothing="jelinek-mercer", alpha=0.25)
    assert q["play"] == by_hand(ball=F(1, 2) + F(1, 16), book=F(1, 32), exam=F(3, 32), game=F(1, 4) + F(1, 16))


def test_absolute_discounting():
    """delta = 1/2: `play` has shown two terms, so a third of it is the collection's."""
    q = dice(smoothing="absolute", alpha=0.5)
    of_all = {"ball": F(2, 8), "book": F(1, 8), "exam": F(3, 8), "game": F(2, 8)}
    rest = {term: F(1, 3) * p for term, p in of_all.items()}
    assert q["play"] == by_hand(**rest | {"ball": F(1, 2) + rest["ball"], "game": F(1, 6) + rest["game"]})


def test_deleted_estimation():
    """Stone. Of `study` one half is "exam exam book", the other "exam game"; all of `play` is in the other.

    play: r_0 = 3/6, of the 4 + 2 terms that a half lacks; what stands in a half never stands in the other.
    study: r_0 = (1 + 1)/(2 + 2), r_1 = (0 + 2 + 0)/3 of book, exam and game, r_2 = 1 of exam.
    """
    assert [half_of(text) for text in TEXTS] == [1, 0, 1]
    q = dice(smoothing="deleted")
    assert q["play"] == by_hand(ball=F(1, 6), game=F(1, 6), book=F(1, 3), exam=F(1, 3))
    assert q["study"] == by_hand(ball=F(1, 5), book=F(7, 30), exam=F(5, 15), game=F(7, 30))


def test_deleted_estimation_where_nothing_is_new():
    """Half an occurrence is shared out among what each half lacks; of a label without terms that is everything."""
    texts = ["game", "game!", "exam", "!"]
    assert [half_of(text) for text in texts] == [0, 1, 0, 1]
    model = deciban.train(texts, ["play", "play", "study", "none"], smoothing="deleted")
    q = np.exp(model.scorecard.weights(np.arange(2))).T  # of exam and game
    assert q == pytest.approx(np.array([[1 / 2, 1 / 2], [1 / 5, 4 / 5], [1 / 3, 2 / 3]]), rel=1e-12)


def coins(**chosen):
    """p_jr of each label, and Stone's theta."""
    model = deciban.train(TEXTS, LABELS, model="bernoulli", **chosen)
    logits = model.scorecard.weights(np.arange(len(model.counts.lexicon)))
    return dict(zip(model.labels, (1 / (1 + np.exp(-logits))).T, strict=True)), np.exp(model.scorecard.bias)


def test_coins_of_documents_as_long_as_they_are():
    """Aggarwal 5.17: d = 4, d_a = (2 + 2 + 2)/3 = 2, so gamma = 1 adds 1 above and 2 below."""
    p, theta = coins(alpha=1.0)
    assert p["play"] == by_hand(ball=F(2, 3), game=F(2, 3), book=F(1, 3), exam=F(1, 3))
    assert p["study"] == by_hand(ball=F(1, 4), book=F(2, 4), exam=F(3, 4), game=F(2, 4))
    absent = [F(1, 3) * F(1, 3) * F(2, 3) * F(2, 3), F(3, 4) * F(2, 4) * F(1, 4) * F(2, 4)]
    assert theta == pytest.approx([float(F(1, 3) * absent[0]), float(F(2, 3) * absent[1])], rel=1e-12)


def test_coins_by_a_beta_prior():
    """Jaakkola: theta = (N_ky + n'p) / (N_y + n') with n' = 3 and p = 1/3."""
    p, _ = coins(smoothing="beta", alpha=3.0, default_p=1 / 3)
    assert p["play"] == by_hand(ball=F(2, 4), game=F(2, 4), book=F(1, 4), exam=F(1, 4))
    assert p["study"] == by_hand(ball=F(1, 5), book=F(2, 5), exam=F(3, 5), game=F(2, 5))


def test_a_lexicon_that_every_document_has_is_no_certainty():
    """d_a = d: 5.17 would make every coin certain, and a document without the term impossible."""
    model = deciban.train(["aa bb", "bb aa"], ["x", "y"], model="bernoulli")
    assert np.isfinite(model.scores(["", "aa", "aa bb"])).all()


def test_complement():
    """Rennie 2003: what `study` throws speaks against `play`, with gamma 1: (nu + 1) / (5 + 4)."""
    model = deciban.train(TEXTS, LABELS, model="complement", prior="uniform")
    elsewhere = np.exp(-model.scorecard.weights(np.arange(4))) * np.array([3, 2, 4, 3])[:, None]
    assert elsewhere[:, 0] == by_hand(ball=F(1, 9), book=F(2, 9), exam=F(4, 9), game=F(2, 9))
    assert elsewhere[:, 1] == by_hand(ball=F(3, 7), book=F(1, 7), exam=F(1, 7), game=F(2, 7))


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        ({}, [1 / 3, 2 / 3]),
        ({"prior_smoothing": 1.0}, [2 / 5, 3 / 5]),
        ({"prior": "uniform"}, [1 / 2, 1 / 2]),
        ({"prior": {"play": 3, "study": 1, "work": 9}}, [3 / 4, 1 / 4]),
    ],
    ids=repr,
)
def test_priors(prior, expected):
    """Aggarwal 5.14, 5.15."""
    assert np.exp(deciban.train(TEXTS, LABELS, **prior).scorecard.bias) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("smoothing", MODELS["multinomial"])
@settings(max_examples=40)
@given(corpus=corpora, seen=seen, binary=st.booleans())
def test_dice_are_probabilities(smoothing, corpus, seen, binary):
    texts, labels = columns(corpus)
    assume(len(set(labels)) > 1)
    model = deciban.train(texts, labels, smoothing=smoothing, binary=binary, **seen)
    counts = model.counts
    assume(len(counts.lexicon))
    nu = counts.presences if binary else counts.occurrences
    q = np.exp(model.scorecard.weights(np.arange(len(counts.lexicon))))
    if smoothing in ("dirichlet", "jelinek-mercer", "absolute"):
        q *= counts.by_term(nu)[:, None]
    has_terms = counts.by_label(nu) > 0
    assert q.sum(axis=0)[has_terms] == pytest.approx(1.0)


def test_words_tell_labels_apart_where_none_stands_twice():
    texts = ["late parcel", "lost letter", "wrong address", "card refused", "paid twice"]
    labels = ["delivery", "delivery", "delivery", "billing", "billing"]
    model = deciban.train(texts, labels, model="multinomial", smoothing="dirichlet")
    assert model.predict(["refused twice", "lost parcel"]) == ["billing", "delivery"]


@given(corpus=corpora)
def test_the_fixed_point_makes_words_most_probable_given_all_others(corpus):
    texts, labels = columns(corpus)
    assume(len(set(labels)) > 1)
    counts = deciban.train(texts, labels, model="multinomial").counts
    assume(len(counts.lexicon) > 1)
    nu, nu_r = counts.occurrences, counts.by_label(counts.occurrences)
    p = counts.by_term(nu)[counts.term] / nu.sum()
    nu_r = nu_r[nu_r > 0]

    def loss(log_mu):
        mu = np.exp(log_mu)
        return np.sum(nu_r * np.log(nu_r - 1 + mu)) - np.sum(nu * np.log(nu - 1 + mu * p))

    mu = fixed_point(nu, counts.by_term(nu)[counts.term], nu_r)
    best = minimize_scalar(loss, bounds=(np.log(1e-3), np.log(nu.sum())), method="bounded")
    assert loss(np.log(mu)) <= best.fun + 1e-6 * abs(best.fun)


@pytest.mark.parametrize(
    ("chosen", "line"),
    [
        ({"model": "bernoulli", "smoothing": "absolute"}, "which takes: laplace, beta"),
        ({"smoothing": "jelinek-mercer", "alpha": 1.0}, "a number from 1e-12 on, below 1"),
        ({"smoothing": "none", "alpha": 1.0}, "this smoothing has no strength"),
        ({"prior": {"play": 1}}, "no number for the label 'study'; it has: play"),
        ({"prior": {"play": 0, "study": 1}}, "a number above 0 for every label"),
        ({"prior": "flat"}, "the known ones are: data, uniform"),
        ({"default_p": 1.0}, "a probability between 0 and 1"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(chosen, line):
    with pytest.raises(DecibanError, match=line):
        _ = deciban.train(TEXTS, LABELS, **chosen).scorecard
