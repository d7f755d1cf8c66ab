"""What a user may choose: one name in the library, the command line and the scikit-learn face; checked once, here."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

from .errors import BadSetting, UnknownSetting
from .terms import Terms, check_choice

# Names only: what they stand for takes NumPy, and whoever has a scorecard does without.
MODELS = ("multinomial",)
SMOOTHINGS = ("laplace",)
CALIBRATIONS = ("none",)
GREATEST = 1e9
MOST_THREADS = 4096


@dataclass(frozen=True)
class Settings:
    """All settings of a model, with their defaults.

    >>> Settings.of(words=(1, 2), alpha=0.5).alpha
    0.5
    >>> Settings.of(model="perceptron")
    Traceback (most recent call last):
        ...
    deciban.errors.UnknownChoice: model='perceptron': not known; the known ones are: multinomial
    """

    model: str = "multinomial"
    words: tuple[int, int] | None = (1, 1)
    edges: bool = False
    chars: tuple[int, int] | None = None
    chars_across: tuple[int, int] | None = None
    tokens: str = "word"
    accents: str = "keep"
    hash_bits: int | None = None
    binary: bool = False
    smoothing: str = "laplace"
    alpha: float = 1.0
    prior_smoothing: float = 0.0
    calibration: str = "none"
    threads: int | None = field(default=None, compare=False)

    @classmethod
    def of(cls, **given: Any) -> Settings:
        """Settings by name, the rest as by default."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise UnknownSetting(name=name, known=", ".join(known))
        return cls(**given)

    def __post_init__(self) -> None:
        for setting, known in (("model", MODELS), ("smoothing", SMOOTHINGS), ("calibration", CALIBRATIONS)):
            check_choice(setting, getattr(self, setting), known)
        if not isinstance(self.binary, bool):
            raise BadSetting(setting="binary", got=self.binary, expected="True or False")
        if not _is_number(self.alpha) or self.alpha <= 0:
            raise BadSetting(setting="alpha", got=self.alpha, expected="a number above 0, at most 1e9")
        if not _is_number(self.prior_smoothing) or self.prior_smoothing < 0:
            raise BadSetting(setting="prior_smoothing", got=self.prior_smoothing, expected="a number from 0 to 1e9")
        if self.threads is not None and (type(self.threads) is not int or not 1 <= self.threads <= MOST_THREADS):
            raise BadSetting(
                setting="threads",
                got=self.threads,
                expected=f"a whole number from 1 to {MOST_THREADS}, or None for all cores",
            )
        for setting in ("words", "chars", "chars_across"):
            object.__setattr__(self, setting, getattr(self.terms, setting))

    @cached_property
    def terms(self) -> Terms:
        """What is seen of a text."""
        return Terms(**{field.name: getattr(self, field.name) for field in fields(Terms)})

    @cached_property
    def cores(self) -> int:
        """The number of threads as the core takes it: 0 for all cores."""
        return self.threads or 0

    def as_dict(self) -> dict[str, Any]:
        """What belongs to the model and is saved with it: all but `threads`."""
        return {name: value for name, value in asdict(self).items() if name != "threads"}


def _is_number(value: object) -> bool:
    """Whether it is a number that sums of counts can bear; no NaN, no infinity."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= GREATEST
