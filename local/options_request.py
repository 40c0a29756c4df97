"""OPTIONS requests, which the emulator would answer itself.

API Gateway does so only for an API with CORS settings; ours has none, since the function knows the
methods of each path. So the proxy invokes the function in payload format 2.0. The requests have no
body.
"""

import base64
import contextlib
import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from local.ports import LOOPBACK

_TIMEOUT_SECONDS = 10.0


def invocation_of(head: bytes, address: str) -> dict[str, Any]:
    """What the function is to be called with; ``head`` ends with an empty line."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    path, _, query = target.partition("?")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": unquote(path),
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {
            "domainName": headers.get("host", LOOPBACK),
            "http": {
                "method": method,
                "path": unquote(path),
                "protocol": "HTTP/1.1",
                "sourceIp": address,
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": "options",
            "routeKey": "$default",
            "stage": "$default",
        },
        "isBase64Encoded": False,
    }


def answer_of(returned: Mapping[str, Any]) -> bytes:
    """What the function returned as an HTTP answer, whole."""
    body = str(returned.get("body") or "").encode()
    if returned.get("isBase64Encoded"):
        body = base64.b64decode(body)
    status = int(returned.get("statusCode", 200))
    reason = http.client.responses.get(status, "")
    headers = {
        str(name).title(): str(value) for name, value in (returned.get("headers") or {}).items()
    }
    headers |= {"Content-Length": str(len(body)), "Connection": "close"}
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {it}" for name, it in headers.items())]
    return "\r\n".join((*lines, "", "")).encode("latin-1", "replace") + body


def ask_function(port: int, function: str, head: bytes, address: str) -> bytes | None:
    """Have the function answer, by the emulator on this port; None if it cannot."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=_TIMEOUT_SECONDS)
    with contextlib.closing(connection):
        try:
            connection.request(
                "POST",
                f"/2015-03-31/functions/{function}/invocations",
                json.dumps(invocation_of(head, address)),
                {"Content-Type": "application/json"},
            )
            answered = connection.getresponse()
            returned = json.loads(answered.read())
            if answered.getheader("X-Amz-Function-Error") or not isinstance(returned, dict):
                return None
            return answer_of(returned)
        except (OSError, http.client.HTTPException, ValueError):
            return None
