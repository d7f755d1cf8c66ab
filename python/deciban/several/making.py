"""What a user asked for, or a file holds -> a model of texts that have any number of labels."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import modelfile
from ..counts import Counts
from ..errors import (
    BadSetting,
    DamagedModel,
    DecibanError,
    NoExamples,
    NoLabelAnywhere,
    NotForSeveral,
)
from ..settings import AUTO, CONTINUED, Settings
from ..terms import check_choice
from .counting import check
from .deciding import THRESHOLDS, Deciding
from .kept import IN_MEMORY, Given, counted
from .model import Manner, Several

if TYPE_CHECKING:
    from ..fitting import Steps

BEST = "hinge"  # what `auto` is
MODELS = (*CONTINUED, "multinomial")


def manner_of(several: object, thresholds: str) -> Manner:
    """What a user asked for, checked."""
    separator = "|" if several is True else several
    if not isinstance(separator, str) or not separator or not separator.isprintable():
        expected = "what stands between labels, such as '|', or True"
        raise BadSetting(setting="several", got=several, expected=expected)
    check_choice("thresholds", thresholds, tuple(THRESHOLDS))
    return Manner(separator, thresholds)


def settings_of(given: dict[str, Any]) -> Settings:
    """The settings of such a model, by name; what it has no use for is refused."""
    is_of_counts = given.get("alpha") is not None or given.get("binary")
    is_open = given.get("model", AUTO) == AUTO
    best = "multinomial" if is_of_counts else BEST
    settings = Settings.of(**{**given, **({"model": best} if is_open else {})})
    if settings.model not in MODELS or settings.smoothing != "laplace":
        what = f"model={settings.model!r} with smoothing={settings.smoothing!r}"
        raise NotForSeveral(what=what, expected=f"one of {', '.join(MODELS)}, with laplace")
    plain = Settings(model=settings.model)
    passed_over = (
        "select",
        "term_weights",
        "prior",
        "prior_smoothing",
        "joint",
        "class_weight",
        "project",
        "hierarchy",
        "calibration",
    )
    for name in passed_over:
        if getattr(settings, name) != getattr(plain, name):
            raise NotForSeveral(what=f"{name}={getattr(settings, name)!r}", expected=f"{getattr(plain, name)!r} alone")
    return settings


def trained(
    given: Given,
    settings: Settings,
    manner: Manner,
    source: str = "memory",
    where: Callable[[int], str] = IN_MEMORY,
    steps: Steps | None = None,
) -> Several:
    """The model of some texts of any number of labels."""
    if not given.sets:
        raise NoExamples(where=source)
    if not any(given.sets):
        raise NoLabelAnywhere(where=source)
    provenance = {"source": source, "examples": len(given.sets)}
    model = Several(settings, counted(settings, given, where), manner, [provenance], given)
    model._make(steps)
    return model


def of_saved(path: str | os.PathLike[str], saved: modelfile.Saved) -> Several:
    """The model that a file holds."""
    manner = Manner(**(saved.several or {}))
    deciding = Deciding(*saved.odds)
    try:
        check_choice("thresholds", manner.thresholds, tuple(THRESHOLDS))
        if isinstance(saved.known, Counts):
            check(saved.known)
    except DecibanError as error:
        raise DamagedModel(path=path, reason=error) from error
    return Several(saved.settings, saved.known, manner, saved.provenance, None, (saved.scorecard, deciding))
