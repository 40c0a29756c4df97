"""A request as API Gateway hands it over (payload format 2.0), brought into one spelling.

Nothing that a stranger can write into a request raises here: what cannot be read is empty.
"""

import base64
import binascii
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

_KEPT = "/%-._~!$&'()*+,;=:@"
"""What RFC 3986 allows in a path as it is. Gateways differ in what they decode before us."""

_PATH_CHARS = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What routing, limits and routes need to know.

    ``headers`` have lower-case names. ``body`` is None where it cannot be read. ``invocation`` is
    the same request for Powertools' router.
    """

    method: str
    path: str
    address: str
    headers: dict[str, str]
    body: bytes | None
    invocation: dict[str, Any]


def read_request(invocation: dict[str, Any]) -> Request:
    """The request of this invocation. A path loses the slashes at its end."""
    context = invocation.get("requestContext") or {}
    http = context.get("http") or {}
    method = str(http.get("method") or "GET").upper()
    raw = str(invocation.get("rawPath") or "/")[:_PATH_CHARS]
    path = quote(raw, safe=_KEPT, errors="replace").rstrip("/") or "/"
    headers = {
        str(name).lower(): str(value) for name, value in (invocation.get("headers") or {}).items()
    }
    # Many servers and proxies drop a header whose name has an underscore; a client behind one may
    # write a hyphen.
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
