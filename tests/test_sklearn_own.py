"""scikit-learn's own tests of its vectorisers and naive Bayes models, run on ours.

Its test modules are loaded once more while our classes stand in the place of its own; every test in them is run here.
"""

import importlib.util
import sys

import numpy as np
import pytest
import sklearn.feature_extraction.text
import sklearn.naive_bayes

import deciban.sklearn

# Why a test of scikit-learn's cannot pass; one that begins to pass has to leave.
CANNOT = {
    f"test_NB_partial_fit_no_first_classes[{model}]": "on purpose: labels need no announcing at the first partial_fit"
    for model in ("BernoulliNB", "ComplementNB", "MultinomialNB")
}
OURS = {
    sklearn.feature_extraction.text: ["CountVectorizer", "HashingVectorizer", "TfidfVectorizer"],
    sklearn.naive_bayes: ["BernoulliNB", "ComplementNB", "MultinomialNB"],
}

pytestmark = pytest.mark.filterwarnings("default")  # some of these tests warn, with scikit-learn's own classes too


def loaded_tests(module):
    """The tests of a test module of scikit-learn's, which now imports our classes."""
    with pytest.MonkeyPatch.context() as patch:
        for place, names in OURS.items():
            for name in names:
                patch.setattr(place, name, getattr(deciban.sklearn, name))
        found = importlib.util.find_spec(module)
        loaded = sys.modules[module] = importlib.util.module_from_spec(found)
        found.loader.exec_module(loaded)
    return {name: listed(test) for name, test in vars(loaded).items() if name.startswith("test_")}


def listed(test):
    """The same test, the values of its parameters in lists: pytest warns of iterators."""
    marks = getattr(test, "pytestmark", [])
    test.pytestmark = [
        pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in marks
    ]
    return test


OF_TEXT = loaded_tests("sklearn.feature_extraction.tests.test_text")
OF_MODELS = loaded_tests("sklearn.tests.test_naive_bayes")
globals().update(OF_TEXT | OF_MODELS)


@pytest.fixture
def global_random_seed():
    return 42


@pytest.fixture
def global_dtype():
    return np.float64


@pytest.fixture(autouse=True)
def _mark_what_cannot_pass(request):
    if request.node.name in CANNOT:
        request.applymarker(pytest.mark.xfail(reason=CANNOT[request.node.name], strict=True))


def test_our_classes_are_in_their_tests():
    for tests, names in zip((OF_TEXT, OF_MODELS), OURS.values(), strict=True):
        space = next(iter(tests.values())).__globals__
        assert all(space[name] is getattr(deciban.sklearn, name) for name in names)
        assert len(tests) > 30
    assert not OF_TEXT.keys() & OF_MODELS.keys()
