"""Commands that change a model: the file is what training afresh would give, or what it was."""

import json

import pytest

import deciban
from conftest import ROOT
from test_cli import TICKETS
from test_cli import deciban as run

MAIL = [("free money", "spam"), ("money now", "spam"), ("see you", "ham"), ("lunch?", "work"), ("win, win", "junk")]


@pytest.fixture
def folder(tmp_path):
    """A folder with examples in files, and a model of them all."""
    write(tmp_path / "mail.csv", MAIL)
    write(tmp_path / "some.csv", MAIL[2:])
    run("train", tmp_path / "mail.csv", "-o", tmp_path / "mail.deciban")
    return tmp_path


def write(path, examples):
    path.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text, label in examples))


def trained(examples):
    return deciban.train([text for text, _ in examples], [label for _, label in examples])


def counts(path):
    return deciban.load(path).counts


def test_learn_and_forget(folder):
    model, other = folder / "mail.deciban", folder / "other.deciban"
    shown = run("forget", model, folder / "some.csv", "-o", other)
    assert shown == f"forgot 3 examples; {other} now has 2 examples, 3 terms, labels: spam\n"
    assert counts(model) == trained(MAIL).counts
    assert run("learn", other, folder / "some.csv", "--threads", "1").startswith("learnt 3 examples; ")
    assert counts(other) == trained(MAIL).counts
    facts = json.loads(run("learn", other, folder / "mail.csv", "--where", "label=work", "--json"))
    assert facts == {"model": str(other), "examples": 6, "labels": 4, "terms": 7}
    notes = ["mail.csv (+5)", "some.csv (-3)", "some.csv (+3)", "mail.csv (+1)"]
    assert f"trained on: {', '.join(notes)}\n" in run("info", other)


def test_learn_from_standard_input(folder):
    run("learn", folder / "mail.deciban", "-", stdin="text,label\nbuy now,spam\n")
    assert counts(folder / "mail.deciban") == trained([*MAIL, ("buy now", "spam")]).counts


def test_merge(folder):
    model, more = folder / "mail.deciban", folder / "more.deciban"
    write(folder / "more.csv", more_mail := [("see me", "ham"), ("buy now", "spam")])
    run("train", folder / "more.csv", "-o", more)
    shown = run("merge", model, more, model, "-o", folder / "all.deciban")
    labels = "ham, junk, spam, work"
    assert shown == f"merged 3 models; {folder}/all.deciban now has 12 examples, 9 terms, labels: {labels}\n"
    assert counts(folder / "all.deciban") == trained([*MAIL, *more_mail, *MAIL]).counts
    run("merge", model, more, "-o", model)
    assert counts(model) == trained([*MAIL, *more_mail]).counts


def test_labels_go_stay_and_get_other_names(folder):
    model, other = folder / "mail.deciban", folder / "other.deciban"
    shown = run("rename-label", model, "junk", "spam")
    assert shown.startswith("renamed junk to spam, which was there: the two are one; ")
    assert counts(model) == trained([(text, label.replace("junk", "spam")) for text, label in MAIL]).counts
    assert run("rename-label", model, "spam", "a new one").startswith(f"renamed spam to a new one; {model} now has")
    run("rename-label", model, "a new one", "spam")
    assert run("keep-labels", model, "ham", "spam", "-o", other).startswith("dropped work; ")
    assert run("drop-label", model, "work").startswith("dropped work; ")
    assert (
        counts(model)
        == counts(other)
        == trained([(text, label.replace("junk", "spam")) for text, label in MAIL if label != "work"]).counts
    )
    assert "renamed junk to spam (+0)" in run("info", model)


def test_frozen_models_answer_the_same(tmp_path):
    full, frozen, again = tmp_path / "full", tmp_path / "frozen", tmp_path / "again"
    run("train", TICKETS, "--model", "multinomial", "-o", full)
    shown = run("train", TICKETS, "--model", "multinomial", "-o", frozen, "--frozen")
    assert shown.endswith(f"saved as {frozen}; frozen: it predicts and explains\n")
    sizes = json.loads(run("freeze", full, "-o", again, "--json"))
    assert sizes == {"model": str(again), "bytes": frozen.stat().st_size, "bytes_before": full.stat().st_size}
    assert sizes["bytes"] < sizes["bytes_before"]
    assert again.read_bytes() == frozen.read_bytes()
    assert f"; {again} has {sizes['bytes']:,} bytes instead of " in run("freeze", full, "-o", again)
    for command in (["predict", TICKETS, "--proba"], ["explain", "late parcel"], ["evaluate", TICKETS]):
        assert run(command[0], frozen, *command[1:]) == run(command[0], full, *command[1:])


def test_info_says_that_a_model_is_frozen(folder):
    run("freeze", folder / "mail.deciban", "-o", folder / "frozen.deciban")
    facts, frozen = (json.loads(run("info", folder / f"{name}.deciban", "--json")) for name in ("mail", "frozen"))
    assert (facts["frozen"], facts["occurrences"]) == (False, 9)
    assert (frozen["frozen"], frozen["occurrences"]) == (True, None)
    assert frozen["labels"] == facts["labels"] == {"ham": 1, "junk": 1, "spam": 2, "work": 1}
    assert "5 examples, 7 terms, frozen: no counts, " in run("info", folder / "frozen.deciban")


@pytest.mark.parametrize("version", [1, 2])
def test_older_files_are_changed_and_frozen_too(tmp_path, version):
    old, new = ROOT / "tests" / "golden" / f"version-{version}.deciban", tmp_path / "new.deciban"
    run("freeze", old, "-o", new)
    assert deciban.load(new).predict_proba(["refund"]).tolist() == deciban.load(old).predict_proba(["refund"]).tolist()
    run("drop-label", old, "fault", "-o", new)
    assert counts(new) == counts(old).drop_labels(["fault"])
