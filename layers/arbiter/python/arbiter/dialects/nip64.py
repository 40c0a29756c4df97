"""NIP-64: a finished game as a kind 64 note, for every reader of PGN on Nostr. Written only, never
read.

"Clients SHOULD publish PGN notes in 'export format' (strict)". — NIP-64
"""

from arbiter.core.game import Game
from arbiter.core.pgn import pgn
from arbiter.core.ratings import RatedGame, Standing
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.nip19 import encode_npub

PGN_NOTE = 64


def note_event(game: Game, server: str, rated: RatedGame | None = None) -> EventTemplate:
    """The note of a finished game, dated when the game ended: the same bytes however often it is
    made. ``rated`` is what the game did to the ratings.
    """
    tags: tuple[tuple[str, ...], ...] = (
        ("d", game.id),
        ("p", game.white.player),
        ("p", game.black.player),
    )
    if game.outcome is not None:
        tags = (*tags, ("result", game.result), ("termination", game.outcome.termination))
    if rated:
        tags = (*tags, _rating_tag("w", rated.white), _rating_tag("b", rated.black))
    content = pgn(
        game,
        white=encode_npub(game.white.player),
        black=encode_npub(game.black.player),
        site=f"nostr:{encode_npub(server)}",
        ratings=(rated.white[0].rating, rated.black[0].rating) if rated else None,
    )
    return EventTemplate(PGN_NOTE, tags, content, game.end_ms // 1000)


def _rating_tag(color: str, standings: tuple[Standing, Standing]) -> tuple[str, ...]:
    before, after = (str(round(standing.rating.value)) for standing in standings)
    return ("rating", color, before, after)
