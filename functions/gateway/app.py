"""The gateway function: what happens on the sockets of our own relay."""

import logging
from typing import Any

from arbiter import wiring


def handler(invocation: dict[str, Any], context: object) -> dict[str, int]:
    """Let a socket in, or go; API Gateway hears that all is well."""
    del invocation, context
    logging.getLogger().setLevel(wiring.log_level())
    return {"statusCode": 200}
