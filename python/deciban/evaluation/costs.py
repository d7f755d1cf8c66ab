"""What answers cost: the mean cost of an example, under a cost for each (true label, predicted label).

With no cost at all it is the error rate (`decision.costs`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..decision.costs import Costs, cost_of


def mean_cost(pairs: Mapping[tuple[str, str], int], costs: Costs) -> float:
    """The mean cost of answers that came so often: (true, predicted).

    >>> mean_cost({("ham", "ham"): 6, ("ham", "spam"): 2, ("spam", "ham"): 2}, {("ham", "spam"): 10.0})
    2.2
    """
    each = (times * cost_of(costs, *pair) for pair, times in pairs.items())
    return math.fsum(each) / sum(pairs.values())
