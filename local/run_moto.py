"""`make run-moto`: the main job on a moto server, in the foreground: functions are plain processes,
one a queue, fed by our own event sources. The games end with it.
"""

import sys
import threading
from functools import partial

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from local.console import say, step
from local.deploy import parameters
from local.environment import program_environment
from local.foreground import enter, hold, play_command
from local.listener import LISTENERS, listener_part
from local.moto_cloud import Mapped, MotoCloud, moto_part, provision
from local.processes import Part, Supervisor
from local.relay import start_relay
from local.settings import ROOT, Settings
from local.template import Template
from server.endpoints import Endpoints, endpoints_path, write_endpoints

# A batch in hand is finished first, and that may take as long as the function's own timeout.
_EVENT_SOURCE_STOP_TIMEOUT_SECONDS = 10.0


def start(settings: Settings, key: SecretKey, supervisor: Supervisor) -> None:
    """From nothing to ready. Raises PartFailed, or StopAsked when a stop is asked for."""
    start_relay(settings, supervisor)
    with step("starting the cloud (moto)", "cloud"):
        supervisor.start(moto_part(settings))
        supervisor.wait_for_http("moto", settings.ports.aws, "/moto-api/")
        given = parameters(settings, key.pubkey)
        cloud = provision(settings.aws_url, Template.read(ROOT / "template.yaml"), given, key)
    for mapped in cloud.mapped:
        supervisor.start(_event_source_part(settings, cloud, mapped))
    for name in LISTENERS:
        supervisor.start(listener_part(name, settings, cloud.stack, key.pubkey))
    write_endpoints(endpoints_path(settings.run_dir), endpoints_of(settings, key).to_json())
    say(
        f"""
The arbiter is ready, on moto: it forgets every game when it stops.{_without_bridge(settings)}
  plays as   {encode_npub(key.pubkey)}
  listens on {", ".join(settings.relay_urls)}
  cloud      {settings.aws_url}

Play a game in another terminal: {play_command(settings.run_dir)}
Ctrl-C stops everything.
"""
    )


def endpoints_of(settings: Settings, key: SecretKey) -> Endpoints:
    relays = settings.relay_urls
    return Endpoints(server_pubkey=key.pubkey, relays=relays, aws=settings.aws_url)


def _without_bridge(settings: Settings) -> str:
    is_wanted = settings.ssb is not None
    return " SSB=1 is for the other runs: there is no bridge here." if is_wanted else ""


def _event_source_part(settings: Settings, cloud: MotoCloud, mapped: Mapped) -> Part:
    return Part(
        name=f"event-source-{mapped.name}",
        command=(
            *(sys.executable, "-m", "local.event_source", mapped.handler),
            *(mapped.queue_url, mapped.queue_arn, str(mapped.batch_size)),
        ),
        environment={**program_environment(settings), **cloud.environment},
        stop_timeout_seconds=_EVENT_SOURCE_STOP_TIMEOUT_SECONDS,
    )


def _run(settings: Settings, key: SecretKey, stop: threading.Event) -> int:
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    started = partial(start, settings, key, supervisor)
    return hold(supervisor, settings, started, "Stopped. moto has forgotten the games.")


if __name__ == "__main__":
    sys.exit(enter(lambda _tools: (), _run))
