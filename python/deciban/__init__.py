"""deciban: a text classifier that shows its work.

>>> import deciban
>>> mail = deciban.train(["free money", "money now", "see you soon"], ["spam", "spam", "ham"])
>>> mail.predict(["money for you", "soon"])
['spam', 'ham']
"""

from __future__ import annotations

TYPE_CHECKING = False  # as of typing, whose import would take a command as long as all else that it starts with
if TYPE_CHECKING:
    from .auditing import audit
    from .classifier import Classifier
    from .comparing import compare
    from .decision.rules import Rule
    from .errors import DecibanError
    from .loading import load
    from .paths import path
    from .protocols import evaluate
    from .several import Several
    from .training import train

__all__ = ["Classifier", "DecibanError", "Rule", "Several", "audit", "compare", "evaluate", "load", "path", "train"]
__version__ = "0.1.0"

_HOMES = {
    "Classifier": "classifier",
    "DecibanError": "errors",
    "Rule": "decision.rules",
    "audit": "auditing",
    "compare": "comparing",
    "evaluate": "protocols",
    "load": "loading",
    "Several": "several",
    "path": "paths",
    "train": "training",
}


def __getattr__(name: str) -> object:
    """The public names, imported when first used: `deciban --help` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'deciban' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
