"""`make feed`: interest in one newsgroup, 20 answers, and how well the feed then ranks all the rest.

The stream is the test part of 20 Newsgroups, with headers or without; somebody is interested in one of the groups. The
feed asks its own questions (`Feed.question`), 20 in all, and then ranks all texts that were not answered: average
precision. It starts from one example, a text of the group drawn by the seed, which is the first of the 20 answers; or
from nothing. `drawn` asks nothing: half of the answers are of texts drawn from the group, half of texts drawn from all
others, so that what is left is how much 20 answers can tell. Beside it, on the same answers, scikit-learn: tf-idf
(sublinear) of the same stream and logistic regression with balanced labels; where all answers are the same, the cosine
to the mean of what was liked.

How precision grows with answers is measured with headers, of one seed: after 20, 40 and 80 answers, asked for and
drawn; beside it what all labels of the other part tell, by multinomial logistic regression with C = 10.

The constants of the feed were chosen on the training part, with headers. C of the regression is the best of `COSTS`, by
the mean over what is measured here itself, which favours the rival. The page is benches/results/feed.md.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from deciban.evaluation.curves import average_precision
from deciban.feeds import Item, open_feed

from . import machine
from .sets import read
from .speed import RESULTS

ANSWERS = 20
GROWTH = (20, 40, 80)
STARTS = ("one example", "nothing", "drawn answers")
HEADERS = ("in", "out")
COSTS = (1.0, 10.0, 100.0, 1000.0)
Ranking = Callable[[list[int], list[int]], list[npt.NDArray[np.float64]]]  # scores by each C, by what was liked and not
Outcome = tuple[float, int, tuple[float, ...], float, int, float, tuple[float, ...]]
NONE = float("nan")
HEAD = "| group | feed, from one example | liked | scikit-learn | feed, from nothing | liked | feed, drawn |"
HEAD += " scikit-learn |\n"
HEAD += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"


def main() -> None:
    """Measures, prints; writes the page anew after each group, so that a long run shows what it has."""
    given = _arguments()
    found: dict[bool, dict[str, list[Outcome]]] = {}
    for headers in (way == "in" for way in given.headers):
        found[headers] = {}
        for group, outcomes in _measured(given, headers=headers):
            found[headers][group] = outcomes
            print(f"{group} {outcomes}", flush=True)
            (given.results / "feed.md").write_text(page(given, found), encoding="utf-8")
    if not given.no_growth:
        grown: dict[str, tuple[float, ...]] = {}
        for group, precisions in _growth(given):
            grown[group] = precisions
            (given.results / "feed.md").write_text(page(given, found, grown), encoding="utf-8")
    print((given.results / "feed.md").read_text(encoding="utf-8"))


def page(
    given: argparse.Namespace,
    found: dict[bool, dict[str, list[Outcome]]],
    grown: dict[str, tuple[float, ...]] | None = None,
) -> str:
    """What was measured so far."""
    facts = machine.facts()
    tables = "\n".join(_table(headers, rows) for headers, rows in found.items() if rows)
    tables += _growth_table(grown) if grown else ""
    return f"# A feed after {ANSWERS} answers\n\n{_about(given)}\n\n{tables}\n{facts['date']}, {facts['processor']}.\n"


def _about(given: argparse.Namespace) -> str:
    starts = "" if tuple(given.starts) == STARTS else " --starts " + " ".join(f"'{start}'" for start in given.starts)
    starts += "" if tuple(given.headers) == HEADERS else f" --headers {' '.join(given.headers)}"
    starts += " --no-growth" if given.no_growth else ""
    return f"""Interest in one group of 20 Newsgroups ({given.part} part), {ANSWERS} answers to questions of the feed,
average precision over all other texts; means of {given.seeds} seeds, with each of them in brackets. The example that a
feed starts from is the first answer; `liked` is how many of the answers were yes. scikit-learn is tf-idf and logistic
regression on the same answers as the feed from one example, with the best C of
{", ".join(f"{c:g}" for c in COSTS)} by its mean over this same table, which favours it; it has not seen the
stream but for idf. `drawn`: no questions; half of the answers are of texts drawn from the group, half of texts drawn
from all others: what {ANSWERS} answers can tell, if finding them were no task. A table of fewer than 20 groups is of a
run that was cut off.
Made by `make feed BENCH="--seeds {given.seeds}{starts}"`."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches.feed", description=__doc__)
    parser.add_argument("--part", default="test", choices=("train", "test"), help="which part is the stream (test)")
    parser.add_argument("--seeds", type=int, default=3, help="how many seeds (3)")
    parser.add_argument("--groups", nargs="*", help="some groups only")
    parser.add_argument("--headers", nargs="*", default=HEADERS, choices=HEADERS, help="texts with headers, or without")
    parser.add_argument("--starts", nargs="*", default=STARTS, choices=STARTS, help="what a feed starts from")
    parser.add_argument("--no-growth", action="store_true", help="do not measure more than 20 answers")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    return parser.parse_args()


def _measured(given: argparse.Namespace, *, headers: bool) -> Iterator[tuple[str, list[Outcome]]]:
    """The outcomes of each group, seed by seed, for one kind of texts."""
    found = read("20ng")
    places = [i for i, part in enumerate(found.split) if part == given.part]
    texts, labels = found.at(places)
    items = [Item(str(n), text if headers else text.partition("\n\n")[2]) for n, text in enumerate(texts)]
    rival, label = _rival([item.text for item in items]), np.array(labels)
    spaces: dict[int, object] = {}
    for group in given.groups or sorted(set(labels)):
        how = (given.starts, rival, spaces)
        yield group, [_sums(items, label == group, seed, *how) for seed in range(given.seeds)]


def _growth(given: argparse.Namespace) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Average precision by group: after so many answers asked for, so many drawn, by all labels of the other part."""
    found, spaces = read("20ng"), dict[int, object]()
    there = np.array([part == given.part for part in found.split])
    texts, labels = found.at(np.flatnonzero(there))
    items, label = [Item(str(n), text) for n, text in enumerate(texts)], np.array(labels)
    ceiling = _by_all(*found.at(np.flatnonzero(~there)), texts)
    for group in given.groups or sorted(set(labels)):
        liked, rng = label == group, np.random.default_rng(0)
        first = int(rng.choice(np.flatnonzero(liked)))
        asked, known = [], {first: "yes"}
        for n in GROWTH:
            precision, known = _asked(items, liked, 0, known, spaces, n)
            asked.append(precision)
        drawn = [_asked(items, liked, 0, _drawn(liked, 0, n), spaces, n)[0] for n in GROWTH]
        yield group, (*asked, *drawn, average_precision(liked, ceiling[group]))
        print(f"{group} {asked} {drawn}", flush=True)


def _by_all(texts: list[str], labels: list[str], asked: list[str]) -> dict[str, npt.NDArray[np.float64]]:
    """The probabilities of groups by texts that are labelled, all of them."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    reader = TfidfVectorizer(sublinear_tf=True, min_df=2)
    model = LogisticRegression(C=10.0, max_iter=1000).fit(reader.fit_transform(texts), labels)
    return dict(zip(model.classes_, model.predict_proba(reader.transform(asked)).T, strict=True))


def _growth_table(grown: dict[str, tuple[float, ...]]) -> str:
    heads = [*(f"{n} asked" for n in GROWTH), *(f"{n} drawn" for n in GROWTH), "all labels of the other part"]
    lines = [f"| group | {' | '.join(heads)} |", "| --- |" + " ---: |" * len(heads)]
    mean = tuple(float(of) for of in np.mean(list(grown.values()), axis=0))
    for group, row in [*grown.items(), ("**mean**", mean)]:
        lines.append(f"| {group} | {' | '.join(f'{value:.3f}' for value in row)} |")
    return "\n## More answers\n\nHeaders in, of seed 0.\n\n" + "\n".join(lines) + "\n"


def _table(headers: bool, rows: dict[str, list[Outcome]]) -> str:
    every = [outcome for found in rows.values() for outcome in found]
    best = int(np.argmax([np.mean([outcome[2][c] for outcome in every]) for c in range(len(COSTS))]))
    lines = "".join(_row(group, found, best) for group, found in rows.items())
    mean = statistics.mean(_mean(found, 0) for found in rows.values())
    told = f"From one example the mean over {len(rows)} groups is {mean:.3f}; the bar is 0.8. C is {COSTS[best]:g}."
    return f"## Headers {'in' if headers else 'out'}\n\n{HEAD}{lines}{_row('**mean**', every, best)}\n{told}\n"


def _sums(
    items: list[Item],
    liked: npt.NDArray[np.bool_],
    seed: int,
    starts: list[str],
    rival: Ranking,
    spaces: dict[int, object],
) -> Outcome:
    """From one example: average precision, likes, that of the rival; from nothing: average precision and likes."""
    one: tuple[float, int, tuple[float, ...]] = NONE, 0, (NONE,) * len(COSTS)
    if STARTS[0] in starts:
        first = int(np.random.default_rng(seed).choice(np.flatnonzero(liked)))
        precision, known = _asked(items, liked, seed, {first: "yes"}, spaces)
        yes, no = _parted(known)
        rest = np.setdiff1d(np.arange(len(items)), [*yes, *no])
        one = precision, len(yes), tuple(average_precision(liked[rest], scores[rest]) for scores in rival(yes, no))
    none, known = _asked(items, liked, seed, {}, spaces) if STARTS[1] in starts else (NONE, {})
    found = len(_parted(known)[0])
    drawn: tuple[float, tuple[float, ...]] = NONE, (NONE,) * len(COSTS)
    if STARTS[2] in starts:
        given = _drawn(liked, seed, ANSWERS)
        yes, no = _parted(given)
        rest = np.setdiff1d(np.arange(len(items)), list(given))
        precision = _asked(items, liked, seed, given, spaces)[0]
        drawn = precision, tuple(average_precision(liked[rest], scores[rest]) for scores in rival(yes, no))
    return *one, none, found, *drawn


def _drawn(liked: npt.NDArray[np.bool_], seed: int, answers: int) -> dict[int, str]:
    """So many answers by lot, half of them yes."""
    rng = np.random.default_rng(seed)
    yes, no = (rng.choice(np.flatnonzero(some), answers // 2, replace=False).tolist() for some in (liked, ~liked))
    return dict.fromkeys(yes, "yes") | dict.fromkeys(no, "no")


def _asked(
    items: list[Item],
    liked: npt.NDArray[np.bool_],
    seed: int,
    given: dict[int, str],
    spaces: dict[int, object],
    answers: int = ANSWERS,
) -> tuple[float, dict[int, str]]:
    """Average precision over the rest after what was given and questions up to so many answers; and the answers."""
    with tempfile.TemporaryDirectory() as folder, open_feed(f"{folder}/m", new=True, seed=seed) as feed:
        feed.read(items)
        if seed not in spaces:
            spaces[seed] = feed._space
        vars(feed)["_space"] = spaces[seed]  # of the same texts: made once
        for n, answer in given.items():
            feed.answer(str(n), answer)
        while len(feed.answers) < answers and (item := feed.question()) is not None:
            feed.answer(item.id, "yes" if liked[int(item.id)] else "no")
        ranked = [int(ranked.item.id) for ranked in feed.ranked()]
        known = {int(n): answer for n, answer in feed.answers.items()}
        return average_precision(liked[ranked], -np.arange(len(ranked))), known


def _parted(answers: dict[int, str]) -> tuple[list[int], list[int]]:
    """Which were liked, and which not."""
    yes, no = ([n for n, answer in answers.items() if answer == wanted] for wanted in ("yes", "no"))
    return yes, no


def _rival(texts: list[str]) -> Ranking:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    rows = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts)

    def scores(yes: list[int], no: list[int]) -> list[npt.NDArray[np.float64]]:
        if not no:
            return [np.asarray(rows @ np.asarray(rows[yes].mean(axis=0)).ravel())] * len(COSTS)
        models = [LogisticRegression(C=cost, class_weight="balanced", max_iter=1000) for cost in COSTS]
        labels = [1] * len(yes) + [0] * len(no)
        return [np.asarray(model.fit(rows[[*yes, *no]], labels).decision_function(rows)) for model in models]

    return scores


def _mean(found: list[Outcome], place: int) -> float:
    return statistics.mean(outcome[place] for outcome in found)  # type: ignore[misc]


def _row(group: str, found: list[Outcome], best: int) -> str:
    mean = {place: _mean(found, place) for place in (0, 1, 3, 4, 5)}
    rival, of_drawn = (statistics.mean(outcome[place][best] for outcome in found) for place in (2, 6))
    each = "" if group == "**mean**" else " ".join(f"{outcome[0]:.2f}" for outcome in found)
    shown = f"{mean[0]:.3f} ({each})" if each else f"{mean[0]:.3f}"
    none = "- | -" if np.isnan(mean[3]) else f"{mean[3]:.3f} | {mean[4]:.1f}"
    drawn = "- | -" if np.isnan(mean[5]) else f"{mean[5]:.3f} | {of_drawn:.3f}"
    return f"| {group} | {shown} | {mean[1]:.1f} | {rival:.3f} | {none} | {drawn} |\n"


if __name__ == "__main__":
    main()
