"""The HTTP API and its pages: from ASGI's messages to the application's `App`, and back."""

import asyncio
import logging
import re
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from ipaddress import ip_address
from socket import gethostname
from typing import Any
from urllib.parse import parse_qsl

from arbiter.adapters.sqlite.errors import StoreError
from arbiter.application.connections import network_of
from arbiter.application.ports import TranscriptFiles
from arbiter.proof.handed_in import MAX_HANDED_IN_BYTES
from arbiter.web.app import App
from arbiter.web.routes.hot_seat import is_hot_seat
from arbiter.web.routes.transcripts import ATTEMPTS
from server.limits import MAX_BODY_BYTES
from server.metrics import Metrics
from server.questions import Checked, HandIn, Page
from server.reading import WINDOW_SECONDS, ReaderFailed, Reading, TooMuch
from server.rounds import Rounds
from server.sockets import Send
from server.transaction_loop import TransactionLoop

_log = logging.getLogger("arbiter")

Receive = Callable[[], Awaitable[dict[str, Any]]]


class HttpApi:
    """Answers requests: the hot seat in transactions, its own in a thread, pages by reading."""

    def __init__(
        self,
        hot_seat: App,
        own: App,
        objection: Callable[[dict[str, Any]], dict[str, Any] | None],
        refuse: Callable[[dict[str, Any], HTTPStatus, str, int], dict[str, Any]],
        reading: Reading,
        rounds: Rounds,
        transactions: TransactionLoop,
        metrics: Metrics,
        transcripts: TranscriptFiles,
    ) -> None:
        """``own`` shares no game with a transaction; ``objection`` answers early."""
        self._hot_seat = hot_seat
        self._own = own
        self._objection = objection
        self._refuse = refuse
        self._reading = reading
        self._rounds = rounds
        self._transactions = transactions
        self._metrics = metrics
        self._transcripts = transcripts
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pages")

    async def serve(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        is_put = scope["method"] == "PUT"
        body = await body_of(receive, MAX_HANDED_IN_BYTES if is_put else MAX_BODY_BYTES)
        if body is None:
            self._metrics.count("Refused", limit="body_bytes")
            await answer(send, 413, [], b"")
            return
        found = await self._answer(_invocation(scope, body))
        self._metrics.count("HttpRequests", status=str(int(found["statusCode"])))
        if found["statusCode"] == HTTPStatus.INTERNAL_SERVER_ERROR:
            self._metrics.count("HttpApiFaults")
        text = found.get("body") or ""
        content = b64decode(text) if found.get("isBase64Encoded") else text.encode()
        headers = [
            (name.lower().encode("latin-1"), str(value).encode("latin-1", "replace"))
            for name, value in found["headers"].items()
        ]
        await answer(send, found["statusCode"], headers, content)

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if _is_own(request["rawPath"]):
            loop = asyncio.get_running_loop()
            return self._counted(await loop.run_in_executor(self._thread, self._own, request, None))
        if not is_hot_seat(request["rawPath"]):
            return await self._read(request)
        browser = request["headers"].get("browser_id", "")
        await self._transactions.wait_for_room()
        try:
            found: dict[str, Any] = await self._transactions.run(
                f"http:{browser}", lambda: self._hot_seat(request, None)
            )
        except StoreError as failure:
            _log.error({"status": "failed"}, exc_info=failure)
            return {"statusCode": 500, "headers": {}, "body": ""}
        return self._counted(found)

    def _counted(self, found: dict[str, Any]) -> dict[str, Any]:
        """The answer of an API that counts requests itself."""
        if found["statusCode"] == HTTPStatus.TOO_MANY_REQUESTS:
            self._metrics.count("Refused", limit="http_per_minute")
        return found

    async def _read(self, request: dict[str, Any]) -> dict[str, Any]:
        address = network_of(request["requestContext"]["http"]["sourceIp"])
        early: dict[str, Any] | None = await self._rounds.do(
            address, lambda: self._objection(request)
        )
        if early is not None:
            return self._counted(early)
        is_put = request["requestContext"]["http"]["method"] == "PUT"
        try:
            if is_put:
                return await self._hand_in(request, address)
            found: dict[str, Any] = await self._reading.ask(
                Page(request), (address,), is_player=False
            )
        except TooMuch:
            status, text = HTTPStatus.TOO_MANY_REQUESTS, "This is much to read; ask again later."
            return self._refuse(request, status, text, WINDOW_SECONDS)
        except ReaderFailed:
            text = "The arbiter failed; try again."
            return self._refuse(request, HTTPStatus.INTERNAL_SERVER_ERROR, text, 1)
        return found

    async def _hand_in(self, request: dict[str, Any], address: str) -> dict[str, Any]:
        """The answer to a transcript, which is checked where reading is done and written here."""
        for _ in range(ATTEMPTS):
            asked: Checked = await self._reading.ask(HandIn(request), (address,), is_player=False)
            if (write := asked.write) is None:
                return asked.answer
            await self._transactions.wait_for_room()
            try:
                is_kept = await self._transactions.run(
                    f"transcript:{write[0]}", lambda: self._transcripts.replace(*write)
                )
            except StoreError as failure:
                raise ReaderFailed(str(failure)) from failure
            if is_kept:
                return asked.answer
        text = "Others hand it in now; try again."
        return self._refuse(request, HTTPStatus.SERVICE_UNAVAILABLE, text, 1)


def _is_own(path: str) -> bool:
    """Whether this process alone knows: its health, who is connected, the operator's page."""
    is_operators = path == "/operator" or path.startswith("/operator/")
    return path == "/healthz" or path.endswith("/spectators") or is_operators


async def body_of(receive: Receive, most_bytes: int) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > most_bytes:
            return None
        if not message.get("more_body"):
            return bytes(body)


async def answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], content: bytes
) -> None:
    if not any(name == b"content-length" for name, _ in headers):
        headers.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _host(named: str) -> str:
    """The host for links without a ``public_url``: the one that was asked, if it is an address or
    this machine; of others only the setting tells that they are ours.
    """
    name = re.sub(r":[0-9]*$", "", named)
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return named if name in {"localhost", gethostname()} else ""
    return named


def _invocation(scope: dict[str, Any], body: bytes) -> dict[str, Any]:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]},{text}" if key in headers else text
    query = scope["query_string"].decode("latin-1")
    parameters: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        parameters[name] = f"{parameters[name]},{value}" if name in parameters else value
    client, is_put = scope.get("client"), scope["method"] == "PUT"
    headers.setdefault("x-forwarded-proto", scope.get("scheme", "http"))
    return {
        "version": "2.0",
        "rawPath": scope["raw_path"].decode("latin-1"),
        "rawQueryString": query,
        "headers": headers,
        "queryStringParameters": parameters,
        "body": b64encode(body).decode() if is_put else body.decode("utf-8", "surrogateescape"),
        "isBase64Encoded": is_put,
        "requestContext": {
            "domainName": _host(headers.get("host", "")),
            "http": {
                "method": scope["method"],
                "path": scope["path"],
                "sourceIp": client[0] if client else "",
            },
        },
    }
