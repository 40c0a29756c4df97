"""What `make run` makes of its variables for the server."""

from pathlib import Path
from typing import Any

import pytest

from local.run import server_part
from local.settings import Settings, settings_from
from server.settings import read_settings


def _read(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """The server's own reading of the command and the environment that it is given."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = settings_from(environment)
    assert isinstance(settings, Settings)
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
        "REQUESTS_PER_BROWSER": "7",
        "ARBITER_RULES_ILLEGAL_MOVES_TO_LOSE": "5",
    }

    data, listen, relays_read, limits, illegal_moves = _read(given, monkeypatch)

    assert (data, listen, relays_read, illegal_moves) == (tmp_path, "127.0.0.1:7302", seen, 5)
    assert (limits.per_address, limits.per_browser, limits.new_games_per_address) == (0, 7, 0)
