import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from botocore.exceptions import EndpointConnectionError

from local.foreground import hold
from local.processes import PartFailed, Supervisor
from local.settings import Settings, settings_from
from server.endpoints import Endpoints, endpoints_path, write_endpoints


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_from({"RUN_DIR": str(tmp_path)})


def _raising(problem: Exception) -> Callable[[], None]:
    def start() -> None:
        raise problem

    return start


def _held(settings: Settings, start: Callable[[], None]) -> int:
    stop = threading.Event()
    stop.set()
    supervisor = Supervisor(settings.run_dir, settings.run_dir, stop)
    return hold(supervisor, settings, start, "Stopped.")


@pytest.mark.parametrize(
    "problem",
    [PartFailed("no answer"), EndpointConnectionError(endpoint_url="no answer")],
    ids=["a part", "the cloud"],
)
def test_a_failure_is_one_line_and_exit_code_1(
    settings: Settings, capfd: pytest.CaptureFixture[str], problem: Exception
) -> None:
    assert _held(settings, _raising(problem)) == 1
    [line] = capfd.readouterr().err.splitlines()
    assert "no answer" in line


def test_endpoints_are_removed_before_the_first_process_stops(settings: Settings) -> None:
    endpoints = Endpoints(server_pubkey="ab" * 32, relays=(), aws="http://x")
    seen: list[bool] = []

    class Stopping(Supervisor):
        def stop_all(self) -> None:
            seen.append(endpoints_path(settings.run_dir).exists())

    stop = threading.Event()
    stop.set()
    hold(
        Stopping(settings.run_dir, settings.run_dir, stop),
        settings,
        lambda: write_endpoints(endpoints_path(settings.run_dir), endpoints.to_json()),
        "Stopped.",
    )
    assert seen == [False]
