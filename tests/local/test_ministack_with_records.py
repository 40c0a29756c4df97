"""The wrapper around MiniStack's check of roles."""

import json
from pathlib import Path
from typing import Any

import pytest

from local.ministack_with_records import WITHOUT_TLS, Recorder, in_its_group, of_each_table

_CALLERS = {
    "ASIA1": "arn:aws:sts::000000000000:assumed-role/R/f",
    "ASIA2": f"arn:aws:sts::000000000000:assumed-role/R/{WITHOUT_TLS}-1",
}


class _Check:
    """MiniStack's check, which refuses one action and records what it is asked."""

    def __init__(self, refused: str = "") -> None:
        self.asked: list[str] = []
        self.secured = 0
        self._refused = refused

    def enforce(self, _key: str, action: str, *_others: Any, **_named: Any) -> str | None:
        self.asked.append(action)
        return "refused" if action == self._refused else None

    def take_as_secure(self) -> None:
        self.secured += 1


def _recorder(check: _Check, calls: Path) -> Recorder:
    return Recorder(check.enforce, lambda key: _CALLERS.get(key, ""), check.take_as_secure, calls)


@pytest.mark.parametrize("refused", ["", "sqs:SendMessage"])
def test_a_roles_call_is_recorded_with_its_answer(tmp_path: Path, refused: str) -> None:
    calls = tmp_path / "calls"
    recorder = _recorder(_Check(refused), calls)
    answer = recorder("ASIA1", "sqs:SendMessage", "sqs", "us-east-1", resource_arn="arn:queue")
    assert answer == ((refused and "refused") or None)
    assert json.loads(calls.read_text(encoding="utf-8")) == {
        "caller": _CALLERS["ASIA1"],
        "action": "sqs:SendMessage",
        "resource": "arn:queue",
        "granted": not refused,
    }


def test_a_batch_is_checked_by_the_action_that_aws_has(tmp_path: Path) -> None:
    check, calls = _Check(), tmp_path / "calls"
    _recorder(check, calls)("ASIA1", "sqs:SendMessageBatch", "sqs", "us-east-1")
    assert check.asked == ["sqs:SendMessage"]
    assert json.loads(calls.read_text(encoding="utf-8"))["action"] == "sqs:SendMessage"


def test_a_call_without_a_role_is_not_recorded(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    _recorder(_Check(), calls)("test", "sqs:SendMessage", "sqs", "us-east-1")
    assert not calls.exists()


def test_calls_count_as_made_over_tls_except_those_of_the_plain_probe(tmp_path: Path) -> None:
    check = _Check()
    recorder = _recorder(check, tmp_path / "calls")
    recorder("ASIA2", "sqs:SendMessage", "sqs", "us-east-1")
    assert check.secured == 0
    recorder("ASIA1", "sqs:SendMessage", "sqs", "us-east-1")
    assert check.secured == 1


def test_a_schedule_is_named_in_its_group() -> None:
    arn_of = in_its_group(lambda *_: "arn:aws:scheduler:r:a:schedule/default/name")
    body = b'{"GroupName": "deadlines"}'
    assert (
        arn_of("scheduler", "POST", "/", {}, body)
        == "arn:aws:scheduler:r:a:schedule/deadlines/name"
    )
    assert arn_of("scheduler", "POST", "/", {}, b"{}").endswith("/default/name")
    assert arn_of("scheduler", "GET", "/", {}, b"").endswith("/default/name")
    assert arn_of("sqs", "POST", "/", {}, body).endswith("/default/name")


def test_a_batch_is_checked_by_the_attributes_it_names_for_its_table() -> None:
    keys_of = of_each_table(lambda body: {"names": json.loads(body).get("ProjectionExpression")})
    table = {"Keys": [{"pk": {"S": "game#1"}}], "ProjectionExpression": "pk, w, b"}
    assert keys_of(json.dumps({"RequestItems": {"games": table}}).encode()) == {"names": "pk, w, b"}
    assert keys_of(json.dumps({"ProjectionExpression": "pk"}).encode()) == {"names": "pk"}
    assert keys_of(json.dumps({"RequestItems": {"games": []}}).encode()) == {"names": None}
