"""A player's rating as a stored event, replaced with every rated game. Written only, never read.

Addressable (NIP-01: 30000 to 39999), so relays keep the latest for each player and speed.
"""

from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, RatedGame, Standing
from arbiter.nostr.event import EventTemplate

RATING = 30300


def rating_event(rated: RatedGame, at: int) -> tuple[EventTemplate, EventTemplate]:
    """White's and Black's standing after this game, dated ``at`` (unix seconds), when it ended."""
    return _standing(rated.white[1], rated, at), _standing(rated.black[1], rated, at)


def _standing(standing: Standing, rated: RatedGame, at: int) -> EventTemplate:
    rating = standing.rating
    tags = (
        ("d", f"{standing.speed}:{standing.player}"),
        ("p", standing.player),
        ("rating", str(round(rating.value)), str(round(rating.deviation))),
        ("games", str(standing.games)),
        ("game", rated.game_id),
        *_of_pair(rated),
    )
    provisional = (("provisional",),) if rating.is_provisional(rating.rated_at_ms) else ()
    return EventTemplate(RATING, (*tags, *provisional), "", at)


def _of_pair(rated: RatedGame) -> tuple[tuple[str, ...], ...]:
    """Which rated game of these two it was on its day, and whether that was one too many."""
    if not rated.of_pair:
        return ()
    pair = ("pair", str(rated.of_pair), str(RATED_GAMES_OF_A_PAIR))
    return (pair,) if rated.counted else (pair, ("unrated", "pair-limit"))
