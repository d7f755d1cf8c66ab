"""Terms that give a label away: those that are planted and those that are known are found, on clean sets none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import columns, corpora
from deciban.counts import count
from deciban.leaks import COVERAGE, FEWEST, Leak, leaks, names, telling
from deciban.terms import Terms
from deciban.wilson import bounds

WORDS = ["alpha", "beta", "gamma", "delta"]
TEXTS = [f"{WORDS[n % 4]} {WORDS[n % 3]}" for n in range(400)]
LABELS = ["left" if n % 7 < 3 else "right" for n in range(400)]


def test_a_planted_term_is_found_and_nothing_else():
    texts = [
        f"{text} host9" if label == "left" and n % 2 else text
        for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    assert leaks(TEXTS, LABELS) == []
    (leak,) = leaks(texts, LABELS)
    assert (leak.term, leak.label, leak.others, leak.is_name) == ("host9", "left", 0, False)
    assert leak.documents == sum("host9" in text for text in texts)
    assert leak.coverage == leak.documents / LABELS.count("left")
    assert leak.precision == 1.0


def test_a_common_word_of_a_label_that_nearly_all_have_is_none():
    labels = ["ham"] * 399 + ["spam"]
    assert leaks(TEXTS, labels) == []


def test_a_label_that_stands_in_its_texts_by_name():
    texts = [
        f"posted to rec.{label}: {text}" if n % 10 == 0 else text
        for n, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    labels = [f"rec_{label.title()}" for label in LABELS]
    texts, labels = texts * 3, labels * 3
    found = names(texts, labels)
    assert sorted((leak.term, leak.label, leak.others) for leak in found) == [
        ("rec left", "rec_Left", 0),
        ("rec right", "rec_Right", 0),
    ]
    assert all(leak.is_name for leak in leaks(texts, labels))


@pytest.mark.parametrize("label", ["", "!", "x", "a " * 9, "é" * 3])
def test_labels_without_a_usual_name(label):
    assert names(["see you", "x !"] * 20, [label or "?", "other"] * 20) == []


@given(corpora)
def test_leaks_are_as_the_counts_have_them(corpus):
    texts, labels = columns(corpus * 12)
    for leak in telling(count(Terms(), texts, labels)):
        has = [leak.term in {seen.term for seen in Terms().seen(text)} for text in texts]
        own = sum(h and label == leak.label for h, label in zip(has, labels, strict=True))
        assert (leak.documents, leak.others) == (own, sum(has) - own)
        assert own >= FEWEST
        assert leak.coverage == own / labels.count(leak.label) >= COVERAGE


@given(st.integers(0, 50), st.integers(1, 50))
def test_the_lower_bound_is_wilsons(k, n):
    from math import isclose

    k = min(k, n)
    low = float(bounds(k, n)[0])
    assert 0 <= low + 1e-12 <= k / n + 1e-12
    z = 1.959963984540054  # the bound solves (p - low)^2 = z^2 low (1 - low) / n
    assert isclose((k / n - low) ** 2, z * z * low * (1 - low) / n, rel_tol=1e-6, abs_tol=1e-12)


def test_sentences():
    assert Leak("athos", "soc", 3, 1, 0.25).sentence == (
        "'athos' stands in 25% of the texts of 'soc', and in 1 other: will new texts have it too?"
    )
    assert Leak("rec autos", "rec.autos", 3, 0, 0.05, True).sentence == (
        "the label's own name, 'rec autos', stands in 5% of the texts of 'rec.autos', and in no other: "
        "will new texts have it too?"
    )


def test_real_sets_leak_what_is_known_of_them(data):
    found = {(leak.term, leak.label) for leak in leaks(*data("spamassassin"))}
    assert ("references", "ham") in found
    found = {(leak.term, leak.label) for leak in leaks(*data("20ng", "train"))}
    assert {("athos", "soc.religion.christian"), ("rec sport hockey", "rec.sport.hockey")} <= found


@pytest.mark.parametrize("name", ["rt-s", "mpqa", "sms-spam", "agnews-test", "ohsumed", "tweets-8lang"])
def test_clean_sets_are_quiet(data, name):
    assert leaks(*data(name)) == []
