"""`make run`: the arbiter on this machine until Ctrl-C: `arbiter serve`, a relay unless others were
chosen, the house; with SSB=1 a bridge to Scuttlebutt.

Invariant: the server starts when the relay answers and stops before it; `endpoints.json` comes
last.
"""

import json
import os
import sys
import threading
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from clients.bot.house import PLAYERS
from clients.bot.keys import house_keys
from local.bridge import bridge_key, bridge_part, feed_lines, of_server, start_bridge
from local.console import say, step
from local.environment import bare_environment, our_code
from local.foreground import enter, hold, play_command, shown
from local.ports import LOOPBACK
from local.processes import Part, PartFailed, Supervisor
from local.relay import start_relay
from local.settings import ROOT, Settings
from server.endpoints import endpoints_path, write_endpoints
from server.relay_check import REPORT

SERVER = "server"
HOUSE = "house"
_START_TIMEOUT_SECONDS = 60.0
# It may drain for ten.
_STOP_TIMEOUT_SECONDS = 15.0
_HOUSE_STOP_SECONDS = 5.0
# Relays that others run may be away.
_HOUSE_START_SECONDS = 30.0
# A relay may leave every kind unanswered.
_RELAYS_SECONDS = 120


def server_part(settings: Settings) -> Part:
    """The server, which announces the house; ``ARBITER_…`` are the user's. Raises PartFailed."""
    given = {name: value for name, value in os.environ.items() if name.startswith("ARBITER_")}
    bridge = bridge_key(settings)
    keys = house_keys(_house_folder(settings), settings.house, PLAYERS) if settings.house else ()
    house = {"ARBITER_HOUSE": ",".join(map(str, keys))} if keys else {}
    return Part(
        name=SERVER,
        command=(
            *(sys.executable, "-m", "server", "serve", "--data", str(settings.run_dir)),
            *("--listen", f"{LOOPBACK}:{settings.ports.arbiter}"),
            *("--relays", ",".join(settings.relay_urls) or "none"),
            *("--log-level", settings.log_level),
            *(("--bridge", bridge.pubkey) if bridge else ()),
        ),
        environment={
            **bare_environment(settings),
            "ARBITER_HTTP_PER_ADDRESS": settings.requests_per_address,
            **house,
            **given,
            "ENDPOINTS_FILE": str(server_file(settings)),
            "PYTHONPATH": our_code(),
        },
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )


def house_part(settings: Settings, server: str) -> Part:
    return Part(
        name=HOUSE,
        command=(
            *(sys.executable, "-m", "clients.bot.house"),
            *("--levels", ",".join(map(str, settings.house))),
            *("--keys", str(_house_folder(settings))),
            *("--relays", ",".join(settings.relay_urls) or settings.websocket_url),
            *("--server", server, "--ready", str(house_file(settings))),
        ),
        environment={**bare_environment(settings), "PYTHONPATH": our_code()},
        stop_timeout_seconds=_HOUSE_STOP_SECONDS,
    )


def server_file(settings: Settings) -> Path:
    return settings.run_dir / "server.json"


def house_file(settings: Settings) -> Path:
    return settings.run_dir / "house.ready"


def _house_folder(settings: Settings) -> Path:
    return settings.run_dir / "house"


def start(settings: Settings, server: str, supervisor: Supervisor) -> None:
    """From nothing to ready. Raises PartFailed, or StopAsked when a stop is asked for."""
    start_relay(settings, supervisor)
    if settings.ssb is not None:
        # What it has to send, it sends when the server answers.
        part = bridge_part(settings, settings.ssb, of_server(settings), server)
        start_bridge(supervisor, settings, part)
    for left in (server_file(settings), house_file(settings)):
        left.unlink(missing_ok=True)  # by a run that was killed
    with step("starting the server", SERVER):
        supervisor.start(server_part(settings))
        supervisor.wait_until(SERVER, server_file(settings).exists, _START_TIMEOUT_SECONDS)
    told = json.loads(server_file(settings).read_text(encoding="utf-8"))
    del told["pid"]  # it may be started again
    if settings.house:
        with step("starting the house", HOUSE):
            _start_house(settings, server, supervisor)
    write_endpoints(endpoints_path(settings.run_dir), told)


def _start_house(settings: Settings, server: str, supervisor: Supervisor) -> None:
    """Start it, and wait until it hears challenges; not for ever, since all else is there."""
    supervisor.start(house_part(settings, server))
    try:
        supervisor.wait_until(HOUSE, house_file(settings).exists, _HOUSE_START_SECONDS)
    except PartFailed as failure:
        say(f"  ! {failure}")


def _say_of_relays(settings: Settings, stop: threading.Event) -> None:
    """Say which relay takes what, once the server has found out."""
    path = settings.run_dir / REPORT
    for _ in range(_RELAYS_SECONDS):
        if path.exists():
            say(path.read_text(encoding="utf-8"))
            return
        if stop.wait(1):
            return


def _run(settings: Settings, key: SecretKey, stop: threading.Event) -> int:
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    folder = shown(settings.run_dir)

    def start_and_say() -> None:
        start(settings, key.pubkey, supervisor)
        say(
            f"""
The arbiter is ready.
  plays as   {encode_npub(key.pubkey)}
  listens on {", ".join(settings.relay_urls) or "its gateway alone"}
  gateway    {settings.websocket_url}
  web        {settings.http_url}{feed_lines(settings)}
  house      {"levels " + ", ".join(map(str, settings.house)) if settings.house else "none"}
  games      {folder}/arbiter.sqlite3
  logs       {folder}/logs/

Play a game in another terminal: {play_command(settings.run_dir)}
Ctrl-C stops everything; the games are kept.
"""
        )
        if not settings.starts_relay and settings.relay_urls:
            threading.Thread(target=_say_of_relays, args=(settings, stop), daemon=True).start()

    return hold(supervisor, settings, start_and_say, f"Stopped. The games are kept in {folder}.")


if __name__ == "__main__":
    sys.exit(enter(lambda _tools: (), _run, ports=lambda ports: (ports.arbiter,)))
