"""Texts in the order of how likely they are of a label."""

import csv
import io
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from corpora import columns, corpora, some_text
from deciban.decision import log_odds, log_posterior
from deciban.decision.ranking import Ranking
from deciban.errors import DecibanError
from deciban.examples import Source
from deciban.units import decibans
from test_cli import TICKETS
from test_cli import deciban as command
from test_models import every_model, named, strengths, trained

few_scores = st.lists(st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3), max_size=20)


def mail(**settings):
    texts = ["free money", "money now", "free lunch", "see you", "see you at lunch", "the report"]
    return deciban.train(texts, ["spam", "spam", "spam", "ham", "ham", "work"], **settings)


def test_certainties_are_told_apart():
    scores = np.log([[1.0, 1e-30, 1e-99], [1.0, 1e-40, 1e-99], [1.0, 1e-41, 1e-40]])
    assert (np.exp(log_posterior(scores))[:, 0] == 1.0).all()
    ranking = Ranking(label=0)
    ranking.add(scores - [[9000.0], [0.0], [-9000.0]], [0, 1, 2], "abc")
    assert [found.place for found in ranking.best()] == [1, 2, 0]
    assert ranking.best()[0].decibans == pytest.approx(400)


def test_what_no_label_can_have_and_what_only_one_can():
    never = -np.inf
    scores = np.array([[never] * 3, [0.0, never, never], [never, 0.0, 0.0], [0.0, never, 0.0]])
    assert log_odds(scores, 0).tolist() == [-math.log(2), np.inf, -np.inf, 0.0]
    assert log_odds(scores, 0, 1).tolist() == [0.0, np.inf, -np.inf, np.inf]
    ranking = Ranking(label=0)
    ranking.add(scores, range(4), "abcd")
    assert [found.place for found in ranking.best()] == [1, 3, 0, 2]
    proba = [found.probability for found in ranking.best()]
    assert proba == pytest.approx(np.exp(log_posterior(np.maximum(scores, -1e9)))[[1, 3, 0, 2], 0].tolist())


@given(rows=few_scores, top=st.integers(1, 25), cuts=st.lists(st.integers(0, 20)), lowest=st.booleans())
def test_however_the_texts_arrive_the_best_are_found_and_the_earlier_first(rows, top, cuts, lowest):
    scores = np.array(rows).reshape(-1, 3)
    ranking = Ranking(1, top, lowest)
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for start, end in itertools.pairwise(bounds):
        ranking.add(scores[start:end], range(start, end), rows[start:end])
    odds = log_odds(scores, 1)
    expected = np.argsort(odds if lowest else -odds, kind="stable")[:top]
    assert [found.place for found in ranking.best()] == expected.tolist()
    assert [found.text for found in ranking.best()] == [rows[i] for i in expected]


@every_model
@given(corpus=corpora, texts=st.lists(some_text, max_size=6), strength=strengths)
def test_a_ranking_is_by_the_posterior(kind, corpus, texts, strength):
    classifier = trained(kind, corpus, {}, strength)
    log_p = classifier.predict_log_proba(texts)
    for r, label in enumerate(classifier.labels):
        ranked = classifier.rank(texts, label)
        assert sorted(found.place for found in ranked) == list(range(len(texts)))
        for found in ranked:
            others = np.logaddexp.reduce(np.delete(log_p[found.place], r))
            expected = decibans(float(log_p[found.place, r] - others))
            assert found.decibans == pytest.approx(expected, rel=1e-9, abs=1e-9)
            assert found.probability == pytest.approx(np.exp(log_p[found.place, r]))
        for other in {*classifier.labels} - {label}:
            one, two = log_p[:, r], log_p[:, classifier.labels.index(other)]
            expected = np.subtract(one, two, out=np.zeros(len(one)), where=one != two)  # both may be minus infinity
            np.testing.assert_allclose(classifier.log_odds(texts, label, other), expected, atol=1e-9)


@every_model
def test_the_likelihood_ratio_is_the_posterior_odds_of_labels_that_share_evenly(kind):
    texts = ["lunch", "lunch, free lunch", "nothing known"]
    found = {found.text: found.decibans for found in mail(**named(kind)).rank(texts, "spam", by="ratio")}
    likelihood = np.exp(mail(**named(kind)).scores(texts)) / np.array([2, 3, 1]) * 6
    with np.errstate(divide="ignore"):
        expected = 10 * np.log10(likelihood[:, 1] / (likelihood[:, 0] / 2 + likelihood[:, 2] / 2))
    assert [found[text] for text in texts] == pytest.approx(expected.tolist(), abs=1e-9)
    assert kind[0] == "bernoulli" or found["nothing known"] == pytest.approx(0, abs=1e-9)


def test_the_likelihood_ratio_does_not_see_the_prior():
    texts = ["money", "lunch", "see the report"]
    one, other = (mail(prior_smoothing=beta).rank(texts, "spam", by="ratio") for beta in (0.0, 100.0))
    assert [found.decibans for found in one] == pytest.approx([found.decibans for found in other])
    assert mail().rank(texts, "spam")[0].decibans != pytest.approx(one[0].decibans)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"label": "eggs"}, "'eggs' is not a label of this model; its labels are: ham, spam, work"),
        ({"label": "spam", "by": "score"}, "by='score': not known; the known ones are: posterior, ratio"),
        ({"label": "spam", "top": 0}, "top=0: expected a whole number above 0, or None"),
    ],
)
def test_what_cannot_be_ranked(given, line):
    with pytest.raises(DecibanError) as caught:
        mail().rank(["money"], **given)
    assert str(caught.value) == line


def test_odds_need_two_labels():
    with pytest.raises(DecibanError, match="got 'spam' twice"):
        mail().log_odds(["money"], "spam", "spam")
    alone = mail().forget(*columns([("see you", "ham"), ("see you at lunch", "ham"), ("the report", "work")]))
    with pytest.raises(DecibanError, match="at least two labels"):
        alone.rank(["money"], "spam")


def test_a_file_is_ranked_as_its_texts_are(tickets):
    texts, labels = tickets
    classifier = deciban.train(texts, labels, model="multinomial")
    in_file = classifier.rank_in(Source(TICKETS), "bug", top=20)
    in_list = classifier.rank(texts, "bug", top=20)
    assert [found[1:] for found in in_file] == [found[1:] for found in in_list]
    lines = TICKETS.read_text(encoding="utf-8").splitlines()
    assert all(found.text.splitlines()[0].replace('"', '""') in lines[found.place - 1] for found in in_file)


def test_the_command_in_all_its_forms(tickets_model, tmp_path):
    options = ("rank", tickets_model, TICKETS, "--label", "praise", "--top", "3")
    rows = [json.loads(line) for line in command(*options, "--json").splitlines()]
    assert [row["rank"] for row in rows] == [1, 2, 3]
    as_csv = list(csv.DictReader(io.StringIO(command(*options, "--csv"))))
    assert [(row["line"], row["text"]) for row in as_csv] == [(str(row["line"]), row["text"]) for row in rows]
    assert command(*options, "-o", tmp_path / "praise.csv") == ""
    assert (tmp_path / "praise.csv").read_text(encoding="utf-8") == command(*options, "--csv")
    *table, remark = command(*options).splitlines()
    assert [line.split()[:4] for line in table[1:]] == [
        [str(row["rank"]), f"{row['decibans']:+.1f}", f"{row['probability']:.3f}", str(row["line"])] for row in rows
    ]
    assert remark == "decibans for praise against all other labels together, by posterior"


def test_the_command_and_the_other_end(tickets_model, tmp_path):
    (tmp_path / "new.txt").write_text("thank you\n\nrefund\ncrashes\nthank you\n")
    options = ("rank", tickets_model, tmp_path / "new.txt", "--label", "praise", "--json")
    up = [json.loads(line) for line in command(*options, "--by", "ratio").splitlines()]
    down = [json.loads(line) for line in command(*options, "--by", "ratio", "--lowest").splitlines()]
    assert [row["line"] for row in up][:2] == [1, 5]  # of equal ones the earlier first
    assert [row["line"] for row in down][3:] == [1, 5]
    (empty,) = (row for row in up if row["line"] == 2)
    assert empty["decibans"] == pytest.approx(0, abs=1e-9)  # an empty text says nothing
    assert math.isclose(empty["probability"], 0.5)
