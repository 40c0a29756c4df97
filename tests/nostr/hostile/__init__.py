"""Hostile envelopes, one a trick, each with the flaw that must be its answer.

An envelope without a flaw is sound; a deeper part has to refuse what is in it. Other tests send
`HOSTILE` to their own entry points.
"""

from arbiter.nostr.event import ParseErrorCode
from tests.nostr.hostile import keys, text
from tests.nostr.hostile.case import Hostile

HOSTILE: tuple[Hostile, ...] = tuple(
    Hostile(name, raw, ParseErrorCode(flaw) if flaw else None, is_frame)
    for table, is_frame in (
        (keys.forgeries(), False),
        (keys.keys(), False),
        (keys.sound_but_not_for_us(), False),
        (text.numbers_and_keys(), False),
        (text.depth(), False),
        (text.encodings(), False),
        (text.characters(), False),
        (text.shapes(), False),
        (text.tags(), False),
        (text.frames(), True),
    )
    for flaw, rows in table.items()
    for name, raw in rows.items()
)
