"""`arbiter policy` and `make policy`, on the tables of both."""

from collections.abc import Iterator

import pytest

from arbiter.adapters.items.policy import MAX_CHARS, StoredPolicy
from arbiter.adapters.items.table import Table
from arbiter.core.reports import MAX_LINES, PlayerReport
from arbiter.dialects.chat import LINE_CHARS
from arbiter.nostr.nip19 import encode_npub
from server.policy import PolicyRefused, on_table
from tests.application.random_evening import empty_table
from tests.builders import ALICE
from tests.fakes.queue import FakeRepublishQueue

NPUB = encode_npub(ALICE.pubkey)


@pytest.fixture(params=("sqlite", "dynamodb"))
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    with empty_table(request.param) as table:
        yield table


def run(table: Table, word: str, *keys: str, **more: object) -> None:
    options: dict[str, object] = {"reason": "", "from": None, "until": None, "end_games": False}
    options |= {"word": word, "keys": [*keys], **more}
    assert on_table(table, FakeRepublishQueue(), options, "make policy") == 0


def test_what_is_said_is_stored_and_shown(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    run(table, "deny", NPUB, reason="rude", until="2099-01-31")
    run(table, "void", NPUB)
    run(table, "operator", NPUB)
    run(table, "close", reason="Back at nine.")
    capsys.readouterr()

    run(table, "list")

    shown = capsys.readouterr().out
    for line in (f"denied   {NPUB} rude, until 2099-01-31", f"void     {NPUB}", "Back at nine."):
        assert line in shown
    assert StoredPolicy(table).load().operator == ALICE.pubkey


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
