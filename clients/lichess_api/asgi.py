"""ASGI's messages as requests and answers; forms and JSON alike."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

import orjson

from arbiter.nostr.strict_json import read_json

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

MAX_BODY_BYTES = 65_536
MAX_FIELDS = 100
MAX_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Request:
    """A request whose body has come; ``fields`` of its query, and of a form or a JSON object."""

    method: str
    path: str
    headers: Mapping[str, str]
    fields: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    def get(self, name: str) -> str:
        """A field without what is around it; empty if it was not given."""
        return self.fields.get(name, "").strip()

    def number(self, name: str) -> int | None:
        """A field that is a whole number; None if it is none, or has more digits than any here."""
        text = self.get(name)
        is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
        return int(text) if is_number else None

    def is_true(self, name: str) -> bool:
        return self.get(name).lower() == "true"


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; ``body`` is JSON unless it is a text."""

    body: object
    status: int = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A request that is refused; its argument is the answer."""

    def __init__(self, status: int, error: str, *, seconds: int | None = None) -> None:
        super().__init__(error)
        self.answer = Answer({"error": error}, status)
        if seconds is not None:
            limit = {"error": error, "ratelimit": {"key": "arbiter", "seconds": seconds}}
            self.answer = Answer(limit, status, {"retry-after": str(seconds)})


OK = Answer({"ok": True})


async def request_of(scope: dict[str, Any], receive: Receive) -> Request:
    """The request, once its body is there. Raises Refused if it is too long."""
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY_BYTES:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "This is too long")
    text = body.decode("utf-8", "replace")
    query = scope["query_string"].decode("latin-1")
    fields = {**_form(query), **_fields(headers.get("content-type", ""), text)}
    path = scope["path"].rstrip("/") or "/"
    return Request(scope["method"], path, headers, fields, text)


def _form(text: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        return {}


def _fields(kind: str, text: str) -> dict[str, str]:
    """The fields of a body; null is what was not given."""
    if "json" not in kind:
        return _form(text)
    found = read_json(text, MAX_BODY_BYTES)
    if not isinstance(found, dict):
        return {}
    flat = {**found, **_flat("clock", found.get("clock"))}
    return {name: _text(value) for name, value in flat.items() if value is not None}


def _flat(name: str, value: object) -> dict[str, object]:
    return {f"{name}.{key}": it for key, it in value.items()} if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


async def respond(answer: Answer, send: Send) -> None:
    """Send a whole answer."""
    is_text = isinstance(answer.body, str)
    content = str(answer.body).encode() if is_text else orjson.dumps(answer.body)
    kind = "application/x-chess-pgn" if is_text else "application/json"
    headers = {"content-type": kind, "content-length": str(len(content)), **answer.headers}
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": int(answer.status), "headers": encoded})
    await send({"type": "http.response.body", "body": content})
