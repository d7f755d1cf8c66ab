"""Mails to learn or to forget -> a journal beside the model, which is folded into it from time to time.

Counts add, so it is all the same whether mails are learnt one by one or together; but a model is one file that is
replaced whole, and to do so for each mail would take long. So a mail is appended to `MODEL.journal`, brought to the
disk, and that is all. Who makes the journal long enough folds it: all that changes is done under one lock
(`MODEL.lock`), and whoever judges mails needs none, because the model is replaced whole.

No mail is lost, and none is learnt twice, wherever a process is killed. A record that was cut off is dropped by the
next who appends: its mail was not acknowledged. To fold, the journal is renamed to `MODEL.folding`; the model that has
learnt it says so in its provenance, by a hash of it, and only then is it removed. Whoever finds a `MODEL.folding`
learns it, unless the model has it already.

A record is a line of JSON, `{"forget": false, "label": "spam", "bytes": 2}`, and as many bytes of a mail, and an end of
line. Without a model, the journal waits until it has mails of two labels; then one is trained, as `RECIPE` says.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

from .. import modelfile
from ..errors import DamagedJournal, FrozenModel, NeedsExamples, NeverLearnt, UnknownLabel, Unwritable, listed, reading
from .mail import seen

if TYPE_CHECKING:
    from ..classifier import Classifier

RECIPE: dict[str, Any] = {"model": "nbsvm", "cost": 30.0, "properties": "headers"}
FOLDED_AFTER = 20  # mails


@dataclass(frozen=True)
class Entry:
    """A mail to learn under a label, or to forget."""

    label: str
    mail: bytes
    forget: bool = False

    @property
    def record(self) -> bytes:
        """The same as the journal has it."""
        about = {"forget": self.forget, "label": self.label, "bytes": len(self.mail)}
        return json.dumps(about).encode() + b"\n" + self.mail + b"\n"


@dataclass(frozen=True)
class Folded:
    """How many mails were learnt and forgotten, how many could not be, having never been learnt, and how many wait."""

    learnt: int = 0
    forgotten: int = 0
    refused: int = 0
    waiting: int = 0


def check(path: str, label: str, forget: bool) -> None:
    """Refuses what the model could not learn or forget, before anything is written."""
    if not os.path.exists(path) and not forget:
        return
    saved = modelfile.load(path)
    if saved.frozen:
        raise FrozenModel(model=path)
    if saved.settings.needs_rows and (forget or not saved.settings.goes_on):
        raise NeedsExamples(model=saved.settings.model)
    if label not in saved.labels and len(saved.labels) > 1:
        raise UnknownLabel(label=label, known=listed(saved.labels))


def append(path: str, entries: Iterable[Entry]) -> int:
    """Writes mails into the journal of a model, all or none; says how many are there now."""
    with _locked(path), _writing(f"{path}.journal"), _opened(f"{path}.journal") as file:
        places = list(_places(file))
        end = places[-1][2] if places else 0
        file.truncate(end)
        file.seek(end)
        new = 0
        try:
            for entry in entries:
                file.write(entry.record)
                new += 1
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(file.fileno(), end)
            raise
        return len(places) + new


def fold(path: str) -> Folded:
    """Learns and forgets all that the journal has, and replaces the model."""
    done = Folded()
    with _locked(path):
        if os.path.exists(f"{path}.folding"):
            done = _fold(path)
        entries = _entries(f"{path}.journal")
        if not entries:
            return done
        if not os.path.exists(path) and len({entry.label for entry in entries if not entry.forget}) < 2:
            return replace(done, waiting=len(entries))
        with _writing(path):
            os.replace(f"{path}.journal", f"{path}.folding")
        return _fold(path, done)


def _fold(path: str, done: Folded = Folded()) -> Folded:
    """Brings `MODEL.folding` into the model, unless it is there already, and removes it."""
    part = f"{path}.folding"
    with reading(part), open(part, "rb") as file:
        name = f"journal {hashlib.file_digest(file, 'blake2b').hexdigest()[:32]}"
    if not os.path.exists(path) or _last(modelfile.load(path).provenance).get("source") != name:
        entries = _entries(part)
        classifier, refused = _changed(path, entries)
        *earlier, last = classifier.provenance
        classifier.provenance = (*earlier, {**last, "source": name})
        classifier.save(path)
        forgotten = sum(entry.forget for entry in entries)
        done = Folded(
            done.learnt + len(entries) - forgotten, done.forgotten + forgotten - refused, done.refused + refused
        )
    with _writing(part):
        os.unlink(part)
    return done


def _changed(path: str, entries: list[Entry]) -> tuple[Classifier, int]:
    """The model with all entries, as one more step of its provenance, or of the last, if that was a journal's."""
    from ..classifier import load
    from ..training import train

    learn, forget = ([entry for entry in entries if entry.forget == is_forgotten] for is_forgotten in (False, True))
    if os.path.exists(path):
        classifier, before = load(path), modelfile.load(path).provenance
        if learn:
            classifier.learn(*_examples(learn))
    else:
        classifier, before = train(*_examples(learn), **RECIPE), ()
        before = classifier.provenance[:-1]
    refused = _forget(classifier, forget)
    new = classifier.provenance[len(before) :]
    examples = sum(part["examples"] for part in new)
    first = new[0] if new else {"source": "", "examples": 0}
    last = _last(before)
    if last.get("source", "").startswith("journal "):
        before, examples, first = before[:-1], examples + last["examples"], {**first, **last}
    classifier.provenance = (*before, {**first, "examples": examples})
    return classifier, refused


def _forget(classifier: Classifier, entries: list[Entry]) -> int:
    """Forgets what was learnt; says of how many mails that cannot be."""
    if not entries:
        return 0
    try:
        classifier.forget(*_examples(entries))
    except NeverLearnt:
        if len(entries) == 1:
            return 1
        return sum(_forget(classifier, [entry]) for entry in entries)
    return 0


def _examples(entries: list[Entry]) -> tuple[list[str], list[str]]:
    return [seen(entry.mail) for entry in entries], [entry.label for entry in entries]


def _last(provenance: modelfile.Provenance) -> dict[str, Any]:
    return provenance[-1] if provenance else {}


def _entries(path: str) -> list[Entry]:
    """The records of a journal; none where there is none. What was cut off at its end is not there."""
    if not os.path.exists(path):
        return []
    with reading(path), open(path, "rb") as file:
        places = list(_places(file))
        entries = []
        for about, start, end in places:
            file.seek(start)
            entries.append(Entry(about["label"], file.read(end - start - 1), about["forget"]))
        return entries


def _places(file: BinaryIO) -> Iterator[tuple[dict[str, Any], int, int]]:
    """What each whole record says, where its mail begins, and where it ends."""
    size = os.fstat(file.fileno()).st_size
    file.seek(0)
    at = 0
    while line := file.readline():
        start = at + len(line)
        if not line.endswith(b"\n"):
            return
        about = _about(line)
        if about is None:
            raise DamagedJournal(path=file.name, at=at)
        at = start + about["bytes"] + 1
        if at > size:
            return
        file.seek(at)
        yield about, start, at


def _about(line: bytes) -> dict[str, Any] | None:
    try:
        about = json.loads(line)
        kinds = {"forget": bool, "label": str, "bytes": int}
        is_one = about.keys() == kinds.keys() and all(type(about[name]) is kinds[name] for name in kinds)
    except (ValueError, AttributeError, RecursionError):
        return None
    return about if is_one and about["bytes"] >= 0 else None


def _opened(path: str) -> BinaryIO:
    """A file for reading and writing, made if it is missing; mails are nobody else's business."""
    return open(path, "r+b", opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o600))


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    """Nobody else changes the model or its journal meanwhile."""
    with _writing(f"{path}.lock"):
        descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unwritable(path=path, reason=error.strerror or error) from error
