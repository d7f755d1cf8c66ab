"""Held-out log-odds of a label -> the threshold above which a text gets it, for at most so many false positives.

A text gets the label where its log-odds f(x) against all others together are above t. Of n held-out texts without the
label, with f_(1) >= f_(2) >= ..., a threshold t = f_(k+1) lets k through, or fewer. So k is the greatest number of
which the upper bound of the true rate (Clopper and Pearson, 95 %) is at most the rate that is asked for:

    t = f_(k+1),    k = max { i : P(X <= i) <= 0.05, X binomial(n, rate) }

That holds whatever the model is worth, as long as new texts are like the held-out ones; the rate is then kept in 19 of
20 such choices. Under about 3 / rate texts not even k = 0 can promise it: then t is the greatest of all, and what can
be promised is told. (Neyman and Pearson 1933: of all rules with that rate, thresholds of likelihood ratios find most.)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from ..errors import BadSetting
from ..units import decibans
from . import tails

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Threshold:
    """Above which log-odds a text gets a label, and how held-out texts came out: those with the label, those without.

    `is_from_before` says that the model has changed since.

    >>> chosen = threshold("spam", np.arange(1000.0), np.arange(1000) >= 900, rate=0.01)
    >>> chosen.log_odds, chosen.false_positives, round(chosen.promised, 4), chosen.recall
    (896.0, 3, 0.0086, 1.0)
    """

    label: str
    log_odds: float
    rate: float
    negatives: int
    false_positives: int
    positives: int
    found: int
    is_from_before: bool = False

    @property
    def promised(self) -> float:
        """The rate of false positives that is not exceeded, with 95 % confidence."""
        return tails.upper(self.false_positives, self.negatives)

    @property
    def is_kept(self) -> bool:
        """Whether that is what was asked for."""
        return self.negatives >= tails.fewest(self.rate)

    @property
    def recall(self) -> float:
        """The share of held-out texts of the label that are above."""
        return self.found / self.positives

    def after(self, labels: tuple[str, ...]) -> Threshold | None:
        """The same for a model that has changed; None where the label has left, or is the only one."""
        return replace(self, is_from_before=True) if self.label in labels and len(labels) > 1 else None

    @property
    def about(self) -> dict[str, object]:
        """All but the number itself, for a file."""
        return {name: value for name, value in asdict(self).items() if name != "log_odds"}

    def as_dict(self) -> dict[str, object]:
        """All of it, for machines."""
        rate, recall = tails.interval(self.false_positives, self.negatives), tails.interval(self.found, self.positives)
        told: dict[str, object] = {"decibans": decibans(self.log_odds) if np.isfinite(self.log_odds) else None}
        told |= {"promised_rate": self.promised, "is_kept": self.is_kept, "rate_interval_95": list(rate)}
        return {**self.about, **told, "recall": self.recall, "recall_interval_95": list(recall)}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same for people."""
        low, high = tails.interval(self.found, self.positives)
        n, rate = self.negatives, f"{100 * self.rate:.3g} %"
        wish = f"as asked for: {rate}"
        if not self.is_kept:
            wish = f"too few texts to promise {rate}, which takes {tails.fewest(self.rate):,}"
        since = ("from before the model's last change: deciban set-threshold",) if self.is_from_before else ()
        return (
            f"threshold for {self.label}: {decibans(self.log_odds):+.1f} decibans against all other labels together",
            f"false positives: {self.false_positives} of {n:,} held-out texts of other labels, at most "
            f"{100 * self.promised:.3g} % of new ones (95 %); {wish}",
            f"recall: {self.recall:.1%} of {self.positives:,} held-out texts (95 %: {low:.1%} to {high:.1%})",
            *since,
        )


def check_rate(given: object) -> None:
    """Refuses what is no rate."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given < 1:
        raise BadSetting(setting="max_false_positive_rate", got=given, expected="a number between 0 and 1")


def threshold(label: str, log_odds: Floats, has_label: Bools, rate: float) -> Threshold:
    """The threshold for a rate of false positives, by the log-odds of held-out texts that have the label or not."""
    falling = -np.sort(-log_odds[~has_label])
    allowed = max(tails.most_allowed(len(falling), rate), 0)
    least = float(falling[allowed])
    above = log_odds > least
    false_positives, found = int((above & ~has_label).sum()), int((above & has_label).sum())
    return Threshold(label, least, rate, len(falling), false_positives, int(has_label.sum()), found)
