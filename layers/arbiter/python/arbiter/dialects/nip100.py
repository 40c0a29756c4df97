"""The NIP-100 draft of JellyCZYT: kinds 5000-5003, spoken on a socket to our own gateway.

The law: nothing on this wire names a game, because "client can only play one game at time". So a
player is whoever speaks on his socket, a command is for the game he plays, and he who was away is
told at his next ``connect`` what he missed. What the draft leaves open, and what we do about it, is
in docs/dialects/nip100.md.
"""

import re

import chess

from arbiter.core.commands import MakeOffer, OfferKind, PlayMove, Resign, Unrecognized
from arbiter.core.game import BLACK, EVENT_KEY_BYTES, WHITE, Game, Seat, Termination
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
from arbiter.dialects.base import (
    CancelRequests,
    CurrentGameCommand,
    Decoded,
    Dialect,
    OkMessage,
    PreviousResult,
    ReplyContext,
    RequestToPlay,
    SocketEvent,
    SocketMessage,
)
from arbiter.nostr.event import EventTemplate, VerifiedEvent, first_tag

NAME = "nip100"
SEARCH = 5000
MOVE = 5001
OFFER = 5002
RESIGN = 5003

ILLEGAL_MOVES_TO_LOSE = 2
"""The draft: "If you have 2 invalid moves game ends"."""

MOVES_AT_ONCE = 120
"""Whoever missed more asks again from there: each is a frame of its own, and others wait."""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][QRBNqrbn]?")
_PLY = re.compile(r"[0-9]{1,6}")
_COLORS = {WHITE: "white", BLACK: "black"}
_DONE = {OFFER: "offer", RESIGN: "resigned"}
_PREFIXES = {Reason.NOT_A_PLAYER: "restricted", Reason.RATE_LIMITED: "rate-limited"}
_ENDED_BY_THE_LAST_MOVE = frozenset(
    (
        Termination.CHECKMATE,
        Termination.STALEMATE,
        Termination.INSUFFICIENT_MATERIAL,
        Termination.FIVEFOLD_REPETITION,
        Termination.SEVENTYFIVE_MOVES,
    )
)


def decode(event: VerifiedEvent, received_at_ms: int) -> Decoded:
    """Read what a player says; his request's id becomes the address of his seat, for the ``OK``
    that tells his colour names it, and so does its date, for nothing that he signed before it is
    about the game.

    Moves and offers are dated by when they came. Only the player's own sockets bring them, so that
    nobody can keep one for later; and this wire has no ``e`` tag with which he whose clock is wrong
    could say what he answers.
    """
    seat = Seat(event.pubkey, NAME, f"{event.id}@{event.created_at}")
    match event.kind, event.content:
        case 5000, "connect":
            return RequestToPlay(seat)
        case 5000, "cancelsearch":
            return CancelRequests(seat)
        case 5000, _:
            return RequestToPlay(seat, flaw="say connect or cancelsearch")
        case 5001, text if _MOVE.fullmatch(text):
            # Lower case is UCI's spelling; other drafts write the promotion in upper case.
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
        case _:
            return CurrentGameCommand(Unrecognized(event.pubkey))


def asked_at(seat: Seat) -> int:
    """How he dated his ``connect`` (unix seconds); 0 for a seat of before dates were kept."""
    return int(seat.address.partition("@")[2] or 0)


def _request_of(seat: Seat) -> str:
    return seat.address.partition("@")[0]


def acknowledge(replies: tuple[Reply, ...], telling: ReplyContext) -> tuple[SocketMessage, ...]:
    """The one ``OK`` that a player's event is answered with."""
    if telling.heard is None:
        return ()
    return (SocketMessage(None, _verdict(telling.heard, replies, telling.previous)),)


def _verdict(
    event: VerifiedEvent, replies: tuple[Reply, ...], repeated: PreviousResult | None
) -> OkMessage:
    if repeated is PreviousResult.REFUSED:
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
    """The reason as NIP-01 has it: a "machine-readable prefix", and words for people."""
    if reason is Reason.POW:
        return f"pow: {text} bits of work (NIP-13) are asked of newcomers"
    return f"{_PREFIXES.get(reason, 'invalid')}: {text}"


def encode(reply: Reply, telling: ReplyContext) -> tuple[SocketMessage, ...]:
    """Write as frames what the players of this dialect need know beside their own verdicts."""
    match reply:
        case GameStarted(game) if _is_news(game, telling):
            return _found(game, telling)
        case MovePlayed(game) if _is_news(game, telling):
            return (*_last_move(game, telling), *_offered(game, telling))
        case GameChanged(game):
            return _offered(game, telling)
        case GameEnded(game) if _is_news(game, telling):
            return _end(game, telling)
        case StateShown(game, color) if color is not None and _is_here(game, color):
            return _missed(game, color, telling)
        case RequestRefused(seat, reason, text) if not _is_authors(seat, telling):
            # He waited, and another one's request showed that it was for too long.
            return (
                SocketMessage(
                    seat.player, OkMessage(_request_of(seat), False, _refusal(reason, text))
                ),
            )
        case _:
            return ()


def _is_here(game: Game, color: chess.Color) -> bool:
    return game.seat(color).dialect == NAME


def _is_authors(seat: Seat, telling: ReplyContext) -> bool:
    return telling.heard is not None and telling.heard.pubkey == seat.player


def _is_news(game: Game, telling: ReplyContext) -> bool:
    """Whether a reply may be news to somebody: always when it is fresh; when the event comes again
    only if nothing was done since, for then its telling may have died.
    """
    if telling.previous is None:
        return True
    if telling.previous is PreviousResult.REFUSED and game.outcome is None:
        return False
    last = game.applied_ids[-1:]
    return not last or last == (bytes.fromhex(telling.event_key)[:EVENT_KEY_BYTES],)


def _found(game: Game, telling: ReplyContext) -> tuple[SocketMessage, ...]:
    return tuple(frame for color in _told(telling) for frame in _seated(game, color, telling))


def _seated(game: Game, color: chess.Color, telling: ReplyContext) -> tuple[SocketMessage, ...]:
    seat = game.seat(color)
    opponent = ("opponent", game.seat(not color).player)
    return (
        _labelled(game, color, telling, SEARCH, "gameisfound", opponent),
        SocketMessage(seat.player, OkMessage(_request_of(seat), True, _COLORS[color])),
    )


def _last_move(game: Game, telling: ReplyContext) -> tuple[SocketMessage, ...]:
    """The last move, to the one who did not make it: the mover's own event, if he signed it in
    these very words.
    """
    reader, event = game.turn, telling.heard
    if not game.moves or reader not in telling.colors:
        return ()
    uci = game.moves[-1].uci()
    mover = game.seat(not reader).player
    if event and (event.kind, event.pubkey, event.content) == (MOVE, mover, uci):
        return (SocketMessage(game.seat(reader).player, SocketEvent(OFFER, event)),)
    return (_labelled(game, reader, telling, OFFER, uci),)


def _offered(game: Game, telling: ReplyContext) -> tuple[SocketMessage, ...]:
    """That a draw is offered. Of takebacks and rematches this wire knows nothing."""
    if game.offer is None or game.offer.kind is not OfferKind.DRAW:
        return ()
    reader = not game.offer.color
    if reader not in telling.colors:
        return ()
    return (_labelled(game, reader, telling, OFFER, "offersent"),)


def _end(game: Game, telling: ReplyContext) -> tuple[SocketMessage, ...]:
    if game.outcome is None:
        return ()
    termination = game.outcome.termination
    moved = _last_move(game, telling) if termination in _ENDED_BY_THE_LAST_MOVE else ()
    tags = (("result", game.result), ("termination", termination.value))
    words = [(color, _last_word(game, color, telling)) for color in _told(telling)]
    ended = [_labelled(game, color, telling, SEARCH, word, *tags) for color, word in words if word]
    return (*moved, *ended)


def _last_word(game: Game, color: chess.Color, telling: ReplyContext) -> str | None:
    """How this player is told that the game is over; None if his ``OK`` said so. ``gameover`` is
    ours: the draft has no word for one who lost otherwise than by mate.
    """
    outcome = game.outcome
    if outcome is None:
        return None
    if outcome.termination is Termination.CHECKMATE:
        return "gamecheckmate"
    if outcome.termination is Termination.ABORTED:
        return "gameover" if _is_authors(game.seat(color), telling) else "opponentresigned"
    if outcome.winner is None:
        return "gamedraw"
    if outcome.winner == color:
        return "opponentresigned"
    resigned_here = telling.heard is not None and telling.heard.kind == RESIGN
    return None if resigned_here else "gameover"


def _missed(game: Game, color: chess.Color, telling: ReplyContext) -> tuple[SocketMessage, ...]:
    """What he does not know who connects again, for the socket that he asks on: the answer to his
    last move, or all after the ply that he names, and the draw that he may accept.
    """
    found: tuple[SocketMessage, ...] = ()
    since = _known_ply(telling.heard)
    if since is None:
        since = game.ply - 1 if game.turn == color else game.ply
    elif since > game.ply:
        # He remembers another game, which is over, and missed how this one was found.
        found, since = _seated(game, color, telling), 0
    shown = range(max(since, 0), min(game.ply, since + MOVES_AT_ONCE))
    moves = [
        _labelled(game, color, telling, OFFER, game.moves[ply].uci(), ply=ply + 1) for ply in shown
    ]
    told = (*found, *moves, *_offered(game, telling))
    return tuple(SocketMessage(None, frame.content) for frame in told)


def _known_ply(event: VerifiedEvent | None) -> int | None:
    tag = first_tag(event, "ply") if event else None
    if tag is None or len(tag) < 2 or not _PLY.fullmatch(tag[1]):  # noqa: PLR2004 - name and value
        return None
    return int(tag[1])


def _told(telling: ReplyContext) -> tuple[chess.Color, ...]:
    return tuple(color for color in (WHITE, BLACK) if color in telling.colors)


def _labelled(
    game: Game,
    reader: chess.Color,
    telling: ReplyContext,
    kind: int,
    content: str,
    *extra: tuple[str, ...],
    ply: int | None = None,
) -> SocketMessage:
    """An event of ours for this seat. The draft's have no tags; these let a client that looks at
    them tell two games, or one move twice, apart.
    """
    player = game.seat(reader).player
    at_ply = game.ply if ply is None else ply
    tags = (("p", player), ("d", game.id), ("ply", str(at_ply)), *extra)
    return SocketMessage(player, SocketEvent(kind, EventTemplate(kind, tags, content, telling.at)))


DIALECT = Dialect(
    name=NAME,
    kinds=frozenset({SEARCH, MOVE, OFFER, RESIGN}),
    seeks=frozenset({SEARCH}),
    decode=decode,
    encode=encode,
    by_socket=True,
    illegal_moves_to_lose=ILLEGAL_MOVES_TO_LOSE,
    acknowledge=acknowledge,
    asked_at=asked_at,
)
