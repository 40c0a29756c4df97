"""The listeners of a run: the cloud's listener function as two processes, one of which may die."""

import sys

from local.deploy import Stack
from local.environment import program_environment
from local.processes import Part
from local.settings import Settings

LISTENERS = ("listener-1", "listener-2")
_STOP_TIMEOUT_SECONDS = 5.0


def listener_part(name: str, settings: Settings, stack: Stack, server_pubkey: str) -> Part:
    return Part(
        name=name,
        command=(sys.executable, "-m", "functions.relay_listener.app"),
        environment={
            **program_environment(settings),
            "MOVES_QUEUE_URL": stack.outputs["MovesQueueUrl"],
            "SEEKS_QUEUE_URL": stack.outputs["SeeksQueueUrl"],
            "TABLE_NAME": stack.outputs["TableName"],
            "RELAYS": ",".join(settings.relay_urls),
            "SERVER_PUBKEY": server_pubkey,
            "LOG_LEVEL": settings.log_level,
        },
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )
