"""TRF, FIDE's tournament report file: what engines pair from, and what other programs read.

TRF26 and TRF16 have the same line for a player. Columns are characters or bytes, so texts are
ASCII. Keys are in comments, ``### NUMBER KEY``, to find a file's players again.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from arbiter.core.tournaments.tournament import (
    BoardResult,
    ByeKind,
    Entry,
    EntryState,
    Format,
    Round,
    Tournament,
)

MAX_ENTRIES = 2000
"""Players that are read of a file."""


class Version(StrEnum):
    """The two versions of TRF."""

    TRF26 = "trf26"
    TRF16 = "trf16"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A player as FIDE knows them. ``born`` is YYYY/MM/DD; ``sex`` is m or w."""

    name: str = ""
    sex: str = ""
    title: str = ""
    rating: int = 0
    federation: str = ""
    fide_number: str = ""
    born: str = ""


_LETTERS = {
    BoardResult.WHITE_WINS: "10",
    BoardResult.BLACK_WINS: "01",
    BoardResult.DRAW: "==",
    BoardResult.WHITE_BY_FORFEIT: "+-",
    BoardResult.BLACK_BY_FORFEIT: "-+",
    BoardResult.BOTH_FORFEIT: "--",
}
"""White's letter and Black's; a void board, or one without a result, is none."""

_ABSENT = ("0000 - Z", 0.0)

_SYSTEMS = {
    (Format.SWISS, 1): "FIDE_DUTCH",
    (Format.ROUND_ROBIN, 1): "BERGER_ROUNDROBIN",
    (Format.ROUND_ROBIN, 2): "BERGER_DOUBLEROUNDROBIN",
    (Format.KNOCKOUT, 1): "CUSTOM_KNOCKOUT",
}

_TYPES = {
    Format.SWISS: "Individual: Swiss System",
    Format.ROUND_ROBIN: "Individual: Round Robin",
    Format.KNOCKOUT: "Individual: Knockout",
    Format.ARENA: "Individual: Arena",
}


def seeded(tournament: Tournament, present: Sequence[int] = ()) -> tuple[Entry, ...]:
    """The entries with a pairing number (their place, from 1), by rating, then as joined."""
    paired = {number for _, board in tournament.boards() for number in (board.white, board.black)}
    paired.update(bye.number for each in tournament.rounds for bye in each.byes if bye.kind == "U")
    paired.update(present)
    entries = [entry for entry in tournament.entries if entry.number in paired]
    return tuple(sorted(entries, key=lambda entry: (-entry.rating, entry.number)))


def first_color(tournament: Tournament) -> str:
    """``W`` or ``B``: the initial colour of C.04.3, drawn by the id, which no organiser chooses."""
    return "WB"[hashlib.sha256(tournament.id.encode("ascii")).digest()[0] & 1]


def pairing_text(tournament: Tournament, round_number: int, present: Sequence[int]) -> str:
    """The text for an engine: rounds before, who is there, and comments ``### NUMBER ENTRY``."""
    tournament = replace(tournament, rounds=tournament.rounds[: round_number - 1], by_player={})
    rounds, seeds = tournament.rounds, seeded(tournament, present)
    numbers = {entry.number: place for place, entry in enumerate(seeds, 1)}
    lines = [
        f"012 {tournament.id}",
        f"092 {_TYPES[tournament.terms.format]}",
        f"142 {tournament.terms.rounds}",
        f"152 {first_color(tournament)}",
        "192 FIDE_DUTCH",
    ]
    columns = [_cells(each, numbers) for each in rounds]
    for entry in seeds:
        cells = [each.get(entry.number, _ABSENT) for each in columns]
        cells += [] if entry.number in present else [_ABSENT]
        number = numbers[entry.number]
        lines.append(_player(number, Person(rating=entry.rating), cells, number))
    lines += _forbidden(tournament, numbers, tournament.terms.rounds)
    lines += [f"### {place} {entry.number}" for place, entry in enumerate(seeds, 1)]
    return _joined(lines)


def asked_text(tournament: Tournament, round_number: int) -> str | None:
    """The text that a round was paired from, by its digest; None for another."""
    if not 1 <= round_number <= len(tournament.rounds):
        return None
    each = tournament.rounds[round_number - 1]
    paired = [number for board in each.boards for number in (board.white, board.black)]
    paired += [bye.number for bye in each.byes if bye.kind is ByeKind.PAIRING]
    return pairing_text(tournament, round_number, paired)


def report(
    tournament: Tournament,
    version: Version = Version.TRF26,
    ranks: Mapping[int, int] | None = None,
    dates: Sequence[int] = (),
) -> str:
    """The tournament as a file, with all rounds that are done; ``ranks`` by entry or else of the
    points; ``dates`` of the rounds (unix ms) or else of their plans.
    """
    rounds = tuple(each for each in tournament.rounds if each.is_done)
    seeds = seeded(tournament, [e.number for e in tournament.entries if e.state is EntryState.IN])
    numbers = {entry.number: place for place, entry in enumerate(seeds, 1)}
    columns = [_cells(each, numbers) for each in rounds]
    cells = {e.number: [each.get(e.number, _ABSENT) for each in columns] for e in seeds}
    points = {number: sum(points for _, points in own) for number, own in cells.items()}
    higher = sorted(points.values(), reverse=True)
    days = [_day(each) if each else "" for each in dates or [each.began_ms for each in rounds]]
    lines = _header(tournament, version, len(seeds), days)
    for entry in seeds:
        rank = ranks[entry.number] if ranks else 1 + higher.index(points[entry.number])
        person = Person(name=entry.seat.name, rating=entry.rating)
        lines.append(_player(numbers[entry.number], person, cells[entry.number], rank))
    if version is Version.TRF26:
        lines += _forbidden(tournament, numbers, len(rounds) or 1)
    lines += [f"### {numbers[entry.number]} {entry.seat.player}" for entry in seeds]
    return _joined(lines)


def players(text: str) -> tuple[tuple[str, Person], ...]:
    """The players of a file in its order, each with the key (64 hex) of its comment, or ""."""
    keys = dict(re.findall(r"^### +(\d{1,4}) +([0-9a-f]{64})\b", text, re.MULTILINE))
    found: list[tuple[str, Person]] = []
    for line in re.split(r"\r\n|\r|\n", text):
        number = line[4:8].strip()
        if line[:3] == "001" and number.isdecimal() and len(found) < MAX_ENTRIES:
            person = Person(
                name=line[14:47].strip(),
                sex=line[9:10].strip(),
                title=line[10:13].strip(),
                rating=int(rating) if (rating := line[48:52].strip()).isdecimal() else 0,
                federation=line[53:56].strip(),
                fide_number=line[57:68].strip(),
                born=line[69:79].strip(),
            )
            found.append((keys.get(number, ""), person))
    return tuple(found)


def with_people(text: str, people: Mapping[str, Person]) -> str:
    """The file with names, titles, FIDE numbers and birth dates, for an organiser alone."""
    keys = dict(re.findall(r"^### +(\d{1,4}) +([0-9a-f]{64})\b", text, re.MULTILINE))

    def named(match: re.Match[str]) -> str:
        person = people.get(keys.get(match[1].strip(), ""))
        return _static(int(match[1]), person) + match[2] if person else match[0]

    return re.sub(r"^001 ([ \d]{4}).{71}(.*)$", named, text, flags=re.MULTILINE)


def _header(tournament: Tournament, version: Version, size: int, days: Sequence[str]) -> list[str]:
    terms, time = tournament.terms, tournament.terms.time
    known = [*filter(None, days)] or [_day(terms.starts_ms)]
    lines = [
        f"012 {_ascii(terms.title)}",
        f"042 {known[0]}",
        f"052 {known[-1]}",
        f"062 {size}",
        f"072 {size}",
        f"092 {_TYPES[terms.format]}",
        f"122 {time.base_ms // 1000}+{time.increment_ms // 1000} seconds"
        if time.is_live
        else f"122 {time.move_ms // 1000} seconds a move",
    ]
    if any(days):
        # "YY/MM/DD; 92-99 round 1, 102-109 round 2", as of TRF16 and TRF26 both.
        lines.append("132 ".ljust(91) + "  ".join(f"{day[2:]:8}" for day in days).rstrip())
    count = max(terms.rounds, tournament.round)
    if version is Version.TRF16:
        return [*lines, f"XXR {count}"]
    lines += [f"142 {count}", f"152 {first_color(tournament)}"]
    if system := _SYSTEMS.get((terms.format, terms.cycles)):
        lines.append(f"192 {system}")
    if terms.tie_breaks:
        lines.append(f"202 {','.join(terms.tie_breaks)}")
    if time.is_live:
        increment = f"+{time.increment_ms // 1000}" if time.increment_ms else ""
        lines.append(f"222 {time.base_ms // 1000}{increment}")
    return lines


def _player(number: int, person: Person, cells: Sequence[tuple[str, float]], rank: int) -> str:
    points = sum(points for _, points in cells)
    results = "".join(f"  {columns}" for columns, _ in cells)
    return f"{_static(number, person)} {points:4.1f} {rank:4}{results}"


def _static(number: int, person: Person) -> str:
    """The columns of a player that no round changes, 79 of them."""
    return (
        f"001 {number:4} {_ascii(person.sex):1.1}{_ascii(person.title):>3.3}"
        f" {_ascii(person.name):33.33} {_rating(person.rating)} {_ascii(person.federation):3.3}"
        f" {_ascii(person.fide_number):>11.11} {_ascii(person.born):10.10}"
    )


def _rating(rating: int) -> str:
    return f"{min(rating, 9999):4}" if rating > 0 else "    "


def _cells(each: Round, numbers: Mapping[int, int]) -> dict[int, tuple[str, float]]:
    cells = {bye.number: (f"0000 - {bye.kind}", bye.kind.points) for bye in each.byes}
    for board in each.boards:
        if board.result is None or board.result not in _LETTERS:
            continue
        white, black = board.result.points()
        letters = _LETTERS[board.result]
        cells[board.white] = (f"{numbers[board.black]:4} w {letters[0]}", white)
        cells[board.black] = (f"{numbers[board.white]:4} b {letters[1]}", black)
    return cells


def _forbidden(tournament: Tournament, numbers: Mapping[int, int], last: int) -> list[str]:
    return [
        f"260   1 {last:3} {numbers[one]:4} {numbers[other]:4}"
        for one, other in tournament.forbidden
        if one in numbers and other in numbers
    ]


def _ascii(text: str) -> str:
    """The text in printable ASCII: accents go, and what has no letter left is ``?``."""
    plain = unicodedata.normalize("NFKD", text)
    marked = (char for char in plain if not unicodedata.combining(char))
    return "".join(char if " " <= char <= "~" else "?" for char in marked)


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y/%m/%d")


def _joined(lines: Sequence[str]) -> str:
    """One text. Each line ends with CR, as the specification asks, and LF."""
    return "".join(f"{line}\r\n" for line in lines)
