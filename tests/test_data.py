"""Real texts of many languages and kinds: counts equal scikit-learn's and the oracle's exactly.

`make data` reads every text of every set; `make test` some of each.
"""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import oracle
from conftest import DATA
from deciban.counts import count
from deciban.rows import rows
from deciban.terms import Terms

ALL = sorted(path.name.removesuffix(".jsonl.gz") for path in DATA.glob("*.jsonl.gz"))
SETS = ["cr", "sms-spam", "tweets-8lang", "udhr-langid", "r8", "trec"]


@pytest.mark.parametrize("name", ALL or SETS)
def test_words_are_scikit_learns(data, name, request):
    texts, labels = data(name, limit=None if request.config.getoption("all_texts") else 2000)
    vectoriser = CountVectorizer()
    matrix = vectoriser.fit_transform(texts)
    counts = count(Terms(), texts, labels)
    assert counts.lexicon.names() == vectoriser.get_feature_names_out().tolist()
    ours = rows(counts.lexicon, texts)
    matrix.sort_indices()
    assert np.array_equal(ours.indptr, matrix.indptr)
    assert np.array_equal(ours.term, matrix.indices)
    assert np.array_equal(ours.count, matrix.data)
    number = {label: i for i, label in enumerate(counts.labels)}
    of_label = np.array([number[label] for label in labels])
    cells = counts.term * len(number) + counts.label
    for theirs, counted in ((matrix.data, counts.occurrences), (np.ones(matrix.nnz, np.int64), counts.presences)):
        cell = matrix.indices.astype(np.int64) * len(number) + np.repeat(of_label, np.diff(matrix.indptr))
        found, place = np.unique(cell, return_inverse=True)
        assert np.array_equal(cells, found)
        assert np.array_equal(counted, np.bincount(place, theirs).astype(np.int64))


@pytest.mark.parametrize("name", ALL or SETS)
def test_words_and_bigrams_are_the_oracles(data, name, request):
    texts, labels = data(name, limit=None if request.config.getoption("all_texts") else 300)
    counts, expected = count(Terms(words=(1, 2)), texts, labels), oracle.Counts(texts, labels, words=(1, 2))
    names = [
        name for name, times in zip(counts.lexicon.names(), np.diff(counts.indptr), strict=True) for _ in range(times)
    ]
    of_labels = [counts.labels[label] for label in counts.label]
    postings = list(zip(names, of_labels, counts.occurrences.tolist(), counts.presences.tolist(), strict=True))
    assert (list(zip(counts.labels, counts.documents.tolist(), strict=True)), postings) == expected.flat()


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
