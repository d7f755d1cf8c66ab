"""One set of checks that runs on every model."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban
import oracle
import oracle_models
from corpora import LABELS, columns, corpora, seen, some_text
from deciban.decision import log_posterior, posterior
from deciban.errors import DecibanError
from deciban.settings import MODELS
from deciban.units import decibans

KINDS = [(model, smoothing) for model, smoothings in MODELS.items() for smoothing in smoothings]
ALPHAS = {"none": [None], "jelinek-mercer": [0.5, 0.01], "absolute": [0.7, 0.1]}
every_model = pytest.mark.parametrize("kind", KINDS, ids="-".join)
given_prior = {label: 1.0 + place for place, label in enumerate(LABELS)}
options = {
    "binary": st.booleans(),
    "prior": st.sampled_from(["data", "uniform", given_prior]),
    "prior_smoothing": st.sampled_from([0.0, 1.0]),
    "default_p": st.sampled_from([0.5, 0.01]),
}
strengths = st.fixed_dictionaries(options | {"step": st.integers(0, 2)})


def settings_of(kind, strength):
    """All settings of a model; the step chooses among the strengths that its smoothing can have."""
    model, smoothing = kind
    alphas = ALPHAS.get(smoothing, [1.0, 0.3, 1e-3])
    chosen = {name: value for name, value in strength.items() if name != "step"}
    return {"model": model, "smoothing": smoothing, "alpha": alphas[strength["step"] % len(alphas)], **chosen}


def named(kind):
    return {"model": kind[0], "smoothing": kind[1]}


def trained(kind, corpus, seen, strength):
    assume(len({label for _, label in corpus}) > 1)
    return deciban.train(*columns(corpus), **seen, **settings_of(kind, strength))


def assert_same_odds(found, expected):
    """Scores are the same but for what is added to all labels of a text."""
    found, expected = np.array(found), np.array(expected)
    possible = np.isfinite(expected)
    assert np.array_equal(np.isfinite(found), possible)
    shift = np.max(found, where=possible, initial=-1e9) - np.max(expected, where=possible, initial=-1e9)
    size = np.max(np.abs(expected), where=possible, initial=1.0)
    np.testing.assert_allclose(found[possible], expected[possible] + shift, rtol=0, atol=1e-12 * size)


@every_model
@settings(max_examples=40)
@given(corpus=corpora, text=some_text, seen=seen, strength=strengths)
def test_scores_equal_the_oracles(kind, corpus, text, seen, strength):
    classifier = trained(kind, corpus, seen, strength)
    counts = oracle.Counts(*columns(corpus), **seen)
    expected = oracle_models.scores(counts, text, **settings_of(kind, strength), **seen)
    assert_same_odds(classifier.scores([text])[0], [expected[r] for r in classifier.labels])


@every_model
@settings(max_examples=40)
@given(corpus=corpora, seen=seen, strength=strengths)
def test_leave_one_out_equals_retraining(kind, corpus, seen, strength):
    classifier = trained(kind, corpus, seen, strength)
    texts, labels = columns(corpus)
    held = classifier.leave_one_out()
    for found, scores in zip(
        held.scores, oracle_models.leave_one_out(texts, labels, settings_of(kind, strength), **seen), strict=True
    ):
        assert_same_odds(found, [scores.get(label, -np.inf) for label in classifier.labels])
    assert held.truth == labels
    assert held.accuracy == np.mean([p == t for p, t in zip(held.predicted, labels, strict=True)])


@every_model
@settings(max_examples=40)
@given(corpus=corpora, text=some_text, seen=seen, strength=strengths)
def test_evidence_adds_up_to_the_posterior_odds(kind, corpus, text, seen, strength):
    classifier = trained(kind, corpus, seen, strength)
    assume(np.isfinite(classifier.scores([text])).all())  # what is impossible has no odds
    log_p = dict(zip(classifier.labels, log_posterior(classifier.scores([text]))[0], strict=True))
    for against in (None, classifier.labels[0], classifier.labels[-1]):
        why = classifier.explain(text, against=against)
        assert why.total == pytest.approx(decibans(float(log_p[why.label] - log_p[why.against])), abs=1e-9)
        assert why.prior + sum(term.decibans for term in why.terms) == pytest.approx(why.total, abs=1e-9)
        assert why.probability == pytest.approx(np.exp(log_p[why.label]))


@every_model
@settings(max_examples=40)
@given(a=corpora, b=corpora, seen=seen, strength=strengths)
def test_learning_and_forgetting_equal_training_afresh(kind, a, b, seen, strength):
    fresh = trained(kind, a + b, seen, strength)
    first = trained(kind, a, seen, strength)
    texts = columns(a + b)[0]
    learnt = first.learn(*columns(b))
    assert learnt.counts == fresh.counts
    assert np.array_equal(learnt.scores(texts), fresh.scores(texts))
    assert np.array_equal(learnt.leave_one_out().scores, fresh.leave_one_out().scores)
    forgotten = learnt.forget(*columns(b))
    assert forgotten.counts == trained(kind, a, seen, strength).counts


@every_model
@settings(max_examples=40)
@given(a=corpora, b=corpora, seen=seen, strength=strengths)
def test_merging_equals_training_on_both(kind, a, b, seen, strength):
    one, two = trained(kind, a, seen, strength), trained(kind, b, seen, strength)
    both = one + two
    fresh = trained(kind, a + b, seen, strength)
    assert both.counts == fresh.counts
    assert np.array_equal(both.leave_one_out().scores, fresh.leave_one_out().scores)


@every_model
@settings(max_examples=40)
@given(corpus=corpora, texts=st.lists(some_text, max_size=6), seen=seen, strength=strengths)
def test_probabilities_are_some(kind, corpus, texts, seen, strength):
    classifier = trained(kind, corpus, seen, strength)
    proba = classifier.predict_proba(texts)
    assert proba.shape == (len(texts), len(classifier.labels))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert classifier.predict(texts) == [classifier.labels[i] for i in proba.argmax(axis=1)]


@every_model
@settings(max_examples=40)
@given(corpus=corpora, seen=seen, strength=strengths)
def test_saving_and_loading_changes_nothing(kind, corpus, seen, strength, tmp_path_factory):
    classifier = trained(kind, corpus, seen, strength)
    path = tmp_path_factory.mktemp("model") / "m.deciban"
    classifier.save(path)
    again = deciban.load(path)
    assert (again.counts, again.settings, again.provenance) == (
        classifier.counts,
        classifier.settings,
        classifier.provenance,
    )
    texts = columns(corpus)[0]
    assert np.array_equal(again.scores(texts), classifier.scores(texts))


@every_model
def test_a_text_without_a_known_term_gets_the_prior(kind):
    classifier = deciban.train(["free money", "money", "see you"], ["spam", "spam", "ham"], **named(kind))
    why = classifier.explain("quantum")
    assert (why.label, why.terms, why.unknown) == ("spam", (), ("quantum",))
    assert why.total == why.prior
    if kind[0] != "bernoulli":  # for which all terms being absent says something
        assert why.total == pytest.approx(10 * np.log10(2))
    assert "no term of this text is known: the answer is the prior's" in str(why)


@every_model
def test_a_model_that_has_forgotten_everything_says_so(kind):
    classifier = deciban.train(["a1", "b1"], ["x", "y"], **named(kind))
    classifier.forget(["a1"], ["x"])
    assert classifier.predict(["zz"]) == ["y"]
    with pytest.raises(DecibanError, match="at least two labels"):
        classifier.explain("b1")
    classifier.forget(["b1"], ["y"])
    with pytest.raises(DecibanError, match="no label left"):
        classifier.predict(["b1"])
    assert classifier.learn(["new words"], ["z"]).predict(["new"]) == ["z"]


@every_model
def test_forgotten_texts_are_not_kept(kind):
    classifier = deciban.train(["secret a1", "b1", "b1 c1"], ["x", "y", "y"], **named(kind))
    classifier.forget(["Secret, A1!"], ["x"])  # other letters, same counts
    assert "secret" not in repr(vars(classifier))
    with pytest.raises(DecibanError, match="needs the training examples"):
        classifier.leave_one_out()
    assert classifier.leave_one_out(["b1", "b1 c1"], ["y", "y"]).accuracy == 1.0


@every_model
def test_leave_one_out_wants_the_training_texts(kind):
    classifier = deciban.train(["a1", "b1"], ["x", "y"], **named(kind))
    with pytest.raises(DecibanError, match="exactly the examples"):
        classifier.leave_one_out(["a1", "b1 c1"], ["x", "y"])


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.uint8, bool])
def test_probabilities_are_made_of_any_numbers(kind):
    scores = np.array([[0, 1, 1], [1, 0, 1]])
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(posterior(scores.astype(kind)), expected, rtol=1e-12)
    np.testing.assert_allclose(posterior(np.asfortranarray(scores.astype(kind))), expected, rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_posterior(scores.astype(kind)[0])), expected[0], rtol=1e-12)
