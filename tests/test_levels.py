"""Labels that are paths, and committees of the levels above them; what is taken for granted of them by default."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

import deciban
from deciban.classifier import Classifier
from deciban.cli import run
from deciban.errors import BadSetting, DecibanError, NoLeaveOneOut, NotForModel
from deciban.fitting import committee, levels
from deciban.fitting.kin import Views
from deciban.fitting.members import Labelled
from deciban.fitting.plan import Clock
from deciban.fitting.seen import see
from deciban.rows import rows

LEAVES = [f"{branch}/{leaf}" for branch in "pqrs" for leaf in "uvwxy"]


def named(word: str) -> str:
    """Another name for a word, of which no run of characters tells anything."""
    return (
        hashlib.md5(word.encode(), usedforsecurity=False)
        .hexdigest()[:6]
        .translate(str.maketrans("0123456789", "ghijklmnop"))
    )


def drawn(per_label: int, seed: int) -> tuple[list[str], list[str]]:
    """Texts of one word of the leaf, now and then, some of the many of its branch, and some of all."""
    rng = np.random.default_rng(seed)
    labels = [label for label in LEAVES for _ in range(per_label)]
    texts = []
    for label in labels:
        own = [f"{label}{rng.integers(8)}"] if rng.random() < 0.7 else []
        of_branch = [f"{label[0]}{n}" for n in rng.choice(60, 2)]
        texts.append(" ".join(map(named, [*own, *of_branch, *(f"z{n}" for n in rng.choice(50, 4))])))
    return texts, labels


def trained(**how: object) -> Classifier:
    return deciban.train(*drawn(10, 0), hierarchy="/", budget=None, calibration="none", **how)


def test_by_default_it_is_what_it_would_be_flat_and_levels_join_that_help() -> None:
    model, flat = trained(), trained(levels="flat")
    told = model.provenance[0]["levels"]
    assert (model.settings.model, model.settings.levels) == ("committee", "shared")
    assert told["shared"] > told["flat"]
    assert (model.asked.model, model.asked.levels) == ("auto", "auto")
    texts, labels = drawn(40, 1)
    assert model.evaluate(texts, labels).accuracy > flat.evaluate(texts, labels).accuracy + 0.01
    plain = deciban.train(*drawn(10, 0), budget=None, calibration="none")
    assert np.array_equal(flat.scores(texts), plain.scores(texts))


def test_labels_of_one_branch_differ_as_the_committee_of_labels_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a level adds is the same for all labels below one of its nodes, but for what is added to each label."""
    texts = drawn(2, 2)[0]
    shared = trained(model="committee", levels="shared").scores(texts)
    with monkeypatch.context() as patch:
        alone = committee.Weighted(np.eye(2)[0], np.zeros(len(LEAVES)), 0.0)
        patch.setattr(levels, "together", lambda *_, **__: alone)
        own = trained(model="committee", levels="shared").scores(texts)

    def line(one: int, other: int) -> tuple[float, float]:
        """The slope of what one label has more than another, shared against its own, and how far off it is."""
        x, z = own[:, one] - own[:, other], shared[:, one] - shared[:, other]
        slope, between = np.polyfit(x, z, 1)
        return float(slope), float(np.abs(slope * x + between - z).max())

    of_branches = [line(one, other) for one, other in ((0, 1), (5, 7), (12, 13), (19, 15))]
    assert [slope for slope, _ in of_branches] == pytest.approx([of_branches[0][0]] * 4)
    assert max(off for _, off in of_branches) < 1e-6
    assert line(0, 5)[1] > 1e-3


def test_a_level_is_one_of_few_nodes_that_are_not_those_above() -> None:
    found = levels.above([f"all/{branch}/only/{leaf}" for branch in "ab" for leaf in "uvw"], "/")
    assert [(level.nodes, level.number.tolist()) for level in found] == [(2, [0, 0, 0, 1, 1, 1])]
    assert levels.above(("a/b", "c/d", "c/e"), "/") == []


def test_rows_that_are_held_out_have_no_say_in_how_much_terms_count() -> None:
    texts, labels = drawn(4, 0)
    counts, member = trained().counts, committee.MEMBERS[1]
    y = counts.numbers(labels)
    folds = committee.folds_of(y, 4)
    turned = np.where(folds == 2, y[::-1], y)
    one, other = (
        Views(counts, rows(counts.lexicon, texts), Labelled(of, len(LEAVES), np.ones(len(y))), "/", folds)
        for of in (y, turned)
    )
    assert np.array_equal(one.without(member.sight, 2).value, other.without(member.sight, 2).value)
    assert not np.array_equal(one.seen(member.sight).value, other.seen(member.sight).value)


def test_where_there_is_no_time_for_levels_there_are_none() -> None:
    texts, labels = drawn(4, 0)
    counts = trained().counts
    member = committee.MEMBERS[1]
    seen = see(rows(counts.lexicon, texts), counts, member.sight)
    of = Labelled(counts.numbers(labels), len(LEAVES), np.ones(len(labels)))
    folds = committee.folds_of(of.y, 4)
    (level,) = levels.above(counts.labels, "/")
    views = Views(counts, rows(counts.lexicon, texts), of, "/", folds)
    assert not levels.has_time([(member, seen)], views, Clock(1e-9))
    assert levels.has_time([(member, seen)], views, Clock(None))
    assert levels.held_out(level, [(member, seen)], views, Clock(1e-9), 1) is None
    scores = levels.held_out(level, [(member, seen)], views, Clock(None), 1)
    assert scores is not None
    assert scores[0].shape == (len(texts), 4)


def test_it_answers_the_same_from_a_file_and_tells_of_levels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, saved = tmp_path / "texts.tsv", str(tmp_path / "m.deciban")
    file.write_text("label\ttext\n" + "".join(f"{y}\t{x}\n" for x, y in zip(*drawn(10, 0), strict=True)))
    assert run(["train", str(file), "--hierarchy", "/", "--budget", "none", "-o", saved]) == 0
    assert "levels: shared; true labels of held-out texts are so probable" in capsys.readouterr().out
    model, texts = deciban.load(saved), drawn(2, 4)[0]
    assert model.settings.levels == "shared"
    assert model.scores(texts) == pytest.approx(
        deciban.train(*drawn(10, 0), hierarchy="/", budget=None).scores(texts), abs=1e-9
    )
    assert {level.path.count("/") for level in model.explain_levels(texts[0])} == {0, 1}


def test_two_texts_a_label_are_not_smoothed_away() -> None:
    rng = np.random.default_rng(0)
    per = {label: [f"{label[0]}{label[2]}{n}" for n in range(400)] for label in LEAVES}

    def texts(of: list[str]) -> list[str]:
        lengths = {label: 20 + 20 * number for number, label in enumerate(LEAVES)}  # long ones have more of all words
        every = [[*rng.choice(per[y], 4), *(f"z{n}" for n in rng.zipf(1.5, lengths[y]) % 999)] for y in of]
        return [" ".join(words) for words in every]

    model = deciban.train(texts(LEAVES * 2), LEAVES * 2, hierarchy="/", calibration="none")
    plain = deciban.train(texts(LEAVES * 2), LEAVES * 2, calibration="none")
    assert model.settings.smoothing == plain.settings.smoothing == "absolute"


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"model": "committee", "levels": "shared:0.3"}, NotForModel),
        ({"model": "committee", "levels": "top-down"}, NotForModel),
        ({"model": "committee", "levels": "upwards"}, DecibanError),
        ({"model": "logistic", "levels": "shared"}, NotForModel),
        ({"model": "committee", "levels": "shared", "hierarchy": None}, BadSetting),
    ],
)
def test_ways_that_a_fitted_model_does_not_know_are_refused(how: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        deciban.train(*drawn(2, 0), **{"hierarchy": "/", **how})


def test_a_committee_has_no_leave_one_out_and_says_so() -> None:
    with pytest.raises(NoLeaveOneOut):
        trained().leave_one_out()


def test_ways_of_counts_that_are_asked_for_are_models_of_counts() -> None:
    assert trained(levels="shared").settings.way == "shared"
    assert trained(levels="top-down:5").settings.way == "top-down"
