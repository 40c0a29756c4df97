"""How the program is called, also again, and the one sentence when it is called wrongly."""

import json
from pathlib import Path

import pytest

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.terminal.identity import Identity
from clients.terminal.options import Misused, Options, play_again, read_options, uses_color
from clients.terminal.terms import Terms
from tests.builders import ALICE, BOB, SERVER

ELSEWHERE = {"SERVER": SERVER.pubkey, "RELAYS": "wss://one"}


def options(environment: dict[str, str], *arguments: str) -> Options:
    read = read_options(list(arguments), environment)
    assert isinstance(read, Options)
    return read


def complaint(environment: dict[str, str]) -> str:
    read = read_options([], environment)
    assert isinstance(read, Misused)
    assert "\n" not in read.text
    return read.text


@pytest.mark.parametrize("server", [SERVER.pubkey, encode_npub(SERVER.pubkey)])
def test_an_arbiter_elsewhere_is_named_by_relays_and_server(server: str) -> None:
    read = options({"RELAYS": "wss://one, ws://two,wss://one,", "SERVER": server})
    assert read.server == SERVER.pubkey
    assert read.relays == ("wss://one", "ws://two")


def test_the_arbiter_of_this_machine_is_found_by_its_endpoints_file(tmp_path: Path) -> None:
    endpoints = {"server_pubkey": SERVER.pubkey, "relays": ["ws://127.0.0.1:7100"], "more": 1}
    (tmp_path / "endpoints.json").write_text(json.dumps(endpoints))
    read = options({"RUN_DIR": str(tmp_path)})
    assert (read.server, read.relays) == (SERVER.pubkey, ("ws://127.0.0.1:7100",))
    assert options({"RUN_DIR": str(tmp_path), "RELAYS": "ws://other"}).relays == ("ws://other",)


def test_without_an_endpoints_file_it_says_what_to_do(tmp_path: Path) -> None:
    assert "make run" in complaint({"RUN_DIR": str(tmp_path)})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"relays": []}', '{"server_pubkey": 1}'])
def test_an_endpoints_file_that_cannot_be_read_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "endpoints.json").write_text(text)
    assert "endpoints.json" in complaint({"RUN_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"SERVER": SERVER.pubkey}, "RELAYS"),
        ({"SERVER": "npub1oops", "RELAYS": "ws://one"}, "npub"),
        ({"SERVER": SERVER.pubkey, "RELAYS": "http://one"}, "ws://"),
        ({"SERVER": SERVER.pubkey, "RELAYS": ","}, "ws://"),
    ],
)
def test_a_wrong_setting_is_named(environment: dict[str, str], says: str) -> None:
    assert says in complaint(environment)


def test_the_player_is_named_by_argument_or_environment() -> None:
    here = {"RELAYS": "ws://one", "SERVER": SERVER.pubkey}
    assert options(here).player == "player"
    assert options(here | {"PLAYER": "alice"}).player == "alice"
    assert options(here | {"PLAYER": "alice"}, "--player", "bob").player == "bob"


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert uses_color("auto", is_terminal=True)
    assert not uses_color("auto", is_terminal=False)
    assert uses_color("always", is_terminal=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not uses_color("auto", is_terminal=True)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not uses_color("auto", is_terminal=True)


def test_the_game_asked_for_is_said_in_options() -> None:
    options = read_options(
        ["--time", "3+2", "--rated", "--rating", "1400-1800", "--bots"],
        ELSEWHERE,
    )
    assert isinstance(options, Options)
    assert options.terms == Terms(time="180+2", rated=True, rating=(1400, 1800), bots=True)


def test_a_challenge_is_said_in_options() -> None:
    start = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    arguments = ["--challenge", encode_npub(BOB.pubkey), "--variant", "chess960", "--start", start]
    options = read_options([*arguments, "--color", "white"], ELSEWHERE)
    assert isinstance(options, Options)
    assert options.terms == Terms(color="white", chess960=True, start=start, challenge=BOB.pubkey)


def test_a_game_is_watched_and_a_challenge_accepted_by_its_id() -> None:
    watching = read_options(["--watch", "f" * 32], ELSEWHERE)
    assert isinstance(watching, Options)
    assert watching.watch == "f" * 32
    accepting = read_options(["--accept", "f" * 32], ELSEWHERE)
    assert isinstance(accepting, Options)
    assert accepting.accept == "f" * 32


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rated"], "A rated game is standard chess with a time control"),
        (["--time", "soon"], "no term of a game"),
        (["--time", "3"], "3+0 is 3 minutes, 3d is 3 days a move"),
        (["--challenge", "npub1nobody"], "That npub is mistyped"),
        (["--watch", "a game"], "no id of a game"),
        (["--accept", "\x1b[2J"], "no id of a game"),
    ],
)
def test_terms_that_make_no_sense_are_told(arguments: list[str], told: str) -> None:
    misused = read_options(arguments, ELSEWHERE)
    assert isinstance(misused, Misused)
    assert told in misused.text
    assert "\x1b" not in misused.text


def test_the_bell_is_off_by_a_switch() -> None:
    assert options(ELSEWHERE).bell
    assert not options(ELSEWHERE, "--no-bell").bell


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
            f"make play RELAYS=wss://one SERVER={SERVER.pubkey}",
        ),
        ({"ARBITER_SECRET_KEY": "x"}, Identity("the key in …", ALICE), "make play"),
    ],
)
def test_the_command_names_the_same_arbiter_and_the_same_player(
    environment: dict[str, str], identity: Identity, command: str
) -> None:
    assert play_again(options(ELSEWHERE), identity, environment) == command


def test_the_command_names_the_key_file_and_never_the_key() -> None:
    key = SecretKey.generate(b"\x01" * 32)
    again = play_again(
        options(ELSEWHERE, "--key", "a b.key"), Identity(Path("a b").stem, key, None, 3), {}
    )
    assert again == """make play ARGS='--key '"'"'a b.key'"'"''"""
