"""That what former releases wrote is read as they meant it: their items, out of the history.

The law: an item that was written is never written anew in this file. A release whose items cannot
be read any more is a change that a table which stands would not survive.
"""

import json

import pytest

from arbiter.adapters.items import SCHEMA
from arbiter.adapters.records import game_of_item
from arbiter.core.model import Game
from tests.releases.item_samples import GOLDEN, as_json, from_json, games, known_to, packed

WRITTEN = json.loads(GOLDEN.read_text(encoding="utf-8"))
EACH = [(commit, name) for commit, items in WRITTEN.items() for name in items]


@pytest.mark.parametrize(("commit", "name"), EACH)
def test_an_item_of_a_former_release_is_read_as_the_game_that_it_wrote(
    commit: str, name: str
) -> None:
    written = WRITTEN[commit][name]
    meant = {field: games()[name][field] for field in written["fields"]}

    assert game_of_item(from_json(written["item"])) == Game(**meant)


def test_no_item_was_written_by_a_schema_that_is_not_known_here() -> None:
    schemas = {int(one["item"]["s"]["N"]) for items in WRITTEN.values() for one in items.values()}

    assert schemas == {SCHEMA}


def test_each_former_release_knows_no_field_that_is_gone() -> None:
    fields = {
        name for items in WRITTEN.values() for one in items.values() for name in one["fields"]
    }

    assert fields <= known_to(Game)


def test_what_is_written_today_says_as_much_as_any_former_release_did() -> None:
    """Else the newest items would be tried with less than the older ones."""
    today = packed()

    for name, field in {
        (name, field)
        for items in WRITTEN.values()
        for name, one in items.items()
        for field in one["fields"]
    }:
        assert field in today[name]["fields"]
    assert from_json(as_json({"m": {"B": b"\x00\xff"}})) == {"m": {"B": b"\x00\xff"}}
