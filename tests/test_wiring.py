"""The ways out and the timers that the environment asks for."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from moto import mock_aws

from arbiter import VERSION, config, wiring
from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.adapters.timers import QueueOrScheduleTimers, QueueTimers, SystemClock
from arbiter.application.gateway.fanout import RelaysAndGateway
from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.ports import LobbyChange
from arbiter.application.records import Timer
from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.pairing import Player
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.nip11 import DEFAULT_LIMITS
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after
from tests.contract.conftest import make_table
from tests.contract.test_connections import a_connection


@pytest.fixture
def laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHEDULE_GROUP", "SCHEDULE_TARGET_ARN", "SCHEDULER_ROLE_ARN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOCK_QUEUE_URL", "http://127.0.0.1:9/clock")


@pytest.mark.parametrize("group", [None, ""])
def test_without_schedules_the_queue_keeps_every_deadline(
    laptop: None, monkeypatch: pytest.MonkeyPatch, group: str | None
) -> None:
    if group is not None:
        monkeypatch.setenv("SCHEDULE_GROUP", group)

    assert isinstance(wiring.timers(AwsClients()), QueueTimers)


def test_with_schedules_far_deadlines_are_left_to_them(
    laptop: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEDULE_GROUP", "deadlines")
    monkeypatch.setenv("SCHEDULE_TARGET_ARN", "arn:aws:sqs:us-east-1:123456789012:clock")
    monkeypatch.setenv("SCHEDULER_ROLE_ARN", "arn:aws:iam::123456789012:role/scheduler")

    assert isinstance(wiring.timers(AwsClients()), QueueOrScheduleTimers)


def test_a_group_without_a_role_is_noticed_before_a_deadline_is_lost(
    laptop: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEDULE_GROUP", "deadlines")

    with pytest.raises(KeyError, match="SCHEDULE"):
        wiring.timers(AwsClients())


class _Hand:
    pubkey = "ab" * 32

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        raise NotImplementedError


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELAYS", "")
    monkeypatch.setenv("GATEWAY_ENDPOINT", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("GATEWAY_URL", "wss://play.example")
    monkeypatch.setenv("SHORT_LIVED_TABLE", "short-lived")


def test_with_a_gateway_what_is_said_goes_there_too(
    gateway: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAYS", "wss://relay.example")

    assert isinstance(wiring.publisher(_Hand(), wiring.gateway(AwsClients())), RelaysAndGateway)
    assert config.own_relays() == ("wss://relay.example", "wss://play.example")


def test_the_gateway_alone_will_do(gateway: None) -> None:
    report = wiring.publisher(_Hand(), wiring.gateway(AwsClients())).publish((), 0.1)

    assert report.is_accepted("no event")
    assert config.own_relays() == ("wss://play.example",)


@pytest.mark.parametrize("endpoint", [None, ""])
def test_without_a_gateway_there_are_relays_alone(
    gateway: None, monkeypatch: pytest.MonkeyPatch, endpoint: str | None
) -> None:
    monkeypatch.setenv("RELAYS", "wss://relay.example")
    for name in ("GATEWAY_ENDPOINT", "GATEWAY_URL"):
        monkeypatch.delenv(name) if endpoint is None else monkeypatch.setenv(name, endpoint)

    own = wiring.gateway(AwsClients())

    assert own is None
    assert isinstance(wiring.publisher(_Hand(), own), RelayPublisher)
    assert config.own_relays() == ("wss://relay.example",)


def test_a_gateway_is_there_before_its_key_is_read(
    gateway: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket that opens or asks for nothing signed costs no call of Systems Manager, of which an
    account has forty a second.
    """
    for name in ("TABLE_NAME", "MOVES_QUEUE_URL", "SEEKS_QUEUE_URL", "KEY_PARAMETER"):
        monkeypatch.setenv(name, "arbiter")
    monkeypatch.setenv("SERVER_PUBKEY", _Hand.pubkey)
    monkeypatch.setattr(AwsClients, "ssm", lambda _: pytest.fail("the key is read"))

    deps = wiring.gateway_deps.__wrapped__()

    assert deps.server == deps.signer.pubkey == _Hand.pubkey
    assert deps.limits == DEFAULT_LIMITS


def test_a_look_is_in_the_clock_queue_when_a_player_of_a_live_game_opens_or_closes_a_socket(
    gateway: None, monkeypatch: pytest.MonkeyPatch, by_botocore: None
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "us-east-1")
    monkeypatch.setenv("TABLE_NAME", "arbiter")
    with mock_aws():
        clients = AwsClients()
        make_table(clients, "arbiter")
        make_table(clients, "short-lived", "ShortLivedTable")
        sqs: Any = clients.sqs()
        queue = sqs.create_queue(QueueName="clock")["QueueUrl"]
        monkeypatch.setenv("CLOCK_QUEUE_URL", queue)
        own = wiring.gateway(clients)
        assert own is not None
        lobby = StoredLobby(DynamoDbTable(clients.dynamodb, "arbiter"), SystemClock())
        clocks = start_clocks(TimeControl(base_ms=300_000), NOW_MS)
        game = replace(after(a_game(), "e4 e5"), clocks=clocks)
        players = tuple(
            (Player(key.pubkey), Player(key.pubkey, game_id=game.id)) for key in (ALICE, BOB)
        )
        assert lobby.commit(LobbyChange(players=players, game=game))

        def looks() -> list[str | None]:
            found = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=0)
            bodies = [it["Body"] for it in found.get("Messages", ())]
            return [timer.player for it in bodies if (timer := parse_timer(it))]

        monkeypatch.setattr(QueueTimers, "set", partialmethod(_at_once, QueueTimers.set))
        for name, key in (("one", ALICE), ("two", EVE)):
            own.connections.add(a_connection(name), NOW_MS)
            own.connections.meet(name, key.pubkey)
        assert looks() == [ALICE.pubkey]
        for name in ("one", "two", "one"):
            own.connections.remove(name)
        assert looks() == [ALICE.pubkey]


def _at_once(self: QueueTimers, then: Any, timers: Sequence[Timer], now_ms: int) -> None:
    del now_ms
    for timer in timers:
        then(self, (timer,), timer.at_ms)


def test_limits_are_numbers_and_the_operator_may_lift_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_PER_ADDRESS", "0")

    lifted = config.limits()
    assert (lifted.per_address, lifted.per_browser, lifted.new_games_per_address) == (0, 0, 0)


@pytest.mark.parametrize(("frames", "most"), [("40", 100), ("2000", 5_000), ("1", 20)])
def test_an_address_may_use_a_quarter_of_what_the_stage_takes(
    monkeypatch: pytest.MonkeyPatch, frames: str, most: int
) -> None:
    monkeypatch.setenv("FRAMES_PER_SECOND", frames)
    limits = config.gateway_limits()
    assert limits.address_frames_per_ten_seconds == most
    assert limits.address_deliveries_per_ten_seconds == most


@pytest.mark.parametrize(("text", "shard"), [("", (0, 1)), ("1/1", (0, 1)), ("2/4", (1, 4))])
def test_a_listener_is_told_its_shard(
    monkeypatch: pytest.MonkeyPatch, text: str, shard: tuple[int, int]
) -> None:
    monkeypatch.setenv("LISTENER_SHARD", text)
    assert config.listener_shard() == shard


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/0", "2", "a/b", "-1/4"])
def test_a_shard_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("LISTENER_SHARD", text)
    with pytest.raises(config.Misconfigured, match="LISTENER_SHARD"):
        config.listener_shard()


def test_the_version_that_is_told_is_the_projects() -> None:
    project = tomllib.loads(
        (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]

    assert project["version"] == VERSION


BRIDGE = "cd" * 32


@pytest.mark.parametrize(("key", "queue"), [("", ""), (None, None)])
def test_without_a_bridge_nothing_is_asked_of_its_environment(
    monkeypatch: pytest.MonkeyPatch, key: str | None, queue: str | None
) -> None:
    for name, value in (("BRIDGE_PUBKEY", key), ("SSB_QUEUE_URL", queue)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)

    assert config.bridge_pubkey() is None


def test_a_bridge_is_a_key_and_a_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_PUBKEY", BRIDGE)
    monkeypatch.setenv("SSB_QUEUE_URL", "http://127.0.0.1:9/scuttlebutt")

    assert config.bridge_pubkey() == BRIDGE


@pytest.mark.parametrize(
    ("key", "queue"),
    [(BRIDGE, ""), ("", "http://x"), (BRIDGE.upper(), "http://x"), ("x", "http://x")],
)
def test_half_a_bridge_is_noticed_at_the_start(
    monkeypatch: pytest.MonkeyPatch, key: str, queue: str
) -> None:
    monkeypatch.setenv("BRIDGE_PUBKEY", key)
    monkeypatch.setenv("SSB_QUEUE_URL", queue)

    with pytest.raises(config.Misconfigured, match="BRIDGE_PUBKEY"):
        config.bridge_pubkey()
