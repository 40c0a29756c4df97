"""The program as a person meets it: on a terminal, key by key."""

import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

from arbiter.nostr.event import EventTemplate, event_to_json
from clients.terminal.session import ExitCode
from tests.builders import ALICE, BOB, SERVER
from tests.clients.terminal.fake_arbiter import FakeArbiter
from tests.clients.terminal.program import ROOT, Program
from tests.fakes.relay import FakeRelay

PATIENCE_SECONDS = 20.0


class Terminal:
    """A pseudo-terminal of 80 by 24 with the client on it. Use it in a ``with``."""

    def __init__(
        self,
        relay: FakeRelay,
        home: Path,
        *,
        command: Sequence[str] = (sys.executable, "-m", "clients.terminal"),
        **environment: str,
    ) -> None:
        self._master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._slave, (24, 80))
        self.modes = termios.tcgetattr(self._slave)
        self.shown = ""
        self.ever_shown = ""
        self.process = subprocess.Popen(
            # A session's first process has the terminal that it opens: Ctrl-C reaches its group.
            ("sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', os.ttyname(self._slave), *command),
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/arbiter/python'}",
                "PYTHONUTF8": "1",
                "HOME": str(home),
                "TERM": "xterm-256color",
                "SERVER": SERVER.pubkey,
                "RELAYS": relay.url,
                **environment,
            },
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_SECONDS)
        os.close(self._master)
        os.close(self._slave)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def until(self, text: str) -> str:
        """All that was shown up to and with this text, which is then forgotten."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self.shown:
            ready, _, _ = select.select([self._master], [], [], deadline - time.monotonic())
            assert ready, f"waited in vain for {text!r}: {self.shown!r}"
            more = os.read(self._master, 65_536).decode("utf-8", "replace")
            self.shown += more
            self.ever_shown += more
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def rest(self) -> str:
        """What is still shown until the program has ended."""
        self.process.wait(PATIENCE_SECONDS)
        while select.select([self._master], [], [], 0)[0]:
            self.shown += os.read(self._master, 65_536).decode("utf-8", "replace")
        return self.shown

    def left(self) -> int:
        """The exit code; the terminal is as it was."""
        code = self.process.wait(PATIENCE_SECONDS)
        assert termios.tcgetattr(self._slave) == self.modes
        return code


def test_a_person_plays_a_move_and_keeps_the_game_for_later(tmp_path: Path) -> None:
    arbiter = FakeArbiter(SERVER)
    secret = {"ARBITER_SECRET_KEY": ALICE.to_nsec()}
    with (
        FakeRelay(on_event=arbiter.on_event) as relay,
        Terminal(relay, tmp_path, **secret) as terminal,
    ):
        arbiter.relay = relay
        terminal.until("waiting for an opponent")
        with Program(secret=BOB.to_hex(), server=SERVER.pubkey, relays=[relay.url]) as bob:
            board = terminal.until("your move, white")
            assert "\x1b[48;5;" in board
            # A word half typed outlives the news that arrives in the middle of it.
            terminal.press("d4\x7f\x7fe4\r")
            bob.until("state", ply=1)
            terminal.until("1. e4")
            terminal.press("quit\r")
            terminal.until("Leave:")
            terminal.press("k\r")
            assert "The game waits for you" in terminal.until("waits for you")
            assert terminal.left() == ExitCode.ENDED
    assert ALICE.to_nsec() not in terminal.ever_shown
    assert ALICE.to_hex() not in terminal.ever_shown


def test_ctrl_c_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    arbiter = FakeArbiter(SERVER)
    with (
        FakeRelay(on_event=arbiter.on_event) as relay,
        Terminal(relay, tmp_path, NO_COLOR="1") as terminal,
    ):
        arbiter.relay = relay
        shown = terminal.until("waiting for an opponent")
        assert "\x1b[48;5;" not in shown
        terminal.press("\x03")
        assert terminal.left() == ExitCode.INTERRUPTED
    assert (tmp_path / ".config" / "arbiter" / "player.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("option", ["--help", "--wrong"])
def test_help_and_wrong_use_come_before_anything_else(option: str) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT / 'layers/arbiter/python'}"}
    ran = subprocess.run(
        [sys.executable, "-m", "clients.terminal", option],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == (0 if option == "--help" else ExitCode.USAGE)
    assert "exit codes" in ran.stdout or "usage" in ran.stderr


def test_both_clocks_stand_in_the_prompt(tmp_path: Path) -> None:
    arbiter = FakeArbiter(SERVER)
    secret = {"ARBITER_SECRET_KEY": ALICE.to_nsec()}
    with (
        FakeRelay(on_event=arbiter.on_event) as relay,
        Terminal(relay, tmp_path, **secret) as terminal,
    ):
        arbiter.relay = relay
        terminal.until("waiting for an opponent")
        with Program(secret=BOB.to_hex(), server=SERVER.pubkey, relays=[relay.url]) as bob:
            terminal.until("you 2:55, opponent 3:00; your move, white")
            bob.until("state", ply=0)
            bob.enter("draw")
            terminal.until("draw offered, accept or decline?")
            bob.enter("say \u202eagreed?")
            terminal.until(": agreed?")
            terminal.press("accept\r")
            assert bob.until("ended")["outcome"] == "drawn"
            terminal.until("The game is a draw by agreement")


MAKE_PLAY = ("make", "-o", ".venv/.dev", "play")
"""What is installed is not looked at: the tests run with it."""


def test_ctrl_c_under_make_ends_without_a_word_of_make_s(tmp_path: Path) -> None:
    arbiter = FakeArbiter(SERVER)
    secret = {"ARBITER_SECRET_KEY": ALICE.to_nsec()}
    with (
        FakeRelay(on_event=arbiter.on_event) as relay,
        Terminal(relay, tmp_path, command=MAKE_PLAY, **secret) as terminal,
    ):
        arbiter.relay = relay
        terminal.until("waiting for an opponent")
        with Program(secret=BOB.to_hex(), server=SERVER.pubkey, relays=[relay.url]):
            terminal.until("your move, white")
            terminal.press("\x03")
            rest = terminal.rest()
    assert "The game waits for you" in rest
    assert f"make play RELAYS={relay.url} SERVER={SERVER.pubkey}" in rest
    assert "***" not in rest
    assert "Error" not in rest
    assert "Traceback" not in rest


@pytest.mark.parametrize(("arguments", "bells"), [((), 1), (("--no-bell",), 0)])
def test_a_bell_rings_when_it_becomes_our_turn(
    tmp_path: Path, arguments: tuple[str, ...], bells: int
) -> None:
    arbiter = FakeArbiter(SERVER)
    command = (sys.executable, "-m", "clients.terminal", *arguments)
    secret = {"ARBITER_SECRET_KEY": ALICE.to_nsec()}
    with (
        FakeRelay(on_event=arbiter.on_event) as relay,
        Terminal(relay, tmp_path, command=command, **secret) as terminal,
    ):
        arbiter.relay = relay
        terminal.until("waiting for an opponent")
        with Program(secret=BOB.to_hex(), server=SERVER.pubkey, relays=[relay.url]):
            terminal.until("your move, white")
            terminal.press("help\r")
            terminal.until("help quit")
    assert terminal.ever_shown.count("\a") == bells


def test_ascii_is_ascii_in_a_whole_game(tmp_path: Path) -> None:
    arbiter = FakeArbiter(SERVER)
    command = (sys.executable, "-m", "clients.terminal", "--ascii")
    secret = {"ARBITER_SECRET_KEY": ALICE.to_nsec()}
    with (
        FakeRelay(on_event=arbiter.on_event) as relay,
        Terminal(relay, tmp_path, command=command, **secret) as terminal,
    ):
        arbiter.relay = relay
        profile = EventTemplate(0, (), '{"name": "J\u00f6rg \u265f"}', 1_800_000_000)
        relay.remembered.append(event_to_json(BOB.sign(profile)))
        terminal.until("waiting for an opponent")
        with Program(secret=BOB.to_hex(), server=SERVER.pubkey, relays=[relay.url]) as bob:
            terminal.until("black Jorg ?")
            bob.until("state", ply=0)
            bob.enter("say \u201egr\u00fc\u00df dich\u201c \u2014 \U0001f600")
            terminal.until("Jorg ?: ")
            terminal.press("\u00fc\r")
            terminal.until("neither a move nor a command")
            terminal.press("e4\r")
            terminal.until("1. e4")
            terminal.press("\x03")
            terminal.rest()
    assert (terminal.ever_shown + terminal.shown).isascii()


@pytest.mark.parametrize(
    "arguments", [("--ascii",), ("--asc", "--time", "\u00bd"), ("--ascii", "--wr\u00f6ng")]
)
def test_ascii_holds_for_complaints_too(arguments: tuple[str, ...]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "clients.terminal", *arguments],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT / 'layers/arbiter/python'}",
            "PYTHONUTF8": "1",
            "RUN_DIR": "/nowhere",
        },
        capture_output=True,
        check=False,
    )
    assert ran.returncode == ExitCode.USAGE
    assert ran.stderr.isascii()
    assert ran.stderr
