"""Terms that are worth keeping: what measures say, and that a selection is a mask laid over whole counts."""

import itertools
import json
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import chi2, mutual_info_classif

import deciban
from corpora import columns, corpora, some_text
from deciban.classifier import Classifier
from deciban.cli import run
from deciban.counts import count
from deciban.errors import DecibanError
from deciban.information import entropy, information
from deciban.rows import rows
from deciban.selection import MEASURES, best, measured
from deciban.selection.sparse import worth
from deciban.settings import MEASURES as NAMES
from deciban.settings import Settings
from deciban.smoothing import Beta
from deciban.terms import Terms
from deciban.weighing import weigh
from test_models import KINDS, assert_same_odds, every_model, named, settings_of, strengths

strong = st.floats(0.01, 50.0)
share = st.floats(0.01, 0.99)


def has_labels(corpus, least=2):
    assume(len({label for _, label in corpus}) >= least)
    return corpus


def joint(counts, term, strength, p):
    """P(x, y) of a term's presence and the label, by the regularised estimates: rows x, columns y."""
    n_r = counts.documents
    m_r = np.zeros(len(n_r))
    at = counts.term == term
    m_r[counts.label[at]] = counts.presences[at]
    theta = (m_r + strength * p) / (n_r + strength)
    return np.array([1 - theta, theta]) * n_r / n_r.sum()


def plain_entropy(p):
    return -sum(x * math.log2(x) for x in np.ravel(p) if x > 0)


@given(corpora, strong, share)
def test_mutual_information_is_jaakkolas_and_keeps_the_identities_of_his_background(corpus, strength, p):
    counts = count(Terms(), *columns(has_labels(corpus)))
    found = information(counts, Beta(strength, p).throws)
    for term, bits in enumerate(found):
        both = joint(counts, term, strength, p)
        x, y = both.sum(axis=1), both.sum(axis=0)
        h_x, h_y, h_both = plain_entropy(x), plain_entropy(y), plain_entropy(both)
        definition = sum(
            both[i, r] * math.log2(both[i, r] / (x[i] * y[r])) for i, r in itertools.product(range(2), range(len(y)))
        )
        assert bits == pytest.approx(definition, abs=2e-12)
        assert bits == pytest.approx(h_x - (h_both - h_y), abs=2e-12)  # H(x) - H(x|y)
        assert bits == pytest.approx(h_y - (h_both - h_x), abs=2e-12)  # H(y) - H(y|x): symmetry
        assert -1e-12 <= bits <= min(h_x, h_y) + 2e-12


@given(share)
def test_the_entropy_of_a_coin_is_that_of_its_sides(p):
    assert entropy(np.array([p]))[0] == pytest.approx(plain_entropy([p, 1 - p]))
    assert entropy(np.array([0.5]))[0] == 1.0
    assert entropy(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]


def test_a_term_that_all_labels_have_alike_tells_nothing():
    texts, labels = ["both one", "both", "both one", "both"], ["x", "x", "y", "y"]
    counts = count(Terms(), texts, labels)
    for by in ("mutual-information", "information-gain", "gain-ratio", "chi-square", "odds-ratio", "correlation"):
        assert measured(counts, Settings(), by, 1).tolist() == [0.0, 0.0]


@settings(max_examples=20)
@given(corpora)
def test_measures_are_those_of_others_where_they_are_defined_alike(corpus):
    texts, labels = columns(has_labels(corpus))
    counts = count(Terms(), texts, labels)
    found, y = rows(counts.lexicon, texts), counts.numbers(labels)
    x = np.zeros((len(texts), len(counts.lexicon)))
    x[found.row, found.term] = 1
    assume(x.size)
    of = {by: measured(counts, Settings(), by, 1) for by in MEASURES}
    bits = mutual_info_classif(x, y, discrete_features=True) / math.log(2)
    np.testing.assert_allclose(of["information-gain"], np.maximum(bits, 0), atol=1e-10)
    whole_table = sum(np.nan_to_num(chi2(side, y)[0]) for side in (x, 1 - x))
    np.testing.assert_allclose(of["chi-square"], whole_table, atol=1e-9)
    np.testing.assert_allclose(of["document-frequency"], x.sum(axis=0))
    for term in range(x.shape[1]):
        assert by_hand(x[:, term], y) == pytest.approx(
            [of[by][term] for by in ("correlation", "bi-normal-separation", "odds-ratio", "gain-ratio")], abs=1e-9
        )


def by_hand(x, y):
    """Correlation, separation, odds ratio and gain ratio of a term, label by label."""
    f, total = NormalDist().inv_cdf, [0.0, 0.0]
    correlations = []
    for r in set(y.tolist()):
        own = y == r
        correlations.append(np.corrcoef(x, own)[0, 1] if 0 < x.sum() < len(x) else 0.0)
        a, b, c, d = x[own].sum(), x[~own].sum(), (1 - x[own]).sum(), (1 - x[~own]).sum()
        shares = [min(max(part, 0.0005), 0.9995) for part in (a / (a + c), b / (b + d))]
        total[0] += own.mean() * abs(f(shares[0]) - f(shares[1]))
        total[1] += own.mean() * abs(math.log((a + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))))
    own = plain_entropy([x.mean(), 1 - x.mean()])
    table = [np.mean((x == i) & (y == r)) for i in (0, 1) for r in set(y.tolist())]
    gain = own + plain_entropy([np.mean(y == r) for r in set(y.tolist())]) - plain_entropy(table)
    return [max(correlations), *total, gain / own if own > 0 else 0.0]


def likelihood(f, kept, others):
    """The greatest log-likelihood of occurrences f (terms x labels) where the terms kept may differ by label."""
    total = f.sum()
    free, shared = f[list(kept)], f[list(others)].sum(axis=1)
    logs = [v * math.log(v / total) for v in shared if v]
    logs += [v * math.log(v / of) for column in free.T if (of := column.sum()) for v in column if v]
    return sum(logs) + (free.sum() * math.log(free.sum() / total) if free.sum() else 0.0)


@settings(max_examples=60)
@given(st.integers(2, 3), st.data())
def test_sparse_bayes_is_as_good_as_the_best_of_all_sets_or_says_how_far_from_it(labels, data):
    f = np.array(
        data.draw(st.lists(st.lists(st.integers(0, 9), min_size=labels, max_size=labels), min_size=2, max_size=6))
    )
    f = f[f.sum(axis=1) > 0]
    assume(len(f) > 1)
    top = data.draw(st.integers(1, len(f) - 1))
    texts = [" ".join(f"t{j}" for j, row in enumerate(f) for _ in range(row[r])) for r in range(labels)]
    counts = count(Terms(), texts, [str(r) for r in range(labels)])
    sets = list(itertools.combinations(range(len(f)), top))
    none = likelihood(f, [], range(len(f)))
    gains = {kept: likelihood(f, kept, set(range(len(f))) - set(kept)) - none for kept in sets}
    found = worth(counts, top, binary=False)
    kept = tuple(np.flatnonzero(best(found.gains, top)).tolist())
    assert gains[kept] == pytest.approx(found.gain, abs=1e-9)
    assert found.gain - 1e-9 <= max(gains.values()) <= found.bound + 1e-9
    if found.bound - found.gain < 1e-9:
        assert found.gain == pytest.approx(max(gains.values()), abs=1e-9)


@given(corpora, st.integers(1, 3))
def test_sparse_bayes_of_presences_is_exact(corpus, top):
    counts = count(Terms(), *columns(has_labels(corpus)))
    assume(top <= len(counts.lexicon))
    found = worth(counts, top, binary=True)
    assert found.gain == found.bound == pytest.approx(np.sort(found.gains)[-top:].sum())
    in_bits = found.gains / counts.documents.sum() / math.log(2)
    np.testing.assert_allclose(in_bits, measured(counts, Settings(), "information-gain", top), atol=1e-11)


def test_every_measure_has_a_name_and_a_unit():
    assert list(MEASURES) == list(NAMES)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 30))
def test_the_best_are_the_first_of_the_greatest(scores, top):
    expected = sorted(sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:top])
    assert np.flatnonzero(best(np.array(scores, float), top)).tolist() == expected


some_selection = st.builds("{}:{}".format, st.sampled_from(list(MEASURES)), st.integers(1, 6))


def every_model_but(*left_out):
    return pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in left_out], ids="-".join)


def as_if_only(model, texts):
    """Texts of the words that are kept alone."""
    kept = set(model.lexicon.names())
    return [" ".join(seen.term for seen in Terms().seen(text) if seen.term in kept) for text in texts]


def selecting(kind, corpus, strength, select):
    has_labels(corpus)
    return deciban.train(*columns(corpus), select=select, calibration="none", **settings_of(kind, strength))


@every_model_but(("multinomial", "deleted"), ("twcnb", "laplace"))  # which look at whole texts
@settings(max_examples=8)
@given(corpus=corpora, strength=strengths, select=some_selection, text=some_text)
def test_what_is_not_kept_is_as_if_it_were_not_there(kind, corpus, strength, select, text):
    model = selecting(kind, corpus, strength, select)
    texts, labels = columns(corpus)
    plain = deciban.train(as_if_only(model, texts), labels, **settings_of(kind, strength))
    assert model.selected == plain.counts
    assert np.array_equal(model.scores([*texts, text]), plain.scores(as_if_only(model, [*texts, text])))
    assert np.array_equal(model.leave_one_out().scores, plain.leave_one_out().scores)


@every_model
@settings(max_examples=8)
@given(corpus=corpora, strength=strengths, select=some_selection)
def test_leave_one_out_equals_retraining_with_the_same_terms(kind, corpus, strength, select):
    """The law: the terms that all texts chose are held; all that is weighed is as if the text had never been."""
    model = selecting(kind, corpus, strength, select)
    texts, labels = columns(corpus)
    kept, held = set(model.lexicon.names()), model.leave_one_out().scores
    for i, (text, label) in enumerate(corpus):
        others = deciban.train(texts, labels, select=select, **settings_of(kind, strength)).forget([text], [label])
        counts = others.counts
        mask = np.array([name in kept for name in counts.lexicon.names()], bool)
        card = weigh(counts.of_terms(mask), others.settings)
        there = [model.labels.index(name) for name in counts.labels]
        assert_same_odds(held[i][there], card.scores([text])[0])
        assert np.isneginf(np.delete(held[i], there)).all()


@every_model
@settings(max_examples=5)
@given(a=corpora, b=corpora, strength=strengths, select=some_selection)
def test_learning_forgetting_and_merging_select_anew(kind, a, b, strength, select):
    one, other, both = (selecting(kind, corpus, strength, select) for corpus in (a, b, a + b))
    texts = columns(a + b)[0]
    others = Classifier(one.settings, one.counts)
    for changed in (one + other, others.learn(*columns(b))):
        if kind != ("multinomial", "dirichlet"):  # whose strength stays as it was estimated
            assert np.array_equal(changed.scores(texts), both.scores(texts))
        assert changed.lexicon == both.lexicon
    fewer = others.forget(*columns(b))
    assert np.array_equal(fewer.scores(texts), one.scores(texts))


@every_model_but(("multinomial", "dirichlet"))  # whose strength stays as it was estimated
@settings(max_examples=8)
@given(corpus=corpora, strength=strengths, select=some_selection)
def test_another_choice_needs_no_training(kind, corpus, strength, select, tmp_path_factory):
    whole = deciban.train(*columns(has_labels(corpus)), **settings_of(kind, strength))
    model = selecting(kind, corpus, strength, select)
    by, _, top = select.partition(":")
    assume(int(top) <= len(whole.counts.lexicon))
    texts = columns(corpus)[0]
    path = tmp_path_factory.mktemp("model") / "m.deciban"
    again = whole.select("document-frequency", 1).select(by, int(top))
    again.save(path)
    for same in (again, deciban.load(path), deciban.load(path).select(None).select(by, int(top)), model.freeze()):
        assert np.array_equal(same.scores(texts), model.scores(texts))
        assert same.lexicon == model.lexicon
    assert deciban.load(path).counts == whole.counts
    assert np.array_equal(again.select(None).scores(texts), whole.scores(texts))


@pytest.mark.parametrize(
    "settings",
    [{"model": "logistic", "cost": 1.0}, {"model": "nbsvm", "cost": 1.0}, {"model": "tan", "calibration": "none"}],
)
def test_a_model_that_needs_rows_sees_the_kept_terms_alone(settings, tickets, tmp_path):
    texts, labels = tickets
    model = deciban.train(texts, labels, select="chi-square:60", **settings)
    assert len(model.lexicon) == 60 < len(model.counts.lexicon)
    plain = deciban.train(as_if_only(model, texts), labels, **settings)
    assert np.array_equal(model.scores(texts), plain.scores(as_if_only(model, texts)))
    model.save(tmp_path / "model")
    loaded = deciban.load(tmp_path / "model")
    assert np.array_equal(loaded.scores(texts), model.scores(texts))
    with pytest.raises(DecibanError, match="train it anew"):
        loaded.select("chi-square", 50)
    again = loaded.select("chi-square", 50, texts, labels)
    assert np.array_equal(again.scores(texts), model.select("chi-square", 50).scores(texts))


def test_a_fitted_model_goes_on_with_the_terms_that_are_now_kept(tickets, tmp_path):
    texts, labels = tickets
    deciban.train(texts[::2], labels[::2], model="logistic", cost=1.0, select="chi-square:60").save(tmp_path / "model")
    model = deciban.load(tmp_path / "model")
    before = set(model.lexicon.names())
    model.learn(texts[1::2], labels[1::2])
    whole = deciban.train(texts, labels, model="logistic", cost=1.0, select="chi-square:60")
    assert set(model.lexicon.names()) == set(whole.lexicon.names()) != before
    assert np.mean([a == b for a, b in zip(model.predict(texts), whole.predict(texts), strict=True)]) > 0.9


def test_a_small_frozen_file_answers_the_same(tickets, tmp_path):
    texts, labels = tickets
    model = deciban.train(
        texts, labels, words=(1, 2), chars=(3, 4), select="mutual-information:100", model="multinomial"
    )
    model.save(tmp_path / "whole")
    model.save(tmp_path / "small", frozen=True)
    small = deciban.load(tmp_path / "small")
    assert (tmp_path / "small").stat().st_size < (tmp_path / "whole").stat().st_size / 20
    assert np.array_equal(small.scores(texts), model.scores(texts))
    why = model.explain(texts[0])
    assert str(small.explain(texts[0])) == str(why)
    with pytest.raises(DecibanError, match="frozen"):
        small.select("mutual-information", 5)
    with pytest.raises(DecibanError, match="frozen"):
        small.ranked_terms()


def test_ranked_terms_say_where_they_stand():
    mail = deciban.train(["free money", "money now", "see you", "you now"], ["spam", "spam", "ham", "ham"])
    first = mail.ranked_terms("chi-square", 2)
    assert [(term.name, term.score, term.documents, term.label, term.share) for term in first] == [
        ("money", 4.0, 2, "spam", 1.0),
        ("you", 4.0, 2, "ham", 1.0),
    ]
    assert len(mail.ranked_terms()) == 5


@pytest.mark.parametrize("kind", [("multinomial", "laplace"), ("bernoulli", "beta")], ids="-".join)
def test_few_terms_of_real_texts_are_nearly_as_good(kind, data):
    texts, labels = data("r8", "train", limit=1500)
    test = data("r8", "test", limit=500)
    whole = deciban.train(texts, labels, **named(kind))
    small = whole.select("mutual-information", 1000)
    assert small.evaluate(*test).accuracy > whole.evaluate(*test).accuracy - 0.02


@pytest.fixture
def saved(tickets_model, tmp_path):
    """A copy of the sample's model: commands may replace it."""
    path = tmp_path / "tickets.deciban"
    path.write_bytes(tickets_model.read_bytes())
    return path


def test_the_command_ranks_draws_and_saves(saved, tmp_path, capsys):
    small, plot = tmp_path / "small.deciban", tmp_path / "terms.svg"
    before = saved.read_bytes()
    command = ["select", str(saved), "--by", "chi-square", "--top", "50", "--show", "3"]
    assert run([*command, "--plot", str(plot), "-o", str(small)]) == 0
    shown = capsys.readouterr().out
    whole, model = deciban.load(saved), deciban.load(small)
    first = whole.ranked_terms("chi-square", 3)
    assert [term.name in shown for term in first] == [True] * 3
    assert f"{small} answers by 50 of {len(whole.lexicon):,} terms, the best by chi-square" in shown
    assert first[0].name in plot.read_text()
    assert saved.read_bytes() == before
    assert model.settings.select == "chi-square:50"
    assert model.counts == whole.counts
    texts = ["late parcel", "refund my invoice"]
    assert np.array_equal(model.scores(texts), whole.select("chi-square", 50).scores(texts))
    assert run(["select", str(small), "--by", "all"]) == 0
    assert np.array_equal(deciban.load(small).scores(texts), whole.scores(texts))


def test_the_command_tells_machines_and_freezes(saved, tmp_path, capsys):
    small = tmp_path / "small.deciban"
    assert run(["select", str(saved), "--top", "20", "--frozen", "-o", str(small), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["by"], facts["terms"], len(facts["ranked"])) == ("mutual-information", 20, 20)
    assert facts["ranked"][0]["score"] >= facts["ranked"][1]["score"]
    assert deciban.load(small).frozen
    assert run(["info", str(small)]) == 0
    assert "20 terms" in capsys.readouterr().out


def test_a_fitted_model_is_selected_with_its_file(tickets, tmp_path, capsys):
    file, model = tmp_path / "tickets.jsonl", tmp_path / "fitted.deciban"
    rows = (json.dumps({"text": text, "label": label}) for text, label in zip(*tickets, strict=True))
    file.write_text("\n".join(rows))
    command = ["train", str(file), "--model", "logistic", "--cost", "1", "-o", str(model)]
    assert run([*command, "--select", "chi-square:70"]) == 0
    with pytest.raises(DecibanError, match="train it anew"):
        run(["select", str(model), "--top", "30"])
    assert run(["select", str(model), str(file), "--top", "30"]) == 0
    assert "30 of" in capsys.readouterr().out
    assert len(deciban.load(model).lexicon) == 30


@pytest.mark.parametrize(
    "options",
    [
        ["--select", "chi-square:40"],
        ["--select", "forward:9"],
        ["--term-weights", "learnt", "--select", "chi-square:40"],
    ],
    ids=" ".join,
)
def test_a_report_tells_evidence_as_leave_one_out_has_it(options, tickets, tmp_path, capsys):
    file, model, report = tmp_path / "tickets.jsonl", tmp_path / "m.deciban", tmp_path / "report.html"
    rows = (json.dumps({"text": text, "label": label}) for text, label in zip(*tickets, strict=True))
    file.write_text("\n".join(rows))
    assert run(["train", str(file), "--model", "multinomial", "--calibration", "none", *options, "-o", str(model)]) == 0
    assert "of them kept" in capsys.readouterr().out
    assert run(["evaluate", str(model), str(file), "--loo", "--report", str(report)]) == 0
    assert "terms were selected by the same texts" in capsys.readouterr().out
    assert report.stat().st_size > 1000
    loaded = deciban.load(model)
    held = loaded.leave_one_out(*tickets).scores
    for i in (0, 7, 70):
        left = loaded._without(tickets[0][i], tickets[1][i])
        np.testing.assert_allclose(left.scores([tickets[0][i]])[0], held[i], atol=1e-9)


def test_a_selection_of_more_than_there_is_is_told(tickets, tmp_path, capsys):
    file = tmp_path / "tickets.jsonl"
    rows = (json.dumps({"text": text, "label": label}) for text, label in zip(*tickets, strict=True))
    file.write_text("\n".join(rows))
    command = ["train", str(file), "--model", "multinomial", "--select", "chi-square:99999"]
    assert run([*command, "-o", str(tmp_path / "m.deciban")]) == 0
    assert "--select asks for 99,999 terms, and there are" in capsys.readouterr().err


def test_selections_are_compared(tickets, tmp_path, capsys):
    file = tmp_path / "tickets.jsonl"
    rows = (json.dumps({"text": text, "label": label}) for text, label in zip(*tickets, strict=True))
    file.write_text("\n".join(rows))
    rows = ["few: multinomial --select mutual-information:20", "many: multinomial --select mutual-information:2000"]
    assert run(["compare", str(file), "--model", rows[0], "--model", rows[1], "--folds", "3", "--json"]) == 0
    few, many = (run_["accuracy"] for run_ in json.loads(capsys.readouterr().out)["runs"])
    assert few < many


BAD = {
    "nothing": (None, 5, "by=None: not known"),
    "an unknown measure": ("luck", 5, "by='luck': not known; the known ones are: mutual-information"),
    "no number": ("chi-square", None, "top=None: expected a whole number above 0"),
    "none": ("chi-square", 0, "top=0: expected"),
    "half": ("chi-square", 0.5, "top=0.5: expected"),
    "yes": ("chi-square", True, "top=True: expected"),
    "too many": ("chi-square", 6, "expected at most as many terms as the model has, 5, to keep, got 6"),
}


@pytest.mark.parametrize(("by", "top", "line"), BAD.values(), ids=BAD)
def test_a_bad_selection_is_refused(by, top, line):
    mail = deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
    for select in (mail.select, mail.ranked_terms):
        if select == mail.ranked_terms and top is None:
            continue
        with pytest.raises(DecibanError) as error:
            select(by, top)
        assert line in str(error.value)


@pytest.mark.parametrize(
    "select", ["", "chi-square", "chi-square:", "chi-square:0", "chi-square:-1", "luck:5", 7, ":5"]
)
def test_a_bad_setting_is_refused(select):
    with pytest.raises(DecibanError, match="select="):
        deciban.train(["free money", "see you"], ["spam", "ham"], select=select)


def test_a_selection_of_more_than_there_is_keeps_all():
    model = deciban.train(["free money", "see you"], ["spam", "ham"], select="chi-square:0099")
    assert (model.settings.select, len(model.lexicon)) == ("chi-square:99", 4)
    assert model.forget(["see you"], ["ham"]).lexicon.names() == ["free", "money"]


def test_unlabelled_texts_and_a_selection_do_not_go_together():
    with pytest.raises(DecibanError, match="select='chi-square:2': expected None"):
        deciban.train(["free money", "see you"], ["spam", "ham"], select="chi-square:2", unlabelled=["money"])


@pytest.mark.parametrize("options", [["--frozen"], ["--by", "all", "--top", "3"], ["--top", "0"], ["--show", "-1"]])
def test_wrong_usage_is_refused(options, saved):
    from deciban.cli import UsageError

    with pytest.raises(UsageError):
        run(["select", str(saved), *options])
