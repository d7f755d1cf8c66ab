"""A model of mails -> a table of what its words weigh, beside it (`MODEL.table`), asked without loading the model.

    score = b + s sum of a_j + s_fields sum of k_j + s_text sum of k_j,      s = 1 / sqrt(n) for n words

over the words that the model knows: all, those of fields, and those of the text (`fitted`). n counts those that it does
not know, too, as the held-out mails have them by which it is calibrated: so a mail that says much that is new is judged
the less surely, and mails are told apart the better. (A scorecard alone, which is all that others see of the model,
knows nothing of what it does not know.) A table is of one model, whose checksum it has: where the model is another by
now, it is as if there were none. Models that the filter did not make do without.
"""

from __future__ import annotations

import contextlib
import os
import struct

import numpy as np

from .. import _core, modelfile
from ..errors import reading
from ..files import replacing
from ..modelfile import Saved
from ..scorecard import FIELDS, TEXT, WORDS, Floats, Scorecard, group_of
from ..terms import Terms
from .quick import HEAD
from .verdict import is_plain

SEEDS = 4
TRIES = 9  # of a hundred thousand words, two have one key in one of twenty thousand
GROUPS = [group_of("binary", kinds) for kinds in (WORDS, FIELDS, TEXT)]
SUMS = GROUPS[:1], GROUPS[1:]


def keep(path: str) -> None:
    """Makes the table of a model, where it can have one; removes any other."""
    name = checksum_of(path)
    table = made(modelfile.load(path), name)
    if table is None or checksum_of(path) != name:  # somebody who knows nothing of our lock has replaced it
        if os.path.exists(f"{path}.table"):
            os.unlink(f"{path}.table")
        return
    with replacing(f"{path}.table") as file:
        file.write(table)


def checksum_of(path: str) -> bytes:
    """The checksum that stands in the head of a model."""
    with reading(path), open(path, "rb") as file:
        return file.read(HEAD).partition(b'checksum\\":\\"')[2][:64]


def made(saved: Saved, name: bytes) -> bytes | None:
    """The bytes of a model's table, which has this name."""
    if not is_plain(saved) or saved.settings.is_binary or saved.settings.terms != Terms(tokens="whitespace"):
        return None
    card = saved.scorecard
    groups = [] if card.scaling is None else card.scaling.groups.tolist()
    if card.scaling is None or not set(groups) <= set(GROUPS) or not (card.scaling.length == 1).all():
        return None
    among_all, among_kind = (_sums(card, [groups.index(group) for group in some if group in groups]) for some in SUMS)
    numbers = [float(card.bias[1] - card.bias[0]), *(float(group in groups) for group in GROUPS), *_calibration(saved)]
    words = saved.buffers["names"], saved.buffers["offsets"], among_all, among_kind
    for _ in range(TRIES):
        seeds = [number | 1 for number in struct.unpack(f"<{SEEDS}Q", os.urandom(8 * SEEDS))]
        with contextlib.suppress(ValueError):  # two words have one key: other seeds tell them apart
            labels = "\n".join(saved.labels).encode()
            return _core.mail_table(name, labels, seeds, numbers, *words)
    return None  # the labels are too long


def _sums(card: Scorecard, groups: list[int]) -> Floats:
    """What each term weighs in some groups, for the second label against the first."""
    signs = np.where(card.label % 2 == 1, 1.0, -1.0) * np.isin(card.label // 2, groups)
    term = np.repeat(np.arange(len(card.lexicon)), np.diff(card.indptr))
    return np.asarray(np.bincount(term, signs * card.weight, len(card.lexicon)), np.float64)


def _calibration(saved: Saved) -> list[float]:
    """The numbers that calibrate: t, a, g, u, h, and of both labels origin, slope and shift, where they have them."""
    if saved._map is None:
        return [0.0] * 12
    temper, origin, slope, shift, _, _ = ([*numbers] for numbers in saved._map)
    both = [*origin, *slope, *shift]
    return [*temper, *[0.0] * (5 - len(temper)), *(both or [0.0] * 6), float(bool(both))]
