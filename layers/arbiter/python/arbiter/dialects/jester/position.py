"""Reads a move or offer from an event whose history is shorter than the game, by its SAN and FEN,
as of nostr.blue after a reload and Amethyst after another FEN.

Invariant: only the author's own legal move in the present position, or an offer in it, is read.
"""

import chess

from arbiter.core.commands import (
    Command,
    MakeOffer,
    MoveClaims,
    OfferKind,
    PlayMove,
    Unrecognized,
    line_key,
)
from arbiter.core.game import EVENT_KEY_BYTES, Game
from arbiter.dialects.jester.address import NAME, Role, head_of, role_of
from arbiter.dialects.jester.encode import last_move
from arbiter.dialects.jester.history import legal
from arbiter.dialects.jester.wire import JesterEvent, read_event
from arbiter.nostr.event import VerifiedEvent, event_id

_FIELDS_COMPARED = 4
CLAIMS_OF_TIME = frozenset({"timeout", "abandonment"})
"""Ends that are the arbiter's to judge."""


def in_game(command: Command, game: Game, event: VerifiedEvent, at_ms: int, server: str) -> Command:
    """The command of this event in this game, by SAN and FEN if its history is shorter."""
    color = game.color_of(command.player)
    if color is None or game.outcome is not None or game.seat(color).dialect != NAME:
        return command
    if not isinstance(command, PlayMove | Unrecognized) or _follows(command, game):
        return command
    said = read_event(event)
    if said is None or said.flaw or not said.history or said.termination in CLAIMS_OF_TIME:
        return command
    plies = _plies(said)
    if plies > game.ply or not _answers_the_last_event(said, game, color, server):
        return command
    offers_draw = said.offers_draw or said.termination == "draw_agreement"
    if offers_draw and plies < game.ply and _matches_fen_with_en_passant(game.board(), said.fen):
        return MakeOffer(command.player, OfferKind.DRAW, at_ms)
    move = _move(said, game) if color == game.turn else None
    if move is None:
        return command
    return PlayMove(
        player=command.player,
        uci=move.uci(),
        made_at_ms=min(event.created_at * 1000, at_ms),
        received_at_ms=at_ms,
        ply=game.ply + 1,
        claims=MoveClaims(said.fen, said.history[-1]),
        line=line_key(game.uci_moves()),
        offers_draw=offers_draw,
    )


def _follows(command: PlayMove | Unrecognized, game: Game) -> bool:
    if not isinstance(command, PlayMove) or command.ply != game.ply + 1:
        return False
    return command.line == line_key(game.uci_moves())


def _plies(said: JesterEvent) -> int:
    """The half-moves of the history. nostr.blue writes the last one twice."""
    return len(said.history) - (said.history[-2:-1] == said.history[-1:])


def _answers_the_last_event(said: JesterEvent, game: Game, color: chess.Color, server: str) -> bool:
    """Whether it names the event from which this player knows the present position."""
    seat = game.seat(color)
    if bytes.fromhex(said.head)[:EVENT_KEY_BYTES] in game.applied_ids[-1:]:
        return True
    if game.turn != color:
        return said.head == head_of(seat)
    if role_of(seat) is Role.REFEREED:
        return said.head == head_of(game.seat(not color))
    ours = last_move(game, color)
    return said.head == event_id(server, ours.created_at, ours.kind, ours.tags, ours.content)


def _move(said: JesterEvent, game: Game) -> chess.Move | None:
    """The legal move here that is written so and leads to the claimed position."""
    board = game.board().copy(stack=False)
    move = legal(board, said.history[-1])
    if move is None:
        return None
    board.push(move)
    return move if _matches_fen_with_en_passant(board, said.fen) else None


def _matches_fen_with_en_passant(board: chess.Board, fen: str) -> bool:
    """Whether the FEN is the board's; all clients name a double step's square."""
    claimed = fen.split()[:_FIELDS_COMPARED]
    return claimed == board.fen(en_passant="fen").split()[:_FIELDS_COMPARED]
