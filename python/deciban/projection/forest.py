"""A forest: features of a text, round by round, and a decision tree of each round; they are averaged (Aggarwal 5.2.7).

The features of round b are x V_b, for a rotation made 1 long; its tree leads to a leaf, of which it is known how many
training rows of each label reached it. With n_v rows in leaf v, a share s_vr of them of label r, and the share pi_r of
the label in all texts, by which each leaf is smoothed as if by a tenth of a row,

    p_vr = (n_v s_vr + pi_r / 10) / (n_v + 1/10),        p_r = mean over rounds of p_vr,        score_r = log p_r

Why a text gets its label is told approximately. Each step of its way through a tree changes p_r (Saabas 2014); the
change is credited to the terms that moved the asked feature to the side on which the text went, each as much as it
moved it; what no term did is the start's. These changes add up to p_r less what it is at the roots, and divided by the
logarithmic mean L_r of the two, to the difference of their logarithms: they add up exactly, but another account of the
same way could add up, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import Lexicon
from ..counts import Counts
from ..errors import TooManyNumbers, UnknownLabel, listed
from ..fitting.members import Labelled
from ..fitting.seen import Seen, counted
from ..rows import Rows, rows
from ..scorecard import Scorecard
from ..settings import Settings
from .lsa import Axes
from .trees import Floats, Halves, Integers, Numbers, Singles, Trees, joined

if TYPE_CHECKING:
    from .._core import Texts

MOST_NUMBERS = 1 << 28  # of axes, of 2 bytes
SMOOTHING = 0.1  # rows: enough that no label is impossible
TEXTS_AT_ONCE = 4096
NUMBERS_AT_ONCE = 1 << 24


@dataclass(frozen=True, eq=False)
class Forest:
    """Axes of each round: the subset of each term (rounds x terms) and its numbers in it (rounds x terms x r); trees.

    x_j is f(z_j) t_j, by `weighting`, and 1 long with `length_norm`; so are features with `unit`.
    """

    labels: tuple[str, ...]
    lexicon: Lexicon
    t: Floats
    subset: Numbers
    row: Halves
    subsets: int
    trees: Trees
    weighting: str
    length_norm: bool
    unit: bool

    approximate = True
    pairs = None

    @property
    def binary(self) -> bool:
        """Whether a term counts once a text."""
        return self.weighting == "binary"

    @property
    def features(self) -> int:
        """How many features a round has."""
        return int(self.subsets * self.row.shape[2])

    @property
    def start(self) -> Scorecard:
        """Where scores begin, at the roots, as a scorecard without a weight: what a file holds beside the trees."""
        d, k = len(self.lexicon), len(self.labels)
        bias = np.log(self.trees.p[self.trees.start[:-1]].mean(axis=0))
        postings = (np.zeros(d + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0))
        return Scorecard(self.labels, self.lexicon, bias, np.zeros(k), *postings, binary=self.binary)

    @property
    def buffers(self) -> tuple[Floats, Numbers, Halves]:
        """The axes, as a file holds them."""
        return self.t, self.subset.ravel(), self.row.ravel()

    def number(self, label: str) -> int:
        """The number of a label: its column."""
        if label not in self.labels:
            raise UnknownLabel(label=label, known=listed(self.labels))
        return self.labels.index(label)

    def scores(self, texts: Texts, threads: int = 0) -> Floats:
        """log p_r of each text: one row a text, one column a label."""
        found = rows(self.lexicon, texts, threads)
        starts = range(0, len(found), TEXTS_AT_ONCE)
        parts = [self.scores_of_rows(found.part(slice(start, start + TEXTS_AT_ONCE))) for start in starts]
        return np.concatenate([np.empty((0, len(self.labels))), *parts])

    def scores_of_rows(self, of: Rows) -> Floats:
        """log p_r of each row."""
        p = np.zeros((len(of), len(self.labels)))
        value = numbers(of, self.t, self.weighting, length_norm=self.length_norm)
        for b in range(len(self.trees)):
            p += self.trees.p[self.trees.leaves(b, self.project(b, of.indptr, of.term, value))]
        return np.log(p / len(self.trees))

    def project(self, b: int, indptr: Integers, term: Numbers, value: Singles) -> Singles:
        """The features of rows in a round."""
        return project((indptr, term, value), self.subset[b], self.row[b], self.subsets, unit=self.unit)

    def best(self, texts: Texts, threads: int = 0) -> list[str]:
        """The label with the greatest score, for each text; of equal ones the first."""
        return [self.labels[i] for i in self.scores(texts, threads).argmax(axis=1)]

    def top(self, texts: Texts, most: int, threads: int = 0) -> list[list[tuple[str, float]]]:
        """The most probable labels of each text in falling order, of equal ones the first, with their probabilities."""
        return [[(self.labels[i], p) for i, p in found] for found in self.top_numbers(texts, most, threads)]

    def top_numbers(self, texts: Texts, most: int, threads: int = 0) -> list[list[tuple[int, float]]]:
        """The same, with the numbers of labels."""
        p = np.exp(self.scores(texts, threads))
        order = np.argsort(-p, axis=1, kind="stable")[:, :most]
        return [[(int(i), float(row[i])) for i in best] for row, best in zip(p, order, strict=True)]

    def answers(self, texts: Texts, threads: int = 0) -> list[tuple[int, list[float]]]:
        """For each text the number of its most probable label, and the probability of every label."""
        p = np.exp(self.scores(texts, threads))
        return list(zip(p.argmax(axis=1).tolist(), p.tolist(), strict=True))

    def account(self, terms: Integers, counts: Integers) -> tuple[Floats, Floats]:
        """Where scores begin, and what each term of a text adds that has these so often: a row a term; about."""
        order = np.argsort(terms)
        of = Rows(np.array([0, len(terms)]), terms[order].astype(np.uint32), counts[order])
        value = numbers(of, self.t, self.weighting, length_norm=self.length_norm)
        added, rest = np.zeros((len(terms), len(self.labels))), np.zeros(len(self.labels))
        for b in range(len(self.trees)):
            for share, change in self._steps(b, of, value):
                added[order] += share[:, None] * change
                rest += change * (1 - share.sum())
        roots = self.trees.p[self.trees.start[:-1]].mean(axis=0)
        ends = roots + added.sum(axis=0) / len(self.trees) + rest / len(self.trees)
        scale = 1 / (len(self.trees) * _logarithmic_mean(roots, ends))
        return np.log(roots) + rest * scale, added * scale

    def _steps(self, b: int, of: Rows, value: Singles) -> Iterator[tuple[Floats, Floats]]:
        """Of each step of a row through a tree: the share of each of its terms, and what p changes by."""
        features = self.project(b, of.indptr, of.term, value)[0]
        r, trees = self.row.shape[2], self.trees
        subset, parts = self.subset[b][of.term], value[:, None].astype(np.float64) * self.row[b][of.term]
        for node, after in trees.way(b, features):
            feature = int(trees.feature[node])
            side = -1.0 if after == trees.left[node] else 1.0
            moved = np.where(subset == feature // r, np.maximum(side * parts[:, feature % r], 0.0), 0.0)
            yield moved / max(float(moved.sum()), 1e-300), trees.p[after] - trees.p[node]


def _logarithmic_mean(a: Floats, b: Floats) -> Floats:
    """(b - a) / (log b - log a), which lies between the two."""
    near = np.abs(b - a) <= 1e-9 * a
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(near, a, (b - a) / (np.log(b) - np.log(a))))


def numbers(of: Rows, t: Floats, weighting: str, *, length_norm: bool) -> Singles:
    """x of some rows."""
    value = counted(of.count, weighting) * t[of.term]
    if length_norm:
        lengths = np.sqrt(np.bincount(of.row, value**2, len(of)))
        value /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(of.indptr))
    return value.astype(np.float32)


def project(x: tuple[Integers, Numbers, Singles], subset: Numbers, row: Halves, subsets: int, *, unit: bool) -> Singles:
    """x V of compressed sparse rows; the same bits for a row, whatever stands beside it."""
    indptr, term, value = x
    n, r = len(indptr) - 1, row.shape[1]
    features = np.zeros((n, subsets * r), np.float32)
    step = max(1, NUMBERS_AT_ONCE // max(1, r * int(np.diff(indptr).max(initial=1))))
    for first in range(0, n, step):
        ends = indptr[first : first + step + 1]
        some = slice(ends[0], ends[-1])
        key = np.repeat(np.arange(len(ends) - 1), np.diff(ends)) * subsets + subset[term[some]]
        order = np.argsort(key, kind="stable")
        keys, starts = np.unique(key[order], return_index=True)
        if len(keys):
            products = (value[some, None] * row[term[some]])[order]
            features[first : first + step].reshape(-1, r)[keys] = np.add.reduceat(products, starts, axis=0)
    if unit:
        lengths = np.sqrt((features**2).sum(axis=1, keepdims=True))
        features /= np.where(lengths > 0, lengths, 1.0)
    return features


def check_size(terms: int, features: int, rounds: int) -> None:
    """Refuses axes that would not fit into memory, before any is made."""
    if terms * features * rounds > MOST_NUMBERS:
        shown = {"terms": f"{terms:,}", "features": f"{features:,}", "rounds": f"{rounds:,}"}
        raise TooManyNumbers(**shown, most=f"{MOST_NUMBERS:,}")


def rounded(row: Floats) -> Halves:
    """Axes as a file holds them, and as trees are grown on them: numbers of two bytes. Axes that are longer than that
    allows are made shorter, all by the same factor, which trees do not mind.
    """
    return np.asarray(row / max(float(np.abs(row).max(initial=0.0)), 1.0), np.float16)


def grow(seen: Seen, axes: Axes, of: Labelled, prior: Floats, number: int, *, unit: bool) -> Trees:
    """A tree of the features of rows that cost something, by scikit-learn."""
    from sklearn.tree import DecisionTreeClassifier

    features = project(seen.rows, axes.subset.astype(np.uint32), rounded(axes.row), axes.subsets, unit=unit)
    there = np.flatnonzero(of.cost)
    model = DecisionTreeClassifier(random_state=number)
    tree = model.fit(features[there], of.y[there], sample_weight=of.cost[there]).tree_
    n = tree.weighted_n_node_samples[:, None]
    share = np.zeros((len(n), of.labels))
    share[:, model.classes_] = tree.value[:, 0, :]
    is_leaf = tree.children_left < 0
    left, right, feature = (
        np.where(is_leaf, 0, each).astype(np.uint32) for each in (tree.children_left, tree.children_right, tree.feature)
    )
    threshold = np.where(is_leaf, 0.0, tree.threshold)
    start = np.array([0, len(n)], np.int64)
    return Trees(start, feature, threshold, left, right, (n * share + SMOOTHING * prior) / (n + SMOOTHING))


def prior_of(counts: Counts) -> Floats:
    """The share of each label in all texts, none of them zero."""
    return np.asarray((counts.documents + 1.0) / (counts.documents.sum() + len(counts.labels)))


def made(counts: Counts, seen: Seen, found: Sequence[tuple[Axes, Trees]], *, unit: bool) -> Forest:
    """The forest of some rounds."""
    return Forest(
        labels=counts.labels,
        lexicon=counts.lexicon,
        t=seen.t,
        subset=np.stack([axes.subset for axes, _ in found]).astype(np.uint32),
        row=np.stack([rounded(axes.row) for axes, _ in found]),
        subsets=found[0][0].subsets,
        trees=joined([trees for _, trees in found]),
        weighting=seen.sight.weighting,
        length_norm=seen.sight.length_norm,
        unit=unit,
    )


def of_buffers(
    labels: tuple[str, ...],
    lexicon: Lexicon,
    axes: Sequence[Any],
    trees: Sequence[Any],
    settings: Settings,
) -> Forest:
    """The forest that a file holds, checked: whoever wrote it, asking it ends, and stays inside its arrays."""
    (t, subset, row), k, d = axes, len(labels), len(lexicon)
    start, feature, threshold, left, right, p = trees
    if not k or len(p) % k or len(start) < 2:
        raise ValueError("its trees do not fit its labels")
    found = Trees(start, feature, threshold, left, right, p.reshape(-1, k))
    rounds = len(found)
    if len(t) != d or len(subset) != rounds * d or (len(row) % (rounds * d) if d else len(row)):
        raise ValueError("its axes do not fit its lexicon")
    if not np.isfinite(t).all() or not np.isfinite(row).all() or (subset >= max(d, 1)).any():
        raise ValueError("its axes hold numbers that no axes have")
    subsets, r = int(subset.max(initial=0)) + 1, len(row) // (rounds * d) if d else 1
    found.check(rounds, subsets * r)
    return Forest(
        labels=labels,
        lexicon=lexicon,
        t=t,
        subset=subset.reshape(rounds, d),
        row=row.reshape(rounds, d, r),
        subsets=subsets,
        trees=found,
        weighting=settings.counting,
        length_norm=settings.has_length_norm,
        unit=settings.model == "rotation-forest",
    )
