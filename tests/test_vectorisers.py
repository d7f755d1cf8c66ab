"""Our vectorisers give scikit-learn's matrices, errors and warnings, for all corpora and options."""

import copy
import io
import pickle
import re
import subprocess
import sys
import threading
import time
import warnings
from _thread import interrupt_main

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_extraction import text as sk

import oracle
from corpora import some_text
from deciban import sklearn as ours
from deciban.sklearn.sight import Sight

KINDS = ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"]

documents = st.one_of(
    some_text,
    some_text.map(lambda text: text.encode("utf-8", "replace")),
    st.lists(st.sampled_from(["the", "a", "Cat", "über", "ℋi", "x", "\n", "  ", "\t "]), max_size=9).map(" ".join),
)
corpora = st.lists(documents, max_size=7)
patterns = [r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\S+", r"\w+", r"\b\w{2,}\b", r"(?u)\b\w\w\w+\b", r"[a-z]+", r"(\w)\w"]
options = st.fixed_dictionaries(
    {},
    optional={
        "lowercase": st.booleans(),
        "analyzer": st.sampled_from(["word", "char", "char_wb"]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 4), (3, 3), (2, 1), (0, 1)]),
        "stop_words": st.sampled_from([None, "english", ["the", "a", "cat"], ["Cat's"], "french"]),
        "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
        "token_pattern": st.sampled_from(patterns),
        "binary": st.booleans(),
        "decode_error": st.sampled_from(["strict", "ignore", "replace"]),
        "encoding": st.sampled_from(["utf-8", "latin-1", "ascii"]),
        "dtype": st.sampled_from([np.int64, np.float64, np.float32, np.int32]),
    },
)
limits = st.fixed_dictionaries(
    {},
    optional={
        "min_df": st.sampled_from([1, 2, 0.3]),
        "max_df": st.sampled_from([1.0, 0.7, 2]),
        "max_features": st.sampled_from([None, 1, 3, 50]),
        "vocabulary": st.sampled_from(
            [None, ["the", "a b", "cat"], {"b": 0, "ab": 2, "a": 1}, {"über", "x"}, ["a", "A"]]
        ),
    },
)
weights = st.fixed_dictionaries(
    {},
    optional={
        "norm": st.sampled_from(["l1", "l2", None]),
        "use_idf": st.booleans(),
        "smooth_idf": st.booleans(),
        "sublinear_tf": st.booleans(),
    },
)
hashings = st.fixed_dictionaries(
    {"n_features": st.sampled_from([1, 7, 2**20, 2**31 - 1])},
    optional={"norm": st.sampled_from(["l1", "l2", None]), "alternate_sign": st.booleans()},
)


def outcome(call):
    """What comes of a call: its result or its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:
            result = (type(error), str(error))
    return result, [(warning.category, str(warning.message)) for warning in caught]


def in_order(matrix):
    """The same matrix, its indices sorted: where scikit-learn fits they are not, whatever the matrix says."""
    matrix = type(matrix)((matrix.data, matrix.indices, matrix.indptr), matrix.shape)
    matrix.sort_indices()
    return matrix


def assert_same(mine, theirs):
    """The same matrix in every respect, or the same error; but scikit-learn's fit adds up norms in another order."""
    (mine, my_warnings), (theirs, their_warnings) = mine, theirs
    assert my_warnings == their_warnings
    if not sp.issparse(theirs):
        assert mine == theirs
        return
    assert type(mine) is type(theirs)
    assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
    assert (mine.indices.dtype, mine.indptr.dtype) == (theirs.indices.dtype, theirs.indptr.dtype)
    mine, theirs = in_order(mine), in_order(theirs)
    assert np.array_equal(mine.indptr, theirs.indptr)
    assert np.array_equal(mine.indices, theirs.indices)
    np.testing.assert_allclose(mine.data, theirs.data, rtol=1e-12 if mine.dtype == np.float64 else 1e-5)


def assert_alike(kind, texts, later, **parameters):
    """Ours and scikit-learn's, fitted to texts and then used on others."""
    mine, theirs = getattr(ours, kind)(**parameters), getattr(sk, kind)(**parameters)
    assert_same(outcome(lambda: mine.fit_transform(iter(texts))), outcome(lambda: theirs.fit_transform(iter(texts))))
    assert getattr(mine, "vocabulary_", None) == getattr(theirs, "vocabulary_", None)
    for some in (texts, later):
        assert_same(outcome(lambda some=some: mine.transform(some)), outcome(lambda some=some: theirs.transform(some)))


@settings(max_examples=300)
@given(corpora, corpora, options, limits)
def test_counts_are_scikit_learns(texts, later, seen, limited):
    assert_alike("CountVectorizer", texts, later, **seen, **limited)


@given(corpora, corpora, options, limits, weights)
def test_tfidf_is_scikit_learns(texts, later, seen, limited, weighed):
    assert_alike("TfidfVectorizer", texts, later, **seen, **limited, **weighed)


@settings(max_examples=200)
@given(corpora, corpora, options, hashings)
def test_hashes_are_scikit_learns(texts, later, seen, hashed):
    assert_alike("HashingVectorizer", texts, later, **seen, **hashed)


@given(st.lists(some_text, min_size=1, max_size=7), options, limits)
def test_transforming_what_was_fitted_gives_the_same(texts, seen, limited):
    vectoriser = ours.CountVectorizer(**seen, **limited)
    (fitted, _), (again, _) = (
        outcome(lambda: vectoriser.fit_transform(texts)),
        outcome(lambda: vectoriser.transform(texts)),
    )
    if sp.issparse(fitted):
        assert (fitted != again).nnz == 0
        assert Sight.of(vectoriser) is None or np.array_equal(fitted.indices, again.indices)


@given(some_text, st.sampled_from(["word", "whitespace", "run"]), st.sampled_from([(1, 1), (1, 3), (2, 2)]))
def test_words_are_the_oracles(text, tokens, lengths):
    pattern = {"word": r"\w\w+", "whitespace": r"\S+", "run": r"\w+"}[tokens]
    vectoriser = ours.CountVectorizer(token_pattern=pattern, ngram_range=lengths)
    assert Sight.of(vectoriser).kind == tokens
    names = oracle.terms(text, tokens, lengths)
    assert outcome(lambda: vectoriser.fit([text]))[0] is vectoriser or not names
    assert sorted(getattr(vectoriser, "vocabulary_", [])) == sorted(set(names))


@pytest.mark.parametrize("name", ["cr", "tweets-8lang", "udhr-langid", "20ng"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"ngram_range": (1, 2), "min_df": 2, "max_df": 0.5, "stop_words": "english"},
        {"analyzer": "char_wb", "ngram_range": (2, 4), "max_features": 500},
        {"analyzer": "char", "ngram_range": (1, 3), "lowercase": False},
        {"strip_accents": "unicode", "token_pattern": r"(?u)\b\w+\b", "binary": True},
    ],
    ids=["words", "bigrams", "char_wb", "char", "accents"],
)
def test_real_texts(data, name, parameters):
    texts, _ = data(name, limit=120)
    assert_alike("CountVectorizer", texts[::2], texts[1::2], **parameters)
    assert_alike("TfidfVectorizer", texts[::2], texts[1::2], **parameters)
    for limit in ("min_df", "max_df", "max_features"):
        parameters = {key: value for key, value in parameters.items() if key != limit}
    assert_alike("HashingVectorizer", texts[::2], texts[1::2], **parameters)


@pytest.mark.parametrize("parameters", [{}, {"ngram_range": (1, 2)}, {"analyzer": "char", "ngram_range": (3, 3)}])
@pytest.mark.parametrize("kind", KINDS)
def test_threads_give_the_same(data, kind, parameters):
    texts, _ = data("20ng", limit=400)
    assert sum(map(len, texts)) > 5 << 16
    found = []
    for threads in (1, 2, 5):
        vectoriser = getattr(ours, kind)(**parameters)
        vectoriser.threads = threads
        fitted, again = vectoriser.fit_transform(texts), vectoriser.transform(texts)
        names = None if kind == "HashingVectorizer" else vectoriser.get_feature_names_out().tolist()
        found.append((names, *[part.tobytes() for x in (fitted, again) for part in (x.indptr, x.indices, x.data)]))
    assert found[0] == found[1] == found[2]


AT_WORK = """
from _thread import interrupt_main
from functools import partial
from operator import methodcaller
from deciban import _core

terms = _core.Terms(words=(1, 1))
jobs = {
    "vectorised": partial(_core.Vectorised(terms, ["so far"], 1).take, False),
    "hashed": partial(_core.hashed, terms, [], 8, False, False, 1),
    "tally": _core.Tally(terms, 1).take,
}
try:
    list(map(methodcaller("__call__"), [interrupt_main, jobs["JOB"]]))  # no line of Python runs between the two
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("job", ["vectorised", "hashed", "tally"])
def test_ctrl_c_before_the_first_array_is_made_is_no_panic(job):
    command = [sys.executable, "-c", AT_WORK.replace("JOB", job)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def test_ctrl_c_stops_long_runs_of_characters():
    texts = [" ".join(f"{i * j * 7919:x}" for i in range(500)) for j in range(400)]
    vectoriser = ours.CountVectorizer(analyzer="char", ngram_range=(1, 64))
    vectoriser.threads = 1
    threading.Timer(0.5, interrupt_main).start()
    start = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        vectoriser.fit_transform(texts)
    assert time.process_time() - start < 10  # all of them take a minute


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_scikit_learns_classes(kind):
    vectoriser = getattr(ours, kind)(ngram_range=(1, 2), lowercase=False)
    assert isinstance(vectoriser, getattr(sk, kind))
    assert vectoriser.get_params() == getattr(sk, kind)(ngram_range=(1, 2), lowercase=False).get_params()
    assert repr(clone(vectoriser)) == repr(vectoriser) == f"{kind}(lowercase=False, ngram_range=(1, 2))"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_transform_alike_and_transforming_leaves_no_trace(kind, copied):
    vectoriser = getattr(ours, kind)().fit(["so far so good", "good"])
    row = vectoriser.transform(["so so", "far"])
    theirs = getattr(sk, kind)().fit(["so far so good", "good"])
    theirs.transform(["so so", "far"])
    assert set(vars(vectoriser)) == set(vars(theirs))
    assert (copied(vectoriser).transform(["so so", "far"]) != row).nnz == 0


def test_a_changed_vocabulary_is_noticed():
    vectoriser = ours.CountVectorizer().fit(["aa bb"])
    assert vectoriser.transform(["bb"]).toarray().tolist() == [[0, 1]]
    vectoriser.vocabulary_ = {"bb": 0, "aa": 1}
    assert vectoriser.transform(["bb"]).toarray().tolist() == [[1, 0]]
    vectoriser.vocabulary_["cc"] = 2
    assert vectoriser.transform(["cc"]).toarray().tolist() == [[0, 0, 1]]
    vectoriser.set_params(lowercase=False)
    assert vectoriser.transform(["CC bb"]).toarray().tolist() == [[1, 0, 0]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "parameters",
    [
        {"tokenizer": str.split, "token_pattern": None},
        {"preprocessor": str.swapcase},
        {"analyzer": lambda text: text.split("o")},
        {"strip_accents": str.upper},
        {"token_pattern": r"[a-f]+"},
        {"ngram_range": (1, 65)},
    ],
    ids=["tokenizer", "preprocessor", "analyzer", "accents", "pattern", "length"],
)
def test_what_the_core_cannot_see_scikit_learn_sees(kind, parameters):
    assert Sight.of(getattr(ours, kind)(**parameters)) is None
    assert_alike(kind, ["so far so good", "Good \ud800"[:4]], ["far"], **parameters)


def test_a_subclass_that_reads_for_itself_is_heard():
    class Halves(ours.CountVectorizer):
        def build_tokenizer(self):
            return lambda text: re.findall(r"\w\w", text)

    assert Halves().fit(["abcd"]).get_feature_names_out().tolist() == ["ab", "cd"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_subclass_that_decodes_for_itself_is_heard(kind):
    class Tagless:
        def decode(self, doc):
            return sk.strip_tags(super().decode(doc))

    mine, theirs = (type(kind, (Tagless, getattr(module, kind)), {})() for module in (ours, sk))
    assert_same(*(outcome(lambda v=v: v.fit_transform(["<bold>so</bold> far", "so<br>far"])) for v in (mine, theirs)))


@pytest.mark.parametrize("pattern", [re.compile(r"\w+"), re.compile(r"(\w)\w"), rb"\w+"], ids=repr)
def test_patterns_of_other_types(pattern):
    for kind, parameters in (("CountVectorizer", {"vocabulary": ["so", "s", "far"]}), ("HashingVectorizer", {})):
        mine, theirs = (getattr(module, kind)(token_pattern=pattern, **parameters) for module in (ours, sk))
        assert_same(*(outcome(lambda v=v: v.transform(["so far so good"])) for v in (mine, theirs)))


def test_no_type_of_numbers():
    assert_alike("CountVectorizer", ["so far so good", "good"], ["far"], dtype=None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [None, 3, np.nan, "half \ud800 a pair", b"\xff"], ids=repr)
def test_documents_that_are_no_texts(kind, bad):
    assert_alike(kind, ["fine words", bad], [bad])


@pytest.mark.parametrize("kind", KINDS)
def test_files_and_their_names(kind, tmp_path):
    paths = [tmp_path / name for name in "ab"]
    paths[0].write_bytes("été à la mer".encode("latin-1"))
    paths[1].write_bytes(b"mer et \xe9t\xe9")
    assert_alike(kind, paths, paths, input="filename", encoding="latin-1", strip_accents="ascii")
    mine, theirs = (module(input="file", encoding="latin-1") for module in (getattr(ours, kind), getattr(sk, kind)))
    for text in ("half \ud800 a pair", "whole"):
        files = [lambda: io.BytesIO(b"\xe9t\xe9"), lambda text=text: io.StringIO(text)]
        results = [
            outcome(lambda v=v, files=files: v.fit_transform([file() for file in files])) for v in (mine, theirs)
        ]
        assert_same(*results)


@pytest.mark.parametrize("kind", KINDS)
def test_sparse_arrays_where_they_are_asked_for(kind):
    with config_context(sparse_interface="sparray"):
        assert_alike(kind, ["so far so good", "good"], ["far"])


@pytest.mark.parametrize("vocabulary", [{"aa": 1, "bb": 0}, {"a b": 0, 7: 1}, {"\ud800": 0, "aa": 1}, ["aa", b"bb"]])
def test_vocabularies_of_all_kinds(vocabulary):
    assert_alike("CountVectorizer", ["aa bb aa", "7"], ["bb"], vocabulary=vocabulary, lowercase=False)
