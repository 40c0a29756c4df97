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


def docker(*arguments: str) -> str:
    """What `docker` with these arguments prints; CalledProcessError if it fails."""
    return subprocess.run(
        ("docker", *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=_TIMEOUT_SECONDS,
    ).stdout


def require_docker() -> None:
    """Pulls the image where it is not there yet. Raises NoDocker."""
    if shutil.which("docker") is None:
        raise NoDocker("There is no `docker` here. On Debian: apt-get install docker.io")
    try:
        docker("info")
    except subprocess.SubprocessError:
        raise NoDocker("Docker does not answer: start it first.") from None
    try:
        docker("image", "inspect", IMAGE)
    except subprocess.SubprocessError:
        say(f"  … pulling {IMAGE}")
        try:
            docker("pull", "--quiet", IMAGE)
        except subprocess.SubprocessError:
            text = f"{IMAGE} cannot be pulled: load it (docker load), or see .ci/docker."
            raise NoDocker(text) from None


def gateway() -> str:
    """This machine's address as containers see it."""
    asked = "{{range .IPAM.Config}}{{.Gateway}} {{end}}"
    found = docker("network", "inspect", "bridge", "--format", asked).split()
    return next((one for one in found if re.fullmatch(r"[0-9.]+", one)), "172.17.0.1")
