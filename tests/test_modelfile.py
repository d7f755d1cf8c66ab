"""The model file: what is saved comes back, whatever is wrong is told in one line, no crash leaves half of it."""

import hashlib
import json
import os
import pickle
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban import errors, modelfile
from deciban.errors import DecibanError
from deciban.examples import Source
from deciban.files import check_writable
from deciban.settings import Settings
from deciban.weighing import weigh

GOLDEN = Path(__file__).with_name("golden")
MODELS = sorted(path.stem for path in GOLDEN.glob("*.deciban"))
ZEROS = b"0" * 64
TEXTS, LABELS = ["free money", "money now, café", "see you"], ["spam", "spam", "ham"]


@pytest.fixture(params=["counts", "frozen", "expected"])
def path(tmp_path, request):
    """Where a small model is saved, with its counts, without, or with those expected of unlabelled texts too."""
    more = {"unlabelled": ["free lunch", "lunch, you"], "unlabelled_weight": 0.5} if request.param == "expected" else {}
    deciban.train(TEXTS, LABELS, **more).save(tmp_path / "mail.deciban", frozen=request.param == "frozen")
    return tmp_path / "mail.deciban"


@pytest.fixture
def full(tmp_path):
    """Where a small model is saved with its counts."""
    deciban.train(TEXTS, LABELS).save(tmp_path / "mail.deciban")
    return tmp_path / "mail.deciban"


# What comes back


LENGTHS = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda pair: (pair[0], sum(pair)))
CORPORA = st.lists(st.tuples(st.text(max_size=20), st.text(min_size=1, max_size=3)), min_size=2, max_size=8)
SETTINGS = st.fixed_dictionaries(
    {
        "words": LENGTHS,
        "chars": st.none() | LENGTHS,
        "tokens": st.sampled_from(["word", "unicode", "marks", "whitespace"]),
        "binary": st.booleans(),
        "alpha": st.floats(1e-6, 1e6),
        "prior_smoothing": st.floats(0, 1e6),
    }
)


@given(CORPORA.filter(lambda corpus: len({label for _, label in corpus}) > 1), SETTINGS)
def test_what_is_saved_comes_back(tmp_path_factory, corpus, chosen):
    path = tmp_path_factory.getbasetemp() / "any.deciban"
    texts, labels = map(list, zip(*corpus, strict=True))
    model = deciban.train(texts, labels, **chosen)
    model.save(path)
    again = deciban.load(path)
    assert (again.counts, again.settings, again.provenance) == (model.counts, model.settings, model.provenance)
    assert np.array_equal(again.scores(texts), model.scores(texts))
    stored, derived = again.scorecard, weigh(again.counts, again.settings)
    for name in ("bias", "absent", "indptr", "label", "weight"):
        assert getattr(stored, name).tobytes() == getattr(derived, name).tobytes()
        assert not getattr(stored, name).flags.writeable


@given(CORPORA.filter(lambda corpus: len({label for _, label in corpus}) > 1), SETTINGS)
def test_a_frozen_model_answers_and_explains_the_same(tmp_path_factory, corpus, chosen):
    """To the last bit, in memory and from its file, which the frozen model itself writes again."""
    path = tmp_path_factory.getbasetemp() / "frozen.deciban"
    texts, labels = map(list, zip(*corpus, strict=True))
    model = deciban.train(texts, labels, **chosen)
    model.save(path, frozen=True)
    made = path.read_bytes()
    model.freeze().freeze().save(path)
    assert path.read_bytes() == made
    again = deciban.load(path)
    assert (again.labels, again.documents, again.settings) == (model.labels, model.documents, model.settings)
    for frozen in (again, model.freeze()):
        assert np.array_equal(frozen.scores(texts), model.scores(texts))
        assert [frozen.explain(text) for text in texts] == [model.explain(text) for text in texts]
    again.save(path)
    assert path.read_bytes() == made


def test_a_frozen_file_is_smaller(tmp_path, tickets):
    model = deciban.train(*tickets, model="multinomial")
    model.save(tmp_path / "full")
    model.save(tmp_path / "frozen", frozen=True)
    assert (tmp_path / "full").stat().st_size - (tmp_path / "frozen").stat().st_size > 16 * len(model.counts.label) - 99


def test_a_model_that_has_forgotten_everything_cannot_be_frozen(tmp_path):
    model = deciban.train(TEXTS, LABELS).forget(TEXTS, LABELS)
    with pytest.raises(errors.NothingLearnt):
        model.save(tmp_path / "empty.deciban", frozen=True)
    assert os.listdir(tmp_path) == []


FROZEN = {
    "counts": lambda model: model.counts,
    "learn": lambda model: model.learn(["lunch?"], ["work"]),
    "forget": lambda model: model.forget(["free money"], ["spam"]),
    "learn_from": lambda model: model.learn_from(Source("no such file")),
    "forget_from": lambda model: model.forget_from(Source("no such file")),
    "leave_one_out": lambda model: model.leave_one_out(),
    "leave_one_out of texts": lambda model: model.leave_one_out(TEXTS, LABELS),
    "merge": lambda model: model + deciban.train(TEXTS, LABELS),
    "merge into another": lambda model: deciban.train(TEXTS, LABELS) + model,
    "drop_labels": lambda model: model.drop_labels(["ham"]),
    "keep_labels": lambda model: model.keep_labels(["ham"]),
    "rename_label": lambda model: model.rename_label("ham", "mail"),
}


@pytest.mark.parametrize("action", FROZEN.values(), ids=FROZEN)
def test_a_frozen_model_refuses_what_takes_counts(action):
    model = deciban.train(TEXTS, LABELS).freeze()
    with pytest.raises(errors.FrozenModel):
        action(model)
    assert model.predict(["see"]) == ["ham"]


def test_a_model_that_has_forgotten_everything_comes_back(tmp_path):
    model = deciban.train(TEXTS, LABELS).forget(TEXTS, LABELS)
    model.save(tmp_path / "empty.deciban")
    again = deciban.load(tmp_path / "empty.deciban")
    assert again.labels == ()
    with pytest.raises(errors.NothingLearnt):
        again.predict(TEXTS)
    with pytest.raises(errors.NothingLearnt):
        modelfile.load(tmp_path / "empty.deciban").answers(TEXTS, str, 1)
    assert again.learn(TEXTS, LABELS).counts == deciban.train(TEXTS, LABELS).counts


@pytest.mark.parametrize(
    "more", [{}, {"edges": True, "chars_across": (2, 3), "accents": "fold"}, {"edges": True, "hash_bits": 16}], ids=repr
)
def test_a_loaded_model_scores_the_same_before_and_after_it_has_an_index(tmp_path, tickets, more):
    """To the last bit: few texts are looked up by searching, many by an index."""
    texts, labels = tickets
    model = deciban.train(texts, labels, words=(1, 3), chars=(2, 4), **more)
    model.save(tmp_path / "tickets.deciban")
    again = deciban.load(tmp_path / "tickets.deciban")
    one_by_one = np.vstack([again.scores([text]) for text in texts])
    assert len(texts[0]) < len(again.counts.lexicon) < sum(map(len, texts))
    assert np.array_equal(one_by_one, model.scores(texts))
    assert np.array_equal(one_by_one, again.scores(texts))


def test_the_same_examples_give_the_same_bytes(full):
    made = full.read_bytes()
    deciban.train(TEXTS[::-1], LABELS[::-1], threads=3).save(full)
    assert full.read_bytes() == made
    program = f"import deciban; deciban.train({TEXTS!r}, {LABELS!r}).save({str(full)!r})"
    for seed in ("1", "2"):
        run_python(program, env={**os.environ, "PYTHONHASHSEED": seed})
        assert full.read_bytes() == made


def test_a_loaded_model_may_be_saved_over_itself(full):
    model = deciban.load(full)
    model.learn(["lunch?"], ["work"]).save(full)
    assert model.predict(["lunch?"]) == deciban.load(full).predict(["lunch?"]) == ["work"]


def test_a_loaded_model_stays_what_it_was_when_its_file_is_replaced_or_removed(full):
    loaded = deciban.load(full)
    before = [buffer.tobytes() for buffer in loaded.counts.buffers[1:]]
    deciban.train(["quite", "another"], ["a", "b"]).save(full)
    full.unlink()
    assert [buffer.tobytes() for buffer in loaded.counts.buffers[1:]] == before
    assert loaded.predict(["see"]) == ["ham"]


def test_a_loaded_model_that_has_answered_answers_on_when_its_file_is_written_over(tmp_path):
    path = tmp_path / "many.deciban"
    texts = [" ".join(f"{label}{n}" for n in range(500)) for label in ("ham", "spam")]  # not laid out at once
    deciban.train(texts, ["ham", "spam"], model="multinomial", calibration="none").save(path)
    mapped = replace(deciban.load(path).scorecard, binary=True)  # of what is mapped, with a scorer of its own
    before = mapped.scores(["spam3 ham7 spam9"])
    with path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))
    assert not mapped.weight.any()
    np.testing.assert_array_equal(mapped.scores(["spam3 ham7 spam9"]), before)


def test_the_counts_of_a_loaded_model_are_mapped(full):
    counts = deciban.load(full).counts
    with pytest.raises(ValueError, match="read-only"):
        counts.occurrences[0] = 7
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    assert str(full) in maps


def test_safetensors_reads_it(full):
    counts = deciban.load(full).counts
    arrays = safetensors.numpy.load_file(full)
    names = ("names", "offsets", "documents", "indptr", "label", "occurrences", "presences", "bias", "absent", "weight")
    assert sorted(arrays) == sorted(names)
    card = weigh(counts, Settings())
    expected = (*counts.lexicon.buffers(), *counts.buffers[1:], card.bias, card.absent, card.weight)
    assert all(np.array_equal(arrays[name], buffer) for name, buffer in zip(names, expected, strict=True))


def test_safetensors_would_write_the_same_bytes(full):
    data = full.read_bytes()
    about = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    assert safetensors.numpy.save(safetensors.numpy.load(data), about) == data


def test_there_is_a_golden_model_of_every_version():
    assert {f"version-{version}" for version in range(modelfile.OLDEST, modelfile.NEWEST + 1)} <= set(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_models_of_every_version_answer_as_they_did(name):
    expected = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    model = deciban.load(GOLDEN / f"{name}.deciban")
    assert list(model.labels) == expected["labels"]
    assert list(model.documents.values()) == expected["documents"]
    assert len(model.scorecard.lexicon) == expected["terms"]
    assert model.frozen == name.endswith("-frozen")
    assert model.predict(expected["texts"]) == expected["predictions"]
    np.testing.assert_allclose(model.predict_proba(expected["texts"]), expected["probabilities"], rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith(f"version-{modelfile.NEWEST}")])
def test_texts_are_read_as_when_the_golden_model_was_trained(name):
    """A loaded model sees in a text what it was trained to see: reading texts in another way needs a new format."""
    made_from = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    texts, labels = map(list, zip(*made_from["examples"], strict=True))
    settings = {
        name: tuple(value) if isinstance(value, list) else value for name, value in made_from["settings"].items()
    }
    model, saved = deciban.train(texts, labels, **settings), deciban.load(GOLDEN / f"{name}.deciban")
    if saved.frozen:
        assert model.scorecard.lexicon == saved.scorecard.lexicon
        assert np.array_equal(model.counts.label, saved.scorecard.label)
    else:
        assert model.counts == saved.counts


# What is no model, or no longer


def refusal(path, content=None):
    """The error that loading raises; any other than deciban's own passes, and fails the test."""
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DecibanError) as caught:
        deciban.load(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).startswith(f"{path}: ")
    return type(caught.value)


class Trap:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (self.trace,)


def test_foreign_files_are_no_models(tmp_path):
    path = tmp_path / "foreign"
    assert refusal(path, b"hello") is errors.NotAModel
    assert refusal(path, b"text,label\nfree money,spam\n" * 99) is errors.NotAModel
    assert refusal(path, safetensors.numpy.save({"names": np.arange(3)}, {"model": "other"})) is errors.NotAModel
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mail.deciban", b"x" * 99)
    assert refusal(path) is errors.NotAModel
    assert refusal(path, pickle.dumps(Trap(str(tmp_path / "trace")))) is errors.NotAModel
    assert not (tmp_path / "trace").exists()


def test_what_is_no_file_is_no_model(tmp_path):
    (tmp_path / "folder").mkdir()
    for name in "abcdefghijkl":
        (tmp_path / "folder" / name).touch()
    assert refusal(tmp_path / "folder") is errors.Unreadable
    assert refusal(tmp_path / "none") is errors.Unreadable
    assert refusal(tmp_path / "folder" / "a" / "b") is errors.Unreadable
    assert refusal(Path("/dev/zero")) is errors.NotAModel
    with pytest.raises(errors.Unreadable, match=r"^a\\x00b: cannot read: .*embedded null"):
        deciban.load("a\0b")


def test_a_pipe_is_no_model_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    program = "import deciban, sys\ntry: deciban.load(sys.argv[1])\nexcept deciban.DecibanError as error: print(error)"
    assert run_python(program, tmp_path / "pipe") == f"{tmp_path}/pipe: not a deciban model\n"


def test_a_model_that_is_cut_off_says_so_wherever_it_is(path):
    whole = path.read_bytes()
    for length in reversed(range(len(whole))):
        os.truncate(path, length)
        assert refusal(path) is errors.TruncatedModel
    assert refusal(path, whole + b"\0") is errors.DamagedModel


def test_no_flipped_bit_goes_unnoticed(path):
    whole = path.read_bytes()
    magic, start = 8 + len(modelfile.format.MAGIC), 8 + int.from_bytes(whole[:8], "little")
    found = {"length": set(), "magic": set(), "header": set(), "arrays": set()}
    with path.open("r+b", buffering=0) as file:
        for place, byte in enumerate(whole):
            part = "length" if place < 8 else "magic" if place < magic else "header" if place < start else "arrays"
            for bit in range(8) if part != "arrays" else [place % 8]:
                os.pwrite(file.fileno(), bytes([byte ^ 1 << bit]), place)
                found[part].add(refusal(path))
            os.pwrite(file.fileno(), bytes([byte]), place)
    assert deciban.load(path).labels == ("ham", "spam")
    assert found == {
        "length": {errors.TruncatedModel, errors.DamagedModel},
        "magic": {errors.NotAModel},
        "header": {errors.TruncatedModel, errors.DamagedModel},
        "arrays": {errors.DamagedModel},
    }


# What was made up: the checksum fits, the content does not


def parts(whole):
    """What a file says about the model, about its arrays, and their bytes."""
    start = 8 + int.from_bytes(whole[:8], "little")
    arrays = json.loads(whole[8:start])
    return json.loads(arrays.pop("__metadata__")["deciban"]), arrays, whole[start:]


def signed(about, arrays, data):
    """A file of such parts, with the checksum that fits: the format once more, by hand."""
    about = json.dumps({**about, "checksum": ZEROS.decode()}, separators=(",", ":"))
    header = json.dumps({"__metadata__": {"deciban": about}, **arrays}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    unsigned = struct.pack("<Q", len(header)) + header + data
    return unsigned.replace(ZEROS, hashlib.blake2b(unsigned, digest_size=32).hexdigest().encode(), 1)


def test_the_format_is_what_its_description_says(path):
    assert signed(*parts(path.read_bytes())) == path.read_bytes()


ABOUT = {
    "groups that are a text": {"groups": "counts"},
    "groups that are an object": {"groups": {"lexicon": 1, "postings": 2, "scorecard": 3}},
    "groups that are numbers": {"groups": [1, 2, 3]},
    "groups that are lists": {"groups": [["lexicon"], ["postings"], ["scorecard"]]},
    "no groups": {"groups": None},
    "no group": {"groups": []},
    "no lexicon": {"groups": ["postings", "counts", "scorecard"]},
    "no scorecard": {"groups": ["lexicon", "postings", "counts"]},
    "labels that are not sorted": {"labels": ["spam", "ham"]},
    "a label twice": {"labels": ["ham", "ham"]},
    "a label too many": {"labels": ["ham", "spam", "x"]},
    "a label too few": {"labels": ["ham"]},
    "a label that is a number": {"labels": ["ham", 3]},
    "a label that is empty": {"labels": ["", "ham"]},
    "a label that is a list": {"labels": [["ham"], ["spam"]]},
    "a label of half a surrogate pair": {"labels": ["ham", "\ud800"]},
    "labels that are one text": {"labels": "hs"},
    "labels that are an object": {"labels": {"ham": 1, "spam": 2}},
    "no labels": {"labels": None},
    "an unknown setting": {"settings": {"perplexity": 1}},
    "a setting that is none of the model's": {"settings": {"threads": 2}},
    "settings that are a list": {"settings": ["words"]},
    "settings that are a text": {"settings": "words"},
    "no settings": {"settings": None},
    "an unknown model": {"settings": {"model": "perceptron"}},
    "a model that is a list": {"settings": {"model": ["multinomial"]}},
    "a model that is nothing": {"settings": {"model": None}},
    "huge lengths": {"settings": {"words": [1, 10**9]}},
    "lengths too great for any integer": {"settings": {"chars": [1, 10**300]}},
    "lengths that are texts": {"settings": {"words": "ab"}},
    "lengths of a list": {"settings": {"words": [[1], [2]]}},
    "alpha of nothing": {"settings": {"alpha": 0}},
    "alpha that is no number": {"settings": {"alpha": float("nan")}},
    "alpha that is a text": {"settings": {"alpha": "1"}},
    "alpha too great for any float": {"settings": {"alpha": 10**400}},
    "a truth value that is none": {"settings": {"binary": 1}},
    "a provenance that is an object": {"provenance": {"source": "memory", "examples": 3}},
    "a provenance that is a text": {"provenance": "memory"},
    "a provenance that is a number": {"provenance": 3},
    "a provenance of texts": {"provenance": ["memory"]},
    "a provenance without a source": {"provenance": [{"examples": 3}]},
    "a provenance of many examples": {"provenance": [{"source": "memory", "examples": "many"}]},
    "a format that is a text": {"format": "1"},
    "a format that is a fraction": {"format": 1.5},
    "a format that is true": {"format": True},
    "no format": {"format": None},
}


@pytest.mark.parametrize("change", ABOUT.values(), ids=ABOUT)
def test_a_header_that_makes_no_sense_is_damaged(path, change):
    about, arrays, data = parts(path.read_bytes())
    assert refusal(path, signed({**about, **change}, arrays, data)) is errors.DamagedModel


@pytest.mark.parametrize("checksum", ["", "0", ZEROS.decode(), "\ud800", "é" * 64, None, 3, ["0"], {}])
def test_a_checksum_that_makes_no_sense_is_damaged(path, checksum):
    about, arrays, data = parts(path.read_bytes())
    header = json.dumps({"__metadata__": {"deciban": json.dumps({**about, "checksum": checksum})}, **arrays})
    header = header.replace(": ", ":").encode()
    assert refusal(path, struct.pack("<Q", len(header)) + header + data) is errors.DamagedModel


@pytest.mark.parametrize("missing", ["format", "checksum", "groups", "settings", "labels", "provenance"])
def test_a_header_that_lacks_something_is_damaged(path, missing):
    about, arrays, data = parts(path.read_bytes())
    del about[missing]
    content = signed(about, arrays, data)
    if missing == "checksum":
        content = content.replace(b"checksum", b"checkers")
    first = errors.NotAModel if missing == "format" else errors.DamagedModel  # the format stands in the first bytes
    assert refusal(path, content) is first


@pytest.mark.parametrize("length", [1 << 32, 1 << 40, 1 << 63, (1 << 64) - 1])
def test_an_absurd_length_of_the_header_is_damaged(path, length):
    whole = path.read_bytes()
    assert refusal(path, struct.pack("<Q", length) + whole[8:]) is errors.DamagedModel


def test_a_header_nested_too_deeply_is_damaged(path):
    header = b'{"__metadata__":{"deciban":"{\\"format\\":1}"},"names":' + b"[" * 10**5 + b"]" * 10**5 + b"}"
    assert refusal(path, struct.pack("<Q", len(header)) + header) is errors.DamagedModel


NO_ARRAY = [None, 3, [], {}, {"data_offsets": None}, {"data_offsets": []}, {"data_offsets": [0, "8"]}]


@pytest.mark.parametrize("array", NO_ARRAY, ids=json.dumps)
def test_an_array_that_makes_no_sense_is_damaged(path, array):
    about, arrays, data = parts(path.read_bytes())
    assert refusal(path, signed(about, {**arrays, "names": array}, data)) is errors.DamagedModel


def shifted(arrays, data):
    """A byte before all arrays, so that none is aligned."""
    moved = {n: {**a, "data_offsets": [offset + 1 for offset in a["data_offsets"]]} for n, a in arrays.items()}
    return moved, b"\0" + data


def misaligned(arrays, data):
    """Bytes first and integers after them, without a gap."""
    start, end = arrays["names"]["data_offsets"]
    names, data = data[start:end], data[:start] + data[end:]
    moved = {n: {**a, "data_offsets": [offset + len(names) for offset in a["data_offsets"]]} for n, a in arrays.items()}
    return {**moved, "names": {**arrays["names"], "data_offsets": [0, len(names)]}}, names + data


def overlapping(arrays, data):
    """Two arrays share their bytes, and an unused rest is left."""
    return {**arrays, "absent": arrays["bias"]}, data


def described_as(name, **about):
    return lambda arrays, data: ({**arrays, name: {**arrays[name], **about}}, data)


LAYOUTS = {
    "shifted": shifted,
    "misaligned": misaligned,
    "overlapping": overlapping,
    "an array too many": lambda arrays, data: (
        {**arrays, "x": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}},
        data,
    ),
    "an array too few": lambda arrays, data: ({n: a for n, a in arrays.items() if n != "documents"}, data),
    "another type": described_as("names", dtype="I8"),
    "another shape": described_as("documents", shape=[1, 2]),
    "no shape": described_as("documents", shape=None),
    "backwards": described_as("documents", data_offsets=[16, 0]),
    "before the beginning": described_as("documents", data_offsets=[-16, 16]),
    "fractions": described_as("documents", data_offsets=[0.0, 16]),
    "texts": described_as("documents", data_offsets=["0", 16]),
    "three offsets": described_as("documents", data_offsets=[0, 16, 16]),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_arrays_that_lie_wrongly_are_damaged(path, layout):
    about, arrays, data = parts(path.read_bytes())
    assert refusal(path, signed(about, *layout(arrays, data))) is errors.DamagedModel


def with_array(whole, name, values):
    """The same file with other values in one array, of which there are as many."""
    about, arrays, data = parts(whole)
    start, end = arrays[name]["data_offsets"]
    assert len(values.tobytes()) == end - start
    return signed(about, arrays, data[:start] + values.tobytes() + data[end:])


def changes(model):
    """Arrays that do not fit the others, or that nothing ever counted."""
    counts, card = model.counts, model.scorecard
    names, offsets = counts.lexicon.buffers()
    back, far, wide = counts.indptr.copy(), counts.indptr.copy(), counts.label.copy()
    back[1:3] = back[2], back[1] - 1
    far[-1], wide[0] = 10**15, 2**32 - 1
    yield "names", np.full_like(names, 0xFF)
    yield "names", names[::-1].copy()
    yield "offsets", offsets + 1
    yield "offsets", -offsets
    yield "offsets", offsets * 10**12
    yield "documents", -counts.documents
    yield "documents", counts.documents * 0
    yield "documents", np.full_like(counts.documents, 2**63 - 1)
    yield "indptr", back
    yield "indptr", far
    yield "label", wide
    yield "occurrences", -counts.occurrences
    yield "occurrences", counts.occurrences * 0
    yield "occurrences", np.full_like(counts.occurrences, 2**63 - 1)
    yield "presences", counts.presences + 1
    yield "presences", -counts.presences
    for name in ("bias", "absent", "weight"):
        for value in (np.nan, np.inf, -np.inf, 1e300):
            weights = getattr(card, name).copy()
            weights[-1] = value
            yield name, weights


def test_counts_of_nothing_that_is_are_damaged(full):
    whole = full.read_bytes()
    for name, values in changes(deciban.load(full)):
        assert refusal(full, with_array(whole, name, values)) is errors.DamagedModel, (name, values)


def test_halves_of_nothing_that_is_are_damaged(full):
    model = deciban.train(TEXTS, LABELS, smoothing="deleted")
    model.save(full)
    whole, counts = full.read_bytes(), model.counts
    for name, values in zip(modelfile.format.GROUPS["halves"], counts.half, strict=True):
        for changed in (values + 1, values - 1, values * 10**12, np.full_like(values, 2**63 - 1)):
            assert refusal(full, with_array(whole, name, changed)) is errors.DamagedModel, (name, changed)


def test_halves_are_there_where_and_only_where_they_are_asked_for(full):
    about, arrays, data = parts(full.read_bytes())
    about["settings"]["smoothing"] = "deleted"
    assert refusal(full, signed(about, arrays, data)) is errors.DamagedModel
    deciban.train(TEXTS, LABELS, smoothing="deleted").save(full)
    about, arrays, data = parts(full.read_bytes())
    about["settings"]["smoothing"] = "laplace"
    assert refusal(full, signed(about, arrays, data)) is errors.DamagedModel


@pytest.mark.parametrize("name", ["bias", "absent", "weight"])
@pytest.mark.parametrize("more", [-1, 1])
def test_a_scorecard_that_does_not_fit_the_counts_is_damaged(path, name, more):
    """One number too few or too many, where everything else in the file lies as it should."""
    about, arrays, data = parts(path.read_bytes())
    floats = {
        n: list(struct.unpack(f"{a['shape'][0]}d", data[slice(*a["data_offsets"])]))
        for n, a in arrays.items()
        if a["dtype"] == "F64"
    }
    floats[name] = floats[name][:-1] if more < 0 else [*floats[name], 0.0]
    assert refusal(path, signed(about, *with_floats(arrays, data, floats))) is errors.DamagedModel


def with_floats(arrays, data, floats):
    """The same arrays, those of floats first and with other numbers: as many as there are."""
    moved, content = {}, b""
    for name in [*floats, *(n for n in arrays if n not in floats)]:
        values = struct.pack(f"{len(floats[name])}d", *floats[name]) if name in floats else None
        piece = data[slice(*arrays[name]["data_offsets"])] if values is None else values
        shape = arrays[name]["shape"] if values is None else [len(floats[name])]
        span = [len(content), len(content) + len(piece)]
        moved[name] = {**arrays[name], "shape": shape, "data_offsets": span}
        content += piece
    return moved, content


@pytest.mark.parametrize("more", [-1, 1])
def test_a_scorecard_of_other_labels_is_damaged(path, more):
    """Its arrays fit each other, and are as long as if there were a label more or less."""
    about, arrays, data = parts(path.read_bytes())
    floats = {name: [0.0] * (2 + more) for name in ("bias", "absent")}
    assert refusal(path, signed(about, *with_floats(arrays, data, floats))) is errors.DamagedModel


def test_groups_must_be_those_that_the_file_holds(path):
    about, arrays, data = parts(path.read_bytes())
    without, including = ["lexicon", "postings", "scorecard"], ["lexicon", "postings", "counts", "scorecard"]
    other = including if about["groups"] == without else without
    assert refusal(path, signed({**about, "groups": other}, arrays, data)) is errors.DamagedModel


PAIRS_THAT_FIT_NOTHING = {
    "first": [np.array([0, 1, 0, 2, 3], np.uint32), np.array([0, 0, 0, 0, 9], np.uint32)],
    "second": [np.array([9, 9, 9, 9, 9], np.uint32)],
    "together": [np.full(10, np.nan), np.full(10, np.inf), np.full(10, 1e101)],
}


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize(
    ("name", "values"), [(name, values) for name, several in PAIRS_THAT_FIT_NOTHING.items() for values in several]
)
def test_pairs_that_fit_nothing_are_damaged(tmp_path, frozen, name, values):
    path = tmp_path / "mail.deciban"
    deciban.train(TEXTS, LABELS, model="tan", tree_terms=3).save(path, frozen=frozen)
    assert refusal(path, with_array(path.read_bytes(), name, values)) is errors.DamagedModel


def test_pairs_are_of_terms_that_count_once(tmp_path):
    path = tmp_path / "mail.deciban"
    deciban.train(TEXTS, LABELS, model="tan").save(path)
    about, arrays, data = parts(path.read_bytes())
    other = {**about, "settings": {**about["settings"], "model": "multinomial"}}
    assert refusal(path, signed(other, arrays, data)) is errors.DamagedModel


def test_pairs_that_are_no_tree_are_drawn_all_the_same(tmp_path):
    """Nobody saves such: what goes round in a circle comes from nowhere, and is left out."""
    path = tmp_path / "mail.deciban"
    deciban.train(TEXTS, LABELS, model="tan", tree_terms=3).save(path)
    first, second = np.array([0, 1, 2, 2, 3], np.uint32), np.array([1, 0, 1, 3, 2], np.uint32)
    path.write_bytes(with_array(with_array(path.read_bytes(), "first", first), "second", second))
    names = deciban.load(path).lexicon.names()
    assert {*deciban.load(path).graph().terms} == {*names[4:]}
    assert deciban.load(path).predict(["free money"])


KEPT_THAT_FIT_NOTHING = [[1, 0], [0, 0], [0, 99]]


@pytest.mark.parametrize("values", KEPT_THAT_FIT_NOTHING, ids=str)
def test_kept_terms_that_fit_nothing_are_damaged(tmp_path, values):
    path = tmp_path / "mail.deciban"
    deciban.train(TEXTS, LABELS, model="multinomial", select="chi-square:2").save(path)
    kept = modelfile.load(path).buffers["kept"].tolist()
    assert len(kept) == 2
    assert modelfile.load(path).card_lexicon.names() == deciban.load(path).selected.lexicon.names()
    assert refusal(path, with_array(path.read_bytes(), "kept", np.array(values, np.uint32))) is errors.DamagedModel
    about, arrays, data = parts(path.read_bytes())
    other = {**about, "settings": {**about["settings"], "select": None}}
    assert refusal(path, signed(other, arrays, data)) is errors.DamagedModel


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_term_weights_that_make_no_sense_are_damaged(tmp_path, weight):
    path = tmp_path / "mail.deciban"
    deciban.train(TEXTS, LABELS, model="multinomial", term_weights="learnt").save(path)
    worth = np.array(modelfile.load(path).buffers["worth"])
    worth[1] = weight
    assert refusal(path, with_array(path.read_bytes(), "worth", worth)) is errors.DamagedModel
    about, arrays, data = parts(path.read_bytes())
    other = {**about, "settings": {**about["settings"], "term_weights": "none"}}
    assert refusal(path, signed(other, arrays, data)) is errors.DamagedModel


def test_a_group_that_is_not_known_here_is_told_from_damage(path):
    """Whoever passed over it could lose it when saving."""
    about, arrays, data = parts(path.read_bytes())
    arrays["pairs"] = {"dtype": "U8", "shape": [0], "data_offsets": [len(data)] * 2}
    newer = signed({**about, "groups": [*about["groups"], "tree"]}, arrays, data)
    assert refusal(path, newer) is errors.UnknownContent


@pytest.mark.parametrize("documents", [[-1, 2], [0, 3], [2**63 - 1, 1]])
def test_impossible_numbers_of_documents_are_damaged(path, documents):
    assert refusal(path, with_array(path.read_bytes(), "documents", np.array(documents))) is errors.DamagedModel


def test_a_file_of_the_first_format_has_no_scorecard(path):
    """Its counts are weighed; with a scorecard it would be of the second, which must have one."""
    about, arrays, data = parts((GOLDEN / "version-1.deciban").read_bytes())
    assert not arrays.keys() & {"bias", "absent", "weight"}
    assert refusal(path, signed({**about, "format": 2}, arrays, data)) is errors.DamagedModel
    about, arrays, data = parts((GOLDEN / "version-2.deciban").read_bytes())
    assert refusal(path, signed({**about, "format": 1}, arrays, data)) is errors.DamagedModel


def test_a_label_without_documents_is_damaged(path):
    """Nothing else contradicts it where the label has no term either."""
    deciban.train(["free money", ""], ["spam", "ham"]).save(path)
    assert refusal(path, with_array(path.read_bytes(), "documents", np.array([0, 1]))) is errors.DamagedModel


SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from([0.5, -0.5, np.nan, np.inf]) | st.text(max_size=5)
FLAT = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=5), SCALARS, max_size=3)
JSON = FLAT | st.lists(FLAT, max_size=3)


@given(st.data())
def test_a_made_up_header_is_refused_or_works(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "made-up.deciban"
    deciban.train(TEXTS, LABELS).save(path, frozen=data.draw(st.booleans()))
    about, arrays, content = parts(path.read_bytes())
    place = data.draw(st.sampled_from([about, about["settings"], *arrays.values()]))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JSON)
    refused_or_works(path, signed(about, arrays, content))


@given(st.data())
def test_made_up_counts_are_refused_or_work(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "made-up.deciban"
    smoothing = data.draw(st.sampled_from(["laplace", "deleted"]))
    deciban.train(TEXTS, LABELS, smoothing=smoothing).save(path, frozen=data.draw(st.booleans()))
    about, arrays, content = parts(path.read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.binary(min_size=1, max_size=16))[: len(content) - start]
    refused_or_works(path, signed(about, arrays, content[:start] + new + content[start + len(new) :]))


def refused_or_works(path, content):
    path.write_bytes(content)
    try:
        model = deciban.load(path)
    except errors.ModelFileError:
        return
    assert model.predict_proba([*TEXTS, "other words"]).shape == (4, len(model.labels))
    if not model.frozen:
        model.learn(TEXTS, LABELS)


def test_a_newer_model_is_told_from_a_damaged_one(path):
    """Whatever a later format holds: only the first bytes and the checksum stay as they are."""
    about, _, _ = parts(path.read_bytes())
    arrays = {"weights": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}}
    newer = signed({"format": 7, "checksum": "", "content": ["anything"]}, arrays, b"\1" * 16)
    assert refusal(path, newer) is errors.NewerModel
    assert refusal(path, newer[:-1]) is errors.TruncatedModel
    assert refusal(path, newer[:-1] + b"\2") is errors.DamagedModel
    assert refusal(path, signed({**about, "format": 0}, {}, b"")) is errors.OlderModel
    assert refusal(path, signed({**about, "format": -1}, {}, b"")) is errors.OlderModel


# Writing, whole or not at all


def run_python(program, *arguments, **options):
    """A program in a process of its own, which must end well."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


LARGE = """
import sys, os, random, resource, signal, time
import deciban
path = sys.argv[1]
a = deciban.train(["word%d " % i for i in range(30000)], ["a", "b"] * 15000, model="multinomial")
b = deciban.train(["term%d " % i for i in range(30000)], ["c", "d"] * 15000, model="multinomial")
a.save(path)
"""


def test_a_full_disk_leaves_the_old_model(tmp_path):
    program = f"""{LARGE}
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path) // 2,) * 2)
try:
    b.save(path)
except deciban.DecibanError as error:
    print(error)
"""
    path = tmp_path / "mail.deciban"
    assert run_python(program, path) == f"{path}: cannot write: File too large\n"
    assert deciban.load(path).labels == ("a", "b")
    assert os.listdir(tmp_path) == ["mail.deciban"]


INTERRUPTED = f"""{LARGE}
seen, how = set(), getattr(signal, sys.argv[2])
for attempt in range(12):
    child = os.fork()
    if not child:
        try:
            while True:
                b.save(path)
                a.save(path)
        except KeyboardInterrupt:
            os._exit(130)
    time.sleep(random.uniform(0.02, 0.07))
    os.kill(child, how)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended == (130 if how == signal.SIGINT else -signal.SIGKILL), ended
    seen.add(deciban.load(path).labels)
assert seen <= {{a.labels, b.labels}}, seen
"""


def test_kill_9_during_saving_leaves_a_whole_model(tmp_path):
    run_python(INTERRUPTED, tmp_path / "mail.deciban", "SIGKILL")


def test_ctrl_c_during_saving_leaves_a_whole_model_and_nothing_else(tmp_path):
    run_python(INTERRUPTED, tmp_path / "mail.deciban", "SIGINT")
    assert os.listdir(tmp_path) == ["mail.deciban"]


def test_a_link_stays_a_link_and_a_mode_a_mode(path, tmp_path):
    os.chmod(path, 0o640)
    (tmp_path / "link").symlink_to(path)
    deciban.train(["one", "two"], ["a", "b"]).save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert deciban.load(path).labels == ("a", "b")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_any_new_file(path, tmp_path):
    (tmp_path / "any").touch()
    assert path.stat().st_mode == (tmp_path / "any").stat().st_mode


def test_a_name_as_long_as_names_can_be(tmp_path):
    path = tmp_path / ("é" * 127)
    deciban.train(TEXTS, LABELS).save(path)
    assert deciban.load(path).labels == ("ham", "spam")


def test_a_pipe_is_written_to_and_stays_a_pipe(path, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    arrived = []
    reader = threading.Thread(target=lambda: arrived.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    deciban.load(path).save(tmp_path / "pipe")
    reader.join(timeout=60)
    assert arrived == [path.read_bytes()]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none/mail.deciban", "No such file or directory"),
        ("mail.deciban/mail.deciban", "Not a directory"),
        (".", "Is a directory"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_path_that_cannot_be_written_is_told(path, tmp_path, name, reason):
    with pytest.raises(errors.Unwritable, match=f": cannot write: {reason}$"):
        deciban.load(path).save(tmp_path / name)
    assert os.listdir(tmp_path) == ["mail.deciban"]


@pytest.mark.parametrize("name", [".", "none/mail.deciban", "mail.deciban/mail.deciban"])
def test_it_can_be_told_before_there_is_anything_to_write(path, tmp_path, name):
    with pytest.raises(errors.Unwritable):
        check_writable(tmp_path / name)
    check_writable(tmp_path / "new.deciban")
    check_writable(path)
    assert os.listdir(tmp_path) == ["mail.deciban"]


def test_a_name_that_no_file_can_have_is_told(path):
    with pytest.raises(errors.Unwritable, match=r"cannot write: .*embedded null"):
        deciban.load(path).save("a\0b")


READ_ONLY = """
import os, sys
import deciban.errors, deciban.files
if os.getuid() == 0:
    os.setuid(65534)
for path in sys.argv[1:]:
    try:
        deciban.files.check_writable(path)
        print("open")
    except deciban.errors.Unwritable as error:
        print(str(error).removeprefix(path))
"""


def test_what_is_read_only_cannot_be_written():
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders are closed to other users
        os.chmod(place, 0o777)
        for name, mode in (("open", 0o666), ("kept", 0o444), ("closed/any", 0o666)):
            path = Path(place, name)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"old")
            path.chmod(mode)
        path.parent.chmod(0o555)
        paths = [f"{place}/{name}" for name in ("open", "kept", "closed/any", "closed/new")]
        told = run_python(READ_ONLY, *paths).splitlines()
        path.parent.chmod(0o777)
        assert told == ["open", *[": cannot write: Permission denied"] * 3]
