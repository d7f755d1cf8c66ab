"""One safe, versioned file: counts, the scorecard that they were weighed to, settings and where they came from.

The file is a safetensors file: arrays and a JSON header. Under `deciban` in the header's metadata stands one JSON
object: `format` (a number), `checksum`, `groups`, `settings`, `labels`, `provenance`. The arrays come in groups, all or
none of each, and `groups` names those that the file holds: always the lexicon, the postings and the scorecard; the
counts, unless the model is frozen; the counts expected of unlabelled texts, where there are some (a posting has then a
count of its own, an expected one, or both, and zero for what it has not); pairs of terms, where they add to the scores;
places, where the scorecard has other postings than the counts; axes and trees, where trees answer (the scorecard has
then no weights); kept, the places of the scorecard's terms, where it has some of the lexicon's only; worth, how much
its terms count, where that was learnt; scaling, where rows are scaled first; calibration, where scores are calibrated,
of which `calibration` in the JSON object tells how; and conformal, for sets of labels. The counts are the cause; the
scorecard follows from them, and is there so that nobody has to wait for it. (Before format 3 the format itself said
which groups there are: the counts, and from format 2 on the scorecard. Without one, it is weighed when asked for.)
A group that is not known here is refused: whoever would pass over it could lose it when saving.

Loading never runs code, and what it reads is checked before use. The arrays are mapped from the file, not copied: a
model file is replaced by a new one, never written over, so a map stays what was checked. (Whoever copies another file
over one that is in use, instead of moving it there, changes it under the map.)

Loading takes no NumPy, which takes longer to import than a model takes to load and answer: `Saved.answers` and
`Saved.top` work without, `Saved.known` and `Saved.scorecard` are arrays.

The checksum is BLAKE2b over the whole file as it would be with 64 zeros in the checksum's place. It and the first bytes
of the file stay the same in every format to come, so that any deciban can tell a damaged file from a newer one. There
is no date in the file: the same examples give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import stat
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from .errors import (
    DamagedModel,
    DecibanError,
    ModelFileError,
    NewerModel,
    NotAModel,
    NothingLearnt,
    OlderModel,
    TruncatedModel,
    UnknownContent,
    listed,
    reading,
)
from .examples import labels_of
from .settings import CALIBRATIONS, Settings
from .terms import refuse

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .calibration import Calibration
    from .counts import Counts, Frozen
    from .mixture import Expected
    from .projection import Forest
    from .scorecard import Scorecard

OLDEST, NEWEST = 1, 3
_MAGIC = b'{"__metadata__":{"deciban":"{\\"format\\":'
_UNSIGNED = "0" * 64
# The arrays of each group, and what they are made of. No two have the same name.
_GROUPS = {
    "lexicon": {"names": "U8", "offsets": "I64"},
    "postings": {"documents": "I64", "indptr": "I64", "label": "U32"},
    "counts": {"occurrences": "I64", "presences": "I64"},
    "expected": {"expected": "F64"},
    "halves": {"half_documents": "I64", "half_occurrences": "I64", "half_presences": "I64"},
    "scorecard": {"bias": "F64", "absent": "F64", "weight": "F64"},
    "pairs": {"first": "U32", "second": "U32", "together": "F64"},
    "kept": {"kept": "U32"},
    "worth": {"worth": "F64"},
    "places": {"card_indptr": "I64", "card_label": "U32"},
    "scaling": {"length": "F64", "groups": "U32", "typical": "F64"},
    "axes": {"axis_t": "F64", "axis_subset": "U32", "axis": "F32"},
    "trees": {
        "tree_start": "I64",
        "tree_feature": "U32",
        "tree_threshold": "F64",
        "tree_left": "U32",
        "tree_right": "U32",
        "tree_p": "F64",
    },
    "calibration": dict.fromkeys(("temper", "origin", "slope", "shift", "across", "knots"), "F64"),
    "conformal": {"away": "F64", "away_of_label": "F64", "away_ends": "I64"},
}
_TYPES = {name: kind for arrays in _GROUPS.values() for name, kind in arrays.items()}
# What a file of each format must hold; before the third it holds no more than that, and does not say so.
_MUST = {
    1: ["lexicon", "postings", "counts"],
    2: ["lexicon", "postings", "counts", "scorecard"],
    3: ["lexicon", "postings", "scorecard"],
}
_COUNTED = (*_GROUPS["postings"], *_GROUPS["counts"])
_GREATEST = (1 << 63) - 1
_MOST = 1e100  # that a weight is
_SENSELESS = "its header makes no sense"
_CODES = {"U8": "B", "U32": "I", "I64": "q", "F32": "f", "F64": "d"}

Answers = TypeVar("Answers")
Provenance = tuple[dict[str, Any], ...]


def told(provenance: Provenance) -> str:
    """Where a model came from, for people: in order, so that what was learnt later stands later.

    >>> climb = {"texts": 7, "weight": 0.1}
    >>> told(({"source": "a.csv", "examples": 9}, {"source": "b.csv", "examples": 0, "unlabelled": climb}))
    'a.csv (+9), b.csv (7 unlabelled, weight 0.1)'
    >>> told(({"source": "a.csv", "examples": 9, "weight": 4.5},))
    'a.csv (+9, of weight 4.5)'
    >>> told(({"source": "a.csv", "examples": 9}, {"source": "b.csv", "examples": 7, "continued": True}))
    'a.csv (+9), b.csv (+7, continued)'
    """
    return ", ".join(
        "{0} ({texts:,} unlabelled, weight {weight:g})".format(part["source"], **part["unlabelled"])
        if "unlabelled" in part
        else f"{part['source']} ({part['examples']:+,}{_noted(part)})"
        for part in provenance
    )


def _noted(part: dict[str, Any]) -> str:
    """What some examples weigh, where they were given weights; and whether a fit went on with them alone."""
    weight = f", of weight {part['weight']:g}" if "weight" in part else ""
    return weight + (", continued" if part.get("continued") else "")


@dataclass(frozen=True)
class Saved:
    """What a model file holds, checked: flat buffers, and what they are called."""

    settings: Settings
    labels: tuple[str, ...]
    provenance: Provenance
    lexicon: _core.Lexicon
    buffers: dict[str, memoryview]
    calibrated: dict[str, Any] | None = None

    @property
    def frozen(self) -> bool:
        """Whether there is a scorecard alone, and no counts."""
        return "occurrences" not in self.buffers

    @property
    def halved(self) -> bool:
        """Whether there are the counts of a half, too."""
        return "half_documents" in self.buffers

    @property
    def _weighed(self) -> tuple[str, ...]:
        """The arrays of the scorecard."""
        postings = ("card_indptr", "card_label") if "card_label" in self.buffers else ("indptr", "label")
        return "bias", "absent", *postings, "weight"

    @cached_property
    def card_lexicon(self) -> _core.Lexicon:
        """The terms of the scorecard: all, or those that are kept."""
        if "kept" not in self.buffers:
            return self.lexicon
        names, offsets = self.buffers["names"], self.buffers["offsets"]
        ends, kept = array("q", [0]), bytearray()
        for place in self.buffers["kept"]:
            kept += names[offsets[place] : offsets[place + 1]]
            ends.append(len(kept))
        return _core.Lexicon(self.settings.terms.core, memoryview(kept), memoryview(ends))

    @cached_property
    def scorer(self) -> _core.Scorer:
        """What adds up weights."""
        if "weight" not in self.buffers:
            return self.scorecard.scorer
        bias, absent, indptr, label, weight = (self.buffers[name] for name in self._weighed)
        binary, pairs = self.settings.is_binary, None
        if "first" in self.buffers:
            pairs = (self.buffers["first"], self.buffers["second"], self.buffers["together"])
        scaling = (self.buffers["length"], self.buffers["groups"]) if "length" in self.buffers else None
        card = (bias, absent, indptr, label, weight)
        return _core.Scorer(self.card_lexicon, *card, binary, pairs, scaling, self._map)

    @property
    def _map(self) -> tuple[Any, ...] | None:
        """The numbers that calibrate scores."""
        if self.calibrated is None or self.calibrated["method"] == "none":
            return None
        return tuple(self.buffers[name] for name in _GROUPS["calibration"])

    @cached_property
    def calibration(self) -> Calibration | None:
        """What makes scores honest, where there is something."""
        from .calibration import Calibration
        from .decision.sets import Conformal

        if self.calibrated is None:
            return None
        temper, origin, slope, shift, matrix, knots = map(self._array, _GROUPS["calibration"])
        seen = Conformal(*map(self._array, _GROUPS["conformal"])) if "away" in self.buffers else None
        numbers = {"temper": temper, "origin": origin, "slope": slope, "shift": shift, "matrix": matrix, "knots": knots}
        return Calibration(labels=self.labels, **numbers, **self.calibrated, conformal=seen)

    def answers(self, texts: list[Any], where: Callable[[int], str], threads: int) -> list[tuple[int, list[float]]]:
        """For each text the number of its most probable label, and the probability of every label."""
        if self.forest is not None:
            forest = self.forest
            return self._asked(texts, where, lambda: forest.answers(texts, threads))
        return self._asked(texts, where, lambda: self.scorer.answers(texts, threads))

    def top(
        self, texts: list[Any], where: Callable[[int], str], threads: int, most: int
    ) -> list[list[tuple[int, float]]]:
        """For each text the numbers of its most probable labels, in falling order, and their probabilities."""
        if self.forest is not None:
            forest = self.forest
            return self._asked(texts, where, lambda: forest.top_numbers(texts, most, threads))
        return self._asked(texts, where, lambda: self.scorer.top(texts, most, threads))

    def _asked(self, texts: list[Any], where: Callable[[int], str], ask: Callable[[], Answers]) -> Answers:
        if not self.labels:
            raise NothingLearnt
        try:
            return ask()
        except _core.BadText as error:
            refuse(error, texts, where)

    def impossible(self, texts: list[Any]) -> int:
        """How many texts no label can have: only without smoothing are there any."""
        return int((self.scorer.scores(texts, 0).max(axis=1) == float("-inf")).sum())

    @cached_property
    def known(self) -> Counts | Frozen:
        """The counts, still mapped; or what a frozen model has kept of them."""
        from .counts import Counts, Frozen
        from .halves import Halved

        if self.frozen:
            return Frozen(self.labels, self.lexicon, self._array("documents"))
        arrays: Any = map(self._array, _COUNTED)
        if self.halved:
            half = map(self._array, _GROUPS["halves"])
            return Halved(self.settings.terms, self.labels, self.lexicon, *arrays, *half)
        counts = Counts.of_buffers(self.settings.terms, self.labels, (self.lexicon, *arrays))
        return counts.of_postings(counts.presences > 0) if "expected" in self.buffers else counts

    @property
    def kept(self) -> npt.NDArray[np.bool_] | None:
        """Which terms of the lexicon the scorecard has, where those are not all."""
        import numpy as np

        if "kept" not in self.buffers:
            return None
        kept = np.zeros(len(self.lexicon), np.bool_)
        kept[self._array("kept")] = True
        return kept

    @property
    def worth(self) -> npt.NDArray[np.float64] | None:
        """How much the scorecard's terms count, where that was learnt."""
        return self._array("worth") if "worth" in self.buffers else None

    @cached_property
    def expected(self) -> Expected | None:
        """The expected counts of unlabelled texts, where there are some."""
        import numpy as np

        from .mixture import Expected

        if "expected" not in self.buffers:
            return None
        indptr, label, count = map(self._array, ("indptr", "label", "expected"))
        some = count > 0
        ends = np.concatenate([[0], np.cumsum(some)])[indptr]
        return Expected(self.labels, self.lexicon, ends, label[some], count[some])

    @cached_property
    def scorecard(self) -> Scorecard:
        """The scorecard, still mapped; weighed from the counts where the file is of a format that has none."""
        from .counts import Counts
        from .scorecard import Pairs, Scaling, Scorecard
        from .weighing import weigh

        if "weight" not in self.buffers and isinstance(self.known, Counts):
            return weigh(self.known, self.settings)
        bias, absent, indptr, label, weight = map(self._array, self._weighed)
        binary, pairs = self.settings.is_binary, None
        if "first" in self.buffers:
            first, second, together = map(self._array, _GROUPS["pairs"])
            pairs = Pairs(first, second, together.reshape(len(first), len(self.labels)))
        scaling = Scaling(*map(self._array, _GROUPS["scaling"])) if "length" in self.buffers else None
        card = Scorecard(self.labels, self.card_lexicon, bias, absent, indptr, label, weight, binary, pairs, scaling)
        return card if self._map else card.with_scorer(self.scorer)

    @cached_property
    def forest(self) -> Forest | None:
        """The trees, where they answer, and the axes that they are grown on."""
        if "axis" not in self.buffers:
            return None
        from .projection.forest import of_buffers

        axes, trees = (tuple(map(self._array, _GROUPS[group])) for group in ("axes", "trees"))
        return of_buffers(self.labels, self.card_lexicon, axes, trees, self.settings)

    @property
    def card(self) -> Scorecard | Forest:
        """What answers."""
        return self.scorecard if self.forest is None else self.forest

    def _array(self, name: str) -> Any:
        import numpy as np

        dtypes = {"U32": np.uint32, "I64": np.int64, "F32": np.float32, "F64": np.float64}
        return np.frombuffer(self.buffers[name], dtypes[_TYPES[name]])


def save(
    path: str | os.PathLike[str],
    known: Counts | Frozen,
    card: Scorecard | Forest,
    settings: Settings,
    provenance: Provenance,
    expected: Expected | None = None,
    kept: npt.NDArray[np.bool_] | None = None,
    worth: npt.NDArray[np.float64] | None = None,
    calibration: Calibration | None = None,
) -> None:
    """Writes a model file, whole or not at all; without counts where none are kept."""
    from safetensors.numpy import save as safetensors

    from .files import replacing
    from .scorecard import Scorecard

    if isinstance(card, Scorecard):
        groups = _arrays(known, card, expected, kept)
    else:
        trees = {"axes": card.buffers, "trees": card.trees.buffers}
        groups = {**_arrays(known, card.start, expected, kept), **trees}
    groups |= {} if worth is None else {"worth": (worth,)}
    if calibration is not None:
        groups["calibration"] = calibration.buffers
        if (seen := calibration.conformal) is not None:
            groups["conformal"] = (seen.overall, seen.by_label, seen.ends)
    about = {
        "format": NEWEST,
        "checksum": _UNSIGNED,
        "groups": list(groups),
        "settings": settings.as_dict(),
        "labels": known.labels,
        "provenance": provenance,
        **({} if calibration is None else {"calibration": calibration.about}),
    }
    arrays = {name: array for group in groups for name, array in zip(_GROUPS[group], groups[group], strict=True)}
    unsigned = safetensors(arrays, {"deciban": json.dumps(about, separators=(",", ":"))})
    start = unsigned.index(_UNSIGNED.encode())
    with replacing(path) as file:
        file.write(unsigned[:start])
        file.write(_digest(memoryview(unsigned)).encode())
        file.write(memoryview(unsigned)[start + len(_UNSIGNED) :])


def _arrays(
    known: Counts | Frozen, card: Scorecard, expected: Expected | None, kept: npt.NDArray[np.bool_] | None = None
) -> dict[str, tuple[Any, ...]]:
    """The arrays of each group that a file is to hold, in the order of `_GROUPS`."""
    import numpy as np

    from .counts import Counts

    places = (card.indptr, card.label)
    has_own = isinstance(known, Counts) and expected is None and not card.has_places(known.indptr, known.label)
    is_part = isinstance(known, Counts) and kept is not None and not kept.all()
    some: Any = [] if kept is None else np.flatnonzero(kept)
    postings = (known.indptr, known.label) if has_own else places  # type: ignore[union-attr]
    return {
        "lexicon": (known if is_part else card).lexicon.buffers(),
        "postings": (known.documents, *postings),
        **_counted(known, expected),
        "scorecard": (card.bias, card.absent, card.weight),
        **({} if card.pairs is None else {"pairs": card.pairs.buffers}),
        **({"kept": (np.asarray(some, np.uint32),)} if is_part else {}),
        **({"places": places} if has_own else {}),
        **(
            {}
            if card.scaling is None
            else {"scaling": (card.scaling.length, card.scaling.groups, card.scaling.typical)}
        ),
    }


def _counted(known: Counts | Frozen, expected: Expected | None) -> dict[str, tuple[Any, ...]]:
    """The counts, and those that are expected, along the postings of the file."""
    from .counts import Counts
    from .halves import Halved
    from .mixture import aligned

    if not isinstance(known, Counts):
        return {}
    if expected is None:
        halves = {"halves": known.half} if isinstance(known, Halved) else {}
        return {"counts": (known.occurrences, known.presences), **halves}
    counts, count = aligned(known, expected)
    return {"counts": (counts.occurrences, counts.presences), "expected": (count,)}


def load(path: str | os.PathLike[str]) -> Saved:
    """Reads a model file; every way in which it can be wrong has its own error."""
    data = _bytes(path)
    about, arrays, start = _header(path, data)
    _check_size(path, data, start, arrays)
    _check_sum(path, data, about)
    _check_format(path, about)
    try:
        return _saved(about, _buffers(data, start, arrays, _groups(path, about)))
    except ModelFileError:
        raise
    except (DecibanError, ValueError) as error:
        raise DamagedModel(path=path, reason=error) from error
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise DamagedModel(path=path, reason=_SENSELESS) from error


def _saved(about: dict[str, Any], buffers: dict[str, memoryview]) -> Saved:
    """All of it, or an error that says what is wrong."""
    settings, labels = settings_of(about["settings"]), about["labels"]
    lexicon = _core.Lexicon(settings.terms.core, buffers["names"], buffers["offsets"])
    calibrated = _calibrated(about.get("calibration"), buffers)
    saved = Saved(settings, tuple(labels), _provenance(about["provenance"]), lexicon, buffers, calibrated)
    if not saved.frozen:
        counted: Any = (lexicon, *(buffers[name] for name in _COUNTED))
        _core.check_counts(counted, "expected" in buffers)
    _check_expected(buffers)
    _check_halves(saved)
    _check_labels(labels, buffers)
    _check_scaling(buffers)
    _check_conformal(labels, buffers)
    _check_kept(saved)
    _check_worth(saved)
    if saved.settings.has_trees != ("axis" in buffers) or ("axis" in buffers) != ("tree_p" in buffers):
        raise ValueError("its trees do not fit its settings")
    _ = saved.forest  # making it checks it
    if "weight" in buffers:
        _ = saved.scorer  # making it checks it
    return saved


def _groups(path: str | os.PathLike[str], about: dict[str, Any]) -> list[str]:
    """The groups of arrays that the file holds, in the order of `_GROUPS`."""
    must = _MUST[about["format"]]
    named = about["groups"] if about["format"] > 2 else must
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise ValueError(_SENSELESS)
    if unknown := set(named) - _GROUPS.keys():
        raise UnknownContent(path=path, got=listed(sorted(unknown)))
    if missing := [name for name in must if name not in named]:
        raise ValueError(f"it has no {missing[0]}")
    return [name for name in _GROUPS if name in named]


def _bytes(path: str | os.PathLike[str]) -> memoryview:
    """The file's bytes, which begin as those of a model do."""
    with reading(path):
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe would let us wait for ever
            raise NotAModel(path=path)
        with open(path, "rb") as file:
            _check_head(path, file.read(8 + len(_MAGIC)))
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _check_head(path: str | os.PathLike[str], head: bytes) -> None:
    if not _MAGIC.startswith(head[8:]):
        raise NotAModel(path=path)
    if len(head) < 8 + len(_MAGIC):
        if any(head[4:8]):  # what there is of the header's length says that no header can have followed
            raise NotAModel(path=path)
        raise TruncatedModel(path=path, expected=f"over {8 + len(_MAGIC)}", got=len(head))


def _header(path: str | os.PathLike[str], data: memoryview) -> tuple[dict[str, Any], dict[str, Any], int]:
    """What the header says about the model, about its arrays, and where those start."""
    start = 8 + int.from_bytes(data[:8], "little")
    if start >= 1 << 32:
        raise DamagedModel(path=path, reason=_SENSELESS)
    if start > len(data):
        raise TruncatedModel(path=path, expected=f"over {start}", got=len(data))
    try:
        arrays = json.loads(data[8:start].tobytes())
        about = json.loads(arrays.pop("__metadata__")["deciban"])
        spans = [tuple(map(type, array["data_offsets"])) for array in arrays.values()]
        if type(about["format"]) is int and type(about["checksum"]) is str and set(spans) <= {(int, int)}:
            return about, arrays, start
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise DamagedModel(path=path, reason=_SENSELESS)


def _check_size(path: str | os.PathLike[str], data: memoryview, start: int, arrays: dict[str, Any]) -> None:
    end = start + max((array["data_offsets"][1] for array in arrays.values()), default=0)
    if end > len(data):
        raise TruncatedModel(path=path, expected=end, got=len(data))
    if end < len(data):
        raise DamagedModel(path=path, reason="it goes on after its end")


def _check_sum(path: str | os.PathLike[str], data: memoryview, about: dict[str, Any]) -> None:
    checksum = about["checksum"]
    if not checksum.isascii() or _digest(data, checksum) != checksum:
        raise DamagedModel(path=path, reason="its checksum does not fit")


def _check_format(path: str | os.PathLike[str], about: dict[str, Any]) -> None:
    if about["format"] > NEWEST:
        raise NewerModel(path=path, got=about["format"], known=NEWEST)
    if about["format"] < OLDEST:
        raise OlderModel(path=path, got=about["format"], known=OLDEST)


def _digest(data: memoryview, checksum: str = _UNSIGNED) -> str:
    """BLAKE2b of a file with zeros for its checksum, which stands in its first bytes."""
    head = bytes(data[: len(_MAGIC) + 256])
    digest = hashlib.blake2b(head.replace(checksum.encode(), _UNSIGNED.encode(), 1), digest_size=32)
    digest.update(data[len(head) :])
    return digest.hexdigest()


def settings_of(given: dict[str, Any]) -> Settings:
    """Settings as a file holds them. JSON has no pairs: lengths come back as lists."""
    for name in given.keys() - Settings().as_dict().keys():
        raise ValueError(f"{name!r} is not a setting of a model")
    return Settings.of(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def _check_labels(labels: list[str], buffers: dict[str, memoryview]) -> None:
    documents, bias = buffers["documents"], buffers.get("bias", labels)
    is_sorted = labels_of(labels) == sorted(set(labels))
    is_possible = all(n > 0 for n in documents) and sum(documents) <= _GREATEST
    if not is_sorted or not is_possible or not len(labels) == len(documents) == len(bias):
        raise ValueError("its labels do not fit its counts")


def _check_expected(buffers: dict[str, memoryview]) -> None:
    expected: Any = buffers.get("expected", [0.0])
    if "expected" in buffers and ("occurrences" not in buffers or len(expected) != len(buffers["label"])):
        raise ValueError("its expected counts do not fit its counts")
    if not 0 <= min(expected, default=0.0) <= sum(expected) <= _GREATEST:  # the sum finds what is no number
        raise ValueError("its expected counts are not those of any texts")


def _check_halves(saved: Saved) -> None:
    is_asked_for = saved.settings.smoothing == "deleted" and not saved.frozen and "expected" not in saved.buffers
    if saved.halved != is_asked_for:
        raise ValueError("its halves do not fit its settings")
    if saved.halved:
        whole: Any = tuple(saved.buffers[name] for name in ("documents", *_GROUPS["counts"]))
        half: Any = tuple(saved.buffers[name] for name in _GROUPS["halves"])
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
    if ("worth" in saved.buffers) != is_asked_for or not all(0 <= weight < _MOST for weight in worth):
        raise ValueError("how much its terms count cannot be told")
    if is_asked_for and len(worth) != len(saved.card_lexicon):
        raise ValueError("how much its terms count does not fit its terms")


def _check_scaling(buffers: dict[str, memoryview]) -> None:
    typical: Any = buffers.get("typical", [])
    if "typical" in buffers and "first" in buffers:
        raise ValueError("it has pairs of terms, and rows that are scaled")
    if len(typical) != len(buffers.get("groups", [])) or not all(0 < scale < float("inf") for scale in typical):
        raise ValueError("its scaling is not that of any rows")


def _calibrated(given: dict[str, Any] | None, buffers: dict[str, memoryview]) -> dict[str, Any] | None:
    """How scores are calibrated, where the file has what does it."""
    if (given is None) != ("temper" not in buffers):
        raise ValueError("its calibration has no numbers, or its numbers no name")
    if given is None:
        return None
    kinds = {"method": (str,), "texts": (int,), "raw": (int, float), "loss": (int, float), "is_from_before": (bool,)}
    if given.keys() != kinds.keys() or not all(type(given[name]) in kinds[name] for name in kinds):
        raise ValueError("how it is calibrated cannot be read")
    if given["method"] not in CALIBRATIONS[1:] or not all(
        0 <= given[name] < _MOST for name in ("texts", "raw", "loss")
    ):
        raise ValueError("how it is calibrated cannot be read")
    return given


def _check_conformal(labels: list[str], buffers: dict[str, memoryview]) -> None:
    """Numbers from 0 to 2 that rise, of all texts and of each label's."""
    if "away" not in buffers:
        return
    ends: list[int] = buffers["away_ends"].tolist()
    away, of_label = buffers["away"].tolist(), buffers["away_of_label"].tolist()
    is_cut = len(ends) == len(labels) + 1 and ends == sorted(ends) and (ends[0], ends[-1]) == (0, len(of_label))
    parts = [away, *(of_label[start:end] for start, end in pairwise(ends))] if is_cut else [[3.0]]
    if "temper" not in buffers or not all(all(0 <= a <= 2 for a in part) and part == sorted(part) for part in parts):
        raise ValueError("what it knows for sets of labels does not fit its labels")


def _provenance(given: list[dict[str, Any]]) -> Provenance:
    for part in given:
        if type(part["source"]) is not str or type(part["examples"]) is not int:
            raise ValueError("where it came from cannot be read")
        settings_of(part.get("asked", {}))
        if type(part.get("auto", "")) is not str:
            raise ValueError("what it was chosen for cannot be read")
        if type(part.get("weight", 0)) not in (int, float):
            raise ValueError("what its examples weigh cannot be read")
        climb = part.get("unlabelled", {"texts": 0, "weight": 0})
        if type(climb["texts"]) is not int or type(climb["weight"]) not in (int, float):
            raise ValueError("where its expected counts came from cannot be read")
        told = part.get("fit", {})
        numbers = [number for found in told.values() for number in found.values()]
        is_known = not told or "held_out" in told.keys() <= {"held_out", "weights", "passed_over"}
        if not is_known or not all(type(number) in (int, float) and 0 <= number < _MOST for number in numbers):
            raise ValueError("how it was fitted cannot be read")
    return tuple(given)


def _buffers(data: memoryview, start: int, arrays: dict[str, Any], groups: list[str]) -> dict[str, memoryview]:
    """The arrays of the file, which they fill without a gap and without sharing a byte."""
    expected = [name for group in groups for name in _GROUPS[group]]
    if arrays.keys() != set(expected):
        raise ValueError("its arrays are not those of a model")
    spans = [arrays[name]["data_offsets"] for name in expected]
    starts, ends = sorted(start for start, _ in spans), sorted(end for _, end in spans)
    if starts != [0, *ends[:-1]]:
        raise ValueError("its arrays overlap, or leave a gap")
    return {name: _buffer(data, start, name, arrays[name]) for name in expected}


def _buffer(data: memoryview, origin: int, name: str, about: dict[str, Any]) -> memoryview:
    start, end = (origin + offset for offset in about["data_offsets"])
    zero: Any = array(_CODES[_TYPES[name]], [0])
    size, rest = divmod(end - start, zero.itemsize)
    is_aligned = not rest and start % zero.itemsize == 0  # a map begins with a page
    if about["dtype"] == _TYPES[name] and about["shape"] == [size] and is_aligned:
        # Python casts no view that is empty.
        return data[start:end].cast(zero.typecode) if size else memoryview(zero).toreadonly()[:0]
    raise ValueError(f"its array {name!r} is not as it should be")
