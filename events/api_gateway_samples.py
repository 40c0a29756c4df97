"""Sample invocations as API Gateway makes them, with reserved addresses and names (RFC 5737)."""

import json
from typing import Any

from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.relay_messages import event_message

SOCKET = "L0SM9cOFvHcCIhw="
"""API Gateway's id of the sample socket."""

BROWSER = "0f7a2c9e5d1b4836a7c0e2f4b6d8901c"
_ADDRESS = "192.0.2.7"
_AGENT = "sample/1"


def socket_samples(at: int, game_id: str, move: VerifiedEvent) -> dict[str, dict[str, Any]]:
    """The life of a socket (unix seconds) that watches this game and makes this move."""
    watching = json.dumps(["REQ", "game", {"kinds": [20302], "#d": [game_id]}])
    return {
        "gateway/connect.json": {
            "headers": {"Host": "gateway.example", "User-Agent": _AGENT},
            "requestContext": _of_socket("$connect", "CONNECT", at),
            "isBase64Encoded": False,
        },
        "gateway/subscribe.json": _frame(watching, at),
        "gateway/move.json": _frame(event_message(move), at),
        "gateway/nonsense.json": _frame('["TALK",NaN', at),
        "gateway/disconnect.json": {
            "requestContext": {
                **_of_socket("$disconnect", "DISCONNECT", at),
                "disconnectStatusCode": 1001,
                "disconnectReason": "Going away",
            },
            "isBase64Encoded": False,
        },
    }


def http_samples(at: int, game_id: str) -> dict[str, dict[str, Any]]:
    """Requests to the HTTP API: a hot-seat game, this game, a relay's document, CORS."""
    begun = json.dumps({"browser_id": BROWSER})
    return {
        "http_api/new_game.json": _request("POST", "/new-game", at, body=begun),
        "http_api/game.json": _request("GET", f"/games/{game_id}", at),
        "http_api/relay_information.json": _request(
            "GET", "/", at, {"accept": "application/nostr+json"}
        ),
        "http_api/preflight.json": _request(
            "OPTIONS",
            "/make-move/e2/e4",
            at,
            {
                "origin": "https://board.example",
                "access-control-request-method": "GET",
                "access-control-request-headers": "browser_id",
            },
        ),
        "http_api/nothing.json": _request("GET", "/nothing", at),
    }


def _of_socket(route: str, event_type: str, at: int) -> dict[str, Any]:
    return {
        "routeKey": route,
        "eventType": event_type,
        "extendedRequestId": "sample",
        "requestTimeEpoch": at * 1000,
        "messageDirection": "IN",
        "stage": "v1",
        "connectedAt": at * 1000,
        "identity": {"sourceIp": _ADDRESS, "userAgent": _AGENT},
        "requestId": "sample",
        "domainName": "gateway.example",
        "connectionId": SOCKET,
        "apiId": "sample",
    }


def _frame(body: str, at: int) -> dict[str, Any]:
    told = {**_of_socket("$default", "MESSAGE", at), "messageId": "sample"}
    return {"requestContext": told, "body": body, "isBase64Encoded": False}


def _request(
    method: str, path: str, at: int, headers: dict[str, str] | None = None, body: str | None = None
) -> dict[str, Any]:
    invocation = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"host": "web.example", "user-agent": _AGENT, **(headers or {})},
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "sample",
            "domainName": "web.example",
            "domainPrefix": "web",
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": _ADDRESS,
                "userAgent": _AGENT,
            },
            "requestId": "sample",
            "routeKey": "$default",
            "stage": "$default",
            "timeEpoch": at * 1000,
        },
        "isBase64Encoded": False,
    }
    return invocation if body is None else {**invocation, "body": body}
