"""What strangers may send, one case a trick, each with the flaw that must answer it.

The law: a case without a flaw is a sound envelope all the same, and its note says which deeper part
has to refuse it. Other tests take `HOSTILE` and throw it at their own front door.
"""

from collections.abc import Callable, Iterator

from tests.nostr.hostile import fields, frames, signatures, text
from tests.nostr.hostile.case import Hostile

_CHAPTERS: tuple[Callable[[], Iterator[Hostile]], ...] = (
    signatures.forgeries,
    signatures.keys,
    signatures.sound_but_not_for_us,
    text.numbers_and_keys,
    text.depth,
    text.encodings,
    text.characters,
    fields.shapes,
    fields.tags,
    frames.frames,
)

HOSTILE: tuple[Hostile, ...] = tuple(case for chapter in _CHAPTERS for case in chapter())
