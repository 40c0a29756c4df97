"""The bridge's way in and out, over HTTP, for requests that its key has signed (NIP-98).

    POST /bridge/letters           a JSON list of envelopes, in their order; 204: on the disk
    POST /bridge/messages          what is next to publish, of other groups than those listed
    DELETE /bridge/messages/ID     it is published: forget it
    POST /bridge/dead-letters/ID   it can never be published: make it a dead letter

Invariant: each may be repeated: an envelope is one message to its game, an id one message.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from arbiter.adapters.sqlite.errors import StoreError
from arbiter.adapters.sqlite.queues import SqliteOutbox
from arbiter.application.intake.routing import bridged_entry
from arbiter.application.ports import Clock
from arbiter.application.records import QueueEntry
from arbiter.dialects.outgoing import SsbMessage
from arbiter.nostr.event import VerifiedEvent, event_from_json, is_hex_32_bytes, verify
from arbiter.nostr.nip98 import event_of_header, http_auth_objection, is_signed_body
from arbiter.nostr.strict_json import ParseError, read_json
from server.http_api import Receive, answer, body_of
from server.job_groups import Job
from server.limits import MAX_BRIDGE_BYTES
from server.metrics import Metrics
from server.processing import Processing
from server.sockets import Send
from server.transaction_loop import TransactionLoop

_log = logging.getLogger("arbiter")

PATH = "/bridge/"
WAIT_SECONDS = 2.0
"""Longest wait of a bridge for a message: shorter than it may take to stop."""
MAX_ENVELOPES = 100
MAX_GROUPS = 50
_MESSAGES_A_CALL = 10
_GROUP = "bridge"


class TransactionalOutbox:
    """`ports.Outbox`: a message is written with the forgetting of its record."""

    def __init__(self, outbox: SqliteOutbox, transactions: TransactionLoop) -> None:
        self._outbox = outbox
        self._transactions = transactions
        self._news = asyncio.Event()
        self._is_closed = False

    def send(self, messages: Sequence[SsbMessage]) -> None:
        """Keep the messages until they are published, and tell a bridge that waits for them."""
        self._transactions.write_soon(lambda: self._outbox.send(messages))
        self._transactions.put(Job(_GROUP, lambda _: None, lambda _: self._news.set()))

    async def first(self, without: Sequence[str]) -> str:
        """The next messages as JSON; none after a moment. Raises StoreError."""
        self._news.clear()
        found = self._outbox.first(_MESSAGES_A_CALL, without)
        if not found and not self._is_closed:
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_SECONDS):
                    await self._news.wait()
            found = self._outbox.first(_MESSAGES_A_CALL, without)
        told = [{"id": one.id, "group_id": one.group_id, "body": one.body} for one in found]
        return json.dumps(told)

    async def done(self, message_id: str) -> None:
        await self._transactions.run(_GROUP, lambda: self._outbox.done(message_id))

    async def bury(self, message_id: str) -> None:
        """Make a message a dead letter, on the disk. Raises StoreError."""
        await self._transactions.run(_GROUP, lambda: self._outbox.bury(message_id, "unpublishable"))

    def count(self) -> int:
        return self._outbox.count()

    def close(self) -> None:
        self._is_closed = True
        self._news.set()


class _Refused(Exception):
    """The answer to a request that is not served: a status, and what to do."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


class BridgeApi:
    """Answers one request a call."""

    def __init__(
        self,
        bridge: str,
        base_urls: Sequence[str],
        outbox: TransactionalOutbox,
        processing: Processing,
        transactions: TransactionLoop,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        """``bridge`` is its pubkey (64 hex); ``base_urls`` are the names of this server."""
        self._bridge = bridge
        self._base_urls = base_urls
        self._outbox = outbox
        self._processing = processing
        self._transactions = transactions
        self._clock = clock
        self._metrics = metrics
        self._is_closed = False

    async def serve(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        try:
            status, text = await self._answer(scope, receive)
        except _Refused as refusal:
            status, text = refusal.status, json.dumps({"why": str(refusal)})
        except StoreError as failure:
            _log.error({"status": "failed"}, exc_info=failure)
            why = "a fault of ours: send it again"
            status, text = HTTPStatus.SERVICE_UNAVAILABLE, json.dumps({"why": why})
        self._metrics.count("BridgeRequests", status=str(status.value))
        headers = [(b"content-type", b"application/json")] if text else []
        await answer(send, status, headers, text.encode())

    def close(self) -> None:
        """Let a bridge that waits for messages go, and take no more envelopes."""
        self._is_closed = True
        self._outbox.close()

    async def _answer(self, scope: dict[str, Any], receive: Receive) -> tuple[HTTPStatus, str]:
        signed = self._signed(scope)
        body = await body_of(receive, MAX_BRIDGE_BYTES)
        if body is None:
            self._metrics.count("Refused", limit="body_bytes")
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{MAX_BRIDGE_BYTES} bytes at most")
        if not is_signed_body(signed, body):
            raise _Refused(HTTPStatus.UNAUTHORIZED, "the payload tag is not the body's SHA-256")
        path = scope["path"].removeprefix(PATH)
        match [scope["method"], *path.split("/")]:
            case ["POST", "letters"]:
                await self._take(self._envelopes(body))
            case ["POST", "messages"]:
                return HTTPStatus.OK, await self._outbox.first(_groups(body))
            case ["DELETE", "messages", message_id] if is_hex_32_bytes(message_id):
                await self._outbox.done(message_id)
            case ["POST", "dead-letters", message_id] if is_hex_32_bytes(message_id):
                await self._outbox.bury(message_id)
                self._metrics.count("RecordsBuried")
            case _:
                raise _Refused(HTTPStatus.NOT_FOUND, "nothing is here")
        return HTTPStatus.NO_CONTENT, ""

    def _signed(self, scope: dict[str, Any]) -> VerifiedEvent:
        """The bridge's signature of this request but for its body; cheap checks come first."""
        event = event_of_header(_header(scope, b"authorization"))
        if isinstance(event, ParseError):
            raise _unauthorized("sign the request (NIP-98)")
        if event.pubkey != self._bridge:
            raise _unauthorized("this is not the key of the bridge: start the server with its own")
        target = scope["raw_path"].decode("latin-1")
        if query := scope["query_string"].decode("latin-1"):
            target += f"?{query}"
        urls = [url + target for url in self._base_urls]
        now_seconds = self._clock.now_ms() // 1000
        if text := http_auth_objection(event, scope["method"], urls, now_seconds):
            raise _unauthorized(text)
        verified = verify(event)
        if isinstance(verified, ParseError):
            raise _unauthorized(verified.text)
        return verified

    def _envelopes(self, body: bytes) -> Sequence[QueueEntry]:
        """The envelopes of the body. What is none is dropped: it would be none the next time."""
        told = read_json(body, MAX_BRIDGE_BYTES)
        if not isinstance(told, list) or len(told) > MAX_ENVELOPES:
            raise _Refused(
                HTTPStatus.BAD_REQUEST, f"a JSON list of {MAX_ENVELOPES} envelopes at most"
            )
        entries = [*filter(None, map(self._entry, told))]
        self._metrics.count("LettersDropped", len(told) - len(entries))
        return entries

    def _entry(self, value: object) -> QueueEntry | None:
        event = event_from_json(value)
        if isinstance(event, ParseError) or event.pubkey != self._bridge:
            return None
        verified = verify(event)
        if isinstance(verified, ParseError):
            return None
        entry = bridged_entry(verified, self._clock.now_ms())
        # Two envelopes of one message may wait here: that a log forked is said of one that came.
        return replace(entry, dedup_id=verified.id) if entry else None

    async def _take(self, entries: Sequence[QueueEntry]) -> None:
        if self._is_closed:
            raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, "the server stops: send it again later")
        await self._transactions.wait_for_room()
        await self._processing.keep(entries)


def _groups(body: bytes) -> Sequence[str]:
    told = read_json(body, MAX_BRIDGE_BYTES)
    if not isinstance(told, list) or len(told) > MAX_GROUPS or not all(map(is_hex_32_bytes, told)):
        raise _Refused(HTTPStatus.BAD_REQUEST, f"a JSON list of {MAX_GROUPS} groups at most")
    return told


def _header(scope: dict[str, Any], name: bytes) -> str:
    found: bytes = next((value for key, value in scope["headers"] if key == name), b"")
    return found.decode("latin-1")


def _unauthorized(text: str) -> _Refused:
    return _Refused(HTTPStatus.UNAUTHORIZED, text)
