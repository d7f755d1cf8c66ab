"""A model file -> a model: a classifier, or one of texts that have any number of labels."""

from __future__ import annotations

import os

from . import classifier, modelfile, several
from .classifier import Classifier
from .several import Several


def load(path: str | os.PathLike[str]) -> Classifier | Several:
    """Loads a model that was saved.

    >>> import tempfile
    >>> import deciban
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     deciban.train(["free money", "see you"], ["spam", "ham"]).save(f"{folder}/mail.deciban")
    ...     load(f"{folder}/mail.deciban").predict(["money"])
    ['spam']
    """
    saved = modelfile.load(path)
    return classifier.of_saved(path, saved) if saved.several is None else several.of_saved(path, saved)
