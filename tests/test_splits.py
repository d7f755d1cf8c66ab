"""Parts of a set: nothing on both sides, whatever the labels, the groups and the times."""

from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deciban.errors import BadTime, TooFewGroups, TooFewTimes, TooManyFolds
from deciban.splits import by_share, by_time, folds_of, in_folds, numbers

labels = st.lists(st.sampled_from("abc"), min_size=4, max_size=60)
seeds = st.integers(0, 5)


def check(split, n, *, all_judged=True):
    """No example on both sides of a part, none judged twice, all used."""
    for part in split.parts:
        assert not {*part.train.tolist()} & {*part.test.tolist()}
        assert len(part.train)
        assert len(part.test)
    judged = np.concatenate([part.test for part in split.parts]).tolist()
    assert len(judged) == len({*judged})
    if all_judged:
        assert sorted(judged) == list(range(n))
        assert all(len(part.train) + len(part.test) == n for part in split.parts)


@given(labels, st.integers(2, 5), seeds)
def test_folds_judge_every_text_once_and_deal_labels_evenly(given_labels, folds, seed):
    assume(max(map(given_labels.count, "abc")) >= folds)
    split = in_folds(given_labels, folds, seed)
    check(split, len(given_labels))
    for label in "abc":
        of_label = [sum(given_labels[i] == label for i in part.test) for part in split.parts]
        assert max(of_label) - min(of_label) <= 1


@given(labels, st.data(), st.integers(2, 4), seeds)
def test_no_group_is_on_both_sides(given_labels, data, folds, seed):
    groups = data.draw(st.lists(st.integers(0, 9), min_size=len(given_labels), max_size=len(given_labels)))
    assume(len({*groups}) >= folds)
    for split in (in_folds(given_labels, folds, seed, groups), by_share(given_labels, 0.3, seed, groups)):
        check(split, len(given_labels), all_judged=len(split.parts) > 1)
        for part in split.parts:
            assert not {groups[i] for i in part.train} & {groups[i] for i in part.test}


def test_groups_keep_folds_alike_where_they_can():
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 80, 1000).tolist()
    given_labels = rng.choice(list("ab"), 1000, p=[0.8, 0.2]).tolist()
    split = in_folds(given_labels, 5, 0, groups)
    sizes = [len(part.test) for part in split.parts]
    rare = [sum(given_labels[i] == "b" for i in part.test) for part in split.parts]
    assert max(sizes) - min(sizes) <= 20
    assert max(rare) - min(rare) <= 8
    assert len(by_share(given_labels, 0.3, 0, groups).parts[0].test) == pytest.approx(300, abs=15)


def test_examples_without_a_group_are_each_their_own():
    split = in_folds(["a", "b"] * 6, 4, 0, ["", None] * 6)
    assert [len(part.test) for part in split.parts] == [3, 3, 3, 3]


@given(labels, st.floats(0.1, 0.9), seeds)
def test_a_share_has_its_part_of_every_label(given_labels, share, seed):
    n = len(given_labels)
    assume(1 <= share * n <= n - 1)
    split = by_share(given_labels, share, seed)
    check(split, n, all_judged=False)
    assert len(split.parts[0].test) in (int(share * n), round(share * n))
    for label in "abc":
        judged = sum(given_labels[i] == label for i in split.parts[0].test)
        assert abs(judged - share * given_labels.count(label)) <= 1


@given(st.lists(st.integers(0, 12), min_size=4, max_size=60), st.integers(1, 4))
def test_in_time_all_that_is_learnt_came_before(times, steps):
    assume(len({*times}) > steps)
    split = by_time(times, steps)
    check(split, len(times), all_judged=False)
    for part in split.parts:
        assert max(times[i] for i in part.train) < min(times[i] for i in part.test)
    used = sorted([*split.parts[0].train.tolist(), *np.concatenate([part.test for part in split.parts]).tolist()])
    assert used == list(range(len(times)))


def test_steps_are_about_equally_long():
    split = by_time(np.random.default_rng(1).permutation(600).tolist(), 5)
    assert [len(part.train) for part in split.parts] == [100, 200, 300, 400, 500]


def test_times_are_numbers_or_dates():
    days = [
        "2026-01-09",
        "2026-01-10T08:00",
        "2026-01-10T09:00+02:00",
        date(2026, 1, 12),
        datetime(2026, 1, 13, tzinfo=UTC),
    ]
    (part,) = by_time(days, 1).parts
    assert part.train.tolist() == [0, 2]
    assert [p.test.tolist() for p in by_time(["10", 9, np.float64(11)], 2).parts] == [[0], [2]]


@pytest.mark.parametrize("bad", ["17/11/2026", "", None, "nan", "inf", True, "yesterday"])
def test_what_is_no_time_is_refused(bad):
    with pytest.raises(BadTime, match=r"mail.csv, time\[1\]: expected a time"):
        by_time([1, bad, 3], 1, "mail.csv")


def test_too_few_of_anything():
    with pytest.raises(TooManyFolds, match="mail: expected at most 2 folds"):
        in_folds(["x", "x", "y"], 3, name="mail")
    with pytest.raises(TooFewGroups, match="mail: expected at least 3 groups"):
        in_folds(["x", "x", "y"], 3, 0, [1, 1, 2], "mail")
    with pytest.raises(TooFewTimes, match="mail: 2 steps in time need examples of 3 different times, got 2"):
        by_time([1, 1, 2], 2, "mail")


def test_folds_are_those_that_models_are_chosen_by(tickets):
    from deciban.fitting import committee

    y = numbers(tickets[1])
    assert committee.folds_of is folds_of
    assert np.array_equal(np.unique(folds_of(y, 5)), np.arange(5))
