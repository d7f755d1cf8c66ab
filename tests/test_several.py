"""Texts of any number of labels: laws of their counts, what models answer, how they are judged and changed."""

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban
from deciban.cli import UsageError, run
from deciban.counts import Counts
from deciban.evaluation import multilabel
from deciban.fitting import solvers
from deciban.protocols import evaluate_several
from deciban.rows import rows
from deciban.settings import Settings
from deciban.several import Given, Manner, odds, settings_of
from deciban.several.counting import EVERY, check, count
from deciban.several.deciding import THRESHOLDS, decide, line
from deciban.several.held import HeldOut

WORDS = st.lists(st.sampled_from(["corn", "oil", "rise", "fall", "wheat"]), max_size=5).map(" ".join)
LABELS = st.sets(st.sampled_from(["a", "b", "c", "\t"])).map(lambda of: tuple(sorted(of)))
EXAMPLES = st.lists(st.tuples(WORDS, LABELS), max_size=8)

TEXTS = ["wheat and corn rise", "corn falls", "oil rises", "hello you", "corn and oil", "you again"] * 4
SETS = [("grain", "wheat"), ("grain",), ("oil",), (), ("grain", "oil"), ()] * 4
FITTED = ["auto", "logistic", "hinge", "nbsvm", "nblogistic"]


def counted(examples):
    return count(Settings(), [text for text, _ in examples], [of for _, of in examples])


def slowly(examples):
    """The same counts in plain Python."""
    documents, occurrences, presences = Counter(), Counter(), Counter()
    for text, of in examples:
        for label in (EVERY, *of):
            documents[label] += 1
            occurrences.update((word, label) for word in text.split())
            presences.update((word, label) for word in {*text.split()})
    return documents, occurrences, presences


@given(EXAMPLES)
def test_each_text_is_counted_under_each_label_and_once_among_all(examples):
    counts = counted(examples)
    documents, occurrences, presences = slowly(examples)
    assert dict(zip(counts.labels, counts.documents.tolist(), strict=True)) == documents
    names = counts.lexicon.names()
    keys = [(names[term], counts.labels[label]) for term, label in zip(counts.term, counts.label, strict=True)]
    assert dict(zip(keys, counts.occurrences.tolist(), strict=True)) == occurrences
    assert dict(zip(keys, counts.presences.tolist(), strict=True)) == presences
    check(counts)


@given(EXAMPLES, EXAMPLES)
def test_counts_add_and_subtract_exactly(some, more):
    assert counted(some) + counted(more) == counted(some + more)
    assert counted(some + more) - counted(more) == counted(some)


@pytest.mark.parametrize("binary", [False, True])
@settings(deadline=None)
@given(examples=st.lists(st.tuples(WORDS, LABELS), min_size=2, max_size=6))
def test_leave_one_out_is_retraining_without_that_text(binary, examples):
    counts = counted(examples)
    labels = counts.labels[1:]
    found = rows(counts.lexicon, [text for text, _ in examples])
    has = odds.indicator([of for _, of in examples], labels)
    z = odds.left_out(counts, found, has, 0.5, binary=binary)
    for place, (text, _) in enumerate(examples):
        left = counted(examples[:place] + examples[place + 1 :])
        scores = odds.weigh(left, 0.5, binary=binary).scores([text])[0]
        retrained = dict(zip(left.labels, scores - scores[0], strict=True))
        for label, score in zip(labels, z[place], strict=True):
            assert score == pytest.approx(retrained.get(label, -math.inf), abs=1e-9)


@given(st.lists(st.tuples(WORDS, LABELS), min_size=1, max_size=8), WORDS)
def test_scores_are_log_odds_of_a_label_against_all_other_texts(examples, text):
    counts = counted(examples)
    scores = odds.weigh(counts, 1.0, binary=False).scores([text])[0]
    _, occurrences, _ = slowly(examples)
    terms = {word for word, _ in occurrences}
    for label, score in zip(counts.labels[1:], scores[1:] - scores[0], strict=True):
        n, all_n = sum(label in of for _, of in examples), len(examples)
        expected = math.log((n + 0.5) / (all_n - n + 0.5))
        size = sum(occurrences[word, label] for word in terms)
        rest = sum(occurrences[word, EVERY] for word in terms) - size
        for word in text.split():
            if word in terms:
                q = (occurrences[word, label] + 1) / (size + len(terms))
                c = (occurrences[word, EVERY] - occurrences[word, label] + 1) / (rest + len(terms))
                expected += math.log(q / c)
        assert score == pytest.approx(expected, abs=1e-9)


@pytest.fixture(scope="module", params=["multinomial", *FITTED])
def news(request):
    return deciban.train(TEXTS, SETS, several="|", model=request.param)


def test_answers(news):
    assert news.labels == ("grain", "oil", "wheat")
    assert news.predict(["corn", "wheat and corn", "oil", "hello you"]) == [
        ("grain",),
        ("grain", "wheat"),
        ("oil",),
        (),
    ]
    assert news.predict(["oil"], m=2)[0][0] == "oil"
    p = news.predict_proba(["corn"])
    assert p.shape == (1, 3)
    assert ((p > 0) & (p < 1)).all()


def test_evidence_adds_up_to_the_log_odds_of_a_label_against_its_absence(news):
    for label in news.labels:
        why = news.explain("corn and oil rise", label)
        z = news.scores(["corn and oil rise"])[0, news.labels.index(label)]
        assert (why.label, why.against) == (label, f"not {label}")
        assert why.total == pytest.approx(10 * z / math.log(10), abs=1e-9)
        assert why.probability == pytest.approx(1 / (1 + math.exp(-z)))
    assert news.explain("oil").label == "oil"


@pytest.mark.parametrize("frozen", [False, True])
def test_a_saved_model_answers_the_same(news, tmp_path, frozen):
    news.save(tmp_path / "news.deciban", frozen=frozen)
    again = deciban.load(tmp_path / "news.deciban")
    assert isinstance(again, deciban.Several)
    assert again.frozen == frozen
    assert again.scores(TEXTS).tolist() == news.scores(TEXTS).tolist()
    assert again.predict(TEXTS) == news.predict(TEXTS)
    assert again.explain("corn") == news.explain("corn")
    again.save(tmp_path / "again.deciban")
    assert (tmp_path / "again.deciban").read_bytes() == (tmp_path / "news.deciban").read_bytes()


def test_threads_never_matter(news):
    one = deciban.train(TEXTS, SETS, several="|", model=news.settings.model, threads=1)
    assert one.scores(TEXTS).tolist() == news.scores(TEXTS).tolist()


def test_learning_and_forgetting_are_training(news):
    model = news.settings.model
    some = deciban.train(TEXTS[:18], SETS[:18], several="|", model=model)
    assert some.learn(TEXTS[18:], SETS[18:]).counts == news.counts
    assert some.scores(TEXTS).tolist() == news.scores(TEXTS).tolist()
    assert some.forget(TEXTS[18:], SETS[18:]).counts == count(news.settings, TEXTS[:18], SETS[:18])


def test_merging_is_training_on_both():
    model = {"several": "|", "model": "multinomial"}
    one, other = (deciban.train(TEXTS[part], SETS[part], **model) for part in (slice(9), slice(9, None)))
    whole = deciban.train(TEXTS, SETS, **model)
    assert (one + other).counts == whole.counts
    assert (one + other).scores(TEXTS).tolist() == whole.scores(TEXTS).tolist()


def test_a_loaded_model_of_counts_learns_and_decides_as_before(tmp_path):
    deciban.train(TEXTS, SETS, several="|", model="multinomial").save(tmp_path / "news.deciban")
    news = deciban.load(tmp_path / "news.deciban")
    before = news.thresholds
    news.learn(["gold shines"], [["gold", "metal"]])
    assert news.labels == ("gold", "grain", "metal", "oil", "wheat")
    assert {label: news.thresholds[label] for label in before} == before
    news.forget(["gold shines"], [["gold", "metal"]])
    assert news.thresholds == before
    assert news.counts == count(news.settings, TEXTS, SETS)


def test_evaluation(news):
    found = news.evaluate([*TEXTS, "corn"], [*SETS, ("grain", "gold")])
    assert found.unknown == 1
    assert found.micro_f1 > 0.9
    assert found.cardinality[0] == pytest.approx((4 * 6 + 1) / 25)
    facts = found.as_dict()
    assert facts["examples"] == 25
    assert {each["label"] for each in facts["labels"]} == {*news.labels}
    assert "labels a text: 1.00 in truth" in str(found)


def test_leave_one_out_is_of_models_of_counts():
    news = deciban.train(TEXTS, SETS, several="|", model="multinomial")
    assert news.leave_one_out().micro_f1 > 0.8
    assert str(news.leave_one_out(TEXTS, SETS)) == str(news.leave_one_out())


@pytest.mark.parametrize("thresholds", THRESHOLDS)
def test_thresholds_part_what_can_be_parted(thresholds):
    rng = np.random.default_rng(0)
    has = rng.random((200, 3)) < [0.5, 0.2, 0.05]
    z = np.where(has, 3.0, -3.0) + rng.normal(size=has.shape)
    found = decide(z, has, thresholds)
    said = z * found.slope + found.shift >= found.threshold
    assert (said == has).mean() > 0.97


def test_the_line_makes_log_odds_of_scores():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(20_000, 2))
    has = rng.random(z.shape) < 1 / (1 + np.exp(-(2 * z + [1, -1])))
    slope, shift = line(z, has)
    assert slope == pytest.approx(2, abs=0.1)
    assert shift.tolist() == pytest.approx([1, -1], abs=0.1)


def test_micro_thresholds_have_the_greatest_micro_f1():
    rng = np.random.default_rng(1)
    has = rng.random((300, 4)) < 0.3
    z = has + rng.normal(size=has.shape)
    found = decide(z, has, "micro")
    log_odds = z * found.slope + found.shift
    best = multilabel.f1(has, log_odds >= found.threshold)
    assert best >= max(multilabel.f1(has, log_odds >= t) for t in np.linspace(-5, 5, 101)) - 1e-12


def rare_ones_last(rng, texts):
    """Held-out scores where labels of two texts each score their own below a thousand others, as if by chance."""
    has = np.zeros((texts, 42), bool)
    has[:, :2] = rng.random((texts, 2)) < 0.3
    for label in range(2, 42):
        has[rng.choice(texts, 2, replace=False), label] = True
    z = np.where(has, 2.0, -2.0) + rng.normal(size=has.shape)
    z[:, 2:] = -5 + rng.normal(size=(texts, 40))  # nothing is told of rare ones
    return z, has


@pytest.mark.parametrize("thresholds", THRESHOLDS)
def test_no_rare_label_is_bought_by_giving_it_to_thousands(thresholds):
    rng = np.random.default_rng(5)
    by = decide(*rare_ones_last(rng, 3000), thresholds)
    z, has = rare_ones_last(rng, 3000)
    said = z * by.slope + by.shift >= by.threshold
    assert said.sum(axis=1).mean() < 1.2 * has.sum(axis=1).mean()
    assert multilabel.f1(has, said) > 0.85


@pytest.mark.parametrize("thresholds", THRESHOLDS)
def test_what_is_promised_of_thresholds_comes_true(thresholds):
    rng = np.random.default_rng(6)
    n = [400, 100, 30, 10, 5, 2, 1]

    def drawn():
        has = np.array([rng.permutation(4000) < each for each in n]).T
        return np.where(has, 0.0, -4.0) + rng.normal(size=has.shape), has

    z, has = drawn()
    promise = HeldOut(z, has, line(z, has))
    found = promise.decided(thresholds)
    others, have = drawn()
    said = others * found.slope + found.shift >= found.threshold
    told = promise.promised(thresholds)
    assert multilabel.f1(have, said) == pytest.approx(told["micro_f1"], abs=0.05)
    assert said.sum(axis=1).mean() == pytest.approx(told["cardinality"], rel=0.2)


def test_both_are_worth_most_together():
    rng = np.random.default_rng(7)
    has = rng.random((500, 6)) < [0.4, 0.2, 0.1, 0.05, 0.02, 0.01]
    odds = np.where(has, 1.0, -3.0) + 1.5 * rng.normal(size=has.shape)

    def worth(thresholds):
        said = odds >= THRESHOLDS[thresholds](odds, has)
        return multilabel.f1(has, said) + multilabel.f1(has, said, "macro")

    assert all(worth("both") >= worth(other) - 0.01 for other in THRESHOLDS)


@pytest.mark.parametrize("given", [{"model": "multinomial", "alpha": 0.1}, {"model": "nbsvm", "cost": 1.0}, {}])
def test_what_folds_promise_comes_true_on_real_news(data, given):
    (texts, labels), (others, truth) = (data("reuters-modapte", split, 1500) for split in ("train", "test"))
    sets, true = ([() if each == "none" else each.split("+") for each in of] for of in (labels, truth))
    news = deciban.train(texts, sets, several="|", **given)
    promise, found = news.provenance[0]["promised"], news.evaluate(others, true)
    assert found.micro_f1 == pytest.approx(promise["micro_f1"], abs=0.06)
    assert found.micro_f1 > 0.6
    assert found.cardinality[1] < 1.2 * found.cardinality[0]


def test_one_label_and_one_that_every_text_has():
    one = deciban.train(["corn", "oil", "corn rises", "you"] * 3, [["grain"], [], ["grain"], []] * 3, several="|")
    assert one.predict(["corn", "oil"]) == [("grain",), ()]
    every = deciban.train(["corn", "oil", "gold"] * 3, [["a", "grain"], ["a"], ["a"]] * 3, several=True)
    assert every.predict(["corn", "oil"]) == [("a", "grain"), ("a",)]


@pytest.mark.parametrize(
    ("labels", "line"),
    [
        ([["a|b"], []], "labels[0]: label 'a|b' holds the separator '|': choose another with --several"),
        ([["a", "a"], []], "labels[0]: expected each label once, got 'a' again"),
        (["a|a", ""], "labels[0]: expected each label once, got 'a' again"),
        ([["a", ""], []], "labels[0]: expected a label as text, got an empty one"),
        (["a||b", ""], "labels[0]: expected a label as text, got an empty one"),
        ([[], []], "memory: no text has a label: there is nothing to learn"),
        ([3, []], "labels[0]: expected labels as a list, or as text with a separator between, got int 3"),
        ([["a", 3], []], "labels[0]: expected a label as text, got int 3"),
        ([["a"]], "expected one label a text, got 2 texts and 1 labels"),
    ],
)
def test_bad_labels_are_told(labels, line):
    with pytest.raises(deciban.DecibanError) as error:
        deciban.train(["x", "y"], labels, several="|")
    assert str(error.value) == line


@pytest.mark.parametrize(
    "given",
    [
        {"model": "bernoulli"},
        {"model": "multinomial", "smoothing": "dirichlet"},
        {"select": "chi-square:5"},
        {"class_weight": "balanced", "model": "hinge"},
        {"weights": [1, 2]},
        {"unlabelled": ["x"]},
    ],
)
def test_what_is_not_for_such_models_is_refused(given):
    with pytest.raises(deciban.errors.NotForSeveral):
        deciban.train(["x", "y"], [["a"], []], several="|", **given)


@pytest.mark.parametrize("separator", ["", 3, "\n"])
def test_what_is_no_separator_is_refused(separator):
    with pytest.raises(deciban.errors.BadSetting):
        deciban.train(["x", "y"], [["a"], []], several=separator)


def test_a_text_is_forgotten_with_all_its_labels():
    news = deciban.train(TEXTS[:6], SETS[:6], several="|", model="multinomial")
    with pytest.raises(deciban.errors.LessThanItsParts):
        news.forget(["wheat and corn rise"], [["grain"]])
    assert news.counts == count(news.settings, TEXTS[:6], SETS[:6])


def test_a_loaded_fitted_model_refuses_to_change(tmp_path):
    deciban.train(TEXTS, SETS, several="|", model="hinge").save(tmp_path / "news.deciban")
    with pytest.raises(deciban.errors.NeedsExamples):
        deciban.load(tmp_path / "news.deciban").learn(["x"], [["a"]])


def test_a_file_whose_label_has_more_texts_than_there_are_is_refused(tmp_path):
    news = deciban.train(TEXTS, SETS, several="|", model="multinomial")
    counts = news.counts
    wrong = Counts.of_buffers(
        counts.terms,
        counts.labels,
        (*counts.buffers[:4], counts.occurrences + (counts.label > 0) * 9, counts.presences),
    )
    card = news._card
    bad = deciban.Several(news.settings, wrong, news.manner, news.provenance, None, card)
    bad.save(tmp_path / "bad.deciban")
    with pytest.raises(deciban.errors.DamagedModel):
        deciban.load(tmp_path / "bad.deciban")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The same texts as CSV and as JSON lines."""
    monkeypatch.chdir(tmp_path)
    rows = [f'"{text}",{"|".join(of)}\n' for text, of in zip(TEXTS, SETS, strict=True)]
    (tmp_path / "news.csv").write_text("text,label\n" + "".join(rows))
    lines = [json.dumps({"text": text, "labels": of}) + "\n" for text, of in zip(TEXTS, SETS, strict=True)]
    (tmp_path / "news.jsonl").write_text("".join(lines))
    return tmp_path


def test_the_commands(files, capsys):
    run(["train", "news.csv", "--several", "|", "-o", "news.deciban"])
    run(["train", "news.jsonl", "--several", "|", "--label", "labels", "-o", "same.deciban"])
    told = capsys.readouterr().out
    assert told.startswith("trained on 24 texts of 3 labels, 1.00 a text, 10 terms, in ")
    csv, jsonl = (deciban.load(files / name) for name in ("news.deciban", "same.deciban"))
    assert csv.counts == jsonl.counts
    assert csv.scores(TEXTS).tolist() == jsonl.scores(TEXTS).tolist()
    run(["predict", "news.deciban", "news.csv", "--keep", "label"])
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "label,labels,probabilities"
    assert [row.split(",")[:2] for row in rows[1:]] == [["|".join(of)] * 2 for of in SETS]
    run(["predict", "news.deciban", "news.csv", "--json"])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [tuple(answer["labels"]) for answer in answers] == SETS
    assert all(answer["probabilities"].keys() == {*answer["labels"]} for answer in answers)
    run(["evaluate", "news.deciban", "news.csv"])
    assert "    micro   1.0000     1.0000   1.0000" in capsys.readouterr().out
    run(["explain", "news.deciban", "corn and oil", "--label", "oil"])
    assert "against not oil" in capsys.readouterr().out
    run(["info", "news.deciban"])
    told = capsys.readouterr().out
    assert "news.deciban: 24 texts, 1.00 labels a text" in told
    assert "several labels a text, with '|' between; thresholds for both" in told


def test_folds_train_anew_and_judge_by_what_is_left(files, capsys):
    run(["train", "news.csv", "--several", "|", "-o", "news.deciban"])
    capsys.readouterr()
    run(["evaluate", "news.deciban", "news.csv", "--folds", "4", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["examples"], told["protocol"]) == (24, "4 folds")
    assert told["micro_f1"] > 0.9
    run(["train", "news.csv", "--several", "|", "--model", "multinomial", "--evaluate", "-o", "counts.deciban"])
    told = capsys.readouterr().out
    assert "24 texts, 3 labels, leave-one-out" in told
    assert "how good is it?" not in told
    run(["train", "news.csv", "--several", "|", "--evaluate", "tune:0.25", "-o", "news.deciban", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["evaluation"]["examples"] == 6
    assert told["promised"]["micro_f1"] > 0.9


def test_no_group_is_on_both_sides(files, capsys):
    rows = [f'"{text}",{"|".join(of)},{at % 3}\n' for at, (text, of) in enumerate(zip(TEXTS, SETS, strict=True))]
    (files / "authors.csv").write_text("text,label,author\n" + "".join(rows))
    run(["train", "authors.csv", "--several", "|", "-o", "news.deciban"])
    capsys.readouterr()
    run(["evaluate", "news.deciban", "authors.csv", "--folds", "3", "--group", "author"])
    assert "24 texts, 3 labels, 3 folds, no group in two of them" in capsys.readouterr().out
    run(["evaluate", "news.deciban", "authors.csv", "--time", "author", "--folds", "2"])
    assert "16 texts, 3 labels, 2 steps in time" in capsys.readouterr().out


def test_a_label_that_a_fold_does_not_teach_is_never_given_there():
    given = Given(["corn", "oil", "you"] * 6 + ["gold"], [("grain",), ("oil",), ()] * 6 + [("metal",)])
    found = evaluate_several(given, settings_of({"model": "multinomial"}), Manner(), "folds:3")
    metal = found.labels.index("metal")
    assert found.truth[:, metal].sum() == 1
    assert not found.said[found.truth[:, metal], metal].any()
    assert found.scores[18, metal] < -100


def test_the_report(files, capsys):
    run(["train", "news.csv", "--several", "|", "-o", "news.deciban", "--evaluate", "folds:4", "--report", "r.html"])
    assert capsys.readouterr().out.endswith("report: r.html\n")
    page = (files / "r.html").read_text(encoding="utf-8")
    assert "24 texts, 3 labels, 4 folds" in page
    (files / "odd.csv").write_text('text,label\n"corn <script>alert(1)</script>",oil|<b>gold\noil,\n')
    run(["evaluate", "news.deciban", "odd.csv", "--report", "odd.html"])
    page = (files / "odd.html").read_text(encoding="utf-8")
    assert "corn &lt;script&gt;alert(1)" in page
    assert "<script>" not in page
    assert "1 labels of texts are not known to the model" in page


def test_commands_change_models_of_counts(files, capsys):
    run(["train", "news.csv", "--several", "|", "--model", "multinomial", "-o", "news.deciban"])
    capsys.readouterr()
    run(["evaluate", "news.deciban", "news.csv", "--loo", "--json"])
    assert json.loads(capsys.readouterr().out)["protocol"] == "leave-one-out"
    (files / "more.csv").write_text("text,label\ngold shines,gold|metal\n")
    run(["learn", "news.deciban", "more.csv", "-o", "more.deciban"])
    assert "learnt 1 examples; more.deciban now has 25 examples" in capsys.readouterr().out
    run(["forget", "more.deciban", "more.csv"])
    assert deciban.load("more.deciban").counts == deciban.load("news.deciban").counts
    run(["merge", "news.deciban", "more.deciban", "-o", "both.deciban"])
    assert deciban.load("both.deciban").counts == count(Settings(), TEXTS * 2, SETS * 2)
    run(["freeze", "news.deciban", "-o", "small.deciban"])
    assert deciban.load("small.deciban").predict(TEXTS) == deciban.load("news.deciban").predict(TEXTS)


@pytest.mark.parametrize("by", ["posterior", "ratio"])
@pytest.mark.parametrize("label", ["oil", "grain"])
def test_texts_are_ranked_by_the_odds_of_one_label(label, by):
    model = deciban.train(TEXTS, SETS, several="|", model="multinomial")
    r = model.labels.index(label)
    odds = model.scores(TEXTS)[:, r]
    if by == "ratio":
        has = sum(label in those for those in SETS)
        odds = odds - np.log(has / (len(SETS) - has))
    ranked = model.rank(TEXTS, label, top=5, by=by)
    assert [found.place for found in ranked] == np.argsort(-odds, kind="stable")[:5].tolist()
    assert [found.decibans for found in ranked] == pytest.approx(10 / np.log(10) * np.sort(odds)[::-1][:5])
    with pytest.raises(deciban.errors.UnknownLabel):
        model.rank(TEXTS, "no such")


def test_how_deep_to_read_for_one_of_several_labels(files, capsys):
    model = deciban.train(TEXTS, SETS, several="|", model="multinomial")
    found = model.depth(TEXTS, "oil", recall=0.9)
    by_probability = np.sort(model.predict_proba(TEXTS)[:, model.labels.index("oil")])[::-1]
    assert found.held_out == 0
    assert found.depth == found.by_probabilities
    assert by_probability[: found.depth].sum() >= 0.9 * by_probability.sum()
    model.save("news.deciban")
    run(["rank", "news.deciban", "news.csv", "--label", "oil", "--recall", "0.9", "--csv"])
    assert len(capsys.readouterr().out.splitlines()) == 1 + found.depth
    run(["rank", "news.deciban", "news.csv", "--label", "oil"])
    assert "decibans for oil against its absence, by posterior" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["watch", "news.deciban", "news.csv"],
        ["words", "news.deciban"],
        ["recalibrate", "news.deciban", "news.csv"],
        ["predict", "news.deciban", "news.csv", "--coverage", "0.9"],
        ["predict", "news.deciban", "news.csv", "--priors", "adapt"],
        ["evaluate", "news.deciban", "news.csv", "--curve", "--folds", "3"],
        ["evaluate", "news.deciban", "news.csv", "--against", "one.deciban"],
        ["evaluate", "news.deciban", "news.csv", "--coverage", "0.9"],
        ["explain", "news.deciban", "corn", "--against", "oil"],
        ["train", "news.csv", "--several", "|", "--curve"],
        ["merge", "news.deciban", "one.deciban", "-o", "both.deciban"],
    ],
)
def test_what_makes_no_sense_yet_is_one_line(files, command):
    deciban.train(TEXTS, SETS, several="|", model="multinomial").save("news.deciban")
    deciban.train(["a", "b"], ["x", "y"]).save("one.deciban")
    with pytest.raises(deciban.errors.NotForSeveral):
        run(command)


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("a,x|x\n", "bad.csv:2: expected each label once, got 'x' again"),
        ("a,x||y\n", "bad.csv:2: expected a label as text, got an empty one"),
        ("a,\nb,\n", "bad.csv: no text has a label: there is nothing to learn"),
    ],
)
def test_bad_files_are_told_by_their_lines(files, rows, line):
    (files / "bad.csv").write_text("text,label\n" + rows)
    with pytest.raises(deciban.DecibanError) as error:
        run(["train", "bad.csv", "--several", "|"])
    assert str(error.value) == line


def test_json_that_is_no_list_is_told(files):
    (files / "bad.jsonl").write_text('{"text": "a", "labels": ["x"]}\n{"text": "b", "labels": {"x": 1}}\n')
    with pytest.raises(deciban.errors.BadLabels) as error:
        run(["train", "bad.jsonl", "--label", "labels", "--several", "|"])
    assert str(error.value).startswith("bad.jsonl:2: expected labels as a list")


def test_thresholds_are_of_several_labels(files):
    with pytest.raises(UsageError, match="--thresholds says which of --several labels a text gets"):
        run(["train", "news.csv", "--thresholds", "micro"])


def test_folds_from_the_solution_of_all_rows_are_those_of_folds_solved_by_themselves():
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((600, 80)) < 0.1, rng.random((600, 80)), 0.0)
    indptr = np.concatenate([[0], np.cumsum((dense > 0).sum(axis=1))])
    has = dense[:, :3] + 0.3 * rng.normal(size=(600, 3)) > [0.3, 0.6, 0.9]
    ends = np.concatenate([[0], np.cumsum(has.sum(axis=1))])
    found = (indptr, np.nonzero(dense)[1], dense[dense > 0])
    given = solvers.examples(found, 80, np.nonzero(has)[1], 3, ends=ends)
    solver, folds = solvers.Solver("squared_hinge", tolerance=1e-6), np.arange(600) % 5
    ours = solvers.folded(given, solver, [0.3, 1.0], folds)
    whole, held = solvers.fit(given, solver, [0.3, 1.0]), solvers.held_out(given, solver, [0.3, 1.0], folds)
    for of_cost, alone, scores in zip(ours, whole, held, strict=True):
        weights, bias = solvers.weights(given, of_cost)
        assert weights == pytest.approx(alone.weights, abs=5e-3)
        assert bias == pytest.approx(alone.bias, abs=5e-3)
        assert np.abs(of_cost.scores - scores).mean() < 0.01
        assert np.corrcoef(of_cost.scores.ravel(), scores.ravel())[0, 1] > 0.999
    again = solvers.folded(given, replace(solver, threads=3), [0.3, 1.0], folds)
    assert all((a.scores == b.scores).all() for a, b in zip(ours, again, strict=True))
    with pytest.raises(ValueError, match="squared hinge"):
        solvers.folded(given, solvers.Solver("logistic"), [1.0], folds)
    with pytest.raises(ValueError, match="folds do not fit"):
        solvers.folded(given, solver, [1.0], folds[1:])
