"""The scikit-learn face: the only place for X, y, fit and classes_."""

from .text_classifier import TextClassifier

__all__ = ["TextClassifier"]
