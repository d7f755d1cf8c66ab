"""The report: what it says, and that nothing in it is alive."""

import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import assume, given, settings

import deciban
from corpora import columns, corpora, seen
from deciban.errors import Unwritable
from deciban.evaluation import Evaluation
from deciban.holdout import HeldOut
from deciban.report import write
from deciban.report.words import strongest

VOID = {"meta", "br"}
CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "{{ 7*7 }} {% raw %} {# x #}",
    "</blockquote></section></style><style>*{background:url(http://evil.example)}",
    "abc\u202egnitsrif\u202d",
    "nul\0bell\x07escape\x1b[31m",
    "javascript:alert(1) <!-- -->",
]


class Page(HTMLParser):
    """A page taken apart; anything that is not closed in order is an error."""

    def __init__(self, html):
        super().__init__()
        self.html, self.open, self.tags, self.attributes, self.pieces = html, [], [], [], []
        self.sections, self.rows = {}, {}
        self.around_svg, self.drawn = [], set()
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag == "svg":
            self.around_svg.append(self.open[-1][0])
        if tag == "svg" or "svg" in [one for one, _ in self.open]:
            self.drawn.add(tag)
        rows = self.rows.setdefault(next((name for _, name in self.open if name), None), [])
        if tag == "tr":
            rows.append([])
        if tag in ("td", "th"):
            rows[-1].append("")
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        within = [tag for tag, _ in self.open]
        if "style" in within:
            return
        self.pieces.append(data)
        if "svg" in within:
            return
        for name in filter(None, (name for _, name in self.open)):
            self.sections[name] = self.sections.get(name, "") + data
            if "td" in within or "th" in within:
                self.rows[name][-1][-1] += data.strip()

    def text(self, section):
        return " ".join(self.sections[section].split())

    def values(self, wanted):
        return [value for _, name, value in self.attributes if name == wanted]

    def body(self, section):
        """The rows of a section's table, but for its head."""
        return self.rows[section][1:]


@pytest.fixture
def report(tmp_path):
    """Writes a report and takes it apart, once it is known to be safe."""

    def reported(model, evaluation, texts, protocol="by hand", **given):
        path = tmp_path / "report.html"
        write(path, model, evaluation, texts, protocol=protocol, **given)
        page = Page(path.read_text(encoding="utf-8"))
        check_inert(page)
        return page

    return reported


def check_inert(page):
    assert set(page.tags).isdisjoint({"script", "img", "image", "link", "iframe", "object", "base", "form", "input"})
    assert set(page.around_svg) <= {"figure"}  # pictures are the report's own
    assert page.drawn <= {"g", "path", "text", "use", "defs", "clippath", "rect", "svg"}
    ids = page.values("id")
    assert len(ids) == len({*ids})
    assert page.tags.count("style") == 1
    assert (("meta", "content", CSP)) in page.attributes
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name in ("src", "srcset", "action")]
    assert {href[1:] for href in page.values("href")} <= set(page.values("id"))
    assert all(href.startswith("#") for href in page.values("href"))
    styles = re.findall(r"<style>(.*?)</style>", page.html, re.DOTALL) + page.values("style")
    assert not [style for style in styles if "url(" in style or "@import" in style or "<" in style]
    assert all(re.fullmatch(r"[a-z0-9 :;,.()%/-]*", style) for style in page.values("style"))
    assert not re.search(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e]", page.html)


def leave_one_out(texts, labels, **given):
    model = deciban.train(texts, labels, **{"model": "multinomial", **given})
    return model, Evaluation(model.leave_one_out())


def certain(labels, truth, predicted):
    """An evaluation with these predictions."""
    places = [labels.index(label) for label in predicted]
    return Evaluation(HeldOut(tuple(labels), truth, np.log(np.eye(len(labels))[places] * 0.9 + 0.05)))


def test_the_answer_comes_first_with_its_interval_baseline_and_protocol(report, tickets):
    texts, labels = tickets
    model, evaluation = leave_one_out(texts, labels, words=(1, 2), alpha=0.3)
    page = report(model, evaluation, texts, "leave-one-out")
    low, high = evaluation.interval
    answer = page.text("answer")
    right = sum(map(str.__eq__, evaluation.held.predicted, labels))
    assert answer.startswith(f"{evaluation.accuracy:.1%} right (accuracy) {right} of 716 texts got the right label.")
    assert f"{low:.1%} to {high:.1%}" in answer
    assert f"Baseline {evaluation.baseline[1]:.1%} always “billing”" in answer
    assert "That is clearly more than without a model" in answer
    assert f"{evaluation.macro_f1:.3f}" in answer
    assert "Protocol leave-one-out 716 examples, 6 labels" in answer
    assert page.html.startswith("<!doctype html>")
    assert page.pieces.index("deciban report") < page.pieces.index("Label by label")


def test_the_tables_hold_the_evaluations_figures(report, tickets):
    texts, labels = tickets
    model, evaluation = leave_one_out(texts, labels)
    page = report(model, evaluation, texts, "leave-one-out")
    for row, of in zip(page.body("labels"), evaluation.by_label, strict=True):
        figures = [f"{figure:.3f}" for figure in (of.precision, of.recall, of.f1)]
        assert row == [of.label, *figures, f"{of.support}", f"{of.support}"]
    matrix = [[int(cell or 0) for cell in row[1:]] for row in page.body("confusion")]
    assert [row[:-1] for row in matrix] == evaluation.confusion.tolist()
    assert [row[-1] for row in matrix] == evaluation.confusion.sum(axis=1).tolist()
    assert page.values("class").count("hit") == len(evaluation.labels)
    assert page.values("class").count("error") == np.count_nonzero(evaluation.confusion) - len(evaluation.labels)


def test_what_is_wrong_if_only_the_surest_are_answered(report, tickets):
    texts, labels = tickets
    model, evaluation = leave_one_out(texts, labels)
    page = report(model, evaluation, texts, "leave-one-out")
    wrong = dict(evaluation.errors)
    named = {"the surest 50 %": 0.5, "the surest 75 %": 0.75, "the surest 90 %": 0.9, "all, 100 %": 1.0}
    found = {row[0]: row[1] for row in page.rows["probabilities"] if row[0] in named}
    assert found == {name: f"{100 * wrong[share]:.1f}%" for name, share in named.items()}
    assert f"about {evaluation.probabilities.calibration_noise:.3f}" in page.text("probabilities")


def test_figures_that_do_not_exist_are_not_shown_as_zero(report):
    model = deciban.train(["aa", "bb", "cc", "dd"], ["one", "two", "three", "four"])
    page = report(model, certain(list(model.labels), ["one", "two"], ["one", "three"]), ["aa", "bb"])
    assert {row[0]: row[1:4] for row in page.body("labels")} == {
        "four": ["–", "–", "–"],
        "one": ["1.000", "1.000", "1.000"],
        "three": ["0.000", "–", "0.000"],
        "two": ["–", "0.000", "0.000"],
    }


def test_words_weigh_the_labels_odds_against_all_others_together(report, tickets):
    texts, labels = tickets
    model, evaluation = leave_one_out(texts, labels, words=(1, 2), alpha=0.3, calibration="none")
    page = report(model, evaluation, texts)
    assert "for the label against all other labels together" in page.text("words")
    words = dict(re.findall(r"([a-z]+) ([+−][0-9.]+)", page.text("words").split("billing")[1].split("bug")[0]))
    assert "refund" in words
    alone, prior = model.predict_proba(["refund"])[0], np.exp(model.scorecard.bias)
    r = model.labels.index("billing")
    factor = (alone[r] / (1 - alone[r])) / (prior[r] / (1 - prior[r]))
    assert words["refund"] == f"{10 * math.log10(factor):+.1f}"
    term = np.array([model.counts.lexicon.place("refund")])
    assert model.weights.exact(term, r)[0] == pytest.approx(math.log(factor), rel=1e-9)


@pytest.mark.parametrize("alpha", [1e-9, 0.3, 10])
def test_words_are_ranked_as_if_all_weights_were_computed(tickets, alpha):
    model, evaluation = leave_one_out(*tickets, alpha=alpha)
    names = model.counts.lexicon.names()
    for r, found in enumerate(strongest(model.weights, evaluation).of_labels):
        texts = np.zeros(len(names))
        texts[model.counts.term[model.counts.label == r]] = model.counts.presences[model.counts.label == r]
        ranks = model.weights.exact(np.arange(len(names)), r) * np.sqrt(texts)
        assert [word.name for word in found.words] == [names[j] for j in np.argsort(-ranks, kind="stable")[:10]]
        assert [word.texts for word in found.words] == np.take(texts, np.argsort(-ranks, kind="stable")[:10]).tolist()


def test_words_that_occur_once_do_not_crowd_out_those_that_matter(report):
    texts = [f"money once{i} and{i}" for i in range(30)] + [f"lunch only{i} or{i}" for i in range(30)]
    model, evaluation = leave_one_out(texts, ["spam"] * 30 + ["ham"] * 30)
    words = report(model, evaluation, texts).text("words")
    assert "ham 30 texts lunch +" in words
    assert "spam 30 texts money +" in words


def test_the_mistakes_are_the_most_confident_ones_with_the_erring_models_reasons(report, tickets):
    texts, labels = tickets
    model, evaluation = leave_one_out(texts, labels, calibration="none")
    held = evaluation.held
    wrong = [i for i in range(len(texts)) if held.predicted[i] != labels[i]]
    wrong.sort(key=lambda i: held.proba[i].max() - 1)
    page = report(model, evaluation, texts, "leave-one-out")
    shown = [int(number) - 1 for number in re.findall(r"example ([0-9]+)", page.text("mistakes"))]
    assert len(shown) == 12
    assert min(held.proba[i].max() for i in shown) >= sorted(held.proba[i].max() for i in wrong)[-12]
    first = shown[0]
    others = texts[:first] + texts[first + 1 :], labels[:first] + labels[first + 1 :]
    rest = deciban.train(*others, model="multinomial", calibration="none")
    why = rest.explain(texts[first], label=held.predicted[first], against=labels[first])
    assert f"= {why.total:+.1f}" in page.text("mistakes")
    assert " ".join(texts[first].split())[:80] in page.text("mistakes")
    assert "the one that was not trained on the text" in page.text("mistakes")


def test_a_very_large_lexicon_is_not_forgotten_from_and_that_is_said(report):
    texts = [" ".join(f"w{i}" for i in range(start, start + 100_000)) for start in (0, 60_000, 120_000)]
    model, evaluation = leave_one_out(texts, ["one", "two", "two"])
    mistakes = report(model, evaluation, texts, "leave-one-out").text("mistakes")
    assert "the full model’s, which has seen the text" in mistakes
    assert re.search(r"… [0-9]{3},[0-9]{3} characters more", mistakes)


def test_a_long_text_is_cut_after_a_word(report):
    long = "refund " * 200
    model = deciban.train(["refund", "parcel"], ["billing", "delivery"])
    page = report(model, certain(["billing", "delivery"], ["delivery"], ["billing"]), [long])
    assert " refund … 806 characters more" in page.text("mistakes")
    assert page.text("mistakes").count("refund") == 85 + 1


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_texts_and_labels_are_inert(report, hostile):
    texts = [f"{hostile} one", f"two {hostile}", f"three {hostile}", "four"]
    labels = [hostile, f"{hostile}2", hostile, "plain"]
    model, evaluation = leave_one_out(texts, labels, tokens="whitespace")
    page = report(model, evaluation, texts, f"test on {hostile}", command=f"deciban {hostile}")
    shown = "".join(page.pieces)
    visible = hostile.translate({0: "␀", 7: "␇", 0x1B: "␛", 0x202E: "\ufffd", 0x202D: "\ufffd"})
    assert f"test on {visible}" in shown
    assert f"deciban {visible}" in shown
    assert "".join(page.sections["mistakes"]).count(visible) >= 3
    assert {f"{visible}", f"{visible}2", "plain"} <= {row[0] for row in page.body("labels")}


def test_a_file_name_that_is_no_unicode_is_shown_somehow(report):
    model = deciban.train(["free money", "see you"], ["spam", "ham"])
    assert "test on ?.csv" in report(model, model.evaluate(["money"], ["spam"]), ["money"], "test on \udcff.csv").text(
        "answer"
    )


@pytest.mark.parametrize("n", [2, 30])
def test_up_to_30_labels_have_a_matrix(report, n):
    texts = [f"word{i} all" for i in range(n) for _ in range(2)]
    labels = [f"label {i:02}" for i in range(n) for _ in range(2)]
    page = report(*leave_one_out(texts, labels), texts)
    assert [len(row) for row in page.rows["confusion"]] == [n + 2] * (n + 1)


def test_more_labels_have_their_most_confused_pairs(report):
    labels = [f"label {i:02}" for i in range(40)]
    model = deciban.train([f"word{i}" for i in range(40)], labels)
    truth = ["label 01"] * 3 + ["label 02"] * 2 + ["label 03"]
    predicted = ["label 05", "label 05", "label 01", "label 07", "label 02", "label 03"]
    page = report(model, certain(labels, truth, predicted), [""] * 6)
    assert page.body("confusion") == [
        ["label 01", "label 05", "2 of 3", "66.7%"],
        ["label 02", "label 07", "1 of 2", "50.0%"],
    ]
    assert "too many labels (40)" in page.text("confusion")


def test_of_very_many_labels_those_with_most_examples_are_shown(report):
    labels = [f"label {i:03}" for i in range(300)]
    model = deciban.train([f"word{i}" for i in range(300)], labels)
    truth = [*labels, "label 299"]
    page = report(model, certain(labels, truth, truth), [""] * 301)
    assert "The 200 labels with most examples, of 300." in page.text("labels")
    assert "label 299" in page.text("labels")
    assert "label 250" not in page.text("labels")
    assert "The 100 labels with most examples, of 300." in page.text("words")


def test_no_mistake_at_all(report):
    texts, labels = ["free money", "money free", "see you", "you see"], ["spam", "spam", "ham", "ham"]
    page = report(*leave_one_out(texts, labels), texts, "leave-one-out")
    assert page.text("answer").startswith("100.0% right (accuracy) 4 of 4 texts got the right label.")
    assert "The most frequent mistake" not in page.text("answer")
    assert "all 4 texts got the right label" in page.text("mistakes")


@pytest.mark.parametrize(
    ("truth", "accuracy", "verdict"), [("spam", "100.0%", "not clearly more"), ("ham", "0.0%", "less")]
)
def test_one_example(report, truth, accuracy, verdict):
    model = deciban.train(["free money", "see you"], ["spam", "ham"])
    page = report(model, model.evaluate(["money"], [truth]), ["money"])
    assert page.text("answer").startswith(f"{accuracy} right (accuracy)")
    assert f"of 1 text got the right label. That is {verdict} than without a model" in page.text("answer")
    assert ("Its only mistake." in page.text("mistakes")) == (truth == "ham")


def test_labels_that_the_model_never_saw_are_named(report):
    model = deciban.train(["free money", "see you"], ["spam", "ham"])
    texts = ["money", "eggs", "", "eggs"]
    page = report(model, model.evaluate(texts, ["spam", "eggs", "bacon", "eggs"]), texts)
    unseen = "2 labels of the truth are unknown to the model, so 3 examples cannot be right: “bacon”, “eggs”."
    assert unseen in page.text("answer")
    assert "eggs never seen" in page.text("labels")
    assert (
        "The model that erred knows no example of “eggs”; the evidence is against the next label instead."
        in page.text("mistakes")
    )
    assert "(empty)" in page.text("mistakes")


def test_a_label_whose_only_example_is_left_out(report):
    texts, labels = ["aa", "aa bb", "bb"], ["rare", "common", "common"]
    page = report(*leave_one_out(texts, labels), texts, "leave-one-out")
    assert "The model that erred knows no example of “rare”." in page.text("mistakes")


def test_a_model_that_has_one_label_left(report):
    model = deciban.train(["aa", "bb"], ["one", "two"]).forget(["bb"], ["two"])
    page = report(model, model.evaluate(["aa", "bb"], ["one", "two"]), ["aa", "bb"])
    assert "#words" not in page.values("href")
    assert "with probability over 99.99%" in page.text("mistakes")


def test_the_facts_tell_what_the_figures_rest_on(report):
    texts, labels = ["free money", "see you", " ", "money"], ["spam", "ham", "ham", "spam"]
    model = deciban.train(texts, labels, words=(1, 2), binary=True)
    facts = report(model, Evaluation(model.leave_one_out()), texts, "leave-one-out").text("facts")
    assert "judged here 4 texts shortest 1 character median 6 characters longest 10 characters" in facts
    assert "empty or blank 1 text" in facts
    assert "lexicon 6 terms" in facts
    assert "memory (+4)" in facts
    assert "deciban train FILE --model multinomial --words 1-2 --binary -o model.deciban" in facts
    assert "deciban evaluate model.deciban FILE --loo --report report.html" in facts


def test_the_command_is_shown_as_given(report):
    model = deciban.train(["free money", "see you"], ["spam", "ham"])
    facts = report(model, model.evaluate(["money"], ["spam"]), ["money"], command="deciban evaluate m t.csv").text(
        "facts"
    )
    assert "deciban evaluate m t.csv" in facts
    assert "Pieced together" not in facts


def test_the_same_report_has_the_same_bytes_and_replaces_the_old_one_whole(tmp_path, tickets):
    texts, labels = tickets
    model, evaluation = leave_one_out(texts, labels)
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("old")
        write(tmp_path / name, model, evaluation, texts, protocol="leave-one-out", command="")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(Unwritable):
        write(tmp_path / "no" / "folder.html", model, evaluation, texts, protocol="leave-one-out")


@settings(max_examples=15)
@given(corpus=corpora, choice=seen)
def test_any_corpus_has_a_report(tmp_path_factory, corpus, choice):
    texts, labels = columns(corpus)
    assume(len(set(labels)) > 1)
    path = tmp_path_factory.mktemp("any") / "report.html"
    write(path, *leave_one_out(texts, labels, **choice), texts, protocol="leave-one-out")
    check_inert(Page(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("levels", ["shared", "top-down"])
def test_a_model_of_levels_has_a_report(report, tickets, levels):
    texts, labels = tickets
    paths = [f"{'money' if label in ('billing', 'account') else 'rest'}/{label}" for label in labels]
    model, evaluation = leave_one_out(texts, paths, hierarchy="/", levels=levels)
    page = report(model, evaluation, texts, "leave-one-out")
    assert "716 examples, 6 labels" in page.text("answer")
    assert ("words" in page.sections) == (levels == "shared")  # decisions have words of their own
