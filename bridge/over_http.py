"""The arbiter's queues as a bridge reaches them over HTTP (`server/bridge_api.py`), each request
signed with the bridge's key (NIP-98). Invariant: what was not answered may be repeated.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from arbiter.adapters.sqs import OutboxRecord, QueueUnreachable
from arbiter.application.ports import Clock
from arbiter.application.records import QueueEntry
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip98 import http_auth_header, http_auth_template

_LOG = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 10.0
_ENVELOPES_A_CALL, _BYTES_A_CALL = 50, 256 * 1024
REST_SECONDS = 15.0
"""A game whose message could not be published yet rests so long, as in a queue of the cloud."""
MAX_RESTING = 50
"""Groups that one request leaves out; while so many rest, no message is asked for."""
_POLL_SECONDS = 2.0
_OK, _NO_CONTENT = 200, 204


class SignedRequests:
    """Requests to the server at this URL, over one connection. For one thread at a time."""

    def __init__(self, url: str, key: SecretKey, clock: Clock) -> None:
        """``url`` is what the server calls itself, without a slash at its end."""
        self._url = url
        self._key = key
        self._clock = clock
        self._connection: HTTPConnection | None = None
        self._trouble: object = None

    def send(self, method: str, target: str, body: bytes = b"") -> bytes:
        """The answer's body. Raises QueueUnreachable for any but a good answer."""
        try:
            status, answer = self._try_twice(method, target, body)
        except (OSError, HTTPException) as error:
            self._note(type(error).__name__)
            raise QueueUnreachable(type(error).__name__) from error
        if status not in (_OK, _NO_CONTENT):
            # The server is the operator's own: what it says is for them.
            self._note(status, answer[:300].decode("utf-8", "replace"))
            raise QueueUnreachable(str(status))
        self._note(None)
        return answer

    def _try_twice(self, method: str, target: str, body: bytes) -> tuple[int, bytes]:
        """Once more on a new connection, where the server may have closed the old one."""
        if self._connection is not None:
            try:
                return self._exchange(self._connection, method, target, body)
            except (OSError, HTTPException):
                self.close()
        self._connection = self._connect()
        try:
            return self._exchange(self._connection, method, target, body)
        except BaseException:
            self.close()
            raise

    def _exchange(
        self, connection: HTTPConnection, method: str, target: str, body: bytes
    ) -> tuple[int, bytes]:
        now_seconds = self._clock.now_ms() // 1000
        template = http_auth_template(method, self._url + target, body, now_seconds)
        headers = {"Authorization": http_auth_header(self._key.sign(template))}
        path = urlsplit(self._url).path
        connection.request(method, path + target, body or None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def _connect(self) -> HTTPConnection:
        parts = urlsplit(self._url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=_TIMEOUT_SECONDS)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _note(self, trouble: object, why: str = "") -> None:
        """Log what changed; strangers' texts never reach a log."""
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble is None:
            _LOG.info({"status": "server-reached", "server": self._url})
        else:
            said = {"status": "server-unreachable", "server": self._url, "trouble": trouble}
            _LOG.warning({**said, "why": why} if why else said)


class HttpEventQueue:
    """`ports.EventQueue` for envelopes."""

    def __init__(self, requests: SignedRequests) -> None:
        self._requests = requests

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Send the envelopes in order; returns those from the first that was not taken on."""
        sent = 0
        for call in _calls(batch):
            events = [json.loads(entry.body)["event"] for entry in call]
            body = json.dumps(events, separators=(",", ":")).encode()
            try:
                self._requests.send("POST", "/bridge/letters", body)
            except QueueUnreachable:
                break
            sent += len(call)
        return tuple(batch[sent:])


class HttpOutboxRecords:
    """The receiving end of the outbox; a record's receipt is its message's id."""

    def __init__(
        self, requests: SignedRequests, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._requests = requests
        self._seconds = seconds
        self._given: dict[str, str] = {}
        self._given_again: set[str] = set()
        self._resting: dict[str, float] = {}

    def receive(self) -> Sequence[OutboxRecord]:
        """The next records, or none soon; undeleted ones return. Raises QueueUnreachable."""
        now = self._seconds()
        self._resting = {group: until for group, until in self._resting.items() if until > now}
        stuck = {self._given[one] for one in self._given_again & self._given.keys()}
        self._resting |= dict.fromkeys(stuck, now + REST_SECONDS)
        self._given_again, self._given = {*self._given}, {}
        if len(self._resting) > MAX_RESTING:
            time.sleep(_POLL_SECONDS)
            return ()
        resting = json.dumps([*self._resting]).encode()
        found = json.loads(self._requests.send("POST", "/bridge/messages", resting))
        self._given = {one["id"]: one["group_id"] for one in found}
        return tuple(OutboxRecord(one["body"], one["group_id"], one["id"]) for one in found)

    def delete(self, record: OutboxRecord) -> None:
        """Delete a record that was published. Raises QueueUnreachable."""
        self._requests.send("DELETE", f"/bridge/messages/{record.receipt}")
        self._given.pop(record.receipt, None)

    def put_aside(self, record: OutboxRecord) -> None:
        """Make a record that can never be published a dead letter. Raises QueueUnreachable."""
        self._requests.send("POST", f"/bridge/dead-letters/{record.receipt}")
        self._given.pop(record.receipt, None)


def _calls(batch: Sequence[QueueEntry]) -> Iterator[Sequence[QueueEntry]]:
    call: list[QueueEntry] = []
    size = 0
    for entry in batch:
        if call and (len(call) == _ENVELOPES_A_CALL or size + len(entry.body) > _BYTES_A_CALL):
            yield call
            call, size = [], 0
        call.append(entry)
        size += len(entry.body)
    if call:
        yield call
