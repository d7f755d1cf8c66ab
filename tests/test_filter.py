"""`deciban filter`: no mail is lost or altered, no header forged, nothing learnt twice, whoever runs beside it."""

import contextlib
import csv
import io
import os
import quopri
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban
from conftest import ROOT
from deciban.filtering import journal, kept, quick, tables
from deciban.filtering.boxes import boxes
from deciban.filtering.mail import MOST, parts, stamped, word
from deciban.filtering.mail import seen as seen_of
from deciban.filtering.records import Entry
from deciban.filtering.verdict import MOST_WORDS, Judge

SPAM = b"Subject: free money\n\nwin free money now, %d\n"
HAM = b"Subject: lunch?\n\nsee you at the meeting, %d\n"
FIELDS = [("X-Deciban", ["spam; decibans=+9.0"])]
ODD = {
    "line feeds": b"Subject: a\nTo: b\n\nbody\n",
    "carriage returns": b"Subject: a\r\nTo: b\r\n\r\nbody\r\n",
    "mixed ends": b"Subject: a\r\nTo: b\n\r\nbody\r\n\n\r",
    "NUL": b"Subject: a\0b\n\nbo\0dy\n",
    "eight bits": b"Subject: caf\xe9\n\n\xff\xfe\x80\n",
    "mailbox": b"From bob@x.org Mon Nov 16 09:30:00 2026\nSubject: a\n\nbody\n",
    "no header": b"just a body: without\nany header\n",
    "no body": b"Subject: a\n",
    "no end": b"Subject: a",
    "empty line first": b"\nbody\n",
    "empty": b"",
    "folded": b"Subject: a\n b\n\tc\n\nbody\n",
    "broken header": b"Subject: a\nnonsense\nTo: b\n\nbody\n",
    "MIME": b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Transfer-Encoding: base64\n\n!!!!\n--x',
}


def seen(mail, tokens="word"):
    (text,) = seen_of(tokens, mail, [(0, len(mail))])
    return text


def filtered(*arguments, mail=b"", status=0, **how):
    command = [sys.executable, "-m", "deciban", "filter", *map(str, arguments)]
    done = subprocess.run(command, input=mail, capture_output=True, check=False, **how)
    assert status is None or done.returncode == status, done.stderr
    return done.stdout, done.stderr.decode()


def trained(path, **settings):
    texts = [seen(SPAM % i) for i in range(20)] + [seen(HAM % i) for i in range(20)]
    given = {"model": "multinomial", "calibration": "none", **settings}
    deciban.train(texts, ["spam"] * 20 + ["ham"] * 20, **given).save(path)
    return path


@pytest.fixture
def model(tmp_path):
    return trained(tmp_path / "mail.deciban")


def without_ours(mail):
    """A mail as its lines, without those of fields of ours: a second way to say what the filter may change."""
    kept, ours = [], False
    for line in mail.splitlines(keepends=True):
        ours = line.lower().startswith(b"x-deciban") or (ours and line[:1] in b" \t" and bool(line[:1]))
        kept += [] if ours else [line]
    return b"".join(kept)


# The mail


@pytest.mark.parametrize("mail", ODD.values(), ids=ODD.keys())
def test_everything_but_our_headers_stays_byte_for_byte(model, mail):
    out, said = filtered(model, mail=mail)
    before, header, body = parts(out)
    assert said == ""
    assert out.count(b"X-Deciban: ") == 1
    assert before == parts(mail)[0]
    has_header = bool(parts(mail)[1])
    assert (header + body if has_header else body.removeprefix(b"\n") if mail[:1] != b"\n" else body) == mail[
        len(before) :
    ]
    parsed = message_from_bytes(out.removeprefix(before), policy=policy.compat32)
    assert parsed["X-Deciban"].startswith(("spam", "ham", "unsure"))


def test_a_very_long_mail_goes_through(model):
    mail = b"Subject: a\n\n" + os.urandom(1 << 20) * 100
    out, _ = filtered(model, mail=mail)
    assert out.endswith(mail)
    assert len(out) < len(mail) + 1000


def test_what_is_seen_of_a_long_mail_ends_between_characters():
    for before in (b"", b"x", b"xx", b"xxx"):
        text = seen(b"To: a\n\n" + before + "𝕏é".encode() * 3000)
        assert set(text.partition("\n\n")[2]) == {*"𝕏é"} | set(before.decode())
        assert MOST - 4 < len(text.encode()) <= MOST


# What is seen of it, decoded


def mime(content, body, coding="", kind="text/plain"):
    coded = f"Content-Transfer-Encoding: {coding}\n" if coding else ""
    return f"Content-Type: {kind}\n{coded}{content}\n".encode() + body


def bodies(mail):
    """The words of the text."""
    return [word for word in seen(mail, "whitespace").split() if ":" not in word]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_texts_are_decoded_however_they_were_sent(end):
    text = "Grüße, win FREE money now!"
    raw, words = text.encode(), ["grüße", "win", "free", "money", "now!"]
    base64 = mime("", b64encode(raw) + b"\n", "Base64")
    quoted = mime("", quopri.encodestring(raw).replace(b"win", b"w=\nin") + b"\n", "quoted-printable")
    nested = mime("", b"before\n--b\n" + base64 + b"--b\n\nplain\n--b--\nafter", kind='multipart/mixed; boundary="b"')
    attached = mime(
        "", b"--b\n" + mime("", b"AAAA", "base64", "image/gif") + b"\n--b\n" + quoted, kind="multipart/x; boundary=b"
    )
    in_mail = mime("", b"Subject: inner\n" + quoted, kind="message/rfc822")
    deep = nested
    for depth in range(3):
        inner = b"--c%d\n" % depth + deep + b"\n--c%d--\n" % depth
        deep = mime("", inner, kind=f"multipart/mixed;\n\tBOUNDARY = c{depth}")
    for mail, found in {
        base64: words,
        quoted: words,
        nested: [*words, "plain"],
        attached: words,
        in_mail: words,
        deep: [*words, "plain"],
    }.items():
        assert bodies(mail.replace(b"\n", end)) == found
    assert bodies(mime("", "caf\xe9".encode("latin-1"))) == ["café"]
    assert bodies(b"Content-Type: multipart/mixed; boundary=b\n\nno such line") == ["no", "such", "line"]


def test_words_of_fields_have_their_names_and_are_decoded():
    mail = b"From a 09:30 2026\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe_an?=\n =?x?B?Qm9i?= and =?you?\nTO: Ann\n\nHi."
    found = "subject: subject:grüße subject:an subject:bob subject:and subject:you to: to:ann hi "
    assert seen(mail, "whitespace") == found


def test_what_is_seen_of_hostile_mails_is_bounded():
    part = b"--b\nContent-Type: multipart/mixed; boundary=b\n\n"
    hostile = [
        b"Content-Type: multipart/mixed; boundary=b\n\n" + part * 100_000,
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nword\n" * 100_000,
        b"Content-Type: message/rfc822\n\n" * 100_000,
        mime("", b64encode(b"spam " * 1_000_000), "base64"),
        b"X: " + b"a " * 10_000_000,
        b"Subject: " + b"=?utf-8?q?ab?= " * 100_000,
        b"Subject: " + b"=?" * 1_000_000,
        b"A:\n" * 1_000_000,
        b"a" * 100_000_000,
    ]
    for mail in hostile:
        assert len(seen(mail, "whitespace")) < 100_000


pieces = st.sampled_from(
    [
        *(
            b"Content-Type: ",
            b"multipart/mixed; ",
            b"boundary=",
            b'"b"',
            b"text/html",
            b"message/rfc822",
            b"--b",
            b"--",
        ),
        *(b"Content-Transfer-Encoding: ", b"quoted-printable", b"base64", b"=?x?q?", b"?=", b"=C3", b"\xc3", b"\0"),
        *(b"\n", b"\r\n", b"\n\n", b"\r", b"X-Deciban: spam", b"From ", b":", b"word "),
    ]
)


@given(st.lists(pieces | st.binary(max_size=4), max_size=40).map(b"".join))
def test_no_mail_is_malformed(mail):
    text = seen(mail, "whitespace")
    assert text.encode().decode() == text
    assert len(text) <= 40 * len(mail)
    both = mail * 2
    assert seen_of("whitespace", both, [(0, len(mail)), (len(mail), len(both))] * 100, 3) == [text] * 200


@given(st.text(max_size=200), st.sampled_from(["base64", "quoted-printable"]))
def test_coded_texts_are_seen_as_plain_ones(text, coding):
    raw = text.replace("\r", "").encode("utf-8", "replace")
    coded = b64encode(raw) if coding == "base64" else quopri.encodestring(raw)
    assert bodies(mime("", coded, coding)) == bodies(mime("", raw.rstrip(b"\n"), "8bit"))


header_text = st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"").replace(b"\r", b""))
a_field = st.tuples(st.sampled_from([b"Subject", b"X-Deciban", b"x-DECIBAN-words", b"X-Other"]), header_text)
a_header = st.lists(a_field.map(lambda pair: b"%s: %s\n" % pair), min_size=1).map(b"".join)


@given(a_header, st.binary(max_size=60))
def test_whatever_fields_a_mail_has_only_ours_are_dropped(header, body):
    mail = header + b"\n" + body
    out = stamped(mail, FIELDS)
    ours = b"X-Deciban: spam; decibans=+9.0\n"
    assert out.startswith(ours)
    left, rest = out.removeprefix(ours), b"\n" + body
    assert left.endswith(rest)
    assert left.removesuffix(rest) == without_ours(header)
    assert stamped(out, FIELDS) == out


@given(st.binary(max_size=80))
def test_no_bytes_are_too_odd(mail):
    out = stamped(mail, FIELDS)
    assert stamped(out, FIELDS) == out
    assert b"X-Deciban: spam" in out
    assert "x-deciban" not in seen(out).partition("\n\n")[0].lower()
    assert "x-deciban:" not in seen(out, "whitespace").split()
    before, header, body = parts(mail)
    if header:
        assert out.endswith(header + body)
    else:
        assert out.startswith(before)
        assert out.endswith(body)


@pytest.mark.parametrize(
    "forged",
    [
        b"X-Deciban: ham; decibans=-99\n",
        b"x-deciban : ham\n",
        b"X-DECIBAN:\n ham\n",
        b"X-Deciban-Words: trust me\n\tand me\n",
        b"nonsense\nX-Deciban: ham\n",
        b"To: x\rX-Deciban: ham\n",
    ],
)
def test_a_forged_verdict_is_dropped(model, forged):
    out, _ = filtered(model, mail=b"Subject: free money\n" + forged + b"\nwin free money now, 1\n")
    header = out.partition(b"\n\n")[0]
    assert header.lower().count(b"x-deciban:") == 1
    assert header.startswith(b"X-Deciban: spam; decibans=+")
    assert b"ham" not in header
    assert b"trust me" not in header


def test_words_cannot_end_a_header(tmp_path):
    hostile = "free\r\nX-Deciban: ham\r\n\r\n<script>"
    for name in (hostile, 'a"b', "=?utf-8?q?x?=", "café", "\0", "\u2028", "x" * 500, "é" * 500):
        shown = word(name)
        assert shown.isascii()
        assert shown.isprintable()
        assert len(shown) <= 200
        fields = [("X-Deciban-Words", [f"{shown} +1.0", f"{shown} +1.0"])]
        lines = stamped(b"To: a\n\n", fields).split(b"\n")
        assert lines[0].startswith(b"X-Deciban-Words: ")
        assert all(line.startswith(b"\t") for line in lines[1:-3])
        assert lines[-3:] == [b"To: a", b"", b""]


def test_words_of_the_header_decode_to_themselves():
    assert str(message_from_bytes(b"X: " + word("café au lait").encode(), policy=policy.default)["X"]) == "café au lait"


# The verdict


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"binary": True, "words": (1, 2)},
        {"model": "bernoulli", "calibration": "temperature"},
        {"calibration": "platt"},
        {"model": "nbsvm", "properties": "headers", "calibration": "platt"},
        {"model": "logistic", "chars": (2, 3), "calibration": "temperature"},
        {"model": "complement", "calibration": "isotonic"},
        {"hash_bits": 8},
        {"select": "chi-square:9"},
        {"smoothing": "none"},
    ],
    ids=str,
)
def test_decibans_and_words_are_those_of_explain(tmp_path, settings):
    path = trained(tmp_path / "mail.deciban", **settings)
    judge, text = Judge.of(str(path)), "Subject: money\n\nfree lunch money, see you now now\n"
    why = deciban.load(path).explain(text, label="spam")
    verdict = judge.verdict(text.encode())
    if why.total == why.total and abs(why.total) < 1000 and "bent" not in why.calibrated:
        assert verdict.decibans == pytest.approx(why.total, abs=1e-6)
    expected = {term.name: term.decibans for term in why.terms}
    assert len(verdict.words) == min(MOST_WORDS, len(expected))
    assert all(expected[name] == pytest.approx(decibans, abs=1e-9) for name, decibans in verdict.words)


def test_spam_is_one_label_against_all_others(tmp_path):
    texts, labels = ["free money", "see you", "server down"] * 9, ["junk", "friends", "work"] * 9
    deciban.train(texts, labels, model="multinomial").save(tmp_path / "m")
    out, _ = filtered(tmp_path / "m", "--spam", "junk", mail=b"Subject: x\n\nfree money\n")
    assert out.startswith(b"X-Deciban: spam; ")
    out, _ = filtered(tmp_path / "m", "--spam", "junk", mail=b"Subject: x\n\nserver down\n")
    assert out.startswith(b"X-Deciban: ham; ")


def test_thresholds_and_exit_status(model):
    said = {}
    for above, below in ((20, 0), (1000, -1000), (-1000, -1000)):
        arguments = [model, "--spam-above", above, "--ham-below", below]
        out, _ = filtered(*arguments, mail=SPAM % 1)
        said[above] = out.split(b";")[0].removeprefix(b"X-Deciban: ").decode()
        status = {"spam": 0, "ham": 1, "unsure": 2}[said[above]]
        filtered(*arguments, "--exit-status", mail=SPAM % 1, status=status)
    assert said == {20: "spam", 1000: "unsure", -1000: "spam"}
    filtered(model, "--exit-status", mail=HAM % 1, status=1)
    _, line = filtered(model, "--ham-below", 9, "--spam-above", 3, status=2)
    assert line == "deciban: --ham-below is above --spam-above; see deciban filter --help\n"
    _, line = filtered(model, "--spam-above", "nan", status=2)
    assert "expected a number of decibans, got 'nan'" in line


def test_one_mail_takes_no_numpy(model):
    heavy = "{'numpy', 'rich', 'email'}"
    code = f"import sys; from deciban.cli import run; run(sys.argv[1:]); print({heavy} & sys.modules.keys())"
    for more in ([], ["--learn", "spam"]):
        command = [sys.executable, "-c", code, "filter", str(model), *more]
        done = subprocess.run(command, input=SPAM % 1, capture_output=True, check=True)
        assert done.stdout.endswith(b"set()\n")


# What goes wrong


@pytest.mark.parametrize("options", [["--defer"], ["--exit-status"], []])
@pytest.mark.parametrize("kind", ["missing", "truncated", "not a model", "no such label"])
def test_after_an_error_the_mail_goes_on_as_it_came(model, kind, options):
    mail = b"From x\r\nX-Deciban: ham\r\n\0\xff"
    if kind == "missing":
        model.unlink()
    elif kind == "truncated":
        model.write_bytes(model.read_bytes()[:-9])
    elif kind == "not a model":
        model.write_text("hello")
    label = ["--spam", "viagra"] if kind == "no such label" else []
    status = {"--defer": 75, "--exit-status": 3}.get("".join(options), 0)
    out, said = filtered(model, *options, *label, mail=mail, status=status)
    assert out == mail
    assert said.endswith("; the mail goes on as it came\n")
    assert said.count("\n") == 1


def test_no_room_on_standard_output(model):
    command = f"{sys.executable} -m deciban filter {model}"
    for redirected in (">/dev/full", ">&-", "<&-"):
        done = subprocess.run(
            ["bash", "-c", f"{command} {redirected}"], input=SPAM % 1, capture_output=True, check=False
        )
        assert done.returncode == 75
        assert done.stderr.startswith(b"deciban: standard ")
        assert done.stderr.count(b"\n") == 1


# Many mails


def test_mailboxes_of_all_kinds(model, tmp_path):
    folder, box = tmp_path / "Maildir", tmp_path / "box"
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir(parents=True)
        (folder / name / "1").write_bytes(SPAM % 1)
    (tmp_path / "one.eml").write_bytes(HAM % 1)
    first = b"From a@x.org Mon Nov 16 09:30:00 2026\n"
    box.write_bytes(first + SPAM % 2 + b"\nFrom here on it is text\n\n" + first + HAM % 2 + b"\n" + first + b"\n")
    out, _ = filtered(model, "--mails", folder, tmp_path / "one.eml", box)
    rows = list(csv.DictReader(io.StringIO(out.decode())))
    assert [row["verdict"] for row in rows] == ["spam", "spam", "ham", "spam", "ham", "unsure"]
    assert [Path(row["mail"]).name for row in rows] == ["1", "1", "one.eml", "box#1", "box#2", "box#3"]
    (found,) = boxes(str(box))
    assert found.mails[0].endswith(b"From here on it is text\n")
    crlf = tmp_path / "crlf"
    crlf.write_bytes(box.read_bytes().replace(b"\n", b"\r\n"))
    assert [len(found.mails) for found in boxes(str(crlf))] == [3]
    text = seen(SPAM % 2)
    (decibans,) = Judge.of(str(model)).decibans([text + "\nFrom here on it is text\n"])
    assert float(rows[3]["decibans"]) == pytest.approx(decibans, abs=0.01)
    (tmp_path / "empty").mkdir()
    _, said = filtered(model, "--mails", tmp_path / "empty", status=1)
    assert said == f"deciban: {tmp_path}/empty: expected mails, got a folder without any file\n"


# Learning


def documents(path):
    return deciban.load(path).documents


def test_a_model_is_made_of_mails_alone(tmp_path):
    path = tmp_path / "new.deciban"
    for kind, mail in (("spam", SPAM), ("ham", HAM)):
        (tmp_path / kind).mkdir()
        for i in range(9):
            (tmp_path / kind / str(i)).write_bytes(mail % i)
    _, said = filtered(path, "--learn", "spam", "--mails", tmp_path / "spam")
    assert said == f"deciban: {path}: no model yet: 9 of the mails wait for some of a second label\n"
    assert not path.exists()
    out, said = filtered(path, "--learn", "ham", "--mails", tmp_path / "ham")
    assert (out.decode(), said) == (f"learnt 18 mails, forgot 0; {path}\n", "")
    assert documents(path) == {"ham": 9, "spam": 9}
    assert deciban.load(path).provenance[-1]["source"].startswith("journal ")
    assert filtered(path, mail=SPAM % 3)[0].startswith(b"X-Deciban: ")


def test_the_first_model_is_made_of_the_first_mails_of_two_labels(tmp_path):
    model = tmp_path / "mail.deciban"
    for i in range(2):
        _, said = filtered(model, "--learn", "spam", mail=SPAM % i)
        assert said == f"deciban: {model}: no model yet: {i + 1} of the mails wait for some of a second label\n"
    assert filtered(model, "--learn", "ham", mail=HAM % 0) == (b"", "")
    judged, said = filtered(model, mail=HAM % 1)
    assert (judged.startswith(b"X-Deciban: "), said) == (True, "")
    assert filtered(model, "--learn", "spam", mail=SPAM % 2) == (b"", "")
    assert journal.entries(f"{model}.journal") == [Entry("spam", SPAM % 2)]


def test_learning_is_exact_and_forgetting_takes_it_back(model):
    before = deciban.load(model).counts
    new = [b"Subject: new\n\nspam number %d\n" % i for i in range(3)]
    for mail in new:
        assert filtered(model, "--learn", "spam", "--fold-after", 3, mail=stamped(mail, FIELDS)) == (b"", "")
    classifier = deciban.load(model)
    texts = [mail.decode() for mail in new]
    afresh = deciban.load(model).forget(texts, ["spam"] * 3)
    assert afresh.counts == before
    assert classifier.documents == {"ham": 20, "spam": 23}
    for mail in new:
        filtered(model, "--forget", "spam", "--fold-after", 2, mail=mail)
    _, said = filtered(model, "--forget", "spam", "--fold-after", 2, mail=b"never seen")
    assert said == "deciban: warning: never learnt so, and not forgotten: 1 of the mails\n"
    assert deciban.load(model).counts == before
    assert len(deciban.load(model).provenance) == 2


def test_what_cannot_be_learnt_is_refused_at_once(model, tmp_path):
    _, said = filtered(model, "--learn", "smap", mail=b"x", status=75)
    assert said == "deciban: 'smap' is not a label of this model; its labels are: ham, spam\n"
    deciban.load(model).freeze().save(tmp_path / "frozen")
    _, said = filtered(tmp_path / "frozen", "--learn", "spam", mail=b"x", status=75)
    assert "is frozen" in said


def test_a_model_of_several_labels_neither_judges_nor_keeps_mails_waiting(tmp_path):
    path, mail = tmp_path / "several", SPAM % 1
    texts, labels = ["free money", "see you"] * 9, [["spam"], ["ham", "work"]] * 9
    deciban.train(texts, labels, several="|", model="multinomial").save(path)
    line = "deciban filter is not for models of several labels: expected a model of one label a text"
    out, said = filtered(path, mail=mail)
    assert (out, said) == (mail, f"deciban: {line}; the mail goes on as it came\n")
    _, said = filtered(path, "--learn", "spam", "--fold-after", "1", mail=mail, status=75)
    assert said == f"deciban: {line}\n"
    assert os.listdir(tmp_path) == ["several"]
    fitted = trained(tmp_path / "fitted", model="logistic")
    filtered(fitted, "--learn", "spam", mail=b"x")
    _, said = filtered(fitted, "--forget", "spam", mail=b"x", status=75)
    assert said.startswith("deciban: a logistic model is made of its examples")
    _, said = filtered(tmp_path / "none", "--forget", "spam", mail=b"x", status=75)
    assert said == f"deciban: {tmp_path}/none: cannot read: No such file or directory\n"
    _, said = filtered(tmp_path / "no" / "folder", "--learn", "spam", mail=b"x", status=75)
    assert said == f"deciban: {tmp_path}/no/folder.lock: cannot write: No such file or directory\n"


def test_learners_and_readers_side_by_side_lose_nothing(model):
    learners = [
        subprocess.Popen(
            [sys.executable, "-m", "deciban", "filter", model, "--learn", label, "--fold-after", "3"],
            stdin=subprocess.PIPE,
        )
        for label in ["spam", "ham"] * 6
    ]
    for number, learner in enumerate(learners):
        learner.stdin.write(b"Subject: x\n\nword%d\n" % number)
        learner.stdin.close()
    while any(learner.poll() is None for learner in learners):
        out, said = filtered(model, mail=SPAM % 1)
        assert (out.startswith(b"X-Deciban: spam; "), said) == (True, "")
    assert [learner.returncode for learner in learners] == [0] * len(learners)
    journal.fold(str(model))
    assert documents(model) == {"ham": 26, "spam": 26}
    names = deciban.load(model).lexicon.names()
    assert all(f"word{number}" in names for number in range(len(learners)))


def test_killed_while_learning(model):
    """Whatever was acknowledged is learnt, and nothing twice, wherever the others were killed."""
    acknowledged = 0
    for number in range(12):
        with subprocess.Popen(
            [sys.executable, "-m", "deciban", "filter", model, "--learn", "spam", "--fold-after", "1"],
            stdin=subprocess.PIPE,
        ) as learner:
            learner.stdin.write(b"Subject: x\n\nword%d\n" % number)
            learner.stdin.close()
            time.sleep(0.05 * number)
            learner.send_signal(signal.SIGKILL)
        acknowledged += learner.returncode == 0
        deciban.load(model)
    journal.fold(str(model))
    classifier = deciban.load(model)
    names = [name for name in classifier.lexicon.names() if name.startswith("word")]
    assert classifier.documents["spam"] == 20 + len(names)  # each has a word of its own: none was learnt twice
    assert len(names) >= acknowledged


def test_a_fold_that_was_cut_off_is_neither_lost_nor_done_twice(model):
    path = str(model)
    journal.append(path, [Entry("spam", SPAM % 99)])
    whole, before = Path(f"{path}.journal").read_bytes(), model.read_bytes()
    journal.fold(path)
    after = model.read_bytes()
    assert documents(path)["spam"] == 21
    Path(f"{path}.folding").write_bytes(whole)  # killed after the model was replaced
    assert journal.fold(path) == journal.Folded()
    assert model.read_bytes() == after
    model.write_bytes(before)
    Path(f"{path}.folding").write_bytes(whole)  # killed before
    journal.append(path, [Entry("ham", HAM % 99)])
    assert journal.fold(path).learnt == 2
    assert documents(path) == {"ham": 21, "spam": 21}
    assert {name.name for name in model.parent.iterdir()} == {model.name, f"{model.name}.lock"}


# What a model of the filter's own has learnt is kept


@pytest.fixture
def made(tmp_path):
    """A model that the filter made of ten mails."""
    path = str(tmp_path / "made.deciban")
    journal.append(path, [Entry(label, mail % i) for i in range(5) for label, mail in (("spam", SPAM), ("ham", HAM))])
    assert journal.fold(path).learnt == 10
    return path


def weights(path):
    card = deciban.load(path).scorecard
    return list(card.lexicon.names()), card.weight.tolist(), card.bias.tolist()


def table(path):
    return Path(f"{path}.table")


@pytest.mark.parametrize("mail", ODD.values(), ids=ODD.keys())
def test_a_table_says_what_its_model_says(made, mail):
    options = [(), ("--spam", "ham"), ("--spam-above", "3", "--ham-below", "-3", "--exit-status")]
    quickly = [filtered(made, *some, mail=mail, status=None) for some in options]
    table(made).unlink()
    assert [filtered(made, *some, mail=mail, status=None) for some in options] == quickly


def test_a_table_judges_mailboxes_as_its_model_does(made, tmp_path):
    first, odd = b"From bob 09:30 2026\n", tmp_path / 'a "b", c'
    odd.write_bytes(b"\n".join(first + (SPAM, HAM)[i % 2] % i for i in range(300)))
    (tmp_path / "one").write_bytes(SPAM % 1)
    for files in ([odd], [odd, odd], [odd, tmp_path / "one"]):
        quickly = filtered(made, "--threads", 2, "--mails", *files)
        kept_aside = table(made).rename(tmp_path / "aside")
        assert filtered(made, "--mails", *files) == quickly
        kept_aside.rename(table(made))
    assert quickly[0].startswith(b'mail,verdict,decibans\n"' + str(odd).replace('"', '""').encode() + b'#1",')


def test_a_table_of_another_model_or_a_damaged_one_is_passed_over(made, tmp_path):
    assert quick.table_of(made, "spam") is not None
    assert quick.table_of(made, "junk") is None
    whole = table(made).read_bytes()
    for damaged in (whole[:-16], whole[:600] + bytes([whole[600] ^ 1]) + whole[601:], b""):
        table(made).write_bytes(damaged)
        assert quick.table_of(made, "spam") is None
        assert filtered(made, mail=SPAM % 1)[0].startswith(b"X-Deciban: ")
    table(made).write_bytes(whole)
    trained(made)
    assert quick.table_of(made, "spam") is None
    journal.append(made, [Entry("spam", SPAM % 99)])
    journal.fold(made)
    assert not table(made).exists()


def test_two_words_of_one_key_get_other_numbers(made, monkeypatch):
    real, seeds = tables._core.mail_table, []

    def refuses(*given):
        seeds.append(tuple(given[2]))
        if len(seeds) < 3:
            raise ValueError
        return real(*given)

    monkeypatch.setattr(tables._core, "mail_table", refuses)
    tables.keep(made)
    assert len(set(seeds)) == 3
    assert quick.table_of(made, "spam") is not None
    monkeypatch.setattr(tables, "TRIES", 2)
    seeds.clear()
    tables.keep(made)
    assert not table(made).exists()
    assert filtered(made, mail=SPAM % 1)[0].startswith(b"X-Deciban: ")


@pytest.mark.parametrize(
    "arguments",
    [
        *(["m", "--mails"], ["m", "--learn", "spam"], ["m", "n"], [], ["--help"], ["m", "--threads", "0"]),
        *(["m", "--spam-above", "x"], ["m", "--spam-above", "nan"], ["m", "--spam"]),
        ["m", "--ham-below", "9", "--spam-above", "3"],
    ],
)
def test_the_quick_way_leaves_alone_what_it_does_not_know(arguments):
    assert quick._given(arguments) is None


def test_the_quick_way_takes_next_to_nothing(made):
    heavy = "{'numpy', 'argparse', 'dataclasses', 'json', 'typing', 're', 'collections'}"
    code = (
        f"import sys; from deciban.filtering import quick; quick.run(sys.argv[1:]); print({heavy} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code, made], input=SPAM % 1, capture_output=True, check=True)
    assert done.stdout.endswith(b"set()\n")


def test_a_mail_that_the_quick_way_fails_on_goes_another_way(made, monkeypatch, capfdbinary):
    def fails(*_):
        raise RuntimeError

    asked, mail = quick._given([made]), SPAM % 1
    monkeypatch.setattr(quick, "stamped", fails)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(mail)))
    assert quick._one(asked, quick.table_of(made, "spam")) is None
    assert sys.stdin.buffer.read() == mail
    assert capfdbinary.readouterr().out == b""


def test_a_model_of_mails_is_the_same_however_they_came(made, tmp_path):
    more, at_once = [Entry("ham", b"Subject: minutes\n\nof the meeting\n"), Entry("spam", SPAM % 9)], f"{tmp_path}/once"
    for entry in more:
        journal.append(made, [entry])
        journal.fold(made)
    journal.append(
        at_once, [Entry(label, mail % i) for i in range(5) for label, mail in (("spam", SPAM), ("ham", HAM))]
    )
    journal.append(at_once, more)
    journal.fold(at_once)
    assert weights(made) == weights(at_once)
    assert os.stat(f"{made}.learnt").st_mode & 0o077 == 0


def test_a_model_of_mails_forgets_exactly(made):
    before, mail = weights(made), b"Subject: secret\n\nplans\n"
    filtered(made, "--learn", "spam", "--fold-after", 1, mail=mail)
    assert weights(made) != before
    assert b"plans" in Path(f"{made}.learnt").read_bytes()
    filtered(made, "--forget", "spam", "--fold-after", 1, mail=mail)
    assert weights(made) == before
    assert b"plans" not in Path(f"{made}.learnt").read_bytes()
    assert os.stat(f"{made}.learnt").st_mode & 0o077 == 0
    _, said = filtered(made, "--forget", "spam", "--fold-after", 1, mail=mail)
    assert said == "deciban: warning: never learnt so, and not forgotten: 1 of the mails\n"
    assert weights(made) == before


def test_a_fold_of_what_is_kept_that_was_cut_off_is_neither_lost_nor_done_twice(made):
    model, learnt = Path(made), Path(f"{made}.learnt")
    journal.append(made, [Entry("spam", SPAM % 99)])
    whole, before, kept_before = Path(f"{made}.journal").read_bytes(), model.read_bytes(), learnt.read_bytes()
    journal.fold(made)
    after, kept_after = model.read_bytes(), learnt.read_bytes()
    assert kept_after.startswith(kept_before)
    for had_model, had_kept in (
        (after, kept_after),
        (before, kept_after),
        (before, kept_after[:-9]),
        (before, kept_before),
    ):
        Path(f"{made}.folding").write_bytes(whole)
        model.write_bytes(had_model)
        learnt.write_bytes(had_kept)
        journal.fold(made)
        assert (model.read_bytes(), learnt.read_bytes()) == (after, kept_after)


def test_a_model_of_others_is_never_replaced_by_what_is_kept(made):
    trained(made)
    journal.append(made, [Entry("spam", SPAM % 99)])
    journal.fold(made)
    assert documents(made) == {"ham": 20, "spam": 21}


def test_a_model_that_was_removed_begins_anew(made):
    Path(made).unlink()
    journal.append(made, [Entry("spam", SPAM % 1), Entry("ham", HAM % 1)])
    journal.fold(made)
    assert documents(made) == {"ham": 1, "spam": 1}


def test_the_oldest_mails_go(made, monkeypatch):
    monkeypatch.setattr(kept, "MOST", 6)
    journal.append(made, [Entry("spam", SPAM % 99)])
    journal.fold(made)
    assert documents(made) == {"ham": 3, "spam": 3}
    journal.append(made, [Entry("ham", HAM % 99)])
    journal.fold(made)
    assert documents(made) == {"ham": 3, "spam": 3}


def test_a_record_that_was_cut_off_is_dropped(model):
    path = Path(f"{model}.journal")
    journal.append(str(model), [Entry("spam", SPAM % 1)])
    whole, record = path.read_bytes(), Entry("spam", SPAM % 1).record
    for cut in (1, 5, len(record) - 1):
        path.write_bytes(whole + record[:-cut])
        assert journal.append(str(model), [Entry("ham", HAM % 1)]) == 2
        assert path.read_bytes() == whole + Entry("ham", HAM % 1).record


def test_the_same_mail_is_learnt_as_often_as_it_is_given(model):
    for _ in range(2):
        filtered(model, "--learn", "spam", "--fold-after", 1, mail=SPAM % 1)
    assert documents(model)["spam"] == 22


def test_no_mail_is_learnt_without_a_label(tmp_path):
    _, said = filtered(tmp_path / "none", "--learn", "", mail=SPAM % 1, status=75)
    assert said.startswith("deciban: ")
    assert "label" in said
    assert not list(tmp_path.iterdir())


def test_a_full_disk_while_learning(model):
    """A file that may not grow stands for a disk that is full."""
    journal.append(str(model), [Entry("spam", SPAM % 1)])
    before = Path(f"{model}.journal").read_bytes()
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20,) * 2)  # noqa: E731
    _, said = filtered(model, "--learn", "spam", mail=SPAM % 2, status=75, preexec_fn=full)
    assert said == f"deciban: {model}.journal: cannot write: File too large\n"
    assert Path(f"{model}.journal").read_bytes() == before
    whole = model.read_bytes()
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000,) * 2)  # noqa: E731
    _, said = filtered(model, "--learn", "spam", "--fold-after", 1, mail=SPAM % 2, status=75, preexec_fn=full)
    assert said == f"deciban: {model}: cannot write: File too large\n"
    assert model.read_bytes() == whole
    assert journal.fold(str(model)).learnt == 2
    assert documents(model)["spam"] == 22


# The mail programs themselves, by the recipes of docs/filter.md


def recipe(kind):
    page = (ROOT / "docs" / "filter.md").read_text(encoding="utf-8")
    return page.partition(f"```{kind}\n")[2].partition("```")[0]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with a model in it, and `deciban` on the path."""
    trained(tmp_path / "mail.deciban")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    source = Path(deciban.__file__).parents[1]  # mail programs clear the environment
    (bin_folder / "deciban").write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m deciban "$@"\n')
    (bin_folder / "deciban").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def needs(program):
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here: `make mailers` installs it")


def delivered(folder):
    return [path.read_bytes() for path in sorted(folder.glob("**/new/*"))]


@pytest.mark.parametrize("is_broken", [False, True])
def test_procmail(home, is_broken):
    needs("procmail")
    own = f"HOME={home}\nPATH={os.environ['PATH']}\nMAILDIR={home}\nDEFAULT={home}/Inbox/\n"
    (home / "rc").write_text(own + recipe("procmail"))
    (home / "rc").chmod(0o600)
    if is_broken:
        (home / "mail.deciban").unlink()
    for mail in (SPAM, HAM):
        subprocess.run(["procmail", "-m", "rc"], input=mail % 1, check=True, cwd=home, capture_output=True)
    spam, inbox = delivered(home / "Spam"), delivered(home / "Inbox")
    if is_broken:
        assert [b"X-Deciban" in mail for mail in spam + inbox] == [False, False]
        assert len(inbox) == 2
    else:
        assert (len(spam), len(inbox)) == (1, 1)
        assert without_ours(spam[0]) == SPAM % 1 + b"\n"  # procmail ends each mail with an empty line
        assert inbox[0].startswith(b"X-Deciban: ham; ")


@pytest.mark.parametrize("is_broken", [False, True])
def test_maildrop(home, is_broken):
    needs("maildrop")
    for folder in ("Maildir", "Maildir/.Spam"):
        for name in ("cur", "new", "tmp"):
            (home / folder / name).mkdir(parents=True)
    (home / "filterrc").write_text(f'PATH="{os.environ["PATH"]}"\nHOME="{home}"\n{recipe("maildrop")}to "Maildir"\n')
    (home / "filterrc").chmod(0o600)
    if is_broken:
        (home / "mail.deciban").unlink()
    for mail in (SPAM, HAM):
        done = subprocess.run(
            ["maildrop", home / "filterrc"], input=mail % 1, cwd=home, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
    spam, every = delivered(home / "Maildir" / ".Spam"), delivered(home / "Maildir")
    assert len(every) == 2
    assert len(spam) == (0 if is_broken else 1)
    assert sorted(map(without_ours, every)) == sorted([SPAM % 1, HAM % 1])


def reachable(home, user):
    """A Python that another user may run, with a copy of deciban in their home: this one may be root's alone."""
    shutil.copytree(Path(deciban.__file__).parent, home / "deciban")
    home.chmod(0o755)
    for python in (sys.executable, "/usr/bin/python3"):
        command = [python, "-c", "import deciban._core"]
        with contextlib.suppress(OSError):
            if subprocess.run(command, cwd=home, user=user, capture_output=True, check=False).returncode == 0:
                return python
    pytest.skip("Dovecot refuses to run as root, and nobody else may run Python here")


def test_sieve():
    needs("sieve-test")
    user, group = (65534, 65534) if os.getuid() == 0 else (os.getuid(), os.getgid())  # Dovecot refuses to be root
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        model, python = trained(home / "mail.deciban"), reachable(home, user)
        (home / "deciban-filter").write_text(
            recipe("sh")
            .replace("deciban filter", f"env PYTHONPATH='{home}' '{python}' -m deciban filter")
            .replace('"$HOME/mail.deciban"', f"'{model}'")
        )
        (home / "rule.sieve").write_text(recipe("sieve"))
        (home / "dovecot.conf").write_text(
            f"mail_location = maildir:{home}/Maildir\nssl = no\nmail_uid = {user}\nmail_gid = {group}\n"
            f"first_valid_uid = {user}\nfirst_valid_gid = {group}\nplugin {{\n  sieve_plugins = sieve_extprograms\n"
            f"  sieve_extensions = +vnd.dovecot.filter\n  sieve_filter_bin_dir = {home}\n}}\n"
        )
        (home / "spam").write_bytes(SPAM % 1)
        (home / "ham").write_bytes(HAM % 1)
        for path in (home, *home.iterdir()):
            os.chown(path, user, group)
            path.chmod(0o755)
        for mail in ("spam", "ham"):
            command = ["sieve-test", "-c", "dovecot.conf", "-e", "-l", f"maildir:{home}/Maildir", "rule.sieve", mail]
            done = subprocess.run(command, cwd=home, capture_output=True, check=False)
            assert done.returncode == 0, done.stderr
        (spam,), (ham,) = (list((home / "Maildir" / name).glob("new/*")) for name in (".Spam", "."))
        assert (without_ours(spam.read_bytes()), without_ours(ham.read_bytes())) == (SPAM % 1, HAM % 1)
