"""Items that earlier commits wrote are read as they were meant.

A stored item is never written anew, so a table in use would not survive a commit that cannot read
one.
"""

import pytest

from arbiter.adapters.items.attributes import SCHEMA
from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.core.game import Game
from tests.releases.item_samples import GAMES, as_json, from_json, samples

WRITTEN = samples()


@pytest.mark.parametrize(("release", "name"), WRITTEN)
def test_an_item_of_a_former_release_is_read_as_the_game_that_it_wrote(
    release: str, name: str
) -> None:
    written = WRITTEN[release, name]
    meant = {field: GAMES[name][field] for field in written["fields"]}

    assert game_of_item(from_json(written["item"])) == Game(**meant)


@pytest.mark.parametrize("name", GAMES)
def test_an_item_of_today_is_read_as_the_game_that_it_wrote(name: str) -> None:
    game = Game(**GAMES[name])

    assert game_of_item(from_json(as_json(item_of_game(game)))) == game


def test_no_item_was_written_by_a_schema_that_is_not_known_here() -> None:
    schemas = {int(one["item"]["s"]["N"]) for one in WRITTEN.values()}

    assert schemas == {SCHEMA}
