"""The Nostr relay of a run: nostr-relay on SQLite. It keeps ephemeral events for up to five
minutes; a listener that reconnects asks for what it missed, and nothing depends on it.
"""

import json
from typing import Any

from local.console import step
from local.environment import bare_environment
from local.ports import LOOPBACK
from local.processes import Part, Supervisor
from local.settings import ROOT, Settings

_STOP_TIMEOUT_SECONDS = 5.0
# The default of 4096 is for notes; a game's PGN may be longer. Events of ours end at 64 KiB.
_MAX_CONTENT = 65_536
_MAX_FRAME_BYTES = 4 * _MAX_CONTENT
# By default a client that says nothing for half an hour is sent away; a listener only listens.
_SILENCE_SECONDS = 7 * 24 * 3600
_SUBSCRIPTIONS_PER_CONNECTION = 64


def relay_part(settings: Settings, host: str = LOOPBACK, *, is_plain: bool = False) -> Part:
    """The relay, its configuration written; ``is_plain``: with its own storage."""
    folder = settings.run_dir / "relay"
    folder.mkdir(parents=True, exist_ok=True)
    config_path = folder / "relay.yaml"
    config = _config(settings, host)
    if not is_plain:
        config["storage"]["class"] = "local.relay_storage.storage"
    # JSON is YAML, and needs no library here.
    config_path.write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    return Part(
        name="relay",
        # One process under uvicorn: gunicorn's worker would outlive a killed master.
        command=(str(settings.tools.relay), "-c", str(config_path), "serve", "--use-uvicorn"),
        environment={**bare_environment(settings), "PYTHONPATH": str(ROOT)},
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )


def start_relay(settings: Settings, supervisor: Supervisor) -> None:
    """Start it, where the settings want one, and wait until it answers. Raises PartFailed."""
    if settings.starts_relay:
        with step("starting the relay", "relay"):
            supervisor.start(relay_part(settings))
            supervisor.wait_for_http("relay", settings.ports.relay)


def _config(settings: Settings, host: str) -> dict[str, Any]:
    database = settings.run_dir / "relay" / "relay.sqlite3"
    return {
        "relay_name": "arbiter's own relay",
        "relay_description": "on this machine, for games on this machine",
        "max_event_size": _MAX_CONTENT,
        "message_timeout": _SILENCE_SECONDS,
        "subscription_limit": _SUBSCRIPTIONS_PER_CONNECTION,
        "authentication": {"enabled": False},
        "storage": {
            "sqlalchemy.url": f"sqlite+aiosqlite:///{database}",
            # sqlite has one writer; a second one only waits for its lock.
            "num_concurrent_adds": 1,
            "num_concurrent_reqs": 10,
            "validators": [
                "nostr_relay.validators.is_not_too_large",
                "nostr_relay.validators.is_signed",
                "nostr_relay.validators.is_recent",
            ],
        },
        # The section's name notwithstanding, uvicorn takes these.
        "gunicorn": {
            "bind": f"{host}:{settings.ports.relay}",
            "host": host,
            "access_log": False,
            "timeout_graceful_shutdown": 2,
            "ws_max_size": _MAX_FRAME_BYTES,
            # The relay shares one compressor among all its connections, which garbles them.
            "ws_per_message_deflate": False,
        },
        "logging": {
            "version": 1,
            "handlers": {"console": {"class": "logging.StreamHandler"}},
            "root": {"level": "WARNING", "handlers": ["console"]},
        },
    }
