"""Texts in Arrow's buffers and in bytes: read where they stand, and the same as from a list."""

import ctypes
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban import _core, errors
from deciban.evaluation import Evaluation
from deciban.examples import texts_of
from deciban.report import write
from deciban.sklearn import TextClassifier

TEXTS = ["free money", "", "see you at the café", "a text that is far too long to stand inside a view", "free money"]
LABELS = ["spam", "ham", "ham", "ham", "spam"]


class Capsule:
    """An object that can do nothing but hand over its buffers, once."""

    def __init__(self, column):
        self._column = column

    def __arrow_c_stream__(self, requested_schema=None):
        column, self._column = self._column, None
        return column.__arrow_c_stream__(requested_schema)


def sliced(values):
    return pa.array(["before", None, *values, None], pa.string()).slice(2, len(values))


def chunked(values):
    half = len(values) // 2
    chunks = [[], values[:half], [], values[half:], []]
    return pa.chunked_array([pa.array(chunk, pa.large_string()) for chunk in chunks])


def from_duckdb(values):
    mail = pa.table({"place": range(len(values)), "a": pa.array(values, pa.string())})
    return duckdb.from_arrow(mail).order("place").project("a")


ARROW = {
    "string": pa.array,
    "large string": lambda values: pa.array(values, pa.large_string()),
    "string view": lambda values: pa.array(values, pa.string_view()),
    "binary": lambda values: pa.array(values).cast(pa.binary()),
    "large binary": lambda values: pa.array(values).cast(pa.large_binary()),
    "binary view": lambda values: pa.array(values, pa.string_view()).cast(pa.binary_view()),
    "dictionary": lambda values: pa.array(values).dictionary_encode(),
    "dictionary of views": lambda values: pa.chunked_array([pl.Series(values, dtype=pl.Categorical).to_arrow()]),
    "slice": sliced,
    "slice of views": lambda values: sliced(values).cast(pa.string_view())[:],
    "slice of a dictionary": lambda values: sliced(values).dictionary_encode()[:],
    "chunks": chunked,
    "chunks of dictionaries": lambda values: chunked(values).dictionary_encode(),
    "polars": pl.Series,
    "polars slice": lambda values: pl.Series([None, *values]).slice(1),
    "polars category": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars enum": lambda values: pl.Series(values, dtype=pl.Enum(sorted(set(values)))),
    "polars binary": lambda values: pl.Series([value.encode() for value in values]),
    "pandas": pd.Series,
    "pandas rows": lambda values: pd.Series([None, *values], dtype="str")[1:],
    "pandas string": lambda values: pd.Series(values, dtype="string[pyarrow]"),
    "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.large_string())),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "duckdb by arrow": lambda values: from_duckdb(values).to_arrow_table()["a"],
    "duckdb by polars": lambda values: from_duckdb(values).pl()["a"],
    "capsule": lambda values: Capsule(pa.chunked_array([values], pa.string())),
}
BYTES = {
    "bytes": lambda values: [value.encode() for value in values],
    "bytes and strings": lambda values: [value if i % 2 else value.encode() for i, value in enumerate(values)],
    "numpy bytes": lambda values: np.array([value.encode() for value in values]),
}


@pytest.mark.parametrize("column", ARROW.values(), ids=ARROW)
def test_arrow_columns_are_not_converted(column):
    found = texts_of(column(TEXTS))
    assert isinstance(found, _core.Column)
    assert len(found) == len(TEXTS)
    assert [value if isinstance(value, str) else value.decode() for value in found] == TEXTS


@pytest.mark.parametrize("column", (ARROW | BYTES).values(), ids=ARROW | BYTES)
def test_columns_are_as_good_as_lists(column):
    model, expected = deciban.train(column(TEXTS), LABELS), deciban.train(TEXTS, LABELS)
    assert model.counts == expected.counts
    assert model.predict(column(TEXTS)) == expected.predict(TEXTS)
    assert np.array_equal(model.predict_proba(column(TEXTS)), expected.predict_proba(TEXTS))
    assert model.evaluate(column(TEXTS), LABELS).as_dict() == expected.evaluate(TEXTS, LABELS).as_dict()
    assert np.array_equal(model.leave_one_out().scores, expected.leave_one_out().scores)
    assert np.array_equal(model.leave_one_out(column(TEXTS), LABELS).scores, expected.leave_one_out().scores)


@pytest.mark.parametrize("column", (ARROW | BYTES).values(), ids=ARROW | BYTES)
def test_examples_from_columns_and_from_lists_are_learnt_and_forgotten_alike(column):
    expected = deciban.train(TEXTS, LABELS).leave_one_out().scores
    model = deciban.train(column(TEXTS), LABELS).learn(["lunch?"], ["ham"]).forget([b"lunch?"], ["ham"])
    assert np.array_equal(model.leave_one_out().scores, expected)
    model = deciban.train([*TEXTS, *TEXTS], [*LABELS, *LABELS]).forget(column(TEXTS), LABELS)
    assert np.array_equal(model.leave_one_out().scores, expected)
    model = deciban.train(column(TEXTS), LABELS) + deciban.train(column(TEXTS), LABELS)
    assert len(model.leave_one_out().truth) == 2 * len(TEXTS)


@pytest.mark.parametrize("name", [name for name in ARROW if "binary" not in name])
def test_labels_may_stand_in_arrow_too(name):
    column, expected = ARROW[name], deciban.train(TEXTS, LABELS)
    assert deciban.train(TEXTS, column(LABELS)).counts == expected.counts
    assert expected.evaluate(TEXTS, column(LABELS)).as_dict() == expected.evaluate(TEXTS, LABELS).as_dict()


@pytest.mark.parametrize("column", (ARROW | BYTES).values(), ids=ARROW | BYTES)
def test_the_report_shows_the_texts_of_any_column(column, tmp_path):
    for name, make in {"list": list, "column": column}.items():
        model = deciban.train(make(TEXTS), LABELS)
        held = Evaluation(model.leave_one_out())
        write(tmp_path / name, model, held, make(TEXTS), protocol="leave-one-out", command="deciban")
    assert (tmp_path / "column").read_bytes() == (tmp_path / "list").read_bytes()


def test_the_scikit_learn_face_takes_them():
    expected = TextClassifier().fit(TEXTS, LABELS).predict_proba(TEXTS)
    for column in (ARROW | BYTES).values():
        assert np.array_equal(TextClassifier().fit(column(TEXTS), LABELS).predict_proba(column(TEXTS)), expected)
    model = TextClassifier().fit(pa.array(TEXTS), pa.array([1, 0, 0, 0, 1]))
    assert model.partial_fit(pl.Series(["lunch?"]), pl.Series([2])).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["sms-spam", "tweets-8lang"])
def test_real_texts_from_everywhere(data, name):
    texts, labels = data(name)
    expected = deciban.train(texts, labels, model="multinomial")
    answers = expected.predict(texts)
    for column in (ARROW | BYTES).values():
        model = deciban.train(column(texts), labels, model="multinomial")
        assert model.counts == expected.counts
        assert model.predict(column(texts)) == answers
    assert (
        deciban.train(pl.Series(texts), pl.Series(labels, dtype=pl.Categorical), model="multinomial").counts
        == expected.counts
    )


# Laws

KINDS = [
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()),
    *(pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.large_string())),
]


@given(st.sampled_from(KINDS), st.lists(st.lists(st.none() | st.text()), max_size=4), st.data())
def test_a_column_is_the_list_of_its_values(kind, chunks, data):
    arrays = [pa.array(chunk, pa.string()).cast(kind) for chunk in chunks]
    column = pa.chunked_array(arrays, kind)
    start = data.draw(st.integers(0, len(column)))
    column = column.slice(start, data.draw(st.integers(0, len(column) - start)))
    found, expected = texts_of(column), column.to_pylist()
    assert isinstance(found, _core.Column)
    assert list(found) == expected
    assert [found[place] for place in range(len(found))] == expected
    with pytest.raises(IndexError):
        found[len(found)]


# Nothing is copied

MEMORY = """
import re
import numpy as np, pyarrow as pa, deciban
model = deciban.train(["one word", "two words"], ["a", "b"], threads=1)
offsets = pa.py_buffer(np.arange(0, (64 << 20) + 1, 1 << 16))
column = pa.Array.from_buffers(pa.large_string(), 1024, [None, offsets, pa.py_buffer(b"word two" * (8 << 20))])
labels = ["a", "b"] * 512
def most(): return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
before = most()
model.predict(column)
model = deciban.train(column, labels, threads=1, model="multinomial").learn(column, labels)
model.evaluate(column, labels)
assert len(model.leave_one_out().truth) == 2048
print((most() - before) >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the most memory that a process has had")
def test_the_texts_of_an_arrow_column_are_not_copied():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 32  # MB, for 64 MB of texts


def test_pyarrow_is_not_needed():
    code = """if True:
        import sys
        import deciban, deciban.classifier, polars as pl
        model = deciban.train(pl.Series(["free", "see"]), pl.Series(["spam", "ham"]))
        assert model.predict(pl.Series([b"free"])) == ["spam"]
        sys.exit("pyarrow" in sys.modules)
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Hostile columns


def refusal(texts):
    """The one line that all verbs say of some texts."""
    model = deciban.train(TEXTS, LABELS)
    before, labels = model.counts, ["spam"] * 3
    said = set()
    for action in [
        lambda: deciban.train(texts, labels, model="multinomial"),
        lambda: model.predict(texts),
        lambda: model.scores(texts),
        lambda: model.learn(texts, labels),
        lambda: model.forget(texts, labels),
        lambda: model.evaluate(texts, labels),
        lambda: TextClassifier().fit(texts, labels),
    ]:
        with pytest.raises(errors.InputError) as caught:
            action()
        said.add(str(caught.value))
    assert model.counts == before
    (line,) = said
    return line


NULL = pa.array(["free", None, "see"])
NULLS = {
    **{str(kind): NULL.cast(kind) for kind in KINDS},
    "slice": pa.array([None, "free", None, "see"])[1:],
    "chunks": pa.chunked_array([["free"], [], [None, "see"]]),
    "null in a dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["free", None])),
    "polars": pl.Series(["free", None, "see"]),
    "polars category": pl.Series(["free", None, "see"], dtype=pl.Categorical),
    "pandas": pd.Series(["free", None, "see"]),
}


@pytest.mark.parametrize("column", NULLS.values(), ids=NULLS)
def test_a_null_is_told_with_its_place(column):
    assert refusal(column) == "texts[1]: expected a text, got None"
    if "binary" not in str(getattr(column, "type", "")):
        with pytest.raises(errors.BadLabel, match=r"^labels\[1\]: expected a label as text, got None$"):
            deciban.train(TEXTS[:3], column)


def test_a_column_of_nulls_alone():
    assert refusal(pa.array([None] * 3, pa.dictionary(pa.int8(), pa.string()))) == "texts[0]: expected a text, got None"
    assert refusal(pa.nulls(3)) == "texts[0]: expected a text, got None"


def claimed(kind, values):
    """Bytes that are said to be texts of some kind, by whoever made the buffers."""
    if kind == pa.string_view():
        binary = pa.array(values, pa.binary_view())
        return pa.Array.from_buffers(kind, len(values), binary.buffers())
    binary = pa.array(values, pa.large_binary() if kind == pa.large_string() else pa.binary())
    return pa.Array.from_buffers(kind, len(values), binary.buffers())


BROKEN = [b"free", b"caf\xe9", b"see"]
NO_UTF8 = {
    "bytes": BROKEN,
    "numpy bytes": np.array(BROKEN),
    "binary": pa.array(BROKEN),
    "binary view": pa.array(BROKEN, pa.binary_view()),
    "string": claimed(pa.string(), BROKEN),
    "large string": claimed(pa.large_string(), BROKEN),
    "string view": claimed(pa.string_view(), BROKEN),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), claimed(pa.string(), BROKEN)),
    "chunks": pa.chunked_array([claimed(pa.string(), BROKEN[:1]), claimed(pa.string(), BROKEN[1:])]),
    "slice": claimed(pa.string(), [b"\xff", *BROKEN])[1:],
    "polars": pl.Series(BROKEN),
}


@pytest.mark.parametrize("column", NO_UTF8.values(), ids=NO_UTF8)
def test_what_is_not_utf8_is_told_with_its_place(column):
    line = "texts[1]: the bytes are not UTF-8 (0xe9 after 3); decode them by their true encoding"
    assert refusal(column) == line


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_a_letter_is_not_cut_by_the_end_of_a_text(kind):
    """All bytes together are UTF-8 only if the two halves of a letter may stand in two texts."""
    halves = [b"free", b"caf\xc3", b"\xa9 see"]
    line = "texts[1]: the bytes are not UTF-8 (0xc3 after 3); decode them by their true encoding"
    assert refusal(claimed(kind, halves)) == line


def test_a_label_that_is_no_text_is_told_with_its_place():
    for column, got in [
        (claimed(pa.string(), [b"spam", b"\xff"]), "bytes b'\\xff'"),
        (pa.array([b"spam", b"ham"]), "bytes b'spam'"),
        (pa.array([1, 2]), "int 1"),
        (pa.array(["spam", ""]), "an empty one"),
    ]:
        place = 0 if "spam" in got or "int" in got else 1
        with pytest.raises(errors.BadLabel) as caught:
            deciban.train(["free", "see"], column)
        assert str(caught.value).replace("\\\\", "\\") == f"labels[{place}]: expected a label as text, got {got}"


def from_buffers(kind, *buffers):
    return pa.Array.from_buffers(kind, 3, [None, *(pa.py_buffer(buffer) for buffer in buffers)])


def views(*views_):
    return np.array([*views_], np.dtype([("length", "<i4"), ("prefix", "S4"), ("buffer", "<i4"), ("offset", "<i4")]))


LONG, EMPTY = b"a text that is long", (0, b"", 0, 0)
DAMAGED = {
    "offsets that go back": from_buffers(pa.string(), np.array([0, 4, 2, 4], np.int32), b"free"),
    "offsets below zero": from_buffers(pa.string(), np.array([0, -4, 0, 4], np.int32), b"free"),
    "large offsets below zero": from_buffers(pa.large_string(), np.array([0, -8, 0, 4], np.int64), b"free"),
    "a view beyond its buffer": from_buffers(pa.string_view(), views((19, LONG[:4], 0, 1), EMPTY, EMPTY), LONG),
    "a view of no buffer": from_buffers(pa.string_view(), views((19, LONG[:4], 7, 0), EMPTY, EMPTY), LONG),
    "a key beyond its dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 9, 0]), pa.array(["free"]), safe=False),
    "a key below zero": pa.DictionaryArray.from_arrays(pa.array([0, -1, 0]), pa.array(["free"]), safe=False),
}


@pytest.mark.parametrize("column", DAMAGED.values(), ids=DAMAGED)
def test_buffers_that_do_not_fit_are_refused(column):
    line = refusal(column)
    assert line.startswith("the Arrow column of texts cannot be read: ")
    assert line.isprintable()


def test_buffers_may_stand_anywhere_in_memory():
    offsets = b"?" + np.array([0, 4, 8, 11], np.int32).tobytes()
    column = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(offsets)[1:], pa.py_buffer(b"freefreesee")])
    assert list(texts_of(column)) == ["free", "free", "see"]


def test_an_object_that_fails_to_hand_over_its_buffers():
    class Failing(Capsule):
        def __arrow_c_stream__(self, requested_schema=None):
            raise ValueError("two\nlines")

    assert refusal(Failing(None)).startswith("expected a list or a column of texts, got Failing ")


@pytest.mark.parametrize("name", ["__arrow_c_array__", "__arrow_c_stream__"])
def test_buffers_that_were_handed_over_before(name):
    handed = getattr(pa.array(TEXTS) if "array" in name else pa.chunked_array([TEXTS]), name)()
    column = type("Held", (), {name: lambda self: handed})()
    assert list(texts_of(column)) == TEXTS
    assert refusal(column).startswith("expected a list or a column of texts, got Held ")


class Stream(ctypes.Structure):
    """Arrow's C stream interface, of texts: an array comes, and then an error."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private")]


class Failing:
    """Hands over such streams, with some words for the error."""

    def __init__(self, words):
        self.words, self.kept = words, []

    def __arrow_c_stream__(self, requested_schema=None):
        of_stream = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        of_error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
        arrays = [pa.array(TEXTS)]

        def get_schema(_, out):
            pa.string()._export_to_c(out)
            return 0

        def get_next(_, out):
            if not arrays:
                return 5
            arrays.pop()._export_to_c(out)
            return 0

        def get_last_error(_):
            return self.words and ctypes.addressof(self.words)

        calls = of_stream(get_schema), of_stream(get_next), of_error(get_last_error)
        stream = Stream(*(ctypes.cast(call, ctypes.c_void_p).value for call in calls))
        self.kept.append((calls, stream))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)


@pytest.mark.parametrize(
    ("words", "told"),
    [(ctypes.create_string_buffer(b"disk gone"), "disk gone"), (None, "error 5 of the stream")],
    ids=["with words", "without"],
)
def test_a_stream_that_fails_on_its_way(words, told):
    assert refusal(Failing(words)) == f"the Arrow column of texts cannot be read: C Data interface error: {told}"


NO_TEXTS = {
    "int 1": pa.array([1, 2, 3]),
    "float 1.5": pl.Series([1.5, 2.5, 3.5]),
    "bool True": pa.array([True] * 3),
    "list ['a']": pa.array([["a"]] * 3),
    "dict {'a': 'b'}": pa.array([{"a": "b"}] * 3),
    "Timestamp Timestamp('2001-01-01 00:00:00')": pd.Series(pd.to_datetime(["2001-01-01"] * 3)),
    "int 7": pa.array([7, 7, 7]).dictionary_encode(),
}


@pytest.mark.parametrize(("got", "column"), NO_TEXTS.items(), ids=NO_TEXTS)
def test_columns_of_other_things_are_told_with_their_first_row(got, column):
    assert refusal(column) == f"texts[0]: expected a text, got {got}"


def test_a_table_is_no_column():
    assert refusal(from_duckdb(TEXTS)).startswith("expected a list or a column of texts, got DuckDBPyRelation ")
    assert refusal(Capsule(pa.table({"a": TEXTS}))).startswith("expected a list or a column of texts, got Capsule ")


@pytest.mark.parametrize("column", ARROW.values(), ids=ARROW)
def test_no_rows(column):
    model = deciban.train(TEXTS, LABELS)
    assert model.predict(column([])) == []
    assert model.predict_proba(column([])).shape == (0, 2)
    with pytest.raises(errors.NoExamples, match=r"^texts: expected labelled examples, got none$"):
        deciban.train(column([]), column([]), model="multinomial")


def test_numpy_strings_with_something_missing():
    missing = np.array(["free", np.nan, "see"], dtype=np.dtypes.StringDType(na_object=np.nan))
    assert refusal(missing) == "texts[1]: expected a text, got nan"


def test_a_model_keeps_the_texts_whatever_becomes_of_the_column():
    column = pa.array(["free " * 100, "see " * 100])
    model = deciban.train(column, ["spam", "ham"])
    expected = model.leave_one_out().scores
    del column
    assert np.array_equal(model.leave_one_out().scores, expected)
