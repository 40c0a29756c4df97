"""Replies as SSB messages: those that a player's own program makes, and private lines where it has
none. Public lines of ours are only verdicts on broken rules, and results.
"""

from dataclasses import dataclass, replace

import chess

from arbiter.core import replies
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.moves import ENDS_BY_A_MOVE
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.outgoing import SsbMessage
from arbiter.dialects.ssb.address import NAME, Role, color_at, feed_of, role_of, root_of
from arbiter.dialects.ssb.messages import (
    GameEnd,
    SsbEnvelope,
    answered_envelope,
    id_of,
    privately,
    publicly,
    read_content,
)
from arbiter.dialects.ssb.verdicts import is_agreed, result, verdict
from arbiter.nostr.nip19 import encode_npub

MAX_LINE_CHARS = 2000
"""SSB limits a message to 8192 bytes; a character takes up to four."""

_COLORS = {WHITE: "white", BLACK: "black"}
_PLIES_OF_THE_FIRST_MOVES = 2


@dataclass(frozen=True, slots=True)
class _Reader:
    """One seat that receives a reply, and the answered envelope if its player wrote it."""

    seat: Seat
    color: chess.Color
    own: SsbEnvelope | None

    @property
    def root(self) -> str:
        return root_of(self.seat)

    def is_recipient(self) -> bool:
        """False where we only referee: the players' own messages tell each other."""
        return role_of(self.seat) is not Role.REFEREED


def encode(reply: replies.Reply, context: ReplyContext) -> tuple[SsbMessage, ...]:
    match reply:
        case replies.Queued() | replies.Cancelled() | replies.RequestRefused():
            return (_before_a_game(reply),)
        case replies.GameEnded(game) if _is_judged(game):
            return result(game)
        case (
            replies.GameStarted(game)
            | replies.MovePlayed(game)
            | replies.GameChanged(game)
            | replies.GameEnded(game)
        ):
            readers = (_reader(game, color, context) for color in _recipients(context))
            return tuple(
                message
                for reader in readers
                if reader.is_recipient()
                for message in (*_news(reply, game, reader), *_offered(game, reader))
            )
        case replies.StateShown(game, color) if color is not None and context.previous is not None:
            return _shown(game, _reader(game, color, context))
        case replies.ChatMessage(game, author, text, is_private):
            readers = (_reader(game, color, context) for color in _recipients(context))
            # Prefixed, or a line that begins with "Arbiter:" would look like ours.
            line = f"{'Opponent' if is_private else _name(game, author)}: {text}"
            return tuple(_line(reader, line, is_private, context) for reader in readers)
        case replies.Rejected():
            is_true = is_agreed(reply, context)
            against = () if is_true else verdict(reply, reply.reason, reply.text, context)
            return (*against, *_result_again(reply))
        case replies.ClaimRejected(text=text):
            return verdict(reply, "disputed", text, context)
        case _:
            return ()


def _before_a_game(
    reply: replies.Queued | replies.Cancelled | replies.RequestRefused,
) -> SsbMessage:
    match reply:
        case replies.Queued(seat, challenge_id):
            text = "I am looking for an opponent. Your invitation is open for two weeks."
            if challenge_id is not None:
                text = "I have asked the player you name. Your invitation is open for two weeks."
            return privately(seat, text, "queued")
        case replies.Cancelled(seat):
            return privately(seat, "Your invitation is no longer open.", "cancelled")
        case replies.RequestRefused(seat, reason, text):
            return privately(seat, f"Not accepted: {text}.", "refused", reason)


def _is_judged(game: Game) -> bool:
    return game.white.dialect == NAME and role_of(game.white) is Role.REFEREED


def _result_again(refused: replies.Rejected) -> tuple[SsbMessage, ...]:
    """A refereed game's result for a player who goes on with it; published once."""
    game = refused.game
    if refused.reason is not replies.Reason.GAME_OVER or game is None or not _is_judged(game):
        return ()
    return result(game) if game.color_of(refused.author) is not None else ()


def _recipients(context: ReplyContext) -> tuple[chess.Color, ...]:
    return tuple(color for color in (WHITE, BLACK) if color in context.colors)


def _reader(game: Game, color: chess.Color, context: ReplyContext) -> _Reader:
    seat, envelope = game.seat(color), answered_envelope(context)
    is_own = envelope is not None and envelope.author == feed_of(seat)
    return _Reader(seat, color, envelope if is_own else None)


def _news(reply: replies.Reply, game: Game, reader: _Reader) -> tuple[SsbMessage, ...]:
    match reply:
        case replies.GameStarted():
            return (*_accepted(reader), _opponent(game, reader))
        case replies.MovePlayed():
            return _answered(game, reader)
        case replies.GameEnded() if game.outcome is not None:
            return _ended(game, game.outcome, reader)
        case replies.GameChanged() if game.offer is None and game.outcome is None:
            return (_to(reader, "Your opponent declines.", "declined", game.state_version),)
        case replies.GameChanged() if game.outcome is None and _writes_an_end(reader):
            text = "A draw takes two: the game goes on unless your opponent agrees."
            return (_to(reader, text, "asked", game.offered_at(reader.color)),)
        case _:
            return ()


def _writes_an_end(reader: _Reader) -> bool:
    """Whether the reader has just sent a ``chess_game_end``; one of a draw is an offer here."""
    return reader.own is not None and isinstance(read_content(reader.own.content), GameEnd)


def _accepted(reader: _Reader) -> tuple[SsbMessage, ...]:
    """Our ``chess_invite_accept``; none where the player accepted our own invitation."""
    if role_of(reader.seat) is not Role.HOST:
        return ()
    return (publicly(reader.root, {"type": "chess_invite_accept"}, "accept"),)


def _opponent(game: Game, reader: _Reader) -> SsbMessage:
    name = _name(game, game.seat(not reader.color).player)
    text = f"You play {_COLORS[reader.color]} against {name}. Write /draw here to offer a draw."
    return _to(reader, text, "opponent")


def _name(game: Game, player: str) -> str:
    """The name of a player: their feed, or their npub without a feed in this game."""
    color = game.color_of(player)
    seat = None if color is None else game.seat(color)
    return feed_of(seat) if seat and seat.dialect == NAME else encode_npub(player)


def _line(reader: _Reader, line: str, is_private: bool, context: ReplyContext) -> SsbMessage:  # noqa: FBT001 - as the reply has it
    content = {"type": "chess_chat", "root": reader.root, "msg": line[:MAX_LINE_CHARS]}
    recps = (feed_of(reader.seat),) if is_private else ()
    return SsbMessage(id_of(reader.root, "chat", context.event_key), reader.root, content, recps)


def _answered(game: Game, reader: _Reader) -> tuple[SsbMessage, ...]:
    """The opponent's last move, perhaps buffered until now; none for who just answered it."""
    is_own = game.mover(game.ply - 1) == reader.color
    if game.ply == 0 or (is_own and reader.own is not None):
        return ()
    at_ply = game.ply - 1 if is_own else game.ply
    if at_ply == 0:
        return ()
    content = {"type": "chess_move", **_move_fields(game, at_ply)}
    message = publicly(reader.root, content, "move", at_ply)
    # Delivery of the start may have failed, and a move without it would belong to no game.
    begun = _accepted(reader) if at_ply <= _PLIES_OF_THE_FIRST_MOVES else ()
    return (*begun, message)


def _shown(game: Game, reader: _Reader) -> tuple[SsbMessage, ...]:
    """The messages that a player whose event came again may have missed, in a game that goes on."""
    if reader.seat.dialect != NAME or not reader.is_recipient():
        return ()
    messages = (*_accepted(reader), *_answered(game, _Reader(reader.seat, reader.color, None)))
    return tuple({one.id: one for one in messages}.values())


def _ended(game: Game, outcome: Outcome, reader: _Reader) -> tuple[SsbMessage, ...]:
    """The messages that the game is over, with a last move; the same for any event."""
    moved_last = game.mover(game.ply - 1) == reader.color
    is_mate = outcome.termination is Termination.CHECKMATE
    by_the_last_move = outcome.termination in ENDS_BY_A_MOVE
    if by_the_last_move and not moved_last:
        fields = {"status": "mate" if is_mate else "draw", **_move_fields(game, game.ply)}
        return (_end(reader, fields),)
    if outcome.termination is Termination.RESIGNATION and outcome.winner != reader.color:
        return ()
    before = () if moved_last else _answered(game, reader)
    line = _to(reader, f"The game is over: {game.result}, {outcome.termination}.", "over")
    if is_mate or outcome.winner == (not reader.color):
        # A mate means its author's win, and a resignation its author's loss; we are the author.
        return (*before, line)
    end = _end(reader, {"status": "draw" if outcome.winner is None else "resigned"})
    is_plain = outcome.termination in {Termination.RESIGNATION, Termination.AGREEMENT}
    return (*before, end) if is_plain or by_the_last_move else (*before, end, line)


def _end(reader: _Reader, fields: dict[str, object]) -> SsbMessage:
    return publicly(reader.root, {"type": "chess_game_end", **fields}, "end")


def _offered(game: Game, reader: _Reader) -> tuple[SsbMessage, ...]:
    offer = game.offer
    if offer is None or offer.color == reader.color:
        return ()
    if offer.kind is OfferKind.DRAW:
        text = "Your opponent offers a draw. Write /draw here to agree."
        return (_to(reader, text, "draw", game.offered_at(offer.color)),)
    if offer.kind is OfferKind.ABORT:
        text = "Your opponent is waiting. Without a move of yours the game is aborted after a day."
        return (_to(reader, text, "notice", game.state_version),)
    if offer.kind is OfferKind.REMATCH:
        # We are the inviting feed, so ``myColor`` is the opponent's colour.
        fields = {"inviting": feed_of(reader.seat), "myColor": _COLORS[_next_color(game, offer)]}
        return (publicly(reader.root, {"type": "chess_invite", **fields}, "rematch"),)
    return ()


def _next_color(game: Game, offer: Offer) -> chess.Color:
    """The colour of the offering player in the rematch: their invitation's, if they made one."""
    if offer.address:
        return color_at(replace(game.seat(offer.color), address=offer.address))
    return not offer.color


def _move_fields(game: Game, at_ply: int) -> dict[str, object]:
    after = game.board().copy(stack=game.ply - at_ply + 1)
    for _ in range(game.ply - at_ply):
        after.pop()
    before = after.copy()
    move = before.pop()
    fields: dict[str, object] = {
        "ply": at_ply,
        "orig": chess.square_name(move.from_square),
        "dest": chess.square_name(move.to_square),
        "pgnMove": before.san(move),
        "fen": after.fen(),
    }
    if move.promotion:
        fields["promotion"] = chess.piece_symbol(move.promotion)
    return fields


def _to(reader: _Reader, text: str, *what: object) -> SsbMessage:
    return privately(reader.seat, text, *what)
