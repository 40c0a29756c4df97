"""A hot-seat game through `sam local start-api`: the HTTP routes in a container, as API Gateway
calls them.
"""

import contextlib
import http.client
import json
from pathlib import Path

from local.environment import tool_environment
from local.ports import LOOPBACK, answers_over_http
from local.processes import Part, Supervisor
from local.sam_local.cloud import Surroundings
from local.settings import REGION, Settings

_FOOLS_MATE = ("f2/f3", "e7/e5", "g2/g4", "d8/h4")
_START_TIMEOUT_SECONDS = 120.0
_STOP_TIMEOUT_SECONDS = 30.0
_ANSWER_TIMEOUT_SECONDS = 60.0


def play_over_http(
    settings: Settings, built: Path, around: Surroundings, supervisor: Supervisor
) -> str:
    """Play the fool's mate. Returns what went wrong in a few words, or "". Raises PartFailed."""
    port = settings.ports.arbiter
    command = (
        *(str(settings.tools.sam), "local", "start-api", "--template", str(built)),
        *("--host", LOOPBACK, "--port", str(port), "--skip-pull-image", "--region", REGION),
        *("--env-vars", str(around.folder / "variables.json"), "--warm-containers", "LAZY"),
    )
    aws = {"AWS_ENDPOINT_URL": around.environment["AWS_ENDPOINT_URL"]}
    environment = {**tool_environment(settings), **aws}
    part = Part(
        name="start-api",
        command=command,
        environment=environment,
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )
    supervisor.start(part)
    supervisor.wait_until(part.name, lambda: answers_over_http(port, "/"), _START_TIMEOUT_SECONDS)
    status, begun = _ask(port, "POST", "/new-game")
    if status != http.HTTPStatus.OK:
        return f"/new-game answered {status}"
    # start-api is a WSGI server, and those drop a header with an underscore in its name.
    browser = {"browser-id": begun["game"]["browser_id"]}
    played: dict[str, dict[str, str]] = {}
    for move in _FOOLS_MATE:
        status, played = _ask(port, "GET", f"/make-move/{move}", browser)
        if status != http.HTTPStatus.OK:
            return f"/make-move/{move} answered {status}"
    if played.get("board", {}).get("turn_player") != "B":
        return "the mating move is not Black's"
    status, _ = _ask(port, "GET", "/make-move/a2/a3", browser)
    return "" if status == http.HTTPStatus.BAD_REQUEST else f"a move after mate answered {status}"


def _ask(
    port: int, method: str, path: str, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, dict[str, str]]]:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=_ANSWER_TIMEOUT_SECONDS)
    with contextlib.closing(connection):
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
