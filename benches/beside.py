"""`make rivals`: accuracy beside fastText, scikit-learn and Vowpal Wabbit, on every set of one label a text.

Everybody chooses settings on the training part alone (`tuned.py` says how), learns from all of it, and answers the same
test texts: those of the authors, or of three folds with labels in proportion, drawn by seed 0; repeated texts are kept
as they are. Accuracy, macro-F1 (of folds the mean), and the seconds of choosing and learning, and of answering.
deciban's budget is that of `train` as it comes, 60 seconds.

Each measurement is a process of its own, with a limit of processor time, after which it counts as not ended. Figures,
and which answers were right, are kept in benches/results/rivals.json: a run measures what is not there yet, or anew
with --again, of the sets and programs that it is asked for (--only, --who). deciban comes first: the seconds that
fastText is given are those that it took, and without them fastText is not asked; where deciban has taken more since,
fastText is measured anew.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import corpus, machine, sets
from .beside_page import FOLDS, ORDER, WITHOUT_TEST, Results, packed, page
from .speed import RESULTS
from .tuned import WHO

MINUTES = 30  # of processor time, for all that one measurement does


class Order(NamedTuple):
    """One measurement: who is judged by which fold of what set; for fastText, in how many seconds."""

    set: str
    fold: int
    who: str
    threads: int | None
    seconds: float


def main() -> None:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(prog="python -m benches.beside", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=ORDER, metavar="SET", help="some sets")
    parser.add_argument("--who", nargs="+", choices=WHO, metavar="NAME", help=f"some of: {', '.join(WHO)}")
    parser.add_argument("--again", action="store_true", help="measure anew what is known")
    parser.add_argument("--threads", type=int, help="of deciban and fastText (all cores)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(child(Order(*json.loads(given.child)))))
        return
    given.results.mkdir(exist_ok=True, parents=True)
    path = given.results / "rivals.json"
    for order in orders(given.only or ORDER, given.who or list(WHO), given.threads):
        known = read(path).get(order.set, {})
        ours = known.get("deciban", {}).get(str(order.fold), {})
        is_next = "train" in ours or order.who != "fastText"
        order = order._replace(seconds=ours.get("train", [0.0, 0.0])[1])
        if is_next and (given.again or not is_known(known, order)):
            found = measured(order)
            print(order, {key: value for key, value in found.items() if key != "right"}, file=sys.stderr, flush=True)
            keep(path, order, found)
    (given.results / "rivals.md").write_text(page(__doc__ or "", read(path), machine.facts()))
    print((given.results / "rivals.md").read_text())


def is_known(known: dict[str, Any], order: Order) -> bool:
    """Whether a measurement is there; one of fastText only if it was given as many seconds as are due now."""
    found = known.get(order.who, {}).get(str(order.fold))
    return found is not None and (order.who != "fastText" or found.get("given", 0.0) >= order.seconds)


def orders(names: list[str], who: list[str], threads: int | None) -> Iterator[Order]:
    """All measurements of some sets: the first fold of each comes first."""
    for fold, name in product(range(FOLDS), names):
        if fold == 0 or name in WITHOUT_TEST:
            yield from (Order(name, fold, one, threads, 0.0) for one in WHO if one in who)


def measured(order: Order) -> dict[str, Any]:
    """What a child finds; or that it did not end."""
    command = [sys.executable, "-m", "benches.beside", "--child", json.dumps(order)]
    one = machine.environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    done = subprocess.run(command, cwd=corpus.ROOT, env=one, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode == 0:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    ended = f"did not end in {MINUTES} minutes of processor time"
    return {"failed": ended if -done.returncode in (9, 24) else f"ended with {done.returncode}"}


def child(order: Order) -> dict[str, Any]:
    """Trains, answers, judges."""
    resource.setrlimit(resource.RLIMIT_CPU, (60 * MINUTES, 60 * MINUTES))
    from sklearn.metrics import f1_score

    of = sets.read(order.set)
    train, test = list(of.parts(FOLDS))[order.fold]
    (texts, labels), (asked, truth) = of.at(train), of.at(test)
    model = WHO[order.who](threads=order.threads, seconds=order.seconds)
    marks = [_now()]
    model.train(texts, labels)
    marks.append(_now())
    answers = np.array(model.predict(asked))
    marks.append(_now())
    took = [[round(b - a, 2) for a, b in zip(*pair, strict=True)] for pair in pairwise(marks)]
    right = answers == np.array(truth)
    return {
        "accuracy": float(right.mean()),
        "macro_f1": float(f1_score(truth, answers, average="macro", zero_division=0)),
        "train": took[0],
        "predict": took[1],
        "threads": order.threads,
        "given": order.seconds,
        "told": model.told,
        "right": packed(right),
    }


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def read(path: Path) -> Results:
    """All that is known."""
    return json.loads(path.read_text() or "{}") if path.exists() else {}


def keep(path: Path, order: Order, found: dict[str, Any]) -> None:
    """One more measurement among those that there are; several runs may write at once."""
    corpus.DATA.mkdir(exist_ok=True)
    with (corpus.DATA / "rivals.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = read(path)
        known.setdefault(order.set, {}).setdefault(order.who, {})[str(order.fold)] = found
        ordered = {
            name: {who: dict(sorted(known[name][who].items())) for who in WHO if who in known[name]}
            for name in ORDER
            if name in known
        }
        path.write_text(json.dumps(ordered, indent=1) + "\n")


if __name__ == "__main__":
    main()
