from collections import Counter
from dataclasses import replace

import pytest

from bench import counted_cloud
from bench.e2e import Look, Row, row_of, targets
from bench.playing import Played
from bench.running import role_of

EVENTS = "ministack/tmp/ministack-lambda-arbiter-ProcessEventsFunction-BF5/_worker.py"


@pytest.mark.parametrize(
    ("command", "role"),
    [
        (f"python {EVENTS} ", "process_events"),
        ("python -m local.proxy --http-function arbiter-HttpApiFunction-7C9 ", "proxy"),
        ("python -P bench/counted_cloud.py ", "emulator"),
        ("python bin/nostr-relay -c relay.yaml serve ", "relay"),
        ("python -m functions.relay_listener.app ", "listeners"),
        ("python -m local.run_cloud ", "run"),
    ],
)
def test_a_process_has_its_role_by_its_command_line(command: str, role: str) -> None:
    assert role_of(command) == role


@pytest.mark.parametrize(
    ("method", "path", "target", "kind"),
    [
        ("POST", "/", b"DynamoDB_20120810.GetItem", "GetItem"),
        ("POST", "/", b"AmazonSQS.SendMessageBatch", "SendMessageBatch"),
        ("POST", "/_aws/execute-api/a/v1/@connections/x%3D", None, "PostToConnection"),
        ("DELETE", "/_aws/execute-api/a/v1/@connections/x%3D", None, "DeleteConnection"),
        ("GET", "/_aws/execute-api/b/$default/make-move/e2/e4", None, ""),
    ],
)
def test_a_call_is_counted_by_its_name(
    method: str, path: str, target: bytes | None, kind: str
) -> None:
    headers = {b"x-amz-target": target} if target else {}
    assert counted_cloud.kind_of(method, path, headers) == kind


def a_row(moves: int = 4) -> Row:
    before = Look({"relay": 1.0}, Counter(GetItem=10))
    after = Look({"relay": 1.5, "gateway": 0.1}, Counter(GetItem=14, UpdateItem=8))
    took_ms = [float(number) for number in range(moves)]
    return row_of("relay, 1", Played(took_ms, Counter(), 2.0, before, after))


def test_what_was_used_is_shared_by_the_moves_of_the_time() -> None:
    row = a_row()
    assert row.moves_a_second == 2.0
    assert (row.median_ms, row.p99_ms) == (1.5, 3.0)
    assert row.cpu_ms == {"relay": 125.0, "gateway": 25.0}
    assert row.calls == {"GetItem": 1.0, "UpdateItem": 2.0}


def test_a_target_is_judged_for_what_was_played_and_runs() -> None:
    row = a_row()
    judged = {one.name: one.verdict for one in targets([row], 1.0, 0.1)}
    assert judged == {
        "over the relay, over nostr-relay's echo": "missed",
        "over the relay, over our relay's echo": "met",
        "table calls over the relay": "met",
    }
    # One process makes no calls and has no functions.
    alone = replace(row, cpu_ms={"server": 1.0}, calls={})
    names = {one.name for one in targets([alone, replace(alone, name="hot seat, 1")], 1.0, 0.1)}
    assert names == {name for name in judged if "echo" in name}
