"""ssb-chess, the correspondence chess of Scuttlebutt: five types of message on players' own logs.

The law: **a game is its invitation.** The key of a ``chess_invite`` names it, every later message
names that as its ``root``, and a player has as many games as he has invitations. Who invites our
own feed plays an opponent of ours; two who invite each other and follow us are judged. What the
README leaves open, and what we do about it, is in docs/dialects/ssb.md.
"""

import re
from dataclasses import dataclass
from hashlib import sha256

import chess

from arbiter.core.commands import (
    Claims,
    Command,
    Ends,
    MakeOffer,
    OfferKind,
    PlayMove,
    Resign,
    Unrecognized,
)
from arbiter.core.game import GAME_ID_BYTES, WHITE, Seat
from arbiter.core.terms import ColorPreference, Terms
from arbiter.dialects.base import (
    BeginGame,
    Chat,
    Decoded,
    Dialect,
    ForkDetected,
    GameCommand,
    NoSuchGame,
    RequestToPlay,
    SlotCommand,
)
from arbiter.dialects.ssb.address import NAME, Role, color_at, feed_of, seat_of, slot
from arbiter.dialects.ssb.encode import encode
from arbiter.dialects.ssb.messages import (
    ENVELOPE,
    Accept,
    ChatLine,
    Content,
    End,
    GameEnd,
    Invite,
    Move,
    SsbEnvelope,
    read_content,
    read_envelope,
)
from arbiter.nostr.event import VerifiedEvent, first_tag
from arbiter.nostr.hexadecimal import is_hex_32_bytes
from arbiter.nostr.keys import placeholder_key
from arbiter.nostr.nip19 import decode_npub

DRAW = "/draw"
"""What a player writes in the private chat to offer a draw or to agree to one. On the wire there is
``chess_game_end`` for it, but its clients have no button for a draw.
"""

_NAMED = re.compile(r"\b(?:npub1[a-z0-9]+|[0-9a-f]{64})\b")
_WISHES = {chess.WHITE: ColorPreference.WHITE, chess.BLACK: ColorPreference.BLACK}
_ENDS = {End.MATE: Ends.CHECKMATE, End.DRAW: Ends.DRAW}


@dataclass(frozen=True, slots=True)
class _Heard:
    """A letter, what its content says, its author's pubkey, and when it was received (unix ms)."""

    letter: SsbEnvelope
    content: Content | str
    author: str
    at_ms: int
    server: str


def decode(event: VerifiedEvent, received_at_ms: int) -> Decoded:
    """Read a letter of our bridge.

    Commands are dated by when they came: logs arrive late, and their dates are their authors'.
    """
    letter, named = read_envelope(event), first_tag(event, "p")
    if letter is None or named is None or not is_hex_32_bytes(named[1] if named[1:] else None):
        return NoSuchGame(event.pubkey, "no letter of ours")
    server = named[1]
    author = placeholder_key(server, NAME, letter.author)
    heard = _Heard(letter, read_content(letter.content), author, received_at_ms, server)
    if letter.invite.inviting == letter.us:
        return _with_us(heard, letter.inviter, Role.HOST)
    if letter.inviter == letter.us:
        return _with_us(heard, letter.invite.inviting, Role.GUEST)
    if letter.inviter == letter.invite.inviting:
        return NoSuchGame(author, "nobody plays himself")
    if letter.invite.flaw is not None:
        return NoSuchGame(author, f"this is no invitation: {letter.invite.flaw}")
    return _between_others(heard)


def _with_us(heard: _Heard, feed: str, role: Role) -> Decoded:
    """A message of a game in which this feed plays an opponent of ours."""
    letter, invite = heard.letter, heard.letter.invite
    color = invite.color if role is Role.HOST else not invite.color
    seat = seat_of(heard.server, feed, letter.root, role, color)
    is_his = letter.author == feed
    match heard.content:
        case _ if letter.forked:
            return ForkDetected(seat, heard.author)
        case _ if invite.flaw is not None and letter.key == letter.root and is_his:
            return RequestToPlay(seat, flaw=invite.flaw)
        case Invite() if role is Role.HOST and letter.key == letter.root and is_his:
            return _invitation(heard, seat) if invite.root is None else _again(heard, seat)
        case Accept() if role is Role.GUEST and is_his:
            return _again(heard, seat)
        case ChatLine(text) if not _is_command(heard, text):
            return Chat(seat, heard.author, text, letter.is_private)
        case content:
            return SlotCommand(seat, _command(heard, content))


def _invitation(heard: _Heard, seat: Seat) -> RequestToPlay:
    """He invites us: he wants an opponent, or the one whom his text names."""
    invite = heard.letter.invite
    named = {_pubkey(text) for text in _NAMED.findall(invite.text)}
    if len(named) > 1 or None in named:
        return RequestToPlay(seat, flaw="name one opponent by his npub, or none")
    opponent = next(iter(named), None)
    return RequestToPlay(seat, Terms(color=_WISHES[invite.color], opponent=opponent))


def _again(heard: _Heard, seat: Seat) -> Decoded:
    """He offers a rematch, or accepts ours: in the game before, for the seat of the next."""
    before = heard.letter.invite.root
    if before is None:
        return SlotCommand(seat, Unrecognized(heard.author))
    feed = feed_of(seat)
    offer = MakeOffer(heard.author, OfferKind.REMATCH, heard.at_ms, address=seat.address)
    # Which role and colour he had there does not tell one place from another.
    return SlotCommand(seat_of(heard.server, feed, before, Role.HOST, WHITE), offer)


def _between_others(heard: _Heard) -> Decoded:
    """A message of a game that two others play and that we judge."""
    letter, invite = heard.letter, heard.letter.invite
    seats = {
        color: seat_of(heard.server, feed, letter.root, Role.REFEREED, color)
        for feed, color in ((letter.inviter, invite.color), (invite.inviting, not invite.color))
    }
    game_id = refereed_game_id(letter.root)
    begins = BeginGame(game_id, seats[chess.WHITE], seats[chess.BLACK])
    match heard.content:
        case _ if letter.forked:
            return ForkDetected(game_id, heard.author)
        case Invite() if letter.key == letter.root:
            return begins
        case Accept() if letter.author == invite.inviting:
            return begins
        case ChatLine(text) if not _is_command(heard, text):
            return Chat(game_id, heard.author, text, letter.is_private)
        case content:
            return GameCommand(game_id, _command(heard, content), begins=begins)


def refereed_game_id(root: str) -> str:
    """The id of the game that two feeds play under this root: it follows from their invitation."""
    return sha256(f"ssb{root}".encode()).digest()[:GAME_ID_BYTES].hex()


def _command(heard: _Heard, content: Content | str) -> Command:
    match content:
        case Move() | GameEnd() if heard.letter.is_private:
            # Whoever reads the log has to see the game, his opponent before all.
            return Unrecognized(heard.author)
        case Move():
            return _play(heard, content)
        case GameEnd(End.RESIGNED):
            return Resign(heard.author)
        case GameEnd(End.DRAW, None):
            return MakeOffer(heard.author, OfferKind.DRAW, heard.at_ms)
        case GameEnd(end, Move() as move, winner):
            return _play(heard, move, _ENDS[end], winner)
        case ChatLine():
            return MakeOffer(heard.author, OfferKind.DRAW, heard.at_ms)
        case _:
            return Unrecognized(heard.author)


def _play(
    heard: _Heard, move: Move, ends: Ends | None = None, winner: str | None = None
) -> PlayMove:
    invite = heard.letter.invite
    color = invite.color if heard.letter.author == heard.letter.inviter else not invite.color
    # Whoever wins by a move has made it: to name anybody else is to name his opponent.
    won = color if winner == heard.letter.author else not color
    return PlayMove(
        player=heard.author,
        uci=move.uci,
        made_at_ms=heard.at_ms,
        received_at_ms=heard.at_ms,
        ply=move.ply,
        ends=ends,
        claims=Claims(move.fen, move.san, None if winner is None else won),
    )


def _is_command(heard: _Heard, text: str) -> bool:
    return heard.letter.is_private and text.strip().lower() == DRAW


def _pubkey(text: str) -> str | None:
    return text if is_hex_32_bytes(text) else decode_npub(text)


def event_key(event: VerifiedEvent) -> str:
    """The message's key in hex: each time it is heard it comes as another letter."""
    letter = read_envelope(event)
    return event.id if letter is None else letter.event_key


DIALECT = Dialect(
    name=NAME,
    kinds=frozenset({ENVELOPE}),
    seeks=frozenset(),
    decode=decode,
    encode=encode,
    by_bridge=True,
    # An illegal move never changes a game here; it is named in public.
    illegal_moves_to_lose=0,
    event_key=event_key,
    slot=slot,
    color_at=color_at,
)
