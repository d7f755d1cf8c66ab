"""`deciban feed`: a stream ranked by interest, which learns from each answer at once.

Items are JSON lines ({"id": ..., "text": ...}, or with title, summary and content), or an RSS or Atom file. Answers are
JSON lines too ({"id": ..., "answer": "yes"}; or no, or skip), in the stream or in a file of --answers; or --ask for
them here. Every answer is in MODEL.feed, on the disk, before the next is taken. MODEL itself is an ordinary model,
for deciban explain and predict. Items that were shown are not shown again, unless --again.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from . import UsageError, options, screen

if TYPE_CHECKING:
    from ..feeds import Feed, Item, Ranked

SUMMARY = "rank a stream by interest, and learn from each answer"
EXAMPLE = "deciban feed news.deciban feed.xml --new --ask 20"
START = 400  # characters of a text that a terminal may show
WORDS = 5
KEYS = "y, n, s or q"


def add_arguments(parser: ArgumentParser) -> None:
    """The model, the stream, answers, and how they are ranked."""
    options.add_model(parser)
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="JSON lines, RSS or Atom; - reads standard input")
    add("--new", action="store_true", help="begin a feed that knows nothing yet")
    half = "when an answer counts half: after so many answers (1000), or days (30d); given with --new (default: never)"
    add("--half-life", type=half_life, metavar="N", help=half)
    add("--yes", metavar="LABEL", help="the label of a yes, given with --new (interesting)")
    add("--no", metavar="LABEL", help="the label of a no, given with --new (not)")
    add("--answers", metavar="FILE", help="answers as JSON lines, to be learnt first")
    add("--ask", type=options.positive, metavar="N", help="ask N questions here: y, n, s to skip, q to quit")
    add("--top", default=20, type=options.positive, metavar="N", help="how many items to show (default: 20)")
    explore = "share of places for texts of kinds that nobody was asked about (default: 0.1)"
    add("--explore", default=0.1, type=share, metavar="SHARE", help=explore)
    add("--again", action="store_true", help="show items that were shown before, too")
    add("--format", choices=("jsonl", "xml"), help="of FILE; by default told from its name or its beginning")
    add("--seed", default=0, type=options.whole, metavar="N", help="of the search for kinds of texts (default: 0)")
    options.add_json(parser)


def half_life(given: str) -> tuple[int, bool]:
    """`1000` answers or `30d` days, as a number and whether it is of days."""
    number = given.removesuffix("d")
    if not number.isdecimal() or not 0 < int(number) < 10**6:
        raise ArgumentTypeError(f"expected answers such as 1000, or days such as 30d, got {given!r}")
    return int(number), given.endswith("d")


def share(given: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"expected a number from 0 to 1, got {given!r}")
    return number


def run(given: Namespace) -> None:
    """Reads, learns, asks or ranks, saves."""
    from ..feeds import NO, YES, open_feed

    _check(given)
    half, days = given.half_life or (None, False)
    labels = (YES if given.yes is None else given.yes, NO if given.no is None else given.no)
    with open_feed(given.model, new=given.new, half_life=half, days=days, labels=labels, seed=given.seed) as feed:
        for path, written in ((given.file, given.format), (given.answers, "jsonl")):
            if path is not None:
                _take(feed, path, written)
        if feed.items:
            _ask(feed, given.ask) if given.ask else _rank(feed, given)
            feed.save()


def _check(given: Namespace) -> None:
    """Refuses what only a new feed can be told: one that goes on has it in its journal."""
    told = {"--half-life": given.half_life, "--yes": given.yes, "--no": given.no}
    said = [name for name, value in told.items() if value is not None]
    if said and not given.new:
        raise UsageError(f"{said[0]} is for a feed that begins, with --new; see deciban feed --help")


def _take(feed: Feed, path: str, format: str | None) -> None:
    """Reads a stream of items and answers."""
    from ..feeds import Answer, Nothing
    from ..feeds.reading import stream

    empty = 0
    for where, event in stream(path, format):
        if isinstance(event, Answer):
            feed.answer(event.id, event.answer, where)
        elif isinstance(event, Nothing):
            empty += 1
        else:
            feed.read([event])
    if empty:
        screen.warn(f"{path}: {empty} {'item has' if empty == 1 else 'items have'} no text: passed over")


def _rank(feed: Feed, given: Namespace) -> None:
    """Shows what is most interesting, and notes that it was shown."""
    found = feed.ranked(given.top, given.explore, again=given.again)
    for rank, ranked in enumerate(found, start=1):
        if given.json:
            print(json.dumps({"rank": rank, **_facts(feed, ranked)}, ensure_ascii=False))
        else:
            print(_line(feed, rank, ranked))
    if not given.json:
        print(f"{len(feed.answers)} answers; {_told(feed)}; ? explores")
    sys.stdout.flush()
    feed.show([ranked.item for ranked in found])


def _told(feed: Feed) -> str:
    return f"probability and decibans of {feed.labels[0]} against {feed.labels[1]}, and the strongest words"


def _facts(feed: Feed, ranked: Ranked) -> dict[str, object]:
    item = ranked.item
    odds = {"probability": ranked.probability, "decibans": screen.finite(ranked.decibans)}
    named = {"id": item.id, "title": item.title, "text": item.text}
    return {**odds, "explores": ranked.explores, "words": _words(feed, item), **named}


def _words(feed: Feed, item: Item) -> list[tuple[str, float]]:
    """The strongest words of an item, with their decibans."""
    return [(term.name, round(term.decibans, 2)) for term in feed.why(item).terms[:WORDS]]


def _line(feed: Feed, rank: int, ranked: Ranked) -> str:
    from ..errors import one_line

    words = " ".join(f"{word}{weight:+.1f}" for word, weight in _words(feed, ranked.item))
    mark = "?" if ranked.explores else " "
    shown = f"{_start(ranked.item, 60)}  [{words}]"
    return f"{rank:3} {mark} {ranked.probability:.3f} {ranked.decibans:+6.1f}  {one_line(shown)}"


def _start(item: Item, most: int) -> str:
    said = " ".join((item.title or item.text)[: 4 * most].split())
    return said if len(said) <= most else said[: most - 1] + "…"


def _ask(feed: Feed, questions: int) -> None:
    """Asks, one question after another; whatever ends it, the answers so far are kept."""
    try:
        for number in range(1, questions + 1):
            item = feed.question()
            answer = None if item is None else _answered(feed, item, f"{number}/{questions}")
            if item is None or answer is None:
                break
            feed.answer(item.id, answer)
    except KeyboardInterrupt:
        feed.save()
        raise
    print(f"{len(feed.answers)} answers so far")


def _answered(feed: Feed, item: Item, number: str) -> str | None:
    """yes, no or skip; None to quit."""
    from ..errors import UnknownAnswer, one_line
    from ..feeds.items import answer_of

    print(f"\n{number}  {one_line(' '.join(item.text[:START].split()))}")
    while True:
        print(f"{feed.labels[0]}? ({KEYS}) ", end="", flush=True)
        line = sys.stdin.readline()
        if line.strip().lower() in ("q", "quit") or not line:
            return None
        try:
            return answer_of(line, "here")
        except UnknownAnswer:
            print(f"expected {KEYS}")
