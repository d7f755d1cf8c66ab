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
from deciban.examples import Source
from deciban.settings import MODELS
from deciban.units import decibans

# All that are made of the counts alone; tests/test_tan.py has the one that is not.
COUNTED = {model: smoothings for model, smoothings in MODELS.items() if model != "tan"}
KINDS = [(model, smoothing) for model, smoothings in COUNTED.items() for smoothing in smoothings]
ALPHAS = {"none": [None], "deleted": [None], "jelinek-mercer": [0.5, 0.01], "absolute": [0.7, 0.1]}
every_model = pytest.mark.parametrize("kind", KINDS, ids="-".join)
given_prior = {label: 1.0 + place for place, label in enumerate(LABELS)}
options = {
    "binary": st.booleans(),
    "prior": st.sampled_from(["data", "uniform", given_prior]),
    "prior_smoothing": st.sampled_from([0.0, 1.0]),
    "default_p": st.sampled_from([0.5, 0.01]),
    "complement_weight": st.sampled_from([0.0, 1.0, 3.0]),
    "complement_alpha": st.sampled_from([1e-3, 1.0, 30.0]),
    "term_weight": st.sampled_from([0.0, 0.5, 1.0]),
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
@settings(max_examples=15)
@given(corpus=corpora, text=some_text, seen=seen, strength=strengths)
def test_scores_equal_the_oracles(kind, corpus, text, seen, strength):
    classifier = trained(kind, corpus, seen, strength)
    counts = oracle.Counts(*columns(corpus), **seen)
    expected = oracle_models.scores(counts, text, **settings_of(kind, strength), **seen)
    assert_same_odds(classifier.scores([text])[0], [expected[r] for r in classifier.labels])


@every_model
@settings(max_examples=15)
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
def test_leave_one_out_of_real_texts_equals_forgetting_each(kind, data):
    texts, labels = data("r8", limit=400)
    model = deciban.train(texts, labels, words=(1, 2), calibration="none", **named(kind))
    held = model.leave_one_out().scores
    assert np.array_equal(held, model.with_threads(3).leave_one_out().scores)
    for i in range(0, len(texts), 40):
        forgotten = model.forget([texts[i]], [labels[i]])
        there = [model.labels.index(label) for label in forgotten.labels]
        assert_same_odds(held[i][there], forgotten.scores([texts[i]])[0])
        model.learn([texts[i]], [labels[i]])


@every_model
@settings(max_examples=15)
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
@settings(max_examples=15)
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
@settings(max_examples=15)
@given(a=corpora, b=corpora, seen=seen, strength=strengths)
def test_merging_equals_training_on_both(kind, a, b, seen, strength):
    one, two = trained(kind, a, seen, strength), trained(kind, b, seen, strength)
    both = one + two
    fresh = trained(kind, a + b, seen, strength)
    assert both.counts == fresh.counts
    assert np.array_equal(both.leave_one_out().scores, fresh.leave_one_out().scores)


@every_model
@settings(max_examples=15)
@given(corpus=corpora, seen=seen, strength=strengths, data=st.data())
def test_dropping_and_keeping_labels_equal_training_without_the_others(kind, corpus, seen, strength, data):
    whole = trained(kind, corpus, seen, strength)
    kept = data.draw(st.sets(st.sampled_from(whole.labels), min_size=2))
    fresh = trained(kind, [(text, label) for text, label in corpus if label in kept], seen, strength)
    dropped = trained(kind, corpus, seen, strength).drop_labels([r for r in whole.labels if r not in kept])
    for changed in (dropped, whole.keep_labels(list(kept))):
        is_as_if_trained_so(changed, fresh, columns(corpus)[0])


@every_model
@settings(max_examples=15)
@given(corpus=corpora, seen=seen, strength=strengths, data=st.data())
def test_renaming_a_label_equals_training_with_the_other_name(kind, corpus, seen, strength, data):
    changed = trained(kind, corpus, seen, strength)
    old = data.draw(st.sampled_from(changed.labels))
    new = data.draw(st.sampled_from([*changed.labels, "a new one", "zz"]))
    renamed = [(text, new if label == old else label) for text, label in corpus]
    prior = strength["prior"]
    if prior is given_prior and old != new:
        prior = {label: p for label, p in given_prior.items() if label != old}
        prior[new] = prior.get(new, 0.0) + given_prior[old]
    fresh = trained(kind, renamed, seen, strength | {"prior": prior})
    is_as_if_trained_so(changed.rename_label(old, new), fresh, columns(corpus)[0])


def is_as_if_trained_so(changed, fresh, texts):
    """In counts, in scores, and in the examples that it keeps."""
    assert changed.counts == fresh.counts
    assert np.array_equal(changed.scores(texts), fresh.scores(texts))
    assert np.array_equal(changed.leave_one_out().scores, fresh.leave_one_out().scores)
    assert sum(part["examples"] for part in changed.provenance) == len(fresh.leave_one_out().truth)


@every_model
@settings(max_examples=15)
@given(a=corpora, b=corpora, seen=seen, strength=strengths)
def test_what_is_learnt_and_forgotten_leaves_no_trace_but_provenance(kind, a, b, seen, strength, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    classifier = trained(kind, a, seen, strength)
    classifier.save(folder / "before")
    before = classifier.provenance
    classifier.learn(*columns(b)).forget(*columns(b))
    assert classifier.provenance == (*before, *({"source": "memory", "examples": n} for n in (len(b), -len(b))))
    classifier.provenance = before
    classifier.save(folder / "after")
    assert (folder / "before").read_bytes() == (folder / "after").read_bytes()


def test_files_are_learnt_and_forgotten_as_texts_are(tmp_path):
    file = tmp_path / "more.csv"
    file.write_text("text,label,split\nlunch?,work,train\nfree lunch,spam,train\nnever,x,test\n")
    source = Source(file, where=(("split", "train"),))
    mail, same = (deciban.train(["free money", "see you"], ["spam", "ham"]) for _ in range(2))
    done = []
    assert mail.learn_from(source, done.append) is mail
    assert mail.counts == same.learn(["lunch?", "free lunch"], ["work", "spam"]).counts
    assert mail.provenance[1:] == ({"source": "more.csv", "examples": 2},)
    assert done[-1] == file.stat().st_size
    with pytest.raises(DecibanError, match="needs the training examples"):
        mail.leave_one_out()
    assert mail.forget_from(source).counts == deciban.train(["free money", "see you"], ["spam", "ham"]).counts
    assert mail.provenance[2:] == ({"source": "more.csv", "examples": -2},)


@pytest.mark.parametrize("verb", ["learn_from", "forget_from"])
@pytest.mark.parametrize("content", ["text,label\n", "text,label\nfree money,spam\nlate,", "text,label\nlate,ham\n\n,"])
def test_a_bad_file_changes_nothing(tmp_path, verb, content):
    (tmp_path / "bad.csv").write_text(content)
    mail = deciban.train(["free money", "see you"], ["spam", "ham"])
    before = dict(vars(mail))
    with pytest.raises(DecibanError):
        getattr(mail, verb)(Source(tmp_path / "bad.csv"))
    assert vars(mail) == before


BAD_CHANGES = {
    "one label that is no list": lambda mail: mail.drop_labels("ham"),
    "a label that is a number": lambda mail: mail.keep_labels([3]),
    "an unknown label": lambda mail: mail.drop_labels(["ham", "eggs"]),
    "an unknown label to keep": lambda mail: mail.keep_labels(["eggs"]),
    "all labels": lambda mail: mail.drop_labels(["spam", "ham"]),
    "no label to keep": lambda mail: mail.keep_labels([]),
    "an empty name": lambda mail: mail.rename_label("ham", ""),
    "half a surrogate pair": lambda mail: mail.rename_label("ham", "\ud800"),
    "a list for a name": lambda mail: mail.rename_label(["ham"], "spam"),
    "an unknown label to rename": lambda mail: mail.rename_label("eggs", "spam"),
}


@pytest.mark.parametrize("change", BAD_CHANGES.values(), ids=BAD_CHANGES)
def test_a_bad_change_of_labels_changes_nothing(change):
    mail = deciban.train(["free money", "see you"], ["spam", "ham"])
    before = dict(vars(mail))
    with pytest.raises(DecibanError):
        change(mail)
    assert vars(mail) == before


@every_model
@settings(max_examples=15)
@given(corpus=corpora, texts=st.lists(some_text, max_size=6), seen=seen, strength=strengths)
def test_probabilities_are_some(kind, corpus, texts, seen, strength):
    classifier = trained(kind, corpus, seen, strength)
    proba = classifier.predict_proba(texts)
    assert proba.shape == (len(texts), len(classifier.labels))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert classifier.predict(texts) == [classifier.labels[i] for i in proba.argmax(axis=1)]


@every_model
@settings(max_examples=15)
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
    classifier.forget(["Secret A1!"], ["x"])  # other letters, same counts
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
