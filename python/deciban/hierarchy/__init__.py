"""Counts of labels that are paths -> what answers, with what labels of the same branch have in common.

`shared` adds to what speaks for a label what speaks for its ancestors: one scorecard of all labels. `descent` decides
from the root down, at each node among its children. Both weigh sums of the counts (`sums`) by the same formulas as a
flat model, so that they are functions of the counts, too, and leave-one-out is exact.
"""

from __future__ import annotations

from .descent import Descent
from .descent import leave_one_out as descend_left_out
from .descent import weigh as descend
from .shared import leave_one_out as shared_left_out
from .shared import weigh as share
from .sure import deepest
from .tempered import calibrate

__all__ = ["Descent", "calibrate", "deepest", "descend", "descend_left_out", "share", "shared_left_out"]
