"""The call of the program, also again, and the one sentence about a wrong call."""

import json
from pathlib import Path

import pytest

from arbiter.nostr.nip19 import encode_npub
from clients.player.terms import Terms, TimeControl
from clients.terminal.identity import Identity
from clients.terminal.options import Options, play_again, read_options, uses_color
from tests.builders import ALICE, BOB, SERVER

ELSEWHERE = {"SERVER": SERVER.pubkey, "RELAYS": "wss://one"}
KINGS = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def options(environment: dict[str, str], *arguments: str) -> Options:
    return read_options(list(arguments), environment)


def complaint(environment: dict[str, str], *arguments: str) -> str:
    with pytest.raises(ValueError, match=r"\w") as refused:
        read_options(list(arguments), environment)
    text = str(refused.value)
    assert "\n" not in text
    assert "\x1b" not in text
    return text


def test_the_arbiter_of_this_machine_is_found_by_its_endpoints_file(tmp_path: Path) -> None:
    here = {"RUN_DIR": str(tmp_path)}
    assert "make run" in complaint(here)
    endpoints = {"server_pubkey": SERVER.pubkey, "relays": ["ws://127.0.0.1:7100"], "more": 1}
    (tmp_path / "endpoints.json").write_text(json.dumps(endpoints))
    read = options(here)
    assert (read.server, read.relays) == (SERVER.pubkey, ("ws://127.0.0.1:7100",))
    assert options(here | {"RELAYS": "ws://other"}).relays == ("ws://other",)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"relays": []}', '{"server_pubkey": 1, "relays": 1}']
)
def test_an_endpoints_file_that_cannot_be_read_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "endpoints.json").write_text(text)
    assert "endpoints.json" in complaint({"RUN_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    ("environment", "arguments", "says"),
    [
        ({"SERVER": SERVER.pubkey}, "", "RELAYS"),
        ({"SERVER": "npub1oops", "RELAYS": "ws://one"}, "", "npub"),
        ({"SERVER": SERVER.pubkey, "RELAYS": "http://one"}, "", "ws://"),
        ({"SERVER": SERVER.pubkey, "RELAYS": ","}, "", "ws://"),
        (ELSEWHERE, "--rated", "A rated game is standard chess with a time control"),
        (ELSEWHERE, "--time soon", "no term of a game"),
        (ELSEWHERE, "--time 3", "no time control: 3+2"),
        (ELSEWHERE, "--challenge npub1nobody", "That npub is mistyped"),
        (ELSEWHERE, "--watch \xa0", "no id of a game"),
        (ELSEWHERE, "--accept \x1b[2J", "no id of a challenge"),
    ],
)
def test_a_wrong_setting_is_named(environment: dict[str, str], arguments: str, says: str) -> None:
    assert says in complaint(environment, *arguments.split(" ") * bool(arguments))


def test_the_game_is_chosen() -> None:
    read = options(ELSEWHERE, *["--time", "3+2", "--rated", "--rating", "1400-1800", "--bots"])
    assert read.terms == Terms(time=TimeControl(180, 2), rated=True, rating=(1400, 1800), bots=True)
    challenge = ("--challenge", encode_npub(BOB.pubkey), "--variant", "chess960", "--start", KINGS)
    read = options(ELSEWHERE, *challenge, "--color", "white")
    assert read.terms == Terms(color="white", variant="chess960", start=KINGS, challenge=BOB.pubkey)
    assert options(ELSEWHERE, "--watch", "f" * 32).watch == "f" * 32
    assert options(ELSEWHERE, "--accept", "f" * 32).accept == "f" * 32


@pytest.mark.parametrize(
    ("choice", "is_terminal", "environment", "colors"),
    [
        ("auto", True, {"TERM": "xterm"}, True),
        ("auto", False, {"TERM": "xterm"}, False),
        ("always", False, {"TERM": "xterm", "NO_COLOR": "1"}, True),
        ("auto", True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", True, {"TERM": "dumb"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch,
    choice: str,
    environment: dict[str, str],
    *,
    is_terminal: bool,
    colors: bool,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert uses_color(choice, is_terminal=is_terminal) is colors


NAMED = Identity("alice", ALICE, None, 3)
DEFAULT = Identity("player", ALICE, None, 3)


@pytest.mark.parametrize(
    ("environment", "identity", "command"),
    [
        ({}, DEFAULT, "make play"),
        ({"RUN_DIR": ".run"}, DEFAULT, "make play"),
        ({"RUN_DIR": ".run/"}, DEFAULT, "make play"),
        ({"RUN_DIR": "/home/a run"}, NAMED, "make play RUN_DIR='/home/a run' PLAYER=alice"),
        (
            ELSEWHERE | {"RUN_DIR": "/srv/run"},
            DEFAULT,
            f"make play RELAYS=wss://one SERVER={SERVER.pubkey}",
        ),
        ({"ARBITER_SECRET_KEY": "x"}, Identity("the key in …", ALICE), "make play"),
    ],
)
def test_the_command_to_play_again_names_the_same_arbiter_and_player(
    environment: dict[str, str], identity: Identity, command: str
) -> None:
    assert play_again(options(ELSEWHERE), identity, environment) == command


def test_the_command_to_play_again_names_the_key_file_and_never_the_key() -> None:
    again = play_again(options(ELSEWHERE, "--key", "a b.key"), NAMED, {})
    assert again == """make play ARGS='--key '"'"'a b.key'"'"''"""
