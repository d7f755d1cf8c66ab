"""Counts -> probabilities, of terms and of labels.

A *die* says how likely a label throws each term (multinomial model), a *coin* how likely a document of a label has each
term (Bernoulli model). Symbols as in `totals`: nu_jr, nu_j, nu_r, nu, m_jr, n_r, n, d, d_r.

A term that a label has never shown would have the probability zero, and with it every document that has the term
(Stone's "common pitfall"). Smoothing takes some probability from what was seen and gives it to what was not: the same
to every term (Laplace), or according to the collection, all labels taken together:

    none              q_jr = nu_jr / nu_r                                          Aggarwal 5.20, Zhu 15, Stone's MLE
    laplace           q_jr = (nu_jr + gamma) / (nu_r + gamma d)                    Aggarwal 5.21, Rush's F + alpha
    dirichlet         q_jr = (nu_jr + mu nu_j/nu) / (nu_r + mu)                    Rush: Dirichlet prior; Minka's mu
    jelinek-mercer    q_jr = (1 - lambda) nu_jr/nu_r + lambda nu_j/nu              Jelinek and Mercer 1980
    absolute          q_jr = (nu_jr - delta)/nu_r + delta d_r/nu_r nu_j/nu         Ney, Essen and Kneser 1994
    deleted           q_jr = (r_c1 + r_c2) / nu_r, by `deleted`                    Stone: deleted estimation

    laplace           p_jr = (m_jr + gamma) / (n_r + gamma d/d_a)                  Aggarwal 5.17
    beta              p_jr = (m_jr + n' p) / (n_r + n')                            Jaakkola: theta_k|y
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from .deleted import Shown
from .errors import NoPrior, listed
from .totals import Totals

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Die(NamedTuple):
    """q_jr = s_j exp(unseen_r) (1 + (nu_jr - discount) gain_r / s_j), and without the gain where nu_jr is 0.

    s_j is nu_j with `by_collection`, else 1. Where `unseen` is minus infinity, q_jr = nu_jr gain_r. With `shown`, of
    each posting (and `own`, of each entry of its own label), q_jr = exp(unseen_r) (floor + amount gain_r).
    """

    unseen: Floats
    gain: Floats
    by_collection: bool = False
    discount: float = 0.0
    shown: Shown | None = None
    own: Shown | None = None


class Coin(NamedTuple):
    """p_jr = (m_jr + heads) / (n_r + heads + tails): as if so many documents more had been seen with j, and without."""

    heads: Floats
    tails: Floats


class Dies(Protocol):
    """Whatever makes dice."""

    def die(self, of: Totals) -> Die: ...


class Coins(Protocol):
    """Whatever makes coins."""

    def coin(self, of: Totals) -> Coin: ...


@dataclass(frozen=True)
class MaximumLikelihood:
    """No smoothing: what was never seen cannot be."""

    def die(self, of: Totals) -> Die:
        return Die(np.full(of.nu_r.shape, -np.inf), 1 / np.maximum(of.nu_r, 1))


def pitfall(labels: tuple[str, ...], d_r: Integers, d: int) -> str:
    """What comes of no smoothing (Stone's "common pitfall"), for whoever asks for none.

    >>> pitfall(("ham", "spam"), np.array([25, 80]), 100)[:110]
    'without smoothing a label cannot have a term that it has not shown, which is 75% of all for ham, 20% for spam:'
    """
    most = sorted(zip(1 - d_r / max(d, 1), labels, strict=True), key=lambda share: -share[0])
    shares = listed(
        (f"{share:.0%} of all for {label}" if i == 0 else f"{share:.0%} for {label}")
        for i, (share, label) in enumerate(most[:5])
    )
    return (
        f"without smoothing a label cannot have a term that it has not shown, which is {shares}: "
        "a text that has such a term for every label has the probability zero for all of them"
    )


@dataclass(frozen=True)
class Laplace:
    """Every term is counted gamma times more often than it was seen."""

    gamma: float

    def die(self, of: Totals) -> Die:
        mass = of.nu_r + self.gamma * of.d
        return Die(np.log(self.gamma) - log_mass(mass), np.full((1, 1), 1 / self.gamma))

    def coin(self, of: Totals) -> Coin:
        """Where every document has every term, d is d_a and all would be certain: each is then as likely as not."""
        absences = of.n * of.d - of.m
        tails = np.where(absences > 0, absences / np.maximum(of.m, 1), 1.0)  # d/d_a - 1
        return Coin(np.full((1, 1), self.gamma), self.gamma * tails)


@dataclass(frozen=True)
class Beta:
    """Each coin is as if it had been thrown n' times before, and shown the term in a share p of them."""

    strength: float
    p: float

    @property
    def throws(self) -> Coin:
        """Those that were before, which no document changes."""
        return Coin(np.full((1, 1), self.strength * self.p), np.full((1, 1), self.strength * (1 - self.p)))

    def coin(self, of: Totals) -> Coin:  # noqa: ARG002
        return self.throws


@dataclass(frozen=True)
class Dirichlet:
    """Each label has seen mu words more, spread over the terms as they are in the collection."""

    mu: float

    def die(self, of: Totals) -> Die:
        return Die(np.log(self.mu) - log_mass(of.nu) - np.log(of.nu_r + self.mu), of.nu / self.mu, by_collection=True)


@dataclass(frozen=True)
class JelinekMercer:
    """A share lambda of each die is the collection's; all of it, of a label that has shown no term."""

    weight: float

    def die(self, of: Totals) -> Die:
        share = np.where(of.nu_r > 0, self.weight, 1.0)
        gain = (1 - share) / share * of.nu / np.maximum(of.nu_r, 1)
        return Die(np.log(share) - log_mass(of.nu), gain, by_collection=True)


@dataclass(frozen=True)
class Absolute:
    """Each term is counted delta times less often than it was seen; what that leaves is the collection's."""

    delta: float

    def die(self, of: Totals) -> Die:
        left = np.where(of.nu_r > 0, self.delta * of.d_r, 1.0)
        unseen = np.log(left) - log_mass(of.nu_r) - log_mass(of.nu)
        return Die(unseen, of.nu / left, by_collection=True, discount=self.delta)


@dataclass(frozen=True)
class Deleted:
    """What stands so often in one half of the documents is as probable as it stood in the other: no strength to choose.

    It takes a label of many documents: what stands in one half alone is no more probable than what stands nowhere.
    """

    def die(self, of: Totals) -> Die:
        r_0, mass, shown, own = of.rates
        return Die(np.log(2 * r_0 / mass), 1 / (2 * r_0), shown=shown, own=own)


@dataclass(frozen=True)
class Prior:
    """How probable a label is before any word is read.

    "data": alpha_r = (n_r + beta) / (n + k beta) (Aggarwal 5.15; 5.14 and Zhu 14 where beta is 0); "uniform": 1/k; or
    given, and shared out among the labels that there are. A label without documents is not there.

    >>> np.exp(Prior().log(("ham", "spam"), np.array([3, 1]))).round(3).tolist()
    [0.75, 0.25]
    >>> np.exp(Prior(beta=1.0).log(("ham", "spam"), np.array([3, 1]))).round(3).tolist()
    [0.667, 0.333]
    >>> np.exp(Prior({"ham": 9, "spam": 1}).log(("ham", "spam"), np.array([[3, 1], [4, 0]]))).round(3).tolist()
    [[0.9, 0.1], [1.0, 0.0]]
    """

    how: str | Mapping[str, float] = "data"
    beta: float = 0.0

    def log(self, labels: tuple[str, ...], n_r: Integers) -> Floats:
        """The log prior of each label; labels along the last axis."""
        there = n_r > 0
        if self.how == "data":
            weight = n_r + self.beta
        elif self.how == "uniform":
            weight = np.ones(n_r.shape)
        else:
            weight = np.broadcast_to(self._given(labels), n_r.shape)
        share = np.where(there, weight, 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(share) - np.log(share.sum(axis=-1, keepdims=True)))

    def _given(self, labels: tuple[str, ...]) -> list[float]:
        given: Mapping[str, float] = self.how  # type: ignore[assignment]
        for label in labels:
            if label not in given:
                raise NoPrior(label=label, known=listed(given))
        return [given[label] for label in labels]


def fixed_point(nu_jr: Integers, nu_j: Integers, nu_r: Integers) -> float:
    """The mu of `Dirichlet` that makes each word most probable given all others (Minka 2000, leave-one-out).

    It is the fixed point, found by halving, of a step that is too small where mu is far too small or too large:

        mu <- mu (sum_jr p_j nu_jr / (nu_jr - 1 + mu p_j)) / (sum_r nu_r / (nu_r - 1 + mu)),   p_j = nu_j / nu

    `nu_j` is of each posting. Of few short texts, whose labels hardly show a word twice, the best mu is infinite: then
    no word would tell labels apart. So it is at most nu, as if each label had seen the whole collection once more.

    >>> round(fixed_point(np.array([8, 1, 2, 9]), np.array([9, 9, 11, 11]), np.array([10, 10])), 2)
    3.26
    >>> round(fixed_point(np.array([1, 1, 1, 1]), np.array([2, 2, 2, 2]), np.array([2, 2])), 2)
    4.0
    """
    nu = max(int(nu_r.sum()), 1)
    p, nu_r = nu_j / nu, nu_r[nu_r > 0]
    low, high = np.log(1e-3), np.log(nu)
    for _ in range(64):
        mu = np.exp((low + high) / 2)
        grows = np.sum(p * nu_jr / (nu_jr - 1 + mu * p)) > np.sum(nu_r / (nu_r - 1 + mu))
        low, high = ((low + high) / 2, high) if grows else (low, (low + high) / 2)
    return float(np.exp(low))


def log_mass(mass: Floats | Integers) -> Floats:
    """A logarithm; 0 where there is no mass, because then there is nothing to divide."""
    return np.asarray(np.log(np.where(mass > 0, mass, 1.0)))
