"""What is asked of the table about browsers, and how often."""

from typing import Any

from arbiter.adapters.dynamodb import browsers
from arbiter.adapters.dynamodb.browsers import DynamoDbBrowsers

_GAME = "0f" * 16


class _Table:
    """Answers what it is asked for, and remembers how often it was asked."""

    def __init__(self, item: dict[str, Any] | None) -> None:
        self.item = item
        self.asked = 0

    def get_item(self, **_arguments: Any) -> dict[str, Any]:
        self.asked += 1
        return {"Item": self.item} if self.item else {}


def _browsers(table: Any) -> DynamoDbBrowsers:
    return DynamoDbBrowsers(lambda: table, "arbiter")


def test_a_browser_that_was_found_is_looked_for_once() -> None:
    table = _Table({"g": {"B": bytes.fromhex(_GAME)}})
    known = _browsers(table)

    assert [known.game_of("mine"), known.game_of("mine")] == [_GAME, _GAME]

    assert table.asked == 1


def test_a_browser_that_was_not_there_is_looked_for_again() -> None:
    table = _Table(None)
    known = _browsers(table)
    assert known.game_of("mine") is None
    table.item = {"g": {"B": bytes.fromhex(_GAME)}}

    assert known.game_of("mine") == _GAME


def test_no_more_browsers_are_remembered_than_memory_can_bear() -> None:
    table = _Table({"g": {"B": bytes.fromhex(_GAME)}})
    known = _browsers(table)
    limit = browsers._BROWSERS_REMEMBERED
    for number in range(limit):
        known.game_of(f"browser {number}")
    known.game_of("browser 0")
    known.game_of("one too many")
    asked = table.asked

    known.game_of("browser 0")
    assert table.asked == asked, "who played last is remembered longest"
    known.game_of("browser 1")
    assert table.asked == asked + 1
