"""W and b: what every model ends as, and the only place that computes x.W + b.

A scorecard says what each term adds to the score of each label, in nats (Rush: y = f(x W + b)). Most terms were never
seen under most labels, so W is kept as what an unseen term adds (`absent`, one number a label) and what a seen one adds
beyond that (`weight`, one number a posting): of models that are weighed from counts it grows with those in memory, not
with terms x labels. With a `Scaling`, x is scaled first, as fitted models have it; for any one text it is still a sum
over its terms. What is made of the scores, a probability or a label, is `decision`'s; why they are so, `evidence`'s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import UnknownLabel, listed
from .rows import Rows

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """What terms `first[p]` and `second[p]` add to each label where both are in a text: row p of `weight`.

    They are in order. A term may be paired with itself, and adds that beyond what its postings say.
    """

    first: npt.NDArray[np.uint32]
    second: npt.NDArray[np.uint32]
    weight: Floats

    @property
    def buffers(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], Floats]:
        """The same, as the core takes it."""
        return self.first, self.second, self.weight.ravel()

    def among(self, terms: npt.NDArray[np.integer]) -> npt.NDArray[np.intp]:
        """The places of the pairs of two different terms, both of them among some."""
        there = np.isin(self.first, terms) & np.isin(self.second, terms) & (self.first != self.second)
        return np.flatnonzero(there)

    @property
    def own(self) -> npt.NDArray[np.intp]:
        """The places of terms that are paired with themselves."""
        return np.flatnonzero(self.first == self.second)

    def alone(self, terms: npt.NDArray[np.integer]) -> Floats:
        """What each of some terms adds paired with itself: one row a term."""
        own = self.own
        row, place = np.nonzero(np.asarray(terms)[:, None] == self.first[own])
        weights = np.zeros((len(terms), self.weight.shape[1]))
        weights[row] = self.weight[own[place]]
        return weights


COUNTINGS = ("binary", "counts", "sublinear")  # how often a term counts that stands z times: once, z, 1 + log z times
KINDS = {"\ta": 1, "\tc": 2}  # of terms, by how their names begin: across words, inside words; all others are words
WORDS = 4
FIELDS, TEXT = 8, 16  # words of mails: with a colon in their names, as those of header fields have, and without


def group_of(counting: str, kinds: int) -> int:
    """A group of weights as a number: its counting times 8, and its kinds, of which the last two stand further up.

    >>> group_of("sublinear", WORDS), group_of("binary", TEXT)
    (20, 64)
    """
    return 8 * COUNTINGS.index(counting) + kinds % 8 + kinds // 8 * 32


def kind_of(name: str) -> int:
    """The kinds that a term is of."""
    return KINDS.get(name[:2], WORDS | (FIELDS if ":" in name else TEXT))


@dataclass(frozen=True, eq=False)
class Scaling:
    """How the row of a text is scaled before weights are added up, for each group g of weights (Rush: x; tf-idf).

        score_r = b_r + sum_g s_g sum_j f_g(z_j) W_jgr,       s_g = 1 / sqrt(sum_j (f_g(z_j) length_j)^2)

    where the sum in s_g is over the terms of the kinds that the group names; s_g is 1 where it names none. A group is
    the number that `group_of` makes of its counting and its kinds. `typical` is the mean s_g of training texts.
    """

    length: Floats
    groups: npt.NDArray[np.uint32]
    typical: Floats

    @property
    def buffers(self) -> tuple[Floats, npt.NDArray[np.uint32], Floats]:
        """The same, as a file holds it."""
        return self.length, self.groups, self.typical

    def counted(self, counts: npt.NDArray[np.integer]) -> Floats:
        """f_g of some counts: a row a count, a column a group."""
        each = np.stack([np.ones(len(counts)), counts, 1 + np.log(np.maximum(counts, 1))], axis=1)
        return np.asarray(each[:, self.groups // 8 % 4])

    def scales(self, names: list[str], terms: npt.NDArray[np.integer], counts: npt.NDArray[np.integer]) -> Floats:
        """s_g of a text that has some terms so often."""
        kinds = np.array([kind_of(name) for name in names], np.int64)
        is_of = (kinds[:, None] & (self.groups % 8 | self.groups // 32 * 8)) > 0
        squares = ((self.counted(counts) * self.length[terms][:, None]) ** 2 * is_of).sum(axis=0)
        return np.where(squares > 0, 1 / np.sqrt(np.where(squares > 0, squares, 1.0)), 1.0)


@dataclass(frozen=True, eq=False)
class Scorecard:
    """The weights of a model.

    Term j adds `absent[r]` to label r, and `weight[p]` where a posting p from `indptr[j]` to `indptr[j + 1]` has
    `label[p] == r`; `weight[p]` alone, where `absent` is minus infinity. With `binary`, a term adds once a text,
    however often it occurs; then `pairs` of terms may add too. With a `scaling` of G groups and k labels, `label[p]`
    is g k + r for group g and label r, and there is no `absent`. With a `calibration` (its numbers), scores are those
    that it makes of x.W + b; weights are what they are without.

    >>> from deciban.counts import count
    >>> from deciban.terms import Terms
    >>> lexicon = count(Terms(), ["good", "bad"], ["pos", "neg"]).lexicon
    >>> card = Scorecard(("neg", "pos"), lexicon, np.zeros(2), np.array([-1.0, -1.0]),
    ...     np.array([0, 1, 2]), np.array([0, 1], np.uint32), np.array([0.5, 0.7]), binary=False)
    >>> card.scores(["good good, not bad"]).tolist()
    [[-2.5, -1.6]]
    >>> card.weights(np.array([0, 1])).round(9).tolist()
    [[-0.5, -1.0], [-1.0, -0.3]]
    """

    labels: tuple[str, ...]
    lexicon: _core.Lexicon
    bias: Floats
    absent: Floats
    indptr: npt.NDArray[np.int64]
    label: npt.NDArray[np.uint32]
    weight: Floats
    binary: bool
    pairs: Pairs | None = None
    scaling: Scaling | None = None
    calibration: tuple[Floats, ...] | None = None

    approximate = False  # what terms add is what they add

    def number(self, label: str) -> int:
        """The number of a label: its column."""
        if label not in self.labels:
            raise UnknownLabel(label=label, known=listed(self.labels))
        return self.labels.index(label)

    @cached_property
    def scorer(self) -> _core.Scorer:
        """The same, as the core takes it."""
        postings = (self.indptr, self.label, self.weight)
        pairs = None if self.pairs is None else self.pairs.buffers
        scaling = None if self.scaling is None else (self.scaling.length, self.scaling.groups)
        # Whoever writes over a file writes over what is mapped of it: that is copied.
        lent = not any(isinstance(part.base, memoryview) for part in postings)
        card = (self.bias, self.absent, *postings, self.binary)
        return _core.Scorer(self.lexicon, *card, pairs, scaling, self.calibration, lent)

    def with_scorer(self, scorer: _core.Scorer) -> Scorecard:
        """The same scorecard with the scorer that whoever loaded it has made already. Returns itself."""
        vars(self)["scorer"] = scorer
        return self

    def scores(self, texts: _core.Texts, threads: int = 0) -> Floats:
        """x.W + b of each text: one row a text, one column a label."""
        return self.scorer.scores(texts, threads)

    def best(self, texts: _core.Texts, threads: int = 0) -> list[str]:
        """The label with the greatest score, for each text; of equal ones the first."""
        return self.scorer.best(texts, threads, self.labels)

    def top(self, texts: _core.Texts, most: int, threads: int = 0) -> list[list[tuple[str, float]]]:
        """The most probable labels of each text in falling order, of equal ones the first, with their probabilities."""
        found = self.scorer.top(texts, most, threads)
        return [[(self.labels[number], probability) for number, probability in row] for row in found]

    def scores_of_rows(self, rows: Rows) -> Floats:
        """x.W + b of each row."""
        return self.scorer.scores_of_rows(rows.indptr, rows.term, rows.count)

    def has_places(self, indptr: npt.NDArray[np.int64], label: npt.NDArray[np.uint32]) -> bool:
        """Whether its postings are these."""
        return np.array_equal(self.indptr, indptr) and np.array_equal(self.label, label)

    @property
    def term(self) -> npt.NDArray[np.int64]:
        """The term of each posting."""
        return np.repeat(np.arange(len(self.lexicon)), np.diff(self.indptr))

    @property
    def seen(self) -> Floats:
        """W where it is not `absent`: what the term of each posting adds to the posting's label."""
        seen = np.asarray(self._beyond[self.label] + self.weight)
        if self.pairs is None:
            return seen
        own = np.full(len(self.lexicon), -1)
        own[self.pairs.first[self.pairs.own]] = self.pairs.own
        pair = np.repeat(own, np.diff(self.indptr))
        return np.where(pair >= 0, seen + self.pairs.weight[pair, self.label], seen)

    def column(self, label: int) -> Floats:
        """The column of W of a label: what each term adds to its score."""
        weights = np.full(len(self.lexicon), self.absent[label])
        if self.pairs is not None:
            weights[self.pairs.first[self.pairs.own]] += self.pairs.weight[self.pairs.own, label]
        postings = np.flatnonzero(self.label == label)
        weights[np.searchsorted(self.indptr, postings, side="right") - 1] = self.seen[postings]
        return weights

    @property
    def _beyond(self) -> Floats:
        """What weights are beyond: nothing, where a label cannot have a term that it has not shown."""
        return np.where(np.isneginf(self.absent), 0.0, self.absent)

    def weights(self, terms: npt.NDArray[np.integer]) -> Floats:
        """The rows of W of some terms; with a scaling, those of a typical text."""
        if self.scaling is not None:
            return np.asarray(np.einsum("jgr,g->jr", self._by_group(terms), self.scaling.typical))
        weights = np.tile(self.absent, (len(terms), 1))
        for row, term in enumerate(terms):
            postings = slice(self.indptr[term], self.indptr[term + 1])
            weights[row, self.label[postings]] = self._beyond[self.label[postings]] + self.weight[postings]
        return weights if self.pairs is None else weights + self.pairs.alone(terms)

    def _by_group(self, terms: npt.NDArray[np.integer]) -> Floats:
        """W_jgr of some terms."""
        groups = 1 if self.scaling is None else len(self.scaling.groups)
        weights = np.zeros((len(terms), groups * len(self.labels)))
        for row, term in enumerate(terms):
            postings = slice(self.indptr[term], self.indptr[term + 1])
            weights[row, self.label[postings]] = self.weight[postings]
        return weights.reshape(len(terms), groups, len(self.labels))

    def adds(self, terms: npt.NDArray[np.integer], counts: npt.NDArray[np.integer]) -> Floats:
        """What each term of a text adds to the scores, where it has these and stands so often: a row a term."""
        if self.scaling is None:
            return np.asarray(self.weights(terms) * (1 if self.binary else counts[:, None]))
        names = [self.lexicon.name(int(term)) or "" for term in terms]
        scales = self.scaling.scales(names, terms, counts) * self.scaling.counted(counts)
        return np.asarray(np.einsum("jgr,jg->jr", self._by_group(terms), scales))

    def account(self, terms: npt.NDArray[np.integer], counts: npt.NDArray[np.integer]) -> tuple[Floats, Floats]:
        """Where scores begin, and what each term of a text adds to them."""
        return self.bias, self.adds(terms, counts)

    def covering(self, indptr: npt.NDArray[np.int64], label: npt.NDArray[np.uint32]) -> Scorecard:
        """The same with a posting for each of some others too: what it adds beyond `absent` is nothing."""
        if self.has_places(indptr, label):
            return self
        k, terms = len(self.labels), len(self.lexicon)
        ours = self.term * k + self.label
        keys = np.union1d(ours, np.repeat(np.arange(terms), np.diff(indptr)) * k + label)
        weight = np.zeros(len(keys))
        weight[np.searchsorted(keys, ours)] = self.weight
        ends = np.searchsorted(keys, np.arange(terms + 1) * k)
        return replace(self, indptr=ends, label=(keys % k).astype(np.uint32), weight=weight)

    @cached_property
    def typical(self) -> Scorecard:
        """The scorecard of typical texts, whose scales do not change; itself, where none do."""
        if self.scaling is None:
            return self
        k = len(self.labels)
        weight = self.weight * self.scaling.typical[self.label // k]
        keys, place = np.unique(self.term * k + self.label % k, return_inverse=True)
        indptr = np.searchsorted(keys, np.arange(len(self.lexicon) + 1) * k)
        sums = np.bincount(place, weight, len(keys)).astype(np.float64)
        postings = (indptr, (keys % k).astype(np.uint32), sums)
        return Scorecard(self.labels, self.lexicon, self.bias, np.zeros(k), *postings, self.binary)
