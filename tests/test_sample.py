"""Documents drawn from a model."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
import oracle
import oracle_models
from corpora import corpora
from deciban.counts import count
from deciban.errors import DecibanError
from deciban.settings import MODELS
from deciban.terms import display
from test_cli import deciban as command
from test_models import trained

TEXTS = ["fun fun game", "game of fun", "party party", "hard exam", "exam", "exam of the year"]
LABELS = ["fun", "fun", "fun", "study", "study", "study"]


def days(**settings):
    return deciban.train(TEXTS, LABELS, **settings)


def chi_square(seen, expected):
    """How unlikely it is that counts differ so much from what is expected: the p-value of Pearson's test."""
    from scipy.stats import chisquare

    assert sum(expected) == pytest.approx(sum(seen))
    return chisquare(seen, expected).pvalue


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("label", ["fun", "study"])
@pytest.mark.parametrize("smoothing", MODELS["multinomial"])
def test_terms_are_drawn_as_often_as_the_die_says(binary, label, smoothing):
    alpha = None if smoothing in ("none", "deleted") else 0.5
    model = days(binary=binary, alpha=alpha, smoothing=smoothing)
    counts = oracle.Counts(TEXTS, LABELS)
    nu = counts.presences if binary else counts.occurrences
    nu_r, d_r, nu_j, of_all = oracle_models.totals(counts, nu)
    how = (nu_r[label], d_r[label])
    names = counts.lexicon
    if smoothing == "deleted":
        q = np.array(list(oracle_models.deleted_die(counts, label, binary).values()))
    else:
        q = np.array([oracle_models.die(counts, nu[j][label], *how, nu_j[j], of_all, smoothing, alpha) for j in names])
    assert q.sum() == pytest.approx(1, rel=1e-12)
    drawn = model.sample(2000, label, length=10, seed=3)
    seen = Counter(" ".join(text for _, text in drawn).split())
    assert set(seen) <= set(names)
    assert seen.total() == 20_000
    shown = q > 0
    assert set(seen) <= {name for name, is_shown in zip(names, shown, strict=True) if is_shown}
    assert chi_square(np.array([seen[name] for name in names])[shown], 20_000 * q[shown]) > 0.001


@pytest.mark.parametrize("label", ["fun", "study"])
@pytest.mark.parametrize("smoothing", MODELS["bernoulli"])
def test_documents_have_each_term_as_often_as_its_coin_says(label, smoothing):
    counts = oracle.Counts(TEXTS, LABELS)
    m = sum(counts.presences[j].total() for j in counts.lexicon)
    drawn = days(model="bernoulli", smoothing=smoothing, alpha=0.5).sample(4000, label, seed=3)
    seen = Counter(term for _, text in drawn for term in text.split())
    for j in counts.lexicon:
        coin = oracle_models.coin(counts, counts.presences[j][label], 3, m, smoothing, 0.5, 0.5)
        assert chi_square([seen[j], 4000 - seen[j]], 4000 * np.array(coin)) > 0.001


def test_a_document_of_coins_has_no_length():
    with pytest.raises(DecibanError) as caught:
        days(model="bernoulli").sample(length=5)
    expected = "length=5: expected None: with the model 'bernoulli' a document is as long as its coins make it"
    assert str(caught.value) == expected


def test_a_label_that_has_shown_nothing_draws_nothing():
    model = deciban.train(["one two", ""], ["a", "b"], smoothing="none")
    assert model.sample(2, "b", length=3, seed=1) == [("b", ""), ("b", "")]


def test_labels_are_drawn_from_the_prior_and_lengths_around_the_mean():
    model = deciban.train(["one two three four", "five", "six seven"], ["a", "a", "b"], prior_smoothing=1.0)
    drawn = model.sample(3000, seed=5)
    seen = Counter(label for label, _ in drawn)
    assert chi_square([seen["a"], seen["b"]], [1800, 1200]) > 0.01
    for label, mean in (("a", 2.5), ("b", 2.0)):
        lengths = [len(text.split()) for given, text in drawn if given == label]
        assert np.mean(lengths) == pytest.approx(mean, abs=4 * np.sqrt(mean / len(lengths)))
        assert np.var(lengths) == pytest.approx(mean, rel=0.2)  # as Poisson's


@given(corpus=corpora, seed=st.integers(0, 2**64), length=st.integers(1, 20))
def test_a_text_of_words_has_the_terms_that_were_drawn(corpus, seed, length):
    model = trained(("multinomial", "laplace"), corpus, {}, {"step": 0})
    drawn = model.sample(3, length=length, seed=seed)
    assert drawn == model.sample(3, length=length, seed=seed)
    counts = count(model.settings.terms, [text for _, text in drawn], [label for label, _ in drawn])
    assert counts.occurrences.sum() == (3 * length if len(model.counts.lexicon) else 0)
    assert set(counts.lexicon.names()) <= set(model.counts.lexicon.names())


def test_other_seeds_give_other_documents():
    assert days().sample(5, seed=1) != days().sample(5, seed=2)
    assert days().sample(50) != days().sample(50)
    rng = np.random.default_rng(1)
    assert days().sample(5, seed=rng) != days().sample(5, seed=rng)


def test_terms_that_are_no_words_are_shown_by_their_names():
    model = days(words=(2, 2), chars=(3, 3))
    names = set(map(display, model.counts.lexicon.names()))
    assert {text for _, text in model.sample(200, length=1, seed=1)} <= names
    assert {"fun fun", "‹fun›"} <= names


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"label": "eggs"}, "'eggs' is not a label of this model; its labels are: fun, study"),
        ({"n": 0}, "n=0: expected a whole number above 0, or None"),
        ({"length": -1}, "length=-1: expected a whole number above 0, or None"),
        ({"seed": -1}, "seed=-1: expected a whole number from 0, or None"),
    ],
)
def test_what_cannot_be_drawn(given, line):
    with pytest.raises(DecibanError) as caught:
        days().sample(**given)
    assert str(caught.value) == line


def test_what_the_command_draws_can_be_trained_on(tickets_model, tickets, tmp_path):
    drawn, model = tmp_path / "drawn.jsonl", tmp_path / "drawn.deciban"
    options = ("sample", tickets_model, "-n", "1500", "--seed", "1")
    assert command(*options, "-o", drawn) == ""
    assert command(*options) == drawn.read_text(encoding="utf-8")
    assert json.loads(command("train", drawn, "--model", "multinomial", "-o", model, "--json"))["examples"] == 1500
    said = deciban.load(model).predict(tickets[0])
    assert np.mean([one == other for one, other in zip(said, tickets[1], strict=True)]) > 0.8


def test_a_model_of_drawn_documents_classifies_real_ones(data):
    real = deciban.train(*data("20ng", "train"), alpha=0.1)
    labels, texts = zip(*real.sample(5000, seed=1), strict=True)
    drawn = deciban.train(texts, labels, alpha=0.1)
    assert drawn.labels == real.labels
    test = data("20ng", "test")
    assert drawn.evaluate(*test).accuracy > real.evaluate(*test).accuracy - 0.05
