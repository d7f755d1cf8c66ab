"""scikit-learn's naive Bayes models that learn new labels as they come.

They are scikit-learn's classes and give its numbers. Only `partial_fit` differs: it need not be told all labels at the
first call, because counts of a label that was never seen are zero, and zeros can be added at any time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import naive_bayes as sk
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import unique_labels


class _Growing:
    """A discrete naive Bayes model whose labels need no announcing."""

    classes_: npt.NDArray[Any]
    class_count_: npt.NDArray[np.float64]
    feature_count_: npt.NDArray[np.float64]

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:  # noqa: N803
        """Learns more rows. Labels that are new, at the first call or later, are learnt too.

        Where `classes` are given they are all that there are, as in scikit-learn.
        """
        if classes is not None or y is None:
            return super().partial_fit(X, y, classes=classes, sample_weight=sample_weight)  # type: ignore[misc]
        labels, before = np.unique(column_or_1d(y)), dict(vars(self))
        try:
            if not hasattr(self, "classes_"):
                classes = labels
            elif not np.isin(labels, self.classes_).all():
                self._grow(unique_labels(self.classes_, labels))
            return super().partial_fit(X, y, classes=classes, sample_weight=sample_weight)  # type: ignore[misc]
        except BaseException:  # nothing has grown if it is refused
            vars(self).clear()
            vars(self).update(before)
            raise

    def _grow(self, classes: npt.NDArray[Any]) -> None:
        """Makes room for more labels, none of which has been counted."""
        old = np.searchsorted(classes, self.classes_)
        for name in ("class_count_", "feature_count_"):
            counted = getattr(self, name)
            grown = np.zeros((len(classes), *counted.shape[1:]), counted.dtype)
            grown[old] = counted
            setattr(self, name, grown)
        self.classes_ = classes


class MultinomialNB(_Growing, sk.MultinomialNB):  # type: ignore[misc]
    """scikit-learn's MultinomialNB; `partial_fit` takes new labels.

    >>> from deciban.sklearn import MultinomialNB
    >>> model = MultinomialNB().partial_fit([[2, 0], [0, 1]], ["a", "c"]).partial_fit([[1, 1]], ["b"])
    >>> model.classes_.tolist(), model.class_count_.tolist(), model.predict([[3, 0]]).tolist()
    (['a', 'b', 'c'], [1.0, 1.0, 1.0], ['a'])
    """


class BernoulliNB(_Growing, sk.BernoulliNB):  # type: ignore[misc]
    """scikit-learn's BernoulliNB; `partial_fit` takes new labels.

    >>> from deciban.sklearn import BernoulliNB
    >>> BernoulliNB().partial_fit([[1, 0]], ["a"]).partial_fit([[0, 1]], ["b"]).predict([[0, 2]]).tolist()
    ['b']
    """


class ComplementNB(_Growing, sk.ComplementNB):  # type: ignore[misc]
    """scikit-learn's ComplementNB; `partial_fit` takes new labels.

    >>> from deciban.sklearn import ComplementNB
    >>> ComplementNB().partial_fit([[1, 0]], ["a"]).partial_fit([[0, 1]], ["b"]).predict([[0, 2]]).tolist()
    ['b']
    """
