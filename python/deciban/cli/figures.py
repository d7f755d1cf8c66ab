"""An evaluation for people: what `evaluate` and `train --evaluate` print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import listed, one_line
from . import screen

if TYPE_CHECKING:
    from ..evaluation import Evaluation

MOST_LABELS = 200  # of the table


def show(evaluation: Evaluation) -> None:
    """The figures: of the whole, of probabilities, of each label."""
    low, high = evaluation.interval
    label, baseline = evaluation.baseline
    how = f"95 %: {low:.1%} to {high:.1%}; {evaluation.protocol}, {evaluation.examples:,} examples"
    print(f"accuracy {evaluation.accuracy:.1%} ({how})")
    print(f"baseline {baseline:.1%} (always {label!r}); macro-F1 {evaluation.macro_f1:.3f}")
    if told := of_scores(evaluation):
        print(told)
    if evaluation.sets is not None:
        print(one_line(evaluation.sets.sentence))
    _show_labels(evaluation)
    if evaluation.unseen:
        print(f"labels that the model has never seen, so always wrong: {listed(evaluation.unseen, MOST_LABELS)}")
    for sentence in () if evaluation.doubts is None else evaluation.doubts.sentences:
        print(one_line(sentence))


def of_scores(evaluation: Evaluation) -> str:
    """What there is to say of scores, where there are some."""
    probabilities, area, precision = evaluation.probabilities, evaluation.roc_area, evaluation.average_precision
    if probabilities is None:
        return ""
    brier, error = probabilities.brier, probabilities.calibration_error
    told = f"log loss {probabilities.log_loss:.3f}, Brier score {brier:.3f}, calibration error {error:.3f}"
    return told if area is None else f"{told}; ROC area {area:.3f}, average precision {precision:.3f}"


def _show_labels(evaluation: Evaluation) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("label", "examples", "precision", "recall", "F1"):
        table.add_column(column, justify="left" if column == "label" else "right")
    shown = sorted(evaluation.by_label, key=lambda row: -row.support)[:MOST_LABELS]
    for row in sorted(shown, key=lambda row: row.label):
        figures = (f"{figure:.3f}" for figure in (row.precision, row.recall, row.f1))
        table.add_row(Text(one_line(row.label)), f"{row.support:,}", *figures)
    screen.console().print(table)
    if len(shown) < len(evaluation.labels):
        print(f"the {len(shown)} labels with most examples, of {len(evaluation.labels):,}; --json has all")
