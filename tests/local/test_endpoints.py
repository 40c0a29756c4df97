"""endpoints.json names every part of a run, and none that it does not have."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arbiter.nostr.keys import SecretKey
from local import run_cloud, run_moto
from local.settings import Settings, settings_from
from server import endpoints, run
from server.settings import read_settings

KEY = SecretKey(bytes([7]) * 32)
HTTP, GATEWAY = "http://127.0.0.1:7302", "ws://127.0.0.1:7302"
Told = dict[str, object]
OWNED = {"server_pubkey", "npub", "relays"}


def _settings(run_dir: Path) -> Settings:
    return settings_from({"RUN_DIR": str(run_dir), "PORT_BASE": "7300", "HOUSE": "1"})


def _by_serve(run_dir: Path) -> Told:
    """As `make run` and `arbiter serve` write it."""
    house = f"{KEY.pubkey}:1"
    given = {"data": str(run_dir), "listen": "127.0.0.1:7302", "house": house}
    with run._endpoints(read_settings(given, {}), KEY):
        return _read(run_dir)


def _by(of: Callable[[Settings, SecretKey], endpoints.Endpoints]) -> Callable[[Path], Told]:
    def told(run_dir: Path) -> Told:
        made = of(_settings(run_dir), KEY)
        endpoints.write_endpoints(endpoints.endpoints_path(run_dir), made.to_json())
        return _read(run_dir)

    return told


def _read(run_dir: Path) -> Told:
    told: Told = json.loads(endpoints.endpoints_path(run_dir).read_text("utf-8"))
    return told


@pytest.mark.parametrize("is_built", [True, False], ids=["web", "WEB=0"])
@pytest.mark.parametrize(
    ("write", "parts"),
    [
        (_by_serve, {"http", "websocket", "web", "house", "pid"}),
        (_by(run_cloud.endpoints_of), {"http", "websocket", "web", "house", "aws"}),
        (_by(run_moto.endpoints_of), {"aws"}),
    ],
    ids=["run", "run-cloud", "run-moto"],
)
def test_each_run_names_its_parts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path], Told],
    parts: set[str],
    is_built: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    for module in (run, run_cloud):
        monkeypatch.setattr(module, "built_client", lambda: object() if is_built else None)

    told = write(tmp_path)

    assert set(told) == OWNED | (parts if is_built else parts - {"web"})
    assert told["server_pubkey"] == KEY.pubkey
    assert str(told["npub"]).startswith("npub1")
    assert told.get("web", HTTP) == HTTP
    assert str(told.get("http", HTTP)) == HTTP
    assert str(told.get("websocket", GATEWAY)).rstrip("/") == GATEWAY
