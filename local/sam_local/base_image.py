"""The image that `sam local` runs functions in: Lambda's own, or one like it where none can be had.

The law: the name is Lambda's own, for `sam local` asks for no other; what stands behind it is said
in plain words, since a Debian with the same Python is not Amazon's Linux.
"""

import os
import shutil
import subprocess
from pathlib import Path

from local.console import say
from local.sam_local.docker import Docker, NoDocker
from local.settings import ROOT

IMAGE = "public.ecr.aws/lambda/python:3.13-x86_64"
_PULL_TIMEOUT_SECONDS = 300.0
# The first Debian whose Python is 3.13, as Lambda's python3.13.
_RELEASE = "trixie"
_BOOTSTRAP = """#!/bin/sh
export PYTHONPATH=/var/task:/opt/python:/var/runtime
cd /var/task
exec python3 -m awslambdaric "$_HANDLER"
"""


def have_base_image(docker: Docker, folder: Path) -> None:
    """See to it that the image is there: kept from before, pulled, or built in ``folder``.

    Raises NoDocker, with what to do.
    """
    if _is_there(docker):
        return
    say(f"  … pulling {IMAGE}")
    try:
        docker.run("pull", "--quiet", IMAGE, timeout_seconds=_PULL_TIMEOUT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        say(f"  … it cannot be pulled: building one from Debian {_RELEASE} (a minute or two)")
        _build(docker, folder)


def _is_there(docker: Docker) -> bool:
    try:
        docker.run("image", "inspect", IMAGE)
    except subprocess.SubprocessError:
        return False
    return True


def _build(docker: Docker, folder: Path) -> None:
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        raise NoDocker(
            f"{IMAGE} cannot be pulled; to build one like it takes root and `debootstrap` "
            "(apt-get install debootstrap)."
        )
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "debootstrap.log"
    with log.open("wb") as output:
        made = subprocess.run(
            (
                *("debootstrap", "--variant=minbase", "--include=python3,ca-certificates"),
                *(_RELEASE, str(root)),
            ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if made.returncode:
        raise NoDocker(f"`debootstrap` failed, see {log}")
    _add_runtime(root / "var" / "runtime")
    for spent in (root / "var/cache/apt", root / "var/lib/apt/lists"):
        shutil.rmtree(spent, ignore_errors=True)
    with subprocess.Popen(("tar", "-C", str(root), "-c", "."), stdout=subprocess.PIPE) as archive:
        subprocess.run(
            ("docker", "import", "-", IMAGE),
            env={**os.environ, **docker.environment},
            stdin=archive.stdout,
            stdout=subprocess.DEVNULL,
            check=True,
        )
    shutil.rmtree(root, ignore_errors=True)


def _add_runtime(place: Path) -> None:
    """What Lambda has in /var/runtime: its interface client and boto3, from locked wheels."""
    subprocess.run(
        (
            *(str(ROOT / ".venv/bin/uv"), "pip", "install", "--quiet"),
            *("--python", str(ROOT / ".venv/bin/python"), "--python-version", "3.13"),
            *("--python-platform", "x86_64-manylinux_2_28", "--only-binary", ":all:"),
            *("--no-deps", "--require-hashes", "--target", str(place)),
            *("-r", str(ROOT / "requirements/runtime.txt")),
        ),
        check=True,
    )
    bootstrap = place / "bootstrap"
    bootstrap.write_text(_BOOTSTRAP, encoding="ascii")
    bootstrap.chmod(0o755)
    (place.parent / "task").mkdir(exist_ok=True)
    (place.parent.parent / "opt").mkdir(exist_ok=True)
