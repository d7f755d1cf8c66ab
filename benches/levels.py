"""What `--hierarchy` answers by default, beside what the same texts answer without it: a table of `make hierarchy`.

Both are `deciban.train` with nothing else said but that there is no limit of time while texts are few, so that no clock
decides. Of few texts draws are taken, from the training part; a random sample of the test part judges all of them. What
is told of the difference is its mean and the standard error of that over draws; of all texts, which are drawn once,
that over test texts.
"""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import deciban
from deciban.settings import FITTED

Part = tuple[list[str], list[str]]
MOST = 3000
HEAD = [
    "What `deciban train` answers with `--hierarchy` and without, nothing else chosen by hand: leaves of so many test "
    f"texts ({MOST:,} at most) right in percent, mean of draws; what it was with the hierarchy in how many of them, a "
    "committee or a model of counts, by which `--levels`; how much more is right with the hierarchy, and the standard "
    "error of that (over draws; of all texts, over test texts).",
    "",
    "| set | texts a label | draws | without | with `--hierarchy` | what it was | difference |",
    "| --- | --- | --- | --- | --- | --- | --- |",
]


def right(learnt: Part, test: Part, **how: Any) -> tuple[npt.NDArray[np.bool_], str]:
    """Which test texts a model gets right, and what it is."""
    model = deciban.train(*learnt, threads=1, **how)
    kind = "committee" if model.settings.model in FITTED else "counts"
    return np.array(model.predict(test[0])) == np.array(test[1]), f"{kind} {model.settings.levels}"


def row(name: str, size: int | None, draws: Sequence[Part], test: Part) -> str:
    """A line: so many texts a label."""
    flat, above, levels = [], [], []
    for number, part in enumerate(draws):
        how: dict[str, Any] = {} if size is None else {"budget": None}
        without, _ = right(part, test, **how)
        with_it, found = right(part, test, hierarchy="/", **how)
        flat.append(without)
        above.append(with_it)
        levels.append(found)
        print(f"{name}, {size or 'all'}, {number}: {without.mean():.4f} {with_it.mean():.4f} {found}", file=sys.stderr)
    one = 100 * (above[0].astype(float) - flat[0])
    spread = float(one.std()) / len(one) ** 0.5 if len(draws) == 1 else None
    shares = [[float(of.mean()) for of in each] for each in (flat, above)]
    return line(f"{name} | {size or 'all'}", *shares, levels, spread)


def line(name: str, flat: list[float], above: list[float], levels: list[str], spread: float | None) -> str:
    """The same from what draws came to; of several, their spread tells how sure that is."""
    gains = [100 * (b - a) for a, b in zip(flat, above, strict=True)]
    spread = statistics.stdev(gains) / len(gains) ** 0.5 if spread is None else spread
    means = " | ".join(f"{100 * statistics.mean(of):.1f}" for of in (flat, above))
    ways = ", ".join(f"{way}: {times}" for way, times in sorted(Counter(levels).items()))
    return f"| {name} | {len(gains)} | {means} | {ways} | {statistics.mean(gains):+.1f} ± {spread:.1f} |"


def rows(name: str, learnt: Part, test: Part, draws: dict[int | None, list[list[int]]]) -> Iterator[str]:
    """The lines of a set, by the places of what is drawn for each number of texts a label."""
    some = np.random.default_rng(0).permutation(len(test[0]))[:MOST]
    judged = [test[0][place] for place in some], [test[1][place] for place in some]
    for size, every in draws.items():
        parts = [([learnt[0][place] for place in places], [learnt[1][place] for place in places]) for places in every]
        yield row(name, size, parts, judged)
