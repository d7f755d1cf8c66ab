"""Solvers of fitted linear models: LIBLINEAR's objective, gaps that bound, the same bits on any number of threads."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression
from sklearn.svm import LinearSVC

from deciban.fitting.solvers import LOSSES, Solver, examples, fit, held_out, least_c

ONE = ("hinge", "squared_hinge", "squared", "logistic")
SPARSE = ("squared_hinge", "squared", "logistic")
JOINT = ("softmax", "multiclass_hinge")


def costs(loss, scores, label):
    """What each row costs: one column a problem."""
    rows, labels = np.arange(len(label)), max(scores.shape[1], 2)
    if loss == "softmax":
        return (np.logaddexp.reduce(scores, axis=1) - scores[rows, label])[:, None]
    if loss == "multiclass_hinge":
        worth = scores + (np.arange(labels) != label[:, None])
        return (worth.max(axis=1) - scores[rows, label])[:, None]
    is_own = label[:, None] == (1 if scores.shape[1] == 1 else np.arange(labels))
    margin = np.where(is_own, scores, -scores)
    short = np.maximum(0, 1 - margin)
    return {
        "hinge": short,
        "squared_hinge": short**2,
        "squared": (1 - margin) ** 2,
        "logistic": np.logaddexp(0, -margin),
    }[loss]


def objectives(x, label, weights, bias, c, solver, cost=1.0, constant=1.0):
    """The objective of each problem, in plain NumPy."""
    w = np.concatenate([weights, bias[None] / constant])
    penalty = (solver.l1 * np.abs(w) + (1 - solver.l1) / 2 * w**2).sum(axis=0)
    losses = c * (costs(solver.loss, x @ weights + bias, label) * np.reshape(cost, (-1, 1))).sum(axis=0)
    return (penalty.sum() if solver.loss in JOINT else penalty) + losses


def rows_of(x):
    x = sp.csr_matrix(x)
    x.sort_indices()
    return x.indptr, x.indices, x.data


def problem(x, label, **more):
    return examples(rows_of(x), x.shape[1], label, int(label.max()) + 1, **more)


@pytest.fixture(scope="module")
def texts(data):
    """Rows of real texts: 2 labels, and 6."""

    def matrix(name):
        found, labels = data(name, limit=1500)
        x = TfidfVectorizer(ngram_range=(1, 2)).fit_transform(found)
        x.data = x.data.astype(np.float32).astype(np.float64)
        return x, np.unique(labels, return_inverse=True)[1]

    return {name: matrix(name) for name in ("cr", "trec")}


def liblinear(loss, c, **more):
    if loss == "logistic":
        return LogisticRegression(solver="liblinear", C=c, tol=1e-8, max_iter=10000, random_state=0, **more)
    return LinearSVC(loss=loss, C=c, tol=1e-8, max_iter=1_000_000, random_state=0, **more)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
@pytest.mark.parametrize("c", [0.1, 10.0])
@pytest.mark.parametrize("name", ["cr", "trec"])
def test_objective_is_that_of_liblinear(texts, loss, c, name):
    x, label = texts[name]
    label = label > 2 if loss == "logistic" and name == "trec" else label
    label = label.astype(int)
    theirs = liblinear(loss, c, dual=loss != "logistic").fit(x, label)
    found = fit(problem(x, label), Solver(loss), [c])[0]
    ours = objectives(x, label, found.weights, found.bias, c, Solver(loss))
    np.testing.assert_allclose(found.objective, ours, rtol=1e-9)
    np.testing.assert_allclose(
        ours, objectives(x, label, theirs.coef_.T, theirs.intercept_, c, Solver(loss)), rtol=1e-4
    )
    assert (found.gap <= 1e-4 * found.objective).all()


@pytest.mark.parametrize("c", [0.3, 30.0])
def test_softmax_objective_is_that_of_scikit_learn(texts, c):
    x, label = texts["trec"]
    theirs = LogisticRegression(C=c, fit_intercept=False, tol=1e-7, max_iter=10000).fit(x, label)
    found = fit(problem(x, label, bias=0.0), Solver("softmax"), [c])[0]
    ours = objectives(x, label, found.weights, found.bias, c, Solver("softmax"))
    np.testing.assert_allclose(found.objective, ours, rtol=1e-9)
    np.testing.assert_allclose(ours, objectives(x, label, theirs.coef_.T, np.zeros(6), c, Solver("softmax")), rtol=1e-4)


@pytest.mark.parametrize("c", [0.1, 1.0])
def test_multiclass_hinge_objective_is_that_of_liblinear(texts, c):
    x, label = texts["trec"]
    theirs = LinearSVC(multi_class="crammer_singer", C=c, tol=1e-7, max_iter=100_000).fit(x, label)
    found = fit(problem(x, label), Solver("multiclass_hinge"), [c])[0]
    ours = objectives(x, label, found.weights, found.bias, c, Solver("multiclass_hinge"))
    np.testing.assert_allclose(found.objective, ours, rtol=1e-9)
    reference = objectives(x, label, theirs.coef_.T, theirs.intercept_, c, Solver("multiclass_hinge"))
    np.testing.assert_allclose(ours, reference, rtol=1e-4)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_l1_objective_is_that_of_liblinear(texts, loss):
    x, label = texts["cr"]
    solver = Solver(loss, l1=1.0, tolerance=1e-6)
    theirs = liblinear(loss, 3.0, **({"l1_ratio": 1} if loss == "logistic" else {"penalty": "l1", "dual": False})).fit(
        x, label
    )
    found = fit(problem(x, label), solver, [3.0])[0]
    ours = objectives(x, label, found.weights, found.bias, 3.0, solver)
    np.testing.assert_allclose(found.objective, ours, rtol=1e-9)
    np.testing.assert_allclose(ours, objectives(x, label, theirs.coef_.T, theirs.intercept_, 3.0, solver), rtol=1e-4)
    assert (
        abs(found.nonzero[0] - np.count_nonzero(theirs.coef_)) <= 0.05 * found.nonzero[0]
    )  # equal columns share as they like


@pytest.mark.parametrize("l1", [1.0, 0.5])
def test_squared_loss_is_the_lasso_and_the_elastic_net(texts, l1):
    x, label = texts["cr"]
    n, c, solver = len(label), 2.0, Solver("squared", l1=l1, tolerance=1e-6)
    alpha = 1 / (2 * n * c)  # scikit-learn's loss is a mean, and a half
    model = Lasso(alpha) if l1 == 1 else ElasticNet(alpha, l1_ratio=l1)
    theirs = model.set_params(fit_intercept=False, tol=1e-6, max_iter=10000).fit(x, 2 * label - 1)
    found = fit(problem(x, label, bias=0.0), solver, [c])[0]
    ours = objectives(x, label, found.weights, found.bias, c, solver)
    np.testing.assert_allclose(ours, objectives(x, label, theirs.coef_[:, None], np.zeros(1), c, solver), rtol=1e-4)
    assert 0 < found.nonzero[0] < x.shape[1] / 2


def test_an_l1_path_begins_where_the_first_term_comes_in(texts):
    x, label = texts["trec"]
    given = problem(x, label)
    solver = Solver("logistic", l1=1.0, tolerance=1e-8)
    first = least_c(given, solver)
    path = fit(given, solver, [0.99 * first, 1.01 * first, 10 * first, 100 * first])
    assert not path[0].weights.any()
    assert not path[0].bias.any()
    nonzero = [np.count_nonzero(step.weights) + np.count_nonzero(step.bias) for step in path]
    assert nonzero == sorted(nonzero)
    assert nonzero[1] >= 1


@pytest.mark.parametrize("solver", [*map(Solver, LOSSES), *(Solver(loss, l1=0.5) for loss in SPARSE)], ids=repr)
def test_a_path_ends_where_single_fits_end(texts, solver):
    x, label = texts["trec"]
    given, cs = problem(x, label), [0.1, 1.0, 3.0]
    single = [fit(given, solver, [c])[0] for c in cs]
    for path in (fit(given, solver, cs), fit(given, solver, cs[::-1])[::-1]):
        for one, step in zip(single, path, strict=True):
            assert step.c == one.c
            np.testing.assert_allclose(step.objective, one.objective, rtol=1e-4)
    again = fit(given, solver, [3.0], start=single[2])[0]
    np.testing.assert_allclose(again.objective, single[2].objective, rtol=1e-4)
    if solver.loss not in ("hinge", "multiclass_hinge"):  # whose dual does not follow from the weights
        assert again.epochs.sum() < single[2].epochs.sum()


@pytest.mark.parametrize("solver", [*map(Solver, LOSSES), Solver("logistic", l1=0.5)], ids=repr)
def test_held_out_scores_are_those_of_fits_without_the_fold(texts, solver):
    x, label = texts["trec"]
    cs, folds = [0.3, 3.0], np.arange(len(label)) % 3
    tight = replace(solver, tolerance=1e-7, threads=2)
    found = held_out(problem(x, label), tight, cs, folds)
    assert found.shape == (2, len(label), 6)
    for fold in range(2):
        rest = folds != fold
        for c, scores in zip(cs, found, strict=True):
            one = fit(problem(x[rest], label[rest]), tight, [c])[0]
            expected = x[~rest] @ one.weights + one.bias
            np.testing.assert_allclose(scores[~rest], expected, atol=0.01 * np.abs(expected).max())


@st.composite
def problems(draw):
    """A tiny problem with costs, some of them 0, and all labels somewhere."""
    labels, terms = draw(st.integers(2, 4)), draw(st.integers(1, 5))
    rows = draw(st.integers(labels, 12))
    number = st.sampled_from([0, 0, 0, 1, 2, 0.5, -1.5])
    x = np.array(draw(st.lists(st.lists(number, min_size=terms, max_size=terms), min_size=rows, max_size=rows)), float)
    label = np.arange(rows) % labels
    cost = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 4.0]), min_size=rows, max_size=rows)))
    return x, label, cost, draw(st.sampled_from([0.01, 1.0, 20.0])), draw(st.sampled_from([0.0, 1.0, 3.0]))


SOLVERS = st.sampled_from([*map(Solver, LOSSES), *(Solver(loss, l1=l1) for loss in SPARSE for l1 in (1.0, 0.4))])


@given(problems(), SOLVERS, st.sampled_from([1e-1, 1e-3]))
def test_the_gap_bounds_what_is_missing(tiny, solver, tolerance):
    x, label, cost, c, constant = tiny
    given = problem(x, label, cost=cost, bias=constant)
    rough = fit(given, replace(solver, tolerance=tolerance), [c])[0]
    fine = fit(given, replace(solver, tolerance=1e-8, epochs=20_000), [c])[0]
    for step in (rough, fine):
        ours = objectives(x, label, step.weights, step.bias, c, solver, cost, constant or 1.0)
        np.testing.assert_allclose(step.objective, ours, rtol=1e-6, atol=1e-9)
        assert (step.gap >= -1e-9 * (1 + step.objective)).all()
    assert (rough.objective - rough.gap <= fine.objective * (1 + 1e-7) + 1e-9).all()
    assert (fine.objective - fine.gap <= rough.objective * (1 + 1e-7) + 1e-9).all()
    assert (fine.gap <= 1e-5 * fine.objective + 1e-9).all()


@given(problems(), SOLVERS)
def test_threads_never_matter_and_rows_that_cost_nothing_tell_nothing(tiny, solver):
    x, label, cost, c, constant = tiny
    given = problem(x, label, cost=cost, bias=constant)
    one, two = (fit(given, replace(solver, threads=threads), [c, 2 * c]) for threads in (1, 3))
    for a, b in zip(one, two, strict=True):
        assert (a.weights == b.weights).all()
        assert (a.bias == b.bias).all()
    folds = np.arange(len(label)) % 2
    held = [held_out(given, replace(solver, threads=threads), [c], folds) for threads in (1, 3)]
    assert (held[0] == held[1]).all()
    x[cost == 0] = 7
    other = fit(problem(x, label, cost=cost, bias=constant), replace(solver, tolerance=1e-8), [c])[0]
    np.testing.assert_allclose(
        other.objective, fit(given, replace(solver, tolerance=1e-8), [c])[0].objective, rtol=1e-4, atol=1e-9
    )


def test_progress_is_told_and_may_stop(texts):
    x, label = texts["trec"]
    told = []

    def stop(progress):
        told.append(progress)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(problem(x, label), Solver("hinge", tolerance=0.0, epochs=10**9), [1.0], progress=stop)
    assert told[0].problems == 6
    assert told[0].epoch > 1
    assert told[0].objective > told[0].gap


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"rows": (np.array([0, 1, 2]), np.array([0, 1]), np.array([1.0, np.nan]))}, "not all finite"),
        ({"rows": (np.array([0, 1, 2]), np.array([0, 2]), np.array([1.0, 1.0]))}, "do not fit"),
        ({"rows": (np.array([0, 1, 2]), np.array([0, 1]), np.array([1.0]))}, "differ in length"),
        ({"label": np.array([0, 2])}, "none of them"),
        ({"label": np.array([0])}, "do not fit the rows"),
        ({"labels": 1}, "fewer than two labels"),
        ({"cost": np.array([1.0, -1.0])}, "costs are not all numbers"),
        ({"cost": np.array([1.0, np.nan])}, "costs are not all numbers"),
        ({"bias": np.inf}, "not all finite"),
    ],
)
def test_what_cannot_be_solved_is_refused(change, line):
    fine = {
        "rows": (np.array([0, 1, 2]), np.array([0, 1]), np.array([1.0, 1.0])),
        "terms": 2,
        "label": np.array([0, 1]),
    }
    with pytest.raises(ValueError, match=line):
        fit(examples(**{**fine, "labels": 2, **change}), Solver(), [1.0])


@pytest.mark.parametrize(
    ("solver", "c", "line"),
    [
        (Solver("no such"), 1.0, "no such loss"),
        (Solver(l1=-0.1), 1.0, "part of L1"),
        (Solver("hinge", l1=0.5), 1.0, "part of L1"),
        (Solver("softmax", l1=0.5), 1.0, "part of L1"),
        (Solver(tolerance=np.nan), 1.0, "tolerance"),
        (Solver(epochs=0), 1.0, "epoch"),
        (Solver(), 0.0, "C is a number above 0"),
        (Solver(), np.nan, "C is a number above 0"),
    ],
)
def test_bad_solvers_are_refused(solver, c, line):
    given = examples((np.array([0, 1, 2]), np.array([0, 1]), np.array([1.0, 1.0])), 2, np.array([0, 1]), 2)
    with pytest.raises(ValueError, match=line):
        fit(given, solver, [c])
    with pytest.raises(ValueError, match="do not fit the rows"):
        held_out(given, Solver(), [1.0], np.array([0]))
