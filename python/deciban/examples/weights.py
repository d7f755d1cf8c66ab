"""How much each example counts: checked, and made of it what a model can take.

A fitted model multiplies what an error costs with the weight of its text. A model of counts has integers: it counts a
text as often as its weight says, exactly as if it had been given so often. A text of weight 0 is not learnt from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from numbers import Real
from typing import Any, NoReturn

from ..errors import BadWeight, NotSoOften, UnevenWeights, described
from .kept import Examples, some
from .memory import texts_of

GREATEST = 1e9
MOST_TIMES = 10_000


def weights_of(column: object, texts: Sized) -> list[float] | None:
    """The weights of some texts as a list, checked; None where there are none to heed.

    >>> weights_of((1, 0.5), ["free money", "see you"])
    [1.0, 0.5]
    >>> weights_of([1, -2], ["free money", "see you"])
    Traceback (most recent call last):
        ...
    deciban.errors.BadWeight: weights[1]: expected a weight, a number from 0 to 1e+09, got int -2
    """
    if column is None:
        return None
    given = list(texts_of(column, "weights"))
    if len(given) != len(texts):
        raise UnevenWeights(texts=len(texts), weights=len(given))
    if (place := wrong_weight(given)) is not None:
        refuse_weight(f"weights[{place}]", given[place])
    return [float(weight) for weight in given]


def wrong_weight(given: Sequence[object]) -> int | None:
    """The place of the first value that cannot be a weight."""
    return next((place for place, weight in enumerate(given) if not _is_weight(weight)), None)


def refuse_weight(where: str, got: object) -> NoReturn:
    """Says what is no weight."""
    raise BadWeight(where=where, most=GREATEST, got=described(got))


def _is_weight(value: Any) -> bool:
    is_number: bool = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and 0 <= value <= GREATEST  # NaN is not


def as_number(cell: Any) -> Any:
    """The number that a cell of a file says, or the cell.

    >>> as_number("0.5"), as_number(2), as_number("two"), as_number(None)
    (0.5, 2.0, 'two', None)
    """
    if not isinstance(cell, (str, int, float)) or isinstance(cell, bool):
        return cell
    try:
        return float(cell)
    except (OverflowError, ValueError):
        return cell


def as_counted(
    examples: Examples, where: Callable[[int], str], model: str, fitted: Sequence[str]
) -> tuple[Examples, Sequence[int]]:
    """The examples that a model learns from, each as often as it is counted; and the places where they stood.

    Weights are left with those of models that are `fitted`, unless all that is left weighs 1.

    >>> given = Examples(["see you", "free money", "hi"], ["ham", "spam", "ham"], [0.0, 3.0, 1.0])
    >>> as_counted(given, str, "multinomial", ["logistic"])[0].texts
    ['free money', 'free money', 'free money', 'hi']
    >>> as_counted(given, str, "logistic", ["logistic"])
    (Examples(texts=['free money', 'hi'], labels=['spam', 'ham'], weights=[3.0, 1.0]), [1, 2])
    """
    weights = examples.weights
    if weights is None or all(weight == 1 for weight in weights):
        return examples._replace(weights=None), range(len(examples.texts))
    if model in fitted:
        places = [place for place, weight in enumerate(weights) if weight > 0]
        is_plain = all(weights[place] == 1 for place in places)
        return some(examples._replace(weights=None if is_plain else weights), places), places
    for place, weight in enumerate(weights):
        if weight > MOST_TIMES or not weight.is_integer():
            known = ", ".join(fitted)
            raise NotSoOften(where=where(place), model=model, most=MOST_TIMES, got=f"{weight:g}", known=known)
    places = [place for place, weight in enumerate(weights) for _ in range(int(weight))]
    return some(examples._replace(weights=None), places), places
