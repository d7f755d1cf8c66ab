"""Decisions: the cheapest label by what errors cost and how frequent labels are, or none."""

import csv
import io
import json
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban
from corpora import LABELS, corpora, seen, some_text
from deciban import Rule
from deciban.cli import UsageError, run
from deciban.decision import log_posterior
from deciban.decision.costs import cost_of, pair_of
from deciban.decision.rules import Decider
from deciban.errors import BadCost, BadPriors, BadSetting, DecibanError, UnknownCostLabel, UnknownLabel
from deciban.evaluation.decisions import decisions
from deciban.holdout import HeldOut
from deciban.units import decibans
from test_models import KINDS, strengths, trained

few = st.sampled_from([0.0, 0.5, 1.0, 3.0, 20.0, -1.0])
costs = st.dictionaries(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), few, max_size=6)
rows = st.lists(st.lists(st.floats(-30, 0), min_size=4, max_size=4), min_size=1, max_size=8).map(np.array)
EVEN = np.full(4, 0.25)


def slowly(p, rule, labels):
    """The obvious sum, label by label."""
    return [sum(q * cost_of(rule.costs, y, d) for q, y in zip(p, labels, strict=True)) for d in labels]


@given(scores=rows, costs=costs)
def test_the_decision_is_the_least_of_the_expected_costs(scores, costs):
    log_p, rule = log_posterior(scores), Rule(costs)
    found = Decider(rule, tuple(LABELS), EVEN).decide(log_p)
    for p, first, cost in zip(np.exp(log_p), found.leaning, found.cost, strict=True):
        expected = slowly(p, rule, LABELS)
        assert cost == pytest.approx(min(expected), abs=1e-9)
        assert expected[first] == pytest.approx(min(expected), abs=1e-9)


@given(scores=rows)
def test_without_costs_it_is_the_most_probable_label(scores):
    log_p = log_posterior(scores)
    found = Decider(Rule(), tuple(LABELS), EVEN).decide(log_p)
    assert found.leaning.tolist() == np.exp(log_p).argmax(axis=1).tolist()
    assert not found.is_unsure.any()


@given(scores=rows, costs=costs, one=st.integers(0, 3), other=st.integers(0, 3))
def test_log_odds_of_two_decisions_tell_which_is_cheaper(scores, costs, one, other):
    assume(one != other)
    decider = Decider(Rule(costs), tuple(LABELS), EVEN)
    for log_p in log_posterior(scores):
        expected = slowly(np.exp(log_p), decider.rule, LABELS)
        cheaper = expected[other] - expected[one]
        found = decider.log_odds(log_p, one, other)
        assert abs(cheaper) < 1e-12 or (found > 0) == (cheaper > 0)
        assert found == pytest.approx(-decider.log_odds(log_p, other, one))


@given(scores=rows, one=st.integers(0, 3), other=st.integers(0, 3))
def test_costs_that_say_nothing_add_nothing(scores, one, other):
    assume(one != other)
    decider = Decider(Rule(), tuple(LABELS), EVEN)
    for log_p in log_posterior(scores):
        assert decider.log_odds(log_p, one, other) == log_p[one] - log_p[other]


def test_costs_of_two_labels_are_a_number_that_is_the_same_for_all_texts():
    decider = Decider(Rule({("ham", "spam"): 50.0, ("spam", "ham"): 2.0}), ("ham", "spam"), np.array([0.5, 0.5]))
    for log_p in log_posterior(np.array([[0.0, 3.0], [1.0, -20.0]])):
        assert decider.log_odds(log_p, 0, 1) - (log_p[0] - log_p[1]) == pytest.approx(np.log(25))


@given(scores=rows, share=st.floats(0.01, 0.9), other=st.floats(0.01, 0.09))
def test_priors_are_what_training_with_that_mix_would_have_had(scores, share, other):
    """Likelihoods times the new priors; labels without one keep their relation."""
    before = np.array([0.1, 0.2, 0.3, 0.4])
    decider = Decider(Rule(priors={"ham": share, "späm": other}), tuple(LABELS), before)
    rest = (1 - share - other) / 0.6
    now = np.array([share, 0.2 * rest, other, 0.4 * rest])
    expected = log_posterior(scores - np.log(before) + np.log(now))
    np.testing.assert_allclose(decider.shifted(log_posterior(scores)), expected, atol=1e-9)


@given(scores=rows, costs=costs, reject=st.floats(0, 2), least=st.floats(0.05, 0.95))
def test_who_is_unsure(scores, costs, reject, least):
    log_p = log_posterior(scores)
    decider = Decider(Rule(costs, reject_cost=reject, min_probability=least), tuple(LABELS), EVEN)
    for found, p in zip(decider.decisions(log_p), np.exp(log_p), strict=True):
        assert (found.label is None) == (found.cost > reject or found.probability < least)
        assert found.probability == pytest.approx(p[LABELS.index(found.leaning)])
        assert found.label in (None, found.leaning)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[1] != "none"], ids="-".join)
@settings(max_examples=8)
@given(corpus=corpora, text=some_text, seen=seen, strength=strengths, costs=costs, share=st.floats(0.01, 0.9))
def test_evidence_adds_up_to_the_decision(kind, corpus, text, seen, strength, costs, share):
    model = trained(kind, corpus, seen, strength)
    prices = {pair: cost for pair, cost in costs.items() if {*model.labels}.issuperset(pair)}
    rule = Rule(prices, {model.labels[0]: share})
    why, decider = model.explain(text, rule=rule), model._decider(rule)
    log_p = decider.shifted(model.predict_log_proba([text]))[0]
    one, other = (model.labels.index(label) for label in (why.label, why.against))
    expected = decibans(decider.log_odds(log_p, one, other))
    assert why.total == pytest.approx(expected, abs=1e-6 * max(1.0, sum(abs(t.decibans) for t in why.terms)))
    assert why.label == model.decide([text], rule)[0].leaning
    assert why.probability == pytest.approx(np.exp(log_p[one]))
    shift = decider.shift[one] - decider.shift[other]
    assert why.shift == pytest.approx(decibans(float(shift)))


def test_every_fitted_model_decides_and_explains(tickets):
    rule = Rule({("billing", "praise"): 30.0}, {"praise": 0.5}, reject_cost=0.3)
    for model in ("logistic", "hinge", "nbsvm", "fisher-forest"):
        trained = deciban.train(tickets[0][:300], tickets[1][:300], model=model)
        found = trained.decide(tickets[0][300:320], rule)
        assert {decision.label for decision in found} - {None} <= {*trained.labels}
        why = trained.explain(tickets[0][301], rule=rule)
        assert why.label == found[1].leaning
        assert why.total > -1e-6


def mail():
    return deciban.train(["free money", "money now", "see you", "you see me"], ["spam", "spam", "ham", "ham"])


def test_what_explanations_say_of_the_rule():
    why = mail().explain("money", rule=Rule({("ham", "spam"): 99.0}, {"spam": 0.1}, reject_cost=5.0))
    assert (why.label, why.against) == ("ham", "spam")
    assert [name for name, _ in why.before] == ["prior", "other priors", "costs"]
    assert "(other priors)" in str(why)
    assert "(costs)" in str(why)
    assert str(why).startswith("ham  probability 0.732, +24.3 decibans against spam (270 to 1, costs included)")
    assert "decided: ham, probability 0.732, expected cost 0.268" in str(why)
    assert "(costs)" in why._repr_html_()
    assert "decided: ham" in why._repr_html_()
    unsure = mail().explain("money", rule=Rule({("ham", "spam"): 99.0}, reject_cost=0.1))
    assert unsure.decision == "unsure: ham is expected to cost 0.767, and asking costs 0.1"
    low = mail().explain("money", rule=Rule(min_probability=0.9))
    assert low.decision == "unsure: spam has the probability 0.767, and must have 0.9"
    assert mail().explain("money").decision == ""


@pytest.mark.parametrize(
    ("make", "error", "line"),
    [
        (lambda: Rule({("a", "b"): np.nan}), BadCost, "costs[('a', 'b')]: expected a cost, a number, got nan"),
        (lambda: Rule({("a", "b"): np.inf}), BadCost, "costs[('a', 'b')]: expected a cost, a number, got float inf"),
        (lambda: Rule(priors={"a": 1.0}), BadSetting, "prior of a=1.0: expected a number between 0 and 1"),
        (lambda: Rule(priors={"a": True}), BadSetting, "prior of a=True: expected a number between 0 and 1"),
        (lambda: Rule(reject_cost=-0.1), BadSetting, "reject_cost=-0.1: expected a number from 0"),
        (lambda: Rule(reject_cost=np.inf), BadSetting, "reject_cost=inf: expected a number from 0"),
        (lambda: Rule(min_probability=0), BadSetting, "min_probability=0: expected a number between 0 and 1"),
        (
            lambda: mail().decide(["a"], Rule({("eggs", "ham"): 1.0})),
            UnknownCostLabel,
            "there is a cost for 'eggs', which is no label here; the labels are: ham, spam",
        ),
        (
            lambda: mail().decide(["a"], Rule(priors={"eggs": 0.1})),
            UnknownLabel,
            "'eggs' is not a label of this model; its labels are: ham, spam",
        ),
        (
            lambda: mail().learn(["x"], ["work"]).decide(["a"], Rule(priors={"ham": 0.5, "spam": 0.5})),
            BadPriors,
            "the priors that were given sum to 1: expected less than 1, to leave something for work",
        ),
        (lambda: mail().explain("a", rule=Rule(priors={"eggs": 0.1})), UnknownLabel, None),
    ],
)
def test_bad_rules(make, error, line):
    with pytest.raises(error) as raised:
        make()
    assert line is None or str(raised.value) == line


def test_labels_with_colons():
    assert pair_of("a:b:a", ["a", "b:a"]) == ("a", "b:a")
    with pytest.raises(DecibanError, match="there is a cost for 'x'"):
        pair_of("x:y", ["a"])


@pytest.fixture(scope="module")
def model(tmp_path_factory, tickets):
    path = tmp_path_factory.mktemp("rules") / "tickets.deciban"
    deciban.train(*tickets, model="multinomial").save(path)
    return path


@pytest.fixture
def command(capfd):
    """What a command prints, and what it tells beside it."""

    def call(*arguments):
        assert run([str(argument) for argument in arguments]) == 0
        sys.stdout.flush()
        return capfd.readouterr()

    return call


TEXTS = ["charged twice for one tent", "the parcel never came", "lovely thanks", "hm"]
ASKED = ("--cost", "praise:delivery=20", "--prior", "praise=0.3", "--reject-cost", "0.4")


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    return path


def test_the_command_decides_as_the_library_does(command, model, texts):
    rule = Rule({("praise", "delivery"): 20.0}, {"praise": 0.3}, reject_cost=0.4)
    expected = deciban.load(model).decide(TEXTS, rule)
    rows = list(csv.DictReader(io.StringIO(command("predict", model, texts, *ASKED, "--proba").out)))
    assert [row["label"] for row in rows] == [found.label or "" for found in expected]
    assert [row["leaning"] for row in rows] == [found.leaning for found in expected]
    assert [float(row["expected_cost"]) for row in rows] == pytest.approx([f.cost for f in expected], rel=1e-5)
    assert [float(row["probability"]) for row in rows] == [
        float(row[f"p({found.leaning})"]) for row, found in zip(rows, expected, strict=True)
    ]
    assert "" in {row["label"] for row in rows} != {""}
    told = [json.loads(line) for line in command("predict", model, texts, *ASKED, "--json").out.splitlines()]
    assert [answer["label"] for answer in told] == [found.label for found in expected]


def test_costs_of_a_file_and_of_options_go_together(command, model, texts, tmp_path):
    (tmp_path / "costs.csv").write_text("true,predicted,cost\npraise,delivery,20\nbug,praise,7\n")
    given = ("predict", model, texts, "--costs", tmp_path / "costs.csv")
    expected = deciban.load(model).decide(TEXTS, Rule({("praise", "delivery"): 1.0, ("bug", "praise"): 7.0}))
    rows = list(csv.DictReader(io.StringIO(command(*given, "--cost", "praise:delivery=1").out)))
    assert [float(row["expected_cost"]) for row in rows] == pytest.approx([f.cost for f in expected], rel=1e-5)
    assert [*rows[0]] == ["label", "probability", "expected_cost"]


def test_adapted_priors_and_costs_go_together(command, model, tmp_path, tickets):
    path = tmp_path / "many.txt"
    many = [text for text, label in zip(*tickets, strict=True) if label == "praise"] * 3
    path.write_text("\n".join(text.replace("\n", " ") for text in many) + "\n")
    found = command("predict", model, path, "--priors", "adapt", "--min-probability", "0.6")
    assert "praise" in found.err
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert {row["leaning"] for row in rows} == {"praise"}


def test_explain_as_a_command(command, model):
    told = json.loads(command("explain", model, "the parcel never came", *ASKED, "--json").out)
    assert told["decision"].startswith(("decided", "unsure"))
    assert told["shift"] != 0
    parts = told["prior"] + told["shift"] + told["cost"] + sum(term["decibans"] for term in told["terms"])
    assert told["total"] == pytest.approx(parts)
    dominated = ("--cost", "bug:praise=0", "--cost", "praise:bug=1", "--label", "bug", "--against", "praise")
    assert json.loads(command("explain", model, "hm", *dominated, "--json").out)["total"] is None


def test_a_model_without_calibration_says_so(command, tmp_path, texts):
    mail().save(tmp_path / "mail.deciban")
    found = command("predict", tmp_path / "mail.deciban", texts, "--min-probability", "0.6")
    assert "warning: the model is not calibrated" in found.err


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--cost spam=3", "argument --cost: expected TRUE:DECIDED=COST, such as spam:ham=10, got 'spam=3'"),
        ("--cost bug:praise=dear", "argument --cost: expected TRUE:DECIDED=COST, such as spam:ham=10, got"),
        ("--cost bug:praise=nan", "argument --cost: expected TRUE:DECIDED=COST"),
        ("--cost bug:praise=inf", "argument --cost: expected TRUE:DECIDED=COST"),
        ("--cost bug:eggs=3", "there is a cost for 'eggs', which is no label here"),
        ("--cost bug:praise=3 --cost bug:praise=5", "--cost names a pair of labels twice"),
        ("--prior bug", "argument --prior: expected LABEL=SHARE with a number between 0 and 1, such as spam=0.02"),
        ("--prior bug=0", "argument --prior: expected LABEL=SHARE"),
        ("--prior bug=1", "argument --prior: expected LABEL=SHARE"),
        ("--prior bug=0.2 --prior bug=0.3", "--prior names a label twice"),
        ("--prior bug=0.9 --prior praise=0.3", "the priors that were given sum to 1.2: expected less than 1"),
        ("--prior eggs=0.2", "'eggs' is not a label of this model"),
        ("--reject-cost -1", "argument --reject-cost: expected a number from 0, got '-1'"),
        ("--reject-cost inf", "argument --reject-cost: expected a number from 0, got 'inf'"),
        ("--min-probability 1.5", "argument --min-probability: expected a number between 0 and 1, got '1.5'"),
        ("--min-probability 0.5 --top 2", "--top lists labels by probability"),
        ("--min-probability 0.5 --coverage 0.9", "--coverage answers with sets"),
        ("--prior bug=0.2 --priors adapt", "--priors adapt finds what --prior says"),
    ],
)
def test_bad_options(model, texts, options, line):
    with pytest.raises((DecibanError, UsageError)) as raised:
        run(["predict", str(model), str(texts), *options.split()])
    assert str(raised.value).startswith(line)


@given(scores=rows, costs=costs, reject=st.none() | st.floats(0, 2), share=st.floats(0.05, 0.9))
def test_figures_of_a_rule_are_those_of_its_decisions(scores, costs, reject, share):
    labels = tuple(LABELS)
    truth = [labels[i % 4] for i in range(len(scores))]
    decider = Decider(Rule(costs, {"ham": share}, reject_cost=reject), labels, EVEN)
    found = decisions(HeldOut(labels, truth, scores), decider)
    made = decider.decisions(decider.shifted(log_posterior(scores)))
    pairs = list(zip(truth, made, strict=True))
    prices = [reject if of.label is None else cost_of(costs, true, of.label) for true, of in pairs]
    assert found.cost == pytest.approx(np.mean(prices))
    assert found.answered == sum(of.label is not None for of in made)
    assert found.right == sum(of.label == true for true, of in pairs)
    assert found.errors[-1] == pytest.approx(np.mean([of.leaning != true for true, of in pairs]))
    assert len(found.sentences) == 3
