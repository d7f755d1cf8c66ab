"""One safe, versioned file: counts, the scorecard that they were weighed to, settings and where they came from.

The file is a safetensors file: arrays and a JSON header. Under `deciban` in the header's metadata stands one JSON
object: `format` (a number), `checksum`, `groups`, `settings`, `labels`, `provenance`. The arrays come in groups, all or
none of each, and `groups` names those that the file holds: always the lexicon, the postings and the scorecard; the
counts, unless the model is frozen; the counts expected of unlabelled texts, where there are some (a posting has then a
count of its own, an expected one, or both, and zero for what it has not); pairs of terms, where they add to the scores;
places, where the scorecard has other postings than the counts; axes and trees, where trees answer (the scorecard has
then no weights); kept, the places of the scorecard's terms, where it has some of the lexicon's only; worth, how much
its terms count, where that was learnt; scaling, where rows are scaled first; calibration, where scores are calibrated,
of which `calibration` in the JSON object tells how; conformal, for sets of labels; and odds, where a text may have any
number of labels, of which `several` in the JSON object tells: the first label is then the empty one, of all texts, and
a label's score less that one's is its log-odds. The counts are the cause; the scorecard follows from them, and is there
so that nobody has to wait for it. (Before format 3 the format itself said
which groups there are: the counts, and from format 2 on the scorecard. Without one, it is weighed when asked for.)
A group that is not known here is refused: whoever would pass over it could lose it when saving.

Loading never runs code, and what it reads is checked before use. The arrays are mapped from the file, not copied: a
model file is replaced by a new one, never written over, so a map stays what was checked. (Whoever copies another file
over one that is in use, instead of moving it there, changes it under the map.)

Loading takes no NumPy, which takes longer to import than a model takes to load and answer: `Saved.answers` and
`Saved.top` work without, `Saved.known` and `Saved.scorecard` are arrays.

The checksum is BLAKE2b over the whole file as it would be with 64 zeros in the checksum's place. It and the first bytes
of the file stay the same in every format to come, so that any deciban can tell a damaged file from a newer one. There
is no date in the file: the same examples give the same bytes.
"""

from __future__ import annotations

from .format import NEWEST, OLDEST
from .provenance import Provenance, settings_of, told
from .reading import load
from .saved import Saved
from .writing import save

__all__ = ["NEWEST", "OLDEST", "Provenance", "Saved", "load", "save", "settings_of", "told"]
