"""Draw the README's pictures.

docs/explanation.svg is what `deciban explain` shows, as Rich exports it; docs/network.svg what `deciban graph` draws,
docs/learning.svg what `deciban evaluate --curve` does, docs/path.svg what `deciban path` does, docs/projection.svg is
the sample, projected.
"""

import csv
import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI

import deciban
from deciban.evaluation.learning_picture import draw
from deciban.evidence.terminal import rich
from deciban.growing import learning_curve

ROOT = Path(__file__).parents[1]
TEXT = "I was charged twice, and the parcel still has not come"


def main() -> None:
    """Trains on the sample, explains one text, draws a network, writes the pictures."""
    with open(ROOT / "samples" / "tickets.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts, labels = [r["text"] for r in rows], [r["label"] for r in rows]
    tickets = deciban.train(texts, labels, words=(1, 2), alpha=0.3)
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(f'[bold]$ deciban explain tickets.deciban "{TEXT}"[/bold]')
    console.print(rich(tickets.explain(TEXT), most=10))
    svg = console.export_svg(title="deciban explain", theme=DIMMED_MONOKAI, unique_id="deciban")
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # no fonts from elsewhere
    (ROOT / "docs" / "explanation.svg").write_text(svg, encoding="utf-8")
    network = deciban.train(texts, labels, model="tan").graph(top=16)
    (ROOT / "docs" / "network.svg").write_text(network.svg, encoding="utf-8")
    projection(texts, labels)
    draw(ROOT / "docs" / "learning.svg", learning_curve(texts, labels, words=(1, 2), alpha=0.3))
    deciban.path(texts, labels, steps=40, least=0.01).plot(ROOT / "docs" / "path.svg", "billing")


def projection(texts: list[str], labels: list[str]) -> None:
    """Draws the sample on two latent axes, and the half that they were not made from on Fisher's first directions."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.figure import Figure

    from deciban.counts import count
    from deciban.evaluation.picture import STYLE
    from deciban.fitting.members import Labelled
    from deciban.fitting.seen import Sight, see
    from deciban.projection import fisher
    from deciban.projection.lsa import lsa, matrix
    from deciban.rows import rows
    from deciban.terms import Terms

    counts = count(Terms(), texts, labels)
    x, y = matrix(see(rows(counts.lexicon, texts), counts, Sight())), counts.numbers(labels)
    half = np.arange(len(y)) % 2 == 0
    made_from = fisher.moments(x, Labelled(y, len(counts.labels), half * 1.0))
    panels = {
        "latent semantic analysis, second and third axis": (x @ lsa(x, 3, "project", 3).row[:, 1:], half | True),
        "Fisher's first two directions, other texts": (x @ fisher.directions(made_from, 0.9)[:, :2], ~half),
    }
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9, 4), layout="constrained")
        for panel, (title, (at, shown)) in zip(figure.subplots(1, 2), panels.items(), strict=True):
            for number, label in enumerate(counts.labels):
                some = at[shown & (y == number)]
                panel.plot(some[:, 0].round(4), some[:, 1].round(4), ".", markersize=4, label=label)
            panel.set_title(title, fontsize=9, loc="left")
            panel.set_xticks([])
            panel.set_yticks([])
        panel.legend(fontsize=7, loc="best")
        figure.savefig(ROOT / "docs" / "projection.svg", metadata={"Date": None})


main()
