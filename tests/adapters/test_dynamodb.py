"""The table adapters' requests to DynamoDB, and their results for answers that no emulator gives.
Tests of every implementation of their ports are in tests/contract.
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.archive import DynamoDbArchive
from arbiter.adapters.dynamodb.calls import ATTEMPTS, TableOverloaded
from arbiter.adapters.dynamodb.connection_items import expiry, member_name, member_value, topic_key
from arbiter.adapters.dynamodb.connections import DynamoDbConnections, DynamoDbRateLimits
from arbiter.adapters.dynamodb.table import MAX_PAGES, DynamoDbTable
from arbiter.adapters.dynamodb.topic_cache import MARK_KEYS
from arbiter.adapters.items.games import game_key, item_of_game
from arbiter.adapters.items.lobby import item_of_player, player_key
from arbiter.adapters.items.ratings import item_of_standing
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredBrowsers, StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.application.connections import Subscriber, TopicSubscribers
from arbiter.application.ports import Committed, Conflict, LobbyChange
from arbiter.core.clocks import Speed
from arbiter.core.game import Game
from arbiter.core.pairing import Player
from arbiter.core.ratings import RatedGame, Rating, Standing
from arbiter.nostr.filters import Filter
from tests.adapters.scripted import FAILURES, ScriptedClient, cancelled, refused
from tests.builders import ALICE, NOW_MS, a_game, after
from tests.fakes.clock import FakeClock


def games(client: Any) -> StoredGames:
    return StoredGames(DynamoDbTable(lambda: client, "games"))


def lobby(client: Any) -> StoredLobby:
    return StoredLobby(DynamoDbTable(lambda: client, "games"), FakeClock(NOW_MS))


def ratings(client: Any) -> StoredRatings:
    return StoredRatings(DynamoDbTable(lambda: client, "games"))


def test_a_load_is_one_strongly_consistent_read_and_none_for_what_cannot_be_an_id() -> None:
    client = ScriptedClient(get_item={"Item": item_of_game(a_game())})

    assert games(client).load(a_game().id) == a_game()
    assert games(client).load("p#someone") is None

    key = {"pk": {"S": "g#0123456789abcdef0123456789abcdef"}}
    call = {"TableName": "games", "Key": key, "ConsistentRead": True}
    assert client.calls == [("get_item", call)]


def test_a_commit_is_one_conditional_write_of_what_changed() -> None:
    client = ScriptedClient()
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


def test_a_lost_race_costs_no_second_read_and_is_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    newer = after(a_game(), "d4")
    conflict = refused("ConditionalCheckFailedException", Item=item_of_game(newer))
    client = ScriptedClient(update_item=conflict, transact_write_items=cancelled("None"))

    assert games(client).commit(a_game(), after(a_game(), "e4")) == Conflict(newer)
    lobby(client).commit(LobbyChange(game=a_game()))

    assert client.operations == ["update_item", "transact_write_items"]
    assert [record.msg for record in caplog.records] == [
        {"status": "conflict", "of": "game", "game": a_game().id},
        {"status": "conflict", "of": "lobby", "game": ""},
    ]


def a_rated_game() -> RatedGame:
    white, black = (Standing(name * 32, Speed.BLITZ, ESTABLISHED, 4) for name in ("a1", "b2"))
    return RatedGame(
        game_id="ab" * 16,
        white=(white, replace(white, games=5)),
        black=(black, replace(black, games=5)),
    )


ESTABLISHED = Rating(value=1800, deviation=50, rated_at_ms=NOW_MS)
LAPSED = replace(ESTABLISHED, rated_at_ms=0)
TRANSACTIONS: list[Callable[[Any], bool]] = [
    lambda client: lobby(client).commit(LobbyChange(game=a_game())),
    lambda client: ratings(client).commit(a_rated_game()),
]
each_transaction = pytest.mark.parametrize("commit", TRANSACTIONS, ids=["lobby", "ratings"])


@each_transaction
@pytest.mark.parametrize(
    "codes",
    [
        ("ConditionalCheckFailed", "None"),
        ("None", "TransactionConflict"),
        ("ConditionalCheckFailed", "TransactionConflict"),
    ],
)
def test_a_transaction_that_lost_a_race_is_refused(
    commit: Callable[[Any], bool], codes: tuple[str, ...]
) -> None:
    assert not commit(ScriptedClient(transact_write_items=cancelled(*codes)))


@each_transaction
@pytest.mark.parametrize(
    "failure",
    [
        cancelled("ThrottlingError", "None"),
        cancelled("ConditionalCheckFailed", "ProvisionedThroughputExceeded"),
        cancelled("ValidationError"),
        *FAILURES,
    ],
)
def test_any_other_failure_of_a_transaction_is_raised(
    commit: Callable[[Any], bool], failure: Exception
) -> None:
    with pytest.raises(type(failure)):
        commit(ScriptedClient(transact_write_items=failure))


def test_the_players_of_many_games_are_one_read_of_two_attributes() -> None:
    here, gone, busy = a_game(), "cd" * 16, "ef" * 16
    item = item_of_game(here)
    client = ScriptedClient(
        batch_get_item={
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


def test_many_players_are_one_read_without_whom_the_table_left_unprocessed() -> None:
    here, gone, busy = "ab" * 32, "cd" * 32, "ef" * 32
    client = ScriptedClient(
        batch_get_item={
            "Responses": {"games": [item_of_player(Player(here, item_version=3), 0)]},
            "UnprocessedKeys": {"games": {"Keys": [player_key(busy)]}},
        }
    )

    read = lobby(client).load_players([here, gone, busy])

    assert read == {here: Player(here, item_version=3), gone: Player(gone)}
    asked = {"Keys": [*map(player_key, (here, gone, busy))], "ConsistentRead": True}
    assert client.calls == [("batch_get_item", {"RequestItems": {"games": asked}})]


def test_a_game_beyond_the_limit_of_a_pair_writes_its_mark_and_the_number_alone() -> None:
    client = ScriptedClient()
    game = a_rated_game()
    white, black = game.white[0], game.black[0]

    assert ratings(client).commit(
        replace(game, white=(white, white), black=(black, black), of_pair=11, day=20000)
    )

    ((_, arguments),) = client.calls
    pair, mark = arguments["TransactItems"]
    assert mark["Put"]["Item"]["pk"] == {"S": "rated#" + "ab" * 16}
    assert pair["Update"]["Key"] == {"pk": {"S": "#".join(("pair", "20000", "a1" * 32, "b2" * 32))}}
    assert pair["Update"]["ExpressionAttributeValues"][":version"] == {"N": "10"}


def a_page(*players: str, rating: Rating = ESTABLISHED, more: bool = False) -> dict[str, Any]:
    items = [item_of_standing(Standing(player, Speed.BLITZ, rating, 4)) for player in players]
    last = {"LastEvaluatedKey": {"pk": {"S": f"r#blitz#{players[-1]}"}}} if more else {}
    return {"Items": items, **last}


def test_a_leaderboard_is_read_from_the_top_of_an_index_and_is_no_longer_than_asked_for() -> None:
    lapsed = a_page("x", rating=LAPSED)["Items"]
    first = a_page("a", more=True)
    first["Items"] = lapsed + first["Items"]
    client = ScriptedClient(query=[first, a_page("b", "c")])

    board = ratings(client).leaderboard(Speed.BLITZ, 2, NOW_MS)

    assert [standing.player for standing in board] == ["a", "b"]
    _, arguments = client.calls[0]
    assert (arguments["IndexName"], arguments["Limit"]) == ("ladder", 2)
    assert arguments["ScanIndexForward"] is False


def test_a_leaderboard_reads_three_pages_at_most() -> None:
    client = ScriptedClient(query=lambda _: a_page("a1", rating=LAPSED, more=True))

    assert ratings(client).leaderboard(Speed.BLITZ, 1, NOW_MS) == ()

    queries = [arguments for name, arguments in client.calls if name == "query"]
    starts = [query.get("ExclusiveStartKey") for query in queries]
    assert starts == [None] + [{"pk": {"S": "r#blitz#a1"}}] * (MAX_PAGES - 1)


@pytest.mark.parametrize(
    ("code", "is_raised"),
    [
        ("ConditionalCheckFailedException", False),
        ("TransactionConflictException", False),
        ("ThrottlingException", True),
    ],
)
def test_a_lapsed_player_who_plays_at_that_moment_stays_in_the_index(
    code: str, *, is_raised: bool
) -> None:
    client = ScriptedClient(query=a_page("a1", rating=LAPSED), update_item=refused(code))

    try:
        assert ratings(client).leaderboard(Speed.BLITZ, 1, NOW_MS) == ()
    except ClientError:
        assert is_raised
    else:
        assert not is_raised

    name, arguments = client.calls[1]
    assert name == "update_item"
    assert arguments["ConditionExpression"] == "v = :version"
    assert arguments["ExpressionAttributeValues"] == {":version": {"N": "4"}}


class Index:
    """An index of games, and a table that gives ``at_once`` of those it is asked for."""

    def __init__(self, games: list[Game], at_once: int = 100) -> None:
        self.items = [item_of_game(game) for game in games]
        self.at_once = at_once
        self.asked: list[int] = []
        self.pauses: list[float] = []

    @property
    def archive(self) -> DynamoDbArchive:
        client: Any = self
        return DynamoDbArchive(lambda: client, "games", self.pauses.append)

    def query(self, **asked: Any) -> dict[str, Any]:
        if asked["IndexName"] == "black":
            return {"Items": []}
        keys = [{"pk": item["pk"], "c": item["c"]} for item in self.items]
        return {"Items": keys[::-1]}

    def batch_get_item(self, *, RequestItems: Any) -> dict[str, Any]:  # noqa: N803 - botocore's
        keys = RequestItems["games"]["Keys"]
        self.asked.append(len(keys))
        now, later = keys[: self.at_once], keys[self.at_once :]
        found = [item for item in self.items if {"pk": item["pk"]} in now]
        return {
            "Responses": {"games": found},
            "UnprocessedKeys": {"games": {"Keys": later}} if later else {},
        }


def some_games(count: int) -> list[Game]:
    return [
        replace(a_game(), id=f"{number:032x}", created_at_ms=NOW_MS + number)
        for number in range(count)
    ]


def test_games_that_dynamodb_left_out_are_asked_for_again() -> None:
    index = Index(some_games(3), at_once=1)

    assert list(index.archive.games_of(ALICE.pubkey, 10)) == [*reversed(some_games(3))]

    assert index.asked == [3, 2, 1]
    assert len(index.pauses) == 2
    assert index.pauses == sorted(index.pauses)


def test_a_table_that_stays_busy_is_given_up() -> None:
    index = Index(some_games(1), at_once=0)

    with pytest.raises(TableOverloaded):
        index.archive.live(10)

    assert index.asked == [1] * ATTEMPTS
    assert sum(index.pauses) < 3


def test_a_game_that_is_in_the_index_and_not_in_the_table_is_left_out() -> None:
    index = Index(some_games(2))
    gone = index.items[0]["pk"]
    index.batch_get_item = lambda **_: {  # type: ignore[method-assign]
        "Responses": {"games": [item for item in index.items if item["pk"] != gone]}
    }

    assert list(index.archive.live(10)) == some_games(2)[1:]


_GAME = "0f" * 16


def test_a_browser_that_was_found_is_looked_for_once_and_another_again() -> None:
    found = {"Item": {"g": {"B": bytes.fromhex(_GAME)}}}
    client: Any = ScriptedClient(get_item=[{}, found])
    known = StoredBrowsers(DynamoDbTable(lambda: client, "arbiter"))

    assert [known.game_of("mine") for _ in range(3)] == [None, _GAME, _GAME]

    assert len(client.calls) == 2


def test_so_many_browsers_are_remembered_the_last_used_for_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arbiter.adapters.items.stored_lobby._BROWSERS_REMEMBERED", 2)
    client: Any = ScriptedClient(get_item={"Item": {"g": {"B": bytes.fromhex(_GAME)}}})
    known = StoredBrowsers(DynamoDbTable(lambda: client, "arbiter"))
    for name, calls in (("a", 1), ("b", 2), ("a", 2), ("c", 3), ("a", 3), ("b", 4)):
        known.game_of(name)
        assert len(client.calls) == calls, name


STATES = Filter(kinds=(20302,))
MINE = Subscriber("one", "sub:1", (STATES,))


class Sockets(ScriptedClient):
    """A table of sockets that holds nothing."""

    def __init__(self, **answers: Any) -> None:
        item = {"pk": {"S": "c#one"}, "sk": {"S": "-"}, "a": {"S": ""}, "h": {"S": ""}}
        updated = {"Attributes": {**item, "o": {"N": "1"}, "expires_at": {"N": "2"}}}
        known = {"Item": updated["Attributes"]}
        super().__init__(
            **{"get_item": known, "update_item": updated, "query": {"Items": []}} | answers
        )
        self.pauses: list[float] = []

    @property
    def written(self) -> list[int]:
        return [
            len(arguments["RequestItems"]["sockets"])
            for operation, arguments in self.calls
            if operation == "batch_write_item"
        ]

    @property
    def connections(self) -> DynamoDbConnections:
        client: Any = self
        return DynamoDbConnections(lambda: client, "sockets", self.pauses.append)


def test_frames_are_counted_by_one_write_for_ten_whose_former_counters_do_not_pile_up() -> None:
    table = Sockets()
    connections, counters = table.connections, set[str]()

    for minute in range(120):
        before = len(table.calls)
        for frame in range(10):
            connections.count_frame("one", NOW_MS + minute * 60_000 + frame)
        made = table.calls[before:]
        assert [name for name, _ in made] == ["get_item"] * 9 + ["update_item"]
        assert all(arguments["ConsistentRead"] for _, arguments in made[:9])
        arguments = made[-1][1]
        assert arguments["ConditionExpression"] == "attribute_exists(pk)"
        assert arguments["ExpressionAttributeValues"] == {":some": {"N": "10"}}
        # DynamoDB's own limit on an expression.
        assert len(arguments["UpdateExpression"]) < 4_096
        added, _, removed = arguments["UpdateExpression"].partition(" REMOVE ")
        counters.add(added.split()[1])
        counters -= set(removed.split(", "))

    assert len(counters) == 1


def ten_frames(connections: DynamoDbConnections) -> None:
    for _ in range(10):
        connections.count_frame("one", NOW_MS)


CALLS: list[tuple[str, Callable[[Any], object]]] = [
    ("get_item", lambda table: games(table).load(a_game().id)),
    ("update_item", lambda table: games(table).commit(a_game(), after(a_game(), "e4"))),
    ("update_item", lambda table: table.connections.authenticate("one", ALICE.pubkey)),
    ("update_item", lambda table: table.connections.subscribe("one", MINE, ["a"], NOW_MS)),
    ("update_item", lambda table: table.connections.unsubscribe("one", "s")),
    ("get_item", lambda table: table.connections.count_frame("one", NOW_MS)),
    ("update_item", lambda table: ten_frames(table.connections)),
    ("batch_get_item", lambda table: table.connections.subscribers(["a"], (20302,), NOW_MS)),
]


@pytest.mark.parametrize(("operation", "call"), CALLS)
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_of_the_table_is_raised_and_taken_for_no_conflict_and_no_closed_socket(
    operation: str, call: Callable[[Any], object], failure: Exception
) -> None:
    with pytest.raises(type(failure)):
        call(Sockets(**{operation: failure}))


def a_topic(name: str, *members: str, **values: str) -> dict[str, Any]:
    item: dict[str, Any] = {"pk": {"S": f"t#{name}"}, "sk": {"S": "-"}}
    texts = {member: {"S": value} for member, value in values.items()}
    return {**item, "m": {"SS": [*members]}, **texts}


MARKS = [key["pk"]["S"] for key in MARK_KEYS]
A_MARK = {**MARK_KEYS[0], "k": {"S": "0f"}, "k#20302": expiry(NOW_MS)["expires_at"]}


def batch(*items: dict[str, Any], left: int = 0) -> Any:
    """An answer that holds these items, and leaves the last of the keys unprocessed."""

    def answer(arguments: dict[str, Any]) -> dict[str, Any]:
        keys = arguments["RequestItems"]["sockets"]["Keys"]
        unprocessed = {"sockets": {"Keys": keys[-left:]}} if left else {}
        return {"Responses": {"sockets": [*items]}, "UnprocessedKeys": unprocessed}

    return answer


def test_all_topics_of_an_event_are_one_strongly_consistent_read() -> None:
    member = member_name("one", "sub:1")
    item = a_topic("p:bob", member, **{member: member_value(MINE, NOW_MS)})
    table = Sockets(batch_get_item=[batch(A_MARK), batch(A_MARK, item)])
    connections = table.connections
    connections.subscribers([], (20302,), NOW_MS)

    asked = ["d:game", "p:alice", "p:bob", "d:game"]
    assert connections.subscribers(asked, (20302,), NOW_MS) == {"p:bob": TopicSubscribers((MINE,))}

    _, (operation, arguments) = table.calls
    assert operation == "batch_get_item"
    request = arguments["RequestItems"]["sockets"]
    assert request["ConsistentRead"]
    mark, *names = [key["pk"]["S"] for key in request["Keys"]]
    assert mark in MARKS
    assert names == ["t#d:game", "t#p:alice", "t#p:bob"]


def test_a_subscription_that_begins_or_ends_writes_every_copy_of_the_mark_anew() -> None:
    for change in ("subscribe", "unsubscribe"):
        filed = {"Attributes": {"t": {"SS": ["a"]}}}
        table = Sockets(put_item=filed, delete_item=filed)
        if change == "subscribe":
            table.connections.subscribe("one", MINE, ["a"], NOW_MS)
        else:
            table.connections.unsubscribe("one", "sub:1")
        written = [asked["Key"]["pk"]["S"] for name, asked in table.calls if name == "update_item"]
        assert sorted(name for name in written if name in MARKS) == MARKS


def test_some_of_a_topic_are_one_read_of_no_more_items_than_needed() -> None:
    member, own = member_name("one", "sub:1"), member_name("two", "sub:1")
    theirs = replace(MINE, connection_id="two")
    topic = a_topic("d:game", member, **{member: member_value(MINE, NOW_MS)})
    of_its_own = {**topic_key("d:game"), "sk": {"S": own}, "w": {"S": member_value(theirs, NOW_MS)}}
    more = {"Items": [topic, of_its_own], "LastEvaluatedKey": topic_key("d:game")}
    table = Sockets(query=more)

    assert table.connections.sample_subscribers("d:game", 2) == (MINE, theirs)

    ((operation, arguments),) = table.calls
    assert (operation, arguments["Limit"]) == ("query", 3)
    assert not arguments.get("ConsistentRead")


def test_topics_that_dynamodb_left_out_are_read_again_for_a_second() -> None:
    member = member_name("one", "sub:1")
    item = a_topic("b", member, **{member: member_value(MINE, NOW_MS)})
    table = Sockets(batch_get_item=[batch(left=1), batch(A_MARK), batch(item)])
    assert table.connections.subscribers(["a", "b"], (20302,), NOW_MS) == {
        "b": TopicSubscribers((MINE,))
    }
    assert table.pauses == [0.05]

    with pytest.raises(TableOverloaded):
        Sockets(batch_get_item=batch(left=1)).connections.subscribers(["a"], (20302,), NOW_MS)


def test_a_subscription_of_a_newer_release_disturbs_no_other() -> None:
    mine, newer = member_name("one", "sub:1"), member_name("one", "sub:2")
    value = member_value(MINE, NOW_MS)
    later = value.replace('"f":[', '"f":[{"near":"Zurich"},')
    item = a_topic("a", newer, mine, **{mine: value, newer: later})

    found = Sockets(batch_get_item=batch(A_MARK, item)).connections.subscribers(
        ["a"], (20302,), NOW_MS
    )

    assert found == {"a": TopicSubscribers((MINE,))}


def unprocessed(number: int) -> Any:
    """An answer that leaves the last ``number`` of the writes that were asked for."""

    def answer(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"UnprocessedItems": {"sockets": arguments["RequestItems"]["sockets"][-number:]}}

    return answer


def test_writes_that_dynamodb_left_out_are_made_again_for_a_second() -> None:
    long = replace(MINE, filters=(Filter(ids=tuple(f"{number:064x}" for number in range(20))),))
    table = Sockets(batch_write_item=[unprocessed(20), unprocessed(5), {}, {}])
    table.connections.subscribe("one", long, [f"d:{number}" for number in range(30)], NOW_MS)
    assert table.written == [25, 20, 5, 5]
    assert table.pauses == [0.05, 0.1]

    busy = Sockets(batch_write_item=unprocessed(1))
    with pytest.raises(TableOverloaded):
        busy.connections.subscribe("one", long, ["a"], NOW_MS)
    assert busy.written == [1] * ATTEMPTS
    assert 0.5 < sum(busy.pauses) < 1


def test_a_socket_that_was_forgotten_by_half_can_be_forgotten_again() -> None:
    subscription = {
        "pk": {"S": "c#one"},
        "sk": {"S": "s#sub:1"},
        "t": {"SS": ["a", "b"]},
        "expires_at": {"N": "1"},
    }
    key = {"pk": {"S": "c#one"}, "sk": {"S": f"n#{ALICE.pubkey}"}, "expires_at": {"N": "1"}}
    table = Sockets(
        query={"Items": [subscription, key]},
        update_item=[{}, refused("ConditionalCheckFailedException")],
        batch_write_item=[refused("InternalServerError"), {}, {}, {}],
    )
    with pytest.raises(ClientError):
        table.connections.remove("one")
    # What tells where the rest is has not been touched yet.
    assert table.written == [1]

    table.calls.clear()
    table.connections.remove("one")

    left = [asked["Key"]["pk"]["S"] for name, asked in table.calls if name == "update_item"]
    deleted = [
        write["DeleteRequest"]["Key"]["pk"]["S"]
        for name, asked in table.calls
        if name == "batch_write_item"
        for write in asked["RequestItems"]["sockets"]
    ]
    assert Counter(left) == Counter(["t#a", "t#b", *MARKS])
    assert Counter(deleted) == Counter([f"n#{ALICE.pubkey}", "c#one", "c#one"])


def test_a_rate_is_one_write_of_a_counter_that_expires() -> None:
    client: Any = ScriptedClient(update_item={"Attributes": {"n": {"N": "4"}}})
    limits = DynamoDbRateLimits(lambda: client, "sockets")

    assert limits.take("a", 4, 60, 120_000)
    assert not limits.take("a", 3, 60, 179_999)

    assert client.operations == ["update_item"] * 2
    for _, arguments in client.calls:
        expires_at = int(arguments["ExpressionAttributeValues"][":expires_at"]["N"])
        assert 180 < expires_at <= 180 + 3_600
