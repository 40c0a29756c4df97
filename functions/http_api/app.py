"""The HTTP function: hot-seat games, and everything to read."""

import logging
from typing import Any

from arbiter import wiring


def handler(invocation: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one request of API Gateway's (payload format 2.0)."""
    del context
    logging.getLogger().setLevel(wiring.log_level())
    status = 200 if invocation.get("rawPath") == "/" else 404
    return {"statusCode": status, "body": ""}
