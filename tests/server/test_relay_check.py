"""The test of a relay finds what it does not carry, and believes nothing that it only says."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server import relay_check
from server.relay_check import EPHEMERAL, REPORT, STORED, Findings, examine, report
from tests.fakes.relay import PATIENCE_SECONDS, Client, FakeRelay


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_check, "ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(relay_check, "SILENT_SECONDS", 0.1)
    monkeypatch.setattr(relay_check, "_describe", lambda _: None)  # this relay speaks no HTTP


@contextmanager
def _relay(
    refused: int = -1,
    *,
    keeps: bool = True,
    passes_on: bool = True,
    answers: bool = True,
    words: str = "blocked: no such kind",
) -> Iterator[FakeRelay]:
    def on_event(client: Client, message: list[Any]) -> None:
        event = message[1]
        if event["kind"] == refused:
            client.send("OK", event["id"], False, words)
            return
        if answers or event["kind"] in STORED:
            client.send("OK", event["id"], True, "")
        if keeps:
            relay.remembered.append(event)
        if passes_on:
            relay.broadcast(event)

    with FakeRelay(on_event=on_event) as relay:
        yield relay


def _examined(**habits: Any) -> Findings:
    with _relay(**habits) as relay:
        return examine(relay.url)


def test_a_relay_that_carries_everything_is_fit() -> None:
    findings = _examined()

    assert findings.is_fit(), findings.lines()
    assert "comes back in" in "".join(findings.lines())


@pytest.mark.parametrize(
    ("refused", "is_fit"), [(20303, False), (64, False), (20399, True), (20307, True)]
)
def test_a_refused_kind_is_told_with_the_relays_words(refused: int, is_fit: bool) -> None:  # noqa: FBT001 - a parameter
    findings = _examined(refused=refused)

    assert (findings.is_fit(), [*findings.refused]) == (is_fit, [refused])
    assert f"refuses kinds {refused}: blocked: no such kind" in "".join(findings.lines())


def test_a_relay_that_says_ok_and_keeps_or_passes_on_nothing_is_unfit() -> None:
    forgetful, deaf = _examined(keeps=False), _examined(passes_on=False)

    assert (forgetful.is_fit(), forgetful.lost) == (False, [*STORED])
    assert not deaf.is_fit()
    assert {*deaf.undelivered} >= {*EPHEMERAL}


def test_a_relay_that_is_not_there_is_told_in_one_line() -> None:
    findings = examine("ws://127.0.0.1:9/")

    assert not findings.is_fit()
    assert "cannot be reached" in findings.lines()[1]


def test_a_relay_that_answers_no_ephemeral_event_is_fit_and_that_is_told() -> None:
    findings = _examined(answers=False)

    assert (findings.is_fit(), findings.refused, findings.undelivered) == (True, {}, [])
    assert {*findings.unanswered} >= {*EPHEMERAL}
    assert "passes on, but answers no OK: 20300, 20301" in "".join(findings.lines())


def test_a_relay_that_answers_nothing_and_passes_nothing_on_refuses() -> None:
    findings = _examined(answers=False, passes_on=False)

    assert not findings.is_fit()
    assert {*findings.refused} >= {*EPHEMERAL}
    assert findings.unanswered == []


def test_a_relays_words_are_printed_without_what_a_terminal_obeys_and_are_not_logged() -> None:
    findings = _examined(refused=20303, words="blocked: \x1b[2Jno\n")

    assert "blocked: [2Jno" in "".join(findings.lines())
    assert findings.logged() == {"status": "relay-unfit", "relay": findings.url, "refuses": [20303]}


def test_a_server_writes_down_what_its_relays_take(tmp_path: Path) -> None:
    (tmp_path / REPORT).write_text("of the last start")
    with _relay(refused=20303) as relay, _relay() as other:
        report([relay.url, other.url], tmp_path)
        (thread,) = [one for one in threading.enumerate() if one.name == "relay check"]
        thread.join(PATIENCE_SECONDS)
    told = (tmp_path / REPORT).read_text()
    assert f"✗ {relay.url}" in told
    assert f"✓ {other.url}" in told
    assert "refuses kinds 20303: blocked: no such kind" in told
