"""Texts of any number of labels: counted in one pass, each label weighed or fitted against its absence, thresholds by
held-out scores.

`model` has what a user holds, `counting` the counts, `odds` the scorecard in closed form, `fitted` the one by solvers,
`deciding` what makes labels of scores, `held` what to expect of that; `making` makes models of what a user asks for, or
a file holds; `judging` judges such models by parts of their texts.
"""

from .counting import EVERY
from .deciding import THRESHOLDS
from .judging import in_parts, rarest
from .kept import Given, read_whole
from .making import manner_of, of_saved, settings_of, trained
from .model import Manner, Several

__all__ = [
    "EVERY",
    "THRESHOLDS",
    "Given",
    "Manner",
    "Several",
    "in_parts",
    "manner_of",
    "of_saved",
    "rarest",
    "read_whole",
    "settings_of",
    "trained",
]
