"""`make drift`: what `--priors adapt` is worth where the mix of labels has shifted, and that it does nothing where not.

Half of each set is learnt. Of the other half, nine in ten texts of every second label leave, and then those of the
other labels: two sets of new texts of another mix, judged together. `model` answers for the mix of training, `adapt`
for the one that it finds in the texts, without their labels; `known` is told the true one, and is the best that could
be had. `kept` is how often nothing was adapted in twenty draws of two hundred new texts whose mix had not shifted.

The table is printed and written to benches/results/drift.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt

import deciban
from deciban.decision import log_posterior

from . import machine, sets
from .speed import RESULTS

Floats = npt.NDArray[np.float64]
SETS = ("sms-spam", "trec", "agnews-test", "rt-s", "r8")
STAY = 10  # of so many texts of a label that leaves, one stays
DRAWS, DRAWN = 20, 200
COLUMNS = [
    "set",
    "texts",
    *(f"{what}, {how}" for what in ("accuracy", "log loss") for how in ("model", "adapt", "known")),
]


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.drift", description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS, help="which sets")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    rows = [_row(sets.read(name)) for name in given.sets]
    columns = [*COLUMNS, "kept"]
    lines = [f"| {' | '.join(columns)} |", f"| --- {'| ---: ' * (len(columns) - 1)}|", *rows]
    about = (__doc__ or "").partition("\n\n")[2].strip()
    page = f"# A mix of labels that has shifted\n\n{about}\n\n" + "\n".join(lines) + f"\n\n{machine.facts()['date']}\n"
    print(page)
    given.results.mkdir(exist_ok=True, parents=True)
    (given.results / "drift.md").write_text(page)


def _row(of: sets.Set) -> str:
    places = np.random.default_rng(sets.SEED).permutation(len(of.texts))
    half = len(places) // 2
    model, new = deciban.train(*of.at(places[:half]), model="multinomial"), places[half:]
    found = [_judged(model, *of.at(new[is_there])) for is_there in _shifted(of, new)]
    right, lost = (np.concatenate([part[i] for part in found], axis=1) for i in (0, 1))
    figures = [f"{share:.1%}" for share in right.mean(axis=1)] + [f"{loss:.3f}" for loss in lost.mean(axis=1)]
    cells = [of.name, f"{right.shape[1]:,}", *figures, f"{_kept(model, of.at(new)[0])} of {DRAWS}"]
    return f"| {' | '.join(cells)} |"


def _shifted(of: sets.Set, places: sets.Places) -> list[npt.NDArray[np.bool_]]:
    """Which of some texts stay, in either mix."""
    names = sorted(set(of.labels))
    is_odd = np.array([names.index(of.labels[i]) % 2 == 1 for i in places])
    stays = np.arange(len(places)) % STAY == 0
    return [stays | is_odd, stays | ~is_odd]


def _judged(model: deciban.Classifier, texts: list[str], labels: list[str]) -> tuple[Floats, Floats]:
    """Of each way to answer (rows) whether it is right about each text, and what that costs, in nats."""
    y = np.array([model.labels.index(label) for label in labels])
    log_p = model.predict_log_proba(texts)
    shares = np.array([Counter(labels)[label] for label in model.labels]) / len(labels)
    learnt = np.array([model.documents[label] for label in model.labels]) / sum(model.documents.values())
    with np.errstate(divide="ignore"):
        known = log_posterior(log_p + np.log(shares) - np.log(learnt))
    ways = np.stack([log_p, model.predict_log_proba(texts, "adapt"), known])
    rows = np.arange(len(y))
    return (ways.argmax(axis=2) == y).astype(float), -ways[:, rows, y]


def _kept(model: deciban.Classifier, texts: list[str]) -> int:
    """How often nothing is adapted where nothing has shifted."""
    draw = np.random.default_rng(sets.SEED)
    drawn = [[texts[i] for i in draw.choice(len(texts), DRAWN, replace=False)] for _ in range(DRAWS)]
    return sum(not model.mix(some).shift.any() for some in drawn)


if __name__ == "__main__":
    main()
