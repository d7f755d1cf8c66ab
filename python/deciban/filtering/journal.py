"""Mails to learn or to forget -> a journal beside the model, which is folded into it from time to time.

Counts add, so it is all the same whether mails are learnt one by one or together; but a model is one file that is
replaced whole, and to do so for each mail would take long. So a mail is appended to `MODEL.journal`, brought to the
disk, and that is all. Who makes the journal long enough folds it: all that changes is done under one lock
(`MODEL.lock`), and whoever judges mails needs none, because the model is replaced whole.

No mail is lost, and none is learnt twice, wherever a process is killed. A record that was cut off is dropped by the
next who appends: its mail was not acknowledged. To fold, the journal is renamed to `MODEL.folding`; the model that has
learnt it says so in its provenance, by a hash of it (no two are the same: each begins with a mark by lot), and only
then is it removed. Whoever finds a `MODEL.folding` learns it, unless the model has it already.

Without a model, the journal waits until it has mails of two labels; then one is `fitted`. What such
a model has learnt is `kept`, and whenever the journal is folded it is trained anew on all of it. Any other model learns
by adding, if it is one of counts, or goes on from its weights.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import modelfile
from ..errors import FrozenModel, NeedsExamples, NeverLearnt, UnknownLabel, listed, reading
from ..examples import labels_of
from .kept import keep, kept
from .mail import seen
from .records import Entry, entries, mark, opened, places, write, writing
from .verdict import of_one_label

if TYPE_CHECKING:
    from ..classifier import Classifier
    from ..modelfile import Saved

TOKENS = "whitespace"
FOLDED_AFTER = 20  # mails


@dataclass(frozen=True)
class Folded:
    """How many mails were learnt and forgotten, how many could not be, having never been learnt, and how many wait."""

    learnt: int = 0
    forgotten: int = 0
    refused: int = 0
    waiting: int = 0


def check(path: str, label: str, forget: bool) -> None:
    """Refuses what the model could not learn or forget, before anything is written."""
    labels_of([label])
    if not os.path.exists(path) and not forget:
        return
    saved = of_one_label(path)
    if saved.frozen:
        raise FrozenModel(model=path)
    if saved.settings.needs_rows and (forget or not saved.settings.goes_on) and not _is_kept(path, saved):
        raise NeedsExamples(model=saved.settings.model)
    if label not in saved.labels and len(saved.labels) > 1:
        raise UnknownLabel(label=label, known=listed(saved.labels))


def append(path: str, new: Iterable[Entry]) -> int:
    """Writes mails into the journal of a model, all or none; says how many are there now."""
    with _locked(path), writing(f"{path}.journal"), opened(f"{path}.journal") as file:
        there = list(places(file))
        # Of two journals with the same mails, one after the other, the second would be taken for the first.
        records = itertools.chain([] if there else [mark(os.urandom(16).hex())], new)
        written = write(file, there[-1][2] if there else 0, (entry.record for entry in records))
        new_ones = written if there else written - 1
        return sum(bool(about["label"]) for about, _, _ in there) + new_ones


def fold(path: str) -> Folded:
    """Learns and forgets all that the journal has, and replaces the model."""
    done = Folded()
    with _locked(path):
        if os.path.exists(f"{path}.folding"):
            done = _fold(path)
        waiting = entries(f"{path}.journal")
        if not waiting:
            return done
        if not os.path.exists(path) and len({entry.label for entry in waiting if not entry.forget}) < 2:
            return replace(done, waiting=len(waiting))
        with writing(path):
            os.replace(f"{path}.journal", f"{path}.folding")
        return _fold(path, done)


def _fold(path: str, done: Folded = Folded()) -> Folded:
    """Brings `MODEL.folding` into the model, unless it is there already, and removes it."""
    part = f"{path}.folding"
    with reading(part), open(part, "rb") as file:
        name = f"journal {hashlib.file_digest(file, 'blake2b').hexdigest()[:32]}"
    from . import tables

    saved = modelfile.load(path) if os.path.exists(path) else None
    if _source(saved) != name:
        new = entries(part)
        is_kept = saved is None or _is_kept(path, saved)
        classifier, refused = _anew(path, saved, new, name) if is_kept else _changed(path, new)
        *earlier, last = classifier.provenance
        classifier.provenance = (*earlier, {**last, "source": name})
        classifier.save(path)
        forgotten = sum(entry.forget for entry in new)
        learnt, forgotten = len(new) - forgotten, forgotten - refused
        done = Folded(done.learnt + learnt, done.forgotten + forgotten, done.refused + refused)
    tables.keep(path)
    with writing(part):
        os.unlink(part)
    return done


def _is_kept(path: str, saved: Saved) -> bool:
    """Whether all that a model has learnt is there."""
    return kept(path).belongs_to(_source(saved))


def _anew(path: str, saved: Saved | None, new: list[Entry], name: str) -> tuple[Classifier, int]:
    """A model of all that is kept and of new entries, which are kept from now on; how many could not be forgotten."""
    from ..classifier import load
    from . import fitted

    texts, _ = _examples(TOKENS, new)
    as_seen = [replace(entry, mail=text.encode()) for entry, text in zip(new, texts, strict=True)]
    before = kept(path)
    after = keep(path, before if saved else before._replace(end=0), as_seen, name)
    labels = [entry.label for entry in after.entries]
    if len(set(labels)) < 2 and saved:  # all of a label is forgotten: what is left tells nothing from anything
        return load(path), after.refused
    return fitted.classifier([entry.mail.decode() for entry in after.entries], labels), after.refused


def _changed(path: str, new: list[Entry]) -> tuple[Classifier, int]:
    """The model with all entries, as one more step of its provenance, or of the last, if that was a journal's."""
    from ..classifier import load

    learn, forget = ([entry for entry in new if entry.forget == is_forgotten] for is_forgotten in (False, True))
    classifier, before = load(path), modelfile.load(path).provenance
    if learn:
        classifier.learn(*_examples(classifier.settings.tokens, learn))
    refused = _forget(classifier, forget)
    steps = classifier.provenance[len(before) :]
    examples = sum(part["examples"] for part in steps)
    first = steps[0] if steps else {"source": "", "examples": 0}
    last = before[-1] if before else {}
    if last.get("source", "").startswith("journal "):
        before, examples, first = before[:-1], examples + last["examples"], {**first, **last}
    classifier.provenance = (*before, {**first, "examples": examples})
    return classifier, refused


def _source(saved: Saved | None) -> str:
    """Where a model's last examples came from."""
    return str(saved.provenance[-1]["source"]) if saved and saved.provenance else ""


def _forget(classifier: Classifier, old: list[Entry]) -> int:
    """Forgets what was learnt; says of how many mails that cannot be."""
    if not old:
        return 0
    try:
        classifier.forget(*_examples(classifier.settings.tokens, old))
    except NeverLearnt:
        if len(old) == 1:
            return 1
        return sum(_forget(classifier, [entry]) for entry in old)
    return 0


def _examples(tokens: str, some: list[Entry]) -> tuple[list[str], list[str]]:
    texts = [text for entry in some for text in seen(tokens, entry.mail, [(0, len(entry.mail))])]
    return texts, [entry.label for entry in some]


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Nobody else changes the model or its journal meanwhile."""
    with writing(f"{path}.lock"):
        descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
