"""Our naive Bayes models give scikit-learn's numbers, and learn new labels as they come."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import naive_bayes
from sklearn.base import clone

from deciban import sklearn as ours

MODELS = ["MultinomialNB", "BernoulliNB", "ComplementNB"]
rows = st.lists(st.tuples(st.lists(st.integers(0, 3), min_size=3, max_size=3), st.sampled_from("abcd")), min_size=1)


@given(rows, st.sampled_from(MODELS), st.lists(st.integers(0, 9), max_size=3), st.booleans())
def test_learning_in_parts_equals_learning_at_once(examples, kind, cuts, is_weighted):
    x, y = np.array([x for x, _ in examples]), np.array([y for _, y in examples])
    weight = 1.0 + np.arange(len(y)) if is_weighted else np.ones(len(y))
    whole = getattr(naive_bayes, kind)().fit(x, y, sample_weight=weight)
    parts = getattr(ours, kind)()
    for place in np.split(np.arange(len(y)), sorted(cuts)):
        if len(place):
            parts.partial_fit(sp.csr_matrix(x[place]), y[place].tolist(), sample_weight=weight[place])
    assert parts.classes_.tolist() == whole.classes_.tolist()
    assert np.array_equal(parts.class_count_, whole.class_count_)
    assert np.array_equal(parts.feature_count_, whole.feature_count_)
    np.testing.assert_allclose(parts.predict_log_proba(x), whole.predict_log_proba(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", MODELS)
def test_a_part_that_is_refused_changes_nothing(kind):
    model = getattr(ours, kind)().partial_fit([[1, 0], [0, 1]], ["a", "b"])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit([[1, 0, 0]], ["c"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.feature_count_.shape == (2, 2)
    with pytest.raises(ValueError, match="is not the same as on last call"):
        model.partial_fit([[1, 0]], ["a"], classes=["a", "b", "c"])


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    ("labels", "weights", "prior", "message"),
    [
        (["b"], [1, 2], None, "sample_weight"),
        (["b"], None, [0.5, 0.5], "Number of priors"),
        ([1], None, None, "Mix of label input types"),
    ],
    ids=["weights", "prior", "label"],
)
def test_what_is_refused_after_labels_were_seen_changes_nothing(kind, labels, weights, prior, message):
    model = getattr(ours, kind)(class_prior=prior).partial_fit([[1, 0], [0, 1]], ["a", "c"])
    before = {name: np.copy(value) for name, value in vars(model).items()}
    with pytest.raises(ValueError, match=message):
        model.partial_fit([[1, 0]], labels, sample_weight=weights)
    assert vars(model).keys() == before.keys()
    assert all(np.array_equal(value, before[name]) for name, value in vars(model).items())
    assert model.predict([[0, 5]]).tolist() == ["c"]


@pytest.mark.parametrize("kind", ["MultinomialNB", "ComplementNB"])
def test_amounts_below_zero_leave_no_label_behind(kind):
    model = getattr(ours, kind)()
    for _ in range(2):
        with pytest.raises(ValueError, match="Negative values"):
            model.partial_fit([[-1, 0]], ["b"])
        assert "b" not in getattr(model, "classes_", [])
        model.partial_fit([[1, 0], [0, 1]], ["a", "c"])
    assert model.predict([[0, 5]]).tolist() == ["c"]


@pytest.mark.parametrize("kind", MODELS)
def test_announced_labels_are_as_in_scikit_learn(kind):
    mine, theirs = (getattr(m, kind)().partial_fit([[1, 0]], [2], classes=[1, 2]) for m in (ours, naive_bayes))
    assert np.array_equal(mine.feature_count_, theirs.feature_count_)
    assert clone(mine).get_params() == theirs.get_params()
    assert mine.partial_fit([[0, 1]], [3]).classes_.tolist() == [1, 2, 3]
