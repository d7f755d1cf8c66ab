"""What is measured, on what, by whom, and which bar it is held to: the table of all jobs, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import corpus
from .child import Order

SLOW = ("scikit-learn", "fastText", "fastText, lr 0.5")


@dataclass(frozen=True)
class Contestant:
    """Somebody, and what is asked of them."""

    name: str
    order: Order


@dataclass(frozen=True)
class Bar:
    """Ours costs at most `limit`; or, against somebody, theirs is at least `limit` times ours."""

    limit: float
    against: str | None = None


@dataclass(frozen=True)
class Job:
    """A row of the table. `unit` says what costs are, or are turned into to be shown."""

    name: str
    title: str
    unit: str
    contestants: tuple[Contestant, ...]
    bars: tuple[Bar, ...]
    rounds: int | None = None  # fewer than the others

    @property
    def ours(self) -> Contestant:
        """Whom the job is about: it stands first."""
        return self.contestants[0]


@dataclass(frozen=True)
class Sizes:
    """Megabytes: for all, for those who are slow (their cost is given per megabyte), for each real set, for `size`."""

    megabytes: float = 100.0
    slow: float = 10.0
    real: float = 20.0
    small: float = 10.0
    big: float = 1000.0


def jobs(sizes: Sizes) -> Iterator[Job]:
    """All jobs."""
    drawn = f"drawn-{sizes.megabytes:g}"
    yield from _on(drawn, "", sizes, (3.5, 40, 20, 8))
    yield _threads(drawn)
    yield _one(drawn)
    yield _start(drawn)
    yield _vectorize(drawn, sizes)
    yield _memory(drawn)
    yield _stream(sizes)
    yield _size(sizes)
    yield _limits(drawn)
    for name in ("imdb", "20ng"):
        for long in (False, True):
            if corpus.found(name) is not None:
                kind = "long" if long else "short"
                of_real = replace(sizes, slow=min(sizes.slow, 5.0))
                text = f"{name}-{kind}-{sizes.real:g}"
                for job in _on(text, f", {name} {kind}", of_real, (3.5, 40, 20, 3 if long else 8)):
                    yield replace(job, rounds=3)


def _on(text: str, suffix: str, sizes: Sizes, of_predict: tuple[float, ...]) -> Iterator[Job]:
    """Training on words, on words and bigrams, and predicting: one thread, on some corpus."""
    ourselves = ("deciban", "deciban, calibrated")
    everybody = (*ourselves, "wc -w", "scikit-learn", "Vowpal Wabbit", "fastText", "fastText, lr 0.5")
    bars = (Bar(3, "wc -w"), Bar(35, "scikit-learn"), Bar(5, "Vowpal Wabbit"), Bar(50, "fastText"))
    title = "train multinomial, words, 1 thread"
    yield Job(f"train{suffix}", title, "MB/s", _all("train", text, sizes, everybody), bars)
    bars = (Bar(1, "wc -w"), Bar(45, "scikit-learn"))
    some = ("deciban", "wc -w", "scikit-learn", "Vowpal Wabbit")
    title = "train, words + bigrams, 1 thread"
    yield Job(f"bigrams{suffix}", title, "MB/s", _all("train", text, sizes, some, words=2), bars)
    names = ("wc -w", "scikit-learn", "fastText", "Vowpal Wabbit")
    bars = tuple(Bar(limit, name) for limit, name in zip(of_predict, names, strict=True))
    title = "predict labels, words, 1 thread"
    yield Job(f"predict{suffix}", title, "MB/s", _all("predict", text, sizes, (*ourselves, *names)), bars)


def _all(verb: str, text: str, sizes: Sizes, names: tuple[str, ...], words: int = 1) -> tuple[Contestant, ...]:
    return tuple(Contestant(name, _order(verb, text, sizes, name, words)) for name in names)


def _order(verb: str, text: str, sizes: Sizes, name: str, words: int) -> Order:
    if name == "wc -w":
        return Order("count", name, text)
    return Order(verb, name, text, sizes.slow if name in SLOW else None, words)


def _threads(text: str) -> Job:
    order = Order("train", "deciban", text)
    both = Contestant("deciban, 2 threads", replace(order, cores=2)), Contestant("deciban, 1 thread", order)
    return Job("threads", "the same, 2 threads", "MB/s", both, (Bar(1.7, "deciban, 1 thread"),))


def _one(text: str) -> Job:
    names = ("deciban", "fastText", "Vowpal Wabbit", "scikit-learn")
    orders = (Contestant(name, Order("one", name, text, 2.0)) for name in names)
    return Job("one", "one 40-word text from Python, p50", "us", tuple(orders), (Bar(4),))


def _start(text: str) -> Job:
    names = ("deciban", "Vowpal Wabbit", "fastText", "scikit-learn", "bare Python")
    orders = (Contestant(name, Order("start", name, text)) for name in names)
    return Job("start", "start, load the model, predict one text, as a command", "ms", tuple(orders), (Bar(120),))


def _vectorize(text: str, sizes: Sizes) -> Job:
    orders = _all("vectorize", text, sizes, ("deciban", "scikit-learn"))
    return Job("vectorize", "CountVectorizer.fit_transform", "MB/s", orders, (Bar(20, "scikit-learn"),))


def _memory(text: str) -> Job:
    orders = tuple(
        Contestant(name, Order("memory", "deciban", text, words=words))
        for name, words in (("deciban", 1), ("deciban, words + bigrams", 2))
    )
    title = "peak memory while training, with the text, against the text and the counts"
    return Job("memory", title, "x", orders, (Bar(1.3),))


def _stream(sizes: Sizes) -> Job:
    full, tenth = f"{sizes.megabytes:g}", f"{sizes.megabytes / 10:g}"
    orders = (
        Contestant(f"deciban train FILE, {full} MB", Order("stream", "deciban", f"drawn-{full}")),
        Contestant(f"the same, {tenth} MB", Order("stream", "deciban", f"drawn-{tenth}")),
    )
    title = "peak memory while streaming from a file: constant, so no more than 1.3x for ten times the text"
    return Job("stream", title, "MB", orders, (Bar(1 / 1.3, orders[1].name),), 1)


def _size(sizes: Sizes) -> Job:
    big = f"drawn-{sizes.big:g}"
    orders = (
        Contestant(f"deciban, {sizes.big:g} MB", Order("train", "deciban", big)),
        Contestant(f"deciban, {sizes.small:g} MB", Order("train", "deciban", big, sizes.small)),
    )
    title = "cost of a megabyte, of much text against little: less than 1.3x"
    return Job("size", title, "MB/s", orders, (Bar(1 / 1.3, orders[1].name),))


def _limits(text: str) -> Job:
    verbs = {"wc -w": "count", "wc -l": "count", "memcpy": "copy"}
    orders = [Contestant(name, Order(verb, name, text)) for name, verb in verbs.items()]
    orders.insert(1, Contestant("wc -w, 2 at once", Order("count", "wc -w", text, cores=2)))
    return Job("limits", "what the machine can do", "MB/s", tuple(orders), ())
