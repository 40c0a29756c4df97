"""What no emulator does: DynamoDB leaves keys out of an answer when it is busy, and an index gives
games that began together in an order of its own.
"""

from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.dynamodb.archive import ATTEMPTS, DynamoDbArchive, Unread
from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.application.queries import place_of
from arbiter.core.game import Game
from tests.builders import ALICE, NOW_MS, a_game


class BusyTable:
    """Answers with one game of those it is asked for, if any, and leaves the rest for later."""

    def __init__(self, games: list[Game], at_once: int) -> None:
        self.items = [item_of_game(game) for game in games]
        self.at_once = at_once
        self.asked: list[int] = []

    def query(self, *, IndexName: str, **_: Any) -> dict[str, Any]:  # noqa: N803 - botocore's
        items = self.items if IndexName != "black" else []
        return {"Items": [{"pk": item["pk"], "c": item["c"]} for item in reversed(items)]}

    def batch_get_item(self, *, RequestItems: Any) -> dict[str, Any]:  # noqa: N803 - botocore's
        keys = RequestItems["games"]["Keys"]
        self.asked.append(len(keys))
        now, later = keys[: self.at_once], keys[self.at_once :]
        found = [item for item in self.items if {"pk": item["pk"]} in now]
        left = {"games": {"Keys": later}} if later else {}
        return {"Responses": {"games": found}, "UnprocessedKeys": left}


def games(count: int) -> list[Game]:
    return [
        replace(a_game(), id=f"{number:032x}", created_at_ms=NOW_MS + number)
        for number in range(count)
    ]


def archive(table: Any, pauses: list[float]) -> DynamoDbArchive:
    return DynamoDbArchive(lambda: table, "games", pauses.append)


def test_what_was_left_out_is_asked_for_again() -> None:
    table, pauses = BusyTable(games(3), at_once=1), list[float]()

    found = archive(table, pauses).games_of(ALICE.pubkey, 10)

    assert list(found) == [*reversed(games(3))]
    assert table.asked == [3, 2, 1]
    assert len(pauses) == 2
    assert pauses == sorted(pauses)


def test_a_table_that_stays_busy_is_given_up() -> None:
    table, pauses = BusyTable(games(1), at_once=0), list[float]()

    with pytest.raises(Unread):
        archive(table, pauses).live(10)
    assert table.asked == [1] * ATTEMPTS
    assert sum(pauses) < 3


def test_a_game_that_is_in_the_index_and_no_more_in_the_table_is_left_out() -> None:
    table = BusyTable(games(2), at_once=9)
    gone = table.items[0]["pk"]
    table.batch_get_item = lambda **_: {  # type: ignore[method-assign]
        "Responses": {"games": [item for item in table.items if item["pk"] != gone]}
    }

    assert list(archive(table, []).live(10)) == games(2)[1:]


class ShuffledTable:
    """Games that within one moment come in no order that means anything."""

    def __init__(self, games: list[Game]) -> None:
        self.items = [item_of_game(game) for game in games]
        self.batch_get_item = BusyTable(games, at_once=100).batch_get_item

    def query(
        self,
        *,
        IndexName: str,  # noqa: N803 - botocore's
        Limit: int,  # noqa: N803
        ExpressionAttributeValues: Any,  # noqa: N803
        ExclusiveStartKey: Any = None,  # noqa: N803
        **_: Any,
    ) -> dict[str, Any]:
        assert IndexName == "live"
        until = int(ExpressionAttributeValues.get(":began", {"N": "9" * 20})["N"])
        keys = [{"pk": item["pk"], "c": item["c"]} for item in self.items]
        keys = [key for key in keys if int(key["c"]["N"]) <= until]
        keys.sort(key=lambda key: (-int(key["c"]["N"]), key["pk"]["S"][::-1]))
        start = keys.index(ExclusiveStartKey) + 1 if ExclusiveStartKey else 0
        page = keys[start : start + Limit]
        more = {"LastEvaluatedKey": page[-1]} if start + Limit < len(keys) else {}
        return {"Items": page, **more}


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_games_that_began_together_are_met_once_in_whatever_order_they_come(limit: int) -> None:
    began = [
        replace(game, id=f"{number * 7919 % 1000:032x}", created_at_ms=NOW_MS + number // 9)
        for number, game in enumerate(games(27))
    ]
    shelf = archive(ShuffledTable(began), [])

    found: list[Game] = []
    while page := shelf.live(limit, place_of(found[-1]) if found else None):
        found += page

    assert found == sorted(began, key=place_of, reverse=True)
