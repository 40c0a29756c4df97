"""Requests brought to what answers them. Invariant: nothing is signed for a request that does not
name this host, comes of a web page, or has no token of ours.
"""

import hmac
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from clients.lichess_api.asgi import Answer, Receive, Refused, Send, request_of, respond
from clients.lichess_api.seat import Seat
from clients.lichess_api.streams import Stream, pump

MAX_STREAMS = 128
"""Open at once, of all tokens together."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """An answer that goes on; ``closed`` is called at its end."""

    stream: Stream
    closed: Callable[[], None] = lambda: None


Found = Answer | Streamed
Handler = Callable[..., Awaitable[Found]]
Routes = Mapping[tuple[str, str], Handler]
"""Handlers by method and path; what ``{}`` and groups of the path match are arguments."""


class App:
    """The ASGI application."""

    def __init__(
        self, seats: Mapping[str, Seat], hosts: frozenset[str], open_to_all: Routes, routes: Routes
    ) -> None:
        """``seats`` by their tokens; handlers of ``open_to_all`` take the seats and no token."""
        self._seats = seats
        self._hosts = hosts
        self._open_to_all, self._routes = open_to_all, routes
        self._streams = 0

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            found = await self._found(scope, receive)
        except Refused as refused:
            found = refused.answer
        if not isinstance(found, Streamed):
            await respond(found, send)
            return
        self._streams += 1
        try:
            await pump(found.stream, receive, send, found.closed)
        finally:
            self._streams -= 1

    async def _found(self, scope: dict[str, Any], receive: Receive) -> Found:
        headers = {name.lower(): value for name, value in scope["headers"]}
        # A page whose name leads here (DNS rebinding) names another host, and a page has an origin.
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._hosts:
            raise Refused(HTTPStatus.BAD_REQUEST, "This is no name of this host")
        if b"origin" in headers:
            raise Refused(HTTPStatus.FORBIDDEN, "Not for web pages")
        request = await request_of(scope, receive)
        if (match := _match(self._open_to_all, request.method, request.path)) is not None:
            return await match[0](self._seats, request, *match[1])
        seat = self._seat(request.headers.get("authorization", ""))
        if (match := _match(self._routes, request.method, request.path)) is None:
            raise Refused(HTTPStatus.NOT_FOUND, "Not found")
        found = await match[0](seat, request, *match[1])
        if isinstance(found, Streamed) and self._streams >= MAX_STREAMS:
            found.closed()
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "Too many streams are open")
        return found

    def _seat(self, authorization: str) -> Seat:
        kind, _, token = authorization.partition(" ")
        seat = seat_of(self._seats, token.strip()) if kind.lower() == "bearer" else None
        if seat is None:
            raise Refused(HTTPStatus.UNAUTHORIZED, "No such token")
        return seat


def seat_of(seats: Mapping[str, Seat], token: str) -> Seat | None:
    """The seat of this token; the time that it takes tells nothing of the others."""
    given, found = token.encode(), None
    for known, seat in seats.items():
        if hmac.compare_digest(known.encode(), given):
            found = seat
    return found


def _match(routes: Routes, method: str, path: str) -> tuple[Handler, tuple[str, ...]] | None:
    for (wanted, pattern), handler in routes.items():
        found = re.fullmatch(pattern.replace("{}", "([^/]+)"), path) if wanted == method else None
        if found is not None:
            return handler, found.groups()
    return None
