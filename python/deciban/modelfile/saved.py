"""What a file holds as values of the other rooms; with NumPy only where arrays are asked for."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from ..errors import NothingLearnt
from ..settings import Settings
from ..terms import refuse
from ..tree import Tree, shelves, tree_of
from .format import COUNTED, GROUPS, NUMPY, TYPES
from .provenance import Provenance

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..calibration import Calibration
    from ..counts import Counts, Frozen
    from ..decision.threshold import Threshold
    from ..hierarchy import Descent
    from ..mixture import Expected
    from ..projection import Forest
    from ..scorecard import Scorecard

Answers = TypeVar("Answers")


@dataclass(frozen=True)
class Saved:
    """What a model file holds, checked: flat buffers, and what they are called."""

    settings: Settings
    labels: tuple[str, ...]
    provenance: Provenance
    lexicon: _core.Lexicon
    buffers: dict[str, memoryview]
    calibrated: dict[str, Any] | None = None
    several: dict[str, str] | None = None
    thresholded: dict[str, Any] | None = None

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
    def tree(self) -> Tree | None:
        """The tree of the labels, where answers are decided from its root down."""
        is_asked_for = self.settings.way == "top-down" and bool(self.labels)
        if not is_asked_for:
            return None
        return shelves(tree_of(self.labels, str(self.settings.hierarchy)), self.settings.shelf)

    @cached_property
    def scorer(self) -> _core.Scorer | _core.Descent:
        """What adds up weights."""
        if "weight" not in self.buffers:
            return self.scorecard.scorer
        bias, absent, indptr, label, weight = (self.buffers[name] for name in self._weighed)
        binary, pairs = self.settings.is_binary, None
        if "first" in self.buffers:
            pairs = (self.buffers["first"], self.buffers["second"], self.buffers["together"])
        scaling = (self.buffers["length"], self.buffers["groups"]) if "length" in self.buffers else None
        card = (bias, absent, indptr, label, weight)
        if self.tree is not None:
            nodes, temper = (self.tree.first, self.tree.label), [0.0, 0.0] if self._map is None else [*self._map[0]][:2]
            return _core.Descent(self.card_lexicon, *card, binary, nodes, temper)
        return _core.Scorer(self.card_lexicon, *card, binary, pairs, scaling, self._map)

    @property
    def _map(self) -> tuple[Any, ...] | None:
        """The numbers that calibrate scores."""
        if self.calibrated is None or self.calibrated["method"] == "none":
            return None
        return tuple(self.buffers[name] for name in GROUPS["calibration"])

    @cached_property
    def calibration(self) -> Calibration | None:
        """What makes scores honest, where there is something."""
        from ..calibration import Calibration
        from ..decision.sets import Conformal

        if self.calibrated is None:
            return None
        temper, origin, slope, shift, matrix, knots = map(self._array, GROUPS["calibration"])
        seen = Conformal(*map(self._array, GROUPS["conformal"])) if "away" in self.buffers else None
        numbers = {"temper": temper, "origin": origin, "slope": slope, "shift": shift, "matrix": matrix, "knots": knots}
        return Calibration(labels=self.labels, **numbers, **self.calibrated, conformal=seen)

    @property
    def threshold(self) -> Threshold | None:
        """Above which log-odds a text gets a label, where there is such a threshold."""
        from ..decision.threshold import Threshold

        if self.thresholded is None:
            return None
        return Threshold(log_odds=float(self.buffers["least_odds"][0]), **self.thresholded)

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
        from ..counts import Counts, Frozen
        from ..halves import Halved

        if self.frozen:
            return Frozen(self.labels, self.lexicon, self._array("documents"))
        arrays: Any = map(self._array, COUNTED)
        if self.halved:
            half = map(self._array, GROUPS["halves"])
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

        from ..mixture import Expected

        if "expected" not in self.buffers:
            return None
        indptr, label, count = map(self._array, ("indptr", "label", "expected"))
        some = count > 0
        ends = np.concatenate([[0], np.cumsum(some)])[indptr]
        return Expected(self.labels, self.lexicon, ends, label[some], count[some])

    @cached_property
    def scorecard(self) -> Scorecard:
        """The scorecard, still mapped; weighed from the counts where the file is of a format that has none."""
        from ..counts import Counts
        from ..scorecard import Pairs, Scaling, Scorecard
        from ..weighing import weigh

        if "weight" not in self.buffers and isinstance(self.known, Counts):
            return weigh(self.known, self.settings)
        bias, absent, indptr, label, weight = map(self._array, self._weighed)
        binary, pairs = self.settings.is_binary, None
        if "first" in self.buffers:
            first, second, together = map(self._array, GROUPS["pairs"])
            pairs = Pairs(first, second, together.reshape(len(first), len(self.labels)))
        scaling = Scaling(*map(self._array, GROUPS["scaling"])) if "length" in self.buffers else None
        columns = self.labels if self.tree is None else self.tree.names
        card = Scorecard(columns, self.card_lexicon, bias, absent, indptr, label, weight, binary, pairs, scaling)
        return card if self._map or isinstance(self.scorer, _core.Descent) else card.with_scorer(self.scorer)

    @property
    def odds(self) -> tuple[Any, ...]:
        """How scores become log-odds of each label, and from where on a text has it."""
        return tuple(map(self._array, GROUPS["odds"]))

    @cached_property
    def forest(self) -> Forest | None:
        """The trees, where they answer, and the axes that they are grown on."""
        if "axis" not in self.buffers:
            return None
        from ..projection.forest import of_buffers

        axes, trees = (tuple(map(self._array, GROUPS[group])) for group in ("axes", "trees"))
        return of_buffers(self.labels, self.card_lexicon, axes, trees, self.settings)

    @property
    def card(self) -> Scorecard | Forest | Descent:
        """What answers."""
        if self.tree is not None:
            from ..hierarchy import Descent

            return Descent(self.tree, self.scorecard)
        return self.scorecard if self.forest is None else self.forest

    def _array(self, name: str) -> Any:
        import numpy as np

        return np.frombuffer(self.buffers[name], NUMPY[TYPES[name]])
