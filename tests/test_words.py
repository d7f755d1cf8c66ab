"""A model as a linear classifier: its strongest words, and its weights for other programs."""

import csv
import json
import zipfile
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

import deciban
import oracle
import oracle_models
from corpora import columns, corpora, seen
from deciban import weightfile
from deciban.errors import DecibanError
from deciban.units import decibans
from test_cli import deciban as command
from test_models import every_model, strengths, trained


def mail(**settings):
    texts = ["free money", "money now", "free lunch", "see you", "see you at lunch", "the report"]
    return deciban.train(texts, ["spam", "spam", "spam", "ham", "ham", "work"], **settings)


@every_model
@settings(max_examples=30)
@given(corpus=corpora, seen=seen, strength=strengths)
def test_a_word_weighs_what_it_adds_to_the_odds(kind, corpus, seen, strength):
    classifier = trained(kind, corpus, seen, strength)
    counts = oracle.Counts(*columns(corpus), **seen)
    presences, how = counts.presences, (strength["prior"], strength["prior_smoothing"])
    for against in (None, classifier.labels[0]):
        for word in classifier.words(against=against, top=5, min_documents=1):
            place = np.array([classifier.counts.lexicon.place(word.term)])
            weight_of = dict(zip(classifier.labels, classifier.scorecard.weights(place)[0], strict=True))
            rest = [s for s in classifier.labels if s != word.label and against in (None, s)]
            prior = np.array([oracle_models.log_prior(counts, s, *how) for s in rest])
            mean = np.logaddexp.reduce(prior + [weight_of[s] for s in rest]) - np.logaddexp.reduce(prior)
            assert word.decibans == pytest.approx(float(decibans(weight_of[word.label] - mean)), abs=1e-9)
            assert (word.against, word.documents) == (against, presences[word.term][word.label])
            assert word.others == sum(presences[word.term][s] for s in rest)


@every_model
@settings(max_examples=30)
@given(corpus=corpora, strength=strengths)
def test_no_stronger_word_is_left_out(kind, corpus, strength):
    classifier = trained(kind, corpus, {}, strength)
    for against in (None, classifier.labels[-1]):
        every = classifier.words(against=against, top=10**6, min_documents=1)
        few = classifier.words(against=against, top=2, min_documents=2)
        for label in classifier.labels:
            weights = [word.decibans for word in every if word.label == label]
            assert weights == sorted(weights, reverse=True)
            often = [word for word in every if word.label == label and word.documents >= 2]
            assert [word for word in few if word.label == label] == often[:2]


def test_two_labels_mirror_each_other():
    model = deciban.train(["good film", "bad film", "good good"], ["pos", "neg", "pos"])
    places = np.arange(len(model.counts.lexicon))
    assert model.weights.exact(places, 0) == pytest.approx(-model.weights.exact(places, 1))
    assert model.weights.exact(places, 0) == pytest.approx(model.weights.exact(places, 0, 1))


def test_rarities_are_left_out_by_default():
    texts = [f"money once{i}" for i in range(300)] + ["lunch"] * 300 + ["lunch at noon"]
    model = deciban.train(texts, ["spam"] * 300 + ["ham"] * 301, model="multinomial")
    assert [(word.name, word.documents, word.others) for word in model.words()] == [
        ("lunch", 301, 0),
        ("money", 300, 0),
    ]
    assert len(model.words("spam", min_documents=1)) == 30
    assert model.words("spam", min_documents=302) == []


def test_what_cannot_be_compared():
    with pytest.raises(DecibanError, match="'eggs' is not a label"):
        mail().words("eggs")
    with pytest.raises(DecibanError, match="'eggs' is not a label"):
        mail().words(against="eggs")
    with pytest.raises(DecibanError, match="got 'spam' twice"):
        mail().words("spam", "spam")
    alone = mail().forget(["see you", "see you at lunch", "the report"], ["ham", "ham", "work"])
    with pytest.raises(DecibanError, match="at least two labels"):
        alone.words()


@pytest.mark.parametrize("given", [{"top": 0}, {"top": "3"}, {"min_documents": -1}, {"min_documents": True}])
def test_what_must_be_a_number(given):
    ((setting, got),) = given.items()
    with pytest.raises(DecibanError, match=f"{setting}={got!r}: expected a whole number above 0"):
        mail().words(**given)


def test_the_words_on_the_command_line(tickets_model):
    found = json.loads(command("words", tickets_model, "--label", "billing", "--top", "5", "--json"))
    assert found == [
        {"name": word.name, **word._asdict()} for word in deciban.load(tickets_model).words("billing", top=5)
    ]
    head, *rows, remark, least = command("words", tickets_model, "--label", "billing", "--top", "5").splitlines()
    assert head.split() == ["billing", "decibans", "of", "177", "texts", "of", "539", "others"]
    assert [row.split()[-3:] for row in rows] == [
        [f"{word['decibans']:+.1f}", str(word["documents"]), str(word["others"])] for word in found
    ]
    about = "decibans for the label against all other labels together, for one occurrence"
    assert remark == f"{about}, before calibration"
    assert least == "words that are in at least 2 texts, or one in a hundred, of the label (--min-documents)"


def test_the_words_of_every_label_on_the_command_line(tickets_model):
    shown = command("words", tickets_model, "--against", "bug", "--min-documents", "9", "--top", "2").splitlines()
    assert len(shown) == 5 * 3 + 2
    assert all("of 117 bug" in line for line in shown[:-2:3])
    assert shown[-2:] == [
        "decibans for the label against bug, for one occurrence, before calibration",
        "words that are in at least 9 texts of the label (--min-documents)",
    ]


def test_certainty_has_no_number_in_json(tmp_path):
    path = tmp_path / "mail.deciban"
    mail(smoothing="none").save(path)
    options = ("words", path, "--label", "spam", "--min-documents", "1", "--top", "3")
    found = json.loads(command(*options, "--json"))
    assert [(word["name"], word["decibans"], word["documents"]) for word in found[:2]] == [
        ("free", None, 2),
        ("money", None, 2),
    ]
    assert [row.split()[2] for row in command(*options).splitlines()[1:3]] == ["+inf", "+inf"]
    ranked = command("rank", path, "-", "--format", "txt", "--label", "spam", "--json", stdin="money\nyou\nmoney you\n")
    rows = [json.loads(line) for line in ranked.splitlines()]
    assert [(row["line"], row["decibans"] is None) for row in rows] == [(1, True), (3, False), (2, True)]
    assert [row["probability"] for row in rows] == pytest.approx([1.0, 1 / 3, 0.0])  # no label can have the second


def exported_csv(path):
    """Labels, b, and weight_of by term, as somebody reads them who has only the file."""
    with open(path, newline="", encoding="utf-8") as file:
        header, bias, *rows = csv.reader(file)
    assert (header[0], bias[0]) == ("term", "(bias)")
    return header[1:], np.array(bias[1:], float), {term: np.array(row, float) for term, *row in rows}


def exported_npz(path):
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    if "W" in arrays:
        return arrays["labels"].tolist(), arrays["b"], dict(zip(arrays["terms"].tolist(), arrays["W"], strict=True))
    names, offsets = arrays["names"].tobytes(), arrays["offsets"]
    weight_of = {}
    for j in range(len(offsets) - 1):
        row = arrays["absent"].copy()
        for p in range(arrays["indptr"][j], arrays["indptr"][j + 1]):
            row[arrays["label"][p]] = arrays["weight"][p]
        weight_of[names[offsets[j] : offsets[j + 1]].decode()] = row
    return arrays["labels"].tolist(), arrays["b"], weight_of


@every_model
@pytest.mark.parametrize(("ending", "dense"), [("csv", None), ("npz", 1 << 30), ("npz", 0)])
@settings(max_examples=20)
@given(corpus=corpora, seen=seen, strength=strengths)
def test_exported_numbers_give_the_scores(kind, ending, dense, corpus, seen, strength, tmp_path_factory):
    classifier = trained(kind, corpus, seen, strength)
    path = tmp_path_factory.mktemp("weights") / f"weights.{ending}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weightfile, "BLOCK", 3)
        if dense is not None:
            patch.setattr(weightfile, "DENSE", dense)
        classifier.export(path)
    labels, b, weight_of = (exported_csv if ending == "csv" else exported_npz)(path)
    assert labels == list(classifier.labels)
    assert len(weight_of) == len(classifier.counts.lexicon)
    texts = columns(corpus)[0]
    for text, scores in zip(texts, classifier.scores(texts), strict=True):
        x = Counter(oracle.terms(text, **seen))
        total = b + sum(
            (1 if classifier.scorecard.binary else n) * weight_of[term] for term, n in x.items() if term in weight_of
        )
        np.testing.assert_allclose(total, scores, rtol=1e-12)


def test_scikit_learn_has_the_same_coefficients(tickets, tmp_path):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    texts, labels = tickets
    deciban.train(texts, labels, alpha=0.3).export(tmp_path / "weights.npz")
    theirs = MultinomialNB(alpha=0.3)
    vectoriser = CountVectorizer()
    theirs.fit(vectoriser.fit_transform(texts), labels)
    with np.load(tmp_path / "weights.npz", allow_pickle=False) as ours:
        assert ours["terms"].tolist() == vectoriser.get_feature_names_out().tolist()
        assert ours["labels"].tolist() == theirs.classes_.tolist()
        np.testing.assert_allclose(ours["W"].T, theirs.feature_log_prob_, rtol=1e-12)
        np.testing.assert_allclose(ours["b"], theirs.class_log_prior_, rtol=1e-12)


def test_names_that_numpy_would_shorten_come_in_parts(tmp_path):
    model = deciban.train(["a a\0", "b"], ["x", "y"], tokens="whitespace")
    model.export(tmp_path / "weights.npz")
    assert set(exported_npz(tmp_path / "weights.npz")[2]) == {"a", "a\0", "b"}


def test_the_export_command(tickets_model, tmp_path):
    for name in ("w.csv", "w.npz"):
        shown = command("export", tickets_model, "-o", tmp_path / name)
        assert shown == f"11,210 terms x 6 labels, saved as {tmp_path / name}\n"
    assert exported_csv(tmp_path / "w.csv")[0] == exported_npz(tmp_path / "w.npz")[0]
    assert zipfile.is_zipfile(tmp_path / "w.npz")


def test_a_frozen_model_ranks_and_is_exported_and_has_no_words(tmp_path):
    frozen, texts = mail().freeze(), ["money", "see you", "lunch"]
    assert frozen.rank(texts, "spam", by="ratio") == mail().rank(texts, "spam", by="ratio")
    frozen.export(tmp_path / "frozen.csv")
    mail().export(tmp_path / "mail.csv")
    assert (tmp_path / "frozen.csv").read_bytes() == (tmp_path / "mail.csv").read_bytes()
    with pytest.raises(DecibanError, match="the model is frozen"):
        frozen.words()


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(DecibanError) as caught:
        mail().export("weights.xlsx")
    assert str(caught.value) == "output='weights.xlsx': expected a name that ends in .csv or .npz"
