"""The handlers under Lambda's own runtime interface: cold, warm, and out of time."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.timers import SystemClock
from arbiter.application.intake.queue_messages import parse
from arbiter.application.ports import LobbyChange
from arbiter.application.records import TournamentPaired
from arbiter.core.tournaments.commands import Pairings
from events.samples import HOUSE, game, house_challenge, samples, tournament
from tests.runtime.conftest import Cloud
from tests.runtime.rie import environment

ALL_WELL: dict[str, list[object]] = {"batchItemFailures": []}
ENOUGH_SECONDS = 20


def test_a_batch_of_moves_is_processed_and_a_second_one_in_the_warm_environment(
    cloud: Cloud, layers: Path, tmp_path: Path
) -> None:
    moves = samples(cloud.at)["process_events/moves.json"]

    with environment(
        "process_events", layers, cloud.variables, tmp_path, ENOUGH_SECONDS
    ) as lambda_:
        first, second = lambda_.invoke(moves), lambda_.invoke(moves)
        printed = lambda_.printed()

    assert first == second == ALL_WELL
    standing = cloud.games.load(game().id)
    assert standing is not None
    assert [move.uci() for move in standing.moves] == ["e2e4"]
    assert standing.black_strikes == 1
    assert printed.count("INIT START") == 1
    assert printed.count("END RequestId") == 2
    # Lambda's own layout of a line would be no JSON, and no metric filter could read it.
    ours = [json.loads(line) for line in printed.splitlines() if '"event"' in line]
    assert [line["status"] for line in ours].count("played") == 1
    assert len(ours) == 2 * len(moves["Records"])


def test_a_timer_is_passed_on(cloud: Cloud, layers: Path, tmp_path: Path) -> None:
    timer = samples(cloud.at)["clock/timer.json"]

    with environment("clock", layers, cloud.variables, tmp_path, ENOUGH_SECONDS) as lambda_:
        assert lambda_.invoke(timer) == ALL_WELL


def test_the_house_accepts_a_challenge_with_what_its_layers_hold(
    cloud: Cloud, layers: Path, tmp_path: Path
) -> None:
    lobby = StoredLobby(
        DynamoDbTable(cloud.clients.dynamodb, cloud.variables["TABLE_NAME"]), SystemClock()
    )
    assert lobby.commit(LobbyChange(challenges=((None, house_challenge(cloud.at)),)))
    asked = samples(cloud.at)["house/challenge.json"]

    with environment("house", layers, cloud.variables, tmp_path, ENOUGH_SECONDS) as lambda_:
        assert lambda_.invoke(asked) == ALL_WELL

    sqs, url = cloud.clients.sqs(), cloud.variables["SEEKS_QUEUE_URL"]
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    said = json.loads(message["Body"])["event"]
    assert said["content"] == f"accept:{house_challenge(cloud.at).id}"
    assert said["pubkey"] == HOUSE.pubkey


def test_a_round_is_paired_with_what_the_layers_hold(
    cloud: Cloud, layers: Path, tmp_path: Path
) -> None:
    table = DynamoDbTable(cloud.clients.dynamodb, cloud.variables["TABLE_NAME"])
    assert StoredTournaments(table).commit(None, tournament(cloud.at))
    asked = samples(cloud.at)["pairing/round.json"]

    with environment("pairing", layers, cloud.variables, tmp_path, ENOUGH_SECONDS) as lambda_:
        assert lambda_.invoke(asked) is None

    sqs, url = cloud.clients.sqs(), cloud.variables["MOVES_QUEUE_URL"]
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    paired = parse(message["Body"])
    assert isinstance(paired, TournamentPaired)
    assert isinstance(paired.answer, Pairings)
    assert {*paired.answer.boards[0]} == {1, 2}


def test_a_notice_is_seen_to_with_what_the_layers_hold(
    cloud: Cloud, layers: Path, tmp_path: Path
) -> None:
    asked = samples(cloud.at)["notice/turn.json"]

    with environment("notice", layers, cloud.variables, tmp_path, ENOUGH_SECONDS) as lambda_:
        assert lambda_.invoke(asked) is None
        assert '"status":"notices-off"' in lambda_.printed().replace('": "', '":"')


def test_a_listener_ends_before_its_timeout(cloud: Cloud, layers: Path, tmp_path: Path) -> None:
    variables = {**cloud.variables, "LISTEN_SECONDS": "690"}
    schedule = samples(cloud.at)["relay_listener/schedule.json"]

    # It stops twenty seconds before Lambda would stop it: here, after two.
    with environment("relay_listener", layers, variables, tmp_path, 22) as lambda_:
        answer = lambda_.invoke(schedule)

    assert "timed out" not in json.dumps(answer)


@pytest.fixture
def silent_table() -> Iterator[str]:
    """An endpoint that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield f"http://127.0.0.1:{silent.getsockname()[1]}"


def test_a_function_that_times_out_answers_the_next_invocation(
    cloud: Cloud, silent_table: str, layers: Path, tmp_path: Path
) -> None:
    variables = {**cloud.variables, "AWS_ENDPOINT_URL_DYNAMODB": silent_table}
    moves = samples(cloud.at)["process_events/moves.json"]

    with environment("process_events", layers, variables, tmp_path, 6) as lambda_:
        timed_out = lambda_.invoke(moves)
        next_one = lambda_.invoke({"Records": []})

    assert "timed out after 6.00 seconds" in json.dumps(timed_out)
    assert next_one == ALL_WELL
    # Nothing was half done: Lambda gives the whole batch back to the queue.
    assert cloud.games.load(game().id) == game(cloud.at)


_IMPORT_ALL = """
import pathlib, arbiter, aws_lambda_powertools, chess, coincurve, cryptography, resvg_py, websocket
ours = arbiter, aws_lambda_powertools, chess, coincurve, cryptography, resvg_py, websocket
for package in ours:
    print(pathlib.Path(package.__file__).parents[1])
"""


@pytest.mark.slow
def test_the_hosts_layers_can_be_imported(layers: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-S", "-c", _IMPORT_ALL],
        env={"PYTHONPATH": str(layers)},
        check=True,
        capture_output=True,
        text=True,
    )

    assert said.stdout.split() == [str(layers)] * 7
