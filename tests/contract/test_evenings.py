"""Whole tournaments on each table, by chance, with processes that die at any line.
`python -m tests.application.random_evening` plays more of them.
"""

from collections.abc import Iterator

import pytest

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.table import Table
from arbiter.core.tournaments.tournament import Format
from tests.application.random_evening import RandomEvening, empty_table
from tests.contract.candidates import TABLES
from tests.contract.conftest import NewTable
from tests.core.tournaments.play import engine

IN_PROCESS = ("sqlite", "dynamodb")


@pytest.fixture(params=[*IN_PROCESS, *TABLES])
def any_table(request: pytest.FixtureRequest, new_table: NewTable) -> Iterator[Table]:
    if request.param in IN_PROCESS:
        with empty_table(request.param) as table:
            yield table
    else:
        yield DynamoDbTable(*new_table(request.param))


@pytest.mark.parametrize("form", Format)
def test_a_tournament_whose_processes_die_loses_no_game_and_has_none_twice(
    any_table: Table, form: Format, request: pytest.FixtureRequest
) -> None:
    is_slow = request.node.callspec.params["any_table"] not in IN_PROCESS
    if is_slow and form is not Format.ROUND_ROBIN:
        pytest.skip("an emulator takes a minute for what the adapter does in seconds")
    for seed in range(1 if is_slow else 2):
        evening = RandomEvening(seed, form, any_table, engine)

        evening.play()

        evening.check()
