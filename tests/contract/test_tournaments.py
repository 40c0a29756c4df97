"""The contract of ``Tournaments``."""

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import pytest

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.stored_tournaments import MAX_KEYS, StoredTournaments
from arbiter.adapters.items.tournaments import ENTRIES_A_PAGE, LISTED
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.ports import ListedTournament
from arbiter.core.clocks import TimeControl
from arbiter.core.game import Seat
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
from tests.builders import NOW_MS
from tests.contract.candidates import TABLES
from tests.contract.conftest import NewTable
from tests.contract.sqlite_file import SqliteFile
from tests.fakes.stores import MemoryTable

ORGANISER, DEPUTY = "a1" * 32, "b2" * 32
TERMS = TournamentTerms(
    title='Club evening "\N{SNOWMAN}"',
    format=Format.SWISS,
    time=TimeControl(base_ms=180_000, increment_ms=2_000),
    starts_ms=NOW_MS,
    rounds=7,
    interval_s=None,
    entry=EntryRule.LIST,
    allowed=("c3" * 32, "d4" * 32),
    tie_breaks=("BH/C1", "SB"),
)


def an_entry(number: int) -> Entry:
    seat = Seat(f"{number:064x}", "native", "address" * (number % 2), name="Zoë" * (number % 3))
    state = [*EntryState][number % len(EntryState)]
    byes = (1, 3) if number % 4 == 0 else ()
    return Entry(number=number, seat=seat, rating=1500 + number, state=state, byes=byes, seen_ms=7)


def a_round(number: int, boards: int = 3) -> Round:
    results = [None, *BoardResult]
    return Round(
        number=number,
        boards=tuple(
            Board(
                white=2 * at + 1,
                black=2 * at + 2,
                game_id=f"{number * 1000 + at:032x}" if at % 2 else "",
                result=results[at % len(results)],
                is_corrected=at % 3 == 1,
                plies=40 * at,
            )
            for at in range(boards)
        ),
        byes=(Bye(65, ByeKind.PAIRING), Bye(66, ByeKind.HALF)),
        started=number % 4,
        engine="gacrux 1.11.65",
        digest="ab" * 32,
        began_ms=NOW_MS,
    )


def a_tournament(entries: int = 3, rounds: int = 0, **changes: object) -> Tournament:
    made = Tournament(
        id=uuid4().hex,
        organiser=ORGANISER,
        terms=TERMS,
        created_ms=NOW_MS,
        entries=tuple(map(an_entry, range(1, entries + 1))),
        rounds=tuple(map(a_round, range(1, rounds + 1))),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture(params=["memory", "sqlite", *TABLES])
def tournaments(
    request: pytest.FixtureRequest, new_table: NewTable, new_sqlite_file: SqliteFile
) -> StoredTournaments:
    if request.param == "memory":
        return StoredTournaments(MemoryTable())
    if request.param == "sqlite":
        return StoredTournaments(SqliteTable(new_sqlite_file.opened))
    return StoredTournaments(DynamoDbTable(*new_table(request.param)))


def stored(tournaments: StoredTournaments, made: Tournament) -> Tournament:
    assert tournaments.commit(None, made)
    found = tournaments.load(made.id)
    assert found is not None
    return found


def test_a_tournament_is_read_as_it_was_written(tournaments: StoredTournaments) -> None:
    """Over the bounds of a page of entries and of the keys of one read."""
    made = a_tournament(
        2 * ENTRIES_A_PAGE + 1,
        MAX_KEYS + 3,
        deputies=(DEPUTY,),
        phase=Phase.PLAYING,
        round=4,
        next_ms=NOW_MS + 1,
        round_ms=NOW_MS + 3,
        field=(1, 65, 129),
        heard=("00ab12cd", "ffffffff"),
        forbidden=((1, 2), (3, 129)),
        trouble="no pairing",
        tries=2,
        version=9,
        stale_before_ms=NOW_MS,
        ended_ms=NOW_MS + 2,
    )

    # A transaction has a hundred items: rounds come one by one.
    first = stored(tournaments, replace(made, rounds=made.rounds[:90], by_player={}))
    assert tournaments.commit(first, replace(made, by_player={}))

    found = tournaments.load(made.id)
    assert found == replace(made, item_version=2, by_player={})
    assert found.entry_of(an_entry(129).seat.player) == an_entry(129)
    assert [one.seat.name for one in found.entries] == [one.seat.name for one in made.entries]


def test_what_was_decided_on_an_older_tournament_is_not_written(
    tournaments: StoredTournaments,
) -> None:
    before = stored(tournaments, a_tournament(70, 2))
    mine = before.with_round(replace(a_round(2), digest="mine"))
    other = before.with_entry(replace(an_entry(70), state=EntryState.REMOVED))

    assert tournaments.commit(before, other)
    assert not tournaments.commit(before, mine)
    assert not tournaments.commit(None, mine)

    found = tournaments.load(before.id)
    assert found is not None
    assert (found.rounds, found.entries) == (before.rounds, other.entries)
    assert found.item_version == before.item_version + 1


def test_the_newest_are_listed_first_as_they_are_now_and_no_more_than_are_listed(
    tournaments: StoredTournaments,
) -> None:
    made = [stored(tournaments, a_tournament(0)) for _ in range(3)]
    assert tournaments.commit(made[0], replace(made[0], phase=Phase.PAIRING, by_player={}))

    listed = tournaments.newest()
    assert [one.id for one in listed] == [one.id for one in reversed(made)]
    assert [one.status for one in listed] == ["open", "open", "playing"]
    assert listed[0] == ListedTournament.of(made[2])


def test_the_list_forgets_the_oldest() -> None:
    tournaments = StoredTournaments(MemoryTable())
    made = [stored(tournaments, a_tournament(0)) for _ in range(LISTED + 1)]

    assert tournaments.commit(made[0], replace(made[0], phase=Phase.FINISHED, by_player={}))

    assert [one.id for one in tournaments.newest()] == [one.id for one in reversed(made[1:])]


def test_a_commit_writes_what_changed_alone() -> None:
    table = MemoryTable()
    tournaments = StoredTournaments(table)
    before = stored(tournaments, a_tournament(200, 3))
    items = dict(table.items)

    assert tournaments.commit(before, before.with_entry(replace(an_entry(65), rating=9)))

    written = {key for key, item in table.items.items() if items.get(key) is not item}
    assert written == {f"t#{before.id}", f"t#{before.id}#p1"}


def test_more_rounds_than_a_transaction_has_items_are_decided_at_once(
    tournaments: StoredTournaments,
) -> None:
    """As at the end of an arena whose games go on."""
    before = stored(tournaments, a_tournament(70, 60))
    before = in_two(tournaments, before, [*map(a_round, range(61, 121))])
    ended = before
    for each in before.rounds:
        boards = (replace(board, result=BoardResult.VOID) for board in each.boards)
        ended = ended.with_round(replace(each, boards=tuple(boards)))
    ended = replace(ended, phase=Phase.FINISHED, by_player={})

    assert tournaments.commit(before, ended)

    found = tournaments.load(before.id)
    assert found is not None
    assert (found.rounds, found.phase) == (ended.rounds, Phase.FINISHED)
    assert not tournaments.commit(before, ended)


def in_two(tournaments: StoredTournaments, before: Tournament, rounds: list[Round]) -> Tournament:
    """The tournament with these rounds too, as it is stored."""
    assert tournaments.commit(
        before, replace(before, rounds=(*before.rounds, *rounds), by_player={})
    )
    found = tournaments.load(before.id)
    assert found is not None
    return found


def test_a_player_who_has_another_name_alone_is_written(tournaments: StoredTournaments) -> None:
    before = stored(tournaments, a_tournament(3))
    named = replace(an_entry(2), seat=replace(an_entry(2).seat, name="Another"))
    assert named == an_entry(2), "a name takes no part in equality"

    assert tournaments.commit(before, before.with_entry(named))

    found = tournaments.load(before.id)
    assert found is not None
    assert found.entry(2).seat.name == "Another"


@pytest.mark.parametrize("id_", ["", "x", "ab" * 17, "AB" * 16])
def test_an_id_that_is_none_costs_no_read(id_: str) -> None:
    def no_read(*_: object) -> None:
        raise AssertionError

    table = MemoryTable()
    table.find = no_read  # type: ignore[method-assign,assignment]
    assert StoredTournaments(table).load(id_) is None


def test_terms_of_a_later_release_are_read() -> None:
    table = MemoryTable()
    tournaments = StoredTournaments(table)
    made = stored(tournaments, a_tournament(2))
    for item in table.items.values():
        if "j" in item and item["pk"]["S"].startswith("t#"):
            text: Callable[[str], str] = lambda said: said.replace(  # noqa: E731
                '{"', '{"later": [1], "'
            )
            item["j"] = {"S": text(item["j"]["S"])}

    assert tournaments.load(made.id) == made


def test_a_follow_set_is_kept_once_it_is_asked_for_and_the_newest_counts(
    tournaments: StoredTournaments,
) -> None:
    address = f"30000:{uuid4().hex}{uuid4().hex}:club"
    assert not tournaments.keep_people(address, 9, [ORGANISER])
    tournaments.ask_for_people(address)
    assert tournaments.people(address) == frozenset()
    assert tournaments.keep_people(address, 9, [ORGANISER, DEPUTY])
    assert not tournaments.keep_people(address, 9, [ORGANISER])
    tournaments.ask_for_people(address)
    assert tournaments.people(address) == {ORGANISER, DEPUTY}
    assert tournaments.keep_people(address, 10, [])
    assert tournaments.people(address) == frozenset()
