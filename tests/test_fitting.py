"""Fitted models: what they see, what they are in plain terms, and that their scorecards show their work."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import deciban
from conftest import ROOT
from corpora import columns, corpora, seen, some_text
from deciban import errors, fitting
from deciban.cli import run
from deciban.decision import log_posterior
from deciban.fitting.committee import folds_of, weigh
from deciban.fitting.members import Labelled
from deciban.rows import rows
from deciban.settings import FITTED
from deciban.units import decibans
from terminal import on_a_terminal

ALL = {"words": (1, 2), "edges": True, "chars": (2, 4), "chars_across": (1, 4), "tokens": "marks"}
TICKETS = ROOT / "samples" / "tickets.csv"
views = st.fixed_dictionaries(
    {
        "weighting": st.sampled_from([None, "binary", "counts", "sublinear"]),
        "idf": st.sampled_from([None, True, False]),
        "length_norm": st.sampled_from([None, True, False]),
        "class_weight": st.sampled_from(["none", "balanced", {"ham": 3.0}]),
    }
)


def trained(model, corpus, **given):
    assume(len({label for _, label in corpus}) > 1)
    return deciban.train(*columns(corpus), model=model, cost=None if model == "committee" else 1.0, **given)


@pytest.mark.parametrize("model", FITTED)
@settings(max_examples=15)
@given(corpus=corpora, sight=seen, view=views, text=some_text)
def test_evidence_adds_up_to_the_log_odds(model, corpus, sight, view, text):
    model = trained(model, corpus, **sight, **view)
    for each in [text, *columns(corpus)[0]]:
        why, scores = model.explain(each), model.scores([each])[0]
        one, other = (model.labels.index(label) for label in (why.label, why.against))
        assert math.isclose(why.total, decibans(float(scores[one] - scores[other])), rel_tol=1e-9, abs_tol=1e-9)
        found = model.scorecard.scores_of_rows(rows(model.lexicon, [each]))
        assert np.allclose(found[0], scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", FITTED)
@settings(max_examples=10)
@given(corpus=corpora, sight=seen, view=views)
def test_a_saved_model_answers_and_explains_the_same(model, corpus, sight, view, tmp_path_factory):
    path, model = tmp_path_factory.mktemp("fitted") / "m.deciban", trained(model, corpus, **sight, **view)
    texts = columns(corpus)[0]
    for frozen in (False, True):
        model.save(path, frozen=frozen)
        loaded = deciban.load(path)
        assert np.array_equal(loaded.scores(texts), model.scores(texts))
        assert loaded.explain(texts[0]) == model.explain(texts[0])
        assert (loaded.settings, loaded.provenance) == (model.settings, model.provenance)


@pytest.mark.parametrize("model", FITTED)
def test_threads_change_nothing(model, tickets):
    one, two = (deciban.train(*tickets, model=model, threads=threads, **ALL) for threads in (1, 2))
    assert np.array_equal(one.scores(tickets[0]), two.scores(tickets[0]))


def halves(data, name, **given):
    texts, labels = data(name, **given)
    return (texts[::2], labels[::2]), (texts[1::2], labels[1::2])


@pytest.mark.parametrize(
    ("model", "theirs"),
    [
        ("hinge", LinearSVC(C=0.5, tol=1e-8, max_iter=100_000)),
        ("logistic", LogisticRegression(C=5.0, tol=1e-8, max_iter=10_000)),
    ],
)
@pytest.mark.parametrize("name", ["cr", "trec"])
def test_they_are_scikit_learns_on_the_same_rows(model, theirs, name, data):
    (texts, labels), (others, _) = halves(data, name, limit=1500)
    ours = deciban.train(texts, labels, model=model, words=(1, 2), cost=theirs.C)
    vectoriser = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    fitted = theirs.fit(vectoriser.fit_transform(texts), labels)
    answers = fitted.predict(vectoriser.transform(others))
    agree = np.mean([a == b for a, b in zip(ours.predict(others), answers, strict=True)])
    assert agree > 0.98  # scikit-learn's bias is not penalised, or otherwise


def test_logistic_probabilities_are_scikit_learns(data):
    (texts, labels), (others, _) = halves(data, "trec", limit=1500)
    ours = deciban.train(texts, labels, model="logistic", cost=5.0)
    vectoriser = TfidfVectorizer(sublinear_tf=True)
    fitted = LogisticRegression(C=5.0, tol=1e-6, max_iter=10_000).fit(vectoriser.fit_transform(texts), labels)
    theirs = fitted.predict_proba(vectoriser.transform(others))
    assert np.abs(ours.predict_proba(others) - theirs).max() < 0.05


def test_nbsvm_is_wang_and_mannings(data):
    (texts, labels), (others, _) = halves(data, "cr")
    ours = deciban.train(texts, labels, model="nbsvm", words=(1, 2), tokens="whitespace", cost=1.0)
    vectoriser = CountVectorizer(binary=True, ngram_range=(1, 2), token_pattern=r"\S+")
    x, y = vectoriser.fit_transform(texts), np.array(labels) == "pos"
    p, q = (np.asarray(x[rows].sum(axis=0))[0] + 1.0 for rows in (y, ~y))
    r = np.log(p / p.sum()) - np.log(q / q.sum())
    w = LinearSVC(C=1.0, fit_intercept=False, tol=1e-8, max_iter=100_000).fit(x.multiply(r).tocsr(), y).coef_[0]
    theirs = vectoriser.transform(others) @ (r * (0.75 * np.abs(w).mean() + 0.25 * w))
    scores = ours.scores(others)
    assert np.abs(scores[:, 1] - scores[:, 0] - theirs).max() < 0.02 * np.abs(theirs).max()


def test_a_cost_is_chosen_by_held_out_rows_and_kept(tickets, tmp_path, capsys):
    model = deciban.train(*tickets, model="hinge")
    held_out = model.provenance[0]["fit"]["held_out"]
    assert held_out[f"{model.settings.cost:g}"] == max(held_out.values())
    again = deciban.train(*tickets, model="hinge", cost=model.settings.cost)
    assert np.array_equal(model.scores(tickets[0]), again.scores(tickets[0]))
    model.save(tmp_path / "m")
    assert run(["info", str(tmp_path / "m")]) == 0
    assert f"%  C = {model.settings.cost:g}\n" in capsys.readouterr().out


def test_held_out_rows_are_scored_by_models_that_have_not_seen_them(tickets):
    texts, labels = tickets
    model = deciban.train(texts, labels, model="nblogistic", cost=1.0)
    y = model.counts.numbers(labels)
    folds = folds_of(y, 4)
    assert np.bincount(folds).max() - np.bincount(folds).min() <= 1
    found = rows(model.lexicon, texts)
    member = fitting._member(model.settings, len(model.labels))
    view = fitting.see(found, model.counts, member.sight)
    of = Labelled(y, len(model.labels), np.ones(len(y)))
    scores = fitting.members.held_out(member, view, of, folds, [1.0])[0]
    for fold in range(4):
        there = np.flatnonzero(folds == fold)
        others = [i for i in range(len(texts)) if folds[i] != fold]
        fresh = deciban.train([texts[i] for i in others], [labels[i] for i in others], model="nblogistic", cost=1.0)
        assert fresh.labels == model.labels
        expected = fresh.scores([texts[i] for i in there])
        assert np.abs(scores[there] - expected).max() < 0.05 * np.abs(expected).max()


def test_a_committee_is_the_sum_of_its_members(tickets):
    texts, labels = tickets
    model = deciban.train(texts, labels, model="committee", **ALL)
    told = model.provenance[0]["fit"]
    assert len(told["weights"]) == 6
    assert max(told["weights"].values()) > 0 <= min(told["weights"].values())
    assert len(model.scorecard.scaling.groups) == sum(weight > 0 for weight in told["weights"].values())
    assert model.evaluate(texts, labels).accuracy > 0.95


def test_members_that_say_nothing_count_little():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 400)
    good, noise = np.eye(3)[y] + rng.normal(0, 0.5, (400, 3)), rng.normal(0, 1, (400, 3))
    found = weigh([good, noise], Labelled(y, 3, np.ones(400)))
    assert found.members[0] > 10 * found.members[1] >= 0
    log_p = log_posterior(found.members[0] * good + found.members[1] * noise + found.bias)
    assert found.loss < -log_posterior(good)[np.arange(400), y].mean()
    assert math.isclose(-log_p[np.arange(400), y].mean(), found.loss, rel_tol=0.05)


def test_l1_leaves_few_terms(tickets):
    dense, sparse = (deciban.train(*tickets, model="hinge", cost=1.0, l1=l1) for l1 in (0.0, 1.0))
    assert 0 < len(np.unique(sparse.scorecard.term)) < len(np.unique(dense.scorecard.term)) / 4


def test_labels_that_cost_more_are_chosen_more_often(tickets):
    weights = {tickets[1][0]: 100.0}
    even, uneven = (deciban.train(*tickets, model="logistic", cost=0.01, class_weight=w) for w in ("none", weights))
    chosen = [model.predict(tickets[0]).count(tickets[1][0]) for model in (even, uneven)]
    assert chosen[1] > chosen[0]


def test_words_of_a_fitted_model_are_its_strongest(tickets):
    model = deciban.train(*tickets, model="logistic", cost=10.0)
    for label in model.labels:
        best = model.words(label, top=3)
        assert best
        for word in best:
            having = [other for text, other in zip(*tickets, strict=True) if word.term in terms_of(model, text)]
            assert word.decibans > 0
            assert (word.documents, word.others) == (having.count(label), len(having) - having.count(label))


def terms_of(model, text):
    return {found.term for found in model.settings.terms.seen(text)}


def test_learning_fits_anew_and_what_has_no_examples_says_so(tickets, tmp_path):
    texts, labels = tickets
    model = deciban.train(texts[:60], labels[:60], model="hinge", cost=1.0).learn(texts[60:], labels[60:])
    fresh = deciban.train(texts, labels, model="hinge", cost=1.0)
    assert np.array_equal(model.scores(texts), fresh.scores(texts))
    model.save(tmp_path / "m")
    loaded = deciban.load(tmp_path / "m")
    for change in (loaded.learn, loaded.forget):
        with pytest.raises(errors.NeedsExamples, match="train it anew on all of them"):
            change(texts[:1], labels[:1])
    with pytest.raises(errors.NoLeaveOneOut):
        loaded.leave_one_out(texts, labels)
    with pytest.raises(errors.NotDrawable):
        model.sample()
    with pytest.raises(errors.NoNetwork):
        model.graph()


def test_rows_that_are_scaled_are_not_exported(tickets, tmp_path):
    with pytest.raises(errors.MoreThanTerms):
        deciban.train(*tickets, model="logistic", cost=1.0).export(tmp_path / "w.csv")
    deciban.train(*tickets, model="nbsvm", cost=1.0).export(tmp_path / "w.csv")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"cost": 0}, "cost=0: expected a number above 0, or None to choose it"),
        ({"l1": 2}, "l1=2: expected a number from 0 to 1"),
        ({"l1": 0.5, "joint": True}, "l1=0.5: expected 0 where all labels are seen at once: joint=False"),
        ({"idf": "yes"}, "idf='yes': expected True, False, or None"),
        ({"weighting": "log"}, "weighting='log': not known; the known ones are: binary, counts, sublinear"),
        ({"class_weight": {"a": 0}}, "class_weight={'a': 0}: expected a number above 0 for a label"),
    ],
)
def test_bad_settings_are_told(given, told):
    with pytest.raises(errors.DecibanError) as caught:
        deciban.train(["a1", "b1"], ["x", "y"], model="logistic", **given)
    assert str(caught.value) == told


@pytest.mark.parametrize("model", FITTED)
def test_the_command_trains_predicts_and_explains(model, tmp_path, capsys):
    path = str(tmp_path / "m.deciban")
    words = ["--words", "1-2", "--chars", "2-4", "--chars-across", "1-4"] if model == "committee" else []
    assert run(["train", str(TICKETS), "--model", model, *words, "-o", path]) == 0
    assert run(["predict", path, str(TICKETS)]) == 0
    assert run(["words", path, "--top", "2"]) == 0
    assert run(["explain", path, "where is my parcel"]) == 0
    assert "(bias)" in capsys.readouterr().out


def test_progress_shows_loss_and_gap(tmp_path):
    big = tmp_path / "big.csv"
    lines = TICKETS.read_text(encoding="utf-8").splitlines()
    big.write_text("\n".join([lines[0], *lines[1:] * 20]) + "\n", encoding="utf-8")
    shown = on_a_terminal("train", big, "--model", "hinge", "--words", "1-3", "-o", tmp_path / "m")
    assert b"holding out, hinge: loss " in shown
    assert b", gap " in shown
