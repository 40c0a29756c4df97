"""Who leaves a game is told whether a clock runs, and how to come back."""

from pathlib import Path
from typing import Any

import chess
import pytest

from arbiter.nostr.keys import SecretKey
from clients.terminal.identity import Identity
from clients.terminal.options import Options, play_again, read_options
from clients.terminal.prompt import farewell
from tests.builders import ALICE, SERVER
from tests.clients.terminal.scene import START, Scene, playing, playing_full

START_MS = int(START) * 1000
GOES_ON = "The game goes on without you."
ELSEWHERE = {"SERVER": SERVER.pubkey, "RELAYS": "wss://one,wss://two"}


def clocked(moves: str, left_ms: int, *, time: str = "180+2") -> Scene:
    tags: dict[str, Any] = {
        "time": time,
        "clock_ms": (161_000, 90_000),
        "deadline_ms": START_MS + left_ms,
    }
    return playing_full(moves, alice=chess.WHITE, **tags)


@pytest.mark.parametrize(
    ("scene", "told"),
    [
        (playing("e4 e5"), "The game waits for you."),
        (clocked("e4 e5", 162_000), f"{GOES_ON} Your clock runs: 2:41 left."),
        (
            clocked("e4 e5 Nf3", 91_000),
            f"{GOES_ON} Your opponent's clock runs: 1:30 left.",
        ),
        (
            clocked("", 25_000),
            f"{GOES_ON} Without your first move in 0:25 it is aborted.",
        ),
        (
            clocked("e4", 25_000),
            f"{GOES_ON} Your opponent has 0:25 for the first move.",
        ),
    ],
)
def test_a_running_clock_is_told(scene: Scene, told: str) -> None:
    assert farewell(scene.game, "make play", START) == f"{told}\nTo go on with it: make play\n"


def options(*arguments: str) -> Options:
    read = read_options(list(arguments), ELSEWHERE)
    assert isinstance(read, Options)
    return read


NAMED = Identity("alice", ALICE, None, 3)
DEFAULT = Identity("player", ALICE, None, 3)


@pytest.mark.parametrize(
    ("environment", "identity", "command"),
    [
        ({}, DEFAULT, "make play"),
        ({"RUN_DIR": ".run"}, DEFAULT, "make play"),
        ({"RUN_DIR": ".run/"}, DEFAULT, "make play"),
        (
            {"RUN_DIR": "/home/alice/a run"},
            NAMED,
            "make play RUN_DIR='/home/alice/a run' PLAYER=alice",
        ),
        (
            ELSEWHERE | {"RUN_DIR": "/srv/run"},
            DEFAULT,
            f"make play RELAYS=wss://one,wss://two SERVER={SERVER.pubkey}",
        ),
        ({"ARBITER_SECRET_KEY": "x"}, Identity("the key in …", ALICE), "make play"),
    ],
)
def test_the_command_names_the_same_arbiter_and_the_same_player(
    environment: dict[str, str], identity: Identity, command: str
) -> None:
    assert play_again(options(), identity, environment) == command


def test_the_command_names_the_key_file_and_never_the_key() -> None:
    key = SecretKey.generate(b"\x01" * 32)
    again = play_again(options("--key", "a b.key"), Identity(Path("a b").stem, key, None, 3), {})
    assert again == """make play ARGS='--key '"'"'a b.key'"'"''"""
