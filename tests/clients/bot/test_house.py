"""House players: whom they play, and what happens when several ask for one."""

import asyncio
import stat
from pathlib import Path

import pytest

from clients.bot.config import Config, Engine, GoCommands
from clients.bot.engine_host import EngineHost
from clients.bot.house import read_levels
from clients.bot.house_config import PATIENCE_SECONDS, config_of
from clients.bot.keys import house_keys
from clients.bot.messages import Message
from clients.bot.model import EngineFailed, EngineMoved, Phase, Think
from clients.bot.session import begin, is_at_rest
from clients.bot.timing import Limits
from tests.clients.bot.scene import ARBITER, ME, OTHER, Scene, state, told

CLOCK = ("time", "180+2")


def a_challenge(number: int, *tags: tuple[str, ...]) -> Message:
    return told(20301, f"challenged:{number:032x}:{OTHER}", *tags)


def a_house(*, is_idle: bool = True) -> Scene:
    """A house player that has asked for its game, and has none."""
    scene = Scene(config_of(3, 1))
    if is_idle:
        scene.answer("error:unknown-game: you neither play nor wait")
        assert scene.session.phase is Phase.IDLE
    return scene


@pytest.mark.parametrize(
    "tags", [(), (CLOCK,), (("time", "10800+180"),), (("variant", "chess960"),)]
)
def test_any_casual_game_is_accepted_at_once(tags: tuple[tuple[str, ...], ...]) -> None:
    scene = a_house()
    scene.give(a_challenge(1, *tags))
    scene.later(0.2)

    assert scene.said == [f"accept:{1:032x}"]


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ((CLOCK, ("mode", "rated")), "casual"),
        ((("time", "3d"),), "timeControl"),
        ((("start", "8/8/8/8/8/8/8/K1k5 w - - 0 1"),), "variant"),
    ],
)
def test_any_other_is_declined_with_the_reason(
    tags: tuple[tuple[str, ...], ...], reason: str
) -> None:
    scene = a_house()
    scene.give(a_challenge(1, *tags))

    assert scene.said == [f"decline:{1:032x}:{reason}"]


def test_who_comes_during_a_game_or_while_one_begins_is_told_to_come_later() -> None:
    scene = a_house()
    scene.give(a_challenge(1, CLOCK))
    scene.give(a_challenge(2, CLOCK))
    assert scene.said == [f"decline:{2:032x}:later"]
    scene.later(0.2)
    scene.give(a_challenge(3, CLOCK))
    assert scene.said == [f"decline:{3:032x}:later"]
    scene.start()
    scene.give(a_challenge(4, CLOCK))
    assert scene.said == [f"decline:{4:032x}:later"]


def test_who_comes_before_the_game_that_goes_on_is_known_is_told_so_once_it_is() -> None:
    scene = a_house(is_idle=False)
    scene.give(a_challenge(1, CLOCK))
    assert scene.said == []
    scene.start()

    assert scene.said == [f"decline:{1:032x}:later"]
    assert scene.session.challenges == ()


def a_game_without_a_clock() -> Scene:
    """Our move was made, and the opponent thinks."""
    scene = a_house()
    scene.start(state(time=""))
    scene.think("e2e4")
    scene.sees(["e2e4"], time="")
    return scene


def test_an_opponent_who_is_gone_makes_room_when_another_player_asks() -> None:
    scene = a_game_without_a_clock()
    scene.now += (PATIENCE_SECONDS - 1) * 1000
    scene.give(a_challenge(1))
    assert scene.said == [f"decline:{1:032x}:later"]
    scene.now += 1_000
    scene.give(a_challenge(2))
    assert scene.said == ["quit"]
    scene.sees(["e2e4"], ("result", "*"), ("termination", "aborted"), version=3, time="")
    scene.later(0.2)

    assert scene.said == [f"accept:{2:032x}"]


def test_who_moved_a_moment_ago_keeps_the_game_and_so_does_who_has_a_clock() -> None:
    scene = a_game_without_a_clock()
    scene.now += PATIENCE_SECONDS * 1000
    scene.sees(["e2e4", "e7e5"], time="")
    scene.think("g1f3")
    scene.sees(["e2e4", "e7e5", "g1f3"], time="")
    scene.give(a_challenge(1))
    assert scene.said == [f"decline:{1:032x}:later"]

    clocked = a_house()
    clocked.start(state(time="10800+0"))
    clocked.think("e2e4")
    clocked.sees(["e2e4"], time="10800+0")
    clocked.now += PATIENCE_SECONDS * 1000
    clocked.give(a_challenge(1))
    assert clocked.said == [f"decline:{1:032x}:later"]


def test_a_house_player_without_a_visitor_has_nothing_to_do() -> None:
    assert is_at_rest(begin(config_of(3, 1), ME, ARBITER))
    scene = a_house(is_idle=False)
    assert not is_at_rest(scene.session), "its question may be lost"
    scene.answer("error:unknown-game: you neither play nor wait")
    assert is_at_rest(scene.session)
    scene.give(a_challenge(1))
    assert not is_at_rest(scene.session)
    scene.later(0.2)
    scene.start()
    assert not is_at_rest(scene.session)


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
    assert keys[0].secret.hex() not in f"{keys[0]} {keys[0]!r}"


def a_thought(clock_ms: int | None) -> Think:
    limits = Limits(white_ms=clock_ms, black_ms=clock_ms, depth=1)
    return Think(state(), limits)


async def until_gone(host: EngineHost) -> None:
    """Until the engine's process has ended."""
    async with asyncio.timeout(30):
        while host.pid is not None:  # noqa: ASYNC110 - a host tells no one
            await asyncio.sleep(0.01)


async def test_an_engine_starts_for_a_question_and_ends_after_a_rest() -> None:
    answers: asyncio.Queue[EngineMoved | EngineFailed] = asyncio.Queue()
    config = Config(Engine(name="plain", go_commands=GoCommands(depth=1)))
    host = EngineHost(config, 1, answers.put_nowait, lambda _: None, rest_seconds=0.05)
    try:
        for clock_ms in (None, 60_000):
            await until_gone(host)
            host.think(a_thought(clock_ms))
            assert isinstance(await asyncio.wait_for(answers.get(), 30), EngineMoved)
            assert host.is_ready, "our own engine moved in its place"
    finally:
        await host.close()


async def test_without_its_engine_a_weak_player_stays_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int | None]] = []

    def search(*_: object, depth: int, nodes: int | None) -> object:
        asked.append((depth, nodes))
        raise ValueError

    monkeypatch.setattr("clients.bot.engine_host.search", search)

    answers: asyncio.Queue[EngineMoved | EngineFailed] = asyncio.Queue()
    host = EngineHost(Config(), 1, answers.put_nowait, lambda _: None, rest_seconds=60)
    try:
        host.think(Think(state(), Limits(), by_fallback=True))
        assert isinstance(await asyncio.wait_for(answers.get(), 30), EngineFailed)
    finally:
        await host.close()
    assert asked == [(1, 300)]
