"""How deep to read: the promise is kept as often as it says, whatever probabilities are worth."""

import csv
import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban.cli import UsageError, run
from deciban.decision.depth import depth
from deciban.errors import BadSetting, DecibanError
from test_cli import TICKETS


@pytest.mark.parametrize("recall", [0.8, 0.95])
@pytest.mark.parametrize(("relevant", "power"), [(30, 1.0), (300, 1.0), (300, 4.0)])
def test_the_recall_is_reached_in_nineteen_of_twenty_files(recall, relevant, power):
    """Probabilities are bent by a power: then they are far from honest, and their order is what counts."""
    draw, kept, given_ = np.random.default_rng(0), 0, 0
    for _ in range(200):
        held, new = (draw.beta(3, 1, size) ** power for size in (150, relevant))
        others = draw.beta(1, 3, 2000) ** power * relevant / 2000
        found = depth(np.concatenate([new, others]), np.sort(1 - held).round(6), recall)
        if found.is_promised:
            given_ += 1
            last = -np.sort(-np.concatenate([new, others]))[found.depth - 1]
            kept += (new >= last).mean() >= recall
    assert given_ == 200 or (recall, relevant) == (0.95, 30)
    assert kept >= given_ * 0.95 - 3 * np.sqrt(max(given_, 1) * 0.05)


@given(seed=st.integers(0, 10**6), n=st.integers(0, 200), m=st.integers(0, 99), recall=st.floats(0.5, 0.99))
def test_whatever_comes_in_the_depth_is_one(seed, n, m, recall):
    draw = np.random.default_rng(seed)
    p, away = draw.random(n), np.sort(draw.choice([0.0, 0.3, 1.0, 2.0], m))
    found = depth(p, away, recall)
    assert 0 <= found.depth <= n
    assert 0 <= found.by_probabilities <= n
    assert 0 <= found.promised <= 1
    assert found.is_promised == (found.promised >= recall)
    assert 0 <= found.expected_recall <= 1 + 1e-9
    assert len(found.sentences("spam")) == 2


@given(seed=st.integers(0, 10**6), one=st.floats(0.5, 0.99), other=st.floats(0.5, 0.99))
def test_more_recall_is_deeper(seed, one, other):
    draw = np.random.default_rng(seed)
    p, away = draw.beta(0.3, 1, 300), np.sort(draw.random(199))
    low, high = (depth(p, away, recall) for recall in sorted([one, other]))
    assert low.by_probabilities <= high.by_probabilities
    assert not (low.is_promised and high.is_promised) or low.depth <= high.depth


def test_honest_probabilities_find_what_they_say():
    draw, kept = np.random.default_rng(2), 0
    for _ in range(200):
        p = np.sort(draw.beta(0.3, 1, 2000))[::-1]
        truth = draw.random(2000) < p
        found = depth(p, np.empty(0), 0.9)
        kept += truth[: found.by_probabilities].sum() >= 0.9 * truth.sum()
    assert kept >= 200 * 0.95 - 3 * np.sqrt(200 * 0.05)


def test_too_few_held_out_texts_promise_less():
    found = depth(np.linspace(0, 1, 500), np.linspace(0, 0.5, 9), 0.95)
    assert not found.is_promised
    assert found.depth == found.by_probabilities
    assert "no promise" in found.sentences("spam")[0]
    assert found.sentences("spam")[1].startswith("9 held-out texts of spam promise no more than 7")
    assert depth(np.linspace(0, 1, 500), np.empty(0), 0.95).promised == 0


@pytest.fixture
def command(capfd):
    def call(*arguments):
        assert run([str(argument) for argument in arguments]) == 0
        sys.stdout.flush()
        return capfd.readouterr()

    return call


def test_the_command(command, tickets_model, tmp_path, tickets):
    asked = ("rank", tickets_model, TICKETS, "--label", "billing", "--recall", "0.8")
    expected = deciban.load(tickets_model).depth(tickets[0], "billing", 0.8)
    assert expected.is_promised
    shown = command(*asked, "--top", "3").out.splitlines()
    assert shown[-2].startswith(f"to find 80% of billing, read the first {expected.depth:,} of 716 texts")
    told = command(*asked, "-o", tmp_path / "read.csv")
    assert told.out == ""
    assert f"read the first {expected.depth:,} of 716" in told.err
    with open(tmp_path / "read.csv", newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == expected.depth
    rows = [json.loads(line) for line in command(*asked, "--json").out.splitlines()]
    assert [row["rank"] for row in rows] == list(range(1, expected.depth + 1))


def test_a_model_that_knows_no_held_out_texts_goes_by_probabilities():
    few = deciban.train(["free money", "see you"], ["spam", "ham"])
    found = few.depth(["money", "you"], "spam", 0.9)
    assert (found.held_out, found.is_promised, found.depth) == (0, False, 2)


def test_bad_wishes(tickets_model):
    model = deciban.train(["free money", "see you"], ["spam", "ham"])
    for recall in (0, 1, True, float("nan")):
        with pytest.raises(BadSetting, match=r"recall=.*: expected a number between 0 and 1"):
            model.depth(["a1"], "spam", recall)
    lines = {
        "--recall 1": "argument --recall: expected a number between 0 and 1, got '1'",
        "--recall 0.9 --lowest": "--recall reads from the most probable text on",
        "--recall 0.9 --by ratio": "--recall reads from the most probable text on",
        "--recall 0.9 --label eggs": "'eggs' is not a label of this model",
    }
    for options, line in lines.items():
        with pytest.raises((DecibanError, UsageError)) as raised:
            run(["rank", str(tickets_model), str(TICKETS), "--label", "billing", *options.split()])
        assert str(raised.value).startswith(line)


def test_texts_that_are_not_like_the_held_out_ones_are_read_as_deep_as_probabilities_ask():
    """Held-out texts were all surer than any of the file: they alone would read none."""
    found = depth(np.linspace(0.9, 0, 200), np.full(99, 0.01), 0.9)
    assert found.is_promised
    assert found.depth == found.by_probabilities > 100
