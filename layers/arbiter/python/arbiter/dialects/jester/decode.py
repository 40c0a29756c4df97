"""Kind 30, in which jesterui, Amethyst and nostr.blue play (docs/dialects/jester.md).

Invariant: a game is its start event. Later events have that id in their first ``e`` tag and the
whole history in their content. A start that names the arbiter asks for an opponent; one that names
an opponent as well, or whose moves name the arbiter, is refereed.
"""

from arbiter.core import commands
from arbiter.core.game import BLACK, WHITE
from arbiter.core.terms import ColorPreference, Terms
from arbiter.dialects.base import (
    BeginGame,
    Chain,
    Decoded,
    Dialect,
    Log,
    NoSuchGame,
    RequestToPlay,
    SlotCommand,
    named_tournament,
)
from arbiter.dialects.jester import address, wire
from arbiter.dialects.jester.encode import encode
from arbiter.dialects.jester.history import line_of
from arbiter.dialects.jester.position import CLAIMS_OF_TIME, in_game
from arbiter.nostr.event import VerifiedEvent

_PREFERENCES = {WHITE: ColorPreference.WHITE, BLACK: ColorPreference.BLACK}
NO_EVENTS = "games of kind 30 have no clock, so none is of an event: join it by kind 20307"
_LOSERS = {"1-0": BLACK, "0-1": WHITE}


def decode(event: VerifiedEvent, received_at_ms: int, server: str) -> Decoded:
    """Parse a start, or an event of a game; its half-move's number, not its date, counts."""
    content = wire.read(event)
    if isinstance(content, wire.Start):
        return _start(event, content, server)
    games = wire.references(event)
    if not games:
        return NoSuchGame(event.pubkey, "name the start event in an e tag")
    # A slot depends on neither role nor colour.
    seat = address.seat_of(event.pubkey, games[0], address.Role.HOST, WHITE)
    command = (
        commands.Unrecognized(event.pubkey)
        if isinstance(content, str)
        else _command(content, event, received_at_ms)
    )
    return SlotCommand(seat, command, wire.game_id(games[0]))


def _start(event: VerifiedEvent, start: wire.Start, server: str) -> Decoded:
    if named_tournament(event, server):
        # Both clocks of an event's game run from its beginning, and no word of kind 30 tells of it.
        seat = address.seat_of(event.pubkey, event.id, address.Role.HOST, start.is_white)
        return RequestToPlay(seat, flaw=NO_EVENTS)
    others = [one for one in start.named if one != server]
    if len(others) > 1 or (others and start.flaw):
        return NoSuchGame(event.pubkey, start.flaw or "name one opponent")
    if others:
        seats = {
            color: address.seat_of(player, event.id, address.Role.REFEREED, color)
            for player, color in ((event.pubkey, start.is_white), (others[0], not start.is_white))
        }
        return BeginGame(wire.game_id(event.id), seats[WHITE], seats[BLACK])
    known = {wire.START, wire.private_reference(server)}
    if (referred := {*wire.references(event)}) and not referred & known:
        # In jesterui's spelling for a player who is named by a hash alone.
        return NoSuchGame(event.pubkey, "name both players in p tags")
    seat = address.seat_of(event.pubkey, event.id, address.Role.HOST, start.is_white)
    return RequestToPlay(seat, Terms(color=_PREFERENCES[start.is_white]), start.flaw)


def _command(said: wire.JesterEvent, event: VerifiedEvent, at_ms: int) -> commands.Command:
    player = event.pubkey
    if said.termination == "resignation":
        # It needs no history.
        return commands.Resign(player, loser=_LOSERS.get(said.result))
    line = line_of(said)
    if line is None or said.termination in CLAIMS_OF_TIME:
        return commands.Unrecognized(player)
    # nostr.blue agrees with its next move, also to an offer of its own.
    agrees = said.termination == "draw_agreement"
    if not line or (agrees and not said.has_move):
        offers_draw = agrees or said.offers_draw
        return (
            commands.MakeOffer(player, commands.OfferKind.DRAW, at_ms)
            if offers_draw
            else commands.Unrecognized(player)
        )
    return commands.PlayMove(
        player=player,
        uci=line[-1],
        # A date in the future is no reason to refuse a move.
        made_at_ms=min(event.created_at * 1000, at_ms),
        received_at_ms=at_ms,
        ply=len(line),
        claims=commands.MoveClaims(said.fen or None, said.history[len(line) - 1]),
        line=commands.line_key(line[:-1]),
        offers_draw=said.offers_draw or agrees,
    )


DIALECT = Dialect(
    name=address.NAME,
    kinds=frozenset({wire.KIND}),
    seeks=frozenset(),
    decode=decode,
    encode=encode,
    # An illegal move never changes a game here; a verdict names it.
    illegal_moves_to_lose=0,
    wire=Log(
        carrier=Chain(
            begun_by=wire.start_named_by,
            first_event=address.start_of,
            name_slot=address.name_slot,
            is_refereed=lambda seat: address.role_of(seat) is address.Role.REFEREED,
            in_game=in_game,
            after_move=address.after_move,
        ),
        slot=address.slot,
        color_at=address.color_at,
    ),
)
