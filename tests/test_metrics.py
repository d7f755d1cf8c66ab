"""Figures: equal to scikit-learn's, with ties, labels that are absent, one label, labels that nobody knows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve

import deciban
from deciban.decision import costs, log_odds, log_odds_of_all
from deciban.evaluation import Evaluation, curves, hierarchy, multilabel
from deciban.evaluation.intervals import bootstrap_macro_f1, bootstrap_share
from deciban.evaluation.probabilities import probabilities, reliability, some_of
from deciban.evaluation.sets import set_figures
from deciban.holdout import HeldOut

few_scores = st.sampled_from([-30.0, -3.0, -1.0, 0.0, 0.5, 2.0, 40.0])  # so that there are ties


@st.composite
def held_out(draw, unseen=True):
    labels = tuple("abcd"[: draw(st.integers(1, 4))])
    n = draw(st.integers(1, 25))
    truths = st.sampled_from([*labels, "unseen"] if unseen else labels)
    truth = draw(st.lists(truths, min_size=n, max_size=n))
    scores = draw(arrays.arrays(np.float64, (n, len(labels)), elements=few_scores))
    return HeldOut(labels, truth, scores)


@st.composite
def binary(draw):
    n = draw(st.integers(2, 30))
    truth = draw(arrays.arrays(bool, n))
    truth[0], truth[1] = True, False
    return truth, draw(arrays.arrays(np.float64, n, elements=few_scores))


@st.composite
def indicators(draw):
    shape = (draw(st.integers(1, 12)), draw(st.integers(2, 5)))
    scores = draw(arrays.arrays(np.float64, shape, elements=few_scores))
    return *(draw(arrays.arrays(bool, shape)) for _ in range(2)), scores


# Labels


@given(held_out())
def test_averages_are_scikit_learns(held):
    ours = Evaluation(held)
    for average in ("macro", "weighted", "micro"):
        theirs = metrics.precision_recall_fscore_support(held.truth, held.predicted, average=average, zero_division=0)
        found = ours.averages[average]
        assert (found.precision, found.recall, found.f1) == pytest.approx(theirs[:3])


# Probabilities


@given(held_out())
def test_log_loss_and_brier_score_are_scikit_learns(held):
    labels = sorted({*held.labels, *held.truth})
    p = np.array(
        [held.proba[:, held.labels.index(r)] if r in held.labels else np.zeros(len(held.truth)) for r in labels]
    )
    found = probabilities(held)
    if len(labels) > 1:
        assert found.log_loss == pytest.approx(metrics.log_loss(held.truth, p.T, labels=labels), abs=1e-9)
        scale = len(held.labels) == 2
        brier = metrics.brier_score_loss(held.truth, p.T, labels=labels, scale_by_half=scale)
        assert found.brier == pytest.approx(brier, abs=1e-12)
    assert found.examples == len(held.truth)
    if len(labels) == 1:
        assert (found.log_loss, found.brier) == (pytest.approx(0, abs=1e-12), 0)


@given(held_out())
def test_the_calibration_error_is_the_mean_distance_over_scikit_learns_bins(held):
    found = probabilities(held)
    right = np.array(held.predicted) == np.array(held.truth)
    top = held.proba.max(axis=1)
    share, mean = calibration_curve(right, np.minimum(top, 1.0), n_bins=15)
    assert [of.right for of in found.bins] == pytest.approx(share)
    assert [of.probability for of in found.bins] == pytest.approx(mean)
    n = [of.examples for of in found.bins]
    assert sum(n) == len(top)
    assert found.calibration_error == pytest.approx(float(np.abs(share - mean) @ n) / len(top))


def test_what_of_a_calibration_error_is_noise():
    draw = np.random.default_rng(0)
    p = draw.uniform(0.5, 1, 2000)
    of = [
        Evaluation(
            HeldOut(("a", "b"), np.where(draw.random(2000) < p, "a", "b").tolist(), np.log(np.stack([p, 1 - p], 1)))
        )
        for _ in range(200)
    ]
    drawn = np.mean([one.probabilities.calibration_error for one in of])
    assert of[0].probabilities.calibration_noise == pytest.approx(drawn, rel=0.05)


def test_a_calibration_error_by_hand():
    bins = reliability(np.array([0.95, 0.95, 0.95, 0.95, 0.55, 0.55]), np.array([1, 1, 1, 0, 0, 1.0]))
    assert [(of.examples, round(of.probability, 2), of.right) for of in bins] == [(2, 0.55, 0.5), (4, 0.95, 0.75)]
    held = HeldOut(("a", "b"), ["a"] * 6, np.log([[0.95, 0.05]] * 4 + [[0.55, 0.45]] * 2))
    assert Evaluation(held).probabilities.calibration_error == pytest.approx((4 * 0.05 + 2 * 0.45) / 6)


def test_of_very_many_scores_an_even_sample_is_judged():
    held = HeldOut(("a", "b"), ["a", "b"] * 500, lambda places: np.zeros((len(places), 2)), ["a"] * 1000)
    assert some_of(held, 100).tolist() == sorted({int(999 * i / 49) for i in range(50)})
    assert len(some_of(held)) == 1000
    assert probabilities(held).log_loss == pytest.approx(np.log(2))


def test_answers_without_scores_have_no_such_figures():
    figures = Evaluation(HeldOut(("a", "b"), ["a", "b"], np.empty((2, 0)), ["a", "a"]))
    told = figures.as_dict()
    assert (told["probabilities"], told["roc_area"], told["average_precision"], told["ranked"]) == (
        None,
        None,
        None,
        [],
    )
    assert told["averages"]["micro"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


# Curves


@given(binary())
def test_roc_and_its_area_are_scikit_learns(of):
    truth, scores = of
    theirs = metrics.roc_curve(truth, scores, drop_intermediate=False)
    for one, other in zip(curves.roc(truth, scores), theirs, strict=True):
        np.testing.assert_allclose(one, other)
    assert curves.roc_area(truth, scores) == pytest.approx(metrics.roc_auc_score(truth, scores))


@given(binary())
def test_precision_recall_and_average_precision_are_scikit_learns(of):
    truth, scores = of
    precision, recall, thresholds = metrics.precision_recall_curve(truth, scores)
    ours = curves.precision_recall(truth, scores)
    np.testing.assert_allclose(ours.x, recall[::-1])
    np.testing.assert_allclose(ours.y, precision[::-1])
    np.testing.assert_allclose(ours.thresholds[1:], thresholds[::-1])
    theirs = metrics.average_precision_score(truth, scores)
    assert curves.average_precision(truth, scores) == pytest.approx(theirs)


@given(binary(), st.integers(1, 40), st.randoms())
def test_precision_at_k_is_the_mean_over_orders_of_equal_scores(of, k, random):
    truth, scores = of
    k = min(k, len(truth))
    first = np.sort(scores)[::-1][k - 1]
    above, tied = scores > first, scores == first
    expected = (truth[above].sum() + truth[tied].mean() * (k - above.sum())) / k
    assert curves.precision_at(truth, scores, k) == pytest.approx(expected)
    order = random.sample(range(len(truth)), len(truth))
    assert curves.precision_at(truth[order], scores[order], k) == pytest.approx(expected)


@given(held_out(unseen=False))
def test_means_over_labels_are_scikit_learns_one_against_rest(held):
    figures = Evaluation(held)
    both = [r for r in held.labels if 0 < held.truth.count(r) < len(held.truth)]
    assert [one.label for one in figures.ranked] == both
    odds = dict(zip(held.labels, log_odds_of_all(held.scores).T, strict=True))
    areas = [metrics.roc_auc_score(np.array(held.truth) == r, odds[r]) for r in both]
    precisions = [metrics.average_precision_score(np.array(held.truth) == r, odds[r]) for r in both]
    assert figures.roc_area == (pytest.approx(np.mean(areas)) if both else None)
    assert figures.average_precision == (pytest.approx(np.mean(precisions)) if both else None)


@given(arrays.arrays(np.float64, (5, 3), elements=st.floats(-900, 900) | st.just(-np.inf)))
def test_all_log_odds_at_once_are_those_of_each_label(scores):
    expected = np.stack([log_odds(scores, r) for r in range(3)], axis=1)
    np.testing.assert_allclose(log_odds_of_all(scores), expected, rtol=1e-9, atol=1e-9)


def test_of_very_many_labels_those_with_most_examples_are_looked_at():
    labels = tuple(f"{i:03}" for i in range(300))
    truth = [*labels, *labels[100:300]]
    held = HeldOut(labels, truth, np.random.default_rng(1).normal(size=(500, 300)))
    assert [one.label for one in Evaluation(held).ranked] == list(labels[100:300])


# Costs, sets, paths


@given(held_out(), st.dictionaries(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), st.floats(-9, 9)))
def test_cost_is_the_confusion_matrix_times_the_cost_matrix(held, given_costs):
    figures = Evaluation(held)
    matrix = [[given_costs.get((t, p), float(t != p)) for p in figures.labels] for t in figures.labels]
    expected = float((figures.confusion * np.array(matrix)).sum()) / figures.examples
    assert figures.cost(given_costs) == pytest.approx(expected, abs=1e-12)
    assert figures.cost({}) == pytest.approx(1 - figures.accuracy)


def test_costs_of_a_file(tmp_path):
    (tmp_path / "costs.csv").write_text("true,predicted,cost\nham,spam,10\nspam,ham,-0.5\n")
    assert costs.read(tmp_path / "costs.csv") == {("ham", "spam"): 10.0, ("spam", "ham"): -0.5}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sets(st.sampled_from("abcd"))), min_size=1))
def test_sets_of_labels(answers):
    truth, sets = zip(*answers, strict=True)
    found = set_figures(sets, truth, 0.9)
    held = np.array([t in s for t, s in answers])
    assert found.coverage == pytest.approx(held.mean())
    low, high = found.interval_95
    assert low <= found.coverage <= high
    assert found.mean_size == pytest.approx(np.mean([len(s) for s in sets]))
    assert found.empty == pytest.approx(np.mean([not s for s in sets]))
    assert found.single == pytest.approx(np.mean([len(s) == 1 for s in sets]))
    for label, share in found.by_label.items():
        assert share == pytest.approx(held[np.array(truth) == label].mean())
    assert found.least[1] == min(found.by_label.values())
    assert found.as_dict()["examples"] == len(truth)


paths = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map("/".join)


@given(st.dictionaries(st.tuples(paths, paths), st.integers(1, 5), min_size=1))
def test_paths_are_counted_with_their_ancestors(pairs):
    answers = [pair for pair, times in pairs.items() for _ in range(times)]
    every = sorted({node for pair in answers for label in pair for node in hierarchy.with_ancestors(label)})
    truth, said = (
        np.array([[n in hierarchy.with_ancestors(pair[i]) for n in every] for pair in answers]) for i in (0, 1)
    )
    found = hierarchy.path_figures(pairs)
    theirs = metrics.precision_recall_fscore_support(truth, said, average="micro", zero_division=0)
    assert (found.precision, found.recall, found.f1) == pytest.approx(theirs[:3])


@given(held_out())
def test_labels_without_ancestors_have_accuracy_on_every_path(held):
    figures = Evaluation(held)
    found = figures.paths()
    assert (found.precision, found.recall, found.f1) == pytest.approx((figures.accuracy,) * 3)


# Several labels a text


@given(indicators())
def test_several_labels_a_text_are_judged_as_scikit_learn_does(of):
    truth, said, scores = of
    for average in multilabel.AXES:
        theirs = metrics.precision_recall_fscore_support(truth, said, average=average, zero_division=0)
        ours = (multilabel.precision, multilabel.recall, multilabel.f1)
        assert [figure(truth, said, average) for figure in ours] == pytest.approx(theirs[:3])
        expected = metrics.jaccard_score(truth, said, average=average, zero_division=0)
        assert multilabel.jaccard(truth, said, average) == pytest.approx(expected)
    assert multilabel.hamming_loss(truth, said) == pytest.approx(metrics.hamming_loss(truth, said))
    assert multilabel.subset_accuracy(truth, said) == pytest.approx(metrics.accuracy_score(truth, said))
    theirs = metrics.label_ranking_average_precision_score(truth, scores)
    assert multilabel.ranking_precision(truth, scores) == pytest.approx(theirs)
    assert multilabel.coverage_error(truth, scores) == pytest.approx(metrics.coverage_error(truth, scores))


# Intervals


@pytest.mark.parametrize(("right", "n"), [(160, 200), (3, 40), (4990, 5000)])
def test_the_bootstrap_of_a_share_is_scipys(right, n):
    sample = np.repeat([1.0, 0.0], [right, n - right])
    theirs = stats.bootstrap((sample,), np.mean, n_resamples=9999, method="percentile", rng=1).confidence_interval
    spread = np.sqrt(right * (n - right) / n) / n
    assert bootstrap_share(right, n) == pytest.approx((theirs.low, theirs.high), abs=0.15 * spread + 1 / n)


def test_the_bootstrap_of_macro_f1_is_that_of_drawing_texts():
    rng = np.random.default_rng(2)
    truth = rng.choice(list("abc"), 150, p=[0.6, 0.3, 0.1])
    said = np.where(rng.random(150) < 0.8, truth, rng.choice(list("abc"), 150))
    figures = Evaluation(HeldOut(tuple("abc"), truth.tolist(), np.empty((150, 0)), said.tolist()))
    drawn = [
        metrics.f1_score(truth[rows], said[rows], average="macro", zero_division=0)
        for rows in rng.integers(0, 150, (400, 150))
    ]
    found = figures.bootstrap["macro_f1"]
    assert found == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.02)
    assert found[0] < figures.macro_f1 < found[1]


def test_of_too_many_kinds_of_answers_none_are_drawn():
    assert bootstrap_macro_f1({(f"{i}", "x"): 1 for i in range(9000)}) is None


def test_every_figure_of_a_model_is_there(tickets):
    figures = Evaluation(deciban.train(*tickets, words=(1, 2), alpha=0.3).leave_one_out())
    told = figures.as_dict()
    assert told["averages"]["micro"]["f1"] == told["accuracy"] == figures.accuracy
    assert 0.95 < told["roc_area"] <= 1
    assert 0.9 < told["average_precision"] <= 1
    assert {row["label"] for row in told["ranked"]} == {row["label"] for row in told["labels"]}
    assert sum(row["examples"] for row in told["probabilities"]["bins"]) == 716
    low, high = told["bootstrap_95"]["accuracy"]
    assert low < told["accuracy"] < high
