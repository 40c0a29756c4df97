"""A handler under Lambda's own runtime interface, without Docker: Amazon's emulator of it
(aws-lambda-rie, which comes with the SAM command line) and its client (awslambdaric).

One emulator takes one invocation at a time, as one Lambda environment does.
"""

import contextlib
import json
import os
import platform
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.template.source import ROOT

TOOLS = ROOT / ".venv" / "tools"
PYTHON = TOOLS / "runtime" / "bin" / "python"
_PROCESSORS = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
_PATIENCE_SECONDS = 30.0


def emulator() -> Path | None:
    """The emulator for this machine's processor, if it is installed and this is a Linux."""
    name = f"aws-lambda-rie-{_PROCESSORS.get(platform.machine(), 'none')}"
    found = sorted(TOOLS.glob(f"sam/lib/python*/site-packages/samcli/local/rapid/{name}"))
    return found[0] if found and sys.platform == "linux" else None


class Environment:
    """One Lambda environment, with what it has printed."""

    def __init__(self, port: int, log: Path) -> None:
        self._url = f"http://127.0.0.1:{port}/2015-03-31/functions/function/invocations"
        self._log = log

    def invoke(self, invocation: object) -> Any:
        """The handler's result, or the runtime's report of its failure."""
        body = json.dumps(invocation).encode()
        request = urllib.request.Request(self._url, body)  # noqa: S310 - our own loopback URL
        with urllib.request.urlopen(request, timeout=_PATIENCE_SECONDS) as answer:  # noqa: S310
            text = answer.read().decode()
        try:
            return json.loads(text)
        except ValueError:
            return text

    def printed(self) -> str:
        """Everything that emulator and handler have written so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")


@contextlib.contextmanager
def environment(
    function: str, layers: Path, variables: Mapping[str, str], scratch: Path, timeout_seconds: int
) -> Iterator[Environment]:
    """A Lambda environment for this function's folder, with ``layers`` as its /opt/python."""
    binary = emulator()
    assert binary is not None
    port, api_port = _free_port(), _free_port()
    log = scratch / f"{function}-{port}.log"
    paths = os.pathsep.join((str(ROOT / "functions" / function), str(layers)))
    with log.open("wb") as output:
        process = subprocess.Popen(
            (
                *(str(binary), "--runtime-interface-emulator-address", f"127.0.0.1:{port}"),
                *("--runtime-api-address", f"127.0.0.1:{api_port}"),
                *(str(PYTHON), "-m", "awslambdaric", "app.handler"),
            ),
            cwd=ROOT / "functions" / function,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": paths,
                "AWS_LAMBDA_FUNCTION_TIMEOUT": str(timeout_seconds),
                "AWS_LAMBDA_FUNCTION_NAME": function,
                **variables,
            },
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _await_port(port)
        yield Environment(port, log)
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_port(port: int) -> None:
    """Wait until a program listens there."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline, "the emulator does not answer"
        time.sleep(0.05)
