"""Requests: API Gateway's invocation (2.0) normalized, and parameters parsed; what cannot be is
empty or None.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2

from arbiter.application.queries import MAX_GAMES_A_PAGE, GameCursor
from arbiter.nostr.event import is_hex_32_bytes
from arbiter.nostr.nip19 import decode_npub

USUAL_GAMES_A_PAGE = 20

_KEPT = "/%-._~!$&'()*+,;=:@"
"""Characters that RFC 3986 allows in a path. Gateways differ in what they decode."""

_PATH_CHARS = 2048

_LIMIT = re.compile("[0-9]{1,3}")
_CURSOR = re.compile("[A-Za-z0-9_-]{32}")
_HOST = re.compile(r"[A-Za-z0-9.-]{1,255}(:[0-9]{1,5})?")
_TIME_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The request: lower-case ``headers``, ``body`` None if undecodable, Powertools'
    ``invocation``.
    """

    method: str
    path: str
    address: str
    headers: dict[str, str]
    body: bytes | None
    invocation: dict[str, Any]


def read_request(invocation: dict[str, Any]) -> Request:
    context = invocation.get("requestContext") or {}
    http = context.get("http") or {}
    method = str(http.get("method") or "GET").upper()
    raw = str(invocation.get("rawPath") or "/")[:_PATH_CHARS]
    path = quote(raw, safe=_KEPT, errors="replace").rstrip("/") or "/"
    headers = {
        str(name).lower(): str(value) for name, value in (invocation.get("headers") or {}).items()
    }
    # Many proxies drop headers with an underscore in their name; a client behind one may use a
    # hyphen.
    if "browser-id" in headers:
        headers.setdefault("browser_id", headers["browser-id"])
    body = _body(invocation)
    routed = "GET" if method == "HEAD" else method
    return Request(
        method=method,
        path=path,
        address=str(http.get("sourceIp") or ""),
        headers=headers,
        body=body,
        invocation={
            **invocation,
            "rawPath": path,
            "headers": headers,
            "queryStringParameters": invocation.get("queryStringParameters") or {},
            "body": (body or b"").decode("utf-8", "replace"),
            "isBase64Encoded": False,
            "requestContext": {**context, "stage": "$default", "http": {**http, "method": routed}},
        },
    )


def _body(invocation: dict[str, Any]) -> bytes | None:
    text = str(invocation.get("body") or "")
    if not invocation.get("isBase64Encoded"):
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None


def player_in(text: str) -> str | None:
    """The player's key in hex, from hex or an npub; None for other text."""
    return text if is_hex_32_bytes(text) else decode_npub(text)


def limit_in(text: str | None, most: int = MAX_GAMES_A_PAGE) -> int | None:
    """A number up to ``most``, the default without text; None for other text."""
    if text is None:
        return min(USUAL_GAMES_A_PAGE, most)
    if _LIMIT.fullmatch(text) is None or not 1 <= int(text) <= most:
        return None
    return int(text)


def encode_cursor(cursor: GameCursor) -> str:
    """The cursor as 32 characters: eight bytes of time, the game's id, in base64url."""
    octets = cursor.created_at_ms.to_bytes(_TIME_BYTES, "big") + bytes.fromhex(cursor.game_id)
    return base64.urlsafe_b64encode(octets).decode()


def decode_cursor(text: str) -> GameCursor | None:
    """The cursor that this is, or None; a forged one only names another place."""
    if _CURSOR.fullmatch(text) is None:
        return None
    octets = base64.urlsafe_b64decode(text)
    return GameCursor(int.from_bytes(octets[:_TIME_BYTES], "big"), octets[_TIME_BYTES:].hex())


def base_url(public_url: str, event: APIGatewayProxyEventV2) -> str:
    """Our base URL, without a slash: configured, or the request's host; or ""."""
    if public_url:
        return public_url
    host = str((event.get("requestContext") or {}).get("domainName") or "")
    if _HOST.fullmatch(host) is None:
        return ""
    scheme = "http" if event.headers.get("x-forwarded-proto") == "http" else "https"
    return f"{scheme}://{host}"
