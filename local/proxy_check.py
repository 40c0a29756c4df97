"""The proxy as a process of a run, and the check that both APIs answer through it.

The check warms the functions up for the first player.
"""

import sys
from functools import partial

import websocket

from local.deploy import Stack, execute_api
from local.environment import bare_environment, our_code
from local.ports import LOOPBACK
from local.processes import Part, Supervisor
from local.settings import Settings

PROXY = "proxy"
_START_TIMEOUT_SECONDS = 30.0
_STOP_TIMEOUT_SECONDS = 5.0
_CONNECT_SECONDS = 10.0


def proxy_part(settings: Settings, stack: Stack) -> Part:
    """The proxy as a process of the run."""
    base, ids = execute_api(settings), stack.outputs
    return Part(
        name=PROXY,
        command=(
            *(sys.executable, "-m", "local.proxy"),
            *("--port", str(settings.ports.arbiter)),
            *("--websocket", f"{base}/{ids['GatewayApiId']}/v1"),
            *("--http", f"{base}/{ids['HttpApiId']}/$default"),
            *("--http-function", ids["HttpApiFunctionName"]),
        ),
        environment={**bare_environment(settings), "PYTHONPATH": our_code()},
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )


def await_proxy(settings: Settings, supervisor: Supervisor) -> None:
    """Wait until both APIs answer through the proxy. Raises PartFailed."""
    supervisor.wait_for_http(PROXY, settings.ports.arbiter)
    is_open = partial(_websocket_answers, settings)
    supervisor.wait_until(PROXY, is_open, _START_TIMEOUT_SECONDS)


def _websocket_answers(settings: Settings) -> bool:
    try:
        connection = websocket.create_connection(
            settings.websocket_url, timeout=_CONNECT_SECONDS, http_no_proxy=[LOOPBACK]
        )
    except (OSError, websocket.WebSocketException):
        return False
    connection.close()
    return True
