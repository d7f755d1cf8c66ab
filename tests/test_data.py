"""Real texts of many languages and kinds: counts equal scikit-learn's exactly."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from deciban.counts import count
from deciban.rows import rows
from deciban.terms import Terms

SETS = ["cr", "sms-spam", "tweets-8lang", "udhr-langid", "r8", "trec"]


@pytest.mark.parametrize("name", [*SETS, "imdb", "20ng", "spamassassin"])
def test_words_are_scikit_learns(data, name):
    texts, labels = data(name, limit=6000)
    vectoriser = CountVectorizer()
    matrix = vectoriser.fit_transform(texts)
    counts = count(Terms(), texts, labels)
    assert counts.lexicon.names() == vectoriser.get_feature_names_out().tolist()
    ours = rows(counts.lexicon, texts)
    matrix.sort_indices()
    assert np.array_equal(ours.indptr, matrix.indptr)
    assert np.array_equal(ours.term, matrix.indices)
    assert np.array_equal(ours.count, matrix.data)
    occurrences = np.bincount(counts.term, counts.occurrences)
    assert np.array_equal(occurrences, np.asarray(matrix.sum(axis=0)).ravel())


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"words": (1, 2)}, {}),
        ({"words": (1, 2), "accents": "fold"}, {"strip_accents": "unicode"}),
        ({"words": None, "chars": (1, 2)}, {"analyzer": "char_wb"}),
        ({"words": None, "chars_across": (1, 2)}, {"analyzer": "char"}),
    ],
)
def test_grams_are_scikit_learns(data, name, ours, theirs):
    texts, labels = data(name, limit=1500)
    vectoriser = CountVectorizer(ngram_range=(1, 2), **theirs)
    matrix = vectoriser.fit_transform(texts)
    counts = count(Terms(**ours), texts, labels)
    assert [
        term.removeprefix("\tc").removeprefix("\ta") for term in counts.lexicon.names()
    ] == vectoriser.get_feature_names_out().tolist()
    assert np.array_equal(np.bincount(counts.term, counts.occurrences), np.asarray(matrix.sum(axis=0)).ravel())
