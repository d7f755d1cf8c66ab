"""Which examples to learn from, and which to judge by: parts of a set of texts.

Labels come in, and maybe a group or a time of each example; parts go out, in which no example is on both sides.

    folds      each label is dealt out evenly; what is in a fold is judged by what was learnt from all others
    groups     the same, but a group (an author, a thread, a customer) is in one fold as a whole
    a share    one part to judge by, with the same share of every label
    time       the examples in their order; each block is judged by what was learnt from all that came before

One place for all of them: whoever chooses, compares or evaluates deals by the same rules.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import BadTime, TooFewGroups, TooFewTimes, TooManyFolds, described, listed

Places = npt.NDArray[np.int64]


class Part(NamedTuple):
    """What to learn from, and what to judge by."""

    train: Places
    test: Places


class Split(NamedTuple):
    """All parts, and what that way of holding out is called."""

    parts: list[Part]
    words: str


def folds_of(y: Places, count: int, seed: int = 0) -> Places:
    """A fold for each row, each label dealt out evenly.

    >>> folds_of(np.array([0, 0, 0, 1, 1, 1]), 3).tolist()
    [1, 2, 0, 0, 2, 1]
    """
    return _turns(y, seed) % count


def _turns(y: Places, seed: int) -> Places:
    """Each row's turn: label by label, in an order that is drawn."""
    order = np.random.default_rng(seed).permutation(len(y))
    turns = np.empty(len(y), np.int64)
    turns[order[np.argsort(y[order], kind="stable")]] = np.arange(len(y))
    return turns


def in_folds(
    labels: Sequence[str], folds: int, seed: int = 0, groups: Sequence[Hashable] | None = None, name: str = "texts"
) -> Split:
    """So many folds; where there are groups, none of them in two."""
    times = Counter(labels).most_common()
    if groups is None:
        label, most = times[0]
        if most < folds:
            raise TooManyFolds(name=name, folds=folds, label=label, got=most)
        few = [label for label, n in times if n < folds]
        fold = folds_of(numbers(labels), folds, seed)
        return Split(_parts(fold, folds), f"{folds} folds" + (f" (some without {listed(few)})" if few else ""))
    _check_groups(groups, folds, name)
    fold = _dealt(labels, groups, [1 / folds] * folds, seed)
    return Split(_parts(fold, folds), f"{folds} folds, no group in two of them")


def by_share(
    labels: Sequence[str], share: float, seed: int = 0, groups: Sequence[Hashable] | None = None, name: str = "texts"
) -> Split:
    """A share of every label to judge by, the rest to learn from.

    >>> [part.tolist() for part in by_share(["a", "b"] * 5, 0.4).parts[0]]
    [[0, 3, 4, 6, 7, 9], [1, 2, 5, 8]]
    """
    words = f"tuning set of {share:.0%}"
    if groups is not None:
        _check_groups(groups, 2, name)
        fold = _dealt(labels, groups, [1 - share, share], seed)  # the largest group is for learning
        return Split([Part(np.flatnonzero(fold == 0), np.flatnonzero(fold == 1))], f"{words}, no group on both sides")
    turns = _turns(numbers(labels), seed)
    is_test = np.floor((turns + 1) * share + 1e-9) > np.floor(turns * share + 1e-9)
    return Split(_parts(np.where(is_test, 0, 1), 1), words)


def by_time(times: Sequence[object], steps: int, name: str = "texts") -> Split:
    """The examples in steps of time, about equally many in each; what has one time is in one step.

    >>> split = by_time([3, 1, 2, 1], 2)
    >>> [(part.train.tolist(), part.test.tolist()) for part in split.parts]
    [([1, 3], [2]), ([1, 2, 3], [0])]
    """
    when = np.array([_moment(time, f"{name}, time[{place}]") for place, time in enumerate(times)])
    different, first = np.unique(np.sort(when), return_index=True)
    if len(different) < steps + 1:
        raise TooFewTimes(name=name, steps=steps, needed=steps + 1, got=len(different))
    wanted = len(when) * np.arange(1, steps + 1) / (steps + 1)
    starts = _apart(np.abs(first[:, None] - wanted).argmin(axis=0), len(different))
    block = np.searchsorted(different[starts], when, side="right")
    parts = [Part(np.flatnonzero(block < k), np.flatnonzero(block == k)) for k in range(1, steps + 1)]
    return Split(parts, f"{steps} steps in time, each judged by what came before")


def numbers(names: Sequence[str]) -> Places:
    """The number of each name among the different ones."""
    return np.asarray(np.unique(np.asarray(names, dtype=object), return_inverse=True)[1], np.int64)


def _apart(starts: Places, different: int) -> Places:
    """Where blocks begin, each at another time than the one before, the first not at the first."""
    for k in range(len(starts)):
        starts[k] = max(starts[k], starts[k - 1] + 1 if k else 1)
    for k in range(len(starts) - 1, -1, -1):
        starts[k] = min(starts[k], different - (len(starts) - k))
    return starts


def _moment(time: object, where: str) -> float:
    """A time as a number: numbers as they are, dates by ISO 8601, in UTC where they do not say otherwise.

    >>> _moment("2026-11-17", "") < _moment("2026-11-17T09:30", ""), _moment("12.5", "")
    (True, 12.5)
    """
    if hasattr(time, "item"):
        time = time.item()
    try:
        number = float(time)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = _of_date(time)
    if not math.isfinite(number) or isinstance(time, bool):
        raise BadTime(where=where, got=described(time))
    return number


def _of_date(time: object) -> float:
    try:
        read = datetime.fromisoformat(time.strip()) if isinstance(time, str) else time
    except ValueError:
        return math.nan
    if isinstance(read, datetime):
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    if not isinstance(read, date):
        return math.nan
    return datetime(read.year, read.month, read.day, tzinfo=UTC).timestamp()


def _parts(fold: Places, folds: int) -> list[Part]:
    return [Part(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]


def _check_groups(groups: Sequence[Hashable], folds: int, name: str) -> None:
    if (got := len({*distinct_groups(groups)})) < folds:
        raise TooFewGroups(name=name, folds=folds, got=got)


def distinct_groups(groups: Sequence[Hashable]) -> list[Hashable]:
    """The groups; where a cell is empty, the example is a group of its own."""
    return [(place,) if group in (None, "") else group for place, group in enumerate(groups)]


def _dealt(labels: Sequence[str], groups: Sequence[Hashable], shares: list[float], seed: int) -> Places:
    """A fold for each example: groups, the largest first, each to where its labels are wanted most."""
    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(distinct_groups(groups)):
        members.setdefault(group, []).append(place)
    drawn = np.random.default_rng(seed).permutation(len(members)).tolist()
    all_of_it, filled = Counter(labels), [Counter[str]() for _ in shares]
    fold = np.empty(len(labels), np.int64)
    for _, places in sorted(zip(drawn, members.values(), strict=True), key=lambda of: (-len(of[1]), of[0])):
        own = Counter(labels[i] for i in places)
        best = min(range(len(shares)), key=lambda k: _fullness(own, filled[k], all_of_it) / shares[k])
        filled[best] += own
        fold[places] = best
    return fold


def _fullness(own: Counter[str], filled: Counter[str], every: Counter[str]) -> float:
    """How full a fold is of some labels, as shares of all there are, and a little of anything at all."""
    of_labels = sum(n * filled[label] / every[label] for label, n in own.items())
    return of_labels + 1e-3 * filled.total() * own.total() / every.total()
