"""`arbiter policy` and `make policy`, on the tables of both."""

import io
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from nostr_sdk import (  # type: ignore[import-untyped]
    Coordinate,
    Kind,
    Nip19Coordinate,
    PublicKey,
    RelayUrl,
)

from arbiter.adapters.items.policy import MAX_CHARS, StoredPolicy
from arbiter.adapters.items.table import Table
from arbiter.core.reports import MAX_LINES, PlayerReport
from arbiter.dialects.chat import LINE_CHARS
from arbiter.nostr.nip19 import encode_npub
from server.cli import main
from server.policy import PolicyRefused, on_table
from tests.application.random_evening import empty_table
from tests.builders import ALICE, a_key
from tests.fakes.queue import FakeRepublishQueue
from tests.server.running_server import RunningServer

NPUB = encode_npub(ALICE.pubkey)


@pytest.fixture(params=("sqlite", "dynamodb"))
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    with empty_table(request.param) as table:
        yield table


def run(table: Table, word: str, *keys: str, **more: object) -> None:
    options: dict[str, object] = {"reason": "", "end_games": False, "group": ""}
    options |= dict.fromkeys(("from", "until", "days"))
    options |= {"word": word, "keys": [*keys], **more}
    assert on_table(table, FakeRepublishQueue(), options, "make policy") == 0


def test_what_is_said_is_stored_and_shown(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    run(table, "deny", NPUB, reason="rude", until="2099-01-31")
    run(table, "void", NPUB)
    run(table, "operator", NPUB)
    run(table, "close", reason="Back at nine.")
    run(table, "vacation", days=30)
    capsys.readouterr()

    run(table, "list")

    shown = capsys.readouterr().out
    for line in (
        f"denied   {NPUB} rude, until 2099-01-31",
        f"void     {NPUB}",
        "Back at nine.",
        "30 days",
    ):
        assert line in shown
    assert StoredPolicy(table).load().operator == ALICE.pubkey


@pytest.mark.slow
def test_a_running_server_is_asked_as_often_as_the_operator_wants(
    server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--data", str(server.data), "--listen", f"127.0.0.1:{server.port}"]
    for words in (["hide", NPUB], ["list"], ["list"], ["show", NPUB], ["show", NPUB]):
        assert main(["policy", *words, *where]) == 0
        assert f"hide {NPUB}" in capsys.readouterr().out


def test_in_a_folder_without_a_server_nothing_is_changed_or_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["policy", "deny", NPUB, "--data", str(tmp_path / "none")]) == 1

    assert "--data or --config" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("word", "keys", "until", "why"),
    [
        ("deny", ["bob"], None, "npub1"),
        ("deny", [], None, "deny names a key"),
        ("close", [], "tomorrow", "tomorrow is no time"),
        ("close", [], "2001-01-01", "over already"),
    ],
)
def test_what_makes_no_sense_changes_nothing(
    table: Table, word: str, keys: list[str], until: str | None, why: str
) -> None:
    with pytest.raises(PolicyRefused, match=why):
        run(table, word, *keys, until=until)

    assert StoredPolicy(table).load().item_version == 0


@pytest.mark.parametrize("table", ["sqlite"], indirect=True)
def test_the_longest_reports_leave_room_for_the_next(table: Table) -> None:
    store, line = StoredPolicy(table), "\N{BLACK CHESS PAWN}" * LINE_CHARS
    reports = tuple(long_report(number, line) for number in range(60))
    for report in reports:
        assert store.add_report(report)

    item, kept = table.find({"pk": {"S": "reports"}}), store.reports()
    assert item is not None
    assert len(item["doc"]["S"]) <= MAX_CHARS
    assert len(kept) > 10
    assert kept == reports[-len(kept) :]


def long_report(number: int, line: str) -> PlayerReport:
    id_ = f"{number:064x}"
    player = ALICE.pubkey
    return PlayerReport(id=id_, at_ms=1, by=id_, player=player, text=line, chat=(line,) * MAX_LINES)


RELAY = a_key("relay").pubkey
GROUP = f"39002:{RELAY}:club"
DOCUMENTS = {
    "https://relay.example": {"self": RELAY},
    "http://127.0.0.1:1": {"self": RELAY, "pubkey": ALICE.pubkey},
    "https://old.example": {"pubkey": ALICE.pubkey},
    "https://odd.example": ["self"],
}


def naddr(kind: int, group: str = "club") -> str:
    coordinate = Coordinate(Kind(kind), PublicKey.parse(RELAY), group)
    return str(Nip19Coordinate(coordinate, [RelayUrl.parse("wss://relay.example")]).to_bech32())


def a_document(request: urllib.request.Request, timeout: float) -> io.BytesIO:
    """The NIP-11 document at this address."""
    assert (request.get_header("Accept"), timeout > 0) == ("application/nostr+json", True)
    if request.full_url not in DOCUMENTS:
        raise urllib.error.URLError("no such host")
    return io.BytesIO(json.dumps(DOCUMENTS[request.full_url]).encode())


@pytest.mark.parametrize(
    "said",
    [naddr(39000), f"nostr:{naddr(39002)}", "relay.example'club", "ws://127.0.0.1:1'club"],
)
def test_a_group_is_named_by_an_address_or_by_its_relay_and_id(
    table: Table, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("urllib.request.urlopen", a_document)

    run(table, "allow", group=said)

    assert StoredPolicy(table).load().group == GROUP
    assert f"group    {GROUP}" in capsys.readouterr().out
    run(table, "disallow")
    assert StoredPolicy(table).load().group == ""


@pytest.mark.parametrize(
    "said",
    [
        *(naddr(30023), naddr(39000)[:-1] + "q", naddr(39000, "x" * 65), NPUB, "club"),
        *("old.example'club", "odd.example'club", "gone.example'club"),
    ],
)
def test_what_names_no_group_changes_nothing(
    table: Table, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urllib.request.urlopen", a_document)

    with pytest.raises(PolicyRefused, match="group"):
        run(table, "allow", group=said)

    assert StoredPolicy(table).load().item_version == 0
