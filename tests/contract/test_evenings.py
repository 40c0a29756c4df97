"""Whole tournaments on each table, by chance, with processes that die at its calls."""

import pytest

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.table import Table
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.core.tournaments.tournament import Format
from tests.application.random_evening import RandomEvening
from tests.contract.candidates import TABLES
from tests.contract.conftest import NewTable
from tests.contract.sqlite_file import SqliteFile
from tests.core.tournaments.play import engine
from tests.fakes.stores import MemoryTable


@pytest.fixture(params=["memory", "sqlite", *TABLES])
def any_table(
    request: pytest.FixtureRequest, new_table: NewTable, new_sqlite_file: SqliteFile
) -> Table:
    if request.param == "memory":
        return MemoryTable()
    if request.param == "sqlite":
        return SqliteTable(new_sqlite_file.opened)
    return DynamoDbTable(*new_table(request.param))


@pytest.mark.parametrize("form", Format)
def test_a_tournament_whose_processes_die_loses_no_game_and_has_none_twice(
    any_table: Table, form: Format
) -> None:
    if isinstance(any_table, DynamoDbTable) and form is Format.ARENA:
        pytest.skip("it takes most of a minute, and is made of rounds as the others are")
    evening = RandomEvening(0, form, any_table, engine)

    evening.play()

    evening.check()
