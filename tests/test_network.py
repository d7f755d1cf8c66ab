"""Models as Bayes networks: pgmpy agrees with us, pictures are whole, and what comes from texts is inert."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import deciban
from deciban import errors
from deciban.cli import run
from deciban.decision import posterior
from deciban.network import PRESENCES
from deciban.network.bif import identifiers

of_presences = pytest.mark.parametrize("model", PRESENCES)
TEXTS = ["free money now", "free money", "see you now", "no money, see you", "lunch now", "free lunch", "report"] * 2
LABELS = ["spam", "spam", "ham", "ham", "ham", "spam", "work"] * 2


def pgmpy_model(bif):
    """What pgmpy makes of it; skips where pgmpy is missing."""
    pytest.importorskip("pgmpy", reason="no pgmpy: it comes with the extra dev")
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    read = BIFReader(string=bif).get_model()
    assert read.check_model()
    return read, VariableElimination(read)


@pytest.mark.filterwarnings("ignore:.*:FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
@of_presences
def test_pgmpys_exact_inference_agrees(model):
    classifier = deciban.train(TEXTS, LABELS, model=model)
    net = classifier.graph(top=99)
    read, inference = pgmpy_model(net.bif)
    assert len(read.edges()) == len(net.terms) + (net.parent >= 0).sum()
    texts = ["free money", "see free", "", "now lunch report you no", "no money for lunch"]
    for text in texts:
        x = {f"x_{term}": "present" if term in text.split() else "absent" for term in classifier.lexicon.names()}
        answer = inference.query(["y"], evidence=x, show_progress=False)
        ours = dict(zip(classifier.labels, posterior(classifier.scores([text])[0]), strict=True))
        for label, p in ours.items():
            assert answer.get_value(y=label) == pytest.approx(p, abs=1e-9)


@pytest.mark.filterwarnings("ignore:.*:FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
@of_presences
@pytest.mark.parametrize("top", [1, 3])
def test_a_part_is_what_pgmpy_makes_of_the_whole(model, top):
    """Terms that are left out sum to 1: what the rest tells is what it tells in the whole network."""
    classifier = deciban.train(TEXTS, LABELS, model=model)
    part, whole = classifier.graph(top=top), classifier.graph(top=99)
    (_, few), (_, all_terms) = (pgmpy_model(net.bif) for net in (part, whole))
    assert len(part.terms) == top
    assert part.terms == whole.terms[:top]
    for states in itertools.product(["absent", "present"], repeat=top):
        x = {f"x_{term}": state for term, state in zip(part.terms, states, strict=True)}
        one, other = (net.query(["y"], evidence=x, show_progress=False) for net in (few, all_terms))
        np.testing.assert_allclose(one.values, other.values, rtol=1e-9)


@of_presences
def test_probabilities_are_those_of_the_scorecard(model, tickets):
    """Every term of a large lexicon, deep in a large tree: log p(x, y) from the network is the score."""
    classifier = deciban.train(*tickets, model=model, calibration="none")
    net = classifier.graph(top=10**6)
    assert len(net.terms) == len(classifier.lexicon)
    place = {term: j for j, term in enumerate(net.terms)}
    for text in tickets[0][:20]:
        x = np.zeros(len(net.terms), int)
        x[[place[name] for name, _, _ in classifier.settings.terms.seen(text)]] = 1
        given = np.where(net.parent >= 0, x[net.parent], 0)
        p = net.p[np.arange(len(x)), given]
        score = np.log(net.prior) + np.log(np.where(x[:, None], p, 1 - p)).sum(axis=0)
        np.testing.assert_allclose(classifier.scores([text])[0], score, rtol=1e-9)


def test_a_multinomial_model_is_drawn_but_is_no_network_of_presences():
    net = deciban.train(TEXTS, LABELS).graph()
    assert "each word w of the text" in net.svg
    with pytest.raises(errors.NoNetwork, match="of terms that are present or absent"):
        net.bif  # noqa: B018


def test_terms_that_only_unlabelled_texts_have_take_no_other_terms_name():
    more = ["aardvark money", "see the aardvark", "free money"]
    model = deciban.train(TEXTS, LABELS, unlabelled=more, unlabelled_weight=0.5)
    labelled = deciban.train(TEXTS, LABELS).graph(99)
    found = dict(zip(model.graph(99).terms, model.graph(99).bits, strict=True))
    assert set(found) == {*labelled.terms, "aardvark"}  # a term of one text alone is left out
    assert [term for term in found if term in labelled.terms][:2] == list(labelled.terms[:2])


def test_a_complement_model_is_no_network():
    with pytest.raises(errors.NoNetwork, match="a complement model is no Bayes network"):
        deciban.train(TEXTS, LABELS, model="complement").graph()


def test_what_tells_most_comes_first_and_no_child_before_its_parent(tickets):
    for model in ("multinomial", "tan"):
        net = deciban.train(*tickets, model=model).graph(top=40)
        assert all(parent < child for child, parent in enumerate(net.parent))
        if model == "multinomial":
            assert (net.parent == -1).all()
            assert list(net.bits) == sorted(net.bits, reverse=True)
        else:
            assert (net.parent >= 0).sum() > 20
            assert (net.between[net.parent >= 0] > 0).all()


def boxes(svg):
    """The places of all terms in a picture: (left, top, right, bottom)."""
    root = ElementTree.fromstring(svg)
    found = [e for e in root.iter() if e.get("class") == "seen" and e.tag.endswith("rect")]
    places = [[float(e.get(name)) for name in ("x", "y", "width", "height")] for e in found]
    return root, [(x, y, x + width, y + height) for x, y, width, height in places]


@pytest.mark.parametrize("model", ["multinomial", "tan"])
@pytest.mark.parametrize("top", [1, 20, 300])
def test_pictures_hold_every_term_and_none_over_another(tickets, model, top):
    net = deciban.train(*tickets, model=model).graph(top=top)
    root, places = boxes(net.svg)
    assert len(places) == len(net.terms) == top
    shown = {"".join(e.itertext()) for e in root.iter() if e.tag.endswith("text")}
    assert {*net.names} <= shown
    for (_, _, _, bottom), (_, next_top, _, _) in itertools.pairwise(sorted(places, key=lambda box: box[1])):
        assert bottom < next_top
    width, height = (float(root.get(name)) for name in ("width", "height"))
    assert all(0 < x < right < width - 200 and 0 < y < bottom < height for x, y, right, bottom in places)


def test_names_in_pictures_are_inert():
    hostile = ["<script>alert(1)</script>", "a&b", "\x00\x1b[31m", "漢字" * 30, "'\"", "]]>"]
    labels = ["<b>", "&amp;"] * 3
    net = deciban.train(hostile, labels, tokens="whitespace", model="tan").graph()
    root, places = boxes(net.svg)
    assert {e.tag.rpartition("}")[2] for e in root.iter()} <= {
        *("svg", "style", "defs", "marker", "path", "rect", "text", "tspan", "circle", "g")
    }
    shown = ["".join(e.itertext()) for e in root.iter() if e.tag.endswith("text")]
    assert "<script>alert(1)</script>" in shown
    assert any("of <b>" in text for text in shown)
    assert "https" not in net.svg.replace("http://www.w3.org/2000/svg", "")
    assert len(places) == len(net.terms)
    assert net._repr_svg_() == net.svg


@pytest.mark.filterwarnings("ignore:.*:FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
def test_names_in_bif_are_plain_and_distinct():
    texts = ['{"', "a|b", "a/b", "//x", "/*", "variable", "probability", "table", "y", "é", "}\n"]
    labels = (["a b", "a_b", "A_B", "table", "default"] * 3)[: len(texts)]
    net = deciban.train(texts, labels, tokens="whitespace", model="tan").graph(99)
    read, _ = pgmpy_model(net.bif)
    names = [term["variable"] for term in net.as_dict()["terms"]]
    assert {*read.nodes()} == {"y", *names}
    assert all(re.fullmatch(r"x_\w+", name) for name in names)
    assert read.get_cpds("y").state_names["y"] == identifiers(net.labels, "")
    assert identifiers(["a b", "a_b", "A_B"], "") == ["a_b", "a_b_2", "A_B_3"]


@of_presences
def test_what_knows_hardly_anything_is_drawn_and_what_knows_nothing_says_so(model):
    classifier = deciban.train(["", "a1"], ["x", "y"], model=model).forget(["a1"], ["y"])
    assert (classifier.graph().terms, len(boxes(classifier.graph().svg)[1])) == ((), 0)
    assert classifier.graph().bif.count("variable") == 1
    with pytest.raises(errors.NothingLearnt):
        classifier.forget([""], ["x"]).graph()


@pytest.mark.parametrize("top", [0, -1, 2.5, "many", True])
def test_how_many_terms_is_checked(top):
    with pytest.raises(errors.BadSetting, match="expected a whole number above 0"):
        deciban.train(TEXTS, LABELS).graph(top=top)


def test_the_command_draws_and_writes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    deciban.train(TEXTS, LABELS, model="tan").save("mail.deciban")
    assert run(["graph", "mail.deciban", "--top", "4"]) == 0
    assert capsys.readouterr().out == "network.svg: 3 labels, 4 terms, 7 arrows\n"
    assert (tmp_path / "network.svg").read_text() == deciban.load("mail.deciban").graph(4).svg
    assert run(["graph", "mail.deciban", "-o", "mail.BIF", "--json"]) == 0
    assert '"variable": "x_free"' in capsys.readouterr().out
    assert (tmp_path / "mail.BIF").read_text() == deciban.load("mail.deciban").graph().bif
    with pytest.raises(errors.UnknownEnding):
        run(["graph", "mail.deciban", "-o", "mail.png"])
    with pytest.raises(errors.Unwritable):
        run(["graph", "mail.deciban", "-o", "none/mail.svg"])
