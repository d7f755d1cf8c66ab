"""Fitted models: what they see, what they are in plain terms, and that their scorecards show their work."""

import math
from dataclasses import replace

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
from deciban.fitting import members
from deciban.fitting.committee import MEMBERS, weigh
from deciban.fitting.members import Labelled, Member, fit, held_out
from deciban.fitting.seen import Sight
from deciban.rows import rows
from deciban.settings import SOLVED
from deciban.splits import folds_of
from deciban.units import decibans
from terminal import on_a_terminal

ALL = {"words": (1, 2), "edges": True, "chars": (2, 4), "chars_across": (1, 4), "tokens": "marks"}
SEEN = {**ALL, "properties": "pairs,title"}
TICKETS = ROOT / "samples" / "tickets.csv"
views = st.fixed_dictionaries(
    {
        "weighting": st.sampled_from([None, "binary", "counts", "sublinear"]),
        "idf": st.sampled_from([None, True, False]),
        "length_norm": st.sampled_from([None, True, False]),
        "class_weight": st.sampled_from(["none", "balanced"]),
    }
)


def trained(model, corpus, **given):
    assume(len({label for _, label in corpus}) > 1)
    own = {"cost": 1.0, **{name: given.pop(name) for name in ("weighting", "idf", "length_norm")}}
    return deciban.train(*columns(corpus), model=model, **given, **({} if model == "committee" else own))


@pytest.mark.parametrize("model", SOLVED)
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


@pytest.mark.parametrize("model", SOLVED)
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


@pytest.mark.parametrize("model", SOLVED)
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
        ("logistic", LogisticRegression(C=5.0, tol=1e-6, max_iter=10_000)),
    ],
)
@pytest.mark.parametrize("name", ["cr", "trec"])
def test_they_are_scikit_learns_on_the_same_rows(model, theirs, name, data):
    (texts, labels), (others, _) = halves(data, name, limit=1500)
    ours = deciban.train(texts, labels, model=model, words=(1, 2), cost=theirs.C, calibration="none")
    vectoriser = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    fitted = theirs.fit(vectoriser.fit_transform(texts), labels)
    answers = fitted.predict(vectoriser.transform(others))
    agree = np.mean([a == b for a, b in zip(ours.predict(others), answers, strict=True)])
    assert agree > 0.98  # scikit-learn's bias is not penalised, or otherwise


def test_logistic_probabilities_are_scikit_learns(data):
    (texts, labels), (others, _) = halves(data, "trec", limit=1500)
    ours = deciban.train(texts, labels, model="logistic", cost=5.0, calibration="none")
    vectoriser = TfidfVectorizer(sublinear_tf=True)
    fitted = LogisticRegression(C=5.0, tol=1e-6, max_iter=10_000).fit(vectoriser.fit_transform(texts), labels)
    theirs = fitted.predict_proba(vectoriser.transform(others))
    assert np.abs(ours.predict_proba(others) - theirs).max() < 0.05


def test_nbsvm_is_wang_and_mannings(data):
    (texts, labels), (others, _) = halves(data, "cr")
    seen = {"words": (1, 2), "tokens": "whitespace"}
    ours = deciban.train(texts, labels, model="nbsvm", **seen, cost=1.0, calibration="none")
    vectoriser = CountVectorizer(binary=True, ngram_range=(1, 2), token_pattern=r"\S+")
    x, y = vectoriser.fit_transform(texts), np.array(labels) == "pos"
    p, q = (np.asarray(x[rows].sum(axis=0))[0] + 1.0 for rows in (y, ~y))
    r = np.log(p / p.sum()) - np.log(q / q.sum())
    w = LinearSVC(C=1.0, fit_intercept=False, tol=1e-8, max_iter=100_000).fit(x.multiply(r).tocsr(), y).coef_[0]
    theirs = vectoriser.transform(others) @ (r * (0.75 * np.abs(w).mean() + 0.25 * w))
    scores = ours.scores(others)
    assert np.abs(scores[:, 1] - scores[:, 0] - theirs).max() < 0.02 * np.abs(theirs).max()


def test_a_cost_is_chosen_by_held_out_rows_and_kept(tickets, tmp_path, capsys):
    model = deciban.train(*tickets, model="hinge", calibration="none")
    held_out = model.provenance[0]["fit"]["held_out"]
    assert held_out[f"{model.settings.cost:g}"] == max(held_out.values())
    again = deciban.train(*tickets, model="hinge", cost=model.settings.cost, calibration="none")
    assert np.array_equal(model.scores(tickets[0]), again.scores(tickets[0]))
    model.save(tmp_path / "m")
    assert run(["info", str(tmp_path / "m")]) == 0
    assert f"%  C = {model.settings.cost:g}\n" in capsys.readouterr().out


def seen_by(member, model, texts):
    return fitting.see(rows(model.lexicon, texts), model.counts, member.sight)


NBLOGISTIC = Member(
    "nblogistic", Sight(weighting="binary", idf=False, length_norm=False), "logistic", ratios=(1.0, 0.3)
)


@pytest.mark.parametrize("member", [*MEMBERS, NBLOGISTIC], ids=lambda member: member.name)
def test_held_out_rows_are_scored_by_models_that_have_not_seen_them(member, tickets, monkeypatch):
    monkeypatch.setattr(members, "TOLERANCE", 1e-8)
    monkeypatch.setattr(members, "ROUGH", 1e-8)
    texts, labels = tickets
    model = deciban.train(texts, labels, **ALL)
    y, k = model.counts.numbers(labels), len(model.labels)
    folds = folds_of(y, 4)
    assert np.bincount(folds).max() - np.bincount(folds).min() <= 1
    view = seen_by(member, model, texts)
    scores = held_out(member, view, Labelled(y, k, np.ones(len(y))), folds, [1.0])[0]
    for fold in range(4):
        there = np.flatnonzero(folds == fold)
        others = np.flatnonzero(folds != fold)
        linear = fit(replace(member, c=1.0), view.some(others), Labelled(y[others], k, np.ones(len(others))))
        expected = view.some(there).scores(*linear)
        assert np.abs(scores[there] - expected).max() < 2e-3 * np.abs(expected).max()


def test_a_committee_is_the_sum_of_its_members(tickets):
    texts, labels = tickets
    model = deciban.train(texts, labels, model="committee", **SEEN)
    weights = model.provenance[0]["fit"]["weights"]
    assert [member.name for member in MEMBERS] == list(weights)
    assert max(weights.values()) > 0 <= min(weights.values())
    y, k = model.counts.numbers(labels), len(model.labels)
    of, total = Labelled(y, k, np.ones(len(y))), 0.0
    for member in MEMBERS:
        view = seen_by(member, model, texts)
        total += weights[member.name] * view.scores(*fit(member, view, of))
    rest = model.scores(texts) - total
    assert np.abs(rest - rest.mean(axis=0)).max() < 1e-4 * np.abs(total).max()


def test_what_is_told_of_a_fit_is_told_of_the_last_one(tickets):
    texts, labels = tickets
    model = deciban.train(texts[:300], labels[:300], model="committee", **ALL).learn(texts[300:], labels[300:])
    fresh = deciban.train(texts, labels, model="committee", **ALL)
    assert np.array_equal(model.scores(texts), fresh.scores(texts))
    first, last = model.provenance
    assert "fit" not in first
    assert last["fit"] == fresh.provenance[0]["fit"]


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


@pytest.mark.parametrize("model", SOLVED)
def test_labels_that_cost_more_are_chosen_more_often(model, tickets):
    rare = min(set(tickets[1]), key=tickets[1].count)
    given = {"model": model, **({} if model == "committee" else {"cost": 0.01, "interpolation": 1.0})}
    even, uneven = (deciban.train(*tickets, **given, class_weight=weight) for weight in ("none", {rare: 100.0}))
    texts = [text for text, label in zip(*tickets, strict=True) if label != rare]
    assert uneven.predict(texts).count(rare) > even.predict(texts).count(rare)


def test_a_label_that_is_renamed_keeps_its_weight(tickets):
    texts, labels = tickets
    old, new = labels[0], "zz"
    renamed = deciban.train(texts, labels, model="hinge", cost=1.0, class_weight={old: 9.0}).rename_label(old, new)
    others = [new if label == old else label for label in labels]
    fresh = deciban.train(texts, others, model="hinge", cost=1.0, class_weight={new: 9.0})
    assert np.array_equal(renamed.scores(texts), fresh.scores(texts))


def test_a_label_that_is_dropped_takes_its_weight_along(tickets):
    texts, labels = tickets
    weights = {labels[0]: 9.0, next(label for label in labels if label != labels[0]): 2.0}
    left = deciban.train(texts, labels, model="hinge", cost=1.0, class_weight=weights).drop_labels([labels[0]])
    assert labels[0] not in left.predict(texts)


@pytest.mark.parametrize("model", SOLVED)
def test_one_label_is_none_to_tell_apart(model):
    left = deciban.train(["aa bb", "aa", "cc"], ["x", "x", "y"], model=model).forget(["cc"], ["y"])
    with pytest.raises(errors.OneLabel):
        left.predict(["aa"])


@pytest.mark.parametrize(
    ("fit", "told"),
    [
        ({"weights": {"a": 1.0}}, "how it was fitted cannot be read"),
        ({"held_out": {"a": 10**400}}, "how it was fitted cannot be read"),
        ({"held_out": {"a": "b"}}, "how it was fitted cannot be read"),
    ],
)
def test_a_file_that_tells_nonsense_of_a_fit_is_damaged(fit, told, tickets, tmp_path):
    model = deciban.train(*tickets, model="hinge", cost=1.0)
    model.provenance = ({**model.provenance[0], "fit": fit},)
    model.save(tmp_path / "m")
    with pytest.raises(errors.DamagedModel, match=told):
        deciban.load(tmp_path / "m")


@pytest.mark.parametrize(
    "change",
    [
        {"typical": np.array([np.nan])},
        {"typical": np.ones(2)},
        {"groups": np.array([24], np.uint32)},  # no such counting
        {"groups": np.array([128], np.uint32)},  # no such kind
        {"groups": np.zeros(65, np.uint32), "typical": np.ones(65)},
        {"length": np.ones(1)},
        {"length": -np.ones(3)},
    ],
)
def test_a_file_whose_rows_cannot_be_scaled_so_is_damaged(change, tmp_path):
    model = deciban.train(["aa bb", "aa", "cc"], ["x", "x", "y"], model="logistic", cost=1.0)
    card = model.scorecard
    model._scorecard = replace(card, scaling=replace(card.scaling, **change))
    model.save(tmp_path / "m")
    with pytest.raises(errors.DamagedModel):
        deciban.load(tmp_path / "m")


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
    with pytest.raises(errors.NeedsExamples, match="train it anew on all of them"):
        loaded.forget(texts[:1], labels[:1])
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
        ({"class_weight": {"a": 2}}, "'a' is not a label of this model; its labels are: x, y"),
        ({"prior": "uniform"}, "prior='uniform': not for the model 'logistic', which takes: 'data' alone"),
        ({"model": "committee", "l1": 1.0}, "l1=1.0: not for the model 'committee', which takes: 0.0 alone"),
        ({"model": "multinomial", "cost": 3}, "cost=3: not for the model 'multinomial', which takes: None alone"),
    ],
)
def test_bad_settings_are_told(given, told):
    with pytest.raises(errors.DecibanError) as caught:
        deciban.train(["a1", "b1"], ["x", "y"], **{"model": "logistic", **given})
    assert str(caught.value) == told


@pytest.mark.parametrize("model", SOLVED)
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
