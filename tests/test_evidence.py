"""Explanations: spans, comparisons, and how they are shown."""

from html.parser import HTMLParser

import pytest
from rich.console import Console

import deciban
from deciban import errors
from deciban.errors import DecibanError
from deciban.evidence.terminal import rich


@pytest.fixture
def mail():
    texts = ["Free money now", "money for free", "see you at lunch", "lunch money", "the report is late"]
    return deciban.train(texts, ["spam", "spam", "ham", "ham", "work"], words=(1, 2))


def test_spans_are_places_in_the_original_text(mail):
    text = "FREE, Free lunch and MONEY"
    why = mail.explain(text)
    spans = {term.term: [text[start:end] for start, end in term.spans] for term in why.terms}
    assert spans["free"] == ["FREE", "Free"]
    assert spans["money"] == ["MONEY"]
    assert {term.term: term.times for term in why.terms}["free"] == 2


def test_a_repeated_term_weighs_as_often_as_it_counts():
    texts, labels = ["free money", "see you"], ["spam", "ham"]
    once, twice = (
        deciban.train(texts, labels, model="multinomial").explain(text).terms[0] for text in ("free", "free free")
    )
    assert twice.decibans == pytest.approx(2 * once.decibans)
    binary = deciban.train(texts, labels, binary=True).explain("free free").terms[0]
    assert (binary.decibans, binary.times, len(binary.spans)) == (once.decibans, 1, 2)


def test_hashed_terms_get_their_names_back_from_the_text():
    texts, labels = ["free money now", "money for free", "see you at lunch"], ["spam", "spam", "ham"]
    text = "Free MONEY, see"
    why = deciban.train(texts, labels, hash_bits=31, model="multinomial").explain(text)
    plain = deciban.train(texts, labels, model="multinomial").explain(text)
    assert [(e.name, e.decibans, e.spans) for e in why.terms] == [(e.name, e.decibans, e.spans) for e in plain.terms]
    assert all(e.term.startswith("\th") for e in why.terms)
    assert deciban.train(texts, labels, hash_bits=31, model="multinomial").explain("zebra").unknown == ("zebra",)


@pytest.mark.parametrize("binary", [False, True])
def test_terms_that_share_a_bucket_are_one_piece_of_evidence(binary):
    model = deciban.train(["free money now", "see you at lunch"], ["spam", "ham"], hash_bits=1, binary=binary)
    why = model.explain("free free zebra, see lunch")
    assert sorted(name for e in why.terms for name in e.names) == ["free", "lunch", "see", "zebra"]
    assert sum(e.times for e in why.terms) == (len(why.terms) if binary else 5)
    assert any(" | " in e.name for e in why.terms)


def test_edges_are_shown_and_stand_for_their_words():
    model = deciban.train(["not good", "good"], ["bad", "fine"], words=(1, 2), edges=True)
    text = "Not so"
    why = model.explain(text)
    assert {e.name: [text[start:end] for start, end in e.spans] for e in why.terms} == {
        "not": ["Not"],
        "<s> not": ["Not"],
    }
    assert "never seen before: not so, so, so </s>" in str(why)


def test_bytes_are_explained_as_the_text_that_they_say(mail):
    assert mail.explain("Free möney".encode()) == mail.explain("Free möney")
    with pytest.raises(errors.NotUtf8) as caught:
        mail.explain("Free möney".encode("latin-1"))
    line = "text: the bytes are not UTF-8 (0xf6 after 6); decode them by their true encoding"
    assert str(caught.value) == line


def test_any_two_labels_can_be_compared(mail):
    why = mail.explain("money for lunch", label="work", against="ham")
    back = mail.explain("money for lunch", label="ham", against="work")
    assert (why.label, why.against) == ("work", "ham")
    assert why.total == pytest.approx(-back.total)
    assert mail.explain("money", against="spam").label != "spam"


def test_unknown_labels_are_answered_with_the_known_ones(mail):
    with pytest.raises(DecibanError, match="'eggs' is not a label of this model; its labels are: ham, spam, work"):
        mail.explain("money", label="eggs")
    with pytest.raises(DecibanError, match="two different labels to compare, got 'ham' twice"):
        mail.explain("money", label="ham", against="ham")


def test_the_terminal_shows_a_bar_a_term_and_the_total(mail):
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(rich(mail.explain("free money, see?"), most=2))
    shown = capture.get().splitlines()
    assert shown[0].startswith("spam  probability 0.")
    assert shown[1].rstrip() == "free money, see?"
    assert [line.split()[0] for line in shown[2:4]] == ["(prior)", "free"]
    assert "more)" in shown[5]
    assert shown[6].split()[0] == "total"
    assert "█" in shown[3]
    assert shown[-1].startswith("decibans for spam against ham")


def test_markup_in_texts_and_labels_is_only_text():
    model = deciban.train(["[bold]x1[/bold]", "y1"], ["[red]", "<b>"])
    shown = str(model.explain("[bold]x1[/bold] [/nonsense]"))
    assert "[bold]x1[/bold] [/nonsense]" in shown
    assert shown.startswith("[red]")


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_notebooks_get_html_in_which_texts_are_inert():
    hostile = '<script>alert("x1")</script>'
    model = deciban.train([hostile, "y1"], ["<img src=x>", "b"])
    page = Tags()
    page.feed(model.explain(hostile)._repr_html_())
    assert set(page.tags) <= {"div", "p", "b", "span", "table", "tr", "td", "small", "i"}
    assert hostile in page.text
    assert "<img src=x>" in page.text


def test_an_empty_text_is_answered_by_the_prior(mail):
    why = mail.explain("")
    assert why.terms == ()
    assert "the prior's" in why._repr_html_()


@pytest.mark.parametrize(
    ("model", "unit", "start"),
    [
        ("multinomial", "decibans", "prior"),
        ("bernoulli", "decibans", "prior, absent terms"),
        ("complement", "points", "prior"),
        ("ratio", "points", "prior"),
    ],
)
def test_what_is_no_log_odds_is_not_called_decibans(model, unit, start):
    mail = deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"], model=model)
    for shown in (str(mail.explain("free money")), mail.explain("free money")._repr_html_()):
        assert f"{unit} for spam against ham" in shown
        assert f"({start})" in shown
        assert (" to 1)" in shown) == (unit == "decibans")
