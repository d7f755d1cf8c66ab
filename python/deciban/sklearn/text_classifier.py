"""A scikit-learn classifier of raw texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .. import training
from .._core import Column
from ..classifier import Classifier
from ..errors import BadLabel, UnevenLengths, described
from ..evidence import Evidence
from ..examples import texts_of

Lengths = tuple[int, int] | None


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """`deciban.train` and `predict` for pipelines, searches and cross-validation. X is a column of texts.

    The parameters are deciban's settings. Labels may be of any type that scikit-learn takes, and come back as such.

    >>> from deciban.sklearn import TextClassifier
    >>> model = TextClassifier(words=(1, 2)).fit(["free money", "money now", "see you"], [1, 1, 0])
    >>> model.predict(["money"]), model.classes_
    (array([1]), array([0, 1]))
    """

    def __init__(
        self,
        model: str = "multinomial",
        words: Lengths = (1, 1),
        edges: bool = False,
        chars: Lengths = None,
        chars_across: Lengths = None,
        tokens: str = "word",
        accents: str = "keep",
        properties: Any = None,
        hash_bits: int | None = None,
        select: str | None = None,
        binary: bool = False,
        smoothing: str | None = None,
        alpha: float | None = None,
        default_p: float = 0.5,
        complement_weight: float = 3.0,
        complement_alpha: float = 30.0,
        term_weight: float = 0.5,
        term_weights: str = "none",
        prior: str | dict[str, float] = "data",
        prior_smoothing: float = 0.0,
        tree_terms: int = 500,
        cost: float | None = None,
        l1: float = 0.0,
        joint: bool | None = None,
        weighting: str | None = None,
        idf: bool | None = None,
        length_norm: bool | None = None,
        interpolation: float = 0.25,
        class_weight: str | dict[str, float] = "none",
        project: str | None = None,
        subsets: int | None = None,
        features: int | None = None,
        rounds: int | None = None,
        shrinkage: float | None = None,
        calibration: str = "auto",
        hierarchy: str | None = None,
        levels: str = "auto",
        threads: int | None = None,
        budget: float | None = 60.0,
    ) -> None:
        self.model = model
        self.words = words
        self.edges = edges
        self.chars = chars
        self.chars_across = chars_across
        self.tokens = tokens
        self.accents = accents
        self.properties = properties
        self.hash_bits = hash_bits
        self.select = select
        self.binary = binary
        self.smoothing = smoothing
        self.alpha = alpha
        self.default_p = default_p
        self.complement_weight = complement_weight
        self.complement_alpha = complement_alpha
        self.term_weight = term_weight
        self.term_weights = term_weights
        self.prior = prior
        self.prior_smoothing = prior_smoothing
        self.tree_terms = tree_terms
        self.cost = cost
        self.l1 = l1
        self.joint = joint
        self.weighting = weighting
        self.idf = idf
        self.length_norm = length_norm
        self.interpolation = interpolation
        self.class_weight = class_weight
        self.project = project
        self.subsets = subsets
        self.features = features
        self.rounds = rounds
        self.shrinkage = shrinkage
        self.calibration = calibration
        self.hierarchy = hierarchy
        self.levels = levels
        self.threads = threads
        self.budget = budget

    def fit(self, X: object, y: object, sample_weight: object = None) -> TextClassifier:  # noqa: N803
        """Trains on texts X with labels y; models of counts take weights that are whole numbers."""
        texts, labels = _examples(X, y)
        names, settings = list(map(str, labels)), self.get_params()
        self.classifier_: Classifier = training.train(texts, names, weights=sample_weight, **settings)
        return self._with_classes(np.unique(labels))

    def partial_fit(
        self,
        X: object,  # noqa: N803
        y: object,
        classes: object = None,  # noqa: ARG002
        sample_weight: object = None,
    ) -> TextClassifier:
        """Learns more texts, exactly as if all had been there from the start; new labels need no announcing."""
        if not hasattr(self, "classifier_"):
            return self.fit(X, y, sample_weight)
        texts, labels = _examples(X, y)
        self.classifier_.learn(texts, list(map(str, labels)), sample_weight)
        return self._with_classes(np.unique(np.concatenate([self.classes_, labels])))

    def predict(self, X: object) -> npt.NDArray[Any]:  # noqa: N803
        """The most probable label of each text."""
        best = self.predict_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: object) -> npt.NDArray[np.float64]:  # noqa: N803
        """The probability of each label (columns, as in `classes_`)."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: object) -> npt.NDArray[np.float64]:  # noqa: N803
        """The log probability of each label (columns, as in `classes_`)."""
        check_is_fitted(self)
        return self.classifier_.predict_log_proba(X)[:, self._columns]

    def explain(self, text: str) -> Evidence:
        """Why a text gets its label."""
        check_is_fitted(self)
        return self.classifier_.explain(text)

    def _with_classes(self, classes: npt.NDArray[Any]) -> TextClassifier:
        """deciban's labels are texts, sorted as such; scikit-learn's are of any type, sorted as those are.

        A label whose texts all weigh nothing is none.
        """
        self.classes_ = classes[[str(label) in self.classifier_.labels for label in classes]]
        self._columns = [self.classifier_.labels.index(str(label)) for label in self.classes_]
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _examples(X: object, y: object) -> tuple[tuple[Any, ...] | Column, npt.NDArray[Any]]:  # noqa: N803
    texts = texts_of(X)
    labels = list(texts_of(y))
    if len(labels) != len(texts):
        raise UnevenLengths(texts=len(texts), labels=len(labels))
    for place, label in enumerate(labels):
        if not isinstance(label, (str, int, float, np.generic)) or label != label or label == "":
            raise BadLabel(where=f"y[{place}]", got=described(label))
    return texts, np.asarray(labels)
