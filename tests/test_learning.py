"""The learning curve: points that are exact, a law that is found again, and a sentence."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from conftest import ROOT
from deciban.cli import run
from deciban.evaluation.learning import FURTHEST, LearningCurve, Point, fitted
from deciban.growing import learning_curve, order_of, sizes_up_to
from deciban.splits import by_share

TICKETS = str(ROOT / "samples" / "tickets.csv")
laws = st.tuples(st.floats(0, 0.3), st.floats(0.5, 3), st.floats(0.2, 0.9))


def curve_of(a, b, c, sizes=(50, 100, 200, 400, 800), judged=10**6, now=800):
    return LearningCurve(tuple(Point(n, judged, 1 - a - b * n**-c) for n in sizes), now)


@given(laws)
def test_the_law_is_found_again_where_points_follow_one(law):
    a, b, c = law
    n = np.array([50.0, 100, 200, 400, 800])
    error = np.clip(a + b * n**-c, 0.001, 0.999)
    if error[0] == 0.999:
        return
    found = fitted(n, np.full(5, 1e6), error)
    for size in (50, 800, 3200):
        assert float(1 - found.accuracy(size)) == pytest.approx(a + b * size**-c, abs=0.02)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=8), st.integers(5, 1000))
def test_any_points_have_a_law_that_never_falls(rights, judged):
    points = tuple(Point(20 * 2**i, judged, right) for i, right in enumerate(rights))
    curve = LearningCurve(points, points[-1].learnt + 1)
    forecasts = [one.accuracy for one in curve.forecasts]
    assert forecasts == sorted(forecasts)
    for one in curve.forecasts:
        assert 0 <= one.low_95 <= one.high_95 <= 1
    assert "should bring" in curve.sentence
    json.dumps(curve.as_dict(), allow_nan=False)


def test_a_sentence_by_hand():
    curve = curve_of(0.0, 2.0, 0.5)  # 2 n^-0.5 falls from 7.07 % at 800 to 5.07 % at 1557
    assert curve.sentence.startswith("about 760 more labels should bring 2 points (95 %: 2.0 to 2.0)")
    assert curve.forecast(1557).accuracy == pytest.approx(1 - 2 * 1557**-0.5, abs=0.001)
    assert curve_of(0.1, 2.0, 1.5).sentence == "twice as many labels should bring 0.0 points (95 %: 0.0 to 0.0)"
    few = LearningCurve((Point(20, 20, 0.5), Point(40, 40, 0.6)), 41)
    assert few.sentence == "too few texts to tell what more labels would bring"
    assert (few.forecasts, few.as_dict()["law"]) == ((), None)


def test_the_interval_holds_what_comes_in_most_cases():
    rng, held, now = np.random.default_rng(7), 0, 800
    for _ in range(60):
        sizes = (50, 100, 200, 400, 800)
        points = tuple(Point(n, n, rng.binomial(n, 1 - 0.05 - 1.5 * n**-0.45) / n) for n in sizes)
        one = LearningCurve(points, now).forecast(2 * now)
        held += one.low_95 <= 1 - 0.05 - 1.5 * (2 * now) ** -0.45 <= one.high_95
    assert held >= 50


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=80), st.integers(0, 3))
def test_every_beginning_has_the_labels_in_proportion(labels, seed):
    order = order_of(labels, seed)
    assert sorted(order.tolist()) == list(range(len(labels)))
    for m in (len(labels) // 3, len(labels) // 2):
        for label in "abc":
            got = sum(labels[i] == label for i in order[:m])
            assert abs(got - m * labels.count(label) / len(labels)) <= 3


@given(st.integers(2, 10**7), st.integers(2, 9))
def test_sizes_grow_to_all(n, most):
    sizes = sizes_up_to(n, most)
    assert sizes[-1] == n
    assert sizes == sorted({*sizes})
    assert len(sizes) <= most


@pytest.mark.parametrize(
    "settings", [{"words": (1, 2), "alpha": 0.3}, {"model": "bernoulli"}, {"smoothing": "deleted"}]
)
def test_points_of_counts_are_those_of_training_on_the_beginnings(tickets, settings):
    texts, labels = tickets
    settings = {**settings, "calibration": "none"}
    curve = learning_curve(texts, labels, **settings)
    whole = deciban.train(texts, labels, **settings).leave_one_out().accuracy
    assert curve.points[-1] == Point(715, 716, pytest.approx(whole))
    size = curve.points[3].judged
    accuracies = []
    for seed in range(5):
        first = order_of(labels, seed)[:size]
        model = deciban.train([texts[i] for i in first], [labels[i] for i in first], **settings)
        accuracies.append(model.leave_one_out().accuracy)
    assert curve.points[3].accuracy == pytest.approx(np.mean(accuracies))


def test_points_of_fitted_models_are_those_of_training_without_what_judges(tickets):
    texts, labels = tickets
    curve = learning_curve(texts, labels, model="nbsvm", cost=0.1)
    size = curve.points[2].learnt
    accuracies = []
    for seed in range(2):
        ((learn, test),) = by_share(labels, 0.2, seed).parts
        first = learn[order_of([labels[i] for i in learn], seed)][:size]
        model = deciban.train([texts[i] for i in first], [labels[i] for i in first], model="nbsvm", cost=0.1)
        accuracies.append(model.evaluate([texts[i] for i in test], [labels[i] for i in test]).accuracy)
    assert curve.points[2].accuracy == pytest.approx(np.mean(accuracies))
    assert curve.now == 716


def test_groups_are_kept_apart_in_the_curve_too(tickets):
    texts, labels = tickets
    alone = learning_curve(texts, labels, alpha=0.3, group=[i // 2 for i in range(len(texts))])
    assert len(alone.points) >= 5
    assert alone.points[-1].judged + alone.points[-1].learnt == 716


# The command


@pytest.fixture
def shown(capsys):
    def shown(*arguments):
        assert run([str(one) for one in arguments]) == 0
        return capsys.readouterr().out

    return shown


def test_the_curve_on_the_command_line(shown, tickets_model, tmp_path):
    told = shown("evaluate", tickets_model, TICKETS, "--loo", "--curve", tmp_path / "curve.svg")
    assert told.splitlines()[-1].startswith("about 380 more labels should bring 2 points (95 %: ")
    assert "715     89.1%  ███" in told
    assert "labelled texts" in (tmp_path / "curve.svg").read_text()
    as_json = json.loads(shown("evaluate", tickets_model, TICKETS, "--loo", "--curve", "--json"))["learning_curve"]
    assert as_json["points"][-1]["accuracy"] == pytest.approx(0.891, abs=0.001)
    assert as_json["forecasts"][-1]["texts"] == FURTHEST * 716


def test_the_curve_of_a_model_that_is_being_trained(shown, tmp_path):
    out = ("-o", tmp_path / "n.deciban", "--curve")
    told = shown("train", TICKETS, "--model", "nbsvm", "--cost", "0.1", *out, "--evaluate", "tune:0.3")
    assert "should bring" in told.splitlines()[-1]
    assert "tuning set of 30%" in told
    folds = shown("evaluate", tmp_path / "n.deciban", TICKETS, "--folds", "2", "--curve")
    assert folds.splitlines()[-1] == told.splitlines()[-1]
