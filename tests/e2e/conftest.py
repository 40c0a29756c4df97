"""One arbiter for all end-to-end tests: to deploy one takes half a minute, a game a second."""

from collections.abc import Iterator

import pytest

from tests.e2e.arbiter_run import ArbiterRun, running

_SLOW = "e2e_slow"


def pytest_configure(config: pytest.Config) -> None:
    """Make our marker known."""
    config.addinivalue_line(
        "markers", f"{_SLOW}: an end-to-end test that takes a minute; part of `make e2e` alone"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow ones out unless they are asked for by name: -m e2e_slow."""
    if _SLOW in config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker(_SLOW)]
    if slow:
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=slow)


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
