"""What a classifier tells of itself: its strongest words and best terms, texts as it imagines them, its network."""

from __future__ import annotations

import numpy as np

from .. import selection
from ..errors import (
    BadSetting,
)
from ..evidence.words import Weights, Word, fewest
from ..network import Network, network
from ..sampling import Drawn, sample
from ..settings import ELIMINATION, SEARCHES
from ..terms import check_choice
from ..weighing import coin, log_prior
from .answering import Answering
from .known import check_positive


class Telling(Answering):
    """The model itself is looked at, without a text."""

    @property
    def weights(self) -> Weights:
        """The weights of all terms as those of a linear classifier, for a label against others."""
        counts = self._along()
        card = self.scorecard.typical.covering(counts.indptr, counts.label)
        return Weights(card, counts, log_prior(counts, self.settings))

    def words(
        self,
        label: str | None = None,
        against: str | None = None,
        top: int | None = 30,
        min_documents: int | None = None,
    ) -> list[Word]:
        """The strongest terms of a label, or of each, against another, or all others together: strongest first.

        A term must be in `min_documents` of the label's training texts: by default in 2, and in one of a hundred.

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> [(word.name, round(word.decibans, 1), word.documents, word.others) for word in mail.words("spam")]
        [('money', 3.7, 2, 0)]
        """
        check_positive("top", top)
        check_positive("min_documents", min_documents)
        weights = self.weights
        found: list[Word] = []
        for one in self.labels if label is None else [label]:
            if label is None and one == against:
                continue
            r, other = self._pair(one, against)
            least = fewest(int(self.counts.documents[r])) if min_documents is None else min_documents
            found += weights.strongest(r, other, top, least)
        return found

    def ranked_terms(self, by: str = "mutual-information", top: int | None = None) -> list[selection.RankedTerm]:
        """The best terms by a measure, of all that were counted, the best first.

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> [(term.name, round(term.score, 2), term.label) for term in mail.ranked_terms("information-gain", 1)]
        [('money', 0.92, 'spam')]
        """
        top = len(self.counts.lexicon) if top is None else top
        check_choice("by", by, tuple(selection.MEASURES))
        self._checked_select(by, top)
        return selection.ranked(self.counts, self.settings, by, top)

    def found_terms(self) -> list[selection.RankedTerm]:
        """The terms that a search has just found, in the order in which they came, with what each tells by itself."""
        if self.searched is None:
            return []
        scores = selection.measured(self.counts, self.settings, "mutual-information", 1)
        return [selection.described(self.counts, int(at), float(scores[at])) for at in self.searched.places]

    def _checked_select(self, by: str | None, top: int | None) -> str:
        check_choice("by", by, (*selection.MEASURES, *SEARCHES, ELIMINATION))
        if type(top) is not int or top < 1:
            raise BadSetting(setting="top", got=top, expected="a whole number above 0")
        selection.check_top(self.counts, top)
        return f"{by}:{top}"

    def sample(
        self,
        n: int = 1,
        label: str | None = None,
        length: int | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> list[Drawn]:
        """Documents as the model imagines them: labels drawn from the prior, unless given, and terms from p(x|y).

        >>> mail = train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
        >>> mail.sample(2, "spam", length=3, seed=1)
        [Drawn(label='spam', text='money you free'), Drawn(label='spam', text='you money money')]
        """
        check_positive("n", n or 0)
        check_positive("length", length)
        if seed is not None and not isinstance(seed, np.random.Generator) and (type(seed) is not int or seed < 0):
            raise BadSetting(setting="seed", got=seed, expected="a whole number from 0, or None")
        number = None if label is None else self.scorecard.number(label)
        return sample(self._along(), self.scorecard, self.settings, n, number, length, seed)

    def graph(self, top: int = 20) -> Network:
        """The model as a Bayes network (Zhu 2.3) of the terms that tell most of the label: `.svg` draws it."""
        if type(top) is not int or top < 1:
            raise BadSetting(setting="top", got=top, expected="a whole number above 0")
        card, counts, settings = self.scorecard, self._along(), self.settings
        prior = log_prior(counts, settings)
        return network(card, counts, coin(counts, settings), prior, settings.model, top)
