"""Replies as kind 30, written for our player, and as notes (kind 1) that say what went wrong.

Invariant: kind 30 is written only into a game in which we play, and follows from the game alone,
date included, so that it is the same event when it is sent again.
"""

from dataclasses import replace

import chess

from arbiter.core import replies
from arbiter.core.commands import OfferKind
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Seat, Termination
from arbiter.core.moves import ENDS_BY_A_MOVE
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.jester.address import NAME, Role, head_made_at, head_of, role_of, start_of
from arbiter.dialects.jester.history import line_of
from arbiter.dialects.jester.wire import KIND, SAID, JesterEvent, read
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.nip19 import encode_npub
from arbiter.nostr.strict_json import write_ascii

TEXT_NOTE = 1

DATED_BACK_SECONDS = 3 * 24 * 60 * 60
"""Our move is dated before one so young. Amethyst and nostr.blue ask for a week."""

_WORDS = {Termination.AGREEMENT: "draw_agreement"}
"""Ends for which Amethyst and nostr.blue have another word than we."""

_SILENT = frozenset({replies.Reason.STALE, replies.Reason.UNKNOWN_GAME})
"""A move that comes twice, and what is said in games of which we know nothing."""


def encode(reply: replies.Reply, context: ReplyContext) -> tuple[EventTemplate, ...]:
    """A reply as events; none for players who only wait, and for most news of refereed games."""
    match reply:
        case replies.RequestRefused(seat, _, text):
            return (_note(seat, f"Not accepted: {text}.", _dated(seat, context)),)
        case replies.MovePlayed(game):
            return tuple(last_move(game, color) for color in _readers(game, context))
        case replies.GameEnded(game) if game.outcome is not None:
            return tuple(
                event
                for color in (WHITE, BLACK)
                if color in context.colors
                for event in _end(game, game.outcome, color)
            )
        case replies.GameChanged(game):
            return _offered(game, context)
        case replies.Rejected(author, replies.Reason.NOT_A_PLAYER, _, game) if game is not None:
            return (_about_a_stranger(game, author),)
        case replies.Rejected(author, reason, text, game) if (
            game is not None and reason not in _SILENT
        ):
            text = (
                _flaw(context) if reason is replies.Reason.MALFORMED and not reply.about else text
            )
            return _verdict(game, author, text)
        case replies.ClaimRejected(game, author, text):
            return _verdict(game, author, f"{text}; the move counts")
        case _:
            return ()


def _dated(seat: Seat, context: ReplyContext) -> int:
    """The date of a request, so that its refusal is one note; now for one that expired."""
    event, now = context.event, context.answered_at
    return min(event.created_at, now) if event and event.id == start_of(seat) else now


def _readers(game: Game, context: ReplyContext) -> tuple[chess.Color, ...]:
    """The colour to move, if its player is here and the move before it is ours to write."""
    return (game.turn,) if game.turn in context.colors and _is_with_us(game.seat(game.turn)) else ()


def _is_with_us(seat: Seat) -> bool:
    return seat.dialect == NAME and role_of(seat) is not Role.REFEREED


def last_move(game: Game, reader: chess.Color) -> EventTemplate:
    """Our player's last move, with two ``e`` tags, as jesterui wants: game, move before."""
    history = _history(game)
    content: dict[str, object] = {"move": history[-1], "history": history}
    if game.offered_at(not reader) == game.ply - 1:
        content["draw_offered"] = True
    return replace(
        _said(game, reader, content, head_of(game.seat(reader))),
        created_at=_before_the_answered(game, reader),
    )


def _before_the_answered(game: Game, reader: chess.Color) -> int:
    """The date of our move: before the player's own, which nostr.blue writes twice."""
    since, made_at = game.position_since_ms // 1000, head_made_at(game.seat(reader))
    if made_at is None or made_at < since - DATED_BACK_SECONDS:
        return since
    return min(since, made_at - 1)


def _said(
    game: Game, reader: chess.Color, content: dict[str, object], *parents: str
) -> EventTemplate:
    seat = game.seat(reader)
    references = (("e", event_id) for event_id in (start_of(seat), *parents))
    tags = (*references, ("p", seat.player))
    # All three clients name an en-passant square after every double step, and jesterui compares.
    fen = game.board().fen(en_passant="fen")
    text = write_ascii({"version": "0", "kind": SAID, "fen": fen, **content})
    return EventTemplate(KIND, tags, text, game.position_since_ms // 1000)


def _history(game: Game) -> list[str]:
    board = chess.Board()
    return [board.san_and_push(move) for move in game.moves]


def _end(game: Game, outcome: Outcome, reader: chess.Color) -> tuple[EventTemplate, ...]:
    seat = game.seat(reader)
    if outcome.termination is Termination.ABORTED:
        # In a refereed game that both have played as well: the note is all that there is, and one
        # is enough.
        is_told = _is_with_us(seat) or (reader == WHITE and game.ply >= OPENING_PLIES)
        return (_note(seat, _aborted(outcome), game.end_ms // 1000),) if is_told else ()
    if not _is_with_us(seat):
        return ()
    if outcome.termination in ENDS_BY_A_MOVE:
        return (last_move(game, reader),) if game.turn == reader else ()
    if outcome.termination is Termination.RESIGNATION and outcome.winner != reader:
        return ()
    told = _note(seat, f"{game.result}, {outcome.termination}.", game.end_ms // 1000)
    return (_without_a_move(game, outcome, reader), told)


def _without_a_move(game: Game, outcome: Outcome, reader: chess.Color) -> EventTemplate:
    """An end that no move brought. Amethyst reads a result only beside a ``move``, and it and
    nostr.blue only in the longest history: empty SANs make this one longer. jesterui passes it over
    without a second ``e`` tag.
    """
    history = _history(game)
    content: dict[str, object] = {
        "move": history[-1] if history else "",
        "history": [*history, "", ""],
        "result": game.result,
        "termination": _WORDS.get(outcome.termination, outcome.termination),
    }
    return _said(game, reader, content)


def _aborted(outcome: Outcome) -> str:
    if outcome.aborted_by is None:
        return "The game was abandoned and is closed without a result."
    return "The game was aborted."


def _offered(game: Game, context: ReplyContext) -> tuple[EventTemplate, ...]:
    """The opponent's offer, as a note: kind 30 without a move would end the game for jesterui."""
    offer = game.offer
    if offer is None or game.outcome is not None:
        return ()
    reader = not offer.color
    seat = game.seat(reader)
    if reader not in context.colors or not _is_with_us(seat):
        return ()
    texts = {
        OfferKind.DRAW: "Your opponent offers a draw.",
        OfferKind.ABORT: "Your opponent waits. Without a move of yours the game is aborted after "
        "a day.",
    }
    text = texts.get(offer.kind)
    return () if text is None else (_note(seat, text, game.changed_at_ms // 1000),)


def _verdict(game: Game, author: str, text: str) -> tuple[EventTemplate, ...]:
    """The note about a fault of a player's event; the same one for a text and a position."""
    color = game.color_of(author)
    if color is None or game.seat(color).dialect != NAME:
        return ()
    return (_note(game.seat(color), f"{text}.", game.position_since_ms // 1000),)


def _about_a_stranger(game: Game, author: str) -> EventTemplate:
    """To the players: in their clients anybody's move is one."""
    text = f"{encode_npub(author)} has no seat here: nothing that they write in this game counts."
    told = _note(game.white, text, game.position_since_ms // 1000)
    return replace(told, tags=(*told.tags, ("p", game.black.player)))


def _flaw(context: ReplyContext) -> str:
    found = read(context.event) if context.event else None
    if isinstance(found, JesterEvent) and found.flaw is None and line_of(found) is None:
        return "the moves of history do not follow from each other"
    flaw = found.flaw if isinstance(found, JesterEvent) else found
    return flaw if isinstance(flaw, str) else "neither a move nor an end that is known here"


def _note(seat: Seat, text: str, at: int) -> EventTemplate:
    """A note under the game, which jesterui shows as chat. With one ``e`` tag it is no move."""
    tags = (("e", start_of(seat)), ("p", seat.player))
    return EventTemplate(TEXT_NOTE, tags, f"Arbiter: {text}", at)
