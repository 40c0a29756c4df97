"""The stored events that the arbiter publishes for all of Nostr: notes of games (NIP-64), profile,
relays and handler (NIP-01, -65, -89), and ratings. Written, never read.
"""

import json
from collections.abc import Sequence

from arbiter.core.game import Game, Seat
from arbiter.core.names import are_alike
from arbiter.core.pgn import pgn
from arbiter.core.pgn_cache import Pgns
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, RatedGame, Standing
from arbiter.dialects.base import has_key, tournament_tags
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import EventTemplate, is_hex_32_bytes
from arbiter.nostr.house import HousePlayer, house_tags
from arbiter.nostr.nip19 import encode_npub

PGN_NOTE = 64

_NPUB_CHARS = 12
"""Characters of an npub that tell two players of one name apart."""


def note_event(
    game: Game, server: str, rated: RatedGame | None = None, kept: Pgns | None = None
) -> EventTemplate:
    """The kind 64 note of a finished game, dated at its end; its text is ``kept``."""
    tags: tuple[tuple[str, ...], ...] = (
        ("d", game.id),
        ("p", game.white.player),
        ("p", game.black.player),
    )
    if began_with := _first_event(game):
        tags = (*tags, ("e", began_with))
    if game.outcome is not None:
        tags = (*tags, ("result", game.result), ("termination", game.outcome.termination))
    if game.chain:
        tags = (*tags, ("chain", game.chain.hex()))
    # NIP-31: "a short human-readable plaintext summary of what that event is about".
    tags = (*tags, *tournament_tags(game, server), ("alt", _summary(game)))
    if rated:
        tags = (*tags, _rating_tag("w", rated.white), _rating_tag("b", rated.black))
    # An ended game changes with a rematch at most, and then its version does.
    name = f"{server}:{game.id}:{game.item_version}:{'rated' if rated else ''}"
    content = kept.get(name) if kept else None
    if content is None:
        content = _pgn(game, server, rated)
        if kept:
            kept.keep(name, content)
    return EventTemplate(PGN_NOTE, tags, content, game.end_ms // 1000)


def _pgn(game: Game, server: str, rated: RatedGame | None) -> str:
    names = game.white.name, game.black.name
    # Either may imitate the other.
    shows_keys = all(names) and are_alike(*names)
    (white, white_address), (black, black_address) = (
        _named(seat, shows_key=shows_keys) for seat in (game.white, game.black)
    )
    return pgn(
        game,
        white=white,
        black=black,
        site=f"nostr:{encode_npub(server)}",
        ratings=(rated.white[0].rating, rated.black[0].rating) if rated else None,
        addresses=(white_address, black_address),
    )


def _first_event(game: Game) -> str | None:
    """The id of the event with which the game began, if relays keep it."""
    chained = ((DIALECTS[seat.dialect].chain, seat) for seat in (game.white, game.black))
    ids = (chain.first_event(seat) for chain, seat in chained if chain)
    return next((id_ for id_ in ids if id_ and is_hex_32_bytes(id_)), None)


def _named(seat: Seat, *, shows_key: bool) -> tuple[str, str]:
    """The player's name in the PGN, else their key, and their address."""
    if has_key(seat):
        npub = encode_npub(seat.player)
        name = f"{seat.name} ({npub[:_NPUB_CHARS]})" if shows_key else seat.name
        return name or seat.player, f"nostr:{npub}"
    feed = seat.address.partition(" ")[0]
    return (feed, feed) if feed else ("Anonymous", "-")


def _summary(game: Game) -> str:
    if game.outcome is None:
        return "A game of chess"
    return f"A game of chess: {game.result}, {game.outcome.termination.replace('-', ' ')}"


def _rating_tag(color: str, standings: tuple[Standing, Standing]) -> tuple[str, ...]:
    before, after = (str(round(standing.rating.value)) for standing in standings)
    return ("rating", color, before, after)


PROFILE = 0
RELAY_LIST = 10002
MESSAGE_RELAYS = 10050
HANDLER = 31990

ABOUT = "Arbiter: pairs chess players, checks every move, publishes every game."


def announcement_events(
    name: str,
    relays: Sequence[str],
    kinds: Sequence[int],
    at: int,
    house: Sequence[HousePlayer] = (),
    public_url: str = "",
) -> tuple[EventTemplate, ...]:
    """Profile, lists of relays and handler information, dated ``at``, unsigned."""
    profile = json.dumps({"name": name, "about": ABOUT, "bot": True}, ensure_ascii=False)
    handled = tuple(("k", str(kind)) for kind in kinds)
    # NIP-89: a client puts what it would have shown in the place of <bech32>.
    web = (("web", f"{public_url}/players/<bech32>", "npub"),) if public_url else ()
    return (
        EventTemplate(PROFILE, (), profile, at),
        # NIP-65: "If the marker is omitted, the relay is used for both purposes."
        EventTemplate(RELAY_LIST, tuple(("r", url) for url in relays), "", at),
        # NIP-17: where a player's answer to a notice is heard.
        EventTemplate(MESSAGE_RELAYS, tuple(("relay", url) for url in relays), "", at),
        EventTemplate(HANDLER, (("d", "chess"), *handled, *web, *house_tags(house)), profile, at),
    )


RATING = 30300


def rating_event(rated: RatedGame, at: int) -> tuple[EventTemplate, EventTemplate]:
    """White's and Black's standing after this game, dated ``at`` (unix seconds)."""
    return (
        standing_event(rated.white[1], rated.game_id, at, *_of_pair(rated)),
        standing_event(rated.black[1], rated.game_id, at, *_of_pair(rated)),
    )


def standing_event(
    standing: Standing, game_id: str, at: int, *pair: tuple[str, ...]
) -> EventTemplate:
    """A standing after this game (empty: after none), dated ``at`` (unix seconds)."""
    rating = standing.rating
    tags = (
        ("d", f"{standing.speed}:{standing.player}"),
        ("p", standing.player),
        ("rating", str(round(rating.value)), str(round(rating.deviation))),
        ("games", str(standing.games)),
        *((("game", game_id),) if game_id else ()),
        *pair,
    )
    provisional = (("provisional",),) if rating.is_provisional(rating.rated_at_ms) else ()
    return EventTemplate(RATING, (*tags, *provisional), "", at)


def _of_pair(rated: RatedGame) -> tuple[tuple[str, ...], ...]:
    """The number of this rated game of the pair's on its day, and whether beyond the limit."""
    if not rated.of_pair:
        return ()
    pair = ("pair", str(rated.of_pair), str(RATED_GAMES_OF_A_PAIR))
    return (pair,) if rated.counted else (pair, ("unrated", "pair-limit"))
