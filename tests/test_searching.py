"""Searching for terms by leave-one-out: the same as by training anew for every step, and what is chosen of it."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban
from corpora import columns
from deciban.cli import run
from deciban.errors import DecibanError, NothingSelected, OtherTerms
from deciban.rows import rows
from deciban.selection import search
from deciban.selection.searching import FEWEST, NEAR, Point, Searched
from deciban.weighing import leave_one_out

words = ["red", "blue", "green", "sun", "rain", "snow"]
document = st.lists(st.sampled_from(words), max_size=6).map(" ".join)
some_texts = st.lists(st.tuples(document, st.sampled_from("xyz")), min_size=6, max_size=14)
MODELS = {
    "dice": {"model": "multinomial", "alpha": 0.7},
    "dice that count once": {"model": "multinomial", "binary": True, "prior": "uniform"},
    "coins": {"model": "bernoulli", "smoothing": "beta", "alpha": 1.5, "default_p": 0.2},
}
every_rule = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def wrong_by(corpus, names, model):
    """How many texts are wrong, each by a model that was trained on all others, of words that are kept."""
    wrong = 0
    for out, (text, label) in enumerate(corpus):
        others = [(as_if_only(text, names), label) for text, label in (*corpus[:out], *corpus[out + 1 :])]
        if len({label for _, label in others}) > 1:
            scores = deciban.train(*columns(others), **model)
            found = dict(zip(scores.labels, scores.scores([as_if_only(text, names)])[0], strict=True))
            ahead = found.pop(label, -np.inf) - max(found.values())
            wrong += not ahead > NEAR
        else:
            wrong += others[0][1] != label
    return wrong


def as_if_only(text, names):
    return " ".join(word for word in text.split() if word in names)


def trained(corpus, model):
    assume(len({label for _, label in corpus}) > 1)
    return deciban.train(*columns(corpus), **model)


@every_rule
@settings(max_examples=6)
@given(corpus=some_texts)
def test_a_search_is_the_one_by_training_anew(model, corpus):
    whole = trained(corpus, model)
    texts, labels = columns(corpus)
    presences = whole.counts.by_term(whole.counts.presences)
    order = [term.term for term in whole.ranked_terms() if presences[whole.counts.lexicon.place(term.term)] >= FEWEST]
    found = rows(whole.counts.lexicon, texts), whole.counts.numbers(labels)
    chosen, curve = [], [Point(0, wrong_by(corpus, [], model))]
    for _ in range(min(3, len(order))):
        left = [name for name in order if name not in chosen]
        wrong = [wrong_by(corpus, [*chosen, name], model) for name in left]
        chosen.append(left[int(np.argmin(wrong))])
        curve.append(Point(len(chosen), min(wrong)))
    try:
        searched = search(whole.counts, *found, whole.settings, "forward", 3)
    except NothingSelected:
        searched = Searched("forward", len(corpus), tuple(curve), {})
        assert searched.chosen.terms == 0
        return
    assert searched.curve == tuple(curve)
    names = [whole.counts.lexicon.name(int(place)) for place in searched.places]
    assert names == chosen[: searched.chosen.terms]


@every_rule
@pytest.mark.parametrize("by", ["forward", "backward", "floating"])
def test_errors_of_every_step_are_those_of_leave_one_out(by, model, data):
    texts, labels = data("r8", "train", limit=300)
    whole = deciban.train(texts, labels, **model)
    small = whole.select(by, 25, candidates=60)
    searched, counts = small.searched, whole.counts
    assert [point.terms for point in searched.curve] == list(range(26))
    assert len(searched.places) == searched.chosen.terms == len(small.lexicon)
    mask = searched.mask(len(counts.lexicon))
    found, y = rows(counts.lexicon, texts).of_terms(mask), counts.numbers(labels)
    scores = leave_one_out(counts.of_terms(mask), found, y, whole.settings)
    own = scores[np.arange(len(y)), y].copy()
    scores[np.arange(len(y)), y] = -np.inf
    assert (own <= scores.max(axis=1) + NEAR).sum() == searched.chosen.wrong
    assert searched.chosen.wrong < searched.curve[0].wrong / 2
    assert np.array_equal(small.selected.lexicon.names(), counts.of_terms(mask).lexicon.names())


def test_a_floating_search_is_nowhere_worse_than_where_it_turned_back(data):
    texts, labels = data("r8", "train", limit=300)
    whole = deciban.train(texts, labels, model="multinomial")
    forward, floating = (whole.select(by, 20, candidates=40).searched for by in ("forward", "floating"))
    assert floating.best.wrong <= forward.best.wrong
    assert floating.curve != forward.curve


def test_the_least_number_within_one_standard_error_is_chosen():
    searched = Searched("forward", 100, (Point(0, 50), Point(1, 24), Point(2, 23), Point(3, 20), Point(4, 20)), {})
    assert searched.best == Point(3, 20)
    assert searched.standard_error == pytest.approx(4.0)
    assert searched.chosen == Point(1, 24)


def test_what_was_found_is_held_by_name(tickets, tmp_path):
    texts, labels = tickets
    model = deciban.train(texts[:600], labels[:600], select="forward:12", model="multinomial")
    names = model.lexicon.names()
    assert 0 < len(names) <= 12
    assert model.settings.select == "forward:12"
    model.save(tmp_path / "model")
    model.save(tmp_path / "small", frozen=True)
    for loaded in (deciban.load(tmp_path / "model"), deciban.load(tmp_path / "small")):
        assert np.array_equal(loaded.scores(texts), model.scores(texts))
    loaded = deciban.load(tmp_path / "model")
    before = loaded.scores(texts)
    loaded.learn(texts[600:], labels[600:])
    assert loaded.lexicon.names() == names
    assert np.array_equal(loaded.forget(texts[600:], labels[600:]).scores(texts), before)
    only = [text for text in texts[:600] if set(names) & set(deciban.train([text, "x"], ["a", "b"]).lexicon.names())]
    again = loaded.forget(only, [labels[texts.index(text)] for text in only]) if len(set(only)) == len(only) else loaded
    assert len(again.lexicon) < len(names)
    both = model + deciban.load(tmp_path / "model")
    assert both.lexicon.names() == names
    with pytest.raises(OtherTerms):
        model + deciban.train(texts[600:], labels[600:], select="forward:12", model="multinomial")


def test_a_fitted_model_loses_the_terms_that_weigh_least(tickets, tmp_path):
    texts, labels = tickets
    whole = deciban.train(texts, labels, model="logistic", cost=3.0)
    small = whole.select("elimination", 300)
    searched = small.searched
    assert len(small.lexicon) == searched.chosen.terms <= 300
    assert searched.curve[0].terms == 1
    assert searched.curve[-1].terms == 300
    assert searched.chosen.wrong < searched.curve[0].wrong / 2
    small.save(tmp_path / "small")
    assert np.array_equal(deciban.load(tmp_path / "small").scores(texts), small.scores(texts))
    again = deciban.train(texts, labels, model="logistic", cost=3.0, select="elimination:300")
    assert np.array_equal(again.scores(texts), small.scores(texts))


def test_the_command_searches_shows_and_draws(tickets, tmp_path, capsys):
    file, model, plot = tmp_path / "tickets.jsonl", tmp_path / "m.deciban", tmp_path / "curve.svg"
    lines = (json.dumps({"text": text, "label": label}) for text, label in zip(*tickets, strict=True))
    file.write_text("\n".join(lines))
    assert run(["train", str(file), "--model", "multinomial", "-o", str(model)]) == 0
    capsys.readouterr()
    options = ["--by", "forward", "--top", "20", "--candidates", "80", "--show", "3"]
    assert run(["select", str(model), str(file), *options, "--plot", str(plot)]) == 0
    shown = capsys.readouterr().out
    assert "chosen: within one standard error of the fewest" in shown
    assert "the best by forward" in shown
    assert "forward" in plot.read_text()
    assert run(["select", str(model), str(file), *options, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["terms"] == len(facts["ranked"]) == len(deciban.load(model).lexicon)
    assert facts["curve"][0]["terms"] == 0
    assert run(["info", str(model)]) == 0
    assert "select=forward:20" in capsys.readouterr().out
    with pytest.raises(DecibanError, match="needs the training examples"):
        run(["select", str(model), *options])


BAD = {
    "another smoothing": {"model": "multinomial", "smoothing": "dirichlet", "select": "forward:5"},
    "another model": {"model": "complement", "select": "floating:5"},
    "a fitted model": {"model": "nbsvm", "select": "backward:5"},
    "a model of counts": {"model": "multinomial", "select": "elimination:5"},
}


@pytest.mark.parametrize("given_", BAD.values(), ids=BAD)
def test_a_search_for_another_model_is_refused(given_):
    with pytest.raises(DecibanError, match=f"select={given_['select']!r}: not for the model"):
        deciban.train(["free money", "see you"], ["spam", "ham"], **given_)


def test_candidates_are_some():
    mail = deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
    with pytest.raises(DecibanError, match="candidates=0: expected"):
        mail.select("forward", 1, candidates=0)


def test_other_texts_are_refused():
    mail = deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
    with pytest.raises(DecibanError, match="exactly the examples"):
        mail.select("forward", 1, ["free money"], ["spam"])
