"""Tournaments as items, in the same table as games. Pure.

A tournament is several items whose keys follow from its id, so that two calls read all of it. A
commit writes those that changed, on the condition that the first one did not
(docs/decisions/0041-tournaments-in-the-one-table.md).

====  ====  ============================================================================
name  type  of a tournament
====  ====  ============================================================================
pk    S     ``t#`` and the id, 32 hex digits
s v   N     the schema's version, and ``item_version``, on which every commit is conditional
j     S     the terms that are not the default, as JSON
og    B     the organiser, 32 bytes
dp    B     the deputies, 32 bytes each; absent for none
ph    S     the phase
ca    N     when it was made, unix milliseconds
rd    N     the number of the present round
nx    N     when something is due, unix milliseconds; absent for nothing
rm    N     when the games of the coming round begin, or an arena began, unix milliseconds;
            absent where the organiser begins them
fi    B     the numbers that are to be paired, 2 bytes each; absent for none
ne    N     the number of entries
nr    N     the number of rounds so far
fb    B     pairs of numbers that are not to meet, 2 bytes each number; absent for none
tr    S     trouble; absent for none
ti    N     failed attempts to pair the present round
en    N     the version that players see
sb    N     an organiser's command must be dated later, unix milliseconds
hd    B     keys of the organiser's latest commands, 4 bytes each; absent for none
oa    N     when it ended, unix milliseconds; absent until then
====  ====  ============================================================================

====  ====  ============================================================================
name  type  of a page of 64 entries
====  ====  ============================================================================
pk    S     ``t#``, the id, ``#p`` and the page's number, from 0
s v   N     the schema's version, and 1: the tournament's own version stands for all
j     S     the entries in order, as JSON, without what is the default
====  ====  ============================================================================

====  ====  ============================================================================
name  type  of a round
====  ====  ============================================================================
pk    S     ``t#``, the id, ``#r`` and the round's number, from 1
s v   N     as of a page
bo    B     boards, 23 bytes each, big-endian: white and black, 2 bytes each; the game's id,
            zeros for none; the result, 0 for none, and 128 more if the organiser set it; plies, 2
            bytes; absent for none
by    B     byes, 3 bytes each: the number, and the letter of TRF; absent for none
st    N     the number of boards that have their games
eg    S     the engine; absent for none
di    S     the digest; absent for none
be    N     when it was planned, unix milliseconds
====  ====  ============================================================================

====  ====  ============================================================================
name  type  of the newest tournaments
====  ====  ============================================================================
pk    S     ``ts``
s v   N     the schema's and the item's version
j     S     the last 200, newest first, as JSON: id, title, format, time, start, status
====  ====  ============================================================================

====  ====  ============================================================================
name  type  of a follow set that tournaments name
====  ====  ============================================================================
pk    S     ``tp#`` and 32 hex digits of the SHA-256 of its address
s v   N     the schema's and the item's version
ca    N     its date, unix seconds; 0 until one has come
ku    B     its keys, 32 bytes each; absent for none
====  ====  ============================================================================

None of the names is that of an index (see ``games.py``).
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import Any

import orjson

from arbiter.adapters.items.attributes import Item, octets_of, stamp
from arbiter.application.ports import ListedTournament
from arbiter.core.clocks import TimeControl, read_time
from arbiter.core.game import GAME_ID_BYTES, Seat, is_game_id
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Bye,
    ByeKind,
    Entry,
    EntryRule,
    EntryState,
    Format,
    Phase,
    Round,
    Tournament,
    TournamentTerms,
)
from arbiter.nostr.strict_json import write_ascii

ENTRIES_A_PAGE = 64
LISTED = 200
MAX_PLIES = 0xFFFF

_BOARD = struct.Struct(f">HH{GAME_ID_BYTES}sBH")
_BYE = struct.Struct(">Hc")
_PAIR, _NUMBER = struct.Struct(">HH"), struct.Struct(">H")
_KEY, _HEARD = struct.Struct("32s"), struct.Struct("4s")
_NO_GAME = bytes(GAME_ID_BYTES)

_RESULTS = ("", "1-0", "0-1", "1/2-1/2", "+/-", "-/+", "-/-", "*")
"""Results by their number in an item, which never changes."""
_CORRECTED = 128

_NUMBERS = {
    "created_ms": "ca",
    "round": "rd",
    "next_ms": "nx",
    "round_ms": "rm",
    "tries": "ti",
    "asked": "qu",
    "version": "en",
    "stale_before_ms": "sb",
    "ended_ms": "oa",
}


def tournament_key(tournament_id: str) -> Item:
    if not is_game_id(tournament_id):
        raise ValueError("a tournament's id is 32 lower-case hexadecimal digits")
    return {"pk": {"S": f"t#{tournament_id}"}}


def newest_key() -> Item:
    return {"pk": {"S": "ts"}}


def people_key(address: str) -> Item:
    return {"pk": {"S": f"tp#{sha256(address.encode()).hexdigest()[:32]}"}}


def part_keys(head: Item) -> dict[str, Item]:
    """The keys of the other items of a tournament, each under its own text."""
    pages = -(-_number(head, "ne") // ENTRIES_A_PAGE)
    names = [f"#p{page}" for page in range(pages)]
    names += [f"#r{number}" for number in range(1, _number(head, "nr") + 1)]
    return {name: {"pk": {"S": head["pk"]["S"] + name}} for name in names}


def changed_items(before: Tournament | None, after: Tournament) -> Iterator[tuple[Item, Item]]:
    """The items that differ, before (empty: none) and after; same objects are not compared."""
    yield (_head(before) if before else {}), _head(after)
    old = _parts(before) if before else {}
    for name, part in _parts(after).items():
        was = old.get(name, ())
        if len(was) != len(part) or any(
            one is not other for one, other in zip(was, part, strict=True)
        ):
            items = [_part_item(after.id, name, it) if it else {} for it in (was, part)]
            if items[0] != items[1]:
                yield items[0], items[1]


def _parts(tournament: Tournament) -> dict[str, Sequence[Entry | Round]]:
    entries, size = tournament.entries, ENTRIES_A_PAGE
    pages = {f"#p{at // size}": entries[at : at + size] for at in range(0, len(entries), size)}
    return {**pages, **{f"#r{one.number}": (one,) for one in tournament.rounds}}


def _part_item(tournament_id: str, name: str, part: Sequence[Entry | Round]) -> Item:
    key = {"pk": {"S": tournament_key(tournament_id)["pk"]["S"] + name}}
    (first, *_) = part
    if isinstance(first, Round):
        return {**key, **stamp(1), **_round_attributes(first)}
    text = write_ascii([_differing(entry) for entry in part if isinstance(entry, Entry)])
    return {**key, **stamp(1), "j": {"S": text}}


def _head(tournament: Tournament) -> Item:
    numbers = {short: getattr(tournament, name) for name, short in _NUMBERS.items()}
    numbers |= {"ne": len(tournament.entries), "nr": len(tournament.rounds)}
    head: Item = {
        **tournament_key(tournament.id),
        **stamp(tournament.item_version),
        "j": {"S": write_ascii(_differing(tournament.terms))},
        "og": {"B": bytes.fromhex(tournament.organiser)},
        "ph": {"S": tournament.phase.value},
        **{name: {"N": str(number)} for name, number in numbers.items() if number is not None},
    }
    if tournament.deputies:
        head["dp"] = {"B": bytes.fromhex("".join(tournament.deputies))}
    if tournament.forbidden:
        head["fb"] = {"B": b"".join(_PAIR.pack(*pair) for pair in tournament.forbidden)}
    if tournament.heard:
        head["hd"] = {"B": bytes.fromhex("".join(tournament.heard))}
    if tournament.field:
        head["fi"] = {"B": b"".join(map(_NUMBER.pack, tournament.field))}
    if tournament.trouble:
        head["tr"] = {"S": tournament.trouble}
    return head


def tournament_of_items(head: Item, parts: Mapping[str, Item]) -> Tournament:
    """The tournament of its first item, and of the others by the ends of their keys."""
    entries = [
        entry
        for page in range(-(-_number(head, "ne") // ENTRIES_A_PAGE))
        for entry in _page(parts[f"#p{page}"]["j"]["S"])
    ]
    numbers: Any = {name: _number(head, short) for name, short in _NUMBERS.items() if short in head}
    return Tournament(
        id=head["pk"]["S"].removeprefix("t#"),
        item_version=int(head["v"]["N"]),
        organiser=octets_of(head, "og").hex(),
        deputies=tuple(key.hex() for (key,) in _KEY.iter_unpack(octets_of(head, "dp"))),
        terms=_terms(head["j"]["S"]),
        phase=Phase(head["ph"]["S"]),
        forbidden=tuple(_PAIR.iter_unpack(octets_of(head, "fb"))),
        heard=tuple(key.hex() for (key,) in _HEARD.iter_unpack(octets_of(head, "hd"))),
        field=tuple(number for (number,) in _NUMBER.iter_unpack(octets_of(head, "fi"))),
        trouble=head["tr"]["S"] if "tr" in head else "",
        # A page may hold an entry that was made since the first item was read.
        entries=tuple(entries[: _number(head, "ne")]),
        rounds=tuple(
            _round(number, parts[f"#r{number}"]) for number in range(1, _number(head, "nr") + 1)
        ),
        **numbers,
    )


def item_of_newest(listed: Sequence[ListedTournament], version: int) -> Item:
    rows = [[getattr(one, field.name) for field in fields(one)] for one in listed[:LISTED]]
    return {**newest_key(), **stamp(version), "j": {"S": write_ascii(rows)}}


def newest_of_item(item: Item | None) -> tuple[ListedTournament, ...]:
    rows = orjson.loads(item["j"]["S"]) if item else ()
    return tuple(
        ListedTournament(id_, title, Format(form), time, starts_ms, status)
        for id_, title, form, time, starts_ms, status in rows
    )


def item_of_people(address: str, made_at: int, keys: Sequence[str], version: int) -> Item:
    people = b"".join(map(bytes.fromhex, keys))
    kept = {"ku": {"B": people}} if people else {}
    return {**people_key(address), **stamp(version), "ca": {"N": str(made_at)}, **kept}


def people_of_item(item: Item | None) -> frozenset[str]:
    held = octets_of(item, "ku") if item else b""
    return frozenset(key.hex() for (key,) in _KEY.iter_unpack(held))


def _number(item: Item, name: str) -> int:
    return int(item[name]["N"])


def _round_attributes(one: Round) -> Item:
    boards = (
        _BOARD.pack(
            board.white,
            board.black,
            bytes.fromhex(board.game_id) or _NO_GAME,
            _RESULTS.index(board.result or "") | (_CORRECTED * board.is_corrected),
            min(board.plies, MAX_PLIES),
        )
        for board in one.boards
    )
    item: Item = {
        "bo": {"B": b"".join(boards)},
        "by": {"B": b"".join(_BYE.pack(it.number, it.kind.encode()) for it in one.byes)},
        "eg": {"S": one.engine},
        "di": {"S": one.digest},
        "st": {"N": str(one.started)},
        "be": {"N": str(one.began_ms)},
        "en": {"N": str(one.version)},
    }
    return {name: value for name, value in item.items() if next(iter(value.values()))}


def _round(number: int, item: Item) -> Round:
    return Round(
        number=number,
        boards=_boards(octets_of(item, "bo")),
        byes=tuple(
            Bye(player, ByeKind(letter.decode()))
            for player, letter in _BYE.iter_unpack(octets_of(item, "by"))
        ),
        started=_number(item, "st"),
        engine=item["eg"]["S"] if "eg" in item else "",
        digest=item["di"]["S"] if "di" in item else "",
        began_ms=_number(item, "be"),
        version=_number(item, "en") if "en" in item else 0,
    )


@lru_cache(1024)
def _boards(packed: bytes) -> tuple[Board, ...]:
    """Cached: most rounds of a tournament change no more."""
    return tuple(
        Board(
            white=white,
            black=black,
            game_id="" if game == _NO_GAME else game.hex(),
            result=BoardResult(_RESULTS[result % _CORRECTED]) if result % _CORRECTED else None,
            is_corrected=result >= _CORRECTED,
            plies=plies,
        )
        for white, black, game, result, plies in _BOARD.iter_unpack(packed)
    )


@lru_cache(256)
def _page(text: str) -> tuple[Entry, ...]:
    rows = orjson.loads(text)
    return tuple(
        Entry(
            **{
                **_known(Entry, row),
                "seat": _seat(*row["seat"]),
                "state": EntryState(row.get("state", EntryState.IN)),
            }
        )
        for row in rows
    )


def _seat(player: str, dialect: str, address: str, name: str) -> Seat:
    return Seat(player, dialect, address, name=name)


@lru_cache(64)
def _terms(text: str) -> TournamentTerms:
    said = orjson.loads(text)
    made = {
        "format": Format(said["format"]),
        "entry": EntryRule(said.get("entry", EntryRule.OPEN)),
        "time": read_time(said["time"]),
    }
    return TournamentTerms(**{**_known(TournamentTerms, said), **made})


def _known(made: type, said: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a value that this release knows; lists as tuples."""
    names = {field.name for field in fields(made)}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in said.items()
        if name in names
    }


def _differing(value: TournamentTerms | Entry) -> dict[str, Any]:
    said = {field.name: getattr(value, field.name) for field in fields(value)}
    return {
        field.name: _plain(said[field.name])
        for field in fields(value)
        if said[field.name] != field.default
    }


def _plain(value: object) -> object:
    match value:
        case Seat(player, dialect, address):
            return [player, dialect, address, value.name]
        case TimeControl():
            return str(value)
        case StrEnum():
            return value.value
        case _:
            return value
