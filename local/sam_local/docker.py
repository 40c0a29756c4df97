"""A Docker to run containers with: the one that answers, or one of our own for as long as it takes.

The law: what was started here is stopped here, and a Docker that was there before is left as it
was, but for the image it got.
"""

import contextlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_START_TIMEOUT_SECONDS = 30.0
_STOP_TIMEOUT_SECONDS = 15.0
_ASK_TIMEOUT_SECONDS = 10.0
_POLL_SECONDS = 0.2
# A socket's path may have no more than 108 characters, and folders lie deep.
_LONGEST_SOCKET_PATH = 100


class NoDocker(Exception):
    """There is no Docker and none can be started; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Docker:
    """A Docker that answers. ``environment`` is what makes `docker` and `sam` find it."""

    environment: Mapping[str, str]

    def run(self, *arguments: str, timeout_seconds: float = 300.0) -> str:
        """What `docker` with these arguments prints; CalledProcessError if it fails."""
        return subprocess.run(
            ("docker", *arguments),
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=timeout_seconds,
        ).stdout

    def gateway(self) -> str:
        """This machine's address as containers see it."""
        asked = "{{range .IPAM.Config}}{{.Gateway}} {{end}}"
        found = self.run("network", "inspect", "bridge", "--format", asked).split()
        return next((one for one in found if re.fullmatch(r"[0-9.]+", one)), "172.17.0.1")


@contextlib.contextmanager
def docker_for(folder: Path) -> Iterator[Docker]:
    """The person's own Docker, or a daemon of ours that keeps everything in ``folder``.

    Raises NoDocker.
    """
    if shutil.which("docker") is None:
        raise NoDocker("There is no `docker` here. On Debian: apt-get install docker.io")
    theirs = Docker({})
    if _answers(theirs):
        yield theirs
        return
    with _started(folder) as ours:
        yield ours


def _answers(docker: Docker) -> bool:
    try:
        docker.run("info", "--format", "{{.ServerVersion}}", timeout_seconds=_ASK_TIMEOUT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


@contextlib.contextmanager
def _started(folder: Path) -> Iterator[Docker]:
    """A daemon of our own. No packet filter is touched: containers reach this machine alone."""
    if shutil.which("dockerd") is None:
        raise NoDocker("Docker does not answer, and there is no `dockerd` to start one with.")
    if os.geteuid() != 0:
        raise NoDocker("Docker does not answer, and only root can start it: start Docker first.")
    folder.mkdir(parents=True, exist_ok=True)
    socket = folder / "docker.sock"
    if len(str(socket)) > _LONGEST_SOCKET_PATH:
        raise NoDocker(f"{socket} is too long a path for a socket: choose a shorter RUN_DIR.")
    log = folder / "dockerd.log"
    command = (
        *("dockerd", "--iptables=false", "--storage-driver=overlay2", "--host", f"unix://{socket}"),
        *("--data-root", str(folder / "data"), "--exec-root", str(folder / "exec")),
        *("--pidfile", str(folder / "docker.pid")),
    )
    with log.open("wb") as output:
        daemon = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        ours = Docker({"DOCKER_HOST": f"unix://{socket}"})
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while not _answers(ours):
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise NoDocker(f"`dockerd` does not come up, see {log}")
            time.sleep(_POLL_SECONDS)
        yield ours
    finally:
        daemon.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            daemon.wait(_STOP_TIMEOUT_SECONDS)
        daemon.kill()
        daemon.wait()
