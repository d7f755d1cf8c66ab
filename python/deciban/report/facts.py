"""What the figures rest on: the texts, the model, its settings, where it came from, and how to get the report again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from .. import __version__
from ..classifier import Classifier
from ..modelfile import told
from ..properties import TRIGGER, Properties
from ..settings import Settings
from .answer import LEAVE_ONE_OUT, TEST
from .wording import count_of


@dataclass(frozen=True)
class Facts:
    """Names and values for lists, settings that are as by default apart; the commands; the version.

    Commands may have been given, or be `reconstructed`.
    """

    texts: tuple[tuple[str, str], ...]
    model: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...]
    commands: str
    reconstructed: bool
    version: str


def facts(classifier: Classifier, texts: Sequence[str], protocol: str, report: str, command: str | None) -> Facts:
    """All facts; without a `command`, with commands that train such a model and write such a report."""
    settings = tuple(_settings(classifier.settings))
    return Facts(
        texts=_of_texts(texts),
        model=_of_model(classifier),
        settings=tuple((name, value) for name, value, is_own in settings if is_own),
        others=tuple((name, value) for name, value, is_own in settings if not is_own),
        commands=_commands(classifier, protocol, report) if command is None else command,
        reconstructed=command is None,
        version=__version__,
    )


def _commands(classifier: Classifier, protocol: str, report: str) -> str:
    """The commands, as far as the model knows them."""
    source = _only_file(classifier)
    loo = ["--loo"] if protocol.startswith(LEAVE_ONE_OUT) else []
    file = protocol.removeprefix(TEST) if protocol.startswith(TEST) else source if loo else "FILE"
    train = ["deciban", "train", source, *_options(classifier.settings), "-o", "model.deciban"]
    evaluate = ["deciban", "evaluate", "model.deciban", file, *loo, "--report", report]
    return f"{shlex.join(train)}\n{shlex.join(evaluate)}"


def _only_file(classifier: Classifier) -> str:
    """The file that the model was trained on, if it was one."""
    sources = [str(part["source"]) for part in classifier.provenance]
    return sources[0] if len(sources) == 1 and sources != ["memory"] else "FILE"


def _options(settings: Settings) -> list[str]:
    """The model, and the settings that are not as by default, as the command line takes them."""
    given, plain = ["--model", settings.model], Settings(model=settings.model)
    for name in settings.as_dict():
        value = getattr(settings, name)
        if value != getattr(plain, name):
            option = f"--{name.replace('_', '-')}"
            given += [option] if value is True else [option, _value(value)]
    return given


def _settings(settings: Settings) -> Iterator[tuple[str, str, bool]]:
    """Names and values of all settings, and whether they are worth a look: the model, and what is not as by default."""
    plain = Settings(model=settings.model).told
    for name, value in settings.told.items():
        yield name, _value(value), name == "model" or value != plain[name]


def _value(value: object) -> str:
    """A setting as the command line takes it.

    >>> _value((1, 2)), _value((1, 1)), _value(None), _value(0.3), _value(False)
    ('1-2', '1', 'none', '0.3', 'no')
    """
    if isinstance(value, Properties):
        return ",".join(f"{name}=FILE" if name.startswith(TRIGGER) else name for name in value.names)
    if isinstance(value, tuple):
        return "-".join(dict.fromkeys(map(str, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _of_texts(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    lengths = sorted(map(len, texts))
    empty = sum(not text.strip() for text in texts)
    return (
        ("judged here", count_of(len(texts), "text")),
        ("shortest", count_of(lengths[0], "character")),
        ("median", count_of(round(median(lengths)), "character")),
        ("longest", count_of(lengths[-1], "character")),
        ("empty or blank", count_of(empty, "text") if empty else "none"),
    )


def _of_model(classifier: Classifier) -> tuple[tuple[str, str], ...]:
    has_none = classifier.frozen or classifier.settings.has_amounts
    return (
        ("trained on", count_of(sum(classifier.documents.values()), "text")),
        ("labels", f"{len(classifier.labels):,}"),
        ("lexicon", count_of(len(classifier.lexicon), "term")),
        *([] if has_none else [("occurrences", f"{int(classifier.counts.occurrences.sum()):,}")]),
        ("sources", told(classifier.provenance) or "not recorded"),
    )
