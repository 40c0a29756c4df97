"""The gateway function: our own relay's sockets."""

import base64
import logging
from typing import Any

from arbiter import wiring
from arbiter.application import day_figures
from arbiter.application.connections import network_of
from arbiter.application.gateway.handler import admit, answer_frame, forget

log = logging.getLogger("arbiter")

TAKEN = {"statusCode": 200}
TOO_MANY = {"statusCode": 429}
OUR_FAULT = {"statusCode": 500}


def handler(invocation: dict[str, Any], context: object) -> dict[str, int]:
    """Let a socket in, answer a frame over it, or forget it; the status is for API Gateway."""
    del context
    wiring.set_up_logs()
    request = invocation["requestContext"]
    connection_id = request["connectionId"]
    address = request.get("identity", {}).get("sourceIp", "")  # "unknown" where there is none
    with wiring.invoked(network_of(address), socket_messages=1):
        return _answer_invocation(invocation, request, connection_id, address)


def _answer_invocation(
    invocation: dict[str, Any], request: dict[str, Any], connection_id: str, address: str
) -> dict[str, int]:
    try:
        # Not the route's key, which a client chooses.
        match request["eventType"]:
            case "CONNECT":
                return _let_in(connection_id, address, request.get("connectedAt", 0))
            case "DISCONNECT":
                forget(wiring.gateway_deps(), connection_id)
                wiring.count(day_figures.closed(request.get("connectedAt", 0)))
                _log(connection_id, "closed")
                return TAKEN
            case _:
                # The time of the frame at API Gateway: the time to start this function and to
                # read the key is no thinking time of the player.
                return _answer(connection_id, invocation, request.get("requestTimeEpoch"))
    except Exception as failure:  # noqa: BLE001 - it is not delivered again, so there is only the log
        _log_failure(connection_id, failure)
        return OUR_FAULT


def _let_in(connection_id: str, address: str, at_ms: int) -> dict[str, int]:
    is_in = admit(wiring.gateway_deps(), connection_id, address)
    if is_in:
        wiring.count(day_figures.opened(at_ms))
    status = "opened" if is_in else "refused-rate-limited"
    log.info({"status": status, "connection": connection_id, "address": address})
    return TAKEN if is_in else TOO_MANY


def _answer(
    connection_id: str, invocation: dict[str, Any], received_at_ms: int | None
) -> dict[str, int]:
    frame: str | bytes = invocation.get("body") or ""
    if invocation.get("isBase64Encoded"):  # a binary frame
        frame = base64.b64decode(frame)
    answered = answer_frame(wiring.gateway_deps(), connection_id, frame, received_at_ms)
    if answered.failure:
        _log_failure(connection_id, answered.failure, answered.event_id, answered.game_id)
        return OUR_FAULT
    _log(connection_id, answered.status, answered.event_id, answered.game_id)
    return TAKEN


def _log(connection_id: str, status: str, event_id: str = "", game_id: str = "") -> None:
    """Log ids and a reason, never a stranger's text; of what is queued when it is decided."""
    write = log.debug if status == "queued" else log.info
    write({"status": status, **_named(connection_id, event_id, game_id)})


def _log_failure(
    connection_id: str, failure: Exception, event_id: str = "", game_id: str = ""
) -> None:
    wiring.count(day_figures.FAULT)
    named = _named(connection_id, event_id, game_id)
    log.error({"status": "failed", **named}, exc_info=failure)


def _named(connection_id: str, event_id: str, game_id: str) -> dict[str, str]:
    named = {"connection": connection_id, "event": event_id}
    return {**named, "game": game_id} if game_id else named
