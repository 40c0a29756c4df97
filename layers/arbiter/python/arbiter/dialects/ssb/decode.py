"""ssb-chess, the correspondence chess of SSB: five message types on players' own logs.

Invariant: a game is its invitation (``chess_invite``), whose key later messages have as ``root``. A
feed that invites ours plays an opponent of ours; two that invite each other and follow us are
refereed. docs/dialects/ssb.md decides what the README leaves open.
"""

import re
from dataclasses import dataclass
from hashlib import sha256

import chess

from arbiter.core.commands import (
    Command,
    Ends,
    MakeOffer,
    MoveClaims,
    OfferKind,
    PlayMove,
    Resign,
    Unrecognized,
)
from arbiter.core.game import GAME_ID_BYTES, WHITE, Seat
from arbiter.core.terms import ColorPreference, Terms
from arbiter.dialects.base import (
    BeginGame,
    Bridge,
    BridgedMessage,
    Chat,
    Decoded,
    Dialect,
    ForkDetected,
    GameCommand,
    Log,
    NoSuchGame,
    RequestToPlay,
    SlotCommand,
)
from arbiter.dialects.ssb import messages
from arbiter.dialects.ssb.address import NAME, Role, color_at, feed_of, seat_of, slot
from arbiter.dialects.ssb.encode import encode
from arbiter.nostr.event import VerifiedEvent, first_tag, is_hex_32_bytes
from arbiter.nostr.keys import placeholder_key
from arbiter.nostr.nip19 import decode_npub

DRAW = "/draw"
"""Written in the private chat to offer or agree to a draw, for which clients have no button."""

_NAMED = re.compile(r"\b(?:npub1[a-z0-9]+|[0-9a-f]{64})\b")
_COLOR_PREFERENCES = {chess.WHITE: ColorPreference.WHITE, chess.BLACK: ColorPreference.BLACK}
_ENDS = {messages.End.MATE: Ends.CHECKMATE, messages.End.DRAW: Ends.DRAW}


@dataclass(frozen=True, slots=True)
class _Received:
    """An envelope, its parsed content, the author's pubkey, and when it was received (unix ms)."""

    envelope: messages.SsbEnvelope
    content: messages.Content | str
    author: str
    at_ms: int
    server: str


def decode(event: VerifiedEvent, received_at_ms: int, _server: str = "") -> Decoded:
    """Parse an envelope of our bridge; dated by its arrival, for logs' dates are their authors'."""
    envelope, named = messages.read_envelope(event), first_tag(event, "p")
    if envelope is None or named is None or not is_hex_32_bytes(named[1] if named[1:] else None):
        return NoSuchGame(event.pubkey, "not an envelope of our bridge")
    server = named[1]
    author = placeholder_key(server, NAME, envelope.author)
    received = _Received(
        envelope, messages.read_content(envelope.content), author, received_at_ms, server
    )
    if envelope.invite.inviting == envelope.us:
        return _with_us(received, envelope.inviter, Role.HOST)
    if envelope.inviter == envelope.us:
        return _with_us(received, envelope.invite.inviting, Role.GUEST)
    if envelope.inviter == envelope.invite.inviting:
        return NoSuchGame(author, "you cannot play yourself")
    if envelope.invite.flaw is not None:
        return NoSuchGame(author, f"not a valid invitation: {envelope.invite.flaw}")
    return _between_others(received)


def _with_us(received: _Received, feed: str, role: Role) -> Decoded:
    envelope, invite = received.envelope, received.envelope.invite
    color = invite.color if role is Role.HOST else not invite.color
    seat = seat_of(received.server, feed, envelope.root, role, color)
    is_own = envelope.author == feed
    match received.content:
        case _ if envelope.forked:
            return ForkDetected(seat, received.author)
        case _ if invite.flaw is not None and envelope.key == envelope.root and is_own:
            return RequestToPlay(seat, flaw=invite.flaw)
        case messages.Invite() if role is Role.HOST and envelope.key == envelope.root and is_own:
            return _invitation(received, seat) if invite.root is None else _again(received, seat)
        case messages.Accept() if role is Role.GUEST and is_own:
            return _again(received, seat)
        case messages.ChatLine(text) if not _is_command(received, text):
            return Chat(seat, received.author, text, envelope.is_private)
        case content:
            return SlotCommand(seat, _command(received, content))


def _invitation(received: _Received, seat: Seat) -> RequestToPlay:
    """The feed invites us: it wants an opponent, or the one named in its text."""
    invite = received.envelope.invite
    named = {_pubkey(text) for text in _NAMED.findall(invite.text)}
    if len(named) > 1 or None in named:
        return RequestToPlay(seat, flaw="name one opponent by their npub, or none")
    opponent = next(iter(named), None)
    return RequestToPlay(seat, Terms(color=_COLOR_PREFERENCES[invite.color], opponent=opponent))


def _again(received: _Received, seat: Seat) -> Decoded:
    """The feed offers a rematch, or accepts ours: in the previous game, for the next seat."""
    before = received.envelope.invite.root
    if before is None:
        return SlotCommand(seat, Unrecognized(received.author))
    feed = feed_of(seat)
    offer = MakeOffer(received.author, OfferKind.REMATCH, received.at_ms, address=seat.address)
    # A slot depends on neither role nor colour.
    return SlotCommand(seat_of(received.server, feed, before, Role.HOST, WHITE), offer)


def _between_others(received: _Received) -> Decoded:
    envelope, invite = received.envelope, received.envelope.invite
    seats = {
        color: seat_of(received.server, feed, envelope.root, Role.REFEREED, color)
        for feed, color in ((envelope.inviter, invite.color), (invite.inviting, not invite.color))
    }
    game_id = refereed_game_id(envelope.root)
    begins = BeginGame(game_id, seats[chess.WHITE], seats[chess.BLACK])
    match received.content:
        case _ if envelope.forked:
            return ForkDetected(game_id, received.author)
        case messages.Invite() if envelope.key == envelope.root:
            return begins
        case messages.Accept() if envelope.author == invite.inviting:
            return begins
        case messages.ChatLine(text) if not _is_command(received, text):
            return Chat(game_id, received.author, text, envelope.is_private)
        case content:
            return GameCommand(game_id, _command(received, content), begins=begins)


def refereed_game_id(root: str) -> str:
    return sha256(f"ssb{root}".encode()).digest()[:GAME_ID_BYTES].hex()


def _command(received: _Received, content: messages.Content | str) -> Command:
    match content:
        case messages.Move() | messages.GameEnd() if received.envelope.is_private:
            # All readers of the log, the opponent above all, must see the game.
            return Unrecognized(received.author)
        case messages.Move():
            return _play(received, content)
        case messages.GameEnd(messages.End.RESIGNED):
            return Resign(received.author)
        case messages.GameEnd(messages.End.DRAW, None):
            return MakeOffer(received.author, OfferKind.DRAW, received.at_ms)
        case messages.GameEnd(end, messages.Move() as move, winner):
            return _play(received, move, _ENDS[end], winner)
        case messages.ChatLine():
            return MakeOffer(received.author, OfferKind.DRAW, received.at_ms)
        case _:
            return Unrecognized(received.author)


def _play(
    received: _Received, move: messages.Move, ends: Ends | None = None, winner: str | None = None
) -> PlayMove:
    invite = received.envelope.invite
    color = (
        invite.color if received.envelope.author == received.envelope.inviter else not invite.color
    )
    # The winner by a move has made it: any other feed counts as the opponent's.
    won = color if winner == received.envelope.author else not color
    return PlayMove(
        player=received.author,
        uci=move.uci,
        made_at_ms=received.at_ms,
        received_at_ms=received.at_ms,
        ply=move.ply,
        ends=ends,
        claims=MoveClaims(move.fen, move.san, None if winner is None else won),
    )


def _is_command(received: _Received, text: str) -> bool:
    return received.envelope.is_private and text.strip().lower() == DRAW


def _pubkey(text: str) -> str | None:
    return text if is_hex_32_bytes(text) else decode_npub(text)


def event_key(event: VerifiedEvent) -> str:
    """The message's key in hex: each time the message arrives, its envelope is another event."""
    envelope = messages.read_envelope(event)
    return event.id if envelope is None else envelope.event_key


def bridged(event: VerifiedEvent) -> BridgedMessage | None:
    """Return the message that decides where the event waits; None where it holds none."""
    envelope = messages.read_envelope(event)
    if envelope is None:
        return None
    invite = envelope.invite
    asks = envelope.key == envelope.root and invite.inviting == envelope.us and invite.root is None
    return BridgedMessage(envelope.key, envelope.root, asks)


DIALECT = Dialect(
    name=NAME,
    kinds=frozenset({messages.ENVELOPE}),
    seeks=frozenset(),
    decode=decode,
    encode=encode,
    wire=Log(carrier=Bridge(event_key=event_key, message=bridged), slot=slot, color_at=color_at),
    # An illegal move never changes a game here; a public verdict names it.
    illegal_moves_to_lose=0,
)
