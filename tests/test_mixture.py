"""Unlabelled texts: the two steps beside a plain definition of them, the climb, the choice, and what a model keeps."""

import json
import math
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deciban
import oracle
from corpora import columns, corpora, seen, some_text
from deciban.counts import count
from deciban.errors import DecibanError
from deciban.mixture import aligned, expect, steps
from deciban.settings import Settings
from terminal import on_a_terminal

texts_without = st.lists(some_text, max_size=8)
strengths = st.fixed_dictionaries({"binary": st.booleans(), "alpha": st.sampled_from([1.0, 0.3, 0.01])})
weights = st.sampled_from([0.03, 0.3, 1.0])


def mixture_of(corpus, texts, **settings):
    chosen = Settings.of(**settings)
    examples = columns(corpus)
    return steps.Mixture.of(count(chosen.terms, *examples), examples, texts, chosen)


def every_text(mixture):
    return np.ones(len(mixture.y), np.bool_)


class PlainSteps:
    """The two steps in plain Python: Counters and loops."""

    def __init__(self, corpus, texts, sharpness, alpha, binary, **seen):
        self.labels = sorted({label for _, label in corpus})
        self.alpha, self.sharpness = alpha, sharpness
        rows = [oracle.terms(text, **seen) for text in texts]
        self.labelled = [(self.once(oracle.terms(text, **seen), binary), label) for text, label in corpus]
        own = {term for row, _ in self.labelled for term in row}
        several = {term for row in rows for term in row if sum(term in other for other in rows) > 1}
        self.lexicon = sorted(own | several)
        self.own = own
        self.rows = [[term for term in self.once(row, binary) if term in own | several] for row in rows]
        self.gamma = alpha * max(len(own), 1) / max(len(self.lexicon), 1)

    @staticmethod
    def once(row, binary):
        return sorted(set(row)) if binary else row

    def log_prior(self, label):
        return math.log(sum(own == label for _, own in self.labelled) / len(self.labelled))

    def supervised(self):
        nu = self.with_expected({})
        total = {r: sum(nu[j, r] for j in self.own) + self.alpha * max(len(self.own), 1) for r in self.labels}
        return {
            (j, r): math.log((nu[j, r] + self.alpha) / total[r]) if j in self.own else 0.0
            for j in self.lexicon
            for r in self.labels
        }

    def with_expected(self, expected):
        nu = {(j, r): expected.get((j, r), 0.0) for j in self.lexicon for r in self.labels}
        for row, label in self.labelled:
            for term in row:
                nu[term, label] += 1
        return nu

    def e(self, log_q):
        expected = {(j, r): 0.0 for j in self.lexicon for r in self.labels}
        for row in self.rows:
            score = {r: self.sharpness * (self.log_prior(r) + sum(log_q[j, r] for j in row)) for r in self.labels}
            most = max(score.values())
            total = sum(math.exp(z - most) for z in score.values())
            for term in row:
                for r in self.labels:
                    expected[term, r] += math.exp(score[r] - most) / total
        return expected

    def m(self, expected, weight):
        nu = self.with_expected({key: weight * value for key, value in expected.items()})
        total = {r: sum(nu[j, r] for j in self.lexicon) + self.gamma * len(self.lexicon) for r in self.labels}
        return {(j, r): math.log((nu[j, r] + self.gamma) / total[r]) for j, r in nu}


@given(corpus=corpora, texts=texts_without, weight=weights, seen=seen, strength=strengths)
def test_the_steps_equal_their_plain_definition(corpus, texts, weight, seen, strength):
    assume(len({label for _, label in corpus}) > 1)
    mixture = mixture_of(corpus, texts, **seen, **strength)
    plain = PlainSteps(corpus, texts, mixture.sharpness, **strength, **seen)
    assert mixture.lexicon.names() == plain.lexicon
    n, bias = mixture._counted(every_text(mixture))
    ours, theirs = mixture._start(n), plain.supervised()
    for _ in range(3):
        shared = mixture._expected(ours, bias)[0]
        expected = plain.e(theirs)
        flat = [[expected[j, r] for r in plain.labels] for j in plain.lexicon]
        np.testing.assert_allclose(shared, np.reshape(flat, shared.shape), rtol=1e-9, atol=1e-12)
        ours, theirs = mixture._log_q(n + weight * shared), plain.m(expected, weight)


@given(corpus=corpora, texts=texts_without, weight=weights, seen=seen, strength=strengths)
def test_the_objective_never_falls(corpus, texts, weight, seen, strength):
    assume(len({label for _, label in corpus}) > 1)
    mixture = mixture_of(corpus, texts, **seen, **strength)
    _, objectives = mixture.climbed(weight, lambda what, done, total: None)
    rises = np.diff(objectives)
    assert (rises >= -1e-9 * abs(objectives[0])).all()
    assert len(objectives) <= steps.MOST_STEPS


def test_the_climb_checks_that_it_climbs():
    with pytest.raises(AssertionError, match="the objective fell from -5"):
        steps._stands([-9.0, -5.0, -6.0])


@given(corpus=corpora, texts=texts_without, weight=weights, seen=seen, strength=strengths)
def test_the_scorecard_is_weighed_from_both_counts(corpus, texts, weight, seen, strength):
    assume(texts and len({label for _, label in corpus}) > 1)
    mixture = mixture_of(corpus, texts, **seen, **strength)
    model = deciban.train(*columns(corpus), unlabelled=texts, unlabelled_weight=weight, **seen, **strength)
    expected, _ = mixture.climbed(weight, lambda what, done, total: None)
    n, bias = mixture._counted(every_text(mixture))
    places = np.arange(len(mixture.lexicon))
    assert model.scorecard.lexicon == mixture.lexicon
    np.testing.assert_allclose(model.scorecard.weights(places), mixture._log_q(n + expected), atol=2 * steps.LEAST)
    np.testing.assert_allclose(model.scorecard.bias, bias)
    assert model.counts == deciban.train(*columns(corpus), **seen, **strength).counts


@given(corpus=corpora, texts=texts_without, seen=seen, strength=strengths)
def test_without_weight_it_is_the_supervised_model(corpus, texts, seen, strength):
    assume(texts and len({label for _, label in corpus}) > 1)
    model = deciban.train(*columns(corpus), unlabelled=texts, unlabelled_weight=0, **seen, **strength)
    supervised = deciban.train(*columns(corpus), **seen, **strength)
    assert model.expected is None
    assert np.array_equal(model.scores(texts), supervised.scores(texts))
    assert np.array_equal(model.leave_one_out().scores, supervised.leave_one_out().scores)


@given(corpus=corpora, texts=texts_without, seen=seen, strength=strengths)
def test_the_choice_is_made_for_any_corpus(corpus, texts, seen, strength):
    assume(texts and len({label for _, label in corpus}) > 1)
    model = deciban.train(*columns(corpus), unlabelled=texts, **seen, **strength)
    assert (model.expected is not None) == model.provenance[-1]["unlabelled"]["kept"]
    assert np.isfinite(model.scores(texts)).all()


def test_a_fold_is_judged_by_texts_of_the_others_alone():
    """A labelled text that says what no other text says cannot help itself."""
    corpus = [(f"own{i} common", "x" if i % 2 else "y") for i in range(20)]
    mixture = mixture_of(corpus, ["own3 filler", "own3 filler", "common filler"])
    fold = steps._dealt(mixture.y)
    n, _ = mixture._counted(fold != fold[3])
    assert not n[mixture.lexicon.place("own3")].any()
    held_out, weight = mixture.chosen(lambda what, done, total: None)
    assert weight == 0.0
    assert max(held_out.values()) <= 0.5


def topics(labelled, unlabelled, seed=0):
    """Two topics of many words each, of which a text has a few: what few labelled texts know, others say more of."""
    draw = np.random.default_rng(seed)

    def text(label):
        return " ".join(f"{label}{word}" if draw.random() < 0.5 else f"any{word}" for word in draw.integers(0, 60, 12))

    labels = ["x", "y"] * (labelled // 2)
    return [text(label) for label in labels], labels, [text("xy"[i % 2]) for i in range(unlabelled)]


def test_unlabelled_texts_help_where_they_can():
    texts, labels, others = topics(16, 1000)
    model = deciban.train(texts, labels, unlabelled=others)
    truth = ["xy"[i % 2] for i in range(1000)]
    assert model.provenance[-1]["unlabelled"]["why"] == "a gain"
    assert (
        model.evaluate(others, truth).accuracy
        > deciban.train(texts, labels, model="multinomial").evaluate(others, truth).accuracy + 0.01
    )


def test_they_are_left_out_where_they_do_not():
    texts, labels, _ = topics(40, 0)
    noise = np.random.default_rng(1).integers(0, 60, (300, 12))
    others = [" ".join(f"{'xy'[i % 2]}{word} {'yx'[i % 2]}{word}" for i, word in enumerate(row)) for row in noise]
    model = deciban.train(texts, labels, unlabelled=others)
    assert model.expected is None
    assert model.provenance[-1]["unlabelled"]["why"] == "no gain"
    assert model.predict(texts) == deciban.train(texts, labels, model="multinomial").predict(texts)


def test_labels_that_are_not_to_be_told_are_not_guessed_by():
    draw = np.random.default_rng(3)
    texts = [f"w{a} w{b}" for a, b in draw.integers(0, 9, (30, 2))]
    model = deciban.train(texts, [str(label) for label in draw.integers(0, 2, 30)], unlabelled=texts)
    assert model.expected is None
    assert model.provenance[-1]["unlabelled"]["held_out"] is None


def test_on_real_texts_they_add_ten_points(data):
    texts, labels = data("agnews-test", limit=3800)
    few = [i for label in sorted(set(labels)) for i in [i for i, own in enumerate(labels) if own == label][:16]]
    others = [i for i in range(len(texts)) if i not in set(few)]
    some = [texts[i] for i in few], [labels[i] for i in few]
    judged = [texts[i] for i in others], [labels[i] for i in others]
    before = deciban.train(*some, model="multinomial").evaluate(*judged).accuracy
    assert deciban.train(*some, unlabelled=judged[0]).evaluate(*judged).accuracy > before + 0.1


@pytest.fixture(scope="module")
def model():
    texts, labels, others = topics(16, 200)
    return deciban.train(texts, labels, unlabelled=others, unlabelled_weight=0.5)


def fresh():
    texts, labels, others = topics(16, 200)
    return deciban.train(texts, labels, unlabelled=others, unlabelled_weight=0.5)


def test_threads_never_matter(model):
    texts, labels, others = topics(16, 4000)
    one, several = (
        deciban.train(texts, labels, unlabelled=others, unlabelled_weight=0.5, threads=threads) for threads in (1, 3)
    )
    assert np.array_equal(one.expected.count, several.expected.count)
    assert np.array_equal(one.scores(others), several.scores(others))


def test_columns_are_texts_too(model):
    texts, labels, others = topics(16, 200)
    again = deciban.train(texts, labels, unlabelled=pa.array(others), unlabelled_weight=0.5)
    assert np.array_equal(again.scores(others), model.scores(others))


def test_a_file_keeps_both_counts_apart(model, tmp_path):
    texts = topics(16, 200)[2]
    for learnt in (model, fresh().learn(["x1 x2 brandnew", "zz"], ["x", "z"])):
        learnt.save(tmp_path / "m")
        again = deciban.load(tmp_path / "m")
        assert again.counts == learnt.counts
        assert again.provenance == learnt.provenance
        assert np.array_equal(again.scores(texts), learnt.scores(texts))
        assert again.expected.count.sum() == pytest.approx(learnt.expected.count.sum())
        again.learn(["x1"], ["y"])
        assert np.array_equal(again.scores(texts), deciban.load(tmp_path / "m").learn(["x1"], ["y"]).scores(texts))
        again = deciban.load(tmp_path / "m")
        again.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_frozen_one_answers_the_same(model, tmp_path):
    texts = topics(16, 200)[2]
    assert np.array_equal(model.freeze().scores(texts), model.scores(texts))
    model.save(tmp_path / "m", frozen=True)
    assert np.array_equal(deciban.load(tmp_path / "m").scores(texts), model.scores(texts))
    assert deciban.load(tmp_path / "m").expected is None


def test_learning_adds_to_the_counts_and_leaves_the_expected_ones():
    model, texts = fresh(), ["x1 x2 brandnew", "zz top"]
    expected = model.expected
    model.learn(texts, ["x", "z"])
    assert model.expected is expected
    assert model.counts == fresh().counts + count(model.settings.terms, texts, ["x", "z"])
    assert [part["examples"] for part in model.provenance] == [16, 0, 2]
    assert model.predict(["zz", "brandnew x5"]) == ["z", "x"]


@pytest.mark.parametrize(
    ("what", "act"),
    [
        ("forgetting", lambda model: model.forget(*(part[:1] for part in topics(16, 0)[:2]))),
        ("dropping labels", lambda model: model.drop_labels(["x"])),
        ("dropping labels", lambda model: model.keep_labels(["x"])),
        ("renaming a label", lambda model: model.rename_label("x", "z")),
        ("merging", lambda model: model + model),
        ("leave-one-out", lambda model: model.leave_one_out()),
    ],
)
def test_what_could_not_be_exact_is_refused(what, act):
    model = fresh()
    with pytest.raises(DecibanError, match=f"^{what} cannot be exact: the model holds expected counts"):
        act(model)
    assert model.counts == fresh().counts
    act(model.without_unlabelled())


def test_without_unlabelled_it_is_as_trained_without(model):
    texts, labels, others = topics(16, 200)
    alone, supervised = model.without_unlabelled(), deciban.train(texts, labels, model="multinomial")
    assert alone.provenance == supervised.provenance
    assert np.array_equal(alone.scores(others), supervised.scores(others))


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), True, "some", None])
def test_a_weight_is_a_share(weight):
    with pytest.raises(DecibanError, match=r"^unlabelled_weight=.*: expected 'auto', or a number from 0 to 1$"):
        deciban.train(["a1", "b1"], ["x", "y"], unlabelled=["a1"], unlabelled_weight=weight)


def test_a_bad_unlabelled_text_is_named_by_its_place():
    with pytest.raises(DecibanError, match=r"^unlabelled\[1\]: expected a text, got None$"):
        deciban.train(["a1", "b1"], ["x", "y"], unlabelled=["a1", None])
    with pytest.raises(DecibanError, match=r"^expected a list or a column of unlabelled texts, got 'a1'$"):
        deciban.train(["a1", "b1"], ["x", "y"], unlabelled="a1")


def damage(count):
    yield np.where(np.arange(len(count)) == 0, np.nan, count)
    yield np.where(np.arange(len(count)) == 0, -1.0, count)
    yield np.where(np.arange(len(count)) == 0, np.inf, count)
    yield count[1:]


def test_expected_counts_of_no_texts_are_damaged(model, tmp_path):
    model.save(tmp_path / "m")
    known, count = aligned(model.counts, model.expected)
    for bad in damage(count):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("deciban.mixture.aligned", lambda *_, bad=bad: (known, bad))
            model.save(tmp_path / "bad")
        with pytest.raises(DecibanError, match="the model is damaged"):
            deciban.load(tmp_path / "bad")


def test_a_report_of_such_a_model(files):
    few, many, path = files
    run("train", few, "--unlabelled", many, "-o", path)
    report = path.with_suffix(".html")
    assert run("evaluate", path, few, "--report", report).stderr == ""
    assert "many.txt (1,000 unlabelled, weight" in report.read_text(encoding="utf-8")


def test_words_and_samples_are_those_of_both_counts(model):
    assert {word.term[0] for word in model.words("x", top=5)} == {"x"}
    known = {*model.scorecard.lexicon.names()}
    drawn = model.sample(50, "x", seed=1)
    assert {word for text in drawn for word in text.text.split()} <= known
    assert {word for text in drawn for word in text.text.split()} - {*model.counts.lexicon.names()}


def test_evidence_adds_up(model):
    why = model.explain("x1 x2 y3 any4")
    assert why.prior + sum(term.decibans for term in why.terms) == pytest.approx(why.total)


def test_expect_tells_what_it_does():
    texts, labels, others = topics(16, 200)
    told = []
    settings = Settings()
    expect(
        count(settings.terms, texts, labels),
        (texts, labels),
        others,
        settings,
        progress=lambda *step: told.append(step),
    )
    assert [what for what, done, _ in told if done == 0] == ["reading unlabelled texts", "choosing their weight"]
    assert told[-1][0].startswith("climbing, objective -")


def run(*arguments):
    command = [sys.executable, "-m", "deciban", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def files(tmp_path):
    texts, labels, others = topics(16, 1000)
    rows = "".join(f"{text},{label}\n" for text, label in zip(texts, labels, strict=True))
    (tmp_path / "few.csv").write_text("text,label\n" + rows)
    (tmp_path / "many.txt").write_text("\n".join(others))
    return tmp_path / "few.csv", tmp_path / "many.txt", tmp_path / "m.deciban"


def test_the_command_says_what_became_of_them(files):
    few, many, path = files
    done = run("train", few, "--unlabelled", many, "-o", path)
    assert done.stderr == ""
    first, second, third = done.stdout.splitlines()
    assert first.startswith("trained on 16 examples of 2 labels, ")
    assert second.startswith("1,000 unlabelled texts at weight ")
    assert ": a gain (held-out accuracy " in second
    assert third == f"saved as {path}"
    assert "few.csv (+16), many.txt (1,000 unlabelled, weight " in run("info", path).stdout
    facts = json.loads(
        run("train", few, "--unlabelled", many, "--unlabelled-weight", "0.5", "-o", path, "--json").stdout
    )
    climb = facts["unlabelled"]
    assert (climb["texts"], climb["kept"], climb["weight"], climb["why"]) == (1000, True, 0.5, "as asked for")
    assert climb["steps"] > 1
    assert climb["objective"] < 0
    left_out = run("train", few, "--unlabelled", many, "--unlabelled-weight", "0", "-o", path).stdout
    assert "1,000 unlabelled texts are not used: as asked for" in left_out
    assert "evaluate" in left_out


def test_the_command_refuses_in_one_line(files):
    few, many, path = files
    many.write_text("")
    assert run("train", few, "--unlabelled", many, "-o", path).stderr.startswith(f"deciban: {many}: expected examples")
    wrong = run("train", few, "--unlabelled", many, "--unlabelled-weight", "2", "-o", path)
    assert "expected auto, or a number from 0 to 1, got '2'" in wrong.stderr
    assert wrong.returncode == 2
    over = run("train", few, "--unlabelled", many, "-o", many)
    assert over.stderr == f"deciban: {many}: cannot write: it is the file to read from\n"
    assert not path.exists()


def test_progress_shows_the_objective(files):
    few, many, path = files
    assert b"climbing, objective -" in on_a_terminal("train", few, "--unlabelled", many, "-o", path)
