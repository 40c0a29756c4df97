"""What the ratings ask of DynamoDB, and what they make of answers no emulator gives."""

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from arbiter.adapters.dynamodb.rating_items import item_of_standing
from arbiter.adapters.dynamodb.ratings import MOST_PAGES, DynamoDbRatings
from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Rating, Standing
from tests.adapters.test_dynamodb import ScriptedClient, cancelled, refused
from tests.builders import NOW_MS

ESTABLISHED = Rating(value=1800, deviation=50, rated_at_ms=NOW_MS)
LAPSED = replace(ESTABLISHED, rated_at_ms=0)


class QueriedClient(ScriptedClient):
    def query(self, **arguments: Any) -> dict[str, Any]:
        return self._answer("query", arguments)


def ratings(client: ScriptedClient) -> DynamoDbRatings:
    return DynamoDbRatings(lambda: client, "games")  # type: ignore[arg-type,return-value]


def a_rated_game() -> RatedGame:
    white, black = (Standing(name * 32, Speed.BLITZ, ESTABLISHED, 4) for name in ("a1", "b2"))
    return RatedGame(
        game_id="ab" * 16,
        white=(white, replace(white, games=5)),
        black=(black, replace(black, games=5)),
    )


def a_page(rating: Rating, *, more: bool) -> dict[str, Any]:
    page: dict[str, Any] = {"Items": [item_of_standing(Standing("a1", Speed.BLITZ, rating, 4))]}
    return {**page, "LastEvaluatedKey": {"pk": {"S": "r#blitz#a1"}}} if more else page


def test_one_transaction_names_both_ratings_and_the_mark_each_under_a_condition() -> None:
    client = QueriedClient({})

    assert ratings(client).commit(a_rated_game())

    ((name, arguments),) = client.calls
    assert name == "transact_write_items"
    white, black, mark = arguments["TransactItems"]
    assert [white["Update"]["Key"], black["Update"]["Key"], mark["Put"]["Item"]["pk"]] == [
        {"pk": {"S": "r#blitz#" + "a1" * 32}},
        {"pk": {"S": "r#blitz#" + "b2" * 32}},
        {"S": "rated#" + "ab" * 16},
    ]
    for update in (white["Update"], black["Update"]):
        assert update["ConditionExpression"] == "#v = :version"
        assert update["ExpressionAttributeValues"][":version"] == {"N": "4"}
    assert mark["Put"]["ConditionExpression"] == "attribute_not_exists(pk)"


def test_a_game_beyond_the_limit_of_a_pair_writes_the_mark_and_the_number_alone() -> None:
    client = QueriedClient({})
    game = a_rated_game()
    white, black = game.white[0], game.black[0]
    beyond = replace(game, white=(white, white), black=(black, black), of_pair=11, day=20000)

    assert ratings(client).commit(beyond)

    ((_, arguments),) = client.calls
    mark, pair = arguments["TransactItems"]
    assert mark["Put"]["Item"]["pk"] == {"S": "rated#" + "ab" * 16}
    assert pair["Update"]["Key"] == {"pk": {"S": "#".join(("pair", "20000", "a1" * 32, "b2" * 32))}}
    assert pair["Update"]["ExpressionAttributeValues"][":version"] == {"N": "10"}


@pytest.mark.parametrize(
    "codes",
    [
        ("ConditionalCheckFailed", "None", "None"),
        ("None", "None", "ConditionalCheckFailed"),
        ("None", "TransactionConflict", "None"),
    ],
)
def test_a_transaction_that_lost_a_race_is_refused(codes: tuple[str, ...]) -> None:
    assert not ratings(QueriedClient(cancelled(*codes))).commit(a_rated_game())


@pytest.mark.parametrize(
    "failure",
    [
        cancelled("None", "ThrottlingError", "None"),
        cancelled("ConditionalCheckFailed", "ValidationError", "None"),
        refused("ProvisionedThroughputExceededException"),
        ReadTimeoutError(endpoint_url="http://127.0.0.1"),
    ],
)
def test_trouble_with_the_table_is_raised_and_never_taken_for_a_race(failure: Exception) -> None:
    with pytest.raises((ClientError, ReadTimeoutError)):
        ratings(QueriedClient(failure)).commit(a_rated_game())


def test_a_leaderboard_is_one_query_of_the_index_from_its_top() -> None:
    client = QueriedClient(a_page(ESTABLISHED, more=True))

    (standing,) = ratings(client).leaderboard(Speed.BLITZ, 1, NOW_MS)

    assert standing == Standing("a1", Speed.BLITZ, ESTABLISHED, 4)
    ((name, arguments),) = client.calls
    assert name == "query"
    assert (arguments["IndexName"], arguments["Limit"]) == ("ladder", 1)
    assert arguments["ScanIndexForward"] is False


def test_a_second_page_makes_no_leaderboard_longer_than_asked_for() -> None:
    best = [item_of_standing(Standing(name, Speed.BLITZ, ESTABLISHED, 4)) for name in "abc"]
    first = a_page(LAPSED, more=True)
    first["Items"].append(best[0])
    client = QueriedClient(first, {}, {"Items": best[1:]})

    board = ratings(client).leaderboard(Speed.BLITZ, 2, NOW_MS)

    assert [standing.player for standing in board] == ["a", "b"]


def test_no_reader_looks_further_than_three_times_the_length_asked_for() -> None:
    pages = [answer for _ in range(9) for answer in (a_page(LAPSED, more=True), {})]
    client = QueriedClient(*pages)

    assert ratings(client).leaderboard(Speed.BLITZ, 1, NOW_MS) == ()

    queries = [arguments for name, arguments in client.calls if name == "query"]
    assert len(queries) == MOST_PAGES
    assert [q.get("ExclusiveStartKey") for q in queries] == [
        None,
        *[{"pk": {"S": "r#blitz#a1"}}] * 2,
    ]


@pytest.mark.parametrize(
    "code", ["ConditionalCheckFailedException", "TransactionConflictException"]
)
def test_who_plays_at_the_moment_he_would_be_struck_stays_in_the_index(code: str) -> None:
    client = QueriedClient(a_page(LAPSED, more=False), refused(code))

    assert ratings(client).leaderboard(Speed.BLITZ, 1, NOW_MS) == ()

    name, arguments = client.calls[1]
    assert name == "update_item"
    assert arguments["ConditionExpression"] == "v = :version"
    assert arguments["ExpressionAttributeValues"] == {":version": {"N": "4"}}


def test_trouble_while_striking_is_raised() -> None:
    client = QueriedClient(a_page(LAPSED, more=False), refused("ThrottlingException"))

    with pytest.raises(ClientError):
        ratings(client).leaderboard(Speed.BLITZ, 1, NOW_MS)
