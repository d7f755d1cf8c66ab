"""The tree-augmented model: its definition in plain Python, its tree, and what it adds up to."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import deciban
from corpora import columns, corpora, seen, some_text
from deciban import errors
from deciban.errors import DecibanError
from deciban.examples import Source
from deciban.rows import rows
from deciban.settings import Settings
from deciban.training import train_on
from deciban.units import decibans
from deciban.weighing.tan import STRENGTH, spanning_tree

WORDS = ["aa", "bb", "cc", "dd"]
documents = st.lists(st.tuples(st.sets(st.sampled_from(WORDS)), st.sampled_from("xyz")), min_size=2, max_size=12)
strengths = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from([1.0, 0.1, 1e-3]),
        "smoothing": st.sampled_from(["laplace", "beta"]),
        "tree_terms": st.sampled_from([1, 3, 9]),
    }
)


def trained(documents, **settings):
    assume(len({label for _, label in documents}) > 1)
    texts = [" ".join(sorted(words)) for words, _ in documents]
    return deciban.train(texts, [label for _, label in documents], model="tan", **settings)


def number(documents, label, has=(), lacks=()):
    return sum(y == label and {*has} <= x and not {*lacks} & x for x, y in documents)


def coin(documents, lexicon, strength, word, label):
    """p_jr of the Bernoulli model (Aggarwal 5.17, Jaakkola)."""
    alpha, n = strength["alpha"], number(documents, label)
    if strength["smoothing"] == "beta":
        return (number(documents, label, [word]) + alpha / 2) / (n + alpha)
    mean = sum(len(x) for x, _ in documents) / len(documents)
    throws = 2 * alpha if mean == len(lexicon) else alpha * len(lexicon) / mean
    return (number(documents, label, [word]) + alpha) / (n + throws)


def parents(model):
    """The tree that was found, by name."""
    name, pairs = model.lexicon.name, model.scorecard.pairs
    both = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return {name(child): name(parent) for child, parent in both if child != parent}


def log_joint(documents, lexicon, tree, strength, x, label):
    """log p(x, y) by the definition."""
    total = math.log(number(documents, label) / len(documents))
    for word in lexicon:
        p = coin(documents, lexicon, strength, word, label)
        if word in tree:
            state = {"has": [tree[word]]} if tree[word] in x else {"lacks": [tree[word]]}
            seen = number(documents, label, **{**state, "has": [*state.get("has", []), word]})
            p = (seen + STRENGTH * p) / (number(documents, label, **state) + STRENGTH)
        total += math.log(p if word in x else 1 - p)
    return total


def conditional_information(documents, one, other):
    total = 0.0
    for label in {y for _, y in documents}:
        n = number(documents, label)
        for a, b in product([True, False], repeat=2):
            both = sum(y == label and (one in x) == a and (other in x) == b for x, y in documents)
            alone = [sum(y == label and (w in x) == s for x, y in documents) for w, s in ((one, a), (other, b))]
            if both:
                total += both / len(documents) * math.log(both * n / (alone[0] * alone[1]))
    return total


def information(documents, lexicon, strength, word):
    """Jaakkola's I(phi_k; y)."""
    labels = sorted({y for _, y in documents})
    p_y = {y: number(documents, y) / len(documents) for y in labels}
    joint = {}
    for y in labels:
        p = coin(documents, lexicon, strength, word, y)
        joint[y, 1], joint[y, 0] = p_y[y] * p, p_y[y] * (1 - p)
    p_x = {x: sum(joint[y, x] for y in labels) for x in (0, 1)}
    return sum(p * math.log2(p / (p_x[x] * p_y[y])) for (y, x), p in joint.items())


@given(documents, strengths)
def test_scores_equal_the_definition(documents, strength):
    model = trained(documents, **strength)
    lexicon, tree = model.lexicon.names(), parents(model)
    for size in range(len(WORDS) + 1):
        for x in combinations(WORDS, size):
            known = {*x} & {*lexicon}
            expected = [log_joint(documents, lexicon, tree, strength, known, r) for r in model.labels]
            np.testing.assert_allclose(model.scores([" ".join(x)])[0], expected, rtol=1e-9)


@given(documents, strengths)
def test_all_that_can_be_adds_up_to_one(documents, strength):
    model = trained(documents, **strength)
    lexicon = model.lexicon.names()
    texts = [" ".join(x) for size in range(len(lexicon) + 1) for x in combinations(lexicon, size)]
    assert np.exp(model.scores(texts)).sum() == pytest.approx(1.0)


@given(documents)
def test_the_tree_is_the_best_of_all_trees(documents):
    model = trained(documents)
    lexicon, tree = model.lexicon.names(), parents(model)
    weight = {pair: conditional_information(documents, *pair) for pair in combinations(lexicon, 2)}
    assert len(tree) == max(len(lexicon) - 1, 0)
    best, group = 0.0, {word: word for word in lexicon}
    for pair in sorted(weight, key=weight.get, reverse=True):  # Kruskal
        if (gone := group[pair[1]]) != (stays := group[pair[0]]):
            best += weight[pair]
            group = {word: stays if of == gone else of for word, of in group.items()}
    assert sum(weight[tuple(sorted(edge))] for edge in tree.items()) == pytest.approx(best, abs=1e-9)


@given(documents, strengths)
def test_the_tree_is_of_the_terms_that_tell_most_and_begins_with_the_first(documents, strength):
    model = trained(documents, **strength)
    pairs, lexicon = model.scorecard.pairs, model.lexicon.names()
    tells = {word: information(documents, lexicon, strength, word) for word in lexicon}
    inside = {lexicon[j] for j in pairs.first.tolist()}
    assert len(inside) == min(strength["tree_terms"], len(lexicon))
    assert all(tells[a] >= tells[b] - 1e-9 for a in inside for b in {*lexicon} - inside)
    assert all(tells[root] >= max(tells.values()) - 1e-9 for root in inside - parents(model).keys())


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.integers(0, 3), min_size=n * n, max_size=n * n)))
def test_spanning_trees_reach_everything_from_the_first(numbers):
    n = math.isqrt(len(numbers))
    half = np.array(numbers).reshape(n, n)
    parent = spanning_tree(half + half.T)
    assert parent[0] == -1
    for j in range(1, n):
        path = [j]
        while path[-1] > 0:
            path.append(int(parent[path[-1]]))
            assert len(path) <= n
        assert path[-1] == 0


def test_it_learns_what_no_sum_over_single_words_can():
    texts, labels = ["aa bb", "cc", "aa", "bb"] * 10, ["same", "same", "one", "one"] * 10
    given = {"model": "tan", "calibration": "none"}
    assert deciban.train(texts, labels, **given).evaluate(texts, labels).accuracy == 1.0
    assert deciban.train(texts, labels, tree_terms=1, **given).evaluate(texts, labels).accuracy < 1.0


def test_words_that_always_come_together_count_once():
    texts = ["hong kong"] * 90 + ["tokyo"] * 90 + ["paris"] * 160 + ["hong kong"] * 20
    labels = ["asia"] * 180 + ["europe"] * 180
    given = {"model": "tan", "calibration": "none"}
    why = deciban.train(texts, labels, **given).explain("Hong Kong!")
    pair = next(e for e in why.terms if " & " in e.name)
    assert {pair.name, pair.term} <= {"hong & kong", "kong & hong"}
    assert (pair.spans, pair.times) == (((0, 4), (5, 9)), 1)
    apart = deciban.train(texts, labels, tree_terms=1, **given).explain("Hong Kong!")
    assert 0 < why.total < 0.7 * apart.total
    assert pair.name in str(why)
    assert "&amp;" in why._repr_html_()


@given(corpus=corpora, text=some_text, seen=seen)
def test_evidence_adds_up_and_is_the_same_when_loaded(corpus, text, seen, tmp_path_factory):
    assume(len({label for _, label in corpus}) > 1)
    model = deciban.train(*columns(corpus), model="tan", **seen)
    path = tmp_path_factory.mktemp("model") / "m.deciban"
    model.save(path)
    loaded = deciban.load(path)
    assert (loaded.counts, loaded.settings) == (model.counts, model.settings)
    for said in (text, *columns(corpus)[0]):
        scores = dict(zip(model.labels, model.scores([said])[0], strict=True))
        why = model.explain(said)
        assert why.total == pytest.approx(decibans(float(scores[why.label] - scores[why.against])), abs=1e-9)
        assert loaded.explain(said) == why
        assert np.array_equal(loaded.scores([said]), model.scores([said]))


@given(a=corpora, b=corpora, text=some_text, seen=seen)
def test_in_memory_it_learns_forgets_and_merges_as_trained_afresh(a, b, text, seen):
    assume(len({label for _, label in a}) > 1)
    assume(len({label for _, label in b}) > 1)
    one, two, fresh = (deciban.train(*columns(corpus), model="tan", **seen) for corpus in (a, b, a + b))
    texts = [text, *columns(a + b)[0]]
    assert np.array_equal((one + two).scores(texts), fresh.scores(texts))
    assert np.array_equal(one.learn(*columns(b)).scores(texts), fresh.scores(texts))
    again = one.forget(*columns(b))
    assert np.array_equal(again.scores(texts), deciban.train(*columns(a), model="tan", **seen).scores(texts))


@pytest.mark.parametrize(
    "change",
    [
        lambda model, source: model.learn(["free lunch"], ["ham"]),
        lambda model, source: model.forget(["see you"], ["ham"]),
        lambda model, source: model + model,
        lambda model, source: model.learn_from(source),
        lambda model, source: model.forget_from(source),
        lambda model, source: model.rename_label("ham", "mail"),
    ],
)
def test_without_its_examples_it_refuses_to_change_and_loses_nothing(tmp_path, change):
    (tmp_path / "mail.csv").write_text("text,label\nfree money,spam\nsee you,ham\n")
    train_on(Source(tmp_path / "mail.csv"), Settings.of(model="tan")).save(tmp_path / "mail.deciban")
    model = deciban.load(tmp_path / "mail.deciban")
    before = (model.provenance, model.counts, model.scores(["free money"]).tolist())
    with pytest.raises(errors.NeedsExamples, match="a tan model is made of its examples"):
        change(model, Source(tmp_path / "mail.csv"))
    assert before == (model.provenance, model.counts, model.scores(["free money"]).tolist())


def test_leave_one_out_is_refused(tmp_path):
    (tmp_path / "mail.csv").write_text("text,label\nfree money,spam\nsee you,ham\n")
    model = train_on(Source(tmp_path / "mail.csv"), Settings.of(model="tan"))
    for ask in (model.leave_one_out, lambda: model.held_out(Source(tmp_path / "mail.csv"), loo=True)):
        with pytest.raises(errors.NoLeaveOneOut):
            ask()


def test_frozen_it_scores_the_same(tickets, tmp_path):
    model = deciban.train(*tickets, model="tan", tree_terms=50)
    model.save(tmp_path / "small.deciban", frozen=True)
    frozen = deciban.load(tmp_path / "small.deciban")
    assert np.array_equal(frozen.scores(tickets[0]), model.scores(tickets[0]))
    assert [frozen.explain(text) for text in tickets[0][:9]] == [model.explain(text) for text in tickets[0][:9]]


def test_a_file_trains_the_same_model_as_its_examples(tmp_path, tickets):
    rows = "".join(f'"{text.replace(chr(34), chr(34) * 2)}",{label}\n' for text, label in zip(*tickets, strict=True))
    (tmp_path / "tickets.csv").write_text("text,label\n" + rows)
    of_file = train_on(Source(tmp_path / "tickets.csv"), Settings.of(model="tan"))
    assert np.array_equal(of_file.scores(tickets[0]), deciban.train(*tickets, model="tan").scores(tickets[0]))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pairs_add_the_same_on_any_number_of_threads(tickets, threads):
    model = deciban.train(*tickets, model="tan", threads=threads, calibration="none")
    by_row = model.scorecard.scores_of_rows(rows(model.lexicon, tickets[0]))
    np.testing.assert_allclose(model.scores(tickets[0] * 30), np.tile(by_row, (30, 1)), rtol=1e-12)


def test_pairs_count_with_very_many_labels_too():
    """Where labels are asked by their postings, as they are without pairs, pairs would be missed."""
    texts = [f"word{i} common{i % 7} pair{i % 2} twin{i % 2}" for i in range(200)]
    model = deciban.train(texts, [f"label{i % 100}" for i in range(200)], model="tan")
    proba = model.predict_proba(texts)
    assert model.predict(texts) == [model.labels[r] for r in proba.argmax(axis=1)]
    for found, row in zip(model.predict_top(texts, 2), proba, strict=True):
        assert [p for _, p in found] == pytest.approx(sorted(row, reverse=True)[:2])


def test_terms_weigh_the_same_by_row_by_column_and_by_posting(tickets):
    model = deciban.train(*tickets, model="tan", tree_terms=50)
    card = model.scorecard
    rows_of_w = card.weights(np.arange(len(card.lexicon)))
    for r in range(len(card.labels)):
        np.testing.assert_allclose(card.column(r), rows_of_w[:, r], rtol=1e-12)
    np.testing.assert_allclose(card.seen, rows_of_w[model.counts.term, card.label], rtol=1e-12)
    assert [word.name for word in model.words("billing", top=3)]


def test_its_smoothing_is_not_chosen_by_leave_one_out(tickets):
    with pytest.raises(errors.NotForModel, match=r"which takes: laplace, beta$"):
        deciban.train(*tickets, model="tan", smoothing="auto")


@pytest.mark.parametrize("got", [0, -1, 2.0, True, None, "all", 10_001])
def test_the_size_of_the_tree_is_checked(got):
    with pytest.raises(DecibanError, match=r"tree_terms=.*: expected a whole number from 1 to 10000"):
        deciban.train(["a1", "b1"], ["x", "y"], model="tan", tree_terms=got)


@pytest.mark.parametrize(("name", "least"), [("trec", 0.75), ("r8", 0.88)])
def test_it_does_well_on_real_texts(data, name, least):
    model = deciban.train(*data(name, "train"), model="tan")
    assert model.evaluate(*data(name, "test")).accuracy > least
