"""Everything that is kept moves between a server's file and a table, checked and resumable."""

import contextlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from arbiter.adapters.dynamodb.outages import DynamoDbOutages
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredBrowsers, StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.sqlite.items import text_of_item
from arbiter.adapters.sqlite.outages import SqliteOutages
from arbiter.adapters.sqlite.queues import SqliteInbox, SqliteOutbox
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.ports import LobbyChange
from arbiter.application.records import QueueEntry, Timer
from arbiter.core.game import Game
from arbiter.core.outages import Outage, RelayUptime
from arbiter.core.policy import Policy
from arbiter.core.reports import PlayerReport
from arbiter.dialects.outgoing import SsbMessage
from server import transfer
from server.cli import main
from server.export_file import (
    ExportChecksum,
    TransferFailed,
    canonical,
    items_of,
    lines_of,
)
from server.key import load_key
from server.transfer import Change
from server.transfer_file import FileItems
from tests.adapters.sqlite.test_items import ITEMS
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, a_key
from tests.fakes.clock import FakeClock
from tests.template.source import properties

TABLE = "games"
CAROL, DAVE = a_key("carol"), a_key("dave")
HOUR_MS = 3_600_000


class Cloud:
    """An empty table of the template, and a clock queue."""

    def __init__(self) -> None:
        self.client: Any = boto3.client("dynamodb", "us-east-1")
        written = properties("Table")
        keys = ("BillingMode", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
        self.client.create_table(TableName=TABLE, **{key: written[key] for key in keys})
        self.sqs: Any = boto3.client("sqs", "us-east-1")
        self.queue = self.sqs.create_queue(QueueName="clock")["QueueUrl"]

    def items(self) -> list[Item]:
        return [*self.client.scan(TableName=TABLE)["Items"]]

    def timers(self) -> list[Timer | None]:
        """Those in the queue, however long they still wait there."""
        from moto.sqs.models import sqs_backends  # noqa: PLC0415

        (account,) = sqs_backends.keys()
        queue = sqs_backends[account]["us-east-1"].queues["clock"]
        return [parse_timer(one.body) for one in queue._messages]


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        yield Cloud()


def on_file(store: Store) -> World:
    """The arbiter on the server's adapters."""
    world = World()
    lobby = StoredLobby(SqliteTable(store), world.clock)
    return on(
        world,
        StoredGames(SqliteTable(store)),
        lobby,
        StoredRatings(SqliteTable(store)),
        SqliteOutages(store),
    )


def on_table(cloud: Cloud) -> World:
    """The arbiter on the functions' adapters."""
    world, at = World(), (lambda: cloud.client, TABLE)
    lobby = StoredLobby(DynamoDbTable(*at), world.clock)
    return on(
        world,
        StoredGames(DynamoDbTable(*at)),
        lobby,
        StoredRatings(DynamoDbTable(*at)),
        DynamoDbOutages(*at),
    )


def on(world: World, games: Any, lobby: Any, ratings: Any, outages: Any) -> World:
    world.games, world.lobby, world.ratings, world.outages = games, lobby, ratings, outages
    stored = {"games": games, "lobby": lobby, "ratings": ratings, "outages": outages}
    world.deps = replace(world.deps, **stored)
    return world


def begun(world: World) -> Table:
    """A rated game by the clock after a move, one that is over, and a player who waits."""
    over = world.start(CAROL, DAVE, ("time", "600+5"), ("mode", "rated"))
    over.say("e2e4")
    over.say("e7e5")
    over.say("resign")
    table = world.start(ALICE, BOB, ("time", "600+5"), ("mode", "rated"))
    table.say("e2e4")
    world.ask(EVE)
    return table


def filled(path: Path) -> None:
    """A file with some of everything."""
    with Store.open(path) as store:
        world = on_file(store)
        begun(world)
        SqliteOutages(store).report_connected(NOW_MS)
        hot_seat = replace(a_game(), id="f" * 32)
        assert StoredBrowsers(SqliteTable(store)).start("a browser", hot_seat)
        policy, key = StoredPolicy(SqliteTable(store)), EVE.pubkey
        assert policy.commit(Policy(), Policy(hidden=frozenset({key})))
        assert policy.add_report(PlayerReport(id="1" * 64, at_ms=NOW_MS, by=BOB.pubkey, player=key))


def items_in(path: Path) -> list[str]:
    with Store.open(path) as store:
        return sorted(text_of_item(canonical(one)) for one in FileItems(store).everything())


def arbiter(*words: str | Path) -> int:
    return main([str(word) for word in words])


# -------------------------------------------------------------------------- the format


@given(st.lists(ITEMS.map(lambda item: item | {"pk": {"S": "p#x"}}), max_size=4), st.randoms())
def test_an_export_has_the_items_it_was_made_of_in_whatever_order(
    items: list[Item], chance: random.Random
) -> None:
    total, read = ExportChecksum(), ExportChecksum()
    first, *lines, last = lines_of(items, total)
    assert [*items_of([first, *lines, last], ExportChecksum())] == [*map(canonical, items)]

    chance.shuffle(lines)
    assert len([*items_of([first, *lines, last], read)]) == len(items)

    assert (read.items, str(read)) == (total.items, str(total))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"rating": {"N": "1500.0"}}, {"rating": {"N": "1500"}}),
        ({"d": {"N": "1e-07"}}, {"d": {"N": "0.0000001"}}),
        ({"v": {"N": "1000"}}, {"v": {"N": "1e3"}}),
        ({"x": {"SS": ["b", "a"]}}, {"x": {"SS": ["a", "b"]}}),
        (
            {"x": {"M": {"b": {"S": ""}, "a": {"S": ""}}}},
            {"x": {"M": {"a": {"S": ""}, "b": {"S": ""}}}},
        ),
    ],
)
def test_what_is_the_same_item_for_dynamodb_is_the_same_line(one: Item, other: Item) -> None:
    key = {"pk": {"S": "p#x"}}

    assert [*lines_of([one | key], ExportChecksum())] == [
        *lines_of([key | other], ExportChecksum())
    ]


EXPORT = [
    *lines_of([{"pk": {"S": f"p#{name}"}, "v": {"N": "1"}} for name in "abc"], ExportChecksum())
]
LATER = {"pk": {"S": "g#" + "0" * 32}, "l": {"S": "1"}, "ta": {"N": "1"}, "o": {"S": "later"}}


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], "no export"),
        ([b"SQLite format 3\0"], "no export"),
        ([EXPORT[0].replace(b":1}", b":2}"), *EXPORT[1:]], "run|import it with the release"),
        ([EXPORT[0].replace(b":1}", b":true}"), *EXPORT[1:]], "no export"),
        (EXPORT[:-1], "incomplete"),
        ([*EXPORT[:-1], EXPORT[-1][:-9]], "damaged"),
        ([*EXPORT[:2], *EXPORT[3:]], "not those that its last line counts"),
        ([*EXPORT[:2], *EXPORT[1:]], "not those that its last line counts"),
        ([*EXPORT, b"\n"], "line 5 is not its last"),
        ([*EXPORT[:2], EXPORT[2].replace(b"p#b", b"p#x"), *EXPORT[3:]], "not those"),
        ([*EXPORT[:2], b'{"pk":{"S":"p#b"}\n', *EXPORT[3:]], "line 3 is no item"),
        ([*EXPORT[:2], b'{"pk":{"S":1}}\n', *EXPORT[3:]], "line 3 is no item"),
        ([*EXPORT[:2], b'{"v":{"N":"1"}}\n', *EXPORT[3:]], "line 3 is no item"),
        (
            [*EXPORT[:2], b'{"pk":{"S":"x"},"v":{"N":"1e9999999"}}\n', *EXPORT[3:]],
            "line 3 is no item",
        ),
        ([*EXPORT[:2], b"[" * 100_000 + b"\n", *EXPORT[3:]], "line 3 is no item"),
        ([*EXPORT[:2], b"\xff\n", *EXPORT[3:]], "line 3 is no item"),
        ([*lines_of([{"pk": {"S": "outbox#x"}}], ExportChecksum())], "line 2 is no item"),
        ([*lines_of([LATER], ExportChecksum())], "cannot read g#0"),
    ],
)
def test_a_newer_or_damaged_export_is_refused_in_words_and_nothing_of_it_is_written(
    tmp_path: Path, lines: Sequence[bytes], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    export = tmp_path / "export"
    export.write_bytes(b"".join(lines))

    with pytest.raises(TransferFailed, match=text):
        transfer.check(export)

    assert arbiter("import", export, "--data", tmp_path / "new") == 1
    assert not (tmp_path / "new").exists()
    assert "Traceback" not in capsys.readouterr().err


def test_an_export_that_was_copied_as_text_on_windows_is_read(tmp_path: Path) -> None:
    export = tmp_path / "export"
    export.write_bytes(b"".join(EXPORT).replace(b"\n", b"\r\n"))

    assert transfer.check(export).items == 3


# ------------------------------------------------------------------- between the two sides


def test_everything_moves_from_a_file_to_a_table_and_back(cloud: Cloud, tmp_path: Path) -> None:
    filled(tmp_path / "arbiter.sqlite3")
    there, back = tmp_path / "there", tmp_path / "back"
    assert arbiter("export", there, "--data", tmp_path) == 0
    assert arbiter("import", there, "--table", TABLE) == 0
    assert arbiter("export", back, "--table", TABLE) == 0
    assert arbiter("import", back, "--data", tmp_path / "new") == 0

    kinds = {item["pk"]["S"].partition("#")[0] for item in cloud.items()}
    assert kinds == {"g", "p", "q", "r", "rated", "pair", "b", "heard", "policy", "reports"}
    assert there.read_bytes().splitlines()[-1] == back.read_bytes().splitlines()[-1]
    assert items_in(tmp_path / "new" / "arbiter.sqlite3") == items_in(tmp_path / "arbiter.sqlite3")
    table = DynamoDbTable(lambda: cloud.client, TABLE)
    assert StoredBrowsers(table).game_of("a browser") == "f" * 32
    assert StoredPolicy(table).load().hidden == {EVE.pubkey}
    assert [one.player for one in StoredPolicy(table).reports()] == [EVE.pubkey]


def test_a_game_goes_on_in_the_table_and_back_in_a_file(cloud: Cloud, tmp_path: Path) -> None:
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        table = begun(on_file(store))
    assert arbiter("export", tmp_path / "there", "--data", tmp_path) == 0
    assert arbiter("import", tmp_path / "there", "--table", TABLE) == 0

    table.world = on_table(cloud)
    table.say("e7e5")
    table.world.clock.advance(10)
    table.say("g1f3")
    game = table.world.game(table.game_id)
    assert [move.uci() for move in game.moves] == ["e2e4", "e7e5", "g1f3"]
    assert game.clocks
    assert 595_000 <= game.clocks.white_ms < 600_000

    assert arbiter("export", tmp_path / "back", "--table", TABLE) == 0
    assert arbiter("import", tmp_path / "back", "--data", tmp_path / "new") == 0
    with Store.open(tmp_path / "new" / "arbiter.sqlite3") as store:
        assert StoredGames(SqliteTable(store)).load(game.id) == game
        table.world = on_file(store)
        table.say("resign")
        ended = table.world.game(table.game_id)
        assert ended.outcome
        assert StoredRatings(SqliteTable(store)).rated(game.id)


def test_a_player_who_waits_is_paired_after_the_move(cloud: Cloud, tmp_path: Path) -> None:
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        on_file(store).ask(EVE)
    assert arbiter("export", tmp_path / "there", "--data", tmp_path) == 0
    assert arbiter("import", tmp_path / "there", "--table", TABLE) == 0

    world = on_table(cloud)
    states = [event for event in world.ask(ALICE) if event.kind == 20302]

    assert {EVE.pubkey, ALICE.pubkey} <= {tag[1] for tag in states[-1].tags if len(tag) > 1}


def test_timers_of_running_games_are_set_in_a_file_and_in_the_clock_queue(
    cloud: Cloud, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        table = begun(on_file(store))
        game = table.world.game(table.game_id)
        assert game.timer_at_ms
        stored = SqliteTimers(store).due(game.timer_at_ms)
    assert arbiter("export", tmp_path / "there", "--data", tmp_path) == 0
    to_table = ("import", tmp_path / "there", "--table", TABLE)
    assert arbiter(*to_table) == 0
    assert cloud.timers() == []
    assert arbiter(*to_table, "--clock-queue", cloud.queue) == 0
    assert arbiter("import", tmp_path / "there", "--data", tmp_path / "new") == 0

    assert game.timer_at_ms in [one.at_ms for one in stored]
    assert cloud.timers() == [Timer(game.id, game.ply, game.timer_at_ms)]
    with Store.open(tmp_path / "new" / "arbiter.sqlite3") as store:
        assert SqliteTimers(store).due(2**60) == tuple(cloud.timers())


def test_the_time_of_the_move_is_an_outage_of_the_relays(cloud: Cloud, tmp_path: Path) -> None:
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        SqliteOutages(store).report_connected(NOW_MS)
    outages = DynamoDbOutages(lambda: cloud.client, TABLE)
    outages.report_connected(NOW_MS + HOUR_MS - 1000)  # the stack's own listener, before the import
    assert arbiter("export", tmp_path / "there", "--data", tmp_path) == 0
    assert arbiter("import", tmp_path / "there", "--table", TABLE) == 0
    outages.report_connected(NOW_MS + HOUR_MS)

    moved = RelayUptime(NOW_MS + HOUR_MS, (Outage(NOW_MS, NOW_MS + HOUR_MS),))
    assert outages.uptime() == moved
    assert arbiter("import", tmp_path / "there", "--table", TABLE) == 0
    assert outages.uptime() == moved


# --------------------------------------------------------------------- trouble on the way


class Interrupted(FileItems):
    """A target in which the import ends after some writes."""

    def __init__(self, store: Store, writes: int) -> None:
        super().__init__(store)
        self.left = writes

    def write(self, changes: Sequence[Change], games: Sequence[Game]) -> None:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        super().write(changes, games)


@pytest.mark.parametrize("writes", range(4))
def test_an_import_that_was_interrupted_is_run_again(
    tmp_path: Path, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "_AT_ONCE", 3)
    filled(tmp_path / "arbiter.sqlite3")
    assert arbiter("export", tmp_path / "export", "--data", tmp_path) == 0
    with Store.open(tmp_path / "new.sqlite3") as store:
        target = Interrupted(store, writes)
        with pytest.raises(KeyboardInterrupt):
            transfer.import_from(tmp_path / "export", target, is_replacing=False)
        written = transfer.import_from(tmp_path / "export", FileItems(store), is_replacing=False)
        again = transfer.import_from(tmp_path / "export", FileItems(store), is_replacing=False)

    assert (written, again) == (transfer.check(tmp_path / "export").items - 3 * writes, 0)
    assert items_in(tmp_path / "new.sqlite3") == items_in(tmp_path / "arbiter.sqlite3")


@pytest.mark.parametrize("side", ["file", "table"])
def test_an_item_that_differs_is_replaced_only_on_request(
    cloud: Cloud, tmp_path: Path, side: str, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(tmp_path / "arbiter.sqlite3")
    assert arbiter("export", tmp_path / "export", "--data", tmp_path) == 0
    with contextlib.ExitStack() as opened:
        if side == "table":
            target, lobby = (
                ("--table", TABLE),
                StoredLobby(DynamoDbTable(lambda: cloud.client, TABLE), FakeClock(NOW_MS)),
            )
            games: Any = StoredGames(DynamoDbTable(lambda: cloud.client, TABLE))
        else:
            target = ("--data", str(tmp_path / "new"))
            (tmp_path / "new").mkdir()
            store = opened.enter_context(Store.open(tmp_path / "new" / "arbiter.sqlite3"))
            lobby, games = (
                StoredLobby(SqliteTable(store), FakeClock(NOW_MS)),
                StoredGames(SqliteTable(store)),
            )
        own = replace(a_game(), id="f" * 32, changed_at_ms=NOW_MS + 1)
        assert lobby.commit(LobbyChange(game=own))
        assert games.load(own.id) == own

    assert arbiter("import", tmp_path / "export", *target) == 1
    assert "1 items are there already and differ (g#ffff" in capsys.readouterr().err
    assert arbiter("export", tmp_path / "untouched", *target) == 0
    assert transfer.check(tmp_path / "untouched").items == 1

    assert arbiter("import", tmp_path / "export", *target, "--replace") == 0
    assert arbiter("export", tmp_path / "replaced", *target) == 0
    assert str(transfer.check(tmp_path / "replaced")) == str(transfer.check(tmp_path / "export"))


def test_an_item_that_changes_during_an_import_is_not_overwritten(
    cloud: Cloud,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filled(tmp_path / "arbiter.sqlite3")
    assert arbiter("export", tmp_path / "export", "--data", tmp_path) == 0
    newer = {"pk": {"S": "g#" + "f" * 32}, "v": {"N": "9"}}
    refuse = transfer._refuse_differing

    def and_then_play(path: Path, target: transfer.Target) -> None:
        refuse(path, target)
        found = target.stored

        def before_the_newer(items: Sequence[Item]) -> Any:
            stored = found(items)
            cloud.client.put_item(TableName=TABLE, Item=newer)
            return stored

        monkeypatch.setattr(target, "stored", before_the_newer)

    monkeypatch.setattr(transfer, "_refuse_differing", and_then_play)

    assert arbiter("import", tmp_path / "export", "--table", TABLE) == 1
    assert "changed meanwhile" in capsys.readouterr().err
    assert newer in cloud.items()


def test_what_cannot_be_moved_is_refused_in_words(
    cloud: Cloud, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*words: str | Path) -> str:
        assert arbiter(*words) == 1
        return capsys.readouterr().err

    export = tmp_path / "export"
    assert "there is no" in refused("export", export, "--data", tmp_path)
    filled(tmp_path / "arbiter.sqlite3")
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        assert "has" in refused("export", export, "--data", tmp_path)
        SqliteInbox(store, FakeClock(NOW_MS)).send(
            [QueueEntry(queue="moves", body="{}", group_id="g", dedup_id="d")]
        )
    assert "1 events without an answer" in refused("export", export, "--data", tmp_path)
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        SqliteOutbox(store, FakeClock(NOW_MS)).send([SsbMessage("ab" * 32, "%a", {}, ())])
    assert "1 messages to Scuttlebutt" in refused("export", export, "--data", tmp_path)
    assert [*tmp_path.glob("export*")] == []
    taken = refused("export", tmp_path / "arbiter.sqlite3", "--data", tmp_path)
    assert "exists: name another file" in taken
    assert "none: " in refused("export", export, "--table", "none")
    assert "cannot be read" in refused("import", export, "--table", TABLE)
    assert "for a table" in refused("import", export, "--clock-queue", cloud.queue)
    assert cloud.items() == []


def test_an_export_holds_no_key_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    assert arbiter("key", "--data", tmp_path) == 0
    filled(tmp_path / "arbiter.sqlite3")
    assert arbiter("export", tmp_path / "export", "--data", tmp_path) == 0

    found = load_key(tmp_path / "server.key")
    text = (tmp_path / "export").read_text()
    for secret in (tmp_path / "server.key").read_text().split():
        assert secret not in text
    assert "nsec" not in text
    assert found.key.pubkey not in text
    assert (tmp_path / "export").stat().st_mode & 0o077 == 0
