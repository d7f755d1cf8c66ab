"""Scores of mails, and which are spam -> a line of a table: what is rejected, what slips through."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from deciban.filtering.verdict import HAM_BELOW, SPAM_ABOVE

Floats = npt.NDArray[np.float64]
CAUGHT = 0.97

HEAD = """Of ham is rejected:

| who | area above the curve, 10^-4 | at 97 % of spam caught | at 99 % | at its own cut-offs | spam caught | unsure |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""
NOTES = f"""
Own cut-offs: ours are {SPAM_ABOVE:g} decibans for spam and {HAM_BELOW:g} for ham, bogofilter's 0.99 and 0.45. Figures
at 97 % and at 99 % are read off the curve afterwards, for both. Equal scores count half in the area, and against the
filter elsewhere.
"""


def line(name: str, scores: Floats, is_spam: npt.NDArray[np.bool_]) -> str:
    """The line of a filter that has given mails such scores."""
    ours = not name.startswith("bogofilter")
    is_sure = scores > SPAM_ABOVE if ours else scores >= 0.99
    is_unsure = ~is_sure & (scores >= HAM_BELOW if ours else scores > 0.45)
    own = [share(is_sure[~is_spam]), share(is_sure[is_spam]), share(is_unsure)]
    at = [_rejected(scores, is_spam, caught) for caught in (0.97, 0.99)]
    return f"| {' | '.join([name, f'{1e4 * _above(scores, is_spam):.2f}', *at, *own])} |\n"


def _above(scores: Floats, is_spam: npt.NDArray[np.bool_]) -> float:
    """How often a ham scores more than a spam; half, where they score the same."""
    ham, spam = np.sort(scores[~is_spam]), scores[is_spam]
    less, most = (np.searchsorted(ham, spam, side) for side in ("left", "right"))
    return 1 - float((less + most).sum() / (2 * len(ham) * len(spam)))


def _rejected(scores: Floats, is_spam: npt.NDArray[np.bool_], caught: float) -> str:
    return share(scores[~is_spam] >= cut(scores, is_spam, caught))


def cut(scores: Floats, is_spam: npt.NDArray[np.bool_], caught: float) -> float:
    """The least score of so much of the spam that scores most."""
    spam = np.sort(scores[is_spam])[::-1]
    return float(spam[int(np.ceil(caught * len(spam))) - 1])


def share(hits: npt.NDArray[np.bool_]) -> str:
    """How much of all it is, and how many."""
    return f"{hits.mean():.2%} ({int(hits.sum())})"
