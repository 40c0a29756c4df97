"""The HTTP API as one function of a Lambda invocation.

Invariant: nothing in a request is a fault of ours: it is looked up in the contract, rate-limited
and bounded before it is routed. Any page may read the answers (CORS): nothing depends on cookies.
"""

import hashlib
import json
import logging
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from threading import Lock
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from arbiter.application.connections import network_of
from arbiter.application.spending import SPENT, Level, seconds_left
from arbiter.proof.handed_in import MAX_HANDED_IN_BYTES
from arbiter.web.deps import WebDeps
from arbiter.web.http import HTML, PROBLEM, problem, refusal, wants_page
from arbiter.web.openapi import is_safe, methods_of
from arbiter.web.pages import HEADERS, Where, problem_page
from arbiter.web.request import Request, base_url, read_request
from arbiter.web.routes import games, hot_seat, lists, meta, operator, tournaments
from arbiter.web.routes.transcripts import hand_in

App = Callable[[dict[str, Any], object], dict[str, Any]]

ROUTERS: Sequence[Callable[[WebDeps], APIGatewayHttpRouter]] = (
    meta.router,
    games.router,
    lists.router,
    tournaments.router,
    meta.names_router,
    meta.client_router,
    operator.router,
)
"""All routers; the hot seat's routes, and what is handed in, need none."""

_COMMON_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link, Retry-After, Allow",
    "X-Content-Type-Options": "nosniff",
}

_WITHOUT_LENGTH = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)

_HEADER_NAMES = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,512}")

_ONE_AT_A_TIME = Lock()
"""Powertools keeps the request on a class, so threads of local servers take turns."""

_MINUTE_SECONDS = 60
_HOUR_SECONDS = 3600

_BODY_BYTES = {"POST": hot_seat.BODY_BYTES, "PUT": MAX_HANDED_IN_BYTES}

_LOOKED_AT = {"games", "g", "players", "leaderboard", "live", "events", "lobby"}

_Count = tuple[str, int, int]
"""A key, a limit, and the window in seconds."""

_log = logging.getLogger(__name__)


def objection_to(deps: WebDeps, invocation: dict[str, Any]) -> dict[str, Any] | None:
    """The answer to a request that is not to be routed, or None: then it is counted."""
    request = read_request(invocation)
    early = _answer_early(deps, request)
    return None if early is None else _finished(deps, request, _plain(early))


def refuse(
    deps: WebDeps, invocation: dict[str, Any], status: HTTPStatus, text: str, wait_seconds: int
) -> dict[str, Any]:
    """The answer to a request that this process cannot answer now."""
    request = read_request(invocation)
    refused = refusal(request.path, status, text, {"Retry-After": str(wait_seconds)})
    return _finished(deps, request, _plain(refused))


def make_app(deps: WebDeps) -> App:
    """The API with these dependencies: an invocation (payload format 2.0) in, its answer out. Never
    raises: a failure of infrastructure is a 500, and logged.
    """
    resolver = APIGatewayHttpResolver()
    for router in ROUTERS:
        resolver.include_router(router(deps))

    @resolver.not_found
    def _not_found(_: NotFoundError) -> Response[str]:
        return problem(HTTPStatus.NOT_FOUND, "There is nothing at this path.")

    at_one_browser = hot_seat.answers(deps)

    def app(invocation: dict[str, Any], context: object) -> dict[str, Any]:
        request = read_request(invocation)
        try:
            early = (
                _answer_early(deps, request) or at_one_browser(request) or hand_in(deps, request)
            )
            if early is not None:
                return _finished(deps, request, _plain(early))
            with _ONE_AT_A_TIME:
                return _finished(deps, request, resolver.resolve(request.invocation, context))  # type: ignore[arg-type]
        except Exception:  # noqa: BLE001 - answered with 500 and logged
            _log.exception({"status": "failed"})
            failed = refusal(
                request.path, HTTPStatus.INTERNAL_SERVER_ERROR, "The arbiter failed; try again."
            )
            return _finished(deps, request, _plain(failed))

    return app


def _answer_early(deps: WebDeps, request: Request) -> Response[str] | None:
    """The answer to a request that needs no route, or has none; else None."""
    if request.method == "OPTIONS":
        return _preflight(request)
    methods = methods_of(request.path)
    if not methods:
        return problem(HTTPStatus.NOT_FOUND, "There is nothing at this path.")
    if "GET" in methods and is_safe(request.path):
        methods = (*methods, "HEAD")
    if request.method not in methods:
        allow = {"Allow": ", ".join((*methods, "OPTIONS"))}
        detail = "This path does not support this method."
        return refusal(request.path, HTTPStatus.METHOD_NOT_ALLOWED, detail, allow)
    if request.method in _BODY_BYTES and (unread := _unread(request)):
        return unread
    wait_seconds = _retry_after_seconds(deps, request)
    if wait_seconds is not None:
        wait = {"Retry-After": str(wait_seconds)}
        return refusal(request.path, HTTPStatus.TOO_MANY_REQUESTS, "Too many requests", wait)
    if _is_beyond_budget(deps, request):
        until_then = {"Retry-After": str(seconds_left(deps.clock.now_ms()))}
        return refusal(request.path, HTTPStatus.TOO_MANY_REQUESTS, SPENT, until_then)
    return None


def _is_beyond_budget(deps: WebDeps, request: Request) -> bool:
    """Whether this request has to wait for another day: new games, then looking."""
    level = deps.spending.level() if deps.spending else Level.OPEN
    first = request.path.split("/")[1]
    return (level >= Level.NOTHING_NEW and first == "new-game") or (
        level is Level.GAMES_ONLY and first in _LOOKED_AT
    )


def _retry_after_seconds(deps: WebDeps, request: Request) -> int | None:
    """The time that this client must wait, or None; its address counts first."""
    now_ms = deps.clock.now_ms()
    try:
        for key, limit, window_seconds in _counts(deps, request):
            if limit and not deps.rate_limits.take(key, limit, window_seconds, now_ms):
                return window_seconds - now_ms // 1000 % window_seconds
    except Exception:  # noqa: BLE001 - without counters all pass
        _log.exception("requests are not counted")
    return None


def _counts(deps: WebDeps, request: Request) -> Iterator[_Count]:
    limits, address = deps.limits, network_of(request.address)
    yield f"http#{address}", limits.per_address, _MINUTE_SECONDS
    if request.method == "PUT":
        yield f"http-put#{address}", limits.transcripts_per_address, _MINUTE_SECONDS
    if request.path == "/new-game":
        yield f"http-new#{address}", limits.new_games_per_address, _HOUR_SECONDS
    elif browser_id := request.headers.get("browser_id"):
        digest = hashlib.sha256(browser_id.encode("utf-8", "surrogatepass")).hexdigest()
        yield f"http-browser#{digest}", limits.per_browser, _MINUTE_SECONDS


def _unread(request: Request) -> Response[str] | None:
    """Return the refusal of a POST body that is not read; None if it is."""
    if request.body is None:
        return refusal(request.path, HTTPStatus.BAD_REQUEST, "The body cannot be read.")
    if len(request.body) > (most := _BODY_BYTES[request.method]):
        detail = f"A body of more than {most} bytes is not read."
        return refusal(request.path, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
    return None


def _preflight(request: Request) -> Response[str]:
    asked = request.headers.get("access-control-request-headers", "")
    headers = {
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, OPTIONS",
        "Access-Control-Allow-Headers": asked
        if _HEADER_NAMES.fullmatch(asked)
        else "browser_id, browser-id, Content-Type, Accept, If-None-Match",
        "Access-Control-Max-Age": "86400",
        "Vary": "Access-Control-Request-Headers",
    }
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)


def _plain(response: Response[str]) -> dict[str, Any]:
    return {
        "statusCode": int(response.status_code),
        "headers": {name: str(value) for name, value in response.headers.items()},
        "cookies": [],
        "body": response.body or "",
        "isBase64Encoded": False,
    }


def _finished(deps: WebDeps, request: Request, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer with common headers; for HEAD without its body."""
    answer = _for_people(deps, request, answer)
    answer["headers"] = {**_COMMON_HEADERS, **answer.get("headers", {})}
    answer["statusCode"] = int(answer["statusCode"])
    if request.method == "HEAD":
        if answer["statusCode"] not in _WITHOUT_LENGTH:
            answer["headers"]["Content-Length"] = str(_length(answer))
        answer["body"], answer["isBase64Encoded"] = "", False
    return answer


def _for_people(deps: WebDeps, request: Request, answer: dict[str, Any]) -> dict[str, Any]:
    """Problem details as a page, for clients that prefer HTML."""
    headers = answer.get("headers", {})
    if headers.get("Content-Type") != PROBLEM:
        return answer
    headers = {**headers, "Vary": "Accept"}
    if not wants_page(request.headers.get("accept")):
        return {**answer, "headers": headers}
    where = Where(deps.name, base_url(deps.public_url, APIGatewayProxyEventV2(request.invocation)))
    status, detail = int(answer["statusCode"]), json.loads(answer["body"])["detail"]
    body = problem_page(where, status, detail)
    return {**answer, "headers": {**headers, **HEADERS, "Content-Type": HTML}, "body": body}


def _length(answer: dict[str, Any]) -> int:
    body = str(answer.get("body") or "")
    if answer.get("isBase64Encoded"):
        return len(b64decode(body))
    return len(body.encode("utf-8", "surrogatepass"))
