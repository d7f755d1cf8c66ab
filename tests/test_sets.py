"""Conformal sets: they hold the true label as often as they say."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from conftest import ROOT
from deciban.cli import UsageError, run
from deciban.decision.sets import UNLIKE, Conformal, conformal, threshold
from deciban.errors import BadSetting, NoHeldOut

shares = st.floats(0.01, 0.99)


@given(numbers=st.lists(st.floats(0, 2), max_size=60).map(sorted), coverage=shares)
def test_a_threshold_leaves_room_for_the_one_to_come(numbers, coverage):
    q = threshold(np.array(numbers), coverage)
    below = sum(a <= q for a in numbers)
    assert below + (q == np.inf) >= (len(numbers) + 1) * coverage - 1e-6 or below == len(numbers)
    if q != np.inf:
        assert sum(a < q for a in numbers) < (len(numbers) + 1) * coverage


@given(st.integers(0, 10**6), st.sampled_from([0.8, 0.9, 0.95]), st.booleans())
def test_exchangeable_texts_are_covered(seed, coverage, within):
    """Whatever the probabilities are worth: here they know little of the labels."""
    draw = np.random.default_rng(seed)
    y, p = draw.integers(0, 3, 6000), draw.dirichlet([0.4, 0.5, 0.6], 6000)
    seen = conformal(p[np.arange(3000), y[:3000]], y[:3000], 3, np.ones(3000))
    sets = seen.sets(p[3000:], np.ones(3000), coverage, within=within)
    held = sets[np.arange(3000), y[3000:]]
    for part in [y[3000:] == r for r in range(3)] if within else [np.full(3000, True)]:
        sampling = np.sqrt(coverage * (1 - coverage) / part.sum() * 2)
        assert abs(held[part].mean() - coverage) < 5 * sampling + 0.006


@given(st.integers(0, 10**6), shares, shares, st.booleans())
def test_more_coverage_is_a_larger_set(seed, one, other, within):
    draw = np.random.default_rng(seed)
    seen = conformal(draw.random(200), draw.integers(0, 4, 200), 4, draw.integers(0, 3, 200))
    p, known = draw.dirichlet(np.ones(4), 20), draw.integers(0, 3, 20)
    small, large = (seen.sets(p, known, share, within=within) for share in sorted([one, other]))
    assert (small <= large).all()


def test_a_label_of_which_too_little_is_known_is_in_every_set():
    seen = conformal(np.array([0.9] * 30 + [0.8]), np.array([0] * 30 + [1]), 3, np.ones(31))
    assert seen.sets(np.array([[0.05, 0.05, 0.9]]), np.ones(1), 0.9, within=True).tolist() == [[False, True, True]]


def test_nothing_known_of_a_text_is_the_empty_set():
    seen = conformal(np.full(50, 0.9), np.arange(50) % 2, 2, np.ones(50))
    assert not seen.sets(np.array([[0.95, 0.05]]), np.zeros(1), 0.9).any()
    assert seen.overall.max() < UNLIKE


def test_labels_that_change_keep_what_is_theirs():
    seen = conformal(np.linspace(0, 1, 40), np.arange(40) % 2, 2, np.ones(40))
    changed = seen.for_labels(np.array([1, -1]))
    assert isinstance(changed, Conformal)
    assert changed.by_label.tolist() == seen.by_label[seen.ends[1] :].tolist()
    assert changed.ends.tolist() == [0, 20, 20]


@pytest.fixture(scope="module")
def halves(data):
    texts, labels = data("agnews-test")
    return (texts[::2], labels[::2]), (texts[1::2], labels[1::2])


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_texts_that_were_kept_apart_are_covered(halves, coverage):
    model = deciban.train(*halves[0], model="multinomial")
    sets = model.predict_set(halves[1][0], coverage)
    assert np.mean([true in labels for true, labels in zip(halves[1][1], sets, strict=True)]) == pytest.approx(
        coverage, abs=0.02
    )
    within = model.predict_set(halves[1][0], coverage, within_labels=True)
    for label in model.labels:
        held = [label in labels for true, labels in zip(halves[1][1], within, strict=True) if true == label]
        assert np.mean(held) == pytest.approx(coverage, abs=0.05)


def test_sets_are_in_falling_order_and_stay_the_same_when_saved(tickets, tmp_path):
    model = deciban.train(*tickets, model="multinomial")
    texts = [*tickets[0][:40], "zzz qqq", ""]
    sets, p = model.predict_set(texts, 0.95), model.predict_proba(texts)
    for labels, row in zip(sets, p, strict=True):
        shown = [row[model.labels.index(label)] for label in labels]
        assert shown == sorted(shown, reverse=True)
    assert sets[-2:] == [(), ()]
    model.save(tmp_path / "m.deciban", frozen=True)
    assert deciban.load(tmp_path / "m.deciban").predict_set(texts, 0.95) == sets


def test_raw_models_have_sets_too(tickets, tmp_path):
    model = deciban.train(*tickets, model="multinomial", calibration="none")
    assert model.predict_set(tickets[0][:3], 0.9)[0]
    model.save(tmp_path / "m.deciban")
    with pytest.raises(NoHeldOut):
        deciban.load(tmp_path / "m.deciban").predict_set(["parcel"])


@pytest.mark.parametrize("coverage", [0, 1, -0.5, 1.5, "0.9", None, True, float("nan")])
def test_what_is_no_share_is_refused(tickets, coverage):
    with pytest.raises(BadSetting, match="a number between 0 and 1"):
        deciban.train(*tickets, model="multinomial").predict_set(["parcel"], coverage)


def test_on_the_command_line(tickets_model, tmp_path, capsys):
    (tmp_path / "new.txt").write_text("the parcel came broken, refund please\nzzz qqq\n")
    model = deciban.load(tickets_model)
    sets = model.predict_set(["the parcel came broken, refund please", "zzz qqq"], 0.95)
    run(["predict", str(tickets_model), str(tmp_path / "new.txt"), "--coverage", "0.95"])
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["set"].split("|") if row["set"] else [] for row in rows] == list(map(list, sets))
    assert len(sets[0]) > 1
    command = [
        "predict",
        str(tickets_model),
        str(tmp_path / "new.txt"),
        "--coverage",
        "0.95",
        "--within-labels",
        "--json",
    ]
    run(command)
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    within = model.predict_set(["the parcel came broken, refund please", "zzz qqq"], 0.95, within_labels=True)
    assert [row["set"] for row in found] == list(map(list, within))


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--coverage", "1.5"], "expected a number between 0 and 1, got '1.5'"),
        (["--coverage", "most"], "expected a number between 0 and 1, got 'most'"),
        (["--within-labels"], "--within-labels says how --coverage is meant, which is missing"),
        (["--coverage", "0.9", "--top", "2"], "not allowed with"),
        (["--coverage", "0.9", "--priors", "adapt"], "as frequent as in training, not for --priors adapt"),
    ],
)
def test_bad_options(tickets_model, options, line):
    with pytest.raises(UsageError, match=line):
        run(["predict", str(tickets_model), "-", *options])


@pytest.mark.parametrize("within", [False, True])
def test_figures_of_sets_are_those_of_the_sets(halves, within):
    model = deciban.train(*halves[0], model="multinomial")
    found = model.evaluate(*halves[1], coverage=0.9, within_labels=within).sets
    sets = model.predict_set(halves[1][0], 0.9, within_labels=within)
    assert found.coverage == np.mean([true in one for true, one in zip(halves[1][1], sets, strict=True)])
    assert found.mean_size == pytest.approx(np.mean([len(one) for one in sets]))
    assert (found.promised, found.within_labels) == (0.9, within)


@pytest.mark.parametrize("protocol", ["loo", "folds:3", "tune:0.3"])
def test_sets_are_judged_by_every_protocol(halves, protocol):
    found = deciban.evaluate(*halves[0], protocol, model="multinomial", coverage=0.9)
    assert found.sets.coverage == pytest.approx(0.9, abs=0.02)
    assert found.sets.examples == found.examples
    assert found.as_dict()["sets"]["mean_size"] == found.sets.mean_size
    assert deciban.evaluate(*halves[0], protocol, model="multinomial").sets is None


def test_evaluating_sets_on_the_command_line(tickets_model, capsys, tmp_path):
    command = ["evaluate", str(tickets_model), str(ROOT / "samples" / "tickets.csv"), "--loo", "--coverage", "0.9"]
    report = tmp_path / "r.html"
    run([*command, "--report", str(report)])
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("sets for 90%"))
    run([*command, "--json"])
    found = json.loads(capsys.readouterr().out)["sets"]
    assert f"{found['coverage']:.1%} hold the true label" in line
    assert f"{found['mean_size']:.2f} labels on average" in line
    assert "Sets of labels for 90.0% of the texts" in report.read_text()
    run([*command[:-3], "--folds", "3", "--coverage", "0.9", "--within-labels"])
    assert "sets for 90% of the texts of each label: " in capsys.readouterr().out
    run([*command[:-3], "--coverage", "0.9"])
    assert "sets for 90% of the texts: " in capsys.readouterr().out
    with pytest.raises(UsageError, match="--within-labels says how --coverage is meant"):
        run([*command[:-2], "--within-labels"])


@pytest.mark.parametrize("coverage", [0, 1, "0.9"])
def test_no_share_is_refused_before_training(tickets, coverage):
    with pytest.raises(BadSetting, match="a number between 0 and 1"):
        deciban.evaluate(*tickets, model="multinomial", coverage=coverage)
