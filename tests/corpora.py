"""Corpora for property tests."""

import unicodedata

from hypothesis import strategies as st

# Few letters, so that terms repeat; and the characters that lower-case or split in odd ways.
odd = st.sampled_from(
    [
        "İ",
        "Σ",
        "ς",
        "ß",
        "Ǆ",
        "é",
        "e\u0301",
        "_",
        "²",
        "漢字",
        "ไทย",
        "👍🏽",
        "\x00",
        "\u2028",
        "ﬁ",
        "Ⅻ",
        "ℋ",
        "¨",
        "한",
        " <s> ",
    ]
)


def is_known(c):
    """Whether a character is of Unicode 14, whose tables the core has; a newer Python knows more."""
    return unicodedata.unidata_version == "14.0.0" or unicodedata.ucd_3_2_0.category(c) != "Cn"


# Names of all properties, with lists for those that need one.
PROPERTIES = {
    **dict.fromkeys(
        [
            *["caps", "capitalised", "repeats", "numbers", "currency", "urls", "emails", "emoji", "long", "lookalikes"],
            *["length", "negation", "pairs", "title", "headers"],
        ],
        (),
    ),
    "misspelling": ("abba", "café", "cab"),
    "trigger:ab": ("ab", "ab ca", "é"),
    "trigger:b-2": ("b a",),
}
any_text = st.text(st.characters(exclude_categories=["Cs"]).filter(is_known), max_size=4)
some_text = st.lists(st.one_of(st.text("abcAB \n", max_size=6), odd, any_text), max_size=8).map("".join)
LABELS = ["ham", "spam", "späm", "x y"]
some_label = st.sampled_from(LABELS)
corpora = st.lists(st.tuples(some_text, some_label), max_size=10)
seen = st.fixed_dictionaries(
    {
        "tokens": st.sampled_from(["word", "whitespace"]),
        "words": st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (1, 9)]),
        "edges": st.booleans(),
        "accents": st.sampled_from(["keep", "fold"]),
        "properties": st.sampled_from([None, PROPERTIES, {"negation": (), "headers:a": ()}]),
        "hash_bits": st.sampled_from([None, 2, 31]),
        "chars": st.sampled_from([None, (1, 3), (4, 5)]),
        "chars_across": st.sampled_from([None, (1, 2), (3, 5)]),
    }
).map(lambda seen: {**seen, "edges": seen["edges"] and seen["words"] != (1, 1)})  # one word reaches no edge


def columns(corpus):
    """A list of (text, label) as texts and labels."""
    return [text for text, _ in corpus], [label for _, label in corpus]
