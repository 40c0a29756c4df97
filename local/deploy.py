"""Deploys the template to the emulated cloud when it has changed: a tag of the stack is the
fingerprint of every file and parameter that it was made of.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.house import HousePlayer
from arbiter.nostr.keys import SecretKey
from local.environment import client_settings, tool_environment
from local.processes import PartFailed, Supervisor, kill_group
from local.settings import REGION, ROOT, Settings
from local.template import Template, overrides

STACK_NAME = "arbiter"
_SOURCES = ("functions", "layers", "clients/bot", "clients/player")
_FILES = (
    *("template.yaml", "Makefile"),
    *("requirements/layer.txt", "requirements/web.txt", "requirements/sealing.txt"),
)
_BUILD_TIMEOUT_SECONDS = 600.0
_POLL_SECONDS = 0.1
_LINES_OF_BAD_NEWS = 12
_ANNOUNCE = b'{"announce": true}'
_FINGERPRINT = "fingerprint"


@dataclass(frozen=True, slots=True)
class Stack:
    """A deployed stack, by its outputs; ``fingerprint`` is of what was deployed, where noted."""

    outputs: Mapping[str, str]
    fingerprint: str = ""


def parameters(settings: Settings, server_pubkey: str, bridge_pubkey: str = "") -> dict[str, str]:
    """The template's parameters for a run on this machine; no ``bridge_pubkey``, no Scuttlebutt."""
    return {
        "Relays": ",".join(settings.relay_urls),
        "ServerPubkey": server_pubkey,
        "SsbBridgePubkey": bridge_pubkey,
        "PublicWebSocketUrl": settings.websocket_url,
        "PublicHttpUrl": settings.http_url,
        "ExecuteApiBase": execute_api(settings),
        "RequestsPerAddress": settings.requests_per_address,
        # The listeners are processes here, so that one can be killed and the other be seen to
        # carry on.
        "Listeners": "0",
    }


def house_parameters(house: Sequence[HousePlayer]) -> dict[str, str]:
    """The template's parameters for a stack that plays as this house; nothing for none."""
    return {"HouseKeys": ",".join(map(str, house)), "HousePlays": str(bool(house)).lower()}


def execute_api(settings: Settings) -> str:
    """Below this the emulator has every API by its id, and below that its stages."""
    return f"{settings.aws_url}/_aws/execute-api"


def fingerprint(given: Mapping[str, str], root: Path = ROOT) -> str:
    """A digest of what would be deployed, which changes whenever any of it does."""
    digest = hashlib.sha256()
    digest.update(json.dumps([sys.version, dict(given)], sort_keys=True).encode())
    for path in _sources(root):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(root)}\0{content}\n".encode())
    return digest.hexdigest()


def _sources(root: Path) -> list[Path]:
    files = [root / name for name in _FILES]
    for folder in _SOURCES:
        for where, folders, names in os.walk(root / folder):
            folders[:] = [name for name in folders if name != "__pycache__"]
            files.extend(Path(where, name) for name in names)
    return sorted(path for path in files if path.is_file())


class Deployment:
    """Builds and deploys with `sam`."""

    def __init__(
        self, settings: Settings, supervisor: Supervisor, root: Path = ROOT, folder: str = "sam"
    ) -> None:
        """Waits end at Ctrl-C; ``root`` is the tree that is built, into ``folder``."""
        self._settings = settings
        self._supervisor = supervisor
        self._root = root
        self._build_dir = settings.run_dir / "build" / folder

    def build(self) -> None:
        """`sam build`, with layers for this machine's Python; PartFailed if it fails."""
        self._run_sam(
            *("build", "--template", str(self._root / "template.yaml")),
            *("--build-dir", str(self._build_dir)),
        )

    @property
    def built(self) -> Path:
        return self._build_dir

    def deploy(
        self, given: Mapping[str, str], template: Path | None = None, fingerprint: str = ""
    ) -> None:
        """`sam deploy` of what was built, or of another template. Raises PartFailed."""
        template = template or self._build_dir / "template.yaml"
        # An omitted parameter would keep its last value, which this release may no longer allow.
        values = {**Template.read(template).defaults(), **given}
        self._run_sam(
            *("deploy", "--template", str(template)),
            *("--stack-name", STACK_NAME, "--region", REGION, "--resolve-s3"),
            *("--capabilities", "CAPABILITY_IAM", "--no-confirm-changeset"),
            *("--no-fail-on-empty-changeset", "--no-progressbar"),
            *(("--tags", f"{_FINGERPRINT}={fingerprint}") if fingerprint else ()),
            "--parameter-overrides",
            *overrides({name: str(value) for name, value in values.items()}),
        )

    def _run_sam(self, *arguments: str) -> None:
        what, log = f"`sam {arguments[0]}`", self._supervisor.log_path(f"sam-{arguments[0]}")
        log.parent.mkdir(parents=True, exist_ok=True)
        deadline = time.monotonic() + _BUILD_TIMEOUT_SECONDS
        with (
            log.open("wb") as output,
            subprocess.Popen(
                (str(self._settings.tools.sam), *arguments),
                cwd=self._root,
                env=tool_environment(self._settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process,
        ):
            try:
                while process.poll() is None:
                    if time.monotonic() > deadline:
                        raise PartFailed(f"{what} takes longer than ten minutes, see {log}")
                    self._supervisor.pause(_POLL_SECONDS)
            finally:
                # A stop was asked for, or it is over and this does nothing.
                kill_group(process.pid)
        if process.returncode:
            news = log.read_text(encoding="utf-8", errors="replace").splitlines()
            shown = "\n".join(f"    {line}" for line in news[-_LINES_OF_BAD_NEWS:])
            raise PartFailed(f"{what} failed, see {log}:\n{shown}")


class Cloud:
    """Asks the emulated cloud about the stack, and hands it the secret key."""

    def __init__(self, endpoint_url: str) -> None:
        config = Config(
            proxies={}, connect_timeout=2, read_timeout=30, retries={"total_max_attempts": 2}
        )
        given = client_settings(endpoint_url)
        self._stacks = boto3.client("cloudformation", **given, config=config)
        self._tables = boto3.client("dynamodb", **given, config=config)
        self._parameters = boto3.client("ssm", **given, config=config)
        self._functions = boto3.client("lambda", **given, config=config)

    def stack(self) -> Stack | None:
        """The stack, if it is there whole: deployed to the end, and its table with it."""
        try:
            found = self._stacks.describe_stacks(StackName=STACK_NAME)["Stacks"][0]
            outputs = {o["OutputKey"]: o["OutputValue"] for o in found.get("Outputs", [])}
            if found["StackStatus"] not in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
                return None
            self._tables.describe_table(TableName=outputs["TableName"])
        except (BotoCoreError, ClientError, KeyError, IndexError):
            return None
        tags = {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])}
        return Stack(outputs, tags.get(_FINGERPRINT, ""))

    def keep_key(self, stack: Stack, key: SecretKey) -> None:
        self._parameters.put_parameter(
            Name=stack.outputs["KeyParameterName"],
            Value=key.to_hex(),
            Type="SecureString",
            KeyId=stack.outputs["KeyEncryptionKeyArn"],
            Overwrite=True,
        )

    def try_functions(self, stack: Stack) -> None:
        """Have the arbiter announce itself, to be tried and warm. Raises PartFailed."""
        name = stack.outputs["ProcessEventsFunctionName"]
        answer = self._functions.invoke(FunctionName=name, Payload=_ANNOUNCE)
        if "FunctionError" in answer:
            # On a machine that is busy a cold start may take longer than a function's time-out.
            answer = self._functions.invoke(FunctionName=name, Payload=_ANNOUNCE)
        if "FunctionError" in answer:
            told = json.loads(answer["Payload"].read())
            raise PartFailed(f"{name} fails: {told.get('errorType')}: {told.get('errorMessage')}")
