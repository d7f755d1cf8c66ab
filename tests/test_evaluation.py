"""Figures equal scikit-learn's where it has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from deciban.evaluation import Evaluation, wilson
from deciban.holdout import HeldOut

LABELS = ("a", "b", "c")
examples = st.lists(
    st.tuples(st.sampled_from([*LABELS, "unseen"]), st.lists(st.floats(-5, 5), min_size=3, max_size=3)), min_size=1
)


def evaluated(rows):
    return Evaluation(HeldOut(LABELS, [truth for truth, _ in rows], np.array([scores for _, scores in rows])))


@given(examples)
def test_figures_equal_scikit_learns(rows):
    ours = evaluated(rows)
    truth, predicted, labels = ours.held.truth, ours.held.predicted, list(ours.labels)
    assert ours.accuracy == metrics.accuracy_score(truth, predicted)
    assert ours.macro_f1 == pytest.approx(metrics.f1_score(truth, predicted, average="macro", zero_division=0))
    assert np.array_equal(ours.confusion, metrics.confusion_matrix(truth, predicted, labels=labels))
    theirs = metrics.precision_recall_fscore_support(truth, predicted, labels=labels, zero_division=0)
    for row, expected in zip(ours.by_label, zip(*theirs, strict=True), strict=True):
        assert (row.precision, row.recall, row.f1, row.support) == pytest.approx(expected)


@given(examples)
def test_the_baseline_is_the_most_frequent_label(rows):
    figures = evaluated(rows)
    label, share = figures.baseline
    assert share == max(figures.held.truth.count(r) for r in figures.labels) / figures.examples
    assert figures.held.truth.count(label) == share * figures.examples


@given(examples)
def test_probabilities_are_normalised_scores(rows):
    held = evaluated(rows).held
    np.testing.assert_allclose(held.proba.sum(axis=1), 1)
    np.testing.assert_allclose(np.diff(np.log(held.proba)), np.diff(held.scores), atol=1e-9)


def test_labels_that_the_model_lacks_are_mistakes():
    figures = evaluated([("unseen", [1, 0, 0]), ("a", [1, 0, 0])])
    assert (figures.accuracy, figures.unseen) == (0.5, ("unseen",))


@given(st.integers(1, 5000), st.floats(0, 1))
def test_the_interval_holds_the_share(n, share):
    right = round(n * share)
    low, high = wilson(right, n)
    assert 0 <= low <= right / n <= high <= 1


@pytest.mark.parametrize(("right", "n"), [(0, 10), (5, 10), (81, 263), (999, 1000)])
def test_the_interval_equals_scipys(right, n):
    from scipy.stats import binomtest

    expected = binomtest(right, n).proportion_ci(method="wilson")
    assert wilson(right, n) == pytest.approx((expected.low, expected.high))
