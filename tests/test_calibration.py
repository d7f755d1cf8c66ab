"""Calibrated probabilities: what must hold of every map, and what they are worth on texts that were kept apart."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deciban
from deciban.calibration import Calibration, Sample
from deciban.calibration.chosen import FEWEST, calibrate, crossed
from deciban.calibration.descent import least
from deciban.calibration.fitted import How, Problem
from deciban.calibration.isotonic import knots
from deciban.calibration.steepness import steepened, steepness
from deciban.cli import run
from deciban.decision import log_posterior, posterior
from deciban.errors import TooFewToCalibrate, UnknownChoice
from deciban.examples.kept import Examples, Reservoir
from deciban.modelfile import load

LINEAR = ["temperature", "platt", "dirichlet"]
METHODS = [*LINEAR, "isotonic"]
TEXTS = ["refund for a lost parcel", "the app crashes when I log in, crashes every time", "zzz qqq", "", "parcel"]

number = st.floats(-3, 3)
scores = st.lists(st.floats(-200, 50), min_size=3, max_size=3).map(np.array)


@st.composite
def maps(draw, methods=tuple(METHODS)):
    method = draw(st.sampled_from(methods))
    temper = np.array([draw(number), draw(st.floats(0, 1)), draw(st.floats(-0.5, 0.9))])
    three = st.lists(number, min_size=3, max_size=3).map(np.array)
    if method == "isotonic":
        bend = np.sort(draw(st.lists(st.floats(-9, 0), min_size=3, max_size=3, unique_by=lambda x: round(x, 2))))
        return Calibration(method, ("a", "b", "c"), temper, knots=np.concatenate([[-8.0, -2.0, -0.5], bend]))
    if method == "temperature":
        return Calibration(method, ("a", "b", "c"), temper)
    matrix = np.array([draw(number) for _ in range(9)]) if method == "dirichlet" else np.empty(0)
    steep = draw(st.sampled_from([[], [0.0, 0.0], [0.3, 0.4], [-0.2, -0.3]]))
    temper = np.append(temper, steep)
    return Calibration(method, ("a", "b", "c"), temper, draw(three), np.exp(draw(three)), draw(three), matrix)


def slowly(found, z, n):
    """The formulas, one number at a time."""
    if n == 0:
        return list(z)
    t, a, g, u, h = found.temper if len(found.temper) == 5 else (*found.temper, 0.0, 0.0)
    mean = lambda v: sum(v) / len(v)  # noqa: E731
    e = [x - o for x, o in zip(z, found.origin, strict=True)] if len(found.origin) else list(z)
    c = [x - mean(e) for x in e]
    f = math.exp(min(max(t - a * math.log(n) - g * math.log(max(*c, 1e-3)), -50), 50))
    if not len(found.slope):
        return [f * x for x in z]
    m = found.matrix.reshape(3, 3) if len(found.matrix) else np.zeros((3, 3))
    made = [f * (found.slope[r] * c[r] + sum(m[q, r] * c[q] for q in range(3))) + found.shift[r] for r in range(3)]
    steeper = math.exp(min(max(u - h * math.log(max(max(made) - mean(made), 1e-3)), -50), 50))
    return [steeper * x for x in made]


@given(found=maps(LINEAR), z=scores, n=st.integers(0, 500))
def test_a_map_is_its_formula(found, z, n):
    mapped = found.apply(z[None], np.array([n]))[0]
    assert mapped == pytest.approx(slowly(found, z, n), rel=1e-9, abs=1e-9)


@given(found=maps(), z=scores, n=st.integers(0, 500))
def test_probabilities_sum_to_one(found, z, n):
    p = posterior(found.apply(z[None], np.array([n])))
    assert p.sum() == pytest.approx(1.0)
    assert (p >= 0).all()


@given(found=maps(["temperature", "isotonic"]), z=scores, n=st.integers(0, 500))
def test_a_temperature_never_changes_the_order_of_labels(found, z, n):
    mapped = found.apply(z[None], np.array([n]))[0]
    assert (np.diff(mapped[np.argsort(z, kind="stable")]) >= 0).all()
    assert found.keeps_order


@given(found=maps(LINEAR), parts=st.lists(scores, min_size=1, max_size=5), n=st.integers(0, 50))
def test_what_is_added_adds_up(found, parts, n):
    bias, added = parts[0], np.array(parts[1:]).reshape(-1, 3)
    z = bias + added.sum(axis=0)
    whole = found.start(bias, z, n) + found.adds(added, z, n).sum(axis=0)
    mapped = found.apply(z[None], np.array([n]))[0]
    assert whole - whole[0] == pytest.approx(mapped - mapped[0], rel=1e-7, abs=1e-6)


@given(found=maps(LINEAR), z=scores, n=st.integers(1, 500))
def test_a_map_that_is_made_steeper_is_the_map_and_a_factor(found, z, n):
    first = replace(found, temper=found.temper[:3])
    u, h = 0.3, 0.2
    before = first.apply(z[None], np.array([n]))
    assume(before.max() - before.mean() > 1e-2)  # what is less is taken for the least, before or after
    assume(z.max() - z.mean() > 1e-2)
    after = first.steepened(u, h).apply(z[None], np.array([n]))
    assert after == pytest.approx(steepened(before, u, h), rel=1e-6, abs=1e-9)


def test_what_is_too_sure_where_it_is_surest_is_mended():
    draw = np.random.default_rng(0)
    z = draw.normal(0, 2, (4000, 3))
    z -= z.mean(axis=1, keepdims=True)
    y = (z + draw.gumbel(size=z.shape)).argmax(axis=1)
    bent = z * z.max(axis=1, keepdims=True) ** 0.4  # honest scores, the more overdone the surer they are
    u, h = steepness(Sample(bent, np.ones(4000), y))
    assert (u, h) == pytest.approx((0.0, 0.4 / 1.4), abs=0.05)


@given(st.integers(0, 10**6))
def test_slopes_of_what_is_minimised_are_right(seed):
    draw = np.random.default_rng(seed)
    sample = Sample(draw.normal(0, 3, (30, 3)), draw.integers(1, 50, 30).astype(float), draw.integers(0, 3, 30))
    problem = Problem(sample, How("dirichlet"), np.log([0.2, 0.3, 0.5]), np.log([0.2, 0.3, 0.5]))
    v, way = problem.start + draw.normal(size=len(problem.scale)), draw.normal(size=len(problem.scale))
    near = (problem(v + 1e-5 * way)[0] - problem(v - 1e-5 * way)[0]) / 2e-5
    assert problem(v)[1] @ way == pytest.approx(near, rel=1e-4, abs=1e-5)


def test_descent_ends_in_a_narrow_valley():
    def valley(v):
        x, y = v
        value = (1 - x) ** 2 + 100 * (y - x * x) ** 2
        return value, np.array([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)])

    assert least(valley, np.array([-1.2, 1.0])) == pytest.approx([1, 1], abs=0.05)


def test_pool_adjacent_violators_by_scikit_learn():
    from sklearn.isotonic import IsotonicRegression

    draw = np.random.default_rng(3)
    log_p = log_posterior(draw.normal(0, 2, (60, 2)))
    y = draw.integers(0, 2, 60)
    bent = knots(log_p, y)
    x, came_true = log_p.ravel(), (np.arange(2) == y[:, None]).ravel().astype(float)
    theirs = IsotonicRegression().fit(x, came_true)
    steps, sizes = np.unique(theirs.predict(x).round(9), return_counts=True)
    shares = np.maximum.accumulate((steps * sizes + 0.5) / (sizes + 1))
    assert np.exp(bent[len(bent) // 2 :]) == pytest.approx(shares, abs=2e-3)


@pytest.fixture(scope="module", params=METHODS)
def calibrated(request, tickets):
    return deciban.train(*tickets, words=(1, 2), alpha=0.3, calibration=request.param)


def test_it_is_what_was_asked_for(calibrated, tickets):
    found = calibrated.calibration
    assert (found.method, found.texts) == (calibrated.settings.calibration, len(tickets[0]))
    assert found.loss < found.raw
    assert not found.is_from_before
    assert repr(found) == f"Calibration({found.told})"
    assert repr(found.conformal) == "Conformal(716 quantiles, 6 labels)"


def test_evidence_sums_to_the_calibrated_score(calibrated):
    for text in TEXTS:
        why = calibrated.explain(text)
        odds = calibrated.log_odds([text], why.label, why.against)[0] * 10 / math.log(10)
        if calibrated.calibration.is_linear:
            assert why.total == pytest.approx(odds, abs=1e-9)
            assert why.unit == "decibans"
        assert why.probability == pytest.approx(calibrated.predict_proba([text]).max())
        assert calibrated.settings.calibration in str(why) or not why.terms


def test_answers_are_the_most_probable_labels(calibrated, tickets):
    p = calibrated.predict_proba(tickets[0][::7])
    assert calibrated.predict(tickets[0][::7]) == [calibrated.labels[r] for r in p.argmax(axis=1)]
    top = calibrated.predict_top(TEXTS, 3)
    assert [row[0][1] for row in top] == pytest.approx(calibrated.predict_proba(TEXTS).max(axis=1))


@pytest.mark.parametrize("frozen", [False, True])
def test_saving_and_loading_keeps_it(calibrated, tmp_path, frozen, tickets):
    calibrated.save(tmp_path / "m.deciban", frozen=frozen)
    loaded = deciban.load(tmp_path / "m.deciban")
    assert loaded.calibration.about == calibrated.calibration.about
    assert np.array_equal(loaded.predict_proba(tickets[0]), calibrated.predict_proba(tickets[0]))
    assert loaded.explain(TEXTS[0]) == calibrated.explain(TEXTS[0])
    answers = load(tmp_path / "m.deciban").answers(TEXTS, str, 1)
    assert [row for _, row in answers] == [pytest.approx(row) for row in calibrated.predict_proba(TEXTS).tolist()]


def test_the_same_on_any_number_of_threads(calibrated, tickets):
    one, three = calibrated.with_threads(1), calibrated.with_threads(3)
    assert np.array_equal(one.predict_proba(tickets[0]), three.predict_proba(tickets[0]))


def test_from_a_file_as_from_memory(tmp_path, tickets, calibrated):
    rows = [
        "{},{}\n".format(*('"' + part.replace('"', '""') + '"' for part in row)) for row in zip(*tickets, strict=True)
    ]
    (tmp_path / "t.csv").write_text("text,label\n" + "".join(rows))
    method = calibrated.settings.calibration
    asked = ["--words", "1-2", "--alpha", "0.3", "--calibration", method, "-o", str(tmp_path / "m.deciban")]
    run(["train", str(tmp_path / "t.csv"), *asked])
    loaded = deciban.load(tmp_path / "m.deciban")
    assert np.array_equal(loaded.predict_proba(TEXTS), calibrated.predict_proba(TEXTS))


def test_none_is_the_raw_posterior_to_the_bit(tickets):
    model = deciban.train(*tickets, model="multinomial", words=(1, 2), calibration="none")
    assert model.calibration is None
    assert np.array_equal(model.scores(tickets[0]), model.scorecard.scores(tickets[0]))
    assert np.array_equal(model.predict_log_proba(TEXTS), log_posterior(model.scorecard.scores(TEXTS)))


def test_few_texts_are_not_calibrated_by():
    texts, labels = ["free money now", "see you", "money", "at noon"] * 4, ["spam", "ham", "spam", "ham"] * 4
    assert len(texts) < FEWEST
    assert deciban.train(texts, labels).calibration is None


@pytest.mark.parametrize("model", ["multinomial", "bernoulli", "complement", "ratio", "twcnb", "tan"])
def test_every_model_of_counts_becomes_honest(model, data):
    texts, labels = data("trec", "train", limit=1500)
    trained = deciban.train(texts[::2], labels[::2], model=model)
    raw = deciban.train(texts[::2], labels[::2], model=model, calibration="none")
    assert trained.unit == "decibans"
    assert log_loss(trained, texts[1::2], labels[1::2]) < log_loss(raw, texts[1::2], labels[1::2])
    assert error(trained, texts[1::2], labels[1::2]) < 0.07


@pytest.mark.parametrize("model", ["logistic", "hinge", "nbsvm", "nblogistic"])
def test_fitted_models_become_decibans(model, data):
    texts, labels = data("trec", "train", limit=800)
    trained = deciban.train(texts[::2], labels[::2], model=model, cost=1.0)
    assert trained.unit == "decibans"
    why = trained.explain(texts[1])
    assert why.total == pytest.approx(trained.log_odds([texts[1]], why.label, why.against)[0] * 10 / math.log(10))
    raw = deciban.train(texts[::2], labels[::2], model=model, cost=1.0, calibration="none")
    assert log_loss(trained, texts[1::2], labels[1::2]) <= log_loss(raw, texts[1::2], labels[1::2]) + 0.02


def log_loss(model, texts, labels):
    log_p = model.predict_log_proba(texts)
    return -np.mean([max(row[model.labels.index(label)], -50) for row, label in zip(log_p, labels, strict=True)])


def error(model, texts, labels, bins=15):
    """The expected calibration error of the most probable label."""
    p = model.predict_proba(texts)
    most, right = p.max(axis=1), np.array(model.labels)[p.argmax(axis=1)] == labels
    into = np.minimum((most * bins).astype(int), bins - 1)
    return sum(abs(most[into == b].mean() - right[into == b].mean()) * (into == b).mean() for b in set(into.tolist()))


def test_very_many_labels_have_a_temperature(data):
    texts, labels = data("wordnet-hypernyms", "train", limit=8000)
    model = deciban.train(texts, labels, alpha=0.01, threads=1)
    assert len(model.labels) > 1000
    assert model.calibration.method == "temperature"
    (top,) = model.predict_top(texts[:1], 5)
    p = model.predict_proba(texts[:1])[0]
    assert [q for _, q in top] == pytest.approx(np.sort(p)[::-1][:5].tolist())


def test_labels_of_few_texts_are_judged_by_folds_that_take_as_much_of_each():
    texts = [f"number n{i} even{i % 2} third{i % 3}" for i in range(300)] * 2
    model = deciban.train(texts, [f"label{i}" for i in range(300)] * 2, model="multinomial")
    p = model.predict_proba(texts[:300])
    assert (p.max(axis=1) > 0.9).all()  # left out alone, no text of two would be known
    assert model.calibration.loss < 0.1 < model.calibration.raw


def test_few_texts_a_label_are_honest(data):
    texts, labels = data("clinc150", "train")
    given = {label: [i for i, one in enumerate(labels) if one == label] for label in sorted(set(labels))}
    learnt = [i for places in given.values() for i in places[::40][:3]]
    model = deciban.train([texts[i] for i in learnt], [labels[i] for i in learnt], model="multinomial")
    others = [i for places in given.values() for i in places[5::10]]
    kept = [texts[i] for i in others], [labels[i] for i in others]
    assert error(model, *kept) < 0.06
    raw = deciban.train(
        [texts[i] for i in learnt], [labels[i] for i in learnt], calibration="none", model="multinomial"
    )
    assert log_loss(model, *kept) < 0.8 * log_loss(raw, *kept)


@pytest.mark.parametrize(
    "how", [{"model": "logistic", "project": "lsa:20"}, {"model": "rotation"}, {"model": "fisher"}]
)
def test_projected_models_become_honest(how, data):
    texts, labels = data("agnews-test", limit=1000)
    model = deciban.train(texts[::2], labels[::2], **how)
    raw = deciban.train(texts[::2], labels[::2], calibration="none", **how)
    assert log_loss(model, texts[1::2], labels[1::2]) < log_loss(raw, texts[1::2], labels[1::2]) + 0.02
    assert error(model, texts[1::2], labels[1::2]) < 0.1
    why = model.explain(texts[1])
    assert why.total == pytest.approx(model.log_odds([texts[1]], why.label, why.against)[0] * 10 / math.log(10))


def test_with_its_examples_a_model_is_always_calibrated_anew(tickets):
    texts, labels = tickets
    model = deciban.train(texts[:600], labels[:600], model="multinomial")
    assert model.calibration.texts == 600
    learnt = model.learn(texts[600:], labels[600:])
    fresh = deciban.train(texts, labels, model="multinomial")
    assert np.array_equal(learnt.predict_proba(texts), fresh.predict_proba(texts))


def test_without_them_it_is_from_before_until_recalibrated(tickets, tmp_path, capsys):
    texts, labels = tickets
    path = tmp_path / "m.deciban"
    deciban.train(texts[:600], labels[:600], model="multinomial").save(path)
    model = deciban.load(path).learn([*texts[600:], "a pole is torn"], [*labels[600:], "repair"])
    assert model.calibration.is_from_before
    assert model.predict_proba(TEXTS).shape == (len(TEXTS), 7)
    assert "before the model last changed" in model.explain(TEXTS[0]).calibrated
    model.save(path)
    run(["info", str(path)])
    assert "from before the model's last change" in capsys.readouterr().out
    again = deciban.load(path).recalibrate([*texts, "a pole is torn"], [*labels, "repair"])
    assert not again.calibration.is_from_before
    fresh = deciban.train([*texts, "a pole is torn"], [*labels, "repair"], model="multinomial")
    assert again.predict_proba(TEXTS) == pytest.approx(fresh.predict_proba(TEXTS), abs=0.02)


def test_labels_that_leave_take_their_numbers_along(tickets, tmp_path):
    model = deciban.train(*tickets, model="multinomial", calibration="dirichlet")
    model.save(tmp_path / "m.deciban")
    loaded = deciban.load(tmp_path / "m.deciban").drop_labels(["praise"])
    assert loaded.calibration.labels == loaded.labels
    whole, left = model.calibration, loaded.calibration
    kept = [r for r, label in enumerate(whole.labels) if label != "praise"]
    assert np.array_equal(left.shift, whole.shift[kept])
    assert np.array_equal(left.matrix.reshape(5, 5), whole.matrix.reshape(6, 6)[np.ix_(kept, kept)])


def test_merging_keeps_one_from_before(tickets, tmp_path):
    texts, labels = tickets
    for name, part in (("a", slice(None, None, 2)), ("b", slice(1, None, 2))):
        deciban.train(texts[part], labels[part], model="multinomial").save(tmp_path / name)
    both = deciban.load(tmp_path / "a") + deciban.load(tmp_path / "b")
    assert both.calibration.is_from_before


def test_by_texts_that_it_has_not_learnt(tickets):
    texts, labels = tickets
    model = deciban.train(texts[::2], labels[::2], model="multinomial", calibration="none")
    raw = log_loss(model, texts[1::4], labels[1::4])
    assert model.recalibrate(texts[3::4], labels[3::4]).calibration is not None
    assert log_loss(model, texts[1::4], labels[1::4]) < raw


def test_bad_input(tickets, tmp_path):
    model = deciban.train(*tickets, model="multinomial")
    with pytest.raises(TooFewToCalibrate, match="at least 20 texts of labels that the model has, got 0"):
        model.recalibrate(["hello"] * 30, ["greeting"] * 30)
    with pytest.raises(UnknownChoice, match="calibration='perfect'"):
        model.recalibrate(*tickets, "perfect")
    assert model.recalibrate(*tickets, "none").calibration is None


def test_leave_one_out_is_calibrated_by_the_others(tickets):
    """A map that had seen the texts would promise too much of them."""
    model = deciban.train(*tickets, model="multinomial", calibration="dirichlet")
    held = model.leave_one_out()
    own = log_posterior(held.scores)[np.arange(len(held.truth)), [model.labels.index(label) for label in held.truth]]
    assert -own.mean() == pytest.approx(model.calibration.loss, abs=0.03)


@pytest.mark.parametrize("method", ["temperature", "platt", "dirichlet", "isotonic"])
def test_maps_of_folds_come_out_alike_wherever_they_begin(method):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 5000)  # more than maps are fit to
    z = 4.0 * rng.normal(size=(5000, 3)) + 6.0 * np.eye(3)[y]
    sample, prior = Sample(z, rng.integers(5, 50, 5000).astype(float), y), np.log(np.full(3, 1 / 3))
    found = calibrate(sample.some(np.arange(900)), method, ("a", "b", "c"), prior, prior)
    elsewhere = found.temper + np.resize([1.0, 0.2, 0.1], len(found.temper))
    other = replace(found, temper=elsewhere, shift=found.shift + 0.5, slope=found.slope * 0.0)
    p, same = (np.exp(crossed(sample, of, prior, prior)) for of in (found, other))
    np.testing.assert_allclose(p, same, atol=0.02)
    loss, raw = (-np.log(of[np.arange(5000), y]).mean() for of in (p, posterior(z)))
    assert loss < 0.8 * raw


def test_a_map_is_chosen_by_texts_that_it_was_not_fit_to():
    draw = np.random.default_rng(1)
    y = draw.integers(0, 3, 400)
    honest = Sample(np.log(draw.dirichlet([1, 1, 1], 400)), np.full(400, 9.0), y)
    sharp = Sample(20 * (draw.normal(0, 1, (400, 3)) + np.eye(3)[y]), np.full(400, 9.0), y)
    prior = np.log(np.full(3, 1 / 3))
    found = calibrate(sharp, "auto", ("a", "b", "c"), prior, prior)
    assert found.loss < found.raw
    noise = calibrate(honest, "auto", ("a", "b", "c"), prior, prior)
    assert noise.loss <= noise.raw


def test_each_example_is_as_likely_to_be_held_as_any_other():
    times = np.zeros(60)
    for start in range(300):
        reservoir = Reservoir(5)
        reservoir._random.seed(start)
        for batch in np.array_split(np.arange(60), 7):
            reservoir.add(Examples([str(i) for i in batch], ["x"] * len(batch)))
        times[[int(text) for text in reservoir.examples.texts]] += 1
    assert times.sum() == 1500
    assert abs(times[:30].sum() - 750) < 90
    assert times.max() < 55
