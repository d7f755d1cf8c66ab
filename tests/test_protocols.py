"""Protocols: what is judged was not learnt, what is chosen is chosen inside, and doubts are told."""

import csv
import json

import numpy as np
import pytest

import deciban
from conftest import ROOT
from deciban import errors
from deciban.cli import run
from deciban.examples import Source
from deciban.protocols import Protocol
from deciban.settings import Settings
from deciban.splits import in_folds

TICKETS = str(ROOT / "samples" / "tickets.csv")
MAIL = (["free money", "money now", "free now", "see you", "you soon", "see me"] * 5, (["spam"] * 3 + ["ham"] * 3) * 5)
MODELS = {
    "multinomial": {"model": "multinomial", "words": (1, 2)},
    "bayes": {"model": "bayes", "smoothing": "auto"},
    "tan": {"model": "tan", "tree_terms": 20},
    "nbsvm": {"model": "nbsvm", "cost": 0.1},
}


@pytest.fixture(scope="module")
def some(tickets):
    texts, labels = tickets
    return texts[::2], labels[::2]


@pytest.fixture
def shown(capsys):
    def shown(*arguments):
        assert run([str(one) for one in arguments]) == 0
        return capsys.readouterr().out

    return shown


# The library


@pytest.mark.parametrize("name", MODELS)
def test_each_fold_is_scored_by_a_model_of_the_others(name, some):
    texts, labels = some
    found = deciban.evaluate(texts, labels, "folds:3", seed=2, **MODELS[name])
    assert (found.held.truth, found.protocol) == (labels, "3 folds")
    for part in in_folds(labels, 3, 2).parts:
        model = deciban.train([texts[i] for i in part.train], [labels[i] for i in part.train], **MODELS[name])
        tested = [texts[i] for i in part.test]
        assert [found.held.predicted[i] for i in part.test] == model.predict(tested)
        assert np.array_equal(found.held.scores[part.test], model.scores(tested))


def test_leave_one_out_is_the_models_own(some):
    texts, labels = some
    found = deciban.evaluate(texts, labels, "loo", words=(1, 2), alpha=0.3)
    held = deciban.train(texts, labels, words=(1, 2), alpha=0.3).leave_one_out()
    assert np.array_equal(found.held.scores, held.scores)
    assert found.protocol == "leave-one-out"
    assert 0.95 < found.doubts.training_accuracy <= 1
    chosen = deciban.evaluate(texts, labels, "loo", model="multinomial", smoothing="auto")
    assert chosen.protocol == "leave-one-out; settings were chosen by the same texts"


@pytest.mark.parametrize(
    ("settings", "protocol"),
    [
        ({"alpha": 0.3}, "leave-one-out"),
        ({"model": "multinomial", "smoothing": "auto"}, "5 folds"),
        ({"model": "tan", "tree_terms": 5}, "5 folds"),
        ({"alpha": 0.3, "weights": [1, 2] * 15}, "5 folds"),
        ({"model": "multinomial", "unlabelled": ["money money"], "unlabelled_weight": 0.5}, "5 folds"),
    ],
)
def test_what_fits_the_model(settings, protocol):
    assert deciban.evaluate(*MAIL, **settings).protocol == protocol


def test_a_tuning_set_is_judged_by_the_rest(some):
    texts, labels = some
    found = deciban.evaluate(texts, labels, "tune:0.3", alpha=0.3)
    assert found.examples == int(0.3 * len(texts))
    kept = {*found.places}
    rest = [i for i in range(len(texts)) if i not in kept]
    model = deciban.train([texts[i] for i in rest], [labels[i] for i in rest], alpha=0.3)
    assert found.held.predicted == model.predict([texts[i] for i in found.places])
    assert found.held.truth == [labels[i] for i in found.places]


def test_one_author_on_both_sides_flatters_and_groups_tell():
    """Labels are drawn by author, so only who wrote a text tells its label: nothing that holds for other authors."""
    rng = np.random.default_rng(3)
    labels_of_authors = rng.choice(["x", "y"], 40)
    authors = rng.integers(0, 40, 400)
    texts = [f"signed{author} {' '.join(rng.choice(list('abcdefgh'), 5))}" for author in authors]
    labels = labels_of_authors[authors].tolist()
    flattered = deciban.evaluate(texts, labels, "folds:5", tokens="whitespace", model="multinomial")
    honest = deciban.evaluate(texts, labels, "folds:5", tokens="whitespace", model="multinomial", group=authors)
    assert flattered.accuracy > 0.9
    assert honest.accuracy < 0.7
    assert honest.protocol == "5 folds, no group in two of them"


def test_in_time_a_label_that_is_new_cannot_be_right():
    texts = ["free money", "see you"] * 10 + ["lunch today"] * 4
    labels = ["spam", "ham"] * 10 + ["work"] * 4
    days = [f"2026-01-{day:02}" for day in range(1, 25)]
    found = deciban.evaluate(texts, labels, "time:3", time=days, model="multinomial")
    new = [i for i, label in enumerate(found.held.truth) if label == "work"]
    assert new
    assert all(found.held.predicted[i] != "work" for i in new)
    assert np.isneginf(found.held.scores[new][:, found.held.labels.index("work")]).all()
    assert found.protocol == "3 steps in time, each judged by what came before"
    assert deciban.evaluate(texts, labels, time=days, model="multinomial").protocol.startswith("5 steps")


def test_near_duplicates_and_leaks_are_told():
    texts = [f"word{i} other{i} more{i} things{i}" for i in range(160)] + ["the very same text again"] * 2
    texts = [f"{text} ticket9" if i % 2 else text for i, text in enumerate(texts)]
    texts[-1] = f"{texts[-2]}!"
    labels = ["x", "y"] * 81
    found = deciban.evaluate(texts, labels, "loo", alpha=1.0)
    assert found.doubts.twins == (160, 161)
    rest = [p == t for p, t in zip(found.held.predicted[:160], labels, strict=False)]
    assert found.doubts.without_twins == pytest.approx(np.mean(rest))
    assert [(leak.term, leak.label) for leak in found.doubts.leaks] == [("ticket9", "y")]
    told = list(found.doubts.sentences)
    assert told[1].startswith("2 texts nearly stand in training, too (1.2%); without: accuracy")
    assert told[2].startswith("a leak? 'ticket9' stands in 99% of the texts of 'y', and in no other")
    assert found.as_dict()["doubts"]["near_duplicates"] == [160, 161]
    by_folds = deciban.evaluate(texts, labels, "folds:81", alpha=1.0)
    assert by_folds.doubts.twins == (160, 161)
    together = deciban.evaluate(texts, labels, "folds:5", alpha=1.0, group=[*range(160), 160, 160])
    assert together.doubts.twins == ()


def test_scores_that_are_too_many_are_answers_only(monkeypatch):
    from deciban import protocols

    monkeypatch.setattr(protocols, "MOST_KEPT", 10)
    found = deciban.evaluate(*MAIL, "folds:3", model="multinomial")
    assert (found.accuracy, found.probabilities) == (1, None)


def test_a_model_knows_what_was_asked_for(tmp_path, some):
    asked = {
        "auto": {},
        "bayes": {"model": "bayes", "smoothing": "auto", "words": (1, 2)},
        "nbsvm": {"model": "nbsvm"},
        "plain": {"alpha": 0.3, "chars": (2, 3)},
    }
    for name, settings in asked.items():
        model = deciban.train(*some, **settings)
        model.save(tmp_path / name)
        for one in (model, deciban.load(tmp_path / name)):
            assert one.asked == Settings.for_training(**settings), name


def test_folds_of_a_model_choose_again_what_it_chose(some):
    from deciban.protocols import evaluate_like

    model = deciban.train(*some, model="multinomial", smoothing="auto")
    path = Source(TICKETS).in_memory().batch
    again = evaluate_like(model, path, "folds:3")
    assert (
        again.held.predicted
        == deciban.evaluate(path.texts, path.labels, "folds:3", model="multinomial", smoothing="auto").held.predicted
    )


# Bad input


@pytest.mark.parametrize(
    "bad", ["", "fold:3", "folds:1", "folds:2.5", "folds:x", "tune:1", "tune:0", "loo:3", "time:0", 5]
)
def test_protocols_that_are_none(bad):
    with pytest.raises(errors.BadSetting, match="expected auto, loo, folds:10, tune"):
        Protocol.of(bad)


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"group": [1, 2]}, errors.UnevenColumn, "expected one group a text, got 30 texts and 2 of these"),
        ({"group": [1] * 30, "time": [1] * 30}, errors.NotWithGroups, "by time, not both"),
        ({"protocol": "loo", "group": [1] * 30}, errors.NotWithGroups, "one by one"),
        ({"protocol": "time"}, errors.BadSetting, "time=None: expected a number or a date for each text"),
        ({"protocol": "loo", "weights": [1] * 30}, errors.BadSetting, "folds:10, where texts have weights"),
        ({"protocol": "folds:16"}, errors.TooManyFolds, "expected at most 15 folds"),
        ({"group": ["a", "b"] * 15}, errors.TooFewGroups, "expected at least 5 groups, one for each part, got 2"),
        ({"time": [1, 2] * 15}, errors.TooFewTimes, "5 steps in time need examples of 6 different times, got 2"),
        ({"time": range(30), "labels": ["x"] * 9 + ["y"] * 21}, errors.OneLabelIn, "fold 1 of 5: expected texts of"),
        ({"seed": -1}, errors.BadSetting, "a whole number from 0 on"),
        ({"models": 3}, errors.UnknownSetting, "'models' is not a setting"),
        ({"texts": ["a", None] * 15}, errors.BadText, r"texts\[1\]: expected a text, got None"),
        ({"texts": [], "labels": []}, errors.NoExamples, "expected labelled examples, got none"),
    ],
)
def test_bad_input(given, kind, words):
    texts, labels = given.pop("texts", MAIL[0]), given.pop("labels", MAIL[1])
    with pytest.raises(kind, match=words):
        deciban.evaluate(texts, labels, **given)


# The commands


@pytest.fixture
def mail(tmp_path):
    """A file with authors and days, and a model of it."""
    rng = np.random.default_rng(5)
    with open(tmp_path / "mail.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label", "author", "day", "trust", "split"])
        for i in range(60):
            words = ["money", "free", "win"] if i % 2 else ["lunch", "see", "soon"]
            text = " ".join(rng.choice([*words, "now", "you"], 4))
            part = "test" if i % 5 == 0 else "train"
            writer.writerow(
                [text, "spam" if i % 2 else "ham", f"a{i % 7}", f"2026-02-{1 + i // 3:02}", 1 + i % 2, part]
            )
    deciban.train(*MAIL, alpha=0.5).save(tmp_path / "mail.deciban")
    deciban.train(*MAIL, alpha=0.5).save(tmp_path / "frozen.deciban", frozen=True)
    return tmp_path


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_folds_groups_and_time_on_the_command_line(shown, mail):
    for model in ("mail.deciban", "frozen.deciban"):
        for options, words in {
            ("--folds", "4"): "4 folds",
            ("--folds", "4", "--group", "author"): "4 folds, no group in two of them",
            ("--group", "author"): "5 folds, no group in two of them",
            ("--time", "day"): "5 steps in time, each judged by what came before",
            ("--folds", "3", "--time", "day", "--weight", "trust"): "3 steps in time, each judged by what came before",
        }.items():
            told = json.loads(shown("evaluate", mail / model, mail / "mail.csv", *options, "--json"))
            assert told["protocol"] == words
            assert told["examples"] == (60 if "--time" not in options else told["examples"])
            assert told["doubts"]["training_accuracy"] > 0.9


def test_training_tells_what_to_expect(shown, mail):
    final = ("train", mail / "mail.csv", "-o", mail / "new.deciban", "--alpha", "0.5")
    shown(*final)
    expected = (mail / "new.deciban").read_bytes()
    for how, words in {
        ("--evaluate",): "leave-one-out, 60 examples",
        ("--evaluate", "loo"): "leave-one-out, 60 examples",
        ("--evaluate", "folds:4", "--group", "author"): "4 folds, no group in two of them, 60 examples",
        ("--evaluate", "tune"): "tuning set of 30%, 18 examples",
        ("--evaluate", "time:day"): "5 steps in time, each judged by what came before",
    }.items():
        told = shown(*final, *how)
        assert words in told
        assert "training accuracy 9" in told or "training accuracy 100" in told
        assert (mail / "new.deciban").read_bytes() == expected  # the model to keep has learnt from everything
    as_json = json.loads(shown(*final, "--evaluate", "tune:0.5", "--json"))
    assert as_json["evaluation"]["examples"] == 30


def test_training_with_weights_and_unlabelled_texts_is_judged_too(shown, mail):
    (mail / "more.csv").write_text("text\nfree money money\nlunch soon lunch\n")
    out = ("-o", mail / "x.deciban")
    told = shown(
        "train", mail / "mail.csv", "--unlabelled", mail / "more.csv", "--unlabelled-weight", "0.3", "--evaluate", *out
    )
    assert "5 folds, 60 examples" in told
    assert "5 folds, 60 examples" in shown("train", mail / "mail.csv", "--weight", "trust", "--evaluate", *out)


def test_texts_that_stand_in_training_too(shown, mail):
    arguments = ("evaluate", mail / "mail.deciban", mail / "mail.csv", "--where", "split=test")
    told = json.loads(shown(*arguments, "--trained-on", mail / "mail.csv", "--json"))
    rows = rows_of(mail / "mail.csv")
    learnt = {row["text"] for row in rows if row["split"] == "train"}
    again = [i for i, row in enumerate(row for row in rows if row["split"] == "test") if row["text"] in learnt]
    assert {*again} <= {*told["doubts"]["near_duplicates"]}
    assert json.loads(shown(*arguments, "--json"))["doubts"]["near_duplicates"] == []


def test_judging_by_the_training_texts_is_noticed(shown, tickets_model, mail):
    warning = "these look like the texts that it was trained on: then nothing here holds; ask with --loo or --folds"
    assert warning in shown("evaluate", tickets_model, TICKETS)
    deciban.load(tickets_model).freeze().save(mail / "frozen.deciban")
    assert warning in shown("evaluate", mail / "frozen.deciban", TICKETS)
    rows = [row | {"text": f"{row['text']} indeed"} for row in rows_of(TICKETS)]  # as many of each label, but others
    with open(mail / "others.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert warning not in shown("evaluate", tickets_model, mail / "others.csv")
    assert warning not in shown("evaluate", mail / "mail.deciban", mail / "mail.csv")


def test_compare_keeps_groups_and_times_apart(shown, mail):
    told = shown("compare", mail / "mail.csv", "--models", "multinomial,bernoulli", "--folds", "4", "--group", "author")
    assert "60 texts of 2 labels, 4 folds, no group in two of them" in told
    told = shown("compare", mail / "mail.csv", "--models", "multinomial,bernoulli", "--folds", "4", "--time", "day")
    assert "4 steps in time" in told


@pytest.mark.parametrize("way", ["group", "time"])
def test_compare_by_name_in_the_library(way, mail):
    rows = rows_of(mail / "mail.csv")
    column = [row["author" if way == "group" else "day"] for row in rows]
    given = {"texts": [row["text"] for row in rows], "labels": [row["label"] for row in rows], way: column}
    found = deciban.compare({"mail": given}, {"MNB": {"model": "multinomial"}}, folds=3).run("MNB", "mail")
    alone = deciban.evaluate(given["texts"], given["labels"], "folds:3", model="multinomial", **{way: column})
    assert found.evaluation.held.predicted == alone.held.predicted
    with pytest.raises(errors.BadSet, match="60 texts and a group or time of 2"):
        deciban.compare({"mail": {**given, way: [1, 2]}}, {"MNB": {}})
    with pytest.raises(errors.NotWithGroups, match="by time, not both"):
        deciban.compare({"mail": {**given, "group": column, "time": column}}, {"MNB": {}})
