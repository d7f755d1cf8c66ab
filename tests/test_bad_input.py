"""Bad input, end to end: one clear line, nothing lost; and odd input that is not bad at all."""

import contextlib
import csv
import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deciban
from deciban import errors
from deciban.cli import main

MAIL = b"text,label\nfree money,spam\nmoney now,spam\nsee you,ham\n"
TEXTS, LABELS = ["free money", "money now", "see you"], ["spam", "spam", "ham"]

FILES = {
    "mail.csv": MAIL,
    "mail": MAIL,
    "empty.csv": b"",
    "header.csv": b"text,label\n",
    "one.csv": b"text,label\nfree money,spam\nmoney now,spam\n",
    "wide.csv": MAIL + b"see,you,ham\n",
    "broken.csv": MAIL + b"caf\xe9,ham\n",
    "unlabelled.csv": MAIL + b"see you,\n",
    "open.csv": MAIL + b'"see you,ham\n',
    "cut.csv.gz": gzip.compress(MAIL)[:-9],
    "bad.jsonl": b'{"text": "free", "label": "spam"}\n{"text": ',
    "null.jsonl": b'{"text": "free", "label": "spam"}\n{"text": null, "label": "ham"}\n',
    "half.jsonl": b'{"text": "free", "label": "spam"}\n{"text": "\\ud800", "label": "ham"}\n',
    "other.csv": b"text,label\nfree money,spam\nsee you,ham\n",
    "never.csv": b"text,label\nfree lunch,spam\n",
    "new.csv": b"text,label\nfree money,spam\nlunch?,work\n",
    "costs.csv": b"true,predicted,cost\nham,spam,5\nham,eggs,1\n",
    "cut.deciban": b"",
    "damaged.deciban": b"",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of files, good and bad, in which commands run."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    deciban.train(TEXTS, LABELS).save(tmp_path / "mail.deciban")
    deciban.train(TEXTS, LABELS).save(tmp_path / "frozen.deciban", frozen=True)
    deciban.train(TEXTS, LABELS, words=(1, 2)).save(tmp_path / "pairs.deciban")
    whole = (tmp_path / "mail.deciban").read_bytes()
    (tmp_path / "cut.deciban").write_bytes(whole[:-1])
    (tmp_path / "damaged.deciban").write_bytes(whole[:-1] + b"?")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Runs a command in this process: its exit status, standard output and standard error."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["deciban", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


def contents(folder):
    """All that is in a folder."""
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


# Commands that are refused

NO_COUNTS = "is frozen: it predicts and explains, and has no counts for this; use the one it was frozen from"
NOT_READ = "cannot read: No such file or directory"
REFUSED = {
    "train none.csv": f"none.csv: {NOT_READ}",
    "train folder --format csv": "folder: cannot read: Is a directory",
    "train mail": "mail: cannot tell the format from the name; "
    "expected .csv, .tsv, .jsonl, .ndjson, .json, .txt (also .gz), or give --format",
    "train empty.csv": "empty.csv: expected examples, got an empty file",
    "train header.csv": "header.csv: expected labelled examples, got none",
    "train one.csv": "expected examples of at least two labels, got only 'spam'",
    "train wide.csv": "wide.csv:5: expected 2 columns (text, label), got 3",
    "train broken.csv": "broken.csv:5: not valid utf-8 (byte 0xe9); give its true --encoding, such as latin-1",
    "train unlabelled.csv": "unlabelled.csv:5: expected a label as text, got an empty one",
    "train open.csv": "open.csv:5: not valid CSV: a quotation mark is never closed; is the file cut off?",
    "train cut.csv.gz": "cut.csv.gz: the gzip file is cut off or damaged after line 4",
    "train bad.jsonl": "bad.jsonl:2: not valid JSON: Expecting value at character 10",
    "train null.jsonl": "null.jsonl:2: expected a text, got None",
    "train half.jsonl": "half.jsonl:2: the text holds half a surrogate pair, so it is not Unicode; "
    "repair it where it was read",
    "train mail.csv --text body": "mail.csv:1: no column 'body'; the columns are: text, label",
    "train mail.csv --label class": "mail.csv:1: no column 'class'; the columns are: text, label",
    "train mail.csv --where split=train": "mail.csv:1: no column 'split'; the columns are: text, label",
    "train mail.csv --where label=eggs": "mail.csv: no row has label=eggs",
    "train mail.csv --format xml": "format='xml': not known; the known ones are: csv, tsv, jsonl, txt",
    "train mail.csv --encoding utf-9": "'utf-9' is not an encoding that Python knows; try utf-8, latin-1 or cp1252",
    "train mail.csv --delimiter ;;": "delimiter=';;': expected one character",
    "train mail.csv --tokens x": "tokens='x': not known; the known ones are: word, unicode, marks, whitespace",
    "train mail.csv --alpha nan": "alpha=nan: expected a number from 1e-12 on, below 1e+09",
    "train mail.csv --alpha inf": "alpha=inf: expected a number from 1e-12 on, below 1e+09",
    "train mail.csv --alpha 0": "alpha=0.0: expected a number from 1e-12 on, below 1e+09",
    "train mail.csv --prior-smoothing -1": "prior_smoothing=-1.0: expected a number from 0 to 1e9",
    "train mail.csv --words 3-1": "words=(3, 1): expected two lengths such as (1, 2), between 1 and 64",
    "train mail.csv --words 1-65": "words=(1, 65): expected two lengths such as (1, 2), between 1 and 64",
    "train mail.csv --chars 0": "chars=(0, 0): expected two lengths such as (1, 2), between 1 and 64",
    "train mail.csv --chars-across 0": "chars_across=(0, 0): expected two lengths such as (1, 2), between 1 and 64",
    "train mail.csv --term-weights luck": "term_weights='luck': not known; the known ones are: none, gain-ratio, "
    "log-count-ratio, learnt",
    "train mail.csv --model bernoulli --term-weights learnt": "term_weights='learnt': not for the model 'bernoulli "
    "with laplace'; it is for: multinomial and complement with one of laplace, dirichlet, jelinek-mercer, absolute",
    "train mail.csv --model nbsvm --select forward:5": "select='forward:5': not for the model 'nbsvm'; it is for: "
    "multinomial with laplace, bernoulli with beta",
    "train mail.csv --model fisher --select elimination:5": "select='elimination:5': not for the model 'fisher'; "
    "it is for: logistic, hinge, nbsvm, nblogistic",
    "train mail.csv --select 20000": "select='20000': expected a measure and how many terms to keep, such as "
    "'mutual-information:1000'",
    "train mail.csv --select luck:5": "select='luck': not known; the known ones are: mutual-information, "
    "information-gain, gain-ratio, chi-square, bi-normal-separation, odds-ratio, document-frequency, correlation, "
    "sparse-bayes, forward, backward, floating, elimination",
    "train mail.csv --words none": "words, chars, chars_across and properties are all off: "
    "expected at least one of them",
    "train mail.csv --edges": "edges=True: expected runs of two words or more, such as words=(1, 2)",
    "train mail.csv --edges --words none --chars 3": "edges=True: expected runs of two words or more, "
    "such as words=(1, 2)",
    "train mail.csv --accents ascii": "accents='ascii': not known; the known ones are: keep, fold",
    "train mail.csv --hash-bits 32": "hash_bits=32: expected a whole number from 1 to 31, or None for no hashing",
    "train mail.csv -o none/mail.deciban": "none/mail.deciban: cannot write: No such file or directory",
    "train mail.csv -o folder": "folder: cannot write: Is a directory",
    "train mail.csv -o mail/mail": "mail/mail: cannot write: Not a directory",
    "predict none.deciban mail.csv": f"none.deciban: {NOT_READ}",
    "predict mail.csv mail.csv": "mail.csv: not a deciban model",
    "predict folder mail.csv": "folder: cannot read: Is a directory",
    "predict damaged.deciban mail.csv": "damaged.deciban: the model is damaged (its checksum does not fit); "
    "copy it again, or train it anew",
    "predict mail.deciban": "standard input: expected examples, got an empty file",
    "predict mail.deciban none.csv": f"none.csv: {NOT_READ}",
    "predict mail.deciban null.jsonl": "null.jsonl:2: expected a text, got None",
    "predict mail.deciban mail.csv --keep id": "mail.csv:1: no column 'id'; the columns are: text, label",
    "predict mail.deciban mail.csv -o none/a.csv": "none/a.csv: cannot write: No such file or directory",
    "predict mail.deciban wide.csv -o mail": "wide.csv:5: expected 2 columns (text, label), got 3",
    "rank mail.deciban mail.csv --label eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "rank mail.deciban null.jsonl --label ham": "null.jsonl:2: expected a text, got None",
    "rank mail.deciban wide.csv --label ham -o mail": "wide.csv:5: expected 2 columns (text, label), got 3",
    "rank mail.deciban mail.csv --label ham -o mail.csv": "mail.csv: cannot write: it is the file to read from",
    "rank mail.deciban mail.csv --label ham --by x": "by='x': not known; the known ones are: posterior, ratio",
    "words mail.deciban --label eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "words mail.deciban --against eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "words frozen.deciban": f"frozen.deciban {NO_COUNTS}",
    "sample frozen.deciban": f"frozen.deciban {NO_COUNTS}",
    "export mail.deciban -o mail": "output='mail': expected a name that ends in .csv or .npz",
    "export mail.deciban -o none/w.csv": "none/w.csv: cannot write: No such file or directory",
    "sample mail.deciban --label eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "sample mail.deciban -o folder": "folder: cannot write: Is a directory",
    "explain none.deciban money": f"none.deciban: {NOT_READ}",
    "explain mail.deciban money --label eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "explain mail.deciban money --against eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "explain mail.deciban money --label ham --against ham": "expected two different labels to compare, got 'ham' twice",
    "explain mail.deciban \udcff": "text: the text holds half a surrogate pair, so it is not Unicode; "
    "repair it where it was read",
    "evaluate mail.deciban none.csv": f"none.csv: {NOT_READ}",
    "evaluate mail.deciban header.csv": "header.csv: expected labelled examples, got none",
    "evaluate mail.deciban unlabelled.csv": "unlabelled.csv:5: expected a label as text, got an empty one",
    "evaluate mail.deciban other.csv --loo": "leave-one-out needs exactly the examples that the model was trained on, "
    "got others",
    "evaluate mail.deciban mail.csv --against none.deciban": f"none.deciban: {NOT_READ}",
    "evaluate mail.deciban mail.csv --loo --against pairs.deciban --costs none.csv": f"none.csv: {NOT_READ}",
    "evaluate mail.deciban mail.csv --costs mail.csv": "mail.csv:1: no column 'true'; the columns are: text, label",
    "evaluate mail.deciban mail.csv --cost ham:eggs=2": "there is a cost for 'eggs', which is no label here; "
    "the labels are: ham, spam",
    "evaluate mail.deciban mail.csv --costs costs.csv": "there is a cost for 'eggs', which is no label here; "
    "the labels are: ham, spam",
    "evaluate mail.deciban mail.csv --loo --curve x.gif": "x.gif: cannot tell the format from the name; "
    "expected .svg or .png",
    "train mail.csv --curve none/x.svg": "none/x.svg: cannot write: No such file or directory",
    "evaluate mail.deciban mail.csv --trained-on none.csv": f"none.csv: {NOT_READ}",
    "evaluate mail.deciban mail.csv --trained-on mail.csv": "mail.csv, but for the rows that are judged: "
    "expected labelled examples, got none",
    "evaluate mail.deciban mail.csv --folds 3": "texts: expected at most 2 folds, as many as the label 'spam' "
    "has texts, got 3",
    "evaluate mail.deciban mail.csv --group author": "mail.csv:1: no column 'author'; the columns are: text, label",
    "evaluate mail.deciban mail.csv --time label": "texts, time[0]: expected a time, a number or a date such as "
    "2026-11-17 or 2026-11-17T09:30, got 'spam'",
    "evaluate mail.deciban header.csv --folds 3": "header.csv: expected labelled examples, got none",
    "evaluate mail.deciban null.jsonl --folds 2": "null.jsonl:2: expected a text, got None",
    "train mail.csv --evaluate folds:1": "protocol='folds:1': expected auto, loo, folds:10, tune:0.3 or time:5",
    "train mail.csv --evaluate time:day": "mail.csv:1: no column 'day'; the columns are: text, label",
    "train mail.csv --evaluate folds:9": "texts: expected at most 2 folds, as many as the label 'spam' has "
    "texts, got 9",
    "train mail.csv --evaluate --group author": "mail.csv:1: no column 'author'; the columns are: text, label",
    "train mail.csv --report none/r.html": "none/r.html: cannot write: No such file or directory",
    "train mail.csv --report mail.csv": "mail.csv: cannot write: it is the file to read from",
    "evaluate frozen.deciban mail.csv --loo": f"frozen.deciban {NO_COUNTS}",
    "learn none.deciban mail.csv": f"none.deciban: {NOT_READ}",
    "learn mail.csv mail.csv": "mail.csv: cannot write: it is the file to read from",
    "learn damaged.deciban mail.csv": "damaged.deciban: the model is damaged (its checksum does not fit); "
    "copy it again, or train it anew",
    "learn mail.deciban none.csv": f"none.csv: {NOT_READ}",
    "learn mail.deciban header.csv": "header.csv: expected labelled examples, got none",
    "learn mail.deciban wide.csv": "wide.csv:5: expected 2 columns (text, label), got 3",
    "learn mail.deciban null.jsonl": "null.jsonl:2: expected a text, got None",
    "learn mail.deciban mail.csv -o folder": "folder: cannot write: Is a directory",
    "learn mail.deciban mail.csv -o mail.csv": "mail.csv: cannot write: it is the file to read from",
    "learn frozen.deciban mail.csv": f"frozen.deciban {NO_COUNTS}",
    "forget mail.deciban unlabelled.csv": "unlabelled.csv:5: expected a label as text, got an empty one",
    "forget mail.deciban never.csv": "cannot forget what was never learnt: "
    "term 'lunch' of label 'spam' would fall below zero",
    "forget mail.deciban new.csv": "cannot forget what was never learnt: label 'work' would fall below zero",
    "forget frozen.deciban mail.csv": f"frozen.deciban {NO_COUNTS}",
    "merge mail.deciban none.deciban -o both.deciban": f"none.deciban: {NOT_READ}",
    "merge mail.deciban pairs.deciban -o both.deciban": "cannot merge models that differ in words: (1, 1) and (1, 2)",
    "merge mail.deciban frozen.deciban -o both.deciban": f"frozen.deciban {NO_COUNTS}",
    "merge frozen.deciban mail.deciban -o both.deciban": f"frozen.deciban {NO_COUNTS}",
    "merge mail.deciban mail.deciban -o folder": "folder: cannot write: Is a directory",
    "drop-label mail.deciban eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "drop-label mail.deciban ham spam": "the model would have no label left: keep at least one",
    "drop-label mail.deciban ham -o none/m": "none/m: cannot write: No such file or directory",
    "drop-label mail.deciban \udcff": "labels[0]: expected a label as text, "
    "got half a surrogate pair, which is not Unicode",
    "drop-label frozen.deciban ham": f"frozen.deciban {NO_COUNTS}",
    "keep-labels mail.deciban ham eggs": "'eggs' is not a label of this model; its labels are: ham, spam",
    "keep-labels frozen.deciban ham": f"frozen.deciban {NO_COUNTS}",
    "rename-label mail.deciban eggs ham": "'eggs' is not a label of this model; its labels are: ham, spam",
    "rename-label mail.deciban ham ": "labels[1]: expected a label as text, got an empty one",
    "rename-label frozen.deciban ham x": f"frozen.deciban {NO_COUNTS}",
    "select none.deciban": f"none.deciban: {NOT_READ}",
    "select frozen.deciban --top 1": f"frozen.deciban {NO_COUNTS}",
    "select mail.deciban": "expected at most as many terms as the model has, 5, to keep, got 1,000",
    "select mail.deciban --by luck --top 1": "by='luck': not known; the known ones are: mutual-information, "
    "information-gain, gain-ratio, chi-square, bi-normal-separation, odds-ratio, document-frequency, correlation, "
    "sparse-bayes, forward, backward, floating, elimination",
    "select mail.deciban mail.csv --by forward --top 2": "the forward search leaves nothing: 3 of 3 texts are wrong "
    "without any term, and no term makes that surely better; select by a measure",
    "select mail.deciban --by forward --top 2": "leave-one-out needs the training examples, and this model came "
    "without: pass texts and labels",
    "select mail.deciban --by elimination --top 2": "select='elimination:2': not for the model 'multinomial with "
    "laplace'; it is for: logistic, hinge, nbsvm, nblogistic",
    "select mail.deciban --top 1 -o folder": "folder: cannot write: Is a directory",
    "select mail.deciban --top 1 --plot terms.doc": "terms.doc: cannot tell the format from the name; "
    "expected .svg or .png",
    "select mail.deciban mail.csv --top 1 --plot mail.deciban": "mail.deciban: cannot tell the format from the name; "
    "expected .svg or .png",
    "freeze none.deciban -o small.deciban": f"none.deciban: {NOT_READ}",
    "freeze mail.deciban -o mail.deciban": "mail.deciban: cannot write: it is the file to read from",
    "freeze mail.deciban -o folder": "folder: cannot write: Is a directory",
    "info none.deciban": f"none.deciban: {NOT_READ}",
    "info mail.csv": "mail.csv: not a deciban model",
}


@pytest.mark.parametrize(("command", "line"), REFUSED.items(), ids=map(ascii, REFUSED))
def test_bad_input_gets_one_line_and_loses_nothing(run, folder, command, line):
    arguments = command.split(" ")
    if arguments[0] == "train" and "-o" not in arguments:
        arguments += ["-o", "mail.deciban"]
    before = contents(folder)
    assert run(*arguments) == (1, "", f"deciban: {line}\n")
    assert contents(folder) == before


@pytest.mark.parametrize("setting", ["model", "smoothing", "calibration"])
def test_an_unknown_choice_is_answered_with_the_known_ones(run, setting):
    status, out, err = run("train", "mail.csv", f"--{setting}", "x")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"deciban: {setting}='x': not known; the known ones are: ")


NO_NAMES = [1, ["word"], np.array(["word", "keep"])]
CHOICES = ["model", "smoothing", "calibration", "tokens", "accents"]


def test_no_smoothing_named_is_the_models_own():
    assert [deciban.train(TEXTS, LABELS, model=model).settings.smoothing for model in ("bernoulli", "ratio")] == [
        "laplace",
        "jelinek-mercer",
    ]


@pytest.mark.parametrize(
    ("setting", "value"),
    [(setting, value) for setting in CHOICES for value in ([] if setting == "smoothing" else [None]) + NO_NAMES],
    ids=repr,
)
def test_a_choice_that_is_no_name_is_unknown(setting, value):
    with pytest.raises(errors.UnknownChoice) as caught:
        deciban.train(TEXTS, LABELS, **{setting: value})
    assert str(caught.value).startswith(f"{setting}={value!r}: not known; the known ones are: ")


def test_a_cut_off_model_says_how_much_there_is(run, folder):
    size = os.path.getsize("cut.deciban")
    line = f"the model is cut off: expected {size + 1} bytes, got {size}; copy it again"
    assert run("predict", "cut.deciban", "mail.csv") == (1, "", f"deciban: cut.deciban: {line}\n")


WRONG_USAGE = {
    "train": "the following arguments are required: FILE; see deciban train",
    "train mail.csv --colour red": "unrecognized arguments: --colour red; see deciban train --help",
    "train mail.csv --wor 1": "unrecognized arguments: --wor 1; see deciban train --help",
    "train mail.csv more.csv": "unrecognized arguments: more.csv; see deciban train --help",
    "train mail.csv --alpha": "argument --alpha: expected one argument",
    "train mail.csv --alpha many": "argument --alpha: invalid float value: 'many'",
    "train mail.csv --threads 0": "argument --threads: expected a whole number above 0, got '0'",
    "train mail.csv --where split": "argument --where: expected COLUMN=VALUE, such as split=train",
    "train mail.csv --where =train": "argument --where: expected COLUMN=VALUE, such as split=train",
    "train mail.csv --words one": "argument --words: expected lengths such as 1-2, or none, got 'one'",
    "predict": "the following arguments are required: MODEL; see deciban predict",
    "explain mail.deciban": "the following arguments are required: TEXT; see deciban explain",
    "explain mail.deciban text --top 0": "argument --top: expected a whole number above 0, got '0'",
    "train mail.csv --evaluate fold": "argument --evaluate: expected auto, loo, folds:10, tune:0.3 or time:COLUMN, "
    "got 'fold'; see deciban train",
    "train mail.csv --group author": "--group says what --evaluate keeps apart; see deciban train",
    "evaluate mail.deciban mail.csv --loo --folds 3": "--loo and --folds, --group or --time do not go together; "
    "see deciban evaluate",
    "compare mail.csv --test mail.csv --group x": "--group and --time are for folds, not for a --test file; "
    "see deciban compare",
    "evaluate mail.deciban mail.csv --folds 2 --against mail.deciban": "--against judges models as they are: "
    "use deciban compare for folds; see deciban evaluate",
    "evaluate mail.deciban mail.csv --curve": "--curve needs the texts that the model was trained on, "
    "and --loo or --folds; see deciban evaluate",
    "evaluate mail.deciban mail.csv --curve --time x": "--curve deals texts at random, and alike: "
    "so no --time, no --weight; see deciban evaluate",
    "train mail.csv --curve --weight x": "--curve deals texts at random, and alike: "
    "so no time, no --weight, no --unlabelled; see deciban train",
    "evaluate mail.deciban mail.csv --paths=": "argument --paths: expected what stands between the steps of a path, "
    "such as /; see deciban evaluate",
    "evaluate mail.deciban": "the following arguments are required: FILE; see deciban evaluate",
    "learn mail.deciban": "the following arguments are required: FILE; see deciban learn",
    "merge mail.deciban mail.deciban": "the following arguments are required: -o/--output; see deciban merge",
    "merge mail.deciban -o both.deciban": "the following arguments are required: MODEL; see deciban merge",
    "drop-label mail.deciban": "the following arguments are required: LABEL; see deciban drop-label",
    "rename-label mail.deciban ham": "the following arguments are required: NEW; see deciban rename-label",
    "freeze mail.deciban": "the following arguments are required: -o/--output; see deciban freeze",
    "retrain": "argument COMMAND: invalid choice: 'retrain'",
    "--colour": "unrecognized arguments: --colour",
}


@pytest.mark.parametrize(("command", "line"), WRONG_USAGE.items(), ids=WRONG_USAGE)
def test_wrong_usage_gets_one_line_and_names_the_help(run, folder, command, line):
    before = contents(folder)
    status, out, err = run(*command.split(" "))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("deciban: ")
    assert line.lower() in err.lower()
    assert err.endswith(" --help\n")
    assert contents(folder) == before


def test_nothing_at_all_gets_the_help(run):
    status, out, err = run()
    assert (status, out) == (2, "")
    assert err.startswith("usage: deciban")


class PanicException(BaseException):
    """As a panic in Rust comes to Python: as what is no `Exception`."""


@pytest.mark.parametrize("kind", [RuntimeError, PanicException])
def test_what_is_unexpected_is_one_line_too(run, monkeypatch, kind):
    """No input is known to do it, so a fault is put in: what is no error of deciban's must not become a traceback."""

    def fault(_):
        raise kind("two\nlines")

    monkeypatch.setattr("deciban.loading.load", fault)
    line = rf"unexpected {kind.__name__}: two\nlines (DECIBAN_TRACEBACK=1 shows where; please report it)"
    assert run("info", "mail.deciban") == (1, "", f"deciban: {line}\n")
    monkeypatch.setenv("DECIBAN_TRACEBACK", "1")
    with pytest.raises(kind):
        run("info", "mail.deciban")


# What only a process of its own shows


# As users run it: output that nobody reads letter by letter is buffered.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def command(*arguments):
    return [sys.executable, "-m", "deciban", *map(str, arguments)]


def shell(line, folder):
    """Runs a line of shell, in which $deciban is the command."""
    line = line.replace("$deciban", f"'{sys.executable}' -m deciban")
    options = {"cwd": folder, "env": BUFFERED, "capture_output": True, "timeout": 60}
    done = subprocess.run(["bash", "-c", line], check=False, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


NO_SPACE = "deciban: standard output: cannot write: No space left on device\n"


@pytest.mark.parametrize("arguments", ["predict mail.deciban mail.csv", "info mail.deciban", "--help"])
def test_a_full_disk_behind_standard_output(folder, arguments):
    assert shell(f"$deciban {arguments} > /dev/full", folder) == (1, "", NO_SPACE)


def test_a_full_disk_behind_standard_error(folder):
    assert shell("$deciban info none 2> /dev/full", folder) == (1, "", "")


@pytest.mark.parametrize("kind", ["", "--json"])
def test_a_closed_pipe_is_quiet(folder, kind):
    line = f"(echo text; yes free) | $deciban predict mail.deciban {kind} | head -2; exit ${{PIPESTATUS[1]}}"
    status, out, err = shell(line, folder)
    assert (status, out.count("\n"), err) == (1, 2, "")


def test_a_pipe_that_was_closed_before_anything_was_written_is_quiet(folder):
    reader, writer = os.pipe()
    os.close(reader)
    options = {"cwd": folder, "env": BUFFERED, "stderr": subprocess.PIPE, "timeout": 60}
    done = subprocess.run(command("info", "mail.deciban"), stdout=writer, check=False, **options)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_closed_streams_hold_and_take_nothing(folder):
    assert shell("$deciban predict mail.deciban mail.csv >&-", folder) == (0, "", "")
    line = "deciban: standard input: expected examples, got an empty file\n"
    assert shell("$deciban predict mail.deciban <&-", folder) == (1, "", line)
    assert shell("$deciban predict mail.deciban none.csv 2>&-", folder) == (1, "", "")
    status, out, _ = shell("$deciban predict mail.deciban mail.csv 2>&-", folder)
    assert (status, out.count("\n")) == (0, 4)


def test_a_terminal_that_cannot_show_a_letter(folder):
    status, out, err = shell("PYTHONIOENCODING=ascii $deciban explain mail.deciban 'money für dich'", folder)
    assert (status, err) == (0, "")
    assert r"money f\xfcr dich" in out


def test_a_file_name_that_is_no_text(folder):
    name = os.fsencode(folder) + b"/\xff\n.csv"
    Path(os.fsdecode(name)).write_bytes(MAIL)
    done = subprocess.run([*command("train"), name], cwd=folder, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    done = subprocess.run([*command("train"), name + b"x"], cwd=folder, capture_output=True, check=False, timeout=60)
    line = rf"deciban: {folder}/\udcff\n.csvx: cannot read: No such file or directory"
    assert (done.returncode, done.stderr.decode()) == (1, f"{line}\n")


def only_small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))


@pytest.mark.parametrize(
    "arguments", ["train large.csv --model multinomial -o mail.deciban", "predict mail.deciban large.csv -o mail.csv"]
)
def test_a_full_disk_leaves_the_old_file(folder, arguments):
    with open(folder / "large.csv", "w") as file:
        file.writelines(["text,label\n", *(f"word{i} common,label{i % 2}\n" for i in range(20_000))])
    before = contents(folder)
    options = {"cwd": folder, "env": BUFFERED, "capture_output": True, "text": True, "timeout": 60}
    done = subprocess.run(command(*arguments.split()), preexec_fn=only_small_files, check=False, **options)
    line = f"deciban: {arguments.split()[-1]}: cannot write: File too large\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "arguments",
    ["train - -o mail.deciban", "predict mail.deciban - -o mail.csv", "compare - --save mail.csv --plot mail.svg"],
)
def test_ctrl_c_leaves_the_old_file(folder, arguments):
    """The command reads what is written without end, so the signal finds it at work, wherever that is."""
    before = contents(folder)
    pipes = {"env": BUFFERED, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command(*arguments.split()), cwd=folder, **pipes) as process:
        process.stdin.write(b"text,label\n")
        for i in range(100_000):  # far more than a pipe holds: most of it has been read
            process.stdin.write(b"word%d common,label%d\n" % (i, i % 2))
        process.send_signal(signal.SIGINT)
        ended = process.wait(timeout=60)
        told = process.stdout.read(), process.stderr.read()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    assert (ended, *told) == (130, b"", b"deciban: interrupted\n")
    assert contents(folder) == before


# Odd, but not bad


def test_empty_texts_nul_and_marks_are_texts(run, folder):
    texts = ["", " ", "\0", "free\0money", "\ufeff free", "\u200b", "!?", "\x1b[2J see", "a\rb", 'a"b']
    with open("odd.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *((text, label) for text in texts for label in ("ham", "spam"))])
    assert run("train", "odd.csv", "-o", "odd.deciban")[0] == 0
    status, out, err = run("predict", "mail.deciban", "odd.csv", "--keep", "text", "--proba")
    assert (status, err) == (0, "")
    answers = list(csv.DictReader(io.StringIO(out, newline="")))
    assert [row["text"] for row in answers] == [text for text in texts for _ in range(2)]
    assert {row["p(spam)"] for row in answers if row["text"] in ("", " ", "\0", "\u200b", "!?")} == {"0.666667"}
    assert {row["label"] for row in answers if "free" in row["text"]} == {"spam"}


def test_values_that_are_kept_may_be_anything(run):
    given = b'{"text": "free", "id": "\\ud800"}\n{"text": "see", "id": [1, null]}\n'
    status, out, err = run("predict", "mail.deciban", "--keep", "id", "--json", stdin=given)
    assert (status, err) == (0, "")
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["\ud800", [1, None]]


def test_predict_without_rows_has_a_header_all_the_same(run):
    assert run("predict", "mail.deciban", "header.csv") == (0, "label,probability\n", "")
    assert run("predict", "mail.deciban", "header.csv", "--json") == (0, "", "")


def test_what_was_answered_before_an_error_stays_answered(run, folder):
    rows = b"free\n" * 5000
    Path("rows.csv").write_bytes(b"text\n" + rows + b"wrong,row\n")
    for file, name in [("-", "standard input"), ("rows.csv", "rows.csv")]:
        status, out, err = run("predict", "mail.deciban", file, stdin=Path("rows.csv").read_bytes())
        assert (status, err) == (1, f"deciban: {name}:5002: expected 1 columns (text), got 2\n")
        assert out.count("\n") == 5001
    status, out, err = run("predict", "mail.deciban", "broken.csv")
    line = "broken.csv:5: not valid utf-8 (byte 0xe9); give its true --encoding, such as latin-1"
    assert (status, err) == (1, f"deciban: {line}\n")
    assert out.count("\n") == 4


def test_labels_that_the_model_never_saw_are_errors_and_named(run, folder):
    Path("new.csv").write_bytes(MAIL + b"free money,eggs\nsee you,eggs\n")
    status, out, err = run("evaluate", "mail.deciban", "new.csv")
    assert (status, err) == (0, "")
    assert out.startswith("accuracy 60.0% ")
    assert out.endswith("labels that the model has never seen, so always wrong: eggs\n")
    figures = json.loads(run("evaluate", "mail.deciban", "new.csv", "--json")[1])
    assert (figures["accuracy"], figures["unseen_labels"]) == (0.6, ["eggs"])


def test_labels_that_look_like_markup_are_shown_as_they_are(run, folder):
    Path("odd.csv").write_text("text,label\nfree money,[/red]\nsee you,[bold]ham\nnow,:smile:\n")
    assert run("train", "odd.csv", "-o", "odd.deciban")[0] == 0
    for arguments in (["evaluate", "odd.deciban", "odd.csv"], ["info", "odd.deciban"]):
        status, out, err = run(*arguments)
        assert (status, err) == (0, "")
        assert all(label in out for label in ("[/red]", "[bold]ham", ":smile:"))
    assert "[/red]" in run("explain", "odd.deciban", "free [/b] money")[1]


# The library: whatever people keep texts in

COLUMNS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "dict values": lambda values: dict(enumerate(values)).values(),
    "numpy str": np.array,
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy strings": lambda values: np.array(values, dtype=np.dtypes.StringDType()),
    "numpy str scalars": lambda values: [np.str_(value) for value in values],
    "pandas": pd.Series,
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas arrow": lambda values: pd.Series(values, dtype="string[pyarrow]"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas categorical": pd.Categorical,
    "pandas index": pd.Index,
    "pandas column": lambda values: pd.DataFrame({"a": values}, index=[7, 7, 7])["a"],
    "polars": pl.Series,
    "polars category": lambda values: pl.Series(values, dtype=pl.Categorical),
    "arrow": pa.array,
    "arrow large": lambda values: pa.array(values, pa.large_string()),
    "arrow chunked": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "arrow dictionary": lambda values: pa.array(values).dictionary_encode(),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_texts_and_labels_may_stand_in_any_column(column):
    model = deciban.train(column(TEXTS), column(LABELS))
    expected = deciban.train(TEXTS, LABELS)
    assert model.counts == expected.counts
    assert model.predict(column(TEXTS)) == expected.predict(TEXTS)
    assert model.evaluate(column(TEXTS), column(LABELS)).accuracy == 1.0
    assert model.leave_one_out().predicted == expected.leave_one_out().predicted


NO_COLUMNS = {
    "'free money'": "free money",
    "bytes b'free'": b"free",
    "None": None,
    "int 3": 3,
    "dict {'a': 'b'}": {"a": "b"},
    "set {'a'}": {"a"},
    "frozenset({'a'})": frozenset({"a"}),
    "DataFrame of shape (1, 1)": pd.DataFrame({"text": ["a"]}),
    "DataFrame of shape (2, 1)": pl.DataFrame({"text": ["a", "b"]}),
    "LazyFrame <LazyFrame at": pl.LazyFrame({"text": ["a"]}),
    "Table of shape (1, 1)": pa.table({"text": ["a"]}),
    "RecordBatch of shape (1, 1)": pa.record_batch({"text": ["a"]}),
    "ndarray of shape (1, 2)": np.array([["a", "b"]]),
    "ndarray array('a', dtype='<U1')": np.array("a"),
}


@pytest.mark.parametrize(("got", "column"), NO_COLUMNS.items(), ids=NO_COLUMNS)
def test_what_is_no_column_is_refused(got, column):
    model = deciban.train(TEXTS, LABELS)
    for what, action in [
        ("texts", lambda: deciban.train(column, LABELS, model="multinomial")),
        ("texts", lambda: model.predict(column)),
        ("labels", lambda: deciban.train(TEXTS, column)),
        ("labels", lambda: model.learn(TEXTS, column)),
    ]:
        with pytest.raises(errors.BadTexts) as caught:
            action()
        assert str(caught.value).startswith(f"expected a list or a column of {what}, got ")
        assert got in str(caught.value)
        assert str(caught.value).isprintable()


NO_TEXTS = {
    "None": None,
    "nan": float("nan"),
    "float32 np.float32(nan)": np.float32("nan"),
    "NAType <NA>": pd.NA,
    "NaTType NaT": pd.NaT,
    "bytearray bytearray(b'free')": bytearray(b"free"),
    "int 3": 3,
    "bool True": True,
    "list ['free']": ["free"],
    "dict {}": {},
    "ndarray of shape (2,)": np.array(["a", "b"]),
}


@pytest.mark.parametrize(("got", "value"), NO_TEXTS.items(), ids=NO_TEXTS)
def test_what_is_no_text_or_label_is_told_with_its_row(got, value):
    model = deciban.train(TEXTS, LABELS)
    texts, labels = [*TEXTS[:2], value], [*LABELS[:2], value]
    for line, action in [
        ("texts[2]: expected a text", lambda: deciban.train(texts, LABELS, model="multinomial")),
        ("texts[2]: expected a text", lambda: model.predict(texts)),
        ("texts[2]: expected a text", lambda: model.learn(texts, LABELS)),
        ("texts[2]: expected a text", lambda: model.forget(texts, LABELS)),
        ("texts[2]: expected a text", lambda: model.evaluate(texts, LABELS)),
        ("text: expected a text", lambda: model.explain(value)),
        ("labels[2]: expected a label as text", lambda: deciban.train(TEXTS, labels)),
        ("labels[2]: expected a label as text", lambda: model.learn(TEXTS, labels)),
    ]:
        with pytest.raises(errors.InputError) as caught:
            action()
        assert str(caught.value) == f"{line}, got {got}"
    assert model.counts == deciban.train(TEXTS, LABELS).counts


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["free", None, "see"]),
        pd.Series(["free", None, "see"], dtype="string"),
        pd.Series(["free", None, "see"], dtype="category"),
        pd.Series(["free", None, "see"], dtype=object),
        pl.Series(["free", None, "see"]),
        pa.array(["free", None, "see"]),
        np.array(["free", np.nan, "see"], dtype=object),
    ],
    ids=lambda column: f"{type(column).__module__} {column.dtype if hasattr(column, 'dtype') else column.type}",
)
def test_what_is_missing_in_a_column_is_told_with_its_row(column):
    with pytest.raises(errors.BadText, match=r"^texts\[1\]: expected a text, got (None|nan|NAType <NA>)$"):
        deciban.train(column, LABELS, model="multinomial")
    with pytest.raises(errors.BadLabel, match=r"^labels\[1\]: expected a label as text, got (None|nan|NAType <NA>)$"):
        deciban.train(TEXTS, column)


@pytest.mark.parametrize(
    ("label", "got"),
    [("", "an empty one"), (b"spam", "bytes b'spam'"), ("\ud800", "half a surrogate pair, which is not Unicode")],
)
def test_a_text_that_is_no_label_is_told_with_its_row(label, got):
    with pytest.raises(errors.BadLabel) as caught:
        deciban.train(TEXTS, ["spam", "ham", label])
    assert str(caught.value) == f"labels[2]: expected a label as text, got {got}"


def test_a_model_keeps_its_examples_whatever_becomes_of_the_lists():
    texts, labels = list(TEXTS), list(LABELS)
    model = deciban.train(texts, labels, model="multinomial")
    expected = model.leave_one_out().predicted
    texts[:], labels[:] = [], []
    assert model.leave_one_out().predicted == expected
