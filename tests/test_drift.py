"""Drift: other texts are a worry and the same are not; the mix of labels is found, and answers for it are better."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban import surprise
from deciban.decision.priors import chi_square, mix
from deciban.errors import FrozenModel, NoTexts, UnknownChoice

COUNTED = {"words": (1, 1), "alpha": 0.3}


def halves(texts, labels, seed=0):
    """Two random halves of a set."""
    first = np.random.default_rng(seed).random(len(texts)) < 0.5
    parts = [
        [(text, label) for text, label, one in zip(texts, labels, first, strict=True) if one == side] for side in (1, 0)
    ]
    return [tuple(map(list, zip(*part, strict=True))) for part in parts]


def run(*arguments, cwd):
    command = [sys.executable, "-m", "deciban", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def worries(found):
    return {signal.name for signal in found.signals if signal.worries}


@pytest.mark.parametrize("name", ["trec", "r8", "sms-spam", "agnews-test", "subj"])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_alarm_on_the_other_half_of_a_set(data, name, seed):
    (texts, labels), (others, _) = halves(*data(name, limit=4000), seed)
    found = deciban.train(texts, labels, **COUNTED).watch(others)
    assert worries(found) == set()
    assert "no reason to worry" in found.sentence


@pytest.mark.parametrize(
    ("model", "settings"), [("bernoulli", {}), ("twcnb", {}), ("logistic", {}), ("multinomial", {"chars": (2, 3)})]
)
def test_every_kind_of_model_is_watched(data, model, settings):
    (texts, labels), (others, _) = halves(*data("trec", limit=2000))
    trained = deciban.train(texts, labels, model=model, **settings)
    assert {"unknown terms", "surprise of a term"} & worries(trained.watch(others)) == set()
    assert {"unknown terms", "surprise of a term"} & worries(trained.watch(data("r8", "test", limit=300)[0]))


def test_the_texts_of_training_are_told_from_new_ones(data):
    texts, labels = data("trec", limit=1500)
    found = deciban.train(texts, labels, **COUNTED).watch(texts)
    assert found.is_training
    assert not found.worries
    assert found.sentence == "the texts seem to be those of training: give it new ones"


def test_texts_of_another_language_are_a_worry(data):
    from conftest import DATA, gzip

    with gzip.open(DATA / "tweets-8lang.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = list(map(json.loads, file))
    english, german = ([row for row in rows if row["lang"] == lang] for lang in ("english", "german"))
    model = deciban.train([row["text"] for row in english], [row["label"] for row in english], **COUNTED)
    assert {"unknown terms", "surprise of a term"} <= worries(model.watch([row["text"] for row in german]))


def test_texts_of_a_later_time_and_out_of_scope(data):
    model = deciban.train(*data("20ng", "train", limit=3000), **COUNTED)
    later = model.watch(data("20ng", "test", limit=1500)[0])
    assert worries(later) <= {"mix of labels"}  # the same people write of the same, a few weeks later
    texts, labels = data("clinc150", "train")
    within = [(text, label) for text, label in zip(texts, labels, strict=True) if label != "oos"]
    model = deciban.train(*map(list, zip(*within, strict=True)), **COUNTED)
    texts, labels = data("clinc150", "test")
    scope = {True: [], False: []}
    for text, label in zip(texts, labels, strict=True):
        scope[label == "oos"].append(text)
    assert "unknown terms" in worries(model.watch(scope[True]))
    assert "unknown terms" not in worries(model.watch(scope[False]))


def test_what_is_normal_is_what_leaving_out_gives(data):
    texts, labels = data("trec", limit=800)
    counts = deciban.train(texts, labels, **COUNTED).counts
    alone = [
        surprise.of_new(
            deciban.train(texts[:i] + texts[i + 1 :], labels[:i] + labels[i + 1 :], **COUNTED).counts, [texts[i]]
        )
        for i in range(0, 800, 40)
    ]
    unknown, _ = surprise.expected(counts)
    found = np.mean([one.unknown[0] for one in alone])
    assert abs(found - unknown) < 0.1


@given(st.integers(2, 5), st.integers(1, 200), st.integers(0, 999))
def test_each_step_makes_the_texts_more_likely_and_the_mix_is_one(labels, texts, seed):
    rng = np.random.default_rng(seed)
    before, p = rng.dirichlet(np.ones(labels)), rng.dirichlet(np.ones(labels), texts)
    found = mix(np.log(p), before)
    assert np.isclose(found.now.sum(), 1)
    assert (found.now >= 0).all()
    assert found.gain >= -1e-9
    ratio = p / before

    def likely(now):
        return np.log(ratio @ now).sum()

    for other in rng.dirichlet(np.ones(labels), 20):  # none is more likely than what was climbed to
        assert likely(other) <= likely(found.now) + 1e-4 * texts


def test_a_mix_is_found_where_posteriors_are_right():
    """Texts drawn from two bells; the posteriors are exact, so that the mix is found but for chance."""
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.9
    x = rng.normal(np.where(y, 1.0, -1.0), 1.0)
    log_odds = 2 * x  # of even labels
    log_p = -np.logaddexp(0, np.stack([log_odds, -log_odds], axis=1))
    found = mix(log_p, np.array([0.5, 0.5]))
    assert found.is_other
    assert abs(found.now[1] - 0.9) < 0.01
    same = mix(log_p[rng.permutation(20_000)][:1], np.array([0.5, 0.5]))
    assert not same.is_other
    assert (same.shift == 0).all()


def test_chance_exceeds_its_bound_as_seldom_as_it_says():
    from scipy.stats import chi2

    for degrees in (1, 2, 7, 19, 150):
        assert 5e-5 < chi2.sf(chi_square(degrees), degrees) < 1.1e-4
    assert chi_square(0) == np.inf


def resampled(texts, labels, seed=0):
    """A set in which half of the labels are ten times rarer."""
    rng, names = np.random.default_rng(seed), sorted(set(labels))
    rare = set(names[::2])
    kept = [place for place, label in enumerate(labels) if label not in rare or rng.random() < 0.1]
    return [texts[place] for place in kept], [labels[place] for place in kept]


@pytest.mark.parametrize("name", ["agnews-test", "rt-s", "subj", "sms-spam"])
def test_answers_are_better_for_the_mix_of_the_texts(data, name):
    (texts, labels), others = halves(*data(name, limit=6000))
    model = deciban.train(texts, labels, **COUNTED)
    asked, truth = resampled(*others)
    right = {}
    for priors in ("model", "adapt"):
        p = model.predict_proba(asked, priors=priors)
        own = p[np.arange(len(truth)), [model.labels.index(label) for label in truth]]
        answers = model.predict(asked, priors=priors)
        right[priors] = (sum(map(str.__eq__, answers, truth)), np.log(np.maximum(own, 1e-12)).sum())
    assert right["adapt"][0] > right["model"][0]
    assert right["adapt"][1] > right["model"][1]
    plain, adapted = (model.predict(others[0], priors=priors) for priors in ("model", "adapt"))
    lost = sum(map(str.__eq__, plain, others[1])) - sum(map(str.__eq__, adapted, others[1]))
    assert lost <= 0.005 * len(plain)


def test_bad_input():
    mail = deciban.train(["free money", "see you"], ["spam", "ham"])
    with pytest.raises(UnknownChoice, match="priors='flat': not known; the known ones are: model, adapt"):
        mail.predict(["see"], priors="flat")
    with pytest.raises(UnknownChoice):
        mail.predict_proba(["see"], priors=None)
    with pytest.raises(NoTexts, match="texts: expected texts, got none"):
        mail.watch([])
    with pytest.raises(FrozenModel):
        mail.freeze().watch(["see you"])
    assert mail.predict_proba([], priors="adapt").shape == (0, 2)


def test_the_command(tmp_path, tickets):
    deciban.train(*tickets, **COUNTED).save(tmp_path / "t.deciban")
    (tmp_path / "same.txt").write_text("\n".join(text.replace("\n", " ") for text in tickets[0]), encoding="utf-8")
    (tmp_path / "other.txt").write_text("xyzzy plugh frotz\n" * 50)
    (tmp_path / "none.csv").write_text("text\n")
    done = run("watch", "t.deciban", "other.txt", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "WORRY  unknown terms: 100.0%" in done.stdout
    assert run("watch", "t.deciban", "other.txt", "--fail", cwd=tmp_path).returncode == 3
    told = json.loads(run("watch", "t.deciban", "other.txt", "--json", cwd=tmp_path).stdout)
    assert (told["worries"], told["texts"], len(told["signals"])) == (True, 50, 3)
    done = run("watch", "t.deciban", "none.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "deciban: none.csv: expected texts, got none\n")
    deciban.load(tmp_path / "t.deciban").save(tmp_path / "f.deciban", frozen=True)
    done = run("watch", "f.deciban", "same.txt", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("deciban: f.deciban is frozen")


def test_predict_adapts(tmp_path, data):
    (texts, labels), others = halves(*data("subj", limit=3000))
    deciban.train(texts, labels, **COUNTED).save(tmp_path / "m.deciban")
    asked, _ = resampled(*others)
    (tmp_path / "new.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in asked))
    model = deciban.load(tmp_path / "m.deciban")
    done = run("predict", "m.deciban", "new.jsonl", "--priors", "adapt", "--proba", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("deciban: mix of labels: ")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["label"] for answer in answers] == model.predict(asked, priors="adapt")
    p = [[answer["probabilities"][label] for label in model.labels] for answer in answers]
    assert np.allclose(p, model.predict_proba(asked, priors="adapt"), atol=1e-9)
    top = run("predict", "m.deciban", "new.jsonl", "--priors", "adapt", "--top", "2", cwd=tmp_path).stdout.splitlines()
    assert top[0] == "label,probability,label_2,probability_2"
    assert [line.split(",")[0] for line in top[1:]] == [answer["label"] for answer in answers]
    done = run("predict", "m.deciban", "--priors", "adapt", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "deciban: --priors adapt reads the texts twice: give it a file; see deciban predict --help\n"
    done = run("predict", "m.deciban", "new.jsonl", "--priors", "flat", cwd=tmp_path)
    assert done.returncode == 2
