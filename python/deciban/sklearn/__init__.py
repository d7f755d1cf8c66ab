"""The scikit-learn face: the only place for X, y, fit and classes_."""

from .naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from .text_classifier import TextClassifier
from .vectorisers import CountVectorizer, HashingVectorizer, TfidfVectorizer

__all__ = [
    "BernoulliNB",
    "ComplementNB",
    "CountVectorizer",
    "HashingVectorizer",
    "MultinomialNB",
    "TextClassifier",
    "TfidfVectorizer",
]
