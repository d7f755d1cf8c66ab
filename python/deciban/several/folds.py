"""Which labels texts have -> folds in which labels are dealt out evenly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..splits import folds_of


def by_rarest(has: npt.NDArray[np.bool_], count: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """A fold for each row: those of one label are dealt out evenly, where a row goes by the rarest that it has.

    >>> by_rarest(np.array([[1, 0], [1, 1], [1, 0], [1, 1]], bool), 2).tolist()
    [1, 0, 0, 1]
    """
    texts = np.where(has, has.sum(axis=0), len(has) + 1)
    rarest = np.where(has.any(axis=1), texts.argmin(axis=1), has.shape[1])
    return folds_of(rarest, count, seed)
