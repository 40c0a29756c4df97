"""House players: their levels, keys and engines."""

import asyncio
import stat
from pathlib import Path

import pytest

from clients.bot.config import Config, Engine, GoCommands
from clients.bot.engine_host import EngineHost
from clients.bot.house import games_in_memory, read_levels
from clients.bot.keys import house_keys
from clients.bot.model import EngineFailed, EngineMoved, Think
from clients.bot.timing import Limits
from tests.clients.bot.scene import state


def test_levels_are_read_as_a_range_or_a_list() -> None:
    assert read_levels("1-8") == (1, 2, 3, 4, 5, 6, 7, 8)
    assert read_levels("8,1, 4,4") == (1, 4, 8)
    for wrong in ("", "0", "9", "1-9", "1,,2", "one", "\u0663"):
        with pytest.raises(ValueError, match="1-8, or some"):
            read_levels(wrong)


def test_keys_are_made_once_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    keys = house_keys(folder, (1, 4), 2)

    assert [(key.level, key.number) for key in keys] == [(1, 1), (1, 2), (4, 1), (4, 2)]
    assert len({key.secret for key in keys}) == 4
    assert house_keys(folder, (4,), 2) == keys[2:]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert keys[0].secret.to_hex() not in f"{keys[0]} {keys[0]!r}"


@pytest.mark.parametrize(
    "content", [b"nsec1", b"ab" * 31, b"00" * 32, b"\xff\xfea\0", b"\xff" * 64]
)
def test_a_file_that_holds_no_key_is_named_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "level-1-1.key"
    path.write_bytes(content)

    with pytest.raises(ValueError, match=r"level-1-1\.key holds no key: an nsec or 64"):
        house_keys(tmp_path, (1,), 1)
    assert path.read_bytes() == content


def test_a_key_is_read_as_editors_save_it(tmp_path: Path) -> None:
    (tmp_path / "level-1-1.key").write_bytes(b"\xef\xbb\xbf" + b"ab" * 32 + b"\r\n")

    assert house_keys(tmp_path, (1,), 1)[0].secret.to_hex() == "ab" * 32


@pytest.mark.parametrize(("megabytes", "games"), [(16, 1), (1_000, 12), (8_000, 100)])
def test_as_many_games_are_played_as_engines_fit_into_a_quarter_of_the_memory(
    monkeypatch: pytest.MonkeyPatch, megabytes: int, games: int
) -> None:
    pages = {"SC_PHYS_PAGES": megabytes * 250, "SC_PAGE_SIZE": 4_000}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    assert games_in_memory() == games


def a_thought(clock_ms: int | None) -> Think:
    limits = Limits(white_ms=clock_ms, black_ms=clock_ms, depth=1)
    return Think(state(), limits)


async def until_gone(host: EngineHost) -> None:
    """Until the engine's process has ended."""
    async with asyncio.timeout(30):
        while host.pid is not None:  # noqa: ASYNC110 - a host tells no one
            await asyncio.sleep(0.01)


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int | None]]:
    """The depths and nodes that our own engine is asked for; it finds no move."""
    asked: list[tuple[int, int | None]] = []

    def search(*_: object, depth: int, nodes: int | None) -> object:
        asked.append((depth, nodes))
        raise ValueError

    monkeypatch.setattr("clients.bot.engine_host.search", search)
    return asked


async def test_an_engine_starts_for_a_question_and_ends_after_a_rest(ours: list[object]) -> None:
    answers: asyncio.Queue[EngineMoved | EngineFailed] = asyncio.Queue()
    config = Config(Engine(name="plain", go_commands=GoCommands(depth=1)))
    host = EngineHost(config, 1, answers.put_nowait, lambda _: None, rest_seconds=0.05)
    try:
        for clock_ms in (None, 60_000):
            await until_gone(host)
            host.think(a_thought(clock_ms))
            assert isinstance(await asyncio.wait_for(answers.get(), 30), EngineMoved)
    finally:
        await host.close()
    assert ours == []


async def test_without_its_engine_a_weak_player_stays_weak(ours: list[object]) -> None:
    answers: asyncio.Queue[EngineMoved | EngineFailed] = asyncio.Queue()
    host = EngineHost(Config(), 1, answers.put_nowait, lambda _: None, rest_seconds=60)
    try:
        host.think(Think(state(), Limits(), by_fallback=True))
        assert isinstance(await asyncio.wait_for(answers.get(), 30), EngineFailed)
    finally:
        await host.close()
    assert ours == [(1, 300)]
