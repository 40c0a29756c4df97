"""A restored table is verified by the rules, and copied where the live one has nothing newer."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import boto3
import chess
import pytest
from moto import mock_aws

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.application.ports import Committed, LobbyChange
from arbiter.core.game import WHITE, Game, Outcome, Termination
from deploy import verify_table
from deploy.copy_back import copy_back
from deploy.restore import restore
from deploy.stack import Refused
from deploy.verify_table import flaw_of, games_in, verify
from tests.builders import NOW_MS, a_game, after
from tests.fakes.clock import FakeClock
from tests.template.source import properties

LIVE, RESTORED = "live", "restored"


@cache
def client() -> Any:
    """Made once: to make one takes a third of a second."""
    return boto3.client("dynamodb", "us-east-1")


class Cloud:
    """The template's table, with point-in-time recovery, and games in it."""

    def __init__(self) -> None:
        self.client = client()
        written = properties("Table")
        keys = ("BillingMode", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
        self.client.create_table(TableName=LIVE, **{key: written[key] for key in keys})
        self.client.update_continuous_backups(
            TableName=LIVE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )
        self.lobby = StoredLobby(DynamoDbTable(lambda: self.client, LIVE), FakeClock(NOW_MS))
        self.games = StoredGames(DynamoDbTable(lambda: self.client, LIVE))

    def played(self, number: int, moves: str) -> Game:
        game = replace(a_game(), id=f"{number:032x}")
        assert self.lobby.commit(LobbyChange(game=game))
        for ply, move in enumerate(moves.split()):
            then = replace(
                after(game, move), applied_ids=(*game.applied_ids, ply.to_bytes(8, "big"))
            )
            assert self.games.commit(game, then) == Committed()
            game = then
        return game

    def restore(self) -> None:
        self.client.restore_table_to_point_in_time(
            SourceTableName=LIVE, TargetTableName=RESTORED, RestoreDateTime=datetime.now(UTC)
        )

    def delete(self, game: Game) -> None:
        self.client.delete_item(TableName=LIVE, Key={"pk": {"S": f"g#{game.id}"}})


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    with mock_aws():
        yield Cloud()


def test_every_game_of_a_restored_table_is_replayed(cloud: Cloud) -> None:
    cloud.played(1, "f3 e5 g4 Qh4#")
    cloud.played(2, "e4 e5")
    cloud.restore()

    findings = verify(games_in(cloud.client, RESTORED))

    assert (findings.games, findings.finished, findings.plies) == (2, 1, 6)
    assert findings.amiss == []


def test_lost_games_are_copied_back_and_newer_ones_kept(cloud: Cloud) -> None:
    lost, goes_on = cloud.played(1, "e4 e5 Nf3"), cloud.played(2, "d4")
    cloud.restore()
    cloud.delete(lost)
    newer = replace(after(goes_on, "d5"), applied_ids=(*goes_on.applied_ids, b"12345678"))
    cloud.games.commit(goes_on, newer)

    done = copy_back(cloud.client, RESTORED, LIVE)
    again = copy_back(cloud.client, RESTORED, LIVE)

    assert done == {"copied": 1, "kept": 1}
    assert again == {"kept": 2}
    fresh = StoredGames(DynamoDbTable(lambda: cloud.client, LIVE))
    assert fresh.load(lost.id) == lost
    assert fresh.load(goes_on.id) == newer


def test_an_older_state_is_overwritten_by_the_newer_one_of_the_backup(cloud: Cloud) -> None:
    game = cloud.played(1, "e4 e5")
    cloud.restore()
    began = replace(a_game(), id=game.id)
    cloud.client.put_item(TableName=LIVE, Item=item_of_game(began))

    assert copy_back(cloud.client, RESTORED, LIVE) == {"copied": 1}

    assert StoredGames(DynamoDbTable(lambda: cloud.client, LIVE)).load(game.id) == game


@pytest.mark.parametrize("key", ["q#casual", "c#" + "ab" * 16])
def test_pools_and_challenges_are_not_copied_back(cloud: Cloud, key: str) -> None:
    item = {"pk": {"S": key}, "v": {"N": "3"}}
    cloud.client.put_item(TableName=LIVE, Item=item)
    cloud.restore()
    cloud.client.delete_item(TableName=LIVE, Key={"pk": {"S": key}})

    assert copy_back(cloud.client, RESTORED, LIVE) == {"left": 1}


def test_a_game_that_was_lost_is_back_by_one_command_and_again_by_a_second(cloud: Cloud) -> None:
    lost, said = cloud.played(1, "e4 e5 Nf3"), list[str]()
    cloud.client.restore_table_to_point_in_time(
        SourceTableName=LIVE, TargetTableName=f"{LIVE}-restored", UseLatestRestorableTime=True
    )
    cloud.delete(lost)

    # The table beside is there: an earlier run was interrupted.
    assert [restore(cloud.client, LIVE, None, said.append) for _ in range(2)] == [True, True]
    assert StoredGames(DynamoDbTable(lambda: cloud.client, LIVE)).load(lost.id) == lost
    assert "1 items copied" in "".join(said)
    assert "0 items copied" in said[-1]


def test_nothing_is_copied_from_a_table_with_a_game_against_the_rules(cloud: Cloud) -> None:
    spoilt, said = replace(a_game(), moves=(_move("e2e5"),)), list[str]()
    cloud.client.put_item(TableName=LIVE, Item=item_of_game(spoilt))

    assert not restore(cloud.client, LIVE, None, said.append)
    assert "illegal move" in "".join(said)
    assert "Nothing was copied" in said[-1]


def test_a_table_that_is_gone_is_there_again_under_its_name_with_its_settings(cloud: Cloud) -> None:
    game, said = cloud.played(1, "e4 e5 Nf3"), list[str]()
    cloud.client.create_backup(TableName=LIVE, BackupName="of its deletion")
    cloud.client.delete_table(TableName=LIVE)

    assert restore(cloud.client, LIVE, None, said.append)
    assert StoredGames(DynamoDbTable(lambda: cloud.client, LIVE)).load(game.id) == game
    table = cloud.client.describe_table(TableName=LIVE)["Table"]
    assert table["DeletionProtectionEnabled"]
    expiry = cloud.client.describe_time_to_live(TableName=LIVE)["TimeToLiveDescription"]
    assert (
        expiry["AttributeName"] == properties("Table")["TimeToLiveSpecification"]["AttributeName"]
    )
    backups = cloud.client.describe_continuous_backups(TableName=LIVE)
    recovery = backups["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"


def test_a_table_without_a_backup_is_said_to_be_gone(cloud: Cloud) -> None:
    cloud.client.delete_table(TableName=LIVE)

    with pytest.raises(Refused, match="there is no backup"):
        restore(cloud.client, LIVE, None, print)


def _move(uci: str) -> chess.Move:
    return chess.Move.from_uci(uci)


MATED = Outcome(Termination.CHECKMATE, not WHITE)
FOOLS_MATE = after(after(after(after(a_game(), "f3"), "e5"), "g4"), "Qh4#")


@pytest.mark.parametrize(
    ("game", "flaw"),
    [
        (after(a_game(), "e4"), None),
        (replace(a_game(), outcome=Outcome(Termination.RESIGNATION, WHITE)), None),
        (replace(FOOLS_MATE, outcome=MATED), None),
        (replace(a_game(), moves=(_move("e2e5"),)), "has an illegal move at ply 1"),
        (replace(a_game(), applied_ids=(b"12345678",) * 2), "has applied an event twice"),
        (replace(FOOLS_MATE, outcome=None), "is checkmate, but has the outcome None"),
        (replace(a_game(), outcome=MATED), "is no checkmate"),
        (
            replace(FOOLS_MATE, outcome=Outcome(Termination.CHECKMATE, WHITE)),
            "gives the win to the mated side",
        ),
        (a_game("8/8/8/8/8/8/8/8 w - - 0 1"), "starts from an invalid position"),
    ],
)
def test_a_game_that_contradicts_the_rules_is_reported(game: Game, flaw: str | None) -> None:
    assert flaw_of(game) == flaw


def test_an_unreadable_item_is_reported_and_the_others_are_read() -> None:
    broken = {"pk": {"S": "g#broken"}}

    findings = verify(iter([broken, item_of_game(a_game())]))

    assert findings.games == 2
    assert findings.amiss == ["g#broken cannot be read: KeyError"]


def test_the_program_prints_its_findings_and_exits_1_if_there_are_any(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr("sys.argv", ["verify_table", "--table", LIVE])
    cloud.played(1, "e4")

    assert verify_table.main() == 0
    assert "1 games, 0 of them over, 1 plies played again: 0 amiss." in capsys.readouterr().out

    cheated = replace(a_game(), moves=(_move("e2e5"),))
    cloud.client.put_item(TableName=LIVE, Item=item_of_game(cheated))
    assert verify_table.main() == 1
    assert f"✗ g#{cheated.id} has an illegal move at ply 1" in capsys.readouterr().out
