"""`auto`: the best model that there is time to find."""

import csv

import numpy as np
import pytest

import deciban
from conftest import ROOT
from deciban import errors
from deciban.cli import UsageError, run
from deciban.cli.options import seconds
from deciban.fitting import Clock, committee, plan, planned
from deciban.fitting.committee import MEMBERS
from deciban.fitting.members import Labelled
from deciban.fitting.plan import Late
from deciban.settings import Settings
from deciban.terms import display

TICKETS = ROOT / "samples" / "tickets.csv"


@pytest.fixture(scope="module")
def tickets():
    with TICKETS.open() as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def test_without_a_model_the_best_is_looked_for(tickets):
    model = deciban.train(*tickets, budget=None)
    fit = model.provenance[0]["fit"]
    assert model.settings.model == "committee"
    assert model.settings.chars == (2, 6)
    assert [*fit["weights"]] == [member.name for member in MEMBERS]
    assert fit["held_out"]["together"] >= max(fit["held_out"].values()) - 0.01
    asked = {"words": (1, 2), "edges": True, "tokens": "marks", "chars": (2, 6), "chars_across": (1, 6)}
    asked |= {"properties": "pairs,title"}
    same = deciban.train(*tickets, model="committee", **asked)
    assert np.array_equal(model.scores(tickets[0]), same.scores(tickets[0]))


def test_terms_that_are_asked_for_are_those_that_are_seen(tickets):
    model = deciban.train(*tickets, words=(1, 2), budget=None)
    assert model.settings.model == "committee"
    assert (model.settings.words, model.settings.chars, model.settings.tokens) == ((1, 2), None, "word")
    assert all(name.startswith("words") for name in model.provenance[0]["fit"]["weights"])


def test_what_there_is_no_time_for_is_passed_over_and_said(tickets, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("deciban.fitting.plan.SECONDS", {"bayes": 1e-9, "fitted": 1e-9, "ratios": 1e9})
    model, file = deciban.train(*tickets, words=(1, 2)), tmp_path / "m.deciban"
    fit = model.provenance[0]["fit"]
    assert [*fit["weights"]] == ["words, naive Bayes", "words, hinge"]
    assert {*fit["passed_over"]} == {"words, ratios, logistic"}
    model.save(file)
    assert run(["info", str(file)]) == 0
    assert " no time  words, ratios, logistic (about " in capsys.readouterr().out
    assert deciban.load(file).predict(tickets[0]) == model.predict(tickets[0])


def test_what_takes_longer_than_foreseen_is_stopped():
    with pytest.raises(Late):
        Clock(1e-9).watch(None)("fitting", 0, 1)
    told = []
    Clock(1e9).watch(lambda *step: told.append(step))("fitting", 0, 1)
    assert told == [("fitting", 0, 1)]
    assert Clock(None).watch(None) is None


def test_the_command_says_what_it_chose(tmp_path, capsys):
    assert run(["train", str(TICKETS), "-o", str(tmp_path / "m.deciban"), "--budget", "10m"]) == 0
    out = capsys.readouterr().out
    assert "chosen: 4 models of all terms, added up: 90.6% of held-out texts right; words, naive Bayes alone" in out


@pytest.mark.parametrize(
    ("documents", "length", "model", "why"),
    [
        ([3, 4], 100, "multinomial", "7 texts are too few to choose by"),
        ([1000, 4], 100_000, "multinomial", "1,004 texts are too few to choose by"),
        ([10] * 10_000, 10**6, "multinomial", "with 10,000 labels, smoothings of the plain model alone"),
        ([1000, 1000], None, "bayes", "so much text leaves time for models of counts alone"),
        ([50] * 400, 10**7, "ratio", "with 400 labels there is time for models of counts alone"),
        ([1000, 1000], 10**5, "committee", "of all terms"),
    ],
)
def test_plans(documents, length, model, why):
    plan = planned(Settings(model="auto"), np.array(documents), length)
    assert (plan.settings.model, plan.why) == (model, why)


def test_long_texts_have_shorter_runs_and_much_text_has_few():
    def of(length, budget=60.0, labels=2):
        return planned(Settings(model="auto", budget=budget), np.array([1000 // labels] * labels), length).settings

    assert (of(100_000).chars, of(1_000_000).chars_across) == ((2, 6), (1, 5))
    assert of(20_000_000, budget=None).chars == (2, 5)
    assert (of(20_000_000).words, of(20_000_000).chars, of(20_000_000).chars_across) == ((1, 3), (2, 4), None)
    assert (of(20_000_000, labels=20).words, of(20_000_000, labels=20).chars) == ((1, 2), (2, 4))
    assert (of(80_000_000).words, of(80_000_000).chars) == ((1, 2), None)


def test_long_texts_have_longer_runs_of_words_and_short_ones_pairs_beside_what_was_asked_for():
    def of(length, **given):
        return planned(Settings(model="auto", **given), np.array([500, 500]), length).settings

    assert (of(100_000).words, of(1_000_000).words) == ((1, 2), (1, 3))
    assert (str(of(100_000).properties), str(of(1_000_000).properties)) == ("pairs,title", "title")
    assert str(of(100_000, properties={"caps": [], "trigger:a": ["b"]}).properties) == "caps,pairs,title,trigger:a(1)"
    assert str(of(1_000_000, properties="caps").properties) == "caps,title"


@pytest.mark.parametrize(("endings", "chosen"), [(10_000, (2, 4)), (1, None)])
def test_of_many_labels_it_sees_characters_where_those_tell_more(endings, chosen):
    rng = np.random.default_rng(0)
    labels = [f"{letter}{vowel}" for letter in "bcdfghjklm" for vowel in "aeio"] * 8
    texts = [" ".join(f"{label}{label}{ending}" for ending in rng.integers(0, endings, 9)) for label in labels]
    model = deciban.train(texts, labels, budget=0.01)
    assert (model.settings.model, model.settings.words, model.settings.chars) == ("ratio", (1, 2), chosen)
    assert model.provenance[0]["auto"].startswith("with 40 labels there is time for models of counts alone; right by")


@pytest.mark.parametrize(("is_clear", "chosen"), [(True, "ratio"), (False, "committee")])
def test_of_many_labels_what_is_fitted_is_taken_where_it_does_better(is_clear, chosen, monkeypatch):
    monkeypatch.setattr(plan, "LABELLED_A_SECOND", 1.0)
    rng = np.random.default_rng(0)
    labels = [f"{letter}{vowel}" for letter in "bcdfghjklm" for vowel in "aeio"] * 20
    letters, words = [3 * letter for letter in "bcdfghjklmaeio"], [f"w{number}" for number in range(200)]

    def text(label):
        own = [2 * label] if is_clear else [3 * label[0], 3 * label[1], *rng.choice(letters, 2)]
        return " ".join([*own, *rng.choice(words, 9)])

    model = deciban.train([text(label) for label in labels], labels)
    assert model.settings.model == chosen
    why = (
        "with 40 labels there is time for models of counts, and for few that are fitted; right by leave-one-out: words"
    )
    assert model.provenance[0]["auto"].startswith(why)


@pytest.mark.parametrize(("is_run", "chosen"), [(True, (1, 2)), (False, (1, 1))])
def test_of_very_many_labels_it_sees_runs_where_those_tell_more(is_run, chosen, monkeypatch):
    monkeypatch.setattr(plan, "MOST_SCORES", 1)
    rng = np.random.default_rng(0)
    labels = [f"{letter}{vowel}" for letter in "bcdfghjklm" for vowel in "aeio"] * 20
    words = [f"w{number}" for number in range(200)]

    def text(label):
        mixed = [3 * letter for letter in rng.permutation(list("bcdfghjklmaeio"))]
        own = [*mixed, 3 * label[0], 3 * label[1]] if is_run else [2 * label]
        return " ".join([*own, *rng.choice(words, 9)])

    model = deciban.train([text(label) for label in labels], labels)
    assert (model.settings.model, model.settings.words) == ("multinomial", chosen)
    assert "smoothings of the plain model alone; right by leave-one-out: words" in model.provenance[0]["auto"]


def test_of_many_labels_terms_that_were_asked_for_are_not_chosen_again():
    plan = planned(Settings(model="auto", chars=(2, 3)), np.array([50] * 400), 10**7)
    assert (plan.settings.model, plan.settings.chars, plan.ways) == ("ratio", (2, 3), {})
    plan = planned(Settings(model="auto", chars=(2, 3)), np.array([50] * 400), 3 * 10**6)
    assert (list(plan.ways.values()), plan.settings.chars) == ([plan.settings], (2, 3))
    assert plan.fitted is not None
    assert (plan.fitted.model, plan.fitted.chars, plan.fitted.tokens) == ("committee", (2, 3), "word")


def test_members_are_weighed_by_rows_of_all_labels_though_those_come_in_turns(monkeypatch):
    y = np.arange(4_000) % 2
    useful = np.random.default_rng(0).normal(size=(4_000, 2)) + np.eye(2)[y]
    scores, of = [useful, np.random.default_rng(1).normal(size=(4_000, 2))], Labelled(y, 2, np.ones(4_000))
    whole = committee.weigh(scores, of)
    monkeypatch.setattr(committee, "MOST_SCORES", 4_000)
    some = committee.weigh(scores, of)
    assert some.members == pytest.approx(whole.members, abs=0.3)
    assert some.bias == pytest.approx(whole.bias, abs=0.3)
    assert some.members.tolist() != whole.members.tolist()


def test_more_text_than_there_is_time_for_is_not_kept(tmp_path, capsys):
    file = tmp_path / "m.deciban"
    assert run(["train", str(TICKETS), "--budget", "0.001", "-o", str(file)]) == 0
    out = capsys.readouterr().out
    assert "so much text leaves time for models of counts alone" in out
    assert f"{TICKETS} --loo" in out
    assert deciban.load(file).settings.model in ("multinomial", "bernoulli", "complement", "ratio")


def test_few_texts_make_the_plain_model_which_learns_and_forgets():
    mail = deciban.train(["free money", "see you"], ["spam", "ham"])
    assert mail.settings.model == "multinomial"
    assert mail.provenance[0]["auto"] == "2 texts are too few to choose by"
    assert mail.learn(["lunch?"], ["work"]).forget(["lunch?"], ["work"]).labels == ("ham", "spam")


@pytest.mark.parametrize("given", [{"alpha": 0.5}, {"smoothing": "auto"}, {"binary": True}, {"prior": "uniform"}])
def test_settings_of_models_of_counts_ask_for_one(tickets, given):
    assert deciban.train(*tickets, **given).settings.model == "multinomial"


@pytest.mark.parametrize("given", [{"alpha": 0.5}, {"smoothing": "auto"}, {"cost": 1.0}, {"class_weight": "balanced"}])
def test_auto_refuses_settings_that_it_might_pass_over(given):
    with pytest.raises(errors.NotForModel, match="auto"):
        Settings(model="auto", **given)


@pytest.mark.parametrize("budget", [0, -1, float("nan"), "60s"])
def test_a_budget_is_a_time(budget):
    with pytest.raises(errors.BadSetting, match="seconds, above 0, or None for no limit"):
        Settings(budget=budget)


def test_a_budget_on_the_command_line():
    with pytest.raises(UsageError, match="expected a time such as 60s, 10m or 1h, or none, got 'soon'"):
        run(["train", str(TICKETS), "--budget", "soon"])
    assert [seconds(given) for given in ("90", "90s", "2m", "1h", "none")] == [90, 90, 120, 3600, None]


def test_words_of_titles_say_more_than_the_same_words_below():
    topics = ["oil", "corn", "gold"]
    texts = [f"{topic} {i % 7}\nNews of oil, corn and gold, number {i}." for i in range(100) for topic in topics]
    model = deciban.train(texts, topics * 100, budget=None)
    assert "title" in model.settings.properties.names
    assert model.provenance[0]["fit"]["weights"]["titles, ratios, logistic"] > 0
    found = model.explain("Gold 3\nNews of oil and corn.")
    assert found.label == "gold"
    assert {display(piece.term): piece.decibans > 0 for piece in found.terms}["title:gold"]
    log_p = dict(zip(model.labels, model.predict_log_proba([found.text])[0], strict=True))
    assert found.total == pytest.approx(10 / np.log(10) * (log_p["gold"] - log_p[found.against]), rel=1e-6)
