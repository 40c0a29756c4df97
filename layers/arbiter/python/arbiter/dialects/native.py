"""The native protocol: Mike Dilger's kinds 20300-20304, in version 2, accepting version 1.

Sources: a note of 2024-08-29 (version 1), whose moves have an ``e``, and nostr-protocol/nips#1453
(version 2). A client that knows only those can play a whole game: ours are extra tags.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import assert_never

import chess

from arbiter.core.commands import (
    Abort,
    CallFlag,
    ClaimDraw,
    ClaimLeft,
    Command,
    DeclineOffer,
    MakeOffer,
    OfferKind,
    PlayMove,
    Quit,
    Resign,
    SetLines,
    ShowLines,
    ShowState,
    TakeVacation,
    Unrecognized,
)
from arbiter.core.game import BLACK, WHITE, Game, Seat, Variant, is_game_id
from arbiter.core.names import clean_name
from arbiter.core.replies import (
    Blocked,
    Cancelled,
    Challenged,
    ChatMessage,
    ClaimRejected,
    GameChanged,
    GameEnded,
    GamesListed,
    GameStarted,
    LinesTold,
    MovePlayed,
    NoticesChanged,
    Queued,
    Rejected,
    RematchAgreed,
    Reply,
    RequestRefused,
    StateShown,
)
from arbiter.core.vacations import ends_ms
from arbiter.dialects import lines
from arbiter.dialects.base import (
    AnswerChallenge,
    BlockPlayer,
    CancelRequests,
    ChangeNotices,
    Decoded,
    Dialect,
    GameCommand,
    NoSuchGame,
    QueryStatus,
    ReplyContext,
    RequestToPlay,
    has_key,
    tournament_tags,
)
from arbiter.dialects.outgoing import EncryptedEvent, Outgoing
from arbiter.dialects.terms_tags import tags_of, terms_of
from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    all_tags,
    first_tag,
    is_hex_32_bytes,
    serialized,
    tag_value,
)
from arbiter.nostr.nip19 import pubkey_in

NAME = "native"
REQUEST_TO_PLAY = 20300
RESPONSE_TO_REQUEST = 20301
GAME_STATE = 20302
GAME_MOVE = 20303
GAME_ERROR = 20304

MOVES_ON_THE_WIRE = 2000
"""A state lists its moves up to so many plies: relays refuse over 64 KiB."""

BYTES_COMPARED = 64 * 1024 * 1024
"""Bytes hashed at most to find the state that a move answers: about 60 ms."""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][QRBNqrbn]?")
_VACATION = re.compile(r"vacation:([1-9][0-9]?)")
_PLACE = re.compile(r"[1-9][0-9]{0,2}")
_DEVICE = re.compile(r"[0-9a-f]{16}")
_SEALED = re.compile(r"[A-Za-z0-9+/=]{132,2500}")
"""A subscription to Web Push in NIP-44: the longest endpoints have 500 characters."""

_SIGNALS: dict[str, type[CallFlag | ShowState | ShowLines]] = {
    "flag": CallFlag,
    "state": ShowState,
    lines.WORD: ShowLines,
}
_LEAVES: dict[str, type[Quit | Resign | Abort]] = {"quit": Quit, "resign": Resign, "abort": Abort}
"""Version 2: "or various other signals like 'quit' TBD". All but ``quit`` are ours."""

# Dictionaries, because before Python 3.12 ``text in Enum`` raises TypeError.
_OFFERS = {kind.value: kind for kind in OfferKind}

_DECLINE_REASONS = frozenset(
    ("later", "tooFast", "tooSlow", "timeControl", "rated", "casual", "variant", "noBot")
)
"""Words that bots for lichess know; ``generic`` replaces all others."""


def decode(event: VerifiedEvent, received_at_ms: int, _server: str = "") -> Decoded:
    if event.kind == REQUEST_TO_PLAY:
        return _request(event)
    game_id = game_tag(event)
    if game_id is None:
        return NoSuchGame(event.pubkey, "name one game in a d tag")
    if not is_game_id(game_id):
        return NoSuchGame(event.pubkey, "a game id is 32 lower-case hex digits")
    states = {tag[1] for tag in all_tags(event, "e") if len(tag) > 1}
    if len(states) > 1:
        return GameCommand(game_id, Unrecognized(event.pubkey, "name one state, in one e tag"))
    if not all(map(is_hex_32_bytes, states)):
        text = "an e tag names a state by its id, 64 lower-case hex digits"
        return GameCommand(game_id, Unrecognized(event.pubkey, text))
    return GameCommand(game_id, _command(event, received_at_ms), next(iter(states), None))


def game_tag(event: NostrEvent | VerifiedEvent) -> str | None:
    """The one value of the ``d`` tags; None for none and for several."""
    names = {tag[1] for tag in all_tags(event, "d") if len(tag) > 1}
    return next(iter(names)) if len(names) == 1 else None


def is_question(event: NostrEvent | VerifiedEvent) -> bool:
    """Whether this only asks for a game's state, as spectators may; no move is lost with it."""
    return event.kind == GAME_MOVE and event.content == "state"


def _command(event: VerifiedEvent, received_at_ms: int) -> Command:
    if signal := _SIGNALS.get(event.content):
        return signal(event.pubkey)
    if leave := _LEAVES.get(event.content):
        return leave(event.pubkey, event.created_at * 1000)
    if word := _offer_or_claim(event):
        return word
    if event.content.startswith(lines.PREFIX):
        return SetLines(
            player=event.pubkey,
            made_at_ms=event.created_at * 1000,
            event_key=bytes.fromhex(event.id),
            sealed=event.content.removeprefix(lines.PREFIX),
        )
    if days := _VACATION.fullmatch(event.content):
        return TakeVacation(event.pubkey, int(days[1]), event.created_at * 1000)
    if not _MOVE.fullmatch(event.content):
        return Unrecognized(event.pubkey)
    # Both versions write the promotion piece in upper case ("e7e8Q"); python-chess reads it in
    # lower case only.
    return PlayMove(
        player=event.pubkey,
        uci=event.content.lower(),
        made_at_ms=event.created_at * 1000,
        received_at_ms=received_at_ms,
    )


def _offer_or_claim(event: VerifiedEvent) -> Command | None:
    made_at_ms = event.created_at * 1000
    if event.content == "claim":
        return ClaimDraw(event.pubkey, made_at_ms)
    if event.content == "claim-left":
        return ClaimLeft(event.pubkey, made_at_ms)
    kind = _OFFERS.get(event.content.removesuffix("-decline"))
    if kind is None:
        return None
    make = DeclineOffer if event.content.endswith("-decline") else MakeOffer
    return make(event.pubkey, kind, made_at_ms)


def _request(event: VerifiedEvent) -> Decoded:  # noqa: C901 - a case for each word
    seat = Seat(event.pubkey, NAME, name=clean_name(tag_value(event, "name")))
    word, _, rest = event.content.partition(":")
    challenge, _, reason = rest.partition(":")
    match word:
        case "cancel":
            return CancelRequests(seat)
        case "state":
            return QueryStatus(seat)
        case "accept" if is_game_id(challenge):
            return AnswerChallenge(seat, challenge, proof=tag_value(event, "proof"))
        case "decline" if is_game_id(challenge):
            declined = reason if reason in _DECLINE_REASONS else "generic"
            return AnswerChallenge(seat, challenge, declined)
        case "wait" if is_game_id(challenge) and _PLACE.fullmatch(reason):
            return AnswerChallenge(seat, challenge, place=int(reason))
        case "block" | "unblock":
            whom = pubkey_in(rest)
            if whom is None:
                return RequestToPlay(seat, flaw=f"{word}: name one key, npub1… or 64 hex digits")
            return BlockPlayer(seat, whom, word == "block")
        case "notify":
            return _notices(seat, rest)
        case "accept" | "decline":
            return RequestToPlay(
                seat, flaw=f"{word}: name a challenge by its 32 lower-case hex digits alone"
            )
        case _:
            # The sources give other content no meaning: a plain request.
            terms = terms_of(event)
            if isinstance(terms, str):
                return RequestToPlay(seat, flaw=terms)
            return RequestToPlay(seat, terms)


def _notices(seat: Seat, said: str) -> ChangeNotices:
    match said.split(":"):
        case [""]:
            return ChangeNotices(seat)
        case ["dm", *word] if word in ([], ["off"]):
            return ChangeNotices(seat, "dm", not word)
        case ["push", device, "off"] if _DEVICE.fullmatch(device):
            return ChangeNotices(seat, "push", is_wanted=False, device=device)
        case ["push", device, sealed] if _DEVICE.fullmatch(device) and _SEALED.fullmatch(sealed):
            return ChangeNotices(seat, "push", device=device, sealed=sealed)
        case _:
            text = "notify: dm, dm:off, push:DEVICE:SUBSCRIPTION or push:DEVICE:off"
            return ChangeNotices(seat, flaw=text)


def encode(reply: Reply, context: ReplyContext) -> tuple[Outgoing, ...]:
    match reply:
        case (
            Queued()
            | Challenged()
            | Cancelled()
            | GamesListed()
            | RequestRefused()
            | Blocked()
            | NoticesChanged()
        ):
            return (answer_to_request(reply, context),)
        case GameStarted(game):
            # "Initially it should come after the response to request to play."
            of_tournament = tournament_tags(game, context.server)
            started = tuple(
                _started(game, color, context.at, of_tournament)
                for color in (WHITE, BLACK)
                if color in context.colors
            )
            return (*started, state(game, context.at, context.server))
        case StateShown(game, color):
            shown = state(game, context.at, context.server)
            event = context.event
            if color is None and event is not None and game.color_of(event.pubkey) is None:
                return (_for_spectator(shown, context.event_key),)
            # The e tag keeps two answers within a second apart: relays drop duplicate events.
            asked = (("e", context.event_key),) if context.event_key else ()
            answer = replace(shown, tags=(*shown.tags, *asked))
            if color is None:
                return (answer,)
            extra = (*asked, *tournament_tags(game, context.server))
            return (_started(game, color, context.answered_at, extra), answer)
        case MovePlayed(game) | GameChanged(game) | RematchAgreed(game) | GameEnded(game):
            return (state(game, context.at, context.server),)
        case LinesTold(game, color):
            tags = (("d", game.id), ("ply", str(game.ply)), ("e", context.event_key))
            told = _response(game.seat(color), lines.text_of(game.lines[color]), context.at, tags)
            return (EncryptedEvent(game.seat(color).player, told, lines.PREFIX),)
        case Rejected():
            return (_error(reply, context),)
        case ClaimRejected() | ChatMessage():
            # Moves carry no claims here, and chat has kinds of its own.
            return ()
        case _:
            assert_never(reply)


def answer_to_request(
    reply: Queued
    | Challenged
    | Cancelled
    | GamesListed
    | RequestRefused
    | Blocked
    | NoticesChanged,
    context: ReplyContext,
) -> EventTemplate:
    at, request, seat = context.at, context.event, reply.seat
    # The e tag keeps the answers to two requests within a second apart.
    is_author = request is not None and request.pubkey == seat.player
    asked = (("e", context.event_key),) if is_author else ()
    match reply:
        case Queued(_, challenge_id, place):
            extra = (("challenge", challenge_id),) if challenge_id else ()
            line = (("place", str(place)),) if place else ()
            return _response(seat, "queued", at, (*extra, *line, *asked))
        case Challenged(_, challenge):
            content = f"challenged:{challenge.id}:{challenge.seek.seat.player}"
            # NIP-40, for relays that store ephemeral events.
            expiration = ("expiration", str(challenge.expires_at_ms() // 1000))
            name = challenge.seek.seat.name
            named = (("name", name),) if name else ()
            terms = (*tags_of(challenge.seek.terms), *named, expiration, *asked)
            return _response(seat, content, at, terms)
        case Cancelled(_, challenge_id):
            content = f"cancelled:{challenge_id}" if challenge_id else "cancelled"
            return _response(seat, content, at, asked)
        case GamesListed(_, number):
            return _response(seat, "end", at, (("end", str(number)), *asked))
        case Blocked(_, keys):
            return _response(seat, "blocked", at, (("blocked", *keys), *asked))
        case NoticesChanged(_, dm, devices, key):
            told = (("dm",),) if dm else ()
            push = (("push", *devices),) if devices else ()
            signs = (("vapid", key),) if key else ()
            return _response(seat, "notify", at, (*told, *push, *signs, *asked))
        case RequestRefused(_, reason, text, challenge_id):
            # Two players may decline within a second, and the second is to be another event.
            declined = (("challenge", challenge_id),) if challenge_id else ()
            return _response(seat, f"error:{reason}: {text}", at, (*asked, *declined))
        case _:
            assert_never(reply)


def state(game: Game, at: int, server: str) -> EventTemplate:
    """The 20302 of a game of the arbiter ``server`` (64 hex); White's ``p`` tag comes first."""
    tags: list[tuple[str, ...]] = [("d", game.id), *_players(game)]
    tags += [("version", str(game.state_version)), ("ply", str(game.ply))]
    if 0 < game.ply <= MOVES_ON_THE_WIRE:
        tags.append(("moves", *game.uci_moves()))
    tags += _agreed_tags(game)
    tags += [("stand-in", seat.player) for seat in (game.white, game.black) if not has_key(seat)]
    if game.offer:
        tags.append(("offer", game.offer.kind, "w" if game.offer.color == WHITE else "b"))
    if game.outcome is None:
        seats = (("w", game.white), ("b", game.black))
        tags += [("away", it, str(seat.left_ms // 1000)) for it, seat in seats if seat.left_ms]
        tags += _vacation_tags(game)
    else:
        tags += [("result", game.result), ("termination", game.outcome.termination)]
    if game.chain:
        tags.append(("chain", game.chain.hex()))
    if game.next_game_id:
        tags.append(("rematch", game.next_game_id))
    if game.white.name or game.black.name:
        tags.append(("names", game.white.name, game.black.name))
    tags += tournament_tags(game, server)
    return EventTemplate(GAME_STATE, tuple(tags), game.fen(), at)


def says_here(event: VerifiedEvent) -> bool:
    return first_tag(event, "here") is not None


def _for_spectator(shown: EventTemplate, question: str) -> EventTemplate:
    """The state as the answer to a spectator's question: ``players`` instead of ``p`` tags, for
    players have it, and an e tag that keeps two answers within a second apart.
    """
    game_id, white, black, *others = shown.tags
    players = ("players", white[1], black[1])
    return replace(shown, tags=(game_id, ("e", question), players, *others))


def shown_by(event: VerifiedEvent) -> tuple[str, str, bool] | None:
    """The id of the game and the version of its state that this shows to players; and whether its
    own id follows from no state alone: an answer, or one that says who is away. None for any other
    event.
    """
    values = {tag[0]: tag[1] for tag in event.tags} if event.kind == GAME_STATE else {}
    if "p" not in values:
        return None
    return values["d"], values["version"], "e" in values or "away" in values


def _agreed_tags(game: Game) -> list[tuple[str, ...]]:
    tags: list[tuple[str, ...]] = []
    if game.clocks:
        clocks = game.clocks
        tags += [
            ("time", str(clocks.control)),
            ("clock", str(clocks.white_ms), str(clocks.black_ms)),
        ]
    deadline_ms = game.deadline_ms()
    if deadline_ms is not None:
        tags.append(("deadline", str(deadline_ms)))
    if game.rated:
        tags.append(("mode", "rated"))
    if game.variant is not Variant.STANDARD:
        tags.append(("variant", game.variant))
    if game.start_fen != chess.STARTING_FEN:
        tags.append(("start", game.start_fen))
    return tags


def _vacation_tags(game: Game) -> list[tuple[str, ...]]:
    """The players on vacation as of this state, and until when (unix seconds)."""
    ends = (("w", ends_ms(game, WHITE)), ("b", ends_ms(game, BLACK)))
    return [("vacation", it, str(end // 1000)) for it, end in ends if end > game.changed_at_ms]


def shows(game: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
    """Whether this is the id of the game's present state, signed at one of these times."""
    shown = state(game, 0, server)
    there = tuple(tag for tag in shown.tags if tag[0] != "away")
    head = f'[0,"{server}",'.encode()
    tails = [
        serialized(server, 0, shown.kind, tags, shown.content).removeprefix(head + b"0")
        for tags in {there, shown.tags}
    ]
    tried = islice(times, BYTES_COMPARED // sum(map(len, tails)))
    return any(
        sha256(b"%b%d%b" % (head, at, tail)).hexdigest() == event_id
        for at in tried
        for tail in tails
    )


def _players(game: Game) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("p", game.white.player), ("p", game.black.player)


def _response(
    seat: Seat, content: str, at: int, extra: tuple[tuple[str, ...], ...] = ()
) -> EventTemplate:
    return EventTemplate(RESPONSE_TO_REQUEST, (("p", seat.player), *extra), content, at)


def _started(
    game: Game, color: chess.Color, at: int, extra: tuple[tuple[str, ...], ...] = ()
) -> EventTemplate:
    opponent = game.seat(not color).player
    content = f"started:{game.id}:{opponent}:{'w' if color == WHITE else 'b'}"
    origin = (("challenge", game.challenge),) if game.challenge else ()
    return _response(game.seat(color), content, at, (*origin, *extra))


def _error(rejected: Rejected, context: ReplyContext) -> EventTemplate:
    game = rejected.game
    about: tuple[tuple[str, ...], ...] = (("p", rejected.author),)
    if game is not None:
        recipients = _players(game) if rejected.is_strike else about
        about = (("d", game.id), *recipients)
    content = f"{rejected.reason}: {rejected.text}"
    return EventTemplate(GAME_ERROR, (("e", context.event_key), *about), content, context.at)


DIALECT = Dialect(
    name=NAME,
    kinds=frozenset({REQUEST_TO_PLAY, GAME_MOVE}),
    seeks=frozenset({REQUEST_TO_PLAY}),
    decode=decode,
    encode=encode,
    arbiter_kinds=frozenset({RESPONSE_TO_REQUEST, GAME_STATE, GAME_ERROR}),
    shows=shows,
)
