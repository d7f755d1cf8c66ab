"""Labels that are paths: trees, sums of counts, both ways to weigh them, decisions that stop where they are unsure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban
from deciban import tree as tree_module
from deciban.classifier import Classifier
from deciban.cli import run
from deciban.counts import count
from deciban.decision import log_posterior
from deciban.errors import (
    BadSetting,
    EmptyStep,
    NoFlatWeights,
    NoHierarchy,
    NoPaths,
    NotForModel,
    NotForSeveral,
    OtherTrainingTexts,
    TooManyShared,
    UnknownLabel,
)
from deciban.hierarchy import shared
from deciban.hierarchy.sums import at_depth, summed
from deciban.rows import rows
from deciban.selection.kinship import Shown, kinship, left_out, steps
from deciban.settings import LEVELLED, Settings
from deciban.terms import Terms
from deciban.tree import shelves, tree_of
from deciban.units import decibans

TEXTS = [
    "oil on canvas",
    "canvas and paint",
    "a disk for the mac",
    "mac desktop with a disk",
    "windows and a disk drive",
    "drive letters in windows",
    "disk talk in general",
    "the engine of a car",
    "car and engine oil",
    "a bike without engine",
    "the drive of a bike",
    "paint the car",
]
LABELS = [
    "art",
    "art",
    "comp/sys/mac",
    "comp/sys/mac",
    "comp/sys/win",
    "comp/sys/win",
    "comp",
    "rec/car",
    "rec/car",
    "rec/bike",
    "rec/bike",
    "rec/car",
]
WAYS = ("flat", "shared:0.3", "top-down:3")
words = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4).map(" ".join)
paths = st.lists(st.sampled_from("xyz"), min_size=1, max_size=3).map("/".join)
corpora = st.lists(st.tuples(words, paths), min_size=3, max_size=12).filter(lambda of: len({y for _, y in of}) > 1)


def trained(levels: str, model: str = "multinomial", calibration: str = "none", **more: object) -> Classifier:
    return deciban.train(TEXTS, LABELS, hierarchy="/", levels=levels, model=model, calibration=calibration, **more)


def below(path: str, label: str) -> bool:
    return not path or label == path or label.startswith(path + "/")


def slow_top_down(shelf: dict[str, str], **how: object) -> np.ndarray:
    """Log probabilities of labels by flat models: of shelves, and of the labels on each."""
    labels = sorted(set(LABELS))
    shelves_alone = deciban.train(TEXTS, [shelf[y] for y in LABELS], calibration="none", **how)
    of_shelf = dict(zip(shelves_alone.labels, shelves_alone.predict_log_proba(TEXTS).T, strict=True))
    found = np.array([of_shelf[shelf[label]] for label in labels]).T
    for name in sorted(set(shelf.values())):
        here = [(text, y) for text, y in zip(TEXTS, LABELS, strict=True) if shelf[y] == name]
        if len({y for _, y in here}) > 1:
            inside = deciban.train([t for t, _ in here], [y for _, y in here], calibration="none", **how)
            found[:, [labels.index(y) for y in inside.labels]] += inside.predict_log_proba(TEXTS)
    return found


def slow_kinship(texts: list[str], labels: list[str]) -> dict[str, float]:
    """How much terms count, pair by pair of texts."""
    words = [set(text.split()) for text in texts]
    ways = [{*accumulate(y.split("/"), "{}/{}".format)} for y in labels]
    pairs = [*combinations(range(len(texts)), 2)]
    common = [len(ways[one] & ways[other]) for one, other in pairs]
    near = [n - min(common) for n in common]
    mean, found = sum(near) / len(near), dict.fromkeys(set().union(*words), 1.0)
    for term in found if mean else ():
        those = [n for n, (one, other) in zip(near, pairs, strict=True) if term in words[one] & words[other]]
        found[term] = math.sqrt((sum(those) + 3 * mean) / (len(those) + 3) / mean)
    return found


def slow_shared(model: str, share: float) -> np.ndarray:
    """Scores of labels by flat models, one of each level, word by word."""
    flat = deciban.train(TEXTS, LABELS, model=model, calibration="none")
    g = slow_kinship(TEXTS, LABELS)
    binary = flat.settings.is_binary
    words = [sorted(set(text.split())) if binary else text.split() for text in TEXTS]

    def scores(of: Classifier) -> np.ndarray:
        empty = of.scores([""])[0]
        return np.array([empty + sum(g[word] * (of.scores([word])[0] - empty) for word in each) for each in words])

    found = scores(flat)
    for depth in (1, 2):
        cut = ["/".join(label.split("/")[:depth]) for label in LABELS]
        level = deciban.train(TEXTS, cut, model=model, calibration="none", prior="uniform")
        number = [level.labels.index("/".join(label.split("/")[:depth])) for label in flat.labels]
        found = found + share * scores(level)[:, number]
    return found


# Trees


def test_a_label_with_others_below_it_is_a_node_and_the_first_of_its_children() -> None:
    tree = tree_of(sorted(set(LABELS)), "/")
    assert tree.names[:4] == ("", "art", "comp", "rec")
    assert [tree.names[child] for child in tree.children(tree.node("comp"))] == ["comp", "comp/sys"]
    assert [tree.labels[r] for r in tree.below(tree.node("comp"))] == ["comp", "comp/sys/mac", "comp/sys/win"]


def test_a_step_that_leaves_no_choice_is_no_node() -> None:
    tree = tree_of(["world/art/old", "world/comp/mac", "world/comp/win"], "/")
    assert tree.names == ("world", "world/art/old", "world/comp", "world/comp/mac", "world/comp/win")
    assert tree.node("world") == 0
    assert tree.node("world/art") == tree.node("world/art/old") == 1


@given(st.sets(paths, min_size=1, max_size=12))
def test_every_label_is_one_leaf_and_children_stand_side_by_side(labels: set[str]) -> None:
    tree = tree_of(sorted(labels), "/")
    assert sorted(r for node in range(len(tree)) if not tree.children(node) for r in tree.below(node)) == [
        *range(len(labels))
    ]
    assert [child for node in range(len(tree)) for child in tree.children(node)] == [*range(1, len(tree))]
    for number, label in enumerate(tree.labels):
        assert tree.names[tree.leaves[number]] == label
        assert all(below(tree.names[node], label) for node in tree.way(number))


@given(st.sets(paths, min_size=2, max_size=12), st.integers(1, 13))
def test_shelves_hold_every_label_once_and_no_more_than_fit(labels: set[str], most: int) -> None:
    tree = tree_of(sorted(labels), "/")
    found = shelves(tree, most)
    held = [found.below(shelf) for shelf in found.children(0)]
    assert sorted(label for shelf in held for label in shelf) == [*range(len(labels))]
    assert all(len(shelf) <= most for shelf in held)
    assert [child for node in range(len(found)) for child in found.children(node)] == [*range(1, len(found))]
    assert all(found.names[found.leaves[r]] == label for r, label in enumerate(found.labels) if len(held) < len(labels))
    if most >= len(labels):
        assert len(held) == len(labels)  # one shelf is one decision, among all labels
    assert len(shelves(tree)) == 1 + len(labels)
    for node in range(1, len(tree)):  # what one shelf holds of a node below which more would fit, it holds whole
        here = set(tree.below(node))
        if len(here) <= most < len(labels):
            assert any(here <= set(shelf) for shelf in held)


# Sums


@given(corpora, st.integers(1, 3))
def test_sums_are_what_counting_by_ancestors_gives(corpus: list[tuple[str, str]], depth: int) -> None:
    texts, labels = map(list, zip(*corpus, strict=True))
    found, number = at_depth(count(Terms(), texts, labels), "/", depth)
    assert found == count(Terms(), texts, ["/".join(label.split("/")[:depth]) for label in labels])
    assert [found.labels[n] for n in number] == ["/".join(y.split("/")[:depth]) for y in sorted(set(labels))]


@given(corpora)
def test_a_node_counts_what_is_below_it(corpus: list[tuple[str, str]]) -> None:
    texts, labels = map(list, zip(*corpus, strict=True))
    counts = count(Terms(), texts, labels)
    tree = tree_of(counts.labels, "/")
    for choice in summed(counts, tree).choices:
        here = {tree.labels[r] for r in tree.below(choice.node)}
        documents = sum(label in here for label in labels)
        assert choice.counts.documents.sum() == documents
        alone = counts.keep_labels(here)
        assert [counts.lexicon.name(int(term)) for term in choice.terms] == alone.lexicon.names()
        assert choice.counts.by_term(choice.counts.occurrences).tolist() == alone.by_term(alone.occurrences).tolist()


# Weighing


@pytest.mark.parametrize("model", LEVELLED)
@pytest.mark.parametrize(("size", "together"), [(3, ()), (4, ("art", "comp")), (5, ("art", "comp"))])
def test_top_down_is_a_flat_model_of_shelves_and_one_on_each(model: str, size: int, together: tuple[str, ...]) -> None:
    first = {label: label.split("/")[0] for label in LABELS}
    shelf = {label: "+".join(together) if step in together else step for label, step in first.items()}
    found = trained(f"top-down:{size}", model).predict_log_proba(TEXTS)
    assert found == pytest.approx(slow_top_down(shelf, model=model), abs=1e-9)


@pytest.mark.parametrize("model", LEVELLED)
def test_top_down_is_flat_where_all_labels_are_on_one_shelf(model: str) -> None:
    found = trained("top-down", model).predict_log_proba(TEXTS)
    assert found == pytest.approx(trained("flat", model).predict_log_proba(TEXTS), abs=1e-9)


@pytest.mark.parametrize("model", LEVELLED)
def test_shared_counts_add_what_flat_models_of_each_level_say_of_terms_that_count_by_kinship(model: str) -> None:
    found = log_posterior(trained("shared:0.3", model).scores(TEXTS))
    assert found == pytest.approx(log_posterior(slow_shared(model, 0.3)), abs=1e-9)


@pytest.mark.parametrize("levels", WAYS[1:])
@pytest.mark.parametrize("model", LEVELLED)
def test_leave_one_out_is_training_without(model: str, levels: str) -> None:
    model_of_all = trained(levels, model)
    held = model_of_all.leave_one_out().scores
    for i, text in enumerate(TEXTS):
        if levels == "top-down:3" and LABELS.count(LABELS[i]) == 1:
            continue  # its label leaves, too, and others find room on its shelf
        others = [j for j in range(len(TEXTS)) if j != i]
        without = Classifier(
            model_of_all.settings, count(Terms(), [TEXTS[j] for j in others], [LABELS[j] for j in others])
        )
        expected = np.full(len(model_of_all.labels), -np.inf)
        expected[[model_of_all.labels.index(label) for label in without.labels]] = without.scores([text])[0]
        assert log_posterior(held[i]) == pytest.approx(log_posterior(expected), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(corpora, st.sampled_from(WAYS))
def test_labels_sum_to_one_and_the_best_is_the_most_probable(corpus: list[tuple[str, str]], levels: str) -> None:
    texts, labels = map(list, zip(*corpus, strict=True))
    chosen = Settings.of(hierarchy="/", levels=levels, calibration="none")
    model = Classifier(chosen, count(Terms(), texts, labels))
    p = model.predict_proba(texts)
    assert p.sum(axis=1) == pytest.approx(1)
    top = model.predict_top(texts, len(model.labels))
    for row, best, order in zip(p, model.predict(texts), top, strict=True):
        assert row[model.labels.index(best)] == pytest.approx(row.max(), rel=1e-12)
        assert [probability for _, probability in order] == pytest.approx(sorted(row, reverse=True), rel=1e-9)


@pytest.mark.parametrize("levels", WAYS)
def test_learning_forgetting_and_merging_are_training(levels: str) -> None:
    whole, texts = trained(levels), ["the mac of a car", "oil"]
    part = deciban.train(TEXTS[:9], LABELS[:9], hierarchy="/", levels=levels, model="multinomial", calibration="none")
    rest = deciban.train(TEXTS[9:], LABELS[9:], hierarchy="/", levels=levels, model="multinomial", calibration="none")
    expected = whole.scores(texts)
    assert np.array_equal((part + rest).scores(texts), expected)
    assert np.array_equal(part.learn(TEXTS[9:], LABELS[9:]).scores(texts), expected)
    assert part.learn(["a new kind"], ["rec/boat/sail"]).labels[-1] == "rec/car"
    assert np.array_equal(part.forget(["a new kind"], ["rec/boat/sail"]).scores(texts), expected)


@pytest.mark.parametrize("levels", WAYS)
@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("calibration", ["none", "auto"])
def test_a_file_answers_the_same(levels: str, frozen: bool, calibration: str, tmp_path: Path) -> None:
    model = deciban.train(
        TEXTS * 3, LABELS * 3, hierarchy="/", levels=levels, model="multinomial", calibration=calibration
    )
    model.save(tmp_path / "m.deciban", frozen=frozen)
    loaded = deciban.load(tmp_path / "m.deciban")
    assert loaded.settings.levels == model.settings.levels
    assert np.array_equal(loaded.scores(TEXTS), model.scores(TEXTS))
    assert loaded.predict(TEXTS) == model.predict(TEXTS)
    assert loaded.explain_levels(TEXTS[2]) == model.explain_levels(TEXTS[2])


def test_calibrated_decisions_are_less_sure_and_still_sum_to_one() -> None:
    raw, honest = (trained("top-down", calibration=method) for method in ("none", "auto"))
    honest = deciban.train(TEXTS * 5, [*LABELS * 4, *LABELS[::-1]], hierarchy="/", levels="top-down:3", alpha=0.1)
    assert honest.calibration is not None
    assert honest.calibration.loss < honest.calibration.raw
    assert honest.predict_proba(TEXTS).sum(axis=1) == pytest.approx(1)
    assert raw.calibration is None


def test_a_prior_that_is_given_is_that_of_all_labels_below_a_child() -> None:
    given_prior = dict.fromkeys(sorted(set(LABELS)), 1.0) | {"rec/bike": 5.0}
    model = trained("top-down:3", prior=given_prior)
    p = dict(zip(model.labels, model.predict_proba(["?"])[0].tolist(), strict=True))
    assert p == pytest.approx({label: share / 10 for label, share in given_prior.items()})
    assert trained("top-down:3", prior="uniform").predict_proba(["?"])[0] == pytest.approx([1 / 6] * 6)


# Decisions


def test_the_deepest_node_that_is_sure_enough() -> None:
    model = trained("flat")
    p = dict(zip(model.labels, model.predict_proba(["a disk"])[0].tolist(), strict=True))
    of_comp = sum(of for label, of in p.items() if label.startswith("comp"))
    assert model.predict_node(["a disk"], of_comp - 1e-9) == [("comp", pytest.approx(of_comp))]
    assert model.predict_node(["a disk"], of_comp + 1e-9) == [("", pytest.approx(1.0))]
    assert model.predict_node(["a disk"], 1e-9)[0][0] == model.predict(["a disk"])[0]


@pytest.mark.parametrize("levels", WAYS)
def test_each_level_adds_up(levels: str) -> None:
    model, text = trained(levels), "the disk of a mac desktop"
    found = model.explain_levels(text)
    assert [level.path for level in found] == ["comp", "comp/sys", "comp/sys/mac"]
    p = dict(zip(model.labels, model.predict_log_proba([text])[0].tolist(), strict=True))
    for level in found:
        here = [math.exp(of) for label, of in p.items() if below(level.path, label)]
        assert level.probability == pytest.approx(sum(here))
        why = level.evidence
        assert why.total == pytest.approx(why.prior + sum(term.decibans for term in why.terms))
        if levels == "top-down:3" and level is found[0]:  # of shelves
            one, other = (
                sum(math.exp(of) for y, of in p.items() if below(path, y)) for path in (why.label, why.against)
            )
            assert (why.label, why.against) == ("comp", "rec")
            assert why.total == pytest.approx(10 * math.log10(one / other), abs=1e-6)
        else:
            assert why.total == pytest.approx(10 / math.log(10) * (p[why.label] - p[why.against]), abs=1e-6)
    assert [level.path for level in model.explain_levels(text, "rec")] == ["rec"]


def test_two_labels_are_told_apart_where_their_ways_part() -> None:
    model = trained("top-down:3")
    assert (model.explain("oil", "art", "rec/car").label, model.explain("oil", "art", "rec/car").against) == (
        "art",
        "rec",
    )
    assert model.explain("oil", "rec/bike", "rec/car").against == "rec/car"
    assert model.explain("oil").label in ("art", "rec")


def test_the_way_is_chosen_by_leave_one_out_and_told() -> None:
    model = deciban.train(TEXTS * 2, LABELS * 2, hierarchy="/", model="multinomial")
    assert model.provenance[0]["levels"].keys() == {"shared:0.2", "flat"}
    told = model.provenance[0]["levels"]
    assert told[model.settings.levels] >= told["flat"]
    assert model.asked.levels == "auto"
    assert deciban.train(TEXTS, LABELS, hierarchy="/").settings.model in LEVELLED


def test_ways_that_are_equally_right_are_flat() -> None:
    by_chance = ["a b", "b c", "c d", "d a"]  # no word says anything but the last, and that speaks for no branch
    texts = [f"{words} {name}" for words in by_chance * 30 for name in ("uu", "vv", "xx", "yy")]
    labels = ["p/u", "q/v", "p/x", "q/y"] * (len(texts) // 4)
    model = deciban.train(texts, labels, hierarchy="/", model="multinomial")
    told = model.provenance[0]["levels"]
    assert told["flat"] == told["shared:0.2"] == 100
    assert model.settings.levels == "flat"


def test_what_gets_more_right_when_left_out_is_shared() -> None:
    rng = np.random.default_rng(0)
    labels = [f"{branch}/{leaf}" for branch in "pqrs" for leaf in "uvwx" for _ in range(4)]
    texts = []
    for label in labels:  # one word of the leaf, some of the many of its branch, some of all
        of_branch, of_all = rng.choice(20, 3), rng.choice(50, 4)
        words = [f"{label[0]}{n}" for n in of_branch] + [f"z{n}" for n in of_all]
        texts.append(" ".join([f"{label[0]}{label[2]}{rng.integers(3)}", *words]))
    model = deciban.train(texts, labels, hierarchy="/", model="multinomial")
    told = model.provenance[0]["levels"]
    assert model.settings.way == "shared"
    assert told[model.settings.levels] > told["flat"]


def test_labels_of_several_shelves_may_be_told_apart_top_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_module, "SHELF", 3)
    monkeypatch.setattr(shared, "MOST_WEIGHTS", 3)
    told = deciban.train(TEXTS * 2, LABELS * 2, hierarchy="/", model="multinomial").provenance[0]["levels"]
    assert list(told) == ["top-down", "flat"]


@pytest.mark.parametrize("model", ["logistic", "hinge", "nbsvm"])
def test_a_fitted_model_is_flat_and_knows_its_nodes(model: str) -> None:
    fitted = deciban.train(TEXTS * 3, LABELS * 3, hierarchy="/", model=model, cost=1.0)
    assert fitted.settings.way == "flat"
    p = dict(zip(fitted.labels, fitted.predict_proba(["a mac disk"])[0].tolist(), strict=True))
    of_comp = sum(of for label, of in p.items() if below("comp", label))
    assert fitted.predict_node(["a mac disk"], of_comp) == [("comp", pytest.approx(of_comp))]
    first, *others = fitted.explain_levels("a mac disk")
    assert (first.path, first.probability) == ("comp", pytest.approx(of_comp))
    assert others[-1].path in fitted.labels


# What is refused


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda: deciban.train(["a", "b"], ["x//y", "z"], hierarchy="/"), EmptyStep),
        (lambda: deciban.train(["a", "b"], ["/x", "z/a"], hierarchy="/"), EmptyStep),
        (lambda: deciban.train(["a", "b"], ["x", "z"], hierarchy="/"), NoPaths),
        (lambda: deciban.train(["a", "b"], ["x", "z"], hierarchy=""), BadSetting),
        (lambda: deciban.train(["a", "b"], ["x", "z"], hierarchy=3), BadSetting),
        (lambda: deciban.train(["a", "b"], ["x", "z"], levels="flat"), BadSetting),
        (lambda: trained("shared:much"), BadSetting),
        (lambda: trained("top-down:0"), BadSetting),
        (lambda: trained("top-down:few"), BadSetting),
        (lambda: trained("flat:2"), BadSetting),
        (lambda: trained("upwards"), deciban.DecibanError),
        (lambda: trained("top-down", "twcnb"), NotForModel),
        (lambda: trained("shared", "logistic"), NotForModel),
        (lambda: trained("flat").learn(["a"], ["x//y"]), EmptyStep),
        (lambda: trained("flat").rename_label("art", "art/"), EmptyStep),
        (lambda: trained("flat").explain_levels("a", "comp/sys/amiga"), UnknownLabel),
        (lambda: trained("top-down").explain("a", "comp/sys/amiga"), UnknownLabel),
        (lambda: trained("flat").predict_node(["a"], 1.5), BadSetting),
        (lambda: trained("top-down").words(), NoFlatWeights),
        (lambda: trained("top-down").recalibrate(["a"] * 40, ["art", "rec/car"] * 20), OtherTrainingTexts),
        (lambda: deciban.train(TEXTS, LABELS).predict_node(["a"]), NoHierarchy),
        (lambda: deciban.train(TEXTS, [[y] for y in LABELS], several=True, hierarchy="/"), NotForSeveral),
        (lambda: deciban.train(TEXTS, LABELS, hierarchy="/", levels="top-down", unlabelled=["a"]), NotForModel),
    ],
)
def test_bad_input_is_refused(act: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        act()


def test_shared_counts_that_would_not_fit_are_refused_and_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "MOST_WEIGHTS", 3)
    with pytest.raises(TooManyShared):
        trained("shared").predict(["a"])
    assert list(trained("auto").provenance[0]["levels"]) == ["flat"]


@settings(max_examples=60, deadline=None)
@given(corpora)
def test_terms_count_by_how_near_labels_are_and_texts_without_themselves(corpus: list[tuple[str, str]]) -> None:
    texts, labels = map(list, zip(*corpus, strict=True))

    def worth(texts: list[str], labels: list[str]) -> dict[str, float]:
        counts = count(Terms(tokens="whitespace"), texts, labels)
        return dict(
            zip(counts.lexicon.names(), kinship(Shown.of_counts(counts), steps(counts.labels, "/")), strict=True)
        )

    assert worth(texts, labels) == pytest.approx(slow_kinship(texts, labels))
    counts = count(Terms(tokens="whitespace"), texts, labels)
    of, found = Shown.of_counts(counts), rows(counts.lexicon, texts)
    y = counts.numbers(labels)
    assert all(map(np.array_equal, Shown.of_rows(found, y, len(counts.labels), len(counts.lexicon)), of))
    left = np.split(left_out(of, steps(counts.labels, "/"), found, y), found.indptr[1:-1])
    for i, each in enumerate(left):
        without = worth(texts[:i] + texts[i + 1 :], labels[:i] + labels[i + 1 :])
        names = [counts.lexicon.name(term) for term in found.part(slice(i, i + 1)).term]
        assert each == pytest.approx([without.get(name, each[n]) for n, name in enumerate(names)])


def test_a_path_deeper_than_the_tree_is_a_near_miss() -> None:
    found = trained("flat").evaluate(["a mac disk"], ["comp/sys/mac/classic"])
    assert found.accuracy == 0
    assert found.paths("/").recall == pytest.approx(3 / 4)


@pytest.mark.parametrize("of", [{}, {"costs": {("comp", "art"): 9.0, ("art", "comp"): 5.0}}, {"priors": {"art": 0.6}}])
def test_evidence_from_the_root_down_adds_up_to_what_is_decided(of: dict[str, Any]) -> None:
    model, rule = trained("top-down:3"), deciban.Rule(**of)
    decider, shelves = model._decider(rule), []
    for text in ["a mac disk", "the drive of a car", "oil", "?"]:
        log_p = decider.shifted(model.predict_log_proba([text]))[0]
        assert model.explain(text, rule=rule).label == model.decide([text], rule)[0].label
        for one, other in permutations(range(len(model.labels)), 2):
            found = model.explain(text, model.labels[one], model.labels[other], rule)
            assert (found.label, found.against) == (model.labels[one], model.labels[other])
            assert found.probability == pytest.approx(math.exp(log_p[one]))
            assert found.total == pytest.approx(decibans(decider.log_odds(log_p, one, other)), abs=1e-9)
            shelves.append(found.shelves != 0)
    assert {*shelves} == {True, False}


def test_a_path_may_have_more_steps_than_python_calls() -> None:
    labels = ["/".join(["a"] * steps) for steps in range(1, 1500)]
    tree = tree_of(labels, "/")
    assert tree.below(0) == list(range(len(labels)))
    assert tree.below(tree.leaves[-1]) == [len(labels) - 1]


def test_unlabelled_texts_are_learnt_flat() -> None:
    model = deciban.train(TEXTS, LABELS, hierarchy="/", model="multinomial", unlabelled=["a mac", "a car"])
    assert model.settings.levels == "flat"


def test_a_file_whose_columns_are_not_its_nodes_is_damaged(tmp_path: Path) -> None:
    model = trained("top-down:3")
    model.predict(["a"])
    model.settings = replace(model.settings, levels="flat")
    model.save(tmp_path / "m.deciban")
    with pytest.raises(deciban.errors.DamagedModel, match="its labels do not fit its counts"):
        deciban.load(tmp_path / "m.deciban")


# Commands


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    rows = zip(TEXTS * 3, LABELS * 3, strict=True)
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))
    return path


@pytest.mark.parametrize("levels", ["auto", "top-down:3"])
def test_commands(file: Path, levels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, answers = str(tmp_path / "m.deciban"), tmp_path / "answers.csv"
    run(["train", str(file), "--hierarchy", "/", "--levels", levels, "--model", "multinomial", "-o", model])
    assert ("right when each is left out" in capsys.readouterr().out) == (levels == "auto")
    run(["predict", model, str(file), "--min-probability", "0.5", "-o", str(answers)])
    header, first, *_ = answers.read_text().splitlines()
    assert header == "label,probability,leaning"
    assert first.split(",")[0] == first.split(",")[2] == "art"
    run(["evaluate", model, str(file), "--loo"])
    assert "with ancestors: precision" in capsys.readouterr().out
    run(["explain", model, "a mac disk"])
    told = capsys.readouterr().out
    steps = [level.path for level in deciban.load(model).explain_levels("a mac disk")]
    assert re.findall(r"^(\S+)  probability [01]\.\d+$", told, re.MULTILINE) == steps
    assert steps[0] == "comp"
    run(["explain", model, "a mac disk", "--json", "--label", "rec"])
    assert [level["path"] for level in json.loads(capsys.readouterr().out)["levels"]] == ["rec"]


@pytest.mark.parametrize("levels", ["flat", "top-down:3"])
def test_what_decides_is_explained(levels: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, answers = str(tmp_path / "m.deciban"), tmp_path / "answers.csv"

    def said(*arguments: str, text: str = "a disk") -> tuple[str, str]:
        (tmp_path / "one.csv").write_text(f"text\n{text}\n")
        run(["predict", model, str(tmp_path / "one.csv"), *arguments, "-o", str(answers)])
        capsys.readouterr()
        run(["explain", model, text, *arguments])
        return answers.read_text().splitlines()[1].split(",")[0], capsys.readouterr().out

    run(["train", str(file), "--hierarchy", "/", "--levels", levels, "--model", "multinomial", "-o", model])
    label, told = said("--cost", "comp:art=99")
    assert f"decided: {label}" in told
    label, told = said("--min-probability", "0.9", text="nothing")
    assert (label, told.splitlines()[-1]) == ("", "unsure: no branch has 0.9")
    assert "rec  probability" in told
    p = max(deciban.load(model).predict_proba(["a disk"])[0])
    label, told = said("--min-probability", str(p + 1e-6))
    assert label in ("comp", "comp/sys")
    assert f"decided: {label}, probability " in told
    label, told = said("--min-probability", "0.3", "--prior", "comp/sys/mac=0.4")
    assert label
    assert f"decided: {label}, probability " in told
    assert "(other priors)" in told
    run(["set-threshold", model, str(file), "--positive", "art", "--max-false-positive-rate", "0.1"])
    assert "art is " in said()[1]


@pytest.mark.parametrize("prior", [0.5, 0.97])
def test_nodes_are_as_probable_as_priors_make_them(prior: float, file: Path, tmp_path: Path) -> None:
    model, answers = str(tmp_path / "m.deciban"), tmp_path / "answers.jsonl"
    run(["train", str(file), "--hierarchy", "/", "--model", "multinomial", "--levels", "flat", "-o", model])
    more = ["--min-probability", "0.7", "--prior", f"rec/bike={prior}", "--proba", "--json", "-o", str(answers)]
    run(["predict", model, str(file), *more])
    found = [json.loads(line) for line in answers.read_text().splitlines()]
    decided = deciban.load(model).decide(TEXTS, deciban.Rule(priors={"rec/bike": prior}))
    for answer, decision in zip(found, decided, strict=False):
        assert answer["leaning"] == decision.leaning
        assert answer["probabilities"][decision.leaning] == pytest.approx(decision.probability)
        if (node := answer["label"] or "") != "comp":  # which is a label, too
            every = answer["probabilities"].items()
            assert answer["probability"] == pytest.approx(sum(p for label, p in every if below(node, label)))


def test_nodes_are_evaluated_as_they_are_predicted(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, answers, test = str(tmp_path / "m.deciban"), tmp_path / "answers.jsonl", tmp_path / "test.csv"
    test.write_text("text,label\na disk,comp/sys/win\ndrive,rec/bike\nnothing,art\nthe mac,comp/sys/mac\nengine,art\n")
    run(["train", str(file), "--hierarchy", "/", "--model", "multinomial", "--levels", "flat", "-o", model])
    rule = ["--min-probability", "0.99", "--prior", "rec/bike=0.5"]
    run(["predict", model, str(test), *rule, "--json", "--keep", "label", "-o", str(answers)])
    rows = [json.loads(line) for line in answers.read_text().splitlines()]
    nodes, truth = [row["label"] or "" for row in rows], [row["given_label"] for row in rows]
    capsys.readouterr()
    run(["evaluate", model, str(test), *rule, "--json"])
    told = json.loads(capsys.readouterr().out)["nodes"]
    assert (told["answered"], told["examples"]) == (len(nodes) - nodes.count(""), len(rows))
    assert 0 < told["answered"] < len(rows)
    assert told["right"] == sum(bool(node) and below(node, label) for node, label in zip(nodes, truth, strict=True))
    run(["evaluate", model, str(test), *rule])
    assert f"by nodes of a probability of 0.99: {told['answered'] / len(rows):.1%} answered" in capsys.readouterr().out
    run(["evaluate", model, str(test), *rule, "--reject-cost", "0.5"])
    assert "by nodes" not in capsys.readouterr().out
