"""The L1 path: closed forms, scikit-learn's paths, what holds of all of them, and the command."""

import csv
import json
import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, lasso_path
from sklearn.svm import LinearSVC

import deciban
from conftest import ROOT
from deciban import errors
from deciban.cli import run
from deciban.fitting.members import Labelled, Member
from deciban.fitting.seen import Seen, Sight
from deciban.paths import MODELS, path
from deciban.paths.steps import follow, greatest
from deciban.splits import folds_of

TICKETS = str(ROOT / "samples" / "tickets.csv")
MAIL = (["free money", "money now", "money", "see you", "you soon", "see me"] * 5, (["spam"] * 3 + ["ham"] * 3) * 5)
TIGHT = {"tolerance": 1e-9}


def seen_of(x):
    """Rows of any numbers, as a model sees them."""
    x = sp.csr_matrix(x)
    x.sort_indices()
    terms = np.arange(x.shape[1])
    return Seen(
        Sight(),
        x.indptr.astype(np.int64),
        x.indices.astype(np.uint32),
        x.data.astype(np.float32),
        terms,
        terms * 1.0,
        1.0,
    )


def followed(x, label, member, steps=12, least=0.02, **more):
    of = Labelled(np.asarray(label), int(max(label)) + 1, np.ones(len(label)))
    return follow(seen_of(x), of, member, steps, least, folds_of(of.y, 3), **{**TIGHT, **more})


def dense(found, terms, outputs=1):
    """Weights: steps x terms x outputs."""
    weights = np.zeros((len(found.lam), terms, outputs))
    weights[:, found.term, found.output] = found.weights.T
    return weights


def texts_of(data, name="cr", limit=600):
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, labels = data(name, limit=limit)
    x = TfidfVectorizer(min_df=3).fit_transform(texts)
    x.data = x.data.astype(np.float32).astype(np.float64)
    _, first = np.unique(x.toarray(), axis=1, return_index=True)  # equal columns share a weight as they like
    return x[:, np.sort(first)], np.unique(labels, return_inverse=True)[1]


# What is right


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.sampled_from([0.5, 1.0, 2.0])), min_size=6, max_size=20))
def test_a_term_a_row_has_the_closed_form(rows):
    """Columns that share no row: w_j = sign(g_j) max(|g_j| - lambda / 2, 0) / sum x^2, where g_j = sum x y."""
    rows = [(0, True, 1.0), (0, True, 1.0), (1, False, 1.0), *rows]
    x, y = np.zeros((len(rows), 5)), np.array([1 if is_one else -1 for _, is_one, _ in rows])
    for row, (term, _, value) in enumerate(rows):
        x[row, term] = value
    if not (x.T @ y).any():
        return
    found = followed(x, (y > 0).astype(int), Member("", Sight(), "squared", l1=1.0, bias=0.0))
    g, squares = x.T @ y, np.maximum((x**2).sum(axis=0), 1e-9)
    expected = np.sign(g) * np.maximum(np.abs(g) - found.lam[:, None] / 2, 0) / squares
    np.testing.assert_allclose(dense(found, 5)[:, :, 0], expected, atol=1e-4)
    assert found.lam[0] == pytest.approx(2 * np.abs(g).max(), rel=0.02)


def test_the_squared_loss_has_scikit_learns_lasso_path(data):
    x, label = texts_of(data)
    found = followed(x, label, Member("", Sight(), "squared", l1=1.0, bias=0.0))
    alphas = found.lam / (2 * len(label))  # scikit-learn's loss is a mean, and a half
    _, theirs, _ = lasso_path(x.toarray(), 2.0 * label - 1, alphas=alphas, tol=1e-10, max_iter=100_000)
    np.testing.assert_allclose(dense(found, x.shape[1])[:, :, 0].T, theirs, atol=2e-3)
    assert found.weights.any(axis=0)[1:].all()


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_other_losses_have_the_weights_of_liblinear(data, loss):
    x, label = texts_of(data)
    found = followed(x, label, Member("", Sight(), loss, l1=1.0), steps=6)
    for lam, ours in zip(found.lam, dense(found, x.shape[1]), strict=True):
        shared = {"C": 1 / lam, "tol": 1e-6, "max_iter": 10_000, "random_state": 0}
        if loss == "logistic":
            model = LogisticRegression(solver="liblinear", l1_ratio=1, **shared)
        else:
            model = LinearSVC(loss=loss, penalty="l1", dual=False, **shared)
        np.testing.assert_allclose(ours[:, 0], model.fit(x, label).coef_[0], atol=0.02 * max(1, np.abs(ours).max()))


@pytest.mark.parametrize("settings", [{}, {"model": "hinge"}, {"model": "nbsvm"}, {"model": "squared"}, {"l1": 0.5}])
def test_what_holds_of_every_path(tickets, settings):
    found = path(*tickets, steps=10, least=0.05, **settings)
    lam = [step.lam for step in found.steps]
    np.testing.assert_allclose(np.diff(np.log(lam)), math.log(0.05) / 9)
    assert found.steps[0].terms == 0
    assert [entry.step for entry in found.entries] == sorted(entry.step for entry in found.entries)
    for entry, weights in zip(found.entries, found.weights, strict=True):
        assert not weights[: entry.step].any()
        assert np.sign(weights[entry.step]) == entry.sign
        assert (entry.lam, entry.weight) == (lam[entry.step], weights[found.chosen])
    for place, step in enumerate(found.steps):
        there = found.weights[:, place] != 0
        assert step.terms == len({entry.term for entry, is_there in zip(found.entries, there, strict=True) if is_there})
    best, chosen = found.steps[found.best], found.steps[found.chosen]
    assert best.accuracy == max(step.accuracy for step in found.steps)
    assert chosen.lam >= best.lam
    assert chosen.accuracy >= best.accuracy - best.error
    assert all(step.accuracy < best.accuracy - best.error for step in found.steps[: found.chosen])
    assert len(found.selected) == chosen.terms


def test_threads_never_matter(tickets):
    one, two = (path(*tickets, steps=6, least=0.1, threads=threads) for threads in (1, 3))
    assert one.entries == two.entries
    assert one.steps == two.steps


def test_the_chosen_step_is_a_model_that_can_be_trained(tickets):
    found = path(*tickets, steps=12, least=0.03)
    step = found.steps[found.chosen]
    trained = deciban.train(*tickets, model="logistic", l1=1.0, cost=step.cost)
    weights = {trained.lexicon.name(int(term)) for term in trained.scorecard.term[trained.scorecard.weight != 0]}
    assert len(weights ^ set(found.selected)) <= 0.03 * len(weights)  # the one is fitted to a tighter gap


def test_held_out_accuracy_is_that_of_models_without_the_fold():
    texts, labels = MAIL
    found = path(texts, labels, steps=4, least=0.05, folds=3, seed=1, idf=False)  # idf has seen all texts
    fold = folds_of(np.unique(labels, return_inverse=True)[1], 3, 1)
    for step in found.steps[1:]:
        right = []
        for number in range(3):
            parts = [
                [[column[i] for i in np.flatnonzero(there)] for column in (texts, labels)]
                for there in (fold != number, fold == number)
            ]
            model = deciban.train(*parts[0], model="logistic", l1=1.0, cost=step.cost, idf=False)
            right.append(model.evaluate(*parts[1]).accuracy)
        assert step.accuracy == pytest.approx(np.mean(right), abs=0.04)
        assert step.error == pytest.approx(np.std(right, ddof=1) / math.sqrt(3), abs=0.04)


def test_weights_of_texts_are_texts_that_stand_there_so_often():
    texts, labels = MAIL
    twice = path(texts * 2, labels * 2, steps=5, idf=False)
    heavy = path(texts, labels, weights=[2] * len(texts), steps=5, idf=False)
    np.testing.assert_allclose([s.lam for s in twice.steps], [s.lam for s in heavy.steps], rtol=1e-6)
    assert {entry[:5] for entry in twice.entries} == {entry[:5] for entry in heavy.entries}


def test_texts_without_terms_have_an_empty_path():
    found = path(["", "!", "", "?"] * 3, ["a", "b", "b", "b"] * 3, folds=2, steps=4)
    assert found.entries == ()
    assert [step.terms for step in found.steps] == [0] * 4


def test_a_path_begins_where_the_first_term_comes_in(data):
    from deciban.fitting import solvers

    x, label = texts_of(data, "trec")
    given = solvers.examples(seen_of(x).rows, x.shape[1], label, 6)
    solver = solvers.Solver("logistic", l1=1.0, tolerance=1e-7)
    lam = greatest(given, solver)
    assert not solvers.fit(given, solver, [1 / lam])[0].weights.any()
    assert solvers.fit(given, replace(solver, tolerance=1e-9), [1.011 / lam])[0].weights.any()


# The command


def test_the_command_shows_writes_and_draws(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = [
        "--save",
        "terms.csv",
        "--save",
        "all.json",
        "--save-steps",
        "steps.csv",
        "--plot",
        "p.svg",
        "--plot",
        "p.png",
    ]
    run(["path", TICKETS, "--steps", "8", "--least", "0.05", *files])
    shown = capsys.readouterr().out
    assert "chosen: lambda" in shown
    assert "billing: +refund" in shown
    assert "--model logistic --l1 1 --cost" in shown
    whole = json.loads((tmp_path / "all.json").read_text())
    with open(tmp_path / "terms.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [line["name"] for line in lines] == [entry["name"] for entry in whole["entries"]]
    assert {line["sign"] for line in lines} == {"+", "-"}
    with open(tmp_path / "steps.csv", newline="", encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    assert [int(step["terms"]) for step in steps] == [step["terms"] for step in whole["steps"]]
    drawn = "".join(ElementTree.parse(tmp_path / "p.svg").getroot().itertext())
    assert all(f"weights for {label}" in drawn for label in ("billing", "praise"))
    assert "refund" in drawn
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_json_and_one_label(tmp_path, capsys):
    run(["path", TICKETS, "--steps", "3", "--json"])
    assert json.loads(capsys.readouterr().out)["steps"][0]["terms"] == 0
    run(["path", TICKETS, "--steps", "4", "--of", "praise", "--model", "squared", "--plot", str(tmp_path / "one.svg")])
    shown = capsys.readouterr().out
    assert "praise: +" in shown
    assert "billing:" not in shown
    assert "--cost" not in shown
    assert "weights for billing" not in (tmp_path / "one.svg").read_text()


def test_the_same_bytes_every_time(tmp_path):
    found = path(*MAIL, steps=4)
    for name in ("a.svg", "b.svg"):
        found.plot(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


LABELS = "account, billing, bug, delivery, feature request, praise"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--model", "multinomial"], "model='multinomial': not known; the known ones are: " + ", ".join(MODELS)),
        (["--l1", "0"], "l1=0.0: expected a number above 0, up to 1: else no weight is zero"),
        (["--l1", "2"], "l1=2.0: expected a number from 0 to 1"),
        (["--cost", "1"], "cost=1.0: expected none: a path has all of them"),
        (["--joint"], "joint=True: expected False, where weights are to be zero"),
        (["--interpolation", "0.5"], "interpolation=0.5: expected 1.0, where weights are to be zero"),
        (["--steps", "1"], "steps=1: expected a whole number from 2 to 1000"),
        (["--folds", "1"], "folds=1: expected a whole number from 2 to 1000"),
        (["--folds", "800"], "tickets.csv: expected at least 800 examples, one a fold, got 716"),
        (["--least", "1"], "least=1.0: expected a share from 1e-09 on, below 1"),
        (["--of", "spam"], f"'spam' is not a label of this model; its labels are: {LABELS}"),
        (["--save", "terms.txt"], "terms.txt: cannot tell the format from the name; expected .csv or .json"),
        (["--save-steps", "steps.json"], "steps.json: cannot tell the format from the name; expected .csv"),
        (["--plot", "path.gif"], "path.gif: cannot tell the format from the name; expected .svg or .png"),
        (["--class-weight", "spam=2"], f"'spam' is not a label of this model; its labels are: {LABELS}"),
        (["--save", "no/such/terms.csv"], "no/such/terms.csv: cannot write: No such file or directory"),
    ],
)  # fmt: skip
def test_bad_settings_get_one_line(options, line):
    with pytest.raises(errors.DecibanError) as caught:
        run(["path", TICKETS, *options])
    assert str(caught.value) == line


def test_the_examples_are_never_written_over(tmp_path):
    path_of = tmp_path / "mail.csv"
    path_of.write_text("text,label\nfree money,spam\nsee you,ham\n")
    with pytest.raises(errors.Unwritable):
        run(["path", str(path_of), "--save", str(path_of)])
    assert path_of.read_text().startswith("text,label")


def test_a_label_that_a_plot_cannot_have(tmp_path):
    with pytest.raises(errors.UnknownLabel):
        path(*MAIL, steps=3).plot(tmp_path / "p.svg", "eggs")
    assert not (tmp_path / "p.svg").exists()
    with pytest.raises(errors.OneLabel):
        path(["a1", "b1"], ["x", "x"])
    with pytest.raises(errors.NoExamples):
        path([], [])
