"""The files for operators: a game through Caddy, and a unit that systemd understands."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.probes.matches import OPERA_GAME, check_states, seated
from tests.server.running_server import RunningServer, free_port, running_server

pytestmark = pytest.mark.slow

_HOSTING = Path(__file__).parents[2] / "hosting"
_PER_ADDRESS = 5


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server whose public address is that of a Caddy in front of it, without TLS."""
    caddy = shutil.which("caddy")
    if caddy is None:
        pytest.skip("caddy is not installed")
    folder, port = tmp_path_factory.mktemp("proxied"), free_port()
    url = f"http://127.0.0.1:{port}"
    limits = {"ARBITER_HTTP_PER_ADDRESS": str(_PER_ADDRESS)}
    config = folder / "Caddyfile"
    config.write_text(f"{{\n\tadmin off\n}}\nimport {_HOSTING / 'Caddyfile'}\n")
    with running_server(folder, ARBITER_PUBLIC_URL=url, **limits) as server:
        upstream = f"127.0.0.1:{server.port}"
        environment = {**os.environ, "HOME": str(folder), "ARBITER_SITE": url}
        with subprocess.Popen(
            [caddy, "run", "--config", str(config), "--adapter", "caddyfile"],
            env={**environment, "ARBITER_UPSTREAM": upstream},
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                _wait_for(port)
                yield server
            finally:
                process.terminate()


def _wait_for(port: int) -> None:
    ends_at = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < ends_at, "caddy does not listen"
            time.sleep(0.05)
        else:
            return


def _status(url: str, **headers: str) -> int:
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - our own loopback
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - as above
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


async def test_players_play_to_mate_through_caddy(proxied: RunningServer) -> None:
    assert f":{proxied.port}/" not in proxied.endpoints.websocket
    async with seated(proxied.endpoints, OPERA_GAME) as match:
        await match.play_to(len(OPERA_GAME))
        check_states(match, OPERA_GAME)
        assert [player.errors for player in match.players] == [(), ()]


def test_caddy_shows_pages_to_all_and_metrics_to_the_machine_alone(proxied: RunningServer) -> None:
    assert _status(f"{proxied.endpoints.http}/healthz") == 200
    assert _status(f"{proxied.endpoints.http}/metrics") == 404
    assert _status(f"http://127.0.0.1:{proxied.port}/metrics") == 200


def test_behind_caddy_a_client_cannot_choose_the_address_it_is_counted_under(
    proxied: RunningServer,
) -> None:
    def asked(url: str) -> set[int]:
        return {
            _status(f"{url}/players/x", **{"X-Forwarded-For": f"192.0.2.{number}"})
            for number in range(3 * _PER_ADDRESS)
        }

    assert 429 in asked(proxied.endpoints.http)
    assert 429 not in asked(f"http://127.0.0.1:{proxied.port}")


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    systemd_analyze = shutil.which("systemd-analyze")
    if systemd_analyze is None:
        pytest.skip("systemd-analyze is not installed")
    text = (_HOSTING / "arbiter.service").read_text()
    unit = tmp_path / "arbiter.service"
    unit.write_text(text.replace("/opt/arbiter/bin/arbiter", sys.executable))

    verified = subprocess.run(
        [systemd_analyze, "verify", str(unit)], capture_output=True, text=True, check=False
    )

    assert (verified.returncode, verified.stderr) == (0, "")
