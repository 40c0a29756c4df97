"""The Docker that `sam local` runs functions in, and the image that it runs them from."""

import re
import shutil
import subprocess

from local.console import say

IMAGE = "public.ecr.aws/lambda/python:3.13-x86_64"
"""Lambda's own. `sam local` asks for no other name."""

_TIMEOUT_SECONDS = 300.0


class NoDocker(Exception):
    """Docker or the image cannot be had; the text says why and what to do."""


def _docker(*arguments: str) -> str:
    """Return what `docker` prints with these arguments; SubprocessError if it fails."""
    given = ("docker", *arguments)
    return subprocess.run(
        given, capture_output=True, text=True, check=True, timeout=_TIMEOUT_SECONDS
    ).stdout


def require_docker() -> None:
    """Pulls the image where it is not there yet. Raises NoDocker."""
    if shutil.which("docker") is None:
        raise NoDocker("There is no `docker` here. On Debian: apt-get install docker.io")
    try:
        _docker("info")
    except subprocess.SubprocessError:
        raise NoDocker("Docker does not answer: start it first.") from None
    if _docker("image", "ls", "--quiet", IMAGE):
        return
    say(f"  … pulling {IMAGE}")
    try:
        _docker("pull", "--quiet", IMAGE)
    except subprocess.SubprocessError:
        raise NoDocker(f"{IMAGE} cannot be pulled: load it (docker load).") from None


def gateway() -> str:
    asked = "{{range .IPAM.Config}}{{.Gateway}} {{end}}"
    found = _docker("network", "inspect", "bridge", "--format", asked).split()
    return next((one for one in found if re.fullmatch(r"[0-9.]+", one)), "172.17.0.1")
