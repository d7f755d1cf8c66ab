"""The public names fit on a card; importing them costs nothing before they are used."""

import inspect
import subprocess
import sys

import pytest

import deciban
import deciban.sklearn
from deciban.cli import parser
from deciban.settings import Settings

CARD = ["Classifier", "DecibanError", "load", "train"]
FACE = [
    *["BernoulliNB", "ComplementNB", "CountVectorizer", "HashingVectorizer", "MultinomialNB"],
    *["TextClassifier", "TfidfVectorizer"],
]
VERBS = [
    *["counts", "evaluate", "explain", "forget", "held_out", "labels", "learn", "leave_one_out", "predict"],
    *["predict_log_proba", "predict_proba", "save", "scorecard", "scores", "with_threads"],
]
SETTINGS = [
    *["model", "words", "chars", "tokens", "binary", "smoothing", "alpha", "prior_smoothing", "calibration", "threads"]
]


def test_the_card():
    assert deciban.__all__ == CARD
    assert all(getattr(deciban, name).__doc__ for name in CARD)
    assert deciban.sklearn.__all__ == FACE


def test_the_verbs_of_a_classifier():
    classifier = deciban.train(["a1", "b1"], ["x", "y"])
    public = {name for name in dir(classifier) if not name.startswith("_")} - {"settings", "provenance"}
    assert sorted(public) == VERBS


def given_by_default():
    """What `deciban train FILE` is taken to say."""
    return vars(parser().parse_args(["train", "FILE"]))


def test_settings_have_one_name_everywhere():
    assert list(Settings.__dataclass_fields__) == SETTINGS
    assert list(inspect.signature(deciban.sklearn.TextClassifier).parameters) == SETTINGS
    assert sorted(given_by_default().keys() & set(SETTINGS)) == sorted(SETTINGS)


def test_defaults_are_the_same_everywhere():
    ours = vars(Settings())
    face = inspect.signature(deciban.sklearn.TextClassifier).parameters
    command = given_by_default()
    for name in SETTINGS:
        assert face[name].default == ours[name]
        assert command[name] == ours[name]


@pytest.mark.parametrize(
    "name", ["numpy", "rich", "typer", "pydantic", "jinja2", "safetensors", "sklearn", "pandas", "pyarrow"]
)
def test_help_imports_nothing_heavy(name):
    code = f"import sys, deciban.cli; sys.exit({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'deciban' has no attribute 'classify'"):
        deciban.classify  # noqa: B018


def test_versions_agree():
    from importlib.metadata import version

    assert version("deciban") == deciban.__version__
