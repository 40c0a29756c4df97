"""The native protocol: Mike Dilger's kinds 20300-20304, speaking version 2 and accepting version
1.

Source: his note of 2024-08-29 (version 1) and its edited form in nostr-protocol/nips#1453 (version
2). The texts leave much open; what we do about it is in BEHAVIOR.md. A client that knows only
those two texts can play a whole game: what we add are extra tags, which it may ignore.
"""

import re
from collections.abc import Iterable
from hashlib import sha256
from itertools import islice
from typing import assert_never

import chess

from arbiter.core.commands import Abort, Command, Mumble, PlayMove, Quit, Resign
from arbiter.core.model import BLACK, WHITE, Game, Seat
from arbiter.core.replies import (
    GameEnded,
    GameStarted,
    MovePlayed,
    Queued,
    Rejected,
    Reply,
    RequestRefused,
    StateShown,
)
from arbiter.dialects.dialect import (
    Decoded,
    Dialect,
    GameCommand,
    RequestToPlay,
    Telling,
    Unaddressed,
)
from arbiter.nostr.event import EventTemplate, VerifiedEvent, all_tags, serialized

NAME = "dilger"
REQUEST_TO_PLAY = 20300
RESPONSE_TO_REQUEST = 20301
GAME_STATE = 20302
GAME_MOVE = 20303
GAME_ERROR = 20304

POOL = "standard"

MOVES_ON_THE_WIRE = 2000
"""A state lists its moves up to this many plies: relays refuse an event over 64 KiB, and the FEN
says enough to play on.
"""

BYTES_COMPARED = 64 * 1024 * 1024
"""How much is hashed at most to find out which state a move answers: some 60 ms. A usual game's
two weeks of dates are less; a state of 2,000 plies is compared with those of a day and a half.
"""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][QRBNqrbn]?")
_GAME_ID = re.compile(r"[0-9a-f]{32}")
_EVENT_ID = re.compile(r"[0-9a-f]{64}")

_SIGNALS: dict[str, type[Quit | Resign | Abort]] = {"quit": Quit, "resign": Resign, "abort": Abort}
"""Version 2: "or various other signals like 'quit' TBD". ``resign`` and ``abort`` are ours."""


def decode(event: VerifiedEvent, received_at_ms: int) -> Decoded:
    """Read a request to play (20300) or a move (20303)."""
    if event.kind == REQUEST_TO_PLAY:
        return RequestToPlay(Seat(event.pubkey, NAME), POOL)
    games = {tag[1] for tag in all_tags(event, "d") if len(tag) > 1}
    if len(games) != 1:
        return Unaddressed(event.pubkey, "name one game in a d tag")
    (game_id,) = games
    if not _GAME_ID.fullmatch(game_id):
        return Unaddressed(event.pubkey, "no game of ours has such an id")
    states = {tag[1] for tag in all_tags(event, "e") if len(tag) > 1}
    if len(states) > 1 or not all(_EVENT_ID.fullmatch(state) for state in states):
        return GameCommand(game_id, Mumble(event.pubkey))
    return GameCommand(game_id, _command(event, received_at_ms), next(iter(states), None))


def _command(event: VerifiedEvent, received_at_ms: int) -> Command:
    if signal := _SIGNALS.get(event.content):
        return signal(event.pubkey)
    if not _MOVE.fullmatch(event.content):
        return Mumble(event.pubkey)
    # Both versions write the promotion piece in upper case ("e7e8Q"); python-chess reads it in
    # lower case only.
    return PlayMove(
        player=event.pubkey,
        uci=event.content.lower(),
        made_at_ms=event.created_at * 1000,
        received_at_ms=received_at_ms,
    )


def encode(reply: Reply, telling: Telling) -> tuple[EventTemplate, ...]:
    """Write a reply as kinds 20301, 20302 and 20304."""
    match reply:
        case Queued(seat):
            return (_response(seat, "queued", telling.at),)
        case RequestRefused(seat, reason, text):
            return (_response(seat, f"error:{reason}: {text}", telling.at),)
        case GameStarted(game):
            # "Initially it should come after the response to request to play."
            started = tuple(
                _started(game, color, telling.at)
                for color in (WHITE, BLACK)
                if color in telling.colors
            )
            return (*started, state(game, telling.at))
        case StateShown(game, color):
            return (_started(game, color, telling.at), state(game, telling.at))
        case MovePlayed(game) | GameEnded(game):
            return (state(game, telling.at),)
        case Rejected():
            return (_error(reply, telling),)
        case _:
            assert_never(reply)


def state(game: Game, at: int) -> EventTemplate:
    """The 20302 of this game as it stands. The order of the ``p`` tags is authoritative: white
    first.
    """
    tags: list[tuple[str, ...]] = [("d", game.id), *_players(game), ("ply", str(game.ply))]
    if 0 < game.ply <= MOVES_ON_THE_WIRE:
        tags.append(("moves", *(move.uci() for move in game.moves)))
    if game.outcome is not None:
        tags += [("result", game.result), ("termination", game.outcome.termination)]
    return EventTemplate(GAME_STATE, tuple(tags), game.board().fen(), at)


def shows(game: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
    """Whether this id is that of the game's present state, signed at one of these times; for a
    long game only the first of them are tried.
    """
    shown = state(game, 0)
    head = f'[0,"{server}",'.encode()
    tail = serialized(server, 0, shown.kind, shown.tags, shown.content).removeprefix(head + b"0")
    tried = islice(times, BYTES_COMPARED // len(tail))
    return any(sha256(b"%b%d%b" % (head, at, tail)).hexdigest() == event_id for at in tried)


def _players(game: Game) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("p", game.white.player), ("p", game.black.player)


def _response(seat: Seat, content: str, at: int) -> EventTemplate:
    return EventTemplate(RESPONSE_TO_REQUEST, (("p", seat.player),), content, at)


def _started(game: Game, color: chess.Color, at: int) -> EventTemplate:
    opponent = game.seat(not color).player
    return _response(
        game.seat(color), f"started:{game.id}:{opponent}:{'w' if color == WHITE else 'b'}", at
    )


def _error(rejected: Rejected, telling: Telling) -> EventTemplate:
    game = rejected.game
    about: tuple[tuple[str, ...], ...] = (("p", rejected.author),)
    if game is not None:
        about = (("d", game.id), *_players(game))
    content = f"{rejected.reason}: {rejected.text}"
    return EventTemplate(GAME_ERROR, (("e", telling.cause), *about), content, telling.at)


DIALECT = Dialect(
    name=NAME,
    kinds=frozenset({REQUEST_TO_PLAY, GAME_MOVE}),
    decode=decode,
    encode=encode,
    shows=shows,
)
