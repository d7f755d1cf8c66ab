"""Near-duplicates: every pair that a slow, obvious search finds, and no other; real sets hold what is known of them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import some_text
from deciban import duplicates
from deciban.duplicates import SHINGLES, Twin, between, canonical, groups
from deciban.errors import BadSetting, BadText, BadTexts, BrokenText, NotUtf8

# Few words, and texts made of texts: so that many are nearly the same.
phrases = st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee"]), min_size=1, max_size=4).map(" ".join)
long_texts = st.lists(
    st.sampled_from(["aa bb cc dd", "bb ee", "Aa! bb", "cc cc dd ee aa bb", "x", ":)", ""]), max_size=9
)
corpora = st.lists(st.one_of(long_texts.map(" ".join), phrases, some_text), max_size=12)
thresholds = st.sampled_from([0.5, 0.6, 0.75, 0.8, 1.0])


def similarity(a, b):
    """As the definition has it."""
    if canonical(a) == canonical(b):
        return float(canonical(a) != "")
    one, other = ({seen.term for seen in SHINGLES.seen(text)} for text in (a, b))
    return len(one & other) / max(len(one | other), 1)


def components(n, pairs):
    """Places that pairs connect, by walking."""
    near = {place: {place} for place in range(n)}
    for a, b in pairs:
        union = near[a] | near[b]
        for place in union:
            near[place] = union
    return sorted({tuple(sorted(group)) for group in near.values() if len(group) > 1})


@given(corpora, thresholds)
def test_groups_are_what_comparing_all_pairs_connects(texts, least):
    pairs = [(a, b) for a, b in itertools.combinations(range(len(texts)), 2) if similarity(texts[a], texts[b]) >= least]
    assert groups(texts, least) == components(len(texts), pairs)


@given(corpora, corpora, thresholds)
def test_between_finds_the_most_similar_of_all(texts, others, least):
    expected = []
    for place, other in enumerate(others):
        alike = [(similarity(text, other), canonical(text) == canonical(other)) for text in texts]
        best, is_same = max(alike, default=(0.0, False))
        if best >= least:
            expected.append(Twin(place, alike.index((best, is_same)), best))
    assert between(texts, others, least) == expected


@given(corpora, thresholds, st.integers(1, 5))
def test_neither_threads_nor_parts_matter(texts, least, threads):
    whole = groups(texts, least)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "DOCUMENTS", 2)
        patch.setattr(duplicates, "AT_ONCE", 5)
        assert groups(texts, least, threads) == whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's   FREE!!", "it s free"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("love 😍", "love 😍"),
        ("a_b", "a b"),
        (" :-( ", ":-("),
        ("\n\t ", ""),
        ("हिन्दी।", "हिन्दी"),
    ],
)
def test_what_is_left_of_a_text(text, expected):
    assert canonical(text) == expected


def test_one_word_of_thirty_makes_no_other_text_but_three_of_ten_do():
    words = [f"w{n}" for n in range(30)]
    assert groups([" ".join(words), " ".join([*words[:15], "other", *words[16:]])]) == [(0, 1)]
    assert groups([" ".join(words[:10]), " ".join([*words[:3], "a1", "b1", "c1", *words[6:10]])]) == []


def test_very_many_texts_of_one_template_end():
    """All pairs would be too many: a text is then compared with those next to it."""
    texts = [
        f"the job number {n} has ended at last with the status of success and needs no more care" for n in range(5000)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "MOST_PAIRS", 1 << 16)
        assert groups(texts, 0.6) == [tuple(range(5000))]


def test_bytes_and_arrow_columns_are_texts():
    pyarrow = pytest.importorskip("pyarrow")
    assert groups([b"see you", "See you!"]) == [(0, 1)]
    assert groups(pyarrow.array(["see you", "See you!"])) == [(0, 1)]


@pytest.mark.parametrize("least", [0.49, 1.01, float("nan"), "0.8", None, True])
def test_what_is_no_similarity_is_refused(least):
    with pytest.raises(BadSetting, match=r"least=.*: expected a number from 0\.5 to 1"):
        groups(["a1"], least)


def test_what_is_no_text_is_refused():
    with pytest.raises(BadTexts):
        groups("see you")
    with pytest.raises(BrokenText, match=r"others\[1\]"):
        between(["see"], ["see you", "\ud800 me"])
    with pytest.raises(BadText, match=r"texts\[0\]: expected a text, got None"):
        groups([None])
    with pytest.raises(NotUtf8, match=r"texts\[1\]"):
        groups(["é", b"\xff"])


@pytest.mark.parametrize(("name", "same"), [("trec", 11), ("clinc150", 19), ("r8", 1)])
def test_real_sets_have_the_test_texts_in_training_that_are_known(data, name, same):
    """As the data's own list of faults says: counted by other means. `dev` texts are training texts here."""
    train, test = data(name, "train")[0], data(name, "test")[0]
    twins = between(train, test)
    exact = [twin for twin in twins if canonical(train[twin.of]) == canonical(test[twin.place])]
    assert len(exact) == same + {"clinc150": 3}.get(name, 0)
    assert all(0.8 <= twin.similarity <= 1 for twin in twins)
    assert np.all(np.diff([twin.place for twin in twins]) > 0)


def test_repeated_phrases_of_a_real_set(data):
    texts, labels = data("mpqa")
    said = {}
    for text, label in zip(texts, labels, strict=True):
        said.setdefault(canonical(text), set()).add(label)
    assert len(texts) - len(said) == 2370
    assert sum(len(both) == 2 for both in said.values()) == 98
    mixed = [group for group in groups(texts, 1.0) if len({labels[place] for place in group}) > 1]
    assert len(mixed) == 100  # without words of one letter
