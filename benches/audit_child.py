"""What a child of `audit` does: a file and a program in; the share of wrong labels among the first 5 % out, as JSON.

A process of its own, which imports nothing but what its program needs: all of its seconds count. The job alone is timed
in it, too: from texts and labels in memory to the ranking. So that no import is timed, the program first looks at a few
texts (`tiny`), twice: the second time says what a look takes, for the whole process has no need of either.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

FIRST = 0.05
RUNS = "cleanlab, logistic regression, runs of two"
TINY = (["good day", "bad day", "day by day"] * 8, ["x", "y", "z"] * 8)


def read(path: Path) -> tuple[list[str], list[str], list[bool]]:
    """The texts, the labels that are given, and whether those are wrong."""
    rows = json.loads(f"[{','.join(path.open())}]")
    return tuple([row[column] for row in rows] for column in ("text", "label", "wrong"))  # type: ignore[return-value]


def ours(texts: list[str], labels: list[str], checks: tuple[str, ...] = ("labels",)) -> list[int]:
    """The ranking of `deciban.audit`, on one thread as all others."""
    import deciban

    return deciban.audit(texts, labels, checks=checks, threads=1).ranked


def unaudited(texts: list[str], _: list[str]) -> list[int]:
    """The floor: the file is read, deciban is imported, and texts stay in their order."""
    importlib.import_module("deciban.auditing")

    return list(range(len(texts)))


def whole(texts: list[str], labels: list[str]) -> list[int]:
    """The same, with all that an audit looks for."""
    from deciban.auditing import CHECKS

    return ours(texts, labels, CHECKS)


def _cleanlab(texts: list[str], labels: list[str], model: object, longest: int = 1) -> list[int]:
    import numpy as np
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline

    y = np.unique(labels, return_inverse=True)[1]
    made = make_pipeline(TfidfVectorizer(ngram_range=(1, longest)), model)
    p = cross_val_predict(made, texts, y, cv=5, method="predict_proba")
    issues = find_label_issues(y, p, return_indices_ranked_by="self_confidence", n_jobs=1).tolist()
    rest = np.argsort(get_label_quality_scores(y, p), kind="stable").tolist()
    return issues + [place for place in rest if place not in set(issues)]


def logistic(texts: list[str], labels: list[str]) -> list[int]:
    """cleanlab, by logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return _cleanlab(texts, labels, LogisticRegression(max_iter=1000))


def logistic_of_runs(texts: list[str], labels: list[str]) -> list[int]:
    """cleanlab, by logistic regression of words and runs of two words."""
    from sklearn.linear_model import LogisticRegression

    return _cleanlab(texts, labels, LogisticRegression(max_iter=1000), 2)


def bayes(texts: list[str], labels: list[str]) -> list[int]:
    """cleanlab, by naive Bayes."""
    from sklearn.naive_bayes import MultinomialNB

    return _cleanlab(texts, labels, MultinomialNB())


FLOOR = "nobody: Python, imports, reading"
WHO: dict[str, Callable[[list[str], list[str]], list[int]]] = {
    FLOOR: unaudited,
    "deciban": ours,
    "deciban, all checks": whole,
    "cleanlab, logistic regression": logistic,
    "cleanlab, naive Bayes": bayes,
    RUNS: logistic_of_runs,
}


def child(who: str, path: Path) -> dict[str, float]:
    """The share of the first texts whose labels are wrong; seconds of the job, and of both looks at a few texts."""
    texts, labels, wrong = read(path)
    timed(who, *TINY)
    tiny = 2 * timed(who, *TINY)[1]
    ranked, job = timed(who, texts, labels)
    first = ranked[: round(FIRST * len(texts))]
    return {"precision": sum(wrong[place] for place in first) / len(first), "job": job, "tiny": tiny}


def timed(who: str, texts: list[str], labels: list[str]) -> tuple[list[int], float]:
    """A ranking, and the seconds that processors worked for it."""
    start = time.process_time()
    ranked = WHO[who](texts, labels)
    return ranked, time.process_time() - start


if __name__ == "__main__":
    print(json.dumps(child(sys.argv[1], Path(sys.argv[2]))))
