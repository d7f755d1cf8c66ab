"""The scikit-learn face behaves as scikit-learn's users expect; scikit-learn is the second witness of the numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from deciban.errors import DecibanError
from deciban.sklearn import TextClassifier


@pytest.mark.parametrize(
    ("settings", "vectoriser", "alpha"),
    [
        ({}, {}, 1.0),
        ({"words": (1, 2), "alpha": 0.3}, {"ngram_range": (1, 2)}, 0.3),
        ({"binary": True}, {"binary": True}, 1.0),
        ({"words": None, "chars": (2, 4)}, {"ngram_range": (2, 4), "analyzer": "char_wb"}, 1.0),
        ({"words": None, "chars_across": (2, 4)}, {"ngram_range": (2, 4), "analyzer": "char"}, 1.0),
        ({"accents": "fold"}, {"strip_accents": "unicode"}, 1.0),
        ({"tokens": "whitespace"}, {"token_pattern": r"\S+"}, 1.0),
    ],
)
def test_probabilities_equal_scikit_learns(tickets, settings, vectoriser, alpha):
    texts, labels = tickets
    ours = TextClassifier(**settings, calibration="none").fit(texts[:500], labels[:500])
    theirs = make_pipeline(CountVectorizer(**vectoriser), MultinomialNB(alpha=alpha)).fit(texts[:500], labels[:500])
    np.testing.assert_allclose(ours.predict_log_proba(texts), theirs.predict_log_proba(texts), rtol=1e-9, atol=1e-9)
    assert (ours.predict(texts) == theirs.predict(texts)).all()
    assert (ours.classes_ == theirs.classes_).all()


def test_parameters_clone_and_print():
    model = TextClassifier(words=(1, 2), alpha=0.5)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert again.set_params(alpha=0.1).alpha == 0.1
    assert repr(model) == "TextClassifier(alpha=0.5, words=(1, 2))"
    assert "TextClassifier" in model._repr_html_()


def test_pipelines_searches_and_cross_validation(tickets):
    texts, labels = map(np.array, tickets)
    pipeline = Pipeline(
        [("strip", FunctionTransformer(lambda xs: [x.strip() for x in xs])), ("model", TextClassifier())]
    )
    assert cross_val_score(pipeline, texts, labels, cv=3).mean() > 0.75
    search = GridSearchCV(TextClassifier(), {"alpha": [0.1, 1.0], "words": [(1, 1), (1, 2)]}, cv=3, n_jobs=2)
    search.fit(texts, labels)
    assert search.best_score_ > 0.8
    assert len(search.cv_results_["params"]) == 4


@pytest.mark.parametrize(
    "column",
    [
        list,
        tuple,
        np.array,
        lambda xs: np.array(xs, object),
        pd.Series,
        lambda xs: pd.Series(xs, dtype="string"),
        pl.Series,
        pa.array,
        lambda xs: pa.chunked_array([xs[:1], xs[1:]]),
    ],
)
def test_columns_of_many_kinds(column):
    texts = ["free money", "money now", "see you"]
    model = TextClassifier().fit(column(texts), column(["spam", "spam", "ham"]))
    assert model.predict(column(["money", "see"])).tolist() == ["spam", "ham"]


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA])
def test_a_missing_text_is_named(missing):
    with pytest.raises(ValueError, match=r"^texts\[1\]: expected a text, got (None|nan|<NA>|NAType <NA>)$"):
        TextClassifier().fit(["a1", missing, "b1"], ["x", "y", "y"])
    with pytest.raises(DecibanError, match=r"^y\[2\]: expected a label as text, got (None|nan|<NA>|NAType <NA>)$"):
        TextClassifier().fit(["a1", "b1", "c1"], ["x", "y", missing])


@pytest.mark.parametrize("labels", [[2, 10, 2, 10], [True, False, True, False], [1.5, -3.0, 1.5, -3.0]])
def test_labels_come_back_as_they_were(labels):
    model = TextClassifier().fit(["a1", "b1", "a1 c1", "b1 d1"], labels)
    assert model.predict(["a1", "b1"]).tolist() == labels[:2]
    assert model.classes_.tolist() == sorted(set(labels))
    assert model.predict_proba(["a1"]).argmax() == model.classes_.tolist().index(labels[0])


def test_partial_fit_equals_fit_and_takes_new_labels():
    texts, labels = ["a1", "b1", "c1 a1", "d1"], [1, 20, 3, 20]
    model = TextClassifier().partial_fit(texts[:2], labels[:2])
    model.partial_fit(texts[2:], labels[2:])
    fresh = TextClassifier().fit(texts, labels)
    assert model.classes_.tolist() == fresh.classes_.tolist() == [1, 3, 20]
    assert np.array_equal(model.predict_proba(texts), fresh.predict_proba(texts))


def test_before_fit_it_says_so():
    with pytest.raises(NotFittedError):
        TextClassifier().predict(["a"])


def test_settings_are_checked_at_fit():
    with pytest.raises(ValueError, match="model='svm': not known; the known ones are: multinomial"):
        TextClassifier(model="svm").fit(["a1", "b1"], ["x", "y"])


def test_explanations_are_at_hand():
    model = TextClassifier().fit(["free money", "see you"], ["spam", "ham"])
    assert model.explain("money").terms[0].term == "money"
