"""What went wrong, for programs to read: problem details (RFC 9457). `web.app` makes a page of them
for browsers.

The routes of chessgame-backend speak otherwise, because their clients look for ``error``.
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
    """This status as ``application/problem+json``. ``detail`` is our text and quotes no stranger's.

    The type is left out, which RFC 9457 reads as ``about:blank``: "the problem has no additional
    semantics beyond that of the HTTP status code".
    """
    document = {"title": status.phrase, "status": int(status), "detail": detail}
    return _response(status, PROBLEM, document, headers)


def plain_error(
    status: HTTPStatus, error: str, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """``{"error": …}``, as chessgame-backend says it."""
    return _response(status, "application/json", {"error": error}, headers)


def refusal(
    path: str, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """What went wrong before a route was asked, in the words of whoever lives at this path."""
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
        # An error of this moment must not be what a cache says tomorrow.
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
