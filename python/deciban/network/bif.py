"""A network in the Bayesian Interchange Format: text that pgmpy, bnlearn and others read.

The label is the variable `y`. A term is a variable after Zhu's x_w, `x_free` for free, and is `absent` or `present`.
The format has names of letters, digits and underscores only: every other character becomes an underscore, and names
that are then the same are numbered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..terms import display

if TYPE_CHECKING:
    from . import Network


def bif(net: Network, p: npt.NDArray[np.float64]) -> str:
    """The whole file, of a network whose terms are present with probability p.

    >>> import deciban
    >>> print(deciban.train(["free", "see you"], ["spam", "ham"], model="bernoulli").graph(top=1).bif)
    network deciban {
    }
    variable y {
      type discrete [ 2 ] { ham, spam };
    }
    variable x_free {
      type discrete [ 2 ] { absent, present };
    }
    probability ( y ) {
      table 0.5, 0.5;
    }
    probability ( x_free | y ) {
      (ham) 0.666666666666667, 0.333333333333333;
      (spam) 0.333333333333333, 0.666666666666667;
    }
    <BLANKLINE>
    """
    states, names = identifiers(net.labels, ""), variables(net.terms)
    blocks = ["network deciban {", "}", *_variable("y", states)]
    for name in names:
        blocks += _variable(name, ["absent", "present"])
    blocks += ["probability ( y ) {", f"  table {_numbers(net.prior)};", "}"]
    for name, parent, coins in zip(names, net.parent.tolist(), p, strict=True):
        given = "y" if parent < 0 else f"y, {names[parent]}"
        blocks += [f"probability ( {name} | {given} ) {{", *_rows(states, coins, has_parent=parent >= 0), "}"]
    return "\n".join([*blocks, ""])


def variables(terms: Iterable[str]) -> list[str]:
    """The variables of some terms.

    >>> variables(["free", "no refund", "no_refund", "\\tc né"])
    ['x_free', 'x_no_refund', 'x_no_refund_2', 'x___né_']
    """
    return identifiers(map(display, terms), "x_")


def identifiers(names: Iterable[str], prefix: str) -> list[str]:
    """Names of letters, digits and underscores, no two of them the same, in upper or in lower case.

    >>> identifiers(["spam", "SPAM", "not spam", ""], "")
    ['spam', 'SPAM_2', 'not_spam', '_']
    """
    found: dict[str, str] = {}
    for name in names:
        plain = prefix + (re.sub(r"\W", "_", name) or "_")
        numbered = (plain if n == 1 else f"{plain}_{n}" for n in range(1, len(found) + 2))
        free = next(candidate for candidate in numbered if candidate.lower() not in found)
        found[free.lower()] = free
    return list(found.values())


def _variable(name: str, states: list[str]) -> list[str]:
    return [f"variable {name} {{", f"  type discrete [ {len(states)} ] {{ {', '.join(states)} }};", "}"]


def _rows(states: list[str], coins: npt.NDArray[np.float64], *, has_parent: bool) -> Iterator[str]:
    """The probabilities of absence and presence for each label; and each state of the parent, where there is one."""
    for r, state in enumerate(states):
        for given, coin in zip(("absent", "present"), coins[:, r], strict=True):
            if has_parent:
                yield f"  ({state}, {given}) {_numbers([1 - coin, coin])};"
        if not has_parent:
            yield f"  ({state}) {_numbers([1 - coins[0, r], coins[0, r]])};"


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.15g}" for value in values)
