"""What ranks texts by a label, and tells how deep to read: of whoever has scores, whatever they are scores of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from ..decision.depth import Depth, check_recall
from ..decision.ranking import Ranked, Ranking
from ..examples import Source, texts_of
from .known import IN_MEMORY, Floats


class Ranks(ABC):
    """Texts come in, those most likely of a label go out first."""

    @abstractmethod
    def scores(self, texts: object, where: Callable[[int], str] = IN_MEMORY) -> Floats:
        """A number for each label (column) of each text (row), in nats."""

    @abstractmethod
    def _ranking(self, label: str, top: int | None, by: str, lowest: bool) -> Ranking:
        """What ranks by such scores."""

    @abstractmethod
    def _depth(self, ranking: Ranking, recall: float) -> Depth:
        """How deep to read what was ranked."""

    def rank(
        self, texts: object, label: str, top: int | None = 100, by: str = "posterior", *, lowest: bool = False
    ) -> list[Ranked]:
        """The texts most likely of a label (or least), by posterior odds or, where priors do not hold, by likelihood.

        >>> from deciban import train
        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> [(found.place, round(found.decibans, 1)) for found in mail.rank(["you?", "money", "hi"], "spam")]
        [(1, 6.7), (2, 3.0), (0, -1.1)]
        """
        texts = texts_of(texts)
        ranking = self._ranking(label, top, by, lowest)
        ranking.add(self.scores(texts), range(len(texts)), texts)
        return ranking.best()

    def rank_in(
        self,
        source: Source,
        label: str,
        top: int | None = 100,
        by: str = "posterior",
        *,
        lowest: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> list[Ranked]:
        """The same of a file, in memory that grows with `top` alone."""
        ranking = self._ranking(label, top, by, lowest)
        for batch in source.batches(progress):
            ranking.add(self.scores(batch.texts, batch.where), batch.lines, batch.texts)
        return ranking.best()

    def depth(self, texts: object, label: str, recall: float = 0.95) -> Depth:
        """How many of the texts, the most likely of a label first, must be read to find so much of it.

        By texts of the label that were held out when the model was calibrated, and by probabilities: the deeper one.
        Where held-out texts are too few to promise it, by probabilities alone.

        >>> from deciban import train
        >>> mail = train(["free money", "money now", "see you", "you see me"] * 20, ["spam", "spam", "ham", "ham"] * 20)
        >>> found = mail.depth(["free money", "you see me"] * 50, "spam", recall=0.8)
        >>> 40 <= found.depth <= 50, found.texts, found.is_promised
        (True, 100, True)
        """
        check_recall(recall)
        texts = texts_of(texts)
        ranking = self._ranking(label, 1, "posterior", False)
        ranking.keeps_odds = True
        ranking.add(self.scores(texts), range(len(texts)), texts)
        return self._depth(ranking, recall)

    def rank_to(
        self,
        source: Source,
        label: str,
        recall: float = 0.95,
        top: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[list[Ranked], Depth]:
        """The texts of a file down to where so much of a label is found, or `top` of them; and how deep that is."""
        check_recall(recall)
        ranking = self._ranking(label, top, "posterior", False)
        ranking.keeps_odds = True
        for batch in source.batches(progress):
            ranking.add(self.scores(batch.texts, batch.where), batch.lines, batch.texts)
        found = self._depth(ranking, recall)
        return ranking.best()[: found.depth], found
