"""Fitted models that go on learning without the texts they were fit to: near to a fit of all, and no answer is lost."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.optimize import approx_fprime, minimize

import deciban
from corpora import columns, corpora, some_text
from deciban import errors, fitting
from deciban.cli import run
from deciban.fitting import members
from deciban.fitting.continued import _moved
from deciban.fitting.members import Labelled, Linear, Member
from deciban.fitting.nearby import STEEPEST, Problem, lost
from deciban.fitting.ratios import as_fitted, interpolated, ratios
from deciban.fitting.seen import Sight, see
from deciban.rows import rows
from deciban.settings import CONTINUED

VARIANTS = [
    *({"model": model} for model in CONTINUED),
    {"model": "hinge", "joint": True},
    {"model": "logistic", "l1": 1.0, "cost": 10.0},
    {"model": "hinge", "l1": 0.5},
    {"model": "nbsvm", "l1": 1.0, "interpolation": 1.0},
    {"model": "nbsvm", "interpolation": 0.0},
    {"model": "logistic", "idf": False, "class_weight": "balanced"},
    {"model": "logistic", "length_norm": False, "weighting": "counts", "cost": 0.01},
    {"model": "nblogistic", "idf": True, "length_norm": True, "cost": 10.0},
]


def reloaded(model, folder):
    model.save(folder / "m.deciban")
    return deciban.load(folder / "m.deciban")


def right(model, texts, labels):
    return np.mean([a == b for a, b in zip(model.predict(texts), labels, strict=True)])


@pytest.mark.parametrize("name", ["sst2", "trec"])
@pytest.mark.parametrize("model", CONTINUED)
def test_learning_the_other_half_is_nearly_as_good_as_training_on_all(model, name, data, tmp_path):
    (texts, labels), test = data(name, "train"), data(name, "test")
    mixed = np.random.default_rng(0).permutation(len(texts))
    texts, labels = ([column[i] for i in mixed] for column in (texts, labels))
    half = len(texts) // 2
    first = deciban.train(texts[:half], labels[:half], model=model)
    everything = deciban.train(texts, labels, model=model, cost=first.settings.cost)
    before, best = right(first, *test), right(everything, *test)
    loaded = reloaded(first, tmp_path).learn(texts[half:], labels[half:])
    assert best > before + 0.01
    assert right(loaded, *test) > before + 0.5 * (best - before)
    assert loaded.counts == everything.counts


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
def test_new_texts_are_learnt_and_the_rest_stays(settings, tickets, tmp_path):
    texts, labels = tickets
    first = deciban.train(texts[:500], labels[:500], **{"cost": 1.0, **settings})
    loaded = reloaded(first, tmp_path)
    before, held = right(first, texts[500:], labels[500:]), right(first, texts[:500], labels[:500])
    loaded.learn(texts[500:], labels[500:])
    assert right(loaded, texts[500:], labels[500:]) > before
    assert right(loaded, texts[:500], labels[:500]) > held - 0.06
    assert loaded.counts == deciban.train(texts, labels, model="multinomial").counts
    note = {"source": "memory", "examples": len(texts) - 500, "continued": True}
    assert loaded.provenance == (*first.provenance, note)
    again = reloaded(loaded, tmp_path)
    assert np.array_equal(again.scores(texts), loaded.scores(texts))
    assert again.explain(texts[0]) == loaded.explain(texts[0])
    assert again.learn(["a new word"], [labels[0]]).counts == loaded.learn(["a new word"], [labels[0]]).counts
    assert np.array_equal(again.scores(texts), loaded.scores(texts))


@pytest.mark.parametrize("others", [0, 200])
@pytest.mark.parametrize("model", CONTINUED)
def test_a_new_label_is_learnt_and_takes_few_answers_of_others(model, others, data, tmp_path):
    texts, labels = data("trec", "train")
    tests, truth = data("trec", "test")
    old = [i for i, label in enumerate(labels) if label != "LOC"][:3000]
    new = [i for i, label in enumerate(labels) if label == "LOC"][: others or 60] + old[3000 - others :]
    old = old[: 3000 - others]
    first = deciban.train([texts[i] for i in old], [labels[i] for i in old], model=model)
    loaded = reloaded(first, tmp_path).learn([texts[i] for i in new], [labels[i] for i in new])
    assert loaded.labels == tuple(sorted({*first.labels, "LOC"}))
    answers = list(zip(truth, first.predict(tests), loaded.predict(tests), strict=True))
    assert np.mean([before == after for label, before, after in answers if label != "LOC"]) > 0.9
    assert np.mean([after == "LOC" for label, _, after in answers if label != "LOC"]) < 0.05
    assert np.mean([after == "LOC" for label, _, after in answers if label == "LOC"]) > (0.5 if others else 0.1)


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
def test_of_two_labels_come_three(settings, tickets, tmp_path):
    names = sorted(set(tickets[1]))[:3]
    of = {name: [text for text, label in zip(*tickets, strict=True) if label == name][:60] for name in names}
    texts, labels = of_some(of, names)
    first = deciban.train(*of_some(of, names[:2]), **{"cost": 1.0, **settings})
    loaded = reloaded(first, tmp_path).learn(*of_some({name: of[name][30:] for name in names}, names))
    assert loaded.labels == tuple(names)
    for name in names:
        assert right(loaded, of[name], [name] * len(of[name])) > 0.5
    assert right(loaded, texts, labels) > 0.75


def of_some(of, names):
    return [text for name in names for text in of[name]], [name for name in names for _ in of[name]]


@settings(max_examples=25)
@given(corpus=corpora, more=corpora, text=some_text)
@pytest.mark.parametrize("model", CONTINUED)
def test_evidence_still_adds_up(model, corpus, more, text, tmp_path_factory):
    assume(len({label for _, label in corpus}) > 1)
    first = deciban.train(*columns(corpus), model=model, cost=1.0, chars=(1, 2))
    loaded = reloaded(first, tmp_path_factory.mktemp("m")).learn(*columns(more))
    assert loaded.counts == deciban.train(*columns(corpus + more), model="multinomial", chars=(1, 2)).counts
    assert np.isfinite(loaded.scores([text])).all()
    why, scores = loaded.explain(text), loaded.scores([text])[0]
    one, other = (loaded.labels.index(label) for label in (why.label, why.against))
    assert np.isclose(why.total * np.log(10) / 10, scores[one] - scores[other], atol=1e-9)
    assert {word.label for word in loaded.words(min_documents=1)} <= {*loaded.labels}


def test_texts_weigh_what_they_are_given(tickets, tmp_path):
    texts, labels = tickets
    first = deciban.train(texts[:500], labels[:500], model="hinge", cost=1.0)
    plain, light, often = (reloaded(first, tmp_path) for _ in range(3))
    weights = [0.0 if i % 2 else 1.0 for i in range(len(texts) - 500)]
    light.learn(texts[500:], labels[500:], weights)
    plain.learn(texts[500::2], labels[500::2])
    assert np.array_equal(light.scores(texts), plain.scores(texts))
    often.learn(texts[500::2], labels[500::2], [0.5] * len(texts[500::2]))
    assert often.provenance[-1]["weight"] == 0.5 * len(texts[500::2])
    moved = [np.abs(model.scores(texts) - first.scores(texts)).mean() for model in (often, plain)]
    assert 0 < moved[0] < moved[1]


def test_nothing_new_changes_nothing(tickets, tmp_path):
    loaded = reloaded(deciban.train(*tickets, model="logistic", cost=1.0), tmp_path)
    before = loaded.scores(tickets[0])
    assert np.array_equal(loaded.learn([], []).scores(tickets[0]), before)


def test_the_command_goes_on_and_info_says_so(tickets, tmp_path, capsys):
    texts, labels = tickets
    model, more = tmp_path / "m.deciban", tmp_path / "more.jsonl"
    deciban.train(texts[:500], labels[:500], model="nblogistic", cost=1.0).save(model)
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(texts[500:], labels[500:], strict=True)]
    more.write_text("\n".join(lines))
    expected = deciban.load(model).learn(texts[500:], labels[500:])
    assert run(["learn", str(model), str(more)]) == 0
    assert np.array_equal(deciban.load(model).scores(texts), expected.scores(texts))
    capsys.readouterr()
    run(["info", str(model)])
    shown = capsys.readouterr().out
    assert f"trained on: memory (+500), more.jsonl (+{len(lines)}, continued)\n" in shown
    assert shown.endswith(
        "\ncontinued: fitted to new examples near the weights it had; not the model of all together\n"
    )


@pytest.mark.parametrize("content", ["text,label\nfree money,spam\n,\n", "text\nhello\n", "text,label\n"])
def test_a_file_that_cannot_be_learnt_leaves_the_model_as_it_was(content, tmp_path):
    model, more = tmp_path / "m.deciban", tmp_path / "more.csv"
    deciban.train(["free money", "see you"], ["spam", "ham"], model="logistic", cost=1.0).save(model)
    before = model.read_bytes()
    more.write_text(content)
    with pytest.raises(errors.DecibanError):
        run(["learn", str(model), str(more)])
    assert model.read_bytes() == before


def test_what_cannot_go_on_says_so_before_it_reads(tickets, tmp_path):
    of_all = deciban.train(*tickets, model="committee")
    with pytest.raises(errors.NeedsExamples, match=r"^a committee model is made of its examples"):
        reloaded(of_all, tmp_path).learn(["a"], ["b"])
    of_all.save(tmp_path / "m")
    with pytest.raises(errors.NeedsExamples):
        run(["learn", str(tmp_path / "m"), str(tmp_path / "none.csv")])
    deciban.train(*tickets, model="hinge", cost=1.0).save(tmp_path / "m")
    with pytest.raises(errors.NeedsExamples):
        run(["forget", str(tmp_path / "m"), str(tmp_path / "none.csv")])


def test_a_file_is_learnt_exactly_where_all_examples_are_at_hand(tickets, tmp_path):
    from deciban.examples import Source

    texts, labels = tickets
    lines = [json.dumps({"text": text, "label": label}) for text, label in zip(texts[500:], labels[500:], strict=True)]
    (tmp_path / "more.jsonl").write_text("\n".join(lines))
    for model in ("hinge", "tan"):
        given = {"cost": 1.0} if model == "hinge" else {}
        learnt = deciban.train(texts[:500], labels[:500], model=model, **given)
        learnt.learn_from(Source(tmp_path / "more.jsonl"))
        assert np.array_equal(learnt.scores(texts), deciban.train(texts, labels, model=model, **given).scores(texts))
        assert "continued" not in learnt.provenance[-1]


@pytest.mark.parametrize("loss", STEEPEST)
def test_slopes_and_curvatures_are_those_of_losses(loss):
    rng = np.random.default_rng(3)
    scores, truth = rng.normal(size=(5, 3)), np.eye(3, dtype=bool)[rng.integers(0, 3, 5)]
    found = lost(loss, scores, truth)
    total = lambda s: lost(loss, s.reshape(5, 3), truth).loss.sum()  # noqa: E731
    assert np.allclose(approx_fprime(scores.ravel(), total, 1e-7), found.slope.ravel(), atol=1e-5)
    slope = lambda s, place: lost(loss, s.reshape(5, 3), truth).slope.ravel()[place]  # noqa: E731
    for place in range(15):
        each = approx_fprime(scores.ravel(), slope, 1e-7, place)[place]
        assert np.isclose(each, found.curvature.ravel()[place], atol=1e-4)


def some_rows(tickets):
    texts, labels = tickets[0][:80], tickets[1][:80]
    model = deciban.train(texts, labels, model="multinomial")
    seen = see(rows(model.lexicon, texts), model.counts, Sight())
    y = model.counts.numbers(labels)
    return seen, Labelled(y, len(model.labels), np.random.default_rng(0).random(len(y)))


@pytest.mark.parametrize("l1", [0.0, 0.7])
@pytest.mark.parametrize("loss", STEEPEST)
def test_the_least_is_found(loss, l1, tickets):
    seen, of = some_rows(tickets)
    truth = of.y[:, None] == np.arange(of.labels)
    rng = np.random.default_rng(0)
    start, scale = rng.normal(size=truth.shape), rng.random((of.labels, len(seen.terms) + 1)) + 0.5
    problem = Problem(loss, seen, truth, of.cost, start, scale, np.full_like(scale, l1) if l1 else None)

    def objective(v):
        return problem._loss(v, start + problem._scores(v)) + l1 * np.abs(v).sum()

    found = problem.least()
    both = minimize(  # v as a difference of two that are not negative: L1 is then smooth
        lambda ab: split(ab, problem, start, l1),
        np.zeros(2 * scale.size),
        jac=True,
        bounds=[(0, None)] * (2 * scale.size),
        method="L-BFGS-B",
        options={"maxiter": 3000, "maxfun": 10_000},
    )
    assert objective(found) < both.fun * (1 + 2e-3)
    assert objective(found) < 0.96 * objective(np.zeros_like(scale))


def split(ab, problem, start, l1):
    a, b = ab.reshape(2, *problem.scale.shape)
    loss, slope = problem._slope(a - b, start + problem._scores(a - b))
    return loss + l1 * ab.sum(), np.concatenate([(slope + l1).ravel(), (l1 - slope).ravel()])


@pytest.mark.parametrize("loss", ["softmax", "logistic", "squared_hinge"])
def test_with_nothing_before_it_is_a_fit(loss, tickets):
    seen, of = some_rows(tickets)
    member = Member("m", Sight(), loss, c=3.0)
    fitted = members.fit(member, seen, of)
    nothing = Linear(np.zeros((len(seen.terms), of.labels)), np.zeros(of.labels))
    ratio, sure = np.ones((len(seen.terms), of.labels)), np.zeros(len(seen.terms) + 1)
    moved = _moved(member, seen, of, nothing, ratio, sure, np.zeros(of.labels, bool))
    ours, theirs = seen.scores(*moved), seen.scores(*fitted)
    assert np.abs(ours - theirs).max() < 0.05 * np.abs(theirs).max()


def test_ratios_are_the_cores(tickets):
    model = deciban.train(*tickets, model="nbsvm", cost=1.0, interpolation=0.0)
    weights = np.zeros((len(model.lexicon), len(model.labels)))
    weights[model.scorecard.term, model.scorecard.label] = model.scorecard.weight
    ratio = ratios(model.counts, 1.0)
    sizes = (weights * ratio).sum(axis=0) / (ratio**2).sum(axis=0)
    assert np.allclose(weights, ratio * sizes, rtol=1e-9)
    assert np.allclose(interpolated(as_fitted(weights, ratio, 0.0), ratio, 0.0), weights, rtol=1e-9)


@pytest.mark.parametrize("beta", [0.05, 0.25, 0.6, 1.0])
def test_weights_are_had_back_from_their_ratios(beta):
    rng = np.random.default_rng(0)
    ratio, w = rng.normal(size=(500, 4)), np.abs(rng.normal(size=(500, 4))) - 0.2
    assert np.allclose(as_fitted(interpolated(w, ratio, beta), ratio, beta), w, atol=1e-9)
    ratio[7, 2], ratio[:, 3] = 0.0, 0.0  # these tell nothing
    found = as_fitted(interpolated(w, ratio, beta), ratio, beta)
    assert np.allclose(found[:, :3], np.where(ratio[:, :3], w[:, :3], found[7, 2]), atol=0.01)
    assert np.isclose(found[7, 2], np.delete(w[:, 2], 7).mean(), atol=0.01)
    assert not found[:, 3].any()


def test_learn_is_what_go_on_makes_of_costs(tickets):
    texts, labels = tickets
    first = deciban.train(texts[:500], labels[:500], model="logistic", cost=1.0, class_weight={labels[0]: 5.0})
    after = deciban.train(texts, labels, model="multinomial").counts
    of = (rows(after.lexicon, texts[500:]), after.numbers(labels[500:]))
    heavy = [5.0 if label == labels[0] else 1.0 for label in labels[500:]]
    card = fitting.learn(first.scorecard, first.counts, after, *of, first.settings)
    plain = deciban.train(texts[:500], labels[:500], model="logistic", cost=1.0).settings
    other = fitting.learn(first.scorecard, first.counts, after, *of, plain, heavy)
    assert np.array_equal(card.weight, other.weight)
