"""What members see of texts whose labels are paths, where terms count by the kinship of labels.

    x_j = f(z_j) t_j g_j / |x|                        g_j by `selection.kinship`

g_j knows the labels: rows that are held out are seen by what the rows of other folds say of terms.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..counts import Counts
from ..rows import Rows
from ..selection.kinship import Shown, kinship, steps
from .members import Labelled
from .seen import Seen, Sight, idf, see

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


SECONDS = 2e-7  # to sort an entry of rows


@dataclass(eq=False)
class Views:
    """What is seen of rows, whose labels are paths: by what all of them say, and by what those of other folds do."""

    counts: Counts
    rows: Rows
    of: Labelled
    separator: str
    folds: Integers
    _g: dict[int | None, Floats] = field(default_factory=dict)
    _seen: dict[Sight, Seen] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """About how long it takes to find out how much terms count, for all folds."""
        return SECONDS * len(self.rows.term) * (1 + len(np.unique(self.folds)))

    def seen(self, sight: Sight) -> Seen:
        """What is seen by what all rows say; it is kept."""
        if sight not in self._seen:
            self._seen[sight] = self.without(sight, None)
        return self._seen[sight]

    def without(self, sight: Sight, fold: int | None) -> Seen:
        """What is seen of all rows by what those say that are not of a fold."""
        t = idf(self.counts) if sight.idf else np.ones(len(self.counts.lexicon))
        return see(self.rows, self.counts, sight, t * self._worth(fold))

    def _worth(self, fold: int | None) -> Floats:
        if fold not in self._g:
            places = np.arange(len(self.rows)) if fold is None else np.flatnonzero(self.folds != fold)
            those = self.rows.some(places), self.of.y[places]
            shown = Shown.of_rows(*those, self.of.labels, len(self.counts.lexicon))
            self._g[fold] = kinship(shown, steps(self.counts.labels, self.separator))
        return self._g[fold]
