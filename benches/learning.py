"""How far a learning curve can be trusted: forecast from a quarter of the training texts, and what all of them bring.

    python -m benches.learning

For each set, the curve of a quarter of the training texts says what four times as many should bring; leave-one-out of
all of them says what they do. Writes benches/results/learning.md.
"""

import sys
import time
from pathlib import Path

import numpy as np

import deciban
from benches.sets import NAMES, read
from deciban.growing import learning_curve, order_of

RESULT = Path(__file__).parent / "results" / "learning.md"
SETTINGS = {"model": "multinomial", "words": (1, 2), "alpha": 0.3}
MOST = 60_000


def row(name: str) -> str:
    """One set: now, forecast for four times as many, what came."""
    found = read(name)
    learn = [i for i, part in enumerate(found.split) if part != "test"]
    texts, labels = found.at(learn)
    order = order_of(labels, 1)[:MOST]
    some = order[: len(order) // 4]
    start = time.perf_counter()
    curve = learning_curve([texts[i] for i in some], [labels[i] for i in some], **SETTINGS)
    took = time.perf_counter() - start
    then = curve.forecast(len(order))
    model = deciban.train([texts[i] for i in order], [labels[i] for i in order], **SETTINGS)
    came = model.leave_one_out().accuracy
    inside = "yes" if then.low_95 <= came <= then.high_95 else "no"
    cells = f"{len(some):,} | {curve.points[-1].accuracy:.1%} | {len(order):,} | {then.accuracy:.1%} | "
    interval = f"{then.low_95:.1%} to {then.high_95:.1%}"
    return f"| {name} | {cells}{interval} | {came:.1%} | {inside} | {100 * (then.accuracy - came):+.1f} | {took:.1f} |"


def main() -> None:
    """All sets, or those that are named."""
    head = "| set | texts | accuracy | texts then | forecast | 95 % | came | inside | off by, points | seconds |"
    lines = [row(name) for name in sys.argv[1:] or NAMES]
    off = [abs(float(line.split("|")[-3])) for line in lines]
    text = f"""# How far a learning curve can be trusted

The curve of a quarter of the training texts (multinomial, words and pairs of words, by leave-one-out) foretells the
accuracy of four times as many; beside it, what they came to. Made by `make curve`.

{head}
| --- | ---: | ---: | ---: | ---: | --- | ---: | --- | ---: | ---: |
{chr(10).join(lines)}

The median forecast is off by {np.median(off):.1f} points, the worst by {max(off):.1f}.
"""
    print(text)
    RESULT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
