"""`make sam-local`: every sample through `sam local invoke`, with moto and a relay where containers
reach this machine. Exit code 0, 1 at a failure, 69 without Docker.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from bridge.settings import UnusableSetting
from events.api_gateway_samples import SOCKET
from events.samples import samples, text_of
from local.console import complain, say, step
from local.environment import tool_environment
from local.foreground import FolderRefused, lock_folder
from local.processes import PartFailed, StopAsked, Supervisor
from local.sam_local.checks import CHECKS
from local.sam_local.cloud import Surroundings, surroundings
from local.sam_local.sockets import SentFrames, catching_frames
from local.settings import REGION, ROOT, Settings, require_tools, settings_from

NO_DOCKER = 69
"""EX_UNAVAILABLE of sysexits.h: nothing is wrong with the project, there is just no Docker here."""

IMAGE = "public.ecr.aws/lambda/python:3.13-x86_64"
"""Lambda's own. `sam local` asks for no other name."""

_TARGET = "lambda-x86_64"
_DOCKER_TIMEOUT_SECONDS = 300.0
_INVOKE_TIMEOUT_SECONDS = 180.0


class NoDocker(Exception):
    """Docker or the image cannot be had; the text says why and what to do."""


def _docker(*arguments: str) -> str:
    """Return what `docker` prints with these arguments; SubprocessError if it fails."""
    given = ("docker", *arguments)
    return subprocess.run(
        given, capture_output=True, text=True, check=True, timeout=_DOCKER_TIMEOUT_SECONDS
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


def main() -> int:
    try:
        settings = settings_from(os.environ)
        require_tools((settings.tools.sam, settings.tools.relay))
        folder = settings.run_dir / "sam-local"
        with lock_folder(folder):
            with step("looking for Docker and the base image", "base image"):
                require_docker()
            host = gateway()
            with catching_frames(host, settings.ports.sockets) as sent:
                return _run(settings, folder, host, sent)
    except NoDocker as absence:
        complain(f"{absence}\nsam local runs functions in containers: nothing was tried.")
        return NO_DOCKER
    except (UnusableSetting, FolderRefused, PartFailed) as failure:
        complain(str(failure))
        return 1


def _run(settings: Settings, folder: Path, host: str, sent: SentFrames) -> int:
    supervisor = Supervisor(folder, ROOT, threading.Event())
    try:
        with step("starting moto and a relay", f"moto and a relay at {host}"):
            around = surroundings(settings, folder, supervisor, host, sent)
        with step("building for Lambda's Python on x86_64 (sam build)", "built"):
            built = _build(settings, folder, around)
        failed = [name for name in CHECKS if not _is_well(name, settings, built, around)]
        done = len(CHECKS) - len(failed)
        say(f"{done} of {len(CHECKS)} samples passed.")
    except StopAsked:
        return 1
    else:
        return 1 if failed else 0
    finally:
        supervisor.stop_all()


def _build(settings: Settings, folder: Path, around: Surroundings) -> Path:
    source = folder / "template.yaml"
    source.write_text(template_for((ROOT / "template.yaml").read_text(encoding="utf-8")))
    (folder / "variables.json").write_text(
        json.dumps({"Parameters": dict(around.environment)}), encoding="utf-8"
    )
    build_dir = folder / "build"
    shutil.rmtree(build_dir, ignore_errors=True)
    _sam(
        settings,
        *("build", "--template", str(source), "--base-dir", str(ROOT)),
        *("--build-dir", str(build_dir)),
        LAYER_TARGET=_TARGET,
    )
    return build_dir / "template.yaml"


def template_for(template: str) -> str:
    """The template for this machine's processor, with the emulator's address as a variable."""
    variables = "      Variables:\n"
    if "arm64" not in template or variables not in template:
        raise PartFailed("template.yaml has changed: adapt local/sam_local/__main__.py")
    given = f"{variables}        AWS_ENDPOINT_URL: none\n"
    return template.replace("arm64", "x86_64").replace(variables, given, 1)


def _is_well(name: str, settings: Settings, built: Path, around: Surroundings) -> bool:
    check = CHECKS[name]
    sample = around.folder / name
    sample.parent.mkdir(parents=True, exist_ok=True)
    at = int(time.time())
    around.begin(at)
    around.sent.taken(SOCKET)
    if check.before:
        check.before(at, around)
    sample.write_text(text_of(samples(at - check.age_seconds)[name]), encoding="utf-8")
    started = time.monotonic()
    try:
        answer = _sam(
            settings,
            *("local", "invoke", check.function, "--template", str(built), "--event", str(sample)),
            *("--env-vars", str(around.folder / "variables.json"), "--skip-pull-image"),
            *("--region", REGION, "--parameter-overrides", "HousePlays=true"),
            AWS_ENDPOINT_URL=around.environment["AWS_ENDPOINT_URL"],
        )
        if answer.strip():
            complaint = check.wrong(json.loads(answer), around)
        else:
            complaint = "no answer: it took longer than it may, or ended (VERBOSE=1 shows its log)"
    except (subprocess.SubprocessError, ValueError) as failure:
        complaint = f"sam local invoke failed: {failure}"
    seconds = time.monotonic() - started
    mark = "✗" if complaint else "✓"
    say(f"  {mark} {name} ({seconds:.1f} s){': ' + complaint if complaint else ''}")
    return not complaint


def _sam(settings: Settings, *arguments: str, **more: str) -> str:
    return subprocess.run(
        (str(settings.tools.sam), *arguments),
        cwd=ROOT,
        env={**tool_environment(settings), **more},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("VERBOSE") else subprocess.DEVNULL,
        text=True,
        check=True,
        timeout=_INVOKE_TIMEOUT_SECONDS,
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
