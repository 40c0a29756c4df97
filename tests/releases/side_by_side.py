"""One stack of the emulated cloud, deployed by the old release and then by the new one.

Each function's code and configuration of both are kept, and one of them is put in place at a time;
one of two listeners is the old release's. Invariant: each release's own template and makefiles are
deployed, over the same table and queues.
"""

import dataclasses
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.probes.endpoints import Endpoints
from local.console import step
from local.deploy import Cloud, Deployment, Stack, parameters
from local.listener import LISTENERS, listener_part
from local.ministack import CloudState, ministack_part
from local.processes import PartFailed, Supervisor
from local.proxy import await_proxy, proxy_part
from local.rehearsal.account import Account
from local.rehearsal.cloud import DeployedStack
from local.relay import start_relay
from local.settings import ROOT, Settings
from local.template import Template

OLD, NEW = "old", "new"


class SideBySide:
    """Both releases. Nothing is started before `everything`."""

    def __init__(
        self, settings: Settings, key: SecretKey, supervisor: Supervisor, old: Path
    ) -> None:
        """``key`` is the arbiter's own; ``old`` is the older release's tree."""
        self._settings = settings
        self._key = key
        self._supervisor = supervisor
        self._old = old
        self._cloud = Cloud(settings.aws_url)
        self._account = Account(settings.aws_url)
        self.stack = Stack({})
        self._layers: dict[str, str] = {}
        self._kept: dict[str, dict[str, tuple[bytes, dict[str, Any]]]] = {}

    @property
    def endpoints(self) -> Endpoints:
        return Endpoints(
            server=self._key.pubkey,
            npub=encode_npub(self._key.pubkey),
            relays=self._settings.relay_urls,
            http=self._settings.http_url,
            websocket=self._settings.websocket_url,
        )

    def everything(self) -> None:
        """From nothing to ready, with the old release serving. Raises PartFailed."""
        settings, supervisor = self._settings, self._supervisor
        start_relay(settings, supervisor)
        with step("starting the cloud (MiniStack)", "cloud"):
            CloudState(settings.run_dir).prepare()
            supervisor.start(ministack_part(settings))
            supervisor.wait_for_http("ministack", settings.ports.aws, "/_ministack/health")
        with step("building and deploying the old release", "old"):
            self.stack = self._deploy(self._old, OLD)
        self._cloud.keep_key(self.stack, self._key)
        with step("building and deploying the new release over it", "new"):
            self.stack = self._deploy(ROOT, NEW)
        with step("starting the functions, and a listener of each release", "functions"):
            supervisor.start(proxy_part(settings, self.stack))
            for release in (NEW, OLD):
                self.serve_by(release)
                self._cloud.try_functions(self.stack)
            await_proxy(settings, supervisor)
            for name, tree in zip(LISTENERS, (self._old, ROOT), strict=True):
                part = listener_part(name, settings, self.stack, self._key.pubkey)
                environment = {**part.environment, "PYTHONPATH": code_of(tree)}
                # By its path: `-m` would find our own release's functions.
                command = (part.command[0], str(tree / "functions/relay_listener/app.py"))
                supervisor.start(
                    dataclasses.replace(part, command=command, environment=environment)
                )

    def serve_by(self, release: str) -> None:
        """From here on, every invocation is this release's."""
        functions = self._account.client("lambda")
        for name, (code, configuration) in self._kept[release].items():
            functions.update_function_code(FunctionName=name, ZipFile=code)
            functions.update_function_configuration(FunctionName=name, **configuration)

    def dead_letters(self) -> int:
        return DeployedStack(self._account).dead_letters()

    def _deploy(self, tree: Path, release: str) -> Stack:
        """Build and deploy a tree, and keep what it made of every function."""
        deployment = Deployment(self._settings, self._supervisor, tree, release)
        deployment.build()
        deployment.deploy(_known(parameters(self._settings, self._key.pubkey), tree))
        stack = self._cloud.stack()
        if stack is None:
            raise PartFailed(f"`sam deploy` of the {release} release succeeded, without a stack")
        names = [it for key, it in stack.outputs.items() if key.endswith("FunctionName")]
        self._kept[release] = {name: self._read(name, release) for name in names}
        return stack

    def _read(self, function: str, release: str) -> tuple[bytes, dict[str, Any]]:
        """A function's code and configuration, as it may be put in place again."""
        found = self._account.client("lambda").get_function(FunctionName=function)
        told = found["Configuration"]
        layers = [self._layer(layer["Arn"], release) for layer in told.get("Layers", [])]
        code = _at(found["Code"]["Location"])
        return code, {"Layers": layers, "Environment": told["Environment"]}

    def _layer(self, arn: str, release: str) -> str:
        """A copy of this layer version, which the next deployment deletes."""
        if arn not in self._layers:
            functions = self._account.client("lambda")
            found = functions.get_layer_version_by_arn(Arn=arn)
            copied = functions.publish_layer_version(
                LayerName=f"{release}-{arn.split(':')[-2]}",
                Content={"ZipFile": _at(found["Content"]["Location"])},
            )
            self._layers[arn] = copied["LayerVersionArn"]
        return self._layers[arn]


def _at(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:  # noqa: S310 - loopback
        octets: bytes = answer.read()
        return octets


def code_of(tree: Path) -> str:
    """PYTHONPATH for a program of this tree."""
    return f"{tree}:{tree / 'layers' / 'arbiter' / 'python'}"


def _known(given: Mapping[str, str], tree: Path) -> dict[str, str]:
    """Those of the parameters that this tree's template has."""
    known = Template.read(tree / "template.yaml").content["Parameters"]
    return {name: value for name, value in given.items() if name in known}
