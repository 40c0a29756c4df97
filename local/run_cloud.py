"""`make run-cloud`: the arbiter as AWS runs it, on an emulated cloud, in the foreground.

Invariant: a part starts when what it needs answers, and parts stop in the opposite order: the
listeners first, so that nothing new comes in; then the cloud, which saves the games; the relay
last, for the arbiter's last events.
"""

import sys
import threading

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.client_files import built_client
from local.bridge import bridge_key, bridge_part, feed_lines, of_stack, start_bridge
from local.console import say, step
from local.deploy import (
    Cloud,
    Deployment,
    Stack,
    fingerprint,
    house_parameters,
    parameters,
)
from local.foreground import enter, hold, play_command, shown
from local.listener import LISTENERS, listener_part
from local.ministack import CloudState, ministack_part
from local.processes import PartFailed, Supervisor
from local.proxy_check import await_proxy, proxy_part
from local.relay import relay_part
from local.settings import ROOT, Settings, derived_house
from server.endpoints import Endpoints, write_endpoints

_RELAY = "relay"


class Start:
    """Starts the parts of a run, each when what it needs is there."""

    def __init__(self, settings: Settings, key: SecretKey, supervisor: Supervisor) -> None:
        """``key`` is the arbiter's own."""
        self._settings = settings
        self._key = key
        self._supervisor = supervisor
        self._deployment = Deployment(settings, supervisor)
        self._state = CloudState(settings.run_dir)
        self._cloud = Cloud(settings.aws_url)
        self._listeners = LISTENERS if settings.relay_urls else ()

    def everything(self) -> None:
        """From nothing to ready. Raises PartFailed, or StopAsked when a stop is asked for."""
        if self._settings.starts_relay:
            with step("starting the relay", "relay"):
                self._supervisor.start(relay_part(self._settings))
                self._supervisor.wait_for_http(_RELAY, self._settings.ports.relay)
        with step("starting the cloud (MiniStack)", "cloud"):
            self._state.prepare(self._settings.ports.aws)
            self._supervisor.start(ministack_part(self._settings))
            self._supervisor.wait_for_http(
                "ministack", self._settings.ports.aws, "/_ministack/health"
            )
        stack = self._deployed_stack()
        with step("starting the functions", "functions"):
            self._supervisor.start(proxy_part(self._settings, stack))
            self._cloud.try_functions(stack)
            await_proxy(self._settings, self._supervisor)
        for name in self._listeners:
            self._supervisor.start(listener_part(name, self._settings, stack, self._key.pubkey))
        self._start_bridge(stack)
        write_endpoints(self._settings.run_dir, self._endpoints())
        self._say_ready()

    def _start_bridge(self, stack: Stack) -> None:
        chosen = self._settings.ssb
        if chosen is None:
            return
        of_cloud = of_stack(self._settings, stack)
        part = bridge_part(self._settings, chosen, of_cloud, self._key.pubkey)
        start_bridge(self._supervisor, self._settings, part)

    def _deployed_stack(self) -> Stack:
        bridge = bridge_key(self._settings)
        given = {
            **parameters(self._settings, self._key.pubkey, bridge.pubkey if bridge else ""),
            **house_parameters(derived_house(self._settings, self._key)),
        }
        wanted = fingerprint(given)
        stack = self._cloud.stack()
        if stack is not None and stack.fingerprint == wanted:
            return stack
        with step("building functions and layers (sam build)", "built"):
            self._deployment.build()
        with step("deploying template.yaml (sam deploy)", "deployed"):
            self._state.begin_deployment()
            self._deployment.deploy(given, fingerprint=wanted)
            stack = self._cloud.stack()
            if stack is None:
                raise PartFailed("`sam deploy` succeeded, but the stack is not complete")
            self._cloud.keep_key(stack, self._key)
            self._state.end_deployment()
        return stack

    def _endpoints(self) -> Endpoints:
        return Endpoints(
            server_pubkey=self._key.pubkey,
            relays=self._settings.relay_urls or (self._settings.websocket_url,),
            aws=self._settings.aws_url,
            http=self._settings.http_url,
            websocket=self._settings.websocket_url,
            web=self._settings.http_url if built_client() else None,
            house=derived_house(self._settings, self._key),
        )

    def _say_ready(self) -> None:
        say(
            f"""
The arbiter is ready.
  plays as   {encode_npub(self._key.pubkey)}
  listens on {", ".join(self._settings.relay_urls) or "its gateway alone"}
  gateway    {self._settings.websocket_url}
  web        {self._settings.http_url}{feed_lines(self._settings)}
  cloud      {self._settings.aws_url}  (listeners: {len(self._listeners)})
  logs       {shown(self._settings.run_dir)}/logs/

Play a game in another terminal: {play_command(self._settings.run_dir)}
Ctrl-C stops everything and keeps the games; kill -9 loses them.
"""
        )


def _run(settings: Settings, key: SecretKey, stop: threading.Event) -> int:
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    start = Start(settings, key, supervisor)
    farewell = f"Stopped. The games are kept in {shown(settings.run_dir)}."
    return hold(supervisor, settings, start.everything, farewell)


if __name__ == "__main__":
    sys.exit(enter(lambda tools: (tools.ministack, tools.sam), _run))
