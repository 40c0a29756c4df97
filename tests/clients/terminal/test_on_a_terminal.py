"""The program as a person meets it: on a terminal, key by key."""

import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arbiter.nostr.event import EventTemplate, event_to_json
from clients.terminal.session import ExitCode
from tests.builders import ALICE, BOB, SERVER
from tests.clients.terminal.fake_arbiter import an_arbiter
from tests.clients.terminal.program import ROOT, Program
from tests.fakes.relay import FakeRelay

PATIENCE_SECONDS = 20.0
CLIENT = (sys.executable, "-m", "clients.terminal")


class Terminal:
    """A pseudo-terminal of 80 by 24 with the client on it."""

    def __init__(self, relay: FakeRelay, home: Path, command: Sequence[str]) -> None:
        self.relay = relay
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (24, 80))
        self.modes = termios.tcgetattr(self.slave)
        self.shown = ""
        self.ever_shown = ""
        self.process = subprocess.Popen(
            # A session's first process has the terminal that it opens: Ctrl-C reaches its group.
            ("sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', os.ttyname(self.slave), *command),
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/arbiter/python'}",
                "PYTHONUTF8": "1",
                "HOME": str(home),
                "TERM": "xterm-256color",
                "SERVER": SERVER.pubkey,
                "RELAYS": relay.url,
                "ARBITER_SECRET_KEY": ALICE.to_nsec(),
            },
            start_new_session=True,
        )

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def until(self, text: str) -> str:
        """All that was shown up to and with this text, which is then forgotten."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self.shown:
            ready, _, _ = select.select([self.master], [], [], deadline - time.monotonic())
            assert ready, f"waited in vain for {text!r}: {self.shown!r}"
            self._read()
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def rest(self) -> str:
        """The output until the program has ended."""
        self.process.wait(PATIENCE_SECONDS)
        while select.select([self.master], [], [], 0)[0]:
            self._read()
        return self.shown

    def left(self) -> int:
        """The exit code; the terminal is as it was."""
        code = self.process.wait(PATIENCE_SECONDS)
        assert termios.tcgetattr(self.slave) == self.modes
        return code

    def _read(self) -> None:
        more = os.read(self.master, 65_536).decode("utf-8", "replace")
        self.shown += more
        self.ever_shown += more


@contextmanager
def waiting(home: Path, *options: str, command: Sequence[str] = CLIENT) -> Iterator[Terminal]:
    """Alice at a terminal, waiting for an opponent."""
    with an_arbiter() as relay:
        profile = EventTemplate(0, (), '{"name": "J\u00f6rg \u265f"}', 1_800_000_000)
        relay.remembered.append(event_to_json(BOB.sign(profile)))
        terminal = Terminal(relay, home, (*command, *options))
        try:
            terminal.until("waiting for an opponent")
            yield terminal
        finally:
            terminal.process.kill()
            terminal.process.wait(PATIENCE_SECONDS)
            os.close(terminal.master)
            os.close(terminal.slave)


def bob(terminal: Terminal) -> Program:
    return Program(secret=BOB.to_hex(), server=SERVER.pubkey, relays=[terminal.relay.url])


def test_a_person_plays_a_move_and_keeps_the_game_for_later(tmp_path: Path) -> None:
    with waiting(tmp_path) as terminal, bob(terminal) as opponent:
        assert "\x1b[48;5;" in terminal.until("you 2:55, opponent 3:00; your move, white")
        # A word half typed outlives the news that arrives in the middle of it.
        terminal.press("d4\x7f\x7fe4\r")
        opponent.until("state", ply=1)
        terminal.until("1. e4")
        terminal.press("quit\r")
        terminal.until("Leave:")
        terminal.press("k\r")
        terminal.until("The game waits for you")
        assert terminal.left() == ExitCode.ENDED
    for secret in (ALICE.to_nsec(), ALICE.to_hex()):
        assert secret not in terminal.ever_shown


def test_ctrl_c_leaves_the_terminal_as_it_was_and_a_key_of_the_player_s_own(tmp_path: Path) -> None:
    without = ("env", "-u", "ARBITER_SECRET_KEY", "NO_COLOR=1", *CLIENT)
    with waiting(tmp_path, command=without) as terminal:
        assert "\x1b[48;5;" not in terminal.ever_shown
        terminal.press("\x03")
        assert terminal.left() == ExitCode.INTERRUPTED
    assert (tmp_path / ".config" / "arbiter" / "player.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("arguments", [("--help",), ("--wrong",), ("--ascii", "--wr\u00f6ng")])
def test_help_and_wrong_use_come_before_anything_else(arguments: tuple[str, ...]) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT / 'layers/arbiter/python'}",
        "PYTHONUTF8": "1",
        "RUN_DIR": "/nowhere",
    }
    ran = subprocess.run(
        (*CLIENT, *arguments), cwd=ROOT, env=environment, capture_output=True, check=False
    )
    if arguments == ("--help",):
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert b"exit codes" in ran.stdout
    else:
        assert (ran.returncode, ran.stdout) == (ExitCode.USAGE, b"")
        assert ran.stderr
        assert ran.stderr.isascii()
