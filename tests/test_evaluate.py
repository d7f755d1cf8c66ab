"""`deciban evaluate`, in this process: its figures, and other ways to hold texts out."""

import json

import pytest

import deciban
from conftest import ROOT
from deciban.cli import run

TICKETS = str(ROOT / "samples" / "tickets.csv")


@pytest.fixture
def shown(capsys):
    """What a command prints."""

    def shown(*arguments):
        assert run([str(one) for one in arguments]) == 0
        return capsys.readouterr().out

    return shown


@pytest.fixture(scope="module")
def plain(tickets, tmp_path_factory):
    """The file of another model of the sample, of words alone."""
    path = tmp_path_factory.mktemp("plain") / "plain.deciban"
    deciban.train(*tickets, alpha=1.0, calibration="none").save(path)
    return path


def test_a_model_beside_another(shown, tickets_model, plain):
    last = shown("evaluate", tickets_model, TICKETS, "--loo", "--against", plain).splitlines()[-1]
    assert last.startswith(f"{tickets_model} is better than {plain} on tickets.csv by 2.4 points")
    told = json.loads(shown("evaluate", tickets_model, TICKETS, "--loo", "--against", plain, "--json"))["against"]
    assert told["told_apart"]
    one, other = (deciban.load(model).leave_one_out(*columns()).accuracy for model in (tickets_model, plain))
    assert told["difference"] == pytest.approx(one - other)
    back = json.loads(shown("evaluate", plain, TICKETS, "--loo", "--against", tickets_model, "--json"))["against"]
    assert back["difference"] == pytest.approx(-told["difference"])


def columns():
    import csv

    with open(TICKETS, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def test_what_answers_cost(shown, tickets_model, tmp_path):
    (tmp_path / "costs.csv").write_text("true,predicted,cost\nbug,praise,100\n")
    arguments = ("evaluate", tickets_model, TICKETS, "--loo", "--costs", tmp_path / "costs.csv")
    told = json.loads(shown(*arguments, "--json"))
    confusion = told["confusion"]
    row, column = (confusion["labels"].index(label) for label in ("bug", "praise"))
    dear = confusion["counts"][row][column]
    assert told["mean_cost"] == pytest.approx(1 - told["accuracy"] + 99 * dear / 716)
    by_rule = told["decisions"]["mean_cost"]
    assert f"cost {by_rule:.4g} an example; {told['mean_cost']:.4g} by the most probable labels" in shown(*arguments)
    assert by_rule < told["mean_cost"]


def test_what_is_answered_and_what_is_left_unsure(shown, tickets_model):
    arguments = ("evaluate", tickets_model, TICKETS, "--loo", "--min-probability", "0.9", "--prior", "bug=0.1")
    told = json.loads(shown(*arguments, "--json"))
    found = told["decisions"]
    assert found["answered"] / 716 == found["share_answered"] < 1
    assert found["accuracy_of_answered"] > told["accuracy"]
    assert found["interval_95"][0] < found["accuracy_of_answered"] < found["interval_95"][1]
    assert found["mean_cost"] == pytest.approx(1 - found["accuracy_of_answered"])
    share, wrong = found["error_by_share_answered"][-1]
    assert (share, wrong) == (1, pytest.approx(1 - told["accuracy"], abs=0.05))
    assert told["error_by_share_answered"][-1] == [1, pytest.approx(1 - told["accuracy"])]
    lines = shown(*arguments).splitlines()
    assert f"decided by the rule: {found['share_answered']:.1%} answered, " in "\n".join(lines)
    assert lines[-1].startswith("wrong, of the most certain 50%: ")


def test_labels_that_are_paths(shown, tmp_path):
    texts, labels = ["ant bee", "ant cow", "oak elm", "oak ash"] * 3, ["a/i", "a/m", "p/t", "p/s"] * 3
    deciban.train(texts, labels).save(tmp_path / "m.deciban")
    (tmp_path / "new.csv").write_text("text,label\nbee,a/m\nelm,p/t\ncow,a/m\nash,a/i\n")
    assert "with ancestors: precision 0.625, recall 0.625, F1 0.625" in shown(
        "evaluate", tmp_path / "m.deciban", tmp_path / "new.csv", "--paths", "/"
    )
