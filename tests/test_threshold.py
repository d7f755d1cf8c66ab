"""Thresholds for a rate of false positives: what is promised is kept, and outlives whatever happens to the model."""

import csv
import io
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban import Rule
from deciban.cli import UsageError, run
from deciban.decision import tails
from deciban.decision.threshold import threshold
from deciban.errors import BadSetting, DamagedModel, DecibanError, NoTrainingTexts, OneLabel, UnknownLabel
from deciban.units import decibans
from test_cli import TICKETS
from test_errors import resigned


@given(k=st.integers(0, 40), more=st.integers(0, 40), p=st.floats(0.001, 0.999))
def test_binomial_tails_are_the_sums_that_they_stand_for(k, more, p):
    import math

    n = k + more
    exact = math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
    assert tails.at_most(k, n, p) == pytest.approx(exact, abs=1e-12)


@given(k=st.integers(0, 30), more=st.integers(1, 300))
def test_the_upper_bound_is_where_so_few_become_improbable(k, more):
    n = k + more
    assert tails.at_most(k, n, tails.upper(k, n)) == pytest.approx(tails.DOUBT, abs=1e-9)
    low, high = tails.interval(k, n)
    assert 0 <= low <= k / n <= high <= 1


@given(n=st.integers(1, 2000), rate=st.floats(0.001, 0.5))
def test_as_many_are_allowed_as_can_be_promised(n, rate):
    k = tails.most_allowed(n, rate)
    assert k == -1 or tails.upper(k, n) <= rate + 1e-9
    assert tails.upper(k + 1, n) > rate - 1e-9
    assert (k >= 0) == (n >= tails.fewest(rate))


def test_new_texts_among_old_ones_are_counted_by_drawing():
    draw = np.random.default_rng(0)
    old, new, j, most = 19, 12, 2, 1
    numbers = draw.random((20000, old + new))
    below = (numbers[:, old:] < np.sort(numbers[:, :old], axis=1)[:, [j - 1]]).sum(axis=1)
    assert tails.new_below(new, j, old, most) == pytest.approx((below <= most).mean(), abs=0.015)


@given(seed=st.integers(0, 10**6), n=st.integers(20, 2000), rate=st.sampled_from([0.01, 0.05, 0.2]))
def test_a_threshold_lets_no_more_through_than_allowed(seed, n, rate):
    draw = np.random.default_rng(seed)
    f, has_label = draw.normal(size=n).round(1), draw.random(n) < 0.3
    has_label[:2] = True, False
    chosen = threshold("spam", f, has_label, rate)
    assert (
        chosen.false_positives
        == ((f > chosen.log_odds) & ~has_label).sum()
        <= max(tails.most_allowed(chosen.negatives, rate), 0)
    )
    assert chosen.found == ((f > chosen.log_odds) & has_label).sum()
    assert (chosen.promised <= rate + 1e-9) or not chosen.is_kept


def test_the_rate_is_kept_in_nineteen_of_twenty_choices():
    """Negatives are normal; the true rate of a threshold is then known."""
    from math import erfc, sqrt

    draw, rate, over = np.random.default_rng(1), 0.02, 0
    for _ in range(400):
        f = np.append(draw.normal(size=500), 9.0)
        t = threshold("x", f, np.arange(501) == 500, rate).log_odds
        over += erfc(t / sqrt(2)) / 2 > rate
    assert over <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05)


def corpus(n=60):
    texts = ["free money now", "money for free", "see you", "you see me"] * (n // 4)
    return texts, ["spam", "spam", "ham", "ham"] * (n // 4)


@pytest.fixture
def mail():
    return deciban.train(*corpus(), model="multinomial").set_threshold("spam", 0.2)


def test_decisions_go_by_the_threshold(mail):
    high = replace(mail.threshold, log_odds=1e9)
    mail.threshold = high
    assert mail.predict(["free money"]) == ["ham"]
    assert mail.decide(["free money"])[0].label == "ham"
    mail.threshold = replace(high, log_odds=-1e9)
    assert mail.predict(["see you"]) == ["spam"]
    assert mail.decide(["see you"], Rule())[0].label == "ham"
    assert mail.set_threshold(None).predict(["see you"]) == ["ham"]


@pytest.mark.parametrize("label", ["spam", "ham", "work"])
def test_evidence_adds_up_to_how_far_a_text_is_from_the_threshold(label):
    texts, labels = corpus()
    model = deciban.train([*texts, *["the report"] * 9], [*labels, *["work"] * 9], model="multinomial")
    model.set_threshold(label, 0.3)
    for text in ("free money", "see the report", "you", "nothing known"):
        why = model.explain(text)
        above = decibans(float(model.log_odds([text], label)[0]) - model.threshold.log_odds)
        assert why.label == model.predict([text])[0]
        assert (why.label == label) == (above > 0)
        if label in (why.label, why.against):
            assert why.total == pytest.approx(above if why.label == label else -above, abs=1e-6)
            assert "(threshold)" in str(why)
        assert f"{'above' if above > 0 else 'below'} its threshold" in why.decision


def test_what_is_endless_is_not_above_an_endless_threshold():
    texts, labels = ["free money", "money now", "see you", "you see"] * 9, ["spam", "spam", "ham", "ham"] * 9
    model = deciban.train(texts, labels, model="multinomial", smoothing="none", calibration="none")
    model.set_threshold("spam", 0.2, texts, labels)
    model.threshold = replace(model.threshold, log_odds=np.inf)
    assert model.predict(["free money"]) == ["ham"]
    why = model.explain("free money")
    assert why.decision == "decided: ham, as spam is 0.0 decibans below its threshold"
    assert not np.isnan(why.cost)


def test_its_own_texts_are_left_out(mail):
    by_texts = deciban.train(*corpus(), model="multinomial").set_threshold("spam", 0.2, *corpus())
    assert by_texts.threshold == mail.threshold
    held = mail.leave_one_out()
    assert mail.threshold.negatives == held.truth.count("ham")
    loaded = deciban.train(*corpus(), model="logistic")
    assert loaded.set_threshold("spam", 0.2).threshold.positives == 30


def test_a_threshold_is_saved_and_frozen(mail, tmp_path):
    mail.save(tmp_path / "m.deciban")
    loaded = deciban.load(tmp_path / "m.deciban")
    assert loaded.threshold == mail.threshold == loaded.freeze().threshold == loaded.with_threads(2).threshold
    loaded.set_threshold(None).save(tmp_path / "m.deciban")
    assert deciban.load(tmp_path / "m.deciban").threshold is None


def test_who_changes_a_model_is_told_that_its_threshold_is_from_before(mail, tmp_path):
    before = replace(mail.threshold, is_from_before=True)
    mail.learn(["lunch"], ["ham"])
    assert mail.threshold == before
    assert mail.forget(["lunch"], ["ham"]).threshold == before
    assert mail.rename_label("spam", "junk").threshold == replace(before, label="junk")
    other = deciban.train(*corpus(), model="multinomial")
    assert (other + other).threshold is None
    assert (other + mail).threshold.label == "junk"
    assert mail.select("mutual-information", 3).threshold.is_from_before
    assert mail.learn(["report"], ["work"]).drop_labels(["junk"]).threshold is None


@pytest.mark.parametrize(
    "change",
    [
        (b'rate\\":0.2', b'rate\\":2.0'),
        (b'label\\":\\"spam', b'label\\":\\"eggs'),
        (b'negatives\\":30', b'negatives\\":00'),
        (b'positives\\":30', b'positives\\":"x'),
    ],
)
def test_a_threshold_of_a_damaged_file_is_refused(mail, tmp_path, change):
    mail.save(tmp_path / "m.deciban")
    data = (tmp_path / "m.deciban").read_bytes()
    assert change[0] in data
    (tmp_path / "m.deciban").write_bytes(resigned(data.replace(*change)))
    with pytest.raises(DamagedModel):
        deciban.load(tmp_path / "m.deciban")


def test_bad_wishes(mail, tmp_path):
    for rate in (0, 1, -0.1, float("nan"), True, "x"):
        with pytest.raises(BadSetting, match=r"max_false_positive_rate=.*: expected a number between 0 and 1"):
            mail.set_threshold("spam", rate)
    with pytest.raises(UnknownLabel, match="'eggs' is not a label of this model; its labels are: ham, spam"):
        mail.set_threshold("eggs", 0.1)
    with pytest.raises(OneLabel):
        mail.drop_labels(["ham"]).set_threshold("spam", 0.1)
    mail.save(tmp_path / "m.deciban")
    with pytest.raises(NoTrainingTexts):
        deciban.load(tmp_path / "m.deciban").set_threshold("spam", 0.1)
    with pytest.raises(BadSetting, match="expected no costs and no priors beside it"):
        Rule(costs={("a", "b"): 2.0}, threshold=threshold("a", np.arange(9.0), np.arange(9) > 4, 0.1))


@pytest.fixture
def command(capfd):
    def call(*arguments):
        assert run([str(argument) for argument in arguments]) == 0
        sys.stdout.flush()
        return capfd.readouterr()

    return call


def test_the_command(command, tickets, tmp_path):
    path = tmp_path / "t.deciban"
    deciban.train(*tickets, model="multinomial").save(path)
    asked = ("set-threshold", path, TICKETS, "--positive", "praise", "--max-false-positive-rate")
    found = command(*asked, "0.01").out.splitlines()
    assert found[0].startswith("threshold for praise: ")
    assert "of 655 held-out texts of other labels" in found[1]
    assert found[1].endswith("as asked for: 1 %")
    assert found[2].startswith("recall: ")
    few = json.loads(command(*asked, "0.001", "--json").out)
    assert (few["is_kept"], few["false_positives"]) == (False, 0)
    assert few["promised_rate"] == pytest.approx(1 - 0.05 ** (1 / 655))
    assert "too few texts to promise 0.1 %, which takes 2,995" in command("info", path).out
    model = deciban.load(path)
    new = tmp_path / "new.txt"
    new.write_text("lovely thanks\ncharged twice\n")
    rows = list(csv.DictReader(io.StringIO(command("predict", path, new).out)))
    assert [row["label"] for row in rows] == model.predict(["lovely thanks", "charged twice"])
    told = command("predict", path, new, "--min-probability", "0.5")
    assert "the model's threshold for praise is left aside" in told.err
    judged = json.loads(command("evaluate", path, TICKETS, "--loo", "--json").out)
    assert judged["decisions"]["share_answered"] == 1
    more = tmp_path / "more.csv"
    more.write_text("text,label\nnice tent,praise\n")
    assert "the threshold for praise is from before" in command("learn", path, more).err
    assert "the threshold for praise is from before" in command("predict", path, new).err
    command("set-threshold", path, "--none")
    assert deciban.load(path).threshold is None


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (f"{TICKETS}", "expected FILE, --positive and --max-false-positive-rate, or --none alone"),
        (f"{TICKETS} --none", "expected FILE, --positive and --max-false-positive-rate, or --none alone"),
        (f"{TICKETS} --positive praise --max-false-positive-rate 1", "argument --max-false-positive-rate: expected a"),
        (f"{TICKETS} --positive eggs --max-false-positive-rate 0.1", "'eggs' is not a label of this model"),
    ],
)
def test_bad_options(tickets_model, options, line):
    with pytest.raises((DecibanError, UsageError)) as raised:
        run(["set-threshold", str(tickets_model), *options.split()])
    assert str(raised.value).startswith(line)
