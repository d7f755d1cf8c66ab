"""The public names fit on a card; importing them costs nothing before they are used."""

import inspect
import subprocess
import sys

import pytest

import deciban
import deciban.sklearn
from deciban.settings import Settings

CARD = ["Classifier", "DecibanError", "load", "train"]
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
    assert deciban.sklearn.__all__ == ["TextClassifier"]


def test_the_verbs_of_a_classifier():
    classifier = deciban.train(["a1", "b1"], ["x", "y"])
    public = {name for name in dir(classifier) if not name.startswith("_")} - {"settings", "provenance"}
    assert sorted(public) == VERBS


def test_settings_have_one_name_everywhere():
    from deciban.cli.train import train

    assert list(Settings.__dataclass_fields__) == SETTINGS
    assert list(inspect.signature(deciban.sklearn.TextClassifier).parameters) == SETTINGS
    assert [name for name in inspect.signature(train).parameters if name in SETTINGS] == SETTINGS


def test_defaults_are_the_same_everywhere():
    from deciban.cli.options import lengths
    from deciban.cli.train import train

    ours = vars(Settings())
    face = inspect.signature(deciban.sklearn.TextClassifier).parameters
    command = inspect.signature(train).parameters
    for name in SETTINGS:
        assert face[name].default == ours[name]
        given = command[name].default
        assert (lengths(name, given) if name in ("words", "chars") else given) == ours[name]


@pytest.mark.parametrize("name", ["numpy", "rich", "jinja2", "safetensors", "sklearn", "pandas", "pyarrow"])
def test_help_imports_nothing_heavy(name):
    code = f"import sys, deciban.cli; sys.exit({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'deciban' has no attribute 'classify'"):
        deciban.classify  # noqa: B018


def test_versions_agree():
    from importlib.metadata import version

    assert version("deciban") == deciban.__version__
