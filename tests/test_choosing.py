"""What is chosen is chosen by leave-one-out on training texts, and only when it is better by more than luck."""

import json

import numpy as np
import pytest

import deciban
from deciban import choosing, training
from deciban.cli import run
from deciban.errors import DecibanError
from deciban.rows import rows
from deciban.settings import Settings

PLAIN = (["free money now", "money money", "see you", "lunch soon", "free lunch"] * 6, ["a", "a", "b", "b", "b"] * 6)


def test_the_plain_model_stays_where_nothing_is_surely_better():
    model = deciban.train(*PLAIN, model="bayes", smoothing="auto")
    assert (model.settings.model, model.settings.smoothing, model.settings.alpha) == ("multinomial", "laplace", 1.0)
    choice = model.provenance[0]["choice"]
    assert choice["asked"] == {"model": "bayes", "smoothing": "auto"}
    assert choice["texts"] == 30
    assert set(choosing.COUNTED) == {name.split()[0] for name in choice["best"]}


def test_the_best_of_leave_one_out_is_chosen(data):
    texts, labels = data("r8", "train", 1500)
    model = deciban.train(texts, labels, smoothing="auto", calibration="none")
    plain = deciban.train(texts, labels, model="multinomial", calibration="none")
    assert model.settings.model == "multinomial"
    assert (model.settings.smoothing, model.settings.alpha) != ("laplace", 1.0)
    held, by_default = model.leave_one_out().accuracy, plain.leave_one_out().accuracy
    assert held > by_default
    assert f"{held:.1%} of {len(texts):,} texts right when each is left out" in model.provenance[0]["choice"]["why"]


def test_scores_of_the_ratio_models_are_those_that_they_would_have(data):
    texts, labels = data("r8", "train", 400)
    counts = deciban.train(texts, labels, model="multinomial").counts
    y = np.searchsorted(counts.labels, labels)
    sample = choosing.Sample(rows(counts.lexicon, texts), y)
    for settings, scores in list(choosing._ratios(Settings(model="ratio"), counts, sample))[::17]:
        expected = choosing.leave_one_out(counts, sample.rows, sample.y, settings)
        np.testing.assert_allclose(scores, expected, rtol=1e-9)


def test_the_choice_is_the_same_from_a_file_and_is_told(tmp_path, capsys, data):
    texts, labels = data("r8", "train", 1500)
    file, saved = tmp_path / "r8.jsonl", tmp_path / "r8.deciban"
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, labels, strict=True)]
    file.write_text("\n".join(lines))
    assert run(["train", str(file), "--model", "bayes", "-o", str(saved)]) == 0
    model, same = deciban.load(saved), deciban.train(texts, labels, model="bayes")
    assert model.settings == same.settings
    assert model.provenance[0]["choice"] == same.provenance[0]["choice"]
    capsys.readouterr()
    assert run(["info", str(saved)]) == 0
    shown = capsys.readouterr().out
    assert "chosen: multinomial with laplace: " in shown
    assert "of a lexicon of" in shown


def test_a_rival_that_gets_more_right_by_luck_is_told_so(tickets):
    why = deciban.train(*tickets, model="bayes").provenance[0]["choice"]["why"]
    assert why.startswith("multinomial with laplace: 86.7% of 716 texts right when each is left out, ")
    assert "bernoulli with laplace: 87.4%, which may be luck: the plain model stays; a text has 19 terms" in why


def test_fewer_texts_to_choose_by_are_of_all_labels(monkeypatch):
    texts = [f"word{i % 40} of{i} text" for i in range(400)]
    labels = sorted(f"{i % 40:02}" for i in range(400))  # as in a file that is sorted by label
    monkeypatch.setattr(choosing, "MOST_SCORES", 40 * 40)
    chosen_by = []
    monkeypatch.setattr(training, "choose", lambda *given: chosen_by.append(given[2]) or choosing.choose(*given))
    deciban.train(texts, labels, smoothing="auto")
    assert chosen_by[0].y.tolist() == list(range(40))


def test_likelihood_is_asked_of_those_alone_that_can_win(tickets):
    counts = deciban.train(*tickets).counts
    sample = choosing.Sample(rows(counts.lexicon, tickets[0]), np.searchsorted(counts.labels, tickets[1]))
    tried = list(choosing._tried(Settings(smoothing="auto"), counts, sample))
    most = np.maximum.accumulate([one.right.sum() for one in tried])
    for one, so_far in zip(tried, most, strict=True):
        assert np.isfinite(one.log_p) == (one.right.sum() == so_far)


def test_what_is_open_cannot_have_a_strength():
    with pytest.raises(DecibanError, match="none: this smoothing has no strength"):
        deciban.train(*PLAIN, smoothing="auto", alpha=0.3)


def test_what_is_chosen_is_no_worse_once_it_is_calibrated(data):
    texts, labels = data("debian-sections", "train", 6000)
    plain = deciban.train(texts, labels, model="multinomial", smoothing="laplace")
    raw = deciban.train(texts, labels, model="multinomial", smoothing="auto", calibration="none")
    model = deciban.train(texts, labels, model="multinomial", smoothing="auto")
    assert (raw.settings.smoothing, raw.settings.alpha) != ("laplace", 1.0)
    assert model.leave_one_out().accuracy >= plain.leave_one_out().accuracy
    assert "once both are calibrated" in model.provenance[0]["choice"]["why"]
