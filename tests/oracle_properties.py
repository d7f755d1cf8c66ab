"""The slow, obvious definition of every word property: plain Python and `re`. The core must equal it.

`told(text, lists)` gives (name, start, end) of all that is told of a text, in any order; `lists` has the properties by
their names, each with its list.
"""

import base64
import re
from collections import Counter
from itertools import pairwise

from oracle import folded

TOLD = {}
TRIM = ".,;:!?'\")]}"
NEGATIONS = {
    *("not", "no", "never", "nor", "neither", "none", "nobody", "nothing", "nowhere", "cannot", "without", "hardly"),
    *("aint", "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt", "mustnt"),
    *("neednt", "shouldnt", "wasnt", "werent", "wont", "wouldnt"),
}
EMOJI = re.compile(
    "[\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001faff]"
)
CHANGES = "[\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f\U0001f3fb-\U0001f3ff]"
CLUSTER = re.compile(
    f"([\U0001f1e6-\U0001f1ff]{{2}}|{EMOJI.pattern})(?:{CHANGES}|\u200d+{EMOJI.pattern}|\u200d)*", re.DOTALL
)
SCRIPTS = [
    "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
    "\u0370-\u03ff\u1f00-\u1fff",
    "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f",
    "\u0531-\u0587",
    "\u13a0-\u13ff\uab70-\uabbf",
]


def of(name):
    """Marks what tells the property of a name."""

    def put(function):
        TOLD[name] = function
        return function

    return put


class Pieces:
    """A text, its addresses, its words outside of them, and what stands between those."""

    def __init__(self, text, accents):
        self.text, self.accents = text, accents
        self.urls = list(urls(text))
        self.emails = [(s, e, h) for s, e, h in emails(text) if all(e <= a or b <= s for a, b, _ in self.urls)]
        addresses = [(s, e) for s, e, _ in [*self.urls, *self.emails]]
        self.runs = [m.span() for m in re.finditer(r"\w+", text)]
        self.words = [(s, e) for s, e in self.runs if not any(s < b and a < e for a, b in addresses)]
        items = sorted([*self.words, *addresses])
        edges = [0, *(place for item in items for place in item), len(text)]
        self.gaps = [(s, e) for s, e in zip(edges[::2], edges[1::2], strict=True) if s < e]
        self.before = {start: text[end:start] for (_, end), (start, _) in pairwise(items)}

    def form(self, start, end):
        return form(self.text[start:end], self.accents)


def form(word, accents):
    return folded(word.lower()) if accents == "fold" else word.lower()


def urls(text):
    prefix = r"(?<!\w)(?:([Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://|[Ww][Ww][Ww]\.)"
    for m in re.finditer(prefix + r"([^\s<>\"]+)", text):
        rest = m[2].rstrip(TRIM)
        if rest:
            yield m.start(), m.start(2) + len(rest), m.start(2) if m[1] else m.start()


def emails(text):
    for m in re.finditer(r"[\w.+-]+@([\w.-]+)", text):
        host = m[1].rstrip(".-")
        if "." in host.lstrip("."):
            yield m.start(), m.start(1) + len(host), m.start(1)


def label(host):
    host = re.split("[/?#:]", host)[0].rstrip(".-")
    return "number" if re.fullmatch("[0-9.]+", host) else host.split(".")[-1].lower()


def is_capital(c):
    return c.lower() != c


def is_small(c):
    return not is_capital(c) and (c + "Σ").lower()[-1] == "ς"


def script(c):
    return next((i for i, letters in enumerate(SCRIPTS) if c.isalpha() and re.match(f"[{letters}]", c)), None)


@of("urls")
def tell_urls(p):
    return [(f"\tpurls:{label(p.text[h:e])}", s, e) for s, e, h in p.urls]


@of("emails")
def tell_emails(p):
    return [(f"\tpemails:{label(p.text[h:e])}", s, e) for s, e, h in p.emails]


@of("caps")
def tell_caps(p):
    capitals = lambda w: sum(map(is_capital, w)) > 1 and not any(map(is_small, w))  # noqa: E731
    return [("\tpcaps", s, e) for s, e in p.words if capitals(p.text[s:e])]


@of("capitalised")
def tell_capitalised(p):
    for s, e in p.words:
        first, *rest = p.text[s:e]
        is_one = is_capital(first) and not any(map(is_capital, rest)) and any(map(is_small, rest))
        gap = p.before.get(s, ".")
        if is_one and not re.search("[.!?…。！？]", gap) and gap.count("\n") < 2:
            yield "\tpcapitalised", s, e


def runs(text, same):
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or not same(text[start], text[end]):
            yield start, end
            start = end


@of("repeats")
def tell_repeats(p):
    for s, e in p.words:
        for a, b in runs(p.text[s:e], lambda c, d: c.lower() == d.lower()):
            c, n = p.text[s + a], b - a
            if n > 2 and c.isalpha():
                yield "\tprepeats:letters", s + a, s + b
            elif n > 1 and c == "_":
                yield f"\tprepeats:{'_' * min(n, 3)}", s + a, s + b
    for s, e in p.gaps:
        for a, b in runs(p.text[s:e], str.__eq__):
            if b - a > 1 and not p.text[s + a].isspace():
                yield f"\tprepeats:{p.text[s + a] * min(b - a, 3)}", s + a, s + b


@of("numbers")
def tell_numbers(p):
    for s, e in p.words:
        word = p.text[s:e]
        digits = sum(map(str.isdecimal, word))
        if digits == len(word):
            yield f"\tpnumbers:{digits if digits < 10 else '10+'}", s, e
        elif digits and any(map(str.isalpha, word)):
            yield "\tpnumbers:mixed", s, e


@of("currency")
def tell_currency(p):
    from unicodedata import category

    return [
        (f"\tpcurrency:{p.text[i]}", i, i + 1) for s, e in p.gaps for i in range(s, e) if category(p.text[i]) == "Sc"
    ]


@of("emoji")
def tell_emoji(p):
    return [(f"\tpemoji:{m[1]}", s + m.start(), s + m.end()) for s, e in p.gaps for m in CLUSTER.finditer(p.text[s:e])]


@of("long")
def tell_long(p):
    return [(f"\tplong:{32 if e - s >= 32 else 16}", s, e) for s, e in p.words if e - s >= 16]


@of("lookalikes")
def tell_lookalikes(p):
    for s, e in p.words:
        word = p.text[s:e]
        if len({script(c) for c in word} - {None}) > 1:
            yield "\tplookalikes:mixed", s, e
        if re.search("[Ａ-Ｚａ-ｚ]", word):
            yield "\tplookalikes:fullwidth", s, e
        if re.search("[\U0001d400-\U0001d7ff]", word):
            yield "\tplookalikes:styled", s, e
    for (_, a), (b, _) in pairwise(p.words):
        if re.fullmatch("[\u00ad\u200b\u200c\u200d\u2060\ufeff]+", p.text[a:b]):
            one, other = script(p.text[a - 1]), script(p.text[b])
            if one is not None and one == other:
                yield "\tplookalikes:invisible", a, b


@of("length")
def tell_length(p):
    low = 1 << (len(p.runs).bit_length() - 1) if p.runs else 0
    return [(f"\tplength:{low}-{2 * low - 1}" if low > 1 else "\tplength:1", 0, len(p.text))] if low else []


@of("negation")
def tell_negation(p):
    negated, last = False, ""
    for s, e in p.words:
        gap, word = p.before.get(s, ""), p.form(s, e)
        if re.search("[.,;:!?…()]", gap) or gap.count("\n") > 1:
            negated = False
        if word in NEGATIONS or (word == "t" and gap in ("'", "’") and last.endswith("n")):
            negated = True
        elif negated and len(word) > 1:
            yield f"\tn{word}", s, e
        last = word


@of("pairs")
def tell_pairs(p):
    words = ["<s>", *(p.form(s, e) for s, e in p.words)]
    for at, (s, e) in enumerate(p.words, 1):
        yield from ((f"\ts{words[at - back]}…{words[at]}", s, e) for back in (2, 3) if back <= at)
        if at > 1:
            yield f"\ts<s> {words[1]}…{words[at]}", s, e


@of("title")
def tell_title(p):
    end = p.text.find("\n", p.words[0][0]) if p.words else -1
    title = [(s, e) for s, e in p.words if s < end]
    if len(title) < len(p.words) and len(title) <= 32 and len(list(fields(p.text))) < 2:
        yield from ((f"\tl{p.form(s, e)}", s, e) for s, e in title)
        yield from ((f"\tl{p.form(s, e)} {p.form(t, f)}", s, f) for (s, e), (t, f) in pairwise(title))


def misspelling(p, words):
    for s, e in p.words:
        word = p.form(s, e)
        if words and 3 <= e - s <= 32 and p.text[s:e].isalpha() and word not in words:
            yield f"\tpmisspelling:{how_wrong(word, words)}", s, e


def how_wrong(word, words):
    if any(is_doubled(word, right) for right in words):
        return "doubled"
    return "dropped" if any(word == w[:i] + w[i + 1 :] for w in words for i in range(len(w))) else "unknown"


def is_doubled(word, right):
    """Whether a word is another with letters that stand oftener in a row."""
    return re.fullmatch(
        "".join(f"{re.escape(right[a:b])}{re.escape(right[a])}*" for a, b in runs(right, str.__eq__)), word
    )


def trigger(p, name, phrases):
    phrases = sorted((re.findall(r"\w+", phrase) for phrase in phrases), key=len, reverse=True)
    forms = [[form(word, p.accents) for word in phrase] for phrase in phrases]
    words = [p.form(s, e) for s, e in p.words]
    for i in range(len(words)):
        found = next((phrase for phrase in forms if words[i : i + len(phrase)] == phrase), None)
        if found:
            yield f"\tp{name}", p.words[i][0], p.words[i + len(found) - 1][1]


def fields(text):
    """(name, where its value begins, where it ends) of each field that a text begins with."""
    found, start = [], 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        end = start + len(line)
        m = re.match(r"([!-9;-~]+):", line)
        if line[0] in " \t" and line.strip() and found:
            found[-1] = (*found[-1][:2], end)
        elif m:
            found.append((m[1], start + m.end(), end))
        elif start > 0 or not line.startswith("From "):
            break
        start = end
    return found


def headers(p, wanted):
    for name, start, end in fields(p.text):
        name = "".join(c.lower() if c.isascii() else c for c in name)
        if wanted is not None and name not in wanted:
            continue
        yield f"\tf{name}:", start - 1 - len(name), start - 1
        coded = list(encoded(p.text, start, end))
        for s, e in p.runs:
            if start <= s < end and e - s != 1 and not any(s < b and a < e for a, b, *_ in coded):
                yield f"\tf{name}:{p.form(s, e)}", s, e
        for s, e, said, charset in coded:
            words = [f"=?{charset}"] if said is None else re.findall(r"\w+", said)
            for word in words:
                if len(word) != 1:
                    yield f"\tf{name}:{form(word, p.accents)}", s, e


def encoded(text, start, end):
    """Encoded words and their encodings, those with only blanks between them as one; None for what is not known."""
    found = []
    pattern = re.compile(r"=\?([!->@-~]+)\?([bBqQ])\?([^?\n]*)\?=")
    for m in pattern.finditer(text, start, end):
        said = decoded(m[1].lower(), m[2].lower(), m[3])
        first, last = m.start(), found[-1] if found else (0, 0, None)
        if not text[last[1] : first].strip() and None not in (said, last[2]):
            first, said = last[0], last[2] + said
            found.pop()
        found.append((first, m.end(), said, m[1].lower()))
    return found


def decoded(charset, encoding, data):
    if encoding == "b":
        data = re.sub("[^A-Za-z0-9+/]", "", data.partition("=")[0])
        data = data[: len(data) - (len(data) % 4 == 1)]
        raw = base64.b64decode(data + "=" * (-len(data) % 4))
    else:
        raw = re.sub(b"=([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), data.replace("_", " ").encode())
    if charset in ("utf-8", "utf8", "us-ascii", "ascii"):
        return raw.decode(errors="replace")
    if charset in ("iso-8859-1", "iso-8859-15", "latin1", "windows-1252", "cp1252"):
        return raw.decode("latin-1")
    return None


def told(text, lists, accents="keep"):
    """Everything that is told of a text."""
    p, found = Pieces(text, accents), []
    asked = [name.removeprefix("headers:") for name in lists if name.startswith("headers:")]
    for name, of in lists.items():
        if name in TOLD:
            found += TOLD[name](p)
        elif name == "misspelling":
            found += misspelling(p, [form(word, accents) for word in of])
        elif name.startswith("trigger:"):
            found += trigger(p, name, of)
        elif name == "headers":
            found += headers(p, None)
    return [*levelled(found), *(headers(p, asked) if asked else [])]


def levelled(found):
    """What is told several times is told at its first, second, fourth, ... time, each under a name of its own."""
    times = Counter()
    for name, start, end in sorted(found, key=lambda one: one[1:]):
        n = times[name] = times[name] + 1 if name.startswith("\tp") else 1
        if n & (n - 1) == 0:
            yield f"{name}×{n}" if n > 1 else name, start, end
