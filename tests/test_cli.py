"""The commands, end to end, on the sample."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT
from deciban import load
from deciban.cli import COMMANDS
from terminal import on_a_terminal

TICKETS = ROOT / "samples" / "tickets.csv"


def deciban(*arguments, stdin=None):
    command = [sys.executable, "-m", "deciban", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "tickets.deciban"
    shown = deciban("train", TICKETS, "--words", "1-2", "--alpha", "0.3", "-o", path)
    assert shown.startswith("trained on 716 examples of 6 labels, ")
    return path


def test_leave_one_out_says_how_good_the_model_is(model):
    shown = deciban("evaluate", model, TICKETS, "--loo").splitlines()
    assert shown[0] == "accuracy 89.1% (95 %: 86.6% to 91.2%; leave-one-out, 716 examples)"
    assert shown[1] == "baseline 24.7% (always 'billing'); macro-F1 0.884"
    named = re.sub(r"0\.\d{3}", "#", shown[2])
    assert named == "log loss #, Brier score #, calibration error #; ROC area #, average precision #"
    assert len(shown) == 3 + 1 + 6 + 1
    assert shown[-1] == "training accuracy 100.0%: on what it learnt from, so never what to expect"


def test_predict_answers_every_row_in_order(model):
    with open(TICKETS, newline="", encoding="utf-8") as file:
        given = list(csv.DictReader(file))
    answered = list(
        csv.DictReader(io.StringIO(deciban("predict", model, TICKETS, "--keep", "label", "--keep", "text")))
    )
    assert [row["text"] for row in answered] == [row["text"] for row in given]
    right = sum(row["label"] == row["given_label"] for row in answered)
    assert right / len(given) > 0.95  # these are training texts
    assert all(0 < float(row["probability"]) <= 1 for row in answered)


@pytest.mark.parametrize("command", ["predict", "rank", "watch"])
def test_options_may_stand_among_the_other_arguments(model, command):
    options = {"rank": ["--label", "billing"]}.get(command, ["--text", "text"])
    assert deciban(command, model, *options, TICKETS) == deciban(command, model, TICKETS, *options)


def test_a_text_may_begin_with_a_hyphen(model):
    assert "--refund" in deciban("explain", model, "--top", 3, "--", "--refund")


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "txt"])
@pytest.mark.parametrize("zipped", [False, True])
def test_predict_reads_every_format(model, tmp_path, kind, zipped):
    texts = ["charged twice", "parcel never came", 'the "app" crashes']
    contents = {
        "csv": 'id,text\n1,charged twice\n2,parcel never came\n3,"the ""app"" crashes"\n',
        "tsv": 'id\ttext\n1\tcharged twice\n2\tparcel never came\n3\tthe "app" crashes\n',
        "jsonl": "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)),
        "txt": "\n".join(texts),
    }
    path = tmp_path / (f"new.{kind}" + (".gz" if zipped else ""))
    content = contents[kind].encode()
    path.write_bytes(gzip.compress(content) if zipped else content)
    answers = [json.loads(line) for line in deciban("predict", model, path, "--json").splitlines()]
    assert [answer["label"] for answer in answers] == ["billing", "delivery", "bug"]


def test_standard_input_and_every_label(model):
    lines = deciban("predict", model, "--json", "--proba", "--keep", "id", stdin='{"id": 7, "text": "thank you"}\n')
    (answer,) = map(json.loads, lines.splitlines())
    assert (answer["id"], answer["label"]) == (7, "praise")
    assert sum(answer["probabilities"].values()) == pytest.approx(1)
    assert answer["probabilities"]["praise"] == answer["probability"]


@pytest.mark.parametrize("name", ["version-1", "version-2-hashed", "version-3", "version-3-frozen"])
def test_the_command_answers_as_the_library_does(name):
    path = ROOT / "tests" / "golden" / f"{name}.deciban"
    texts = ["charged twice, please refund", "where is the parcel", "xylophone", "Geld zurück!"]
    lines = deciban("predict", path, "-", "--format", "txt", "--json", "--proba", stdin="\n".join(texts)).splitlines()
    answers = [json.loads(line) for line in lines]
    model = load(path)
    assert [answer["label"] for answer in answers] == model.predict(texts)
    for answer, probabilities in zip(answers, model.predict_proba(texts).tolist(), strict=True):
        assert list(answer["probabilities"]) == list(model.labels)
        assert list(answer["probabilities"].values()) == pytest.approx(probabilities, rel=1e-12)
        assert answer["probability"] == max(answer["probabilities"].values())


def test_predict_into_a_file(model, tmp_path):
    out = tmp_path / "answers.csv"
    assert deciban("predict", model, "-", "-o", out, stdin="text\nthank you\n") == ""
    assert out.read_text().splitlines()[0] == "label,probability"
    assert os.listdir(tmp_path) == ["answers.csv"]


def test_where_keeps_some_rows(tmp_path):
    path = tmp_path / "mail.jsonl"
    rows = [("free money", "spam", "train"), ("see you", "ham", "train"), ("money now", "spam", "test")]
    path.write_text("".join(json.dumps(dict(zip(("body", "kind", "split"), row, strict=True))) + "\n" for row in rows))
    columns = ("--text", "body", "--label", "kind")
    facts = json.loads(deciban("train", path, *columns, "--where", "split=train", "-o", tmp_path / "m", "--json"))
    assert (facts["examples"], facts["labels"], facts["terms"]) == (2, 2, 4)
    figures = json.loads(deciban("evaluate", tmp_path / "m", path, *columns, "--where", "split=test", "--json"))
    assert (figures["examples"], figures["accuracy"]) == (1, 1.0)


def test_explain_in_words_and_for_machines(model):
    text = "charged twice, where is my refund"
    shown = deciban("explain", model, text, "--against", "delivery", "--top", "3")
    assert shown.startswith("billing  probability ")
    assert "against delivery" in shown
    why = json.loads(deciban("explain", model, text, "--against", "delivery", "--json"))
    assert why["unit"] == "deciban"
    assert why["prior"] + sum(term["decibans"] for term in why["terms"]) == pytest.approx(why["total"], abs=1e-9)
    assert deciban("explain", model, "-", stdin=text).splitlines()[1] == text


def test_info(model):
    facts = json.loads(deciban("info", model, "--json"))
    assert facts["labels"]["praise"] == 61
    assert facts["settings"]["words"] == [1, 2]
    assert facts["provenance"] == [{"source": "tickets.csv", "examples": 716}]
    assert "trained on: tickets.csv (+716)" in deciban("info", model)


def test_all_that_can_be_seen_of_a_text(tmp_path):
    path, report = tmp_path / "hashed.deciban", tmp_path / "report.html"
    seen = [
        "--words",
        "1-2",
        "--edges",
        "--chars",
        "3",
        "--chars-across",
        "4-5",
        "--accents",
        "fold",
        "--properties",
        "numbers,caps",
        "--hash-bits",
        "18",
    ]
    deciban("train", TICKETS, "--model", "multinomial", *seen, "-o", path)
    facts = json.loads(deciban("info", path, "--json"))
    assert facts["terms"] <= 2**18
    chosen = {
        "words": [1, 2],
        "edges": True,
        "chars": [3, 3],
        "chars_across": [4, 5],
        "accents": "fold",
        "properties": "caps,numbers",
        "hash_bits": 18,
    }
    assert facts["settings"].items() >= chosen.items()
    told = "chars=(3, 3), chars_across=(4, 5), tokens=word, accents=fold, properties=caps,numbers, hash_bits=18"
    assert told in deciban("info", path)
    why = json.loads(deciban("explain", path, "Réfund", "--json"))
    spans = {name: why["text"][slice(*term["spans"][0])] for term in why["terms"] for name in term["names"]}
    assert {"refund": "Réfund", "\t<s> refund": "Réfund", "\tc re": "Ré", "\taefun": "éfun"}.items() <= spans.items()
    deciban("evaluate", path, TICKETS, "--loo", "--report", report)
    assert "\t" not in re.sub(r"^\s+", "", report.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_a_report_is_written(model, tmp_path):
    report = tmp_path / "report.html"
    assert "report: " in deciban("evaluate", model, TICKETS, "--loo", "--report", report)
    assert "89.1" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_help_ends_with_an_example(command):
    shown = deciban(*filter(None, [command]), "--help").rstrip()
    example = " ".join(shown[shown.rindex("Example:") :].split())
    assert example.startswith(f"Example: deciban {command or 'train'} ")


def test_progress_is_shown_on_a_terminal_only(model, tmp_path):
    big = tmp_path / "big.csv"
    big.write_text("text,label\n" + "some words again and again,x\nother words,y\n" * 100_000)
    assert b"reading " in on_a_terminal("train", big, "--model", "multinomial", "-o", tmp_path / "m")
    assert deciban("train", big, "--model", "multinomial", "-o", tmp_path / "m").startswith(
        "trained on 200,000 examples"
    )


def test_a_bad_text_is_named_by_its_line_when_left_out_too(model, tmp_path):
    examples = tmp_path / "mail.jsonl"
    examples.write_text('{"text": "hi", "label": "a"}\n{"text": null, "label": "b"}\n')
    command = [sys.executable, "-m", "deciban", "evaluate", str(model), str(examples), "--loo"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "deciban: mail.jsonl:2: expected a text, got None\n")


def test_the_examples_are_never_written_over(tmp_path):
    examples = tmp_path / "mail.csv"
    examples.write_text("text,label\nhi,ham\nfree,spam\n")
    command = [sys.executable, "-m", "deciban", "train", str(examples), "-o", str(examples)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"deciban: {examples}: cannot write: it is the file to read from\n"
    assert examples.read_text().startswith("text,label\n")
