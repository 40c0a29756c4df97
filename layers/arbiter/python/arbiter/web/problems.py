"""Errors as problem details (RFC 9457), which ``web.app`` turns into pages for browsers; for the
routes of chessgame-backend as ``{"error": …}``, which their clients expect.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from arbiter.web.http import PROBLEM

_COMPATIBLE = frozenset({"new-game", "load-game", "legal-moves", "make-move"})


def problem(
    status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """``application/problem+json``. ``detail`` is our own text.

    The type is omitted, which RFC 9457 reads as ``about:blank``: "the problem has no additional
    semantics beyond that of the HTTP status code".
    """
    document = {"title": status.phrase, "status": int(status), "detail": detail}
    return _response(status, PROBLEM, document, headers)


def plain_error(
    status: HTTPStatus, error: str, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """``{"error": …}``, as in chessgame-backend."""
    return _response(status, "application/json", {"error": error}, headers)


def refusal(
    path: str, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """An error found before routing, in the format of this path."""
    compatible = path.split("/")[1:2] and path.split("/")[1] in _COMPATIBLE
    return (plain_error if compatible else problem)(status, detail, headers)


def _response(
    status: HTTPStatus,
    content_type: str,
    document: Mapping[str, object],
    headers: Mapping[str, str] | None,
) -> Response[str]:
    return Response(
        status_code=status,
        content_type=content_type,
        body=json.dumps(document, separators=(",", ":")),
        # An error must not be cached.
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
