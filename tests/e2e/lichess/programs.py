"""The sidecar and the programs that speak to it, as processes."""

import contextlib
import http.client
import itertools
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.server.running_server import free_port

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PYTHON = ROOT / ".venv/tools/lichess/bin/python"
PATIENCE_SECONDS = 60.0


class Sidecar:
    """`arbiter lichess` for players of these names; it may be killed and started again."""

    def __init__(
        self, folder: Path, relays: str, arbiter: str, names: Sequence[str], *, bot: bool = False
    ) -> None:
        self.port = free_port()
        self.folder = folder
        words = ["--arbiter", arbiter, "--relays", relays, "--port", str(self.port)]
        words += ["--data", str(folder / "data"), *(["--bot"] if bot else [])]
        for name in names:
            words += ["--key", str(folder / f"{name}.key")]
        self._command = [sys.executable, "-m", "clients.lichess_api", *words]
        self._process: subprocess.Popen[str] | None = None
        self.tokens: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it has said its tokens."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self._process = subprocess.Popen(
            self._command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        name, count, told = "", self._command.count("--key"), 0
        while told < count:
            line = self._process.stdout.readline()
            assert line, "the sidecar ended while it started"
            if found := re.match(r"(\S+) \(npub", line):
                name = found[1]
            elif found := re.match(r"  token: (\S+)", line):
                self.tokens[name] = found[1]
                told += 1
        self.ask("GET", "/", token="")
        for token in self.tokens.values():
            # The first line comes once the arbiter has said which games there are.
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            headers = {"Authorization": f"Bearer {token}"}
            connection.request("GET", "/api/stream/event", headers=headers)
            connection.getresponse().read1()
            connection.close()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        code = self._process.wait(PATIENCE_SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        token: str,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        """The status and the body of one request; an empty token sends none."""
        given = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(  # noqa: S310 - http
            self.url + path, body, {**given, **(headers or {})}, method=method
        )
        ends_at = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
                    return answer.status, _read(answer.read())
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, _read(error.read())
            except urllib.error.URLError:
                # It has not begun to listen.
                assert time.monotonic() < ends_at
                time.sleep(0.02)


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.decode()


class Failed(Exception):
    """berserk's error: a status and a body, or what broke a stream."""


class Berserk:
    """The program, in a process for all its players."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            [str(PYTHON), str(HERE / "berserk_driver.py"), url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._ids = itertools.count()
        self._answers: dict[int, queue.Queue[list[Any]]] = {}
        threading.Thread(target=self._hear, daemon=True).start()

    def end(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()

    def send(self, token: str, name: str, *given: Any) -> "queue.Queue[list[Any]]":
        """Call a method of a player's; where what it returns will be."""
        id_ = next(self._ids)
        answers = self._answers[id_] = queue.Queue()
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([id_, token, name, *given]) + "\n")
        self._process.stdin.flush()
        return answers

    def _hear(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):
            for line in self._process.stdout:
                id_, *words = json.loads(line)
                self._answers[id_].put(words)


class Player:
    """One token's client."""

    def __init__(self, berserk: Berserk, token: str) -> None:
        self.token = token
        self._berserk = berserk
        self.name: str = self.call("account.get")["username"]

    def call(self, name: str, *arguments: Any, **named: Any) -> Any:
        """What the method returns.

        Raises:
            Failed: if it raises.
        """
        return _value(self._berserk.send(self.token, name, arguments, named))

    def begin(self, name: str, *arguments: Any, **named: Any) -> "Reader":
        """Call a method that gives value after value, or takes its time."""
        return Reader(self._berserk.send(self.token, name, arguments, named))


def _value(answers: "queue.Queue[list[Any]]") -> Any:
    match answers.get(timeout=PATIENCE_SECONDS):
        case ["value", value]:
            return value
        case other:
            raise Failed(*other)


class Reader:
    """Values that come one by one."""

    def __init__(self, answers: "queue.Queue[list[Any]]") -> None:
        self._answers = answers
        self.seen: list[Any] = []

    def next(self) -> Any:
        """The next value.

        Raises:
            Failed: at the end, or if it breaks.
        """
        try:
            value = _value(self._answers)
        except queue.Empty:
            raise AssertionError(f"nothing more came after {self.seen}") from None
        self.seen.append(value)
        return value

    def until(self, is_wanted: Callable[[Any], bool]) -> Any:
        """The next value of which this is true."""
        while not is_wanted(value := self.next()):
            pass
        return value

    def rest(self) -> tuple[list[Any], str]:
        """The values to the end, and whether that is clean: `end` or `broken`."""
        found: list[Any] = []
        while True:
            try:
                found.append(self.next())
            except Failed as failed:
                return found, failed.args[0]


@contextlib.contextmanager
def running(sidecar: Sidecar) -> Iterator[Sidecar]:
    sidecar.start()
    try:
        yield sidecar
    finally:
        sidecar.end(signal.SIGKILL)
