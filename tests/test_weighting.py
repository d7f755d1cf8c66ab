"""Weighting in place of selection: terms count more or less, in one scorecard; leave-one-out holds the weights."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban
from corpora import columns, corpora, some_text
from deciban.decision import log_posterior
from deciban.errors import DecibanError
from deciban.fitting import term_weights
from deciban.selection.weights import WEIGHTS, carried, weights
from deciban.settings import TERM_WEIGHTS, WEIGHED
from deciban.units import decibans
from deciban.weighing import leave_one_out, weigh
from test_models import assert_same_odds

KINDS = [("multinomial", smoothing) for smoothing in WEIGHED] + [("complement", "laplace")]
every_model = pytest.mark.parametrize("kind", KINDS, ids="-".join)
some_weights = st.sampled_from(TERM_WEIGHTS[1:])


def trained(kind, corpus, by, **more):
    assume(len({label for _, label in corpus}) > 1)
    model, smoothing = kind
    return deciban.train(*columns(corpus), model=model, smoothing=smoothing, term_weights=by, **more)


def by_hand(plain, g, text):
    """bias + sum of what each term adds, so many times."""
    names = plain.lexicon.names()
    places = [names.index(seen.term) for seen in plain.settings.terms.seen(text) if seen.term in names]
    added = plain.scorecard.weights(np.array(places, int)) * g[places][:, None] if places else np.zeros((1, 1))
    return plain.scorecard.bias + added.sum(axis=0)


@every_model
@settings(max_examples=7)
@given(corpus=corpora, by=some_weights, text=some_text)
def test_terms_count_as_much_as_their_weights_say(kind, corpus, by, text):
    model = trained(kind, corpus, by)
    plain = trained(kind, corpus, "none", alpha=model.settings.alpha)
    g = model.term_weights
    assert (g >= 0).all()
    for one in (text, *columns(corpus)[0]):
        assert_same_odds(model.scores([one])[0], by_hand(plain, g, one))


@every_model
@settings(max_examples=7)
@given(corpus=corpora, text=some_text, by=some_weights)
def test_evidence_adds_up(kind, corpus, text, by):
    model = trained(kind, corpus, by)
    log_p = dict(zip(model.labels, log_posterior(model.scores([text]))[0], strict=True))
    why = model.explain(text)
    assert why.total == pytest.approx(decibans(float(log_p[why.label] - log_p[why.against])), abs=1e-9)


@every_model
@settings(max_examples=6)
@given(corpus=corpora, by=some_weights, select=st.sampled_from([None, "chi-square:3"]), binary=st.booleans())
def test_leave_one_out_equals_retraining_with_the_same_weights(kind, corpus, by, select, binary):
    """The law: how much terms count is held; all that is weighed is as if the text had never been."""
    model = trained(kind, corpus, by, select=select, binary=binary)
    held, g = model.leave_one_out().scores, dict(zip(model.lexicon.names(), model.term_weights, strict=True))
    counts = model.counts
    for i, (text, label) in enumerate(corpus):
        left = counts - deciban.halves.count(model.settings, [text], [label])
        left = left.of_terms(np.array([name in g for name in left.lexicon.names()], bool))
        worth = np.array([g[name] for name in left.lexicon.names()])
        card = weigh(left, model.settings, g=worth)
        there = [model.labels.index(name) for name in left.labels]
        assert_same_odds(held[i][there], card.scores([text])[0])
        assert np.isneginf(np.delete(held[i], there)).all()


@every_model
@settings(max_examples=6)
@given(corpus=corpora)
def test_weights_of_one_change_nothing(kind, corpus):
    plain = trained(kind, corpus, "none")
    rows, y = plain._rows(plain._examples)
    found = leave_one_out(plain.counts, rows, y, plain.settings, g=np.ones(len(rows.term)))
    for one, other in zip(found, plain.leave_one_out().scores, strict=True):
        assert_same_odds(one, other)


@settings(max_examples=15)
@given(corpus=corpora, by=st.sampled_from(list(WEIGHTS)))
def test_words_count_as_much_as_before_on_the_whole(corpus, by):
    counts = trained(("multinomial", "laplace"), corpus, "none").counts
    nu, g = counts.by_term(counts.occurrences), weights(counts, by)
    assert (nu * g).sum() == pytest.approx(nu.sum())


@settings(max_examples=15)
@given(a=corpora, b=corpora, by=st.sampled_from(list(WEIGHTS)))
def test_weights_of_counts_change_with_them(a, b, by):
    one, other, both = (trained(("multinomial", "laplace"), corpus, by) for corpus in (a, b, a + b))
    texts = columns(a + b)[0]
    assert np.array_equal((one + other).scores(texts), both.scores(texts))
    assert np.array_equal(one.learn(*columns(b)).scores(texts), both.scores(texts))
    assert np.array_equal(
        one.forget(*columns(b)).scores(texts), trained(("multinomial", "laplace"), a, by).scores(texts)
    )


def test_weights_that_are_learnt_are_a_minimum(tickets):
    texts, labels = tickets
    model = deciban.train(texts, labels, model="multinomial", term_weights="learnt")
    g = model.term_weights
    (rows, y), of = model._rows(model._examples), term_weights
    parts = list(of.added(model.counts, rows, y, of.formula_of(model.labels, model.settings), binary=False))
    split = np.split(y, np.cumsum([len(part.bias) for part in parts])[:-1])
    t = of._scale(parts, split)
    loss, slope = of._objective(g / t, t, parts, split)
    inside = g > 0
    assert np.abs(slope[inside]).max() < 0.05
    assert slope[~inside].min(initial=0) > -0.05
    rng = np.random.default_rng(0)
    for step in (1e-4, 1e-2):  # the gradient is one
        way = rng.normal(size=len(g))
        more, less = (of._objective(g / t + sign * step * way, t, parts, split)[0] for sign in (1, -1))
        assert (more - less) / (2 * step) == pytest.approx(slope @ way, rel=0.02, abs=0.02)
        assert loss <= min(more, less) + 1e-2
    plain = deciban.train(texts, labels, model="multinomial")
    assert likelihood(model) > likelihood(plain)


def likelihood(model):
    held = model.leave_one_out()
    places = [model.labels.index(label) for label in held.truth]
    return float(log_posterior(held.scores)[np.arange(len(places)), places].sum())


def test_weights_that_were_learnt_are_held_by_name(tickets, tmp_path):
    texts, labels = tickets
    model = deciban.train(
        texts[:600], labels[:600], model="multinomial", term_weights="learnt", select="chi-square:300"
    )
    model.save(tmp_path / "model")
    loaded = deciban.load(tmp_path / "model")
    assert np.array_equal(loaded.scores(texts), model.scores(texts))
    assert np.array_equal(loaded.term_weights, model.term_weights)
    held = loaded.leave_one_out(texts[:600], labels[:600]).scores
    assert np.array_equal(held, model.leave_one_out().scores)
    before = dict(zip(model.lexicon.names(), model.term_weights, strict=True))
    loaded.learn(texts[600:], labels[600:])
    after = dict(zip(loaded.lexicon.names(), loaded.term_weights, strict=True))
    assert all(after[name] == before[name] for name in after.keys() & before.keys())
    assert np.array_equal(loaded.forget(texts[600:], labels[600:]).scores(texts), model.scores(texts))
    model.save(tmp_path / "small", frozen=True)
    assert np.array_equal(deciban.load(tmp_path / "small").scores(texts), model.scores(texts))
    both = model + deciban.load(tmp_path / "model")
    assert np.array_equal(both.term_weights, model.term_weights)


def test_new_terms_count_as_others_do():
    counts = deciban.train(["new old", "old"], ["x", "y"]).counts
    assert carried({}, counts).tolist() == [1.0, 1.0]
    assert carried({"old": 0.25}, counts).tolist() == [0.25, 0.25]


BAD = {
    "an unknown name": {"term_weights": "luck"},
    "a number": {"term_weights": 0.5},
    "a model of coins": {"model": "bernoulli", "term_weights": "gain-ratio"},
    "a fitted model": {"model": "logistic", "term_weights": "gain-ratio"},
    "no smoothing": {"smoothing": "none", "term_weights": "learnt"},
    "halves": {"smoothing": "deleted", "term_weights": "learnt"},
    "unlabelled texts": {"term_weights": "gain-ratio", "unlabelled": ["money"]},
}


@pytest.mark.parametrize("given_", BAD.values(), ids=BAD)
def test_bad_weights_are_refused(given_):
    with pytest.raises(DecibanError, match="term_weights="):
        deciban.train(["free money", "see you"], ["spam", "ham"], **given_)


def test_no_text_is_drawn_from_weighted_terms():
    model = deciban.train(["free money", "see you"], ["spam", "ham"], term_weights="gain-ratio")
    with pytest.raises(DecibanError, match="multinomial with term weights"):
        model.sample()


def test_only_learnt_weights_are_of_odds():
    for by, unit in {"gain-ratio": "points", "learnt": "decibans", "none": "decibans"}.items():
        assert deciban.train(["a1", "b1"], ["x", "y"], model="multinomial", term_weights=by).settings.unit == unit
