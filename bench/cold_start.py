"""A cold start of the arbiter function against bare botocore, each in its own Python process.

Both read the same parameter from a stand-in for Systems Manager on loopback, as the function does
before its first record. The figure is CPU time from the interpreter's start.
"""

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.figures import Figure
from bench.measure import measured, ratio
from tests.builders import SERVER

_ROUNDS = 5
_ROOT = Path(__file__).parent.parent

_TOLD = "; import time; print(time.process_time())"
_OURS = "from functions.process_events.app import wiring; wiring.arbiter_deps()" + _TOLD
_BARE = (
    "import botocore.session; client = botocore.session.get_session().create_client('ssm'); "
    "client.get_parameter(Name='/key', WithDecryption=True)" + _TOLD
)


def cold_start() -> Figure:
    """The whole function over botocore alone."""
    with _parameters() as url:
        environment = _environment(url)
        # The first pair writes the bytecode and warms the disk's cache, and is not counted.
        pairs = [(_run(_OURS, environment), _run(_BARE, environment)) for _ in range(_ROUNDS + 1)]
    ours, bare = [[pair[at] for pair in pairs[1:]] for at in (0, 1)]
    return Figure(
        name="a cold start, over bare botocore and one call",
        measured=ratio(ours, bare),
        note=f"{measured(ours).median * 1000:.0f} ms over {measured(bare).median * 1000:.0f} ms",
    )


class _Parameter(http.server.BaseHTTPRequestHandler):
    """Answers any call with the server's key."""

    def do_POST(self) -> None:
        """GetParameter, as the JSON protocol has it."""
        self.rfile.read(int(self.headers["Content-Length"]))
        told = {"Parameter": {"Name": "/key", "Type": "SecureString", "Value": SERVER.to_hex()}}
        body = json.dumps(told).encode()
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _parameters() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Parameter) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def _environment(url: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{_ROOT}:{_ROOT / 'layers/arbiter/python'}",
        "AWS_ENDPOINT_URL": url,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_CONFIG_FILE": os.devnull,
        "TABLE_NAME": "games",
        "SHORT_LIVED_TABLE": "sockets",
        "KEY_PARAMETER": "/key",
        "SERVER_PUBKEY": SERVER.pubkey,
        "RELAYS": "ws://127.0.0.1:9",
        "MOVES_QUEUE_URL": url,
        "SEEKS_QUEUE_URL": url,
        "REPUBLISH_QUEUE_URL": url,
        "CLOCK_QUEUE_URL": url,
    }


def _run(program: str, environment: dict[str, str]) -> float:
    ran = subprocess.run(
        (sys.executable, "-c", program),
        env=environment,
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(ran.stdout)
