"""`make run`: the whole arbiter on this machine, in the foreground, until Ctrl-C.

The law: everything that was started is stopped again, in the opposite order, whatever went wrong
in between; and the cloud is stopped politely, because that is when it saves the games.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from arbiter.nostr.nip19 import encode_npub
from local.claim import FolderTaken, claimed
from local.console import complain, say, step
from local.deploy import Cloud, Deployment, Stack, fingerprint, parameters
from local.endpoints import Endpoints, remove_endpoints, write_endpoints
from local.listener import LISTENERS, listener_part
from local.ministack import CloudState, answers_over_http, ministack_part
from local.ports import taken
from local.processes import PartFailed, StopAsked, Supervisor
from local.relay import relay_part
from local.server_key import KeyRefused, ServerKey, load_server_key
from local.settings import ROOT, Settings, Unusable, missing_tool, settings_from

_FAILED = 1
_PORT_TAKEN = 2
_UNUSABLE = 3
_START_TIMEOUT_SECONDS = 30.0
_SAVE_TIMEOUT_SECONDS = 15.0
_POLL_SECONDS = 0.05
_MINISTACK = "ministack"
_RELAY = "relay"


class Run:
    """One run, from the first child to the last."""

    def __init__(self, settings: Settings, server_key: ServerKey, stop: threading.Event) -> None:
        """``stop`` is set by a signal."""
        self._settings = settings
        self._key = server_key.key
        self._npub = encode_npub(self._key.pubkey)
        self._supervisor = Supervisor(settings.run_dir, ROOT, stop)
        self._deployment = Deployment(settings, self._supervisor)
        self._state = CloudState(settings.run_dir)
        self._cloud = Cloud(settings.aws_url)

    def until_stopped(self) -> int:
        """Start everything, watch over it, stop everything. The process's exit code."""
        try:
            self._start()
            self._supervisor.watch()
            say("\nStopping …")
        except StopAsked:
            say("\nStopping …")
        except PartFailed as failure:
            complain(str(failure))
            return _FAILED
        finally:
            remove_endpoints(self._settings.run_dir)
            self._supervisor.stop_all()
        say(f"Stopped. The games are kept in {_shown(self._settings.run_dir)}.")
        return 0

    def _start(self) -> None:
        if not self._settings.relays:
            with step("starting the relay", "relay"):
                self._supervisor.start(relay_part(self._settings))
                self._await_http(_RELAY, self._settings.ports.relay, "/")
        with step("starting the cloud (MiniStack)", "cloud"):
            self._state.prepare(
                self._settings.ports.aws, was_deployed=self._deployment.was_ever_finished
            )
            self._supervisor.start(ministack_part(self._settings, self._cloud_came_back))
            self._await_cloud()
        stack = self._deployed_stack()
        self._cloud.keep_key(stack, self._key)
        for name in LISTENERS:
            self._supervisor.start(listener_part(name, self._settings, stack, self._key.pubkey))
        write_endpoints(self._settings.run_dir, self._endpoints())
        self._say_ready()

    def _deployed_stack(self) -> Stack:
        given = parameters(self._settings, self._key.pubkey)
        wanted = fingerprint(given)
        stack = self._cloud.stack()
        if stack is not None and self._deployment.is_current(wanted):
            return stack
        with step("building functions and layers (sam build)", "built"):
            self._deployment.build()
        with step("deploying template.yaml (sam deploy)", "deployed"):
            self._state.deployment_begins()
            self._deployment.deploy(given)
            stack = self._cloud.stack()
            if stack is None:
                raise PartFailed("`sam deploy` succeeded, and yet there is no whole stack")
            self._cloud.keep_key(stack, self._key)
            self._save_cloud()
            self._deployment.finished(wanted)
            self._state.deployment_ended()
        return stack

    def _save_cloud(self) -> None:
        """Have the whole state written, so that not even a power cut costs the deployment."""
        before = self._state.saved_at()
        self._supervisor.signal(_MINISTACK, signal.SIGUSR1)
        self._supervisor.wait_until(
            _MINISTACK, lambda: self._state.saved_at() > before, _SAVE_TIMEOUT_SECONDS
        )

    def _cloud_came_back(self) -> None:
        """After the cloud died and was started again with what it had saved last.

        The listeners start afresh too, and so ask the relays again for the last minutes: what the
        cloud had taken but not yet saved is heard a second time.
        """
        self._await_cloud()
        for name in LISTENERS:
            self._supervisor.restart(name)
        say("  ✓ the cloud is back; the listeners ask the relays for what it may have forgotten")

    def _await_cloud(self) -> None:
        self._await_http(_MINISTACK, self._settings.ports.aws, "/_ministack/health")

    def _await_http(self, name: str, port: int, path: str) -> None:
        self._supervisor.wait_until(
            name, lambda: answers_over_http(port, path), _START_TIMEOUT_SECONDS
        )

    def _endpoints(self) -> Endpoints:
        return Endpoints(
            server_pubkey=self._key.pubkey,
            npub=self._npub,
            relays=self._settings.relay_urls,
            aws=self._settings.aws_url,
        )

    def _say_ready(self) -> None:
        say(
            f"""
The arbiter is ready.
  plays as   {self._npub}
  listens on {", ".join(self._settings.relay_urls)}
  cloud      {self._settings.aws_url}  (listeners: {len(LISTENERS)})
  logs       {_shown(self._settings.run_dir)}/logs/

Play a game in another terminal: make play
Ctrl-C stops everything; the games are kept.
"""
        )


def main() -> int:
    """Check everything that can be checked, then run; the exit code.

    0 stopped when asked, 1 a part failed, 2 a port is taken, 3 something is missing or unusable.
    """
    settings = settings_from(os.environ)
    if isinstance(settings, Unusable):
        complain(settings.text)
        return _UNUSABLE
    needed = (settings.tools.ministack, settings.tools.sam)
    missing = missing_tool(needed if settings.relays else (*needed, settings.tools.relay))
    if missing is not None:
        complain(missing.text)
        return _UNUSABLE
    try:
        with claimed(settings.run_dir):
            return _run(settings)
    except FolderTaken as refusal:
        complain(str(refusal))
        return _UNUSABLE


def _run(settings: Settings) -> int:
    ports = settings.ports
    busy = taken((ports.aws,) if settings.relays else (ports.relay, ports.aws))
    if busy:
        complain(
            f"Port {busy[0]} is taken by another program. Stop that one, or choose other ports: "
            "make run PORT_BASE=7200"
        )
        return _PORT_TAKEN
    server_key = load_server_key(settings.run_dir)
    if isinstance(server_key, KeyRefused):
        complain(server_key.text)
        return _UNUSABLE
    if server_key.is_new:
        say(f"Made the arbiter's secret key: {_shown(settings.run_dir)}/server.key (keep it)")
    say(f"Starting the arbiter {encode_npub(server_key.key.pubkey)}")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    return Run(settings, server_key, stop).until_stopped()


def _shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


if __name__ == "__main__":
    sys.exit(main())
