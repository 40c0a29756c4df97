"""A moto server in a process of its own, on a free port of loopback (see loopback.py).

Of its own, because every moto of one process is the same one, and a test elsewhere that begins with
an empty cloud would empty this one too.
"""

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import make_server

from tests.contract.loopback import loopback

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


def in_one_step(app: "WSGIApplication") -> "WSGIApplication":
    """DynamoDB looks and writes in one step. moto's threads may meet between the two, and then two
    writes on the same condition are both made.
    """
    lock = Lock()

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if not environ.get("HTTP_X_AMZ_TARGET", "").startswith("DynamoDB"):
            return app(environ, start_response)
        with lock:
            return [b"".join(app(environ, start_response))]

    return answer


@contextlib.contextmanager
def moto_process() -> Iterator[int]:
    """Start this file as a process."""
    command = (sys.executable, "-m", "tests.contract.moto_process")
    with loopback(command, folder=Path(__file__).parents[2]) as started:
        yield started


def main() -> int:
    """Serve until the input ends."""
    app = in_one_step(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=MotoRequestHandler)
    Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
