"""Comparing models: the statistics, the protocol, and the command, end to end."""

import contextlib
import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

import deciban
from conftest import ROOT
from deciban import errors
from deciban.cli import run
from deciban.comparing import TEST, TRAIN
from deciban.evaluation import Evaluation, wilson
from deciban.evaluation.comparison import Comparison, Run, bootstrap, mcnemar, paired
from deciban.holdout import HeldOut
from deciban.settings import Settings
from deciban.splits import folds_of
from terminal import on_a_terminal

TICKETS = ROOT / "samples" / "tickets.csv"
CLOCK = {"train_seconds": 0, "predict_seconds": 0}
MAIL = (["free money", "money now", "free now", "see you", "you soon", "see me"] * 5, (["spam"] * 3 + ["ham"] * 3) * 5)

rights = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=300)


def answered(right, name="one"):
    """The run of a model that answers so many texts, right or wrong."""
    held = HeldOut(("a", "b"), ["a"] * len(right), np.empty((len(right), 0)), ["a" if fine else "b" for fine in right])
    return Run(name, "mail", "test part", Evaluation(held), 1.0, 0.5)


def beside(right, other):
    return Comparison((answered(right), answered(other, "other")), {"one": Settings(), "other": Settings()})


# The statistics


@given(st.integers(0, 60), st.integers(0, 60))
def test_mid_p_is_mcnemars_exact_p_less_half_of_what_was_seen_on_either_side(b, c):
    n, k = b + c, min(b, c)
    exact = stats.binomtest(k, n, 0.5).pvalue if n else 1.0
    expected = exact - stats.binom.pmf(k, n, 0.5) if b != c else 1.0
    assert mcnemar(b, c) == pytest.approx(expected, abs=1e-12)
    assert mcnemar(b, c) == mcnemar(c, b)


def test_mid_p_of_very_many_texts():
    n, k = 150_000, 74_500
    expected = 2 * stats.binom.cdf(k, n, 0.5) - stats.binom.pmf(k, n, 0.5)
    assert mcnemar(k, n - k) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("b", "c", "n"), [(30, 10, 200), (5, 0, 40), (200, 190, 3771)])
def test_the_interval_is_that_of_scipys_paired_bootstrap(b, c, n):
    gained = np.repeat([1.0, -1.0, 0.0], [b, c, n - b - c])
    theirs = stats.bootstrap((gained,), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    spread = np.sqrt(b + c) / n
    assert bootstrap(b, c, n) == pytest.approx((theirs.low, theirs.high), abs=0.06 * spread + 1 / n)


@given(rights)
def test_a_model_beside_itself_differs_by_nothing(right):
    both = beside([one for one, _ in right], [one for one, _ in right])
    (difference,) = both.differences()
    assert (difference.difference, difference.low_95, difference.high_95, difference.mid_p) == (0, 0, 0, 1)
    assert not difference.told_apart
    assert "cannot be told apart" in difference.sentence


@given(rights)
def test_a_difference_is_that_of_the_accuracies_and_lies_in_its_interval(right):
    one, other = answered([a for a, _ in right]), answered([b for _, b in right])
    there, back = paired(one, other), paired(other, one)
    assert there.difference == pytest.approx(one.accuracy - other.accuracy)
    assert there.low_95 <= there.difference <= there.high_95
    assert (back.difference, back.mid_p) == (-there.difference, there.mid_p)
    assert one.interval == wilson(sum(a for a, _ in right), len(right))


def test_sentences_say_who_is_better():
    better, worse = [True] * 80 + [False] * 20, [True] * 60 + [False] * 40
    for comparison in (beside(better, worse), beside(worse, better)):
        (difference,) = comparison.differences()
        assert difference.told_apart
        names = ("one", "other") if comparison.runs[0].accuracy > 0.7 else ("other", "one")
        assert difference.sentence == (
            f"{names[0]} is better than {names[1]} on mail by 20.0 points (95 %: 12.0 to 28.0; mid-p 9.5e-07)"
        )
        assert comparison.best("mail").model == names[0]


def test_of_few_texts_the_bootstrap_alone_is_not_believed():
    difference = paired(answered([True] * 9), answered([True] * 5 + [False] * 4, "other"))
    assert difference.low_95 > 0
    assert difference.mid_p == pytest.approx(0.0625)
    assert not difference.told_apart


# The protocol


def by_hand(texts, labels, settings, folds, seed=0):
    """The answer to each text by a model of the other folds."""
    fold = folds_of(np.unique(labels, return_inverse=True)[1], folds, seed)
    answers = [""] * len(texts)
    for k in range(folds):
        there = [i for i in range(len(texts)) if fold[i] != k]
        model = deciban.train([texts[i] for i in there], [labels[i] for i in there], **settings)
        for i in np.flatnonzero(fold == k):
            answers[i] = model.predict([texts[i]])[0]
    return answers


def test_answers_are_those_of_models_that_have_not_seen_the_fold(tickets):
    texts, labels = tickets
    models = {"MNB": {"words": (1, 2)}, "NBSVM": {"model": "nbsvm", "cost": 0.1}, "again": {"words": (1, 2)}}
    found = deciban.compare({"tickets": tickets}, models, folds=4, seed=3)
    for name, settings in models.items():
        answers, one = by_hand(texts, labels, settings, 4, 3), found.run(name, "tickets")
        assert (one.evaluation.held.predicted, one.evaluation.held.truth) == (answers, labels)
        assert one.accuracy == metrics.accuracy_score(labels, answers)
        assert one.macro_f1 == pytest.approx(metrics.f1_score(labels, answers, average="macro"))
        expected = stats.binomtest(int(one.right.sum()), len(labels)).proportion_ci(method="wilson")
        assert one.interval == pytest.approx((expected.low, expected.high))
        assert one.train_seconds > 0
        assert one.predict_seconds > 0
    same = found.differences("MNB")[1]
    assert (same.model, same.difference, same.mid_p) == ("again", 0, 1)
    assert (found.models, found.sets) == (("MNB", "NBSVM", "again"), ("tickets",))


def test_another_seed_deals_other_folds(tickets):
    answers = [
        deciban.compare({"t": tickets}, {"MNB": {}}, folds=3, seed=seed).run("MNB", "t").evaluation.held.predicted
        for seed in (0, 0, 1)
    ]
    assert answers[0] == answers[1]
    assert answers[0] != answers[2]


def test_a_split_is_heeded(tickets):
    texts, labels = tickets
    split = [("train", "test", "train", "dev")[i % 4] for i in range(len(texts))]
    found = deciban.compare({"t": (texts, labels, split)}, {"MNB": {}}).run("MNB", "t")
    train, test = ([i for i, part in enumerate(split) if part == name] for name in (TRAIN, TEST))
    model = deciban.train([texts[i] for i in train], [labels[i] for i in train])
    assert found.evaluation.held.predicted == model.predict([texts[i] for i in test])
    assert found.evaluation.held.truth == [labels[i] for i in test]
    assert found.protocol == "test part (179 texts are of no part)"


@pytest.mark.parametrize("only", ["train", "test", "all", None])
def test_a_split_of_one_kind_is_none(only):
    texts, labels = MAIL
    found = deciban.compare({"mail": (texts, labels, [only] * len(texts))}, {"MNB": {}}, folds=5)
    assert (found.runs[0].protocol, found.runs[0].evaluation.examples) == ("5 folds", len(texts))


def test_rare_labels_are_told_and_stay_in():
    texts, labels = [*MAIL[0], "agenda", "report"], [*MAIL[1], "work", "work"]
    found = deciban.compare({"mail": (texts, labels)}, {"MNB": {}}, folds=5)
    assert found.runs[0].protocol == "5 folds (some without work)"
    assert found.runs[0].evaluation.examples == len(texts)


def test_each_of_several_sets_has_its_own_best_and_columns_may_be_arrow():
    import pyarrow as pa

    sets = {"lists": MAIL, "arrow": tuple(map(pa.array, MAIL))}
    found = deciban.compare(sets, {"MNB": {}, "Bernoulli": {"model": "bernoulli"}}, folds=3)
    lists, arrow = (found.run("MNB", name).evaluation.held.predicted for name in sets)
    assert lists == arrow
    assert [run.set for run in found.runs] == ["lists", "lists", "arrow", "arrow"]
    assert repr(found) == "Comparison(2 models, 2 sets)"


def test_progress_names_model_set_and_fold():
    told = []
    deciban.compare({"mail": MAIL}, {"MNB": {}, "B": {}}, folds=2, progress=lambda *step: told.append(step))
    steps = [f"{model} on mail, fold {k} of 2" for model in ("MNB", "B") for k in (1, 2)]
    assert told == [(step, done, 4) for done, step in enumerate(steps)]


@pytest.mark.parametrize(
    ("sets", "models", "options", "kind"),
    [
        ({}, {"MNB": {}}, {}, errors.NothingToCompare),
        ({"mail": MAIL}, [], {}, errors.NothingToCompare),
        ({"mail": "texts"}, {"MNB": {}}, {}, errors.BadSet),
        ({"mail": (*MAIL, ["test"])}, {"MNB": {}}, {}, errors.BadSet),
        ({"mail": ([], [])}, {"MNB": {}}, {}, errors.NoExamples),
        ({"mail": (["a", None], ["x", "y"])}, {"MNB": {}}, {}, errors.BadText),
        ({"mail": (["a"] * 20, ["x"] * 20)}, {"MNB": {}}, {}, errors.OneLabelIn),
        ({"mail": (["a", "b", "c"], ["x", "x", "y"], ["train", "train", "test"])}, {"MNB": {}}, {}, errors.OneLabelIn),
        ({"mail": (["a"] * 21, ["x"] * 20 + ["y"])}, {"MNB": {}}, {}, errors.OneLabelIn),  # y has no second text
        ({"mail": MAIL}, {"MNB": {}}, {"folds": 16}, errors.TooManyFolds),
        ({"mail": MAIL}, {"MNB": {}}, {"folds": 1}, errors.BadSetting),
        ({"mail": MAIL}, {"MNB": {}}, {"seed": -1}, errors.BadSetting),
        ({"mail": MAIL}, {"MNB": {"model": "best"}}, {}, errors.UnknownChoice),
        ({"mail": MAIL}, {"MNB": "multinomial"}, {}, errors.BadSetting),
        ({"mail": MAIL}, {"MNB": {"prior": {"spam": 1}}}, {}, errors.NoPrior),
        ({"mail": MAIL}, {"SVM": {"model": "hinge", "class_weight": {"eggs": 2}}}, {}, errors.UnknownLabel),
    ],
)
def test_bad_input_is_refused_before_anything_is_trained(sets, models, options, kind):
    told = []
    with pytest.raises(kind):
        deciban.compare({"fine": MAIL, **sets} if sets else sets, models, progress=told.append, **options)
    assert told == []


# What is written


@pytest.fixture(scope="module")
def found(tickets):
    models = {"MNB": {}, "a|b": {"model": "bernoulli"}, "NBSVM $x_1 <&": {"model": "nbsvm", "cost": 0.1}}
    return deciban.compare({"tickets": tickets, "mäil 邮件": MAIL}, models, folds=3)


def test_tables_for_people_and_machines(found, tmp_path):
    for ending in ("csv", "md", "json"):
        found.save(tmp_path / f"table.{ending}")
    with open(tmp_path / "table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["model"], row["set"]) for row in rows] == [(run.model, run.set) for run in found.runs]
    assert [float(row["accuracy"]) for row in rows] == [run.accuracy for run in found.runs]
    assert json.loads((tmp_path / "table.json").read_text(encoding="utf-8")) == json.loads(json.dumps(found.as_dict()))
    page = (tmp_path / "table.md").read_text(encoding="utf-8")
    assert page == found.to_markdown() == found._repr_markdown_()
    tables = [line for line in page.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in tables} == {4}
    assert page.count("**") == 2 * sum(run.accuracy == found.best(run.set).accuracy for run in found.runs)
    assert page.count("\n- ") == 2 + 4  # a line a set, and one for each other model
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv", "table.json", "table.md"]


def test_the_plot_has_a_panel_a_set_and_a_dot_a_model(found, tmp_path):
    found.plot(tmp_path / "a.svg")
    found.plot(tmp_path / "b.svg")
    found.plot(tmp_path / "a.png")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    picture = ElementTree.parse(tmp_path / "a.svg").getroot()
    shown = ["".join(text.itertext()).strip() for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {*found.models, *found.sets} <= {*shown}
    assert {f"{100 * run.accuracy:.1f}" for run in found.runs} <= {*shown}
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_many_sets_and_long_names_can_be_drawn(tmp_path):
    sets = {f"set {i} " + "x" * 90: MAIL for i in range(5)}
    deciban.compare(sets, {"m" * 200: {}}, folds=2).plot(tmp_path / "wide.svg")
    assert len(list(ElementTree.parse(tmp_path / "wide.svg").getroot())) > 0


# The command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = [*zip(*MAIL, strict=True)]
    split = [("train", "test")[i % 3 == 0] for i in range(len(rows))]
    with open(tmp_path / "split.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label", "split"), *zip(*MAIL, split, strict=True)])
    lines = [json.dumps({"text": text, "label": label}) for text, label in rows]
    (tmp_path / "mail.jsonl").write_text("\n".join(lines))
    for part in ("train", "test"):
        kept = [line for line, of in zip(lines, split, strict=True) if of == part]
        (tmp_path / f"{part}.jsonl").write_text("\n".join(kept))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mail.jsonl").write_text("\n".join(lines))
    (tmp_path / "one.csv").write_text("text,label\n" + "hi,ham\n" * 20)
    (tmp_path / "header.csv").write_text("text,label\n")
    (tmp_path / "null.jsonl").write_text('{"text": "hi", "label": "a"}\n{"text": null, "label": "b"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capsys, *arguments):
    run(["compare", *arguments, "--json"])
    return json.loads(capsys.readouterr().out)


def test_the_command_answers_as_the_library_does(capsys, tickets):
    models = {
        "multinomial": {"model": "multinomial"},
        "bi": {"model": "nbsvm", "words": (1, 2), "edges": True, "cost": 0.1},
    }
    expected = deciban.compare({"tickets.csv": tickets}, models, folds=3, seed=1)
    row = "bi:nbsvm --words 1-2 --edges --cost 0.1"
    got = as_json(capsys, str(TICKETS), "--models", "multinomial", "--model", row, "--folds", "3", "--seed", "1")
    for ours, theirs in zip(got["runs"], expected.as_dict()["runs"], strict=True):
        assert {**ours, **CLOCK} == {**theirs, **CLOCK}
    assert got["models"] == json.loads(json.dumps(expected.as_dict()["models"]))
    assert got["differences"] == expected.as_dict()["differences"]


def test_options_outside_are_for_all_models_unless_one_says_otherwise(folder, capsys):
    rows = ("--model", "multinomial", "--model", "b: bernoulli --words 1", "--words", "1-2", "--folds", "2")
    models = as_json(capsys, "mail.jsonl", *rows)["models"]
    assert [(name, of["model"], of["words"]) for name, of in models.items()] == [
        ("multinomial", "multinomial", [1, 2]),
        ("b", "bernoulli", [1, 1]),
    ]


def test_a_model_without_a_name_is_called_as_it_is_written(folder, capsys):
    rows = ("--models", "complement, ratio", "--model", "multinomial  --prior a:b=1,ham=2,spam=3", "--folds", "2")
    assert [*as_json(capsys, "mail.jsonl", *rows)["models"]] == [
        "complement",
        "ratio",
        "multinomial --prior a:b=1,ham=2,spam=3",
    ]


def test_files_that_say_so_are_judged_by_their_test_part(folder, capsys):
    options = ("--models", "multinomial,bernoulli", "--folds", "3")
    split, plain = (as_json(capsys, name, *options)["runs"][0] for name in ("split.csv", "mail.jsonl"))
    assert (split["protocol"], split["texts"]) == ("test part", 10)
    assert (plain["protocol"], plain["texts"]) == ("3 folds", 30)
    apart = as_json(capsys, "train.jsonl", "--test", "test.jsonl", *options)["runs"][0]
    assert (apart["protocol"], apart["accuracy"], apart["set"]) == ("test part", split["accuracy"], "train.jsonl")
    some = as_json(capsys, "split.csv", "--where", "split=train", *options)["runs"][0]
    assert (some["protocol"], some["texts"]) == ("3 folds", 20)


def test_files_of_one_name_are_called_by_their_paths(folder, capsys):
    sets = [run["set"] for run in as_json(capsys, "mail.jsonl", "other/mail.jsonl", "--models", "ratio")["runs"]]
    assert sets == ["mail.jsonl", "other/mail.jsonl"]


def test_what_people_see(folder, capsys):
    run(
        ["compare", "mail.jsonl", "split.csv", "--models", "multinomial,bernoulli", "--save", "t.md", "--plot", "t.svg"]
    )
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["accuracy", "in", "%", "(95", "%)", "mail.jsonl", "split.csv"]
    assert shown[1].split() == [
        "multinomial",
        *["100.0", "(88.6", "to", "100.0)", "*"],
        *["100.0", "(72.2", "to", "100.0)", "*"],
    ]
    assert "split.csv: 10 texts of 2 labels, test part" in shown
    assert "  bernoulli cannot be told apart from multinomial on mail.jsonl" in "\n".join(shown)
    assert shown[-2:] == ["saved as t.md", "saved as t.svg"]
    assert ElementTree.parse("t.svg").getroot().tag.endswith("svg")


def test_standard_input_is_a_set(folder, capsys, monkeypatch):
    given = (folder / "split.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(given))))
    assert as_json(capsys, "-", "--models", "multinomial")["runs"][0]["protocol"] == "test part"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("no.csv", "no.csv: cannot read: No such file or directory"),
        ("mail.jsonl --test no.csv", "no.csv: cannot read: No such file or directory"),
        ("mail.jsonl --models best", "model='best': not known; the known ones are: multinomial, bernoulli, "),
        ("mail.jsonl --models ratio,ratio", "two models are called 'ratio'; give each a name of its own"),
        ("mail.jsonl mail.jsonl", "two files are called 'mail.jsonl'; give each a name of its own"),
        ("mail.jsonl --models ratio --against tan", "'tan' is none of the models that are compared; those are: ratio"),
        (
            "mail.jsonl split.csv --test mail.jsonl",
            "expected one --test file for each of the 2 files to train on, got 1",
        ),
        ("one.csv", "one.csv: expected texts of at least two labels to learn from, got only 'ham'"),
        (
            "mail.jsonl --folds 16",
            "mail.jsonl: expected at most 15 folds, as many as the label 'spam' has texts, got 16",
        ),
        ("mail.jsonl --folds 1", "folds=1: expected a whole number from 2 on"),
        ("header.csv", "header.csv: expected labelled examples, got none"),
        ("mail.jsonl --test header.csv", "header.csv: expected labelled examples, got none"),
        ("null.jsonl", "null.jsonl:2: expected a text, got None"),
        ("mail.jsonl --save t.txt", "t.txt: cannot tell the format from the name; expected .csv or .md or .json"),
        ("mail.jsonl --plot t.pdf", "t.pdf: cannot tell the format from the name; expected .svg or .png"),
        ("mail.jsonl --save no/t.md", "no/t.md: cannot write: No such file or directory"),
        ("split.csv --save split.csv", "split.csv: cannot write: it is the file to read from"),
        ("mail.jsonl --model ratio --cost 1", "cost=1.0: not for the model 'ratio', which takes: None alone"),
    ],
)
def test_bad_commands_are_one_line(folder, arguments, line):
    before = sorted(path.name for path in folder.iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "deciban", "compare", *arguments.split()], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"deciban: {line}")
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (
            "nbsvm --words x",
            "argument --words: expected lengths such as 1-2, or none, got 'x'; see deciban train --help",
        ),
        ("nbsvm --wrds 1", "unrecognized arguments: --wrds 1; see deciban train --help"),
        ("nbsvm --prior 'x", '--model "nbsvm --prior \'x": No closing quotation'),
        ("name:", "the following arguments are required: MODEL; see deciban train --help"),
    ],
)
def test_a_row_that_cannot_be_understood(folder, row, line):
    command = [sys.executable, "-m", "deciban", "compare", "mail.jsonl", "--model", row]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"deciban: {line}\n")


def test_ctrl_c_while_models_are_trained_writes_nothing(folder):
    pairs = [*zip(*MAIL, strict=True)]
    lines = (json.dumps({"text": f"{text} {i}", "label": of}) for i in range(999) for text, of in pairs)
    (folder / "large.jsonl").write_text("\n".join(lines))
    before = sorted(folder.iterdir())
    ours, theirs = pty.openpty()
    command = ["compare", "large.jsonl", "--model", "committee --chars 1-6", "--save", "t.md", "--plot", "t.svg"]
    with subprocess.Popen([sys.executable, "-m", "deciban", *command], stderr=theirs) as child:
        os.close(theirs)
        shown = b""
        while b"fold 1 of 10" not in shown:
            shown += os.read(ours, 65536)
        child.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # how Linux says that the other side has closed
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)
    assert child.returncode == 130
    assert b"deciban: interrupted" in shown
    assert sorted(folder.iterdir()) == before


def test_progress_is_shown_on_a_terminal():
    shown = on_a_terminal("compare", TICKETS, "--models", "multinomial,hinge", "--folds", "5")
    assert b"on tickets.csv, fold" in shown


def test_a_split_column_may_miss_and_is_read_once(folder):
    """Through a pipe, which cannot be read again."""
    code = f"{sys.executable} -m deciban compare <(cat mail.jsonl) --format jsonl --models multinomial --json"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    assert json.loads(done.stdout)["runs"][0]["texts"] == 30


def test_real_sets(data):
    """Log-count ratios and a margin help to tell questions apart."""
    parts = {part: data("trec", part) for part in (TRAIN, TEST)}
    texts, labels = ([*parts[TRAIN][i], *parts[TEST][i]] for i in (0, 1))
    split = [part for part, (of, _) in parts.items() for _ in of]
    found = deciban.compare(
        {"trec": (texts, labels, split)},
        {
            "MNB": {"model": "multinomial", "calibration": "none"},
            "NBSVM": {"model": "nbsvm", "cost": 0.1, "calibration": "none"},
        },
    )
    (difference,) = found.differences("MNB")
    assert difference.told_apart
    assert 0.05 < difference.low_95 < difference.difference < difference.high_95 < 0.2
    assert found.best("trec").model == "NBSVM"
