"""NIP-64: a finished game as a kind 64 note, for every reader of PGN on Nostr. Written only, never
read.

"Clients SHOULD publish PGN notes in 'export format' (strict)". — NIP-64
"""

from arbiter.core.model import Game
from arbiter.core.notation import pgn
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.nip19 import encode_npub

PGN_NOTE = 64


def encode(game: Game, server: str) -> EventTemplate:
    """The note of a finished game, dated when the game ended: the same bytes however often it is
    made.
    """
    tags: tuple[tuple[str, ...], ...] = (
        ("d", game.id),
        ("p", game.white.player),
        ("p", game.black.player),
    )
    if game.outcome is not None:
        tags = (*tags, ("result", game.result), ("termination", game.outcome.termination))
    content = pgn(
        game,
        white=encode_npub(game.white.player),
        black=encode_npub(game.black.player),
        site=f"nostr:{encode_npub(server)}",
    )
    return EventTemplate(PGN_NOTE, tags, content, game.position_since_ms // 1000)
