"""The Scuttlebutt peer as a child process that speaks JSON lines: see bridge/peer/README.md.

Invariant: one directory, one peer: two with one identity would fork the feed for ever. The child
inherits the directory's lock, so the next one waits until the last that could write has ended.
"""

import contextlib
import fcntl
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / ".venv" / "tools" / "ssb"
MAX_LINE_BYTES = 1 << 20
_MAIN = ROOT / "bridge" / "peer" / "main.js"
_START_TIMEOUT_SECONDS = 120.0
_ANSWER_TIMEOUT_SECONDS = 30.0
_STOP_TIMEOUT_SECONDS = 5.0
_LOCK_TIMEOUT_SECONDS = 15.0
_POLL_SECONDS = 0.05
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "HOME", "LOG_LEVEL")


class PeerGone(Exception):
    """The peer ended, could not be started, or does not answer: start another one."""


class HostUnknown(PeerGone):
    """No name server knows the host that the peer is to listen at: one may, later."""


class PeerUnusable(PeerGone):
    """The peer refused to start: what to correct; ``kind`` as in bridge/peer/README.md, or ""."""

    def __init__(self, text: str, kind: str = "") -> None:
        super().__init__(text)
        self.kind = kind


class PeerRefused(Exception):
    """The peer would not do it. ``kind`` is one of those that bridge/peer/README.md lists."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerSettings:
    """A peer's folder of log and identity, its address, and its own peers
    (``net:HOST:PORT~shs:KEY``). ``caps`` is the base64 key of a private network, "" the public one;
    port 0 is any free one.
    """

    directory: Path
    host: str = "127.0.0.1"
    port: int = 0
    peers: tuple[str, ...] = ()
    caps: str = ""
    node: Path = TOOL / "bin" / "node"
    modules: Path = TOOL / "node_modules"


PeerJson = Mapping[str, Any]
"""JSON that the peer wrote: it is our own program, so its shape is taken on trust."""


class Peer:
    """A running peer. Any thread may ask it things."""

    id: str
    address: str

    def __init__(self, settings: PeerSettings, noticed: Callable[[PeerJson], None]) -> None:
        """Start one and wait until it is ready. ``noticed`` gets, on a thread of ours, what it says
        unasked (``news``, ``fork``), and ``gone``. Raises PeerUnusable or PeerGone.
        """
        self._noticed = noticed
        self._asked: dict[int, Future[PeerJson]] = {}
        self._numbers = 0
        self._guard = threading.Lock()
        self._trouble: PeerGone | None = None
        self._ready: Future[PeerJson] = Future()
        self._process = _start_process(settings)
        self._reader = threading.Thread(target=self._read, name="peer", daemon=True)
        self._reader.start()
        try:
            ready = self._ready.result(_START_TIMEOUT_SECONDS)
        except NotInTime:
            self.close()
            raise PeerGone(f"not ready after {_START_TIMEOUT_SECONDS:.0f} s") from None
        except PeerGone:
            self.close()
            raise
        self.id, self.address = ready["id"], ready["address"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, what: str, **arguments: object) -> PeerJson:
        """One request and its answer. Raises PeerRefused, or PeerGone."""
        return await_answer(self.ask_soon(what, **arguments))

    def ask_soon(self, what: str, **arguments: object) -> Future[PeerJson]:
        answer: Future[PeerJson] = Future()
        with self._guard:
            self._numbers += 1
            line = json.dumps({"id": self._numbers, "ask": what, **arguments}).encode() + b"\n"
            if len(line) > MAX_LINE_BYTES:
                answer.set_exception(PeerRefused("too-long", what))
                return answer
            if self._trouble is not None:
                answer.set_exception(self._trouble)
                return answer
            self._asked[self._numbers] = answer
            with contextlib.suppress(OSError):  # The reader notices, and wakes all waiting callers.
                _standard(self._process.stdin).write(line)
                _standard(self._process.stdin).flush()
        return answer

    def close(self) -> None:
        with contextlib.suppress(OSError):  # It may be gone already.
            _standard(self._process.stdin).close()
        try:
            self._process.wait(_STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        _standard(self._process.stdout).close()

    def _read(self) -> None:
        lines = _standard(self._process.stdout)
        trouble = None
        while trouble is None and (line := lines.readline(MAX_LINE_BYTES + 1)):
            trouble = self._take(line)
        trouble = trouble or PeerGone("it ended")
        self._process.kill()
        with self._guard:
            self._trouble = trouble
        for answer in self._asked.values():
            answer.set_exception(trouble)
        if not self._ready.done():
            self._ready.set_exception(trouble)
        self._noticed({"notice": "gone"})

    def _take(self, line: bytes) -> PeerGone | None:
        """Deliver a line to its receiver. Returns why the peer cannot go on, if it cannot."""
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return PeerGone("a line of it is no JSON, or too long")
        match said:
            case {"notice": "ready"}:
                self._ready.set_result(said)
            case {"notice": "failed", "kind": "broken", "text": str(text)}:
                # A library failed: an operator cannot help, a restart may.
                return PeerGone(f"it broke: {text}")
            case {"notice": "failed", "kind": "host-unknown", "text": str(text)}:
                return HostUnknown(text)
            case {"notice": "failed", "kind": str(kind), "text": str(text)}:
                return PeerUnusable(f"{kind}: {text}", kind)
            case {"notice": _}:
                self._noticed(said)
            case {"id": int(number)}:
                with self._guard:
                    answer = self._asked.pop(number, None)
                if answer is not None:
                    _settle(answer, said)
            case _:
                pass  # A newer peer says more.
        return None


def await_answer(answer: Future[PeerJson]) -> PeerJson:
    """Await the answer to `Peer.ask_soon`. Raises PeerRefused, or PeerGone."""
    try:
        return answer.result(_ANSWER_TIMEOUT_SECONDS)
    except NotInTime:
        raise PeerGone(f"no answer within {_ANSWER_TIMEOUT_SECONDS:.0f} s") from None


def _settle(answer: Future[PeerJson], said: PeerJson) -> None:
    match said:
        case {"refused": {"kind": str(kind), "text": str(text)}}:
            answer.set_exception(PeerRefused(kind, text))
        case _:
            answer.set_result(said.get("answer", {}))


def _start_process(settings: PeerSettings) -> "subprocess.Popen[bytes]":
    settings.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(settings.directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _claim(lock)
        return subprocess.Popen(
            _command(settings),
            env={
                **{name: os.environ[name] for name in _KEPT if name in os.environ},
                "NODE_PATH": str(settings.modules),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(lock,),
        )
    except OSError as failure:
        raise PeerUnusable(f"it cannot be started: {failure}") from failure
    finally:
        os.close(lock)  # The child has inherited it.


def _claim(lock: int) -> None:
    deadline = time.monotonic() + _LOCK_TIMEOUT_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise PeerGone("another peer still has its directory") from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _command(settings: PeerSettings) -> Sequence[str]:
    return (
        *(str(settings.node), str(_MAIN), "--directory", str(settings.directory)),
        *("--host", settings.host, "--port", str(settings.port)),
        *("--peers", ",".join(settings.peers), "--caps", settings.caps),
    )


def _standard(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101 - both were asked for
    return stream
