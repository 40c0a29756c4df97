"""A golden file that differs says which case does, and what to do."""

from pathlib import Path
from typing import Any

import pytest

from arbiter.nostr.event import event_to_json
from tests.builders import ALICE, SERVER, an_event
from tests.dialects.golden import REWRITE, check, readable


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        ({"a": {"is": 1}, "b": {"is": 2}, "c": {"is": 3}}, "c has no line in toy.jsonl"),
        ({"a": {"is": 1}}, "b has a line and no case"),
        ({"a": {"is": 1}, "b": {"is": 7}}, 'b has changed\n  was {"case": "b", "is": 2}'),
    ],
)
def test_a_missing_an_extra_and_a_changed_case_are_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: dict[str, Any], sentence: str
) -> None:
    monkeypatch.setenv("GOLDEN", "rewrite")
    check("toy", {"a": {"is": 1}, "b": {"is": 2}}, tmp_path)
    monkeypatch.delenv("GOLDEN")

    with pytest.raises(AssertionError) as raised:
        check("toy", seen, tmp_path)

    assert sentence in str(raised.value)
    assert f"run `{REWRITE}`" in str(raised.value)


def test_a_line_holds_no_signature_and_keys_by_their_first_digits() -> None:
    events = [an_event(key, 1, "[1]") for key in (SERVER, ALICE)]
    ours, players = map(event_to_json, events)
    unsigned = {"created_at": ours["created_at"], "kind": 1, "tags": [], "content": {"json": [1]}}

    assert readable(ours) == unsigned
    assert readable(players) == unsigned | {
        "id": f"{events[1].id[:8]}…",
        "pubkey": f"{ALICE.pubkey[:8]}…",
    }
    assert readable(f"{'a' * 63} and {'b' * 32}") == f"{'a' * 63} and {'b' * 32}"
