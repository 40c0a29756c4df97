"""One stack of the emulated cloud, deployed by the old release and then by the new one.

Each function keeps both as published versions, and one of two listeners is the old release's.
Invariant: each release's own template and makefiles are deployed, over the same table and queues.
"""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.probes.endpoints import Endpoints
from local.console import step
from local.deploy import Cloud, Deployment, Stack, parameters
from local.listener import LISTENERS, listener_part
from local.ministack import CloudState, ministack_part, running
from local.processes import PartFailed, Supervisor
from local.proxy_check import await_proxy, proxy_part
from local.rehearsal.account import Account
from local.rehearsal.cloud import DeployedStack
from local.relay import relay_part
from local.settings import ROOT, Settings
from local.template import Template
from tests.releases.ministack_with_releases import NEW, OF, OLD

_PROGRAM = Path(__file__).with_name("ministack_with_releases.py")


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

    @property
    def served(self) -> Path:
        """The log of invocations."""
        return self._settings.run_dir / "served.jsonl"

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
        """From nothing to ready, with the old release alone serving. Raises PartFailed."""
        self._start_the_cloud()
        with step("building and deploying the old release", "old"):
            self.stack = self._deploy(self._old, "old", OLD)
        self._cloud.keep_key(self.stack, self._key)
        with step("building and deploying the new release over it", "new"):
            self.stack = self._deploy(ROOT, "new", NEW)
        with step("starting the functions, and a listener of each release", "functions"):
            self._supervisor.start(proxy_part(self._settings, self.stack))
            # Warm up both before the first game.
            for new_of_ten in (OF, 0):
                self.divide("starting", new_of_ten)
                self._cloud.try_functions(self.stack)
            await_proxy(self._settings, self._supervisor)
            for name, tree in zip(LISTENERS, (self._old, ROOT), strict=True):
                part = listener_part(name, self._settings, self.stack, self._key.pubkey)
                environment = {**part.environment, "PYTHONPATH": code_of(tree)}
                # By its path: `-m` would find our own release's functions.
                command = (part.command[0], str(tree / "functions/relay_listener/app.py"))
                self._supervisor.start(
                    dataclasses.replace(part, command=command, environment=environment)
                )

    def divide(self, phase: str, new_of_ten: int) -> None:
        """From here on, this many of ten invocations are the new release's."""
        draft = self._releases.with_suffix(".new")
        draft.write_text(json.dumps({"phase": phase, "new_of_ten": new_of_ten}), encoding="utf-8")
        draft.replace(self._releases)

    def dead_letters(self) -> int:
        """The number of dead letters, in all queues."""
        return DeployedStack(self._account, self.served).dead_letters()

    @property
    def _releases(self) -> Path:
        return self._settings.run_dir / "releases.json"

    def _start_the_cloud(self) -> None:
        settings, supervisor = self._settings, self._supervisor
        with step("starting the relay and the cloud (MiniStack)", "relay and cloud"):
            supervisor.start(relay_part(settings))
            self._supervisor.wait_for_http("relay", settings.ports.relay, "/")
            CloudState(settings.run_dir).prepare(settings.ports.aws)
            part = ministack_part(settings)
            environment = {
                **part.environment,
                "RELEASES_FILE": str(self._releases),
                "SERVED_FILE": str(self.served),
            }
            command = running(_PROGRAM, settings)
            supervisor.start(dataclasses.replace(part, command=command, environment=environment))
            self._supervisor.wait_for_http("ministack", settings.ports.aws, "/_ministack/health")

    def _deploy(self, tree: Path, name: str, version: str) -> Stack:
        """Build and deploy a tree, and publish what it made of every function as this version."""
        deployment = Deployment(self._settings, self._supervisor, tree, name)
        deployment.build()
        deployment.deploy(_known(parameters(self._settings, self._key.pubkey), tree))
        stack = self._cloud.stack()
        if stack is None:
            raise PartFailed(f"`sam deploy` of the {name} release succeeded, and there is no stack")
        functions = self._account.client("lambda")
        for output, function in stack.outputs.items():
            if not output.endswith("FunctionName"):
                continue
            published = functions.publish_version(FunctionName=function)["Version"]
            if published != version:
                raise PartFailed(f"{function} is the same in both releases")
        return stack


def code_of(tree: Path) -> str:
    """PYTHONPATH for a program of this tree."""
    return f"{tree}:{tree / 'layers' / 'arbiter' / 'python'}"


def _known(given: Mapping[str, str], tree: Path) -> dict[str, str]:
    """Those of the parameters that this tree's template has."""
    known = Template.read(tree / "template.yaml").content["Parameters"]
    return {name: value for name, value in given.items() if name in known}
