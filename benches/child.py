"""What a child process measures: one order in, as JSON on the command line; one result out, as JSON on the last line.

A child is fresh, so that nobody's imports, caches or left-over memory help or harm the next, and is pinned to as many
cores as it was given. The clock runs for the job itself: not for imports, reading the corpus or loading a model.
Each verb returns a `cost`, of which less is better: seconds a megabyte, microseconds, milliseconds, or a ratio.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from . import machine, rivals
from .corpus import MB, MEAN_WORDS, Corpus

Result = dict[str, Any]


@dataclass(frozen=True)
class Order:
    """What to measure."""

    verb: str
    rival: str
    corpus: str
    megabytes: float | None = None  # of the corpus, from its beginning; None for all
    words: int = 1
    cores: int = 1
    model: str = ""  # the file of a trained model, where the verb needs one

    def as_json(self) -> str:
        """As it is handed to a child."""
        return json.dumps(asdict(self))

    @property
    def contestant(self) -> Any:
        """Who does it."""
        kind = rivals.RIVALS[self.rival]
        return kind(threads=self.cores) if issubclass(kind, rivals.Deciban) else kind()

    def examples(self) -> tuple[list[str], list[str]]:
        """On what it is done."""
        return Corpus(self.corpus).examples(self.megabytes)


def size(texts: list[str]) -> float:
    """The megabytes of some texts, as a file of lines."""
    return sum(len(text.encode()) + 1 for text in texts) / MB


class Took(NamedTuple):
    """What a job took: seconds on the clock, and seconds that a processor worked for it, here or in its children."""

    seconds: float
    cpu: float

    def result(self, texts: list[str]) -> Result:
        """Both per megabyte. On one core they are the same, unless others were given turns on it."""
        return {"cost": self.seconds / size(texts), "cpu": self.cpu / size(texts), "megabytes": size(texts)}


def timed(job: Callable[[], object]) -> Took:
    """Runs a job once. What it returns is kept until the clock has stopped: throwing away is not its work."""
    cpu, start = _worked(), time.perf_counter()
    kept = job()
    took = Took(time.perf_counter() - start, _worked() - cpu)
    del kept
    return took


def _worked() -> float:
    """Seconds that a processor has worked for this process and the children that it has waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def train(order: Order) -> Result:
    """Texts and labels in memory -> a model that could answer."""
    texts, labels = order.examples()
    rival = order.contestant
    _imports(rival, order)
    return timed(lambda: rival.train(texts, labels, order.words)).result(texts)


def _imports(rival: Any, order: Order) -> None:
    """Has a rival import what it needs, on four documents."""
    rival.train(["one and two", "three, four"] * 5, ["a", "b"] * 5, order.words)


def prepare(order: Order) -> Result:
    """Trains a model for others to load."""
    rival = order.contestant
    rival.train(*order.examples(), order.words)
    rival.save(Path(order.model))
    return {"cost": 0.0}


def predict(order: Order) -> Result:
    """Texts in memory -> their labels in memory."""
    texts, labels = order.examples()
    rival = order.contestant
    rival.load(Path(order.model))
    rival.predict(texts[:10])
    answers: list[Any] = []
    took = timed(lambda: answers.extend(rival.predict(texts)))
    right = sum(answer == label for answer, label in zip(answers, labels, strict=True))
    return {**took.result(texts), "right": right / len(texts)}


def one(order: Order) -> Result:
    """One text of about forty words, again and again: the median of all calls, in microseconds."""
    texts = [text for text in order.examples()[0] if abs(len(text.split()) - MEAN_WORDS) <= 2][:2000]
    rival = order.contestant
    rival.load(Path(order.model))
    clock, took = time.perf_counter_ns, []
    end = clock() + 1_500_000_000
    while clock() < end:
        for text in texts[:200] if len(took) < 2000 else texts:
            start = clock()
            rival.one(text)
            took.append(clock() - start)
    ordered = sorted(took[len(took) // 10 :])
    return {"cost": statistics.median(ordered) / 1e3, "p99": ordered[len(ordered) * 99 // 100] / 1e3}


def start(order: Order) -> Result:
    """A command that starts, loads a model and labels one text: milliseconds, the median of seven.

    Once before the clock runs, so that Python has compiled what it imports, as it is for whoever installs a package.
    """
    text = Corpus(order.corpus).examples(0.001)[0][0]
    command, given = order.contestant.command(Path(order.model), text)

    environment = machine.environment()

    def run() -> object:
        return subprocess.run(command, input=given, text=True, check=True, capture_output=True, env=environment)  # noqa: S603

    run()
    seconds, cpu = zip(*(timed(run) for _ in range(7)), strict=True)
    return {"cost": 1e3 * statistics.median(seconds), "cpu": 1e3 * statistics.median(cpu)}


def vectorize(order: Order) -> Result:
    """`CountVectorizer().fit_transform(texts)`."""
    if order.rival == rivals.Deciban.name:
        import deciban.sklearn as home
    else:
        import sklearn.feature_extraction.text as home
    if not hasattr(home, "CountVectorizer"):
        raise rivals.Missing("deciban.sklearn has no CountVectorizer yet")
    texts, _ = order.examples()
    home.CountVectorizer().fit_transform(["one and two"])
    return timed(lambda: home.CountVectorizer().fit_transform(texts)).result(texts)


def memory(order: Order) -> Result:
    """The peak of memory while training, with the text, against the text and the counts."""
    texts, labels = order.examples()
    rival = order.contestant
    _imports(rival, order)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = status("VmRSS")
    rival.train(texts, labels, order.words)
    above = status("VmHWM") - before
    lexicon, *counted = rival.model.counts.buffers
    counts = sum(buffer.nbytes for buffer in (*lexicon.buffers(), *counted)) / MB
    text = size(texts)
    return {"cost": (text + above) / (text + counts), "above": above, "counts": counts, "megabytes": text}


def status(what: str) -> float:
    """A figure of this process, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) * 1024 / MB


def stream(order: Order) -> Result:
    """`deciban train FILE`: its peak of memory in megabytes, and its seconds a megabyte."""
    file = table(Corpus(order.corpus))
    program = str(Path(sys.executable).with_name("deciban"))
    with tempfile.TemporaryDirectory() as folder:
        how = ["--model", "multinomial", "--threads", str(order.cores)]
        command = [program, "train", str(file), "-o", f"{folder}/m.deciban", *how]
        begin = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
    if status:
        raise RuntimeError(f"{command} ended with {status}")
    megabytes = file.stat().st_size / MB
    return {"cost": usage.ru_maxrss * 1024 / MB, "megabytes": megabytes, "seconds": seconds}


def table(corpus: Corpus) -> Path:
    """The corpus as one file that `deciban train` reads: tab-separated, made once."""
    file = corpus.texts.with_suffix(".tsv")
    if not file.exists():
        part = file.with_suffix(".tsv-part")
        with part.open("w") as out, corpus.labels.open() as labels, corpus.texts.open() as texts:
            out.write("label\ttext\n")
            out.writelines(f"{label[:-1]}\t{text}" for label, text in zip(labels, texts, strict=True))
        part.rename(file)
    return file


def count(order: Order) -> Result:
    """`wc` on the file of the texts, which is in the page cache; as many at once as there are cores for it."""
    file = Corpus(order.corpus).texts
    file.read_bytes()
    counter = rivals.WordCount("-l" if order.rival == "wc -l" else "-w")
    with ThreadPoolExecutor(order.cores) as pool:
        seconds, cpu = timed(lambda: list(pool.map(counter.count, [file] * order.cores)))
    megabytes = order.cores * file.stat().st_size / MB
    return {"cost": seconds / megabytes, "cpu": cpu / megabytes, "megabytes": megabytes}


def copy(order: Order) -> Result:
    """memcpy: the text from one place in memory to another, the quicker of two times."""
    import numpy as np

    text = np.fromfile(Corpus(order.corpus).texts, np.uint8)
    other = np.zeros_like(text)
    return {"cost": min(timed(lambda: np.copyto(other, text)).seconds for _ in range(2)) / (len(text) / MB)}


VERBS = {verb.__name__: verb for verb in (train, prepare, predict, one, start, vectorize, memory, stream, count, copy)}


def main() -> None:
    """Measures what the command line says."""
    order = Order(**json.loads(sys.argv[1]))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-order.cores :])
    try:
        result = VERBS[order.verb](order)
    except rivals.Missing as missing:
        result = {"missing": str(missing)}
    except Exception as error:  # a long run is not lost for one of its rows, which says why it is empty
        traceback.print_exc()
        result = {"missing": f"failed: {type(error).__name__}: {error}".replace("\n", " ")}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
