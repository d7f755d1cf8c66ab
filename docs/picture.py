"""Draw the README's pictures.

docs/explanation.svg is what `deciban explain` shows, as Rich exports it; docs/network.svg what `deciban graph` draws,
docs/learning.svg what `deciban evaluate --curve` does, docs/path.svg what `deciban path` does, docs/projection.svg is
the sample, projected, docs/properties.svg a text with what is seen of it, docs/search.svg how a search does beside a
filter, docs/weighting.svg how much terms count.
"""

import csv
import io
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI

import deciban
from deciban.counts import count
from deciban.evaluation.learning_picture import draw
from deciban.evaluation.picture import STYLE, save
from deciban.evidence.terminal import rich
from deciban.fitting.members import Labelled
from deciban.fitting.seen import Sight, see
from deciban.growing import learning_curve
from deciban.projection import fisher
from deciban.projection.lsa import lsa, matrix
from deciban.properties import PLAIN
from deciban.rows import rows as rows_of
from deciban.settings import TERM_WEIGHTS
from deciban.terms import Terms, display

ROOT = Path(__file__).parents[1]
TEXT = "I was charged twice, and the parcel still has not come"
SPAM = "Subject: Wiiiin Cash!!!\n\nU have WON £1000, don't miss it: call 08712300220 or www.w1n.com 👍"
INK, SECOND, SOFT = "#1b6ca8", "#c1631d", "#9a9a9a"


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
    properties(SPAM)
    search(texts, labels)
    weighting(texts, labels)
    draw(ROOT / "docs" / "learning.svg", learning_curve(texts, labels, words=(1, 2), alpha=0.3))
    deciban.path(texts, labels, steps=40, least=0.01).plot(ROOT / "docs" / "path.svg", "billing")


def projection(texts: list[str], labels: list[str]) -> None:
    """Draws the sample on two latent axes, and the half that they were not made from on Fisher's first directions."""
    counts = count(Terms(), texts, labels)
    x, y = matrix(see(rows_of(counts.lexicon, texts), counts, Sight())), counts.numbers(labels)
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


def properties(text: str) -> None:
    """Draws a text, letter by letter, and below it, a line a property, what each sees."""
    given = {**dict.fromkeys(PLAIN, ()), "trigger:money": ["cash", "won"], "misspelling": ["win", "cash", "have"]}
    found = {name: Terms(words=None, properties={name: of}).seen(text) for name, of in given.items()}
    seen = {
        name: [term for term in terms if "unknown" not in term.term] for name, terms in reversed(found.items()) if terms
    }

    def figure() -> Figure:
        drawn = Figure(figsize=(11, 0.6 + 0.27 * len(seen)), layout="constrained")
        panel = drawn.subplots()
        for place, character in enumerate(text.replace("\n", "⏎")):
            panel.text(place + 0.5, len(seen), character, ha="center", va="center", family="monospace", fontsize=9)
        for line, (name, terms) in enumerate(seen.items()):
            panel.axhline(line - 0.5, color="#eeeeee", linewidth=0.6)
            for term, start, end in terms:
                panel.barh(line, end - start - 0.1, left=start + 0.05, height=0.8, color=INK, alpha=0.2)
                detail = (
                    display(term).strip("[]").removeprefix(f"{name}:").removeprefix(name) or name.rpartition(":")[2]
                )
                panel.text((start + end) / 2, line, detail, ha="center", va="center", fontsize=7)
        panel.set_yticks(range(len(seen)), list(seen), fontsize=8)
        panel.set_ylim(-0.6, len(seen) + 0.6)
        panel.set_xlim(0, len(text))
        panel.set_xticks([])
        panel.tick_params(axis="y", length=0)
        panel.spines[["top", "right", "left", "bottom"]].set_visible(False)
        return drawn

    save(ROOT / "docs" / "properties.svg", figure)


def search(texts: list[str], labels: list[str]) -> None:
    """Draws errors by numbers of terms: what a search says of itself, and of other texts it and a filter."""
    half = [(texts[i::2], labels[i::2]) for i in (0, 1)]
    model = deciban.train(*half[0], model="multinomial", alpha=0.3)
    found = model.select("forward", 60).searched
    assert found is not None
    sizes = (2, 3, 5, 8, 12, 20, 30, 40, 50, 60)

    def wrong(small: deciban.Classifier) -> float:
        return 100 * (1 - small.evaluate(*half[1]).accuracy)

    def of_search(size: int) -> deciban.Classifier:
        kept = np.zeros(len(model.lexicon), np.bool_)
        kept[found.sets[size]] = True
        return deciban.Classifier(model.select("forward", 60).settings, model.counts, kept=kept)

    lines = {
        "filter, other texts": (SECOND, "-", [wrong(model.select("mutual-information", n)) for n in sizes]),
        "search, other texts": (INK, "-", [wrong(of_search(n)) for n in sizes]),
        "search, texts left out": (INK, "--", [100 * found.curve[n].wrong / found.texts for n in sizes]),
    }

    def figure() -> Figure:
        drawn = Figure(figsize=(7, 3.6), layout="constrained")
        panel = drawn.subplots()
        for name, (colour, style, share) in lines.items():
            panel.plot(sizes, np.round(share, 3), style, marker="o", markersize=3, color=colour, label=name)
        first = ", ".join(model.lexicon.names()[place] for place in found.sets[8])
        panel.set_title(f"wrong, in %; the first terms of the search: {first}", fontsize=9, loc="left")
        panel.set_xlabel("terms")
        panel.set_ylim(bottom=0)
        panel.grid(color="#eeeeee", linewidth=0.8)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, fontsize=8)
        return drawn

    save(ROOT / "docs" / "search.svg", figure)


def weighting(texts: list[str], labels: list[str]) -> None:
    """Draws how much each term counts, against the number of texts that have it."""
    models = [deciban.train(texts, labels, model="multinomial", term_weights=by) for by in TERM_WEIGHTS[1:]]
    frequency = models[0].counts.by_term(models[0].counts.presences)
    names = models[0].lexicon.names()

    def figure() -> Figure:
        drawn = Figure(figsize=(11, 3.8), layout="constrained")
        for panel, by, model in zip(drawn.subplots(1, 3), TERM_WEIGHTS[1:], models, strict=True):
            weight = np.round(model.term_weights / model.term_weights.mean(), 4)
            points = np.unique(np.stack([frequency, weight.round(2)]), axis=1)  # what lies upon another adds nothing
            panel.plot(*points, ".", color=SOFT, markersize=3, alpha=0.5)
            often = np.flatnonzero(frequency >= 8)
            told = [*often[np.argsort(-weight[often])[:40]], *often[np.argsort(-frequency[often])[:6]]]
            for place in _apart(np.log(frequency) / 6, weight / weight.max(), told):
                at = frequency[place], weight[place]
                panel.plot(*at, ".", color=INK, markersize=5)
                panel.annotate(names[place], at, (3, 3), textcoords="offset points", fontsize=7)
            panel.axhline(1, color=SOFT, linewidth=0.8, linestyle="--")
            panel.set_xscale("log")
            panel.set_xticks([1, 10, 100], ["1", "10", "100"])
            panel.minorticks_off()
            panel.set_title(by, fontsize=9, loc="left")
            panel.set_xlabel("texts that have the term")
            panel.spines[["top", "right"]].set_visible(False)
        drawn.supylabel("how much it counts; 1 is the mean", fontsize=8)
        return drawn

    save(ROOT / "docs" / "weighting.svg", figure)


def _apart(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], places: list[int]) -> list[int]:
    """Some of the places, so far from each other that their names can be read: of two that are near, the first."""
    kept: list[int] = []
    for place in places:
        if all(abs(x[place] - x[other]) > 0.16 or abs(y[place] - y[other]) > 0.05 for other in kept):
            kept.append(place)
    return kept


main()
