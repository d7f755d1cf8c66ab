"""Readers: files and columns become examples, and whatever is wrong is told with the line where it is."""

import contextlib
import csv
import gc
import gzip
import io
import json
import os
import select
import subprocess
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from deciban import errors
from deciban.errors import DecibanError
from deciban.examples import Source
from deciban.settings import Settings
from deciban.training import train_on

BOM = b"\xef\xbb\xbf"


def examples(path, **options):
    """All examples of a file: (line, text, label)."""
    found = []
    for batch in Source(path, **options).batches():
        found += zip(batch.lines, batch.texts, batch.labels, strict=True)
    return found


@pytest.fixture
def read(tmp_path):
    """Reads a file of some name and content."""

    def read(name, content, **options):
        (tmp_path / name).write_bytes(content)
        return examples(tmp_path / name, **options)

    return read


@pytest.fixture
def refusal(read, tmp_path):
    """The class of the error that reading raises, and what it says, with the folder left out."""

    def refusal(name, content, **options):
        with pytest.raises(DecibanError) as caught:
            read(name, content, **options)
        assert str(caught.value).isprintable()
        return type(caught.value), str(caught.value).removeprefix(f"{tmp_path}/")

    return refusal


# CSV

GOOD_CSV = {
    "plain": (b"text,label\nhi,ham\nbuy,spam\n", [(2, "hi", "ham"), (3, "buy", "spam")]),
    "no last line feed": (b"text,label\nhi,ham", [(2, "hi", "ham")]),
    "other order": (b"label,id,text\nham,1,hi\n", [(2, "hi", "ham")]),
    "crlf": (b"text,label\r\nhi,ham\r\nbuy,spam\r\n", [(2, "hi", "ham"), (3, "buy", "spam")]),
    "bom": (BOM + b"text,label\nhi,ham\n", [(2, "hi", "ham")]),
    "bom and quotes": (BOM + b'"text","label"\n"hi","ham"\n', [(2, "hi", "ham")]),
    "quotes": (b'text,label\n"a, ""b""",ham\n', [(2, 'a, "b"', "ham")]),
    "quotes inside": (b'text,label\n5" wide,ham\n', [(2, '5" wide', "ham")]),
    "several lines": (b'text,label\n"a\nb\n\nc",ham\nd,spam\n', [(2, "a\nb\n\nc", "ham"), (6, "d", "spam")]),
    "crlf inside": (b'text,label\r\n"a\r\nb",ham\r\n', [(2, "a\r\nb", "ham")]),
    "blank lines": (b"\n\ntext,label\n\nhi,ham\n\r\n\nbuy,spam\n\n", [(5, "hi", "ham"), (8, "buy", "spam")]),
    "header over two lines": (b'"text","label","of\nwhat"\nhi,ham,1\n', [(3, "hi", "ham")]),
    "empty text": (b'text,label\n,ham\n"",spam\n', [(2, "", "ham"), (3, "", "spam")]),
    "nul and mark inside": ("text,label\na\0b\ufeff,ham\n".encode(), [(2, "a\0b\ufeff", "ham")]),
    "spaces stay": (b"text,label\n hi , ham\n", [(2, " hi ", " ham")]),
    "no rows": (b"text,label\n", []),
    "other line ends inside": ("text,label\na\u2028b\x85c\x0bd,ham\n".encode(), [(2, "a\u2028b\x85c\x0bd", "ham")]),
}


@pytest.mark.parametrize(("content", "expected"), GOOD_CSV.values(), ids=GOOD_CSV)
def test_csv(read, content, expected):
    assert read("mail.csv", content) == expected


BAD_CSV = {
    "too few": (b"text,label\nhi\n", errors.ColumnCount, "mail.csv:2: expected 2 columns (text, label), got 1"),
    "too many": (b"text,label\nhi,ham,x\n", errors.ColumnCount, "mail.csv:2: expected 2 columns (text, label), got 3"),
    "after several lines": (
        b'text,label\n"a\nb\nc",ham\n\n"d\ne",ham,x\n',
        errors.ColumnCount,
        "mail.csv:6: expected 2 columns (text, label), got 3",
    ),
    "a blank that is none": (
        b"text,label\n  \n",
        errors.ColumnCount,
        "mail.csv:2: expected 2 columns (text, label), got 1",
    ),
    "semicolons": (
        b"text;label\nhi;ham\n",
        errors.MissingColumn,
        "mail.csv:1: no column 'text'; the columns are: text;label",
    ),
    "cut off": (
        b'text,label\nhi,ham\n"a\nb',
        errors.BadCsv,
        "mail.csv:3: not valid CSV: a quotation mark is never closed; is the file cut off?",
    ),
    "after a quote": (b'text,label\n"a"b,ham\n', errors.BadCsv, "mail.csv:2: not valid CSV: ',' expected after '\"'"),
    "carriage returns": (
        b"text,label\rhi,ham\rbuy,spam\r",
        errors.BadCsv,
        "mail.csv:1: not valid CSV: a carriage return outside quotation marks; lines end with a line feed",
    ),
    "no label": (
        b"text,label\nhi,ham\nbuy,\n",
        errors.BadLabel,
        "mail.csv:3: expected a label as text, got an empty one",
    ),
    "no header": (
        b"hi,ham\nbuy,spam\n",
        errors.MissingColumn,
        "mail.csv:1: no column 'text'; the columns are: hi, ham",
    ),
    "empty": (b"", errors.EmptyFile, "mail.csv: expected examples, got an empty file"),
    "only a mark": (BOM, errors.EmptyFile, "mail.csv: expected examples, got an empty file"),
    "packed nothing": (gzip.compress(b""), errors.EmptyFile, "mail.csv: expected examples, got an empty file"),
    "broken utf-8": (
        b'text,label\n"a\nb",ham\ncaf\xe9,ham\n',
        errors.NotInEncoding,
        "mail.csv:4: not valid utf-8 (byte 0xe9); give its true --encoding, such as latin-1",
    ),
    "utf-8 that is cut off": (
        "text,label\nhi,ham\ncafé".encode()[:-1],
        errors.NotInEncoding,
        "mail.csv:3: not valid utf-8 (byte 0xc3); give its true --encoding, such as latin-1",
    ),
    "surrogates": (
        b"text,label\n\xed\xa0\x80,ham\n",
        errors.NotInEncoding,
        "mail.csv:2: not valid utf-8 (byte 0xed); give its true --encoding, such as latin-1",
    ),
    "utf-16": (
        "text,label\n".encode("utf-16-le"),
        errors.MissingColumn,
        "mail.csv:1: no column 'text'; the columns are: " + r"t\x00e\x00x\x00t\x00, \x00l\x00a\x00b\x00e\x00l\x00",
    ),
    "utf-16 with a mark": (
        "text,label\n".encode("utf-16"),
        errors.NotInEncoding,
        "mail.csv:1: not valid utf-8 (byte 0xff); give its true --encoding, such as latin-1",
    ),
}


@pytest.mark.parametrize(("content", "kind", "line"), BAD_CSV.values(), ids=BAD_CSV)
def test_bad_csv(refusal, content, kind, line):
    assert refusal("mail.csv", content) == (kind, line)


def test_broken_utf_8_far_inside_a_file_has_its_line(refusal):
    content = b"text,label\n" + b'"two\nlines",ham\n' * 50_000 + b"\xff,ham\n"
    assert refusal("mail.csv", content)[1].startswith("mail.csv:100002: not valid utf-8 (byte 0xff)")


def test_another_delimiter(read, refusal):
    assert read("mail.csv", b'text;label\n"a;b,c";ham\n', delimiter=";") == [(2, "a;b,c", "ham")]
    assert read("mail.tsv", b'text|label\n"a,b|ham\n', delimiter="|") == [(2, '"a,b', "ham")]
    for delimiter in ("", "ab", "\n", "\r", '"'):
        line = f"delimiter={delimiter!r}: expected one character"
        assert refusal("mail.csv", b"text;label\n", delimiter=delimiter) == (errors.BadSetting, line)


def test_columns_that_stand_there_twice(read, refusal):
    content = b"id,text,id,label\n1,hi,2,ham\n"
    assert read("mail.csv", content) == [(2, "hi", "ham")]  # only wanted columns must be clear
    assert refusal("mail.csv", content, keep=("id",))[1] == "mail.csv:1: the column 'id' stands there twice"


def test_a_header_without_end_is_told_in_a_short_line(refusal):
    kind, line = refusal("mail.csv", b"x" * 10**6 + b",y" * 10**4 + b"\n")
    assert kind is errors.MissingColumn
    assert len(line) < 300
    assert line.endswith(", y, y and 9989 more")


# TSV and plain lines


def test_tsv_has_no_quotes(read):
    assert read("mail.tsv", b'text\tlabel\n"a\tham\n"b""\tspam\r\nc\rd\tham\n') == [
        (2, '"a', "ham"),
        (3, '"b""', "spam"),
        (4, "c\rd", "ham"),
    ]


def test_bad_tsv(refusal):
    content = b"text\tlabel\n\nhi\tham\nbuy\n"
    assert refusal("mail.tsv", content)[1] == "mail.tsv:4: expected 2 columns (text, label), got 1"


def test_plain_lines_are_texts_and_empty_ones_too(tmp_path):
    (tmp_path / "mail.txt").write_bytes(BOM + b'hi, "you\r\n\nlast')
    texts = [text for batch in Source(tmp_path / "mail.txt", label=None).batches() for text in batch.texts]
    assert texts == ['hi, "you', "", "last"]


def test_plain_lines_have_no_labels(refusal):
    assert refusal("mail.txt", b"hi\n")[1] == "mail.txt: no column 'label'; the columns are: text"


# JSON lines


def row(label):
    return b'{"text": "hi", "label": %s}\n' % label


def test_json_lines(read):
    content = BOM + b'{"text": "a\\nb", "label": "ham"}\r\n\n  \n{"label": "spam", "more": {}, "text": ""}'
    assert read("mail.jsonl", content) == [(1, "a\nb", "ham"), (4, "", "spam")]


@pytest.mark.parametrize(
    ("given", "label"),
    [(b"1", "1"), (b"-1.5", "-1.5"), (b"true", "true"), (b"false", "false"), (b"0", "0"), (b'"\\u00e9"', "é")],
)
def test_numbers_and_truth_values_are_labels(read, given, label):
    assert read("mail.jsonl", row(given)) == [(1, "hi", label)]


DEEP = b"[" * 10**6
BAD_JSON = {
    "null": (row(b"null"), errors.BadLabel, "expected a label as text, got None"),
    "nan": (row(b"NaN"), errors.BadLabel, "expected a label as text, got nan"),
    "list": (row(b'["ham"]'), errors.BadLabel, "expected a label as text, got list ['ham']"),
    "object": (row(b"{}"), errors.BadLabel, "expected a label as text, got dict {}"),
    "empty": (row(b'""'), errors.BadLabel, "expected a label as text, got an empty one"),
    "half a pair": (
        row(b'"\\ud800"'),
        errors.BadLabel,
        "expected a label as text, got half a surrogate pair, which is not Unicode",
    ),
    "cut off": (row(b"3")[:-3], errors.BadJson, "not valid JSON: Expecting value at character 25"),
    "single quotes": (b"{'text': 'hi'}\n", errors.BadJson,
        "not valid JSON: Expecting property name enclosed in double quotes at character 2"),
    "two a line": (row(b"1")[:-1] + row(b"2"), errors.BadJson, "not valid JSON: Extra data at character 27"),
    "deep": (b'{"text": ' + DEEP + b"\n", errors.BadJson, "not valid JSON: nested too deeply"),
    "many digits": (row(b"9" * 5000), errors.BadJson, "not valid JSON: a number of too many digits"),
    "an array": (b'[{"text": "hi"}]\n', errors.NotAnObject, "expected a JSON object, got list [{'text': 'hi'}]"),
    "a text": (b'"hi"\n', errors.NotAnObject, "expected a JSON object, got 'hi'"),
    "no text": (b'{"label": "ham", "b": 1}\n', errors.MissingColumn, "no column 'text'; the columns are: label, b"),
    "nothing": (b"{}\n", errors.MissingColumn, "no column 'text'; the columns are: none"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "kind", "line"), BAD_JSON.values(), ids=BAD_JSON)
def test_bad_json(refusal, content, kind, line):
    content = b'{"text": "fine", "label": "ham"}\n\n' + content
    assert refusal("mail.jsonl", content) == (kind, f"mail.jsonl:3: {line}")


BAD_TEXTS = {b"null": "None", b"3": "int 3", b"[1]": "list [1]", b"true": "bool True", b"NaN": "nan"}


@pytest.mark.parametrize(("given", "got"), BAD_TEXTS.items())
def test_a_text_that_is_none_is_told_with_its_line(tmp_path, given, got):
    (tmp_path / "mail.jsonl").write_bytes(row(b"1") + row(b"2") + b'\n{"text": %s, "label": "ham"}\n' % given)
    with pytest.raises(errors.BadText) as caught:
        train_on(Source(tmp_path / "mail.jsonl"), Settings())
    assert str(caught.value) == f"mail.jsonl:4: expected a text, got {got}"


def test_half_a_surrogate_pair_is_told_with_its_line(tmp_path):
    (tmp_path / "mail.jsonl").write_bytes(row(b"1") + b'{"text": "\\ud83d\\ude00 \\ud83d", "label": "2"}\n')
    with pytest.raises(errors.BrokenText, match=r"^mail\.jsonl:2: the text holds half a surrogate pair"):
        train_on(Source(tmp_path / "mail.jsonl"), Settings())


# Packed files

PLAIN = b"text,label\n" + b"".join(b"text %d,label\n" % i for i in range(5000))


def test_gzip_is_told_by_its_content(read):
    expected = read("mail.csv", PLAIN)
    assert len(expected) == 5000
    assert read("mail.csv", gzip.compress(PLAIN)) == expected
    assert read("mail.csv.gz", gzip.compress(PLAIN)) == expected
    assert read("mail.csv.gz", PLAIN) == expected
    assert read("mail.csv.gz", gzip.compress(PLAIN[:100]) + gzip.compress(PLAIN[100:])) == expected


def damaged(packed):
    """Ways in which a gzip file is damaged."""
    yield packed[:-4]
    yield packed[: len(packed) // 2]
    yield packed[:12]
    yield packed[:-8] + b"\0\0\0\0" + packed[-4:]
    yield packed[:10] + b"\xff" * 40
    yield packed + b"and more"


def test_damaged_gzip(refusal):
    for content in damaged(gzip.compress(PLAIN)):
        kind, line = refusal("mail.csv.gz", content)
        assert kind is errors.DamagedGzip
        assert line.startswith("mail.csv.gz: the gzip file is cut off or damaged after line ")


# Encodings


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "UTF8", "utf_8_sig", "utf-32", "cp437"])
def test_encodings(read, encoding):
    content = 'text,label\ncafé,ham\n"a\nü",spam\n'.encode(encoding)
    assert read("mail.csv", content, encoding=encoding) == [(2, "café", "ham"), (3, "a\nü", "spam")]


@pytest.mark.parametrize("encoding", ["", "utf-9", "base64", "hex", "rot13", "zlib", "undefined", "a\0b", "\ud800"])
def test_what_is_no_encoding(refusal, encoding):
    kind, line = refusal("mail.csv", b"text,label\nhi,ham\n", encoding=encoding)
    assert kind is errors.UnknownEncoding
    assert line.endswith(" is not an encoding that Python knows; try utf-8, latin-1 or cp1252")


@pytest.mark.parametrize(
    ("encoding", "content", "line"),
    [
        ("utf-16", b"text,label\n", "mail.csv:1: not valid utf-16 (byte 0x74)"),
        ("utf-16", "text,label\nhi,ham\n".encode("utf-16") + b"x", "mail.csv:3: not valid utf-16 (byte 0x78)"),
        ("ascii", "text,label\nhi,ham\né,ham\n".encode(), "mail.csv:3: not valid ascii (byte 0xc3)"),
        ("cp1252", b"text,label\n\x81,ham\n", "mail.csv:2: not valid cp1252 (byte 0x81)"),
        ("punycode", b"text,label\n", "mail.csv:1: not valid punycode (byte 0x"),
        ("idna", b"xn--99999999", "mail.csv:1: not valid idna (byte 0x"),
    ],
)
def test_what_is_not_in_its_encoding(refusal, encoding, content, line):
    assert refusal("mail.csv", content, encoding=encoding)[1].startswith(line)


# Which file, which rows


@pytest.mark.parametrize("name", ["a.CSV", "a.b.csv", "a.csv.bak", "a.tsv.csv", "a.csv.gz"])
def test_the_format_is_told_by_the_name(read, name):
    assert read(name, b"text,label\nhi,ham\n") == [(2, "hi", "ham")]


@pytest.mark.parametrize("name", ["mail", "mail.xls", ".csv", "csv", "mail.gz"])
def test_a_name_that_does_not_tell_the_format(read, refusal, name):
    assert refusal(name, b"text,label\nhi,ham\n")[0] is errors.UnknownFormat
    assert read(name, b"text,label\nhi,ham\n", format="csv") == [(2, "hi", "ham")]


def test_an_unknown_format(refusal):
    line = "format='xml': not known; the known ones are: csv, tsv, jsonl, txt"
    assert refusal("mail.csv", b"text,label\n", format="xml") == (errors.UnknownChoice, line)


def test_where_keeps_rows_that_have_all_values(read, refusal):
    content = b"text,label,split,lang\na,ham,train,en\nb,ham,test,en\nc,ham,test,de\nd,ham,,de\n"
    assert read("mail.csv", content, where=(("split", "test"),)) == [(3, "b", "ham"), (4, "c", "ham")]
    assert read("mail.csv", content, where=(("split", "test"), ("lang", "de"))) == [(4, "c", "ham")]
    assert read("mail.csv", content, where=(("split", ""),)) == [(5, "d", "ham")]
    kind, line = refusal("mail.csv", content, where=(("split", "train"), ("lang", "de")))
    assert (kind, line) == (errors.NoRowLeft, "mail.csv: no row has split=train and lang=de")
    line = "mail.csv:1: no column 'spl'; the columns are: text, label, split, lang"
    assert refusal("mail.csv", content, where=(("spl", "test"),)) == (errors.MissingColumn, line)


def test_where_compares_json_as_it_is_written(read):
    content = b'{"text": "a", "label": "x", "n": 1}\n{"text": "b", "label": "x", "n": true}\n'
    assert read("mail.jsonl", content, where=(("n", "1"),)) == [(1, "a", "x")]
    assert read("mail.jsonl", content, where=(("n", "true"),)) == [(2, "b", "x")]


def test_rows_that_are_not_wanted_may_lack_a_label(read):
    content = b"text,label,split\na,ham,train\nb,,todo\n"
    assert read("mail.csv", content, where=(("split", "train"),)) == [(2, "a", "ham")]


def test_what_cannot_be_opened_or_read(tmp_path):
    for path, reason in [
        (tmp_path, "Is a directory"),
        (tmp_path / "none.csv", "No such file or directory"),
        ("/proc/self/mem", "Input/output error"),
        ("a\0b.csv", ".*embedded null.*"),
    ]:
        with pytest.raises(errors.Unreadable, match=f": cannot read: {reason}$"):
            examples(path, format="csv")


# Standard input, and what is waited for


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"text,label\nhi,ham\n", [(2, "hi", "ham")]),
        (BOM + b'  {"text": "hi", "label": "ham"}\n', [(1, "hi", "ham")]),
        (gzip.compress(b"text,label\nhi,ham\n", mtime=0), [(2, "hi", "ham")]),
    ],
)
def test_standard_input_is_csv_or_json_lines(monkeypatch, content, expected):
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert examples("-") == expected
    assert not stdin.buffer.closed


def test_errors_about_standard_input_name_it(monkeypatch):
    for content, line in [
        (b"", "standard input: expected examples, got an empty file"),
        (b"text,label\nhi\n", "standard input:2: expected 2 columns (text, label), got 1"),
        (
            gzip.compress(b"text,label\n", mtime=0)[:-3],
            "standard input: the gzip file is cut off or damaged after line 1",
        ),
    ]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
        with pytest.raises(DecibanError) as caught:
            examples("-")
        assert str(caught.value) == line


@pytest.mark.parametrize(
    "exchange",
    [
        [(b'{"text": "free"}\n', ["label", "spam"]), (b'{"text": "see"}\n', ["ham"])],
        [(b"text\nfree\n", ["label", "spam"]), (b'see\n"two\nlines"\n', ["ham", "ham"]), (b"free", [])],
    ],
    ids=["jsonl", "csv"],
)
@pytest.mark.parametrize("file", ["-", "/dev/stdin", "pipe"])
def test_every_line_is_answered_before_the_next_is_waited_for(tmp_path, exchange, file):
    deciban.train(["free money", "see you", "see two"], ["spam", "ham", "ham"]).save(tmp_path / "mail.deciban")
    os.mkfifo(tmp_path / "pipe")
    kind = "jsonl" if exchange[0][0].startswith(b"{") else "csv"
    command = [sys.executable, "-m", "deciban", "predict", "mail.deciban", file]
    told = command if file == "-" else [*command, "--format", kind]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
    with subprocess.Popen(told, env=buffered, cwd=tmp_path, **pipes) as process:
        # Opened for reading too, a pipe does not wait for its reader.
        with open(tmp_path / "pipe", "r+b", buffering=0) if file == "pipe" else process.stdin as writer:
            for lines, answers in exchange:
                writer.write(lines)
                assert [answer_of(process) for _ in answers] == answers
        assert process.wait(timeout=60) == 0


def answer_of(process):
    """The label of the next answer, which must come while nobody writes."""
    line = b""
    while not line.endswith(b"\n"):
        assert select.select([process.stdout], [], [], 60)[0], "no answer: it waits for more"
        piece = os.read(process.stdout.fileno(), 1)
        assert piece, "the output ended"
        line += piece
    return line.partition(b",")[0].decode()


# Large, many, any


def test_a_line_of_100_megabytes(tmp_path):
    with open(tmp_path / "mail.csv", "wb") as file:
        file.write(b'text,label\n"')
        file.writelines([b"x" * 4095 + b" "] * 25_000)
        file.write(b'",spam\nsee you,ham\n')
    assert os.path.getsize(tmp_path / "mail.csv") > 100_000_000
    model = train_on(Source(tmp_path / "mail.csv"), Settings())
    assert model.counts.documents.tolist() == [1, 1]
    assert model.counts.occurrences.max() == 25_000


def test_batches_are_bounded(tmp_path):
    (tmp_path / "mail.csv").write_bytes(b"text,label\n" + b"a,b\n" * 100_000)
    sizes = [len(batch.texts) for batch in Source(tmp_path / "mail.csv").batches()]
    assert sum(sizes) == 100_000
    assert max(sizes) <= 4096


CELLS = st.text(max_size=8)
TABLES = st.lists(st.tuples(CELLS, CELLS.filter(bool), CELLS), max_size=8)
HOUSE = "house-text", "a label", 'or, "so"'


@given(TABLES, st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), st.booleans())
def test_any_csv_comes_back(tmp_path_factory, table, quoting, packed):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    with (gzip.open if packed else open)(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=quoting).writerows([HOUSE, *table])
    assert [(text, label, kept) for text, label, kept in cells(path)] == table


@given(TABLES, st.booleans())
def test_any_json_lines_come_back(tmp_path_factory, table, ascii_only):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    with open(path, "w", encoding="utf-8", newline="") as file:
        for values in table:
            file.write(json.dumps(dict(zip(HOUSE, values, strict=True)), ensure_ascii=ascii_only) + "\n")
    assert (cells(path) if table else []) == table


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1), min_size=3, max_size=3)
    )
)
def test_any_tsv_comes_back(tmp_path_factory, table):
    path = tmp_path_factory.getbasetemp() / "any.tsv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines("\t".join(values) + "\n" for values in [HOUSE, *table])
    assert cells(path) == [tuple(values) for values in table]


class Pieces(io.RawIOBase):
    """A stream that hands over a few bytes at a time, as a pipe may."""

    def __init__(self, content, size):
        self._content, self._size = io.BytesIO(content), size

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = self._content.read(min(self._size, len(buffer)))
        buffer[: len(piece)] = piece
        return len(piece)


WRONG = {
    "csv": [b"", b"wrong\n", b"text,,more\n", b"caf\xe9,label,more\n", b'"two\nlines', b'"two\nlines\xff'],
    "jsonl": [b"", b"wrong\n", b'{"text": "text", "label": ""}\n', b'{"text": "caf\xe9", "label": "label"}'],
}
KINDS_AND_WRONG = st.sampled_from([(kind, wrong) for kind, every in WRONG.items() for wrong in every])


@given(TABLES, KINDS_AND_WRONG, st.integers(1, 40))
def test_any_pieces_make_the_same_rows(tmp_path_factory, table, kind_and_wrong, size):
    """Wherever a file is cut in arriving, its examples, their lines and its error are the same."""
    kind, wrong = kind_and_wrong
    out = io.StringIO(newline="")
    if kind == "csv":
        csv.writer(out).writerows([("text", "label", "more"), *table])
    else:
        rows = [json.dumps(dict(zip(("text", "label", "more"), values, strict=True))) for values in table]
        out.writelines(f"{row}\n\n" for row in rows)
    content = out.getvalue().encode() + wrong
    path = tmp_path_factory.getbasetemp() / f"pieces.{kind}"
    path.write_bytes(content)
    whole, told = until_error(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pieces(content, size))))
        pieces, told_of_pieces = until_error("-", format=kind)
    assert told_of_pieces.removeprefix("standard input") == told.removeprefix(str(path)).removeprefix(path.name)
    assert bool(told) == bool(wrong or not content)
    assert [row[1:] for row in pieces] == [(text, label) for text, label, _ in table]
    assert pieces == whole


def until_error(path, **options):
    """The examples of a file up to its error, and what that says."""
    found = []
    try:
        for batch in Source(path, **options).batches():
            found += zip(batch.lines, batch.texts, batch.labels, strict=True)
    except DecibanError as error:
        return found, str(error)
    return found, ""


@given(st.binary(max_size=60), st.sampled_from(["csv", "tsv", "jsonl", "txt"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content, kind):
    path = tmp_path_factory.getbasetemp() / f"any.{kind}"
    for start in (b"", b"text,label\n", b"text\tlabel\n", b'{"text": "a", "label": "b"}\n', b"\x1f\x8b"):
        path.write_bytes(start + content)
        with contextlib.suppress(DecibanError):
            examples(path)


def cells(path):
    """The values of a table, all three columns: (text, label, another)."""
    found = []
    for batch in Source(path, text=HOUSE[0], label=HOUSE[1], keep=HOUSE[2:]).batches():
        found += zip(batch.texts, batch.labels, [kept for [kept] in batch.kept], strict=True)
    return found


def test_what_stands_before_a_bad_byte_goes_out_in_any_encoding(tmp_path):
    """Also where a character is cut by the end of a block."""
    path, rows = tmp_path / "mail.csv", "text,label\n" + "".join(f"日本{i},label\n" for i in range(30_000))
    for encoding, bad in [("utf-8", b"\xff"), ("utf-16", b"\0\xdc"), ("shift_jis", b"\xff"), ("gb18030", b"\xff")]:
        path.write_bytes(rows.encode(encoding) + bad + "日,label\n".encode(encoding))
        found, told = until_error(path, encoding=encoding)
        assert [text for _, text, _ in found] == [f"日本{i}" for i in range(30_000)]
        assert told.startswith(f"mail.csv:30002: not valid {encoding} (byte 0x{bad[0]:02x})")


def test_files_are_closed_however_reading_ends(tmp_path):
    path = tmp_path / "mail.csv.gz"
    path.write_bytes(gzip.compress(b"text,label\n" + b"a,b\n" * 10_000 + b"wrong\n", mtime=0))
    before = len(os.listdir("/proc/self/fd"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        begun = Source(path).batches()
        next(begun)
        begun.close()
        for options in ({}, {"format": "jsonl"}, {"text": "body"}, {"encoding": "utf-16"}, {"encoding": "utf-9"}):
            with contextlib.suppress(DecibanError):
                examples(path, **options)
        gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("name", "content", "kept"),
    [
        ("a.csv", b"split,text,label\ntest,hi,ham\n,yo,ham\n", [["test"], [""]]),
        ("a.csv", b"text,label\nhi,ham\nyo,ham\n", [[None], [None]]),
        ("a.tsv", b"text\tlabel\tsplit\nhi\tham\ttest\n", [["test"]]),
        (
            "a.jsonl",
            b'{"text": "hi", "label": "ham"}\n{"text": "yo", "label": "ham", "split": "test"}\n',
            [[None], ["test"]],
        ),
    ],
)
def test_a_column_may_be_there_or_not(tmp_path, name, content, kept):
    (tmp_path / name).write_bytes(content)
    whole = Source(tmp_path / name, maybe=("split",)).whole()
    assert (whole.kept, whole.texts) == (kept, ["hi", "yo"][: len(kept)])


def test_columns_that_must_be_there_are_kept_before_those_that_may(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"split,text,label,id\ntest,hi,ham,7\ntrain,yo,spam,8\n")
    source = Source(tmp_path / "a.csv", where=(("id", "8"),), keep=("id",), maybe=("more", "split"))
    assert source.whole().kept == [["8", None, "train"]]
