import xml.etree.ElementTree as ET
from collections import Counter
from typing import Any

import pytest

from bench import counted_cloud, e2e_picture
from bench.e2e import Look, Row, _row, calls, speeds, targets
from bench.playing import Played
from bench.running import role_of

EVENTS = "ministack/tmp/ministack-lambda-arbiter-ProcessEventsFunction-BF5/_worker.py"


@pytest.mark.parametrize(
    ("command", "role"),
    [
        (f"python {EVENTS} ", "process_events"),
        ("python -m local.proxy --http-function arbiter-HttpApiFunction-7C9 ", "proxy"),
        ("python -P bench/counted_cloud.py local/ministack_without_waits.py ", "emulator"),
        ("python bin/nostr-relay -c relay.yaml serve ", "relay"),
        ("python -m functions.relay_listener.app ", "listeners"),
        ("python -m server serve --data x ", "server"),
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
    return _row("relay, 1", Played(took_ms, Counter(), 2.0, before, after))


def test_what_was_used_is_shared_by_the_moves_of_the_time() -> None:
    row = a_row()
    assert row.moves_a_second == 2.0
    assert (row.median_ms, row.p99_ms) == (1.5, 3.0)
    assert row.cpu_ms == {"relay": 125.0, "gateway": 25.0}
    assert row.calls == {"GetItem": 1.0, "UpdateItem": 2.0}


def test_the_tables_have_a_column_for_each_process_and_each_call() -> None:
    row = a_row()
    head, _, line = speeds([row], row).splitlines()
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert "gateway | relay" in head
    assert cells == ["relay, 1", "2", "1.5", "1.0", "3", "150.0", "25.0", "125.0"]
    assert calls([row]).splitlines()[2].split() == "| relay, 1 | 1.00 | 2.00 |".split()  # noqa: SIM905
    wanted = targets([row], row, 4.0)
    assert "table calls over the relay" in wanted
    assert "over nostr-relay's echo" in wanted


def test_the_picture_has_a_bar_for_each_run_of_a_case_as_long_as_its_processor_time() -> None:
    def kept(ms: float) -> list[dict[str, Any]]:
        return [{"name": "relay, 1", "cpu_ms": {"gateway": ms}, "median_ms": 7.0}]

    svg = ET.fromstring(e2e_picture.picture({"old": kept(20.0), "cloud": kept(5.0)}))  # noqa: S314 - ours
    bars = [
        float(one.attrib["width"])
        for one in svg.iter("{http://www.w3.org/2000/svg}rect")
        if one.attrib.get("fill") == "#38a169" and one.attrib["height"] == "13"
    ]
    assert bars[0] == pytest.approx(4 * bars[1])
