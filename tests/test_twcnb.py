"""TWCNB: by hand, beside scikit-learn, and what its amounts and its scorecard of terms x labels change elsewhere."""

import json
import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import ComplementNB

import deciban
import oracle
from deciban import errors, modelfile
from deciban.amounts import ONE, amounts
from deciban.choosing import GRID
from deciban.cli import run
from deciban.evaluation import Evaluation
from deciban.evidence.words import Weights
from deciban.examples import Source
from deciban.report.words import strongest
from deciban.rows import rows
from deciban.settings import Settings
from deciban.training import train_on

TEXTS, LABELS = ["ball ball ball game", "exam", "exam game"], ["play", "study", "study"]


def test_amounts_are_logarithms_of_documents_of_one_length():
    """log 4 is twice log 2, so `ball` amounts to 2 and `game` to 1 by the root of 5."""
    counts = deciban.train(TEXTS, LABELS, model="twcnb").counts
    expected = {("ball", 0): 2 / math.sqrt(5), ("exam", 1): 1 + math.sqrt(0.5), ("game", 0): 1 / math.sqrt(5)}
    expected["game", 1] = math.sqrt(0.5)
    names = counts.lexicon.names()
    found = [(names[j], r) for j, r in zip(counts.term, counts.label.tolist(), strict=True)]
    assert found == list(expected)
    assert counts.occurrences / ONE == pytest.approx(list(expected.values()), abs=2 / ONE)
    assert counts.presences.tolist() == [1, 2, 1, 1]


def test_by_hand():
    """Rennie 2003, table 4: b is idf times what the other label's words amount to, and 1."""
    model = deciban.train(TEXTS, LABELS, model="twcnb", prior="uniform")
    log3, log15 = math.log(3), math.log(1.5)
    b = {
        "play": [1, 1 + log15 * (1 + math.sqrt(0.5)), 1 + log15 * math.sqrt(0.5)],
        "study": [1 + log3 * 2 / math.sqrt(5), 1, 1 + log15 / math.sqrt(5)],
    }
    log_theta = {r: [math.log(x / sum(of)) for x in of] for r, of in b.items()}
    norm = {r: -sum(of) for r, of in log_theta.items()}
    mean = sum(norm.values()) / 2
    expected = [[-mean * log_theta[r][j] / norm[r] for r in ("play", "study")] for j in range(3)]
    assert model.scorecard.weights(np.arange(3)) == pytest.approx(np.array(expected), abs=1e-5)
    _, exam, game = expected
    scores = [2 * x + y + math.log(0.5) for x, y in zip(game, exam, strict=True)]
    assert model.scores(["game exam, game"])[0] == pytest.approx(scores, abs=1e-4)
    assert model.predict(["ball", "exam"]) == ["play", "study"]


@pytest.mark.parametrize("alpha", [1.0, 0.1])
@pytest.mark.parametrize("name", ["tickets", "r8"])
def test_scikit_learns_complement_model_agrees(name, alpha, tickets, data):
    """On the matrix of amounts times idf, with normalised weights, its scores are ours but for a factor."""
    texts, labels = tickets if name == "tickets" else data(name, limit=600)
    model = deciban.train(texts, labels, model="twcnb", alpha=alpha, prior="uniform", calibration="none")
    found = rows(model.lexicon, texts)
    shape = (len(texts), len(model.lexicon))
    idf = np.log(len(texts) / np.bincount(found.term))
    transformed = csr_matrix((amounts(found) / ONE * idf[found.term], found.term, found.indptr), shape)
    theirs = ComplementNB(alpha=alpha, norm=True).fit(transformed, labels)
    raw = csr_matrix((found.count, found.term, found.indptr), shape)
    assert theirs.predict(raw).tolist() == model.predict(texts)
    jll = raw @ theirs.feature_log_prob_.T
    factor = model.scorecard.weight[0] / theirs.feature_log_prob_[0, 0]
    np.testing.assert_allclose(model.scores(texts), jll * factor - math.log(len(model.labels)), rtol=1e-9)


def test_a_file_is_counted_in_batches(tmp_path, tickets, monkeypatch):
    monkeypatch.setattr("deciban.examples.batches._ENOUGH", 500)
    texts, labels = tickets
    lines = (json.dumps({"text": text, "label": label}) + "\n" for text, label in zip(texts, labels, strict=True))
    (tmp_path / "tickets.jsonl").write_text("".join(lines))
    trained = train_on(Source(tmp_path / "tickets.jsonl"), Settings(model="twcnb"))
    assert trained.counts == deciban.train(texts, labels, model="twcnb", threads=2).counts


@pytest.fixture
def saved(tmp_path, tickets):
    """A model in a file."""
    model = deciban.train(*tickets, model="twcnb")
    model.save(tmp_path / "model.deciban")
    return model, tmp_path / "model.deciban"


def test_the_file_holds_the_places_of_its_scorecard(saved, tickets, tmp_path):
    model, path = saved
    model.save(tmp_path / "frozen.deciban", frozen=True)
    for file, has_places in ((path, True), (tmp_path / "frozen.deciban", False)):
        again = modelfile.load(file)
        assert ("card_label" in again.buffers) == has_places
        best = [model.labels[answer] for answer, _ in again.answers(tickets[0], str, 1)]
        assert best == model.predict(tickets[0])
        assert np.array_equal(deciban.load(file).scores(tickets[0]), model.scores(tickets[0]))
        deciban.load(file).save(tmp_path / "again.deciban")
        assert (tmp_path / "again.deciban").read_bytes() == file.read_bytes()
    assert deciban.load(path).counts == model.counts


def test_a_scorecard_that_has_the_places_of_the_counts_shares_them(tmp_path):
    deciban.train(["aa bb", "bb aa"], ["x", "y"], model="twcnb").save(tmp_path / "m")
    assert "card_label" not in modelfile.load(tmp_path / "m").buffers


def test_places_that_do_not_fit_are_damaged(saved, monkeypatch):
    model, path = saved
    card = model.scorecard
    arrays = modelfile.writing._arrays(model.counts, card, None)
    arrays["places"] = (card.indptr, card.label[::-1].copy())
    monkeypatch.setattr(modelfile.writing, "_arrays", lambda *_: arrays)
    model.save(path)
    with pytest.raises(errors.DamagedModel, match="the postings do not fit the labels"):
        deciban.load(path)


def test_amounts_are_not_shown_as_occurrences(saved, capsys):
    _, path = saved
    run(["info", str(path)])
    assert "occurrences" not in capsys.readouterr().out
    run(["info", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["occurrences"] is None


def test_the_strongest_words_are_those_of_the_counts(tickets):
    model = deciban.train(*tickets, model="twcnb")
    counts = model.counts
    weights = Weights(model.scorecard, counts, model.scorecard.bias)
    for posting in range(0, len(counts.label), 50):
        exact = weights.exact(counts.term[[posting]], int(counts.label[posting]))[0]
        assert weights.against_rest[posting] == pytest.approx(exact, abs=1e-6)
    assert all(of.words for of in strongest(weights, Evaluation(model.leave_one_out())).of_labels)
    for against in (None, 1):
        word = next(weights.strongest(0, against, 3, 1))
        has_it = [i for i, text in enumerate(tickets[0]) if word.term in oracle.terms(text)]
        assert word.documents == sum(tickets[1][i] == model.labels[0] for i in has_it)
        assert word.decibans > 0


def test_its_strength_is_chosen_among_its_own(tickets):
    """Other models are not, from counts of amounts; nor it, from counts of occurrences."""
    texts, labels = tickets
    model = deciban.train(texts, labels, model="twcnb", smoothing="auto")
    note = model.provenance[0]["choice"]
    assert model.settings.model == "twcnb"
    assert note["tried"] == len(GRID["laplace"])
    mean = np.mean([len(oracle.terms(text)) for text in texts])
    assert f"a text has {mean:.0f} terms" in note["why"]
    best = deciban.train(texts, labels, model="bayes", smoothing="auto").provenance[0]["choice"]["best"]
    assert not any("twcnb" in name for name in best)
