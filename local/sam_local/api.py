"""A hot-seat game through `sam local start-api`: the HTTP routes in a container, as API Gateway
calls them.
"""

import contextlib
import http.client
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from local.environment import tool_environment
from local.ports import LOOPBACK, answers_over_http
from local.sam_local.cloud import Surroundings
from local.settings import REGION, ROOT, Settings

_FOOLS_MATE = ("f2/f3", "e7/e5", "g2/g4", "d8/h4")
_START_TIMEOUT_SECONDS = 120.0
_STOP_TIMEOUT_SECONDS = 30.0
_ANSWER_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.5


def play_over_http(settings: Settings, built: Path, around: Surroundings) -> str:
    """Play the fool's mate. Returns what went wrong in a few words, or ""."""
    port = settings.ports.arbiter
    with _api(settings, built, around, port):
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while not answers_over_http(port, "/"):
            if time.monotonic() > deadline:
                return f"it does not answer, see {around.folder / 'start-api.log'}"
            time.sleep(_POLL_SECONDS)
        status, begun = _ask(port, "POST", "/new-game")
        if status != 200:  # noqa: PLR2004 - an HTTP status, as below
            return f"/new-game answered {status}"
        # start-api is a WSGI server, and those drop a header with an underscore in its name.
        browser = {"browser-id": begun["game"]["browser_id"]}
        played: dict[str, dict[str, str]] = {}
        for move in _FOOLS_MATE:
            status, played = _ask(port, "GET", f"/make-move/{move}", browser)
            if status != 200:  # noqa: PLR2004
                return f"/make-move/{move} answered {status}"
        if played.get("board", {}).get("turn_player") != "B":
            return "the mating move is not Black's"
        status, _ = _ask(port, "GET", "/make-move/a2/a3", browser)
        return "" if status == 400 else f"a move after mate answered {status}"  # noqa: PLR2004


@contextlib.contextmanager
def _api(settings: Settings, built: Path, around: Surroundings, port: int) -> Iterator[None]:
    log = around.folder / "start-api.log"
    command = (
        *(str(settings.tools.sam), "local", "start-api", "--template", str(built)),
        *("--host", LOOPBACK, "--port", str(port), "--skip-pull-image", "--region", REGION),
        *("--env-vars", str(around.folder / "variables.json"), "--warm-containers", "LAZY"),
    )
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={
                **tool_environment(settings),
                "AWS_ENDPOINT_URL": around.environment["AWS_ENDPOINT_URL"],
            },
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _ask(
    port: int, method: str, path: str, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, dict[str, str]]]:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=_ANSWER_TIMEOUT_SECONDS)
    with contextlib.closing(connection):
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
