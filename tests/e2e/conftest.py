"""One arbiter for all end-to-end tests; those that are about one wiring run on that alone."""

from collections.abc import Iterator

import pytest

from tests.e2e.arbiter_run import WIRING, ArbiterRun, running

_SLOW = "e2e_slow"


def pytest_configure(config: pytest.Config) -> None:
    """Make our marker known."""
    config.addinivalue_line(
        "markers", f"{_SLOW}: an end-to-end test that takes a minute; part of `make e2e` alone"
    )
    config.addinivalue_line("markers", "wiring(name): runs with this WIRING alone")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about another wiring, and the slow ones unless they are asked for by name:
    -m e2e_slow.
    """

    def is_left_out(item: pytest.Item) -> bool:
        wiring = item.get_closest_marker("wiring")
        is_slow = item.get_closest_marker(_SLOW) and _SLOW not in config.option.markexpr
        return bool(is_slow or (wiring and wiring.args != (WIRING,)))

    if left_out := [item for item in items if is_left_out(item)]:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    """The arbiter of this session, stopped at its end."""
    with running(tmp_path_factory.mktemp("arbiter")) as run:
        yield run


@pytest.fixture
def arbiter(shared_run: ArbiterRun) -> ArbiterRun:
    """The same, up and ready whatever the test before did to it."""
    shared_run.be_up()
    return shared_run


@pytest.fixture(scope="session")
def run_without_relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    with running(tmp_path_factory.mktemp("alone"), ("none",)) as run:
        yield run


@pytest.fixture
def alone(run_without_relay: ArbiterRun) -> ArbiterRun:
    """The same, up and ready whatever the test before did to it."""
    run_without_relay.be_up()
    return run_without_relay
