"""Feeds: what is read of streams, how counts fade, what is asked and ranked, and that no answer is lost."""

import contextlib
import doctest
import io
import json
import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from conftest import ROOT
from deciban import errors
from deciban.cli import main
from deciban.feeds import Answer, Item, Nothing, interest, neighbours, open_feed, words
from deciban.feeds.fading import STEPS, Fading, halved, step_of, weight_of
from deciban.feeds.items import from_lines
from deciban.feeds.space import Space
from deciban.feeds.syndication import items_of
from deciban.feeds.ties import ADDRESSES, MOST, named, ties
from deciban.terms import Terms

HOCKEY = ["the goalie saved a puck", "puck and goalie on the ice", "a goalie, a puck, an overtime goal", "ice and goal"]
CHURCH = ["a choir sang in church", "the church choir on sunday", "sunday mass in church", "the choir sang a mass"]
ITEMS = [Item(f"{kind}{n}", text) for kind, texts in (("h", HOCKEY), ("c", CHURCH)) for n, text in enumerate(texts)]
RSS = """<?xml version="1.0" encoding="{0}"?><rss version="2.0"><channel><title>not an item</title>
<item><guid>7</guid><title>Caf\xe9 &amp;amp; more</title>
<description>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;</description></item></channel></rss>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>no</title></channel>
<item rdf:about="urn:1"><title>One</title>
<content:encoded><![CDATA[<b>t</b>wo<script>three</script>]]></content:encoded></item></rdf:RDF>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>no</title><entry><id>urn:2</id>
<title type="text">a &lt; b</title><summary type="html">&lt;i&gt;sum&lt;/i&gt;</summary>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>one</p><p>two</p></div></content>
<link rel="self" href="http://no.example/"/></entry></feed>"""
OLD = b"""<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://no.example/rss-0.91.dtd">
<rss version="0.91"><channel><item><title>Tom&nbsp;and&eacute;</title><link>http://no.example/1</link></item>
</channel></rss>"""
LAUGHS = b"""<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<rss><channel><item><title>&b;</title></item></channel></rss>"""
FILE = b"""<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss><item><title>&a;</title></item></rss>"""
PARAMETER = (
    b"""<!DOCTYPE rss [<!ENTITY % a SYSTEM "http://no.example/x"> %a;]><rss><item><title>x</title></item></rss>"""
)


# What is read


def test_kinds_of_feeds():
    rss = items_of(RSS.format("iso-8859-1").encode("iso-8859-1"), "f")
    assert rss == [Item("7", "Caf\xe9 & more\nOne two", "Caf\xe9 & more")]
    assert items_of(RDF, "f") == [Item("urn:1", "One\ntwo", "One")]
    assert items_of(ATOM, "f") == [Item("urn:2", "a < b\nsum\none two", "a < b")]
    assert items_of(OLD, "f") == [Item("http://no.example/1", "Tom and\xe9", "Tom and\xe9")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252", "iso-8859-15", "cp850"])
def test_a_feed_is_read_in_the_encoding_that_it_declares(encoding):
    [item] = items_of(RSS.format(encoding.removesuffix("-sig")).encode(encoding), "f")
    assert item.title == "Caf\xe9 & more"


@pytest.mark.parametrize("document", [LAUGHS, FILE, PARAMETER])
def test_entities_of_a_feed_are_refused(document):
    with pytest.raises(errors.DeclaredEntity):
        items_of(document, "f.xml")


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (b"no xml", "f.xml:1: not an RSS or Atom feed: syntax error"),
        (b"", "f.xml:1: not an RSS or Atom feed: no element found"),
        (ATOM[:200], "f.xml:3: not an RSS or Atom feed: unclosed token"),
        (ATOM[: ATOM.index(b"<content")], "f.xml:3: not an RSS or Atom feed: no element found"),
        (b"<html/>", "f.xml: not an RSS or Atom feed: expected rss, rdf or feed, got html"),
        (b"<rss>" + b"<a>" * 300, "f.xml: not an RSS or Atom feed: elements stand more than 200 deep"),
        (b'<?xml version="1.0" encoding="base64"?><rss/>', "f.xml: the feed is not valid base64"),
        (b'<?xml version="1.0" encoding="utf-9"?><rss/>', "'utf-9' is not an encoding that Python knows"),
        (b"<rss>\xff</rss>", "f.xml: the feed is not valid utf-8, in which it should be: invalid start byte"),
        (b'<?xml version="1.0" encoding="unicode_escape"?><rss>\\', "f.xml: the feed is not valid unicode_escape"),
    ],
)
def test_what_is_no_feed_is_told_in_one_line(document, line):
    with pytest.raises(errors.ReadError) as caught:
        items_of(document, "f.xml")
    assert str(caught.value).startswith(line)


@given(st.binary(max_size=200) | st.text(alphabet="<>/rsitem&;!\"'[] ?x", max_size=80).map(str.encode))
def test_no_bytes_make_anything_but_an_error_to_read(noise):
    for document in (noise, b"<rss><item><title>" + noise + b"</title></item></rss>"):
        with contextlib.suppress(errors.ReadError):  # whatever else is raised, fails
            items_of(document, "f.xml")


def test_lines_are_items_or_answers_or_nothing():
    lines = ['{"text": "one"}', "", '{"id": 3, "title": "a", "summary": "b"}', '{"id": 3, "answer": "NO"}', '{"id": 4}']
    one, both, answer, nothing = from_lines(enumerate(lines, start=1), "f")
    assert (one.text, both.text, both.id) == ("one", "a\nb", "3")
    assert (answer, nothing) == (Answer("3", "no"), Nothing("f:5"))
    assert one.id == Item.of("one").id


# Fading


@given(st.integers(0, 10**6))
def test_weights_are_exact_powers_of_two_rounded_down(step):
    power = 1 << (16 * STEPS + step % STEPS)
    assert weight_of(step) ** STEPS <= power < (weight_of(step) + 1) ** STEPS


TEXTS = st.lists(st.tuples(st.sampled_from(HOCKEY + CHURCH), st.sampled_from(["yes", "no"])), max_size=6)
BEGUN = Fading.of(Terms(), "no", "yes")


def learnt(begun, texts, step):
    for text, label in texts:
        begun = begun.learnt(text, label, step)
    return begun


@given(TEXTS, st.integers(0, 200), st.integers(0, 40))
def test_n_half_lives_are_n_halvings_rounded_down(texts, step, n):
    now = learnt(BEGUN, texts, step)
    later = now.at(step + n * STEPS)
    one_by_one = now
    for k in range(1, n + 1):
        one_by_one = one_by_one.at(step + k * STEPS)
    assert later.counts == one_by_one.counts == halved(now.counts, n)
    before = dict(zip(now.counts.lexicon.names(), now.counts.by_term(now.counts.occurrences).tolist(), strict=True))
    shifted = dict.fromkeys(before, 0)
    place = {(t, r): c for t, r, c in zip(now.counts.term, now.counts.label, now.counts.occurrences, strict=True)}
    names = now.counts.lexicon.names()
    for (term, _), c in place.items():
        shifted[names[term]] += int(c) >> n
    after = later.counts
    assert dict(zip(after.lexicon.names(), after.by_term(after.occurrences).tolist(), strict=True)) == {
        name: c for name, c in shifted.items() if c
    }


@given(TEXTS, st.randoms(), st.integers(0, 63))
def test_inside_an_epoch_answers_add_in_any_order_and_are_taken_back_exactly(texts, random, step):
    one, more = learnt(BEGUN, texts, step), BEGUN.learnt("goalie of the choir", "yes", step)
    shuffled = list(texts)
    random.shuffle(shuffled)
    assert learnt(BEGUN, shuffled, step).counts == one.counts
    assert learnt(more, texts, step).counts - (more.counts - BEGUN.counts) == one.counts


@given(TEXTS, st.lists(st.integers(0, 100), max_size=6))
def test_counts_never_fall_below_zero_nor_out_of_their_bounds(texts, waits):
    now, step = BEGUN, 0
    for (text, label), wait in zip(texts, waits, strict=False):
        step += wait
        now = now.learnt(text, label, step)
        counts = now.counts
        assert (counts.presences > 0).all()
        assert (counts.presences <= counts.occurrences).all()
        assert (counts.presences <= counts.documents[counts.label]).all()
        assert counts.labels == ("no", "yes")


def test_half_as_much_after_a_half_life():
    now = Fading.of(Terms(), "no", "yes").learnt("goalie", "yes", 10).at(10 + STEPS)
    assert now.counts.occurrences.tolist() == [now.weight // 2]
    assert step_of(500, 1000) == 32
    assert step_of(10**9, None) == 0


@given(st.integers(0, 500), st.integers(0, 500))
def test_what_is_left_of_an_answer_is_what_is_left_of_its_counts(step, later):
    now = BEGUN.learnt("goalie", "yes", step).at(step + later)
    assert now.left(step) == max(now.counts.occurrences.sum(), 1) / now.weight


# Asking and ranking


@pytest.fixture
def model(tmp_path):
    return tmp_path / "news.deciban"


def test_a_feed_learns_at_once_and_ranks(model):
    with open_feed(model, new=True) as feed:
        feed.read(ITEMS)
        assert all(ranked.decibans == 0 for ranked in feed.ranked())
        feed.answer("h0", "yes")
        assert {ranked.item.id for ranked in feed.ranked(2)} == {"h1", "h2"}
        feed.answer("c0", "no")
        first = feed.ranked()[0]
        assert first.item.id[0] == "h"
        assert first.probability > 0.5
        feed.save()
    loaded = deciban.load(model)
    assert loaded.predict([first.item.text, CHURCH[1]]) == ["interesting", "not"]
    why = loaded.explain(HOCKEY[1], "interesting", "not")
    assert why.total == pytest.approx(why.prior + sum(term.decibans for term in why.terms))


def test_the_evidence_of_a_ranked_item_adds_up_to_its_odds(model):
    with open_feed(model, new=True) as feed:
        feed.read(ITEMS)
        feed.answer("h0", "yes")
        feed.answer("c0", "no")
        for ranked in feed.ranked():
            assert feed.why(ranked.item).total == pytest.approx(ranked.decibans)
            assert feed.why(ranked.item).probability == pytest.approx(ranked.probability)


@contextlib.contextmanager
def feed_with_a_thread(model, same=None):
    """200 items of words by lot, the first eight in one thread, four of those interesting; some are the `same`."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"word{n}" for n in rng.integers(0, 60, 8)) for _ in range(200)]
    for one, other in (same or {}).items():
        texts[one] = texts[other]
    items = [Item(str(n), text, title="On ice" if n < 8 else "") for n, text in enumerate(texts)]
    with open_feed(model, new=True) as feed:
        feed.read(items)
        for n in range(4):
            feed.answer(str(n), "yes")
            feed.answer(str(n + 50), "no")
        yield feed, items


def test_of_two_texts_of_the_same_words_the_one_that_is_tied_to_a_yes_ranks_higher(model):
    with feed_with_a_thread(model, same={100: 7}) as (feed, items):
        ranked = [ranked.item.id for ranked in feed.ranked()]
        assert ranked.index("7") < ranked.index("100")
        tied, alone = feed.why(items[7]), feed.why(items[100])
        assert tied.terms == alone.terms
        assert tied.cost > alone.cost
        assert tied.before[-1] == ("its kind", tied.cost)
        assert feed.why(Item("new", items[7].text)).cost == 0


def test_a_new_answer_outweighs_one_that_has_faded(model, tmp_path):
    odds = []
    for path, half_life in ((model, None), (tmp_path / "fading", 1)):
        with open_feed(path, new=True, half_life=half_life) as feed:
            feed.read(ITEMS)
            for name, answer in (("c0", "yes"), ("c1", "no"), ("h0", "no"), ("h1", "yes"), ("h2", "yes")):
                feed.answer(name, answer)
            by_id = {ranked.item.id: ranked.decibans for ranked in feed.ranked()}
            odds.append(by_id["h3"] - by_id["c2"])
    assert odds[1] > odds[0] > 0


def test_words_of_the_stream_speak_though_no_answer_has_them(model):
    more = [Item(f"s{n}", f"goalie puck slapshot ice {word}") for n, word in enumerate(("one", "two", "three", "four"))]
    with open_feed(model, new=True) as feed:
        feed.read([*ITEMS, *more])
        for name in ("h0", "h1", "h2", "c0"):
            feed.answer(name, "yes" if name[0] == "h" else "no")
        assert [ranked.item.id[0] for ranked in feed.ranked(5)] == ["h", "s", "s", "s", "s"]
        [slapshot] = [term for term in feed.why(more[0]).terms if term.name == "slapshot"]
        [choir] = [term for term in feed.why(ITEMS[5]).terms if term.name == "choir"]
        assert slapshot.decibans != 0
        assert slapshot.decibans > choir.decibans
        feed.save()
    again = deciban.load(model).explain(more[0].text, "interesting", "not")
    of_stream = feed.why(more[0])
    assert again.total == pytest.approx(of_stream.total - of_stream.cost)


def test_questions_look_for_kinds_first_then_go_deeper(model):
    with open_feed(model, new=True) as feed:
        feed.read(ITEMS)
        first = feed.question()
        feed.answer(first.id, "no")
        second = feed.question()
        assert first.id[0] != second.id[0]
        feed.answer(second.id, "yes")
        while (asked := feed.question()) is not None:
            feed.answer(asked.id, "yes" if asked.id[0] == second.id[0] else "no")
        assert len(feed.answers) == len(ITEMS)


@pytest.fixture(scope="module")
def stream():
    """Texts of 4 kinds, of 50 each, and the kind of each text. Texts of a kind share some of its 30 words."""
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(4), 50)
    texts = [" ".join(f"w{k}x{n}" for n in rng.choice(30, 6, replace=False)) + " and so on" for k in kind]
    return Space.of(Terms(), texts), kind


def test_neighbours_are_those_of_the_greatest_cosine(stream):
    space, _ = stream
    x = np.zeros((len(space.rows), len(space.lexicon)))
    x[space.rows.row, space.rows.term] = space.entries
    x[:, (x > 0).mean(axis=0) > neighbours.COMMON] = 0
    cosine = x @ x.T
    np.fill_diagonal(cosine, -1)
    places, near = space._nearest
    assert places.shape == (200, 2)
    best = -np.sort(-cosine, axis=1)[:, :2]
    assert near == pytest.approx(best, abs=0.005)
    assert np.take_along_axis(cosine, places, axis=1) == pytest.approx(best, abs=0.005)


def test_of_many_texts_some_are_who_can_be_near(stream, monkeypatch):
    space, kind = stream
    monkeypatch.setattr(neighbours, "MOST", 100)
    monkeypatch.setattr(neighbours, "BLOCK", 33)
    places, _ = neighbours.nearest(space.rows, space.idf, space.entries, space.lexicon)
    assert (places % 2 == 0).all()
    assert (places != np.arange(200)[:, None]).all()
    assert (kind[places] == kind[:, None]).all()


def test_points_of_kinds_are_near_within_a_kind(stream):
    space, kind = stream
    alike = space.kinds @ space.kinds.T
    same = kind[:, None] == kind
    assert alike[same].mean() > alike[~same].mean() + 0.2
    assert (np.linalg.norm(space.kinds, axis=1) < 1 + 1e-9).all()


def test_the_greatest_eigenvalues_of_links_are_found(stream):
    space, _ = stream
    walk, root = space._links
    exact = np.linalg.eigvalsh(neighbours._walked(walk, root, np.eye(200)))[::-1]
    vectors, values = neighbours.greatest(walk, root, space.points[:, :20])
    assert values == pytest.approx(exact[:20], abs=0.02)
    assert neighbours._walked(walk, root, vectors[:, :1]) == pytest.approx(vectors[:, :1], abs=1e-6)


def test_what_is_said_of_a_text_is_spread_over_its_links(stream):
    space, _ = stream
    walk, root = space._links
    p = root[:, None] * neighbours._walked(walk, root, np.diag(1 / root))
    assert p.sum(axis=1) == pytest.approx(np.ones(200))
    assert (p[np.arange(200)[:, None], space._nearest[0]] > 0).all()
    u = np.random.default_rng(0).standard_normal(200)
    assert space.spread(u) == pytest.approx(u + 0.8 * p @ u + 0.64 * p @ p @ u)
    assert Space.of(Terms(), HOCKEY + CHURCH).spread(u) is u  # too short a stream


def test_of_two_texts_of_the_same_words_the_one_in_an_interesting_thread_ranks_higher_by_more_than_its_kind(model):
    with feed_with_a_thread(model) as (feed, _):
        near, _ = feed._asking
        _, w, ranking = feed._learnt
        alone = interest.both(feed._space, w, near)
        thread, others = slice(4, 8), slice(100, 200)
        gained = interest.deviations(ranking) - interest.deviations(alone)
        assert gained[thread].mean() > gained[others].mean() + 0.2
        assert ranking.tolist() == feed._space.spread(alone).tolist()


def test_words_are_fitted_again_to_the_shares_by_words_and_kinds(model):
    with open_feed(model, new=True) as feed:
        feed.read(ITEMS)
        feed.answer("h0", "yes")
        feed.answer("c0", "no")
        space, asked = feed._space, feed._asked
        near, first = feed._asking
        q, w, _ = feed._learnt
        assert near.tolist() == interest.nearness(space, asked).tolist()
        assert q.tolist() == interest.shares(first, asked).tolist() != interest.shares(near, asked).tolist()
        assert w.tolist() == words.weights(space, q, asked).tolist()


def test_questions_go_by_what_is_said_before_it_is_spread(model, stream, monkeypatch):
    space, _ = stream
    texts = [" ".join(space.lexicon.names()[k] for k in space.rows.term[space.rows.row == n]) for n in range(200)]
    asked = []
    for path, far in ((model, neighbours.FAR), (model.with_name("spread.deciban"), 20)):
        monkeypatch.setattr(neighbours, "FAR", far)
        with open_feed(path, new=True) as feed:
            feed.read([Item(str(n), text) for n, text in enumerate(texts)])
            feed.answer("0", "yes")
            for _ in range(8):
                item = feed.question()
                feed.answer(item.id, "yes" if int(item.id) < 50 else "no")
            asked.append(list(feed.answers))
    assert asked[0] == asked[1]


def test_texts_are_tied_by_an_address_or_a_subject_that_they_share():
    texts = ["From: Jo@x.org\nSubject: Re: On ice\n\none", "jo@x.org (Jo) wrote: two", "three", "four on ice"]
    one, other, much = ties(texts, ["", "", "RE: Re[2]: on  ice", ""])
    assert dict(zip(zip(one.tolist(), other.tolist(), strict=True), much.tolist(), strict=True)) == {
        **dict.fromkeys([(0, 1), (1, 0)], 20.0),
        **dict.fromkeys([(0, 2), (2, 0)], 10.0),
    }
    assert not list(named("subject of a@ b\n\nSubject: below the header"))


def test_what_many_name_ties_each_as_much_as_what_few_name_and_what_too_many_name_ties_none():
    for some in (2, 3, MOST):
        one, _, much = ties(["a@x.org"] * some, [""] * some)
        assert np.bincount(one, much) == pytest.approx(np.full(some, 20.0))
    assert not len(ties(["a@x.org"] * (MOST + 1), [""] * (MOST + 1))[0])
    assert len(dict(named(" ".join(f"a{n}@x.org" for n in range(100))))) == ADDRESSES


def test_ties_bring_texts_together_that_share_no_neighbours(stream):
    space, _ = stream
    texts = [" ".join(space.lexicon.names()[k] for k in space.rows.term[space.rows.row == n]) for n in range(200)]
    titles = ["Re: " * (n % 2) + "a matter" if n % 50 == 0 else "" for n in range(200)]
    apart, tied = (Space.of(Terms(), texts, titles=some).kinds[[0, 50, 100, 150]] for some in ([""] * 200, titles))
    assert (tied @ tied.T).mean() > (apart @ apart.T).mean() + 0.1


def test_a_short_stream_has_no_neighbours():
    space = Space.of(Terms(), HOCKEY + CHURCH)
    assert space.kinds is space.points
    assert not space.beside(np.arange(3)).any()


def test_empty_texts_have_neighbours_that_say_nothing():
    space = Space.of(Terms(), [""] * 120 + ["a b", "a b c"] * 10)
    assert np.isfinite(space.kinds).all()


def test_a_question_is_not_of_a_neighbour_of_an_answer(stream):
    space, _ = stream
    asked = interest.Asked(np.array([0]), np.array([True]), np.ones(1))
    beside = np.flatnonzero(space.beside(asked.places))
    other = int(np.setdiff1d(np.arange(1, 200), beside)[0])
    assert interest.next_question(space, np.append(beside, other), asked, 1) == other
    assert interest.next_question(space, beside, asked, 1) == beside[0]  # where there is no other
    assert interest.next_question(space, np.append(other, beside), asked, 2) == beside[0]


def test_the_same_answers_give_the_same_bytes(model, tmp_path):
    for path in (model, tmp_path / "again.deciban"):
        with open_feed(path, new=True, half_life=3, now=lambda: 0.0) as feed:
            feed.read(ITEMS)
            for _ in range(5):
                item = feed.question()
                feed.answer(item.id, "yes" if item.id[0] == "h" else "no")
            feed.save()
    assert model.read_bytes() == (tmp_path / "again.deciban").read_bytes()


def test_a_feed_opened_again_knows_what_it_knew(model):
    with open_feed(model, new=True, half_life=2) as feed:
        feed.read(ITEMS)
        for name in ("h0", "c0", "h1", "c1"):
            feed.answer(name, "yes" if name[0] == "h" else "no")
        before, counts = feed.ranked(), feed.classifier.counts
        feed.show([item for item in ITEMS if item.id not in feed.answers])
    with open_feed(model) as feed:
        assert feed.classifier.counts == counts
        assert {ranked.item.id for ranked in feed.ranked()} == {ranked.item.id for ranked in before}
        assert feed.ranked(again=False) == []


def test_who_changes_an_answer_has_never_given_the_first(model, tmp_path):
    with (
        open_feed(model, new=True, now=lambda: 0.0) as feed,
        open_feed(tmp_path / "b", new=True, now=lambda: 0.0) as other,
    ):
        for each, first in ((feed, "yes"), (other, "no")):
            each.read(ITEMS)
            each.answer("h0", "yes")
            each.answer("c0", first)
        feed.answer("c0", "no")
        assert feed.classifier.counts == other.classifier.counts
        feed.answer("c0", "no")  # again: nothing changes
        assert feed.classifier.counts == other.classifier.counts


def test_days_fade_by_the_clock(model):
    now = [0.0]
    with open_feed(model, new=True, half_life=1, days=True, now=lambda: now[0]) as feed:
        feed.read(ITEMS)
        feed.answer("h0", "yes")
        now[0] = 86_400.0
        feed.answer("h1", "yes")
        yes = feed.classifier.labels.index("interesting")
        assert feed.classifier.counts.documents[yes] == 65536 + (65536 + 1) // 2
        now[0] = 0.0  # a clock that was put back
        feed.answer("h2", "yes")
        assert feed.classifier.counts.documents[yes] == 2 * 65536 + (65536 + 1) // 2


def test_exploring_shows_kinds_that_nobody_was_asked_about(model):
    with open_feed(model, new=True) as feed:
        feed.read([*ITEMS, Item("z0", "bake bread with yeast"), Item("z1", "yeast bread and flour, bake")])
        feed.answer("h0", "yes")
        feed.answer("c0", "no")
        explorers = [ranked.item.id for ranked in feed.ranked(4, explore=0.5) if ranked.explores]
        assert len(explorers) == 2
        assert any(name[0] == "z" for name in explorers)
        assert not any(ranked.explores for ranked in feed.ranked(4))


def test_info_tells_answers_not_units(model, monkeypatch, capsys):
    with open_feed(model, new=True) as feed:
        feed.read(ITEMS)
        for name in ("h0", "h1", "c0"):
            feed.answer(name, "yes" if name[0] == "h" else "no")
        feed.save()
    monkeypatch.setattr(sys, "argv", ["deciban", "info", str(model), "--json"])
    with pytest.raises(SystemExit):
        main()
    told = json.loads(capsys.readouterr().out)
    assert told["labels"] == {"interesting": 2, "not": 1}
    assert told["examples"] == 3
    assert told["occurrences"] == 4 + 6 + 4  # "a" is no word


def test_a_model_of_a_feed_is_not_merged(model):
    with open_feed(model, new=True) as feed:
        feed.read(ITEMS)
        feed.answer("h0", "yes")
        feed.save()
    with pytest.raises(errors.HoldsExpected):
        deciban.load(model) + deciban.load(model)


# The journal


def test_what_a_crash_left_of_a_line_is_cut_off_and_all_before_is_kept(model):
    with open_feed(model, new=True) as feed:
        feed.read(ITEMS)
        feed.answer("h0", "yes")
        size = os.path.getsize(f"{model}.feed")
        feed.answer("c0", "no")
    journal = model.with_name("news.deciban.feed")
    whole = journal.read_bytes()
    for cut in range(size, len(whole)):
        journal.write_bytes(whole[:cut])
        with open_feed(model) as feed:
            assert feed.answers == {"h0": "yes"}
        assert journal.read_bytes() == whole[: whole[:cut].rfind(b"\n") + 1]


def test_killed_at_any_time_no_confirmed_answer_is_lost(model):
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from deciban.feeds import Item, open_feed
with open_feed({str(model)!r}, new=True) as feed:
    feed.read([Item(str(n), f"text {{n}}") for n in range(10**6)][:5000])
    for n in range(5000):
        feed.answer(str(n), "yes")
        print(n, flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
        confirmed = [child.stdout.readline() for _ in range(20)]
        child.send_signal(signal.SIGKILL)
    assert confirmed[-1] == b"19\n"
    with open_feed(model) as feed:
        assert len(feed.answers) >= 20
        assert all(feed.answers[str(n)] == "yes" for n in range(20))


def test_no_room_on_the_disk_leaves_the_journal_as_it_was(model):
    with open_feed(model, new=True) as feed:
        feed.read([Item("a", "goalie"), Item("b", "choir " * 50_000)])
        feed.answer("a", "yes")
        before = model.with_name("news.deciban.feed").read_bytes()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
            with pytest.raises(errors.Unwritable, match=r"news.deciban.feed: cannot write: File too large"):
                feed.answer("b", "yes")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, ignored)
        assert model.with_name("news.deciban.feed").read_bytes() == before
        feed.answer("b", "yes")
        assert feed.answers == {"a": "yes", "b": "yes"}


def test_one_feed_at_a_time(model):
    with open_feed(model, new=True), pytest.raises(errors.FeedInUse), open_feed(model):
        pass
    with open_feed(model) as feed:
        assert feed.answers == {}


# The command


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs `deciban feed` in a folder: its exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "feed.xml").write_bytes(ATOM)
    (tmp_path / "news.jsonl").write_text("".join(json.dumps({"id": i.id, "text": i.text}) + "\n" for i in ITEMS))

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["deciban", "feed", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


def test_answers_come_in_a_stream_or_a_file_and_the_rest_is_ranked(run, tmp_path):
    (tmp_path / "answers.jsonl").write_text('{"id": "h0", "answer": "yes"}\n{"id": "c0", "answer": "no"}\n')
    status, out, _ = run("m", "news.jsonl", "--new", "--answers", "answers.jsonl", "--json", "--top", "3")
    first, *_ = rows = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [row["id"][0] for row in rows] == ["h", "h", "h"]
    assert first["words"][0][1] > 0
    stream = b'{"id": "n1", "text": "goalie of the puck"}\n{"id": "h1", "answer": "yes"}\n'
    status, out, _ = run("m", "-", "--answers", "answers.jsonl", "--top", "9", stdin=stream)
    assert status == 0
    assert out.splitlines()[0].split()[3:6] == ["goalie", "of", "the"]
    assert "3 answers" in out
    assert run("m", "-", stdin=stream)[1].startswith("3 answers")  # all was shown
    assert "goalie of the puck" in run("m", "--again")[1]


def test_a_feed_of_xml_through_a_pipe(run):
    assert "a < b" in run("m", "-", "--new", stdin=ATOM)[1]


def test_questions_at_a_terminal(run):
    status, out, _ = run("m", "news.jsonl", "--new", "--ask", "4", stdin=b"y\nmaybe\nn\ns\nq\n")
    assert status == 0
    assert out.count("interesting? (y, n, s or q)") == 5
    assert "expected y, n, s or q\n" in out
    assert out.endswith("3 answers so far\n")


def test_labels_by_name(run):
    run("m", "news.jsonl", "--new", "--yes", "read", "--no", "leave", "--ask", "2", stdin=b"y\nn\n")
    assert deciban.load("m").labels == ("leave", "read")


def test_items_without_text_are_passed_over_and_told(run):
    status, _, err = run("m", "-", "--new", stdin=b'{"id": 1}\n{"id": 2, "text": "one"}\n')
    assert (status, err) == (0, "deciban: warning: -: 1 item has no text: passed over\n")


REFUSED = {
    ("m",): "m: no feed yet (there is no m.feed); begin one with --new",
    ("m", "none.xml", "--new"): "none.xml: cannot read: No such file or directory",
    ("m", "news.jsonl", "--new", "--format", "xml"): "news.jsonl:1: not an RSS or Atom feed: not well-formed "
    "(invalid token)",
    ("m", "laughs.xml", "--new"): "laughs.xml: the feed declares entities of its own, which could grow without end; "
    "refused",
    ("m", "cut.xml", "--new"): "cut.xml:3: not an RSS or Atom feed: unclosed token",
    ("m", "news.jsonl", "--new", "--answers", "unknown.jsonl"): "unknown.jsonl:1: an answer for 'x', an item that was "
    "never read or shown; read its feed first",
    ("m", "news.jsonl", "--new", "--answers", "maybe.jsonl"): "maybe.jsonl:1: expected the answer yes, no or skip, "
    "got 'maybe'",
    ("m", "news.jsonl", "--new", "--yes", "a", "--no", "a"): "expected two different labels to compare, got 'a' twice",
    ("/no/folder/m", "--new"): "/no/folder/m: cannot write: No such file or directory",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_is_refused_is_told_in_one_line(run, tmp_path, arguments):
    (tmp_path / "laughs.xml").write_bytes(LAUGHS)
    (tmp_path / "cut.xml").write_bytes(ATOM[:200])
    (tmp_path / "unknown.jsonl").write_text('{"id": "x", "answer": "yes"}')
    (tmp_path / "maybe.jsonl").write_text('{"id": "h0", "answer": "maybe"}')
    assert run(*arguments) == (1, "", f"deciban: {REFUSED[arguments]}\n")
    assert not (tmp_path / "m").exists()


def test_a_model_that_no_feed_has_made_is_never_replaced(run, tmp_path):
    deciban.train(["free money", "see you"], ["spam", "ham"]).save(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    line = "deciban: m: there is a model already, which no feed has made; give the new feed another name\n"
    assert run("m", "news.jsonl", "--new") == (1, "", line)
    assert (tmp_path / "m").read_bytes() == before
    assert not (tmp_path / "m.feed").exists()


def test_what_a_feed_is_begun_with_is_not_passed_over_later(run):
    run("m", "news.jsonl", "--new")
    for option, value in (("--half-life", "5"), ("--yes", "good"), ("--no", "bad")):
        line = f"deciban: {option} is for a feed that begins, with --new; see deciban feed --help\n"
        assert run("m", "news.jsonl", option, value) == (2, "", line)


def test_a_label_of_a_feed_is_not_empty(run, tmp_path):
    line = "deciban: labels[0]: expected a label as text, got an empty one\n"
    assert run("m", "news.jsonl", "--new", "--yes", "") == (1, "", line)
    assert not (tmp_path / "m.feed").exists()


def test_wrong_usage(run):
    for option, value in (("--half-life", "0"), ("--half-life", "30w"), ("--explore", "2"), ("--ask", "0")):
        status, _, err = run("m", option, value)
        assert (status, err.count("\n")) == (2, 1)


def test_two_processes_on_one_model(run, tmp_path):
    with open_feed(tmp_path / "m", new=True):
        assert run("m", "news.jsonl") == (
            1,
            "",
            "deciban: m: another deciban feed is at work on it; wait until that ends\n",
        )
    assert run("m", "news.jsonl", "--new")[0] == 0
    assert run("m", "news.jsonl", "--new")[2] == (
        "deciban: m: there is a feed already, in m.feed; go on without --new, or give another name\n"
    )


def test_a_feed_in_which_nothing_was_said_may_be_begun_again(run, tmp_path):
    (tmp_path / "broken.xml").write_text("<rss><item>")
    assert run("m", "broken.xml", "--new", "--yes", "good")[0] == 1
    assert run("m", "news.jsonl", "--new", "--yes", "fine")[0] == 0
    with open_feed(tmp_path / "m") as feed:
        assert feed.labels[0] == "fine"


def test_texts_without_words_are_no_trouble(model):
    with open_feed(model, new=True) as feed:
        feed.read([Item("a", "!!!"), Item("b", "???")])
        feed.answer("a", "yes")
        assert [ranked.item.id for ranked in feed.ranked()] == ["b"]
        assert np.isfinite(feed.ranked()[0].decibans)
        feed.save()


def test_the_page_runs_as_it_stands():
    assert doctest.testfile(str(ROOT / "docs" / "feeds.md"), module_relative=False).failed == 0
