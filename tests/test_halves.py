"""Counts in halves: which half a text is in, and that nothing else matters."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from corpora import columns, corpora, seen
from deciban.errors import DecibanError, NeverLearnt
from deciban.examples import Source
from deciban.halves import count, half_of
from deciban.settings import Settings
from test_cli import TICKETS
from test_cli import deciban as run

TEXTS, LABELS = ["exam exam book", "exam game", "free money", "see you", "money!"], ["x", "x", "y", "z", "y"]


def halved(corpus, **seen):
    return count(Settings.of(smoothing="deleted", **seen), *columns(corpus))


def plain(corpus, **seen):
    return count(Settings.of(**seen), *columns(corpus))


@pytest.mark.parametrize(
    ("text", "half"), [("", 0), ("a", 1), ("b", 1), ("see you", 0), ("naïve café", 1), ("漢字", 1)]
)
def test_a_text_stays_in_its_half(text, half):
    """For ever: model files have counts by it."""
    assert half_of(text) == half_of(text.encode()) == half


@given(a=corpora, b=corpora, seen=seen, threads=st.integers(1, 3))
def test_halves_add_and_subtract_exactly(a, b, seen, threads):
    one, two, both = halved(a, **seen), halved(b, **seen), halved((a + b)[::-1], threads=threads, **seen)
    assert one + two == both
    assert both - two == one


@given(corpus=corpora, seen=seen)
def test_each_half_has_the_counts_of_its_texts(corpus, seen):
    counts = halved(corpus, **seen)
    for number, half in enumerate(counts.halves):
        assert half == plain([(text, label) for text, label in corpus if half_of(text) == number], **seen)
    assert np.array_equal(counts.occurrences, plain(corpus, **seen).occurrences)


def test_counts_in_halves_equal_no_others():
    counts = halved([("exam exam book", "x"), ("exam game", "y")])
    assert counts != plain([("exam exam book", "x"), ("exam game", "y")])
    assert counts != halved([("exam, exam book", "x"), ("exam game", "y")])  # the same terms, in the other half


def test_only_the_very_text_is_forgotten():
    """Another one of the same terms was never learnt, if it would be of the other half; nothing is lost."""
    model = deciban.train(TEXTS, LABELS, smoothing="deleted")
    before = model.counts
    assert half_of("Free, money!") != half_of("free money")
    with pytest.raises(NeverLearnt, match="label 'y'"):
        model.forget(["Free, money!"], ["y"])
    assert model.counts == before
    with pytest.raises(DecibanError, match="exactly the examples"):
        model.leave_one_out([*TEXTS[:2], "Free, money!", *TEXTS[3:]], LABELS)


def test_other_smoothings_count_no_halves():
    assert type(deciban.train(TEXTS, LABELS).counts).__name__ == "Counts"


@pytest.mark.parametrize("bad", [None, 3, "\ud800", b"\xff"], ids=repr)
def test_a_bad_text_is_told_where_it_stands(bad):
    with pytest.raises(DecibanError, match=r"texts\[3\]"):
        deciban.train([*TEXTS[:3], bad, TEXTS[4]], LABELS, smoothing="deleted")


def test_files_and_columns_are_halved_as_lists_are(tmp_path):
    model = deciban.train(TEXTS, LABELS, smoothing="deleted")
    assert deciban.train(pa.array(TEXTS), LABELS, smoothing="deleted").counts == model.counts
    assert deciban.train([text.encode() for text in TEXTS], LABELS, smoothing="deleted").counts == model.counts
    rows = "".join(f"{text},{label}\n" for text, label in zip(TEXTS[2:], LABELS[2:], strict=True))
    (tmp_path / "more.csv").write_text(f"text,label\n{rows}")
    source = Source(tmp_path / "more.csv")
    some = deciban.train([*TEXTS[:2], "other"], [*LABELS[:2], "z"], smoothing="deleted")
    assert some.learn_from(source).forget(["other"], ["z"]).counts == model.counts
    assert model.forget_from(source).counts == count(model.settings, TEXTS[:2], LABELS[:2])


def test_commands_keep_the_halves(tmp_path, tickets):
    """A model that was changed is the model that training so would give, in its halves too."""
    model, report = tmp_path / "model.deciban", tmp_path / "report.html"
    run("train", TICKETS, "--smoothing", "deleted", "--calibration", "none", "-o", model)
    fresh = deciban.train(*tickets, smoothing="deleted", calibration="none")
    assert deciban.load(model).counts == fresh.counts
    run("evaluate", model, TICKETS, "--loo", "--report", report)
    assert report.exists()
    run("forget", model, TICKETS, "--where", "label=billing")
    assert deciban.load(model).counts == fresh.drop_labels(["billing"]).counts
    run("learn", model, TICKETS, "--where", "label=billing")
    run("freeze", model, "-o", tmp_path / "frozen.deciban")
    scores = deciban.train(*tickets, smoothing="deleted", calibration="none").scores(tickets[0])
    for path in (model, tmp_path / "frozen.deciban"):
        assert np.array_equal(deciban.load(path).scores(tickets[0]), scores)
