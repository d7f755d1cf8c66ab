"""What deciban and its rivals answered -> the page of `make rivals`."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deciban.evaluation.comparison import LEVEL, bootstrap, mcnemar

Found = dict[str, dict[str, Any]]  # by fold
Results = dict[str, dict[str, Found]]  # by set and program
Right = npt.NDArray[np.bool_]
FOLDS = 3
OURS = "deciban"
RIVALS = ("fastText", "scikit-learn", "Vowpal Wabbit")
ABOUT_SECONDS = "To choose and to learn, by the clock and of processors; to answer, of processors. Of folds the mean."
SHARE, POINTS = 0.9, 0.5  # of sets on which we are ahead; behind at most

# Small sets first.
ORDER = (
    *("cr", "trec", "mpqa", "sms-spam", "sst2", "rt-s", "subj", "agnews-test", "tweets-8lang", "r8", "r52", "clinc150"),
    *("rt-2k", "ohsumed", "udhr-langid", "20ng", "imdb", "spamassassin", "debian-sections", "wordnet-hypernyms"),
)
WITHOUT_TEST = ("cr", "mpqa", "sms-spam", "rt-s", "subj", "agnews-test", "rt-2k", "spamassassin")


def packed(right: Right) -> str:
    """Yes or no of each text, in few characters, after how many they are."""
    return f"{len(right)}:{base64.b64encode(zlib.compress(np.packbits(right).tobytes(), 9)).decode()}"


def unpacked(text: str) -> Right:
    """The same back.

    >>> unpacked(packed(np.array([True, False, True])))
    array([ True, False,  True])
    """
    n, _, bits = text.partition(":")
    return np.unpackbits(np.frombuffer(zlib.decompress(base64.b64decode(bits)), np.uint8))[: int(n)].astype(bool)


class Beside(NamedTuple):
    """How far we are ahead of somebody on a set, in points, with the middle 95 % of the paired bootstrap."""

    set: str
    who: str
    points: float
    low: float
    high: float
    told_apart: bool

    def __str__(self) -> str:
        # Nothing is added to minus nothing.
        by, low, high = (round(points, 2) + 0.0 for points in (self.points, self.low, self.high))
        return f"{by:+.2f} ({low:+.2f} to {high:+.2f}){'' if self.told_apart else ' ?'}"


def page(about: str, known: Results, facts: dict[str, str]) -> str:
    """All that was measured so far."""
    with_ours = {name: of for name, of in known.items() if _is_whole(of.get(OURS, {}))}
    machine = "\n".join(f"- {name}: {value}" for name, value in facts.items())
    parts = [
        "# Accuracy beside rivals\n\nWritten by `make rivals`; do not edit.",
        _bars(with_ours),
        about.partition("\n\n")[2].strip(),
        f"## Accuracy, in %\n\n{_accuracies(known)}",
        f"## Macro-F1\n\n{_table(known, _macro_f1)}",
        f"## Seconds\n\n{ABOUT_SECONDS}\n\n{_table(known, _seconds)}",
        f"## Settings\n\nThose of the first fold.\n\n{_settings(known)}",
        f"## Machine\n\n{machine}",
    ]
    return "\n\n".join(parts) + "\n"


def _is_whole(found: Found) -> bool:
    return bool(found) and all("right" in one for one in found.values())


def _macro_f1(found: Found) -> str:
    return f"{fmean(one['macro_f1'] for one in found.values()):.3f}"


def _right(found: Found) -> Right:
    return np.concatenate([unpacked(one["right"]) for one in found.values()])


def beside(name: str, who: str, ours: Found, theirs: Found) -> Beside:
    """The paired difference on one set, of the folds that both have answered."""
    both = sorted(ours.keys() & theirs.keys())
    us, them = (_right({fold: found[fold] for fold in both}) for found in (ours, theirs))
    b, c, n = int((us & ~them).sum()), int((them & ~us).sum()), len(us)
    low, high = bootstrap(b, c, n)
    told_apart = not low <= 0 <= high and mcnemar(b, c) < LEVEL
    return Beside(name, who, *(100 * share for share in ((b - c) / n, low, high)), told_apart)


def _against(who: str, known: Results) -> Iterator[Beside]:
    for name, of in known.items():
        if _is_whole(of.get(who, {})):
            yield beside(name, who, of[OURS], of[who])


def _bars(known: Results) -> str:
    """How many sets we are ahead on, and where it is worst: of each rival, and of the best of them on each set."""
    each = {who: list(_against(who, known)) for who in RIVALS}
    all_of = [one for found in each.values() for one in found]
    best = [min((one for one in all_of if one.set == name), key=lambda one: one.points, default=None) for name in known]
    each["the best of them"] = [one for one in best if one is not None]
    rows = [_bar(who, found) for who, found in each.items() if found]
    bar = f"ahead on {SHARE:.0%} of the sets, never behind by more than {POINTS:g} points"
    columns = ["against", "sets", "ahead", "more than luck", "behind", "more than luck", "worst", "mean", "holds"]
    return f"The bar: {bar}, beside each of the three.\n\n{_lines(columns, rows)}"


def _bar(who: str, found: list[Beside]) -> list[str]:
    ahead, behind = [one for one in found if one.points > 0], [one for one in found if one.points < 0]
    worst = min(found, key=lambda one: one.points)
    holds = len(ahead) >= SHARE * len(found) and worst.points >= -POINTS
    counts = [str(sum(one.told_apart for one in some)) for some in (ahead, behind)]
    mean = f"{fmean(one.points for one in found):+.2f}"
    told = f"{worst.points:+.2f} ({worst.set})"
    verdict = "" if who not in RIVALS else "yes" if holds else "**no**"
    if verdict and len(found) < len(ORDER):
        verdict = f"open: {len(found)} of {len(ORDER)} sets"
    return [who, str(len(found)), str(len(ahead)), counts[0], str(len(behind)), counts[1], told, mean, verdict]


def _accuracies(known: Results) -> str:
    """The best in bold; and how far we are ahead of the best rival."""
    rows = []
    for name, of in known.items():
        whole = {who: found for who, found in of.items() if _is_whole(found)}
        shares = {who: 100 * float(_right(found).mean()) for who, found in whole.items()}
        rivals = [who for who in shares if who != OURS]
        against = ""
        if OURS in whole and rivals:
            best = max(rivals, key=lambda who: shares[who])
            against = f"{beside(name, best, whole[OURS], whole[best])} | {best}"
        n = len(_right(next(iter(whole.values())))) if whole else 0
        cells = [_share(shares.get(who), max(shares.values(), default=0), of.get(who, {})) for who in (OURS, *RIVALS)]
        folds = f" ({len(of.get(OURS, {}))} of {FOLDS} folds)" if name in WITHOUT_TEST else ""
        rows.append([f"{name}{folds}", f"{n:,}", *cells, against or " | "])
    columns = ["set", "test texts", OURS, *RIVALS, "ahead of the best rival (95 %)", "which"]
    noted = "`?`: no more than luck, by the paired bootstrap or McNemar's mid-p."
    return f"{_lines(columns, rows)}\n\n{noted}"


def _share(share: float | None, most: float, found: Found) -> str:
    if share is None:
        return next((one["failed"] for one in found.values() if "failed" in one), "")
    return f"**{share:.2f}**" if share == most else f"{share:.2f}"


def _seconds(found: Found) -> str:
    clock, cpu = (fmean(one["train"][i] for one in found.values()) for i in (0, 1))
    answers = fmean(one["predict"][1] for one in found.values())
    threads = {one["threads"] for one in found.values()}
    return f"{clock:,.0f}, {cpu:,.0f}; {answers:,.1f}{' (1 thread)' if threads == {1} else ''}"


def _table(known: Results, cell: Callable[[Found], str]) -> str:
    rows = [
        [name, *(cell(of[who]) if _is_whole(of.get(who, {})) else "" for who in (OURS, *RIVALS))]
        for name, of in known.items()
    ]
    return _lines(["set", OURS, *RIVALS], rows)


def _settings(known: Results) -> str:
    told = (
        (name, who, next(iter(found.values())).get("told", ""))
        for name, of in known.items()
        for who, found in of.items()
    )
    return "\n".join(f"- {name}, {who}: {what}" for name, who, what in told if what)


def _lines(columns: list[str], rows: list[list[str]]) -> str:
    head = [f"| {' | '.join(columns)} |", f"| --- {'| ---: ' * (len(columns) - 1)}|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])
