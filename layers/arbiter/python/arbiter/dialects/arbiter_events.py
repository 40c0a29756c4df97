"""NIP-64: a finished game as a kind 64 note, for every reader of PGN on Nostr. Written only, never
read.

"Clients SHOULD publish PGN notes in 'export format' (strict)". — NIP-64

Who the arbiter is, for everybody on Nostr: stored events, written only.

A profile (NIP-01 kind 0, with NIP-24's ``bot``), the relays it hears and speaks on (NIP-65 kind
10002), and what it does with which kinds (NIP-89 kind 31990). Each replaces the one before, so they
are published again and again: relays forget.

A player's rating as a stored event, replaced with every rated game. Written only, never read.

Addressable (NIP-01: 30000 to 39999), so relays keep the latest for each player and speed.
"""

import json
from collections.abc import Sequence

from arbiter.core.game import Game
from arbiter.core.pgn import pgn
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, RatedGame, Standing
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


PROFILE = 0
RELAY_LIST = 10002
HANDLER = 31990

ABOUT = "Arbiter: pairs chess players, checks every move, publishes every game."


def announcement_events(
    name: str, relays: Sequence[str], kinds: Sequence[int], at: int
) -> tuple[EventTemplate, ...]:
    """The three events, dated ``at`` (unix seconds), yet to be signed by the arbiter, who handles
    these ``kinds``.
    """
    profile = json.dumps({"name": name, "about": ABOUT, "bot": True}, ensure_ascii=False)
    handled = tuple(("k", str(kind)) for kind in kinds)
    return (
        EventTemplate(PROFILE, (), profile, at),
        # NIP-65: "If the marker is omitted, the relay is used for both purposes."
        EventTemplate(RELAY_LIST, tuple(("r", url) for url in relays), "", at),
        EventTemplate(HANDLER, (("d", "chess"), *handled), profile, at),
    )


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
