"""What went wrong, for programs to read: problem details (RFC 9457).

The routes of chessgame-backend speak otherwise, because their clients look for ``error``: see
`chessgame_routes`.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response


def problem(
    status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """This status as ``application/problem+json``. ``detail`` is our text and quotes no stranger's.

    The type is left out, which RFC 9457 reads as ``about:blank``: "the problem has no additional
    semantics beyond that of the HTTP status code".
    """
    document = {"title": status.phrase, "status": int(status), "detail": detail}
    return Response(
        status_code=status,
        content_type="application/problem+json",
        body=json.dumps(document, separators=(",", ":")),
        headers=dict(headers or {}),
    )
