"""The variables of `make run`, as the server gets them."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clients.bot.house import PLAYERS, read_levels
from clients.bot.keys import house_keys
from local.processes import Part, PartFailed, Supervisor
from local.run import HOUSE, SERVER, house_part, server_file, server_part, start
from local.settings import Settings, settings_from
from server.endpoints import endpoints_path
from server.settings import read_settings


def _read(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """The server's own reading of the command and the environment that it is given."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = settings_from(environment)
    part = server_part(settings)
    words = part.command[part.command.index("serve") + 1 :]
    flags = {
        flag[2:].replace("-", "_"): it for flag, it in zip(words[::2], words[1::2], strict=True)
    }
    read = read_settings(flags, part.environment)
    return read.data, str(read.listen), read.relays, read.http, read.rules.illegal_moves_to_lose


@pytest.mark.parametrize(
    ("relays", "seen"),
    [
        ("", ("ws://127.0.0.1:7300",)),
        ("wss://a.example,ws://b.example", ("wss://a.example", "ws://b.example")),
        ("none", ()),
    ],
)
def test_the_server_listens_and_plays_where_the_run_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relays: str, seen: tuple[str, ...]
) -> None:
    given = {
        "RUN_DIR": str(tmp_path),
        "PORT_BASE": "7300",
        "RELAYS": relays,
        "REQUESTS_PER_ADDRESS": "70",
        "ARBITER_RULES_ILLEGAL_MOVES_TO_LOSE": "5",
    }

    data, listen, relays_read, limits, illegal_moves = _read(given, monkeypatch)

    assert (data, listen, relays_read, illegal_moves) == (tmp_path, "127.0.0.1:7302", seen, 5)
    assert (limits.per_address, limits.per_browser, limits.new_games_per_address) == (70, 70, 7)


def test_the_server_announces_the_keys_that_the_house_plays_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARBITER_HOUSE", raising=False)
    settings = settings_from({"RUN_DIR": str(tmp_path), "HOUSE": "1,4", "RELAYS": "none"})

    told = read_settings({}, server_part(settings).environment).house
    command = house_part(settings, "ab" * 32).command
    given = dict(zip(command[3::2], command[4::2], strict=True))
    keys = house_keys(Path(given["--keys"]), read_levels(given["--levels"]), PLAYERS)

    assert [str(player) for player in told] == [str(key) for key in keys]
    assert [player.level for player in told] == [1] * PLAYERS + [4] * PLAYERS
    assert (given["--relays"], given["--server"]) == (settings.websocket_url, "ab" * 32)


def test_a_run_without_a_house_announces_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARBITER_HOUSE", raising=False)
    settings = settings_from({"RUN_DIR": str(tmp_path), "HOUSE": "0"})

    assert read_settings({}, server_part(settings).environment).house == ()
    assert not (tmp_path / "house").exists()


class _Starting(Supervisor):
    """Notes, at each wait, whether the run says that it is ready; ``is_heard`` is the house's."""

    def __init__(self, settings: Settings, *, is_heard: bool) -> None:
        super().__init__(settings.run_dir, settings.run_dir, threading.Event())
        self._settings = settings
        self._is_heard = is_heard
        self.seen: dict[str, bool] = {}

    def start(self, part: Part) -> None:
        """Start nothing."""

    def wait_until(self, name: str, is_ready: Callable[[], bool], timeout_seconds: float) -> None:
        """Wait for nothing."""
        self.seen[name] = endpoints_path(self._settings.run_dir).exists()
        if name == SERVER:
            told = {"server_pubkey": "ab" * 32, "pid": 7}
            server_file(self._settings).write_text(json.dumps(told), encoding="utf-8")
            assert is_ready()
        if name == HOUSE and not self._is_heard:
            raise PartFailed(f"{name} does not answer after {timeout_seconds} s")


@pytest.mark.parametrize("is_heard", [True, False], ids=["answers", "does not answer"])
def test_the_run_is_ready_once_the_house_answers_or_is_given_up_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    is_heard: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    monkeypatch.delenv("ARBITER_HOUSE", raising=False)
    settings = settings_from({"RUN_DIR": str(tmp_path), "HOUSE": "1", "RELAYS": "none"})
    starting = _Starting(settings, is_heard=is_heard)

    start(settings, "ab" * 32, starting)

    assert starting.seen == {SERVER: False, HOUSE: False}
    told = json.loads(endpoints_path(tmp_path).read_text(encoding="utf-8"))
    assert told == {"server_pubkey": "ab" * 32}
    assert ("house does not answer" in capfd.readouterr().out) is not is_heard
