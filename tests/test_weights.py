"""Weights of examples: counted so often, or costing so much; kept with the examples; refused in one line."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deciban
from corpora import some_label, some_text
from deciban import errors
from deciban.cli import run
from deciban.fitting.solvers import LOSSES, Solver, examples, fit
from deciban.settings import FITTED, MODELS
from deciban.sklearn import TextClassifier

SINGLE = ("logistic", "hinge", "nbsvm", "nblogistic")
COUNTED = [{"model": model} for model in MODELS] + [{"smoothing": "deleted"}]
weighed = st.lists(st.tuples(some_text, some_label, st.integers(0, 3)), max_size=8)


def repeated(texts, labels, weights):
    places = np.repeat(np.arange(len(texts)), weights)
    return [texts[i] for i in places], [labels[i] for i in places]


def some_weights(n, seed=0):
    return np.random.default_rng(seed).integers(0, 4, n)


@pytest.mark.parametrize("settings", COUNTED, ids=str)
@given(corpus=weighed)
def test_models_of_counts_count_a_text_as_often_as_it_weighs(settings, corpus):
    assume(len({label for _, label, weight in corpus if weight}) > 1)
    texts, labels, weights = map(list, zip(*corpus, strict=True))
    ours = deciban.train(texts, labels, weights=weights, **settings)
    plain = deciban.train(*repeated(texts, labels, weights), **settings)
    assert ours.counts == plain.counts
    assert ours.provenance == plain.provenance
    assert np.array_equal(ours.scores(texts), plain.scores(texts))
    assert ours.learn(texts, labels, weights).forget(texts, labels, weights).counts == plain.counts


OF_ONE = [loss for loss in LOSSES if loss not in ("softmax", "multiclass_hinge")]  # label against the rest


@pytest.mark.parametrize(
    ("loss", "l1", "ratios"),
    [
        *((loss, 0.0, None) for loss in LOSSES),
        *((loss, 0.0, (1.0, 0.3)) for loss in OF_ONE),
        ("logistic", 1.0, None),
        ("squared_hinge", 0.5, (1.0, 0.3)),
    ],
)
def test_solvers_see_a_row_that_costs_more_as_so_many_rows(loss, l1, ratios):
    """With ratios, where these do not depend on how often a row is given: here each has every term."""
    rng = np.random.default_rng(1)
    x, y, weight = rng.normal(size=(30, 6)).astype(np.float32), rng.integers(0, 3, 30), some_weights(30, 2)
    x = np.abs(x) if ratios else x
    solver = Solver(loss, ratios, l1, tolerance=1e-11, epochs=100_000)
    one = fit(laid_out(x, y, weight), solver, [0.7])[0]
    other = fit(laid_out(np.repeat(x, weight, axis=0), np.repeat(y, weight), None), solver, [0.7])[0]
    assert np.allclose(one.objective, other.objective, rtol=1e-9)
    assert np.allclose(one.weights, other.weights, atol=1e-4)


def laid_out(x, y, cost):
    rows = (np.arange(len(x) + 1) * x.shape[1], np.tile(np.arange(x.shape[1]), len(x)), x.ravel())
    return examples(rows, x.shape[1], y, 3, cost=cost)


@pytest.mark.parametrize("class_weight", ["none", "balanced"])
@pytest.mark.parametrize("model", SINGLE)
def test_a_fitted_model_learns_a_heavy_text_as_if_given_so_often(model, class_weight, tickets):
    """But for idf and ratios, which count texts."""
    weights = some_weights(len(tickets[0]))
    given = {"model": model, "cost": 0.3, "idf": False, "class_weight": class_weight, "calibration": "none"}
    heavy = deciban.train(*tickets, weights=weights, **given)
    often = deciban.train(*repeated(*tickets, weights), **given)
    ours, theirs = heavy.scores(tickets[0]), often.scores(tickets[0])
    near = 0.03 if model in ("logistic", "hinge") else 0.3  # the former as near as a fit ends to the least
    assert np.abs(ours - theirs).max() < near * np.abs(theirs).max()
    assert np.mean(ours.argmax(axis=1) == theirs.argmax(axis=1)) > 0.99
    plain = deciban.train(*tickets, **given).scores(tickets[0])
    assert np.abs(ours - plain).max() > 0.1 * np.abs(theirs).max()


def test_what_is_seen_of_a_text_knows_nothing_of_weights(tickets):
    texts, labels = tickets
    heavy = deciban.train(texts, labels, weights=[2.5] * len(texts), model="logistic", cost=1.0)
    plain = deciban.train(texts, labels, model="logistic", cost=2.5)
    assert heavy.counts == plain.counts
    assert np.array_equal(heavy.scorecard.scaling.length, plain.scorecard.scaling.length)
    assert np.allclose(heavy.scores(texts), plain.scores(texts), rtol=1e-9)


@pytest.mark.parametrize("model", FITTED)
def test_a_text_that_weighs_nothing_is_not_learnt(model, tickets):
    texts, labels = tickets
    weights = [0.0 if i % 3 == 0 else 1.0 for i in range(len(texts))]
    ours = deciban.train(texts, labels, weights=weights, model=model)
    rest = deciban.train(*repeated(texts, labels, np.array(weights, int)), model=model)
    assert ours.counts == rest.counts
    assert ours.provenance == rest.provenance
    assert np.array_equal(ours.scores(texts), rest.scores(texts))


def test_a_cost_is_chosen_by_what_weighs_much(tickets):
    """Texts of random labels that weigh little do not matter."""
    texts, labels = tickets
    wrong = list(np.random.default_rng(0).permutation(labels))
    noisy = deciban.train(
        texts * 4, labels + wrong * 3, model="hinge", weights=[1.0] * 716 + [1e-9] * 3 * 716, idf=False
    )
    assert max(noisy.provenance[0]["fit"]["held_out"].values()) > 0.8


def test_weights_stay_with_their_examples(tickets):
    texts, labels = tickets
    weights = np.random.default_rng(0).random(len(texts)).tolist()
    given = {"model": "hinge", "cost": 1.0}

    def fresh(places, name=lambda label: label):
        some = [[column[i] for i in places] for column in (texts, labels, weights)]
        return deciban.train(some[0], list(map(name, some[1])), weights=some[2], **given).scores(texts)

    everything, first, last = range(len(texts)), range(300), range(300, len(texts))
    model = deciban.train(texts, labels, weights=weights, **given)
    a, b = (
        deciban.train(texts[p.start : p.stop], labels[p.start : p.stop], weights=weights[p.start : p.stop], **given)
        for p in (first, last)
    )
    assert np.array_equal((a + b).scores(texts), model.scores(texts))
    a.learn(texts[300:], labels[300:], weights[300:])
    assert np.array_equal(a.scores(texts), model.scores(texts))
    assert a.provenance[1] == {"source": "memory", "examples": len(last), "weight": sum(weights[300:])}
    assert np.array_equal(a.forget(texts[300:], labels[300:]).scores(texts), fresh(first))
    renamed = deciban.train(texts, labels, weights=weights, **given).rename_label(labels[0], "zz")
    assert np.array_equal(renamed.scores(texts), fresh(everything, lambda label: "zz" if label == labels[0] else label))
    dropped = model.drop_labels([labels[0]])
    assert np.array_equal(dropped.scores(texts), fresh([i for i in everything if labels[i] != labels[0]]))
    plain = deciban.train(texts[:300], labels[:300], **given).learn(texts[300:], labels[300:], weights[300:])
    assert plain._examples.weights == [1.0] * 300 + weights[300:]


TEXTS, LABELS = ["free money", "money now", "see you", "see me"], ["spam", "spam", "ham", "ham"]


@pytest.mark.parametrize("column", [np.array, pd.Series, pl.Series, tuple, lambda given: np.array(given, np.float32)])
def test_weights_may_stand_in_any_column(column):
    model = deciban.train(TEXTS, LABELS, weights=column([1, 2, 0, 3]))
    assert model.documents == {"ham": 3, "spam": 3}


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        (float("nan"), "nan"),
        (float("inf"), "float inf"),
        (2e9, "float 2000000000.0"),
        (10**400, f"int 1{'0' * 17}...{'0' * 19}"),
        (None, "None"),
        (True, "bool True"),
        ("2", "'2'"),
    ],
)
def test_what_is_no_weight_is_told(weight, told):
    with pytest.raises(errors.BadWeight) as caught:
        deciban.train(TEXTS, LABELS, weights=[1, 1, weight, 1], model="hinge")
    assert str(caught.value) == f"weights[2]: expected a weight, a number from 0 to 1e+09, got {told}"


def test_labels_of_no_weight_are_none():
    with pytest.raises(errors.OneLabel):
        deciban.train(TEXTS, LABELS, weights=[1, 1, 0, 0], model="hinge")
    with pytest.raises(errors.NoExamples, match="texts: expected labelled examples, got none"):
        deciban.train(TEXTS, LABELS, weights=[0] * 4)
    with pytest.raises(errors.NotSoOften, match="at most 10000 times, got the weight 10001"):
        deciban.train(TEXTS, LABELS, weights=[1, 10_001, 1, 1])


def test_a_bad_text_is_told_where_it_was_given():
    with pytest.raises(errors.BadText, match=r"^texts\[3\]: expected a text, got int 7$"):
        deciban.train(["a", "b", "c", 7], ["x", "y", "x", "y"], weights=[0, 5, 2, 1])
    deciban.train(["a", "b", "c", 7], ["x", "y", "x", "y"], weights=[1, 5, 2, 0])


FILES = {
    "csv": "weight,text,label,split\n2,free money,spam,a\n0.0,money now,spam,a\n1,see you,ham,a\n3,see me,ham,b\n",
    "tsv": "text\tlabel\tsplit\tweight\nfree money\tspam\ta\t2\nmoney now\tspam\ta\t0\nsee you\tham\ta\t1e0\n",
    "jsonl": "".join(
        json.dumps({"text": text, "label": label, "split": "a", "weight": weight}) + "\n"
        for text, label, weight in [("free money", "spam", 2), ("money now", "spam", 0), ("see you", "ham", "1.0")]
    ),
}


@pytest.mark.parametrize("ending", FILES)
@pytest.mark.parametrize("model", ["multinomial", "tan", "logistic"])
def test_the_command_reads_weights(ending, model, tmp_path, capsys):
    file, path = tmp_path / f"mail.{ending}", str(tmp_path / "m")
    file.write_text(FILES[ending])
    cost = ["--cost", "1"] if model == "logistic" else []
    given = ["--weight", "weight", "--where", "split=a"]
    assert run(["train", str(file), *given, "--model", model, *cost, "-o", path]) == 0
    own = {"cost": 1.0} if model == "logistic" else {}
    fresh = deciban.train(["free money", "see you"], ["spam", "ham"], weights=[2, 1], model=model, **own)
    loaded = deciban.load(path)
    assert loaded.counts == fresh.counts
    assert np.array_equal(loaded.scores(["money, you"]), fresh.scores(["money, you"]))
    run(["info", path])
    shown = {"logistic": f"trained on: mail.{ending} (+2, of weight 3)\n"}
    assert shown.get(model, f"trained on: mail.{ending} (+3)\n") in capsys.readouterr().out
    if model == "multinomial":
        assert run(["learn", path, str(file), *given]) == run(["forget", path, str(file), *given]) == 0
        assert deciban.load(path).counts == fresh.counts


@pytest.mark.parametrize(
    ("cell", "given", "told"),
    [
        ("two", (), "mail.csv:3: expected a weight, a number from 0 to 1e+09, got 'two'"),
        ("-1", ("--model", "hinge"), "mail.csv:3: expected a weight, a number from 0 to 1e+09, got '-1'"),
        ("nan", (), "mail.csv:3: expected a weight, a number from 0 to 1e+09, got 'nan'"),
        ("", (), "mail.csv:3: expected a weight, a number from 0 to 1e+09, got ''"),
        (
            "1.5",
            (),
            "mail.csv:3: a multinomial model counts a text 0, 1, 2, ... or at most 10000 times, got the weight "
            f"1.5; models that take any: {', '.join(FITTED)}",
        ),
        ("1", ("--weight", "mass"), "mail.csv:1: no column 'mass'; the columns are: text, label, weight"),
    ],
)
def test_files_without_good_weights_are_told(cell, given, told, tmp_path):
    file = tmp_path / "mail.csv"
    file.write_text(f"text,label,weight\nfree money,spam,1\nsee you,ham,{cell}\n")
    with pytest.raises(errors.DecibanError) as caught:
        run(["train", str(file), "--weight", "weight", *given, "-o", str(tmp_path / "m")])
    assert str(caught.value) == told
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("model", ["multinomial", "hinge"])
def test_the_scikit_learn_face_takes_weights(model):
    own = {"cost": 1.0} if model == "hinge" else {}
    y, weights = np.array([1, 1, 0, 2]), np.array([2, 1, 3, 0])
    face = TextClassifier(model=model, **own).fit(TEXTS, y, sample_weight=weights)
    assert face.classes_.tolist() == [0, 1]
    plain = deciban.train(TEXTS, list(map(str, y)), weights=weights, model=model, **own)
    assert np.array_equal(face.classifier_.scores(TEXTS), plain.scores(TEXTS))
    assert face.partial_fit(["lunch?"], [2], sample_weight=[2]).classes_.tolist() == [0, 1, 2]
