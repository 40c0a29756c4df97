"""The HTTP API, called by its handler in this process or over HTTP.

Invariant: both take the same request and return the same bytes, with no limit of requests in force.
"""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arbiter import wiring
from arbiter.nostr.keys import SecretKey
from arbiter.web.app import make_app
from local.deploy import parameters
from local.environment import aws_environment
from local.moto_cloud import provision
from local.settings import ROOT, Settings, settings_from
from local.template import Template
from tests.web.browser import Site, an_invocation

_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.05
_NEVER_MET = "1000000000"

Handler = Callable[[dict[str, Any], object], dict[str, Any]]


class Refused(Exception):
    """An answer that is not 200; the text is the request and the answer."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a browser; ``browser_id`` is empty where it has none yet."""

    method: str
    path: str
    browser_id: str = ""

    def headers(self) -> Mapping[str, str]:
        """The headers that say which game is meant."""
        return {"browser_id": self.browser_id} if self.browser_id else {}


# The body of the answer, which must be 200.
Ask = Callable[[Request], bytes]


def over_http(base_url: str) -> Ask:
    """A connection that is kept open; not to be shared by threads."""
    authority = urllib.parse.urlsplit(base_url).netloc
    connection = http.client.HTTPConnection(authority, timeout=_TIMEOUT_SECONDS)

    def ask(request: Request) -> bytes:
        connection.request(request.method, request.path, headers=dict(request.headers()))
        response = connection.getresponse()
        return _taken(request, response.status, response.read())

    return ask


def by_handler(handler: Handler) -> Ask:
    """The function itself, called as API Gateway calls it."""

    def ask(request: Request) -> bytes:
        headers = dict(request.headers())
        told = handler(an_invocation(request.method, request.path, headers=headers), object())
        return _taken(request, told["statusCode"], told.get("body", "").encode())

    return ask


def new_game(ask: Ask) -> str:
    """Begin a game; its browser id."""
    return str(json.loads(ask(Request("POST", "/new-game")))["game"]["browser_id"])


def make_move(ask: Ask, browser_id: str, uci: str) -> bytes:
    """Play one move, which must be taken; the answer's body."""
    return ask(Request("GET", f"/make-move/{uci[:2]}/{uci[2:4]}", browser_id))


def handler_in_memory() -> Handler:
    """The API on the fakes that the tests use: no record is packed, and nothing is sent."""
    return make_app(Site().deps())


@contextlib.contextmanager
def handler_on_moto(*, counts_requests: bool = False) -> Iterator[Handler]:
    """The API as it is deployed, with tables on a moto server in a process of its own, so that the
    CPU time of this process is the function's. ``counts_requests`` has it count them, as it must
    where there is a limit; no limit is ever met.
    """
    settings = settings_from({"RELAYS": "ws://127.0.0.1:9"})
    if not isinstance(settings, Settings):
        raise SystemExit(settings.text)
    key = SecretKey.generate(os.urandom(32))
    template = Template.read(ROOT / "template.yaml")
    limits = {"RequestsPerAddress": _NEVER_MET if counts_requests else "0"}
    with _moto_server() as url:
        os.environ |= aws_environment(url)
        given = {**parameters(settings, key.pubkey), **limits}
        os.environ |= provision(url, template, given, key).environment
        # Not the one that is kept for a process: the next may be asked for with other settings.
        yield make_app(wiring.web_deps.__wrapped__())


@contextlib.contextmanager
def _moto_server() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    program = (sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port))
    server = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            if server.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("moto's server did not start")
            time.sleep(_POLL_SECONDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def running() -> str | None:
    """The base URL of the arbiter in RUN_DIR; None, after a line that says so, if none runs."""
    path = Path(os.environ.get("RUN_DIR") or ".run") / "endpoints.json"
    with contextlib.suppress(FileNotFoundError):
        return str(json.loads(path.read_text(encoding="utf-8"))["http"])
    print("make run    not running: make run, in another terminal")
    return None


def _taken(request: Request, status: int, body: bytes) -> bytes:
    if status != http.HTTPStatus.OK:
        raise Refused(f"{request} → {status} {body[:300].decode(errors='replace')}")
    return body
