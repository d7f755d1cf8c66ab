"""The audit: planted faults are found, models judge only texts that they have not seen, real sets are borne."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from corpora import columns, corpora
from deciban import _core, surprise
from deciban.auditing import CHECKS, views
from deciban.counts import count
from deciban.errors import BadSetting, NoExamples, OneLabelIn, UnevenLengths
from deciban.rows import rows
from deciban.settings import Settings
from deciban.terms import Terms
from deciban.weighing import leave_one_out

SHARE, FIRST = 0.1, 0.05


def flipped(labels, seed=0):
    """Labels of which one in ten is another one, and where."""
    rng = np.random.default_rng(seed)
    names = sorted(set(labels))
    y = np.array([names.index(label) for label in labels])
    wrong = rng.choice(len(y), round(SHARE * len(y)), replace=False)
    y[wrong] = (y[wrong] + rng.integers(1, len(names), len(wrong))) % len(names)
    return [names[r] for r in y], set(wrong.tolist())


def run(*arguments, cwd):
    command = [sys.executable, "-m", "deciban", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_planted_faults_are_found(tickets):
    texts, labels = list(tickets[0]), list(tickets[1])
    names = sorted(set(labels))
    labels, wrong = flipped(labels)
    texts += ["...", texts[3].upper() + "!", "qx zzgh wrtq fghb kkjq pqlm vvbn xxcy nnmq llkp oiuq", "hello there"]
    labels += [labels[0], next(name for name in names if name != labels[3]), labels[0], "rare"]
    n = len(tickets[0])
    found = deciban.audit(texts, labels)
    assert found.empty == (n,)
    assert (3, n + 1) in [group.places for group in found.mixed]
    assert [odd.place for odd in found.odd][:1] == [n + 2]
    assert ("rare", 1) in found.few
    assert n + 3 not in [doubt.place for doubt in found.doubts]  # of which nothing is known without it
    first = found.ranked[: len(texts) // 20]
    assert len(wrong.intersection(first)) >= 0.8 * len(first)


@pytest.mark.parametrize(("name", "least"), [("r52", 0.98), ("agnews-test", 0.85), ("sms-spam", 0.9)])
def test_flipped_labels_come_first(data, name, least):
    texts, labels = data(name, limit=4000)
    given_labels, wrong = flipped(labels)
    ranked = deciban.audit(texts, given_labels, checks=["labels"]).ranked
    first = ranked[: round(FIRST * len(texts))]
    assert len(wrong.intersection(first)) / len(first) >= least
    assert sorted(ranked) == list(range(len(texts)))


def test_suspects_are_ten_times_less_probable_than_what_is_suggested(data):
    texts, labels = data("trec")
    found = deciban.audit(texts, flipped(labels)[0], checks=["labels"])
    assert found.doubts
    assert all(doubt.decibans >= 10 for doubt in found.doubts)
    assert all(doubt.label != doubt.suggested and 0 <= doubt.probability < 0.1 for doubt in found.doubts)
    assert [doubt.probability for doubt in found.doubts] == sorted(doubt.probability for doubt in found.doubts)


def test_the_order_of_texts_and_the_threads_do_not_matter_to_models_of_counts(data, monkeypatch):
    texts, labels = data("trec", limit=600)
    monkeypatch.setattr(views, "LITTLE_WORK", 0)  # no folds, which are dealt out by place
    plain = deciban.audit(texts, labels, checks=["labels"])
    backwards = deciban.audit(texts[::-1], labels[::-1], checks=["labels"], threads=1)
    assert np.allclose(plain.own, backwards.own[::-1], rtol=1e-6, atol=1e-6)


def test_parts_do_not_matter(data, monkeypatch):
    texts, labels = data("trec", limit=500)
    whole = deciban.audit(texts, labels, checks=["labels"])
    monkeypatch.setattr(views, "AT_ONCE", 60)
    monkeypatch.setattr(views, "SAMPLE", 3 * 400)
    parts = deciban.audit(texts, labels, checks=["labels"])
    assert np.corrcoef(whole.own, parts.own)[0, 1] > 0.97  # weighed by fewer texts


def test_one_reading_counts_as_counting_does(data):
    texts, labels = data("trec", limit=700)
    found = views.Views.of(texts, labels)
    counts = count(Terms(), texts, labels)
    expected = rows(counts.lexicon, texts)
    assert found.counts == counts
    assert found.y.tolist() == counts.numbers(labels).tolist()
    for ours, theirs in zip(
        (found.rows.indptr, found.rows.term, found.rows.count), vars(expected).values(), strict=False
    ):
        assert np.array_equal(ours, theirs)


@given(corpora)
def test_presences_are_left_out_as_by_the_model_of_counts(corpus):
    texts, labels = columns(corpus)
    if len(set(labels)) < 2:
        return
    found = views.Views.of(texts, labels, 1)
    own, terms = found.y.astype(np.uint32), len(found.counts.lexicon)
    scores = _core.presences_left_out((found.rows.indptr, found.rows.term), own, terms, found.labels, 1)
    expected = leave_one_out(found.counts, found.rows, found.y, Settings(binary=True))
    assert np.allclose(scores, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("texts", "longest"), [(40, 9), (1500, 9), (9000, 3), (9000, 90)])
@pytest.mark.parametrize("labels", [2, 7])
def test_two_models_side_by_side_are_left_out_as_one_by_one(texts, longest, labels):
    """Of few texts one by one, too; of others by as many powers of a text's share as that needs."""
    rng = np.random.default_rng(texts + labels)
    words = [f"w{j}" for j in range(400)] + [f"once{j}" for j in range(9)]
    y = rng.integers(0, labels, texts)
    y[:labels], y[labels:][y[labels:] == labels - 1] = range(labels), 0  # the last label has one text
    lengths = np.where(np.arange(texts) == 5, longest, rng.integers(0, 4, texts))
    made = [
        " ".join(words[int(j)] for j in (rng.pareto(0.7, n) * 9 + 3 * r) % len(words))
        for n, r in zip(lengths, y, strict=True)
    ]
    found = views.Views.of(made, [f"label{r}" for r in y], 1)
    entries, own = (found.rows.indptr, found.rows.term), found.y.astype(np.uint32)
    postings = (found.counts.indptr, found.counts.label, found.counts.presences)
    both = _core.both_left_out(postings, entries, own, labels, views._numbers(views.RATIO), 1)
    assert (both is None) == (texts == 40)
    root = views._root(found.rows.indptr)
    for scores, model in zip(found._of_words(), (Settings(binary=True), views.RATIO), strict=True):
        expected = leave_one_out(found.counts, found.rows, found.y, model) / root
        assert np.allclose(scores, expected, rtol=1e-12, atol=1e-12)


def test_runs_in_buckets_are_left_out_exactly():
    """As a model of the same runs by name, each text once, without those that one text has."""
    texts = ["a1 b1 c1", "a1 b1 d1", "b1 c1 a1 b1", "c1 d1", "d1 a1", "a1 b1"]
    labels = ["x", "y", "x", "y", "x", "y"]
    found = views.Views.of(texts, labels)
    scores = found._of_presences(*found.runs) * views._root(found.runs.indptr)
    by_name = count(Terms(words=(2, 2)), texts, labels)
    shared = by_name.by_term(by_name.presences) > 1
    kept = by_name.of_postings(np.repeat(shared, np.diff(by_name.indptr)))
    expected = leave_one_out(kept, rows(kept.lexicon, texts), found.y, Settings(binary=True))
    assert np.allclose(scores, expected, rtol=1e-5)


def test_an_audit_of_labels_waits_for_nothing_that_it_does_not_need():
    """Of three labels and many texts no solver is asked."""
    texts, labels = "['one two', 'three four', 'five six'] * 90_000", "['a', 'b', 'c'] * 90_000"
    code = f"import deciban, sys; deciban.audit({texts}, {labels}, checks=['labels']); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    dear = {"sklearn", "scipy", "rich", "jinja2", "matplotlib"}
    ours = {"deciban.fitting", "deciban.duplicates", "deciban.leaks"}
    assert "deciban.auditing.views" in loaded
    assert not (dear | ours) & set(loaded)


@given(st.integers(2, 30), st.integers(2, 4), st.integers(1, 3), st.integers(0, 99))
def test_weights_of_models_make_labels_most_probable(texts, labels, models, seed):
    rng = np.random.default_rng(seed)
    z, y = rng.normal(size=(models, labels, texts)) * 3, rng.integers(0, labels, texts)

    def loss(a):
        scores = np.tensordot(a, z, 1)
        return np.logaddexp.reduce(scores, axis=0).sum() - scores[y, np.arange(texts)].sum()

    found = views._weighed(z, y)
    assert (found >= 0).all()
    if loss(found) < loss(np.zeros(models)):
        for m in range(models):
            for step in (-0.05, 0.05):
                other = found + step * np.eye(models)[m] * max(found.max(), 0.1)
                if (other >= 0).all() and found[m] > 0:
                    assert loss(other) >= loss(found) - 1e-3 * texts


@given(corpora)
def test_surprise_of_a_text_is_that_by_the_others(corpus):
    texts, labels = columns(corpus)
    if not texts:
        return
    counts = count(Terms(), texts, labels)
    found = surprise.left_out(counts, rows(counts.lexicon, texts))
    for place, text in enumerate(texts):
        others = count(Terms(), texts[:place] + texts[place + 1 :], labels[:place] + labels[place + 1 :])
        of_new = surprise.of_new(others, [text])
        assert found.words[place] == of_new.words[0] == len(Terms().seen(text))
        assert np.isclose(found.unknown[place], of_new.unknown[0])
        assert np.isclose(found.nats[place], of_new.nats[0])


def test_what_is_normal_follows_from_the_counts(data):
    texts, labels = data("r8", "train", limit=1500)
    counts = count(Terms(), texts, labels)
    found = surprise.left_out(counts, rows(counts.lexicon, texts))
    unknown, nats = surprise.expected(counts)
    assert np.isclose(unknown, (found.unknown * found.words).sum() / found.words.sum(), rtol=1e-12)
    assert abs(nats - (found.nats * found.words).sum() / found.words.sum()) < 0.05


@pytest.mark.parametrize(
    ("texts", "labels", "options", "error"),
    [
        ([], [], {}, NoExamples),
        (["a1", "b1"], ["x", "x"], {}, OneLabelIn),
        (["a1"], ["x", "y"], {}, UnevenLengths),
        (["a1", "b1"], ["x", "y"], {"checks": ["spelling"]}, BadSetting),
        (["a1", "b1"], ["x", "y"], {"checks": []}, BadSetting),
        (["a1", "b1"], ["x", "y"], {"threads": 0}, BadSetting),
    ],
)
def test_bad_input(texts, labels, options, error):
    with pytest.raises(error):
        deciban.audit(texts, labels, **options)


@pytest.mark.parametrize("texts", [["a1", "b1"], ["", ""], ["a1"] * 5 + [""], ["!", "?"]])
def test_hardly_anything_is_no_error(texts):
    labels = ["x", *["y"] * (len(texts) - 1)]
    assert deciban.audit(texts, labels).examples == len(texts)


def test_very_many_labels(data):
    texts, labels = data("wordnet-hypernyms", "train", limit=2000)
    found = deciban.audit(texts, labels)
    assert found.labels > 1000
    assert len(found.few) > 1000


def test_the_command(tmp_path, tickets):
    given_labels = [*flipped(tickets[1])[0], "x"]
    texts = [*tickets[0], "<b>!</b> ..."]
    rows_of_file = [{"text": text, "label": label} for text, label in zip(texts, given_labels, strict=True)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_of_file))
    done = run("audit", "t.jsonl", "-o", "found.csv", "--report", "audit.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{len(texts):,} texts" in done.stdout
    with open(tmp_path / "found.csv", newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    first = found[0]
    assert list(first) == ["line", "label", "suggested", "decibans", "reason"]
    assert rows_of_file[int(first["line"]) - 1]["label"] == first["label"] != first["suggested"]
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "<b>!</b>" not in page
    assert "default-src 'none'" in page
    as_json = run("audit", "t.jsonl", "--json", "--checks", "labels,texts", cwd=tmp_path)
    told = json.loads(as_json.stdout)
    assert told["suspects"][0]["place"] == int(first["line"])
    assert told["duplicates"] == []


@pytest.mark.parametrize(
    ("content", "options", "line", "status"),
    [
        ("text,label\n", (), "deciban: t.csv: expected labelled examples, got none", 1),
        ("", (), "deciban: t.csv: expected examples, got an empty file", 1),
        ("text\nhi\n", (), "deciban: t.csv:1: no column 'label'; the columns are: text", 1),
        (
            "text,label\nhi,x\nho,x\n",
            (),
            "deciban: t.csv: expected texts of at least two labels to learn from, got only 'x'",
            1,
        ),
        ("text,label\nhi,x\nho,y\n", ("-o", "t.csv"), "deciban: t.csv: cannot write: it is the file to read from", 1),
        (
            "text,label\nhi,x\nho,y\n",
            ("--report", "no/a.html"),
            "deciban: no/a.html: cannot write: No such file or directory",
            1,
        ),
        (
            "text,label\nhi,x\nho,y\n",
            ("--checks", "all"),
            "deciban: argument --checks: expected some of labels,duplicates,texts,leaks, got 'all'; "
            "see deciban audit --help",
            2,
        ),
        (
            "text,label\nhi,x\nho,y\n",
            ("--top", "0"),
            "deciban: argument --top: expected a whole number above 0, got '0'; see deciban audit --help",
            2,
        ),
    ],
)
def test_bad_files_get_one_line(tmp_path, content, options, line, status):
    (tmp_path / "t.csv").write_text(content)
    done = run("audit", "t.csv", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (status, f"{line}\n", "")
    assert (tmp_path / "t.csv").read_text() == content


def test_the_checks_of_the_command_are_those_of_the_library():
    from deciban.cli import audit

    assert audit.CHECKS == CHECKS
