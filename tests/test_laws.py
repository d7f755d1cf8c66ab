"""The laws of the counts, stated for all corpora: counting adds, forgetting subtracts, nothing else matters."""

import contextlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from corpora import columns, corpora, seen
from deciban import _core
from deciban.counts import Tally, count
from deciban.errors import NeverLearnt, UnknownLabel
from deciban.rows import rows
from deciban.terms import Terms


def counted(corpus, settings, threads=1):
    return count(Terms(**settings), *columns(corpus), threads)


def flat(counts):
    names, labels = counts.lexicon.names(), counts.labels
    columns = (counts.term, counts.label, counts.occurrences, counts.presences)
    postings = [(names[j], labels[r], *n) for j, r, *n in zip(*(column.tolist() for column in columns), strict=True)]
    return list(zip(labels, counts.documents.tolist(), strict=True)), postings


@given(corpora, seen)
def test_counts_equal_the_oracles(corpus, settings):
    assert flat(counted(corpus, settings)) == oracle.Counts(*columns(corpus), **settings).flat()


@given(corpora, corpora, seen)
def test_counting_is_additive(a, b, settings):
    both = counted(a + b, settings)
    assert counted(a, settings) + counted(b, settings) == both
    assert counted(b, settings) + counted(a, settings) == both


@given(corpora, corpora, seen)
def test_what_is_added_can_be_taken_away(a, b, settings):
    assert counted(a + b, settings) - counted(b, settings) == counted(a, settings)


@given(corpora, seen, st.randoms(use_true_random=False), st.integers(1, 4))
def test_order_chunks_and_threads_never_matter(corpus, settings, random, threads):
    expected = counted(corpus, settings)
    random.shuffle(corpus)
    tally = Tally(Terms(**settings), threads)
    while corpus:
        size = random.randint(1, len(corpus))
        tally.add(*columns(corpus[:size]))
        corpus = corpus[size:]
    assert tally.counts() == expected


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize(
    "settings", [{"words": (1, 2)}, {"words": (1, 2), "edges": True}, {"words": (1, 2), "hash_bits": 9}], ids=repr
)
def test_threads_never_matter_where_there_are_really_several(threads, settings):
    corpus = [(f"word{i % 97} other{i % 13} common " * 40, f"label{i % 5}") for i in range(3000)]
    assert counted(corpus, settings, threads) == counted(corpus, settings, 1)
    texts = columns(corpus)[0]
    lexicon = counted(corpus, settings).lexicon
    one, several = rows(lexicon, texts, 1), rows(lexicon, texts, threads)
    assert all(np.array_equal(getattr(one, name), getattr(several, name)) for name in ("indptr", "term", "count"))


@given(corpora, corpora, seen)
def test_forgetting_what_was_not_learnt_is_refused_or_exact(a, b, settings):
    learnt, other = counted(a, settings), counted(b, settings)
    with contextlib.suppress(NeverLearnt):
        assert (learnt - other) + other == learnt


def test_a_refusal_names_the_term_and_the_label():
    model = counted([("refund now", "billing"), ("late", "delivery")], {})
    with pytest.raises(NeverLearnt, match=r"term 'late' of label 'billing' would fall below zero"):
        model - counted([("late", "billing")], {})
    with pytest.raises(NeverLearnt, match=r"label 'bug' would fall below zero"):
        model - counted([("late", "bug")], {})


def test_a_label_cannot_leave_while_its_terms_stay():
    with pytest.raises(NeverLearnt):
        counted([("a1 b1", "x"), ("c1", "y")], {}) - counted([("a1", "x")], {})


some_labels = st.sets(st.sampled_from(["ham", "spam", "späm", "x y"]))


@given(corpora, seen, some_labels)
def test_dropping_labels_is_counting_without_their_documents(corpus, settings, dropped):
    dropped &= {label for _, label in corpus}
    left = counted([(text, label) for text, label in corpus if label not in dropped], settings)
    counts = counted(corpus, settings)
    assert counts.drop_labels(dropped) == left
    assert counts.keep_labels(set(counts.labels) - dropped) == left


@given(corpora, seen, st.sampled_from(["ham", "spam", "a new one", "zz"]))
def test_renaming_a_label_is_counting_under_the_other_name(corpus, settings, new):
    counts = counted(corpus, settings)
    for old in counts.labels:
        renamed = [(text, new if label == old else label) for text, label in corpus]
        assert counts.rename_label(old, new) == counted(renamed, settings)


@given(corpora, corpora, seen)
def test_labels_that_left_can_be_added_again(a, b, settings):
    both = counted(a + b, settings)
    for label in both.labels:
        assert both.drop_labels([label]) + both.keep_labels([label]) == both


@pytest.mark.parametrize("change", ["drop_labels", "keep_labels"])
def test_a_label_that_is_not_there_is_named(change):
    counts = counted([("refund now", "billing"), ("late", "delivery")], {})
    with pytest.raises(UnknownLabel, match="'bug' is not a label of this model; its labels are: billing, delivery"):
        getattr(counts, change)(["billing", "bug"])
    with pytest.raises(UnknownLabel, match="'bug' is not a label"):
        counts.rename_label("bug", "billing")


@given(corpora, seen)
def test_rows_are_what_is_seen(corpus, settings):
    texts, _ = columns(corpus)
    lexicon = counted(corpus, settings).lexicon
    found = rows(lexicon, texts)
    names = lexicon.names()
    for i, text in enumerate(texts):
        row = slice(found.indptr[i], found.indptr[i + 1])
        again = [names[j] for j, n in zip(found.term[row], found.count[row], strict=True) for _ in range(n)]
        assert again == sorted(oracle.terms(text, **settings))


def test_hashing_bounds_the_terms():
    texts = [f"word{i} other{i * i}" for i in range(2000)]
    corpus = [(text, f"label{i % 3}") for i, text in enumerate(texts)]
    settings = {"words": (1, 2), "chars": (2, 4)}
    free, hashed = counted(corpus, settings), counted(corpus, {**settings, "hash_bits": 6})
    assert len(hashed.lexicon) == 64 < len(free.lexicon)
    assert hashed.occurrences.sum() == free.occurrences.sum()


GROWTH = r"""
import random, re, sys
from pathlib import Path
from deciban.counts import Tally
from deciban.terms import Terms

def most_kilobytes():
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


tally = Tally(Terms(words=(1, 2), hash_bits=int(sys.argv[1]) or None), 1)
random.seed(7)
for part in range(-1, 20):
    texts = [" ".join(f"{random.getrandbits(60):x}" for _ in range(100)) for _ in range(250)]
    tally.add(texts, ["label"] * len(texts))
    if part < 0:
        before = most_kilobytes()
tally.counts()
print((most_kilobytes() - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the most memory that a process has had")
def test_hashing_bounds_the_memory():
    """A million words and pairs, all new: their names take two hundred megabytes, their buckets nothing."""
    free, hashed = (
        int(subprocess.run([sys.executable, "-c", GROWTH, bits], check=True, capture_output=True).stdout)
        for bits in ("0", "10")
    )
    assert free > 100
    assert hashed < 10


@given(corpora)
def test_counts_are_frozen(corpus):
    counts = counted(corpus, {})
    with pytest.raises(ValueError, match="read-only"):
        counts.documents[...] = 7


def test_a_refused_text_leaves_nothing_behind():
    tally = Tally(Terms())
    tally.add(["aa"], ["x"])
    with pytest.raises(_core.BadText):
        tally.add(["bb", None], ["y", "y"])
    assert tally.counts() == count(Terms(), [], [])
    tally.add(["cc"], ["z"])
    assert tally.counts() == count(Terms(), ["cc"], ["z"])
