"""Commands of tournaments (20307), "events" in docs/nip/events.md, and their answers (20301)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from arbiter.core.game import Seat
from arbiter.core.names import clean_name
from arbiter.core.pairing import clock_objection
from arbiter.core.replies import Reason, Rejected, Reply, RequestRefused
from arbiter.core.terms import UNRATED
from arbiter.core.tournaments.commands import (
    Add,
    AskBye,
    Create,
    Delay,
    Edit,
    Forbid,
    Forfeit,
    Join,
    OrganisersWord,
    PlayersWord,
    Remove,
    SetBoards,
    SetResult,
    Swap,
    TournamentCommand,
)
from arbiter.core.tournaments.replies import CommandRefused, Told
from arbiter.core.tournaments.tournament import BoardResult
from arbiter.dialects.base import (
    CALENDAR_EVENT,
    RSVP,
    TOURNAMENT,
    Decoded,
    Dialect,
    ReplyContext,
    TournamentAsked,
    TournamentFlaw,
    named_tournament,
    tournament_address,
)
from arbiter.dialects.terms_tags import quoted
from arbiter.dialects.tournament_events import KINDS
from arbiter.dialects.tournament_terms import terms_of, whole_number
from arbiter.nostr.event import (
    EventTemplate,
    VerifiedEvent,
    all_tags,
    first_tag,
    is_hex_32_bytes,
    is_hex_64_bytes,
    tag_value,
)

NAME = "tournaments"
COMMAND = 20307
ANSWER = 20301

PLAYED_IN = "native"
"""The dialect in which the players of a tournament are told of their games."""

FRESH_MS = 120_000
"""Greatest difference of a command's date and our clock: no old ``leave`` again."""


def decode(event: VerifiedEvent, received_at_ms: int, server: str = "") -> Decoded:
    if event.kind == RSVP:
        return _rsvp(event, server)
    author, tournament_id = event.pubkey, named_tournament(event, server)
    if text := clock_objection(event.created_at * 1000, received_at_ms, FRESH_MS):
        return TournamentFlaw(author, Reason.STALE, text, tournament_id)
    if tournament_id is None and event.content != "create":
        text = f"a: name one event, {TOURNAMENT}:<this arbiter>:<32 lower-case hex digits>"
        return TournamentFlaw(author, Reason.UNKNOWN_GAME, text)
    command = _command(event, server)
    if isinstance(command, str):
        return TournamentFlaw(author, Reason.BAD_TERMS, command, tournament_id)
    return TournamentAsked(None if event.content == "create" else tournament_id, command)


def _rsvp(event: VerifiedEvent, server: str) -> Decoded:
    """NIP-52: "status … accepted, declined, or tentative". Dated as it was made."""
    tournament_id = named_tournament(event, server, CALENDAR_EVENT)
    status = tag_value(event, "status")
    if tournament_id is None or status not in ("accepted", "declined"):
        text = "an RSVP accepts or declines one event of this arbiter"
        return TournamentFlaw(event.pubkey, Reason.BAD_TERMS, text, tournament_id)
    said_ms = event.created_at * 1000
    if status == "declined":
        return TournamentAsked(tournament_id, PlayersWord(event.pubkey, "leave", said_ms))
    join = Join(Seat(event.pubkey, PLAYED_IN), UNRATED, rsvp_ms=said_ms)
    return TournamentAsked(tournament_id, join)


_PLAYERS_WORDS = frozenset({"leave", "here", "pause", "back"})
_ORGANISERS_WORDS = frozenset({"close", "pair", "start", "finish", "cancel"})
_RESULTS = {one.value: one for one in BoardResult}

Read = Callable[[str], Any]
"""Returns the meaning of a part of a command; None where it has none."""


def _player(text: str) -> str | None:
    return text if is_hex_32_bytes(text) else None


_PARTS: dict[str, tuple[Read, ...]] = {
    "bye": (whole_number,),
    "boards": (whole_number,),
    "swap": (whole_number, whole_number, whole_number),
    "forbid": (_player, _player),
    "allow": (_player, _player),
    "add": (_player,),
    "remove": (_player,),
    "forfeit": (whole_number, _player),
    "result": (whole_number, whole_number, _RESULTS.get),
    "delay": (whole_number,),
}
"""For each word that is followed by something, how its parts are read."""

_MADE: dict[str, Callable[..., TournamentCommand]] = {
    "swap": Swap,
    "forbid": Forbid,
    "allow": partial(Forbid, is_undone=True),
    "remove": Remove,
    "forfeit": Forfeit,
    "result": SetResult,
    "delay": Delay,
}
"""The commands of organisers that consist of author, date and parts."""


def _command(event: VerifiedEvent, server: str) -> TournamentCommand | str:
    """The command; or what is wrong with its word or a tag."""
    author, made_at_ms = event.pubkey, event.created_at * 1000
    word, *rest = event.content.split(":")
    reads = _PARTS.get(word, ())
    if len(rest) != len(reads):
        return f"{quoted((event.content,))} is not a command of an event"
    parts = [read(part) for read, part in zip(reads, rest, strict=True)]
    if None in parts:
        return f"{word}: {quoted((rest[parts.index(None)],))} cannot be read"
    if word in _PLAYERS_WORDS:
        return PlayersWord(author, word)
    if word in _ORGANISERS_WORDS:
        return OrganisersWord(author, made_at_ms, word)
    if made := _MADE.get(word):
        return made(author, made_at_ms, *parts)
    return _read_with_tags(event, word, parts, server)


def _read_with_tags(
    event: VerifiedEvent, word: str, parts: list[Any], server: str
) -> TournamentCommand | str:
    author, made_at_ms = event.pubkey, event.created_at * 1000
    match word:
        case "join":
            return _join(event)
        case "bye":
            return AskBye(author, parts[0])
        case "add":
            return Add(author, made_at_ms, _seat(parts[0], event), UNRATED)
        case "boards":
            boards = _boards(event)
            if isinstance(boards, str):
                return boards
            return SetBoards(author, made_at_ms, parts[0], boards)
        case "create" | "edit":
            return _with_terms(event, server)
        case _:
            return f"{quoted((event.content,))} is not a command of an event"


def _with_terms(event: VerifiedEvent, server: str) -> TournamentCommand | str:
    keys = dict.fromkeys(tag[1] for tag in all_tags(event, "p") if len(tag) > 1)
    deputies = tuple(key for key in keys if key not in (server, event.pubkey))
    if not all(map(is_hex_32_bytes, deputies)):
        return "p: deputies are keys of 64 lower-case hex digits"
    terms = terms_of(event)
    if isinstance(terms, str):
        return terms
    if event.content == "create":
        return Create(event.pubkey, terms, deputies)
    return Edit(event.pubkey, event.created_at * 1000, terms, deputies)


def _join(event: VerifiedEvent) -> Join | str:
    proof = tag_value(event, "proof")
    if proof and not is_hex_64_bytes(proof):
        return "proof: a signature is 128 lower-case hex digits"
    if (played_in := tag_value(event, "dialect") or PLAYED_IN) != PLAYED_IN:
        return f"dialect: {quoted((played_in,))} has no games of events, {PLAYED_IN} has"
    is_bot = tag_value(event, "bot") == "true"
    return Join(_seat(event.pubkey, event), UNRATED, proof, is_bot=is_bot)


def _boards(event: VerifiedEvent) -> tuple[tuple[str, str], ...] | str:
    keys = (first_tag(event, "boards") or ())[1:]
    if not keys or len(keys) % 2 or not all(map(is_hex_32_bytes, keys)):
        return "boards: White and Black of each board, as 64 lower-case hex digits"
    if len({*keys}) < len(keys):
        return "boards: a player is named twice"
    return tuple(zip(keys[::2], keys[1::2], strict=True))


def _seat(player: str, event: VerifiedEvent) -> Seat:
    return Seat(player, PLAYED_IN, name=clean_name(tag_value(event, "name")))


def reply_template(
    reply: Told | CommandRefused, tournament_id: str | None, event_key: str, at: int, server: str
) -> EventTemplate:
    """A word to one player as a 20301 dated ``at``, to the command ``event_key``, if any."""
    content = reply.text if isinstance(reply, Told) else f"error:{reply.reason}: {reply.text}"
    asked = (("e", event_key),) if event_key else ()
    about = (("a", tournament_address(server, tournament_id)),) if tournament_id else ()
    return EventTemplate(ANSWER, (("p", reply.player), *asked, *about), content, at)


def encode(reply: Reply, context: ReplyContext) -> tuple[EventTemplate, ...]:
    match reply:
        case Rejected(author, reason, text) | RequestRefused(Seat(author), reason, text):
            refused = CommandRefused(author, reason, text)
            return (reply_template(refused, None, context.event_key, context.at, ""),)
        case _:
            return ()


DIALECT = Dialect(
    name=NAME,
    kinds=frozenset({COMMAND, RSVP}),
    seeks=frozenset({COMMAND, RSVP}),
    decode=decode,
    encode=encode,
    arbiter_kinds=frozenset({ANSWER, *KINDS}),
)
