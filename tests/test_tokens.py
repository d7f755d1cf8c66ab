"""Tokens and terms equal Python's own: `re`, `str.lower`, `str.split`, and scikit-learn's analysers."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, strip_accents_ascii, strip_accents_unicode
from sklearn.utils import murmurhash3_32

import oracle
from corpora import is_known, seen, some_text
from deciban import _core
from deciban.terms import TOKENS, Terms, display

CHARACTERS = [chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000]


def names(text, **settings):
    terms = Terms(**settings)
    return [terms.known_as(found.term) for found in terms.seen(text)]


@pytest.mark.parametrize("tokens", ["word", "whitespace"])
@pytest.mark.parametrize("pattern", ["a{0}b{0}{0}", "a{0}Σ{0}"], ids=["between letters", "beside a final sigma"])
def test_every_character_is_what_python_says(tokens, pattern):
    terms = Terms(tokens)
    texts = [pattern.format(c) for c in CHARACTERS if is_known(c)]
    wrong = [text for text in texts if [found.term for found in terms.seen(text)] != oracle.terms(text, tokens)]
    assert wrong == []


@pytest.mark.parametrize(
    ("accents", "strip"), [("fold", strip_accents_unicode), ("ascii", strip_accents_ascii)], ids=["fold", "ascii"]
)
def test_every_character_without_its_accents_is_what_scikit_learn_says(accents, strip):
    terms = _core.Terms(chars_across=(1, 1), lowercase=False, accents=accents)
    characters = list(filter(is_known, CHARACTERS))
    wrong = [
        c for c in characters if "".join(name[2:] for name, *_ in terms.seen(f"a{c}b")) != one_blank(strip(f"a{c}b"))
    ]
    assert wrong == []


def one_blank(text):
    return re.sub(r"\s\s+", " ", text)


@given(some_text, seen)
def test_terms_equal_the_oracles(text, settings):
    assert sorted(names(text, **settings)) == sorted(oracle.terms(text, **settings))


@given(st.binary(max_size=20))
def test_scikit_learn_hashes_as_the_oracle(data):
    assert oracle.murmur3(data) == murmurhash3_32(data, positive=True)


@given(some_text, st.sampled_from(TOKENS), st.sampled_from([None, (2, 4)]), st.booleans())
def test_spans_stand_for_their_terms(text, tokens, chars, edges):
    for found in Terms(tokens, (1, 2), chars, edges, chars).seen(text):
        assert 0 <= found.start < found.end <= len(text)
        piece = text[found.start : found.end].lower().replace("ς", "σ")
        bare = found.term.removeprefix("\tc").removeprefix("\ta").removeprefix("\t<s>").removesuffix("\t</s>")
        for word in bare.replace("ς", "σ").split():
            assert word in piece


def test_edges_stand_for_the_words_beside_them():
    text = "Not good"
    found = [(term, text[start:end]) for term, start, end in Terms(words=(1, 2), edges=True).seen(text)]
    assert found == [
        *[("\t<s> not", "Not"), ("not", "Not"), ("not good", "Not good"), ("good", "good"), ("good \t</s>", "good")]
    ]
    assert names("", words=(1, 3), edges=True) == []


@given(some_text, st.sampled_from([(2, 2), (2, 4)]))
def test_edges_are_words_of_their_own_to_scikit_learn(text, lengths):
    analyse = CountVectorizer(ngram_range=lengths, token_pattern=r"\S+").build_analyzer()
    cut = oracle.terms(text.replace("<s>", ""), "whitespace")
    edged = ["<s>", *cut, "</s>"] if cut else []
    ours = names(" ".join(cut), tokens="whitespace", words=lengths, edges=True)
    assert sorted(map(display, ours)) == sorted(analyse(" ".join(edged)))


def test_unicode_segments():
    text = "I don't like 東京 or ไทย 👍🏽 — it's 3.5 €!"
    assert names(text, tokens="unicode") == [
        *["i", "don't", "like", "東", "京", "or", "ไ", "ท", "ย", "👍🏽", "it's", "3.5"],
    ]


@given(st.lists(st.sampled_from([" ", "\t", "\u2028", "a", "ﾞ", "\u200d", "❤", "\u0301"]), max_size=9).map("".join))
def test_no_unicode_segment_holds_white_space(text):
    assert [term for term in names(text, tokens="unicode") if term.split() != [term]] == []


def test_display_tells_kinds_apart():
    terms = {
        "\th0000002a": "#0000002a",
        "ref": "ref",
        "\tcref": "‹ref›",
        "\tc re": "‹·re›",
        "\t<s> re": "<s> re",
        "\ta\nre": "«\\nre»",
    }
    assert {term: display(term) for term in terms} == terms


@given(some_text, st.sampled_from([(1, 1), (1, 3), (2, 2)]))
def test_scikit_learn_sees_the_same(text, lengths):
    words = CountVectorizer(ngram_range=lengths).build_analyzer()
    chars = CountVectorizer(ngram_range=lengths, analyzer="char_wb").build_analyzer()
    assert sorted(names(text, words=lengths)) == sorted(words(text))
    assert sorted(names(text, words=None, chars=lengths)) == sorted("\tc" + gram for gram in chars(text))
    across = CountVectorizer(ngram_range=lengths, analyzer="char").build_analyzer()
    assert sorted(names(text, words=None, chars_across=lengths)) == sorted("\ta" + gram for gram in across(text))


@given(some_text, st.sampled_from([(1, 1), (2, 3)]), st.sampled_from(["word", "char", "char_wb"]))
def test_scikit_learn_sees_the_same_without_accents(text, lengths, kind):
    analyse = CountVectorizer(ngram_range=lengths, analyzer=kind, strip_accents="unicode").build_analyzer()
    setting = {"word": "words", "char": "chars_across", "char_wb": "chars"}[kind]
    found = names(text, accents="fold", **{"words": None, setting: lengths})
    assert sorted(re.sub("^\t[ac]", "", term) for term in found) == sorted(analyse(text))


def test_spans_have_the_accents_that_are_folded():
    text = "Cafe\u0301 E\u0301TÉ"
    found = Terms(accents="fold").seen(text)
    assert [(term, text[start:end]) for term, start, end in found] == [("cafe", "Cafe\u0301"), ("ete", "E\u0301TÉ")]


def test_spans_across_words_have_all_the_white_space():
    text = "a  \n É"
    found = Terms(words=None, chars_across=(2, 2)).seen(text)
    assert [(term, text[start:end]) for term, start, end in found] == [("\taa ", "a  \n "), ("\ta é", "  \n É")]
