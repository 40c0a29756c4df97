"""Listener and publisher against a relay that other people wrote (PyPI nostr-relay)."""

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import RelayConnection, connect
from arbiter.adapters.relays.deadline_socket import RelayFailureError
from arbiter.adapters.relays.listener import Listener, ListenerLimits
from arbiter.adapters.relays.protocol import Pacing
from arbiter.adapters.relays.publisher import Publisher
from arbiter.adapters.relays.relay_worker import SessionLimits
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.filters import Filter
from arbiter.nostr.relay_messages import (
    EoseMessage,
    PublishStatus,
    RelayEvent,
    RelayMessage,
    parse_relay_message,
    req_message,
)
from tests.adapters.relays.watching import (
    SystemTime,
    WatchedQueue,
    WatchedTally,
    a_move,
    a_seek,
)
from tests.builders import ALICE, BOB, SERVER

TOOLS = Path(__file__).parents[3] / ".venv" / "tools"
PROGRAM = Path(os.environ.get("NOSTR_RELAY", TOOLS / "relay" / "bin" / "nostr-relay"))
START_SECONDS = 60.0
PATIENCE_SECONDS = 20.0
SOON = Backoff(first_seconds=0.1, longest_seconds=0.1)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM.exists(), reason=f"nostr-relay is not installed at {PROGRAM}"),
]


@dataclass(frozen=True, slots=True)
class Relay:
    """The program, on a port of loopback and a fresh database."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/"

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Run it. A second time, it has its old events."""
        validators = [f"nostr_relay.validators.{rule}" for rule in ("is_signed", "is_recent")]
        configuration = {
            "authentication": {"enabled": False},
            "storage": {
                "sqlalchemy.url": f"sqlite+aiosqlite:///{self.folder}/relay.sqlite3",
                "num_concurrent_adds": 1,
                "num_concurrent_reqs": 10,
                "validators": validators,
            },
            "gunicorn": {"bind": f"127.0.0.1:{self.port}", "host": "127.0.0.1"},
        }
        path = self.folder / "relay.yaml"
        path.write_text(json.dumps(configuration))  # JSON is YAML
        command = [str(PROGRAM), "-c", str(path), "serve", "--use-uvicorn"]
        with (
            (self.folder / "log").open("ab") as log,
            subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log) as process,
        ):
            try:
                self._await_start(process)
                yield
            finally:
                process.kill()

    def _await_start(self, process: "subprocess.Popen[bytes]") -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(RelayFailureError):
                connect(self.url, 5.0).close()
                return
            time.sleep(0.05)
        pytest.fail("nostr-relay did not start: " + (self.folder / "log").read_text())


def a_relay(folder: Path) -> Relay:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return Relay(folder, probe.getsockname()[1])


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relay]:
    started = a_relay(tmp_path_factory.mktemp("relay"))
    with started.running():
        yield started


@contextlib.contextmanager
def listening(
    url: str, pacing: Pacing | None = None
) -> Iterator[tuple[WatchedQueue, WatchedTally]]:
    queue, tally = WatchedQueue(), WatchedTally()
    listener = Listener(
        relays=[url],
        server_pubkey=SERVER.pubkey,
        event_queue=queue,
        clock=SystemTime(),
        counters=tally,
        limits=ListenerLimits(pacing=pacing or Pacing(), session=SessionLimits(reconnect=SOON)),
    )
    listener.start()
    try:
        tally.reaches("eose")
        yield queue, tally
    finally:
        listener.close()


def publishing(url: str) -> contextlib.closing[Publisher]:
    return contextlib.closing(Publisher([url]))


def talking(url: str) -> contextlib.closing[RelayConnection]:
    return contextlib.closing(connect(url, PATIENCE_SECONDS))


def heard(connection: RelayConnection) -> RelayMessage:
    frame = connection.receive(PATIENCE_SECONDS)
    assert isinstance(frame, bytes)
    message = parse_relay_message(frame)
    assert isinstance(message, RelayMessage)
    return message


def test_what_players_publish_reaches_the_queues_in_their_order(relay: Relay) -> None:
    seek = a_seek(content="real")
    moves = [a_move(f"{number}", by=BOB) for number in range(30)]
    with listening(relay.url) as (queue, _), publishing(relay.url) as players:
        assert players.publish([seek], PATIENCE_SECONDS).taken(seek.id)
        report = players.publish(moves, PATIENCE_SECONDS)
        assert [move for move in moves if not report.taken(move.id)] == []
        ids = queue.ids(31)
        assert seek.id in ids
        assert [id_ for id_ in ids if id_ != seek.id] == [move.id for move in moves]


def test_asking_anew_over_and_over_loses_nothing_and_repeats_nothing(relay: Relay) -> None:
    moves = [a_move(f"anew {number}", by=BOB) for number in range(20)]
    pacing = Pacing(refresh_after_seconds=0.01, ping_after_seconds=0.01)
    with listening(relay.url, pacing) as (queue, tally), publishing(relay.url) as players:
        for move in moves:
            assert players.publish([move], PATIENCE_SECONDS).taken(move.id)
        wanted = {move.id for move in moves}
        tally.reaches("eose", 20)
        # What was published before is replayed too, for this relay keeps ephemeral events.
        while not wanted <= set(ids := queue.ids(len(moves))):
            tally.reaches("sent", len(ids) + 1)
        assert len(ids) == len(set(ids))
        assert tally.counts()["connected"] == 1


def test_what_the_server_publishes_reaches_a_player_and_is_accepted_again(relay: Relay) -> None:
    template = EventTemplate(
        20302, (("d", "ab" * 16), ("p", ALICE.pubkey)), "a position", int(time.time())
    )
    state = SERVER.sign(template)
    with talking(relay.url) as player, publishing(relay.url) as publisher:
        player.send(req_message("x", Filter(kinds=(20302,), tags={"p": (ALICE.pubkey,)})))
        assert isinstance(heard(player), EoseMessage)
        for _ in range(2):
            report = publisher.publish([state], PATIENCE_SECONDS)
            assert report.statuses == {state.id: {relay.url: PublishStatus.ACCEPTED}}
        message = heard(player)
        assert isinstance(message, RelayEvent)
        assert message.event.id == state.id


def test_an_event_that_the_relay_refuses_for_good_is_given_up(relay: Relay) -> None:
    future = SERVER.sign(EventTemplate(1, (), "", int(time.time()) + 10**6))
    with publishing(relay.url) as publisher:
        report = publisher.publish([future], PATIENCE_SECONDS)
        assert report.statuses == {future.id: {relay.url: PublishStatus.GIVE_UP}}
        fine = SERVER.sign(EventTemplate(1, (), "", int(time.time())))
        # On the connection of the refused event this relay now lets all wait.
        assert publisher.publish([fine], PATIENCE_SECONDS).taken(fine.id)


def test_listener_and_publisher_reconnect_to_a_relay_that_was_restarted(tmp_path: Path) -> None:
    mortal = a_relay(tmp_path)
    with contextlib.ExitStack() as stack:
        with mortal.running():
            queue, tally = stack.enter_context(listening(mortal.url))
            publisher = stack.enter_context(publishing(mortal.url))
            before = a_move("before", by=BOB)
            assert publisher.publish([before], PATIENCE_SECONDS).taken(before.id)
            assert queue.ids(1) == [before.id]
        with mortal.running():
            tally.reaches("eose", 2)
            after = a_move("after", by=BOB)
            assert publisher.publish([after], PATIENCE_SECONDS).taken(after.id)
            assert queue.ids(2) == [before.id, after.id]
