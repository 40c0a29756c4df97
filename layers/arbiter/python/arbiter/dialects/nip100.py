"""The NIP-100 draft of JellyCZYT: kinds 5000-5003, over a socket to our own gateway.

Invariant: events name no game; a player is identified by their socket, and ``connect`` sends them
what they missed. docs/dialects/nip100.md decides what the draft leaves open.
"""

import re

import chess

from arbiter.core.commands import MakeOffer, OfferKind, PlayMove, Resign, Unrecognized
from arbiter.core.game import BLACK, EVENT_KEY_BYTES, WHITE, Game, Seat, Termination
from arbiter.core.moves import ENDS_BY_A_MOVE
from arbiter.core.pairing import clock_objection
from arbiter.core.replies import (
    GameChanged,
    GameEnded,
    GameStarted,
    MovePlayed,
    Reason,
    Rejected,
    Reply,
    RequestRefused,
    StateShown,
)
from arbiter.core.terms import UNRATED, Terms
from arbiter.core.tournaments.commands import Join, PlayersWord
from arbiter.dialects.base import (
    CancelRequests,
    CurrentGameCommand,
    Decoded,
    Dialect,
    PreviousResult,
    ReplyContext,
    RequestToPlay,
    Socket,
    TournamentAsked,
    named_tournament,
)
from arbiter.dialects.outgoing import SocketEvent, SocketMessage
from arbiter.nostr.event import EventTemplate, VerifiedEvent, first_tag, is_hex_32_bytes
from arbiter.nostr.relay_messages import OkMessage

NAME = "nip100"
SEARCH = 5000
MOVE = 5001
OFFER = 5002
RESIGN = 5003

MAX_OFF_MS = 120_000
"""Greatest difference of an entry's date and our clock."""

ILLEGAL_MOVES_TO_LOSE = 2
"""The draft: "If you have 2 invalid moves game ends"."""

MOVES_AT_ONCE = 120
"""Most missed moves in one answer. Each is a message; a client that missed more asks again."""

_KNOWN = {OFFER: "say offer", RESIGN: "say resign"}
"""Errors for contents other than these words; kind 5001 is a move."""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][QRBNqrbn]?")
_PLY = re.compile(r"[0-9]{1,6}")
_COLORS = {WHITE: "white", BLACK: "black"}
_DONE = {OFFER: "offer", RESIGN: "resigned"}
_PREFIXES = {
    Reason.RESTRICTED: "restricted",
    Reason.NOT_A_PLAYER: "restricted",
    Reason.RATE_LIMITED: "rate-limited",
}


def decode(event: VerifiedEvent, received_at_ms: int, server: str = "") -> Decoded:
    """Parse a player's event. Id and date of the request become the seat's address: the ``OK``
    names it, and events signed before it are not about the game.

    Moves and offers are dated by their arrival: only the player's own socket can bring them.
    """
    seat = Seat(event.pubkey, NAME, f"{event.id}@{event.created_at}")
    if event.kind == SEARCH and first_tag(event, "a"):
        return _in_tournament(event, seat, received_at_ms, server)
    match event.kind, event.content:
        case 5000, "connect":
            return _search(event, seat)
        case 5000, "cancelsearch":
            return CancelRequests(seat)
        case 5000, _:
            return RequestToPlay(seat, flaw="say connect or cancelsearch")
        case 5001, text if _MOVE.fullmatch(text):
            # UCI writes promotions in lower case, other drafts in upper case.
            return CurrentGameCommand(
                PlayMove(
                    player=event.pubkey,
                    uci=text.lower(),
                    made_at_ms=received_at_ms,
                    received_at_ms=received_at_ms,
                )
            )
        case 5002, "offer":
            # The draft: "You can only offer a draw after you made a move."
            draw = OfferKind.DRAW
            return CurrentGameCommand(
                MakeOffer(event.pubkey, draw, received_at_ms, only_after_own_move=True)
            )
        case 5003, "resign":
            return CurrentGameCommand(Resign(event.pubkey))
        case kind, _:
            return CurrentGameCommand(Unrecognized(event.pubkey, _KNOWN.get(kind, "")))


def _in_tournament(
    event: VerifiedEvent, seat: Seat, received_at_ms: int, server: str
) -> TournamentAsked | RequestToPlay:
    """A search for the games of the tournament in its ``a`` tag, ours, or the end of one."""
    tournament_id = named_tournament(event, server)
    if flaw := clock_objection(event.created_at * 1000, received_at_ms, MAX_OFF_MS):
        return RequestToPlay(seat, flaw=flaw)
    match event.content:
        case "connect" if tournament_id:
            return TournamentAsked(tournament_id, Join(seat, UNRATED))
        case "cancelsearch" if tournament_id:
            return TournamentAsked(tournament_id, PlayersWord(event.pubkey, "leave"))
        case _:
            return RequestToPlay(seat, flaw="say connect or cancelsearch, and name one event")


def _search(event: VerifiedEvent, seat: Seat) -> RequestToPlay:
    challenge = first_tag(event, "challenge")
    if challenge is None:
        return RequestToPlay(seat)
    if len(challenge) < 2 or not is_hex_32_bytes(challenge[1]):  # noqa: PLR2004 - name and value
        return RequestToPlay(
            seat, flaw="challenge names a player by their key, 64 lower-case hex digits"
        )
    return RequestToPlay(seat, Terms(opponent=challenge[1]))


def asked_at(seat: Seat) -> int:
    """The date of the player's ``connect`` (unix seconds); 0 for seats of earlier releases."""
    return int(seat.address.partition("@")[2] or 0)


def _request_of(seat: Seat) -> str:
    return seat.address.partition("@")[0]


def acknowledge(replies: tuple[Reply, ...], context: ReplyContext) -> tuple[SocketMessage, ...]:
    if context.event is None:
        return ()
    return (SocketMessage(None, _ok_for(context.event, replies, context.previous)),)


def _ok_for(
    event: VerifiedEvent, replies: tuple[Reply, ...], previous: PreviousResult | None
) -> OkMessage:
    if previous is PreviousResult.REFUSED:
        return OkMessage(event.id, False, "invalid: this was refused before")
    for reply in replies:
        match reply:
            case Rejected(_, reason, text):
                return OkMessage(event.id, False, _refusal(reason, text))
            case RequestRefused(seat, reason, text) if seat.player == event.pubkey:
                return OkMessage(event.id, False, _refusal(reason, text))
            case StateShown() | GameStarted() if event.content == "cancelsearch":
                return OkMessage(event.id, False, "invalid: your game goes on: resign to end it")
            case StateShown(game, color) if color is not None and not _is_here(game, color):
                text = "invalid: your game was begun in another protocol: end it there"
                return OkMessage(event.id, False, text)
            case StateShown(game, color) if color is not None:
                return OkMessage(event.id, True, _COLORS[color])
    return OkMessage(event.id, True, _DONE.get(event.kind, ""))


def _refusal(reason: Reason, text: str) -> str:
    """The reason with NIP-01's "machine-readable prefix"."""
    if reason is Reason.POW:
        return f"pow: {text} bits of work (NIP-13) are asked of newcomers"
    return f"{_PREFIXES.get(reason, 'invalid')}: {text}"


def encode(reply: Reply, context: ReplyContext) -> tuple[SocketMessage, ...]:
    """Messages that the players of this dialect need besides the ``OK`` of their own events."""
    match reply:
        case GameStarted(game) if _is_news(game, context):
            return _start_messages(game, context)
        case MovePlayed(game) if _is_news(game, context):
            return (*_last_move(game, context), *_offered(game, context))
        case GameChanged(game):
            return _offered(game, context)
        case GameEnded(game) if _is_news(game, context):
            return _end(game, context)
        case StateShown(game, color) if color is not None and _is_here(game, color):
            return _missed(game, color, context)
        case RequestRefused(seat, reason, text) if not _is_authors(seat, context):
            # A waiting request that expired, found when another one came.
            return (
                SocketMessage(
                    seat.player, OkMessage(_request_of(seat), False, _refusal(reason, text))
                ),
            )
        case _:
            return ()


def _is_here(game: Game, color: chess.Color) -> bool:
    return game.seat(color).dialect == NAME


def _is_authors(seat: Seat, context: ReplyContext) -> bool:
    return context.event is not None and context.event.pubkey == seat.player


def _is_news(game: Game, context: ReplyContext) -> bool:
    """Whether a reply may be new: its event is, or nothing happened since its first copy."""
    if context.previous is None:
        return True
    if context.previous is PreviousResult.REFUSED and game.outcome is None:
        return False
    last = game.applied_ids[-1:]
    return not last or last == (bytes.fromhex(context.event_key)[:EVENT_KEY_BYTES],)


def _start_messages(game: Game, context: ReplyContext) -> tuple[SocketMessage, ...]:
    return tuple(
        message
        for color in _recipients(context)
        for message in _seat_messages(game, color, context)
    )


def _seat_messages(
    game: Game, color: chess.Color, context: ReplyContext
) -> tuple[SocketMessage, ...]:
    seat = game.seat(color)
    opponent = ("opponent", game.seat(not color).player)
    return (
        _labelled(game, color, context, SEARCH, "gameisfound", opponent),
        SocketMessage(seat.player, OkMessage(_request_of(seat), True, _COLORS[color])),
    )


def _last_move(game: Game, context: ReplyContext) -> tuple[SocketMessage, ...]:
    """The last move for the other player: the mover's own event if equal, else ours."""
    reader, event = game.turn, context.event
    if not game.moves or reader not in context.colors:
        return ()
    uci = game.moves[-1].uci()
    mover = game.seat(not reader).player
    if event and (event.kind, event.pubkey, event.content) == (MOVE, mover, uci):
        return (SocketMessage(game.seat(reader).player, SocketEvent(OFFER, event)),)
    return (_labelled(game, reader, context, OFFER, uci),)


def _offered(game: Game, context: ReplyContext) -> tuple[SocketMessage, ...]:
    """An open draw offer. The draft has no takebacks or rematches."""
    if game.offer is None or game.offer.kind is not OfferKind.DRAW:
        return ()
    reader = not game.offer.color
    if reader not in context.colors:
        return ()
    return (_labelled(game, reader, context, OFFER, "offersent"),)


def _end(game: Game, context: ReplyContext) -> tuple[SocketMessage, ...]:
    if game.outcome is None:
        return ()
    termination = game.outcome.termination
    moved = _last_move(game, context) if termination in ENDS_BY_A_MOVE else ()
    tags = (("result", game.result), ("termination", termination.value))
    words = [(color, _end_word(game, color, context)) for color in _recipients(context)]
    ended = [_labelled(game, color, context, SEARCH, word, *tags) for color, word in words if word]
    return (*moved, *ended)


def _end_word(game: Game, color: chess.Color, context: ReplyContext) -> str | None:
    """The word that the game is over, if the ``OK`` is not enough; ``gameover`` is ours."""
    outcome = game.outcome
    if outcome is None:
        return None
    if outcome.termination is Termination.CHECKMATE:
        return "gamecheckmate"
    if outcome.termination is Termination.ABORTED:
        return "gameover" if _is_authors(game.seat(color), context) else "opponentresigned"
    if outcome.winner is None:
        return "gamedraw"
    if outcome.winner == color:
        return "opponentresigned"
    resigned_here = context.event is not None and context.event.kind == RESIGN
    return None if resigned_here else "gameover"


def _missed(game: Game, color: chess.Color, context: ReplyContext) -> tuple[SocketMessage, ...]:
    """The messages that a player who reconnects has missed: the answer to their last move, or all
    moves after the ply that they name, and an open draw offer.
    """
    start: tuple[SocketMessage, ...] = ()
    since = _known_ply(context.event)
    if since is None:
        since = game.ply - 1 if game.turn == color else game.ply
    elif since > game.ply:
        # The ply is of an earlier game: the player missed the start of this one.
        start, since = _seat_messages(game, color, context), 0
    shown = range(max(since, 0), min(game.ply, since + MOVES_AT_ONCE))
    moves = [
        _labelled(game, color, context, OFFER, game.moves[ply].uci(), ply=ply + 1) for ply in shown
    ]
    messages = (*start, *moves, *_offered(game, context))
    return tuple(SocketMessage(None, message.content) for message in messages)


def _known_ply(event: VerifiedEvent | None) -> int | None:
    tag = first_tag(event, "ply") if event else None
    if tag is None or len(tag) < 2 or not _PLY.fullmatch(tag[1]):  # noqa: PLR2004 - name and value
        return None
    return int(tag[1])


def _recipients(context: ReplyContext) -> tuple[chess.Color, ...]:
    return tuple(color for color in (WHITE, BLACK) if color in context.colors)


def _labelled(
    game: Game,
    reader: chess.Color,
    context: ReplyContext,
    kind: int,
    content: str,
    *extra: tuple[str, ...],
    ply: int | None = None,
) -> SocketMessage:
    """An event of ours for this seat, with tags that tell two games or moves apart."""
    player = game.seat(reader).player
    at_ply = game.ply if ply is None else ply
    tags = (("p", player), ("d", game.id), ("ply", str(at_ply)), *extra)
    return SocketMessage(player, SocketEvent(kind, EventTemplate(kind, tags, content, context.at)))


DIALECT = Dialect(
    name=NAME,
    kinds=frozenset({SEARCH, MOVE, OFFER, RESIGN}),
    seeks=frozenset({SEARCH}),
    decode=decode,
    encode=encode,
    wire=Socket(acknowledge=acknowledge, asked_at=asked_at),
    illegal_moves_to_lose=ILLEGAL_MOVES_TO_LOSE,
)
