"""The learning curve on the command line: `--curve` of `evaluate` and `train`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import screen

if TYPE_CHECKING:
    from ..evaluation import Evaluation

WIDTH = 30  # of bars


def check(given: Namespace) -> None:
    """Refuses a plot that could not be drawn or written, before anything is trained."""
    if given.curve:
        from ..evaluation import picture
        from ..files import check_writable

        picture.check(given.curve)
        check_writable(given.curve, given.file)


def with_curve(
    given: Namespace,
    evaluation: Evaluation,
    texts: list[str],
    labels: list[str],
    settings: Mapping[str, Any],
    group: list[Any] | None = None,
) -> Evaluation:
    """The evaluation with the learning curve of models of these settings; drawn, where that is asked for."""
    from ..growing import learning_curve

    with screen.steps() as steps:
        curve = learning_curve(texts, labels, group=group, progress=steps, **settings)
    if given.curve:
        from ..evaluation.learning_picture import draw

        draw(given.curve, curve)
    return replace(evaluation, curve=curve)


def show(evaluation: Evaluation) -> None:
    """A bar for each number of texts, what comes next, and the sentence."""
    curve = evaluation.curve
    if curve is None:
        return
    print("texts learnt  accuracy")
    for point in curve.points:
        print(f"{point.learnt:>12,}  {point.accuracy:>8.1%}  {chr(0x2588) * round(WIDTH * point.accuracy)}")
    for next_ in curve.forecasts[2::2]:
        bar = chr(0x2591) * round(WIDTH * next_.accuracy)
        print(f"{next_.texts:>12,}  {next_.accuracy:>8.1%}  {bar} (95 %: {next_.low_95:.1%} to {next_.high_95:.1%})")
    print(curve.sentence)
