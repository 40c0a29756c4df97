"""`make relays` finds what a relay does not carry, and believes nothing that a relay only says."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from deploy import relays
from deploy.relays import EPHEMERAL, STORED, Findings, examine
from tests.fakes.relay import Client, FakeRelay


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(relays, "_describe", lambda _: None)  # this relay speaks no HTTP


@contextmanager
def _relay(refused: int = -1, *, keeps: bool = True, passes_on: bool = True) -> Iterator[FakeRelay]:
    def on_event(client: Client, message: list[Any]) -> None:
        event = message[1]
        if event["kind"] == refused:
            client.send("OK", event["id"], False, "blocked: no such kind")
            return
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


@pytest.mark.parametrize(("refused", "is_fit"), [(20303, False), (64, False), (20399, True)])
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
