"""What the report says beside its tables: what to know, pictures, doubts; for every kind of model."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest

import deciban
from conftest import ROOT
from deciban.cli import run
from deciban.evaluation import Evaluation
from deciban.evaluation.doubts import Doubts
from deciban.evaluation.learning import LearningCurve, Point
from deciban.holdout import HeldOut
from deciban.leaks import Leak
from deciban.protocols import evaluate
from deciban.report import write
from deciban.report.findings import findings
from deciban.report.plots import COLOURS, embedded

TICKETS = str(ROOT / "samples" / "tickets.csv")


def judged(truth, predicted, sure=0.8, **more):
    """An evaluation with these answers, each given so great a probability."""
    labels = sorted({*truth, *predicted})
    p = np.full((len(truth), len(labels)), (1 - sure) / (len(labels) - 1))
    p[np.arange(len(truth)), [labels.index(label) for label in predicted]] = sure
    return Evaluation(HeldOut(tuple(labels), truth, np.log(p)), **more)


def told(evaluation):
    return [(found.text, found.anchor) for found in findings(evaluation)]


def test_nothing_is_found_where_nothing_is_wrong():
    truth = ["a"] * 50 + ["b"] * 50
    assert told(judged(truth, truth, sure=0.999)) == []


def test_the_label_that_is_found_least():
    truth = ["a"] * 80 + ["b"] * 40
    said = ["a"] * 80 + ["a"] * 20 + ["b"] * 20
    assert told(judged(truth, said, sure=0.83)) == [
        ("Of “b” only 50.0% are found; it is taken for “a” (20).", "confusion")
    ]


def test_a_label_that_is_found_less_by_luck_is_not_named():
    truth, said = ["a"] * 20 + ["b"] * 20, ["a"] * 20 + ["a"] * 2 + ["b"] * 18
    assert told(judged(truth, said, sure=0.95)) == [
        ("Of 2 mistakes, 2 were made with a probability above 90%: read those first.", "mistakes")
    ]


def test_labels_that_are_likely_wrong():
    evaluation = judged(["a", "b"] * 50, ["a", "b"] * 50, sure=0.999)
    assert [found.text for found in findings(evaluation, 9)] == [
        "9 labels may be wrong in the texts themselves: look before you blame the model."
    ]
    assert findings(evaluation, 1)[0].text.startswith("1 label may be wrong")
    assert findings(evaluation, 1)[0].anchor == "suspects"


def test_labels_with_few_examples():
    truth = ["a"] * 80 + ["b"] * 4
    assert told(judged(truth, truth, sure=0.999))[0] == (
        "“b” has fewer than 20 examples here: too few to say much of.",
        "labels",
    )


@pytest.mark.parametrize(
    ("sure", "words"),
    [
        (0.95, "It is too sure of itself: where it promises 95.0%, 75.0% are right."),
        (0.6, "It is surer than it says: where it promises 60.0%, 75.0% are right."),
    ],
)
def test_promises_that_are_not_kept(sure, words):
    truth = ["a", "b"] * 50
    said = ["a", "b"] * 25 + ["b", "b"] * 25
    assert (words, "probabilities") in told(judged(truth, said, sure))


def test_doubts_and_more_labels():
    truth = ["a", "b"] * 50
    leaks = (Leak("host9", "b", 50, 0, 1.0), Leak("host7", "a", 50, 0, 1.0))
    doubts = Doubts(100, twins=(3, 4), without_twins=0.97, leaks=leaks, look_learnt=True)
    curve = LearningCurve(tuple(Point(n, 500, 0.95 - 2 * n**-0.5) for n in (50, 100, 200, 400)), now=500)
    found = told(judged(truth, truth, 0.999, doubts=doubts, curve=curve))
    assert [anchor for _, anchor in found] == ["facts", "doubts", "doubts", "learning"]
    assert found[1][0] == "2 texts nearly stand in the training texts, too: without them 97.0% are right."
    assert found[2][0] == "“host9” all but gives “b” away: will new texts have it, too? So does another."
    assert found[3][0].startswith("About 330 more labels should bring 2 points")


@pytest.fixture
def page(tmp_path):
    """The text of a report, without mark-up."""

    def page(model, evaluation, texts, protocol="by hand"):
        write(tmp_path / "r.html", model, evaluation, texts, protocol=protocol)
        return (tmp_path / "r.html").read_text(encoding="utf-8")

    return page


def words_of(html):
    return " ".join(re.sub(r"<style>.*?</style>|<svg.*?</svg>|<[^>]*>", " ", html, flags=re.DOTALL).split())


MODELS = {
    "tan": {"model": "tan", "tree_terms": 20},
    "nbsvm": {"model": "nbsvm", "cost": 0.1},
    "committee": {"model": "committee"},
    "complement": {"model": "complement"},
    "mixture": {"model": "multinomial", "unlabelled": ["my parcel is lost", "refund please"], "unlabelled_weight": 0.3},
}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_report_by_folds(page, tickets, name):
    texts, labels = (column[::3] for column in tickets)
    found = evaluate(texts, labels, "folds:2", **MODELS[name])
    model = deciban.train(texts, labels, **MODELS[name])
    for one in (model, model.freeze()):
        html = page(one, found, texts, found.protocol)
        text = words_of(html)
        assert "Models like this one were trained anew" in text
        assert "The models that erred are gone: the evidence is the full model’s" in text
        assert "Can its probabilities be believed?" in text
        assert html.count("<svg") == 4
        assert ("What the model goes by" in text) != one.frozen


def test_answers_without_scores_have_a_report_too(page, tickets):
    texts, labels = (column[::3] for column in tickets)
    found = evaluate(texts, labels, "folds:2", model="multinomial")
    held = HeldOut(found.held.labels, labels, np.empty((len(labels), 0)), found.held.predicted)
    text = words_of(page(deciban.train(texts, labels, model="multinomial"), replace(found, held=held), texts))
    assert "Can its probabilities be believed?" not in text
    assert "with probability" not in text
    assert "The most confident mistakes" in text


def test_doubts_stand_in_the_report(page):
    texts = [f"word{i} other{i} more{i}" + (" host9" if i % 2 else "") for i in range(160)] + ["the same again"] * 2
    labels = ["x", "y"] * 81
    found = evaluate(texts, labels, "loo", alpha=1.0)
    text = words_of(page(deciban.train(texts, labels, alpha=1.0), found, texts, found.protocol))
    assert "2 texts ; of all others" in text or "2 texts; of all others" in text
    assert "example 161, x the same again" in text
    assert "“host9” : “y” has it in 98.8% of its texts, no other text has it" in text


def test_labels_that_are_likely_wrong_are_shown(page, tickets):
    texts, labels = tickets[0], list(tickets[1])
    place = next(i for i, text in enumerate(texts) if labels[i] == "billing" and "refund" in text and "charged" in text)
    labels[place] = "praise"
    model = deciban.train(texts, labels, alpha=0.3)
    text = words_of(page(model, Evaluation(model.leave_one_out()), texts, "leave-one-out"))
    assert "Labels that are likely wrong" in text
    assert f"example {place + 1}: “praise” , rather “billing” ?" in text


def test_without_matplotlib_the_report_says_so_in_a_line(page, tickets, monkeypatch):
    texts, labels = (column[::3] for column in tickets)
    model = deciban.train(texts, labels, model="multinomial")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    html = page(model, Evaluation(model.leave_one_out()), texts, "leave-one-out")
    assert "<svg" not in html
    assert "Pictures need matplotlib: pip install &#39;deciban[plot]&#39;" in words_of(html).replace("'", "&#39;")
    assert "Calibration error" in html


def test_what_is_drawn_takes_the_colours_of_the_page():
    svg = embedded(
        '<?xml version="1.0"?><svg width="9pt" viewBox="0 0 9 9"><metadata>x</metadata><defs>'
        '<style type="text/css">*{stroke: red}</style></defs><path id="m1" style="fill: #030303"/>'
        '<use xlink:href="#m1"/><g clip-path="url(#p1)"/>'
        "<text style=\"font-family: 'Vera', serif; fill: #020202\"/></svg>",
        "roc",
    )
    assert svg == (
        '<svg viewBox="0 0 9 9" aria-hidden="true" focusable="false"><defs></defs><path id="roc-m1" style="fill: '
        'rgb(var(--right))"/><use href="#roc-m1"/><g clip-path="url(#roc-p1)"/><text style="fill: var(--soft)"/></svg>'
    )
    assert len(COLOURS) == len({*COLOURS.values()})


def test_training_writes_a_report(tmp_path, capsys):
    report = tmp_path / "r.html"
    arguments = ["train", TICKETS, "--alpha", "0.3", "-o", str(tmp_path / "t.deciban"), "--report", str(report)]
    assert run(arguments) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"report: {report}"
    html = report.read_text(encoding="utf-8")
    assert html.count("<svg") == 5
    text = words_of(html)
    assert "Would more labels help?" in text
    assert "Leave-one-out: each text is judged" in text


def test_a_frozen_model_has_a_report_on_texts_kept_apart(tmp_path, tickets):
    texts, labels = tickets
    deciban.train(texts, labels, alpha=0.3).save(tmp_path / "f.deciban", frozen=True)
    (tmp_path / "new.csv").write_text("text,label\nmy parcel is lost,delivery\nrefund please,praise\n")
    report = tmp_path / "r.html"
    assert run(["evaluate", str(tmp_path / "f.deciban"), str(tmp_path / "new.csv"), "--report", str(report)]) == 0
    text = words_of(report.read_text(encoding="utf-8"))
    assert "1 of 2 texts got the right label." in text
    assert "trained on 716 texts" in text
