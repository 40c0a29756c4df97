"""`make run-cloud`: the arbiter as AWS runs it, on an emulated cloud, in the foreground.

Invariant: a part starts when what it needs answers. The listeners stop first; then the cloud, which
saves the games; the relay last, for the arbiter's last events.
"""

import sys
import threading
from functools import partial

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.client_files import built_client
from local.bridge import bridge_key, bridge_part, feed_lines, of_stack, start_bridge
from local.console import say, step
from local.deploy import Cloud, Deployment, Stack, fingerprint, house_parameters, parameters
from local.foreground import enter, hold, play_command, shown
from local.listener import LISTENERS, listener_part
from local.ministack import CloudState, ministack_part
from local.processes import PartFailed, Supervisor
from local.proxy import await_proxy, proxy_part
from local.relay import start_relay
from local.settings import ROOT, Settings, derived_house
from server.endpoints import Endpoints, endpoints_path, write_endpoints


def start(settings: Settings, key: SecretKey, supervisor: Supervisor) -> None:
    """From nothing to ready. Raises PartFailed, or StopAsked when a stop is asked for."""
    start_relay(settings, supervisor)
    state = CloudState(settings.run_dir)
    with step("starting the cloud (MiniStack)", "cloud"):
        state.prepare()
        supervisor.start(ministack_part(settings))
        supervisor.wait_for_http("ministack", settings.ports.aws, "/_ministack/health")
    cloud = Cloud(settings.aws_url)
    stack = _deployed(settings, key, Deployment(settings, supervisor), cloud, state)
    with step("starting the functions", "functions"):
        supervisor.start(proxy_part(settings, stack))
        cloud.try_functions(stack)
        await_proxy(settings, supervisor)
    for name in LISTENERS if settings.relay_urls else ():
        supervisor.start(listener_part(name, settings, stack, key.pubkey))
    if settings.ssb is not None:
        queues = of_stack(settings, stack)
        part = bridge_part(settings, settings.ssb, queues, key.pubkey)
        start_bridge(supervisor, settings, part)
    write_endpoints(endpoints_path(settings.run_dir), endpoints_of(settings, key).to_json())
    say(
        f"""
The arbiter is ready.
  plays as   {encode_npub(key.pubkey)}
  listens on {", ".join(settings.relay_urls) or "its gateway alone"}
  gateway    {settings.websocket_url}
  web        {settings.http_url}{feed_lines(settings)}
  cloud      {settings.aws_url}
  logs       {shown(settings.run_dir)}/logs/

Play a game in another terminal: {play_command(settings.run_dir)}
Ctrl-C stops everything and keeps the games; kill -9 loses them.
"""
    )


def _deployed(
    settings: Settings, key: SecretKey, deployment: Deployment, cloud: Cloud, state: CloudState
) -> Stack:
    bridge = bridge_key(settings)
    given = {
        **parameters(settings, key.pubkey, bridge.pubkey if bridge else ""),
        **house_parameters(derived_house(settings, key)),
    }
    wanted = fingerprint(given)
    stack = cloud.stack()
    if stack is not None and stack.fingerprint == wanted:
        return stack
    with step("building functions and layers (sam build)", "built"):
        deployment.build()
    with step("deploying template.yaml (sam deploy)", "deployed"):
        state.begin_deployment()
        deployment.deploy(given, fingerprint=wanted)
        stack = cloud.stack()
        if stack is None:
            raise PartFailed("`sam deploy` succeeded, but the stack is not complete")
        cloud.keep_key(stack, key)
        state.end_deployment()
    return stack


def endpoints_of(settings: Settings, key: SecretKey) -> Endpoints:
    return Endpoints(
        server_pubkey=key.pubkey,
        relays=settings.relay_urls or (settings.websocket_url,),
        aws=settings.aws_url,
        http=settings.http_url,
        websocket=settings.websocket_url,
        web=settings.http_url if built_client() else None,
        house=derived_house(settings, key),
    )


def _run(settings: Settings, key: SecretKey, stop: threading.Event) -> int:
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    farewell = f"Stopped. The games are kept in {shown(settings.run_dir)}."
    return hold(supervisor, settings, partial(start, settings, key, supervisor), farewell)


if __name__ == "__main__":
    sys.exit(enter(lambda tools: (tools.ministack, tools.sam), _run))
