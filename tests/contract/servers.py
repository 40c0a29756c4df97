"""The stand-ins that are processes: started when first needed, on a free port of loopback, stopped
at the end.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
from botocore.exceptions import HTTPClientError

from arbiter.adapters.aws_clients import AwsClients
from tests.contract.loopback import loopback

TOOLS = Path(__file__).parents[2] / ".venv" / "tools"
MINISTACK = Path(os.environ.get("MINISTACK", TOOLS / "ministack" / "bin" / "ministack"))
DYNAMODB_LOCAL = Path(os.environ.get("DYNAMODB_LOCAL", TOOLS / "dynamodb-local"))
ELASTICMQ = Path(os.environ.get("ELASTICMQ", TOOLS / "elasticmq"))

PATIENCE_SECONDS = 60.0


class Started:
    """Every stand-in that was started so far."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._clients: dict[str, AwsClients] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def clients(self, name: str) -> AwsClients:
        """Clients for the stand-in of this name. Skips the test when it is not installed."""
        if name not in self._clients:
            self._clients[name] = self._start(name)
        return self._clients[name]

    def _start(self, name: str) -> AwsClients:
        start: dict[str, Callable[[], AbstractContextManager[int]]] = {
            "ministack": _ministack,
            "dynamodb-local": _dynamodb_local,
            "elasticmq": _elasticmq,
        }
        port = self._stack.enter_context(start[name]())
        clients = AwsClients(
            {
                "endpoint_url": f"http://127.0.0.1:{port}",
                "region_name": "us-east-1",
                "aws_access_key_id": "test",
                "aws_secret_access_key": "test",
            }
        )
        if name != "elasticmq":
            _warm(clients)
        return clients


@contextlib.contextmanager
def _ministack() -> Iterator[int]:
    if not MINISTACK.exists():
        pytest.skip(f"MiniStack is not installed at {MINISTACK}")
    with tempfile.TemporaryDirectory() as scratch:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": scratch,
            "TMPDIR": scratch,
            "BIND_HOST": "127.0.0.1",  # it would bind every interface
            "MINISTACK_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(port),
            "PERSIST_STATE": "0",
            # It would open ports of its own for these, and look for a Docker to tidy up.
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "DOCKER_HOST": f"unix://{scratch}/no-docker",
        }
        log = Path(scratch, "log")
        with log.open("wb") as output:
            process = subprocess.Popen(
                [MINISTACK], env=environment, cwd=scratch, stdout=output, stderr=output
            )
        try:
            _wait_until(lambda: _answers(port), process, log)
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


@contextlib.contextmanager
def _dynamodb_local() -> Iterator[int]:
    with _on_java(DYNAMODB_LOCAL, f"-Djava.library.path={DYNAMODB_LOCAL}/lib") as started:
        yield started


@contextlib.contextmanager
def _elasticmq() -> Iterator[int]:
    with _on_java(ELASTICMQ) as started:
        yield started


@contextlib.contextmanager
def _on_java(folder: Path, *options: str) -> Iterator[int]:
    java = shutil.which("java")
    if java is None or not (folder / "Loopback.class").exists():
        pytest.skip(f"nothing is installed at {folder}: tests/contract/java.sh brings it")
    command = [java, "-Xmx256m", "-XX:TieredStopAtLevel=1", *options]
    command += ["-cp", f"{folder}:{folder}/lib/*", "Loopback"]
    with loopback(command, {**os.environ, "DDB_LOCAL_TELEMETRY": "0"}) as started:
        yield started


def _warm(clients: AwsClients) -> None:
    """Have the first call answered, which on a busy machine outlasts a client's patience."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(HTTPClientError):
            clients.dynamodb().list_tables()
            return


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(log.read_text())
        time.sleep(0.05)
