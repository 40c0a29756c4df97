"""Reading in a process of its own: questions are answered, bounded, in turns, and answered again
after that process was killed.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.memory.connections import MemoryRateLimits
from arbiter.adapters.sqlite.pgns import SqlitePgns
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.gateway.deps import StoredAsked
from arbiter.application.ports import LobbyChange
from arbiter.core.helpmate import Position, SearchResult
from arbiter.nostr.event import VerifiedEvent, parse_event, verify
from arbiter.nostr.filters import Filter
from server import reading as module
from server.limits import MAX_MS_OF_ONE, MAX_MS_OF_STRANGERS
from server.metrics import Metrics
from server.questions import Mate, Note, Page, Question
from server.reading import ReadElsewhere, ReaderFailed, TooMuch
from server.settings import Settings, read_settings
from tests.builders import NOW_MS, SERVER, a_game, after
from tests.fakes.clock import FakeClock

MATE = replace(after(a_game(), "f3 e5 g4 Qh4#"), changed_at_ms=NOW_MS, ended_at_ms=NOW_MS)
NOTE = StoredAsked("s", (Filter(kinds=(64,), tags={"d": (MATE.id,)}),), NOW_MS, ("a",))
WALL = Position("4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - -", False, True)


class Read:
    """A `ReadElsewhere` of one finished game, and the limits that it charges."""

    def __init__(self, folder: Path) -> None:
        self.settings: Settings = read_settings({"data": str(folder)}, {})
        with Store.open(self.settings.database) as store:
            assert StoredLobby(SqliteTable(store), FakeClock(NOW_MS)).commit(LobbyChange(game=MATE))
            assert StoredGames(SqliteTable(store)).load(MATE.id) == MATE
        self.limits, self.metrics = MemoryRateLimits(), Metrics()
        self.reading = ReadElsewhere(self.limits, FakeClock(NOW_MS), self.metrics)

    async def ask(
        self, question: Question = NOTE, keys: Sequence[str] = ("a",), *, is_player: bool = False
    ) -> Any:
        return await self.reading.ask(question, keys, is_player=is_player)

    def spend(self, key: str, milliseconds: int) -> None:
        self.limits.take(f"reading:{key}", 0, 10, NOW_MS, milliseconds)

    @contextlib.asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        serving = asyncio.create_task(self.reading.serve(self.settings, SERVER))
        try:
            yield
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return Read(tmp_path)


async def test_each_question_has_its_answer_and_one_that_fails_costs_no_other(
    read: Read, tmp_path: Path
) -> None:
    async with read.served():
        (text,) = await read.ask()
        found = await read.ask(Mate(WALL))
        page = await read.ask(Page(a_request(f"/games/{MATE.id}.pgn")))
        missing = await read.ask(Page(a_request("/games/no")))
        with pytest.raises(ReaderFailed, match="ValueError"):
            await read.ask(Mate(replace(WALL, epd="nonsense")))
        assert await read.ask() == (text,), "after a question that failed"
        read.spend("", MAX_MS_OF_STRANGERS + 1)
        assert await read.ask(is_player=True) == (text,), "players have a share of their own"
    claimed = parse_event(text)
    event = verify(claimed)  # type: ignore[arg-type]
    assert isinstance(event, VerifiedEvent), f"no event of the arbiter: {text}"
    assert event.pubkey == SERVER.pubkey
    assert found is SearchResult.NO_MATE
    assert page["body"] == event.content
    assert missing["statusCode"] == 400
    # It was written once, where the process that plays finds it.
    kept = SqlitePgns(tmp_path / "pgn.sqlite3")
    assert kept.get(f"{SERVER.pubkey}:{MATE.id}:{MATE.item_version}:") == event.content
    kept.close()


async def test_a_process_that_was_killed_is_started_again(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "START_AGAIN_SECONDS", 0.0)
    started: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def create(*args: Any, **options: Any) -> asyncio.subprocess.Process:
        started.append(await start(*args, **options))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", create)
    async with read.served():
        await read.ask()
        for _ in range(2):
            started[-1].kill()
            await started[-1].wait()
            with contextlib.suppress(ReaderFailed):  # asked before the end was noticed
                await read.ask()
            assert await read.ask()
    assert len(started) == 3


async def test_what_an_answer_costs_is_charged_to_who_asks_and_to_all_strangers(
    read: Read, tmp_path: Path
) -> None:
    async with read.served():
        assert await read.ask(Note(MATE.id), keys=("a", "key")) is None
    kept = SqlitePgns(tmp_path / "pgn.sqlite3")
    assert kept.get(f"{SERVER.pubkey}:{MATE.id}:{MATE.item_version}:"), "the note is not written"
    kept.close()
    for key in ("a", "key", ""):
        spent = next(
            n for n in range(10_000) if read.limits.take(f"reading:{key}", n, 10, NOW_MS, 0)
        )
        assert spent > 0, f"nothing was charged to {key!r}"


@pytest.mark.parametrize(
    ("spent_by", "milliseconds", "asks", "limit"),
    [
        ("a", MAX_MS_OF_ONE, ("a", "key"), "reading_of_one"),
        ("key", MAX_MS_OF_ONE, ("a", "key"), "reading_of_one"),
        ("", MAX_MS_OF_STRANGERS, ("a",), "reading_of_strangers"),
    ],
)
async def test_who_has_had_much_is_refused_by_the_limits_name(
    read: Read, spent_by: str, milliseconds: int, asks: tuple[str, ...], limit: str
) -> None:
    read.spend(spent_by, milliseconds + 1)
    with pytest.raises(TooMuch, match=f"^{limit}$"):
        await read.ask(keys=asks)
    assert f'arbiter_Refused{{limit="{limit}"}} 1' in read.metrics.text()


async def test_what_waits_is_bounded_for_an_address_and_in_all(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_WAITING_OF_ONE", 2)
    monkeypatch.setattr(module, "MAX_WAITING", 3)
    waiting = [asyncio.create_task(read.ask(keys=(whose,))) for whose in ("a", "a", "b")]
    await asyncio.sleep(0)
    for whose, limit in (("a", "reading_waiting"), ("c", "reading_waiting")):
        with pytest.raises(TooMuch, match=f"^{limit}$"):
            await read.ask(keys=(whose,))
    monkeypatch.setattr(module, "MAX_WAITING", 30)
    with pytest.raises(TooMuch, match=r"^reading_waiting_of_one$"):
        await read.ask(keys=("a",))
    async with read.served():
        await asyncio.gather(*waiting)
        assert await read.ask(keys=("a",))


async def test_players_are_answered_first_and_addresses_in_turn(read: Read) -> None:
    answered: list[str] = []

    async def ask(name: str, whose: str, *, is_player: bool) -> None:
        await read.ask(keys=(whose,), is_player=is_player)
        answered.append(name)

    asked = [("a1", "a", False), ("a2", "a", False), ("b1", "b", False), ("player", "a", True)]
    tasks = [asyncio.create_task(ask(name, who, is_player=it)) for name, who, it in asked]
    await asyncio.sleep(0)
    async with read.served():
        await asyncio.gather(*tasks)
    assert answered == ["player", "a1", "b1", "a2"]


def a_request(path: str) -> dict[str, Any]:
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"host": "x"},
        "requestContext": {
            "domainName": "x",
            "http": {"method": "GET", "path": path, "sourceIp": "192.0.2.1"},
        },
    }
