"""Which files one ``e4`` goes through, from the relay's frame to the publication of its state.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.trace_move

The real listener and the real function run in this process, on moto's server and a relay on
loopback, warm from a first game. Counted are calls of functions below ``arbiter/``: in the listener
those that are given or return the event, with all they call; in the function every call of its
invocation. A file is entered where one of its functions is called while none of them is at work,
and handed on to another by the first such call there.
"""

import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest import mock

import boto3
from moto.server import ThreadedMotoServer

import arbiter
from arbiter import wiring
from arbiter.dialects.native import GAME_MOVE, GAME_STATE, REQUEST_TO_PLAY
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from functions.process_events import app
from local.deploy import parameters
from local.environment import aws_environment
from local.event_source import EventSource, Source
from local.moto_cloud import MotoCloud, provision
from local.settings import REGION, ROOT, Settings, settings_from
from local.template import Template
from tests.builders import ALICE, BOB, EVE, SERVER, a_key
from tests.fakes import relay as relay_module
from tests.fakes.relay import FakeRelay

_ARBITER = Path(arbiter.__file__).parent
_PATIENCE_SECONDS = 30.0


class Call(NamedTuple):
    """A file, relative to ``arbiter/``, and the name of a function in it; whether the file was
    entered by it.
    """

    file: str
    function: str
    enters: bool


class Recorder:
    """Calls below ``arbiter/``, in order, from every thread that starts after ``install``."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._mark: str | None = None
        self._is_on = False
        self._inside = threading.local()

    def install(self) -> None:
        """Watch this thread and all that start from now on."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def remove(self) -> None:
        """Watch nothing that starts from now on, nor this thread."""
        threading.setprofile(None)
        sys.setprofile(None)

    @contextmanager
    def all_calls(self) -> Iterator[None]:
        """Record every call."""
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    @contextmanager
    def calls_about(self, mark: str) -> Iterator[None]:
        """Record calls in other threads that are given or return something with this text, and
        what they call.
        """
        self._mark = mark
        try:
            yield
        finally:
            self._mark = None

    def _profile(self, frame: FrameType, event: str, result: object) -> None:
        if event not in {"call", "return"} or not (self._is_on or self._mark):
            return
        call = _call(frame)
        if call is None:
            return
        if self._is_on:
            if event == "call":
                self.calls.append(call)
            return
        if threading.current_thread() is threading.main_thread():
            return
        inside: list[FrameType] = self._inside.__dict__.setdefault("frames", [])
        if event == "call" and (inside or self._is_about(*_arguments(frame))):
            inside.append(frame)
            self.calls.append(call)
        elif event == "return" and inside:
            inside.pop()
        elif event == "return" and self._is_about(result):
            self.calls.append(call)

    def _is_about(self, *values: object) -> bool:
        mark = self._mark
        return mark is not None and any(mark in _text(value) for value in values)


def _call(frame: FrameType) -> Call | None:
    """What is called, if it is the arbiter's code and not called by the relay."""
    path = Path(frame.f_code.co_filename)
    if frame.f_code.co_name == "<module>" or not path.is_relative_to(_ARBITER):
        return None
    at_work: set[str] = set()
    caller = frame.f_back
    while caller is not None:
        at_work.add(caller.f_code.co_filename)
        caller = caller.f_back
    if relay_module.__file__ in at_work:
        return None
    enters = frame.f_code.co_filename not in at_work
    return Call(str(path.relative_to(_ARBITER)), frame.f_code.co_qualname, enters)


def _arguments(frame: FrameType) -> Iterator[object]:
    """What the call is given, but for objects that last: they may remember the event."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        how = getattr(type(value), "__dataclass_params__", None)
        if getattr(how, "frozen", False) or not type(value).__module__.startswith("arbiter"):
            yield value


def _text(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - half made: its fields are not there yet
        return ""


def visits(calls: Sequence[Call], folder: str) -> list[str]:
    """The files below a folder as they are entered one after the other; none twice in a row."""
    entered = (one.file for one in calls if one.enters and one.file.startswith(folder))
    return [file for file, _ in groupby(entered)]


def entered_again(calls: Sequence[Call], folder: str) -> dict[str, int]:
    """How many times each file below a folder was entered after it was left for another, if it
    was.
    """
    found = visits(calls, folder)
    return {file: found.count(file) - 1 for file in dict.fromkeys(found) if found.count(file) > 1}


def report(processes: Mapping[str, Sequence[Call]]) -> str:
    """The figures, and for each process its files in order of first visit."""
    lines: list[str] = []
    functions: set[tuple[str, str]] = set()
    handed_on = 0
    for name, calls in processes.items():
        steps, again = visits(calls, "application/"), entered_again(calls, "application/")
        here = {(one.file, one.function) for one in calls}
        files = dict.fromkeys(one.file for one in calls)
        lines.append(f"{name}: {len(files)} files")
        lines += (
            f"{sum(file == one for one, _ in here):4} functions  {file}"
            f"{f'  (entered again {again[file]} times)' if file in again else ''}"
            for file in files
        )
        functions |= here
        handed_on += max(len(steps) - 1, 0)
    files_of_all = {file for file, _ in functions}
    inside = sum(file.startswith("application/") for file in files_of_all)
    lines.append(
        f"{len(files_of_all)} files, {len(functions)} functions, "
        f"{sum(map(len, processes.values()))} calls; "
        f"handed on {handed_on} times among {inside} files in application/"
    )
    return "\n".join(lines)


class _Arbiter:
    """The listener and the function, on moto and one relay."""

    def __init__(self, cloud: MotoCloud, relay: FakeRelay) -> None:
        self._relay = relay
        self._sqs = boto3.client("sqs", REGION)
        self._sources = {
            mapped.name: EventSource(
                self._sqs,
                Source(
                    queue_url=mapped.queue_url,
                    queue_arn=mapped.queue_arn,
                    region=REGION,
                    function_name=mapped.name,
                ),
                app.handler,
            )
            for mapped in cloud.mapped
            if mapped.name in {"moves", "seeks"}
        }

    def listen(self, event: VerifiedEvent) -> None:
        """Have the event come over the relay, and wait until it is in its queue."""
        sent = self._listener.counters["sent"]
        self._relay.broadcast(event_to_json(event))
        _await(lambda: self._listener.counters["sent"] > sent)

    def process(self, queue: str) -> None:
        """Feed the function from this queue."""
        _await(lambda: self._sources[queue].feed() > 0)

    def start(self) -> None:
        """Start a listener."""
        began = self._relay.count("REQ")
        self._listener = wiring.listener()
        self._listener.start()
        _await(lambda: self._relay.count("REQ") > began)

    def stop(self) -> None:
        """Stop the listener."""
        self._listener.close()

    def game(self, *players: SecretKey) -> tuple[SecretKey, dict[str, Any]]:
        """A game of these two: the key of White, and the first state."""
        for key in players:
            self.listen(_signed(key, REQUEST_TO_PLAY, "", ()))
            self.process("seeks")
        state = self.last_state()
        white = next(tag[1] for tag in state["tags"] if tag[0] == "p")
        return next(key for key in players if key.pubkey == white), state

    def last_state(self) -> dict[str, Any]:
        """The state that was published last."""
        published = [message[1] for _, message in self._relay.messages if message[0] == "EVENT"]
        states: list[dict[str, Any]] = [one for one in published if one["kind"] == GAME_STATE]
        return states[-1]


@contextmanager
def _moto() -> Iterator[str]:
    """Its address."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        yield "http://{}:{}".format(*server.get_host_and_port())
    finally:
        server.stop()


def _signed(
    key: SecretKey, kind: int, text: str, tags: tuple[tuple[str, ...], ...]
) -> VerifiedEvent:
    server = ("p", SERVER.pubkey)
    return key.sign(EventTemplate(kind, (*tags, server), text, int(time.time())))


def _e4(white: SecretKey, state: dict[str, Any]) -> VerifiedEvent:
    (game_id,) = (tag[1] for tag in state["tags"] if tag[0] == "d")
    return _signed(white, GAME_MOVE, "e2e4", (("d", game_id), ("e", state["id"])))


def _await(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.01)


def traced() -> dict[str, list[Call]]:
    """The calls that one ``e4`` causes in each process."""
    recorder = Recorder()
    with (
        FakeRelay() as relay,
        tempfile.TemporaryDirectory() as folder,
        _moto() as moto,
        mock.patch.dict(os.environ),
    ):
        settings = settings_from({"RUN_DIR": folder, "RELAYS": relay.url})
        if not isinstance(settings, Settings):
            raise TypeError(settings)
        given = parameters(settings, SERVER.pubkey)
        os.environ.update(aws_environment(moto))
        cloud = provision(None, Template.read(ROOT / "template.yaml"), given, SERVER)
        os.environ.update({**cloud.environment, "LOG_LEVEL": "ERROR"})
        running = _Arbiter(cloud, relay)
        recorder.install()
        running.start()
        try:
            running.listen(_e4(*running.game(ALICE, BOB)))
            running.process("moves")
            move = _e4(*running.game(EVE, a_key("frank")))
            with recorder.calls_about(move.id):
                running.listen(move)
            published = relay.count("EVENT")
        finally:
            running.stop()
        in_listener, recorder.calls = recorder.calls, []
        with recorder.all_calls():
            running.process("moves")
        recorder.remove()
        if relay.count("EVENT") <= published or "e2e4" not in str(running.last_state()["tags"]):
            raise AssertionError("the move was not published")
    return {"relay_listener": in_listener, "process_events": recorder.calls}


if __name__ == "__main__":
    logging.disable(logging.ERROR)
    print(report(traced()))
