"""Word properties: the core equals the oracle on hostile texts; worked examples; lists, files, and what is refused."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban
import oracle_properties
from corpora import PROPERTIES, is_known, some_text
from deciban.cli import main, run
from deciban.errors import DamagedModel, DecibanError
from deciban.properties import KNOWN, PLAIN, Properties
from deciban.settings import Settings
from deciban.spelling import with_words
from deciban.terms import Terms, display
from test_errors import resigned

# Pieces of texts in which properties stand, or nearly do.
ODD = [
    *[
        "http://",
        "HTTPS://A.b-c.Com/x?y=1.",
        "ftp://1.2.3.4:80",
        "www.",
        "WWW.x.org)",
        "http://user@h.de",
        "://",
        "<",
        ">",
    ],
    *["a@b.c", "@", "x.+-y@Z.co.uk.", "a@b", "..@..", "é@ñ.ü", "mailto:", "\n\n", "\n", "\r\n", " ", "  ", "\t", "'"],
    *[
        "Not",
        "don",
        "n't",
        "can’t",
        "t",
        "never",
        ",",
        "good",
        "Abba",
        "CAFÉ",
        "caab",
        "ca",
        "cabb",
        "abbba",
        "CAB",
        "cafe\u0301",
    ],
    *["a@", "!!", "?", "???", "…", "...", "$", "£5", "€€", "___", "_", "12", "1234567890", "x1", "٣", "²", "①", "Ⅻ"],
    *["aaa", "AaA", "ßSS", "İİİ", "ǅa", "Ab", "AB", "aB", "A", "Éa", "ΑΣ", "x" * 16, "y" * 32, "word" * 9],
    *["раypal", "pаypal", "αa", "ａＡ", "𝐀𝐛", "a\u200bb", "а\u00adb", "ж\u2060ж", "\ufeff", "\u200d", "ՀH", "ᎪA"],
    *["👍🏽", "👨\u200d👩\u200d👧", "🇩🇪", "🇩", "❤\ufe0f", "☃", "\u200d👍", "🏽", "1\ufe0f\u20e3", "❶"],
    *[
        "Subject:",
        "From ",
        "From: ",
        "a: b",
        ": ",
        "X-é: ",
        "=?utf-8?B?Zm9v?=",
        "=?UTF-8?q?f=C3=A9_o=5Fo?=",
        "=?koi8-r?Q?a?=",
    ],
    *["=?x?", "?=", "=?latin1?q?=E9=zz?=", "=?utf-8?b?/w?=", "=?a?=?utf-8?q?ab cd?=", "ab ca", "é", "B a"],
]
hostile = st.lists(st.one_of(st.sampled_from(ODD), st.sampled_from(ODD), some_text), max_size=12).map("".join)


def told(text, properties=PROPERTIES, accents="keep"):
    """What the core tells of a text, without its words."""
    terms = Terms(words=None, properties=properties, accents=accents)
    return [tuple(found) for found in terms.seen(text)]


def shown(text, properties):
    """The same for people, with what it stands for."""
    return [(display(term), text[start:end]) for term, start, end in told(text, properties)]


@pytest.mark.parametrize("accents", ["keep", "fold"])
@settings(max_examples=150)
@given(hostile, st.one_of(st.just(set(PROPERTIES)), st.sets(st.sampled_from(sorted(PROPERTIES)), min_size=1)))
def test_the_core_tells_what_the_oracle_does(accents, text, names):
    some = {name: PROPERTIES[name] for name in names}
    assert sorted(told(text, some, accents)) == sorted(oracle_properties.told(text, some, accents))


def test_every_character_is_seen_as_the_oracle_sees_it():
    characters = [chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000]
    plain = {name: of for name, of in PROPERTIES.items() if name not in ("length", "misspelling")}
    text = " ".join(f"a{c}{c}B a{c} {c} x" for c in filter(is_known, characters[:0x3000:3]))
    assert sorted(told(text, plain)) == sorted(oracle_properties.told(text, plain))


@given(hostile)
def test_spans_are_pieces_of_the_text(text):
    for _, start, end in told(text):
        assert 0 <= start < end <= len(text)


@given(hostile, st.sampled_from(PLAIN))
def test_each_property_is_told_by_itself(text, name):
    alone = told(text, {name: []})
    kinds = {"negation": "\tn", "pairs": "\ts", "title": "\tl", "headers": "\tf"}
    start = kinds.get(name, f"\tp{name}")
    assert sorted(alone) == sorted(
        f for f in told(text) if re.split("[:×]", f[0])[0] == start or (name in kinds and f[0].startswith(start))
    )


EXAMPLES = [
    ("caps", "WIN a TV in USA2, I say", [("[caps]", "WIN"), ("[caps×2]", "TV")]),
    ("capitalised", "Hello Bob. The end of May", [("[capitalised]", "Bob"), ("[capitalised×2]", "May")]),
    (
        "repeats",
        "sooo good!! what???? --",
        [("[repeats:!!]", "!!"), ("[repeats:???]", "????"), ("[repeats:--]", "--"), ("[repeats:letters]", "ooo")],
    ),
    (
        "numbers",
        "call 07123456789 or 85 4u",
        [("[numbers:10+]", "07123456789"), ("[numbers:2]", "85"), ("[numbers:mixed]", "4u")],
    ),
    ("currency", "£100, 5€", [("[currency:£]", "£"), ("[currency:€]", "€")]),
    (
        "urls",
        "see http://Spam.example.COM/x. and www.a.co.uk, http://10.0.0.1/",
        [
            ("[urls:com]", "http://Spam.example.COM/x"),
            ("[urls:uk]", "www.a.co.uk"),
            ("[urls:number]", "http://10.0.0.1/"),
        ],
    ),
    ("emails", "write to bob.b@mail.example.org.", [("[emails:org]", "bob.b@mail.example.org")]),
    ("emoji", "fine 👍🏽 🇩🇪", [("[emoji:👍]", "👍🏽"), ("[emoji:🇩🇪]", "🇩🇪")]),
    ("long", "a supercalifragilistic word", [("[long:16]", "supercalifragilistic")]),
    (
        "lookalikes",
        "pаypal ＦＲＥＥ vi\u200bagra",
        [
            ("[lookalikes:invisible]", "\u200b"),
            ("[lookalikes:mixed]", "pаypal"),
            ("[lookalikes:fullwidth]", "ＦＲＥＥ"),
        ],
    ),
    ("length", "one two three four", [("[length:4-7]", "one two three four")]),
    (
        "negation",
        "I don't like this film, but I like you",
        [("not_like", "like"), ("not_this", "this"), ("not_film", "film")],
    ),
    (
        "pairs",
        "What is the capital?",
        [
            *[("<s>…is", "is"), ("<s> what…is", "is")],
            *[("what…the", "the"), ("<s>…the", "the"), ("<s> what…the", "the")],
            *[("is…capital", "capital"), ("what…capital", "capital"), ("<s> what…capital", "capital")],
        ],
    ),
    (
        "title",
        "\nOil: prices fall\nThe price of oil fell.",
        [
            *[("title:oil", "Oil"), ("title:prices", "prices"), ("title:oil prices", "Oil: prices")],
            *[("title:fall", "fall"), ("title:prices fall", "prices fall")],
        ],
    ),
    ("title", "A line alone.\n", []),
    ("title", "From: me\nSubject: a mail\n\nhas fields", []),
    (
        "headers",
        "Subject: Free\n offer\nX-A: =?utf-8?Q?caf=C3=A9?=\n\nSubject: no",
        [
            ("subject:", "Subject"),
            ("subject:free", "Free"),
            ("subject:offer", "offer"),
            ("x-a:", "X-A"),
            ("x-a:café", "=?utf-8?Q?caf=C3=A9?="),
        ],
    ),
]


@pytest.mark.parametrize(("name", "text", "expected"), EXAMPLES, ids=[name for name, *_ in EXAMPLES])
def test_worked_examples(name, text, expected):
    assert shown(text, name) == expected


def test_what_is_inside_an_address_is_seen_as_the_address():
    assert shown("http://x.com/AAA111", "caps,numbers,repeats,urls") == [("[urls:com]", "http://x.com/AAA111")]


def test_misspelling_is_told_by_how_it_is_wrong():
    words = {"misspelling": ["university", "beginning", "free"]}
    expected = [("doubled", "UUNIVERSITY"), ("doubled×2", "freee"), ("dropped", "begining"), ("unknown", "xyzzy")]
    text = "UUNIVERSITY University freee begining xyzzy v1a fr"
    assert shown(text, words) == [(f"[misspelling:{how}]", word) for how, word in expected]


def test_triggers_are_whole_words_and_phrases():
    text = "Win CASH now; cashier wins cash prize"
    found = shown(text, {"trigger:money": ["cash", "win cash", "Cash Prize"]})
    assert found == [("[trigger:money]", "Win CASH"), ("[trigger:money×2]", "CASH")]
    assert shown("cash prize", {"trigger:money": ["cash", "cash prize"]}) == [("[trigger:money]", "cash prize")]


def test_what_is_met_again_is_told_by_powers_of_two():
    found = told(" ".join(f"A{i}A" for i in range(9)), {"caps": []})
    assert [(display(term), start) for term, start, _ in found] == [
        *[("[caps]", 0), ("[caps×2]", 4), ("[caps×4]", 12), ("[caps×8]", 28)]
    ]


def test_words_are_learnt_from_the_texts():
    texts = ["free money at the university"] * 5 + ["free munny"]
    settings = with_words(Settings.of(properties="misspelling"), [texts])
    assert settings.properties.lists == (("misspelling", ("free", "money", "the", "university")),)
    assert with_words(settings, [["other"] * 9]) is settings
    model = deciban.train(texts, ["a", "a", "a", "b", "b", "b"], model="multinomial", properties="misspelling")
    assert model.settings.properties == settings.properties
    assert [t.name for t in model.explain("uuniversity").terms] == []
    assert "\tpmisspelling:doubled" in model.explain("uuniversity").unknown


def files(folder):
    (folder / "money.txt").write_text("# what spam promises\ncash\nwin big\n\n", "utf-8")
    (folder / "words.txt").write_text("university\nfree money\n", "utf-8")
    (folder / "mail.csv").write_text(
        "text,label\nWIN BIG cash!!,spam\nfreee money $5,spam\nI don't like it,ham\nsee you Bob,ham\n", "utf-8"
    )
    return folder


def test_the_model_file_holds_all_that_is_needed(tmp_path, capsys):
    folder = files(tmp_path)
    path = folder / "mail.deciban"
    names = f"caps,negation,trigger:{folder / 'money.txt'}"
    options = ["--properties", names, "--words-file", str(folder / "words.txt"), "--model", "multinomial"]
    run(["train", str(folder / "mail.csv"), *options, "-o", str(path)])
    in_memory = deciban.load(path)
    for name in ("money.txt", "words.txt"):
        (folder / name).unlink()
    loaded = deciban.load(path)
    assert loaded.settings == in_memory.settings
    lists = (("caps", ()), ("misspelling", ("free", "money", "university")), ("negation", ()))
    assert loaded.settings.properties.lists == (*lists, ("trigger:money", ("cash", "win big")))
    why = loaded.explain("WIN BIG", "spam")
    assert {term.name for term in why.terms} >= {"[caps]", "[trigger:money]"}
    fresh = deciban.train(
        ["WIN BIG cash!!", "freee money $5", "I don't like it", "see you Bob"],
        ["spam", "spam", "ham", "ham"],
        model="multinomial",
        properties=loaded.settings.properties.as_dict(),
    )
    assert fresh.counts == loaded.counts
    loaded.learn(["NEW cash"], ["spam"]).forget(["NEW cash"], ["spam"])
    assert fresh.counts == loaded.counts
    run(["info", str(path)])
    assert "properties=caps,misspelling(3),negation,trigger:money(2)" in capsys.readouterr().out


def test_a_file_that_names_a_list_never_reads_it(tmp_path):
    folder = files(tmp_path)
    with pytest.raises(DecibanError, match="expected words, one a line, got none"):
        Properties.of({"trigger:money": []})
    with pytest.raises(DecibanError, match="is not a property"):
        Properties.of({f"trigger:{folder / 'money.txt'}": ["cash"]})
    with pytest.raises(DecibanError, match="is not a property"):
        Properties.of({f"misspelling:{folder / 'words.txt'}": []})


def test_a_file_with_other_properties_is_damaged(tmp_path):
    path = tmp_path / "mail.deciban"
    deciban.train(["AB cd", "ef"], ["x", "y"], model="multinomial", properties="caps").save(path)
    assert deciban.load(path).settings.properties.names == ("caps",)
    path.write_bytes(resigned(path.read_bytes().replace(rb"{\"caps\":[]}", rb"{\"capz\":[]}")))
    with pytest.raises(DamagedModel, match="'capz' is not a property"):
        deciban.load(path)


def test_everything_composes(tmp_path, tickets):
    texts, labels = tickets
    options = {"words": (1, 2), "chars": (3, 5), "properties": "caps,negation", "cost": 1.0}
    models = [
        deciban.train(texts[::3], labels[::3], model=model, threads=n, **options)
        for model in ("nbsvm",)
        for n in (1, 2)
    ]
    models[0].save(tmp_path / "one")
    models[1].save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    text = "I was NOT told that the tent is not waterproof"
    for model in (*models, deciban.load(tmp_path / "one")):
        why = model.explain(text)
        assert {"[caps]", "not_tent"} <= {term.name for term in why.terms} | {*map(display, why.unknown)}
        one, other = (model.labels.index(label) for label in (why.label, why.against))
        scores = model.scores([text])[0]
        assert why.total == pytest.approx((scores[one] - scores[other]) * 10 / 2.302585092994046)


def test_the_scikit_learn_face_sees_the_same(tickets):
    from sklearn.base import clone

    from deciban.sklearn import TextClassifier

    texts, labels = tickets
    face = clone(TextClassifier(properties="caps,numbers", hash_bits=18)).fit(texts, labels)
    model = deciban.train(texts, labels, model="multinomial", properties=["caps", "numbers"], hash_bits=18)
    assert face.classifier_.counts == model.counts
    assert (face.predict_log_proba(texts) == model.predict_log_proba(texts)).all()


def test_auto_sees_all_terms_and_the_properties(tickets):
    model = deciban.train(*tickets, properties="caps", budget=20)
    assert (model.settings.chars, model.settings.properties.names) == ((2, 6), ("caps", "pairs", "title"))


def test_a_command_predicts_without_numpy(tmp_path):
    folder = files(tmp_path)
    names = ["--properties", f"caps,misspelling,trigger:{folder / 'money.txt'}"]
    run(["train", str(folder / "mail.csv"), "--model", "multinomial", *names, "-o", str(folder / "m.deciban")])
    code = (
        "import sys\nfrom deciban.cli import run\n"
        f"run(['predict', {str(folder / 'm.deciban')!r}, {str(folder / 'mail.csv')!r}, '--json'])\n"
        "assert 'numpy' not in sys.modules"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert [json.loads(line)["label"] for line in out.splitlines()] == ["spam", "spam", "ham", "ham"]


def test_names_come_in_any_form():
    same = [
        Properties.of(given) for given in ("caps, urls", ["urls", "caps"], {"caps": None, "urls": ()}, ["caps,urls"])
    ]
    assert len(set(same)) == 1
    assert Properties.of("headers:subject,headers").names == ("headers",)
    assert Properties.of([]) is None


BAD = [
    ("cap", "'cap' is not a property; the known ones are: " + ", ".join(KNOWN)),
    ("caps,", "'' is not a property; the known ones are: " + ", ".join(KNOWN)),
    ("headers:a b", "'headers:a b' is not a property; the known ones are: " + ", ".join(KNOWN)),
    ("trigger:none.txt", "none.txt: cannot read: No such file or directory"),
    ("trigger:", "'trigger:' is not a property; the known ones are: " + ", ".join(KNOWN)),
    ("trigger:empty.txt", "empty.txt: expected words, one a line, got none"),
    ("trigger:marks.txt", "marks.txt: expected words or phrases of at most 200 characters, got '!!!'"),
    ("misspelling:latin.txt", "latin.txt:2: the list is not UTF-8 (byte 0xe9); save it as UTF-8"),
    ("misspelling:marks.txt", "marks.txt: expected words, one a line, got none"),
    (
        "trigger:a.txt,trigger:b/a.txt",
        "two lists of trigger words are called 'a'; give one another name: trigger:NAME=FILE",
    ),
]


@pytest.fixture
def lists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    contents = {"empty.txt": b"# nothing\n\n", "marks.txt": b"!!!\n", "latin.txt": b"caf\ncaf\xe9\n"}
    for name, content in {**contents, "a.txt": b"cash\n", "b/a.txt": b"win\n"}.items():
        (tmp_path / name).write_bytes(content)
    return files(tmp_path)


@pytest.mark.parametrize(("names", "line"), BAD, ids=[names for names, _ in BAD])
def test_bad_properties_are_told_in_one_line(names, line, lists, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["deciban", "train", "mail.csv", "--properties", names])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (1, f"deciban: {line}\n")
    assert not (lists / "model.deciban").exists()


@pytest.mark.parametrize(
    "given", [5, b"caps", [1], {"caps": ["x"]}, {"misspelling": "words"}, {"trigger:a": [1]}, {3: []}]
)
def test_what_are_no_properties_is_told(given):
    with pytest.raises(DecibanError, match="expected names of properties"):
        Properties.of(given)


def test_a_list_may_have_a_name_of_its_own(lists):
    assert Properties.of("trigger:a.txt,trigger:other=b/a.txt").names == ("trigger:a", "trigger:other")


def test_words_cannot_be_learnt_from_what_is_read_once(lists):
    command = [sys.executable, "-m", "deciban", "train", "-", "--properties", "misspelling"]
    done = subprocess.run(command, input="text,label\na,b\n", capture_output=True, text=True)
    line = (
        "misspelling learns its words from the texts, and standard input can be read once only; give --words-file FILE"
    )
    assert (done.returncode, done.stderr) == (1, f"deciban: {line}\n")
