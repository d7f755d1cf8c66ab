"""Figures of calibration -> the page and the plot of `make calibration`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from . import sets
from .plot import THEIRS

Figures = dict[str, Any]
MODELS = ("multinomial", "bernoulli", "complement", "ratio", "twcnb")
COVERAGE = 0.9
BAR = 0.03
POINT = 0.01  # that sets may be off
THEIR_NAME = "scikit-learn, MultinomialNB"
SHIFTED = {
    "20ng": "split by date",
    "clinc150": "out-of-scope queries are 18 % of the test part, 1 % of the training part",
    "imdb": "other films in the test part",
    "trec": "questions of another year in the test part",
}


def page(about: str, known: dict[str, Figures], facts: dict[str, str]) -> str:
    """The page: what it is about, every model's figures, those of sets of labels, and what measured them."""
    parts = [f"# Calibration and conformal sets\n\n{about}\n"]
    parts.append("![Reliability before and after, for every set](calibration.svg)\n")
    for model in MODELS:
        if of_model := _of_model(known, model):
            parts += [f"## {model}\n\n{_table(of_model)}", _verdict(of_model)]
    theirs = {name: of[THEIR_NAME] for name, of in known.items() if THEIR_NAME in of}
    if theirs:
        parts.append(f"## {THEIR_NAME}\n\n{_their_table(theirs)}")
    of_first = {name: of[MODELS[0]] for name, of in known.items() if MODELS[0] in of}
    parts += [f"## Sets of labels at {COVERAGE:.0%}, {MODELS[0]}\n", _sets_table(of_first), _sets_verdict(of_first)]
    parts.append(_others_sets({model: of for model in MODELS[1:] if (of := _of_model(known, model))}))
    shifted = "; ".join(f"{name}: {why}" for name, why in SHIFTED.items())
    parts.append(f"Sets whose test part is known to be of another kind: {shifted}.\n")
    parts.append("; ".join(f"{name}: {value}" for name, value in facts.items()) + "\n")
    return "\n".join(parts)


def _of_model(known: dict[str, Figures], model: str) -> dict[str, Figures]:
    return {name: of[model] for name, of in known.items() if model in of}


def _lines(columns: list[str], rows: list[list[str]]) -> str:
    head = [f"| {' | '.join(columns)} |", f"| --- {'| ---: ' * (len(columns) - 1)}|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _table(found: dict[str, Figures]) -> str:
    columns = ["set", "texts", "ECE raw", "ECE", "noise", "95 % of it", "shuffled"]
    columns += ["loss raw", "loss", "promised", "accuracy raw", "accuracy", "map", "CPU s"]
    return _lines(columns, [_row(name, of) for name, of in found.items()])


def _row(name: str, of: Figures) -> list[str]:
    raw, new, shuffled = of["raw"], of["calibrated"], of["shuffled"]
    values = [raw["error"], new["error"], *new["noise"], None if shuffled is None else shuffled["error"]]
    values += [raw["loss"], new["loss"], of["promised"], raw["accuracy"], new["accuracy"]]
    return [name, f"{new['texts']:,}", *map(_shown, values), of["map"], f"{of['seconds']:.0f}"]


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _their_table(found: dict[str, Figures]) -> str:
    rows = []
    for name, of in found.items():
        parts = [of["raw"], of["calibrated"] or {}]
        rows.append([name, *(_shown(part.get(what)) for what in ("error", "loss", "accuracy") for part in parts)])
    return _lines(["set", "ECE raw", "ECE", "loss raw", "loss", "accuracy raw", "accuracy"], rows)


def _verdict(found: dict[str, Figures]) -> str:
    above = [_above(name, of) for name, of in found.items() if of["calibrated"]["error"] >= BAR]
    worse = [name for name, of in found.items() if of["calibrated"]["loss"] > of["raw"]["loss"]]
    missing = [name for name in sets.NAMES if name not in found]
    return (
        f"ECE below {BAR} on {len(found) - len(above)} of {len(found)} sets"
        + (f" (not on {'; '.join(above)})" if above else "")
        + f"; log loss worse than raw on {', '.join(worse) if worse else 'none'}."
        + (f" Not measured: {', '.join(missing)}." if missing else "")
        + "\n"
    )


def _above(name: str, of: Figures) -> str:
    """A set that is above the bar, and what is known of why."""
    shuffled = "" if of["shuffled"] is None else f", shuffled {of['shuffled']['error']:.3f}"
    return f"{name} {of['calibrated']['error']:.3f}: noise up to {of['calibrated']['noise'][1]:.3f}{shuffled}"


def _sets_table(found: dict[str, Figures]) -> str:
    columns = ["set", "texts", "held", "95 % of draws", "labels", "empty"]
    columns += ["held, shuffled", "within labels: held", "labels"]
    rows = []
    for name, of in found.items():
        overall, within = of["sets"]["False"], of["sets"]["True"]
        shuffled = "-" if of["shuffled"] is None else f"{of['shuffled']['held']:.1%}"
        held = f"{np.mean(list(within['by_label'].values())):.1%}"  # what is promised is the mean over labels
        row = [name, f"{overall['examples']:,}", f"{overall['coverage']:.1%}", "{:.1%} to {:.1%}".format(*_usual(of))]
        row += [f"{overall['mean_size']:.2f}", f"{overall['empty']:.1%}"]
        rows.append([*row, shuffled, held, f"{within['mean_size']:.2f}"])
    return _lines(columns, rows)


def _usual(of: Figures) -> tuple[float, float]:
    """Where the share that sets hold lies in 95 % of all draws of texts to calibrate by and to judge."""
    deviation = (COVERAGE * (1 - COVERAGE) * (1 / of["by"] + 1 / of["calibrated"]["texts"])) ** 0.5
    return COVERAGE - 1.96 * deviation, COVERAGE + 1.96 * deviation


def _held(of: Figures) -> float:
    return float(of["sets"]["False"]["coverage"])


def _sets_verdict(found: dict[str, Figures]) -> str:
    """How many sets keep their word, and why others do not."""
    off = {name: of for name, of in found.items() if abs(_held(of) - COVERAGE) > POINT}
    by_chance = [name for name, of in off.items() if _usual(of)[0] <= _held(of) <= _usual(of)[1]]
    drawn = [of["shuffled"]["held"] for of in found.values() if of["shuffled"] is not None]
    said = [f"Within a point on {len(found) - len(off)} of {len(found)} sets"]
    if off:
        said.append(f"of the others, {', '.join(by_chance) or 'none'} within what chance does")
        beyond = [f"{name} ({_held(of):.1%})" for name, of in off.items() if name not in by_chance]
        said.append(f"beyond it {', '.join(beyond) or 'none'}")
    if drawn:
        within = sum(abs(held - COVERAGE) <= POINT for held in drawn)
        said.append(f"drawn at random from both parts, within a point on {within} of {len(drawn)}")
    return "; ".join(said) + ".\n"


def _others_sets(found: dict[str, dict[str, Figures]]) -> str:
    """How many sets of other models keep their word, a line each."""
    return "".join(f"- {model}: {_sets_verdict(of)}" for model, of in found.items())


def draw(path: Path, found: dict[str, Figures]) -> None:
    """Reliability of each set, raw and calibrated."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "deciban"
    import matplotlib.pyplot as plt

    rows = -(-len(found) // 5)
    size = {"figsize": (10, 2.1 * rows), "squeeze": False}
    figure, panels = plt.subplots(rows, 5, sharex=True, sharey=True, layout="constrained", **size)
    for panel, (name, of) in zip(panels.ravel(), found.items(), strict=False):
        panel.plot([0, 1], [0, 1], color="#999999", linewidth=0.7)
        for what, colour in (("raw", THEIRS), ("calibrated", "#1b6ca8")):
            bins = [one for one in of[what]["bins"] if one[2] >= 10]
            panel.plot([one[0] for one in bins], [one[1] for one in bins], color=colour, marker=".", label=what)
        panel.set_title(f"{name}: {of['raw']['error']:.3f} → {of['calibrated']['error']:.3f}", fontsize=8)
        panel.tick_params(labelsize=7)
    for panel in panels.ravel()[len(found) :]:
        panel.set_visible(False)
    panels[0, 0].legend(fontsize=7, frameon=False)
    figure.supxlabel("probability of the answer", fontsize=8)
    figure.supylabel("share that is right", fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
