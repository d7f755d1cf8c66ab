"""Draw the README's pictures.

docs/explanation.svg is what `deciban explain` shows, as Rich exports it; docs/network.svg what `deciban graph` draws,
docs/path.svg what `deciban path` does.
"""

import csv
import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI

import deciban
from deciban.evidence.terminal import rich

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
    deciban.path(texts, labels, steps=40, least=0.01).plot(ROOT / "docs" / "path.svg", "billing")


main()
