"""What examples in docstrings may use without importing it."""

import pytest

import deciban


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    doctest_namespace["train"] = deciban.train
