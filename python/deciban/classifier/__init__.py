"""What a user holds: labels and reasons for texts. It wires, and computes nothing; `training` makes one.

One class in five steps, each of which needs only those before it: what it knows, answers, tells of itself, how it is
judged, how it changes.
"""

from __future__ import annotations

import os

import numpy as np

from .. import modelfile
from ..errors import NotForSeveral
from ..settings import LEARNT, Settings
from ..weighing import weigh
from ..weightfile import export
from .changing import Changing, tallied, weight_of
from .known import IN_MEMORY

__all__ = ["IN_MEMORY", "Classifier", "load", "of_saved", "tallied", "weight_of"]
SEVERAL_VERBS = "predict, explain, evaluate, info, learn, forget, merge or freeze"


class Classifier(Changing):
    """A trained model. Make one with `deciban.train` or `deciban.load`.

    Everything it knows are its `counts` and its `settings`; learning adds to the counts, forgetting subtracts. A model
    that is `frozen` has kept its scorecard alone: it answers and explains the same, and cannot change. One that was
    trained with unlabelled texts has the counts `expected` of them beside its own, or None where they did not help.

    >>> import deciban
    >>> mail = deciban.train(["free money", "money now", "see you"], ["spam", "spam", "ham"])
    >>> mail.labels, mail.predict(["money!", "see me?"])
    (('ham', 'spam'), ['spam', 'ham'])
    >>> mail.learn(["lunch?"], ["work"]).labels
    ('ham', 'spam', 'work')
    >>> mail.forget(["lunch?"], ["work"]).labels
    ('ham', 'spam')
    """

    def save(self, path: str | os.PathLike[str], *, frozen: bool = False) -> None:
        """Saves the model in one file, whole or not at all; `frozen`, without its counts."""
        model = self.freeze() if frozen else self
        card = model._card if self.labels else weigh(self.counts, Settings())
        kept = None if model.frozen else model._chosen[0]
        worth = self.term_weights if self.settings.term_weights == LEARNT and not model.frozen and self.labels else None
        made = self.calibration if self.labels else None
        more = (model.expected, kept, worth, made, None, self.threshold)
        modelfile.save(path, model._known, card, self.settings, self.provenance, *more)

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes W and b of x W + b, in nats, for other programs: as CSV or NumPy's .npz, as the name ends."""
        export(path, self.scorecard)

    def __repr__(self) -> str:
        return f"Classifier({self.settings.model}, {self._known!r})"


def load(path: str | os.PathLike[str]) -> Classifier:
    """Loads a model that was saved.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train(["free money", "see you"], ["spam", "ham"]).save(f"{folder}/mail.deciban")
    ...     load(f"{folder}/mail.deciban").predict(["money"])
    ['spam']
    """
    return of_saved(path, modelfile.load(path))


def of_saved(path: str | os.PathLike[str], saved: modelfile.Saved) -> Classifier:
    """The classifier that a file holds; one of several labels a text is none."""
    if saved.several is not None:
        raise NotForSeveral(what=f"this, asked of {os.fspath(path)},", expected=SEVERAL_VERBS)
    card, made = (saved.card, saved.calibration) if saved.labels else (None, None)
    expected, kept = saved.expected, saved.kept
    if saved.settings.is_searched and not saved.frozen and kept is None:
        kept = np.ones(len(saved.lexicon), np.bool_)
    known = (saved.known, saved.provenance, None, card, expected, kept, saved.worth, made)
    loaded = Classifier(saved.settings, *known)
    loaded.threshold = saved.threshold
    return loaded
