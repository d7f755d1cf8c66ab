"""Very many labels: what their postings answer is what x.W + b of all labels answers."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deciban
from conftest import DATA
from corpora import columns, corpora, seen, some_text
from deciban import holdout
from deciban.classifier import judging
from deciban.counts import count
from deciban.decision import posterior
from deciban.evaluation import Evaluation
from deciban.report import write
from deciban.rows import rows
from deciban.scorecard import Scorecard
from deciban.settings import MODELS
from deciban.terms import Terms
from test_cli import deciban as command

WORDS = [f"w{n:02}" for n in range(30)]
LEXICON = count(Terms(), WORDS, WORDS).lexicon
weights = st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.5, 0.7, 4.0])


def card(seed, labels, least, binary):
    """Some scorecard: the first words have postings of nearly all labels, the last of few; scores are often equal."""
    rng = np.random.default_rng(seed)
    has = rng.random((len(WORDS), labels)) < 1 / (1 + np.arange(len(WORDS)))[:, None]
    term, label = np.nonzero(has)
    some = lambda size, least: least + rng.integers(0, 8, size) / 4  # noqa: E731
    indptr = np.concatenate([[0], np.cumsum(np.bincount(term, minlength=len(WORDS)))])
    names = tuple(map(str, range(labels)))
    buffers = (some(labels, -2), some(labels, -3), indptr, label.astype(np.uint32), some(len(label), least))
    return Scorecard(names, LEXICON, *buffers, binary=binary)


def assert_dense_agrees(model, texts, most):
    """The greatest are those of all scores, of equal ones the first; their probabilities are those of all scores."""
    scores = model.scores(texts)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    assert model.best(texts) == [model.labels[row[0]] for row in order]
    top = model.top(texts, most)
    assert [[label for label, _ in row] for row in top] == [[model.labels[r] for r in row] for row in order]
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = np.take_along_axis(shifted / shifted.sum(axis=1, keepdims=True), order, axis=1)
    np.testing.assert_allclose([[p for _, p in row] for row in top], expected, rtol=1e-12, atol=1e-300)


@given(
    seed=st.integers(0, 2**32),
    labels=st.sampled_from([65, 100, 300, 900]),
    least=st.sampled_from([0.0, -1.0, -20.0]),
    binary=st.booleans(),
    texts=st.lists(st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=9).map(" ".join), min_size=1, max_size=8),
    most=st.sampled_from([1, 2, 5, 65]),
)
def test_the_greatest_are_those_of_all_scores(seed, labels, least, binary, texts, most):
    assert_dense_agrees(card(seed, labels, least, binary), texts, most)


@given(corpus=corpora, texts=st.lists(some_text, min_size=1, max_size=5), seen=seen, m=st.integers(1, 5))
def test_the_most_probable_of_few_labels_are_the_first_of_all(corpus, texts, seen, m):
    assume(len({label for _, label in corpus}) > 1)
    model = deciban.train(*columns(corpus), **seen)
    for row, probabilities in zip(model.predict_top(texts, m), model.predict_proba(texts), strict=True):
        order = np.argsort(-probabilities, kind="stable")[:m]
        assert [label for label, _ in row] == [model.labels[r] for r in order]
        np.testing.assert_allclose([p for _, p in row], probabilities[order], rtol=1e-12)


@pytest.mark.parametrize(("model", "smoothing"), [(model, name) for model, of in MODELS.items() for name in of])
def test_every_model_of_many_labels_answers_as_all_its_scores(model, smoothing):
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(WORDS, 6, p=np.arange(1, 31) / 465)) for _ in range(400)]
    labels = [f"label{n}" for n in rng.integers(0, 90, 400)]
    card = deciban.train(texts, labels, model=model, smoothing=smoothing).scorecard
    assert len(card.labels) > 64
    scores = card.scores(["", "w29", *texts])
    order = np.argsort(-scores, axis=1, kind="stable")
    assert card.best(["", "w29", *texts]) == [card.labels[row[0]] for row in order]
    for row, expected, p in zip(card.top(["", "w29", *texts], 4), order, posterior(scores), strict=True):
        assert [label for label, _ in row] == [card.labels[r] for r in expected[:4]]
        np.testing.assert_allclose([found for _, found in row], p[expected[:4]], rtol=1e-12)


def test_texts_and_threads_never_matter():
    model = card(1, 500, 0.0, False)
    texts = [" ".join(WORDS[i % 7 : i % 11 + 3]) + " x" * 100 for i in range(2000)]
    assert model.best(texts, 3) == [model.best([text])[0] for text in texts]
    assert model.top(texts, 3, 3) == [model.top([text], 3)[0] for text in texts]


@given(corpus=corpora.filter(len), seen=seen, places=st.lists(st.integers(0, 9)))
def test_some_rows_are_those_of_some_texts(corpus, seen, places):
    texts, labels = columns(corpus)
    places = np.array([place % len(texts) for place in places], np.int64)
    lexicon = count(Terms(**seen), texts, labels).lexicon
    ours, expected = rows(lexicon, texts).some(places), rows(lexicon, [texts[i] for i in places])
    assert all(np.array_equal(getattr(ours, name), getattr(expected, name)) for name in ("indptr", "term", "count"))


def test_m_is_a_whole_number():
    model = deciban.train(["a1", "b1"], ["x", "y"])
    assert model.predict_top(["a1"], 9) == [[("x", pytest.approx(2 / 3)), ("y", pytest.approx(1 / 3))]]
    for m in (0, -1, 2.0, True, "5"):
        with pytest.raises(deciban.DecibanError, match=f"m={m!r}: expected a whole number above 0"):
            model.predict_top(["a1"], m)
    with pytest.raises(deciban.DecibanError, match=r"texts\[1\]: expected a text"):
        model.predict_top(["a1", None])


@pytest.fixture
def nothing_kept(monkeypatch):
    """Scores are made again each time, three examples at a time, as if they were too many to keep."""
    monkeypatch.setattr(judging, "MOST_KEPT", 0)
    monkeypatch.setattr(holdout, "AT_ONCE", 18)


def evaluations(tickets):
    texts, labels = tickets
    model = deciban.train(texts[::2], labels[::2], model="multinomial", calibration="none")
    yield model, Evaluation(model.leave_one_out()), texts[::2], "leave-one-out"
    yield model, model.evaluate(texts[1::2], labels[1::2]), texts[1::2], "test on others"


def rounded(figures):
    """Figures but for their last digits: sums of parts differ in those from sums of all."""
    return json.loads(json.dumps(figures), parse_float=lambda written: round(float(written), 12))


def test_figures_and_reports_are_the_same_where_scores_are_not_kept(tickets, tmp_path, request):
    kept = [*evaluations(tickets)]
    request.getfixturevalue("nothing_kept")
    for (model, expected, texts, protocol), (_, ours, _, _) in zip(kept, evaluations(tickets), strict=True):
        assert not isinstance(ours.held.given, np.ndarray)
        assert rounded(ours.as_dict()) == rounded(expected.as_dict())
        for name, evaluation in (("ours", ours), ("expected", expected)):
            write(tmp_path / f"{name}.html", model, evaluation, texts, protocol=protocol, command="-")
        assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "expected.html").read_bytes()
        assert np.array_equal(ours.held.scores, expected.held.scores)
        assert ours.held.accuracy == expected.held.accuracy


def test_held_out_scores_stay_those_of_the_model_that_was_asked(tickets, nothing_kept):
    texts, labels = tickets
    model = deciban.train(texts[:400], labels[:400], model="multinomial")
    before = model.scores(texts[400:])
    figures = model.evaluate(texts[400:], labels[400:])
    model.learn(texts[400:], labels[400:])
    assert np.array_equal(figures.held.scores, before)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """A model of 1,200 labels, and the file that it was trained on."""
    folder = tmp_path_factory.mktemp("numbers")
    lines = [f"number n{i} even{i % 2} third{i % 3},label{i}" for i in range(1200)] * 2
    (folder / "numbers.csv").write_text("\n".join(["text,label", *lines]))
    command("train", folder / "numbers.csv", "--model", "multinomial", "-o", folder / "numbers.deciban")
    return folder / "numbers.deciban", folder / "numbers.csv"


def test_predict_writes_the_most_probable_labels(numbers):
    model, _ = numbers
    expected = deciban.load(model).predict_top(["number n7", "nothing"], 3)
    lines = command("predict", model, "--top", "3", "--json", stdin='{"text": "number n7"}\n{"text": "nothing"}\n')
    for row, answer in zip(expected, map(json.loads, lines.splitlines()), strict=True):
        assert [(found["label"], found["probability"]) for found in answer["top"]] == row
        assert (answer["label"], answer["probability"]) == row[0]
        assert answer.keys() == {"label", "probability", "top"}
    given = "text,label_2\nnumber n7,mine\nnothing,mine\n"
    (first, *_) = csv.DictReader(io.StringIO(command("predict", model, "--top", "3", "--keep", "label_2", stdin=given)))
    assert list(first) == [
        "given_label_2",
        "label",
        "probability",
        *["label_2", "probability_2", "label_3", "probability_3"],
    ]
    assert [first["label"], first["label_2"], first["label_3"]] == [label for label, _ in expected[0]]
    assert float(first["probability_2"]) == pytest.approx(expected[0][1][1], rel=1e-5)


def test_predict_writes_no_more_than_there_are_labels(tmp_path):
    deciban.train(["free money", "see you"], ["spam", "ham"]).save(tmp_path / "m")
    shown = command("predict", tmp_path / "m", "--top", "9", stdin="text\nmoney\n").splitlines()
    assert shown == ["label,probability,label_2,probability_2", "spam,0.666667,ham,0.333333"]


def test_a_bad_text_is_named_by_its_line_however_many_labels_are_written(numbers, tmp_path):
    examples = tmp_path / "texts.jsonl"
    examples.write_text('{"text": "number"}\n' * 1000 + '{"text": null}\n')  # more than are answered at once
    for options in ([], ["--proba"], ["--top", "2"]):
        arguments = [sys.executable, "-m", "deciban", "predict", str(numbers[0]), str(examples), *options]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, "deciban: texts.jsonl:1001: expected a text, got None\n")


def test_top_and_proba_exclude_each_other(numbers):
    arguments = [sys.executable, "-m", "deciban", "predict", str(numbers[0]), "--top", "2", "--proba"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("deciban: argument --proba: not allowed with argument --top; see ")


def test_evaluate_shows_some_labels_and_writes_pairs(numbers):
    model, examples = numbers
    shown = command("evaluate", model, examples).splitlines()
    assert len(shown) == 3 + 1 + 200 + 2
    assert shown[-2] == "the 200 labels with most examples, of 1,200; --json has all"
    figures = json.loads(command("evaluate", model, examples, "--json"))
    assert len(figures["labels"]) == 1200
    assert figures["confusion"]["pairs"][0] == {"true": "label0", "predicted": "label0", "count": 2}
    assert sum(pair["count"] for pair in figures["confusion"]["pairs"]) == 2400


def test_hypernyms(data):
    """15,572 labels, as all scores have them."""
    model = deciban.train(*data("wordnet-hypernyms", "train"), model="multinomial")
    texts, _ = data("wordnet-hypernyms", "test", 300)
    assert len(model.labels) > 15_000
    assert_dense_agrees(model.scorecard, [*texts, "", "of the", "the"], 7)


EVALUATED = r"""
import gzip, json, re, sys
from pathlib import Path
import deciban
rows = [json.loads(line) for line in gzip.open(sys.argv[1], "rt", encoding="utf-8")]
of = lambda split: [[row[key] for row in rows if row["split"] == split] for key in ("text", "label")]
figures = deciban.train(*of("train"), model="multinomial").evaluate(*of("test"))
print(figures.examples, figures.macro_f1 > 0, re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the most memory that a process has had")
def test_evaluating_takes_no_memory_for_all_scores(data):
    """16,197 texts x 15,572 labels would be two gigabytes, and a matrix of confusion as much again."""
    data("wordnet-hypernyms", limit=1)
    code = [sys.executable, "-c", EVALUATED, str(DATA / "wordnet-hypernyms.jsonl.gz")]
    examples, is_some, kilobytes = subprocess.run(code, check=True, capture_output=True, text=True).stdout.split()
    assert (examples, is_some) == ("16197", "True")
    assert int(kilobytes) < 600_000
