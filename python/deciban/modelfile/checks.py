"""What a file says of a model is true of some model: whatever is not raises ValueError, and says what."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from .. import _core
from ..settings import CALIBRATIONS
from .format import COUNTED, GREATEST, GROUPS, MOST
from .saved import Saved


def check(saved: Saved) -> None:
    """All that can be wrong with what a file holds."""
    buffers = saved.buffers
    if not saved.frozen:
        counted: Any = (saved.lexicon, *(buffers[name] for name in COUNTED))
        _core.check_counts(counted, "expected" in buffers)
    _check_expected(buffers)
    _check_halves(saved)
    _check_labels(saved)
    _check_scaling(buffers)
    _check_conformal(saved.labels, buffers)
    _check_kept(saved)
    _check_worth(saved)
    if saved.settings.has_trees != ("axis" in buffers) or ("axis" in buffers) != ("tree_p" in buffers):
        raise ValueError("its trees do not fit its settings")
    _ = saved.forest  # making it checks it
    if "weight" in buffers:
        _ = saved.scorer  # making it checks it


def _check_labels(saved: Saved) -> None:
    labels, documents = saved.labels, saved.buffers["documents"]
    columns = labels if saved.tree is None else saved.tree.names
    bias: Any = saved.buffers.get("bias", columns)
    is_sorted = list(labels) == sorted(set(labels))
    is_possible = all(n > 0 for n in documents) and sum(documents) <= GREATEST
    if not is_sorted or not is_possible or (len(labels), len(columns)) != (len(documents), len(bias)):
        raise ValueError("its labels do not fit its counts")


def _check_expected(buffers: dict[str, memoryview]) -> None:
    expected: Any = buffers.get("expected", [0.0])
    if "expected" in buffers and ("occurrences" not in buffers or len(expected) != len(buffers["label"])):
        raise ValueError("its expected counts do not fit its counts")
    if not 0 <= min(expected, default=0.0) <= sum(expected) <= GREATEST:  # the sum finds what is no number
        raise ValueError("its expected counts are not those of any texts")


def _check_halves(saved: Saved) -> None:
    is_asked_for = saved.settings.smoothing == "deleted" and not saved.frozen and "expected" not in saved.buffers
    if saved.halved != is_asked_for:
        raise ValueError("its halves do not fit its settings")
    if saved.halved:
        whole: Any = tuple(saved.buffers[name] for name in ("documents", *GROUPS["counts"]))
        half: Any = tuple(saved.buffers[name] for name in GROUPS["halves"])
        _core.check_part(saved.buffers["label"], whole, half)


def _check_kept(saved: Saved) -> None:
    kept: Any = saved.buffers.get("kept", [])
    if "kept" not in saved.buffers:
        return
    is_asked_for = saved.settings.select is not None and not saved.frozen and "expected" not in saved.buffers
    is_some = all(map(int.__lt__, kept, [*kept[1:], len(saved.lexicon)])) and len(kept) < len(saved.lexicon)
    if not is_asked_for or not is_some or "card_indptr" not in saved.buffers:
        raise ValueError("the terms that it keeps are not some of its own")


def _check_worth(saved: Saved) -> None:
    is_asked_for = saved.settings.term_weights == "learnt" and not saved.frozen and bool(saved.labels)
    worth: Any = saved.buffers.get("worth", [])
    if ("worth" in saved.buffers) != is_asked_for or not all(0 <= weight < MOST for weight in worth):
        raise ValueError("how much its terms count cannot be told")
    if is_asked_for and len(worth) != len(saved.card_lexicon):
        raise ValueError("how much its terms count does not fit its terms")


def _check_scaling(buffers: dict[str, memoryview]) -> None:
    typical: Any = buffers.get("typical", [])
    if "typical" in buffers and "first" in buffers:
        raise ValueError("it has pairs of terms, and rows that are scaled")
    if len(typical) != len(buffers.get("groups", [])) or not all(0 < scale < float("inf") for scale in typical):
        raise ValueError("its scaling is not that of any rows")


def _check_conformal(labels: tuple[str, ...], buffers: dict[str, memoryview]) -> None:
    """Numbers from 0 to 2 that rise, of all texts and of each label's."""
    if "away" not in buffers:
        return
    ends: list[int] = buffers["away_ends"].tolist()
    away, of_label = buffers["away"].tolist(), buffers["away_of_label"].tolist()
    is_cut = len(ends) == len(labels) + 1 and ends == sorted(ends) and (ends[0], ends[-1]) == (0, len(of_label))
    parts = [away, *(of_label[start:end] for start, end in pairwise(ends))] if is_cut else [[3.0]]
    if "temper" not in buffers or not all(all(0 <= a <= 2 for a in part) and part == sorted(part) for part in parts):
        raise ValueError("what it knows for sets of labels does not fit its labels")


def threshold_of(
    given: dict[str, Any] | None, labels: list[str], buffers: dict[str, memoryview]
) -> dict[str, Any] | None:
    """How a threshold was chosen, where the file has one."""
    if (given is None) != ("least_odds" not in buffers):
        raise ValueError("its threshold has no number, or its number no name")
    if given is None:
        return None
    counted = ("negatives", "false_positives", "positives", "found")
    kinds = {"label": str, "rate": float, **dict.fromkeys(counted, int), "is_from_before": bool}
    if given.keys() != kinds.keys() or not all(type(given[name]) is kinds[name] for name in kinds):
        raise ValueError("its threshold cannot be read")
    least = buffers["least_odds"].tolist()
    n, k, positives, found = (given[name] for name in counted)
    is_one = given["label"] in labels and len(labels) > 1 and len(least) == 1 and least[0] == least[0]
    if not is_one or not 0 < given["rate"] < 1 or not 0 <= k < n or not 0 <= found <= positives or not positives:
        raise ValueError("its threshold is not that of any texts")
    return given


def calibration_of(given: dict[str, Any] | None, buffers: dict[str, memoryview]) -> dict[str, Any] | None:
    """How scores are calibrated, where the file has what does it."""
    if (given is None) != ("temper" not in buffers):
        raise ValueError("its calibration has no numbers, or its numbers no name")
    if given is None:
        return None
    kinds = {"method": (str,), "texts": (int,), "raw": (int, float), "loss": (int, float), "is_from_before": (bool,)}
    if given.keys() != kinds.keys() or not all(type(given[name]) in kinds[name] for name in kinds):
        raise ValueError("how it is calibrated cannot be read")
    if given["method"] not in CALIBRATIONS[1:] or not all(0 <= given[name] < MOST for name in ("texts", "raw", "loss")):
        raise ValueError("how it is calibrated cannot be read")
    return given


def several_of(given: Any, labels: list[str], buffers: dict[str, memoryview]) -> dict[str, str] | None:
    """What stands between labels, and what thresholds are for, where a text may have any number of labels."""
    if (given is None) != ("threshold" not in buffers):
        raise ValueError("its thresholds have no numbers, or its numbers no name")
    if given is None:
        return None
    is_told = given.keys() == {"separator", "thresholds"} and all(type(told) is str and told for told in given.values())
    arrays: list[Any] = [buffers[name].tolist() for name in GROUPS["odds"]]
    is_number = all(-MOST < number < MOST for numbers in arrays for number in numbers)
    fits = {len(numbers) for numbers in arrays} == {len(labels) - 1} and labels[:1] == [""]
    if not is_told or not fits or not is_number or not all(slope > 0 for slope in arrays[0]):
        raise ValueError("its thresholds do not fit its labels")
    return dict(given)
