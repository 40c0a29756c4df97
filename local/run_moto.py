"""`make run-moto`: the main job on a moto server instead of MiniStack, in the foreground.

It starts faster: functions run as plain processes, one for each queue, fed by our own event
sources. moto keeps everything in memory, so the games end with it.
"""

import sys
import threading

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from local.console import say, step
from local.deploy import parameters
from local.environment import program_environment
from local.foreground import enter, hold, play_command
from local.listener import LISTENERS, listener_part
from local.moto_cloud import Mapped, MotoCloud, moto_part, provision
from local.processes import Part, Supervisor
from local.relay import relay_part
from local.settings import ROOT, Settings
from local.template import Template
from server.endpoints import Endpoints, write_endpoints

# A batch in hand is finished first, and that may take as long as the function's own timeout.
_EVENT_SOURCE_STOP_TIMEOUT_SECONDS = 10.0


class Start:
    """Starts the parts of a run on moto, each when what it needs is there."""

    def __init__(self, settings: Settings, key: SecretKey, supervisor: Supervisor) -> None:
        """``key`` is the arbiter's own."""
        self._settings = settings
        self._key = key
        self._supervisor = supervisor
        self._feeding: list[str] = []

    def everything(self) -> None:
        """From nothing to ready. Raises PartFailed, or StopAsked when a stop is asked for."""
        settings = self._settings
        if settings.starts_relay:
            with step("starting the relay", "relay"):
                self._supervisor.start(relay_part(settings))
                self._supervisor.wait_for_http("relay", settings.ports.relay, "/")
        with step("starting the cloud (moto)", "cloud"):
            self._supervisor.start(moto_part(settings, self._cloud_came_back))
            cloud = self._provision()
        for mapped in cloud.mapped:
            part = _event_source_part(settings, cloud, mapped)
            self._supervisor.start(part)
            self._feeding.append(part.name)
        for name in LISTENERS:
            part = listener_part(name, settings, cloud.stack, self._key.pubkey)
            self._supervisor.start(part)
            self._feeding.append(part.name)
        npub = encode_npub(self._key.pubkey)
        write_endpoints(settings.run_dir, self._endpoints())
        say(
            f"""
The arbiter is ready, on moto: it forgets every game when it stops.{_without_bridge(settings)}
  plays as   {npub}
  listens on {", ".join(settings.relay_urls)}
  cloud      {settings.aws_url}

Play a game in another terminal: {play_command(settings.run_dir)}
Ctrl-C stops everything.
"""
        )

    def _endpoints(self) -> Endpoints:
        return Endpoints(
            server_pubkey=self._key.pubkey,
            relays=self._settings.relay_urls,
            aws=self._settings.aws_url,
        )

    def _provision(self) -> MotoCloud:
        self._supervisor.wait_for_http("moto", self._settings.ports.aws, "/moto-api/")
        given = parameters(self._settings, self._key.pubkey)
        template = Template.read(ROOT / "template.yaml")
        return provision(self._settings.aws_url, template, given, self._key)

    def _cloud_came_back(self) -> None:
        """After moto died: it is empty again, with the same names."""
        self._provision()
        for name in self._feeding:
            self._supervisor.restart(name)
        say("  ✓ moto is back, and has forgotten every game")


def _without_bridge(settings: Settings) -> str:
    is_wanted = settings.ssb is not None
    return " SSB=1 is for the other runs: there is no bridge here." if is_wanted else ""


def _event_source_part(settings: Settings, cloud: MotoCloud, mapped: Mapped) -> Part:
    return Part(
        name=f"event-source-{mapped.name}",
        command=(
            *(sys.executable, "-m", "local.event_source", "--function", mapped.handler),
            *("--queue-url", mapped.queue_url, "--queue-arn", mapped.queue_arn),
            *("--batch-size", str(mapped.batch_size)),
        ),
        environment={**program_environment(settings), **cloud.environment},
        stop_timeout_seconds=_EVENT_SOURCE_STOP_TIMEOUT_SECONDS,
    )


def _run(settings: Settings, key: SecretKey, stop: threading.Event) -> int:
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    start = Start(settings, key, supervisor)
    return hold(supervisor, settings, start.everything, "Stopped. moto has forgotten the games.")


if __name__ == "__main__":
    sys.exit(enter(lambda _tools: (), _run))
