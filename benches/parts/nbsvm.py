"""NBSVM on words and bigrams of imdb, from raw text to test accuracy: what it takes, beside scikit-learn."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import deciban

from .. import sets
from ..child import Took, timed
from . import Bar, Row, markdown

TITLE = "NBSVM from raw text"
SET = "imdb"
RUNS = 3
LEAST = 15.0
ABOUT = f"""Words and bigrams of {SET}, presences, alpha = 1, C = 1, beta = 0.25: training on its training texts and
labelling its test texts, medians of {RUNS} runs in turn. scikit-learn: CountVectorizer, log-count ratios, LinearSVC.
Ours on all cores by the clock, and the CPU time of both.
"""


def rows() -> Iterator[Row]:
    """Ours, then scikit-learn's."""
    of = sets.read(SET)
    train, test = (of.at(part) for part in next(of.parts(1)))
    jobs: dict[str, Callable[[], list[str]]] = {
        "deciban": lambda: deciban.train(*train, model="nbsvm", words=(1, 2), cost=1.0).predict(test[0]),
        "scikit-learn": lambda: _scikit_learn(*train, test[0]),
    }
    took: dict[str, list[Took]] = {name: [] for name in jobs}
    right: dict[str, float] = {}
    for _ in range(RUNS):
        for name, job in jobs.items():
            answers: list[str] = []
            took[name].append(timed(lambda job=job, answers=answers: answers.extend(job())))  # type: ignore[misc]
            right[name] = sum(a == b for a, b in zip(answers, test[1], strict=True)) / len(test[1])
    for name, of_name in took.items():
        clock, cpu = (statistics.median(getattr(t, what) for t in of_name) for what in ("seconds", "cpu"))
        yield {"who": name, "clock": clock, "cpu": cpu, "accuracy": 100 * right[name]}


def _scikit_learn(texts: list[str], labels: list[str], others: list[str]) -> list[str]:
    """As its users write it."""
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.svm import LinearSVC

    vectoriser = CountVectorizer(binary=True, ngram_range=(1, 2))
    x, y = vectoriser.fit_transform(texts), np.array(labels) == max(labels)
    p, q = (np.asarray(x[rows].sum(axis=0))[0] + 1.0 for rows in (y, ~y))
    r = np.log(p / p.sum()) - np.log(q / q.sum())
    w = LinearSVC(C=1.0, fit_intercept=False).fit(x.multiply(r).tocsr(), y).coef_[0]
    scores = vectoriser.transform(others) @ (r * (0.75 * np.abs(w).mean() + 0.25 * w))
    return [max(labels) if score > 0 else min(labels) for score in scores]


def table(rows: list[Row]) -> str:
    """Markdown."""
    cells = ((row["who"], *(f"{row[what]:.2f}" for what in ("clock", "cpu", "accuracy"))) for row in rows)
    return f"{ABOUT}\n{markdown('who | seconds> | CPU seconds> | accuracy>', cells)}"


def bars(rows: list[Row]) -> Iterator[Bar]:
    """How many times faster."""
    if len(rows) == 2:
        times = rows[1]["clock"] / rows[0]["clock"]
        yield Bar("NBSVM from raw text, beside scikit-learn", f"{times:.1f}x", f">= {LEAST:g}x", times >= LEAST)
