"""The slow, obvious definition of what is right: plain Python, Counters, no NumPy. The core must equal it."""

import re
import unicodedata
import zlib
from collections import Counter, defaultdict

CUT = {"word": re.compile(r"(?u)\b\w\w+\b").findall, "run": re.compile(r"\w+").findall, "whitespace": str.split}
START, END = "\t<s>", "\t</s>"


def folded(text):
    """A text without its accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def runs(of, lengths):
    """All runs of such lengths in a list or a text."""
    return [of[i : i + n] for n in range(lengths[0], lengths[1] + 1) for i in range(len(of) - n + 1)]


def murmur3(data):
    """MurmurHash3 (x86, 32 bits, seed 0) of some bytes."""
    h, low = 0, 0xFFFFFFFF
    for i in range(0, len(data), 4):
        k = int.from_bytes(data[i : i + 4], "little") * 0xCC9E2D51 & low
        h ^= (k << 15 | k >> 17) * 0x1B873593 & low
        if i + 4 <= len(data):
            h = (h << 13 | h >> 19) * 5 + 0xE6546B64 & low
    h ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h = (h ^ h >> shift) * factor & low
    return h


def terms(
    text,
    tokens="word",
    words=(1, 1),
    chars=None,
    edges=False,
    chars_across=None,
    accents="keep",
    properties=None,
    hash_bits=None,
):
    """All terms of a text, as names."""
    import oracle_properties

    lowered = folded(text.lower()) if accents == "fold" else text.lower()
    found = []
    if words:
        cut = CUT[tokens](lowered)
        edged = [START, *cut, END] if edges and cut else cut
        found += [" ".join(run) for run in runs(edged, words) if run not in ([START], [END])]
    if chars:  # a word that is shorter than the shortest run is one itself
        found += ["\tc" + run for word in lowered.split() for run in runs(f" {word} ", chars) or [f" {word} "]]
    if chars_across:
        found += ["\ta" + run for run in runs(re.sub(r"\s\s+", " ", lowered), chars_across)]
    if properties:
        found += [name for name, *_ in oracle_properties.told(text, properties, accents)]
    return [f"\th{murmur3(term.encode()) % 2**hash_bits:08x}" for term in found] if hash_bits else found


class Counts:
    """Counters of documents, occurrences and presences, and the rows that they were counted from."""

    def __init__(self, texts, labels, **seen):
        self.documents = Counter(labels)
        self.rows = [(Counter(terms(text, **seen)), label) for text, label in zip(texts, labels, strict=True)]
        self.occurrences, self.presences = defaultdict(Counter), defaultdict(Counter)
        for row, label in self.rows:
            for term, times in row.items():
                self.occurrences[term][label] += times
                self.presences[term][label] += 1
        self.labels, self.lexicon = sorted(self.documents), sorted(self.occurrences)
        self.examples, self.seen = list(zip(texts, labels, strict=True)), seen

    def half(self, number):
        """The counts of half of the documents: by the lowest bit of the CRC-32 of their texts."""
        examples = [(text, label) for text, label in self.examples if zlib.crc32(text.encode()) % 2 == number]
        return Counts([text for text, _ in examples], [label for _, label in examples], **self.seen)

    def flat(self):
        """Everything, in canonical order."""
        postings = [
            (term, label, self.occurrences[term][label], self.presences[term][label])
            for term in self.lexicon
            for label in sorted(self.occurrences[term])
        ]
        return [(label, self.documents[label]) for label in self.labels], postings
