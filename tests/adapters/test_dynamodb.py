"""What the table's adapters ask of DynamoDB, and what they make of answers no emulator gives."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from arbiter.adapters.dynamodb.game_items import game_key, item_of_game
from arbiter.adapters.dynamodb.games import DynamoDbGames, DynamoDbLobby
from arbiter.adapters.dynamodb.lobby_items import PLAYER_KEPT_SECONDS
from arbiter.application.ports import Committed, Conflict, LobbyChange
from arbiter.core.pairing import Player
from tests.builders import NOW_MS, a_game, after
from tests.fakes.clock import FakeClock

Answer = dict[str, Any] | Exception


class ScriptedClient:
    """Gives the answers it was told to give, and remembers the calls."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def _answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((name, arguments))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def get_item(self, **arguments: Any) -> dict[str, Any]:
        return self._answer("get_item", arguments)

    def batch_get_item(self, **arguments: Any) -> dict[str, Any]:
        return self._answer("batch_get_item", arguments)

    def update_item(self, **arguments: Any) -> dict[str, Any]:
        return self._answer("update_item", arguments)

    def transact_write_items(self, **arguments: Any) -> dict[str, Any]:
        return self._answer("transact_write_items", arguments)


def refused(code: str, **more: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": ""}, **more}
    return ClientError(response, "AnOperation")


def cancelled(*codes: str) -> ClientError:
    reasons = [{"Code": code} for code in codes]
    return refused("TransactionCanceledException", CancellationReasons=reasons)


def games(client: ScriptedClient) -> DynamoDbGames:
    return DynamoDbGames(lambda: client, "games")  # type: ignore[arg-type,return-value]


def lobby(client: ScriptedClient) -> DynamoDbLobby:
    return DynamoDbLobby(lambda: client, "games", FakeClock(NOW_MS))  # type: ignore[arg-type,return-value]


def test_a_load_is_one_strongly_consistent_read() -> None:
    client = ScriptedClient({"Item": item_of_game(a_game())})

    assert games(client).load(a_game().id) == a_game()

    key = {"pk": {"S": "g#0123456789abcdef0123456789abcdef"}}
    call = {"TableName": "games", "Key": key, "ConsistentRead": True}
    assert client.calls == [("get_item", call)]


def test_what_cannot_be_an_id_costs_no_read() -> None:
    client = ScriptedClient()

    assert games(client).load("p#someone") is None

    assert client.calls == []


def test_a_commit_is_one_conditional_write_of_what_changed() -> None:
    client = ScriptedClient({})
    game = after(a_game(), "e4")
    played = replace(after(game, "e5"), applied_ids=(b"\x01" * 8,), changed_at_ms=NOW_MS + 5)

    assert games(client).commit(game, played) == Committed()

    ((name, call),) = client.calls
    assert name == "update_item"
    assert call["ConditionExpression"] == "#v = :version"
    assert call["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
    values = call["ExpressionAttributeValues"]
    assert values.pop(":version") == {"N": "2"}
    item = item_of_game(played)
    assert values == {f":{attribute}": item[attribute] for attribute in ("v", "u", "m", "e", "en")}
    assert call["UpdateExpression"] == "SET #v = :v, #u = :u, #en = :en, #m = :m, #e = :e"


def test_a_lost_race_costs_no_second_read() -> None:
    standing = after(a_game(), "d4")
    client = ScriptedClient(refused("ConditionalCheckFailedException", Item=item_of_game(standing)))

    assert games(client).commit(a_game(), after(a_game(), "e4")) == Conflict(standing)

    assert len(client.calls) == 1


def test_a_commit_that_met_a_newer_state_is_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    lost = ScriptedClient(refused("ConditionalCheckFailedException"), cancelled("None"))

    games(lost).commit(a_game(), after(a_game(), "e4"))
    lobby(lost).commit(LobbyChange(game=a_game()))

    assert [record.msg for record in caplog.records] == [
        {"status": "conflict", "of": "game", "game": a_game().id},
        {"status": "conflict", "of": "lobby", "game": ""},
    ]


THROTTLED = [
    refused("ProvisionedThroughputExceededException"),
    refused("RequestLimitExceeded"),
    refused("InternalServerError"),
    ReadTimeoutError(endpoint_url="http://127.0.0.1"),
]


@pytest.mark.parametrize("trouble", THROTTLED, ids=lambda t: type(t).__name__)
def test_trouble_with_the_table_is_raised_and_is_no_conflict(trouble: Exception) -> None:
    with pytest.raises(type(trouble)):
        games(ScriptedClient(trouble)).commit(a_game(), after(a_game(), "e4"))
    with pytest.raises(type(trouble)):
        games(ScriptedClient(trouble)).load(a_game().id)
    with pytest.raises(type(trouble)):
        lobby(ScriptedClient(trouble)).commit(LobbyChange(game=a_game()))


@pytest.mark.parametrize(
    "codes",
    [
        ("ConditionalCheckFailed", "None"),
        ("None", "TransactionConflict"),
        ("ConditionalCheckFailed", "TransactionConflict"),
    ],
)
def test_a_transaction_that_lost_a_race_is_refused(codes: tuple[str, ...]) -> None:
    assert not lobby(ScriptedClient(cancelled(*codes))).commit(LobbyChange(game=a_game()))


@pytest.mark.parametrize(
    "codes",
    [
        ("ThrottlingError", "None"),
        ("ConditionalCheckFailed", "ProvisionedThroughputExceeded"),
        ("ValidationError",),
    ],
)
def test_a_transaction_cancelled_for_anything_else_is_raised(codes: tuple[str, ...]) -> None:
    with pytest.raises(ClientError, match="TransactionCanceledException"):
        lobby(ScriptedClient(cancelled(*codes))).commit(LobbyChange(game=a_game()))


def test_a_new_player_is_made_only_where_none_is() -> None:
    client = ScriptedClient({})
    stranger = Player("ab" * 32)

    lobby(client).commit(LobbyChange(players=((stranger, stranger),)))

    ((_, call),) = client.calls
    (write,) = call["TransactItems"]
    assert write["Update"]["ConditionExpression"] == "attribute_not_exists(pk)"
    assert write["Update"]["ExpressionAttributeValues"][":v"] == {"N": "1"}


def test_every_change_of_a_player_without_a_game_puts_his_expiry_off() -> None:
    client = ScriptedClient({})
    known = Player("ab" * 32, item_version=7)

    lobby(client).commit(LobbyChange(players=((known, known),)))

    ((_, call),) = client.calls
    values = call["TransactItems"][0]["Update"]["ExpressionAttributeValues"]
    assert values[":expires_at"] == {"N": str(NOW_MS // 1000 + PLAYER_KEPT_SECONDS)}


def test_a_game_is_put_only_where_none_is() -> None:
    client = ScriptedClient({})

    lobby(client).commit(LobbyChange(game=a_game()))

    ((_, call),) = client.calls
    (write,) = call["TransactItems"]
    assert write["Put"]["ConditionExpression"] == "attribute_not_exists(pk)"
    assert write["Put"]["Item"] == item_of_game(a_game())


def test_who_plays_is_read_of_all_games_at_once_with_no_more_of_them_than_that() -> None:
    here, gone, busy = a_game(), "cd" * 16, "ef" * 16
    item = item_of_game(here)
    client = ScriptedClient(
        {
            "Responses": {"games": [{name: item[name] for name in ("pk", "w", "b")}]},
            "UnprocessedKeys": {"games": {"Keys": [game_key(busy)]}},
        }
    )

    assert games(client).players_of([here.id, gone, busy]) == {
        here.id: {here.white.player, here.black.player},
        gone: frozenset(),
    }
    keys = [game_key(game_id) for game_id in (here.id, gone, busy)]
    asked = {"Keys": keys, "ProjectionExpression": "pk, w, b", "ConsistentRead": True}
    assert client.calls == [("batch_get_item", {"RequestItems": {"games": asked}})]
