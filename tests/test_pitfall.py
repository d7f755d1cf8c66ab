"""No smoothing, and what comes of it, is told: at training, and for every text that no label can have."""

import deciban
from deciban.cli import run


def test_whoever_asks_for_no_smoothing_is_told_what_comes_of_it(tmp_path, capsys):
    file, model, new = tmp_path / "mail.csv", tmp_path / "mail.deciban", tmp_path / "new.txt"
    file.write_text("text,label\nfree money,spam\nmoney now,spam\nsee you,ham\nlunch you,work\n")
    new.write_text("free money\nsee money\nlunch\nunknown\n")
    assert run(["train", str(file), "--smoothing", "none", "-o", str(model)]) == 0
    told = capsys.readouterr().err
    assert told.startswith("deciban: warning: without smoothing a label cannot have a term that it has not shown")
    assert "67% of all for ham, 67% for work, 50% for spam" in told
    assert run(["predict", str(model), str(new)]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("deciban: warning: 1 of 4 texts have the probability zero for every label")
    assert shown.out.splitlines()[1:] == ["spam,1", "ham,0.333333", "work,1", "spam,0.5"]
    held = deciban.load(model).scores(["see money"])
    assert (held == -float("inf")).all()


def test_nobody_else_is_told_anything(tmp_path, capsys):
    file, model = tmp_path / "mail.csv", tmp_path / "mail.deciban"
    file.write_text("text,label\nfree money,spam\nsee you,ham\n")
    assert run(["train", str(file), "-o", str(model)]) == 0
    (tmp_path / "new.txt").write_text("nothing\n")
    assert run(["predict", str(model), str(tmp_path / "new.txt")]) == 0
    assert capsys.readouterr().err == ""


def test_texts_that_all_labels_can_have_alike_are_not_impossible(tmp_path, capsys):
    file, model = tmp_path / "mail.csv", tmp_path / "mail.deciban"
    file.write_text("text,label\nfree money,spam\nsee you,ham\n")
    assert run(["train", str(file), "--smoothing", "none", "-o", str(model)]) == 0
    (tmp_path / "new.txt").write_text("nothing\n")
    capsys.readouterr()
    assert run(["predict", str(model), str(tmp_path / "new.txt")]) == 0
    assert capsys.readouterr().err == ""
