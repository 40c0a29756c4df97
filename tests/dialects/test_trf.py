"""TRF26 and TRF16: other programs read what is written, and what they write is read."""

from dataclasses import replace

import pytest
from gacrux.trf2json import trf2json

from arbiter.core.clocks import TimeControl
from arbiter.core.game import Seat
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Bye,
    ByeKind,
    Entry,
    EntryState,
    Format,
    Round,
    Tournament,
    TournamentTerms,
)
from arbiter.dialects import trf
from arbiter.dialects.trf import Person, Version

_START_MS = 1_800_000_000_000


def _entry(number: int, rating: int, name: str = "") -> Entry:
    seat = Seat(f"{number:064x}", "native", name=name)
    return Entry(number=number, seat=seat, rating=rating)


TOURNAMENT = Tournament(
    id="5f" * 16,
    organiser="0" * 64,
    terms=TournamentTerms(
        title="Café\nof  the Elo€s",
        format=Format.SWISS,
        time=TimeControl(base_ms=300_000, increment_ms=3_000),
        starts_ms=_START_MS,
        rounds=5,
        tie_breaks=("BH/C1", "BH"),
    ),
    created_ms=_START_MS,
    entries=(
        _entry(1, 1500, "Zoë"),
        _entry(2, 2100, "Magnus"),
        _entry(3, 1900),
        _entry(4, 1700, "001 4 w 1"),
        _entry(5, 1600, "棋"),
        replace(_entry(6, 2500), state=EntryState.LEFT),
    ),
    rounds=(
        Round(
            number=1,
            boards=(
                Board(white=2, black=4, result=BoardResult.WHITE_WINS),
                Board(white=1, black=3, result=BoardResult.BLACK_BY_FORFEIT),
            ),
            byes=(Bye(5, ByeKind.PAIRING),),
            began_ms=_START_MS,
        ),
        Round(
            number=2,
            boards=(
                Board(white=3, black=2, result=BoardResult.DRAW),
                Board(white=4, black=1, result=BoardResult.VOID),
            ),
            byes=(Bye(5, ByeKind.HALF),),
            began_ms=_START_MS + 86_400_000,
        ),
    ),
    round=3,
    forbidden=((1, 2), (2, 6)),
)


def _players(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("001")]


def test_a_players_line_has_the_columns_of_the_specification() -> None:
    lines = _players(trf.report(TOURNAMENT))

    head = "001    1      Magnus                            2100" + " " * 28
    assert lines[0] == f"{head} 1.5    1     3 w 1     2 b ="
    assert [line[80:].strip() for line in lines] == [
        "1.5    1     3 w 1     2 b =",
        "1.5    1     5 b +     1 w =",
        "0.0    4     1 b 0  0000 - Z",
        "1.5    1  0000 - U  0000 - H",
        "0.0    4     2 w -  0000 - Z",
    ]


def test_names_are_ascii_so_that_columns_stay_where_bytes_are_counted() -> None:
    text = trf.report(TOURNAMENT)

    assert text.isascii()
    assert [line[14:47].strip() for line in _players(text)] == [
        *("Magnus", "", "001 4 w 1", "?", "Zoe")
    ]
    assert text.splitlines()[0] == "012 Cafe?of  the Elo?s"


@pytest.mark.parametrize("version", Version)
def test_a_report_is_read_again_by_another_program(version: Version) -> None:
    reader = trf2json()
    reader.parse_file(trf.report(TOURNAMENT, version), 1)

    read = reader.get_tournament(1)
    assert reader.get_status() == 0
    assert read["numRounds"] == 5
    assert [float(each["gamePoints"]) for each in read["competitors"]] == [1.5, 1.5, 0, 1.5, 0]
    played = [
        (game["round"], game["white"]["cid"], game["black"]["cid"], game["white"]["result"])
        for game in read["gameList"]
        if game["black"]
    ]
    assert played == [(1, 1, 3, "W"), (2, 2, 1, "D"), (1, 5, 2, "Z")]
    newer = ("topColor" in read, "rankOrder" in read and len(read["rankOrder"]) > 1)
    assert newer == ((True, True) if version is Version.TRF26 else (True, False))


@pytest.mark.parametrize("version", Version)
def test_each_round_has_its_date_in_its_own_columns(version: Version) -> None:
    # The specification: positions 92 to 99 are of round 1, 102 to 109 of round 2.
    text = trf.report(TOURNAMENT, version, dates=(0, _START_MS, _START_MS + 86_400_000))

    lines = {line[:3]: line for line in text.splitlines()}
    assert [lines["132"][at : at + 10].strip() for at in (4, 91, 101, 111)] == [
        *("", "", "27/01/15", "27/01/16")
    ]
    assert [lines[each][4:] for each in ("042", "052")] == ["2027/01/15", "2027/01/16"]


def test_a_round_that_is_under_way_is_not_in_a_report() -> None:
    under_way = Round(number=3, boards=(Board(white=2, black=1), Board(white=3, black=4)))

    assert trf.report(TOURNAMENT.with_round(under_way)) == trf.report(TOURNAMENT)


def test_ranks_are_those_of_the_standings_where_they_are_given() -> None:
    ranks = {1: 5, 2: 2, 3: 1, 4: 4, 5: 3}

    lines = _players(trf.report(TOURNAMENT, ranks=ranks))

    assert [line[85:89].strip() for line in lines] == ["2", "1", "4", "3", "5"]


def test_who_was_never_paired_has_no_number_and_no_forbidden_pair() -> None:
    text = trf.pairing_text(TOURNAMENT, 3, (1, 2, 3))

    assert len(_players(text)) == 5
    assert [line for line in text.splitlines() if line.startswith("260")] == [
        "260   1   5    5    1"
    ]
    assert [line[109:] for line in _players(text)] == ["", "", "  0000 - Z", "  0000 - Z", ""]


def test_a_text_to_pair_by_names_nobody() -> None:
    assert {line[14:47].strip() for line in _players(trf.pairing_text(TOURNAMENT, 3, (1, 2)))} == {
        ""
    }


def test_players_of_a_report_are_found_again_by_their_keys() -> None:
    found = trf.players(trf.report(TOURNAMENT))

    assert [(key[-1], person.rating) for key, person in found] == [
        *(("2", 2100), ("3", 1900), ("4", 1700), ("5", 1600), ("1", 1500))
    ]


_FOREIGN = (
    "012 An open\r\n"
    "001    1 wWGM Doe, Jane                         2310 NOR     1234567 1990/02/03  0.0    1\r\n"
    "001    2      Roe, Richard                      abcd               ? 1980        0.0    2\r"
    f"001    x      Nobody\n001\n### 1 {'ab' * 32}\n### 2 {'AB' * 32}\n### 77777 {'cd' * 32}\n"
)


def test_entries_of_another_programs_file_are_read() -> None:
    jane = Person(
        name="Doe, Jane",
        sex="w",
        title="WGM",
        rating=2310,
        federation="NOR",
        fide_number="1234567",
        born="1990/02/03",
    )

    assert trf.players(_FOREIGN) == (
        ("ab" * 32, jane),
        ("", Person(name="Roe, Richard", fide_number="?", born="1980")),
    )


@pytest.mark.parametrize(
    "text", ["", "\0", "001", "001 ²", "001    1", "é" * 300, "### 1 " + "z" * 64]
)
def test_a_strangers_file_raises_nothing(text: str) -> None:
    assert all(key == "" for key, _ in trf.players(text))
    assert trf.with_people(text, {"": Person(name="x")}) == text


def test_no_file_brings_more_players_than_are_read() -> None:
    assert len(trf.players("001    1\n" * (trf.MAX_ENTRIES + 5))) == trf.MAX_ENTRIES


def test_people_are_joined_at_the_organisers_machine_by_key() -> None:
    report = trf.report(TOURNAMENT)
    people = {
        f"{3:064x}": Person(name="Ångström, Ana", fide_number="42", rating=1950, born="2001/01/01")
    }

    joined = trf.with_people(report, people)

    before, after = _players(report), _players(joined)
    assert after[1][:80] == (
        "001    2      Angstrom, Ana                     1950              42 2001/01/01 "
    )
    assert after[1][80:] == before[1][80:]
    assert [line for line in after if line not in before] == [after[1]]


def test_the_first_colour_is_drawn_by_the_id() -> None:
    drawn = {trf.first_color(replace(TOURNAMENT, id=f"{number:032x}")) for number in range(20)}

    assert drawn == {"W", "B"}
