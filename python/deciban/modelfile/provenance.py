"""Where a model came from: what a file says of it, checked, and for people."""

from __future__ import annotations

from typing import Any

from ..settings import Settings
from .format import MOST

Provenance = tuple[dict[str, Any], ...]


def told(provenance: Provenance) -> str:
    """Where a model came from, for people: in order, so that what was learnt later stands later.

    >>> climb = {"texts": 7, "weight": 0.1}
    >>> told(({"source": "a.csv", "examples": 9}, {"source": "b.csv", "examples": 0, "unlabelled": climb}))
    'a.csv (+9), b.csv (7 unlabelled, weight 0.1)'
    >>> told(({"source": "a.csv", "examples": 9, "weight": 4.5},))
    'a.csv (+9, of weight 4.5)'
    >>> told(({"source": "a.csv", "examples": 9}, {"source": "b.csv", "examples": 7, "continued": True}))
    'a.csv (+9), b.csv (+7, continued)'
    """
    return ", ".join(
        "{0} ({texts:,} unlabelled, weight {weight:g})".format(part["source"], **part["unlabelled"])
        if "unlabelled" in part
        else f"{part['source']} ({part['examples']:+,}{_noted(part)})"
        for part in provenance
    )


def _noted(part: dict[str, Any]) -> str:
    """What some examples weigh, where they were given weights; and whether a fit went on with them alone."""
    weight = f", of weight {part['weight']:g}" if "weight" in part else ""
    return weight + (", continued" if part.get("continued") else "")


def settings_of(given: dict[str, Any]) -> Settings:
    """Settings as a file holds them. JSON has no pairs: lengths come back as lists."""
    for name in given.keys() - Settings().as_dict().keys():
        raise ValueError(f"{name!r} is not a setting of a model")
    return Settings.of(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def provenance_of(given: list[dict[str, Any]]) -> Provenance:
    """Where a model came from, as a file says it; ValueError for what no model would say."""
    for part in given:
        if type(part["source"]) is not str or type(part["examples"]) is not int:
            raise ValueError("where it came from cannot be read")
        settings_of(part.get("asked", {}))
        if type(part.get("auto", "")) is not str:
            raise ValueError("what it was chosen for cannot be read")
        if type(part.get("weight", 0)) not in (int, float):
            raise ValueError("what its examples weigh cannot be read")
        climb = part.get("unlabelled", {"texts": 0, "weight": 0})
        if type(climb["texts"]) is not int or type(climb["weight"]) not in (int, float):
            raise ValueError("where its expected counts came from cannot be read")
        told = part.get("fit", {})
        numbers = [number for found in told.values() for number in found.values()]
        is_known = not told or "held_out" in told.keys() <= {"held_out", "weights", "passed_over"}
        if not is_known or not all(type(number) in (int, float) and 0 <= number < MOST for number in numbers):
            raise ValueError("how it was fitted cannot be read")
    return tuple(given)
