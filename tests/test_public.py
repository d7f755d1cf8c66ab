"""The public names fit on a card; importing them costs nothing before they are used."""

import inspect
import subprocess
import sys

import pytest

import deciban
import deciban.sklearn
from deciban import settings
from deciban.cli import parser
from deciban.settings import Settings
from deciban.weighing import MODELS, SMOOTHINGS

CARD = ["Classifier", "DecibanError", "Rule", "Several", "audit", "compare", "evaluate", "load", "path", "train"]
FACE = [
    *["BernoulliNB", "ComplementNB", "CountVectorizer", "HashingVectorizer", "MultinomialNB"],
    *["TextClassifier", "TfidfVectorizer"],
]
VERBS = [
    *[
        "asked",
        "calibration",
        "counts",
        "decide",
        "depth",
        "documents",
        "drop_labels",
        "evaluate",
        "expected",
        "explain",
        "explain_levels",
        "export",
    ],
    *["forget", "forget_from", "found_terms", "freeze", "frozen", "graph", "held_out", "keep_labels", "labels"],
    *[
        "learn",
        "learn_from",
        "leave_one_out",
        "lexicon",
        "log_odds",
        "mix",
        "predict",
        "predict_log_proba",
        "predict_node",
        "predict_proba",
    ],
    *["predict_set", "predict_top", "rank", "rank_in", "rank_to", "ranked_terms", "recalibrate", "recalibrate_by"],
    *["rename_label", "sample", "save", "scorecard", "scores", "searched", "select", "selected", "set_threshold"],
    *["set_threshold_by", "term_weights", "threshold"],
    *["tree", "unit", "watch", "weights", "with_threads", "without_unlabelled", "words"],
]
SETTINGS = [
    *["model", "words", "edges", "chars", "chars_across", "tokens", "accents", "properties", "hash_bits"],
    *["select"],
    *["binary", "smoothing", "alpha", "default_p", "complement_weight", "complement_alpha", "term_weight"],
    *["term_weights"],
    *["prior", "prior_smoothing", "tree_terms", "cost", "l1", "joint", "weighting", "idf", "length_norm"],
    *["interpolation", "class_weight", "project", "subsets", "features", "rounds", "shrinkage"],
    *["calibration", "hierarchy", "levels", "threads", "budget"],
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


def test_every_choice_has_something_that_it_stands_for():
    assert list(MODELS) == list(settings.MODELS)
    assert set(SMOOTHINGS) == {name for names in settings.MODELS.values() for name in names}
    assert set(SMOOTHINGS) == {*settings.STRENGTHS, "none", "deleted"}


def test_defaults_are_the_same_everywhere():
    ours = {name: field.default for name, field in Settings.__dataclass_fields__.items()}
    face = inspect.signature(deciban.sklearn.TextClassifier).parameters
    command = given_by_default()
    for name in SETTINGS:
        assert face[name].default == ours[name]
        assert command[name] == (None if name == "model" else ours[name])  # it follows from the others


@pytest.mark.parametrize(
    "name", ["numpy", "rich", "typer", "pydantic", "jinja2", "safetensors", "sklearn", "pandas", "pyarrow"]
)
def test_help_imports_nothing_heavy(name):
    code = f"import sys, deciban.cli; sys.exit({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("select", [None, "chi-square:2"])
@pytest.mark.parametrize("options", [(), ("--json", "--proba"), ("-o", "answers.csv")])
def test_predict_does_without_numpy(tmp_path, options, select, frozen):
    """Importing NumPy takes longer than all the rest of the command."""
    trained = deciban.train(["free money", "see you", "money"], ["spam", "ham", "spam"], select=select)
    trained.save(tmp_path / "mail.deciban", frozen=frozen)
    (tmp_path / "new.txt").write_text("money\n")
    code = "import sys; from deciban.cli import run; run(sys.argv[1:]); print({'numpy', 'rich'} & sys.modules.keys())"
    command = [sys.executable, "-c", code, "predict", "mail.deciban", "new.txt", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "set()"
    answers = (tmp_path / "answers.csv").read_text() if "-o" in options else done.stdout
    assert "spam" in answers


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'deciban' has no attribute 'classify'"):
        deciban.classify  # noqa: B018


def test_versions_agree():
    from importlib.metadata import version

    assert version("deciban") == deciban.__version__
