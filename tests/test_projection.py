"""Projection: scikit-learn's algebra, exact evidence through it, trees that are asked as scikit-learn asks them."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import linalg
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.tree import DecisionTreeClassifier

import deciban
from conftest import ROOT
from corpora import columns, corpora, seen, some_text
from deciban import errors
from deciban.cli import run
from deciban.counts import count
from deciban.evidence import APPROXIMATE
from deciban.fitting.members import Labelled
from deciban.fitting.seen import Sight, see
from deciban.projection import fisher, forest
from deciban.projection.lsa import Axes, lsa, matrix, rotate
from deciban.rows import rows
from deciban.settings import FORESTS, PROJECTED
from deciban.sklearn import TextClassifier
from deciban.terms import Terms
from deciban.units import decibans

TICKETS = str(ROOT / "samples" / "tickets.csv")
LINEAR = [{"model": "logistic", "project": "lsa:2", "cost": 1.0}, {"model": "rotation", "rounds": 2, "cost": 1.0}]
LINEAR += [{"model": "hinge", "project": "lsa:1"}, {"model": "fisher"}]
TREES = [{"model": "rotation-forest", "rounds": 2}, {"model": "fisher-forest", "rounds": 2, "shrinkage": 0.5}]
EVERY = [*LINEAR, *TREES]
MAIL = (["free money", "money now", "money", "see you", "you soon", "see me"] * 4, (["spam"] * 3 + ["ham"] * 3) * 4)


def named(settings):
    return settings["model"]


@pytest.fixture(scope="module")
def some(tickets):
    """Some rows of the sample, as models see them: what is seen, the matrix, and labels."""
    texts, labels = (column[::3] for column in tickets)
    counts = count(Terms(), texts, labels)
    found = see(rows(counts.lexicon, texts), counts, Sight())
    y = counts.numbers(labels)
    return found, matrix(found), Labelled(y, len(counts.labels), np.ones(len(y)))


def dense(axes):
    """V, terms x features."""
    return axes.back(np.eye(axes.features))


# The algebra


def test_lsa_is_scikit_learns(some):
    _, x, _ = some
    axes = lsa(x, 20, "project", "lsa:20")
    exact = TruncatedSVD(20, algorithm="arpack", random_state=0).fit(x).singular_values_
    assert np.allclose(axes.row.T @ axes.row, np.eye(20), atol=1e-9)
    assert np.allclose(np.linalg.norm(axes.project(x), axis=0), exact, rtol=0.02)  # by a random start and some powers


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 5), st.data())
def test_a_rotation_splits_terms_into_disjoint_subsets_and_pools_their_features(d, n, seed, data):
    from scipy.sparse import csr_matrix

    x = csr_matrix(np.random.default_rng(seed).integers(0, 3, (n, d)).astype(float))
    k = data.draw(st.integers(1, d))
    r = data.draw(st.integers(1, max(d // k, 1)))
    axes = rotate(x, k, r, np.random.default_rng(seed))
    sizes = np.bincount(axes.subset, minlength=k)
    assert sizes.sum() == d
    assert sizes.max() - sizes.min() <= 1
    v = dense(axes)
    assert v.shape == (d, k * r)
    for place in range(k):
        own = axes.of(place)
        assert not np.delete(v[:, place * r : (place + 1) * r], own, axis=0).any()
        theirs = np.linalg.svd(x[:, own].toarray(), full_matrices=False)
        expected = (theirs[0] * theirs[1])[:, :r]
        features = x @ v[:, place * r : (place + 1) * r]
        if not np.isclose(theirs[1][r - 1 :][:1], theirs[1][r:][:1]).any():  # else several directions are as good
            assert np.allclose(features @ features.T, expected @ expected.T, atol=1e-6)
        assert np.isclose((features**2).sum(), (expected**2).sum())
    assert np.allclose(axes.project(x), x @ v)
    low = np.random.default_rng(1).normal(size=(k * r, 3))
    assert np.allclose(axes.back(low), v @ low)


@pytest.mark.parametrize("shrinkage", [0.1, 0.5, 1.0])
def test_fishers_discriminant_is_scikit_learns(some, shrinkage):
    _, x, of = some
    kept = np.argsort(-np.asarray(x.sum(axis=0)).ravel())[:150]
    x, linear = x[:, kept], fisher.discriminant(fisher.moments(x[:, kept], of), shrinkage, 1e-10)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(x.toarray(), of.y)
    scores, expected = x @ linear.weights + linear.bias, theirs.decision_function(x.toarray())
    assert np.allclose(
        scores - scores.mean(axis=1, keepdims=True), expected - expected.mean(axis=1, keepdims=True), atol=1e-5
    )


def test_fishers_directions_are_those_of_the_dense_problem(some):
    _, x, of = some
    kept = np.argsort(-np.asarray(x.sum(axis=0)).ravel())[:100]
    x = x[:, kept]
    ours = fisher.directions(fisher.moments(x, of), 0.5)
    assert ours.shape == (100, 5)
    rows_, share = x.toarray(), np.bincount(of.y) / len(of.y)
    parts = [rows_[of.y == r] for r in range(of.labels)]
    within = sum(pi * np.cov(part.T, bias=True) for pi, part in zip(share, parts, strict=True))
    means = np.array([part.mean(axis=0) for part in parts]) - rows_.mean(axis=0)
    sigma = 0.5 * within + 0.5 * np.trace(within) / 100 * np.eye(100)
    theirs = linalg.eigh(means.T @ (share[:, None] * means), sigma)[1][:, ::-1][:, :5]
    cosines = (ours * theirs).sum(axis=0) / np.linalg.norm(ours, axis=0) / np.linalg.norm(theirs, axis=0)
    assert np.allclose(np.abs(cosines), 1, atol=1e-4)


@given(st.integers(1, 8), st.integers(0, 9))
def test_conjugate_gradients_solve(n, seed):
    draw = np.random.default_rng(seed)
    a = draw.normal(size=(n, n + 2))
    a, b = a @ a.T + 0.1 * np.eye(n), draw.normal(size=(n, 3))
    assert np.allclose(a @ fisher.solve(lambda v: a @ v, b, 1e-12), b, atol=1e-6)


# Linear models of projected rows are linear models


def test_as_many_features_as_texts_change_nothing(tickets):
    """An L2 penalty knows no directions: in all of the rows' space, the fit is the same."""
    texts, labels = (column[::6] for column in tickets)
    given = {"model": "hinge", "cost": 1.0, "calibration": "none"}
    plain = deciban.train(texts, labels, **given)
    whole = deciban.train(texts, labels, project=f"lsa:{len(texts)}", **given)
    others = tickets[0][1::6]
    assert np.abs(plain.scores(others) - whole.scores(others)).max() < 0.02


def test_lsa_leaves_so_many_dimensions(tickets):
    texts, labels = (column[::6] for column in tickets)
    card = deciban.train(texts, labels, model="logistic", cost=5.0, project="lsa:2").scorecard
    assert np.linalg.matrix_rank(card.weights(np.arange(len(card.lexicon))), tol=1e-6) == 2


def test_a_rotation_of_one_subset_and_round_is_lsa(tickets):
    texts, labels = (column[::6] for column in tickets)
    n = len(texts)  # all of the rows' space: there a random start does not matter
    given = {"cost": 3.0, "calibration": "none"}
    one = deciban.train(texts, labels, model="rotation", subsets=1, features=n, rounds=1, **given)
    other = deciban.train(texts, labels, model="logistic", project=f"lsa:{n}", **given)
    assert np.abs(one.scores(texts) - other.scores(texts)).max() < 0.05


@pytest.mark.parametrize("kinds", [("", "00{0:한000"), ("a b c", "x y z"), ("", "a")])
def test_labels_whose_rows_are_all_alike_can_be_told_apart(kinds):
    texts, labels = [kind for kind in kinds for _ in range(3)], ["ham"] * 3 + ["spam"] * 3
    for one in (1, 3):  # nothing scatters: all that is left of the trace is rounding
        model = deciban.train(texts[::one], labels[::one], model="fisher", chars=(1, 3), chars_across=(1, 2))
        assert model.predict([*kinds]) == ["ham", "spam"]
        assert np.isfinite(model.scores(texts)).all()


@pytest.mark.parametrize("model", EVERY, ids=named)
@settings(max_examples=10)
@given(corpus=corpora, sight=seen, text=some_text)
def test_evidence_adds_up_to_the_log_odds(model, corpus, sight, text):
    model = trained(model, corpus, sight)
    for each in [text, *columns(corpus)[0]]:
        why, scores = model.explain(each), model.scores([each])[0]
        one, other = (model.labels.index(label) for label in (why.label, why.against))
        assert math.isclose(why.total, decibans(float(scores[one] - scores[other])), rel_tol=1e-7, abs_tol=1e-7)
        assert why.approximate == (model.settings.model in FORESTS)


def trained(model, corpus, sight):
    assume(len({label for _, label in corpus}) > 1)
    texts, labels = columns(corpus)
    assume(len({*texts}) > 2 or "project" not in model)
    try:
        return deciban.train(texts, labels, **model, **sight)
    except errors.BadSetting:
        assume(False)  # fewer terms than features were asked for


@pytest.mark.parametrize("model", EVERY, ids=named)
@settings(max_examples=8)
@given(corpus=corpora, sight=seen)
def test_a_saved_model_answers_and_explains_the_same(model, corpus, sight, tmp_path_factory):
    path, model = tmp_path_factory.mktemp("projected") / "m.deciban", trained(model, corpus, sight)
    texts = columns(corpus)[0]
    for frozen in (False, True):
        model.save(path, frozen=frozen)
        loaded = deciban.load(path)
        assert np.array_equal(loaded.scores(texts), model.scores(texts))
        assert loaded.explain(texts[0]) == model.explain(texts[0])
        assert (loaded.settings, loaded.provenance) == (model.settings, model.provenance)
        assert loaded.predict_top(texts, 2) == model.predict_top(texts, 2)


@pytest.mark.parametrize("model", EVERY, ids=named)
def test_threads_order_and_company_change_nothing(model):
    one, two = (deciban.train(*MAIL, **model, threads=threads) for threads in (1, 2))
    texts = ["free money now", "see you", "", "never seen", "money"]
    assert np.array_equal(one.scores(texts), two.scores(texts))
    assert np.array_equal(one.scores(texts), np.concatenate([one.scores([text]) for text in texts]))
    assert np.allclose(one.predict_proba(texts).sum(axis=1), 1)
    assert one.predict(texts[:2]) == ["spam", "ham"]


# Trees


def test_trees_are_asked_as_scikit_learn_asks_them(some):
    found, x, of = some
    axes = rotate(x, 3, 5, np.random.default_rng(0))
    prior = np.full(of.labels, 1 / of.labels)
    trees = forest.grow(found, axes, of, prior, 7, unit=False)
    features = forest.project(found.rows, axes.subset.astype(np.uint32), forest.rounded(axes.row), 3, unit=False)
    assert np.allclose(features, axes._replace(row=forest.rounded(axes.row).astype(float)).project(x), atol=1e-5)
    theirs = DecisionTreeClassifier(random_state=7).fit(features, of.y)
    new = np.random.default_rng(1).permutation(features.ravel()).reshape(features.shape)
    for rows_ in (features, new):
        assert np.array_equal(trees.leaves(0, rows_), theirs.apply(rows_))
    leaves = trees.leaves(0, new)
    n = theirs.tree_.weighted_n_node_samples[leaves][:, None]
    assert np.allclose((trees.p[leaves] * (n + 0.1) - 0.1 * prior) / n, theirs.predict_proba(new))


def test_features_of_a_rotation_have_the_length_one(some):
    found, x, _ = some
    axes = rotate(x, 2, 5, np.random.default_rng(0))
    features = forest.project(found.rows, axes.subset.astype(np.uint32), forest.rounded(axes.row), 2, unit=True)
    assert np.allclose(np.linalg.norm(features, axis=1), 1, atol=1e-5)


def test_a_forest_is_the_mean_of_its_trees(tickets):
    texts, labels = (column[::4] for column in tickets)
    model = deciban.train(texts, labels, model="rotation-forest", rounds=3)
    whole, trees = model._card, model._card.trees
    singles = []
    for b in range(3):
        own = slice(trees.start[b], trees.start[b + 1])
        child = [np.where(side[own] > 0, side[own] - trees.start[b], 0) for side in (trees.left, trees.right)]
        parts = (np.array([0, own.stop - own.start]), trees.feature[own], trees.threshold[own], *child, trees.p[own])
        alone = replace(whole, subset=whole.subset[b : b + 1], row=whole.row[b : b + 1], trees=type(trees)(*parts))
        singles.append(np.exp(alone.scores(texts)))
    assert np.allclose(np.exp(model.scores(texts)), np.mean(singles, axis=0))
    assert model.evaluate(texts, labels).accuracy > 0.95


def test_fishers_trees_are_grown_on_other_texts_than_their_directions(tickets, monkeypatch):
    given = []
    moments = fisher.moments
    monkeypatch.setattr(fisher, "moments", lambda x, of: given.append(of.cost) or moments(x, of))
    grown = []
    grow = forest.grow
    monkeypatch.setattr(
        forest, "grow", lambda seen, axes, of, *a, **b: grown.append(of.cost) or grow(seen, axes, of, *a, **b)
    )
    deciban.train(tickets[0][::6], tickets[1][::6], model="fisher-forest", shrinkage=0.9, rounds=3)
    assert len(given) == len(grown) == 3
    for directions, trees in zip(given, grown, strict=True):
        assert not (directions * trees).any()
        assert ((directions + trees) > 0).all()


def test_words_that_a_tree_went_by_speak_for_its_label(tickets):
    model = deciban.train(*tickets, model="fisher-forest", shrinkage=0.9, rounds=5)
    why = model.explain("my parcel has not arrived, the courier lost the package", "delivery", "praise")
    strongest = [term.name for term in why.terms[:4]]
    assert {"parcel", "courier", "package"} & {*strongest}
    assert all(term.decibans > 0 for term in why.terms if term.name in ("parcel", "courier"))


# Everything of a classifier works, or says why not


@pytest.mark.parametrize("model", EVERY, ids=named)
def test_learning_and_forgetting_fit_anew(model):
    texts, labels = MAIL
    fresh = deciban.train(texts, labels, **model)
    learnt = deciban.train(texts[:12], labels[:12], **model).learn(texts[12:], labels[12:])
    if (
        "shrinkage" in model or "cost" in model or model["model"] == "rotation-forest"
    ):  # what is chosen once stays chosen
        assert np.array_equal(learnt.scores(texts), fresh.scores(texts))
    fewer = deciban.train(texts, labels, **model).forget(texts[-1:], labels[-1:])
    assert fewer.counts == deciban.train(texts[:-1], labels[:-1], **model).counts
    assert fewer.predict(["money"]) == ["spam"]


@pytest.mark.parametrize("model", EVERY, ids=named)
def test_what_a_loaded_model_cannot_do_it_says(model, tmp_path):
    deciban.train(*MAIL, **model).save(tmp_path / "m")
    loaded = deciban.load(tmp_path / "m")
    for change in (loaded.learn, loaded.forget):
        with pytest.raises(errors.NeedsExamples, match="train it anew on all of them"):
            change(MAIL[0][:1], MAIL[1][:1])
    with pytest.raises(errors.NeedsExamples):
        loaded + deciban.load(tmp_path / "m")
    with pytest.raises(errors.NoLeaveOneOut):
        loaded.leave_one_out(*MAIL)
    assert loaded.rank(MAIL[0], "spam", top=1)[0].text.startswith(("free", "money"))
    assert loaded.log_odds(["money"], "spam", "ham")[0] > 0


@pytest.mark.parametrize("model", TREES, ids=named)
def test_what_a_forest_has_no_weights_for_it_says(model, tmp_path):
    trees = deciban.train(*MAIL, **model)
    asked = (trees.words, lambda: trees.export(tmp_path / "w.csv"), trees.graph, trees.sample, lambda: trees.weights)
    for ask in (*asked, lambda: trees.scorecard):
        with pytest.raises(errors.NoWeights, match=r"a .*-forest model has trees, and no weights of terms"):
            ask()
    assert not (tmp_path / "w.csv").exists()


def test_weights_of_texts_are_texts_that_stand_there_so_often(tickets):
    texts, labels = (column[::6] for column in tickets)
    given = {"model": "fisher", "shrinkage": 0.5, "idf": False, "calibration": "none"}
    twice = deciban.train(texts * 2, labels * 2, **given)
    heavy = deciban.train(texts, labels, weights=[2.0] * len(texts), **given)
    assert np.allclose(twice.scores(texts), heavy.scores(texts), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", PROJECTED)
def test_texts_of_few_terms_or_none(model):
    for texts in (["", "", "!", ""], ["aa", "", "aa", "bb"], ["aa", "aa", "aa", "aa"], ["aa", "bb", "cc", "dd"]):
        trained = deciban.train(texts, ["x", "y", "x", "y"], model=model)
        assert np.isfinite(trained.scores([*texts, "zz"])).all()
        assert math.isfinite(trained.explain("aa bb").total)


@pytest.mark.parametrize("model", PROJECTED)
def test_the_sklearn_face(model):
    face = TextClassifier(model=model, **({} if model == "fisher" else {"rounds": 2})).fit(*MAIL)
    assert face.score(*MAIL) > 0.9


def test_comparing_takes_them_as_rows():
    models = {
        "trees": {"model": "rotation-forest", "rounds": 2},
        "lsa": {"model": "logistic", "project": "lsa:3", "cost": 1.0},
    }
    found = deciban.compare({"mail": MAIL}, models, folds=2)
    assert [run.accuracy for run in found.runs] == [1.0, 1.0]


# The command


@pytest.mark.parametrize("model", ["rotation", "rotation-forest"])
def test_the_commands(model, tmp_path, capsys):
    path = str(tmp_path / "m.deciban")
    assert run(["train", TICKETS, "--model", model, "--rounds", "2", "--features", "5", "-o", path]) == 0
    assert run(["predict", path, TICKETS, "--top", "2"]) == 0
    assert run(["predict", path, TICKETS, "--proba", "--json"]) == 0
    assert run(["evaluate", path, TICKETS, "--report", str(tmp_path / "r.html")]) == 0
    assert run(["rank", path, TICKETS, "--label", "billing", "--top", "1"]) == 0
    assert run(["info", path]) == 0
    capsys.readouterr()
    assert run(["explain", path, "where is my parcel", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["approximate"] == (model == "rotation-forest")
    assert math.isclose(told["prior"] + sum(term["decibans"] for term in told["terms"]), told["total"], abs_tol=1e-6)
    assert run(["explain", path, "where is my parcel"]) == 0
    assert (APPROXIMATE in capsys.readouterr().out) == (model == "rotation-forest")
    why = deciban.load(path).explain("where is my parcel")
    assert (APPROXIMATE in why._repr_html_()) == (model == "rotation-forest")
    assert run(["freeze", path, "-o", f"{path}.small"]) == 0
    assert run(["predict", f"{path}.small", TICKETS]) == 0


def test_a_saved_forest_needs_no_scikit_learn(tmp_path):
    model = deciban.train(*MAIL, model="fisher-forest", rounds=2)
    model.save(tmp_path / "m")
    code = (
        "import sys; sys.modules['sklearn'] = sys.modules['scipy'] = None\n"
        "import deciban; m = deciban.load(sys.argv[1]); print(m.predict(['money']), m.explain('money').label)\n"
        "try: deciban.train(['a1', 'b1'], ['x', 'y'], model='fisher')\n"
        "except deciban.DecibanError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "m"], check=True, capture_output=True, text=True)
    expected = "projection needs scikit-learn, which is not installed: pip install 'deciban[sklearn]'"
    assert done.stdout.splitlines() == ["['spam'] spam", expected]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"model": "logistic", "project": "lsa"},
            "project='lsa': expected lsa and how many features, from 1 to 100000, such as 'lsa:200'",
        ),
        (
            {"model": "logistic", "project": "lsa:0"},
            "project='lsa:0': expected lsa and how many features, from 1 to 100000, such as 'lsa:200'",
        ),
        ({"model": "logistic", "project": "pca:2"}, "project='pca': not known; the known ones are: lsa"),
        ({"model": "logistic", "project": 3}, "project=3: not known; the known ones are: lsa"),
        (
            {"model": "logistic", "project": "lsa:7"},
            "project='lsa:7': expected at most 3 features: there are 3 texts and 4 terms",
        ),
        (
            {"model": "nbsvm", "project": "lsa:7"},
            "project='lsa:7': not for the model 'nbsvm'; it is for: logistic, hinge",
        ),
        ({"model": "rotation", "subsets": 5}, "subsets=5: expected at most 4, as many as there are terms"),
        (
            {"model": "rotation-forest", "subsets": 2, "features": 3},
            "features=3: expected at most 2: each of 2 subsets has 2 terms, in 3 texts",
        ),
        (
            {"model": "rotation-forest", "rounds": 0},
            "rounds=0: expected a whole number from 1 to 100000, or None for the model's own",
        ),
        ({"model": "fisher", "shrinkage": 0}, "shrinkage=0: expected above 0, up to 1, or None to choose it"),
        ({"model": "fisher", "shrinkage": "much"}, "shrinkage='much': expected above 0, up to 1, or None to choose it"),
        (
            {"model": "fisher", "rounds": 3},
            "rounds=3: not for the model 'fisher'; it is for: rotation, rotation-forest, fisher-forest",
        ),
        ({"model": "fisher", "cost": 3.0}, "cost=3.0: not for the model 'fisher', which takes: None alone"),
        (
            {"model": "rotation-forest", "l1": 1.0},
            "l1=1.0: not for the model 'rotation-forest', which takes: 0.0 alone",
        ),
        (
            {"model": "multinomial", "features": 3},
            "features=3: not for the model 'multinomial'; it is for: rotation, rotation-forest",
        ),
    ],
)
def test_bad_settings_are_told(given, told):
    with pytest.raises(errors.DecibanError) as caught:
        deciban.train(["free money", "see you", "money"], ["spam", "ham", "spam"], **given)
    assert str(caught.value) == told


def test_a_projection_alone_is_of_the_logistic_model():
    assert deciban.train(*MAIL, project="lsa:2").settings.model == "logistic"


def test_what_would_take_too_much_memory_is_refused(monkeypatch):
    monkeypatch.setattr("deciban.projection.MOST_WEIGHTS", 10)
    with pytest.raises(errors.TooManyWeights, match="the model 'fisher' has a weight for every term and label"):
        deciban.train(*MAIL, model="fisher")


# Files


def with_trees(**changes):
    return lambda card: replace(
        card, trees=replace(card.trees, **{name: change(card.trees) for name, change in changes.items()})
    )


def put(array, place, value):
    changed = array.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    "change",
    [
        with_trees(left=lambda trees: put(trees.left, 1, 1)),
        with_trees(left=lambda trees: put(trees.left, 0, 10**6)),
        with_trees(left=lambda trees: put(trees.left, 0, trees.right[0])),
        with_trees(left=lambda trees: put(trees.left, 0, 0)),
        with_trees(right=lambda trees: put(trees.right, 0, trees.start[1])),
        with_trees(feature=lambda trees: put(trees.feature, 0, 10**6)),
        with_trees(threshold=lambda trees: put(trees.threshold, 0, np.nan)),
        with_trees(threshold=lambda trees: trees.threshold[:-1]),
        with_trees(p=lambda trees: put(trees.p, (0, 0), 0.0)),
        with_trees(p=lambda trees: put(trees.p, (0, 0), np.nan)),
        with_trees(p=lambda trees: trees.p[:-1]),
        with_trees(start=lambda trees: trees.start[:-1]),
        with_trees(start=lambda trees: put(trees.start, 1, 0)),
        with_trees(start=lambda trees: trees.start[:1]),
        lambda card: replace(card, row=put(card.row, (0, 0, 0), np.inf)),
        lambda card: replace(card, row=card.row[:, :-1]),
        lambda card: replace(card, subset=put(card.subset, (0, 0), 10**6)),
        lambda card: replace(card, subset=card.subset[:-1]),
        lambda card: replace(card, t=card.t[:-1]),
        lambda card: replace(card, t=put(card.t, 0, np.nan)),
    ],
)
def test_a_file_of_trees_that_are_none_is_damaged(change, tmp_path):
    model = deciban.train(*MAIL, model="rotation-forest", rounds=2)
    model._scorecard = change(model._card)
    start = forest.Forest.start.fget(deciban.train(*MAIL, model="rotation-forest", rounds=2)._card)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest.Forest, "start", start)
        model.save(tmp_path / "m")
    with pytest.raises(errors.DamagedModel, match=r"its trees|its axes|the arrays of its trees"):
        deciban.load(tmp_path / "m")


def test_a_file_that_has_trees_for_another_model_is_damaged(tmp_path):
    model = deciban.train(*MAIL, model="rotation-forest", rounds=2)
    model.settings = deciban.train(*MAIL, model="logistic", cost=1.0).settings
    model.save(tmp_path / "m")
    with pytest.raises(errors.DamagedModel, match="its trees do not fit its settings"):
        deciban.load(tmp_path / "m")
    plain = deciban.train(*MAIL, model="logistic", cost=1.0)
    plain.settings = deciban.train(*MAIL, model="rotation-forest", rounds=2).settings
    plain.save(tmp_path / "m")
    with pytest.raises(errors.DamagedModel, match="its trees do not fit its settings"):
        deciban.load(tmp_path / "m")


def test_the_same_examples_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        deciban.train(*MAIL, model="rotation-forest", rounds=2).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_selection_comes_before(tickets, tmp_path):
    model = deciban.train(
        tickets[0][::4], tickets[1][::4], model="rotation-forest", rounds=2, select="mutual-information:50"
    )
    model.save(tmp_path / "m")
    loaded = deciban.load(tmp_path / "m")
    assert len(loaded.lexicon) == 50
    assert np.array_equal(loaded.scores(tickets[0]), model.scores(tickets[0]))


def test_axes_of_no_features_are_zero():
    axes = Axes(np.zeros(0, np.int64), np.zeros((0, 1)), 1)
    assert axes.back(np.ones((1, 2))).shape == (0, 2)
